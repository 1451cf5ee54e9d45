/* From units to rows: cells (one case of one entry), and the rows that need no scoring. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

static const char unknown_hw[] = "unknown";

/* ---- keys ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *collect_unit_hw(const struct collect *c, const struct unit_state *u)
{
	const struct plan_job *j = unit_job(c, u);
	size_t n = (size_t)j->n_ranks, kept = 0;
	struct buf b = BUF_INIT;
	const char **v = hb_realloc_array(NULL, n, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		const char *hw = c->node_hw[job_node(c, u, (int)i)];
		hw = hw ? hw : unknown_hw;
		/* Neighbours mostly agree: keeps the sort short. */
		if (kept == 0 || strcmp(v[kept - 1], hw) != 0)
			v[kept++] = hw;
	}
	qsort(v, kept, sizeof(*v), by_text);
	for (size_t i = 0; i < kept; i++)
		if (i == 0 || strcmp(v[i - 1], v[i]) != 0)
			buf_printf(&b, "%s%s", b.len ? " + " : "", v[i]);
	free(v);
	return buf_detach(&b);
}

/* How many different nodes take part; ranks stand node by node. */
static int count_nodes(const struct collect *c, const struct unit_state *u)
{
	const struct plan_job *j = unit_job(c, u);
	int n = 0;
	unsigned char *seen = hb_alloc(c->plan.nodes.n);
	for (int i = 0; i < j->n_ranks; i++)
		n += seen[job_node(c, u, i)]++ == 0;
	free(seen);
	return n > 0 ? n : 1;
}

void collect_key(const struct collect *c, const struct cell *cell, const struct unit_state *u,
                 const struct metric_info *m, const char *hw, struct key *out)
{
	const struct bench_case *point = &c->plan.cases[cell->entry].v[cell->index];
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct buf opts = BUF_INIT;
	json_object *o = info_key_opts(info, point->opts);
	int nodes = count_nodes(c, u), ranks = unit_job(c, u)->n_ranks;
	js_write(o, JS_SORTED, &opts);
	js_put(o);
	memset(out, 0, sizeof(*out));
	out->bench = hb_strdup(info->name);
	out->metric = hb_strdup(m->name);
	out->opts = buf_detach(&opts);
	out->bytes = point->bytes;
	out->class_ = hb_strdup(nodes == 1 ? "same-node" : "remote");
	out->hw = hb_strdup(hw);
	out->nodes = nodes;
	out->rpn = (ranks + nodes - 1) / nodes;
	key_make(out);
}

enum pair_ends collect_unit_ends(const struct collect *c, const struct unit_state *u)
{
	const size_t *leaf_of = c->plan.leaf_of;
	if (!leaf_of || unit_job(c, u)->cases.info->shape != BENCH_PAIR)
		return ENDS_ANY;
	size_t a = job_node(c, u, 0), b = job_node(c, u, 1);
	if (a == b || leaf_of[a] == TOPO_NO_LEAF || leaf_of[b] == TOPO_NO_LEAF)
		return ENDS_ANY;
	return leaf_of[a] == leaf_of[b] ? ENDS_SAME_LEAF : ENDS_CROSS_LEAF;
}

void collect_key_ends(struct key *key, enum pair_ends ends)
{
	if (ends == ENDS_ANY)
		return;
	free(key->class_);
	key->class_ = hb_strdup(ends == ENDS_SAME_LEAF ? key_same_leaf : key_cross_leaf);
	key_make(key);
}

/* ---- rows ---- */

struct summary_row *collect_row(struct collect *c, const struct cell *cell, const struct key *key,
                                const struct metric_info *m, const char *subject, bool confirm)
{
	struct summary_row *r = summary_add_row(c->out, confirm);
	key_copy(key, &r->key);
	r->subject = hb_strdup(subject);
	r->kind = strcmp(subject, "cluster") == 0 ? SUBJECT_CLUSTER : SUBJECT_NODE;
	r->unit = m->unit;
	r->higher_is_better = m->higher_is_better;
	r->judged = m->judged;
	r->floor = c->suite.entries[cell->entry].floor;
	r->tolerance = c->suite.entries[cell->entry].tolerance;
	return r;
}

void collect_row_figure(struct summary_row *r, const struct figure *f, const struct attempt *a)
{
	r->value = f->p50;
	r->lo = f->lo;
	r->hi = f->hi;
	r->p95 = f->p95;
	r->p99 = f->p99;
	r->n = f->n;
	r->spread = a->spread;
}

void collect_row_median(struct summary_row *r, const struct metric_info *m,
                        const struct pair_figure *v, size_t n)
{
	double *y = hb_realloc_array(NULL, n, sizeof(*y));
	r->lo = INFINITY;
	r->hi = 0;
	for (size_t i = 0; i < n; i++) {
		y[i] = v[i].y;
		r->lo = fmin(r->lo, v[i].f->p50);
		r->hi = fmax(r->hi, v[i].f->p50);
	}
	double median = stat_median(y, n);
	r->value = exp(m->higher_is_better ? median : -median);
	r->spread = stat_sd(y, n);
	r->n = n;
	free(y);
}

void collect_row_quality(struct summary_row *r, enum row_quality q, const char *reason)
{
	r->quality = q;
	if (q != ROW_OK)
		r->reason = hb_strdup(reason ? reason : row_quality_name(q));
}

/* One unit, one subject: its figures are the row's. Skipped ones are a loss only. */
static void unit_rows(struct collect *c, const struct cell *cell, const struct unit_state *u)
{
	struct outcome o = collect_outcome(c, u);
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	const struct attempt *a = o.attempt;
	const char *node = c->plan.nodes.v[job_node(c, u, 0)];
	if (o.status == UNIT_SKIPPED)
		return;
	char *hw = collect_unit_hw(c, u);
	for (const struct metric_info *m = info->metrics; m->name; m++) {
		const struct figure *f = a && a->f ? &a->f[m - info->metrics] : NULL;
		enum row_quality q = o.quality;
		const char *reason = o.reason;
		struct key key;
		if (q == ROW_OK && !(f && f->n)) {
			q = ROW_NOT_MEASURED;
			reason = "this figure was not told";
		}
		/* What nobody judges is not missed either. */
		if (q == ROW_NOT_MEASURED && !m->judged)
			continue;
		collect_key(c, cell, u, m, hw, &key);
		struct summary_row *r = collect_row(c, cell, &key, m, node, false);
		collect_row_quality(r, q, reason);
		if (q != ROW_NOT_MEASURED && f && f->n)
			collect_row_figure(r, f, a);
		key_free(&key);
	}
	free(hw);
}

static bool belongs(const struct plan_job *j, bool confirm)
{
	return (j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL) == confirm;
}

/* Extra pairs have no rows: they are chosen for what is slow, and what a baseline and a night are
 * compared by must come from the same kind of pairs. They are for localize. */
static struct cell without_extra(const struct collect *c, const struct cell *cell)
{
	struct cell main = *cell;
	main.v = hb_realloc_array(NULL, cell->n + 1, sizeof(struct unit_state *));
	main.n = 0;
	for (size_t i = 0; i < cell->n; i++)
		if (unit_job(c, cell->v[i])->phase != PHASE_EXTRA)
			main.v[main.n++] = cell->v[i];
	return main;
}

/* Of runs that are merged several may have the node: a good figure goes before none. */
static void plain_cell(struct collect *c, const struct cell *cell)
{
	unsigned char *done = hb_alloc(c->plan.nodes.n);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < cell->n; i++) {
			size_t node = job_node(c, cell->v[i], 0);
			bool ok = collect_outcome(c, cell->v[i]).quality == ROW_OK;
			if (done[node] || (pass == 0 && !ok))
				continue;
			done[node] = 1;
			unit_rows(c, cell, cell->v[i]);
		}
	}
	free(done);
}

/* ---- cells ---- */

/* Splits units by entry and case: two passes over the table, no sorting. */
struct cells {
	size_t *first;           /* of each entry, into counts and starts */
	size_t *start;           /* of each cell, into units; one more at the end */
	struct unit_state **all; /* cell by cell, in the order of the plan */
	size_t n;
};

static void cells_make(struct collect *c, bool confirm, struct cells *out)
{
	size_t n_entries = c->suite.n_entries, total = 0;
	out->first = hb_alloc((n_entries + 1) * sizeof(*out->first));
	for (size_t e = 0; e < n_entries; e++)
		out->first[e + 1] = out->first[e] + c->plan.cases[e].n;
	out->n = out->first[n_entries];
	out->start = hb_alloc((out->n + 2) * sizeof(*out->start));
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < c->plan.next_unit; i++) {
			struct unit_state *u = &c->units[i];
			if (u->step == UINT32_MAX)
				continue;
			const struct plan_job *j = unit_job(c, u);
			if (!belongs(j, confirm))
				continue;
			size_t cell = out->first[j->entry] + j->first_case + i - j->first_unit;
			if (pass == 0)
				out->start[cell + 2]++;
			else
				out->all[out->start[cell + 1]++] = u;
		}
		if (pass == 1)
			break;
		for (size_t k = 0; k <= out->n; k++)
			out->start[k + 1] += out->start[k];
		total = out->start[out->n + 1];
		out->all = hb_realloc_array(NULL, total + 1, sizeof(struct unit_state *));
	}
}

static void cells_free(struct cells *s)
{
	free(s->first);
	free(s->start);
	free(s->all);
}

static void main_cell(struct collect *c, const struct cell *cell)
{
	enum bench_shape shape = c->suite.entries[cell->entry].info->shape;
	bool many = c->plan.nodes.n > 1;
	struct cell main = without_extra(c, cell);
	if (main.n && many && shape == BENCH_PAIR)
		collect_pairs(c, &main);
	else if (main.n && many && shape == BENCH_GROUP)
		collect_groups(c, &main);
	else if (main.n)
		plain_cell(c, &main);
	if (c->sheets && many && shape == BENCH_PAIR)
		collect_sheets(c, cell);
	free(main.v);
}

void collect_rows(struct collect *c)
{
	for (int confirm = 0; confirm < 2; confirm++) {
		struct cells cells;
		cells_make(c, confirm, &cells);
		for (size_t e = 0; e < c->suite.n_entries; e++) {
			for (size_t i = 0; i < c->plan.cases[e].n; i++) {
				size_t k = cells.first[e] + i;
				struct cell cell = { e, i, cells.all + cells.start[k],
					             cells.start[k + 1] - cells.start[k] };
				if (cell.n == 0)
					continue;
				if (confirm)
					collect_confirm(c, &cell);
				else
					main_cell(c, &cell);
			}
		}
		cells_free(&cells);
	}
}

/*
 * Scores of nodes over their pairs: y = log figure, lower is worse; a node's score is the upper
 * quartile (stat_node_score; the maximum with at most 3 partners). The cluster's figure is the
 * median over pairs. Pairs of different hardware classes stand under different keys.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

enum { FEW_PARTNERS = 3 };

/* A cell while its rows are made. */
struct scoring {
	struct collect *c;
	const struct cell *cell;
	struct outcome *outcome; /* of each unit of the cell */
	struct pair_figure *e;   /* those of one metric, quality and class */
	size_t n;
	size_t *start, *by_node; /* entries of each node, as indices into e */
	size_t *seen, stamp;     /* of each node, to count distinct partners */
	double *y;
	unsigned char *done; /* of each node: has its row */
	bool leaves;         /* some of its pairs are of leaf classes */
};

static size_t class_of(const struct collect *c, const struct unit_state *u)
{
	size_t a = c->hw_id[job_node(c, u, 0)], b = c->hw_id[job_node(c, u, 1)];
	return a < b ? a * NODESET_MAX + b : b * NODESET_MAX + a;
}

/* Which pairs make rows: of one hardware class and one endpoint class. */
struct which {
	size_t class;
	enum pair_ends ends;
};

/* Fills e with the units of this quality and class that have the metric. */
static void gather(struct scoring *s, const struct metric_info *m, enum row_quality q,
                   const struct which *w)
{
	const struct bench_info *info = s->c->suite.entries[s->cell->entry].info;
	s->n = 0;
	for (size_t i = 0; i < s->cell->n; i++) {
		const struct unit_state *u = s->cell->v[i];
		const struct outcome *o = &s->outcome[i];
		struct pair_figure e;
		if (o->quality == q && class_of(s->c, u) == w->class &&
		    (w->ends == ENDS_ANY || collect_unit_ends(s->c, u) == w->ends) &&
		    collect_figure(s->c, u, o, (size_t)(m - info->metrics), &e))
			s->n = collect_add_figure(s->c, s->e, s->n, &e);
	}
}

/* start, by_node: a counting sort of both ends of every entry. */
static void index_nodes(struct scoring *s)
{
	size_t n_nodes = s->c->plan.nodes.n;
	memset(s->start, 0, (n_nodes + 2) * sizeof(*s->start));
	for (size_t i = 0; i < s->n; i++) {
		s->start[s->e[i].a + 2]++;
		s->start[s->e[i].b + 2]++;
	}
	for (size_t k = 0; k <= n_nodes; k++)
		s->start[k + 1] += s->start[k];
	for (size_t i = 0; i < s->n; i++) {
		s->by_node[s->start[s->e[i].a + 1]++] = i;
		s->by_node[s->start[s->e[i].b + 1]++] = i;
	}
}

static double to_value(const struct metric_info *m, double y)
{
	return exp(m->higher_is_better ? y : -y);
}

/* Figures of a node's n entries at index, one at least, into its row; returns how many pairs they
 * are. */
static size_t fill_row(struct scoring *s, struct summary_row *r, const struct metric_info *m,
                       const size_t *index, size_t n, size_t self)
{
	const struct pair_figure *worst = &s->e[index[0]], *best = worst;
	size_t partners = 0;
	s->stamp++;
	r->lo = INFINITY;
	r->hi = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pair_figure *e = &s->e[index[i]];
		size_t other = e->a == self ? e->b : e->a;
		s->y[i] = e->y;
		r->lo = fmin(r->lo, e->f->p50);
		r->hi = fmax(r->hi, e->f->p50);
		if (e->y < worst->y)
			worst = e;
		if (e->y > best->y)
			best = e;
		if (s->seen[other] != s->stamp) {
			s->seen[other] = s->stamp;
			partners++;
		}
	}
	r->spread = stat_sd(s->y, n);
	r->value = partners > FEW_PARTNERS ? to_value(m, stat_node_score(s->y, n)) : best->f->p50;
	r->n = partners;
	r->pairs = (int)partners;
	r->worst_partner = hb_strdup(s->c->plan.nodes.v[worst->a == self ? worst->b : worst->a]);
	return partners;
}

/* ---- what nodes lost ---- */

/* How a node's units of a cell came out; what was skipped does not count. */
struct tally {
	size_t all, ok, invalid, disturbed;
	const char *reason, *invalid_reason, *disturbed_reason; /* the first of each */
};

static void tally_node(struct tally *t, const struct outcome *o)
{
	if (o->status == UNIT_SKIPPED)
		return;
	t->all++;
	t->ok += o->quality == ROW_OK;
	t->invalid += o->quality == ROW_INVALID;
	t->disturbed += o->quality == ROW_DISTURBED;
	if (o->quality == ROW_INVALID && !t->invalid_reason)
		t->invalid_reason = o->reason;
	if (o->quality == ROW_DISTURBED && !t->disturbed_reason)
		t->disturbed_reason = o->reason;
	if (o->quality == ROW_NOT_MEASURED && !t->reason)
		t->reason = o->reason;
}

static struct tally *tally_nodes(struct scoring *s)
{
	struct tally *t = hb_alloc(s->c->plan.nodes.n * sizeof(*t));
	for (size_t i = 0; i < s->cell->n; i++) {
		tally_node(&t[job_node(s->c, s->cell->v[i], 0)], &s->outcome[i]);
		tally_node(&t[job_node(s->c, s->cell->v[i], 1)], &s->outcome[i]);
	}
	return t;
}

/*
 * What a node's row is worth. One partner with wrong data must not take a good node's row along:
 * it is invalid where at least half of its pairs are; the others' pairs are told as losses.
 */
static enum row_quality node_quality(const struct tally *t, const char **reason)
{
	*reason = t->invalid_reason;
	if (t->invalid > 0 && t->invalid * 2 >= t->all)
		return ROW_INVALID;
	if (t->ok > 0)
		return ROW_OK;
	if (t->invalid > 0)
		return ROW_INVALID;
	*reason = t->disturbed_reason;
	if (t->disturbed > 0)
		return ROW_DISTURBED;
	*reason = t->reason;
	return ROW_NOT_MEASURED;
}

/* ---- rows ---- */

static void keep_worst(struct pair_figure *list, size_t *n, const struct pair_figure *e)
{
	size_t at = *n;
	if (*n == COLLECT_WORST && e->y >= list[*n - 1].y)
		return;
	for (size_t i = 0; i < *n; i++) {
		bool same = (list[i].a == e->a && list[i].b == e->b) ||
		            (list[i].a == e->b && list[i].b == e->a);
		if (same && list[i].y <= e->y)
			return; /* its other direction is worse */
		if (same)
			at = i;
	}
	if (at == *n && *n < COLLECT_WORST)
		(*n)++;
	else if (at == *n)
		at = *n - 1;
	for (; at > 0 && list[at - 1].y > e->y; at--)
		list[at] = list[at - 1];
	list[at] = *e;
}

static void worst_pairs(struct scoring *s, const struct key *key, const struct summary_row *cluster)
{
	struct pair_figure list[COLLECT_WORST];
	struct summary *out = s->c->out;
	char *const *names = s->c->plan.nodes.v;
	double median = summary_y(cluster);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		keep_worst(list, &n, &s->e[i]);
	for (size_t i = 0; i < n; i++) {
		hb_grow(&out->worst, &out->cap_worst, out->n_worst + 1, sizeof(*out->worst));
		struct summary_pair *p = &out->worst[out->n_worst++];
		memset(p, 0, sizeof(*p));
		key_copy(key, &p->key);
		p->a = hb_strdup(names[list[i].a]);
		p->b = hb_strdup(names[list[i].b]);
		p->dir = hb_strdup(unit_job(s->c, list[i].u)->dir);
		p->value = list[i].f->p50;
		p->ratio = exp(list[i].y - median);
	}
}

static struct summary_row *cluster_row(struct scoring *s, const struct key *key,
                                       const struct metric_info *m, size_t pairs)
{
	struct summary_row *r = collect_row(s->c, s->cell, key, m, "cluster", false);
	collect_row_median(r, m, s->e, s->n);
	r->n = pairs;
	return r;
}

/* The rows of one metric and class from figures of one quality. */
static void class_rows(struct scoring *s, const struct tally *t, const struct metric_info *m,
                       enum row_quality figures, const struct which *w)
{
	struct key key;
	size_t pairs = 0;
	gather(s, m, figures, w);
	if (s->n == 0)
		return;
	index_nodes(s);
	char *hw = collect_unit_hw(s->c, s->e[0].u);
	collect_key(s->c, s->cell, s->e[0].u, m, hw, &key);
	collect_key_ends(&key, w->ends);
	for (size_t node = 0; node < s->c->plan.nodes.n; node++) {
		const char *reason;
		size_t n = s->start[node + 1] - s->start[node];
		enum row_quality q = node_quality(&t[node], &reason);
		/* Figures that are not good serve only where there are no good ones. */
		if (n == 0 || (figures != ROW_OK && s->done[node]) ||
		    (figures != ROW_OK && q != figures))
			continue;
		struct summary_row *r = collect_row(s->c, s->cell, &key, m,
		                                    s->c->plan.nodes.v[node], false);
		pairs += fill_row(s, r, m, s->by_node + s->start[node], n, node);
		collect_row_quality(r, q, reason);
		s->done[node] |= figures == ROW_OK ? 1 : 2;
	}
	struct summary_row *r = figures == ROW_OK ? cluster_row(s, &key, m, pairs / 2) : NULL;
	/* Once: the pairs of a leaf class are among all of them. */
	if (r && m->judged && w->ends == ENDS_ANY)
		worst_pairs(s, &key, r);
	key_free(&key);
	free(hw);
}

/* Nodes of the cell that have no figure at all. */
static void empty_rows(struct scoring *s, const struct tally *t, const struct metric_info *m)
{
	for (size_t i = 0; m->judged && i < s->cell->n; i++) {
		const struct unit_state *u = s->cell->v[i];
		for (int end = 0; end < 2; end++) {
			size_t node = job_node(s->c, u, end);
			const char *reason, *hw = s->c->node_hw[node];
			struct key key;
			if (s->done[node] || t[node].all == 0)
				continue;
			s->done[node] = 1;
			enum row_quality q = node_quality(&t[node], &reason);
			if (q == ROW_OK) {
				q = ROW_NOT_MEASURED;
				reason = "this figure was not told";
			}
			collect_key(s->c, s->cell, u, m, hw ? hw : "unknown", &key);
			struct summary_row *r = collect_row(s->c, s->cell, &key, m,
			                                    s->c->plan.nodes.v[node], false);
			collect_row_quality(r, q, reason);
			key_free(&key);
		}
	}
}

static void metric_rows(struct scoring *s, const struct tally *t, const struct metric_info *m,
                        const size_t *classes, size_t n_classes)
{
	static const enum row_quality order[] = { ROW_OK, ROW_INVALID, ROW_DISTURBED };
	memset(s->done, 0, s->c->plan.nodes.n);
	for (size_t q = 0; q < sizeof(order) / sizeof(*order); q++)
		for (size_t k = 0; k < n_classes; k++)
			class_rows(s, t, m, order[q], &(struct which){ classes[k], ENDS_ANY });
	empty_rows(s, t, m);
	/* Beside the rows over all pairs: a baseline may know of leaves or not. */
	for (size_t k = 0; s->leaves && k < n_classes; k++)
		for (enum pair_ends e = ENDS_SAME_LEAF; e < ENDS_KINDS; e++)
			class_rows(s, t, m, ROW_OK, &(struct which){ classes[k], e });
}

static void scoring_init(struct scoring *s, struct collect *c, const struct cell *cell)
{
	size_t n_nodes = c->plan.nodes.n;
	*s = (struct scoring){ .c = c, .cell = cell };
	s->outcome = hb_realloc_array(NULL, cell->n, sizeof(*s->outcome));
	s->e = hb_realloc_array(NULL, cell->n, sizeof(*s->e));
	s->y = hb_realloc_array(NULL, cell->n, sizeof(*s->y));
	s->by_node = hb_realloc_array(NULL, 2 * cell->n, sizeof(*s->by_node));
	s->start = hb_alloc((n_nodes + 2) * sizeof(*s->start));
	s->seen = hb_alloc(n_nodes * sizeof(*s->seen));
	s->done = hb_alloc(n_nodes);
	for (size_t i = 0; i < cell->n; i++) {
		s->outcome[i] = collect_outcome(c, cell->v[i]);
		s->leaves = s->leaves || collect_unit_ends(c, cell->v[i]) != ENDS_ANY;
	}
}

static void scoring_free(struct scoring *s)
{
	free(s->outcome);
	free(s->e);
	free(s->y);
	free(s->by_node);
	free(s->start);
	free(s->seen);
	free(s->done);
}

static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return x < y ? -1 : x > y;
}

void collect_pairs(struct collect *c, const struct cell *cell)
{
	struct scoring s;
	size_t n_classes = 0;
	size_t *classes = hb_realloc_array(NULL, cell->n, sizeof(*classes));
	for (size_t i = 0; i < cell->n; i++) {
		size_t class = class_of(c, cell->v[i]);
		if (n_classes == 0 || classes[n_classes - 1] != class)
			classes[n_classes++] = class;
	}
	qsort(classes, n_classes, sizeof(*classes), by_number);
	size_t kept = 0;
	for (size_t i = 0; i < n_classes; i++)
		if (i == 0 || classes[i] != classes[i - 1])
			classes[kept++] = classes[i];
	scoring_init(&s, c, cell);
	struct tally *t = tally_nodes(&s);
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	for (const struct metric_info *m = info->metrics; m->name; m++)
		metric_rows(&s, t, m, classes, kept);
	free(t);
	free(classes);
	scoring_free(&s);
}

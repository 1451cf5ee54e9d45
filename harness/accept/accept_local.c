/* Figures of one node alone, beside those of the healthy controls: accept.h has the formula. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/accept/accept_parts.h"

void accept_beside(const double *controls, size_t n, double y, double floor,
                   struct accept_beside *out)
{
	double sd = stat_sd(controls, n), df = (double)n - 1;
	double s = sd > ACCEPT_SPREAD_MIN ? sd : ACCEPT_SPREAD_MIN;
	double se = s * sqrt(1 + 1 / (double)n), below = stat_mean(controls, n) - y;
	double least =
	        (dist_t_quantile(1 - ACCEPT_SUSPECT, df) + dist_t_quantile(ACCEPT_POWER, df)) * se;

	out->n = n;
	out->loss = 1 - exp(-below);
	out->p = 1 - dist_t_cdf(below / se, df);
	out->detectable = fmax(1 - exp(-least), floor);
}

/* A row that this is about. */
static bool is_local(const struct summary_row *r)
{
	const struct bench_info *info = catalog_find(r->key.bench);

	return r->kind == SUBJECT_NODE && r->judged && r->quality == ROW_OK && info &&
	       info->shape == BENCH_LOCAL && isfinite(r->value) && r->value > 0;
}

/* The rows of local benchmarks, those of one key together. */
struct local {
	const struct summary_row **v;
	size_t *node; /* of each, in the plan */
	size_t n;
};

static int by_key(const void *x, const void *y)
{
	const struct summary_row *a = *(const struct summary_row *const *)x;
	const struct summary_row *b = *(const struct summary_row *const *)y;
	int c = strcmp(a->key.text, b->key.text);

	return c ? c : (a > b) - (a < b);
}

static void gather(const struct accept *a, struct local *out)
{
	const struct summary *s = a->in->s;

	*out = (struct local){ hb_alloc((s->n_rows + 1) * sizeof(struct summary_row *)),
		               hb_alloc((s->n_rows + 1) * sizeof *out->node), 0 };
	for (size_t i = 0; i < s->n_rows; i++)
		if (is_local(&s->rows[i]) && accept_index(a, s->rows[i].subject) != SIZE_MAX)
			out->v[out->n++] = &s->rows[i];
	qsort(out->v, out->n, sizeof(struct summary_row *), by_key);
	for (size_t i = 0; i < out->n; i++)
		out->node[i] = accept_index(a, out->v[i]->subject);
}

/* One row of a node beside the healthy controls of its key, itself left out. */
struct stand {
	const struct summary_row *row;
	struct accept_beside beside;
	bool compared;
};

static void stand_of(const struct accept *a, const struct local *l, size_t at, struct stand *out)
{
	double *y = hb_alloc((l->n + 1) * sizeof *y);
	size_t n = 0, first = at;

	while (first > 0 && strcmp(l->v[first - 1]->key.text, l->v[at]->key.text) == 0)
		first--;
	for (size_t i = first; i < l->n && strcmp(l->v[i]->key.text, l->v[at]->key.text) == 0; i++)
		if (i != at && a->healthy[l->node[i]])
			y[n++] = summary_y(l->v[i]);
	*out = (struct stand){ .row = l->v[at], .beside = { .n = n } };
	if (n >= ACCEPT_CONTROLS_MIN) {
		accept_beside(y, n, summary_y(l->v[at]), l->v[at]->floor, &out->beside);
		out->compared = true;
	}
	free(y);
}

static void few_controls(struct accept_node *n, const struct stand *s)
{
	accept_add(n, ACCEPT_FEW, ACCEPT_UNDECIDED,
	           hb_format("%s: %zu healthy controls of its class to compare with, %d are "
	                     "needed",
	                     s->row->key.bench, s->beside.n, ACCEPT_CONTROLS_MIN),
	           NULL);
}

/* All rows of one benchmark together, by Simes; the worst one is told. */
static void judge(const struct accept *a, struct accept_node *n, const struct stand *v, size_t rows,
                  bool whole)
{
	double *p = hb_alloc((rows + 1) * sizeof *p);
	const struct stand *worst = NULL;

	for (size_t i = 0; i < rows; i++) {
		const struct stand *s = &v[i];
		double tolerance = s->row->tolerance > 0 ? s->row->tolerance : 2 * s->row->floor;
		p[i] = s->compared ? s->beside.p : NAN;
		if (!s->compared)
			continue;
		if (whole) {
			accept_detectable(n, s->row->key.bench, s->beside.detectable, tolerance);
			if (n->partners == 0 || s->beside.n < n->partners)
				n->partners = s->beside.n;
		}
		if (s->beside.loss > s->row->floor && s->beside.p < ACCEPT_SUSPECT &&
		    (!worst || s->beside.loss > worst->beside.loss))
			worst = s;
	}
	double all = stat_simes(p, rows);
	free(p);
	if (!worst || !(all < ACCEPT_SUSPECT) || accept_has(n, ACCEPT_BESIDE))
		return;
	struct buf text = BUF_INIT;
	buf_printf(&text, "%s ", worst->row->key.bench);
	accept_change(&worst->row->key, worst->beside.loss, &text);
	buf_printf(&text, " beside %zu %s (p %s%.4f)", worst->beside.n,
	           a->alone ? "other new nodes" : "controls", all < 0.0001 ? "below " : "",
	           fmax(all, 0.0001));
	bool sure = all < ACCEPT_ALPHA;
	accept_add(n, sure ? ACCEPT_BESIDE : ACCEPT_DOUBT,
	           sure ? ACCEPT_REJECTED : ACCEPT_UNDECIDED, buf_detach(&text), worst->row->ack)
	        ->loss = worst->beside.loss;
}

/* The rows of one node, those of a benchmark together; whole: also what was too little to tell. */
static void node_rows(struct accept *a, const struct local *l, size_t node, bool whole)
{
	struct accept_node *n = accept_at(a, node);
	struct stand *v = hb_alloc((l->n + 1) * sizeof *v);
	size_t rows = 0, few = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->node[i] != node)
			continue;
		if (rows > 0 && strcmp(v[rows - 1].row->key.bench, l->v[i]->key.bench) != 0) {
			judge(a, n, v, rows, whole);
			rows = 0;
		}
		stand_of(a, l, i, &v[rows++]);
		if (!v[rows - 1].compared && whole && few++ == 0)
			few_controls(n, &v[rows - 1]);
	}
	if (rows > 0)
		judge(a, n, v, rows, whole);
	free(v);
}

void accept_local(struct accept *a)
{
	size_t nodes = a->in->plan->nodes.n;
	struct local l;

	gather(a, &l);
	/* Slow ones among those that others are compared with first: they acquit nobody. */
	for (size_t k = 0; l.n > 0 && k < nodes; k++)
		if (accept_is_control(a, k))
			node_rows(a, &l, k, false);
	for (size_t k = 0; k < nodes; k++)
		a->healthy[k] = a->healthy[k] && accept_sound(accept_at(a, k));
	for (size_t k = 0; l.n > 0 && k < nodes; k++)
		if (accept_at(a, k)->role == ROLE_NEW)
			node_rows(a, &l, k, true);
	free(l.v);
	free(l.node);
}

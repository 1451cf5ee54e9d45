/* Confirm and control rows: one a subject, side and repeat; scored as the main rows are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect_parts.h"

static bool same_group(const struct plan_job *a, const struct plan_job *b)
{
	return a->phase == b->phase && a->repeat == b->repeat &&
	       strcmp(a->subject, b->subject) == 0;
}

/* A node's few directions give the best, a cluster's pairs the median. */
static double combine(const double *y, size_t n, bool cluster)
{
	double best = y[0];
	if (cluster)
		return stat_median(y, n);
	for (size_t i = 1; i < n; i++)
		best = fmax(best, y[i]);
	return best;
}

static void fill(struct summary_row *r, const struct metric_info *m, const struct attempt *only,
                 const double *y, size_t n)
{
	double v = combine(y, n, r->kind == SUBJECT_CLUSTER);
	r->value = exp(m->higher_is_better ? v : -v);
	r->n = n;
	if (n > 1) {
		r->spread = stat_sd(y, n);
		return;
	}
	const struct figure *f = &only->f[0];
	r->value = f->p50;
	r->lo = f->lo;
	r->hi = f->hi;
	r->p95 = f->p95;
	r->p99 = f->p99;
	r->n = f->n;
	r->spread = only->spread;
}

/* The row of one metric of the group that begins at first. */
static void group_row(struct collect *c, const struct cell *cell, size_t first,
                      const struct metric_info *m, double *y)
{
	const struct plan_job *j = unit_job(c, cell->v[first]);
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct attempt only = { 0 };
	size_t n = 0, index = (size_t)(m - info->metrics);
	struct key key;
	for (size_t i = first; i < cell->n; i++) {
		struct outcome o = collect_outcome(c, cell->v[i]);
		if (!same_group(j, unit_job(c, cell->v[i])) || o.quality != ROW_OK ||
		    !o.attempt->f || !o.attempt->f[index].n)
			continue;
		double p50 = o.attempt->f[index].p50;
		only.f = &o.attempt->f[index];
		only.spread = o.attempt->spread;
		y[n++] = m->higher_is_better ? log(p50) : -log(p50);
	}
	if (n == 0)
		return;
	char *hw = collect_unit_hw(c, cell->v[first]);
	collect_key(c, cell, cell->v[first], m, hw, &key);
	struct summary_row *r = collect_row(c, cell, &key, m, j->subject, true);
	r->phase = j->phase;
	r->repeat = j->repeat;
	r->partner = hb_strdup(j->partner);
	fill(r, m, &only, y, n);
	key_free(&key);
	free(hw);
}

void collect_confirm(struct collect *c, const struct cell *cell)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	double *y = hb_realloc_array(NULL, cell->n, sizeof(*y));
	unsigned char *done = hb_alloc(cell->n);
	for (size_t i = 0; i < cell->n; i++) {
		if (done[i])
			continue;
		for (size_t k = i; k < cell->n; k++)
			done[k] |= same_group(unit_job(c, cell->v[i]), unit_job(c, cell->v[k]));
		for (const struct metric_info *m = info->metrics; m->name; m++)
			group_row(c, cell, i, m, y);
	}
	free(y);
	free(done);
}

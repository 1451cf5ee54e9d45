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

/* Several pairs are the cluster's: their median, as in the main rows. */
static void fill_median(struct summary_row *r, const struct metric_info *m,
                        const struct pair_figure *v, size_t n)
{
	double *y = hb_realloc_array(NULL, n, sizeof(*y));
	for (size_t i = 0; i < n; i++)
		y[i] = v[i].y;
	double median = stat_median(y, n);
	r->value = exp(m->higher_is_better ? median : -median);
	r->n = n;
	r->spread = stat_sd(y, n);
	free(y);
}

/* The row of one metric of the group that begins at first. */
static void group_row(struct collect *c, const struct cell *cell, size_t first,
                      const struct metric_info *m, struct pair_figure *v)
{
	const struct plan_job *j = unit_job(c, cell->v[first]);
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	size_t n = 0, index = (size_t)(m - info->metrics);
	struct key key;
	for (size_t i = first; i < cell->n; i++) {
		struct outcome o = collect_outcome(c, cell->v[i]);
		struct pair_figure e;
		if (same_group(j, unit_job(c, cell->v[i])) && o.quality == ROW_OK &&
		    collect_figure(c, cell->v[i], &o, index, &e))
			n = collect_add_figure(c, v, n, &e);
	}
	if (n == 0)
		return;
	char *hw = collect_unit_hw(c, cell->v[first]);
	collect_key(c, cell, cell->v[first], m, hw, &key);
	struct summary_row *r = collect_row(c, cell, &key, m, j->subject, true);
	r->phase = j->phase;
	r->repeat = j->repeat;
	r->partner = hb_strdup(j->partner);
	if (n > 1)
		fill_median(r, m, v, n);
	else
		collect_row_figure(r, v[0].f, v[0].attempt);
	key_free(&key);
	free(hw);
}

void collect_confirm(struct collect *c, const struct cell *cell)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct pair_figure *v = hb_realloc_array(NULL, cell->n, sizeof(*v));
	unsigned char *done = hb_alloc(cell->n);
	for (size_t i = 0; i < cell->n; i++) {
		if (done[i])
			continue;
		for (size_t k = i; k < cell->n; k++)
			done[k] |= same_group(unit_job(c, cell->v[i]), unit_job(c, cell->v[k]));
		for (const struct metric_info *m = info->metrics; m->name; m++)
			group_row(c, cell, i, m, v);
	}
	free(v);
	free(done);
}

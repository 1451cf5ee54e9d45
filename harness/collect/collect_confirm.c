/* Confirm and control rows: one a subject, side and repeat; scored as the main rows are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

/* Units of one row: the same side and repeat, and one key. Ranks tell groups of other sizes apart,
 * hw those of other hardware. */
static bool same_row(const struct collect *c, const struct cell *cell, char *const *hw, size_t x,
                     size_t y)
{
	const struct plan_job *a = unit_job(c, cell->v[x]), *b = unit_job(c, cell->v[y]);
	return a->phase == b->phase && a->repeat == b->repeat && a->n_ranks == b->n_ranks &&
	       strcmp(a->subject, b->subject) == 0 && strcmp(hw[x], hw[y]) == 0;
}

/* A row of the cell: its first unit, and how the ends of its pairs lie to each other. */
struct which {
	size_t first;
	enum pair_ends ends;
};

/* The row of one metric of those that belong to the first unit; v: room for the cell's figures. */
static void one_row(struct collect *c, const struct cell *cell, char *const *hw,
                    const struct which *w, const struct metric_info *m, struct pair_figure *v)
{
	size_t first = w->first;
	const struct plan_job *j = unit_job(c, cell->v[first]);
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	size_t n = 0, index = (size_t)(m - info->metrics);
	struct key key;
	for (size_t i = first; i < cell->n; i++) {
		struct outcome o = collect_outcome(c, cell->v[i]);
		struct pair_figure e;
		if (same_row(c, cell, hw, first, i) && o.quality == ROW_OK &&
		    (w->ends == ENDS_ANY || collect_unit_ends(c, cell->v[i]) == w->ends) &&
		    collect_figure(c, cell->v[i], &o, index, &e))
			n = collect_add_figure(c, v, n, &e);
	}
	if (n == 0)
		return;
	collect_key(c, cell, cell->v[first], m, hw[first], &key);
	collect_key_ends(&key, w->ends);
	struct summary_row *r = collect_row(c, cell, &key, m, j->subject, true);
	r->phase = j->phase;
	r->repeat = j->repeat;
	r->partner = hb_strdup(j->partner);
	/* Several are the cluster's pairs or groups: their median, as in the main rows. */
	if (n > 1)
		collect_row_median(r, m, v, n);
	else
		collect_row_figure(r, v[0].f, v[0].attempt);
	key_free(&key);
}

void collect_confirm(struct collect *c, const struct cell *cell)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct pair_figure *v = hb_realloc_array(NULL, cell->n, sizeof(*v));
	unsigned char *done = hb_alloc(cell->n);
	char **hw = hb_alloc(cell->n * sizeof(*hw));
	for (size_t i = 0; i < cell->n; i++)
		hw[i] = collect_unit_hw(c, cell->v[i]);
	for (size_t i = 0; i < cell->n; i++) {
		if (done[i])
			continue;
		for (size_t k = i; k < cell->n; k++)
			done[k] |= same_row(c, cell, hw, i, k);
		for (const struct metric_info *m = info->metrics; m->name; m++)
			for (enum pair_ends e = ENDS_ANY; e < ENDS_KINDS; e++)
				one_row(c, cell, hw, &(struct which){ i, e }, m, v);
	}
	for (size_t i = 0; i < cell->n; i++)
		free(hw[i]);
	free(hw);
	free(v);
	free(done);
}

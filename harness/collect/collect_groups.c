/*
 * Rows of a group benchmark over several nodes: one `cluster` row a key, the median over the groups
 * of that key. Groups of another size, or of other hardware, stand under keys of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

/* A group of the cell, and what tells the keys of a cell apart. */
struct group {
	const struct unit_state *u;
	struct outcome o;
	int ranks;
	size_t place; /* in the plan */
	char *hw;
};

static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->ranks != y->ranks)
		return x->ranks < y->ranks ? -1 : 1;
	int c = strcmp(x->hw, y->hw);
	if (c != 0)
		return c;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool same_key(const struct group *a, const struct group *b)
{
	return a->ranks == b->ranks && strcmp(a->hw, b->hw) == 0;
}

/*
 * Each group once: groups of one size are disjoint, so its first node names it. A retest of it
 * replaces what was not measured, never what was. What was skipped is a loss only. Returns how
 * many are kept, in place.
 */
static size_t each_once(const struct collect *c, struct group *v, size_t n)
{
	size_t kept = 0;
	size_t *at = hb_alloc(c->plan.nodes.n * sizeof(*at)); /* index + 1; 0: none yet */
	for (size_t i = 0; i < n; i++) {
		size_t *mine = &at[job_node(c, v[i].u, 0)];
		if (v[i].o.status == UNIT_SKIPPED)
			continue;
		if (!*mine) {
			v[kept++] = v[i];
			*mine = kept;
		} else if (v[*mine - 1].o.quality != ROW_OK && v[i].o.quality == ROW_OK) {
			v[*mine - 1] = v[i];
		}
	}
	free(at);
	return kept;
}

/* The figures of those of this quality. */
static size_t choose(const struct collect *c, const struct group *v, size_t n, size_t metric,
                     enum row_quality q, struct pair_figure *out)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += v[i].o.quality == q &&
		         collect_figure(c, v[i].u, &v[i].o, metric, &out[found]);
	return found;
}

static const char *first_reason(const struct group *v, size_t n, enum row_quality q)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].o.quality == q)
			return v[i].o.reason;
	return NULL;
}

/*
 * Good figures first: one group with wrong data, or one that was lost, does not take the others
 * along, losses tell of it. Where at least half of the groups have wrong data the row is invalid.
 */
static enum row_quality find_quality(const struct collect *c, const struct group *v, size_t n,
                                     size_t metric, struct pair_figure *f, size_t *n_figures,
                                     const char **reason)
{
	static const enum row_quality order[] = { ROW_OK, ROW_INVALID, ROW_DISTURBED };
	size_t invalid = 0;
	for (size_t i = 0; i < n; i++)
		invalid += v[i].o.quality == ROW_INVALID;
	*n_figures = 0;
	for (size_t i = invalid * 2 >= n && invalid ? 1 : 0; i < sizeof(order) / sizeof(*order);
	     i++) {
		*n_figures = choose(c, v, n, metric, order[i], f);
		/* What is invalid is so without a figure too. */
		if (*n_figures || (order[i] == ROW_INVALID && invalid)) {
			*reason = first_reason(v, n, order[i]);
			return order[i];
		}
	}
	*reason = first_reason(v, n, ROW_NOT_MEASURED);
	if (!*reason)
		*reason = "this figure was not told";
	return ROW_NOT_MEASURED;
}

static void metric_row(struct collect *c, const struct cell *cell, const struct group *v, size_t n,
                       const struct metric_info *m, struct pair_figure *f)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	const char *reason = NULL;
	struct key key;
	size_t found;
	enum row_quality q = find_quality(c, v, n, (size_t)(m - info->metrics), f, &found, &reason);
	/* What nobody judges is not missed either. */
	if (q == ROW_NOT_MEASURED && !m->judged)
		return;
	collect_key(c, cell, v[0].u, m, v[0].hw, &key);
	struct summary_row *r = collect_row(c, cell, &key, m, "cluster", false);
	collect_row_quality(r, q, reason);
	if (found > 1)
		collect_row_median(r, m, f, found);
	else if (found == 1)
		collect_row_figure(r, f[0].f, f[0].attempt);
	key_free(&key);
}

void collect_groups(struct collect *c, const struct cell *cell)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct group *v = hb_alloc(cell->n * sizeof(*v));
	struct pair_figure *f = hb_alloc(cell->n * sizeof(*f));
	for (size_t i = 0; i < cell->n; i++)
		v[i] = (struct group){ cell->v[i], collect_outcome(c, cell->v[i]),
			               unit_job(c, cell->v[i])->n_ranks, i,
			               collect_unit_hw(c, cell->v[i]) };
	char **hw = hb_alloc(cell->n * sizeof(*hw));
	for (size_t i = 0; i < cell->n; i++)
		hw[i] = v[i].hw;
	qsort(v, cell->n, sizeof(*v), by_key);
	for (size_t first = 0, end = 0; first < cell->n; first = end) {
		while (end < cell->n && same_key(&v[first], &v[end]))
			end++;
		size_t n = each_once(c, v + first, end - first);
		for (const struct metric_info *m = info->metrics; n && m->name; m++)
			metric_row(c, cell, v + first, n, m, f);
	}
	for (size_t i = 0; i < cell->n; i++)
		free(hw[i]);
	free(hw);
	free(v);
	free(f);
}

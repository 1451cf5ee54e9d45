#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

/* One pass: the items that `from` lists (NULL: all in order) by one of their two numbers. */
static void order_by(const struct loc_numbers *v, const size_t *from, size_t n, size_t n_values,
                     bool by_a, size_t *to)
{
	size_t *at = hb_alloc((n_values + 1) * sizeof(*at));

	for (size_t i = 0; i < n; i++)
		at[(by_a ? v[i].a : v[i].b) + 1]++;
	for (size_t i = 0; i < n_values; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < n; i++) {
		size_t item = from ? from[i] : i;

		to[at[by_a ? v[item].a : v[item].b]++] = item;
	}
	free(at);
}

void loc_order(const struct loc_numbers *v, size_t n, size_t n_a, size_t n_b, size_t *order)
{
	size_t *half = hb_alloc((n + 1) * sizeof(*half));

	order_by(v, NULL, n, n_b, false, half);
	order_by(v, half, n, n_a, true, order);
	free(half);
}

static bool usable(const struct loc_sheet *s, const struct loc_pair *p)
{
	return p->a < s->n_ends && p->b < s->n_ends && s->ends[p->a].node != s->ends[p->b].node &&
	       s->ends[p->a].node < LOC_NODES_MAX && s->ends[p->b].node < LOC_NODES_MAX;
}

static enum loc_class class_of(const struct loc_work *w, uint32_t a, uint32_t b)
{
	if (w->leaf[a] == LOC_NONE || w->leaf[b] == LOC_NONE)
		return LOC_UNKNOWN_LEAF;
	return w->leaf[a] == w->leaf[b] ? LOC_SAME_LEAF : LOC_CROSS_LEAF;
}

static void adjacency(struct loc_work *w)
{
	size_t n = w->out->n_nodes, *at;

	w->first = hb_alloc((n + 2) * sizeof(*w->first));
	w->of = hb_alloc((2 * w->n_cells + 1) * sizeof(*w->of));
	for (size_t i = 0; i < w->n_cells; i++) {
		w->first[loc_node_of(w, w->cells[i].a) + 1]++;
		w->first[loc_node_of(w, w->cells[i].b) + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		w->first[i + 1] += w->first[i];
	at = hb_alloc((n + 1) * sizeof(*at));
	memcpy(at, w->first, n * sizeof(*at));
	for (size_t i = 0; i < w->n_cells; i++) {
		w->of[at[loc_node_of(w, w->cells[i].a)]++] = (uint32_t)i;
		w->of[at[loc_node_of(w, w->cells[i].b)]++] = (uint32_t)i;
	}
	free(at);
}

static void cells_cut(struct loc_work *w, const struct loc_numbers *v, size_t n)
{
	w->cells = hb_alloc((n + 1) * sizeof(*w->cells));
	for (size_t i = 0; i < n; i++) {
		const struct loc_numbers *x = &v[i];
		struct loc_cell *c = w->n_cells ? &w->cells[w->n_cells - 1] : NULL;

		if (!c || c->a != x->a || c->b != x->b) {
			c = &w->cells[w->n_cells++];
			c->a = x->a;
			c->b = x->b;
			c->first = i;
			c->class_ = class_of(w, x->a, x->b);
		}
		c->n++;
	}
}

/* Median of a cell's loaded figures, of the main part alone or of all. */
static double cell_value(const struct loc_work *w, const struct loc_cell *c, bool with_extra,
                         uint32_t *n)
{
	*n = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);

		if (!t->isolated && (with_extra || !t->extra) && isfinite(t->y))
			w->scratch[(*n)++] = t->y;
	}
	return loc_median(w->scratch, *n);
}

static void values(struct loc_work *w)
{
	for (size_t i = 0; i < w->n_cells; i++) {
		struct loc_cell *c = &w->cells[i];

		c->main = cell_value(w, c, false, &c->n_main);
		c->all = cell_value(w, c, true, &c->n_all);
		for (size_t k = 0; k < c->n; k++) {
			const struct loc_pair *t = loc_test(w, c, k);

			c->lost += !t->isolated && !isfinite(t->y);
		}
	}
}

void loc_cells_shift(struct loc_work *w)
{
	for (size_t i = 0; i < w->n_cells; i++) {
		struct loc_cell *c = &w->cells[i];

		c->main -= w->off[c->class_];
		c->all -= w->off[c->class_];
	}
}

void loc_cells_make(struct loc_work *w)
{
	const struct loc_sheet *s = w->sheet;
	struct loc_numbers *v = hb_alloc((s->n_pairs + 1) * sizeof(*v)), *sorted;
	size_t *test = hb_alloc((s->n_pairs + 1) * sizeof(*test)), *order, n = 0;

	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct loc_pair *p = &s->pairs[i];

		if (!usable(s, p))
			continue;
		v[n].a = p->a < p->b ? p->a : p->b;
		v[n].b = p->a < p->b ? p->b : p->a;
		test[n++] = i;
	}
	order = hb_alloc((n + 1) * sizeof(*order));
	loc_order(v, n, s->n_ends, s->n_ends, order);
	w->tests = hb_alloc((n + 1) * sizeof(*w->tests));
	sorted = hb_alloc((n + 1) * sizeof(*sorted));
	for (size_t i = 0; i < n; i++) {
		sorted[i] = v[order[i]];
		w->tests[i] = s->pairs[test[order[i]]];
	}
	cells_cut(w, sorted, n);
	free(sorted);
	free(order);
	free(v);
	free(test);
	adjacency(w);
	w->scratch = hb_alloc((n + w->out->n_nodes + s->n_ends + 1) * sizeof(*w->scratch));
	values(w);
}

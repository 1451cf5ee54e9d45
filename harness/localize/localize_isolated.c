/* What isolated tests say beside the loaded ones: of each blamed node or link, and of the healthy
 * controls. */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

/* Appends the cell's isolated figures, less the class's level and `from`. */
static size_t gather(const struct loc_work *w, const struct loc_cell *c, double from, double *v,
                     size_t n)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);

		if (t->isolated && isfinite(t->y))
			v[n++] = t->y - w->off[c->class_] - from;
	}
	return n;
}

static double of_cells(const struct loc_work *w, const struct loc_blame *b)
{
	size_t n = 0;

	if (b->kind == LOC_LINK || b->kind == LOC_LINK_AB) {
		for (size_t i = 0; i < w->n_cells; i++) {
			const struct loc_cell *c = &w->cells[i];
			double a, z;

			if (c->a != (b->a < b->b ? b->a : b->b) ||
			    c->b != (b->a < b->b ? b->b : b->a))
				continue;
			a = w->out->nodes[loc_node_of(w, c->a)].score;
			z = w->out->nodes[loc_node_of(w, c->b)].score;
			n = gather(w, c, fmin(a, z), w->scratch, n);
		}
	} else if (b->kind != LOC_LEAF && b->kind != LOC_RAIL && b->a < w->out->n_nodes) {
		for (size_t i = w->first[b->a]; i < w->first[b->a + 1]; i++)
			n = gather(w, &w->cells[w->of[i]], w->out->median, w->scratch, n);
	}
	return n ? 1 - exp(loc_median(w->scratch, n)) : NAN;
}

void loc_isolated(struct loc_work *w)
{
	size_t n = 0;
	double control;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];

		if (w->out->nodes[loc_node_of(w, c->a)].state == LOC_GOOD &&
		    w->out->nodes[loc_node_of(w, c->b)].state == LOC_GOOD)
			n = gather(w, c, w->out->median, w->scratch, n);
	}
	control = n ? 1 - exp(loc_median(w->scratch, n)) : NAN;
	for (size_t i = 0; i < w->out->n; i++) {
		struct loc_blame *b = &w->out->v[i];

		b->isolated = of_cells(w, b);
		b->control = control;
	}
}

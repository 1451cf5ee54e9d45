/*
 * Rails: there are few, so each is tested against the others' medians with the spread that the
 * pairs themselves have; and nearly all of its pairs have to be slow, else it is some nodes.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

enum { RAILS_MAX = 64 };

struct rail {
	double median, error; /* error: s.d. of the median */
	size_t n;
};

static bool on(const struct loc_work *w, const struct loc_cell *c, uint32_t rail)
{
	return w->rail[c->a] == rail && w->rail[c->b] == rail && !c->explained && isfinite(c->all);
}

static void measure(const struct loc_work *w, uint32_t rail, struct rail *out)
{
	for (size_t i = 0; i < w->n_cells; i++)
		if (on(w, &w->cells[i], rail))
			w->scratch[out->n++] = w->cells[i].all;
	out->median = loc_median(w->scratch, out->n);
	for (size_t i = 0; i < out->n; i++)
		w->scratch[i] = fabs(w->scratch[i] - out->median);
	if (out->n)
		out->error = 1.2533 * 1.4826 * loc_median(w->scratch, out->n) /
		             sqrt((double)out->n);
}

static size_t distinct_nodes(const struct loc_work *w, uint32_t rail)
{
	bool *seen = hb_alloc(w->out->n_nodes + 1);
	size_t n = 0;

	for (size_t i = 0; i < w->n_cells; i++)
		if (on(w, &w->cells[i], rail))
			seen[loc_node_of(w, w->cells[i].a)] = seen[loc_node_of(w, w->cells[i].b)] =
			        true;
	for (size_t i = 0; i < w->out->n_nodes; i++)
		n += seen[i];
	free(seen);
	return n;
}

static void judge(struct loc_work *w, const struct rail *v, uint32_t rail, bool *blamed)
{
	size_t n = 0, low = 0;
	double others, error, below;
	struct loc_blame *b;

	for (size_t i = 0; i < w->n_rails; i++)
		if (i != rail && v[i].n)
			w->scratch[n++] = v[i].median;
	others = loc_median(w->scratch, n);
	n = 0;
	for (size_t i = 0; i < w->n_rails; i++)
		if (i != rail && v[i].n)
			w->scratch[n++] = v[i].error;
	error = loc_median(w->scratch, n);
	below = v[rail].median - others;
	error = fmax(sqrt(error * error + v[rail].error * v[rail].error), w->p.s_floor);
	if (v[rail].n < 3 || n == 0 || !(below < w->p.z_slow * error && below < -w->delta))
		return;
	for (size_t i = 0; i < w->n_cells; i++)
		low += on(w, &w->cells[i], rail) && w->cells[i].all < others + below / 2;
	if (4 * low < 3 * v[rail].n || distinct_nodes(w, rail) < 3)
		return;
	blamed[rail] = true;
	b = loc_blame_add(w, LOC_RAIL, w->rail_number[rail], LOC_NONE);
	b->loss = b->loaded = 1 - exp(below);
	b->z = below / error;
	b->tests = v[rail].n;
	b->slow_tests = low;
	b->partners = distinct_nodes(w, rail);
	b->detectable = 1 - exp(-fmax(w->delta, -w->p.z_slow * error) - 1.2816 * error);
}

void loc_rails(struct loc_work *w)
{
	struct rail *v;
	bool *blamed;

	if (w->n_rails < 2 || w->n_rails > RAILS_MAX)
		return;
	v = hb_alloc(w->n_rails * sizeof(*v));
	blamed = hb_alloc(w->n_rails);
	for (uint32_t i = 0; i < w->n_rails; i++)
		measure(w, i, &v[i]);
	for (uint32_t i = 0; i < w->n_rails; i++)
		judge(w, v, i, blamed);
	for (size_t i = 0; i < w->n_cells; i++) {
		struct loc_cell *c = &w->cells[i];
		uint32_t a = w->rail[c->a], b = w->rail[c->b];

		c->explained = c->explained || (a != LOC_NONE && blamed[a]) ||
		               (b != LOC_NONE && blamed[b]);
	}
	free(blamed);
	free(v);
}

/*
 * Leaves: the medians of the pairs from leaf to leaf are to leaves what pairs are to nodes, with
 * the same score, scale and rule of who may be blamed. Only where routing is static; a leaf of one
 * node is that node. What is left without the pairs of slow up-links gives the level of each
 * endpoint class, which is taken off before nodes are judged.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

struct road { /* between two leaves */
	uint32_t a, b;
	size_t pairs;
	double median;
};

struct leaves {
	struct loc_work *w;
	struct road *roads;
	size_t n_roads;
	double *score, *inside; /* of each leaf; inside: median of its own pairs */
	struct loc_scale scale;
	double inside_level;
	bool *bad, *blamed;
	size_t *group;
	double *v; /* scratch, as many as there are cells, roads and leaves */
};

static bool used(const struct loc_cell *c, enum loc_class class_)
{
	return c->class_ == class_ && !c->explained && isfinite(c->all);
}

static void roads_make(struct leaves *l)
{
	struct loc_work *w = l->w;
	struct loc_numbers *v = hb_alloc((w->n_cells + 1) * sizeof(*v));
	double *y = hb_alloc((w->n_cells + 1) * sizeof(*y));
	size_t *order = hb_alloc((w->n_cells + 1) * sizeof(*order)), n = 0;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];
		uint32_t a = w->leaf[c->a], b = w->leaf[c->b];

		if (!used(c, LOC_CROSS_LEAF))
			continue;
		v[n] = (struct loc_numbers){ a < b ? a : b, a < b ? b : a };
		y[n++] = c->all;
	}
	loc_order(v, n, w->n_leaves, w->n_leaves, order);
	l->roads = hb_alloc((n + 1) * sizeof(*l->roads));
	for (size_t i = 0; i < n;) {
		struct road *r = &l->roads[l->n_roads++];
		struct loc_numbers at = v[order[i]];

		r->a = at.a;
		r->b = at.b;
		for (; i < n && v[order[i]].a == at.a && v[order[i]].b == at.b; i++)
			l->v[r->pairs++] = y[order[i]];
		r->median = loc_median(l->v, r->pairs);
	}
	free(order);
	free(v);
	free(y);
}

/* Scores of all leaves. */
static void score(struct leaves *l)
{
	size_t n_leaves = l->w->n_leaves, *first = hb_alloc((n_leaves + 2) * sizeof(*first));
	double *y = hb_alloc((2 * l->n_roads + 1) * sizeof(*y));

	for (size_t i = 0; i < l->n_roads; i++) {
		first[l->roads[i].a + 2]++;
		first[l->roads[i].b + 2]++;
	}
	for (size_t i = 1; i <= n_leaves; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < l->n_roads; i++) {
		y[first[l->roads[i].a + 1]++] = l->roads[i].median;
		y[first[l->roads[i].b + 1]++] = l->roads[i].median;
	}
	for (size_t i = 0; i < n_leaves; i++)
		l->score[i] = loc_score(y + first[i], first[i + 1] - first[i],
		                        first[i + 1] - first[i]);
	free(first);
	free(y);
}

/* Medians of each leaf's own pairs and their level: the median of those. */
static void look_inside(struct leaves *l)
{
	struct loc_work *w = l->w;
	struct loc_numbers *v = hb_alloc((w->n_cells + 1) * sizeof(*v));
	size_t *order = hb_alloc((w->n_cells + 1) * sizeof(*order)), n = 0, k;

	for (size_t i = 0; i < w->n_cells; i++)
		if (used(&w->cells[i], LOC_SAME_LEAF))
			v[n++] = (struct loc_numbers){ w->leaf[w->cells[i].a], (uint32_t)i };
	loc_order(v, n, w->n_leaves, w->n_cells, order);
	for (size_t i = 0; i < w->n_leaves; i++)
		l->inside[i] = NAN;
	for (size_t i = 0; i < n; i += k) {
		uint32_t leaf = v[order[i]].a;

		for (k = 0; i + k < n && v[order[i + k]].a == leaf; k++)
			l->v[k] = w->cells[v[order[i + k]].b].all;
		l->inside[leaf] = loc_median(l->v, k);
	}
	free(order);
	free(v);
	n = 0;
	for (size_t i = 0; i < w->n_leaves; i++)
		if (isfinite(l->inside[i]))
			l->v[n++] = l->inside[i];
	l->inside_level = loc_median(l->v, n);
}

static const struct road *road_of(const struct leaves *l, uint32_t a, uint32_t b)
{
	size_t lo = 0, hi = l->n_roads;

	while (lo < hi) {
		size_t m = lo + (hi - lo) / 2;
		const struct road *r = &l->roads[m];

		if (r->a < a || (r->a == a && r->b < b))
			lo = m + 1;
		else
			hi = m;
	}
	return lo < l->n_roads && l->roads[lo].a == a && l->roads[lo].b == b ? &l->roads[lo] : NULL;
}

/* What chance does to a road's median: with few leaves their spread says little. */
static double road_noise(struct leaves *l)
{
	const struct loc_work *w = l->w;
	double *size = hb_alloc((l->n_roads + 1) * sizeof(*size)), mad, typical;
	size_t n = 0;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];
		uint32_t a = w->leaf[c->a], b = w->leaf[c->b];
		const struct road *r = NULL;

		if (used(c, LOC_CROSS_LEAF))
			r = road_of(l, a < b ? a : b, a < b ? b : a);
		if (r)
			l->v[n++] = fabs(c->all - r->median);
	}
	mad = 1.4826 * loc_median(l->v, n);
	for (size_t i = 0; i < l->n_roads; i++)
		size[i] = (double)l->roads[i].pairs;
	typical = loc_median(size, l->n_roads);
	free(size);
	return n ? 1.2533 * mad / sqrt(typical) : 0;
}

static double half_of(const struct leaves *l, uint32_t leaf)
{
	return l->scale.median + (l->score[leaf] - l->scale.median) / 2;
}

/* At least three quarters of its nodes, and two of them, are slow across leaves with nearly all of
 * their pairs to cleared leaves: else it is some nodes of it. */
static bool all_its_nodes(const struct leaves *l, uint32_t leaf)
{
	const struct loc_work *w = l->w;
	double half = half_of(l, leaf);
	size_t nodes = 0, slow = 0;

	for (size_t i = 0; i < w->out->n_nodes; i++) {
		size_t n = 0, low = 0;

		for (size_t k = w->first[i]; k < w->first[i + 1]; k++) {
			const struct loc_cell *c = &w->cells[w->of[k]];
			uint32_t own = loc_node_of(w, c->a) == i ? c->a : c->b;
			uint32_t other = own == c->a ? c->b : c->a;

			if (w->leaf[own] != leaf || !used(c, LOC_CROSS_LEAF) ||
			    !(l->score[w->leaf[other]] >= half))
				continue;
			n++;
			low += c->all < half;
		}
		nodes += n > 0;
		slow += n > 0 && 4 * low >= 3 * n;
	}
	return slow >= 2 && 4 * slow >= 3 * nodes;
}

static bool is_bad(const struct leaves *l, uint32_t leaf)
{
	double below = l->score[leaf] - l->scale.median;

	if (!(below < l->w->p.z_slow * l->scale.s && below < -l->w->delta))
		return false;
	/* Within it just as slow: the nodes, or the switch as a whole, but not its up-link. */
	return !(l->inside[leaf] - l->inside_level < below / 2);
}

static struct loc_blame *add(struct leaves *l, uint32_t leaf)
{
	struct loc_work *w = l->w;
	struct loc_blame *b = loc_blame_add(w, LOC_LEAF, w->leaf_number[leaf], LOC_NONE);
	double below = l->score[leaf] - l->scale.median, half = half_of(l, leaf);

	for (size_t i = 0; i < l->n_roads; i++) {
		const struct road *r = &l->roads[i];

		if (r->a != leaf && r->b != leaf)
			continue;
		b->partners++;
		b->tests += r->pairs;
		b->slow_tests += r->median < half ? r->pairs : 0;
	}
	b->loss = b->loaded = 1 - exp(below);
	b->z = below / l->scale.s;
	b->detectable = 1 - exp(-fmax(w->delta, -w->p.z_slow * l->scale.s) - 1.2816 * l->scale.s);
	return b;
}

/* Roads of a bad leaf that are as slow as it, to cleared leaves. */
static size_t cleared(const struct leaves *l, uint32_t leaf)
{
	double half = half_of(l, leaf);
	size_t n = 0;

	for (size_t i = 0; i < l->n_roads; i++) {
		const struct road *r = &l->roads[i];

		if ((r->a == leaf || r->b == leaf) && r->median < half)
			n += l->score[r->a == leaf ? r->b : r->a] >= half;
	}
	return n;
}

/* Those that are slow with each other alone share a group. */
static void undecided(struct leaves *l, uint32_t leaf, size_t group)
{
	struct loc_blame *b = add(l, leaf);

	l->group[leaf] = group;
	b->state = LOC_UNDECIDED;
	b->group = (uint32_t)(group - 1);
	for (size_t i = 0; i < l->n_roads; i++) {
		const struct road *r = &l->roads[i];
		uint32_t other = r->a == leaf ? r->b : r->a;

		if ((r->a != leaf && r->b != leaf) || !l->bad[other] || l->blamed[other] ||
		    l->group[other])
			continue;
		l->group[other] = group;
		b = add(l, other);
		b->state = LOC_UNDECIDED;
		b->group = (uint32_t)(group - 1);
	}
}

static void judge(struct leaves *l)
{
	struct loc_work *w = l->w;
	size_t n = 0;

	score(l);
	for (uint32_t i = 0; i < w->n_leaves; i++)
		if (isfinite(l->score[i]))
			l->v[n++] = l->score[i];
	if (n < 3) /* of two it cannot be said which */
		return;
	loc_scale(l->v, n, NAN, NAN, &w->p, &l->scale);
	l->scale.s = fmax(l->scale.s, road_noise(l));
	for (uint32_t i = 0; i < w->n_leaves; i++)
		l->bad[i] = is_bad(l, i);
	for (uint32_t i = 0; i < w->n_leaves; i++) {
		l->blamed[i] = l->bad[i] && cleared(l, i) >= 2 && all_its_nodes(l, i);
		if (l->blamed[i])
			add(l, i);
	}
	for (uint32_t i = 0; i < w->n_leaves; i++)
		if (l->bad[i] && !l->blamed[i] && !l->group[i] && cleared(l, i) < 2)
			undecided(l, i, ++w->groups);
}

static void explain(struct leaves *l)
{
	struct loc_work *w = l->w;

	for (size_t i = 0; i < w->n_cells; i++) {
		struct loc_cell *c = &w->cells[i];

		if (c->class_ != LOC_CROSS_LEAF)
			continue;
		uint32_t a = w->leaf[c->a], b = w->leaf[c->b];
		c->explained = c->explained || l->blamed[a] || l->blamed[b] || l->group[a] ||
		               l->group[b];
	}
}

/* The level of each class against that of all, from what is not explained. */
static void levels(struct loc_work *w)
{
	double all;
	size_t n = 0, of_class[LOC_CLASSES] = { 0 };

	for (size_t i = 0; i < w->n_cells; i++)
		if (used(&w->cells[i], w->cells[i].class_)) {
			w->scratch[n++] = w->cells[i].all;
			of_class[w->cells[i].class_]++;
		}
	all = loc_median(w->scratch, n);
	for (int k = 0; k < LOC_CLASSES; k++) {
		if (of_class[k] == 0 || of_class[k] == n)
			continue;
		size_t m = 0;
		for (size_t i = 0; i < w->n_cells; i++)
			if (used(&w->cells[i], (enum loc_class)k))
				w->scratch[m++] = w->cells[i].all;
		w->off[k] = loc_median(w->scratch, m) - all;
	}
	loc_cells_shift(w);
}

void loc_leaves(struct loc_work *w)
{
	size_t n = w->n_leaves + 1;
	struct leaves l = { .w = w };
	bool known = true;

	for (size_t i = 0; i < w->n_cells; i++)
		known = known && w->cells[i].class_ != LOC_UNKNOWN_LEAF;
	w->out->paths_separated = !w->sheet->adaptive && known && w->n_leaves > 1 && w->n_cells > 0;
	if (!w->sheet->adaptive && w->n_leaves > 1) {
		l.v = hb_alloc((w->n_cells + n) * sizeof(*l.v));
		l.score = hb_alloc(n * sizeof(*l.score));
		l.inside = hb_alloc(n * sizeof(*l.inside));
		l.bad = hb_alloc(n);
		l.blamed = hb_alloc(n);
		l.group = hb_alloc(n * sizeof(*l.group));
		roads_make(&l);
		look_inside(&l);
		judge(&l);
		explain(&l);
		free(l.roads);
		free(l.v);
		free(l.score);
		free(l.inside);
		free(l.bad);
		free(l.blamed);
		free(l.group);
	}
	levels(w);
}

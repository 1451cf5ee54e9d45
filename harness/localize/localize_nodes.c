/*
 * Nodes: scores, candidates, who is slow. A candidate is one by the pairs of the main part alone,
 * and only then its extra pairs count: those of a node that was another's known-good partner say
 * more about the other than about it, and would make it a candidate in its turn.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

struct nodes {
	struct loc_work *w;
	uint32_t *partner; /* scratch */
	double *main;      /* scores of the main part */
	bool *bad;         /* slow, whether it can be blamed or not */
};

/* Sorts v. */
static size_t distinct(uint32_t *v, size_t n)
{
	size_t kept = n ? 1 : 0;

	qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 1; i < n; i++)
		kept += v[i] != v[i - 1];
	return kept;
}

/* S over the node's cells with nodes that are not blamed; *tests, *partners: behind it. NaN without
 * figures. */
static double score(const struct nodes *s, uint32_t node, bool with_extra, struct loc_node *out)
{
	const struct loc_work *w = s->w;
	size_t n = 0;

	out->tests = 0;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];
		double y = with_extra ? c->all : c->main;

		if (c->explained || !isfinite(y) ||
		    w->out->nodes[loc_partner(w, c, node)].state == LOC_BLAMED)
			continue;
		out->tests += with_extra ? c->n_all : c->n_main;
		s->partner[n] = loc_partner(w, c, node);
		w->scratch[n++] = y;
	}
	out->partners = w->n_rails > 1 || n <= 3 ? distinct(s->partner, n) : n;
	return loc_score(w->scratch, n, out->partners);
}

static void scale(struct nodes *s)
{
	struct loc_work *w = s->w;
	struct loc_scale scale = { NAN, NAN, false };
	size_t n = 0;

	for (size_t i = 0; i < w->out->n_nodes; i++)
		if (isfinite(s->main[i]))
			w->scratch[n++] = s->main[i];
	w->scored = (double)n;
	if (n)
		loc_scale(w->scratch, n, w->sheet->stored_median, w->sheet->stored_s, &w->p,
		          &scale);
	w->out->median = scale.median;
	w->out->s = scale.s;
	w->out->stored = scale.stored;
}

static void place(const struct nodes *s, struct loc_node *n)
{
	n->z = (n->score - s->w->out->median) / s->w->out->s;
	n->loss = 1 - exp(n->score - s->w->out->median);
}

/* Beyond z, and beyond that share of the least loss that is blamed. */
static bool beyond(const struct nodes *s, const struct loc_node *n, double z, double share)
{
	return n->z < z && n->score - s->w->out->median < -s->w->delta * share;
}

static void candidates(struct nodes *s)
{
	struct loc_work *w = s->w;

	for (uint32_t i = 0; i < w->out->n_nodes; i++) {
		struct loc_node *n = &w->out->nodes[i];

		if (!isfinite(s->main[i]))
			continue;
		n->score = s->main[i];
		place(s, n);
		if (n->state == LOC_UNTESTED)
			n->state = LOC_GOOD;
		if (!beyond(s, n, w->p.z_candidate, 0.5))
			continue;
		n->score = score(s, i, true, n);
		place(s, n);
		if (beyond(s, n, w->p.z_candidate, 0.5))
			n->state = LOC_CANDIDATE;
		s->bad[i] = beyond(s, n, w->p.z_slow, 1);
	}
}

/* What is usual around the pairs' ends: s.d. of one figure about the lesser of both scores. */
static double noise_of(const struct loc_work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];
		double r = c->explained ? NAN : loc_residual(w, c, NULL, c->all);

		if (isfinite(r))
			w->scratch[n++] = r;
	}
	double middle = loc_median(w->scratch, n);
	for (size_t i = 0; i < n; i++)
		w->scratch[i] = fabs(w->scratch[i] - middle);
	return n ? 1.4826 * loc_median(w->scratch, n) : 0;
}

/*
 * Pairs of a slow node that lost at least half of what it lost, and those of them whose other node
 * is cleared by its other pairs: its own score is on the good side of that half.
 */
static size_t slow_pairs(const struct loc_work *w, uint32_t node, size_t *slow_tests)
{
	double half = w->out->median + (w->out->nodes[node].score - w->out->median) / 2;
	size_t cleared = 0;

	*slow_tests = 0;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];

		if (c->explained || !(c->all < half))
			continue;
		for (size_t k = 0; k < c->n; k++) {
			const struct loc_pair *t = loc_test(w, c, k);

			*slow_tests += !t->isolated && t->y - w->off[c->class_] < half;
		}
		cleared += w->out->nodes[loc_partner(w, c, node)].score >= half;
	}
	return cleared;
}

/* Median of what the node sends (or receives) in its loaded tests, against the scores' median. */
static double one_way(const struct loc_work *w, uint32_t node, bool sends)
{
	double off;
	size_t n = 0;

	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];

		off = w->off[c->class_];
		for (size_t k = 0; k < c->n && !c->explained; k++) {
			const struct loc_pair *t = loc_test(w, c, k);
			bool is_a = loc_node_of(w, t->a) == node;
			double y = is_a == sends ? t->ab : t->ba;

			if (!t->isolated && isfinite(y) && isfinite(t->y))
				w->scratch[n++] = y - off;
		}
	}
	return loc_median(w->scratch, n) - w->out->median;
}

/* A direction alone is slow where the other lost neither half as much nor what is blamed. */
static enum loc_kind direction(const struct loc_work *w, uint32_t node)
{
	double out = one_way(w, node, true), in = one_way(w, node, false);

	if (out < -w->delta && in > -w->delta && in > out / 2)
		return LOC_NODE_OUT;
	if (in < -w->delta && out > -w->delta && out > in / 2)
		return LOC_NODE_IN;
	return LOC_NODE;
}

static void add(const struct nodes *s, uint32_t node, size_t slow_tests, double usual)
{
	struct loc_work *w = s->w;
	struct loc_node *n = &w->out->nodes[node];
	struct loc_blame *v = loc_blame_add(w, direction(w, node), node, LOC_NONE);

	v->loss = v->loaded = n->loss;
	v->z = n->z;
	v->tests = n->tests;
	v->slow_tests = slow_tests;
	v->partners = n->partners;
	v->detectable = loc_detectable(w, (double)n->partners, usual);
}

/* Blames who can be blamed. All at once: who is blamed explains no pair of this pass. */
static void blame(const struct nodes *s, double usual)
{
	struct loc_work *w = s->w;
	size_t first = w->out->n;

	for (uint32_t i = 0; i < w->out->n_nodes; i++) {
		size_t slow_tests;

		if (s->bad[i] && w->out->nodes[i].state == LOC_CANDIDATE &&
		    slow_pairs(w, i, &slow_tests) >= 2)
			add(s, i, slow_tests, usual);
	}
	for (size_t i = first; i < w->out->n; i++)
		w->out->nodes[w->out->v[i].a].state = LOC_BLAMED;
}

/*
 * A pair with a blamed node says nothing about its other end: whoever is low without being blamed
 * is scored again without such pairs. Who has no others stays a candidate.
 */
static void again(struct nodes *s)
{
	struct loc_work *w = s->w;

	for (uint32_t i = 0; i < w->out->n_nodes; i++) {
		struct loc_node *n = &w->out->nodes[i], now = *n;

		if (n->state != LOC_CANDIDATE)
			continue;
		now.score = score(s, i, true, &now);
		s->bad[i] = false;
		if (!isfinite(now.score))
			continue;
		*n = now;
		place(s, n);
		s->bad[i] = beyond(s, n, w->p.z_slow, 1);
		if (!beyond(s, n, w->p.z_candidate, 0.5))
			n->state = LOC_GOOD;
	}
}

/* The number of pairs that most nodes have. */
static double usual_pairs(const struct loc_work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->out->n_nodes; i++)
		if (w->out->nodes[i].partners)
			w->scratch[n++] = (double)w->out->nodes[i].partners;
	return loc_median(w->scratch, n);
}

void loc_nodes(struct loc_work *w)
{
	size_t n = w->out->n_nodes;
	struct nodes s = { w, hb_alloc((w->n_cells + 1) * sizeof(*s.partner)),
		           hb_alloc((n + 1) * sizeof(*s.main)), hb_alloc(n + 1) };
	double usual;

	for (uint32_t i = 0; i < n; i++) {
		s.main[i] = w->out->nodes[i].state == LOC_GONE
		                    ? NAN
		                    : score(&s, i, false, &w->out->nodes[i]);
		if (!isfinite(s.main[i]) && w->out->nodes[i].state != LOC_GONE)
			s.main[i] = score(&s, i, true, &w->out->nodes[i]);
	}
	scale(&s);
	usual = usual_pairs(w);
	candidates(&s);
	w->noise = noise_of(w);
	w->out->detectable = loc_detectable(w, usual, usual);
	blame(&s, usual);
	again(&s);
	blame(&s, usual);
	loc_undecided(w, s.bad);
	free(s.partner);
	free(s.main);
	free(s.bad);
}

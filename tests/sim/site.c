#include "tests/sim/site.h"

#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"

void site_make(struct site *s, int n, int rails, int leaf_nodes, uint64_t seed)
{
	*s = (struct site){ .n = n, .rails = rails, .leaf_nodes = leaf_nodes };
	s->spread = s->noise = 0.005;
	s->dips = 0.02;
	s->slow_leaf = s->slow_rail = -1;
	s->link_a = s->link_b = LOC_NONE;
	rng_stream(&s->rng, seed, (uint64_t)n, 77);
	s->sends = hb_alloc((size_t)n * sizeof(*s->sends));
	s->receives = hb_alloc((size_t)n * sizeof(*s->receives));
	s->dead = hb_alloc((size_t)n);
	s->ends = hb_alloc((size_t)n * (size_t)rails * sizeof(*s->ends));
	for (int i = 0; i < n; i++) {
		s->sends[i] = s->receives[i] = s->spread * rng_normal(&s->rng);
		for (int k = 0; k < rails; k++) {
			struct loc_end *e = &s->ends[i * rails + k];

			e->node = (uint32_t)i;
			e->leaf = leaf_nodes ? (uint32_t)(i / leaf_nodes) : LOC_NONE;
			e->rail = rails > 1 ? (uint32_t)k : LOC_NONE;
		}
	}
}

void site_free(struct site *s)
{
	free(s->sends);
	free(s->receives);
	free(s->dead);
	free(s->ends);
	free(s->pairs);
}

void site_slow(struct site *s, int node, double loss)
{
	s->sends[node] += log(1 - loss);
	s->receives[node] += log(1 - loss);
}

static double dip(struct site *s)
{
	if (s->dips <= 0 || rng_uniform(&s->rng) >= s->dips)
		return 0;
	return -log(1 - 0.05 - 0.20 * rng_uniform(&s->rng));
}

static double path(const struct site *s, uint32_t a, uint32_t b)
{
	int la = (int)s->ends[a].leaf, lb = (int)s->ends[b].leaf;
	double y = 0;

	if (s->leaf_nodes && la != lb) {
		y -= s->cross;
		if (la == s->slow_leaf || lb == s->slow_leaf)
			y -= s->path_loss;
	}
	if (s->slow_rail >= 0 && (int)s->ends[a].rail == s->slow_rail)
		y -= s->path_loss;
	if (a == s->link_a && b == s->link_b)
		y -= s->path_loss;
	if (!s->one_way && a == s->link_b && b == s->link_a)
		y -= s->path_loss;
	return y;
}

static double one_way(struct site *s, uint32_t a, uint32_t b)
{
	double y = fmin(s->sends[s->ends[a].node], s->receives[s->ends[b].node]);

	return 21 + y + path(s, a, b) + s->noise * rng_normal(&s->rng) - dip(s);
}

void site_measure(struct site *s, uint32_t a, uint32_t b, bool extra, bool isolated)
{
	struct loc_pair *p;
	uint32_t na = s->ends[a].node, nb = s->ends[b].node;

	hb_grow(&s->pairs, &s->cap, s->n_pairs + 1, sizeof(*s->pairs));
	p = &s->pairs[s->n_pairs++];
	*p = (struct loc_pair){ .a = a, .b = b, .extra = extra, .isolated = isolated };
	p->silent = LOC_NONE;
	p->ab = p->ba = NAN;
	if (s->dead[na] || s->dead[nb]) {
		p->y = NAN;
		if (s->names_dead)
			p->silent = s->dead[na] ? a : b;
		return;
	}
	p->y = one_way(s, a, b);
	if (!s->directions)
		return;
	p->ab = p->y;
	p->ba = one_way(s, b, a);
	p->y = fmin(p->ab, p->ba);
}

void site_rounds(struct site *s, int rounds, uint64_t seed)
{
	struct pair_round *r;
	int n = plan_rounds(s->n, rounds, seed, &r);

	for (int i = 0; i < n; i++)
		for (int k = 0; k < r[i].n; k++)
			for (int e = 0; e < s->rails; e++)
				site_measure(s, (uint32_t)(r[i].pairs[k][0] * s->rails + e),
				             (uint32_t)(r[i].pairs[k][1] * s->rails + e), false,
				             false);
	plan_rounds_free(r, n);
}

void site_sheet(const struct site *s, struct loc_sheet *out)
{
	out->ends = s->ends;
	out->n_ends = (size_t)s->n * (size_t)s->rails;
	out->pairs = s->pairs;
	out->n_pairs = s->n_pairs;
}

size_t site_second(struct site *s, const struct loc_sheet *like, struct localized *found,
                   uint64_t seed)
{
	struct loc_sheet sheet = *like;
	struct loc_ask *ask;
	size_t n = localize_ask(&sheet, found, 1, NULL, false, seed, &ask);

	for (size_t i = 0; i < n; i++)
		site_measure(s, ask[i].a, ask[i].b, true, ask[i].isolated);
	free(ask);
	if (n == 0)
		return 0;
	localized_free(found);
	site_sheet(s, &sheet);
	localize(&sheet, NULL, found);
	return n;
}

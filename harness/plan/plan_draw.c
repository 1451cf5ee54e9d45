#include "harness/plan/plan_draw.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

/* How far a partner is looked for; what is not found so is left to another round. */
enum { LOOK_MAX = 1024, ROUNDS_MORE = 4, DRAW_STREAM = 4 };

void draw_init(struct draw *d, int nodes, uint64_t seed)
{
	*d = (struct draw){ .nodes = nodes };
	d->partners = hb_alloc((size_t)nodes * sizeof(*d->partners));
	d->want = hb_alloc((size_t)nodes * sizeof(*d->want));
	d->busy = hb_alloc((size_t)nodes);
	rng_stream(&d->rng, seed, (uint64_t)nodes, DRAW_STREAM);
}

void draw_free(struct draw *d)
{
	free(d->cap);
	free(d->partners);
	free(d->want);
	free(d->busy);
	free(d->used);
}

/* ---- which pairs there are ---- */

static uint64_t pair_key(int a, int b)
{
	uint64_t lo = (uint64_t)(a < b ? a : b), hi = (uint64_t)(a < b ? b : a);

	return (hi << 32 | lo) + 1;
}

static size_t slot_of(const uint64_t *v, size_t cap, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (cap - 1);

	while (v[i] && v[i] != key)
		i = (i + 1) & (cap - 1);
	return i;
}

bool draw_used(const struct draw *d, int a, int b)
{
	return d->cap_used && d->used[slot_of(d->used, d->cap_used, pair_key(a, b))];
}

static void remember(struct draw *d, uint64_t key)
{
	if (2 * (d->n_used + 1) > d->cap_used) {
		size_t cap = d->cap_used ? 2 * d->cap_used : 1024;
		uint64_t *v = hb_alloc(cap * sizeof(*v));
		for (size_t i = 0; i < d->cap_used; i++)
			if (d->used[i])
				v[slot_of(v, cap, d->used[i])] = d->used[i];
		free(d->used);
		d->used = v;
		d->cap_used = cap;
	}
	d->used[slot_of(d->used, d->cap_used, key)] = key;
	d->n_used++;
}

bool draw_add(struct draw *d, size_t round, int a, int b)
{
	if (draw_used(d, a, b))
		return false;
	hb_grow(&d->v, &d->cap_v, round + 1, sizeof(*d->v));
	hb_grow(&d->cap, &d->cap_n, round + 1, sizeof(*d->cap));
	for (; d->n <= round; d->n++) {
		d->v[d->n] = (struct pair_round){ NULL, 0 };
		d->cap[d->n] = 0;
	}
	struct pair_round *r = &d->v[round];
	bool swap = rng_below(&d->rng, 2) == 1; /* nobody is always the first */
	hb_grow(&r->pairs, &d->cap[round], (size_t)r->n + 1, sizeof(*r->pairs));
	r->pairs[r->n][0] = swap ? b : a;
	r->pairs[r->n++][1] = swap ? a : b;
	remember(d, pair_key(a, b));
	d->partners[a]++;
	d->partners[b]++;
	return true;
}

/* ---- what is missing ---- */

struct idle {
	int node, lack;
	size_t leaf, draw;
};

static int by_leaf(const void *a, const void *b)
{
	const struct idle *x = a, *y = b;

	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->draw < y->draw ? -1 : x->draw > y->draw;
}

static void mark_busy(struct draw *d, size_t round)
{
	memset(d->busy, 0, (size_t)d->nodes);
	for (int i = 0; round < d->n && i < d->v[round].n; i++)
		for (int k = 0; k < 2; k++)
			d->busy[d->v[round].pairs[i][k]] = 1;
}

/* Those that are idle in the round and lack at least so many partners. */
static int find_idle(struct draw *d, size_t round, int least, const size_t *leaf_of,
                     struct idle *out)
{
	int n = 0;

	mark_busy(d, round);
	for (int i = 0; i < d->nodes; i++)
		if (!d->busy[i] && d->want[i] - d->partners[i] >= least)
			out[n++] = (struct idle){ i, d->want[i] - d->partners[i],
				                  leaf_of ? leaf_of[i] : 0,
				                  (size_t)rng_below(&d->rng, UINT32_MAX) };
	qsort(out, (size_t)n, sizeof(*out), by_leaf);
	return n;
}

static bool may_meet(const struct draw *d, int a, int b, bool strict)
{
	if (d->kind && d->kind[a] != d->kind[b])
		return false;
	if (d->lone && d->lone[a] && d->lone[b] && (strict || (d->partners[a] && d->partners[b])))
		return false;
	return !draw_used(d, a, b);
}

/*
 * Who is best for v[i], of those from half a turn away on: in the order of the leaves that is
 * another leaf, where no leaf has more than half of them. -1: nobody.
 */
static int find_partner(const struct draw *d, const struct idle *v, int n, int i, bool strict)
{
	int second = -1;

	for (int step = 0; step < n && step < LOOK_MAX; step++) {
		int k = (i + n / 2 + step) % n;
		bool taken = v[k].node < 0 || k == i;
		if (taken || !may_meet(d, v[i].node, v[k].node, strict))
			continue;
		if (v[k].leaf != v[i].leaf && v[k].lack > 0)
			return k;
		if (second < 0 || v[k].lack > v[second].lack)
			second = k;
	}
	return second;
}

struct filling {
	bool strict; /* lone ones never among themselves */
	int lack;    /* whoever lacks so many is to get a partner */
	int partner; /* who must lack so many himself */
};

/* Pairs the idle ones of a round, those first that lack most; returns how many pairs that makes. */
static int fill_round(struct draw *d, size_t round, const struct filling *how,
                      const size_t *leaf_of, struct idle *v)
{
	int most = 0, made = 0, n = find_idle(d, round, how->partner, leaf_of, v);

	for (int i = 0; i < n; i++)
		most = v[i].lack > most ? v[i].lack : most;
	for (int lack = most; lack >= how->lack; lack--) {
		for (int i = 0; i < n; i++) {
			if (v[i].node < 0 || v[i].lack != lack)
				continue;
			int k = find_partner(d, v, n, i, how->strict);
			if (k < 0)
				continue;
			made += draw_add(d, round, v[i].node, v[k].node);
			v[i].node = v[k].node = -1;
		}
	}
	return made;
}

/* Whoever is idle gets a place in a pair of the round, of a node that can spare one. */
static bool take_place(struct draw *d, struct pair_round *r, int node)
{
	size_t from = r->n ? (size_t)rng_below(&d->rng, 2 * (uint64_t)r->n) : 0;

	for (size_t i = 0; i < 2 * (size_t)r->n && i < LOOK_MAX; i++) {
		int *pair = r->pairs[(from + i) % (2 * (size_t)r->n) / 2];
		int side = (int)((from + i) % 2), stays = pair[side], goes = pair[1 - side];
		if (d->partners[goes] < d->want[goes] || !may_meet(d, node, stays, true))
			continue;
		pair[1 - side] = node;
		remember(d, pair_key(node, stays));
		d->partners[node]++;
		d->partners[goes]--;
		return true;
	}
	return false;
}

static void take_places(struct draw *d, size_t first, size_t n)
{
	for (size_t r = first; r < n; r++) {
		mark_busy(d, r);
		for (int i = 0; i < d->nodes; i++)
			if (!d->busy[i] && d->want[i] - d->partners[i] >= 2)
				take_place(d, &d->v[r], i);
	}
}

void draw_fill(struct draw *d, size_t first, const size_t *leaf_of)
{
	/* In the end whoever lacks two or more meets nodes that lack nothing. */
	static const struct filling ways[] = { { true, 1, 1 }, { false, 1, 1 }, { false, 2, 0 } };
	const struct filling *last = &ways[2];
	struct idle *v = hb_alloc((size_t)d->nodes * sizeof(*v));
	size_t n = d->n;

	for (const struct filling *how = ways; how <= last; how++)
		for (size_t r = first; r < n; r++)
			fill_round(d, r, how, leaf_of, v);
	take_places(d, first, n);
	for (int more = 0; more < ROUNDS_MORE && fill_round(d, d->n, last, leaf_of, v); more++)
		;
	free(v);
}

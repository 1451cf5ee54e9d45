/*
 * Rounds where it is known who hangs on which leaf switch. About half of them stay within the
 * leaves, in every leaf at once: they use no up-link, so that what is slow in them is a node or its
 * own cable. In the others leaves are paired by the circle method and the nodes of two leaves one
 * to one: every up-link carries at most one flow in each direction, since the nodes that a leaf
 * sends to are all different ones of another leaf (with static routes by destination, D-mod-K,
 * those take different up-links). Classes of hardware are drawn each for themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_draw.h"

/* Some nodes of one kind, leaf by leaf. */
struct leaves {
	int *node;     /* leaf by leaf, in an order that the seed draws */
	size_t *start; /* of each leaf in node, and one more */
	size_t n, largest;
	bool equal; /* all leaves have as many */
	uint64_t seed;
};

struct member {
	int node;
	size_t leaf, kind;
};

static int by_place(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* The n members, all of one kind and sorted, into leaves. */
static void leaves_make(const struct member *v, size_t n, uint64_t seed, struct leaves *out)
{
	struct rng rng;

	*out = (struct leaves){ .seed = seed, .equal = true };
	out->node = hb_alloc((n + 1) * sizeof(*out->node));
	out->start = hb_alloc((n + 2) * sizeof(*out->start));
	for (size_t i = 0; i < n; i++) {
		out->node[i] = v[i].node;
		if (i == 0 || v[i].leaf != v[i - 1].leaf)
			out->start[out->n++] = i;
	}
	out->start[out->n] = n;
	for (size_t l = 0; l < out->n; l++) {
		size_t size = out->start[l + 1] - out->start[l];
		rng_stream(&rng, seed, l, n);
		rng_shuffle(&rng, out->node + out->start[l], size, sizeof(*out->node));
		out->equal = out->equal && size == out->start[1];
		out->largest = size > out->largest ? size : out->largest;
	}
}

static void leaves_free(struct leaves *l)
{
	free(l->node);
	free(l->start);
}

/* Puts the rounds of count nodes behind `first`; returns how many they are. */
static size_t put_rounds(struct draw *d, size_t first, int k, uint64_t seed, const int *node,
                         size_t count)
{
	struct pair_round *r;
	int n = plan_rounds((int)count, k, seed, &r);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < r[i].n; j++)
			draw_add(d, first + (size_t)i, node[r[i].pairs[j][0]],
			         node[r[i].pairs[j][1]]);
	plan_rounds_free(r, n);
	return (size_t)n;
}

static size_t draw_within(struct draw *d, size_t first, int k, const struct leaves *l)
{
	size_t most = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t n = put_rounds(d, first, k, l->seed + i, l->node + l->start[i],
		                      l->start[i + 1] - l->start[i]);
		most = n > most ? n : most;
	}
	return most;
}

/* One to one, the nodes of leaf a with those of b from `shift` on. */
static void put_leaf_pair(struct draw *d, size_t round, const struct leaves *l, int a, int b,
                          size_t shift)
{
	size_t na = l->start[a + 1] - l->start[a], nb = l->start[b + 1] - l->start[b];

	if (na > nb) {
		put_leaf_pair(d, round, l, b, a, shift);
		return;
	}
	for (size_t i = 0; i < na && shift < nb; i++)
		draw_add(d, round, l->node[l->start[a] + i],
		         l->node[l->start[b] + (i + shift) % nb]);
}

static void draw_across(struct draw *d, size_t first, int k, const struct leaves *l)
{
	struct pair_round *r;
	size_t n = (size_t)plan_rounds((int)l->n, k, l->seed, &r);
	size_t all = n * l->largest;

	/* Another partner leaf in each round; when there is none left, other nodes of it. */
	for (size_t j = 0; j < (k ? (size_t)k : all) && j < all; j++)
		for (int i = 0; i < r[j % n].n; i++)
			put_leaf_pair(d, first + j, l, r[j % n].pairs[i][0], r[j % n].pairs[i][1],
			              j / n);
	plan_rounds_free(r, (int)n);
}

/* Of all pairs those across leaves that are not there yet, where leaves differ in size. */
static void draw_rest(struct draw *d, size_t first, const struct leaves *l)
{
	struct pair_round *r;
	size_t count = l->start[l->n], round = first;
	int n = plan_rounds((int)count, 0, l->seed, &r);

	for (int i = 0; i < n; i++) {
		size_t made = 0;
		for (int j = 0; j < r[i].n; j++)
			made += draw_add(d, round, l->node[r[i].pairs[j][0]],
			                 l->node[r[i].pairs[j][1]]);
		round += made > 0;
	}
	plan_rounds_free(r, n);
}

static void draw_kind(struct draw *d, size_t first, int k, const struct leaves *l)
{
	if ((size_t)k + 1 >= l->start[l->n])
		k = 0; /* that is all of them */
	int half = l->n == 1 || k == 0 ? k : k / 2;
	size_t within = half || k == 0 ? draw_within(d, first, half, l) : 0;

	if (l->n < 2 || (k && within >= (size_t)k))
		return;
	if (k || l->equal)
		draw_across(d, first + within, k ? k - (int)within : 0, l);
	else
		draw_rest(d, first + within, l);
}

void draw_leaves(struct draw *d, size_t first, int k, const struct plan *p)
{
	size_t n = p->nodes.n;
	struct member *v = hb_alloc((n + 1) * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct member){ (int)i, p->leaf_of[i], d->kind ? d->kind[i] : 0 };
	qsort(v, n, sizeof(*v), by_place);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		struct leaves l;
		uint64_t seed = p->seed;
		for (hi = lo + 1; hi < n && v[hi].kind == v[lo].kind; hi++)
			;
		if (d->kind)
			seed ^= p->class_seed[v[lo].kind];
		leaves_make(v + lo, hi - lo, seed, &l);
		draw_kind(d, first, k, &l);
		leaves_free(&l);
	}
	free(v);
}

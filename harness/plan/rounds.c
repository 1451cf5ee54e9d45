/*
 * Pair rounds: a 1-factorisation of the complete graph by the circle method (round r pairs m with
 * r, and r+i with r-i modulo m, for i = 1..m/2) over m+1 places, m odd. An odd number of nodes
 * leaves place m empty: its partner has the bye, another node in every round. A seeded permutation
 * of the nodes and of the rounds makes any k of them a fair sample.
 */
#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/plan/plan.h"

static int *permutation(int n, struct rng *rng)
{
	int *v = hb_realloc_array(NULL, (size_t)n, sizeof(*v));
	for (int i = 0; i < n; i++)
		v[i] = i;
	rng_shuffle(rng, v, (size_t)n, sizeof(*v));
	return v;
}

static void add_pair(struct pair_round *r, int a, int b, struct rng *rng)
{
	bool swap = rng_below(rng, 2) == 1; /* nobody is always the first */
	r->pairs[r->n][0] = swap ? b : a;
	r->pairs[r->n][1] = swap ? a : b;
	r->n++;
}

int plan_rounds(int n, int k, uint64_t seed, struct pair_round **out)
{
	struct rng rng;
	*out = NULL;
	if (n < 2)
		return 0;
	int m = n % 2 ? n : n - 1; /* odd; also the number of rounds there are */
	int count = k > 0 && k < m ? k : m;
	rng_stream(&rng, seed, (uint64_t)n, 0);
	int *node = permutation(n, &rng), *order = permutation(m, &rng);
	*out = hb_alloc((size_t)count * sizeof(**out));
	for (int i = 0; i < count; i++) {
		struct pair_round *r = &(*out)[i];
		int c = order[i];
		r->pairs = hb_realloc_array(NULL, (size_t)(n / 2), sizeof(*r->pairs));
		if (n % 2 == 0)
			add_pair(r, node[m], node[c], &rng);
		for (int j = 1; j <= m / 2; j++)
			add_pair(r, node[(c + j) % m], node[(c - j + m) % m], &rng);
	}
	free(node);
	free(order);
	return count;
}

void plan_rounds_free(struct pair_round *rounds, int n)
{
	for (int i = 0; i < n; i++)
		free(rounds[i].pairs);
	free(rounds);
}

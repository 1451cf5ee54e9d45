/*
 * Rounds while they are drawn: disjoint pairs in each, no pair twice, and what is missing made up
 * for. Used by the plan_*.c files alone.
 */
#ifndef HPCBENCH_HARNESS_PLAN_DRAW_H
#define HPCBENCH_HARNESS_PLAN_DRAW_H

#include <stdbool.h>

#include "bench/base/rng.h"
#include "harness/plan/plan.h"

struct draw {
	int nodes;
	struct pair_round *v; /* the caller takes it in the end */
	size_t *cap;          /* of each round's pairs */
	size_t n, cap_v, cap_n;
	int *partners;  /* of each node, so far */
	int *want;      /* how many it shall have */
	uint64_t *used; /* the pairs there are, hashed; 0: empty */
	size_t n_used, cap_used;
	unsigned char *busy; /* of each node, in the round that is filled */
	/* Pairs are drawn among nodes of the same kind; kind NULL: all are. */
	const size_t *kind;
	/* Two of these are paired only where one of them would have nobody; NULL: none. */
	const unsigned char *lone;
	struct rng rng;
};

void draw_init(struct draw *d, int nodes, uint64_t seed);
void draw_free(struct draw *d); /* all but v */
bool draw_used(const struct draw *d, int a, int b);
/* Adds the pair to a round, which may be a new one; false: it was there already. Who is free in
 * the round is for the caller to know. */
bool draw_add(struct draw *d, size_t round, int a, int b);
/*
 * Makes up for what nodes lack of `want`: pairs them where they are idle in rounds from `first` on,
 * rather with a node of another leaf (leaf_of NULL: any); then, where one lacks two or more, in at
 * most four rounds more.
 */
void draw_fill(struct draw *d, size_t first, const size_t *leaf_of);

/* ---- plan_leaf.c, plan_star.c ---- */

/*
 * Rounds from `first` on: within leaves, then across them. k 0: all pairs that are not there yet.
 * Nodes without a leaf are as of one leaf more.
 */
void draw_leaves(struct draw *d, size_t first, int k, const struct plan *p);
/*
 * New nodes against controls, those of their own class where there are any: k different ones for
 * each (0: all), in as many rounds as that takes. Returns how many.
 */
size_t draw_star(struct draw *d, int k, const struct plan *p);

#endif

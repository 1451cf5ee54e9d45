/*
 * An imaginary site for localize: the log figure of a pair is what the worse of its ends makes of
 * it, y = min(a_i, a_j) + noise, with transient dips, and whatever is planted. Drawn directly, for
 * thousands of sweeps.
 */
#ifndef HPCBENCH_TESTS_SIM_SITE_H
#define HPCBENCH_TESTS_SIM_SITE_H

#include "bench/base/rng.h"
#include "harness/localize/localize.h"

struct site {
	int n;          /* nodes */
	int rails;      /* devices of each node; 1: the node alone */
	int leaf_nodes; /* nodes of a leaf; 0: no topology */
	double spread, noise, dips;
	double *sends, *receives; /* of each node, log */
	bool *dead;               /* of each node: its pairs are lost */
	bool names_dead;          /* and say so */
	bool directions;          /* are told apart */
	double cross;             /* what pairs across leaves have less, log */
	int slow_leaf, slow_rail; /* -1: none */
	double path_loss;         /* log, of those and of the link */
	uint32_t link_a, link_b;  /* ends; LOC_NONE: none */
	bool one_way;             /* only from link_a to link_b */
	struct rng rng;
	struct loc_end *ends;
	struct loc_pair *pairs;
	size_t n_pairs, cap;
};

/* Node spread and noise 0.5 %, dips in 2 % of the tests. */
void site_make(struct site *s, int n, int rails, int leaf_nodes, uint64_t seed);
void site_free(struct site *s);
void site_slow(struct site *s, int node, double loss); /* both directions */
/* One test of two ends. */
void site_measure(struct site *s, uint32_t a, uint32_t b, bool extra, bool isolated);
/* Rounds of plan_rounds over all nodes, on each rail. */
void site_rounds(struct site *s, int rounds, uint64_t seed);
void site_sheet(const struct site *s, struct loc_sheet *out);
/* What localize_ask wants, then localize once more into *found. Returns the tests that were added.
 */
size_t site_second(struct site *s, const struct loc_sheet *like, struct localized *found,
                   uint64_t seed);

#endif

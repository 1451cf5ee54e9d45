/*
 * localize: from the figures of pairs to the node, direction, link, leaf or rail that is slow
 * (design.md section 7, facts/statistics.md). Pure functions of their arguments: no files, no
 * clock, no output; `run`, `check`, `accept` and thousands of simulated sweeps in the tests all
 * call these. y is the log of a figure, lower is worse; a loss is 1 - exp(difference of y).
 *
 * One sheet holds the pairs of one benchmark, metric and case whose ends are of one hardware class
 * (never one MAD over a mixture). With a topology the median of each endpoint class (same leaf,
 * across leaves) is taken off first, so that what lies behind a leaf's up-link does not blame
 * nodes.
 *
 * Nodes: S = the upper quartile (type 7) of y over all pairs of the node (the maximum at no more
 * than 3 partners; a pair measured several times counts with its median), z = (S - median S) /
 * max(1.4826 MAD S, 0.001). Candidate: z < -2.5 over the pairs of the main part, and at least half
 * of delta lost. Slow: z < -4 over main and extra pairs together, and the loss against the median
 * beyond delta. Extra pairs count for candidates alone: of their partners they say less. A node is
 * only blamed where at least two of its slow pairs (they lost half of what it lost) are with nodes
 * that are cleared by other pairs (their own S is above that half); where fewer are, "this node, or
 * its partner, or the link" is undecided, and localize_ask says which pairs would decide it. Pairs
 * with a blamed node are then left out for all others that are low; who has no other pairs stays a
 * candidate.
 *
 * Stored figures of a baseline: s^2 is the mean of the stored and of the present square, the stored
 * one weighing as much as 20 nodes. The middle is the median of the nodes that are at the stored
 * level (S above it less 2.5 s, the level then following those nodes, three times), as long as they
 * are at least 15 %: so most nodes may be slow. Below that the whole cluster has moved, which is
 * for compare to judge, and nodes are held against their own median.
 *
 * Links: y - min(S_a, S_b) < -delta in all tests of the pair, in one direction at least where they
 * are told apart (where both ends are slower than the best tenth T of the pairs by delta, S_a + S_b
 * - T instead; with several endpoint classes never a pair at their level); at least 1 + retests
 * tests, and as many as it takes until, at the share of low cells that the sheet has, chance alone
 * makes less than one false link in 200 sheets. Leaves: the medians of the pairs from leaf to leaf,
 * scored as nodes are, with the same rule of who may be blamed; at least three leaves; three
 * quarters of the leaf's nodes must be slow across leaves, and its own pairs must not be. Rails:
 * the median of each against the median of the others', in units of both medians' standard errors;
 * three quarters of its pairs must be slow.
 *
 * detectable, of a node: 1 - exp(-(L + 0.67 s + q sqrt(v + w + 1.57 s^2 / N))) with N nodes, L and
 * w mean and variance of max(delta, 4 s) as s is estimated, v = the variance of a slow node's S at
 * its number of pairs (1.5625 s^2 at the usual one), q = 1.2816 + 2.6 / sqrt N; from simulation
 * with equal node spread and noise (tests/sim), where 88 to 95 % are found. Links: delta + noise
 * times the normal quantile of 0.9 to the power 1 / tests. NaN: no loss would have been found.
 */
#ifndef HPCBENCH_HARNESS_LOCALIZE_H
#define HPCBENCH_HARNESS_LOCALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOC_NONE UINT32_MAX

/* An endpoint: a node, or a device of one. */
struct loc_end {
	uint32_t node; /* number of the node, dense from 0 */
	uint32_t leaf; /* its leaf switch; LOC_NONE: unknown */
	uint32_t rail; /* the same device of other nodes hangs on the same rail; LOC_NONE: none */
};

/* One measurement of a pair. The same pair may come several times (rounds, extra, retests). */
struct loc_pair {
	uint32_t a, b; /* ends */
	double y;      /* of both directions, where they are told apart the worse; NaN: lost */
	double ab, ba; /* each direction; NaN: not told apart */
	bool extra;    /* measured because somebody asked (localize_ask) */
	bool isolated; /* nothing else was measured meanwhile, and else it would have been */
	/* Of a lost one: the end that fell silent or died, as far as it is known; else LOC_NONE. */
	uint32_t silent;
};

struct loc_sheet {
	const struct loc_end *ends;
	size_t n_ends;
	const struct loc_pair *pairs; /* in the order in which they were measured */
	size_t n_pairs;
	bool adaptive; /* routing: leaves and up-links are never blamed */
	double delta;  /* least loss that is blamed; 0: LOC_DELTA */
	/* From a baseline, NaN where there is none: median of the nodes' S, and the s.d. that one
	 * node's S has in one run (between nodes and runs together). */
	double stored_median, stored_s;
};

#define LOC_DELTA 0.02 /* delta_node of the design */

struct loc_params {
	double z_candidate, z_slow; /* -2.5, -4 */
	double s_floor;             /* 0.001 */
	int extra_pairs;            /* 10: for each candidate */
	double extra_share;         /* 0.30: of the tests of the main part, for all of them */
	int retests;                /* 2: of a low cell before its link is blamed */
};
#define LOC_PARAMS_DEFAULT                                                                         \
	{                                                                                          \
		-2.5, -4.0, 0.001, 10, 0.30, 2                                                     \
	}

enum loc_kind {
	LOC_NODE,     /* a: node */
	LOC_NODE_OUT, /* what node a sends */
	LOC_NODE_IN,  /* what node a receives */
	LOC_LINK,     /* ends a and b, both directions */
	LOC_LINK_AB,  /* from end a to end b alone */
	LOC_LEAF,     /* a: leaf; its up-link, for pairs within it are not slow */
	LOC_RAIL,     /* a: rail */
	LOC_SILENT, /* node a: nothing that it took part in came, its partners' other pairs did; or
	               a lost pair named it and nothing of it came afterwards */
	LOC_KINDS
};
/* "slow-node", "slow-sending", "slow-receiving", "slow-link", "slow-link-direction", "slow-leaf",
 * "slow-rail", "silent-node"; static. */
const char *loc_kind_name(enum loc_kind k);

enum loc_state {
	LOC_SLOW,     /* blamed */
	LOC_UNDECIDED /* one of a group: which one cannot be told from these pairs */
};

struct loc_blame {
	enum loc_kind kind;
	enum loc_state state;
	uint32_t a, b;  /* as the kind says; b LOC_NONE where it has none */
	uint32_t group; /* undecided ones that exclude each other share a number; else LOC_NONE */
	/* Against the sheet's median; links: against the lesser of both ends' S; 1: nothing came.
	 */
	double loss;
	double z; /* NaN for links */
	/* Behind it. partners: of a link: the other partners that the end with fewer has; of a
	 * leaf: leaves; of a rail: nodes. */
	size_t tests, slow_tests, partners;
	double detectable; /* the smallest loss that would have been found here (power 0.9) */
	/* Median losses of its loaded and its isolated tests, and of the isolated tests of healthy
	 * controls (below 0: isolated they are faster); NaN where there are none. */
	double loaded, isolated, control;
};

enum loc_node_state {
	LOC_GOOD,      /* measured, and not slow by more than `detectable` */
	LOC_CANDIDATE, /* beyond z_candidate, not (yet) beyond what blames it */
	LOC_BLAMED,
	LOC_OPEN, /* part of an undecided group */
	LOC_GONE, /* silent */
	LOC_UNTESTED
};

struct loc_node {
	double score, z, loss; /* S, robust z, loss against the median; NaN without figures */
	size_t tests, partners;
	enum loc_node_state state;
};

/* Those that are not blamed, open or silent. */
struct loc_rest {
	double mean, s; /* of what they show; NaN: too few */
	size_t n;
	double df; /* behind s: n - 1; 20 more, for s too, where a node's s is stored */
};

struct localized {
	struct loc_blame *v; /* worst first */
	size_t n;
	struct loc_node *nodes; /* by node number */
	size_t n_nodes;
	double median, s;  /* of S; what z is measured in */
	bool stored;       /* s or median come from the baseline */
	double detectable; /* of a node with the usual number of pairs, power 0.9 */
	/* Scores of the rest of the nodes; and of their cells, how they lie about the lesser score
	 * of both ends. */
	struct loc_rest rest_nodes, rest_links;
	size_t links_tested, links; /* distinct pairs measured, and there are */
	bool paths_separated;       /* leaves known and routing static */
};

/*
 * Never fails on contents; an empty sheet blames nobody; figures that are not finite are lost ones.
 * Pairs within a node, and of ends or nodes with numbers out of range (from 2^20 on), are left out.
 * p NULL: LOC_PARAMS_DEFAULT. Half a million pairs take a third of a second. Free with
 * localized_free.
 */
void localize(const struct loc_sheet *sheet, const struct loc_params *p, struct localized *out);
void localized_free(struct localized *l);

/* What `detectable` of a node is made of. */
struct loc_spread {
	double s;     /* s.d. of the nodes' scores; NaN: unknown */
	double noise; /* s.d. of one figure about what its ends make of it; 0: unknown */
	double nodes; /* that have a score */
	double usual; /* pairs of a node */
	bool stored;  /* s comes from a baseline */
};
/* The loss that a node with this many pairs is found with (power 0.9, formula above); NaN where
 * nobody could be blamed: below 3 nodes or 2 pairs. delta, z_slow: as in loc_sheet, loc_params. */
double localize_detectable(const struct loc_spread *of, double partners, double delta,
                           double z_slow);

enum loc_why {
	LOC_ASK_CANDIDATE,
	LOC_ASK_LINK,
	LOC_ASK_UNDECIDED,
	LOC_ASK_ISOLATED,
	LOC_ASK_CONTROL
};

/* A pair to measure. */
struct loc_ask {
	uint32_t a, b; /* ends */
	bool isolated; /* alone */
	enum loc_why why;
	uint32_t about; /* node it is about; LOC_NONE: a link, or healthy controls */
};

/*
 * What to measure next so that the sheets of one benchmark (its cases; the same ends and the same
 * pairs, in the same order of ends) decide: up to extra_pairs pairs with known-good partners for
 * each candidate, retests of low cells, just the pairs that decide what is undecided; where pairs
 * ran at the same time (loaded) one isolated pair of each suspect and of as many healthy controls.
 * All within extra_share of the main tests, at least one suspect's worth, less what was asked and
 * measured before: first what decides the undecided, then links, isolated tests, candidates in
 * turn; the worst go first. Known-good: found good in all sheets with figures of it, z at least -1.
 * found: of the same sheets, n of each; p as in localize. seed: who is whose partner. Returns how
 * many; the caller frees *out.
 */
size_t localize_ask(const struct loc_sheet *sheets, const struct localized *found, size_t n,
                    const struct loc_params *p, bool loaded, uint64_t seed, struct loc_ask **out);

#endif

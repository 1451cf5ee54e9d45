/*
 * The two parts of a difference between two sides: how the whole moved, and which nodes moved
 * against the rest. A new library moves all nodes; a bad cable moves one. A pure function of what
 * compare_sides found; verdicts and exit codes do not depend on it.
 */
#ifndef HPCBENCH_HARNESS_COMPARE_SHIFT_H
#define HPCBENCH_HARNESS_COMPARE_SHIFT_H

#include "harness/judge/compare.h"

enum {
	SHIFT_NODES_MIN = 4, /* on both sides, for a shift of the whole */
	SHIFT_Z_MIN = 8      /* for a test against their spread; fewer are only shown */
};

/* A node against the others of its key. */
struct shift_node {
	const char *subject; /* borrowed */
	size_t row;          /* in the verdicts */
	double diff;         /* y_new - y_old: below 0 is worse */
	double rest;         /* diff less the shift */
	double z;            /* rest in robust standard deviations; NaN below SHIFT_Z_MIN nodes */
	bool moved; /* |z| > 4 (1 + 6 / nodes), and a loss or gain beyond delta_node of localize */
};

/* One key: benchmark, metric, size. */
struct shift {
	const struct key *key; /* borrowed */
	bool higher_is_better;
	double floor;
	struct shift_node *nodes; /* the most against the rest first; owned */
	size_t n;
	size_t slower, moved; /* nodes with a diff below 0; nodes that moved against the rest */
	/* Median of the nodes' differences, its order-statistic interval (95 %) over the nodes, and
	 * their scaled MAD with the floor of localize. What sessions do to all nodes alike is not
	 * in the interval: that is for the verdicts. */
	double shift, lo, hi, s;
	bool whole; /* beyond the floor, with the whole interval on one side of 0 */
};

struct shifts {
	struct shift *v; /* in the order of the verdicts; only keys of SHIFT_NODES_MIN nodes */
	size_t n, cap;
	/* Of each verdict row: it is one of the many that moved with the whole and with each other.
	 */
	bool *alike;
};

/* v: as compare_sides gave it, and not changed while out is used. Free with shifts_free. */
void compare_shift(const struct verdicts *v, struct shifts *out);
void shifts_free(struct shifts *s);

/* Is this node told beside the whole: it moved against the rest or, where nothing can be tested,
 * is further from it than what counts? */
bool shift_stands_out(const struct shift *s, const struct shift_node *x);

json_object *shifts_to_json(const struct shifts *s);

#endif

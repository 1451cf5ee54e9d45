/*
 * detect: what a run would find, before it is made. Everything comes from a baseline and the very
 * formulae that the run will be judged by (compare_against, compare_params, the rule of localize);
 * pure functions of their arguments.
 */
#ifndef HPCBENCH_HARNESS_DETECT_H
#define HPCBENCH_HARNESS_DETECT_H

#include "harness/judge/compare.h"

/* A loss that the subjects of one row would be found with: the usual one, and the largest. */
struct detect_loss {
	double median, most; /* ratios above 0; NaN: the spread is not known */
};

/* One key of the baseline that the run measures again. */
struct detect_row {
	const struct base_entry *entry; /* borrowed from the baseline */
	size_t subjects; /* that the run measures; what is new to the baseline counts once */
	size_t of_class; /* those that are held against their class: no own history */
	/* Smallest detectable loss of one run as compare states it: alpha, power, n_new 1. */
	struct detect_loss mde;
	/*
	 * The same where only what is beyond the practical floor counts, as it does for a verdict
	 * and again for the confirming rerun: found with that power is a loss x with
	 *	-log(1 - x) = max(t_{1-alpha} se, -log(1 - floor)) + t_{power} se
	 */
	struct detect_loss counts;
	/* A node against the other nodes of the same run (localize_detectable with the spread that
	 * one node's figure has in one run); NaN: no pairs, or no spread of nodes. */
	double peers;
};

/* What the run measures, as the caller knows it from its plan. */
struct detect_scope {
	bool (*measured)(const void *ctx, const struct base_entry *e);
	/* Of a pair benchmark, whose nodes are held against each other: the least loss that a node
	 * is blamed for; else 0. */
	double (*blamed)(const void *ctx, const struct base_entry *e);
	const void *ctx;
	const char *const *nodes; /* names; sorted by strcmp */
	size_t n_nodes;
	int partners; /* that a node meets */
};

struct detect {
	struct detect_row *v; /* in the order of the baseline's entries */
	size_t n, cap;
	size_t unknown;   /* keys that are measured and whose spread is not known */
	size_t not_there; /* nodes that the baseline knows nothing about */
	int runs;         /* of the baseline, the fewest of any row; 0: no row */
};

/* Judged by b with p, one new run. Nodes that b leaves out are no subjects. Free with detect_free.
 */
void detect_run(const struct baseline *b, const struct detect_scope *scope,
                const struct compare_params *p, struct detect *out);
void detect_free(struct detect *d);

#endif

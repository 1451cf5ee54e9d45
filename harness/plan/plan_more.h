/* How much longer than planned a run may take: what it may append while it runs. */
#ifndef HPCBENCH_HARNESS_PLAN_MORE_H
#define HPCBENCH_HARNESS_PLAN_MORE_H

#include "harness/plan/plan.h"

/* The rules by which a run appends; 0: it does not. */
struct plan_more_rules {
	double extra_share; /* of the pairs of the main part, for extra pairs */
	int extra_pairs;    /* for each candidate, one behind the other: a node has one pair at once
	                     */
	int suspects;       /* that get a confirming rerun */
};

struct plan_more {
	size_t pairs; /* extra ones, of the benchmark that may have the most; 0: there are no pairs
	               */
	size_t suspects;
	double extra_s, confirm_s; /* at most, in seconds, with the steps' starts */
};

/*
 * Extra pairs of a benchmark: extra_share of its pairs, at least one candidate's worth (its pairs,
 * one of them isolated, and an isolated one of a control). Candidates are measured at the same
 * time, so they take as long as one, or as the pairs that may be measured at once let them; each
 * has two that are alone. The rerun: the suspects that would take the longest, each alone. Below 3
 * nodes nobody can be told from a partner, and no pairs are added.
 */
void plan_more(const struct plan *p, const struct plan_more_rules *rules, struct plan_more *out);

#endif

/*
 * compare: new figures against a baseline, by contracts.md section 5 exactly. Pure functions of
 * their arguments: no files, no clock, no output; `check`, `diff`, `run` and thousands of simulated
 * runs in the tests all call these.
 */
#ifndef HPCBENCH_HARNESS_COMPARE_H
#define HPCBENCH_HARNESS_COMPARE_H

#include "harness/judge/baseline.h"
#include "harness/judge/verdict.h"

struct compare_params {
	double q; /* false discovery rate over families; 0.05 */
	/* Smallest detectable effect: (t_{1-alpha,df} + t_{power,df}) * standard error of the
	 * difference, s * sqrt(1/n_new + 1/n_base), as a loss ratio 1 - exp(-x). */
	double alpha;          /* 0.005 */
	double power;          /* 0.9 */
	double tolerance;      /* pass needs mde <= tolerance; 0: the row's own */
	double default_spread; /* diff without any other source; 0.02 */
};
#define COMPARE_PARAMS_DEFAULT                                                                     \
	{                                                                                          \
		0.05, 0.005, 0.9, 0.0, 0.02                                                        \
	}

/*
 * Judges the main rows of n_new runs of the same plan (replicates) against b. Rows of out borrow
 * from runs[0..] and b. Nodes whose hardware class is not the one that b stored, or that stand
 * alone with theirs, are findings of out. Several runs confirm each other; one run's significant
 * rows are `suspect` until compare_confirm has seen their confirming rerun.
 */
void compare_runs(const struct baseline *b, const struct summary *const *runs, size_t n_new,
                  const struct compare_params *p, struct verdicts *out);

/*
 * The two sides of `diff`. When a side's own runs do not give a spread, it is taken from
 * reference (--baseline), then stored (stored runs of the same keys, as a baseline; may be NULL),
 * then the spread over like subjects, then the stated default; each row says which. Rows on one
 * side only are NEW or GONE. Nodes whose hardware class changed are findings of out.
 */
void compare_sides(const struct baseline *old_side, const struct summary *const *new_runs,
                   size_t n_new, const struct baseline *reference, const struct baseline *stored,
                   const struct compare_params *p, struct verdicts *out);

/* A (subject, benchmark) that asks for a confirming rerun, with the control it would run against.
 */
struct suspect {
	const char *subject, *bench; /* borrowed from the verdicts */
	const char *control;         /* a passing subject of the same keys; NULL: none */
	size_t first_row;            /* its worst row in the verdicts */
};
/* Fills out (at most max) with the suspects of v; returns how many there are. What is acknowledged
 * is none, and a control only where nothing else passes. */
size_t compare_suspects(const struct verdicts *v, struct suspect *out, size_t max);

/*
 * Looks at the confirm and control rows of run (phases CONFIRM, CONTROL, repeat 0..k-1,
 * interleaved A B A B A B): a suspect row becomes `regressed` if the mean log ratio
 * suspect/control, less the same ratio of the baseline's medians, is beyond -floor and significant
 * at 5 % (pooled within-session spread over the sizes of its benchmark); it becomes `pass` or
 * `inconclusive` if not. Without a control the row stays suspect with a note; a row of several runs
 * keeps its verdict: one run's rerun cannot acquit what they agree on. Counts are renewed.
 */
void compare_confirm(struct verdicts *v, const struct baseline *b, const struct summary *run,
                     const struct compare_params *p);

json_object *verdicts_to_json(const struct verdicts *v);

#endif

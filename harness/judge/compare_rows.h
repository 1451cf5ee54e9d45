/*
 * The steps that compare_runs and compare_sides share: rows of new runs are gathered, each gets a
 * test (difference, standard error, degrees of freedom) from whoever knows the old side, and all
 * are judged together. Inside the compare module only.
 */
#ifndef HPCBENCH_HARNESS_COMPARE_ROWS_H
#define HPCBENCH_HARNESS_COMPARE_ROWS_H

#include "harness/judge/compare.h"

/* What a row is judged by; se and df 0: no spread is known. */
struct compare_test {
	double y_new;          /* mean of y over the new runs that have it */
	double diff;           /* y_new less the old side's: below 0 is worse */
	double se, df;         /* of diff */
	double se_old, se_new; /* its two parts, for display */
	bool measured;         /* the new side has a figure of quality OK */
	bool borrowed;         /* the spread is not the old side's own: never beyond suspect */
};

struct compare_set {
	struct verdict_row *rows;
	struct compare_test *tests; /* one a row */
	size_t n, cap_rows, cap_tests;
};

/*
 * The judged main rows of all runs, one for each key and subject, in order of appearance. A row
 * that no run has with quality OK, or that any run has as INVALID, has its final verdict.
 */
void compare_gather(const struct summary *const *runs, size_t n, struct compare_set *out);
/* A further row that has no new side, with its verdict. subject and entry are borrowed. */
void compare_add_absent(struct compare_set *set, const struct base_entry *entry,
                        const struct base_series *series, enum verdict verdict, const char *note);
/*
 * Leaves in the set only the rows of pairs that are compared: those of leaf classes where both
 * sides have them under that key, else those over all pairs. Which side alone has them, if any key
 * is so.
 */
enum leaf_gap compare_leaves(const struct baseline *b, struct compare_set *set);
/*
 * Of each entry of b the one that stands for it where it is asked who is missing: for a leaf class
 * the one over all pairs, for a node need not have pairs of each kind every night. The caller
 * frees.
 */
size_t *compare_stand_ins(const struct baseline *b);
/* The runs of the new side, and where the search for the last row's entry ended. */
struct compare_from {
	const struct baseline *b;
	const struct summary *const *runs;
	size_t n, cursor;
};
/*
 * The entry that a row is compared with: the same key; else, with a note in the row, for a node
 * whose own hardware class changed, its history under the old one. NULL: nothing.
 */
const struct base_entry *compare_lookup(struct compare_from *from, struct verdict_row *row);
/* The class of a node in old, if one of the n runs has another; NULL: it did not change. */
const char *compare_old_hw(json_object *old, const struct summary *const *runs, size_t n,
                           const char *node);
/* Adds to out what the hardware classes of the runs are findings of: those that changed and, if
 * asked for, those that stand alone; not of nodes that b leaves out. Subjects and classes are
 * borrowed. */
void compare_hw(const struct baseline *b, const struct summary *const *runs, size_t n, bool alone,
                struct verdicts *out);
/* Equal but for endpoint and hardware class. */
bool compare_same_but_class(const struct key *a, const struct key *b);
/* Is what e knows of this subject missing only because a partner's changed class moved its figures
 * to another key, one that nobody compares? */
bool compare_moved(const struct compare_set *set, const struct base_entry *e, const char *subject);
/* The loss that must be detectable for a pass: the caller's, else the suite's, else twice the
 * floor. */
double compare_tolerance(const struct verdict_row *row, const struct compare_params *p);
/* What the mean of n_new runs of one subject is held against: the old side's mean, and the standard
 * error of the difference with its parts. se 0: no spread is known (s and df may be NaN). */
struct compare_against {
	enum spread_source source; /* own runs, or the class */
	int n;                     /* runs of the old side */
	double y, s, df, se, se_old, se_new;
};
/* own: the subject's history in e, NULL where it has none. False: e says nothing about it. */
bool compare_against(const struct base_entry *e, const struct base_series *own, int n_new,
                     struct compare_against *out);
/* Sets the test of two means, of n_old and n_new runs of one subject with spread s. */
void compare_two_means(struct verdict_row *row, struct compare_test *test, double y_old, double s,
                       double df);
/* Why a subject has no figures of bench in any of the runs; NULL: no loss says so. */
const struct summary_loss *compare_loss(const struct summary *const *runs, size_t n,
                                        const char *subject, const char *bench);
/* Judges all rows, moves them into out and frees the rest of the set. */
void compare_judge(struct compare_set *set, const struct compare_params *p, struct verdicts *out);
/* The note of a row, cut to its room. */
void compare_note(struct verdict_row *row, const char *fmt, ...) HB_PRINTF(2, 3);

#endif

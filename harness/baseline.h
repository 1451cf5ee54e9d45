/*
 * A baseline: an accepted reference made from chosen runs (contracts.md sections 5 and 6). The
 * run medians themselves are kept, so that it can be extended and explained; mean, spread and
 * degrees of freedom are derived from them at one place, baseline_derive, and written beside them
 * for whoever reads the file. It never moves by itself.
 */
#ifndef HPCBENCH_HARNESS_BASELINE_H
#define HPCBENCH_HARNESS_BASELINE_H

#include "harness/summary.h"

enum { BASELINE_SCHEMA = 1, BASELINE_MIN_RUNS = 5 };

/* One subject's history under one key. */
struct base_series {
	char *subject;
	char *hw;
	double *y; /* one a run of the baseline, in the order of baseline.runs; NaN: not in that run
	            */
	int n;     /* finite ones */
	double mean, median; /* of the finite ones */
};

struct base_entry {
	struct key key;
	enum subject_kind kind;
	enum unit unit;
	bool higher_is_better;
	struct base_series *series;
	size_t n_series, cap_series;
	/* derived */
	int runs;                    /* runs that hold this key */
	double mean;                 /* class mean of y: mean of the subjects' means */
	double s_own, df_own;        /* of this key alone, within subjects */
	double s_pool, df_pool, rho; /* over the sizes of its curve */
	double s_run, df_run;        /* own and pooled together: what the test uses */
	double s_node, df_node; /* between subjects' means, less what s_run explains; 0 below 2 */
};

struct baseline {
	char *name, *created, *reason; /* reason may be NULL */
	char **runs;
	size_t n_runs;
	json_object *fingerprint; /* of the newest run; owned */
	json_object *hw;          /* node -> hardware class; owned */
	struct base_entry *entries;
	size_t n_entries, cap_entries;
};

/*
 * Builds an unnamed baseline from the main rows of n runs, judged rows of quality OK only.
 * Never fails on contents; derive has been done.
 */
void baseline_build(const struct summary *const *runs, size_t n, struct baseline *out);
/* Adds runs to an existing one; a run it holds already is HB_E_USAGE. Derives again. */
int baseline_extend(struct baseline *b, const struct summary *const *runs, size_t n,
                    struct hb_err *err);
/* Derived figures of every entry, from the series: the only place that computes a spread. */
void baseline_derive(struct baseline *b);

const struct base_entry *baseline_find(const struct baseline *b, const char *key_text,
                                       enum subject_kind kind);
const struct base_series *baseline_series(const struct base_entry *e, const char *subject);
/* NULL, or why this run does not belong in a baseline: a text the caller frees (a run median
 * beyond 5 scaled MADs of its series, an injected or partial run). */
char *baseline_objection(const struct baseline *b, const struct summary *run);

json_object *baseline_to_json(const struct baseline *b);
int baseline_from_json(json_object *o, const char *source, struct baseline *out,
                       struct hb_err *err);
int baseline_read(const char *path, struct baseline *out, struct hb_err *err);
void baseline_free(struct baseline *b);

#endif

/*
 * A baseline: an accepted reference made from chosen runs (contracts.md sections 5 and 6). The
 * run medians themselves are kept, so that it can be extended and explained; mean, spread and
 * degrees of freedom are derived from them at one place, baseline_derive, and written beside them
 * for whoever reads the file. It never moves by itself.
 */
#ifndef HPCBENCH_HARNESS_BASELINE_H
#define HPCBENCH_HARNESS_BASELINE_H

#include "harness/collect/summary.h"

enum { BASELINE_SCHEMA = 1, BASELINE_MIN_RUNS = 5 };

/* One subject's history under one key. */
struct base_series {
	char *subject;
	char *hw;
	double *y; /* one a run of the baseline, in the order of baseline.runs; NaN: not in that run
	            */
	int n;     /* finite ones */
	double mean, median; /* of the finite ones */
	double within; /* largest relative half interval inside a run; 0: unknown (never in files)
	                */
};

struct base_entry {
	struct key key;
	enum subject_kind kind;
	enum unit unit;
	bool higher_is_better;
	double floor, tolerance;    /* of the newest run that holds the key, as in summary_row */
	struct base_series *series; /* in the order of first appearance, as are the entries */
	size_t n_series, cap_series;
	/* derived; a spread whose df is 0 is unknown, its s NaN */
	int runs;               /* runs that hold this key */
	double mean;            /* class mean of y: mean of the subjects' means */
	double s_own, df_own;   /* of this key alone, within subjects */
	double s_pool, df_pool; /* over the sizes of its curve, those of one floor */
	double rho;             /* mean correlation of residuals between the curve's sizes */
	double rho_subjects;    /* bound on the same between its subjects: what sessions do */
	double s_run, df_run;   /* own and pooled together: what the test uses */
	double s_node, df_node; /* between subjects' means, less what s_run explains; 0 below 2 */
};

/* Of a baseline that took another's place: which, and why. All NULL where it is the first. */
struct base_rebase {
	char *from, *date, *reason, *by;
	json_object *ratios; /* as baseline_ratios_to_json; owned, or NULL */
};

struct baseline {
	char *name, *created, *reason; /* reason may be NULL */
	struct base_rebase rebased;
	json_object *excluded; /* node -> why, or ""; owned. Never subjects, nor in any figure */
	char **runs;
	size_t n_runs;
	json_object *merged; /* of runs that were put together: id -> array of their ids; owned */
	json_object *fingerprint; /* of the newest run; owned */
	json_object *hw;          /* node -> hardware class; owned */
	json_object *facts; /* of the newest run, as in struct summary; NULL: unknown; owned */
	struct base_entry *entries;
	size_t n_entries, cap_entries;
};

/*
 * Builds an unnamed baseline from the main rows of n runs, judged rows of quality OK only; a run
 * given twice counts once. Never fails on contents; derive has been done.
 */
void baseline_build(const struct summary *const *runs, size_t n, struct baseline *out);
/* Adds runs to an existing one; a run it holds already is HB_E_USAGE. Derives again. */
int baseline_extend(struct baseline *b, const struct summary *const *runs, size_t n,
                    struct hb_err *err);
/*
 * Derived figures of every entry, from the series: the only place that computes a spread
 * (contracts.md section 5). y of one subject are centred at its mean; nothing is clipped.
 *	s_own^2  = sum of squares / D_e, D_e = sum over subjects of (n_i - 1)
 *	s_pool^2 = the same over the S sizes of the curve, D = sum of D_e
 *	df_own   = D_e / (1 + (B-1) rho_b^2)
 *	df_pool  = D / ((1 + (S-1) rho^2) (1 + (B-1) rho_b^2))
 *	s_run^2  = (4 s_pool^2 + (n-1) s_own^2) / (n+3), n runs, not below 1e-4^2
 * rho: mean correlation of residuals between sizes within a subject, at least 0. rho_b: between
 * the B subjects that share the runs, of their residuals' mean over sizes, and not the estimate
 * but its upper 97.5 % bound at n runs: subjects are not independent observations of what a
 * session does, and a few runs cannot show that it does nothing. Both 1 below BASELINE_MIN_RUNS
 * runs. With one subject these are the formulae of one series. (Measured, 10 runs of 4 independent
 * subjects: with the estimate itself 94.8 % of clean runs pass before confirmation, with 1 in its
 * place a 5 % loss is found in 92 % only; both promises hold with the bound.)
 * The df of s_run is Satterthwaite's with the covariance of the two: the own figure is part of the
 * pool, so cov(s_pool^2, s_own^2) = var(s_pool^2), and one size alone keeps its own df.
 */
void baseline_derive(struct baseline *b);

/* Why a node was left out of this baseline ("": no reason was given); NULL: it was not. */
const char *baseline_excluded(const struct baseline *b, const char *subject);

/* How the medians of two baselines differ, by benchmark; a ratio is new/old of the figure. */
struct base_ratio {
	const char *bench; /* borrowed, as is metric */
	const char *metric;
	bool higher_is_better;
	size_t keys, other_hw; /* on both sides; of those, matched across hardware classes */
	size_t only_old, only_new;
	double median, min, max; /* over the keys on both sides; NaN where there are none */
};
/* One for each benchmark and metric, in the order of the new baseline; the caller frees. A key is
 * matched with the same one, else with the only one that differs in hardware class alone. */
size_t baseline_ratios(const struct baseline *from, const struct baseline *to,
                       struct base_ratio **out);
json_object *baseline_ratios_to_json(const struct base_ratio *v, size_t n);

const struct base_series *baseline_series(const struct base_entry *e, const char *subject);
/* Looking first at index start and onwards: rows come in the order of the entries. Both return an
 * index, or SIZE_MAX. */
size_t baseline_find_near(const struct baseline *b, const char *key_text, enum subject_kind kind,
                          size_t start);
size_t baseline_series_near(const struct base_entry *e, const char *subject, size_t start);
/* NULL, or why this run does not belong in a baseline: a text the caller frees (a run median
 * beyond 5 scaled MADs, an injected or partial run). The MAD is that of its series or, where that
 * is larger, of the residuals of its whole curve: the MAD of a few runs alone would refuse many
 * clean ones; and at least a tenth of the floor, so that nothing is refused for less than half of
 * what counts. Series below BASELINE_MIN_RUNS runs object to nothing. */
char *baseline_objection(const struct baseline *b, const struct summary *run);

json_object *baseline_to_json(const struct baseline *b);
int baseline_from_json(json_object *o, const char *source, struct baseline *out,
                       struct hb_err *err);
int baseline_read(const char *path, struct baseline *out, struct hb_err *err);
void baseline_free(struct baseline *b);

#endif

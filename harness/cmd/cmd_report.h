/*
 * Documents of runs and comparisons: the only place where benchmarks and verdicts become headings
 * and tables. `run`, `check`, `report`, `diff` and `baseline show` print what these return.
 *
 * What --json prints is the document's data. Names are stable; a change is a new "schema":
 *	all	schema 1, kind "report" | "diff" | "baseline", code (once the command knows it)
 *	report and diff, where there are any	known: [{id, subject, bench, until, reason, by,
 *		expired, covers: in words or null}], acks_error
 *	report	dir, baseline (name or null), summary (as summary.json), verdicts (as verdicts.json;
 *		null without a baseline), findings (as findings.json, or null); of several runs
 *judged together `summary` and `findings` are the last's. findings holds the causes too. With new
 *nodes also acceptance: {new, controls, controls_healthy, counts, code, decisions: [{node, role,
 *decision, known, partners, detectable, detectable_bench, confirmed, reasons: [{why, makes, text,
 *loss, confirmed, known}]}], notes} and, with --drain, drained: [{node, drained, text}] diff old,
 *new: {name, baseline, runs: [{run, started, suite, label}]}; facts: [{device, key, hw, old, new}]
 *that the nodes of a class agreed about; fingerprint: [{name, old: [...], new:
 *[...]}] and hardware: [{node, old, new}], what differs alone; shift: [{key, nodes, slower, loss,
 *loss_lo, loss_hi, floor, spread, whole, against_rest: [{subject, loss, loss_against_rest, z,
 *moved}]}]; spread:
 *[{source, rows}]; summary: {rows, slower, regressed, suspect, faster, inconclusive, invalid,
 *findings, only_old, only_new, detectable (median, ratio), worst: {subject, bench, bytes, delta} or
 *null}; verdicts baseline	baseline (as its file), runs, keys, provisional
 */
#ifndef HPCBENCH_HARNESS_CMD_REPORT_H
#define HPCBENCH_HARNESS_CMD_REPORT_H

#include "harness/accept/accept.h"
#include "harness/diagnose/diagnose.h"
#include "harness/judge/ack.h"
#include "harness/judge/baseline.h"
#include "harness/judge/verdict.h"
#include "harness/localize/findings.h"
#include "reports/doc.h"

/* All documents borrow what they are made from: free them first. */

/* What became of a node that was to be drained; borrowed. */
struct report_drain {
	const char *node, *text;
	bool drained;
};

/* Runs that are judged as one side; the figures shown are those of the last. */
struct report_run {
	const struct summary *const *runs;
	size_t n;
	const struct verdicts *v;    /* NULL: measured only, or there is no baseline */
	const char *base;            /* the baseline's name, or NULL */
	const char *dir;             /* where the last run is, or NULL */
	int code;                    /* how the command ends: the first lines say the same */
	const char *past_base;       /* what it was held against when it was measured, or NULL */
	int past_code;               /* how `run` ended then; -1: unknown */
	const char *launcher;        /* of the last run, or NULL */
	const struct acks *acks;     /* as acks_mark left them, or NULL */
	const struct baseline *b;    /* the baseline itself, or NULL */
	const struct findings *f;    /* who is to blame in the last run, or NULL: nobody looked */
	const struct diagnosis *why; /* the causes, places in f; or NULL: nobody looked */
	const struct attained *attained; /* of the last run; or NULL, likewise */
	const char *wire; /* which devices the bytes took, where not the best; or NULL */
	const struct acceptance *accept;    /* of the last run; NULL: it has no new nodes */
	const struct report_drain *drained; /* NULL: nobody was asked to drain */
	size_t n_drained;
};
struct doc *report_run_doc(const struct report_run *in);
/* The exit code of n runs judged as one side: their verdicts (NULL: none), what is invalid in
 * them, what was not measured. */
int report_run_code(const struct summary *const *runs, size_t n, const struct verdicts *v,
                    bool baseline_asked, bool baseline_missing);

/* One side of a diff. */
struct report_side {
	const char *name;           /* as the user wrote it */
	const struct baseline *b;   /* its figures: made from the runs, or a stored baseline */
	bool stored_baseline;       /* b is a stored baseline; runs, if any, are made from it */
	const struct summary *runs; /* NULL for a stored baseline on the old side */
	size_t n;
};
struct shifts;
struct report_diff {
	const struct verdicts *v;
	const struct shifts *shifts; /* of the same verdicts */
	struct report_side old_side, new_side;
	const char *reference;   /* --baseline, or NULL */
	size_t stored;           /* runs of the store that were looked at for the spread */
	bool all;                /* every row, however many are unchanged */
	int code;                /* how the command ends */
	const struct acks *acks; /* of the new side, as acks_mark left them, or NULL */
};
/* Verdict rows as the benchstat-like table, what differs first. */
struct doc *report_diff_doc(const struct report_diff *in);

/* What a run would find, for the documents of dry runs; also into the data ("detectable": null, or
 * {baseline, alpha, power, rounds, unknown, new_nodes, rows: [{key, kind, subjects, of_class, runs,
 * floor, loss, loss_most, counts, counts_most, peers}]}). */
struct detect;
struct compare_params;
struct report_detect {
	const char *base; /* the baseline's name; NULL: none, and found is not looked at */
	const struct detect *found;
	const struct compare_params *params;
	int rounds; /* of pairs; 0: none */
};
void report_detect(struct doc *d, const struct report_detect *in);

struct doc *report_baseline_doc(const struct baseline *b);

#endif

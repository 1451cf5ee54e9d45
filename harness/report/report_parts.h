/*
 * Parts that the documents of runs, comparisons and baselines share: how a key, a figure and a
 * verdict row look. Only harness/report_*.c include this.
 */
#ifndef HPCBENCH_HARNESS_REPORT_PARTS_H
#define HPCBENCH_HARNESS_REPORT_PARTS_H

#include "harness/judge/ack.h"
#include "harness/judge/baseline.h"
#include "harness/judge/verdict.h"
#include "harness/localize/findings.h"
#include "reports/doc.h"

enum { REPORT_TEXT = 96 };

/*
 * The shortest names that keep the keys of one document apart: the benchmark, its metric unless
 * that is the headline, and the options whose values differ among the document's keys.
 */
struct report_names;
struct report_names *report_names_new(void);
void report_names_add(struct report_names *n, const struct key *k);
void report_names_free(struct report_names *n);
/* "mpi.latency", "node.memory op=triad", "mpi.allreduce busbw". */
void report_name(const struct report_names *n, const struct key *k, struct buf *out);
/* The same without the benchmark: "op=triad", or nothing. */
void report_variant(const struct report_names *n, const struct key *k, struct buf *out);
/* "remote", and "remote 8x2" (nodes x ranks per node) for groups of more than two ranks. */
void report_class(const struct key *k, struct buf *out);

/* "12.34 GB/s ± 0.8 %"; half is relative, NaN: unknown. A NaN value gives "". */
void report_figure(enum unit u, double value, double half, struct buf *out);
/* "-38 %", "2.1 %"; signed: "+2.1 %". NaN gives "". */
void report_percent(double ratio, bool with_sign, struct buf *out);
/* A loss as the figure itself shows it: "-29 %" of a bandwidth, "+41 %" of a latency. */
void report_change(const struct key *k, double loss, struct buf *out);
/* A probability: "0.0031", "<0.0001"; NaN gives "". */
void report_p(double p, struct buf *out);

enum doc_tone report_tone(enum verdict v);
/* Is this a row that somebody should look at? Not: unchanged, imprecise, or on one side only. */
bool report_differs(enum verdict v);
/* The rows of v, worst first; the caller frees the array. */
const struct verdict_row **report_sorted(const struct verdicts *v);
/* Names of all keys in v. */
struct report_names *report_names_of(const struct verdicts *v);

/* The benchstat-like table: its titles, one row, and one line for rows that were collapsed. */
void report_rows_begin(struct doc *d, const char *old_title, const char *new_title);
void report_row(struct doc *d, const struct report_names *names, const struct verdict_row *r);
/* The notes of rows, each once for a verdict, as lines below their table; not the one that was
 * said elsewhere (may be NULL). */
void report_reasons(struct doc *d, const struct verdict_row *const *rows, size_t n,
                    const char *said);
struct report_group {
	const char *bench;
	enum verdict verdict;
	uint64_t bytes_min, bytes_max;
	size_t rows;
	double delta_min, delta_max;
	double mde; /* median */
	bool said;  /* its line is there */
};
/* The whole table: what differs first, the rest as one line for each benchmark and verdict unless
 * there are few rows or all are wanted. */
/* alike: of each row of v, that it is counted with the others of its kind; NULL: of none. */
void report_diff_rows(struct doc *d, const struct verdicts *v, bool all, const bool *alike,
                      const struct report_names *names);
/* Is there a key that both sides have, with no subject in common? */
bool report_shares_keys(const struct verdicts *v);
void report_row_collapsed(struct doc *d, const struct report_group *g);

/* Median of the finite smallest detectable losses; NaN if there is none. */
double report_mde_median(const struct verdicts *v);
/* The row with the largest loss among REGRESSED, else SUSPECT, that is not acknowledged; or NULL.
 */
const struct verdict_row *report_worst(const struct verdicts *v);
/* "n17 mpi.bandwidth 1 MiB -38 %" */
void report_row_words(const struct report_names *names, const struct verdict_row *r,
                      struct buf *out);

/* What a run measured: one table a benchmark, one line a key, the slowest subject beside it. */
void report_figures(struct doc *d, const struct summary *s, const struct report_names *names);

/* What was lost in n runs, and why. */
void report_losses(struct doc *d, const struct summary *const *runs, size_t n);

/* Names of what is missing, in the order of appearance, with repetitions; borrowed. */
struct report_lost {
	const char **names;
	size_t n, cap;
	const char *bench, *reason; /* bench: where it is the same for all; reason: the first */
};
/* What raises the exit code whatever the figures are, over the runs of one side; not what is
 * acknowledged. */
struct report_trouble {
	size_t known, invalid_known; /* what is lost or invalid, and acknowledged; the invalid */
	struct report_lost lost;     /* subjects that were not measured, or disturbed */
	struct report_lost skipped;  /* benchmarks of a suite that this machine does not have */
	struct report_lost benches;  /* of every row */
	size_t good, invalid;        /* figures; figures and pairs with wrong data */
	size_t told;                 /* units that told facts */
	const char *subject, *bench, *reason; /* the first that is invalid */
};
/* name is borrowed. */
void report_lost_add(struct report_lost *l, const char *name);
/* Leaves out the pairs of nodes that are named themselves: then the node stands first. */
void report_drop_pairs(struct report_lost *l);
/* v may be NULL. Everything is borrowed but the lists, which report_trouble_free frees. */
void report_trouble(const struct summary *const *runs, size_t n, const struct verdicts *v,
                    struct report_trouble *out);
void report_trouble_free(struct report_trouble *t);
/* "INVALID DATA: n3 mpi.latency: ..." and "NOT MEASURED: n5, n6 (...)", if there is any. */
void report_invalid_line(struct doc *d, enum doc_tone tone, const char *lead,
                         const struct report_trouble *t);
void report_lost_line(struct doc *d, const char *lead, const struct report_trouble *t);
/* An exit code in two words: with or without a baseline. */
const char *report_code_word(int code, bool baseline);

/* "left for later: n[41-064]; ...": nodes that --budget left out. */
void report_later(struct doc *d, const char *nodes, int runs);
/* What a run is a part of, or made of, and what it left out. */
void report_scope(struct doc *d, const struct summary *s);
/*
 * Acknowledgements that are about something in these runs, a line each, and into the data: what
 * they cover, those that have expired lately, and a list that cannot be read. acks, v and f may be
 * NULL.
 */
void report_known(struct doc *d, const struct acks *acks, const struct summary *const *runs,
                  size_t n, const struct verdicts *v, const struct findings *f);
/* "from A on 2026-12-24: reason", and "n3 (why), n4", nothing where there is nothing to say. */
void report_rebased(const struct baseline *b, struct buf *out);
void report_excluded(const struct baseline *b, struct buf *out);
/* " (known until 2026-12-24)", nothing for NULL; and "known until 2026-12-24: reason (by whom)". */
void report_known_mark(const struct ack *a, struct buf *out);
void report_known_words(const struct ack *a, struct buf *out);

struct shifts;
/* How the whole moved, and who moved against the rest; also into the data. */
void report_shift(struct doc *d, const struct shifts *s, const struct report_names *names);

struct report_diff;
/* Software, settings, hardware and nodes that differ between two sides; also into the data. */
void report_changes(struct doc *d, const struct report_diff *in);

struct report_run;
/* One line where one side alone knows leaf classes; v may be NULL. */
void report_leaves(struct doc *d, const struct verdicts *v, const char *old_side);
/* Is what the cluster attained told in the first lines, for it is less than its hardware promises?
 */
bool report_interconnect_below(const struct report_run *in);
/* What is not plain of the baseline: that it took another's place, and what it does not know. */
void report_baseline_note(struct doc *d, const struct report_run *in);
/* The first lines, and the last. */
void report_head(struct doc *d, const struct report_run *in, const struct report_names *names);
void report_next(struct doc *d, const struct report_run *in);
/* The first line of an acceptance and what is told with it; and its decisions, a table. */
struct acceptance;
void report_accept_head(struct doc *d, const struct acceptance *a);
void report_accept(struct doc *d, const struct report_run *in);
/* The slowest pairs as evidence, those that no finding explains (f may be NULL). */
void report_pairs(struct doc *d, const struct summary *s, const struct findings *f,
                  const struct report_names *names);
/* The slowest of these, if it is below 80 % of the median over pairs; else NULL. */
const struct summary_pair *report_slow_pair(const struct summary *s, const struct findings *f);

/* Who is to blame (f may be NULL): first lines, "SLOW: n17 ...", and the section with how much was
 * looked at; with why (NULL: nobody looked) the cause of each. */
struct diagnosis;
void report_blame_head(struct doc *d, const struct findings *f, const struct diagnosis *why);
void report_blame(struct doc *d, const struct findings *f, const struct diagnosis *why);
/* The worst that somebody should look at now: not what is acknowledged, nor what is silent; NULL:
 * none, or f is. */
const struct culprit *report_culprit(const struct findings *f);

struct cause;
/* Somebody should look at it: neither acknowledged nor suppressed. */
bool report_cause_open(const struct cause *c);
/* "n17/eth0 has an MTU of ...": its words, and before them whom it is about where they do not say.
 */
void report_cause_what(const struct cause *c, struct buf *out);
bool report_cause_explains(const struct cause *c, size_t culprit);
/* "; likely cause: n17: mtu of eth0 is ...", nothing where nothing explains the culprit. */
void report_cause_brief(const struct diagnosis *d, size_t culprit, struct buf *out);
/* First lines, "MISCONFIGURED: n17: ...", of errors that explain nobody slow; and the first of them
 * or NULL. d may be NULL in both. */
void report_causes_head(struct doc *d, const struct diagnosis *found);
const struct cause *report_misconfigured(const struct diagnosis *d);
/* Below the list item of a culprit: its best cause, evidence, what to do, others that are possible;
 * at most four lines. */
void report_cause_below(struct doc *d, const struct findings *f, const struct diagnosis *found,
                        size_t culprit);
/* The section of what is wrong without anybody slow for it (found may be NULL). */
void report_causes(struct doc *d, const struct diagnosis *found);

/* An array of strings (fingerprint values) as "a, b and 3 more"; anything else as JSON. */
void report_values(json_object *o, struct buf *out);
/* "20260102-…, 2026-01-02T01:00:00Z, suite quick, LABEL, partial" */
void report_run_words(const struct summary *s, struct buf *out);
/* A string, or any other value as JSON; null gives "(none)". Borrowed. */
const char *report_json_text(json_object *o);
/* Is it safe to be typed into a shell as it stands? Run ids come from files. */
bool report_typable(const char *name);
/* The ending of a counted word: "" for 1, else "s". */
const char *report_plural(size_t n);

#endif

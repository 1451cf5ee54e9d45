/* Summaries and baselines made in a line each, for the tests of what compares them. */
#ifndef HPCBENCH_TESTS_UNIT_ROWS_H
#define HPCBENCH_TESTS_UNIT_ROWS_H

#include "harness/judge/compare.h"

/* An empty summary of this id. */
void rows_begin(struct summary *s, const char *run);
/* A main row of one node: bandwidth in B/s, floor 3 %, one key a (bench, bytes). */
struct summary_row *rows_add(struct summary *s, const char *bench, uint64_t bytes,
                             const char *subject, double value);
/* A confirm (or control) row of the same kind; rows_partner names the other side. */
struct summary_row *rows_add_confirm(struct summary *s, enum phase phase, int repeat,
                                     const char *bench, uint64_t bytes, const char *subject,
                                     double value);
void rows_partner(struct summary_row *r, const char *partner);
void rows_loss(struct summary *s, const char *subject, const char *bench, const char *reason);

/*
 * Run number t of a quiet site: nodes n1 .. n4 near 1e9 B/s, two benchmarks "x.a" and "x.b", sizes
 * 1 KiB, 4 KiB and 16 KiB, figures that move by about spread in a fixed pattern. factor scales
 * node n2 in x.a.
 */
void rows_site(struct summary *s, const char *run, unsigned t, double spread, double factor);
enum { ROWS_RUNS_MAX = 16 };
/* A baseline of runs 0 .. n-1 of that site. */
void rows_baseline(unsigned n, double spread, struct baseline *out);

/* The entry of a key; NULL: none. */
const struct base_entry *rows_entry(const struct baseline *b, const char *key_text,
                                    enum subject_kind kind);
/* The row of a key and subject; NULL: none. */
const struct verdict_row *rows_find(const struct verdicts *v, const char *bench, uint64_t bytes,
                                    const char *subject);

/* One new run against a baseline, with the default parameters; the caller frees v. */
void rows_judge(const struct baseline *b, const struct summary *s, struct verdicts *v);
/* Fails the test unless the row has this verdict. */
void rows_expect(const struct verdicts *v, const char *bench, uint64_t bytes, const char *subject,
                 enum verdict want);
/* The exit code of these verdicts where a baseline was asked for. */
int rows_code(const struct verdicts *v);

#endif

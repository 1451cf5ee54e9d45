/*
 * Documents of runs and comparisons: the only place where benchmarks and verdicts become headings
 * and tables. `run`, `check`, `report`, `diff` and `baseline show` print what these return.
 */
#ifndef HPCBENCH_HARNESS_CMD_REPORT_H
#define HPCBENCH_HARNESS_CMD_REPORT_H

#include "harness/baseline.h"
#include "harness/verdict.h"
#include "reports/doc.h"

/* A stored run; verdicts NULL: measured only, no baseline. base names it, or NULL. dir: where the
 * run is. */
struct doc *report_run_doc(const struct summary *s, const struct verdicts *v, const char *base,
                           const char *dir);
/* Verdict rows as the benchstat-like table; only_changed leaves out rows that pass. */
struct doc *report_diff_doc(const struct verdicts *v, const struct baseline *old_side,
                            const struct summary *const *new_runs, size_t n_new,
                            const char *old_name, const char *new_name);
struct doc *report_baseline_doc(const struct baseline *b);

#endif

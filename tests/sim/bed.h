/*
 * An imaginary site for the statistical tests: runs are summaries made in memory from the cluster
 * model, baselines and verdicts come from the very functions that the commands call.
 */
#ifndef HPCBENCH_TESTS_SIM_BED_H
#define HPCBENCH_TESTS_SIM_BED_H

#include "bench/sim/model.h"
#include "harness/judge/compare.h"

enum { BED_BENCHES = 3, BED_SIZES = 8, BED_SUBJECTS = 4, BED_REPEATS = 3, BED_RUNS_MAX = 20 };

struct bed {
	struct sim_model quiet; /* what baselines are measured with */
	struct sim_model now;   /* the same cluster today, with a fault or without */
};

extern const char *const bed_subjects[BED_SUBJECTS];
const char *bed_bench(int i);

/* Between-run spread 1 %, correlations as given; loss 0: no fault, else subject loses that share
 * of its performance in bench. */
void bed_make(struct bed *b, uint64_t seed, double size_rho, double subject_rho, double loss,
              const char *subject, const char *bench);
void bed_free(struct bed *b);
/*
 * One run: every benchmark, size and subject. out: zeroed, or a run made before, whose figures are
 * then replaced (thousands of runs differ in nothing else). Drops its confirm rows.
 */
void bed_run(const struct sim_model *m, uint64_t run, struct summary *out);
/* A baseline of n runs, numbered from first; runs is room for them, as in bed_run. */
void bed_baseline(const struct sim_model *m, uint64_t first, int n, struct summary *runs,
                  struct baseline *out);
/* The interleaved rerun of one suspect against its control, into run's confirm rows. */
void bed_rerun(const struct sim_model *m, uint64_t number, const struct suspect *s,
               struct summary *run);

#endif

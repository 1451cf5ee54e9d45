/* A case of a benchmark, run by a rank that is alone. */
#ifndef HPCBENCH_TESTS_ONE_CASE_H
#define HPCBENCH_TESTS_ONE_CASE_H

#include "bench/core/run.h"

struct one_case {
	const struct bench_ops *ops; /* these two are the caller's */
	const void *opts;
	struct bench b;
	struct run_result result;
	struct rec_point p; /* its figures */
	struct hb_err err;
};

/* Begins with what is left of a case: ops and opts. one_case_end is due however it ends. */
int one_case_run(struct one_case *o, uint64_t bytes, const struct run_params *params);
void one_case_end(struct one_case *o);

#endif

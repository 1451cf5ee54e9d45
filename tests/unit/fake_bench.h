/*
 * Benchmarks whose times are known: what they do stands in struct fake, which the tests pass as the
 * options of a case. Self-timed ones push virtual times, so that results are exact.
 */
#ifndef HPCBENCH_TESTS_FAKE_BENCH_H
#define HPCBENCH_TESTS_FAKE_BENCH_H

#include "bench/core/run.h"

enum fake_kind {
	FAKE_NULL,     /* an iteration does next to nothing */
	FAKE_BUSY,     /* an iteration takes busy_ns at least */
	FAKE_PUSH,     /* self-timed: rank r pushes push_ns * (r + 1) */
	FAKE_PUSH_ODD, /* ... growing with every push, so that medians never agree */
	FAKE_FEW,      /* ... one push fewer than iterations */
	FAKE_MANY,     /* ... one more */
	FAKE_PUSH_BAD, /* ... not a number */
	FAKE_FAIL,     /* iterate fails on rank who */
	FAKE_SILENT,   /* rank who sleeps through the deadline, the others wait for it */
	FAKE_SLEEPY    /* sleeps busy_ns without looking at the deadline */
};

struct fake {
	char *sizes;
	enum fake_kind kind;
	double busy_ns, push_ns;
	int who;            /* the rank that misbehaves; -1: none */
	uint64_t bad;       /* elements that verify finds wrong on rank who */
	int prepare_status; /* what prepare returns on rank who */
};

/* shape and flags as the test needs them; the rest is filled in. */
struct fake_bench {
	struct bench_info info;
	struct bench_ops ops;
};
void fake_bench_init(struct fake_bench *f, enum bench_shape shape, unsigned flags);

/* One run of a case on n ranks as threads. */
struct fake_run {
	int n;
	enum direction dir;
	uint64_t bytes;
	struct run_params params;
	/* Results, a rank each; rank 0's figures are result[0]. */
	int rc[8];
	struct hb_err err[8];
	struct run_result result[8];
	int comm_broken[8];
	struct rec_point point; /* rank 0's, from run_metrics; where status is ok */
};
void fake_run(struct fake_run *r, const struct fake_bench *f, const struct fake *fake);
void fake_run_free(struct fake_run *r);

#endif

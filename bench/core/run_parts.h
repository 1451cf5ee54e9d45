/*
 * Between the files of the measuring loop: run.c leads a case from beginning to end, run_decide.c
 * decides what is measured next, run_block.c times one block. Nobody else includes this.
 */
#ifndef HPCBENCH_CORE_RUN_PARTS_H
#define HPCBENCH_CORE_RUN_PARTS_H

#include "bench/core/run.h"

/* Where SELF_TIMED benchmarks put their times; the others leave it alone. */
struct sink {
	double *v;           /* one value a sample: the mean of batch pushes */
	size_t n, want;      /* samples taken, samples wanted */
	uint64_t batch;      /* pushes in a sample */
	uint64_t in_batch;   /* pushes in the sample being taken */
	double sum;          /* of these */
	double inject;       /* factor; 1: none */
	const char *trouble; /* what was wrong with a push; NULL: nothing */
};

/* One block of one rank. */
struct block {
	double *v; /* ns an iteration, a value a sample; of this rank, where it is a timer */
	size_t cap;
	size_t n;       /* 0 at ranks whose time does not count */
	double wall_ns; /* all of it, with what lies between samples */
};

/*
 * Runs samples x batch iterations on this rank, all ranks of b->comm at once. timer is the rank
 * whose time counts, -1: every rank's. HB_E_DATA when the clock cannot be believed; any other
 * failure is the benchmark's own.
 */
int block_time(struct bench *b, int timer, uint64_t samples, uint64_t batch, double inject,
               struct block *out, struct hb_err *err);

enum stage { STAGE_PROBE, STAGE_WARM_UP, STAGE_MEASURE, STAGE_STOP };

/* What rank 0 tells the others before each block. */
struct plan {
	uint64_t stage, samples, batch;
	int64_t failed; /* a status: rank 0 found what makes going on useless */
};

struct run {
	struct bench *b;
	const struct run_params *params;
	struct run_result *out;
	int timer; /* the rank whose time counts; -1: the slowest of each sample */
	double inject, max_time_ns;
	struct block block;
	double *own; /* this rank's samples of the measured blocks, groups only */
	size_t n_own, cap_own;

	/* Of rank 0 alone. */
	enum stage stage;
	double clock_ns;          /* cost of a reading */
	double iter_ns, wall_ns;  /* of one iteration: as timed, and with what lies between */
	double last_median;       /* of the warm-up block before; 0: none */
	double warm_ns, timed_ns; /* spent so far */
	uint64_t batch, samples;  /* of the next blocks */
	uint64_t iterations;      /* measured */
	double *slow;             /* the block as it counts */
	size_t cap_slow, cap_samples, cap_medians;
};

/* What comes next. At rank 0. */
void run_next_plan(const struct run *r, struct plan *plan);
/*
 * Takes a block as it counts (plan->samples values, ns an iteration) and decides how to go on: sets
 * r->stage, and batch and length of the next block. At rank 0. HB_E_TIMEOUT after the deadline,
 * HB_E_DATA when the clock stood still.
 */
int run_judge(struct run *r, const struct plan *plan, const double *v, struct hb_err *err);

#endif

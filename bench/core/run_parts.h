/*
 * Between the files of the measuring loop: run.c decides what is measured next, run_block.c times
 * one block. Nobody else includes this.
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

#endif

/*
 * THE measuring loop. For one case of one unit, on every rank of its communicator:
 *
 *	prepare, warm-up until block medians agree (capped), then blocks:
 *	    synchronise, samples ...; stop when the interval of the block medians is within
 *	    precision, or at max_time, or at max_iters; all ranks agree outside the timed part;
 *	verify (untimed), summarise all raw samples.
 *
 * Samples are autocorrelated, so stopping looks at block medians only. Where one iteration takes
 * less than about 1 us, a sample is a batch of iterations and says so. Which ranks' time counts:
 * rank 0 for local and pair, the slowest rank of each sample for groups.
 */
#ifndef HPCBENCH_CORE_RUN_H
#define HPCBENCH_CORE_RUN_H

#include "bench/base/record.h"
#include "bench/core/bench.h"

struct run_params {
	double precision;   /* relative half interval of the block medians; 0.01 */
	double max_time_s;  /* of the timed blocks of one case */
	uint64_t max_iters; /* 0: no limit */
	double deadline_s;  /* of one case, everything in it; 0: none */
	bool verify;
	double inject; /* >= 1: every sample is stretched by busy waiting to this factor, at most 10
	                */
};
/* The defaults, each in one place. */
#define RUN_PARAMS_DEFAULT                                                                         \
	{                                                                                          \
		0.01, 2.0, 0, 60.0, true, 1.0                                                      \
	}

enum { RUN_SAMPLES_MAX = 1 << 20, RUN_SAMPLES_KEPT = 10000 };

struct run_result {
	enum unit_status status;
	uint64_t blocks, batch, warmup;
	enum ended_by ended;
	double spread;
	uint64_t verified, bad;
	double *samples; /* ns an iteration, in order, at rank 0; owned: run_result_free */
	size_t n_samples;
	double *block_medians; /* owned */
	/* Groups, at rank 0: each rank's own median; owned, nranks entries. Else NULL. */
	double *rank_p50;
	struct stat_summary time; /* of samples, ns an iteration */
};

/*
 * Measures the case that b stands on; setup must have been done. At ranks above 0 only status is
 * set. A timeout or failure fills err; partial figures are never returned as OK.
 */
int run_case(struct bench *b, const struct run_params *params, struct run_result *out,
             struct hb_err *err);
void run_result_free(struct run_result *r);

/* The metrics of a result as the record carries them: from time to lat, algbw, busbw ... */
void run_metrics(const struct bench *b, const struct run_result *r, struct rec_point *out);

#endif

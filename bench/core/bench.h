/*
 * How a benchmark is measured: one bench_ops row, bound to its bench_info row. Warm-up, stopping,
 * agreement, verification and recording are run.c's; a row only says what one iteration is.
 */
#ifndef HPCBENCH_CORE_BENCH_H
#define HPCBENCH_CORE_BENCH_H

#include <stdint.h>

#include "bench/base/info.h"
#include "bench/base/json.h"
#include "bench/base/stat.h"
#include "bench/core/comm.h"
#include "bench/core/fact_sink.h"
#include "bench/core/load.h"

struct sink;

enum direction { DIR_BOTH, DIR_AB, DIR_BA };

/* One unit being measured, as its callbacks see it. */
struct bench {
	const struct bench_ops *ops;
	const struct bench_info *info;
	const void *opts;   /* this case's, laid out by info->opts */
	uint64_t bytes;     /* this case's message size or working set */
	uint64_t max_bytes; /* the largest of the job's cases, for setup */
	struct comm *comm;  /* the ranks of this unit; rank 0 is a */
	int rank, nranks;
	enum direction dir;
	uint64_t seed;           /* data pattern */
	uint64_t deadline_ns;    /* absolute: polling loops must end with HB_E_TIMEOUT after it */
	void *state;             /* ops->state_size bytes, zeroed before setup */
	struct load_moved moved; /* what this rank sent and received so far; run.c counts */
};

/* What a rank of a job that tells facts has to go by; all borrowed. */
struct tell {
	json_object *msg;     /* the job's message (harness/README.md); NULL: started by hand */
	const int *ranks;     /* of the world, in the job's order */
	int n_ranks, me;      /* this rank is ranks[me] */
	const char *endpoint; /* the node, as it calls itself */
	int listener;         /* listens on the port of this rank's hello; -1: no port was told */
	uint64_t deadline_ns; /* absolute; 0: none */
	const struct fact_sink *sink;
};

struct bench_ops {
	const struct bench_info *info;
	size_t state_size;
	/* Can it run here? HB_E_UNSUPPORTED with a reason skips, HB_E_USAGE refuses. May be NULL.
	 */
	int (*probe)(const struct bench *b, struct hb_err *err);
	/* Buffers and connections for the largest case (b->max_bytes). */
	int (*setup)(struct bench *b, struct hb_err *err);
	/* Once a case, untimed: datatype, patterns, batch. May be NULL. */
	int (*prepare)(struct bench *b, struct hb_err *err);
	/*
	 * n iterations; the only timed call. Without BENCH_SELF_TIMED it must do nothing but the
	 * operation; with it, it pushes each iteration's time with sink_push.
	 */
	int (*iterate)(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err);
	/*
	 * Untimed, after the blocks: does the operation once with checked data and counts elements.
	 * Every rank of the unit calls it; run.c adds the ranks' counts up.
	 */
	int (*verify)(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err);
	/* Bytes of one iteration as algbw defines them; NULL: no bandwidth metric. */
	double (*bytes_moved)(const struct bench *b);
	/* What rate_per_s counts, of one iteration; NULL: messages. */
	double (*operations)(const struct bench *b);
	/*
	 * A metric that the time of iterations does not give, from what was seen since prepare:
	 * false leaves it to run.c. May be NULL.
	 */
	bool (*figure)(const struct bench *b, const struct metric_info *m,
	               struct stat_summary *out);
	/*
	 * What parts of a node (cores, NUMA nodes) show each, for the record: {of, p50 (quantiles
	 * 0, 1/4 .. 1 over the parts' median times in ns), latest (the 16 slowest, by their
	 * numbers)}. The caller's; NULL, or returns NULL: it has none.
	 */
	json_object *(*parts)(const struct bench *b);
	/* Also after a failed setup. May be NULL. */
	void (*teardown)(struct bench *b);
	/*
	 * BENCH_TELLS: all there is to it, nothing else is called. Every rank of the job tells what
	 * it finds, by itself: no communicator is made.
	 */
	int (*tell)(const struct tell *t, struct hb_err *err);
};

/* SELF_TIMED: one iteration's time in ns, for the block in progress. */
void sink_push(struct sink *s, double ns);

#endif

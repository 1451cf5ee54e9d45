/* A step that is scheduled without any process. */
#ifndef HPCBENCH_TESTS_SCHEDULE_WORLD_H
#define HPCBENCH_TESTS_SCHEDULE_WORLD_H

#include "harness/launch/schedule.h"

enum { RANKS = 6, JOBS_MAX = 64 };

/* A step built by hand: what schedule reads of it and nothing else. */
struct world {
	struct plan_step step;
	struct plan_job jobs[JOBS_MAX];
	int ranks[JOBS_MAX][RANKS];
	struct sched s;
};

/* Three rounds of the circle over six ranks. */
struct world *world_new(void);
void world_free(struct world *w);
/* A pair of the next number; b < 0: rank a alone. Before world_begin. */
struct plan_job *world_add(struct world *w, size_t entry, int64_t round, int a, int b);
/* All ranks, alone. */
struct plan_job *world_add_group(struct world *w, size_t entry);
/* All ranks join. */
void world_begin(struct world *w, int max_pairs);
/* All ranks of job j are done. */
void world_finish(struct world *w, size_t j);
/* Starts what may start now; out has room for JOBS_MAX. Returns how many. */
size_t world_start(struct world *w, size_t *out);

#endif

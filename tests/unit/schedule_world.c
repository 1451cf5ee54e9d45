#include "schedule_world.h"

#include <stdlib.h>

#include "bench/base/mem.h"

struct plan_job *world_add(struct world *w, size_t entry, int64_t round, int a, int b)
{
	size_t i = w->step.n_jobs++;
	struct plan_job *j = &w->jobs[i];

	j->id = 100 + i;
	j->entry = entry;
	j->round = round;
	j->ranks = w->ranks[i];
	j->ranks[0] = a;
	j->ranks[1] = b;
	j->n_ranks = b < 0 ? 1 : 2;
	j->dir = b < 0 ? NULL : "both";
	return j;
}

struct plan_job *world_add_group(struct world *w, size_t entry)
{
	struct plan_job *j = world_add(w, entry, -1, 0, 1);

	for (int r = 0; r < RANKS; r++)
		j->ranks[r] = r;
	j->n_ranks = RANKS;
	j->dir = NULL;
	j->alone = true;
	return j;
}

struct world *world_new(void)
{
	static const int rounds[3][3][2] = { { { 0, 1 }, { 2, 3 }, { 4, 5 } },
		                             { { 0, 2 }, { 1, 4 }, { 3, 5 } },
		                             { { 0, 3 }, { 1, 5 }, { 2, 4 } } };
	struct world *w = hb_alloc(sizeof *w);

	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int r = 0; r < 3; r++)
		for (int k = 0; k < 3; k++)
			world_add(w, 0, r, rounds[r][k][0], rounds[r][k][1]);
	return w;
}

void world_begin(struct world *w, int max_pairs)
{
	sched_init(&w->s, &w->step, max_pairs);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
}

void world_free(struct world *w)
{
	sched_free(&w->s);
	free(w);
}

void world_finish(struct world *w, size_t j)
{
	for (int i = 0; i < w->jobs[j].n_ranks; i++)
		sched_rank_done(&w->s, w->jobs[j].ranks[i], w->jobs[j].id);
}

size_t world_start(struct world *w, size_t *out)
{
	size_t n = sched_next(&w->s, out, JOBS_MAX);

	for (size_t i = 0; i < n; i++)
		sched_started(&w->s, out[i]);
	return n;
}

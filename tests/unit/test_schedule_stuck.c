/* What hangs and whom that costs, without any process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "schedule_world.h"

/* A group over three nodes of two ranks each, of which these do not answer. */
static void expire_group(struct world *w, size_t j, const char *silent, int *late)
{
	static size_t node[RANKS] = { 0, 0, 1, 1, 2, 2 };
	int n = 0;

	w->step.rank_node = node;
	world_begin(w, 0);
	sched_started(&w->s, j);
	for (int r = 0; r < RANKS; r++) {
		if (silent[r] == 'x')
			n++;
		else
			sched_rank_done(&w->s, r, w->jobs[j].id);
	}
	assert_int_equal(sched_expired(&w->s, j, late), n);
	assert_int_equal(w->s.job[j], JOB_GIVEN_UP);
}

static void of_a_group_that_hangs_nobody_is_lost_unless_it_is_one_node(void **state)
{
	static const struct {
		const char *silent;
		enum sched_rank as;
	} cases[] = {
		{ "x.....", RANK_LOST },  { "xx....", RANK_LOST },  { ".x....", RANK_LOST },
		{ "x.x...", RANK_STUCK }, { "xxx...", RANK_STUCK }, { "xxxx..", RANK_STUCK },
		{ "xxxxx.", RANK_STUCK }, { "xxxxxx", RANK_STUCK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world *w = world_new();
		size_t j = w->step.n_jobs;
		int late[RANKS];

		world_add_group(w, 1);
		expire_group(w, j, cases[i].silent, late);
		for (int r = 0; r < RANKS; r++)
			assert_int_equal(w->s.rank[r],
			                 cases[i].silent[r] == 'x' ? cases[i].as : RANK_HERE);
		world_free(w);
	}
}

static void who_is_stuck_gets_no_job_until_the_next_start_brings_it_back(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], j = w->step.n_jobs;
	int late[RANKS];

	(void)state;
	world_add_group(w, 1);
	expire_group(w, j, "x.x...", late);
	/* 0-1 and 2-3 wait for one each, of round two 1-4 and 3-5 need neither. */
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 1);
	assert_int_equal(jobs[0], 2);
	world_start(w, jobs);
	world_finish(w, 2);
	/* What it says meanwhile, and that it goes, changes nothing. */
	assert_false(sched_rank_done(&w->s, 0, w->jobs[j].id));
	assert_int_equal(sched_gone(&w->s, 0), SIZE_MAX);
	assert_true(sched_worth_relaunch(&w->s));
	for (int r = 0; r < RANKS; r++)
		sched_gone(&w->s, r);
	sched_relaunch(&w->s);
	for (int r = 0; r < RANKS; r++) {
		assert_int_equal(w->s.rank[r], RANK_ABSENT);
		sched_joined(&w->s, r);
	}
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 2);
	/* The group itself is not tried again. */
	assert_int_equal(w->s.job[j], JOB_GIVEN_UP);
	world_free(w);
}

static void a_pair_within_one_node_that_hangs_may_come_back(void **state)
{
	static size_t node[RANKS] = { 0, 0, 1, 1, 2, 2 };
	struct world *w = world_new();
	int late[RANKS];

	(void)state;
	w->step.rank_node = node;
	world_begin(w, 0);
	sched_started(&w->s, 0);
	assert_int_equal(sched_expired(&w->s, 0, late), 2);
	assert_int_equal(w->s.rank[0], RANK_STUCK);
	assert_int_equal(w->s.rank[1], RANK_STUCK);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_group_that_hangs_nobody_is_lost_unless_it_is_one_node),
		cmocka_unit_test(who_is_stuck_gets_no_job_until_the_next_start_brings_it_back),
		cmocka_unit_test(a_pair_within_one_node_that_hangs_may_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

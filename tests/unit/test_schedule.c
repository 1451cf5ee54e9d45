/* Which job runs next, without any process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "schedule_world.h"

static void assert_disjoint(const struct world *w, const size_t *jobs, size_t n)
{
	int used[RANKS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < w->jobs[jobs[i]].n_ranks; k++)
			assert_int_equal(used[w->jobs[jobs[i]].ranks[k]]++, 0);
}

static void a_round_runs_at_once_on_disjoint_ranks(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	assert_int_equal(world_start(w, jobs), 3);
	assert_disjoint(w, jobs, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->jobs[jobs[i]].round, 0);
	world_free(w);
}

static void the_next_round_waits_for_the_whole_round_before(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	world_finish(w, jobs[0]);
	world_finish(w, jobs[1]);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	world_finish(w, jobs[2]);
	assert_int_equal(world_start(w, more), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->jobs[more[i]].round, 1);
	world_free(w);
}

static void every_job_runs_once_and_in_the_order_of_rounds(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], ran = 0;
	int64_t round = 0;

	(void)state;
	world_begin(w, 0);
	while (!sched_finished(&w->s)) {
		size_t n = world_start(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++) {
			assert_true(w->jobs[jobs[i]].round >= round);
			round = w->jobs[jobs[i]].round;
			world_finish(w, jobs[i]);
		}
		ran += n;
	}
	assert_int_equal(ran, w->step.n_jobs);
	for (size_t j = 0; j < w->step.n_jobs; j++)
		assert_int_equal(w->s.job[j], JOB_DONE);
	world_free(w);
}

static void no_more_pairs_run_than_allowed(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	world_begin(w, 2);
	assert_int_equal(world_start(w, jobs), 2);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	world_finish(w, jobs[0]);
	assert_int_equal(world_start(w, more), 1);
	assert_int_equal(w->jobs[more[0]].round, 0);
	world_free(w);
}

static void a_job_that_must_be_alone_is(void **state)
{
	struct world *w = hb_alloc(sizeof *w);
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	world_add(w, 0, -1, 0, -1);
	world_add(w, 0, -1, 1, -1)->alone = true;
	world_add(w, 0, -1, 2, -1);
	world_begin(w, 0);
	assert_int_equal(world_start(w, jobs), 2);
	assert_int_equal(jobs[0], 0);
	assert_int_equal(jobs[1], 2);
	world_finish(w, 0);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	world_finish(w, 2);
	assert_int_equal(world_start(w, more), 1);
	assert_int_equal(more[0], 1);
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 0);
	world_free(w);
}

static void a_job_ends_when_all_of_its_ranks_are_done(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	assert_false(sched_rank_done(&w->s, 0, 100));
	assert_false(sched_rank_done(&w->s, 2, 100)); /* not in that job */
	assert_false(sched_rank_done(&w->s, 0, 100)); /* twice */
	assert_true(sched_rank_done(&w->s, 1, 100));
	world_free(w);
}

static void a_lost_rank_costs_its_own_pairs_only(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], done = 0;

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	assert_int_equal(sched_lost(&w->s, 3), 1);
	assert_int_equal(w->s.job[1], JOB_GIVEN_UP);
	assert_int_equal(w->s.lost_by[1], 3);
	/* Its partner reports and is free again. */
	assert_false(sched_rank_done(&w->s, 2, w->jobs[1].id));
	world_finish(w, 0);
	world_finish(w, 2);
	while (!sched_finished(&w->s)) {
		size_t n = world_start(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			world_finish(w, jobs[i]);
	}
	sched_close(&w->s);
	for (size_t j = 0; j < w->step.n_jobs; j++) {
		int has3 = w->jobs[j].ranks[0] == 3 || w->jobs[j].ranks[1] == 3;
		assert_int_equal(w->s.job[j], has3 ? JOB_GIVEN_UP : JOB_DONE);
		done += w->s.job[j] == JOB_DONE;
	}
	assert_int_equal(done, 6);
	world_free(w);
}

static void an_expired_job_loses_only_the_ranks_that_did_not_answer(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];
	int late[RANKS];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	sched_rank_done(&w->s, 1, 100);
	assert_int_equal(sched_expired(&w->s, 0, late), 1);
	assert_int_equal(late[0], 0);
	assert_int_equal(w->s.rank[0], RANK_LOST);
	assert_int_equal(w->s.rank[1], RANK_HERE);
	assert_int_equal(w->s.job[0], JOB_GIVEN_UP);
	world_free(w);
}

static void absent_ranks_are_waited_for_until_they_are_lost(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	sched_init(&w->s, &w->step, 0);
	for (int r = 1; r < RANKS; r++)
		sched_joined(&w->s, r);
	assert_false(sched_finished(&w->s));
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 2);
	sched_lost(&w->s, 0);
	assert_int_equal(world_start(w, jobs), 2);
	world_finish(w, jobs[0]);
	world_finish(w, jobs[1]);
	assert_int_equal(world_start(w, jobs), 2); /* the second round without rank 0 */
	world_free(w);
}

static void after_a_relaunch_what_was_cut_runs_last_and_alone(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	assert_int_equal(sched_gone(&w->s, 4), 2);
	assert_int_equal(w->s.lost_by[2], 4);
	sched_give_up(&w->s, 2, 4);
	for (int r = 0; r < RANKS; r++)
		if (r != 4)
			sched_gone(&w->s, r);
	assert_int_equal(w->s.job[2], JOB_GIVEN_UP);
	assert_int_equal(w->s.job[0], JOB_CUT);
	assert_int_equal(w->s.job[1], JOB_CUT);
	assert_true(sched_worth_relaunch(&w->s));
	sched_relaunch(&w->s);
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 0);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
	for (int round = 1; round < 3; round++) {
		assert_int_equal(world_start(w, jobs), 3);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(w->jobs[jobs[i]].round, round);
			world_finish(w, jobs[i]);
		}
	}
	for (size_t j = 0; j < 2; j++) {
		assert_int_equal(world_start(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		world_finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	world_free(w);
}

static void a_silent_rank_stays_lost_over_a_relaunch(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	sched_lost(&w->s, 0);
	for (int r = 0; r < RANKS; r++)
		sched_gone(&w->s, r);
	sched_relaunch(&w->s);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
	assert_int_equal(w->s.rank[0], RANK_LOST);
	while (!sched_finished(&w->s)) {
		size_t n = world_start(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++) {
			assert_int_not_equal(w->jobs[jobs[i]].ranks[0], 0);
			world_finish(w, jobs[i]);
		}
	}
	world_free(w);
}

static void nothing_is_relaunched_when_nothing_is_left(void **state)
{
	struct world *w = world_new();

	(void)state;
	world_begin(w, 0);
	for (int r = 0; r < RANKS; r++)
		sched_lost(&w->s, r);
	assert_true(sched_finished(&w->s));
	assert_false(sched_worth_relaunch(&w->s));
	world_free(w);
}

static void repeats_of_a_confirmation_alternate(void **state)
{
	struct world *w = hb_alloc(sizeof *w);
	size_t jobs[JOBS_MAX];

	(void)state;
	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int k = 0; k < 3; k++) {
		struct plan_job *a = world_add(w, 0, -1, 0, 1), *b = world_add(w, 0, -1, 2, 3);
		a->phase = PHASE_CONFIRM;
		b->phase = PHASE_CONTROL;
		a->repeat = b->repeat = k;
	}
	world_begin(w, 0);
	for (size_t j = 0; j < 6; j++) {
		assert_int_equal(world_start(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		world_finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	world_free(w);
}

static void a_group_takes_every_rank_and_follows_the_pairs(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX], n;

	(void)state;
	world_add_group(w, 1);
	world_begin(w, 0);
	for (int r = 0; r < 3; r++) {
		n = world_start(w, jobs);
		assert_int_equal(n, 3);
		for (size_t i = 0; i < n; i++)
			world_finish(w, jobs[i]);
	}
	assert_int_equal(world_start(w, jobs), 1);
	assert_int_equal(w->jobs[jobs[0]].n_ranks, RANKS);
	world_free(w);
}

/* Two groups of three ranks that may run at once, then all. */
static struct world *new_groups(void)
{
	struct world *w = hb_alloc(sizeof *w);

	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int g = 0; g < 2; g++) {
		struct plan_job *j = world_add(w, 0, 0, 3 * g, 3 * g + 1);
		j->ranks[2] = 3 * g + 2;
		j->n_ranks = 3;
		j->dir = NULL;
	}
	world_add_group(w, 0);
	return w;
}

static void groups_of_one_size_run_at_once_and_the_whole_set_after_them(void **state)
{
	struct world *w = new_groups();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	assert_int_equal(world_start(w, jobs), 2);
	assert_disjoint(w, jobs, 2);
	world_finish(w, 0);
	assert_int_equal(world_start(w, jobs), 0);
	world_finish(w, 1);
	assert_int_equal(world_start(w, jobs), 1);
	assert_int_equal(jobs[0], 2);
	world_free(w);
}

static void the_limit_on_pairs_holds_for_groups_too(void **state)
{
	struct world *w = new_groups();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 1);
	for (size_t j = 0; j < 3; j++) {
		assert_int_equal(world_start(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		world_finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	world_free(w);
}

static void a_job_that_is_repeated_runs_when_its_group_has_ended(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 2);
	assert_int_equal(world_start(w, jobs), 2);
	world_finish(w, 0);
	sched_repeat(&w->s, 0);
	assert_int_equal(world_start(w, jobs), 1); /* the rest of the round goes first */
	assert_int_equal(jobs[0], 2);
	world_finish(w, 2);
	sched_repeat(&w->s, 2);
	assert_int_equal(world_start(w, jobs), 0);
	assert_false(sched_finished(&w->s));
	world_finish(w, 1);
	assert_int_equal(world_start(w, jobs), 2);
	assert_int_equal(jobs[0], 0);
	assert_int_equal(jobs[1], 2);
	world_finish(w, 0);
	assert_int_equal(world_start(w, jobs), 0); /* the next round waits for it */
	world_finish(w, 2);
	assert_int_equal(world_start(w, jobs), 2);
	assert_int_equal(w->jobs[jobs[0]].round, 1);
	world_free(w);
}

static void a_repeated_job_whose_rank_is_lost_keeps_nobody_waiting(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	for (size_t j = 0; j < 3; j++)
		world_finish(w, j);
	sched_repeat(&w->s, 1);
	sched_lost(&w->s, 2);
	assert_true(world_start(w, jobs) > 0);
	assert_int_equal(w->jobs[jobs[0]].round, 1);
	sched_close(&w->s);
	assert_int_equal(w->s.job[1], JOB_GIVEN_UP);
	world_free(w);
}

static void a_repeated_job_is_worth_a_relaunch_and_runs_once_after_it(void **state)
{
	struct world *w = world_new();
	size_t jobs[JOBS_MAX];
	int runs[JOBS_MAX] = { 0 };

	(void)state;
	world_begin(w, 0);
	world_start(w, jobs);
	for (size_t j = 0; j < 3; j++)
		world_finish(w, j);
	sched_repeat(&w->s, 1);
	world_start(w, jobs);
	sched_gone(&w->s, 2);
	assert_int_equal(w->s.job[1], JOB_CUT);
	assert_true(sched_worth_relaunch(&w->s));
	sched_relaunch(&w->s);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
	for (size_t n; (n = world_start(w, jobs)) > 0;) {
		for (size_t i = 0; i < n; i++) {
			runs[jobs[i]]++;
			world_finish(w, jobs[i]);
		}
	}
	assert_true(sched_finished(&w->s));
	assert_int_equal(runs[0], 0);
	assert_int_equal(runs[1], 1);
	assert_int_equal(runs[8], 1);
	world_free(w);
}

static void what_is_over_is_not_looked_at_again(void **state)
{
	struct world *w = world_new();
	size_t next[JOBS_MAX], n;

	(void)state;
	world_begin(w, 0);
	n = sched_next(&w->s, next, JOBS_MAX);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++)
		sched_started(&w->s, next[i]);
	assert_int_equal(w->s.started, 3);
	sched_rank_done(&w->s, 2, 101);
	assert_true(sched_rank_done(&w->s, 3, 101));
	assert_int_equal(w->s.first, 0);
	sched_rank_done(&w->s, 0, 100);
	assert_true(sched_rank_done(&w->s, 1, 100));
	assert_int_equal(w->s.first, 2);
	/* Rank 4 is lost: its pairs of all rounds are over, and so is the first one of round 3. */
	assert_int_equal(sched_lost(&w->s, 4), 2);
	assert_int_equal(w->s.first, 3);
	sched_repeat(&w->s, 1);
	assert_int_equal(w->s.first, 1);
	assert_int_equal(sched_next(&w->s, next, JOBS_MAX), 1);
	assert_int_equal(next[0], 1);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_over_is_not_looked_at_again),
		cmocka_unit_test(a_round_runs_at_once_on_disjoint_ranks),
		cmocka_unit_test(the_next_round_waits_for_the_whole_round_before),
		cmocka_unit_test(every_job_runs_once_and_in_the_order_of_rounds),
		cmocka_unit_test(no_more_pairs_run_than_allowed),
		cmocka_unit_test(a_job_that_must_be_alone_is),
		cmocka_unit_test(a_job_ends_when_all_of_its_ranks_are_done),
		cmocka_unit_test(a_lost_rank_costs_its_own_pairs_only),
		cmocka_unit_test(an_expired_job_loses_only_the_ranks_that_did_not_answer),
		cmocka_unit_test(absent_ranks_are_waited_for_until_they_are_lost),
		cmocka_unit_test(after_a_relaunch_what_was_cut_runs_last_and_alone),
		cmocka_unit_test(a_silent_rank_stays_lost_over_a_relaunch),
		cmocka_unit_test(nothing_is_relaunched_when_nothing_is_left),
		cmocka_unit_test(repeats_of_a_confirmation_alternate),
		cmocka_unit_test(a_group_takes_every_rank_and_follows_the_pairs),
		cmocka_unit_test(groups_of_one_size_run_at_once_and_the_whole_set_after_them),
		cmocka_unit_test(the_limit_on_pairs_holds_for_groups_too),
		cmocka_unit_test(a_job_that_is_repeated_runs_when_its_group_has_ended),
		cmocka_unit_test(a_repeated_job_whose_rank_is_lost_keeps_nobody_waiting),
		cmocka_unit_test(a_repeated_job_is_worth_a_relaunch_and_runs_once_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

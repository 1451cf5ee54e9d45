/* Which job runs next, without any process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "harness/launch/schedule.h"

enum { RANKS = 6, JOBS_MAX = 64 };

/* A step built by hand: what schedule reads of it and nothing else. */
struct world {
	struct plan_step step;
	struct plan_job jobs[JOBS_MAX];
	int ranks[JOBS_MAX][RANKS];
	struct sched s;
};

static struct plan_job *add(struct world *w, size_t entry, int64_t round, int a, int b)
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

static struct plan_job *add_group(struct world *w, size_t entry)
{
	struct plan_job *j = add(w, entry, -1, 0, 1);

	for (int r = 0; r < RANKS; r++)
		j->ranks[r] = r;
	j->n_ranks = RANKS;
	j->dir = NULL;
	j->alone = true;
	return j;
}

/* Three rounds of the circle over six ranks. */
static struct world *new_world(void)
{
	static const int rounds[3][3][2] = { { { 0, 1 }, { 2, 3 }, { 4, 5 } },
		                             { { 0, 2 }, { 1, 4 }, { 3, 5 } },
		                             { { 0, 3 }, { 1, 5 }, { 2, 4 } } };
	struct world *w = hb_alloc(sizeof *w);

	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int r = 0; r < 3; r++)
		for (int k = 0; k < 3; k++)
			add(w, 0, r, rounds[r][k][0], rounds[r][k][1]);
	return w;
}

static void begin(struct world *w, int max_pairs)
{
	sched_init(&w->s, &w->step, max_pairs);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
}

static void end(struct world *w)
{
	sched_free(&w->s);
	free(w);
}

static void finish(struct world *w, size_t j)
{
	for (int i = 0; i < w->jobs[j].n_ranks; i++)
		sched_rank_done(&w->s, w->jobs[j].ranks[i], w->jobs[j].id);
}

static void assert_disjoint(const struct world *w, const size_t *jobs, size_t n)
{
	int used[RANKS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < w->jobs[jobs[i]].n_ranks; k++)
			assert_int_equal(used[w->jobs[jobs[i]].ranks[k]]++, 0);
}

static size_t start_all(struct world *w, size_t *out)
{
	size_t n = sched_next(&w->s, out, JOBS_MAX);

	for (size_t i = 0; i < n; i++)
		sched_started(&w->s, out[i]);
	return n;
}

static void a_round_runs_at_once_on_disjoint_ranks(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	assert_int_equal(start_all(w, jobs), 3);
	assert_disjoint(w, jobs, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->jobs[jobs[i]].round, 0);
	end(w);
}

static void the_next_round_waits_for_the_whole_round_before(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	finish(w, jobs[0]);
	finish(w, jobs[1]);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	finish(w, jobs[2]);
	assert_int_equal(start_all(w, more), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->jobs[more[i]].round, 1);
	end(w);
}

static void every_job_runs_once_and_in_the_order_of_rounds(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], ran = 0;
	int64_t round = 0;

	(void)state;
	begin(w, 0);
	while (!sched_finished(&w->s)) {
		size_t n = start_all(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++) {
			assert_true(w->jobs[jobs[i]].round >= round);
			round = w->jobs[jobs[i]].round;
			finish(w, jobs[i]);
		}
		ran += n;
	}
	assert_int_equal(ran, w->step.n_jobs);
	for (size_t j = 0; j < w->step.n_jobs; j++)
		assert_int_equal(w->s.job[j], JOB_DONE);
	end(w);
}

static void no_more_pairs_run_than_allowed(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	begin(w, 2);
	assert_int_equal(start_all(w, jobs), 2);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	finish(w, jobs[0]);
	assert_int_equal(start_all(w, more), 1);
	assert_int_equal(w->jobs[more[0]].round, 0);
	end(w);
}

static void a_job_that_must_be_alone_is(void **state)
{
	struct world *w = hb_alloc(sizeof *w);
	size_t jobs[JOBS_MAX], more[JOBS_MAX];

	(void)state;
	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	add(w, 0, -1, 0, -1);
	add(w, 0, -1, 1, -1)->alone = true;
	add(w, 0, -1, 2, -1);
	begin(w, 0);
	assert_int_equal(start_all(w, jobs), 2);
	assert_int_equal(jobs[0], 0);
	assert_int_equal(jobs[1], 2);
	finish(w, 0);
	assert_int_equal(sched_next(&w->s, more, JOBS_MAX), 0);
	finish(w, 2);
	assert_int_equal(start_all(w, more), 1);
	assert_int_equal(more[0], 1);
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 0);
	end(w);
}

static void a_job_ends_when_all_of_its_ranks_are_done(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	assert_false(sched_rank_done(&w->s, 0, 100));
	assert_false(sched_rank_done(&w->s, 2, 100)); /* not in that job */
	assert_false(sched_rank_done(&w->s, 0, 100)); /* twice */
	assert_true(sched_rank_done(&w->s, 1, 100));
	end(w);
}

static void a_lost_rank_costs_its_own_pairs_only(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], done = 0;

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	assert_int_equal(sched_lost(&w->s, 3), 1);
	assert_int_equal(w->s.job[1], JOB_GIVEN_UP);
	assert_int_equal(w->s.lost_by[1], 3);
	/* Its partner reports and is free again. */
	assert_false(sched_rank_done(&w->s, 2, w->jobs[1].id));
	finish(w, 0);
	finish(w, 2);
	while (!sched_finished(&w->s)) {
		size_t n = start_all(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			finish(w, jobs[i]);
	}
	sched_close(&w->s);
	for (size_t j = 0; j < w->step.n_jobs; j++) {
		int has3 = w->jobs[j].ranks[0] == 3 || w->jobs[j].ranks[1] == 3;
		assert_int_equal(w->s.job[j], has3 ? JOB_GIVEN_UP : JOB_DONE);
		done += w->s.job[j] == JOB_DONE;
	}
	assert_int_equal(done, 6);
	end(w);
}

static void an_expired_job_loses_only_the_ranks_that_did_not_answer(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];
	int late[RANKS];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	sched_rank_done(&w->s, 1, 100);
	assert_int_equal(sched_expired(&w->s, 0, late), 1);
	assert_int_equal(late[0], 0);
	assert_int_equal(w->s.rank[0], RANK_LOST);
	assert_int_equal(w->s.rank[1], RANK_HERE);
	assert_int_equal(w->s.job[0], JOB_GIVEN_UP);
	end(w);
}

static void absent_ranks_are_waited_for_until_they_are_lost(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	sched_init(&w->s, &w->step, 0);
	for (int r = 1; r < RANKS; r++)
		sched_joined(&w->s, r);
	assert_false(sched_finished(&w->s));
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 2);
	sched_lost(&w->s, 0);
	assert_int_equal(start_all(w, jobs), 2);
	finish(w, jobs[0]);
	finish(w, jobs[1]);
	assert_int_equal(start_all(w, jobs), 2); /* the second round without rank 0 */
	end(w);
}

static void after_a_relaunch_what_was_cut_runs_last_and_alone(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
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
		assert_int_equal(start_all(w, jobs), 3);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(w->jobs[jobs[i]].round, round);
			finish(w, jobs[i]);
		}
	}
	for (size_t j = 0; j < 2; j++) {
		assert_int_equal(start_all(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	end(w);
}

static void a_silent_rank_stays_lost_over_a_relaunch(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	sched_lost(&w->s, 0);
	for (int r = 0; r < RANKS; r++)
		sched_gone(&w->s, r);
	sched_relaunch(&w->s);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
	assert_int_equal(w->s.rank[0], RANK_LOST);
	while (!sched_finished(&w->s)) {
		size_t n = start_all(w, jobs);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++) {
			assert_int_not_equal(w->jobs[jobs[i]].ranks[0], 0);
			finish(w, jobs[i]);
		}
	}
	end(w);
}

static void nothing_is_relaunched_when_nothing_is_left(void **state)
{
	struct world *w = new_world();

	(void)state;
	begin(w, 0);
	for (int r = 0; r < RANKS; r++)
		sched_lost(&w->s, r);
	assert_true(sched_finished(&w->s));
	assert_false(sched_worth_relaunch(&w->s));
	end(w);
}

static void repeats_of_a_confirmation_alternate(void **state)
{
	struct world *w = hb_alloc(sizeof *w);
	size_t jobs[JOBS_MAX];

	(void)state;
	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int k = 0; k < 3; k++) {
		struct plan_job *a = add(w, 0, -1, 0, 1), *b = add(w, 0, -1, 2, 3);
		a->phase = PHASE_CONFIRM;
		b->phase = PHASE_CONTROL;
		a->repeat = b->repeat = k;
	}
	begin(w, 0);
	for (size_t j = 0; j < 6; j++) {
		assert_int_equal(start_all(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	end(w);
}

static void a_group_takes_every_rank_and_follows_the_pairs(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], n;

	(void)state;
	add_group(w, 1);
	begin(w, 0);
	for (int r = 0; r < 3; r++) {
		n = start_all(w, jobs);
		assert_int_equal(n, 3);
		for (size_t i = 0; i < n; i++)
			finish(w, jobs[i]);
	}
	assert_int_equal(start_all(w, jobs), 1);
	assert_int_equal(w->jobs[jobs[0]].n_ranks, RANKS);
	end(w);
}

/* Two groups of three ranks that may run at once, then all. */
static struct world *new_groups(void)
{
	struct world *w = hb_alloc(sizeof *w);

	w->step.jobs = w->jobs;
	w->step.n_ranks = RANKS;
	for (int g = 0; g < 2; g++) {
		struct plan_job *j = add(w, 0, 0, 3 * g, 3 * g + 1);
		j->ranks[2] = 3 * g + 2;
		j->n_ranks = 3;
		j->dir = NULL;
	}
	add_group(w, 0);
	return w;
}

static void groups_of_one_size_run_at_once_and_the_whole_set_after_them(void **state)
{
	struct world *w = new_groups();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	assert_int_equal(start_all(w, jobs), 2);
	assert_disjoint(w, jobs, 2);
	finish(w, 0);
	assert_int_equal(start_all(w, jobs), 0);
	finish(w, 1);
	assert_int_equal(start_all(w, jobs), 1);
	assert_int_equal(jobs[0], 2);
	end(w);
}

static void the_limit_on_pairs_holds_for_groups_too(void **state)
{
	struct world *w = new_groups();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 1);
	for (size_t j = 0; j < 3; j++) {
		assert_int_equal(start_all(w, jobs), 1);
		assert_int_equal(jobs[0], j);
		finish(w, j);
	}
	assert_true(sched_finished(&w->s));
	end(w);
}

static void a_job_that_is_repeated_runs_when_its_group_has_ended(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 2);
	assert_int_equal(start_all(w, jobs), 2);
	finish(w, 0);
	sched_repeat(&w->s, 0);
	assert_int_equal(start_all(w, jobs), 1); /* the rest of the round goes first */
	assert_int_equal(jobs[0], 2);
	finish(w, 2);
	sched_repeat(&w->s, 2);
	assert_int_equal(start_all(w, jobs), 0);
	assert_false(sched_finished(&w->s));
	finish(w, 1);
	assert_int_equal(start_all(w, jobs), 2);
	assert_int_equal(jobs[0], 0);
	assert_int_equal(jobs[1], 2);
	finish(w, 0);
	assert_int_equal(start_all(w, jobs), 0); /* the next round waits for it */
	finish(w, 2);
	assert_int_equal(start_all(w, jobs), 2);
	assert_int_equal(w->jobs[jobs[0]].round, 1);
	end(w);
}

static void a_repeated_job_whose_rank_is_lost_keeps_nobody_waiting(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	for (size_t j = 0; j < 3; j++)
		finish(w, j);
	sched_repeat(&w->s, 1);
	sched_lost(&w->s, 2);
	assert_true(start_all(w, jobs) > 0);
	assert_int_equal(w->jobs[jobs[0]].round, 1);
	sched_close(&w->s);
	assert_int_equal(w->s.job[1], JOB_GIVEN_UP);
	end(w);
}

static void a_repeated_job_is_worth_a_relaunch_and_runs_once_after_it(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX];
	int runs[JOBS_MAX] = { 0 };

	(void)state;
	begin(w, 0);
	start_all(w, jobs);
	for (size_t j = 0; j < 3; j++)
		finish(w, j);
	sched_repeat(&w->s, 1);
	start_all(w, jobs);
	sched_gone(&w->s, 2);
	assert_int_equal(w->s.job[1], JOB_CUT);
	assert_true(sched_worth_relaunch(&w->s));
	sched_relaunch(&w->s);
	for (int r = 0; r < RANKS; r++)
		sched_joined(&w->s, r);
	for (size_t n; (n = start_all(w, jobs)) > 0;) {
		for (size_t i = 0; i < n; i++) {
			runs[jobs[i]]++;
			finish(w, jobs[i]);
		}
	}
	assert_true(sched_finished(&w->s));
	assert_int_equal(runs[0], 0);
	assert_int_equal(runs[1], 1);
	assert_int_equal(runs[8], 1);
	end(w);
}

static void what_is_over_is_not_looked_at_again(void **state)
{
	struct world *w = new_world();
	size_t next[JOBS_MAX], n;

	(void)state;
	begin(w, 0);
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
	end(w);
}

/* A group over three nodes of two ranks each, of which these do not answer. */
static void expire_group(struct world *w, size_t j, const char *silent, int *late)
{
	static size_t node[RANKS] = { 0, 0, 1, 1, 2, 2 };
	int n = 0;

	w->step.rank_node = node;
	begin(w, 0);
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
		struct world *w = new_world();
		size_t j = w->step.n_jobs;
		int late[RANKS];

		add_group(w, 1);
		expire_group(w, j, cases[i].silent, late);
		for (int r = 0; r < RANKS; r++)
			assert_int_equal(w->s.rank[r],
			                 cases[i].silent[r] == 'x' ? cases[i].as : RANK_HERE);
		end(w);
	}
}

static void who_is_stuck_gets_no_job_until_the_next_start_brings_it_back(void **state)
{
	struct world *w = new_world();
	size_t jobs[JOBS_MAX], j = w->step.n_jobs;
	int late[RANKS];

	(void)state;
	add_group(w, 1);
	expire_group(w, j, "x.x...", late);
	/* 0-1 and 2-3 wait for one each, of round two 1-4 and 3-5 need neither. */
	assert_int_equal(sched_next(&w->s, jobs, JOBS_MAX), 1);
	assert_int_equal(jobs[0], 2);
	start_all(w, jobs);
	finish(w, 2);
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
	end(w);
}

static void a_pair_within_one_node_that_hangs_may_come_back(void **state)
{
	static size_t node[RANKS] = { 0, 0, 1, 1, 2, 2 };
	struct world *w = new_world();
	int late[RANKS];

	(void)state;
	w->step.rank_node = node;
	begin(w, 0);
	sched_started(&w->s, 0);
	assert_int_equal(sched_expired(&w->s, 0, late), 2);
	assert_int_equal(w->s.rank[0], RANK_STUCK);
	assert_int_equal(w->s.rank[1], RANK_STUCK);
	end(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_over_is_not_looked_at_again),
		cmocka_unit_test(of_a_group_that_hangs_nobody_is_lost_unless_it_is_one_node),
		cmocka_unit_test(who_is_stuck_gets_no_job_until_the_next_start_brings_it_back),
		cmocka_unit_test(a_pair_within_one_node_that_hangs_may_come_back),
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

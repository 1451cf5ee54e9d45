/*
 * How long start-up may take before anybody is named: a step by hand, in an imaginary time, with
 * the deadlines of the launchers as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"

enum { RANKS = 1024 };

struct world {
	struct launch l;
	struct launch_site site;
	struct plan_step step;
	struct step_run r;
};

static struct world *new_world(const struct launcher_ops *ops)
{
	struct world *w = hb_alloc(sizeof *w);
	struct step_run *r = &w->r;

	w->site.ops = ops;
	w->l.p.site = &w->site;
	w->step.n_ranks = w->r.n_world = RANKS;
	r->l = &w->l;
	r->step = &w->step;
	sched_init(&r->s, &w->step, 0);
	r->host = hb_alloc(RANKS * sizeof *r->host);
	r->begun = hb_alloc(RANKS * sizeof *r->begun);
	r->left_out = hb_alloc(RANKS * sizeof *r->left_out);
	r->heard_ms = hb_alloc(RANKS * sizeof *r->heard_ms);
	r->due_ms = hb_alloc(sizeof *r->due_ms);
	for (int i = 0; i < RANKS; i++)
		r->host[i] = hb_format("n%d", i + 1);
	r->start_ms = r->last_join_ms = r->last_begun_ms = 1000000;
	return w;
}

static void end(struct world *w)
{
	for (int i = 0; i < RANKS; i++)
		free(w->r.host[i]);
	free(w->r.host);
	free(w->r.begun);
	free(w->r.left_out);
	free(w->r.heard_ms);
	free(w->r.due_ms);
	sched_free(&w->r.s);
	free(w);
}

/* Seconds from the start until somebody is given up; -1: nobody is missing. */
static double until(const struct world *w)
{
	int64_t at = step_absent_until(&w->r);

	return at < 0 ? -1 : (double)(at - w->r.start_ms) / 1000;
}

static void begins(struct world *w, const char *host, double at_s)
{
	const struct ctl_start s = { host, 1, -1, -1 };

	step_begun(&w->r, &s);
	w->r.last_begun_ms = w->r.start_ms + (int64_t)(at_s * 1000);
}

static void joins(struct world *w, int rank, double at_s)
{
	sched_joined(&w->r.s, rank);
	w->r.joined++;
	w->r.last_join_ms = w->r.start_ms + (int64_t)(at_s * 1000);
}

/* Processes begin over 100 s, as from a slow file system; then MPI_Init takes as long again. */
static void a_slow_start_of_many_names_nobody(void **state)
{
	static const struct launcher_ops *const slow[] = { &launcher_srun, &launcher_mpirun };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct world *w = new_world(slow[k]);

		for (int i = 0; i < RANKS; i++) {
			double at = 20 + i * 80.0 / RANKS;

			assert_true(until(w) > at);
			begins(w, w->r.host[i], at);
		}
		assert_int_equal(w->r.n_begun, RANKS);
		assert_false(w->r.stranger);
		assert_true(until(w) >= 100 + 100);
		for (int i = 0; i < RANKS; i++) {
			double at = 200 + i * 20.0 / RANKS;

			assert_true(until(w) > at);
			joins(w, i, at);
		}
		assert_true(until(w) < 0);
		end(w);
	}
}

static void one_node_may_be_half_a_minute_later_than_all_others(void **state)
{
	static const struct launcher_ops *const ops[] = { &launcher_srun, &launcher_mpirun };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct world *w = new_world(ops[k]);

		for (int i = 0; i < RANKS - 1; i++)
			begins(w, w->r.host[i], 5);
		assert_true(until(w) >= 5 + 30 + 5);
		/* And it is not waited for without an end. */
		assert_true(until(w) <= 60);
		end(w);
	}
}

static void an_mpi_init_of_thirty_seconds_is_waited_for_in_a_probe_too(void **state)
{
	struct world *w = new_world(&launcher_srun);

	(void)state;
	w->r.probe = true;
	for (int i = 0; i < RANKS; i++)
		begins(w, w->r.host[i], 3);
	assert_true(until(w) >= 3 + 60);
	end(w);
}

static void who_says_it_twice_is_one_process(void **state)
{
	struct world *w = new_world(&launcher_srun);

	(void)state;
	begins(w, "n1", 1);
	begins(w, "n1", 2);
	assert_int_equal(w->r.n_begun, 1);
	assert_false(w->r.stranger);
	end(w);
}

/* Nodes by names that the plan does not know: who is missing cannot be told, and nobody is named.
 */
static void strangers_name_nobody(void **state)
{
	struct world *w = new_world(&launcher_srun);

	(void)state;
	for (int i = 0; i < RANKS; i++) {
		char host[16];

		snprintf(host, sizeof host, "other%d", i);
		if (i != 77)
			begins(w, host, 5);
	}
	assert_true(w->r.stranger);
	assert_true(until(w) >= 5 + 120);
	step_give_up_absent(&w->r);
	assert_true(w->r.nobody);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(w->r.s.rank[i], RANK_ABSENT);
	end(w);
}

static void where_nobody_is_heard_of_no_node_is_to_blame(void **state)
{
	struct world *w = new_world(&launcher_srun);

	(void)state;
	assert_true(until(w) >= 120);
	step_give_up_absent(&w->r);
	assert_true(w->r.nobody);
	assert_true(until(w) < 0);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(w->r.s.rank[i], RANK_ABSENT);
	end(w);
}

/* All but one began, and nothing more comes until long after: that one is due. */
static void what_passes_while_we_are_stopped_is_on_nobodys_deadline(void **state)
{
	struct world *w = new_world(&launcher_srun);
	int64_t now, before;

	(void)state;
	for (int i = 0; i < RANKS - 1; i++)
		begins(w, w->r.host[i], 5);
	w->r.due_ms[0] = w->r.start_ms + 20000;
	w->step.n_jobs = 1;
	now = w->r.start_ms + 6000;
	step_forgive_deafness(&w->r, now);
	before = step_absent_until(&w->r);
	/* A turn a second is how it should be. */
	for (int i = 0; i < 10; i++)
		step_forgive_deafness(&w->r, now += 1000);
	assert_int_equal(step_absent_until(&w->r), before);
	/* Ten minutes are not. */
	step_forgive_deafness(&w->r, now += 600000);
	assert_true(step_absent_until(&w->r) > now);
	assert_true(w->r.due_ms[0] > now);
	assert_true(w->r.heard_ms[0] > 590000);
	w->step.n_jobs = 0;
	end(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_start_of_many_names_nobody),
		cmocka_unit_test(one_node_may_be_half_a_minute_later_than_all_others),
		cmocka_unit_test(an_mpi_init_of_thirty_seconds_is_waited_for_in_a_probe_too),
		cmocka_unit_test(who_says_it_twice_is_one_process),
		cmocka_unit_test(strangers_name_nobody),
		cmocka_unit_test(where_nobody_is_heard_of_no_node_is_to_blame),
		cmocka_unit_test(what_passes_while_we_are_stopped_is_on_nobodys_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

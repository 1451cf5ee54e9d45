/* Plans: every layout of steps and jobs, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/plan_fixture.h"

static void one_node_runs_pairs_and_groups_on_two_ranks(void **state)
{
	struct made m;
	const struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "host", 5);
	check_plan(p);
	assert_int_equal(p->n_steps, 2);
	assert_string_equal(p->steps[0].helper, "node");
	assert_int_equal(p->steps[0].n_ranks, 1);
	assert_string_equal(p->steps[1].helper, "mpi");
	assert_int_equal(p->steps[1].n_ranks, 2);
	assert_int_equal(p->steps[1].rpn, 2);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.latency", "both"), 1);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ab"), 1);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ba"), 0);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.allreduce", NULL), 1);
	drop(&m);
}

static void groups_of_one_node_with_more_ranks_leave_pairs_the_first_two(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m,
	          SUITE("{\"bench\":\"mpi.latency\"},{\"bench\":\"mpi.allreduce\",\"rpn\":1},"
	                "{\"bench\":\"mpi.allreduce\",\"rpn\":4,\"options\":{\"sizes\":\"16\"}}"),
	          "host", 5);
	check_plan(&m.plan);
	assert_int_equal(m.plan.n_steps, 1);
	assert_int_equal(m.plan.steps[0].n_ranks, 4);
	const struct plan_job *j = m.plan.steps[0].jobs;
	assert_int_equal(j[0].n_ranks, 2);
	assert_int_equal(j[0].ranks[0], 0);
	assert_int_equal(j[0].ranks[1], 1);
	assert_int_equal(j[1].n_ranks, 2);
	assert_true(j[1].alone);
	assert_int_equal(j[2].n_ranks, 4);
	drop(&m);
}

static void several_nodes_have_one_rank_each_and_steps_of_their_own_for_more(void **state)
{
	struct made m;
	const struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-4]", 5);
	check_plan(p);
	assert_int_equal(p->n_steps, 3);
	assert_string_equal(p->steps[0].helper, "node");
	assert_int_equal(count_jobs(&p->steps[0], p, "node.memory", NULL), 4);
	assert_int_equal(p->steps[1].n_ranks, 4);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.latency", "both"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ab"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ba"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.allreduce", NULL), 0);
	assert_int_equal(p->steps[2].n_ranks, 8);
	assert_int_equal(p->steps[2].rpn, 2);
	assert_int_equal(p->steps[2].n_jobs, 1);
	assert_int_equal(p->steps[2].jobs[0].n_ranks, 8);
	assert_int_equal(p->steps[2].rank_node[3], 1);
	drop(&m);
}

static void local_jobs_of_different_nodes_may_run_at_once(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m, SUITE("{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi\"}}"),
	          "n[1-3]", 5);
	assert_int_equal(m.plan.steps[0].n_jobs, 3);
	for (int i = 0; i < 3; i++) {
		assert_false(m.plan.steps[0].jobs[i].alone);
		assert_int_equal(m.plan.steps[0].jobs[i].ranks[0], i);
		assert_int_equal(m.plan.steps[0].jobs[i].round, -1);
	}
	drop(&m);
}

static void many_cases_are_split_into_jobs(void **state)
{
	struct made m;
	struct buf b = BUF_INIT;
	(void)state;
	buf_puts(&b, "{\"schema\":1,\"name\":\"x\",\"benches\":[{\"bench\":\"mpi.latency\","
	             "\"options\":{\"sizes\":\"1");
	for (int i = 2; i <= 150; i++)
		buf_printf(&b, ",%d", i);
	buf_puts(&b, "\"}}]}");
	make_plan(&m, buf_text(&b), "n[1-2]", 5);
	check_plan(&m.plan);
	const struct plan_step *s = &m.plan.steps[0];
	assert_int_equal(s->n_jobs, 3);
	assert_int_equal(s->jobs[2].cases.n, 150 - 2 * PLAN_JOB_CASES_MAX);
	assert_int_equal(s->jobs[2].cases.v[0].bytes, 2 * PLAN_JOB_CASES_MAX + 1);
	buf_free(&b);
	drop(&m);
}

static void plans_that_cannot_be_run_are_refused(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	assert_int_equal(try_plan(&m,
	                          SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":"
	                                "\"8..1Gi\"}},{\"bench\":\"mpi.bandwidth\"}"),
	                          "n[1-2000]", 0, &err),
	                 HB_E_USAGE);
	assert_non_null(strstr(err.text, "fewer rounds"));
	assert_null(m.plan.steps);
	drop(&m);
	assert_int_equal(try_plan(&m, SUITE("{\"bench\":\"mpi.allreduce\",\"rpn\":1024}"),
	                          "n[1-60000]", 0, &err),
	                 HB_E_USAGE);
	assert_non_null(strstr(err.text, "60000 nodes with 1024 ranks"));
	drop(&m);
	assert_int_equal(try_plan(&m, suite_all, "n1,cluster", 0, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "'cluster'"));
	drop(&m);
}

static void a_limit_on_pairs_at_once_lengthens_the_prediction(void **state)
{
	struct made m, wide;
	struct hb_err err;
	struct plan_params params = { .seed = 11, .rounds = 5, .max_pairs = 1 };
	(void)state;
	make_plan(&wide, suite_all, "n[1-8]", 5);
	make_plan(&m, suite_all, "n[1-8]", 5);
	plan_free(&m.plan);
	assert_int_equal(plan_make(&m.suite, &m.nodes, "local", &params, &m.plan, &err), HB_OK);
	assert_true(m.plan.predicted_s > wide.plan.predicted_s * 1.5);
	drop(&m);
	drop(&wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node_runs_pairs_and_groups_on_two_ranks),
		cmocka_unit_test(groups_of_one_node_with_more_ranks_leave_pairs_the_first_two),
		cmocka_unit_test(several_nodes_have_one_rank_each_and_steps_of_their_own_for_more),
		cmocka_unit_test(local_jobs_of_different_nodes_may_run_at_once),
		cmocka_unit_test(many_cases_are_split_into_jobs),
		cmocka_unit_test(plans_that_cannot_be_run_are_refused),
		cmocka_unit_test(a_limit_on_pairs_at_once_lengthens_the_prediction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

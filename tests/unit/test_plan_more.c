/* How much longer than planned a run may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "harness/plan/plan_more.h"
#include "tests/unit/plan_fixture.h"

static const struct plan_more_rules both = { 0.3, 10, 16 };

/* One pair benchmark of one size: a case takes 0.7 times a second, and 0.1. */
#define LATENCY                                                                                    \
	SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"},\"max_time\":\"1s\"}")
static const double case_s = 0.8;

static void the_share_of_pairs_or_one_candidates_worth(void **state)
{
	struct made m;
	struct plan_more more;
	struct plan_more_rules rules = { 0.3, 10, 0 };

	(void)state;
	/* 8 nodes, 5 rounds: 20 pairs, a third of which is less than one candidate needs. */
	make_plan(&m, LATENCY, "n[1-8]", 5);
	plan_more(&m.plan, &rules, &more);
	assert_int_equal(more.pairs, 12);
	assert_int_equal(more.suspects, 0);
	assert_true(fabs(more.confirm_s) < 1e-9);
	assert_true(fabs(more.extra_s - (12 * case_s + 2)) < 1e-9);
	drop(&m);
	/* 64 nodes: 160 pairs, 48 more, of 4 candidates at the same time, 8 pairs alone. */
	make_plan(&m, LATENCY, "n[1-64]", 5);
	plan_more(&m.plan, &rules, &more);
	assert_int_equal(more.pairs, 48);
	assert_true(fabs(more.extra_s - ((10 + 8) * case_s + 2)) < 1e-9);
	/* Two at once: 20 rounds. */
	m.plan.max_pairs = 2;
	plan_more(&m.plan, &rules, &more);
	assert_true(fabs(more.extra_s - ((20 + 8) * case_s + 2)) < 1e-9);
	rules.extra_share = 0;
	plan_more(&m.plan, &rules, &more);
	assert_int_equal(more.pairs, 0);
	assert_true(fabs(more.extra_s) < 1e-9);
	drop(&m);
	/* Of two nodes nobody can be told from the other. */
	make_plan(&m, LATENCY, "n[1-2]", 5);
	plan_more(&m.plan, &both, &more);
	assert_int_equal(more.pairs, 0);
	drop(&m);
}

/* The rerun as it is planned when it is due takes no longer than was said, and not far less. */
static void the_rerun_of_the_longest_suspects_is_the_most(void **state)
{
	struct made m;
	struct plan_more more;
	struct plan_more_rules rules = { 0, 0, 3 };
	struct hb_err err = { HB_OK, "" };

	(void)state;
	make_plan(&m, LATENCY, "n[1-8]", 5);
	plan_more(&m.plan, &rules, &more);
	assert_int_equal(more.suspects, 3);
	double before = m.plan.predicted_s;
	const struct plan_confirm how = { m.plan.n_steps, NULL, 0 };
	static const struct {
		const char *bench, *subject, *control;
	} rows[] = { { "mpi.latency", "n7", "n8" },
		     { "mpi.latency", "cluster", NULL },
		     { "mpi.latency", "n3", "n5" } };
	for (size_t i = 0; i < 3; i++)
		if (plan_add_confirm(&m.plan, &how, rows[i].bench, rows[i].subject, rows[i].control,
		                     &err) != HB_OK)
			fail_msg("%s", err.text);
	double took = m.plan.predicted_s - before;
	printf("at most %.1f s foretold, %.1f s planned\n", more.confirm_s, took);
	assert_true(took <= more.confirm_s);
	assert_true(took > 0.5 * more.confirm_s);
	drop(&m);
}

static void a_single_node_has_its_suspects_too(void **state)
{
	struct made m;
	struct plan_more more;
	struct hb_err err = { HB_OK, "" };

	(void)state;
	make_plan(&m, suite_all, "n1", 5);
	plan_more(&m.plan, &both, &more);
	assert_int_equal(more.pairs, 0);
	assert_int_equal(more.suspects, 4);
	double before = m.plan.predicted_s;
	static const char *const benches[] = { "mpi.latency", "mpi.bandwidth", "mpi.allreduce",
		                               "node.memory" };
	for (size_t i = 0; i < 4; i++)
		if (plan_add_confirm(&m.plan, NULL, benches[i], "n1", NULL, &err) != HB_OK)
			fail_msg("%s", err.text);
	assert_true(m.plan.predicted_s - before <= more.confirm_s);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_share_of_pairs_or_one_candidates_worth),
		cmocka_unit_test(the_rerun_of_the_longest_suspects_is_the_most),
		cmocka_unit_test(a_single_node_has_its_suspects_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

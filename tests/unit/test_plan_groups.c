/* Plans of groups of fixed sizes, of the node that hpcbench runs on, and of nodes that are absent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/plan_fixture.h"

#define GROUPS(list)                                                                               \
	SUITE("{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"groups\":" list "}")

/* ---- groups ---- */

/* How many groups of this many ranks a step holds; checks that they are disjoint and sorted. */
static size_t disjoint_groups(const struct plan_step *s, int n_ranks, bool alone, int64_t round)
{
	unsigned char used[64] = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct plan_job *j = &s->jobs[i];
		if (j->n_ranks != n_ranks)
			continue;
		n++;
		assert_int_equal(j->alone, alone);
		assert_int_equal(j->round, round);
		assert_null(j->dir);
		for (int r = 0; r < n_ranks; r++) {
			assert_int_equal(used[j->ranks[r]]++, 0);
			if (r > 0)
				assert_true(j->ranks[r] > j->ranks[r - 1]);
		}
	}
	return n;
}

static void each_size_is_cut_into_as_many_disjoint_groups_as_there_are(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m, GROUPS("[2,4,\"all\"]"), "n[1-9]", 5);
	check_plan(&m.plan);
	assert_int_equal(m.plan.n_steps, 1);
	const struct plan_step *s = &m.plan.steps[0];
	assert_int_equal(s->n_jobs, 4 + 2 + 1);
	assert_int_equal(disjoint_groups(s, 2, false, 0), 4);
	assert_int_equal(disjoint_groups(s, 4, false, 1), 2);
	assert_int_equal(disjoint_groups(s, 9, true, -1), 1);
	drop(&m);
}

static void a_group_has_all_ranks_of_its_nodes(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m,
	          SUITE("{\"bench\":\"mpi.allreduce\",\"rpn\":3,\"options\":{\"sizes\":\"8\"},"
	                "\"groups\":[2]}"),
	          "n[1-5]", 5);
	check_plan(&m.plan);
	const struct plan_step *s = &m.plan.steps[0];
	assert_int_equal(s->rpn, 3);
	assert_int_equal(disjoint_groups(s, 6, false, 0), 2);
	for (size_t i = 0; i < s->n_jobs; i++)
		for (int r = 0; r < 6; r++) {
			assert_int_equal(s->jobs[i].ranks[r] % 3, r % 3);
			assert_int_equal(s->rank_node[s->jobs[i].ranks[r]],
			                 s->rank_node[s->jobs[i].ranks[r / 3 * 3]]);
		}
	drop(&m);
}

/* The partner of node 0 in its group of two. */
static int partner_of_first(const struct plan *p)
{
	const struct plan_step *s = &p->steps[0];
	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].ranks[0] == 0)
			return s->jobs[i].ranks[1];
	return -1;
}

static void who_is_with_whom_differs_from_seed_to_seed_and_is_the_same_for_one(void **state)
{
	bool met[8] = { false };
	int partners = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct plan_params params = { .seed = seed };
		struct made m, again;
		make_plan_with(&m, GROUPS("[2]"), "n[1-8]", &params);
		make_plan_with(&again, GROUPS("[2]"), "n[1-8]", &params);
		met[partner_of_first(&m.plan)] = true;
		assert_int_equal(partner_of_first(&m.plan), partner_of_first(&again.plan));
		drop(&m);
		drop(&again);
	}
	for (int i = 1; i < 8; i++)
		partners += met[i];
	assert_true(partners >= 4);
}

static void entries_of_one_size_measure_the_same_groups(void **state)
{
	struct made m;
	(void)state;
	make_plan(
	        &m,
	        SUITE("{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"groups\":[4]},"
	              "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"64\"},\"groups\":"
	              "[2,4]}"),
	        "n[1-8]", 5);
	const struct plan_job *j = m.plan.steps[0].jobs;
	assert_int_equal(m.plan.steps[0].n_jobs, 2 + 4 + 2);
	assert_int_equal(j[6].entry, 1);
	assert_int_equal(j[6].n_ranks, 4);
	for (int r = 0; r < 4; r++)
		assert_int_equal(j[0].ranks[r], j[6].ranks[r]);
	drop(&m);
}

static void the_whole_set_is_measured_once_whatever_names_it(void **state)
{
	static const char *const lists[] = { GROUPS("[4]"), GROUPS("[4,\"all\"]"),
		                             GROUPS("[\"all\"]"), GROUPS("[4,16,\"all\"]") };
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct made m;
		make_plan(&m, lists[i], "n[1-4]", 5);
		check_plan(&m.plan);
		assert_int_equal(m.plan.steps[0].n_jobs, 1);
		assert_int_equal(disjoint_groups(&m.plan.steps[0], 4, true, -1), 1);
		drop(&m);
	}
}

static void sizes_above_the_node_set_are_left_out_and_alone_an_error(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, GROUPS("[2,8]"), "n[1-5]", 5);
	assert_int_equal(m.plan.steps[0].n_jobs, 2);
	drop(&m);
	assert_int_equal(try_plan(&m, GROUPS("[8,16]"), "n[1-5]", 5, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "mpi.allreduce measures groups of 8, 16 nodes"));
	assert_non_null(strstr(err.text, "only 5"));
	assert_null(m.plan.steps);
	drop(&m);
}

static void a_single_node_is_measured_whatever_the_sizes(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m, GROUPS("[4]"), "host", 5);
	check_plan(&m.plan);
	assert_int_equal(m.plan.steps[0].n_jobs, 1);
	assert_int_equal(m.plan.steps[0].jobs[0].n_ranks, 2);
	assert_true(m.plan.steps[0].jobs[0].alone);
	drop(&m);
}

static void groups_at_once_take_less_time_than_one_by_one(void **state)
{
	struct plan_params one = { .seed = 1, .max_pairs = 1 }, all = { .seed = 1 };
	struct made m, wide;
	(void)state;
	make_plan_with(&m, GROUPS("[2]"), "n[1-8]", &one);
	make_plan_with(&wide, GROUPS("[2]"), "n[1-8]", &all);
	/* A case takes 0.7 * 2 s + 0.1 s, and the step 2 s to start. */
	assert_true(fabs(m.plan.predicted_s - (2 + 4 * 1.5)) < 1e-9);
	assert_true(fabs(wide.plan.predicted_s - (2 + 1.5)) < 1e-9);
	drop(&m);
	drop(&wide);
}

static void a_group_is_named_by_its_nodes_and_the_whole_by_its_ranks(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m, GROUPS("[2,\"all\"]"), "n[1-3]", 5);
	const struct plan_step *s = &m.plan.steps[0];
	char want[32];
	struct buf b = BUF_INIT;
	int a = s->jobs[0].ranks[0] + 1, c = s->jobs[0].ranks[1] + 1;
	snprintf(want, sizeof(want), c == a + 1 ? "n[%d-%d]" : "n[%d,%d]", a, c);
	plan_job_subject(&m.plan, s, &s->jobs[0], &b);
	assert_string_equal(buf_text(&b), want);
	buf_clear(&b);
	plan_job_subject(&m.plan, s, &s->jobs[1], &b);
	assert_string_equal(buf_text(&b), "3 ranks");
	buf_free(&b);
	drop(&m);
}

/* ---- the node that hpcbench runs on ---- */

static bool has_rank(const struct plan_job *j, int rank)
{
	return j->ranks[0] == rank || j->ranks[1] == rank;
}

static void the_own_node_has_its_pairs_alone_and_after_all_others(void **state)
{
	static const char *const nodes[] = { "n[1-6]", "n[1-5]", "n[1-3]" };
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct plan_params own = { .seed = 3, .own = "n2" }, none = { .seed = 3 };
		struct made m, plain;
		size_t at_end = 0;
		make_plan_with(&m, suite_all, nodes[k], &own);
		make_plan_with(&plain, suite_all, nodes[k], &none);
		check_plan(&m.plan);
		assert_int_equal(m.plan.own, 1);
		assert_int_equal(plain.plan.own, -1);
		const struct plan_step *s = &m.plan.steps[1];
		assert_int_equal(s->n_jobs, plain.plan.steps[1].n_jobs);
		for (size_t i = 0; i < s->n_jobs; i++) {
			bool mine = has_rank(&s->jobs[i], 1);
			at_end += mine;
			assert_int_equal(s->jobs[i].alone, mine);
			assert_true(mine || at_end == 0);
			assert_true(s->jobs[i].round >= 0);
		}
		/* A pair with each other node: latency, and bandwidth in both directions. */
		assert_int_equal(at_end, 3 * (m.plan.nodes.n - 1));
		drop(&m);
		drop(&plain);
	}
}

static void with_two_nodes_or_elsewhere_the_own_node_changes_nothing(void **state)
{
	struct plan_params n1 = { .seed = 3, .own = "n1" }, login = { .seed = 3, .own = "login" };
	struct made m;
	(void)state;
	make_plan_with(&m, suite_all, "n[1-2]", &n1);
	assert_int_equal(m.plan.own, 0);
	for (size_t i = 0; i < m.plan.steps[1].n_jobs; i++)
		assert_false(m.plan.steps[1].jobs[i].alone);
	drop(&m);
	make_plan_with(&m, suite_all, "n[1-4]", &login);
	assert_int_equal(m.plan.own, -1);
	drop(&m);
}

/* ---- absent nodes ---- */

static void absent_nodes_are_kept_with_their_reasons(void **state)
{
	char node[] = "n9", reason[1000];
	struct plan_absent absent[] = { { node, reason, ROLE_NONE } };
	struct plan_params params = { .seed = 3, .absent = absent, .n_absent = 1 };
	struct made m;
	(void)state;
	memset(reason, 'x', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	make_plan_with(&m, suite_all, "n[1-4]", &params);
	assert_int_equal(m.plan.n_absent, 1);
	assert_string_equal(m.plan.absent[0].node, "n9");
	assert_int_equal(strlen(m.plan.absent[0].reason), PLAN_REASON_MAX);
	drop(&m);
}

static void nodes_that_are_absent_and_there_are_refused(void **state)
{
	static const char *const names[][2] = { { "n9", "n3" },
		                                { "n9", "n9" },
		                                { "cluster", "n9" } };
	static const char *const why[] = { "n3 is named twice", "n9 is named twice", "'cluster'" };
	char reason[] = "down";
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char a[16], b[16];
		struct plan_absent absent[] = { { a, reason, ROLE_NONE },
			                        { b, reason, ROLE_NONE } };
		struct plan_params params = { .seed = 3, .absent = absent, .n_absent = 2 };
		struct made m;
		struct hb_err err;
		snprintf(a, sizeof(a), "%s", names[i][0]);
		snprintf(b, sizeof(b), "%s", names[i][1]);
		assert_int_equal(try_plan_with(&m, suite_all, "n[1-4]", &params, &err), HB_E_USAGE);
		if (!strstr(err.text, why[i]))
			fail_msg("%s", err.text);
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_size_is_cut_into_as_many_disjoint_groups_as_there_are),
		cmocka_unit_test(a_group_has_all_ranks_of_its_nodes),
		cmocka_unit_test(
		        who_is_with_whom_differs_from_seed_to_seed_and_is_the_same_for_one),
		cmocka_unit_test(entries_of_one_size_measure_the_same_groups),
		cmocka_unit_test(the_whole_set_is_measured_once_whatever_names_it),
		cmocka_unit_test(sizes_above_the_node_set_are_left_out_and_alone_an_error),
		cmocka_unit_test(a_single_node_is_measured_whatever_the_sizes),
		cmocka_unit_test(groups_at_once_take_less_time_than_one_by_one),
		cmocka_unit_test(a_group_is_named_by_its_nodes_and_the_whole_by_its_ranks),
		cmocka_unit_test(the_own_node_has_its_pairs_alone_and_after_all_others),
		cmocka_unit_test(with_two_nodes_or_elsewhere_the_own_node_changes_nothing),
		cmocka_unit_test(absent_nodes_are_kept_with_their_reasons),
		cmocka_unit_test(nodes_that_are_absent_and_there_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The confirming rerun as it is planned: who, with whom, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/plan_fixture.h"

static const struct plan_step *last_step(const struct plan *p)
{
	return &p->steps[p->n_steps - 1];
}

static const char *node_of(const struct plan *p, const struct plan_step *s, int rank)
{
	return p->nodes.v[s->rank_node[rank]];
}

static void a_pair_suspect_and_its_control_alternate_with_partners_of_their_own(void **state)
{
	struct made m;
	struct hb_err err = { HB_OK, "" };
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-8]", 5);
	if (plan_add_confirm(p, NULL, "mpi.latency", "n3", "n5", &err) != HB_OK)
		fail_msg("%s", err.text);
	check_plan(p);
	assert_int_equal(p->n_steps, 4);
	const struct plan_step *s = last_step(p);
	assert_string_equal(s->helper, "mpi");
	assert_int_equal(s->n_ranks, 8);
	assert_int_equal(s->n_jobs, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct plan_job *j = &s->jobs[i];
		const char *other = node_of(p, s, j->ranks[1]);
		assert_int_equal(j->phase, i % 2 ? PHASE_CONTROL : PHASE_CONFIRM);
		assert_int_equal(j->repeat, i / 2);
		assert_string_equal(j->subject, i % 2 ? "n5" : "n3");
		assert_string_equal(j->partner, i % 2 ? "n3" : "n5");
		assert_string_equal(node_of(p, s, j->ranks[0]), j->subject);
		assert_string_not_equal(other, "n3");
		assert_string_not_equal(other, "n5");
		assert_true(j->alone);
		/* The same partner in every repeat, and not the other side's. */
		assert_string_equal(other, node_of(p, s, s->jobs[i % 2].ranks[1]));
	}
	assert_int_not_equal(s->jobs[0].ranks[1], s->jobs[1].ranks[1]);
	drop(&m);
}

static void whoever_the_sides_are_their_pairs_are_disjoint(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	for (int a = 0; a < 4; a++) {
		for (int b = 0; b < 4; b++) {
			if (a == b)
				continue;
			make_plan(&m, suite_all, "n[1-4]", 5);
			assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency",
			                                  m.plan.nodes.v[a], m.plan.nodes.v[b],
			                                  &err),
			                 HB_OK);
			const struct plan_job *j = last_step(&m.plan)->jobs;
			assert_int_equal(j[0].ranks[0], a);
			assert_int_equal(j[1].ranks[0], b);
			/* Four nodes, four places: all of them are taken. */
			assert_int_equal(1 << j[0].ranks[0] | 1 << j[0].ranks[1] |
			                         1 << j[1].ranks[0] | 1 << j[1].ranks[1],
			                 15);
			drop(&m);
		}
	}
}

static void partners_are_rather_not_suspects_themselves(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, suite_all, "n[1-6]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n2", "n1", &err), HB_OK);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n3", "n1", &err), HB_OK);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n4", "n1", &err), HB_OK);
	const struct plan_job *j = last_step(&m.plan)->jobs;
	/* n2 and n3 are suspects too, so n5 and n6 are left. */
	assert_int_equal(1 << j[0].ranks[1] | 1 << j[1].ranks[1], 1 << 4 | 1 << 5);
	drop(&m);
}

static void directed_benchmarks_are_confirmed_in_both_directions(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, suite_all, "n[1-8]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "n1", "n2", &err), HB_OK);
	check_plan(&m.plan);
	assert_int_equal(last_step(&m.plan)->n_jobs, 12);
	assert_int_equal(count_jobs(last_step(&m.plan), &m.plan, "mpi.bandwidth", "ba"), 6);
	drop(&m);
}

static void without_enough_nodes_or_control_it_is_a_plain_repetition(void **state)
{
	static const struct {
		const char *nodes, *control;
	} cases[] = { { "n[1-3]", "n2" }, { "n[1-2]", "n2" }, { "n[1-8]", NULL } };
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m;
		struct hb_err err;
		make_plan(&m, suite_all, cases[i].nodes, 5);
		assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n1",
		                                  cases[i].control, &err),
		                 HB_OK);
		check_plan(&m.plan);
		const struct plan_step *s = last_step(&m.plan);
		assert_int_equal(s->n_jobs, 3);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(s->jobs[k].phase, PHASE_CONFIRM);
			assert_int_equal(s->jobs[k].repeat, k);
			assert_null(s->jobs[k].partner);
			assert_int_not_equal(s->jobs[k].ranks[0], s->jobs[k].ranks[1]);
		}
		drop(&m);
	}
}

static void other_shapes_are_confirmed_as_they_were_measured(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(p, NULL, "node.memory", "n2", "n4", &err), HB_OK);
	assert_string_equal(last_step(p)->helper, "node");
	assert_int_equal(last_step(p)->n_jobs, 6);
	assert_string_equal(node_of(p, last_step(p), last_step(p)->jobs[1].ranks[0]), "n4");
	assert_int_equal(plan_add_confirm(p, NULL, "mpi.allreduce", "cluster", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->rpn, 2);
	assert_int_equal(last_step(p)->n_jobs, 3);
	assert_int_equal(last_step(p)->jobs[0].n_ranks, 8);
	assert_string_equal(last_step(p)->jobs[0].subject, "cluster");
	assert_int_equal(plan_add_confirm(p, NULL, "mpi.latency", "cluster", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->n_jobs, 3 * 2); /* the two pairs of the first round */
	check_plan(p);
	drop(&m);
	make_plan(&m, suite_all, "host", 5);
	assert_int_equal(plan_add_confirm(p, NULL, "mpi.bandwidth", "host", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->n_jobs, 3);
	assert_string_equal(last_step(p)->jobs[0].dir, "ab");
	check_plan(p);
	drop(&m);
}

static void what_was_not_planned_cannot_be_confirmed(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, SUITE("{\"bench\":\"mpi.latency\"}"), "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "n1", NULL, &err),
	                 HB_E_USAGE);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "nothing", "n1", NULL, &err), HB_E_USAGE);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n9", NULL, &err),
	                 HB_E_USAGE);
	assert_non_null(strstr(err.text, "n9"));
	assert_int_equal(m.plan.n_steps, 1);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		        a_pair_suspect_and_its_control_alternate_with_partners_of_their_own),
		cmocka_unit_test(whoever_the_sides_are_their_pairs_are_disjoint),
		cmocka_unit_test(partners_are_rather_not_suspects_themselves),
		cmocka_unit_test(directed_benchmarks_are_confirmed_in_both_directions),
		cmocka_unit_test(without_enough_nodes_or_control_it_is_a_plain_repetition),
		cmocka_unit_test(other_shapes_are_confirmed_as_they_were_measured),
		cmocka_unit_test(what_was_not_planned_cannot_be_confirmed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The confirming rerun as it is planned: who, with whom, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
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

static bool is_pair_of(const struct plan *p, const struct plan_step *s, const struct plan_job *j,
                       const char *name)
{
	return strcmp(node_of(p, s, j->ranks[0]), name) == 0 ||
	       strcmp(node_of(p, s, j->ranks[1]), name) == 0;
}

static void suspects_of_one_shape_share_a_step_one_behind_the_other(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-8]", 5);
	double before = p->predicted_s;
	struct plan_confirm how = { p->n_steps, NULL, 0 };
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n3", "n5", &err), HB_OK);
	double first = last_step(p)->predicted_s, deadline = last_step(p)->deadline_s;
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n4", "n5", &err), HB_OK);
	assert_int_equal(plan_add_confirm(p, &how, "mpi.bandwidth", "n3", "n6", &err), HB_OK);
	check_plan(p);
	assert_int_equal(p->n_steps, 4);
	const struct plan_step *s = last_step(p);
	assert_int_equal(s->n_jobs, 6 + 6 + 12);
	for (size_t i = 0; i < 12; i++) {
		assert_string_equal(s->jobs[i].subject, i % 2 ? "n5" : i < 6 ? "n3" : "n4");
		assert_int_equal(s->jobs[i].repeat, i % 6 / 2);
	}
	for (size_t i = 0; i < s->n_jobs; i++)
		assert_true(s->jobs[i].alone);
	assert_true(s->predicted_s > first && s->deadline_s > deadline);
	assert_true(fabs(p->predicted_s - before - s->predicted_s) < 1e-9);
	/* Another helper and other ranks a node are other steps. */
	assert_int_equal(plan_add_confirm(p, &how, "node.memory", "n3", "n5", &err), HB_OK);
	assert_int_equal(plan_add_confirm(p, &how, "mpi.allreduce", "cluster", NULL, &err), HB_OK);
	assert_int_equal(p->n_steps, 6);
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n1", "n5", &err), HB_OK);
	assert_int_equal(p->n_steps, 6);
	assert_int_equal(p->steps[3].n_jobs, 30);
	drop(&m);
}

static void steps_that_have_started_are_not_extended(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-8]", 5);
	size_t main_jobs = p->steps[1].n_jobs;
	struct plan_confirm how = { p->n_steps, NULL, 0 };
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n3", "n5", &err), HB_OK);
	how.from = p->n_steps;
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n4", "n5", &err), HB_OK);
	assert_int_equal(p->n_steps, 5);
	assert_int_equal(p->steps[1].n_jobs, main_jobs);
	assert_int_equal(p->steps[3].n_jobs, 6);
	assert_int_equal(p->steps[4].n_jobs, 6);
	check_plan(p);
	drop(&m);
}

static void who_is_to_be_avoided_and_the_own_node_are_partners_only_at_need(void **state)
{
	const struct plan_params params = { .seed = 11, .own = "n6" };
	const bool avoid[] = { true, true, true, true, false, false, false, true };
	const bool most[] = { true, true, true, true, true, false, true, true };
	struct hb_err err;
	(void)state;
	for (int subject = 0; subject < 4; subject++) {
		struct made m;
		struct plan *p = &m.plan;
		make_plan_with(&m, suite_all, "n[1-8]", &params);
		struct plan_confirm how = { p->n_steps, avoid, 0 };
		assert_int_equal(
		        plan_add_confirm(p, &how, "mpi.latency", p->nodes.v[subject], "n8", &err),
		        HB_OK);
		const struct plan_step *s = last_step(p);
		assert_int_equal(1 << s->jobs[0].ranks[1] | 1 << s->jobs[1].ranks[1],
		                 1 << 4 | 1 << 6);
		/* With fewer left the own node comes before those to be avoided. */
		how = (struct plan_confirm){ p->n_steps, most, 0 };
		assert_int_equal(
		        plan_add_confirm(p, &how, "mpi.latency", p->nodes.v[subject], "n8", &err),
		        HB_OK);
		s = last_step(p);
		assert_true(is_pair_of(p, s, &s->jobs[0], "n6"));
		assert_false(is_pair_of(p, s, &s->jobs[1], "n6"));
		check_plan(p);
		drop(&m);
	}
}

static void all_groups_of_the_cluster_are_repeated_as_they_were_measured(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m,
	          SUITE("{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},"
	                "\"groups\":[2,\"all\"]}"),
	          "n[1-6]", 5);
	assert_int_equal(plan_add_confirm(p, NULL, "mpi.allreduce", "cluster", NULL, &err), HB_OK);
	check_plan(p);
	const struct plan_step *main_part = &p->steps[0], *s = last_step(p);
	assert_int_equal(s->n_jobs, 3 * 4);
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct plan_job *j = &s->jobs[i], *of = &main_part->jobs[i % 4];
		assert_int_equal(j->repeat, i / 4);
		assert_int_equal(j->n_ranks, of->n_ranks);
		assert_memory_equal(j->ranks, of->ranks, (size_t)j->n_ranks * sizeof(*j->ranks));
		assert_int_equal(j->alone, of->alone);
		assert_int_equal(j->round, of->round);
	}
	drop(&m);
}

static void what_cannot_be_confirmed_leaves_the_plan_as_it_was(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, suite_all, "n[1-8]", 5);
	struct plan_confirm how = { p->n_steps, NULL, 0 };
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n3", "n5", &err), HB_OK);
	uint64_t unit = p->next_unit, job = p->next_job;
	p->next_unit = PLAN_UNITS_MAX - 4; /* room for two jobs of the six */
	assert_int_equal(plan_add_confirm(p, &how, "mpi.latency", "n4", "n5", &err), HB_E_USAGE);
	assert_int_equal(p->next_unit, PLAN_UNITS_MAX - 4);
	p->next_unit = unit;
	assert_int_equal(p->next_job, job);
	assert_int_equal(p->n_steps, 4);
	assert_int_equal(last_step(p)->n_jobs, 6);
	check_plan(p);
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
		cmocka_unit_test(suspects_of_one_shape_share_a_step_one_behind_the_other),
		cmocka_unit_test(steps_that_have_started_are_not_extended),
		cmocka_unit_test(who_is_to_be_avoided_and_the_own_node_are_partners_only_at_need),
		cmocka_unit_test(all_groups_of_the_cluster_are_repeated_as_they_were_measured),
		cmocka_unit_test(what_cannot_be_confirmed_leaves_the_plan_as_it_was),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pairs that are measured once more: what is appended to the plan, and how it reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/plan_fixture.h"

static const char suite_both[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"}},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"}}");

static void again(struct made *m, size_t from, size_t step, size_t job)
{
	struct hb_err err = { HB_OK, "" };

	if (plan_add_again(&m->plan, from, step, job, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static void what_was_lost_stands_once_more_with_its_own_units(void **state)
{
	struct made m;

	(void)state;
	make_plan(&m, suite_both, "n[1-6]", 5);
	for (size_t i = 0; i < m.plan.steps[0].n_jobs; i++) {
		const struct plan_job old = m.plan.steps[0].jobs[i];
		size_t before = m.plan.n_steps;
		uint64_t unit = m.plan.next_unit;

		again(&m, before, 0, i);
		assert_int_equal(m.plan.n_steps, before + 1);
		const struct plan_step *first = &m.plan.steps[0], *s = &m.plan.steps[before];
		assert_int_equal(s->n_jobs, 1);
		assert_int_equal(s->n_ranks, 2);
		assert_int_equal(s->rpn, 1);
		assert_string_equal(s->helper, "mpi");
		assert_true(s->rank_node[0] < s->rank_node[1]);
		const struct plan_job *j = &s->jobs[0];
		for (int k = 0; k < 2; k++)
			assert_int_equal(s->rank_node[j->ranks[k]], first->rank_node[old.ranks[k]]);
		assert_int_equal(j->instead, old.first_unit);
		assert_int_equal(j->first_unit, unit);
		assert_int_equal(j->cases.n, old.cases.n);
		assert_int_equal(j->first_case, old.first_case);
		assert_int_equal(j->phase, PHASE_MAIN);
		assert_int_equal(j->round, old.round);
		assert_string_equal(j->dir, old.dir);
		assert_true(j->alone);
	}
	check_plan(&m.plan);
	drop(&m);
}

/* The same two nodes are started once, whichever is first; an earlier such step is left alone. */
static void jobs_of_two_nodes_share_a_step_that_has_not_started(void **state)
{
	struct made m;
	size_t from, other = 0;

	(void)state;
	make_plan(&m, suite_both, "n[1-6]", 5);
	const struct plan_step *s = &m.plan.steps[0];
	for (size_t i = 1; i < s->n_jobs && !other; i++) {
		const int *a = s->jobs[0].ranks, *b = s->jobs[i].ranks;

		if ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]))
			other = i;
	}
	assert_true(other > 0);
	from = m.plan.n_steps;
	again(&m, from, 0, 0);
	again(&m, from, 0, other);
	assert_int_equal(m.plan.n_steps, from + 1);
	assert_int_equal(m.plan.steps[from].n_jobs, 2);
	again(&m, from + 1, 0, 0);
	assert_int_equal(m.plan.n_steps, from + 2);
	drop(&m);
}

static void what_is_no_pair_of_the_main_part_is_refused(void **state)
{
	struct made m;
	struct hb_err err;
	size_t steps, refused = 0;

	(void)state;
	make_plan(&m, suite_all, "n[1-4]", 3);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n1", "n2", &err), HB_OK);
	steps = m.plan.n_steps;
	for (size_t i = 0; i < steps; i++)
		for (size_t k = 0; k < m.plan.steps[i].n_jobs; k++) {
			const struct plan_job *j = &m.plan.steps[i].jobs[k];
			bool pair = j->dir && j->phase == PHASE_MAIN;

			if (!pair) {
				uint64_t unit = m.plan.next_unit;

				assert_int_equal(plan_add_again(&m.plan, steps, i, k, &err),
				                 HB_E_USAGE);
				assert_int_equal(m.plan.next_unit, unit);
				refused++;
			}
		}
	assert_true(refused > 0);
	assert_int_equal(m.plan.n_steps, steps);
	/* One that stands for another is not measured a third time. */
	for (size_t i = 0; i < steps && m.plan.n_steps == steps; i++)
		for (size_t k = 0; k < m.plan.steps[i].n_jobs && m.plan.n_steps == steps; k++)
			if (m.plan.steps[i].jobs[k].dir)
				again(&m, steps, i, k);
	assert_int_equal(m.plan.n_steps, steps + 1);
	assert_int_equal(plan_add_again(&m.plan, steps, steps, 0, &err), HB_E_USAGE);
	drop(&m);
	/* Of two nodes nobody answers others. */
	make_plan(&m, suite_both, "n[1-2]", 1);
	assert_int_equal(plan_add_again(&m.plan, 1, 0, 0, &err), HB_E_USAGE);
	drop(&m);
}

static void it_reads_back_the_same(void **state)
{
	struct made m;
	struct suite suite;
	struct plan back;
	struct hb_err err = { HB_OK, "" };
	struct buf a = BUF_INIT, b = BUF_INIT;

	(void)state;
	make_plan(&m, suite_both, "n[1-6]", 5);
	m.plan.run = hb_strdup("20261130-014210-7f3a");
	for (size_t i = 0; i < 4; i++)
		again(&m, m.plan.n_steps, 0, i);
	json_object *o = plan_to_json(&m.plan);
	if (plan_from_json(o, "plan.json", &suite, &back, &err) != HB_OK)
		fail_msg("%s", err.text);
	check_plan(&back);
	assert_int_equal(back.steps[1].jobs[0].instead, 1);
	json_object *o2 = plan_to_json(&back);
	js_write(o, JS_PRETTY, &a);
	js_write(o2, JS_PRETTY, &b);
	assert_string_equal(buf_text(&a), buf_text(&b));
	js_put(o);
	js_put(o2);
	buf_free(&a);
	buf_free(&b);
	plan_free(&back);
	suite_free(&suite);
	drop(&m);
}

/* With another number behind `instead` the plan is refused, or still sound. */
static bool is_taken(const char *text, const char *number)
{
	struct suite suite;
	struct plan plan;
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;
	const char *at = strstr(text, "\"instead\":");
	size_t len = strcspn(at, ",}");
	char *changed = hb_format("%.*s\"instead\":%s%s", (int)(at - text), text, number, at + len);
	bool taken;

	taken = js_parse(changed, strlen(changed), "plan.json", &o, &err) == HB_OK &&
	        plan_from_json(o, "plan.json", &suite, &plan, &err) == HB_OK;
	if (!taken && !strstr(err.text, "plan.json"))
		fail_msg("%s: %s", number, err.text);
	if (taken) {
		check_plan(&plan);
		plan_free(&plan);
		suite_free(&suite);
	}
	js_put(o);
	free(changed);
	return taken;
}

static void hostile_numbers_are_refused(void **state)
{
	struct made m;
	struct buf b = BUF_INIT;
	char number[32];

	(void)state;
	make_plan(&m, suite_both, "n[1-6]", 5);
	again(&m, m.plan.n_steps, 0, 0);
	uint64_t unit = m.plan.steps[1].jobs[0].first_unit;
	json_object *o = plan_to_json(&m.plan);
	js_write(o, JS_PLAIN, &b);
	const char *t = buf_text(&b);
	assert_true(is_taken(t, "1"));
	assert_true(is_taken(t, "0")); /* as if it were not there */
	for (int64_t off = -1; off <= 2; off++) {
		snprintf(number, sizeof number, "%lld", (long long)unit + (long long)off);
		assert_false(is_taken(t, number));
	}
	assert_false(is_taken(t, "18446744073709551615"));
	assert_false(is_taken(t, "18446744073709551614"));
	assert_false(is_taken(t, "99999999999999999999999"));
	assert_false(is_taken(t, "-1"));
	assert_false(is_taken(t, "1.5"));
	assert_false(is_taken(t, "\"1\""));
	assert_false(is_taken(t, "[1]"));
	js_put(o);
	buf_free(&b);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_lost_stands_once_more_with_its_own_units),
		cmocka_unit_test(jobs_of_two_nodes_share_a_step_that_has_not_started),
		cmocka_unit_test(what_is_no_pair_of_the_main_part_is_refused),
		cmocka_unit_test(it_reads_back_the_same),
		cmocka_unit_test(hostile_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* plan.json: it reads back the same, and a hostile one does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/plan_fixture.h"

static const char suite_groups[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"}},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"}},"
        "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"rpn\":2,"
        "\"groups\":[2,4,\"all\"]}");

static void a_plan_reads_back_the_same(void **state)
{
	struct made m;
	struct suite suite;
	struct plan back;
	struct hb_err err = { HB_OK, "" };
	struct buf a = BUF_INIT, b = BUF_INIT;
	(void)state;
	char node[] = "m1", reason[] = "down: \"maintenance\"";
	struct plan_absent absent[] = { { node, reason, ROLE_NONE } };
	const struct plan_params params = {
		.seed = 11, .rounds = 5, .own = "n04", .absent = absent, .n_absent = 1
	};
	make_plan_with(&m, suite_groups, "n[01-09]", &params);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "n03", "n07", &err),
	                 HB_OK);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "cluster", NULL, &err),
	                 HB_OK);
	m.plan.run = hb_strdup("20261130-014210-7f3a");
	m.plan.inject = 1.5;
	m.plan.inject_bench = "mpi.latency";
	json_object *o = plan_to_json(&m.plan);
	if (plan_from_json(o, "plan.json", &suite, &back, &err) != HB_OK)
		fail_msg("%s", err.text);
	check_plan(&back);
	assert_int_equal(back.own, 3);
	assert_int_equal(back.n_absent, 1);
	assert_string_equal(back.absent[0].node, "m1");
	assert_string_equal(back.absent[0].reason, "down: \"maintenance\"");
	assert_int_equal(back.suite->entries[2].n_groups, 3);
	assert_int_equal(back.suite->entries[2].groups[1], 4);
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

/* Replaces the first occurrence of old in the plan's text and expects a refusal, or a sound plan.
 */
static void expect_refused(const char *text, const char *old, const char *new, const char *why)
{
	struct suite suite;
	struct plan plan;
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;
	const char *at = strstr(text, old);
	if (!at)
		fail_msg("the plan has no %s", old);
	char *changed = hb_format("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	if (js_parse(changed, strlen(changed), "plan.json", &o, &err) != HB_OK)
		fail_msg("%s: %s", new, err.text);
	if (plan_from_json(o, "plan.json", &suite, &plan, &err) == HB_OK)
		fail_msg("%s was taken", new);
	if (!strstr(err.text, why) || !strstr(err.text, "plan.json"))
		fail_msg("%s -> %s gave: %s", old, new, err.text);
	assert_null(plan.steps);
	assert_null(suite.entries);
	js_put(o);
	free(changed);
}

static void hostile_plans_are_refused_with_their_place(void **state)
{
	struct made m;
	struct buf b = BUF_INIT;
	struct hb_err err;
	(void)state;
	make_plan(&m, suite_all, "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n1", "n2", &err), HB_OK);
	json_object *o = plan_to_json(&m.plan);
	js_write(o, JS_PLAIN, &b);
	const char *t = buf_text(&b);
	expect_refused(t, "\"schema\":1", "\"schema\":9", "schema");
	expect_refused(t, "\"nodes\":\"n[1-4]\"", "\"nodes\":\"n[1-99999999]\"", "65536");
	expect_refused(t, "\"nodes\":\"n[1-4]\"", "\"nodes\":\"n[1-2]\"", "below 2");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":1000000000000,\"old\":", "next_unit");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":0,\"old\":", "next_unit");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":3,\"old\":", "next_unit");
	expect_refused(t, "\"entry\":3", "\"entry\":4", "entry");
	expect_refused(t, "\"entry\":3", "\"entry\":18446744073709551615", "entry");
	expect_refused(t, "\"entry\":3", "\"entry\":0", "pair");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[9]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[-1]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[\"0\"]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[0,0]", "twice");
	expect_refused(t, "\"rank_node\":[0,1", "\"rank_node\":[7,1", "rank_node");
	expect_refused(t, "\"unit\":2", "\"unit\":1", "another job");
	expect_refused(t, "\"unit\":2", "\"unit\":18446744073709551615", "next_unit");
	expect_refused(t, "\"cases\":1", "\"cases\":2", "cases");
	expect_refused(t, "\"case\":0", "\"case\":18446744073709551615", "cases");
	expect_refused(t, "\"cases\":[[", "\"cases\":[[],[", "entry of the suite");
	expect_refused(t, "\"phase\":\"main\"", "\"phase\":\"other\"", "phase");
	expect_refused(t, "\"dir\":\"both\"", "\"dir\":\"up\"", "dir");
	expect_refused(t, "\"id\":1", "\"id\":2", "steps count");
	expect_refused(t, "\"subject\":\"n1\"", "\"subject\":\"evil\"", "not a node");
	expect_refused(t, "\"subject\":\"n1\"", "\"old\":\"n1\"", "without a subject");
	expect_refused(t, "\"inject_bench\":null", "\"inject_bench\":\"zz\"", "zz");
	expect_refused(t, "\"own\":null", "\"own\":\"n9\"", "$.own");
	expect_refused(t, "\"own\":null", "\"own\":1", "$.own");
	expect_refused(t, "\"own\":null", "\"absent\":7", "$.absent");
	expect_refused(t, "\"own\":null", "\"absent\":[7]", "$.absent[0]");
	expect_refused(t, "\"own\":null", "\"absent\":[{\"node\":\"n9\"}]", "reason");
	expect_refused(t, "\"own\":null", "\"absent\":[{\"node\":7,\"reason\":\"\"}]", "node");
	expect_refused(t, "\"own\":null", "\"absent\":[{\"node\":\"n 9\",\"reason\":\"x\"}]",
	               "letters");
	expect_refused(t, "\"own\":null", "\"absent\":[{\"node\":\"n2\",\"reason\":\"x\"}]",
	               "n2 is named twice");
	expect_refused(t, "\"own\":null",
	               "\"absent\":[{\"node\":\"n9\",\"reason\":\"x\"},"
	               "{\"node\":\"n9\",\"reason\":\"x\"}]",
	               "n9 is named twice");
	expect_refused(t, "\"own\":null", "\"absent\":[{\"node\":\"cluster\",\"reason\":\"x\"}]",
	               "cluster");
	expect_refused(t, "\"groups\":[\"all\"]", "\"groups\":[1]", "groups");
	expect_refused(t, "\"steps\":[", "\"steps\":[7,", "object");
	expect_refused(t, "\"jobs\":[", "\"jobs\":[null,", "object");
	expect_refused(t, "\"bench\":\"mpi.latency\"", "\"bench\":\"mpi.nothing\"", "benchmark");
	js_put(o);
	buf_free(&b);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_reads_back_the_same),
		cmocka_unit_test(hostile_plans_are_refused_with_their_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rule files: what is right is read, what is wrong is told with its place and the nearest word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/rules_parts.h"

static const char day[] = "2026-06-01";

#define HEAD                                                                                       \
	"\"id\":\"a\",\"title\":\"t\",\"severity\":\"error\",\"confidence\":\"likely\","           \
	"\"next\":\"n\",\"refute\":\"r\",\"source\":\"s\","
#define RULE(rest) "{\"schema\":1,\"rules\":[{" HEAD rest "}]}"
#define NODE       "\"scope\":\"node\",\"message\":\"m\","

static int read_text(const char *text, struct rules *out, struct hb_err *err)
{
	json_object *o = NULL;

	*err = (struct hb_err){ 0 };
	assert_int_equal(js_parse(text, strlen(text), "f", &o, err), HB_OK);
	int rc = rules_from_json(o, "f", day, out, err);
	js_put(o);
	return rc;
}

static void wants(const char *text, const char *says)
{
	struct rules r = { 0 };
	struct hb_err err;

	if (read_text(text, &r, &err) == HB_OK)
		fail_msg("taken: %s", text);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	assert_null(strchr(err.text, '\n'));
	rules_free(&r);
}

static void what_is_wrong_is_told_with_its_place_and_the_nearest_word(void **state)
{
	(void)state;
	wants("{\"rules\":[]}", "schema");
	wants("{\"schema\":2}", "this version reads schema 1");
	wants("{\"schema\":1,\"rule\":[]}", "did you mean \"rules\"");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"net.mut\",\"is\":[\"1\"]}]"),
	      "f: $.rules[0].when[0].key: no fact 'net.mut'; did you mean 'net.mtu'?");
	wants(RULE(NODE "\"when\":[{\"test\":\"difers\",\"key\":\"net.mtu\"}]"),
	      "$.rules[0].when[0].test: no test 'difers'; did you mean 'differs'?");
	wants(RULE(NODE "\"when\":[{\"test\":\"differs\",\"key\":\"net.mtu\",\"above\":1}]"),
	      "above");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"net.mtu\"}]"), "needs one of is");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"net.mtu\",\"is\":[\"1\"],"
	                "\"below\":2}]"),
	      "one of is, below");
	wants(RULE(NODE "\"when\":[{\"test\":\"counter\",\"name\":[\"x\"]}]"), "also needs above");
	wants(RULE(NODE "\"when\":[]"), "1 to 16 tests");
	wants(RULE(NODE "\"when\":[{\"test\":\"shared\",\"key\":\"net.mtu\"}]"), "of their own");
	wants(RULE(NODE "\"when\":[{\"test\":\"differs\",\"key\":\"net.mac\"}]"),
	      "nothing to compare");
	wants(RULE(NODE "\"when\":[{\"test\":\"changed\",\"key\":\"cpu.hz\"}]"),
	      "baselines do not keep");
	wants(RULE(NODE "\"when\":[{\"test\":\"ends\",\"key\":\"net.mtu\"}]"), "scope pair");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"gpu.ecc\",\"is\":[\"true\"]}]"),
	      "yes or no");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"net.mtu\",\"is\":[]}]"),
	      "1 to 64 texts");
	wants(RULE(NODE "\"when\":[{\"test\":\"fact\",\"key\":\"net.mtu\",\"is\":[\"a\\nb\"]}]"),
	      "control characters");
	wants(RULE("\"scope\":\"device\",\"message\":\"m\",\"when\":[{\"test\":\"slow\"}]"),
	      "scope device needs a test of a device");
}

static void a_placeholder_that_no_test_can_fill_is_refused(void **state)
{
	struct rules r = { 0 };
	struct hb_err err;

	(void)state;
	wants(RULE("\"scope\":\"node\",\"message\":\"{was}\",\"when\":[{\"test\":\"slow\"}]"),
	      "no test of 'when' knows {was}");
	wants(RULE("\"scope\":\"node\",\"message\":\"{valu}\",\"when\":[{\"test\":\"slow\"}]"),
	      "did you mean 'value'?");
	assert_int_equal(read_text(RULE("\"scope\":\"node\",\"message\":\"{node} {value} {x y}\","
	                                "\"when\":[{\"test\":\"slow\"}]"),
	                           &r, &err),
	                 HB_OK);
	rules_free(&r);
}

static void an_id_is_taken_once_in_a_file_and_replaced_by_a_later_one(void **state)
{
	static const char one[] = "{" HEAD NODE "\"when\":[{\"test\":\"slow\"}]}";
	char *twice = hb_format("{\"schema\":1,\"rules\":[%s,%s]}", one, one);
	char *once = hb_format("{\"schema\":1,\"rules\":[%s]}", one);
	struct rules r = { 0 };
	struct hb_err err = { 0 };
	json_object *o = NULL;

	(void)state;
	wants(twice, "$.rules[1]: the id 'a' is taken");
	assert_int_equal(read_text(once, &r, &err), HB_OK);
	assert_int_equal(js_parse(once, strlen(once), "g", &o, &err), HB_OK);
	assert_int_equal(rules_from_json(o, "site.json", day, &r, &err), HB_OK);
	assert_int_equal(r.n, 1);
	assert_string_equal(r.v[0].file, "site.json");
	assert_ptr_equal(rules_find(&r, "a"), &r.v[0]);
	assert_null(rules_find(&r, "b"));
	js_put(o);
	rules_free(&r);
	free(twice);
	free(once);
}

static void a_suppression_needs_a_reason_and_a_day_and_ends_behind_it(void **state)
{
	struct rules r = { 0 };
	struct hb_err err;

	(void)state;
	wants("{\"schema\":1,\"suppress\":[{\"rule\":\"a\",\"reason\":\"x\"}]}", "until");
	wants("{\"schema\":1,\"suppress\":[{\"rule\":\"a\",\"until\":\"2026-06-01\"}]}", "reason");
	wants("{\"schema\":1,\"suppress\":[{\"rule\":\"a\",\"reason\":\"x\",\"until\":\"soon\"}]}",
	      "$.suppress[0].until");
	assert_int_equal(read_text("{\"schema\":1,\"suppress\":["
	                           "{\"rule\":\"a\",\"reason\":\"x\",\"until\":\"2026-05-31\"},"
	                           "{\"rule\":\"a\",\"reason\":\"x\",\"until\":\"2026-06-01\"}]}",
	                           &r, &err),
	                 HB_OK);
	assert_true(r.suppress[0].expired);
	assert_false(r.suppress[1].expired);
	rules_free(&r);
}

/* ---- the schema beside the rules ---- */

static json_object *at(json_object *o, const char *path)
{
	char *copy = hb_strdup(path), *rest = copy;

	for (char *word; o && (word = strsep(&rest, "/")) != NULL;) {
		json_object *next = NULL;
		json_object_object_get_ex(o, word, &next);
		o = next;
	}
	free(copy);
	if (!o)
		fail_msg("the schema has no %s", path);
	return o;
}

static bool lists(json_object *list, const char *word)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), word) == 0)
			return true;
	return false;
}

static void the_schema_names_the_tests_and_members_that_the_table_has(void **state)
{
	const char *path = getenv("RULES_SCHEMA_FILE");
	json_object *o = NULL, *tests, *members, *v = NULL;
	struct hb_err err = { 0 };
	size_t n = 0;

	(void)state;
	assert_non_null(path);
	if (js_read_file(path, 1 << 20, &o, &err) != HB_OK)
		fail_msg("%s", err.text);
	tests = at(o, "$defs/test/properties/test/enum");
	members = at(o, "$defs/test/properties");
	assert_int_equal(json_object_array_length(tests), TEST_KINDS);
	for (int k = 0; k < TEST_KINDS; k++)
		if (!lists(tests, rule_tests[k].name))
			fail_msg("the schema has no test %s", rule_tests[k].name);
	for (int i = 0; i < RULE_FIELDS; i++) {
		const struct rule_field_info *f = &rule_fields[i];
		if (!json_object_object_get_ex(members, f->name, &v))
			fail_msg("the schema has no member %s", f->name);
		json_object *choices = NULL;
		if (f->type != FIELD_TYPE_CHOICE)
			continue;
		assert_true(json_object_object_get_ex(v, "enum", &choices));
		for (size_t c = 0; f->choices[c]; c++)
			if (!lists(choices, f->choices[c]))
				fail_msg("the schema's %s lacks %s", f->name, f->choices[c]);
	}
	json_object_object_foreach(members, name, unused)
	{
		(void)name;
		(void)unused;
		n++;
	}
	assert_int_equal(n, RULE_FIELDS + 1);
	js_put(o);
}

static void each_kind_of_test_is_told_in_words(void **state)
{
	static const struct {
		const char *test, *words;
	} rows[] = {
		{ "{\"test\":\"differs\",\"key\":\"net.mtu\"}", "net.mtu differs from its peers" },
		{ "{\"test\":\"less\",\"key\":\"rdma.pcie_gts\",\"than\":\"rdma.pcie_gts_max\"}",
		  "rdma.pcie_gts is less than rdma.pcie_gts_max" },
		{ "{\"test\":\"fact\",\"key\":\"cpu.governor\",\"not\":[\"performance\"]}",
		  "cpu.governor is not performance" },
		{ "{\"test\":\"counter\",\"name\":[\"a\",\"b\"],\"above\":10,\"per\":\"second\"}",
		  "counter a or b moved by more than 10 a second" },
		{ "{\"test\":\"slow\",\"bench\":[\"mpi.*\"],\"loss\":0.1}",
		  "mpi.* is slow by at least 10.0 %" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = hb_format(RULE(NODE "\"when\":[%s]"), rows[i].test);
		struct rules r = { 0 };
		struct hb_err err;
		struct buf words = BUF_INIT;
		if (read_text(text, &r, &err) != HB_OK)
			fail_msg("%s", err.text);
		assert_true(rule_words(&r.v[0], true, 0, &words));
		assert_string_equal(buf_text(&words), rows[i].words);
		assert_false(rule_words(&r.v[0], true, 1, &words));
		assert_false(rule_words(&r.v[0], false, 0, &words));
		buf_free(&words);
		rules_free(&r);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_told_with_its_place_and_the_nearest_word),
		cmocka_unit_test(a_placeholder_that_no_test_can_fill_is_refused),
		cmocka_unit_test(an_id_is_taken_once_in_a_file_and_replaced_by_a_later_one),
		cmocka_unit_test(a_suppression_needs_a_reason_and_a_day_and_ends_behind_it),
		cmocka_unit_test(the_schema_names_the_tests_and_members_that_the_table_has),
		cmocka_unit_test(each_kind_of_test_is_told_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

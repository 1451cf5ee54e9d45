/* Node sets: what hostlist form means, and what it refuses without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plan/nodeset.h"

static void expect_names(const char *text, const char *names)
{
	struct nodeset s;
	struct hb_err err = { HB_OK, "" };
	struct buf b = BUF_INIT;
	if (nodeset_parse(text, &s, &err) != HB_OK)
		fail_msg("%s: %s", text, err.text);
	for (size_t i = 0; i < s.n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", s.v[i]);
	assert_string_equal(buf_text(&b), names);
	buf_free(&b);
	nodeset_free(&s);
}

static void expect_refused(const char *text, const char *place, const char *why)
{
	struct nodeset s;
	struct hb_err err = { HB_OK, "" };
	assert_int_equal(nodeset_parse(text, &s, &err), HB_E_FORMAT);
	if (!strstr(err.text, place) || !strstr(err.text, why))
		fail_msg("'%s' gave: %s", text, err.text);
	assert_int_equal(s.n, 0);
	assert_null(s.v);
}

static void brackets_expand_in_order(void **state)
{
	(void)state;
	expect_names("login1", "login1");
	expect_names("n[1-3]", "n1 n2 n3");
	expect_names("n[3,1]", "n3 n1");
	expect_names("n[08-11]", "n08 n09 n10 n11");
	expect_names("n[098-101]", "n098 n099 n100 n101");
	expect_names("n[1-2],m[5]-ib,x.y", "n1 n2 m5-ib x.y");
	expect_names("r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02");
	expect_names("[7-8]", "7 8");
}

static void malformed_sets_are_one_clear_line(void **state)
{
	(void)state;
	expect_refused("", "character 1", "empty name");
	expect_refused("n1,", "character 4", "empty name");
	expect_refused(",n1", "character 1", "empty name");
	expect_refused("n1,,n2", "character 4", "empty name");
	expect_refused("n[3-1]", "character 3", "backwards");
	expect_refused("n[1-99999999]", "n[1-99999999]", "more than 65536 nodes");
	expect_refused("n[1-18446744073709551615]", "character 5", "more than 18 digits");
	expect_refused("n[1-999]m[1-999]", "n[1-999]m[1-999]", "more than 65536");
	expect_refused("a[1-40000],b[1-40000]", "a[1", "more than 65536");
	expect_refused("n[1", "character 2", "not closed");
	expect_refused("n[1,", "character 5", "not closed");
	expect_refused("n[", "character 3", "not closed");
	expect_refused("n[]", "character 3", "number");
	expect_refused("n[1-]", "character 5", "number");
	expect_refused("n[a]", "character 3", "number");
	expect_refused("n1]", "character 3", "without '['");
	expect_refused("n[1[2]]", "character 4", "expected");
	expect_refused("n[1]n[1]n[1]n[1]n[1]", "character 18", "more than 4 brackets");
	expect_refused("n 1", "character 2", "letters, digits");
	expect_refused("n1;reboot", "character 3", "letters, digits");
	expect_refused("-w", "character 1", "begin");
	expect_refused("n1,-w", "character 4", "begin");
	expect_refused("..", "character 1", "begin");
	expect_refused("n[1-010]", "character 3", "padded");
}

static void a_repeated_node_is_an_error(void **state)
{
	(void)state;
	expect_refused("n1,n2,n1", "n1", "twice");
	expect_refused("n[1-5],n3", "n3", "twice");
	expect_refused("n[1,1]", "n1", "twice");
}

static void names_have_a_longest_length(void **state)
{
	char text[400];
	struct nodeset s;
	(void)state;
	memset(text, 'n', sizeof(text));
	text[NODESET_NAME_MAX] = '\0';
	assert_int_equal(nodeset_parse(text, &s, NULL), HB_OK);
	nodeset_free(&s);
	text[NODESET_NAME_MAX] = 'n';
	text[NODESET_NAME_MAX + 1] = '\0';
	expect_refused(text, "character 1", "more than 255");
}

static void the_largest_set_is_taken(void **state)
{
	struct nodeset s;
	struct buf b = BUF_INIT;
	(void)state;
	assert_int_equal(nodeset_parse("n[00001-65536]", &s, NULL), HB_OK);
	assert_int_equal(s.n, NODESET_MAX);
	assert_int_equal(nodeset_add(&s, "one-more", NULL), HB_E_FORMAT);
	nodeset_format(&s, &b);
	assert_string_equal(buf_text(&b), "n[00001-65536]");
	buf_free(&b);
	nodeset_free(&s);
}

static void formatting_parses_back_to_the_same_set(void **state)
{
	static const char *const cases[][2] = {
		{ "n1", "n1" },
		{ "n1,n2,n3", "n[1-3]" },
		{ "n3,n2,n1", "n[3,2,1]" },
		{ "n08,n09,n10,n11", "n[08-11]" },
		{ "n8,n9,n10", "n[8-10]" },
		{ "n9,n010", "n[9,010]" },
		{ "n1,n2,n4,m1,m2,n5", "n[1-2,4],m[1-2],n5" },
		{ "n1-ib,n2-ib,n3", "n[1-2]-ib,n3" },
		{ "a,b,c1", "a,b,c1" },
		{ "r1n1,r1n2,r2n1", "r1n[1-2],r2n1" },
		{ "n000,n001", "n[000-001]" },
		{ "x9999999999999999999,x1", "x9999999999999999999,x1" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nodeset s, back;
		struct buf b = BUF_INIT;
		assert_int_equal(nodeset_parse(cases[i][0], &s, NULL), HB_OK);
		nodeset_format(&s, &b);
		assert_string_equal(buf_text(&b), cases[i][1]);
		assert_int_equal(nodeset_parse(buf_text(&b), &back, NULL), HB_OK);
		assert_int_equal(back.n, s.n);
		for (size_t k = 0; k < s.n; k++)
			assert_string_equal(back.v[k], s.v[k]);
		buf_free(&b);
		nodeset_free(&s);
		nodeset_free(&back);
	}
}

static void nodes_are_added_and_found(void **state)
{
	struct nodeset s = { 0 };
	struct hb_err err;
	(void)state;
	assert_int_equal(nodeset_add(&s, "a", &err), HB_OK);
	assert_int_equal(nodeset_add(&s, "b", &err), HB_OK);
	assert_int_equal(nodeset_add(&s, "a", &err), HB_E_FORMAT);
	assert_int_equal(nodeset_add(&s, "", &err), HB_E_FORMAT);
	assert_int_equal(nodeset_add(&s, "-x", &err), HB_E_FORMAT);
	assert_int_equal(nodeset_add(&s, "a/b", &err), HB_E_FORMAT);
	assert_int_equal(nodeset_find(&s, "b"), 1);
	assert_int_equal(nodeset_find(&s, "c"), -1);
	nodeset_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(brackets_expand_in_order),
		cmocka_unit_test(malformed_sets_are_one_clear_line),
		cmocka_unit_test(a_repeated_node_is_an_error),
		cmocka_unit_test(names_have_a_longest_length),
		cmocka_unit_test(the_largest_set_is_taken),
		cmocka_unit_test(formatting_parses_back_to_the_same_set),
		cmocka_unit_test(nodes_are_added_and_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Suites: the shipped ones load, what is written reads back, and every slip is named with its
 * place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/suite.h"

static int load(const char *text, struct suite *s, struct hb_err *err)
{
	json_object *o = NULL;
	if (js_parse(text, strlen(text), "s.json", &o, err) != HB_OK)
		fail_msg("%s", err->text);
	int rc = suite_from_json(o, "s.json", s, err);
	js_put(o);
	return rc;
}

static void expect_refused(const char *text, const char *place, const char *why)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	int rc = load(text, &s, &err);
	assert_true(rc == HB_E_FORMAT || rc == HB_E_USAGE); /* an option may be known and refused */
	if (!strstr(err.text, place) || !strstr(err.text, why))
		fail_msg("%s\n  gave: %s", text, err.text);
	assert_null(s.entries);
	assert_null(s.name);
}

static void shipped_suites_load_by_name(void **state)
{
	char **names = suite_names();
	size_t n = 0;
	(void)state;
	for (; names[n]; n++) {
		struct suite s;
		struct hb_err err = { HB_OK, "" };
		if (suite_load(names[n], &s, &err) != HB_OK)
			fail_msg("%s: %s", names[n], err.text);
		assert_string_equal(s.name, names[n]);
		assert_true(strlen(s.summary) > 0);
		suite_free(&s);
	}
	assert_true(n >= 2);
	suite_names_free(names);
}

static void an_unknown_suite_names_the_nearest(void **state)
{
	struct suite s;
	struct hb_err err;
	(void)state;
	assert_int_equal(suite_load("quik", &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "did you mean 'quick'?"));
	assert_int_equal(suite_load("zzzzzz", &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "pairs, probe, quick"));
	assert_int_equal(suite_load("./nowhere.json", &s, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "./nowhere.json"));
}

static void the_data_path_can_be_moved(void **state)
{
	struct suite s;
	struct hb_err err;
	(void)state;
	setenv("HPCBENCH_DATA_PATH", "/nonexistent", 1);
	assert_int_equal(suite_load("quick", &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "/nonexistent"));
	char *path = suite_data_path("a/b");
	assert_string_equal(path, "/nonexistent/a/b");
	free(path);
	unsetenv("HPCBENCH_DATA_PATH");
}

#define ENTRY(text) "{\"schema\":1,\"name\":\"x\",\"benches\":[" text "]}"

static void an_entry_has_its_values_or_their_defaults(void **state)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	if (load(ENTRY("{\"bench\":\"mpi.latency\"},"
	               "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8..64\","
	               "\"datatype\":\"double\"},\"precision\":\"2%\",\"max_time\":\"500ms\","
	               "\"max_iters\":7,\"deadline\":30,\"floor\":0.1,\"tolerance\":\"20%\","
	               "\"rpn\":4,\"verify\":false}"),
	         &s, &err) != HB_OK)
		fail_msg("%s", err.text);
	const struct suite_entry *a = &s.entries[0], *b = &s.entries[1];
	assert_int_equal(s.rounds, 5);
	assert_ptr_equal(a->info, catalog_find("mpi.latency"));
	assert_float_equal(a->precision, 0.01, 1e-12);
	assert_float_equal(a->max_time_s, 2, 1e-12);
	assert_float_equal(a->deadline_s, 60, 1e-12);
	assert_float_equal(a->floor, a->info->floor, 1e-12);
	assert_float_equal(a->tolerance, 0, 1e-12);
	assert_int_equal(a->rpn, 1);
	assert_true(a->verify);
	assert_float_equal(b->precision, 0.02, 1e-12);
	assert_float_equal(b->max_time_s, 0.5, 1e-12);
	assert_float_equal(b->deadline_s, 30, 1e-12);
	assert_float_equal(b->floor, 0.1, 1e-12);
	assert_float_equal(b->tolerance, 0.2, 1e-12);
	assert_int_equal(b->max_iters, 7);
	assert_int_equal(b->rpn, 4);
	assert_false(b->verify);
	assert_string_equal(((struct mpi_opts *)b->opts)->sizes, "8..64");
	assert_int_equal(((struct mpi_opts *)b->opts)->datatype, DATATYPE_DOUBLE);
	suite_free(&s);
}

static void what_is_written_reads_back_the_same(void **state)
{
	char **names = suite_names();
	(void)state;
	for (size_t i = 0; names[i]; i++) {
		struct suite s, back;
		struct hb_err err = { HB_OK, "" };
		struct buf a = BUF_INIT, b = BUF_INIT;
		assert_int_equal(suite_load(names[i], &s, &err), HB_OK);
		json_object *o = suite_to_json(&s);
		if (suite_from_json(o, "again", &back, &err) != HB_OK)
			fail_msg("%s", err.text);
		json_object *o2 = suite_to_json(&back);
		js_write(o, JS_SORTED, &a);
		js_write(o2, JS_SORTED, &b);
		assert_string_equal(buf_text(&a), buf_text(&b));
		assert_int_equal(back.n_entries, s.n_entries);
		js_put(o);
		js_put(o2);
		buf_free(&a);
		buf_free(&b);
		suite_free(&s);
		suite_free(&back);
	}
	suite_names_free(names);
}

static void slips_are_named_with_their_place_and_the_nearest_word(void **state)
{
	(void)state;
	expect_refused("[]", "s.json", "object");
	expect_refused("{}", "$.schema", "missing");
	expect_refused("{\"schema\":2,\"name\":\"x\",\"benches\":[]}", "$.schema", "1");
	expect_refused("{\"schema\":1,\"name\":\"x\"}", "$.benches", "missing");
	expect_refused("{\"schema\":1,\"name\":\"../x\",\"benches\":[{}]}", "s.json", "letters");
	expect_refused("{\"schema\":1,\"name\":\"x\",\"bences\":[]}", "s.json",
	               "did you mean \"benches\"");
	expect_refused("{\"schema\":1,\"name\":\"x\",\"rounds\":-1,\"benches\":[]}", "$.rounds",
	               "range");
	expect_refused(ENTRY(""), "$.benches", "1 to 64");
	expect_refused(ENTRY("7"), "$.benches[0]", "object");
	expect_refused(ENTRY("{}"), "$.benches[0].bench", "missing");
	expect_refused(ENTRY("{\"bench\":\"mpi.latncy\"}"), "$.benches[0].bench",
	               "did you mean 'mpi.latency'");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\"},{\"bench\":\"zz\"}"),
	               "$.benches[1].bench", "no benchmark 'zz'");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"presicion\":1}"), "$.benches[0]",
	               "did you mean \"precision\"");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"options\":{\"sise\":8}}"),
	               "$.benches[0].options", "sizes");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"x\"}}"),
	               "$.benches[0].options", "x");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"options\":7}"), "$.benches[0].options",
	               "object");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"max_time\":\"soon\"}"), "$.benches[0]",
	               "max_time");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"max_time\":0}"), "$.benches[0].max_time",
	               "outside");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"max_time\":9,\"deadline\":5}"),
	               "$.benches[0].deadline", "outside");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"precision\":\"90%\"}"),
	               "$.benches[0].precision", "outside");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"rpn\":0}"), "$.benches[0]", "rpn");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"rpn\":99999}"), "$.benches[0]", "rpn");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"verify\":1}"), "$.benches[0].verify",
	               "true or false");
}

static void groups_have_sizes_that_ascend_and_may_end_with_all(void **state)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	if (load("{\"schema\":1,\"name\":\"x\",\"max_pairs\":3,\"benches\":[{\"bench\":"
	         "\"mpi.allreduce\",\"groups\":[2,16,\"all\"],\"options\":{\"sizes\":\"8\"}},"
	         "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"16\"}}]}",
	         &s, &err) != HB_OK)
		fail_msg("%s", err.text);
	assert_int_equal(s.max_pairs, 3);
	assert_int_equal(s.entries[0].n_groups, 3);
	assert_int_equal(s.entries[0].groups[0], 2);
	assert_int_equal(s.entries[0].groups[1], 16);
	assert_int_equal(s.entries[0].groups[2], SUITE_GROUP_ALL);
	assert_int_equal(s.entries[1].n_groups, 1);
	assert_int_equal(s.entries[1].groups[0], SUITE_GROUP_ALL);
	json_object *o = suite_to_json(&s);
	struct buf b = BUF_INIT;
	js_write(o, JS_PLAIN, &b);
	assert_non_null(strstr(buf_text(&b), "\"groups\":[2,16,\"all\"]"));
	assert_non_null(strstr(buf_text(&b), "\"max_pairs\":3"));
	buf_free(&b);
	js_put(o);
	suite_free(&s);
}

#define GROUPS(list) ENTRY("{\"bench\":\"mpi.allreduce\",\"groups\":" list "}")

static void slips_in_groups_are_named(void **state)
{
	(void)state;
	expect_refused(GROUPS("[]"), "$.benches[0].groups", "expected 1 to 16");
	expect_refused(GROUPS("2"), "$.benches[0].groups", "array");
	expect_refused(GROUPS("[1]"), "$.benches[0].groups[0]", "2 to 65536");
	expect_refused(GROUPS("[-2]"), "$.benches[0].groups[0]", "2 to 65536");
	expect_refused(GROUPS("[0]"), "$.benches[0].groups[0]", "2 to 65536");
	expect_refused(GROUPS("[2.5]"), "$.benches[0].groups[0]", "2 to 65536");
	expect_refused(GROUPS("[4294967298]"), "$.benches[0].groups[0]", "2 to 65536");
	expect_refused(GROUPS("[\"ALL\"]"), "$.benches[0].groups[0]", "\"all\"");
	expect_refused(GROUPS("[2,2]"), "$.benches[0].groups[1]", "ascend");
	expect_refused(GROUPS("[4,2]"), "$.benches[0].groups[1]", "ascend");
	expect_refused(GROUPS("[\"all\",4]"), "$.benches[0].groups[1]", "follow");
	expect_refused(GROUPS("[\"all\",\"all\"]"), "$.benches[0].groups[1]", "follow");
	expect_refused(GROUPS("[2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]"), "groups", "17");
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"groups\":[\"all\"]}"),
	               "$.benches[0].groups", "mpi.latency does not measure groups");
	expect_refused("{\"schema\":1,\"name\":\"x\",\"max_pairs\":-1,\"benches\":[{\"bench\":"
	               "\"mpi.latency\"}]}",
	               "$.max_pairs", "0");
}

static void the_same_case_twice_is_refused(void **state)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	expect_refused(ENTRY("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"}},"
	                     "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"64,1Ki\"}}"),
	               "mpi.latency, 64 bytes", "twice");
	if (load(ENTRY("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"}},"
	               "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"1Ki\"}},"
	               "{\"bench\":\"mpi.allreduce\",\"rpn\":1},"
	               "{\"bench\":\"mpi.allreduce\",\"rpn\":2}"),
	         &s, &err) != HB_OK)
		fail_msg("%s", err.text);
	suite_free(&s);
}

static void benches_can_be_chosen_by_name(void **state)
{
	struct suite s;
	struct hb_err err;
	(void)state;
	assert_int_equal(suite_of_benches("mpi.latency,node.memory", &s, &err), HB_OK);
	assert_int_equal(s.n_entries, 2);
	assert_string_equal(s.entries[1].info->name, "node.memory");
	suite_free(&s);
	assert_int_equal(suite_of_benches("mpi.latency,mpi.latency", &s, &err), HB_E_USAGE);
	assert_int_equal(suite_of_benches("mpi.latency,,", &s, &err), HB_E_USAGE);
	assert_int_equal(suite_of_benches("mpi.latenzy", &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "did you mean 'mpi.latency'?"));
	assert_null(s.entries);
}

static void overrides_keep_choose_and_set(void **state)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	assert_int_equal(suite_load("quick", &s, &err), HB_OK);
	assert_int_equal(suite_override(&s, "mpi.bandwidth,mpi.latency", "8,4Mi", 0.03, 100, &err),
	                 HB_OK);
	assert_int_equal(s.n_entries, 2);
	assert_string_equal(s.entries[0].info->name, "mpi.latency");
	assert_string_equal(((struct mpi_opts *)s.entries[0].opts)->sizes, "8,4Mi");
	assert_float_equal(s.entries[1].precision, 0.03, 1e-12);
	assert_float_equal(s.entries[1].max_time_s, 100, 1e-12);
	assert_true(s.entries[1].deadline_s >= 200);
	assert_int_equal(suite_override(&s, "node.memory", NULL, 0, 0, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "does not measure node.memory"));
	assert_int_equal(suite_override(&s, "mpi.ltency", NULL, 0, 0, &err), HB_E_USAGE);
	assert_int_equal(suite_override(&s, NULL, "x", 0, 0, &err), HB_E_USAGE);
	assert_int_equal(s.n_entries, 2);
	suite_free(&s);
}

static void sizes_go_to_the_benchmarks_that_can_take_them(void **state)
{
	struct suite s;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	assert_int_equal(suite_load("quick", &s, &err), HB_OK);
	assert_null(s.note);
	assert_int_equal(suite_override(&s, NULL, "8,64Ki", 0, 0, &err), HB_OK);
	assert_string_equal(s.entries[0].info->name, "node.memory");
	assert_string_equal(((struct memory_opts *)s.entries[0].opts)->sizes, "64Mi");
	assert_string_equal(((struct mpi_opts *)s.entries[1].opts)->sizes, "8,64Ki");
	assert_non_null(s.note);
	assert_non_null(strstr(s.note, "node.memory keeps the suite's sizes"));
	/* Where nobody can, it is the word itself that is wrong. */
	assert_int_equal(suite_override(&s, "node.memory", "8", 0, 0, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "--sizes 8"));
	assert_null(strstr(err.text, "--precision"));
	suite_free(&s);
}

static void overrides_that_make_two_cases_equal_are_refused(void **state)
{
	struct suite s;
	struct hb_err err;
	(void)state;
	assert_int_equal(load(ENTRY("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}},"
	                            "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"64\"}}"),
	                      &s, &err),
	                 HB_OK);
	assert_true(suite_override(&s, NULL, "1Ki", 0, 0, &err) < 0);
	assert_non_null(strstr(err.text, "twice"));
	suite_free(&s);
}

static void how_much_foreign_load_is_borne_can_be_said(void **state)
{
	static const struct {
		const char *text;
		bool given;
		double cpu, nic;
	} cases[] = {
		{ "", false, 0.25, 0.1 },
		{ "\"disturbed\":{},", true, 0.25, 0.1 },
		{ "\"disturbed\":null,", true, 0, 0 },
		{ "\"disturbed\":{\"cpu\":\"50%\"},", true, 0.5, 0.1 },
		{ "\"disturbed\":{\"cpu\":null,\"nic\":0.3},", true, 0, 0.3 },
		{ "\"disturbed\":{\"nic\":0},", true, 0.25, 0 },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hb_err err = { HB_OK, "" };
		struct suite s, again;
		json_object *o;
		snprintf(
		        text, sizeof(text),
		        "{\"schema\":1,\"name\":\"x\",%s\"benches\":[{\"bench\":\"mpi.latency\"}]}",
		        cases[i].text);
		if (load(text, &s, &err) != HB_OK)
			fail_msg("%s", err.text);
		o = suite_to_json(&s);
		assert_int_equal(suite_from_json(o, "again", &again, &err), HB_OK);
		js_put(o);
		for (const struct suite *v = &s; v; v = v == &s ? &again : NULL) {
			assert_int_equal(v->disturbed.given, cases[i].given);
			assert_true(v->disturbed.cpu == cases[i].cpu);
			assert_true(v->disturbed.nic == cases[i].nic);
		}
		suite_free(&s);
		suite_free(&again);
	}
#define WITH(text)                                                                                 \
	"{\"schema\":1,\"name\":\"x\",\"disturbed\":" text                                         \
	",\"benches\":[{\"bench\":\"mpi.latency\"}]}"
	expect_refused(WITH("1"), "$.disturbed", "expected an object");
	expect_refused(WITH("{\"cpu\":-1}"), "$.disturbed.cpu", "outside");
	expect_refused(WITH("{\"nic\":\"much\"}"), "$.disturbed.nic", "not a share");
	expect_refused(WITH("{\"nic\":[]}"), "$.disturbed.nic", "ratio");
	expect_refused(WITH("{\"cpus\":1}"), "$.disturbed", "did you mean \"cpu\"");
#undef WITH
}

static void expect_properties(json_object *schema, const char *const *known)
{
	json_object *props = NULL;
	size_t n = 0;
	assert_true(json_object_object_get_ex(schema, "properties", &props));
	for (; known[n]; n++)
		if (!json_object_object_get_ex(props, known[n], NULL))
			fail_msg("the schema does not have \"%s\"", known[n]);
	/* Besides them only what every file of ours may have. */
	assert_true(json_object_object_get_ex(props, "$schema", NULL));
	assert_true(json_object_object_get_ex(props, "comment", NULL));
	assert_int_equal((size_t)json_object_object_length(props), n + 2);
}

static void the_schema_file_has_the_keys_of_the_parser(void **state)
{
	struct hb_err err = { HB_OK, "" };
	char *path = suite_data_path("suites/suite.schema.json");
	json_object *o = NULL, *defs = NULL, *entry = NULL;
	(void)state;
	if (js_read_file(path, 1 << 20, &o, &err) != HB_OK)
		fail_msg("%s", err.text);
	expect_properties(o, suite_keys);
	assert_true(json_object_object_get_ex(o, "$defs", &defs));
	assert_true(json_object_object_get_ex(defs, "entry", &entry));
	expect_properties(entry, suite_entry_keys);
	js_put(o);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_suites_load_by_name),
		cmocka_unit_test(an_unknown_suite_names_the_nearest),
		cmocka_unit_test(the_data_path_can_be_moved),
		cmocka_unit_test(an_entry_has_its_values_or_their_defaults),
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(slips_are_named_with_their_place_and_the_nearest_word),
		cmocka_unit_test(groups_have_sizes_that_ascend_and_may_end_with_all),
		cmocka_unit_test(slips_in_groups_are_named),
		cmocka_unit_test(the_same_case_twice_is_refused),
		cmocka_unit_test(benches_can_be_chosen_by_name),
		cmocka_unit_test(overrides_keep_choose_and_set),
		cmocka_unit_test(sizes_go_to_the_benchmarks_that_can_take_them),
		cmocka_unit_test(overrides_that_make_two_cases_equal_are_refused),
		cmocka_unit_test(how_much_foreign_load_is_borne_can_be_said),
		cmocka_unit_test(the_schema_file_has_the_keys_of_the_parser),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

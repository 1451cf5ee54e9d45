#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (1.0 + fabs(b))))
		fail_msg("%.15g, not %.15g", a, b);
}

#define KEY                                                                                        \
	"\"key\":{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":{},"      \
	"\"bytes\":1,\"nodes\":1,\"rpn\":1},\"unit\":\"ns\""
#define TOP "{\"schema\":1,\"runs\":[\"a\",\"b\"],\"entries\":["

static void baseline_reads_back_with_the_same_figures(void **state)
{
	char path[] = "/tmp/hpcbench-baseline-XXXXXX";
	struct baseline b, again;
	struct buf text = BUF_INIT;
	struct hb_err err = { 0 };
	json_object *o;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	rows_baseline(6, 0.01, &b);
	near(b.entries[0].floor, 0.03); /* of the rows */
	b.entries[1].floor = 0.2;
	b.entries[1].tolerance = 0.3;
	b.name = hb_strdup("golden");
	b.created = hb_strdup("2026-01-01T00:00:00Z");
	b.entries[0].series[0].y[2] = NAN;
	baseline_derive(&b);
	o = baseline_to_json(&b);
	js_write(o, JS_PRETTY, &text);
	js_put(o);
	assert_int_equal(write(fd, text.data, text.len), (ssize_t)text.len);
	close(fd);
	assert_int_equal(baseline_read(path, &again, &err), HB_OK);
	unlink(path);
	assert_string_equal(again.name, "golden");
	assert_int_equal(again.n_runs, 6);
	assert_int_equal(again.n_entries, b.n_entries);
	for (size_t i = 0; i < b.n_entries; i++) {
		assert_string_equal(again.entries[i].key.text, b.entries[i].key.text);
		near(again.entries[i].s_run, b.entries[i].s_run);
		near(again.entries[i].df_run, b.entries[i].df_run);
		near(again.entries[i].mean, b.entries[i].mean);
		near(again.entries[i].floor, b.entries[i].floor);
		near(again.entries[i].tolerance, b.entries[i].tolerance);
	}
	assert_true(isnan(again.entries[0].series[0].y[2]));
	assert_int_equal(again.entries[0].series[0].n, 5);
	assert_string_equal(again.entries[0].series[0].hw, "hw-1");
	buf_free(&text);
	baseline_free(&b);
	baseline_free(&again);
}

static void a_file_without_floors_has_those_of_the_benchmarks(void **state)
{
	static const char text[] = TOP
	        "{" KEY ",\"series\":[]},"
	        "{\"key\":{\"bench\":\"mpi.latency\",\"metric\":\"lat_p50_ns\","
	        "\"class\":\"c\",\"hw\":\"h\",\"opts\":{},\"bytes\":1,\"nodes\":1,"
	        "\"rpn\":1},\"unit\":\"ns\",\"series\":[]}]}";
	struct baseline b;
	struct hb_err err = { 0 };
	json_object *o = NULL;

	(void)state;
	assert_int_equal(js_parse(text, strlen(text), "test", &o, &err), HB_OK);
	assert_int_equal(baseline_from_json(o, "base.json", &b, &err), HB_OK);
	js_put(o);
	near(b.entries[0].floor, 0.03); /* nobody knows it */
	near(b.entries[1].floor, catalog_find("mpi.latency")->floor);
	near(b.entries[1].tolerance, 0.0);
	baseline_free(&b);
}

static void hostile_baseline_is_one_clear_error(void **state)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "[]", "base.json" },
		{ "{\"schema\":9,\"runs\":[],\"entries\":[]}", "$.schema" },
		{ "{\"schema\":1,\"entries\":[]}", "$.runs" },
		{ "{\"schema\":1,\"runs\":[7],\"entries\":[]}", "$.runs[0]" },
		{ "{\"schema\":1,\"runs\":[\"a\",\"a\"],\"entries\":[]}", "twice" },
		{ "{\"schema\":1,\"runs\":[]}", "$.entries" },
		{ TOP "null]}", "$.entries[0]" },
		{ TOP "{}]}", "$.entries[0].key" },
		{ TOP "{" KEY "}]}", "$.entries[0].series" },
		{ TOP "{" KEY ",\"kind\":\"rack\",\"series\":[]}]}", "$.entries[0].kind" },
		{ TOP "{" KEY ",\"floor\":-1,\"series\":[]}]}", "$.entries[0].floor" },
		{ TOP "{" KEY ",\"tolerance\":\"x\",\"series\":[]}]}", "$.entries[0].tolerance" },
		{ TOP "{" KEY ",\"series\":[3]}]}", "$.entries[0].series[0]" },
		{ TOP "{" KEY ",\"series\":[{\"subject\":\"n\"}]}]}", "$.entries[0].series[0].y" },
		{ TOP "{" KEY ",\"series\":[{\"subject\":\"n\",\"y\":[1]}]}]}",
		  "has 1 figures for 2 runs" },
		{ TOP "{" KEY ",\"series\":[{\"subject\":\"n\",\"y\":[1,\"x\"]}]}]}",
		  "$.entries[0].series[0].y[1]" },
		{ TOP "{" KEY ",\"series\":[{\"subject\":\"n\",\"y\":[1,1e300]}]}]}",
		  "$.entries[0].series[0].y[1]" },
		{ TOP "{" KEY ",\"series\":[{\"subject\":\"n\",\"y\":[1,2]},"
		      "{\"subject\":\"n\",\"y\":[1,2]}]}]}",
		  "twice" },
		{ TOP "{" KEY ",\"series\":[]},{" KEY ",\"series\":[]}]}", "twice" },
		{ "{\"schema\":1,\"runs\":[],\"entries\":[],\"hw\":{\"n\":[]}}", "$.hw.n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct baseline b;
		struct hb_err err = { 0 };
		json_object *o = NULL;

		assert_int_equal(js_parse(bad[i].text, strlen(bad[i].text), "test", &o, &err),
		                 HB_OK);
		assert_int_equal(baseline_from_json(o, "base.json", &b, &err), HB_E_FORMAT);
		js_put(o);
		if (!strstr(err.text, bad[i].place))
			fail_msg("'%s' does not name %s", err.text, bad[i].place);
	}
}

static void an_empty_baseline_is_harmless(void **state)
{
	static const char text[] = "{\"schema\":1,\"runs\":[],\"entries\":[{" KEY
	                           ",\"series\":[{\"subject\":\"n\",\"y\":[]}]}]}";
	struct baseline b;
	struct hb_err err = { 0 };
	json_object *o = NULL;

	(void)state;
	assert_int_equal(js_parse(text, strlen(text), "test", &o, &err), HB_OK);
	assert_int_equal(baseline_from_json(o, "base.json", &b, &err), HB_OK);
	js_put(o);
	assert_int_equal(b.entries[0].series[0].n, 0);
	near(b.entries[0].df_run, 0.0);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(baseline_reads_back_with_the_same_figures),
		cmocka_unit_test(a_file_without_floors_has_those_of_the_benchmarks),
		cmocka_unit_test(hostile_baseline_is_one_clear_error),
		cmocka_unit_test(an_empty_baseline_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

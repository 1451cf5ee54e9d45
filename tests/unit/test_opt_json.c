/* Options from and to JSON, the canonical form that goes into keys, help and roff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/opt.h"
#include "bench/base/rng.h"
#include "opt_table.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- JSON ---- */

static int from_text(struct opt_values *v, const char *text, struct hb_err *err)
{
	static const struct js_at top = JS_AT_TOP("suite.json");
	struct js_at benches = js_at_key(&top, "benches"), first = js_at_index(&benches, 0),
	             at = js_at_key(&first, "options");
	json_object *o = NULL;
	assert_int_equal(js_parse(text, strlen(text), "test", &o, NULL), HB_OK);
	int rc = opt_from_json(opt_table, v, o, &at, err);
	js_put(o);
	return rc;
}

static char *to_text(const struct opt_values *v, unsigned flags)
{
	struct buf b = BUF_INIT;
	json_object *o = opt_to_json(opt_table, v, flags);
	js_write(o, JS_SORTED, &b);
	js_put(o);
	return buf_detach(&b);
}

static void values_come_from_json_in_their_own_types_or_as_text(void **state)
{
	(void)state;
	static const char *const same[] = {
		"{\"quiet\":true,\"confirm\":false,\"window\":8,\"delta\":-3,\"sync\":"
		"\"roundtime\","
		"\"seed\":18446744073709551615,\"buffer\":1048576,\"ops\":[\"triad\",\"copy\"],"
		"\"max-time\":0.2,\"precision\":0.005,\"label\":\"x y\",\"sizes\":\"8,16\","
		"\"bench\":[\"a\",\"b\"],\"datatype\":\"float\",\"$schema\":\"s\",\"comment\":1,"
		"\"limit\":1}",
		"{\"quiet\":\"yes\",\"confirm\":\"no\",\"window\":\"8\",\"delta\":\"-3\","
		"\"sync\":\"roundtime\",\"seed\":\"18446744073709551615\",\"buffer\":\"1Mi\","
		"\"ops\":\"copy,triad\",\"max-time\":\"200ms\",\"precision\":\"0.5%\","
		"\"label\":\"x y\",\"sizes\":[8,\"16\"],\"bench\":[\"a\",\"b\"],"
		"\"datatype\":\"float\",\"limit\":\"100%\"}",
	};
	struct opt_values v;
	char *texts[2];
	for (int i = 0; i < 2; i++) {
		struct hb_err err = { .code = HB_OK };
		opt_table_start(&v);
		assert_int_equal(opt_set(opt_table, &v, "bench", "old", NULL), HB_OK);
		if (from_text(&v, same[i], &err))
			fail_msg("%s", err.text);
		assert_true(v.seed == UINT64_MAX && v.bytes == 1 << 20 && v.quiet == 1);
		assert_true(v.max_time == 0.2 && v.precision == 0.005 && v.confirm == 0);
		assert_int_equal(v.bench.n, 2); /* the array replaces what was there */
		texts[i] = to_text(&v, 0);
		opt_free(opt_table, &v);
	}
	assert_string_equal(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
	opt_table_start(&v);
	assert_int_equal(from_text(&v, "{\"sizes\":64,\"bench\":\"one\",\"window\":null}", NULL),
	                 HB_OK);
	assert_string_equal(v.sizes, "64");
	assert_int_equal(v.bench.n, 1);
	assert_int_equal(v.window, 64);
	opt_free(opt_table, &v);
}

static void what_is_wrong_in_json_is_named_with_its_path(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
		int code;
	} rows[] = {
		{ "{\"windw\":1}", ": unknown key \"windw\"; did you mean \"window\"?",
		  HB_E_FORMAT },
		{ "{\"elephant\":1}", ": unknown key \"elephant\"", HB_E_FORMAT },
		{ "[]", ": expected an object of options", HB_E_FORMAT },
		{ "{\"window\":0}", ".window: \"0\": out of range; 1 to 4096 is allowed",
		  HB_E_FORMAT },
		{ "{\"window\":1.5}", ".window: \"1.5\": not a whole number", HB_E_FORMAT },
		{ "{\"window\":true}", ".window: expected a whole number", HB_E_FORMAT },
		{ "{\"window\":[]}", ".window: expected a whole number", HB_E_FORMAT },
		{ "{\"seed\":-1}", ".seed: \"-1\": not a whole number from 0 to 2^64 - 1",
		  HB_E_FORMAT },
		{ "{\"quiet\":1}", ".quiet: expected true or false", HB_E_FORMAT },
		{ "{\"label\":5}", ".label: expected text", HB_E_FORMAT },
		{ "{\"sync\":1}", ".sync: expected text", HB_E_FORMAT },
		{ "{\"max-time\":\"soon\"}",
		  ".max-time: \"soon\": not a duration; write 10s, 200ms, 5m, 8h or 2d",
		  HB_E_FORMAT },
		{ "{\"max-time\":{}}",
		  ".max-time: expected a number of seconds or text like \"10s\"", HB_E_FORMAT },
		{ "{\"ops\":[\"copy\",3]}", ".ops[1]: expected an array of texts", HB_E_FORMAT },
		{ "{\"ops\":[\"cpy\"]}",
		  ".ops: \"cpy\": \"cpy\" is not a choice; did you mean copy? (copy, scale, add "
		  "or triad)",
		  HB_E_FORMAT },
		{ "{\"bench\":[\"a\",{}]}", ".bench[1]: expected an array of texts", HB_E_FORMAT },
		{ "{\"sizes\":[]}",
		  ".sizes: \"\": not a list of sizes; write 8,1Ki,1Mi or 8..1Mi or 8..1Mi:x4",
		  HB_E_FORMAT },
		{ "{\"datatype\":\"float16\"}",
		  ".datatype: datatype=float16 is not available in this version", HB_E_USAGE },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct opt_values v;
		struct hb_err err = { .code = HB_OK };
		struct buf want = BUF_INIT;
		opt_table_start(&v);
		assert_int_equal(from_text(&v, rows[i].text, &err), rows[i].code);
		buf_printf(&want, "suite.json: $.benches[0].options%s", rows[i].error);
		assert_string_equal(err.text, buf_text(&want));
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(from_text(&v, rows[i].text, NULL), rows[i].code);
		buf_free(&want);
		opt_free(opt_table, &v);
	}
}

static void the_canonical_form_is_fixed(void **state)
{
	(void)state;
	struct opt_values v;
	opt_table_start(&v);
	char *text = to_text(&v, OPT_KEY);
	/* This text is in every stored key: it may never change. */
	assert_string_equal(text, "{\"buffer\":65536,\"confirm\":true,\"datatype\":\"byte\","
	                          "\"limit\":0,\"ops\":[\"add\",\"copy\",\"scale\",\"triad\"],"
	                          "\"sync\":\"barrier\",\"window\":64}");
	free(text);
	assert_int_equal(
	        opt_table_parse(&v,
	                        "--ops=triad --buffer=1Mi --limit=33.3% --no-confirm --sizes=4 "
	                        "--secret",
	                        NULL, NULL, NULL),
	        HB_OK);
	text = to_text(&v, OPT_KEY);
	assert_string_equal(text, "{\"buffer\":1048576,\"confirm\":false,\"datatype\":\"byte\","
	                          "\"limit\":0.333,\"ops\":\"triad\",\"sync\":\"barrier\","
	                          "\"window\":64}");
	free(text);
	text = to_text(&v, OPT_KEY | OPT_AXIS);
	assert_string_equal(text, "{\"ops\":\"triad\"}");
	free(text);
	text = to_text(&v, 0);
	assert_string_equal(text, "{\"bench\":[],\"buffer\":1048576,\"confirm\":false,\"datatype\":"
	                          "\"byte\",\"delta\":-7,\"label\":null,\"limit\":0.333,"
	                          "\"max-time\":1,\"ops\":\"triad\",\"precision\":0.01,\"quiet\":"
	                          "false,\"secret\":true,\"seed\":1,\"sizes\":\"4\",\"sync\":"
	                          "\"barrier\",\"window\":64}");
	free(text);
	opt_free(opt_table, &v);
}

static void whatever_order_and_words_were_used_the_canonical_form_is_the_same(void **state)
{
	(void)state;
	static const char *const lines[] = { "--ops=copy,add --buffer=64Ki --limit=0.05",
		                             "--limit=5% --buffer=65536 --ops=add,copy,add",
		                             "--ops=add,copy --buffer=64KiB --limit=5e-2" };
	char *texts[COUNT(lines)];
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct opt_values v;
		opt_table_start(&v);
		assert_int_equal(opt_table_parse(&v, lines[i], NULL, NULL, NULL), HB_OK);
		texts[i] = to_text(&v, OPT_KEY);
		assert_string_equal(texts[i], texts[0]);
		opt_free(opt_table, &v);
	}
	for (size_t i = 0; i < COUNT(lines); i++)
		free(texts[i]);
}

static void values_written_as_json_read_back_equal(void **state)
{
	(void)state;
	struct rng r;
	rng_seed(&r, 77);
	for (int i = 0; i < 2000; i++) {
		struct opt_values a, b;
		opt_table_start(&a);
		opt_table_start(&b);
		a.seed = rng_u64(&r) >> rng_below(&r, 64);
		a.bytes = 1 + rng_below(&r, 1 << 30);
		a.window = 1 + (int)rng_below(&r, 4096);
		a.delta = (int)rng_below(&r, 2000) - 1000;
		a.max_time = 0.001 + rng_uniform(&r) * 3000;
		a.precision = 0.0001 + rng_uniform(&r) * 0.4;
		a.limit = rng_uniform(&r) * 1e6;
		a.ops = rng_below(&r, 8) | (rng_below(&r, 2) << 62);
		a.sync = (int)rng_below(&r, 2);
		a.quiet = (int)rng_below(&r, 2);
		if (i % 2)
			assert_int_equal(opt_set(opt_table, &a, "bench", "q", NULL), HB_OK);
		char *text = to_text(&a, 0);
		struct hb_err err = { .code = HB_OK };
		if (from_text(&b, text, &err))
			fail_msg("%s", err.text);
		char *again = to_text(&b, 0);
		assert_string_equal(text, again);
		assert_true(a.max_time == b.max_time && a.limit == b.limit && a.ops == b.ops);
		assert_true(a.seed == b.seed && a.precision == b.precision);
		free(text);
		free(again);
		opt_free(opt_table, &a);
		opt_free(opt_table, &b);
	}
}

/* ---- help ---- */

static void help_has_a_row_an_option_with_default_and_choices(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	opt_help(opt_table, 100, &b);
	const char *text = buf_text(&b);
	static const char *const lines[] = {
		"Measuring:\n",
		"  -q, --quiet            say less\n",
		"      --[no-]confirm     confirm what looks slow (default on)\n",
		"  -w, --window=N         messages in flight (1 to 4096; default 64)\n",
		"  -s, --sync=HOW         how a collective is timed (one of barrier, roundtime; ",
		"      --datatype=TYPE    element type (one of byte, float; default byte)\n",
		"      --buffer=SIZE      size of a buffer (1 B to 1 GiB; default 64Ki)\n",
		"\nStopping:\n",
		"  -p, --precision=SHARE  relative interval to reach (0.01% to 50%; default 1%)\n",
		"  -l, --label=TEXT       a name for the run\n",
	};
	for (size_t i = 0; i < COUNT(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no line %s in\n%s", lines[i], text);
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, "float16"));
	buf_free(&b);
}

static void help_keeps_within_its_width(void **state)
{
	(void)state;
	for (int width = 40; width <= 120; width += 5) {
		struct buf b = BUF_INIT;
		opt_help(opt_table, width, &b);
		for (const char *p = buf_text(&b), *end; *p; p = end + 1) {
			end = strchr(p, '\n');
			assert_non_null(end);
			assert_true(end - p <= width);
			assert_true(end == p || end[-1] != ' ');
		}
		buf_free(&b);
	}
	struct buf narrow = BUF_INIT;
	opt_help(opt_table, 0, &narrow);
	assert_true(narrow.len > 0);
	buf_free(&narrow);
}

static void roff_has_no_request_or_escape_that_was_not_meant(void **state)
{
	(void)state;
	static const struct opt odd[] = {
		{ OPT_GROUP, 0, NULL, NULL, "Group-1", NULL, 0, 0, 0, NULL, 0 },
		{ OPT_STRING, 'x', "odd-name", "A-B", ".so /etc/passwd\n.sp \"q\" 'a' \\fB~^`",
		  NULL, offsetof(struct opt_values, label), 0, 0, NULL, 0 },
		{ OPT_ENUM, 0, "sync", "HOW", "'quoted first", "barrier",
		  offsetof(struct opt_values, sync), 0, 0, opt_syncs, 0 },
		{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
	};
	struct buf b = BUF_INIT;
	opt_roff(odd, &b);
	assert_string_equal(buf_text(&b),
	                    ".SS Group\\-1\n"
	                    ".TP\n"
	                    "\\fB\\-x\\fR, \\fB\\-\\-odd\\-name\\fR=\\fIA\\-B\\fR\n"
	                    "\\&.so /etc/passwd .sp \\(dqq\\(dq \\(aqa\\(aq \\efB\\(ti\\(ha\\(ga\n"
	                    ".TP\n"
	                    "\\fB\\-\\-sync\\fR=\\fIHOW\\fR\n"
	                    "\\&\\(aqquoted first (one of barrier, roundtime; default barrier)\n"
	                    ".RS\n"
	                    ".TP\n"
	                    "\\fBbarrier\\fR\n"
	                    "slowest local duration\n"
	                    ".TP\n"
	                    "\\fBroundtime\\fR\n"
	                    "last exit less first entry\n"
	                    ".RE\n");
	buf_free(&b);
}

static void a_description_has_a_member_an_option(void **state)
{
	(void)state;
	static const char first[] = "[{\"name\":\"quiet\",\"type\":\"flag\",\"default\":null,"
	                            "\"help\":\"say less\",\"key\":false,\"axis\":false},";
	static const char datatype[] =
	        "{\"name\":\"datatype\",\"type\":\"enum\",\"default\":\"byte\",\"help\":\"element "
	        "type\",\"key\":true,\"axis\":false,\"choices\":[{\"name\":\"byte\",\"help\":null,"
	        "\"available\":true},{\"name\":\"float\",\"help\":null,\"available\":true},{"
	        "\"name\":\"float16\",\"help\":null,\"available\":false}]},";
	static const char window[] = "{\"name\":\"window\",\"type\":\"int\",\"default\":\"64\","
	                             "\"help\":\"messages in flight\",\"key\":true,\"axis\":false,"
	                             "\"min\":1,\"max\":4096},";
	struct buf b = BUF_INIT;
	json_object *array = opt_describe(opt_table);
	js_write(array, JS_PLAIN, &b);
	assert_int_equal(json_object_array_length(array), 15);
	assert_true(strncmp(buf_text(&b), first, strlen(first)) == 0);
	assert_non_null(strstr(buf_text(&b), datatype));
	assert_non_null(strstr(buf_text(&b), window));
	assert_null(strstr(buf_text(&b), "secret"));
	js_put(array);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_from_json_in_their_own_types_or_as_text),
		cmocka_unit_test(what_is_wrong_in_json_is_named_with_its_path),
		cmocka_unit_test(the_canonical_form_is_fixed),
		cmocka_unit_test(whatever_order_and_words_were_used_the_canonical_form_is_the_same),
		cmocka_unit_test(values_written_as_json_read_back_equal),
		cmocka_unit_test(help_has_a_row_an_option_with_default_and_choices),
		cmocka_unit_test(help_keeps_within_its_width),
		cmocka_unit_test(roff_has_no_request_or_escape_that_was_not_meant),
		cmocka_unit_test(a_description_has_a_member_an_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

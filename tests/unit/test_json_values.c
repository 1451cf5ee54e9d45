/* JSON values: numbers, typed getters with their words, and what is written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/json.h"
#include "bench/base/mem.h"
#include "bench/base/rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static json_object *parsed(const char *text)
{
	json_object *o = NULL;
	struct hb_err err = { .code = HB_OK };
	if (js_parse(text, strlen(text), "test", &o, &err))
		fail_msg("%s in %s", err.text, text);
	return o;
}

static char *written(json_object *o, enum js_style style)
{
	struct buf b = BUF_INIT;
	js_write(o, style, &b);
	return buf_detach(&b);
}

/* ---- strings ---- */

static void escapes_become_the_characters_they_name(void **state)
{
	(void)state;
	static const struct {
		const char *text, *value;
	} rows[] = {
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\ud836\\ude00\"", "\xf0\x9d\xa8\x80" }, /* json-c itself loses it */
		{ "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf" },
		{ "\"\\u0001\\u007f\"", "\x01\x7f" },
		{ "\"plain\"", "plain" },
		{ "\"\"", "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_object *o = parsed(rows[i].text);
		assert_string_equal(json_object_get_string(o), rows[i].value);
		assert_int_equal(json_object_get_string_len(o), strlen(rows[i].value));
		js_put(o);
	}
	json_object *o = parsed("{\"a\\nb\\u00e9\":1,\"\":2}"), *v = NULL;
	assert_true(json_object_object_get_ex(o, "a\nb\xc3\xa9", &v));
	assert_int_equal(json_object_get_int(v), 1);
	assert_true(json_object_object_get_ex(o, "", &v));
	assert_int_equal(json_object_get_int(v), 2);
	js_put(o);
}

/* ---- numbers ---- */

static uint64_t bits_of(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static void doubles_and_64_bit_integers_come_back_exactly(void **state)
{
	(void)state;
	struct rng r;
	rng_seed(&r, 31);
	struct js_at at = JS_AT_TOP("f");
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_u64(&r), u = bits >> (i % 64), u2;
		int64_t s = (int64_t)(bits >> (i % 64)) * (i % 2 ? 1 : -1), s2;
		double d, d2;
		memcpy(&d, &bits, sizeof(d));
		json_object *o = json_object_new_object();
		js_set_u64(o, "u", u);
		js_set_i64(o, "s", s);
		js_set_f64(o, "d", d);
		char *text = written(o, JS_PLAIN);
		js_put(o);
		o = parsed(text);
		assert_int_equal(js_get_u64(o, &at, "u", JS_REQUIRED, &u2, NULL), HB_OK);
		assert_int_equal(js_get_i64(o, &at, "s", JS_REQUIRED, &s2, NULL), HB_OK);
		assert_true(u == u2 && s == s2);
		int rc = js_get_f64(o, &at, "d", JS_REQUIRED, &d2, NULL);
		assert_int_equal(rc, isfinite(d) ? HB_OK : HB_E_FORMAT);
		assert_true(!isfinite(d) || bits_of(d) == bits_of(d2));
		js_put(o);
		free(text);
	}
}

static void decimals_of_any_length_are_read_as_strtod_reads_them(void **state)
{
	(void)state;
	struct rng r;
	rng_seed(&r, 4711);
	for (int i = 0; i < 50000; i++) {
		struct buf b = BUF_INIT;
		if (rng_below(&r, 3) == 0)
			buf_putc(&b, '-');
		uint64_t whole = rng_below(&r, 12), fraction = rng_below(&r, 22);
		buf_printf(&b, "%d", whole ? 1 + (int)rng_below(&r, 9) : 0);
		for (uint64_t k = 1; k < whole; k++)
			buf_printf(&b, "%d", (int)rng_below(&r, 10));
		if (fraction)
			buf_putc(&b, '.');
		for (uint64_t k = 0; k < fraction; k++)
			buf_printf(&b, "%d", (int)rng_below(&r, 10));
		if (!fraction || rng_below(&r, 2))
			buf_printf(&b, "e%d", (int)rng_below(&r, 60) - 30);
		json_object *o = parsed(buf_text(&b));
		double v = json_object_get_double(o), want = strtod(buf_text(&b), NULL);
		if (bits_of(v) != bits_of(want))
			fail_msg("%s was read as %.17g", buf_text(&b), v);
		js_put(o);
		buf_free(&b);
	}
}

static void the_ends_of_the_ranges_are_written_exactly(void **state)
{
	(void)state;
	json_object *o = json_object_new_object();
	js_set_u64(o, "u", UINT64_MAX);
	js_set_i64(o, "i", INT64_MIN);
	js_set_f64(o, "nan", NAN);
	js_set_f64(o, "inf", -INFINITY);
	js_set_f64(o, "whole", 12.0);
	js_set_f64(o, "minus", -0.0);
	js_set_f64(o, "third", 1.0 / 3);
	js_set_obj(o, "bare", json_object_new_double(NAN));
	char *text = written(o, JS_PLAIN);
	assert_string_equal(text, "{\"u\":18446744073709551615,\"i\":-9223372036854775808,"
	                          "\"nan\":null,\"inf\":null,\"whole\":12,\"minus\":-0.0,"
	                          "\"third\":0.3333333333333333,\"bare\":null}");
	free(text);
	/* json-c's own writer gives the same numbers. */
	assert_non_null(strstr(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	                       "\"third\":0.3333333333333333,"));
	js_put(o);
}

/* ---- getters ---- */

static const char members[] =
        "{\"s\":\"text\",\"u\":7,\"big\":18446744073709551615,\"neg\":-3,\"f\":1.5,\"whole\":12.0,"
        "\"exp\":1e6,\"huge\":1e300,\"t\":true,\"o\":{},\"a\":[],\"n\":null}";

static void getters_give_what_is_there(void **state)
{
	(void)state;
	struct js_at at = JS_AT_TOP("f");
	json_object *o = parsed(members), *child = NULL;
	const char *s = NULL;
	uint64_t u = 0;
	int64_t i = 0;
	int n = 0;
	double d = 0;
	bool t = false;
	assert_int_equal(js_get_str(o, &at, "s", JS_REQUIRED, &s, NULL), HB_OK);
	assert_string_equal(s, "text");
	assert_int_equal(js_get_u64(o, &at, "u", JS_REQUIRED, &u, NULL), HB_OK);
	assert_true(u == 7);
	assert_int_equal(js_get_u64(o, &at, "big", JS_REQUIRED, &u, NULL), HB_OK);
	assert_true(u == UINT64_MAX);
	assert_int_equal(js_get_u64(o, &at, "exp", JS_REQUIRED, &u, NULL), HB_OK);
	assert_true(u == 1000000);
	assert_int_equal(js_get_i64(o, &at, "neg", JS_REQUIRED, &i, NULL), HB_OK);
	assert_true(i == -3);
	assert_int_equal(js_get_i64(o, &at, "whole", JS_REQUIRED, &i, NULL), HB_OK);
	assert_true(i == 12);
	assert_int_equal(js_get_int(o, &at, "neg", JS_REQUIRED, -3, 5, &n, NULL), HB_OK);
	assert_int_equal(n, -3);
	assert_int_equal(js_get_f64(o, &at, "f", JS_REQUIRED, &d, NULL), HB_OK);
	assert_true(d == 1.5);
	assert_int_equal(js_get_f64(o, &at, "neg", JS_REQUIRED, &d, NULL), HB_OK);
	assert_true(d == -3);
	assert_int_equal(js_get_f64(o, &at, "big", JS_REQUIRED, &d, NULL), HB_OK);
	assert_true(d == 18446744073709551616.0);
	assert_int_equal(js_get_bool(o, &at, "t", JS_REQUIRED, &t, NULL), HB_OK);
	assert_true(t);
	assert_int_equal(js_get_obj(o, &at, "o", JS_REQUIRED, &child, NULL), HB_OK);
	assert_true(json_object_is_type(child, json_type_object));
	assert_int_equal(js_get_arr(o, &at, "a", JS_REQUIRED, &child, NULL), HB_OK);
	assert_true(json_object_is_type(child, json_type_array));
	js_put(o);
}

static void what_is_optional_and_absent_or_null_stays_as_it_was(void **state)
{
	(void)state;
	struct js_at at = JS_AT_TOP("f");
	json_object *o = parsed(members), *child = o;
	static const char *const keys[] = { "absent", "n" };
	for (size_t k = 0; k < COUNT(keys); k++) {
		const char *key = keys[k], *s = "was";
		uint64_t u = 5;
		int64_t i = -5;
		int n = 50;
		double d = 0.5;
		bool t = true;
		assert_int_equal(js_get_str(o, &at, key, JS_OPTIONAL, &s, NULL), HB_OK);
		assert_int_equal(js_get_u64(o, &at, key, JS_OPTIONAL, &u, NULL), HB_OK);
		assert_int_equal(js_get_i64(o, &at, key, JS_OPTIONAL, &i, NULL), HB_OK);
		assert_int_equal(js_get_int(o, &at, key, JS_OPTIONAL, 0, 9, &n, NULL), HB_OK);
		assert_int_equal(js_get_f64(o, &at, key, JS_OPTIONAL, &d, NULL), HB_OK);
		assert_int_equal(js_get_bool(o, &at, key, JS_OPTIONAL, &t, NULL), HB_OK);
		assert_int_equal(js_get_obj(o, &at, key, JS_OPTIONAL, &child, NULL), HB_OK);
		assert_int_equal(js_get_arr(o, &at, key, JS_OPTIONAL, &child, NULL), HB_OK);
		assert_string_equal(s, "was");
		assert_true(u == 5 && i == -5 && n == 50 && d == 0.5 && t && child == o);
	}
	js_put(o);
}

typedef int (*getter)(json_object *o, const struct js_at *at, const char *key, struct hb_err *err);

static int str(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	const char *v;
	return js_get_str(o, at, key, JS_REQUIRED, &v, err);
}

static int u64(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	uint64_t v;
	return js_get_u64(o, at, key, JS_REQUIRED, &v, err);
}

static int i64(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	int64_t v;
	return js_get_i64(o, at, key, JS_REQUIRED, &v, err);
}

static int small(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	int v;
	return js_get_int(o, at, key, JS_REQUIRED, 1, 6, &v, err);
}

static int f64(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	double v;
	return js_get_f64(o, at, key, JS_REQUIRED, &v, err);
}

static int boolean(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	bool v;
	return js_get_bool(o, at, key, JS_REQUIRED, &v, err);
}

static int obj(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	json_object *v;
	return js_get_obj(o, at, key, JS_REQUIRED, &v, err);
}

static int arr(json_object *o, const struct js_at *at, const char *key, struct hb_err *err)
{
	json_object *v;
	return js_get_arr(o, at, key, JS_REQUIRED, &v, err);
}

static void a_wrong_member_is_named_with_what_was_expected(void **state)
{
	(void)state;
	static const struct {
		getter get;
		const char *key, *error;
	} rows[] = {
		{ str, "absent", "f: $.x[3].absent: missing; expected text" },
		{ str, "n", "f: $.x[3].n: null; expected text" },
		{ str, "u", "f: $.x[3].u: expected text, not a whole number" },
		{ u64, "f",
		  "f: $.x[3].f: expected a whole number of 0 or more, not a number with "
		  "a fraction" },
		{ u64, "neg",
		  "f: $.x[3].neg: expected a whole number of 0 or more, not a negative "
		  "one" },
		{ u64, "s", "f: $.x[3].s: expected a whole number of 0 or more, not text" },
		{ u64, "huge",
		  "f: $.x[3].huge: expected a whole number of 0 or more, not a number "
		  "with a fraction" },
		{ i64, "big", "f: $.x[3].big: too large; at most 9223372036854775807" },
		{ i64, "f", "f: $.x[3].f: expected a whole number, not a number with a fraction" },
		{ small, "u", "f: $.x[3].u: 7 is out of range; 1 to 6 is allowed" },
		{ small, "neg", "f: $.x[3].neg: -3 is out of range; 1 to 6 is allowed" },
		{ small, "absent", "f: $.x[3].absent: missing; expected a whole number" },
		{ f64, "s", "f: $.x[3].s: expected a number, not text" },
		{ f64, "t", "f: $.x[3].t: expected a number, not true or false" },
		{ boolean, "u", "f: $.x[3].u: expected true or false, not a whole number" },
		{ obj, "a", "f: $.x[3].a: expected an object, not an array" },
		{ arr, "o", "f: $.x[3].o: expected an array, not an object" },
	};
	struct js_at top = JS_AT_TOP("f"), x = js_at_key(&top, "x"), at = js_at_index(&x, 3);
	json_object *o = parsed(members);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct hb_err err = { .code = HB_OK };
		assert_int_equal(rows[i].get(o, &at, rows[i].key, &err), HB_E_FORMAT);
		assert_string_equal(err.text, rows[i].error);
		assert_int_equal(rows[i].get(o, &at, rows[i].key, NULL), HB_E_FORMAT);
	}
	json_object *array = parsed("[1]");
	struct hb_err err = { .code = HB_OK };
	assert_int_equal(str(array, &top, "s", &err), HB_E_FORMAT);
	assert_string_equal(err.text, "f: expected an object, not an array");
	assert_int_equal(str(NULL, &top, "s", &err), HB_E_FORMAT);
	js_put(array);
	js_put(o);
}

static void places_are_written_as_paths(void **state)
{
	(void)state;
	struct js_at top = JS_AT_TOP("suite.json"), a = js_at_key(&top, "steps"),
	             b = js_at_index(&a, 3), c = js_at_key(&b, "sizes"),
	             d = js_at_key(&b, "odd \"key\".\n");
	struct buf text = BUF_INIT;
	js_at_text(&top, &text);
	buf_putc(&text, '|');
	js_at_text(&c, &text);
	buf_putc(&text, '|');
	js_at_text(&d, &text);
	assert_string_equal(buf_text(&text), "suite.json|suite.json: $.steps[3].sizes|suite.json: "
	                                     "$.steps[3][\"odd \\\"key\\\".\\n\"]");
	buf_free(&text);
}

static void a_long_place_never_hides_the_message(void **state)
{
	(void)state;
	char *name = hb_alloc(4001);
	memset(name, 'd', 4000);
	struct js_at top = JS_AT_TOP(name), last = js_at_key(&top, "sizes");
	struct hb_err err;
	assert_int_equal(js_fail(&last, &err, "this is wrong"), HB_E_FORMAT);
	size_t len = strlen(err.text);
	assert_string_equal(err.text + len - 26, "dd: $.sizes: this is wrong");
	assert_true(strncmp(err.text, "...d", 4) == 0);
	/* Nor does a long key, and it is cut between characters. */
	for (int i = 0; i < 4000; i++)
		name[i] = "\xe2\x82\xac"[i % 3];
	struct js_at f = JS_AT_TOP("f"), key = js_at_key(&f, name);
	js_fail(&key, &err, "this is wrong");
	assert_true(strncmp(err.text, "f: $[\"\xe2\x82\xac", 8) == 0);
	assert_non_null(strstr(err.text, "\xac...\"]: this is wrong"));
	assert_null(strstr(err.text, "\xef\xbf\xbd"));
	free(name);
}

static void an_unknown_key_is_refused_with_the_nearest_known_one(void **state)
{
	(void)state;
	static const char *const known[] = { "window", "sizes", "datatype", NULL };
	struct js_at top = JS_AT_TOP("suite.json"), a = js_at_key(&top, "benches"),
	             b = js_at_index(&a, 0), c = js_at_key(&b, "options");
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "{\"window\":1,\"sizes\":2}", NULL },
		{ "{\"$schema\":\"x\",\"comment\":[],\"sizes\":2}", NULL },
		{ "{}", NULL },
		{ "{\"windw\":1}", "suite.json: $.benches[0].options: unknown key \"windw\"; did "
		                   "you mean \"window\"?" },
		{ "{\"elephant\":1}",
		  "suite.json: $.benches[0].options: unknown key \"elephant\"" },
		{ "[]", "suite.json: $.benches[0].options: expected an object, not an array" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_object *o = parsed(rows[i].text);
		struct hb_err err = { .code = HB_OK };
		int rc = js_known_keys(o, &c, known, &err);
		assert_int_equal(rc, rows[i].error ? HB_E_FORMAT : HB_OK);
		if (rows[i].error)
			assert_string_equal(err.text, rows[i].error);
		js_put(o);
	}
}

/* ---- writing ---- */

static void bad_bytes_in_strings_and_keys_become_the_replacement_character(void **state)
{
	(void)state;
	json_object *o = json_object_new_object();
	js_set_str(o, "a\xff", "x\x80y\xe2\x82z\xc3");
	js_set_str(o, "null", NULL);
	js_set_str(o, "good", "\xc3\xa9\x7f");
	js_set_str(o, "empty", "");
	char *text = written(o, JS_PLAIN);
	assert_string_equal(text, "{\"a\xef\xbf\xbd\":\"x\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbdz\xef"
	                          "\xbf\xbd\",\"null\":null,\"good\":\"\xc3\xa9\\u007f\",\"empty\":"
	                          "\"\"}");
	free(text);
	js_put(o);
	/* Also where json-c was given them directly. */
	json_object *raw = json_object_new_string("q\xfe");
	text = written(raw, JS_SORTED);
	assert_string_equal(text, "\"q\xef\xbf\xbd\"");
	free(text);
	js_put(raw);
	assert_null(js_str(NULL));
}

static void every_byte_survives_quoting_or_is_replaced(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		char in[2] = { (char)c, '\0' };
		struct buf b = BUF_INIT;
		json_object *o = NULL;
		js_quote(&b, in);
		assert_int_equal(js_parse(b.data, b.len, "q", &o, NULL), HB_OK);
		assert_string_equal(json_object_get_string(o), c < 0x80 ? in : "\xef\xbf\xbd");
		js_put(o);
		buf_free(&b);
	}
	struct buf b = BUF_INIT;
	js_quote(&b, "\"\\/\b\f\n\r\t\x01\x1f");
	assert_string_equal(buf_text(&b), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\"");
	buf_free(&b);
}

static void the_three_styles_differ_only_in_order_and_space(void **state)
{
	(void)state;
	json_object *o = parsed("{\"b\":[1,{\"z\":1.50,\"y\":\"/\"}],\"a\":{},\"\xc3\xa9\":[],"
	                        "\"B\":null,\"aa\":true}");
	char *plain = written(o, JS_PLAIN), *sorted = written(o, JS_SORTED),
	     *pretty = written(o, JS_PRETTY);
	assert_string_equal(plain, "{\"b\":[1,{\"z\":1.5,\"y\":\"/\"}],\"a\":{},\"\xc3\xa9\":[],"
	                           "\"B\":null,\"aa\":true}");
	assert_string_equal(sorted, "{\"B\":null,\"a\":{},\"aa\":true,\"b\":[1,{\"y\":\"/\",\"z\":"
	                            "1.5}],\"\xc3\xa9\":[]}");
	assert_string_equal(pretty, "{\n  \"b\": [\n    1,\n    {\n      \"z\": 1.5,\n      \"y\": "
	                            "\"/\"\n    }\n  ],\n  \"a\": {},\n  \"\xc3\xa9\": [],\n  "
	                            "\"B\": null,\n  \"aa\": true\n}");
	free(plain);
	free(sorted);
	free(pretty);
	js_put(o);
	plain = written(NULL, JS_PLAIN);
	assert_string_equal(plain, "null");
	free(plain);
}

static void sorting_does_not_depend_on_the_order_or_number_of_keys(void **state)
{
	(void)state;
	struct buf up = BUF_INIT, down = BUF_INIT;
	for (int i = 0; i < 100; i++) {
		buf_printf(&up, "%s\"k%d\":%d", i ? "," : "{", i, i);
		buf_printf(&down, "%s\"k%d\":%d", i ? "," : "{", 99 - i, 99 - i);
	}
	buf_putc(&up, '}');
	buf_putc(&down, '}');
	json_object *a = parsed(buf_text(&up)), *b = parsed(buf_text(&down));
	char *ta = written(a, JS_SORTED), *tb = written(b, JS_SORTED);
	assert_string_equal(ta, tb);
	assert_true(strncmp(ta, "{\"k0\":0,\"k1\":1,\"k10\":10,\"k11\":11,", 33) == 0);
	free(ta);
	free(tb);
	js_put(a);
	js_put(b);
	buf_free(&up);
	buf_free(&down);
}

/* ---- files ---- */

static int read_text(const char *text, size_t max, json_object **out, struct hb_err *err,
                     char path[40])
{
	snprintf(path, 40, "/tmp/hpcbench-test-json-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int rc = js_read_file(path, max, out, err);
	unlink(path);
	return rc;
}

static void a_file_must_hold_one_object_within_the_limit(void **state)
{
	(void)state;
	char path[40], want[200];
	struct hb_err err;
	json_object *o = NULL;
	assert_int_equal(read_text("{\"a\": 1}\n", 100, &o, &err, path), HB_OK);
	assert_true(json_object_is_type(o, json_type_object));
	js_put(o);
	assert_int_equal(read_text("[1]", 100, &o, &err, path), HB_E_FORMAT);
	snprintf(want, sizeof(want), "%s: the file must hold one JSON object {...}", path);
	assert_string_equal(err.text, want);
	assert_null(o);
	assert_int_equal(read_text("null", 100, &o, &err, path), HB_E_FORMAT);
	assert_int_equal(read_text("", 100, &o, &err, path), HB_E_FORMAT);
	assert_int_equal(read_text("{\n\"a\": 1\n\"b\": 2}", 100, &o, &err, path), HB_E_FORMAT);
	snprintf(want, sizeof(want), "%s: byte 10 (line 3): a comma or } is expected", path);
	assert_string_equal(err.text, want);
	assert_int_equal(read_text("{\"a\": 1}", 5, &o, &err, path), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "larger than the limit of 5 bytes"));
	assert_int_equal(js_read_file("/nonexistent/a.json", 5, &o, &err), HB_E_IO);
	assert_null(o);
}

static void bare_values_parse_at_the_top(void **state)
{
	(void)state;
	static const char *const texts[] = { "12", "-1.5", "\"x\"", "true", "null", "[]", " 7 " };
	for (size_t i = 0; i < COUNT(texts); i++) {
		char *text = hb_strdup(texts[i]);
		json_object *o = parsed(text);
		char *back = written(o, JS_PLAIN);
		assert_string_equal(back, i == 6 ? "7" : texts[i]);
		js_put(o);
		free(back);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_become_the_characters_they_name),
		cmocka_unit_test(doubles_and_64_bit_integers_come_back_exactly),
		cmocka_unit_test(decimals_of_any_length_are_read_as_strtod_reads_them),
		cmocka_unit_test(the_ends_of_the_ranges_are_written_exactly),
		cmocka_unit_test(getters_give_what_is_there),
		cmocka_unit_test(what_is_optional_and_absent_or_null_stays_as_it_was),
		cmocka_unit_test(a_wrong_member_is_named_with_what_was_expected),
		cmocka_unit_test(places_are_written_as_paths),
		cmocka_unit_test(a_long_place_never_hides_the_message),
		cmocka_unit_test(an_unknown_key_is_refused_with_the_nearest_known_one),
		cmocka_unit_test(bad_bytes_in_strings_and_keys_become_the_replacement_character),
		cmocka_unit_test(every_byte_survives_quoting_or_is_replaced),
		cmocka_unit_test(the_three_styles_differ_only_in_order_and_space),
		cmocka_unit_test(sorting_does_not_depend_on_the_order_or_number_of_keys),
		cmocka_unit_test(a_file_must_hold_one_object_within_the_limit),
		cmocka_unit_test(bare_values_parse_at_the_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

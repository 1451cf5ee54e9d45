/* The strict JSON reader: what it refuses, and that damage of any kind is only an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/json.h"
#include "bench/base/rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A document with everything that JSON has. */
static const char everything[] =
        "{\"type\":\"pair\",\"unit\":18446744073709551615,\"low\":-9223372036854775808,"
        "\"opts\":{\"datatype\":\"byte\",\"window\":64,\"on\":true,\"off\":false},"
        "\"a\":\"n17\",\"b\":null,\"v\":[1,-0,2.5,1e3,-1.25E-7,[],{}],"
        "\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 \xc3\xa9\xe2\x82\xac"
        "\xf0\x9f\x98\x80\",\"\":[ \"empty key\" ] }";

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

/* Copies into memory of exactly that size, so that reading beyond the end is seen. */
static int check_exact(const char *text, size_t len, struct hb_err *err)
{
	char *copy = malloc(len ? len : 1);
	assert_non_null(copy);
	memcpy(copy, text, len);
	int rc = js_check(copy, len, err);
	free(copy);
	return rc;
}

/* ---- the grammar ---- */

static void well_formed_values_are_accepted(void **state)
{
	(void)state;
	static const char *const good[] = { everything,
		                            "{}",
		                            "[]",
		                            "0",
		                            "-0",
		                            "-1",
		                            "12.50",
		                            "1e5",
		                            "1E+5",
		                            "1e-5",
		                            "0.0",
		                            "0e0",
		                            "-0.0e-0",
		                            "\"\"",
		                            "true",
		                            "false",
		                            "null",
		                            " \t\r\n[ 1 , 2 ] \n",
		                            "\"\\u0001\\uffff\\ud800\\udc00\"",
		                            "\"\x7f\"",
		                            "\"\xf4\x8f\xbf\xbf\"",
		                            "\"\xef\xbf\xbf\"",
		                            "18446744073709551615",
		                            "-9223372036854775808",
		                            "1.7976931348623157e308",
		                            "1.797693134862315807e308",
		                            "1e-999",
		                            "0e99999999999999999999",
		                            "{\"a\":1,\"A\":2,\"\\u0062\":3,\"\":4}" };
	for (size_t i = 0; i < COUNT(good); i++) {
		struct hb_err err = { .code = HB_OK };
		if (check_exact(good[i], strlen(good[i]), &err))
			fail_msg("%s in %s", err.text, good[i]);
		js_put(parsed(good[i]));
	}
}

static const struct {
	const char *text, *error;
} refusals[] = {
	{ "", "byte 1: the text ends where a value is expected" },
	{ "  ", "byte 3: the text ends where a value is expected" },
	{ "NaN", "byte 1: a value is expected" },
	{ "Infinity", "byte 1: a value is expected" },
	{ "-Infinity", "byte 2: a digit is expected" },
	{ "nan", "byte 1: a value is expected (true, false and null in small letters)" },
	{ "True", "byte 1: a value is expected" },
	{ "truth", "byte 1: a value is expected (true, false and null in small letters)" },
	{ "'a'", "byte 1: a value is expected" },
	{ "{'a':1}", "byte 2: a key in double quotes is expected" },
	{ "{a:1}", "byte 2: a key in double quotes is expected" },
	{ "{1:1}", "byte 2: a key in double quotes is expected" },
	{ "{\"a\":1,}", "byte 8: a key in double quotes is expected" },
	{ "{,}", "byte 2: a key in double quotes is expected" },
	{ "{\"a\" 1}", "byte 6: a colon is expected behind the key" },
	{ "{\"a\":}", "byte 6: a value is expected" },
	{ "{\"a\":1 \"b\":2}", "byte 8: a comma or } is expected" },
	{ "{\"a\":1]", "byte 7: a comma or } is expected" },
	{ "[1,]", "byte 4: a value is expected" },
	{ "[,1]", "byte 2: a value is expected" },
	{ "[1 2]", "byte 4: a comma or ] is expected" },
	{ "[1}", "byte 3: a comma or ] is expected" },
	{ "1 2", "byte 3: something follows the value" },
	{ "{} x", "byte 4: something follows the value" },
	{ "{}}", "byte 3: something follows the value" },
	{ "01", "byte 1: a number may not begin with 0" },
	{ "-01", "byte 2: a number may not begin with 0" },
	{ "+1", "byte 1: a value is expected" },
	{ ".5", "byte 1: a value is expected" },
	{ "5.", "byte 3: a digit is expected behind the point" },
	{ "5.e1", "byte 3: a digit is expected behind the point" },
	{ "1e", "byte 3: an exponent needs a digit" },
	{ "1e+", "byte 4: an exponent needs a digit" },
	{ "-", "byte 2: a digit is expected" },
	{ "0x10", "byte 2: something follows the value" },
	{ "1_000", "byte 2: something follows the value" },
	{ "18446744073709551616", "byte 1: a whole number does not fit 64 bits" },
	{ "[-9223372036854775809]", "byte 2: a whole number does not fit 64 bits" },
	{ "100000000000000000000000", "byte 1: a whole number does not fit 64 bits" },
	{ "1e309", "byte 1: a number is too large for a double" },
	{ "-1e309", "byte 1: a number is too large for a double" },
	{ "1.7976931348623159e308", "byte 1: a number is too large for a double" },
	{ "1e99999999999999999999", "byte 1: a number is too large for a double" },
	{ "0.001e312", "byte 1: a number is too large for a double" },
	{ "\"a", "byte 3: the text ends inside a string" },
	{ "\"a\\", "byte 4: the text ends inside a string" },
	{ "\"\\x41\"", "byte 2: unknown escape in a string" },
	{ "\"\\'\"", "byte 2: unknown escape in a string" },
	{ "\"\\u12g4\"", "byte 2: \\u needs four hexadecimal digits" },
	{ "\"\\u12\"", "byte 2: \\u needs four hexadecimal digits" },
	{ "\"\\u0000\"", "byte 2: a text may not contain \\u0000" },
	{ "\"\\ud800\"", "byte 2: a high surrogate without its low one" },
	{ "\"\\ud800\\u0041\"", "byte 2: a high surrogate without its low one" },
	{ "\"\\ud800\\ud800\"", "byte 2: a high surrogate without its low one" },
	{ "\"\\udc00\"", "byte 2: a low surrogate without its high one" },
	{ "\"a\tb\"", "byte 3: a raw control character in a string; write \\n, \\t or "
	              "\\u00XX" },
	{ "\"a\nb\"", "byte 3: a raw control character in a string; write \\n, \\t or "
	              "\\u00XX" },
	{ "\"\x80\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xc0\xaf\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xc1\xbf\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xe0\x9f\xbf\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xed\xa0\x80\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xf0\x8f\xbf\xbf\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xf4\x90\x80\x80\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xf5\x80\x80\x80\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xe2\x82\"", "byte 2: a string is not valid UTF-8" },
	{ "\"\xff\"", "byte 2: a string is not valid UTF-8" },
	{ "\xef\xbb\xbf{}", "byte 1: a byte order mark; save the text as UTF-8 without it" },
	{ "// no\n{}", "byte 1: a value is expected" },
	{ "{\n \"a\": 1,\n \"b\": x\n}", "byte 18 (line 3): a value is expected" },
};

static void everything_else_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refusals); i++) {
		struct hb_err err = { .code = HB_OK };
		json_object *o = NULL;
		assert_int_equal(check_exact(refusals[i].text, strlen(refusals[i].text), &err),
		                 HB_E_FORMAT);
		assert_string_equal(err.text, refusals[i].error);
		assert_int_equal(
		        js_parse(refusals[i].text, strlen(refusals[i].text), "f", &o, NULL),
		        HB_E_FORMAT);
		assert_null(o);
	}
}

static void a_nul_byte_is_refused_wherever_it_stands(void **state)
{
	(void)state;
	struct hb_err err;
	assert_int_equal(check_exact("{}\0", 3, &err), HB_E_FORMAT);
	assert_int_equal(check_exact("\"a\0b\"", 5, &err), HB_E_FORMAT);
	assert_int_equal(check_exact("[1,\0 2]", 7, &err), HB_E_FORMAT);
	assert_int_equal(check_exact("\0", 1, &err), HB_E_FORMAT);
}

static void nesting_ends_at_the_limit(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct buf b = BUF_INIT;
		json_object *o = NULL;
		struct hb_err err;
		for (int i = 0; i < JS_DEPTH_MAX; i++)
			buf_puts(&b, kind ? "{\"a\":" : "[");
		buf_puts(&b, "1");
		buf_pad(&b, kind ? '}' : ']', JS_DEPTH_MAX);
		assert_int_equal(js_parse(b.data, b.len, "f", &o, &err), HB_OK);
		js_put(o);
		buf_clear(&b);
		for (int i = 0; i <= JS_DEPTH_MAX; i++)
			buf_puts(&b, kind ? "{\"a\":" : "[");
		buf_puts(&b, "1");
		buf_pad(&b, kind ? '}' : ']', JS_DEPTH_MAX + 1);
		assert_int_equal(check_exact(b.data, b.len, &err), HB_E_FORMAT);
		assert_non_null(strstr(err.text, "nested too deep"));
		buf_free(&b);
	}
	/* Depth is not counted along a row. */
	struct buf wide = BUF_INIT;
	buf_puts(&wide, "[0");
	for (int i = 0; i < 1000; i++)
		buf_puts(&wide, ",[[]],{\"a\":{}}");
	buf_putc(&wide, ']');
	assert_int_equal(check_exact(wide.data, wide.len, NULL), HB_OK);
	buf_clear(&wide);
	buf_pad(&wide, '[', 1000000);
	assert_int_equal(check_exact(wide.data, wide.len, NULL), HB_E_FORMAT);
	buf_free(&wide);
}

static void every_cut_of_a_document_is_refused(void **state)
{
	(void)state;
	size_t len = strlen(everything);
	struct js_parser *p = js_parser_new();
	for (size_t n = 0; n < len; n++) {
		json_object *o = NULL;
		struct hb_err err = { .code = HB_OK };
		assert_int_equal(check_exact(everything, n, &err), HB_E_FORMAT);
		assert_int_equal(js_parser_line(p, everything, n, "f", &o, &err), HB_E_FORMAT);
		assert_null(o);
	}
	/* The parser is as good as new after all that. */
	json_object *o = NULL;
	assert_int_equal(js_parser_line(p, everything, len, "f", &o, NULL), HB_OK);
	js_put(o);
	js_parser_free(p);
	js_parser_free(NULL);
}

/* ---- keys that occur twice ---- */

static void a_repeated_key_is_refused_however_it_is_written(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "{\"a\":1,\"b\":2,\"a\":3}", "byte 14: the key \"a\" occurs twice" },
		{ "{\"\":1,\"\":3}", "byte 7: the key \"\" occurs twice" },
		{ "{\"a\":1,\"\\u0061\":3}", "byte 8: the key \"\\u0061\" occurs twice" },
		{ "{\"\\u0061b\":1,\"ab\":3}", "byte 14: the key \"ab\" occurs twice" },
		{ "{\"\\n\":1,\"\\u000a\":3}", "byte 9: the key \"\\u000a\" occurs twice" },
		{ "{\"/\":1,\"\\/\":3}", "byte 8: the key \"\\/\" occurs twice" },
		{ "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":3}",
		  "byte 11: the key \"\\ud83d\\ude00\" occurs twice" },
		{ "{\"\xc3\xa9\":1,\"\\u00E9\":3}", "byte 9: the key \"\\u00E9\" occurs twice" },
		{ "{\"\xe2\x82\xac\":1,\"\\u20ac\":3}",
		  "byte 10: the key \"\\u20ac\" occurs twice" },
		{ "[{\"a\":1},{\"b\":{\"c\":1,\"c\":2}}]", "byte 22: the key \"c\" occurs twice" },
		{ "{\"0123456789012345678901234567890123456789xyz\":1,"
		  "\"0123456789012345678901234567890123456789xyz\":2}",
		  "byte 50: the key \"0123456789012345678901234567890123456789...\" occurs twice" },
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct hb_err err = { .code = HB_OK };
		assert_int_equal(check_exact(bad[i].text, strlen(bad[i].text), &err), HB_E_FORMAT);
		assert_string_equal(err.text, bad[i].error);
	}
	static const char *const good[] = { "{\"ab\":1,\"a\":2,\"b\":3,\"ba\":4}",
		                            "{\"a\":{\"a\":{\"a\":1}}}",
		                            "[{\"a\":1},{\"a\":1}]",
		                            "{\"\\u0061\":1,\"\\u0062\":3,\"c\":4}",
		                            "{\"\\\\u0061\":1,\"a\":3}",
		                            "{\"\\u00e9\":1,\"e\":2,\"\\u0065\\u0065\":3}" };
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(check_exact(good[i], strlen(good[i]), NULL), HB_OK);
}

/* An object of n keys "k0", "k1" ...; key number again repeats number first (-1: none). */
static void put_many(struct buf *b, int n, int first, int again, bool escaped)
{
	buf_putc(b, '{');
	for (int i = 0; i < n; i++) {
		int id = i == again ? first : i;
		bool escape = escaped && (i % 3 == 0 || i == again);
		buf_printf(b, "%s\"%s%d\":0", i ? "," : "", escape ? "\\u006b" : "k", id);
	}
	buf_putc(b, '}');
}

static void a_repeated_key_is_found_among_any_number(void **state)
{
	(void)state;
	static const int counts[] = { 2, 15, 16, 17, 31, 32, 33, 34, 64, 65, 200, 1000 };
	for (size_t c = 0; c < COUNT(counts); c++) {
		int n = counts[c];
		for (int escaped = 0; escaped < 2; escaped++) {
			struct buf b = BUF_INIT;
			put_many(&b, n, 0, -1, escaped);
			assert_int_equal(check_exact(b.data, b.len, NULL), HB_OK);
			for (int again = 1; again < n; again += 1 + n / 9) {
				buf_clear(&b);
				put_many(&b, n, again / 2, again, escaped);
				assert_int_equal(check_exact(b.data, b.len, NULL), HB_E_FORMAT);
			}
			buf_clear(&b);
			put_many(&b, n, 0, n - 1, escaped);
			assert_int_equal(check_exact(b.data, b.len, NULL), HB_E_FORMAT);
			buf_free(&b);
		}
	}
}

static void a_hundred_thousand_keys_are_checked_without_harm(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct hb_err err = { .code = HB_OK };
	put_many(&b, 100000, 0, -1, true);
	assert_int_equal(check_exact(b.data, b.len, &err), HB_OK);
	buf_clear(&b);
	put_many(&b, 100000, 77, 99999, true);
	assert_int_equal(check_exact(b.data, b.len, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "the key \"\\u006b77\" occurs twice"));
	buf_free(&b);
}

/* ---- random damage ---- */

static void mutate(struct rng *r, char *text, size_t *len, size_t cap)
{
	static const char likely[] = "{}[]\",:0123456789eE+-.\\u/tfn \n\x80\xc3\xff";
	size_t at = (size_t)rng_below(r, *len);
	switch (rng_below(r, 5)) {
	case 0: text[at] = (char)rng_u64(r); break;
	case 1: text[at] = likely[rng_below(r, sizeof(likely) - 1)]; break;
	case 2:
		memmove(text + at, text + at + 1, *len - at - 1);
		--*len;
		break;
	case 3:
		if (*len == cap)
			break;
		memmove(text + at + 1, text + at, *len - at);
		text[at] = likely[rng_below(r, sizeof(likely) - 1)];
		++*len;
		break;
	default: text[at] = (char)(text[at] ^ (1 << rng_below(r, 8))); break;
	}
}

/* json-c's own reader, which is lax about what it takes but right about what it makes of it. */
static json_object *read_by_json_c(const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new_ex(JS_DEPTH_MAX + 2);
	assert_non_null(tok);
	json_object *o = json_tokener_parse_ex(tok, text, (int)len);
	if (json_tokener_get_error(tok) == json_tokener_continue)
		o = json_tokener_parse_ex(tok, "\n", 1);
	assert_int_equal(json_tokener_get_error(tok), json_tokener_success);
	json_tokener_free(tok);
	return o;
}

/*
 * What passes is parsed, written and parsed again: the canonical texts must be the same, and the
 * same as that of json-c's reader.
 */
static void check_stable(struct js_parser *p, const char *text, size_t len)
{
	json_object *o = NULL, *again = NULL;
	struct hb_err err = { .code = HB_OK };
	if (js_parser_line(p, text, len, "f", &o, &err))
		fail_msg("%s: %.*s", err.text, (int)len, text);
	json_object *other = read_by_json_c(text, len);
	char *ours = written(o, JS_SORTED), *theirs = written(other, JS_SORTED);
	/* json-c takes escaped U+1D800 and the like for half a pair, and replaces it. */
	if (!strstr(theirs, "\xef\xbf\xbd"))
		assert_string_equal(ours, theirs);
	js_put(other);
	free(ours);
	free(theirs);
	for (int style = JS_PLAIN; style <= JS_PRETTY; style++) {
		char *plain = written(o, (enum js_style)style);
		if (js_parser_line(p, plain, strlen(plain), "again", &again, &err))
			fail_msg("%s: %s", err.text, plain);
		char *a = written(o, JS_SORTED), *b = written(again, JS_SORTED);
		assert_string_equal(a, b);
		js_put(again);
		free(plain);
		free(a);
		free(b);
	}
	js_put(o);
}

static void damaged_documents_never_crash_and_what_passes_is_stable(void **state)
{
	(void)state;
	enum { CAP = 600 };
	struct js_parser *p = js_parser_new();
	struct rng r;
	int passed = 0, refused = 0;
	rng_seed(&r, 20240607);
	for (int i = 0; i < 30000; i++) {
		char text[CAP];
		size_t len = strlen(everything);
		memcpy(text, everything, len + 1);
		int times = 1 + (int)rng_below(&r, 3);
		for (int t = 0; t < times && len > 1; t++)
			mutate(&r, text, &len, CAP);
		struct hb_err err = { .code = HB_OK };
		if (check_exact(text, len, &err)) {
			refused++;
			assert_true(strncmp(err.text, "byte ", 5) == 0);
			continue;
		}
		passed++;
		check_stable(p, text, len);
	}
	js_parser_free(p);
	/* Both happen, or the test tests nothing. */
	assert_true(passed > 1000 && refused > 1000);
}

static void random_bytes_never_crash(void **state)
{
	(void)state;
	static const char alphabet[] = "{}[]\"\",,::01-.eE\\ tfn";
	struct js_parser *p = js_parser_new();
	struct rng r;
	rng_seed(&r, 6);
	for (int i = 0; i < 50000; i++) {
		char text[24];
		size_t len = (size_t)rng_below(&r, sizeof(text) + 1);
		for (size_t j = 0; j < len; j++)
			if (i % 8)
				text[j] = alphabet[rng_below(&r, sizeof(alphabet) - 1)];
			else
				text[j] = (char)rng_u64(&r);
		if (check_exact(text, len, NULL) == HB_OK)
			check_stable(p, text, len);
	}
	js_parser_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed_values_are_accepted),
		cmocka_unit_test(everything_else_is_refused_with_its_place),
		cmocka_unit_test(a_nul_byte_is_refused_wherever_it_stands),
		cmocka_unit_test(nesting_ends_at_the_limit),
		cmocka_unit_test(every_cut_of_a_document_is_refused),
		cmocka_unit_test(a_repeated_key_is_refused_however_it_is_written),
		cmocka_unit_test(a_repeated_key_is_found_among_any_number),
		cmocka_unit_test(a_hundred_thousand_keys_are_checked_without_harm),
		cmocka_unit_test(damaged_documents_never_crash_and_what_passes_is_stable),
		cmocka_unit_test(random_bytes_never_crash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

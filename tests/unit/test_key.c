#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/summary.h"

static json_object *parse(const char *text)
{
	json_object *o = NULL;
	struct hb_err err;

	assert_int_equal(js_parse(text, strlen(text), "test", &o, &err), HB_OK);
	return o;
}

static int read_key(const char *text, struct key *k, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("test");
	json_object *o = parse(text);
	int rc = key_from_json(o, &at, k, err);

	js_put(o);
	return rc;
}

#define GOOD                                                                                       \
	"{\"rpn\":1,\"opts\":{\"window\":64,\"buffers\":\"hot\"},\"nodes\":2,"                     \
	"\"metric\":\"algbw_Bps\",\"hw\":\"a\\\"b\",\"class\":\"remote\","                         \
	"\"bytes\":4096,\"bench\":\"mpi.bandwidth\"}"

static void key_text_is_sorted_json_without_spaces(void **state)
{
	struct key k;
	struct hb_err err;

	(void)state;
	assert_int_equal(read_key(GOOD, &k, &err), HB_OK);
	assert_string_equal(k.text,
	                    "{\"bench\":\"mpi.bandwidth\",\"bytes\":4096,\"class\":\"remote\","
	                    "\"hw\":\"a\\\"b\",\"metric\":\"algbw_Bps\",\"nodes\":2,"
	                    "\"opts\":{\"buffers\":\"hot\",\"window\":64},\"rpn\":1}");
	key_free(&k);
}

static void key_text_reads_back_as_itself(void **state)
{
	struct key k, again, copy;
	struct hb_err err;
	struct js_at at = JS_AT_TOP("test");
	json_object *o;

	(void)state;
	assert_int_equal(read_key(GOOD, &k, &err), HB_OK);
	assert_int_equal(read_key(k.text, &again, &err), HB_OK);
	assert_string_equal(k.text, again.text);
	key_free(&again);
	o = key_to_json(&k);
	assert_int_equal(key_from_json(o, &at, &again, &err), HB_OK);
	assert_string_equal(k.text, again.text);
	js_put(o);
	key_copy(&k, &copy);
	assert_string_equal(copy.text, k.text);
	assert_ptr_not_equal(copy.opts, k.opts);
	key_free(&copy);
	key_free(&again);
	key_free(&k);
}

static void curve_of_a_key_leaves_out_the_size_and_nothing_else(void **state)
{
	struct key k;
	struct hb_err err;
	char *a, *b;

	(void)state;
	assert_int_equal(read_key(GOOD, &k, &err), HB_OK);
	a = key_curve(&k);
	k.bytes = 8;
	b = key_curve(&k);
	assert_string_equal(a, b);
	assert_null(strstr(a, "bytes\""));
	free(b);
	k.rpn = 2;
	b = key_curve(&k);
	assert_string_not_equal(a, b);
	free(a);
	free(b);
	key_free(&k);
}

static void bad_key_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "{}", "bench" },
		{ "{\"bench\":7}", "bench" },
		{ "{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":[],"
		  "\"bytes\":1,\"nodes\":1,\"rpn\":1}",
		  "opts" },
		{ "{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":{},"
		  "\"bytes\":-1,\"nodes\":1,\"rpn\":1}",
		  "bytes" },
		{ "{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":{},"
		  "\"bytes\":1,\"nodes\":0,\"rpn\":1}",
		  "nodes" },
		{ "{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":{},"
		  "\"bytes\":1,\"nodes\":1,\"rpn\":99999999999}",
		  "rpn" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct key k;
		struct hb_err err = { 0 };

		assert_int_equal(read_key(bad[i].text, &k, &err), HB_E_FORMAT);
		assert_non_null(strstr(err.text, "test: $"));
		assert_non_null(strstr(err.text, bad[i].place));
		assert_null(k.text);
	}
}

static void overlong_key_member_is_refused(void **state)
{
	char *name = hb_alloc(5001), *text;
	struct key k;
	struct hb_err err = { 0 };

	(void)state;
	memset(name, 'x', 5000);
	text = hb_format("{\"bench\":\"%s\"}", name);
	assert_int_equal(read_key(text, &k, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "$.bench"));
	free(text);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_text_is_sorted_json_without_spaces),
		cmocka_unit_test(key_text_reads_back_as_itself),
		cmocka_unit_test(curve_of_a_key_leaves_out_the_size_and_nothing_else),
		cmocka_unit_test(bad_key_is_refused_with_its_place),
		cmocka_unit_test(overlong_key_member_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What a program that has chosen a locale with a decimal comma, or with other small letters, reads
 * and writes through bench/base. HPCBENCH_TEST_LOCALES: names that must be there; without it what
 * is not installed is passed over.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/json.h"
#include "bench/base/num.h"
#include "bench/base/opt.h"
#include "bench/base/record.h"
#include "bench/base/units.h"

/* Calls check in each locale; skipped where none of them is there. */
static void in_each(void (*check)(void))
{
	static const char *const names[] = { "de_DE.UTF-8", "tr_TR.UTF-8" };
	const char *needed = getenv("HPCBENCH_TEST_LOCALES");
	int n = 0;
	for (size_t i = 0; i < 2; i++) {
		char text[8];
		if (!setlocale(LC_ALL, names[i])) {
			if (needed && strstr(needed, names[i]))
				fail_msg("%s is missing", names[i]);
			continue;
		}
		n++;
		(void)snprintf(text, sizeof text, "%.1f", 1.5);
		assert_string_equal(text, "1,5"); /* it is really in force */
		check();
	}
	(void)setlocale(LC_ALL, "C");
	if (n == 0)
		skip();
}

static void check_json(void)
{
	static const char text[] = "{\"a\":1.5,\"b\":-2.5e-07,\"c\":[0.1,1e300],\"d\":12345678901}";
	struct buf out = BUF_INIT;
	struct hb_err err;
	json_object *o = NULL;
	double v = 0;
	struct js_at at = JS_AT_TOP("text");
	assert_int_equal(js_parse(text, strlen(text), "text", &o, &err), HB_OK);
	assert_int_equal(js_get_f64(o, &at, "a", JS_REQUIRED, &v, &err), HB_OK);
	assert_true(v == 1.5);
	js_set_f64(o, "e", 0.30000000000000004);
	js_write(o, JS_PLAIN, &out);
	assert_non_null(strstr(buf_text(&out), "{\"a\":1.5,\"b\":-2.5e-07,\"c\":[0.1,1e+300]"));
	assert_non_null(strstr(buf_text(&out), "\"e\":0.30000000000000004"));
	js_put(o);
	assert_int_equal(js_check(buf_text(&out), out.len, &err), HB_OK);
	/* A comma ends a number, whatever the locale thinks. */
	assert_int_equal(js_check("1,5", 3, &err), HB_E_FORMAT);
	buf_free(&out);
}

static void check_units(void)
{
	struct hb_err err;
	uint64_t bytes = 0;
	double v = 0;
	char text[32];
	assert_int_equal(units_parse_seconds("1.5ms", &v, &err), HB_OK);
	assert_true(v == 0.0015);
	assert_int_equal(units_parse_seconds("1,5ms", &v, &err), HB_E_USAGE);
	assert_int_equal(units_parse_ratio("2.5%", &v, &err), HB_OK);
	assert_true(v == 0.025);
	assert_int_equal(units_parse_bytes("64KiB", &bytes, &err), HB_OK);
	assert_int_equal(bytes, 65536);
	units_format(UNIT_NS, 1523.4, text, sizeof text);
	assert_string_equal(text, "1.523 us");
	units_format_percent(-0.053, text, sizeof text);
	assert_string_equal(text, "-5.3 %");
	(void)num_format(text, sizeof text, "%.2f", 0.25);
	assert_string_equal(text, "0.25");
}

static void check_records(void)
{
	struct rec_point p = { .ids = { .step = 1, .attempt = 1, .unit = 7 },
		               .bench = "mpi.latency",
		               .bytes = 8,
		               .a = "n1",
		               .round = -1,
		               .ranks = 2,
		               .blocks = 3,
		               .batch = 1,
		               .spread = 0.0125,
		               .n_metrics = 1 };
	struct rec_point back;
	struct rec_scan *scan = rec_scan_new();
	struct rec_end end;
	struct hb_err err;
	struct buf line = BUF_INIT;
	p.metrics[0].name = "lat_p50_ns";
	p.metrics[0].s = (struct stat_summary){ .n = 5,
		                                .p50 = 1234.5,
		                                .lo = 1230.25,
		                                .hi = 1240.75,
		                                .min = 1200.5,
		                                .p95 = 1300.5,
		                                .p99 = 1400.5,
		                                .max = 1500.5 };
	json_object *o = rec_point_to_json(&p);
	js_write(o, JS_PLAIN, &line);
	assert_non_null(strstr(buf_text(&line), "\"p50\":1234.5"));
	struct js_at at = JS_AT_TOP("line");
	assert_int_equal(rec_point_from_json(o, &at, &back, &err), HB_OK);
	assert_true(back.metrics[0].s.p50 == 1234.5);
	js_put(o);
	assert_int_equal(rec_scan_line(scan, line.data, line.len, &back, &end), REC_POINT);
	assert_true(back.metrics[0].s.hi == 1240.75);
	assert_true(back.spread == 0.0125);
	rec_scan_free(scan);
	buf_free(&line);
}

static void json_is_the_same_in_every_locale(void **state)
{
	(void)state;
	in_each(check_json);
}

static void units_are_the_same_in_every_locale(void **state)
{
	(void)state;
	in_each(check_units);
}

static void records_are_the_same_in_every_locale(void **state)
{
	(void)state;
	in_each(check_records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_the_same_in_every_locale),
		cmocka_unit_test(units_are_the_same_in_every_locale),
		cmocka_unit_test(records_are_the_same_in_every_locale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

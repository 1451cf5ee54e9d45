/* Text to numbers with units and back. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/buf.h"
#include "bench/base/num.h"
#include "bench/base/rng.h"
#include "bench/base/units.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void sizes_of_data_are_read_as_coreutils_reads_them(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "0", 0 },
		     { "8", 8 },
		     { "8B", 8 },
		     { "64K", 65536 },
		     { "64k", 65536 },
		     { "64Ki", 65536 },
		     { "64KiB", 65536 },
		     { "64KB", 64000 },
		     { "64kB", 64000 },
		     { "1M", 1 << 20 },
		     { "1MB", 1000000 },
		     { "3G", UINT64_C(3) << 30 },
		     { "2Ti", UINT64_C(2) << 40 },
		     { "2TB", UINT64_C(2000000000000) },
		     { "007", 7 },
		     { "18446744073709551615", UINT64_MAX },
		     { "16777215Ti", UINT64_C(16777215) << 40 } };
	for (size_t i = 0; i < COUNT(good); i++) {
		uint64_t v = 99;
		struct hb_err err;
		assert_int_equal(units_parse_bytes(good[i].text, &v, &err), HB_OK);
		assert_true(v == good[i].bytes);
	}
}

static void other_sizes_are_refused_and_leave_the_number_alone(void **state)
{
	(void)state;
	static const char *const bad[] = { "",
		                           " 8",
		                           "8 ",
		                           "-8",
		                           "+8",
		                           "8.5",
		                           "1.5K",
		                           "K",
		                           "8X",
		                           "8Kx",
		                           "8KiX",
		                           "8KiBB",
		                           "8iB",
		                           "0x10",
		                           "1e3",
		                           "8P",
		                           "8BK",
		                           "8K,",
		                           "8\n",
		                           "٣",
		                           "18446744073709551616",
		                           "16777216Ti",
		                           "99999999999999999999999999" };
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint64_t v = 99;
		struct hb_err err;
		assert_int_equal(units_parse_bytes(bad[i], &v, &err), HB_E_USAGE);
		assert_true(v == 99);
		assert_non_null(strstr(err.text, "not a size; write 8"));
		assert_int_equal(units_parse_bytes(bad[i], &v, NULL), HB_E_USAGE);
	}
}

static void durations_have_units_and_a_bare_number_is_seconds(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double seconds;
	} good[] = { { "10", 10 },      { "10s", 10 }, { "200ms", 0.2 },  { "50us", 50e-6 },
		     { "900ns", 9e-7 }, { "5m", 300 }, { "2h", 7200 },    { "1.5h", 5400 },
		     { "0.5", 0.5 },    { "0", 0 },    { "1e-3s", 1e-3 }, { "1e3ms", 1 } };
	for (size_t i = 0; i < COUNT(good); i++) {
		double v = -1;
		assert_int_equal(units_parse_seconds(good[i].text, &v, NULL), HB_OK);
		assert_true(fabs(v - good[i].seconds) <= 1e-15 * good[i].seconds);
	}
	static const char *const bad[] = { "",       "s",   "soon", "-1s",  "+1s",  "1 s",
		                           "1x",     "nan", "inf",  "infs", "0x1s", "1e400",
		                           "1e308h", ".5",  "1ss",  "1s\n", "1,5s", "5min" };
	for (size_t i = 0; i < COUNT(bad); i++) {
		double v = -1;
		struct hb_err err;
		assert_int_equal(units_parse_seconds(bad[i], &v, &err), HB_E_USAGE);
		assert_true(v == -1);
		assert_string_equal(err.text, "not a duration; write 10s, 200ms, 5m, 8h or 2d");
	}
}

static void numbers_and_shares_are_decimal_and_finite(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double number, share; /* NaN: refused */
	} rows[] = { { "0.01", 0.01, 0.01 }, { "1%", NAN, 0.01 },     { "-3", -3, -3 },
		     { "1e-3", 1e-3, 1e-3 }, { "+2.5", 2.5, 2.5 },    { ".5", 0.5, 0.5 },
		     { "5.", 5, 5 },         { "12.5%", NAN, 0.125 }, { "100%", NAN, 1 },
		     { "", NAN, NAN },       { "%", NAN, NAN },       { "1%%", NAN, NAN },
		     { "1 %", NAN, NAN },    { "inf", NAN, NAN },     { "nan", NAN, NAN },
		     { "0x10", NAN, NAN },   { "0x1p3", NAN, NAN },   { "1e999", NAN, NAN },
		     { "1e", NAN, NAN },     { "1e+", NAN, NAN },     { ".", NAN, NAN },
		     { "-", NAN, NAN },      { "1,5", NAN, NAN },     { " 1", NAN, NAN },
		     { "--1", NAN, NAN },    { "1e-999", 0, 0 } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		double v = 77;
		int rc = units_parse_number(rows[i].text, &v, NULL);
		assert_int_equal(rc, isnan(rows[i].number) ? HB_E_USAGE : HB_OK);
		assert_true(isnan(rows[i].number) ? v == 77 : v == rows[i].number);
		v = 77;
		rc = units_parse_ratio(rows[i].text, &v, NULL);
		assert_int_equal(rc, isnan(rows[i].share) ? HB_E_USAGE : HB_OK);
		assert_true(isnan(rows[i].share) ? v == 77 : v == rows[i].share);
	}
}

static void a_unit_gives_the_same_double_as_the_number_written_out(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		char text[64];
		double a, b;
		snprintf(text, sizeof(text), "%d.%d%%", i / 10, i % 10);
		assert_int_equal(units_parse_ratio(text, &a, NULL), HB_OK);
		snprintf(text, sizeof(text), "%d.%03d", i / 1000, i % 1000);
		assert_int_equal(units_parse_ratio(text, &b, NULL), HB_OK);
		assert_true(a == b);
		snprintf(text, sizeof(text), "%dms", i);
		assert_int_equal(units_parse_seconds(text, &a, NULL), HB_OK);
		assert_true(a == b);
		snprintf(text, sizeof(text), "%de3us", i);
		assert_int_equal(units_parse_seconds(text, &a, NULL), HB_OK);
		assert_true(a == b);
	}
}

static void check_sizes(const char *text, const char *want)
{
	struct sizes s;
	struct buf b = BUF_INIT;
	assert_int_equal(units_parse_sizes(text, &s, NULL), HB_OK);
	for (size_t i = 0; i < s.n; i++)
		buf_printf(&b, "%s%llu", i ? " " : "", (unsigned long long)s.v[i]);
	assert_string_equal(buf_text(&b), want);
	buf_free(&b);
	sizes_free(&s);
	assert_null(s.v);
}

static void lists_and_ranges_of_sizes_are_ascending_without_repetition(void **state)
{
	(void)state;
	check_sizes("8", "8");
	check_sizes("8,1Ki,64", "8 64 1024");
	check_sizes("8..64", "8 16 32 64");
	check_sizes("8..1Ki:x4", "8 32 128 512 1024");
	check_sizes("8..100", "8 16 32 64 100");
	check_sizes("0,8..64", "0 8 16 32 64");
	check_sizes("0..8", "0 1 2 4 8");
	check_sizes("0..0", "0");
	check_sizes("64..64", "64");
	check_sizes("64,8..64,8,8", "8 16 32 64");
	check_sizes("1..18446744073709551615:x4294967296", "1 4294967296 18446744073709551615");
	check_sizes("9223372036854775808..18446744073709551615",
	            "9223372036854775808 18446744073709551615");
	check_sizes("1..8:x18446744073709551615", "1 8");
}

static void other_lists_of_sizes_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",          ",",         "8,",
		",8",        "8,,9",      "8..",
		"..8",       "8...9",     "8..4",
		"8..64:x1",  "8..64:x0",  "8..64:4",
		"8..64:x",   "8..64:",    "8:x2",
		"8 16",      "8..16..32", "abc",
		"8..64:x2x", "8, 16",     "8..64:x99999999999999999999999"
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct sizes s = { NULL, 7 };
		struct hb_err err = { .code = HB_OK };
		assert_int_equal(units_parse_sizes(bad[i], &s, &err), HB_E_USAGE);
		assert_null(s.v);
		assert_true(err.text[0] != '\0');
	}
}

static void a_list_of_sizes_is_bounded(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct sizes s;
	struct hb_err err;
	for (int i = 1; i <= SIZES_MAX; i++)
		buf_printf(&b, "%s%d,%d", i > 1 ? "," : "", i, i);
	assert_int_equal(units_parse_sizes(buf_text(&b), &s, &err), HB_OK);
	assert_int_equal(s.n, SIZES_MAX);
	sizes_free(&s);
	buf_printf(&b, ",%d", SIZES_MAX + 1);
	assert_int_equal(units_parse_sizes(buf_text(&b), &s, &err), HB_E_USAGE);
	assert_string_equal(err.text, "too many sizes");
	buf_clear(&b);
	for (int i = 0; i < 3000; i++)
		buf_puts(&b, i ? ",1..16777215Ti" : "1..16777215Ti");
	assert_int_equal(units_parse_sizes(buf_text(&b), &s, &err), HB_E_USAGE);
	buf_free(&b);
}

static void bytes_for_people_never_confuse_two_sizes(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = { { 0, "0 B" },
		     { 8, "8 B" },
		     { 1000, "1000 B" },
		     { 1024, "1 KiB" },
		     { 1025, "1025 B" },
		     { 1536, "1536 B" },
		     { 262144, "256 KiB" },
		     { 1 << 20, "1 MiB" },
		     { (1 << 20) + (1 << 10), "1025 KiB" },
		     { 1500000, "1.431 MiB" },
		     { UINT64_C(1) << 40, "1 TiB" },
		     { UINT64_C(1) << 63, "8 EiB" },
		     { UINT64_MAX, "16.00 EiB" } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];
		units_format_bytes(rows[i].bytes, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void figures_for_people_have_four_digits_and_a_unit(void **state)
{
	(void)state;
	static const struct {
		enum unit unit;
		double v;
		const char *text;
	} rows[] = { { UNIT_NS, 1523, "1.523 us" },
		     { UNIT_NS, 0, "0.000 ns" },
		     { UNIT_NS, 0.151, "0.151 ns" },
		     { UNIT_NS, 9.9994, "9.999 ns" },
		     { UNIT_NS, 9.9996, "10.00 ns" },
		     { UNIT_NS, 999.94, "999.9 ns" },
		     { UNIT_NS, 999.96, "1.000 us" },
		     { UNIT_NS, 12345678, "12.35 ms" },
		     { UNIT_NS, 5e12, "5000 s" },
		     { UNIT_NS, -1523, "-1.523 us" },
		     { UNIT_BPS, 12.34e9, "12.34 GB/s" },
		     { UNIT_BPS, 1e12, "1.000 TB/s" },
		     { UNIT_BPS, 500, "500.0 B/s" },
		     { UNIT_PER_S, 1.5e6, "1.500 M/s" },
		     { UNIT_PER_S, 20, "20.00 /s" },
		     { UNIT_BYTES, 262144, "256 KiB" },
		     { UNIT_BYTES, -5, "-5 B" },
		     { UNIT_BYTES, 1e30, "1e+30 B" },
		     { UNIT_COUNT, 1234, "1234" },
		     { UNIT_COUNT, -7, "-7" },
		     { UNIT_COUNT, 1.5, "1.500" },
		     { UNIT_RATIO, 0.125, "12.5 %" },
		     { UNIT_NS, NAN, "-" },
		     { UNIT_BPS, INFINITY, "-" },
		     { UNIT_BYTES, NAN, "-" } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];
		units_format(rows[i].unit, rows[i].v, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void durations_and_shares_for_people_read_naturally(void **state)
{
	(void)state;
	static const struct {
		double v;
		const char *duration, *percent;
	} rows[] = { { 0, "0 s", "0.0 %" },
		     { 200, "3 m 20 s", "20000 %" },
		     { 0.2, "200 ms", "20.0 %" },
		     { 5e-7, "500 ns", "0.0 %" },
		     { 0.9994, "999 ms", "99.9 %" },
		     { 0.9996, "1.0 s", "100.0 %" },
		     { 3.21, "3.2 s", "321.0 %" },
		     { 9.96, "10 s", "996.0 %" },
		     { 59.6, "1 m 0 s", "5960 %" },
		     { 3599.6, "1 h 0 m", "359960 %" },
		     { 7500, "2 h 5 m", "750000 %" },
		     { 100000, "1 d 3 h", "10000000 %" },
		     { -0.053, "-53 ms", "-5.3 %" },
		     { -0.0001, "-100 us", "0.0 %" },
		     { NAN, "-", "-" },
		     { INFINITY, "-", "-" } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];
		units_format_duration(rows[i].v, text, sizeof(text));
		assert_string_equal(text, rows[i].duration);
		units_format_percent(rows[i].v, text, sizeof(text));
		assert_string_equal(text, rows[i].percent);
	}
}

static void formatted_text_stays_within_the_room_it_was_given(void **state)
{
	(void)state;
	for (size_t room = 1; room < 12; room++) {
		char text[16];
		memset(text, '#', sizeof(text));
		units_format(UNIT_BPS, 12.34e9, text, room);
		assert_int_equal(text[room], '#');
		assert_true(strlen(text) < room);
		memset(text, '#', sizeof(text));
		units_format_duration(200, text, room);
		assert_int_equal(text[room], '#');
		assert_true(strlen(text) < room);
	}
}

static void edit_distance_counts_a_swap_as_one_mistake(void **state)
{
	(void)state;
	assert_int_equal(units_distance("", ""), 0);
	assert_int_equal(units_distance("", "abc"), 3);
	assert_int_equal(units_distance("abc", ""), 3);
	assert_int_equal(units_distance("window", "windw"), 1);
	assert_int_equal(units_distance("window", "widnow"), 1);
	assert_int_equal(units_distance("kitten", "sitting"), 3);
	assert_int_equal(units_distance("sizes", "size"), 1);
	char a[200], b[200];
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	a[199] = b[199] = '\0';
	assert_int_equal(units_distance(a, b), 64);
}

static void the_nearest_word_is_named_only_if_it_is_near(void **state)
{
	(void)state;
	static const char *const list[] = { "window", "datatype", "sizes", "sync", NULL };
	static const char *const none[] = { NULL };
	assert_string_equal(units_nearest("windw", list), "window");
	assert_string_equal(units_nearest("sizs", list), "sizes");
	assert_string_equal(units_nearest("syncc", list), "sync");
	assert_string_equal(units_nearest("data_type", list), "datatype");
	assert_null(units_nearest("elephant", list));
	assert_null(units_nearest("windw", none));
}

static void the_shortest_text_of_a_double_reads_back_equal(void **state)
{
	(void)state;
	static const struct {
		double v;
		const char *text;
	} rows[] = { { 0, "0" },
		     { 1, "1" },
		     { -1, "-1" },
		     { 0.1, "0.1" },
		     { 1523.25, "1523.25" },
		     { 1e-4, "0.0001" },
		     { 1e-5, "1e-05" },
		     { 1e15, "1e+15" },
		     { 999999999999999.0, "999999999999999" },
		     { 1.0 / 3, "0.3333333333333333" },
		     { 5e-324, "4.94065645841247e-324" },
		     { 0.1 + 0.2, "0.30000000000000004" },
		     { 100.001, "100.001" },
		     { -0.0, "-0.0" },
		     { 1.05, "1.05" },
		     { 1.7976931348623157e308, "1.7976931348623157e+308" } };
	char text[NUM_TEXT];
	for (size_t i = 0; i < COUNT(rows); i++) {
		num_shortest(rows[i].v, text);
		assert_string_equal(text, rows[i].text);
	}
	struct rng r;
	rng_seed(&r, 2024);
	for (int i = 0; i < 100000; i++) {
		double v, back;
		uint64_t bits = rng_u64(&r);
		const char *end;
		memcpy(&v, &bits, sizeof(v));
		if (i % 2)
			v = (double)rng_below(&r, 10000000) / (double)(1 + rng_below(&r, 1000));
		if (!isfinite(v))
			continue;
		num_shortest(v, text);
		assert_true(strlen(text) < NUM_TEXT);
		assert_true(num_parse(text, &end, &back));
		assert_int_equal(*end, '\0');
		assert_true(v == back && signbit(v) == signbit(back));
	}
}

static void short_decimals_are_written_exactly_as_printf_writes_them(void **state)
{
	(void)state;
	struct rng r;
	rng_seed(&r, 99);
	for (int i = 0; i < 100000; i++) {
		char text[NUM_TEXT], want[NUM_TEXT];
		double scale[] = { 1, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e11 };
		double v = (double)(int64_t)rng_below(&r, UINT64_C(1) << (1 + i % 49));
		v = (i % 3 ? v : -v) / scale[rng_below(&r, 8)];
		num_shortest(v, text);
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(want, sizeof(want), "%.*g", digits, v);
			if (strtod(want, NULL) == v)
				break;
		}
		if (v != 0)
			assert_string_equal(text, want);
	}
}

static void no_locale_changes_what_is_read_or_written(void **state)
{
	(void)state;
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
	const char *found = NULL;
	for (size_t i = 0; i < COUNT(names) && !found; i++)
		found = setlocale(LC_NUMERIC, names[i]);
	if (!found)
		skip();
	char comma[16], text[64], shortest[NUM_TEXT];
	snprintf(comma, sizeof(comma), "%.1f", 1.5);
	double v = 0;
	int rc = units_parse_seconds("1.5ms", &v, NULL);
	units_format(UNIT_NS, 1523, text, sizeof(text));
	num_shortest(1.0 / 3, shortest);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(comma, "1,5"); /* the locale was really in force */
	assert_int_equal(rc, HB_OK);
	assert_true(v == 1.5e-3);
	assert_string_equal(text, "1.523 us");
	assert_string_equal(shortest, "0.3333333333333333");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_data_are_read_as_coreutils_reads_them),
		cmocka_unit_test(other_sizes_are_refused_and_leave_the_number_alone),
		cmocka_unit_test(durations_have_units_and_a_bare_number_is_seconds),
		cmocka_unit_test(numbers_and_shares_are_decimal_and_finite),
		cmocka_unit_test(a_unit_gives_the_same_double_as_the_number_written_out),
		cmocka_unit_test(lists_and_ranges_of_sizes_are_ascending_without_repetition),
		cmocka_unit_test(other_lists_of_sizes_are_refused),
		cmocka_unit_test(a_list_of_sizes_is_bounded),
		cmocka_unit_test(bytes_for_people_never_confuse_two_sizes),
		cmocka_unit_test(figures_for_people_have_four_digits_and_a_unit),
		cmocka_unit_test(durations_and_shares_for_people_read_naturally),
		cmocka_unit_test(formatted_text_stays_within_the_room_it_was_given),
		cmocka_unit_test(edit_distance_counts_a_swap_as_one_mistake),
		cmocka_unit_test(the_nearest_word_is_named_only_if_it_is_near),
		cmocka_unit_test(the_shortest_text_of_a_double_reads_back_equal),
		cmocka_unit_test(short_decimals_are_written_exactly_as_printf_writes_them),
		cmocka_unit_test(no_locale_changes_what_is_read_or_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

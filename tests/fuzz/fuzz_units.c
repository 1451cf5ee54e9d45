/* Numbers with units: what was read is printed so that it reads back; what people see is text. */
#include <math.h>

#include "bench/base/num.h"
#include "bench/base/units.h"
#include "tests/fuzz/fuzz.h"

static void check_number(double v)
{
	char text[NUM_TEXT];
	const char *end = NULL;
	double again = 0;

	num_shortest(v, text);
	FUZZ_CHECK(num_parse(text, &end, &again) && *end == '\0' && again == v);
}

static void check_parsers(const char *in)
{
	struct hb_err err = { HB_OK, "" };
	char text[NUM_TEXT];
	uint64_t bytes = 0, bytes_again = 0;
	double v = 0;

	if (fuzz_ok(units_parse_bytes(in, &bytes, &err), &err)) {
		num_u64(bytes, text);
		FUZZ_CHECK(units_parse_bytes(text, &bytes_again, &err) == HB_OK);
		FUZZ_CHECK(bytes == bytes_again);
	}
	if (fuzz_ok(units_parse_seconds(in, &v, &err), &err)) {
		FUZZ_CHECK(isfinite(v) && v >= 0);
		check_number(v);
	}
	if (fuzz_ok(units_parse_number(in, &v, &err), &err))
		check_number(v);
	if (fuzz_ok(units_parse_ratio(in, &v, &err), &err))
		check_number(v);
}

static void check_sizes(const char *in)
{
	struct hb_err err = { HB_OK, "" };
	struct sizes s = { 0 };

	if (!fuzz_ok(units_parse_sizes(in, &s, &err), &err))
		return;
	FUZZ_CHECK(s.n > 0 && s.n <= SIZES_MAX);
	for (size_t i = 1; i < s.n; i++)
		FUZZ_CHECK(s.v[i - 1] < s.v[i]);
	sizes_free(&s);
}

static void check_formats(const char *data, size_t size)
{
	static const char canary = '~';
	char out[33];
	uint64_t whole = 0;
	double v = 0;

	memcpy(&whole, data, size < sizeof(whole) ? size : sizeof(whole));
	memcpy(&v, &whole, sizeof(v));
	for (size_t n = 1; n < sizeof(out); n += 15) {
		for (int u = UNIT_NS; u <= UNIT_RATIO + 3; u++) {
			out[n] = canary;
			if (u <= UNIT_RATIO)
				units_format((enum unit)u, v, out, n);
			else if (u == UNIT_RATIO + 1)
				units_format_bytes(whole, out, n);
			else if (u == UNIT_RATIO + 2)
				units_format_duration(v, out, n);
			else
				units_format_percent(v, out, n);
			FUZZ_CHECK(out[n] == canary && strnlen(out, n) < n);
			fuzz_check_clean(out, strlen(out), false);
		}
	}
	if (isfinite(v))
		check_number(v);
}

void fuzz_one(const char *data, size_t size)
{
	static const char *const words[] = { "latency", "bandwidth", "allreduce", "", NULL };
	char *in = fuzz_text(data, size);

	check_parsers(in);
	check_sizes(in);
	check_formats(data, size);
	FUZZ_CHECK(units_distance(in, words[0]) == units_distance(words[0], in));
	FUZZ_CHECK(units_distance(in, in) == 0);
	units_nearest(in, words);
	free(in);
}

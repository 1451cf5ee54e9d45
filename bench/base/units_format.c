/* Figures for people: the writing half of units.h. Four significant digits, scaled units. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/num.h"
#include "bench/base/units.h"

/* Decimals that make four significant digits of v, which is at least 1. */
static int decimals(double v)
{
	if (v < 9.9995)
		return 3;
	if (v < 99.995)
		return 2;
	return v < 999.95 ? 1 : 0;
}

void units_format_bytes(uint64_t bytes, char *out, size_t n)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	enum { LAST = sizeof(names) / sizeof(names[0]) - 1 };
	/* Exactly while that stays readable: two sizes of a table must not look the same. */
	uint64_t exact = bytes;
	size_t unit = 0;
	while (exact >= 1024 && exact % 1024 == 0 && unit < LAST) {
		exact /= 1024;
		unit++;
	}
	if (exact < 100000) {
		num_format(out, n, "%llu %s", (unsigned long long)exact, names[unit]);
		return;
	}
	double v = (double)bytes;
	for (unit = 0; v >= 1023.5 && unit < LAST; unit++)
		v /= 1024;
	num_format(out, n, "%.*f %s", decimals(v), v, names[unit]);
}

/* v (0 or more) in the unit of the list that leaves 1 to 999 before the point. */
static void scaled(double v, const char *const *names, const char *sign, char *out, size_t n)
{
	while (names[1] && v >= 999.95) {
		v /= 1000;
		names++;
	}
	num_format(out, n, "%s%.*f %s", sign, decimals(v), v, names[0]);
}

/* A count or plain figure: whole numbers as they are. */
static void plain(double v, const char *sign, char *out, size_t n)
{
	if (v == trunc(v) && v < 1e15)
		num_format(out, n, "%s%.0f", sign, v);
	else if (v >= 1e-3 && v < 1e15)
		num_format(out, n, "%s%.*f", sign, decimals(v), v);
	else
		num_format(out, n, "%s%.4g", sign, v);
}

void units_format(enum unit u, double value, char *out, size_t n)
{
	static const char *const ns[] = { "ns", "us", "ms", "s", NULL };
	static const char *const bps[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s", NULL };
	static const char *const per_s[] = { "/s", "k/s", "M/s", "G/s", NULL };
	const char *sign = value < 0 ? "-" : "";
	double v = fabs(value);
	if (!isfinite(value)) {
		num_format(out, n, "-");
		return;
	}
	switch (u) {
	case UNIT_NS: scaled(v, ns, sign, out, n); return;
	case UNIT_BPS: scaled(v, bps, sign, out, n); return;
	case UNIT_PER_S: scaled(v, per_s, sign, out, n); return;
	case UNIT_BYTES:
		if (value >= 0 && value < 0x1p63)
			units_format_bytes((uint64_t)(value + 0.5), out, n);
		else
			num_format(out, n, "%s%.4g B", sign, v);
		return;
	case UNIT_RATIO: units_format_percent(value, out, n); return;
	case UNIT_COUNT:
	default: plain(v, sign, out, n); return;
	}
}

void units_format_duration(double seconds, char *out, size_t n)
{
	static const char *const ns[] = { "ns", "us", "ms", "s", NULL };
	const char *sign = seconds < 0 ? "-" : "";
	double v = fabs(seconds);
	if (!isfinite(seconds) || v > 1e15) {
		num_format(out, n, "-");
	} else if (v == 0) {
		num_format(out, n, "0 s");
	} else if (v < 0.9995) {
		double scale = v * 1e9;
		const char *const *unit = ns;
		while (scale >= 999.5 && unit[1]) {
			scale /= 1000;
			unit++;
		}
		num_format(out, n, "%s%.0f %s", sign, scale, *unit);
	} else if (v < 9.95) {
		num_format(out, n, "%s%.1f s", sign, v);
	} else {
		unsigned long long s = (unsigned long long)(v + 0.5);
		unsigned long long m = s / 60, h = m / 60, d = h / 24;
		if (m == 0)
			num_format(out, n, "%s%llu s", sign, s);
		else if (h == 0)
			num_format(out, n, "%s%llu m %llu s", sign, m, s % 60);
		else if (d == 0)
			num_format(out, n, "%s%llu h %llu m", sign, h, m % 60);
		else
			num_format(out, n, "%s%llu d %llu h", sign, d, h % 24);
	}
}

void units_format_percent(double ratio, char *out, size_t n)
{
	double v = ratio * 100;
	if (!isfinite(v)) {
		num_format(out, n, "-");
		return;
	}
	if (fabs(v) < 0.05)
		v = 0; /* never "-0.0 %" */
	num_format(out, n, "%.*f %%", fabs(v) < 999.95 ? 1 : 0, v);
}

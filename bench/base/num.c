#include "bench/base/num.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C locale is a constant of the library: nothing is allocated, nothing needs to be freed. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

bool num_parse(const char *text, const char **end, double *out)
{
	const char *p = text;
	if (*p == '-' || *p == '+')
		p++;
	if (!is_digit(*p) && !(*p == '.' && is_digit(p[1])))
		return false;
	/* strtod would read 0x10 as sixteen; here the number ends behind the 0. */
	if (*p == '0' && (p[1] == 'x' || p[1] == 'X')) {
		*end = p + 1;
		*out = 0;
		return true;
	}
	p = skip_digits(p);
	if (*p == '.')
		p = skip_digits(p + 1);
	if (*p == 'e' || *p == 'E') {
		const char *exponent = p + 1;
		if (*exponent == '-' || *exponent == '+')
			exponent++;
		if (is_digit(*exponent))
			p = skip_digits(exponent);
	}
	char *stop = NULL;
	double v = strtod_l(text, &stop, c_locale());
	if (stop != p || !isfinite(v))
		return false;
	*end = p;
	*out = v;
	return true;
}

size_t num_u64(uint64_t v, char out[NUM_TEXT])
{
	char digits[NUM_TEXT];
	size_t n = 0, len = 0;
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		out[len++] = digits[--n];
	out[len] = '\0';
	return len;
}

/*
 * The usual case without printf: v is a decimal of at most 15 digits, which name a double without
 * doubt. m and the power of ten are exact, so m / power is rounded once, as reading the text is.
 */
static bool short_decimal(double v, char out[NUM_TEXT])
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	double size = fabs(v);
	/* Outside this range %g writes an exponent. */
	if (!(size >= 1e-4 && size < 1e15) && size != 0)
		return false;
	for (size_t k = 0; k < sizeof(powers) / sizeof(powers[0]); k++) {
		double m = nearbyint(size * powers[k]);
		if (m >= 1e15)
			return false;
		if (m / powers[k] != size)
			continue;
		size_t at = 0;
		if (v < 0)
			out[at++] = '-';
		uint64_t scale = (uint64_t)powers[k], whole = (uint64_t)m;
		at += num_u64(whole / scale, out + at);
		if (k) {
			/* The 1 in front keeps the zeros behind the point. */
			char tail[NUM_TEXT];
			num_u64(scale + whole % scale, tail);
			tail[0] = '.';
			memcpy(out + at, tail, k + 2);
		}
		return true;
	}
	return false;
}

void num_shortest(double v, char out[NUM_TEXT])
{
	if (v == 0 && signbit(v)) {
		memcpy(out, "-0.0", sizeof("-0.0"));
		return;
	}
	if (short_decimal(v, out))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		num_format(out, NUM_TEXT, "%.*g", digits, v);
		if (strtod_l(out, NULL, c_locale()) == v)
			return;
	}
}

int num_format(char *out, size_t n, const char *fmt, ...)
{
	locale_t before = uselocale(c_locale());
	va_list ap;
	va_start(ap, fmt);
	int len = vsnprintf(out, n, fmt, ap);
	va_end(ap);
	uselocale(before);
	return len;
}

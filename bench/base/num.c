#include "bench/base/num.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

static void whole(long long v, char out[NUM_TEXT])
{
	char digits[NUM_TEXT];
	size_t n = 0, at = 0;
	unsigned long long u = v < 0 ? 0ULL - (unsigned long long)v : (unsigned long long)v;
	do {
		digits[n++] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		out[at++] = '-';
	while (n)
		out[at++] = digits[--n];
	out[at] = '\0';
}

void num_shortest(double v, char out[NUM_TEXT])
{
	if (v == 0 && signbit(v)) {
		snprintf(out, NUM_TEXT, "-0.0");
		return;
	}
	if (fabs(v) < 1e15 && v == trunc(v)) {
		whole((long long)v, out);
		return;
	}
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

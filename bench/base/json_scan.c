#include "bench/base/json_scan.h"

#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/utf8.h"

int scan_bad(const struct scanner *s, text_p at, const char *what)
{
	size_t line = 1;
	for (text_p p = s->start; p < at; p++)
		line += *p == '\n';
	size_t byte = (size_t)(at - s->start) + 1;
	if (line > 1)
		return hb_fail(s->err, HB_E_FORMAT, "byte %zu (line %zu): %s", byte, line, what);
	return hb_fail(s->err, HB_E_FORMAT, "byte %zu: %s", byte, what);
}

static bool is_digit(const struct scanner *s, text_p p)
{
	return p < s->end && *p >= '0' && *p <= '9';
}

/* Checks the \u escape whose backslash is at p; NULL after a failure, else what follows. */
static text_p check_unicode(struct scanner *s, text_p p)
{
	const char *what = NULL;
	long v = json_hex4(p + 2, s->end), low;
	size_t len = 6;
	if (v < 0) {
		what = "\\u needs four hexadecimal digits";
	} else if (v == 0) {
		what = "a text may not contain \\u0000";
	} else if (v >= 0xdc00 && v <= 0xdfff) {
		what = "a low surrogate without its high one";
	} else if (v >= 0xd800 && v <= 0xdbff) {
		len = 12;
		low = -1;
		if (s->end - p >= 12 && p[6] == '\\' && p[7] == 'u')
			low = json_hex4(p + 8, s->end);
		if (low < 0xdc00 || low > 0xdfff)
			what = "a high surrogate without its low one";
	}
	if (!what)
		return p + len;
	scan_bad(s, p, what);
	return NULL;
}

static text_p check_escape(struct scanner *s, text_p p)
{
	if (s->end - p < 2) {
		scan_bad(s, s->end, "the text ends inside a string");
		return NULL;
	}
	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return p + 2;
	case 'u': return check_unicode(s, p);
	default: scan_bad(s, p, "unknown escape in a string"); return NULL;
	}
}

static inline bool is_plain(unsigned char ch)
{
	return (unsigned char)(ch - 0x20) < 0x60 && ch != '"' && ch != '\\';
}

int scan_string(struct scanner *s, struct json_key *out)
{
	text_p p = s->p + 1, begin = p, end = s->end;
	bool escaped = false;
	for (;;) {
		while (p < end && is_plain(*p))
			p++;
		if (p == end)
			return scan_bad(s, end, "the text ends inside a string");
		if (*p == '"')
			break;
		if (*p == '\\') {
			p = check_escape(s, p);
			if (!p)
				return HB_E_FORMAT;
			escaped = true;
			continue;
		}
		if (*p < 0x20)
			return scan_bad(s, p,
			                "a raw control character in a string; write \\n, \\t "
			                "or \\u00XX");
		size_t n = utf8_len(p, end);
		if (n == 0)
			return scan_bad(s, p, "a string is not valid UTF-8");
		p += n;
	}
	*out = (struct json_key){ begin, (uint32_t)(p - begin), escaped };
	s->p = p + 1;
	return HB_OK;
}

/* Whole numbers must be exact: -2^63 to 2^64 - 1. The digits have no leading zero. */
static int check_integer(struct scanner *s, text_p number, text_p digits, size_t n)
{
	const char *limit = *number == '-' ? "9223372036854775808" : "18446744073709551615";
	size_t most = strlen(limit);
	if (n > most || (n == most && memcmp(digits, limit, n) > 0))
		return scan_bad(s, number, "a whole number does not fit 64 bits");
	return HB_OK;
}

/*
 * Whether a number with n_int digits before the point and a power of ten is below the largest
 * double. The limit is 2^1024 - 2^970, where rounding goes to infinity; its first digits decide.
 */
static bool fits_double(text_p digits, text_p end, int64_t n_int, int64_t power)
{
	static const char limit[] = "179769313486231580793728971405303415";
	int64_t index = 0;
	text_p p = digits;
	while (p < end && (*p == '0' || *p == '.')) {
		index += *p == '0';
		p++;
	}
	if (p == end)
		return true; /* zero */
	int64_t magnitude = n_int - 1 - index + power;
	if (magnitude != 308)
		return magnitude < 308;
	for (const char *l = limit; *l; l++) {
		if (p < end && *p == '.')
			p++;
		int digit = p < end ? *p++ : '0';
		if (digit != *l)
			return digit < *l;
	}
	return false;
}

/* The exponent behind e or E; clamped far beyond what any length of digits can make up for. */
static int check_power(struct scanner *s, text_p *p_p, int64_t *power)
{
	text_p p = *p_p + 1;
	bool negative = p < s->end && *p == '-';
	if (p < s->end && (*p == '-' || *p == '+'))
		p++;
	if (!is_digit(s, p))
		return scan_bad(s, p, "an exponent needs a digit");
	int64_t v = 0;
	for (; is_digit(s, p); p++)
		if (v < INT64_C(1000000000000))
			v = v * 10 + (*p - '0');
	*power = negative ? -v : v;
	*p_p = p;
	return HB_OK;
}

/*
 * The value of a number whose digits, without the point, are at most 15 and whose power of ten is
 * small: both are exact doubles, so one rounding gives what strtod would. False for all others.
 */
static bool short_number(text_p digits, text_p end, int64_t power, double *out)
{
	static const double powers[] = { 1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
		                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	uint64_t m = 0;
	text_p point = NULL;
	if (end - digits > 16)
		return false;
	for (text_p p = digits; p < end; p++) {
		if (*p == '.')
			point = p;
		else
			m = m * 10 + (unsigned)(*p - '0');
	}
	if (point)
		power -= end - point - 1;
	if (m >= UINT64_C(1000000000000000) || power > 15 || power < -15)
		return false;
	*out = power < 0 ? (double)m / powers[-power] : (double)m * powers[power];
	return true;
}

static json_object *make_double(struct scanner *s, text_p number, text_p digits, text_p end,
                                int64_t power)
{
	double v = 0;
	const char *stop;
	if (short_number(digits, end, power, &v)) {
		v = *number == '-' ? -v : v;
	} else {
		/* The check has found it good and finite. */
		buf_clear(s->word);
		buf_add(s->word, number, (size_t)(s->p - number));
		if (!num_parse(buf_text(s->word), &stop, &v))
			v = 0;
	}
	return scan_made(json_object_new_double(v));
}

static json_object *make_integer(text_p number, text_p digits, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (unsigned)(digits[i] - '0');
	if (*number == '-')
		return scan_made(json_object_new_int64((int64_t)(0 - v)));
	return scan_made(v > INT64_MAX ? json_object_new_uint64(v)
	                               : json_object_new_int64((int64_t)v));
}

/* Behind the whole part: the fraction and exponent of a number that has at least one of
 * them. */
static int scan_fraction(struct scanner *s, text_p number, text_p digits, json_object **out)
{
	text_p p = s->p;
	int64_t n_int = p - digits, power = 0;
	if (*p == '.') {
		p++;
		if (!is_digit(s, p))
			return scan_bad(s, p, "a digit is expected behind the point");
		while (is_digit(s, p))
			p++;
	}
	text_p end = p;
	if (p < s->end && (*p == 'e' || *p == 'E') && check_power(s, &p, &power) != HB_OK)
		return HB_E_FORMAT;
	s->p = p;
	if ((n_int > 300 || power > 8) && !fits_double(digits, end, n_int, power))
		return scan_bad(s, number, "a number is too large for a double");
	if (out)
		*out = make_double(s, number, digits, end, power);
	return HB_OK;
}

int scan_number(struct scanner *s, json_object **out)
{
	text_p number = s->p, p = s->p;
	if (*p == '-')
		p++;
	text_p digits = p;
	if (!is_digit(s, p))
		return scan_bad(s, p, "a digit is expected");
	while (is_digit(s, p))
		p++;
	size_t n_int = (size_t)(p - digits);
	if (*digits == '0' && n_int > 1)
		return scan_bad(s, digits, "a number may not begin with 0");
	s->p = p;
	if (p < s->end && (*p == '.' || *p == 'e' || *p == 'E'))
		return scan_fraction(s, number, digits, out);
	if (n_int >= 19 && check_integer(s, number, digits, n_int) != HB_OK)
		return HB_E_FORMAT;
	if (out)
		*out = make_integer(number, digits, n_int);
	return HB_OK;
}

const char *scan_decode(struct scanner *s, const struct json_key *raw, size_t *len)
{
	buf_clear(s->word);
	if (raw->escaped)
		json_key_decode(raw, s->word);
	else
		buf_add(s->word, raw->p, raw->len);
	*len = s->word->len;
	return buf_text(s->word);
}

json_object *scan_made(json_object *o)
{
	if (!o)
		hb_out_of_memory();
	return o;
}

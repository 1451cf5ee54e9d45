/*
 * The strict reader behind js_check: one pass, recursive descent bounded by JS_DEPTH_MAX, no
 * allocation for objects of usual size (json_keys.h).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/json.h"
#include "bench/base/json_keys.h"
#include "bench/base/utf8.h"

typedef const unsigned char *text_p;

struct checker {
	text_p start, p, end;
	int depth;
	struct hb_err *err;
};

static int check_value(struct checker *c);

static int bad(const struct checker *c, text_p at, const char *what)
{
	size_t line = 1;
	for (text_p p = c->start; p < at; p++)
		line += *p == '\n';
	size_t byte = (size_t)(at - c->start) + 1;
	if (line > 1)
		return hb_fail(c->err, HB_E_FORMAT, "byte %zu (line %zu): %s", byte, line, what);
	return hb_fail(c->err, HB_E_FORMAT, "byte %zu: %s", byte, what);
}

static void skip_space(struct checker *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t'))
		c->p++;
}

static bool is_digit(const struct checker *c, text_p p)
{
	return p < c->end && *p >= '0' && *p <= '9';
}

/* Checks the \u escape whose backslash is at p; NULL after a failure, else what follows. */
static text_p check_unicode(struct checker *c, text_p p)
{
	const char *what = NULL;
	long v = json_hex4(p + 2, c->end), low;
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
		if (c->end - p >= 12 && p[6] == '\\' && p[7] == 'u')
			low = json_hex4(p + 8, c->end);
		if (low < 0xdc00 || low > 0xdfff)
			what = "a high surrogate without its low one";
	}
	if (!what)
		return p + len;
	bad(c, p, what);
	return NULL;
}

static text_p check_escape(struct checker *c, text_p p)
{
	if (c->end - p < 2) {
		bad(c, c->end, "the text ends inside a string");
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
	case 'u': return check_unicode(c, p);
	default: bad(c, p, "unknown escape in a string"); return NULL;
	}
}

static inline bool is_plain(unsigned char ch)
{
	return (unsigned char)(ch - 0x20) < 0x60 && ch != '"' && ch != '\\';
}

/* c->p is at the opening quote; *out gets what is between the quotes. */
static int check_string(struct checker *c, struct json_key *out)
{
	text_p p = c->p + 1, begin = p, end = c->end;
	bool escaped = false;
	for (;;) {
		while (p < end && is_plain(*p))
			p++;
		if (p == end)
			return bad(c, end, "the text ends inside a string");
		if (*p == '"')
			break;
		if (*p == '\\') {
			p = check_escape(c, p);
			if (!p)
				return HB_E_FORMAT;
			escaped = true;
			continue;
		}
		if (*p < 0x20)
			return bad(c, p,
			           "a raw control character in a string; write \\n, \\t "
			           "or \\u00XX");
		size_t n = utf8_len(p, end);
		if (n == 0)
			return bad(c, p, "a string is not valid UTF-8");
		p += n;
	}
	*out = (struct json_key){ begin, (uint32_t)(p - begin), escaped };
	c->p = p + 1;
	return HB_OK;
}

/* Whole numbers must be exact: -2^63 to 2^64 - 1. The digits have no leading zero. */
static int check_integer(struct checker *c, text_p number, text_p digits, size_t n)
{
	const char *limit = *number == '-' ? "9223372036854775808" : "18446744073709551615";
	size_t most = strlen(limit);
	if (n > most || (n == most && memcmp(digits, limit, n) > 0))
		return bad(c, number, "a whole number does not fit 64 bits");
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
		char digit = p < end ? (char)*p++ : '0';
		if (digit != *l)
			return digit < *l;
	}
	return false;
}

/* The exponent behind e or E; clamped far beyond what any length of digits can make up for. */
static int check_power(struct checker *c, text_p *p_p, int64_t *power)
{
	text_p p = *p_p + 1;
	bool negative = p < c->end && *p == '-';
	if (p < c->end && (*p == '-' || *p == '+'))
		p++;
	if (!is_digit(c, p))
		return bad(c, p, "an exponent needs a digit");
	int64_t v = 0;
	for (; is_digit(c, p); p++)
		if (v < INT64_C(1000000000000))
			v = v * 10 + (*p - '0');
	*power = negative ? -v : v;
	*p_p = p;
	return HB_OK;
}

static int check_number(struct checker *c)
{
	text_p number = c->p, p = c->p;
	if (*p == '-')
		p++;
	text_p digits = p;
	if (!is_digit(c, p))
		return bad(c, p, "a digit is expected");
	while (is_digit(c, p))
		p++;
	size_t n_int = (size_t)(p - digits);
	if (*digits == '0' && n_int > 1)
		return bad(c, digits, "a number may not begin with 0");
	c->p = p;
	if (p == c->end || (*p != '.' && *p != 'e' && *p != 'E'))
		return n_int < 19 ? HB_OK : check_integer(c, number, digits, n_int);
	if (*p == '.') {
		p++;
		if (!is_digit(c, p))
			return bad(c, p, "a digit is expected behind the point");
		while (is_digit(c, p))
			p++;
	}
	text_p end = p;
	int64_t power = 0;
	if (p < c->end && (*p == 'e' || *p == 'E') && check_power(c, &p, &power) != HB_OK)
		return HB_E_FORMAT;
	c->p = p;
	if ((n_int > 300 || power > 8) && !fits_double(digits, end, (int64_t)n_int, power))
		return bad(c, number, "a number is too large for a double");
	return HB_OK;
}

static int check_word(struct checker *c, const char *word, size_t n)
{
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
		return bad(c, c->p, "a value is expected (true, false and null in small letters)");
	c->p += n;
	return HB_OK;
}

static int twice(struct checker *c, const struct json_key *key)
{
	char shown[96];
	size_t n = key->len < 40 ? key->len : 40;
	while (n < key->len && n > 0 && (key->p[n] & 0xc0) == 0x80)
		n--;
	snprintf(shown, sizeof(shown), "the key \"%.*s%s\" occurs twice", (int)n,
	         (const char *)key->p, n < key->len ? "..." : "");
	return bad(c, key->p - 1, shown);
}

static int check_member(struct checker *c, struct json_keys *set)
{
	struct json_key key;
	if (c->p == c->end)
		return bad(c, c->p, "the text ends inside an object");
	if (*c->p != '"')
		return bad(c, c->p, "a key in double quotes is expected");
	if (check_string(c, &key) != HB_OK)
		return HB_E_FORMAT;
	if (!json_keys_add(set, &key))
		return twice(c, &key);
	skip_space(c);
	if (c->p == c->end || *c->p != ':')
		return bad(c, c->p, "a colon is expected behind the key");
	c->p++;
	return check_value(c);
}

/* Behind an element: 1 and past the comma when another follows, 0 and past the closing bracket. */
static int check_next(struct checker *c, char close, const char *what)
{
	skip_space(c);
	if (c->p == c->end || (*c->p != ',' && *c->p != close))
		return bad(c, c->p, what);
	if (*c->p++ == close)
		return 0;
	skip_space(c);
	return 1;
}

static int check_keys(struct checker *c, struct json_keys *set)
{
	const struct json_key *again = json_keys_repeated(set);
	return again ? twice(c, again) : HB_OK;
}

static int check_object(struct checker *c)
{
	struct json_keys set;
	json_keys_start(&set);
	c->p++;
	skip_space(c);
	if (c->p < c->end && *c->p == '}') {
		c->p++;
		return HB_OK;
	}
	int rc;
	do {
		rc = check_member(c, &set);
		if (rc == HB_OK)
			rc = check_next(c, '}', "a comma or } is expected");
	} while (rc == 1);
	if (rc == HB_OK)
		rc = check_keys(c, &set);
	json_keys_free(&set);
	return rc;
}

static int check_array(struct checker *c)
{
	c->p++;
	skip_space(c);
	if (c->p < c->end && *c->p == ']') {
		c->p++;
		return HB_OK;
	}
	int rc;
	do {
		rc = check_value(c);
		if (rc == HB_OK)
			rc = check_next(c, ']', "a comma or ] is expected");
	} while (rc == 1);
	return rc;
}

static int check_nested(struct checker *c)
{
	if (c->depth >= JS_DEPTH_MAX)
		return bad(c, c->p, "nested too deep");
	c->depth++;
	int rc = *c->p == '{' ? check_object(c) : check_array(c);
	c->depth--;
	return rc;
}

static int check_value(struct checker *c)
{
	struct json_key ignored;
	skip_space(c);
	if (c->p == c->end)
		return bad(c, c->p, "the text ends where a value is expected");
	switch (*c->p) {
	case '{':
	case '[': return check_nested(c);
	case '"': return check_string(c, &ignored);
	case 't': return check_word(c, "true", 4);
	case 'f': return check_word(c, "false", 5);
	case 'n': return check_word(c, "null", 4);
	case '-': return check_number(c);
	default:
		if (is_digit(c, c->p))
			return check_number(c);
		return bad(c, c->p, "a value is expected");
	}
}

int js_check(const char *text, size_t len, struct hb_err *err)
{
	text_p start = (text_p)text;
	struct checker c = { start, start, start + len, 0, err };
	if (len > JS_FILE_MAX)
		return hb_fail(err, HB_E_FORMAT, "byte %d: longer than is read", JS_FILE_MAX);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return bad(&c, start, "a byte order mark; save the text as UTF-8 without it");
	if (check_value(&c) != HB_OK)
		return HB_E_FORMAT;
	skip_space(&c);
	if (c.p < c.end)
		return bad(&c, c.p, "something follows the value");
	return HB_OK;
}

#include "bench/base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "bench/base/num.h"

/* ---- text to numbers ---- */

/* Digits at *p as a number; false when there are none or they do not fit. */
static bool take_digits(const char **p, uint64_t *out)
{
	uint64_t v = 0;
	const char *s = *p;
	for (; *s >= '0' && *s <= '9'; s++) {
		unsigned digit = (unsigned)(*s - '0');
		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	bool any = s != *p;
	*p = s;
	*out = v;
	return any;
}

/* A size at *p, which ends at a stop character or the end of the text. */
static bool take_bytes(const char **p, uint64_t *out)
{
	static const struct {
		char letter;
		unsigned power;
	} prefixes[] = { { 'k', 1 }, { 'K', 1 }, { 'M', 2 }, { 'G', 3 }, { 'T', 4 } };
	uint64_t v, base = 1024;
	unsigned power = 0;
	const char *s = *p;
	if (!take_digits(&s, &v))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (*s == prefixes[i].letter)
			power = prefixes[i].power;
	if (power)
		s++;
	if (power && *s == 'i')
		s += s[1] == 'B' ? 2 : 1;
	else if (*s == 'B') {
		base = 1000;
		s++;
	}
	for (; power; power--) {
		if (v > UINT64_MAX / base)
			return false;
		v *= base;
	}
	*p = s;
	*out = v;
	return true;
}

int units_parse_bytes(const char *text, uint64_t *out, struct hb_err *err)
{
	const char *p = text;
	uint64_t v;
	if (!take_bytes(&p, &v) || *p)
		return hb_fail(err, HB_E_USAGE,
		               "not a size; write 8, 64K or 64Ki (times 1024), 64KB (times 1000)");
	*out = v;
	return HB_OK;
}

/*
 * The number at text times a power of ten, rounded once: 33.3% must be the same double as 0.333,
 * because figures like these stand in comparison keys.
 */
static bool parse_shifted(const char *text, const char *end, int power, double *out)
{
	size_t n = (size_t)(end - text), mantissa = strcspn(text, "eE");
	struct buf b = BUF_INIT;
	long own = mantissa < n ? strtol(text + mantissa + 1, NULL, 10) : 0;
	const char *stop;
	if (own < -100000 || own > 100000)
		own = own < 0 ? -100000 : 100000;
	buf_add(&b, text, mantissa < n ? mantissa : n);
	buf_printf(&b, "e%ld", own + power);
	bool good = num_parse(buf_text(&b), &stop, out) && *stop == '\0';
	buf_free(&b);
	return good;
}

int units_parse_seconds(const char *text, double *seconds, struct hb_err *err)
{
	static const struct {
		const char *name;
		int power; /* of ten, or */
		double factor;
	} units[] = { { "", 0, 1 },    { "s", 0, 1 },  { "ms", -3, 1 },  { "us", -6, 1 },
		      { "ns", -9, 1 }, { "m", 0, 60 }, { "h", 0, 3600 }, { "d", 0, 86400 } };
	const char *end;
	double v;
	if (*text >= '0' && *text <= '9' && num_parse(text, &end, &v))
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strcmp(end, units[i].name) != 0)
				continue;
			if (!parse_shifted(text, end, units[i].power, &v) ||
			    !isfinite(v * units[i].factor))
				break;
			*seconds = v * units[i].factor;
			return HB_OK;
		}
	return hb_fail(err, HB_E_USAGE, "not a duration; write 10s, 200ms, 5m, 8h or 2d");
}

int units_parse_number(const char *text, double *out, struct hb_err *err)
{
	const char *end;
	double v;
	if (!num_parse(text, &end, &v) || *end)
		return hb_fail(err, HB_E_USAGE, "not a number; write 12, 0.5 or 1e-3");
	*out = v;
	return HB_OK;
}

int units_parse_ratio(const char *text, double *out, struct hb_err *err)
{
	const char *end;
	double v;
	bool good = num_parse(text, &end, &v);
	if (good && *end == '%') {
		good = parse_shifted(text, end, -2, &v);
		end++;
	}
	if (!good || *end)
		return hb_fail(err, HB_E_USAGE, "not a share; write 1%% or 0.01");
	*out = v;
	return HB_OK;
}

/* ---- lists of sizes ---- */

/* Far more than SIZES_MAX, since repetitions are dropped only at the end. */
enum { SIZES_RAW = 64 * 1024 };

static bool sizes_add(struct sizes *s, size_t *cap, uint64_t v)
{
	if (s->n >= SIZES_RAW)
		return false;
	hb_grow(&s->v, cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = v;
	return true;
}

static bool sizes_add_range(struct sizes *s, size_t *cap, uint64_t from, uint64_t to,
                            uint64_t factor)
{
	/* Nothing times any factor grows: 0 is followed by 1. */
	if (from == 0 && to > 0) {
		if (!sizes_add(s, cap, 0))
			return false;
		from = 1;
	}
	while (from < to) {
		if (!sizes_add(s, cap, from))
			return false;
		if (from > to / factor)
			break;
		from *= factor;
	}
	return sizes_add(s, cap, to);
}

static int size_order(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* One item of the list: a size or a range. NULL, or what is wrong. */
static const char *take_item(const char **p_p, struct sizes *s, size_t *cap)
{
	static const char form[] = "not a list of sizes; write 8,1Ki,1Mi or 8..1Mi or 8..1Mi:x4";
	const char *p = *p_p;
	uint64_t from, to, factor = 2;
	if (!take_bytes(&p, &from))
		return form;
	to = from;
	if (p[0] == '.' && p[1] == '.') {
		p += 2;
		if (!take_bytes(&p, &to))
			return form;
		if (to < from)
			return "a range of sizes begins above its end";
		if (p[0] == ':') {
			if (p[1] != 'x')
				return form;
			p += 2;
			if (!take_digits(&p, &factor))
				return form;
			if (factor < 2)
				return "the factor of a range of sizes must be at least 2";
		}
	}
	if (*p && *p != ',')
		return form;
	if (!sizes_add_range(s, cap, from, to, factor))
		return "too many sizes";
	*p_p = p;
	return NULL;
}

int units_parse_sizes(const char *text, struct sizes *out, struct hb_err *err)
{
	struct sizes s = { NULL, 0 };
	size_t cap = 0, n = 0;
	const char *p = text, *wrong = NULL;
	while (!wrong) {
		wrong = take_item(&p, &s, &cap);
		if (wrong || !*p)
			break;
		p++; /* the comma: an item must follow */
	}
	if (!wrong) {
		qsort(s.v, s.n, sizeof(*s.v), size_order);
		for (size_t i = 0; i < s.n; i++)
			if (n == 0 || s.v[i] != s.v[n - 1])
				s.v[n++] = s.v[i];
		s.n = n;
		if (n > SIZES_MAX)
			wrong = "too many sizes";
	}
	if (wrong) {
		sizes_free(&s);
		return hb_fail(err, HB_E_USAGE, "%s", wrong);
	}
	*out = s;
	return HB_OK;
}

void sizes_free(struct sizes *s)
{
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

/* ---- did you mean ---- */

enum { WORD_MAX = 64 };

int units_distance(const char *a, const char *b)
{
	/* Optimal string alignment: insert, delete, replace, swap neighbours, one each. */
	int rows[3][WORD_MAX + 1];
	int *before = rows[0], *last = rows[1], *now = rows[2];
	size_t na = strnlen(a, WORD_MAX), nb = strnlen(b, WORD_MAX);
	for (size_t j = 0; j <= nb; j++)
		last[j] = before[j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int best = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		int *free_row = before;
		before = last;
		last = now;
		now = free_row;
	}
	return last[nb];
}

const char *units_nearest(const char *word, const char *const *list)
{
	const char *nearest = NULL;
	int best = 1 + (int)(strnlen(word, WORD_MAX) / 4) + 1;
	for (size_t i = 0; list[i]; i++) {
		int d = units_distance(word, list[i]);
		if (d < best) {
			best = d;
			nearest = list[i];
		}
	}
	return nearest;
}

/* One option row: its value, from text and back to nothing. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/opt_row.h"

union opt_value opt_row_value(const struct opt *row, void *base)
{
	return (union opt_value){ .any = (char *)base + row->offset };
}

union opt_value opt_row_look(const struct opt *row, const void *base)
{
	union {
		const void *read_only;
		void *any;
	} same = { .read_only = (const char *)base + row->offset };
	return (union opt_value){ .any = same.any };
}

/* ---- limits and choices ---- */

bool opt_row_limited(const struct opt *row)
{
	/* A maximum below 0 makes sense for signed numbers only. */
	return row->max > 0 || (row->type == OPT_INT && (row->min < 0 || row->max < 0));
}

static void put_limit(const struct opt *row, double v, struct buf *out)
{
	char text[64];
	if (row->type == OPT_BYTES)
		units_format_bytes(v >= 0x1p64 ? UINT64_MAX : (uint64_t)v, text, sizeof(text));
	else if (row->type == OPT_SECONDS)
		units_format_duration(v, text, sizeof(text));
	else if (row->type == OPT_RATIO)
		num_format(text, sizeof(text), "%.6g%%", 100 * v);
	else
		num_format(text, sizeof(text), "%.17g", v);
	buf_puts(out, text);
}

void opt_row_limits(const struct opt *row, struct buf *out)
{
	put_limit(row, row->min, out);
	buf_puts(out, " to ");
	put_limit(row, row->max, out);
}

void opt_row_choices(const struct opt *row, const char *last, struct buf *out)
{
	size_t left = 0;
	for (const struct opt_choice *c = row->choices; c->name; c++)
		left += !(c->flags & OPT_REFUSED);
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		if (c->flags & OPT_REFUSED)
			continue;
		buf_puts(out, c->name);
		left--;
		if (left)
			buf_puts(out, left == 1 ? last : ", ");
	}
}

static int out_of_range(const struct opt *row, struct hb_err *err)
{
	struct buf limits = BUF_INIT;
	opt_row_limits(row, &limits);
	hb_fail(err, HB_E_FORMAT, "out of range; %s is allowed", buf_text(&limits));
	buf_free(&limits);
	return HB_E_FORMAT;
}

static bool within(const struct opt *row, double v)
{
	return !opt_row_limited(row) || (v >= row->min && v <= row->max);
}

static const char *nearest_choice(const struct opt *row, const char *word)
{
	size_t n = 0;
	for (const struct opt_choice *c = row->choices; c->name; c++)
		n++;
	const char **names = hb_alloc((n + 1) * sizeof(*names));
	n = 0;
	for (const struct opt_choice *c = row->choices; c->name; c++)
		if (!(c->flags & OPT_REFUSED))
			names[n++] = c->name;
	const char *nearest = units_nearest(word, names);
	free(names);
	return nearest;
}

static int no_choice(const struct opt *row, const char *word, struct hb_err *err)
{
	struct buf list = BUF_INIT, text = BUF_INIT;
	const char *nearest = nearest_choice(row, word);
	opt_row_choices(row, " or ", &list);
	if (row->type == OPT_SET)
		buf_printf(&text, "\"%.40s\" is ", word);
	buf_puts(&text, "not a choice; ");
	if (nearest)
		buf_printf(&text, "did you mean %s? (%s)", nearest, buf_text(&list));
	else
		buf_printf(&text, "write %s", buf_text(&list));
	hb_fail(err, HB_E_FORMAT, "%s", buf_text(&text));
	buf_free(&list);
	buf_free(&text);
	return HB_E_FORMAT;
}

static int find_choice(const struct opt *row, const char *word, const struct opt_choice **out,
                       struct hb_err *err)
{
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		if (strcmp(c->name, word) != 0)
			continue;
		if (c->flags & OPT_REFUSED)
			return hb_fail(err, HB_E_USAGE, "%s=%s is not available in this version",
			               row->name, c->name);
		*out = c;
		return HB_OK;
	}
	return no_choice(row, word, err);
}

/* ---- from text ---- */

static int set_flag(union opt_value v, const char *text, struct hb_err *err)
{
	static const char *const on[] = { "1", "true", "yes", "on", NULL };
	static const char *const off[] = { "0", "false", "no", "off", NULL };
	for (size_t i = 0; on[i]; i++)
		if (strcmp(text, on[i]) == 0) {
			*v.i = 1;
			return HB_OK;
		}
	for (size_t i = 0; off[i]; i++)
		if (strcmp(text, off[i]) == 0) {
			*v.i = 0;
			return HB_OK;
		}
	return hb_fail(err, HB_E_FORMAT, "not a switch; write yes or no");
}

/* Decimal digits only; false when there are none, others, or too many for 64 bits. */
static bool parse_u64(const char *text, uint64_t *out)
{
	uint64_t v = 0;
	const char *p = text;
	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');
		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return p != text && *p == '\0';
}

static int set_int(const struct opt *row, union opt_value v, const char *text, struct hb_err *err)
{
	bool negative = *text == '-';
	uint64_t u;
	if (!parse_u64(text + negative, &u))
		return hb_fail(err, HB_E_FORMAT, "not a whole number");
	if (u > INT_MAX)
		return opt_row_limited(row) ? out_of_range(row, err)
		                            : hb_fail(err, HB_E_FORMAT, "too large");
	int i = negative ? -(int)u : (int)u;
	if (!within(row, i))
		return out_of_range(row, err);
	*v.i = i;
	return HB_OK;
}

static int set_u64(const struct opt *row, union opt_value v, const char *text, struct hb_err *err)
{
	uint64_t u;
	if (row->type == OPT_BYTES) {
		if (units_parse_bytes(text, &u, err))
			return HB_E_FORMAT;
	} else if (!parse_u64(text, &u)) {
		return hb_fail(err, HB_E_FORMAT, "not a whole number from 0 to 2^64 - 1");
	}
	if (!within(row, (double)u))
		return out_of_range(row, err);
	*v.u = u;
	return HB_OK;
}

static int set_double(const struct opt *row, union opt_value v, const char *text,
                      struct hb_err *err)
{
	double d;
	int rc = row->type == OPT_SECONDS ? units_parse_seconds(text, &d, err)
	                                  : units_parse_ratio(text, &d, err);
	if (rc)
		return HB_E_FORMAT;
	/* The likeliest mistake is a percentage without its sign. */
	if (!within(row, d) && row->type == OPT_RATIO && !strchr(text, '%') && d > row->max &&
	    within(row, d / 100))
		return hb_fail(err, HB_E_FORMAT, "that is %g %%; write %.32s%% or %g", 100 * d,
		               text, d / 100);
	if (!within(row, d))
		return out_of_range(row, err);
	if (!opt_row_limited(row) && d < 0)
		return hb_fail(err, HB_E_FORMAT, "may not be negative");
	*v.d = d;
	return HB_OK;
}

static int set_enum(const struct opt *row, union opt_value v, const char *text, struct hb_err *err)
{
	const struct opt_choice *c = NULL;
	int rc = find_choice(row, text, &c, err);
	if (!rc && c)
		*v.i = c->value;
	return rc;
}

static int set_set(const struct opt *row, union opt_value v, const char *text, struct hb_err *err)
{
	uint64_t mask = 0;
	if (strcmp(text, "all") == 0) {
		for (const struct opt_choice *c = row->choices; c->name; c++)
			if (!(c->flags & OPT_REFUSED))
				mask |= UINT64_C(1) << c->value;
		*v.u = mask;
		return HB_OK;
	}
	for (const char *p = text;; p++) {
		size_t n = strcspn(p, ",");
		char *word = hb_strndup(p, n);
		const struct opt_choice *c = NULL;
		int rc = find_choice(row, word, &c, err);
		free(word);
		if (rc)
			return rc;
		if (c)
			mask |= UINT64_C(1) << c->value;
		p += n;
		if (!*p)
			break;
	}
	*v.u = mask;
	return HB_OK;
}

static int set_text(const struct opt *row, union opt_value v, const char *text, struct hb_err *err)
{
	if (row->type == OPT_SIZES) {
		struct sizes s;
		if (units_parse_sizes(text, &s, err))
			return HB_E_FORMAT;
		sizes_free(&s);
	}
	char *copy = hb_strdup(text); /* before the old one goes: text may be the old one */
	free(*v.text);
	*v.text = copy;
	return HB_OK;
}

void opt_row_add_string(union opt_value v, const char *text)
{
	struct opt_strings *s = v.strings;
	s->v = hb_realloc_array(s->v, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = hb_strdup(text);
}

int opt_row_set(const struct opt *row, void *base, const char *text, struct hb_err *err)
{
	union opt_value v = opt_row_value(row, base);
	struct hb_err mine = { .code = HB_OK };
	int rc = HB_OK;
	switch (row->type) {
	case OPT_FLAG: rc = set_flag(v, text, &mine); break;
	case OPT_INT: rc = set_int(row, v, text, &mine); break;
	case OPT_U64:
	case OPT_BYTES: rc = set_u64(row, v, text, &mine); break;
	case OPT_SECONDS:
	case OPT_RATIO: rc = set_double(row, v, text, &mine); break;
	case OPT_STRING:
	case OPT_SIZES: rc = set_text(row, v, text, &mine); break;
	case OPT_STRINGS: opt_row_add_string(v, text); break;
	case OPT_ENUM: rc = set_enum(row, v, text, &mine); break;
	case OPT_SET: rc = set_set(row, v, text, &mine); break;
	case OPT_END:
	case OPT_GROUP: rc = hb_fail(&mine, HB_E_FORMAT, "a heading has no value"); break;
	}
	return rc ? hb_fail(err, rc == HB_E_USAGE ? HB_E_USAGE : HB_E_FORMAT, "%s", mine.text)
	          : HB_OK;
}

void opt_row_free(const struct opt *row, void *base)
{
	union opt_value v = opt_row_value(row, base);
	if (row->type == OPT_STRING || row->type == OPT_SIZES) {
		free(*v.text);
		*v.text = NULL;
	} else if (row->type == OPT_STRINGS) {
		for (size_t i = 0; i < v.strings->n; i++)
			free(v.strings->v[i]);
		free(v.strings->v);
		v.strings->v = NULL;
		v.strings->n = 0;
	}
}

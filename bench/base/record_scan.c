/*
 * Reading the usual records straight from their text. A summary of a large run reads a hundred
 * thousand lines, and building and dropping a tree of JSON objects for each costs twenty times what
 * the line's contents do. So here only the form that our writers give is read, without blanks,
 * escapes or anything beyond ASCII; every doubt is false, and then the full parser, which accepts
 * all that this does and the same way, decides and finds the words for what is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/record_fields.h"

struct rec_scan {
	struct buf line; /* a copy, whose texts are terminated in place */
	struct buf opts; /* the last options found good: most lines repeat them */
};

struct rec_scan *rec_scan_new(void)
{
	return hb_alloc(sizeof(struct rec_scan));
}

void rec_scan_free(struct rec_scan *s)
{
	if (!s)
		return;
	buf_free(&s->line);
	buf_free(&s->opts);
	free(s);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take(char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* A text in quotes; terminated in place of the closing one. NULL: none, or not a plain one. */
static char *scan_text(char **p, size_t *len)
{
	char *start = *p + 1, *c = start;

	if (**p != '"')
		return NULL;
	while (*c >= ' ' && *c < 0x7f && *c != '"' && *c != '\\')
		c++;
	if (*c != '"')
		return NULL;
	*c = '\0';
	*len = (size_t)(c - start);
	*p = c + 1;
	return start;
}

/* Digits as JSON allows them before the point; at most 18, so that they fit any integer. */
static bool scan_digits(char **p, uint64_t *out)
{
	char *start = *p, *c = start;
	uint64_t value = 0;

	for (; is_digit(*c); c++)
		value = value * 10 + (uint64_t)(*c - '0');
	if (c == start || c - start > 18 || (*start == '0' && c - start > 1))
		return false;
	*out = value;
	*p = c;
	return true;
}

/* Behind a number stands what ends it. */
static bool is_end(char c)
{
	return c == ',' || c == '}';
}

/*
 * Up to 15 digits in all make an integer that a double holds exactly, and so is the power of ten:
 * their quotient is rounded once, as the exact conversion is. The others are left to it.
 */
static bool scan_real(char **p, double *out)
{
	static const double powers[] = { 1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
		                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14 };
	const char *start = *p, *end;
	uint64_t digits;
	size_t decimals = 0;

	if (!scan_digits(p, &digits))
		return false;
	if (is_end(**p)) {
		*out = (double)digits;
		return true;
	}
	char *c = *p;
	if (take(&c, '.'))
		for (; decimals < 15 && is_digit(c[decimals]); decimals++)
			digits = digits * 10 + (uint64_t)(c[decimals] - '0');
	if (decimals > 0 && (size_t)(c - start) + decimals <= 15 && is_end(c[decimals])) {
		*p = c + decimals;
		*out = (double)digits / powers[decimals];
		return true;
	}
	/* "1." and "1e" are no numbers in JSON, and num_parse would read past a point alone. */
	if (**p == '.' && !decimals)
		return false;
	if (!num_parse(start, &end, out) || !is_end(*end))
		return false;
	*p += end - *p;
	return true;
}

/* The options: one flat object, checked in full when it differs from the last one. */
static bool scan_opts(struct rec_scan *s, char **p)
{
	const char *start = *p;
	size_t len;

	if (*start != '{')
		return false;
	len = 1 + strcspn(start + 1, "{}[\\");
	if (start[len] != '}')
		return false;
	len++;
	*p += len;
	if (len == s->opts.len && !memcmp(start, s->opts.data, len))
		return true;
	if (js_check(start, len, NULL) != HB_OK)
		return false;
	buf_clear(&s->opts);
	buf_add(&s->opts, start, len);
	return true;
}

static bool scan_fields(struct rec_scan *s, char **p, const struct field_table *table, size_t done,
                        void *dst);

static bool scan_metrics(struct rec_scan *s, char **p, struct rec_point *out)
{
	if (!take(p, '{'))
		return false;
	do {
		size_t len;
		char *name = scan_text(p, &len);

		if (!name || len == 0 || len >= METRIC_NAME_MAX || !take(p, ':') || !take(p, '{') ||
		    out->n_metrics == RECORD_METRICS_MAX)
			return false;
		for (size_t i = 0; i < out->n_metrics; i++)
			if (!strcmp(out->metrics[i].name, name))
				return false;
		struct rec_metric *m = &out->metrics[out->n_metrics++];
		m->name = name;
		if (!scan_fields(s, p, &record_metric_fields, 0, &m->s))
			return false;
	} while (take(p, ','));
	return take(p, '}');
}

static bool scan_field(struct rec_scan *s, char **p, const struct field *f, void *dst)
{
	uint64_t whole;
	double real;
	size_t len;
	char *text;

	switch (f->kind) {
	case FIELD_TYPE: return false; /* twice */
	case FIELD_U64:
	case FIELD_INT:
		return scan_digits(p, &whole) && is_end(**p) && record_store_whole(f, whole, dst);
	case FIELD_FIGURE:
	case FIELD_AMOUNT: return scan_real(p, &real) && record_store_real(f, real, dst);
	case FIELD_TEXT:
	case FIELD_NAME:
		text = scan_text(p, &len);
		return text && record_store_text(f, text, len, dst);
	case FIELD_METRICS: return scan_metrics(s, p, dst);
	case FIELD_OBJECT: return !strcmp(f->name, "opts") && scan_opts(s, p);
	}
	return false;
}

/* The members of an object from the first key to the closing brace; done: rows already read. */
static bool scan_fields(struct rec_scan *s, char **p, const struct field_table *table, size_t done,
                        void *dst)
{
	uint32_t seen = (UINT32_C(1) << done) - 1, present = seen;
	size_t next = done, len;

	do {
		char *key = scan_text(p, &len);
		size_t i = key ? record_find_field(table, key, next) : table->n;

		if (i == table->n || seen & UINT32_C(1) << i || !take(p, ':'))
			return false;
		seen |= UINT32_C(1) << i;
		next = i + 1;
		if (!strncmp(*p, "null", 4)) {
			*p += 4;
			continue;
		}
		const struct field *f = &table->rows[i];
		if (!scan_field(s, p, f, (char *)dst + f->offset))
			return false;
		present |= UINT32_C(1) << i;
	} while (take(p, ','));
	return take(p, '}') && !record_missing_field(table, present);
}

enum record_type rec_scan_line(struct rec_scan *s, const char *text, size_t len,
                               struct rec_point *point, struct rec_end *end)
{
	static const char head[] = "{\"type\":";
	const size_t head_len = sizeof(head) - 1;
	enum record_type type;
	const char *name;
	size_t name_len;
	char *p;

	if (len < head_len || len > JS_LINE_MAX || memcmp(text, head, head_len) != 0)
		return REC_UNKNOWN;
	buf_clear(&s->line);
	buf_add(&s->line, text, len);
	p = s->line.data + head_len;
	name = scan_text(&p, &name_len);
	if (!name || !take(&p, ','))
		return REC_UNKNOWN;
	if (!strcmp(name, record_type_name(REC_END))) {
		*end = (struct rec_end){ .seconds = 0 };
		if (!scan_fields(s, &p, &record_end_fields, 1, end))
			return REC_UNKNOWN;
		type = REC_END;
	} else {
		type = !strcmp(name, record_type_name(REC_PAIR)) ? REC_PAIR : REC_POINT;
		if (strcmp(name, record_type_name(type)) != 0)
			return REC_UNKNOWN;
		record_point_init(point, type);
		if (!scan_fields(s, &p, &record_point_fields, 1, point) ||
		    record_point_fault(point))
			return REC_UNKNOWN;
	}
	/* All of the line was used: nothing follows, nor is a zero byte in it. */
	return p == s->line.data + len ? type : REC_UNKNOWN;
}

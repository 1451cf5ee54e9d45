/*
 * Hostlist form. A word is made of plain text and brackets, "rack[1-2]n[001-064]"; it expands with
 * the last bracket varying fastest. Sizes are known before anything is expanded.
 */
#include "bench/base/nodeset.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

enum { DIGITS_MAX = 18, BRACKETS_MAX = 4 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
	       c == '-' || c == '_';
}

/* Where the parser stands: errors quote the text and count from 1. */
struct scan {
	const char *text, *p;
	struct hb_err *err;
};

static int bad(const struct scan *s, const char *at, const char *what)
{
	return hb_fail(s->err, HB_E_FORMAT, "node set '%.120s', character %zu: %s", s->text,
	               (size_t)(at - s->text) + 1, what);
}

static int too_many(const struct scan *s)
{
	return hb_fail(s->err, HB_E_FORMAT,
	               "node set '%.120s': more than %d nodes, which is the most in one set",
	               s->text, NODESET_MAX);
}

/* One number of a range: value and how wide it was written. */
static int scan_number(struct scan *s, uint64_t *value, int *width)
{
	const char *start = s->p;
	*value = 0;
	for (; is_digit(*s->p); s->p++) {
		if (s->p - start >= DIGITS_MAX)
			return bad(s, start, "a number of more than 18 digits");
		*value = *value * 10 + (uint64_t)(*s->p - '0');
	}
	if (s->p == start)
		return bad(s, start, *start ? "expected a number" : "the bracket is not closed");
	*width = *start == '0' ? (int)(s->p - start) : 1;
	return HB_OK;
}

/* Names so far, to be multiplied by what comes. */
struct names {
	char **v;
	size_t n, cap;
};

static void names_free(struct names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
}

static void names_add(struct names *s, char *name)
{
	hb_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = name;
}

/* "[001-064,070]": the numbers as text, in order. */
static int scan_bracket(struct scan *s, struct names *out)
{
	const char *open = s->p++;
	for (;;) {
		const char *start = s->p;
		uint64_t lo = 0, hi;
		int width = 0, width_hi = 0, rc = scan_number(s, &lo, &width);
		if (rc != HB_OK)
			return rc;
		hi = lo;
		if (*s->p == '-') {
			s->p++;
			rc = scan_number(s, &hi, &width_hi);
			if (rc != HB_OK)
				return rc;
			if (hi < lo)
				return bad(s, start, "a range that runs backwards");
			if (width_hi > 1 && width_hi != width)
				return bad(s, start, "a range whose ends are padded differently");
		}
		if (out->n + (hi - lo) >= NODESET_MAX)
			return too_many(s);
		for (uint64_t v = lo; v <= hi; v++)
			names_add(out, hb_format("%0*llu", width, (unsigned long long)v));
		if (*s->p == ',') {
			s->p++;
			continue;
		}
		if (*s->p == ']') {
			s->p++;
			return HB_OK;
		}
		return *s->p ? bad(s, s->p, "expected ',', '-' or ']'")
		             : bad(s, open, "the bracket is not closed");
	}
}

/* set = every name of set followed by every name of more. */
static int names_multiply(const struct scan *s, struct names *set, const struct names *more)
{
	struct names out = { 0 };
	if (set->n * more->n > NODESET_MAX)
		return too_many(s);
	for (size_t i = 0; i < set->n; i++)
		for (size_t j = 0; j < more->n; j++)
			names_add(&out, hb_format("%s%s", set->v[i], more->v[j]));
	names_free(set);
	*set = out;
	return HB_OK;
}

/* One word up to a comma outside brackets or the end. */
static int scan_word(struct scan *s, struct names *out)
{
	const char *start = s->p;
	int brackets = 0, rc = HB_OK;
	names_add(out, hb_strdup(""));
	while (rc == HB_OK && *s->p && *s->p != ',') {
		struct names part = { 0 };
		const char *from = s->p;
		while (is_name_char(*s->p))
			s->p++;
		if (s->p > from)
			names_add(&part, hb_strndup(from, (size_t)(s->p - from)));
		else if (*s->p == '[' && brackets++ < BRACKETS_MAX)
			rc = scan_bracket(s, &part);
		else
			rc = bad(s, from,
			         *from == ']'   ? "']' without '['"
			         : *from == '[' ? "more than 4 brackets in a name"
			                        : "names have letters, digits, '.', '-' and '_'");
		if (rc == HB_OK)
			rc = names_multiply(s, out, &part);
		names_free(&part);
	}
	if (rc == HB_OK && s->p == start)
		rc = bad(s, start, "an empty name");
	if (rc == HB_OK && (*start == '-' || *start == '.'))
		rc = bad(s, start, "a name must not begin with '-' or '.'");
	for (size_t i = 0; rc == HB_OK && i < out->n; i++)
		if (strlen(out->v[i]) > NODESET_NAME_MAX)
			rc = bad(s, start, "a name of more than 255 characters");
	return rc;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int refuse_repeats(const struct scan *s, const struct nodeset *set)
{
	int rc = HB_OK;
	char **v = hb_realloc_array(NULL, set->n + 1, sizeof(*v));
	for (size_t i = 0; i < set->n; i++)
		v[i] = set->v[i];
	qsort(v, set->n, sizeof(*v), by_text);
	for (size_t i = 1; rc == HB_OK && i < set->n; i++)
		if (strcmp(v[i - 1], v[i]) == 0)
			rc = hb_fail(s->err, HB_E_FORMAT, "node set '%.120s': %s is named twice",
			             s->text, v[i]);
	free(v);
	return rc;
}

int nodeset_parse(const char *text, struct nodeset *out, struct hb_err *err)
{
	struct scan s = { text, text, err };
	int rc = HB_OK;
	memset(out, 0, sizeof(*out));
	for (;;) {
		struct names word = { 0 };
		rc = scan_word(&s, &word);
		if (rc == HB_OK && out->n + word.n > NODESET_MAX)
			rc = too_many(&s);
		if (rc != HB_OK) {
			names_free(&word);
			break;
		}
		hb_grow(&out->v, &out->cap, out->n + word.n, sizeof(*out->v));
		for (size_t i = 0; i < word.n; i++)
			out->v[out->n++] = word.v[i];
		free(word.v);
		if (*s.p != ',')
			break;
		s.p++;
	}
	if (rc == HB_OK)
		rc = refuse_repeats(&s, out);
	if (rc != HB_OK)
		nodeset_free(out);
	return rc;
}

int nodeset_add(struct nodeset *s, const char *name, struct hb_err *err)
{
	size_t n = strlen(name), ok = 0;
	while (is_name_char(name[ok]))
		ok++;
	if (n == 0 || ok != n || n > NODESET_NAME_MAX || *name == '-' || *name == '.')
		return hb_fail(err, HB_E_FORMAT,
		               "node name '%.120s': letters, digits, '.', '-' and '_', not "
		               "beginning with '-' or '.'",
		               name);
	if (nodeset_find(s, name) >= 0)
		return hb_fail(err, HB_E_FORMAT, "node %s is named twice", name);
	if (s->n >= NODESET_MAX)
		return hb_fail(err, HB_E_FORMAT, "more than %d nodes", NODESET_MAX);
	hb_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = hb_strdup(name);
	return HB_OK;
}

long nodeset_find(const struct nodeset *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], name) == 0)
			return (long)i;
	return -1;
}

/* A name split around its last number: "n017-ib" is n, 017, -ib. len 0: has none. */
struct split {
	const char *name, *digits, *suffix;
	size_t prefix_len, len;
	uint64_t value;
	int width; /* as a range would write it */
};

static struct split split_name(const char *name)
{
	struct split s = { name, name, name, 0, 0, 0, 1 };
	const char *end = name + strlen(name);
	while (end > name && !is_digit(end[-1]))
		end--;
	const char *start = end;
	while (start > name && is_digit(start[-1]))
		start--;
	if (start == end || end - start > DIGITS_MAX)
		return s;
	s.digits = start;
	s.suffix = end;
	s.prefix_len = (size_t)(start - name);
	s.len = (size_t)(end - start);
	for (const char *p = start; p < end; p++)
		s.value = s.value * 10 + (uint64_t)(*p - '0');
	s.width = *start == '0' ? (int)s.len : 1;
	return s;
}

static bool same_family(const struct split *a, const struct split *b)
{
	return a->len && b->len && a->prefix_len == b->prefix_len &&
	       memcmp(a->name, b->name, a->prefix_len) == 0 && strcmp(a->suffix, b->suffix) == 0;
}

/* Would a range that began with first write b exactly so, right behind value prev? */
static bool continues(const struct split *first, uint64_t prev, const struct split *b)
{
	char text[32];
	if (b->value != prev + 1)
		return false;
	snprintf(text, sizeof(text), "%0*llu", first->width, (unsigned long long)b->value);
	return strlen(text) == b->len && memcmp(text, b->digits, b->len) == 0;
}

void nodeset_format(const struct nodeset *s, struct buf *out)
{
	for (size_t i = 0; i < s->n;) {
		struct split head = split_name(s->v[i]), next;
		size_t j = i + 1;
		while (j < s->n && (next = split_name(s->v[j]), same_family(&head, &next)))
			j++;
		if (i > 0)
			buf_putc(out, ',');
		if (j == i + 1) {
			buf_puts(out, s->v[i++]);
			continue;
		}
		buf_add(out, head.name, head.prefix_len);
		for (size_t k = i; k < j;) {
			struct split first = split_name(s->v[k]);
			uint64_t last = first.value;
			size_t m = k + 1;
			for (;
			     m < j && (next = split_name(s->v[m]), continues(&first, last, &next));
			     m++)
				last = next.value;
			buf_putc(out, k == i ? '[' : ',');
			buf_add(out, first.digits, first.len);
			if (m > k + 1) {
				next = split_name(s->v[m - 1]);
				buf_putc(out, '-');
				buf_add(out, next.digits, next.len);
			}
			k = m;
		}
		buf_putc(out, ']');
		buf_puts(out, head.suffix);
		i = j;
	}
}

char *nodeset_text(const struct nodeset *s)
{
	struct buf text = BUF_INIT;

	nodeset_format(s, &text);
	return buf_detach(&text);
}

void nodeset_free(struct nodeset *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	memset(s, 0, sizeof(*s));
}

/*
 * The writing half of json.h. json-c would write NaN, raw bad bytes and slashes with a backslash,
 * and numbers in its own way; what is written here reads back as it was, on every machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/json.h"
#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/utf8.h"

/* ---- builders ---- */

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The well-formed beginning of s. */
static size_t valid_prefix(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + len;
	while (p < end) {
		size_t n = utf8_len(p, end);
		if (n == 0)
			break;
		p += n;
	}
	return (size_t)(p - (const unsigned char *)s);
}

/* Appends s with every bad byte replaced. */
static void sanitise(struct buf *out, const char *s, size_t len)
{
	for (;;) {
		size_t n = valid_prefix(s, len);
		buf_add(out, s, n);
		if (n == len)
			return;
		buf_puts(out, REPLACEMENT);
		s += n + 1;
		len -= n + 1;
	}
}

json_object *js_str(const char *value)
{
	if (!value)
		return NULL;
	size_t len = strlen(value);
	if (valid_prefix(value, len) == len)
		return json_object_new_string_len(value, (int)len);
	struct buf clean = BUF_INIT;
	sanitise(&clean, value, len);
	json_object *o = json_object_new_string_len(buf_text(&clean), (int)clean.len);
	buf_free(&clean);
	return o;
}

json_object *js_f64(double value)
{
	char text[NUM_TEXT];
	if (!isfinite(value))
		return NULL;
	num_shortest(value, text);
	return json_object_new_double_s(value, text);
}

void js_set_obj(json_object *o, const char *key, json_object *value)
{
	size_t len = strlen(key);
	if (valid_prefix(key, len) == len) {
		json_object_object_add(o, key, value);
		return;
	}
	struct buf clean = BUF_INIT;
	sanitise(&clean, key, len);
	json_object_object_add(o, buf_text(&clean), value);
	buf_free(&clean);
}

void js_set_str(json_object *o, const char *key, const char *value)
{
	js_set_obj(o, key, js_str(value));
}

void js_set_u64(json_object *o, const char *key, uint64_t value)
{
	js_set_obj(o, key, json_object_new_uint64(value));
}

void js_set_i64(json_object *o, const char *key, int64_t value)
{
	js_set_obj(o, key, json_object_new_int64(value));
}

void js_set_f64(json_object *o, const char *key, double value)
{
	js_set_obj(o, key, js_f64(value));
}

void js_set_bool(json_object *o, const char *key, bool value)
{
	js_set_obj(o, key, json_object_new_boolean(value));
}

/* ---- text ---- */

static void put_escape(struct buf *out, unsigned char ch)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *found = strchr(from, ch);
	if (found && ch)
		buf_printf(out, "\\%c", to[found - from]);
	else
		buf_printf(out, "\\u%04x", (unsigned)ch);
}

/* DEL and U+0080 to U+009F: valid in JSON, but terminals act on them. */
static bool is_control(const unsigned char *p)
{
	return *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

static void quote(struct buf *out, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + len, *begin = p;
	buf_putc(out, '"');
	while (p < end) {
		size_t n = utf8_len(p, end);
		if (n && *p >= 0x20 && *p != '"' && *p != '\\' && !is_control(p)) {
			p += n;
			continue;
		}
		buf_add(out, begin, (size_t)(p - begin));
		if (n)
			put_escape(out, n == 2 ? p[1] : *p);
		else
			buf_puts(out, REPLACEMENT);
		p += n ? n : 1;
		begin = p;
	}
	buf_add(out, begin, (size_t)(p - begin));
	buf_putc(out, '"');
}

void js_quote(struct buf *out, const char *s)
{
	quote(out, s, strlen(s));
}

static void put_integer(struct buf *out, json_object *o)
{
	char text[NUM_TEXT];
	int64_t i = json_object_get_int64(o);
	if (i < 0)
		buf_putc(out, '-');
	buf_add(out, text, num_u64(i < 0 ? 0 - (uint64_t)i : json_object_get_uint64(o), text));
}

static void put_double(struct buf *out, json_object *o)
{
	char text[NUM_TEXT];
	double v = json_object_get_double(o);
	if (!isfinite(v)) {
		buf_puts(out, "null");
		return;
	}
	num_shortest(v, text);
	buf_puts(out, text);
}

static void put_value(struct buf *out, json_object *o, enum js_style style, size_t depth);

/* A new line at this depth where people read it, nothing elsewhere. */
static void put_break(struct buf *out, enum js_style style, size_t depth)
{
	if (style != JS_PRETTY)
		return;
	buf_putc(out, '\n');
	buf_pad(out, ' ', 2 * depth);
}

static void put_array(struct buf *out, json_object *o, enum js_style style, size_t depth)
{
	size_t n = json_object_array_length(o);
	buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(out, ',');
		put_break(out, style, depth + 1);
		put_value(out, json_object_array_get_idx(o, i), style, depth + 1);
	}
	if (n)
		put_break(out, style, depth);
	buf_putc(out, ']');
}

struct member {
	const char *key;
	json_object *value;
};

static int member_order(const void *a, const void *b)
{
	const struct member *ma = a, *mb = b;
	return strcmp(ma->key, mb->key);
}

static void put_object(struct buf *out, json_object *o, enum js_style style, size_t depth)
{
	struct member few[32], *all = few;
	size_t n = 0, len = (size_t)json_object_object_length(o);
	if (len > sizeof(few) / sizeof(few[0]))
		all = hb_realloc_array(NULL, len, sizeof(*all));
	json_object_object_foreach(o, key, value)
	{
		all[n].key = key;
		all[n++].value = value;
	}
	if (style == JS_SORTED && n > 1)
		qsort(all, n, sizeof(*all), member_order);
	buf_putc(out, '{');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(out, ',');
		put_break(out, style, depth + 1);
		js_quote(out, all[i].key);
		buf_puts(out, style == JS_PRETTY ? ": " : ":");
		put_value(out, all[i].value, style, depth + 1);
	}
	if (n)
		put_break(out, style, depth);
	buf_putc(out, '}');
	if (all != few)
		free(all);
}

static void put_value(struct buf *out, json_object *o, enum js_style style, size_t depth)
{
	switch (json_object_get_type(o)) {
	case json_type_boolean: buf_puts(out, json_object_get_boolean(o) ? "true" : "false"); break;
	case json_type_int: put_integer(out, o); break;
	case json_type_double: put_double(out, o); break;
	case json_type_string:
		quote(out, json_object_get_string(o), (size_t)json_object_get_string_len(o));
		break;
	case json_type_array: put_array(out, o, style, depth); break;
	case json_type_object: put_object(out, o, style, depth); break;
	case json_type_null:
	default: buf_puts(out, "null"); break;
	}
}

void js_write(json_object *o, enum js_style style, struct buf *out)
{
	put_value(out, o, style, 0);
}

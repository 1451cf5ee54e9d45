#include "bench/base/json.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/json_scan.h"
#include "bench/base/mem.h"
#include "bench/base/units.h"

/* ---- parsing ---- */

struct js_parser {
	struct buf word;
};

struct js_parser *js_parser_new(void)
{
	return hb_alloc(sizeof(struct js_parser));
}

void js_parser_free(struct js_parser *p)
{
	if (!p)
		return;
	buf_free(&p->word);
	free(p);
}

int js_parser_line(struct js_parser *p, const char *text, size_t len, const char *where,
                   json_object **out, struct hb_err *err)
{
	*out = NULL;
	int rc = json_read(text, len, &p->word, out, err);
	if (rc)
		hb_fail_in(err, "%s", where);
	return rc;
}

int js_parse(const char *text, size_t len, const char *where, json_object **out, struct hb_err *err)
{
	struct js_parser *p = js_parser_new();
	int rc = js_parser_line(p, text, len, where, out, err);
	js_parser_free(p);
	return rc;
}

int js_read_file(const char *path, size_t max, json_object **out, struct hb_err *err)
{
	struct buf b = BUF_INIT;
	*out = NULL;
	int rc = buf_read_file(&b, path, max, err);
	if (!rc)
		rc = js_parse(buf_text(&b), b.len, path, out, err);
	buf_free(&b);
	if (!rc && !json_object_is_type(*out, json_type_object)) {
		js_put(*out);
		*out = NULL;
		return hb_fail(err, HB_E_FORMAT, "%s: the file must hold one JSON object {...}",
		               path);
	}
	return rc;
}

void js_put(json_object *o)
{
	if (o)
		json_object_put(o);
}

/* ---- places ---- */

struct js_at js_at_key(const struct js_at *up, const char *key)
{
	return (struct js_at){ up, key, -1 };
}

struct js_at js_at_index(const struct js_at *up, size_t index)
{
	return (struct js_at){ up, NULL, index > LONG_MAX ? LONG_MAX : (long)index };
}

/* A key that reads well in a path as it is. */
static bool is_simple(const char *key)
{
	size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	return n > 0 && key[n] == '\0' && n <= 64;
}

static void put_shortened(struct buf *out, const char *key)
{
	char shown[64];
	size_t n = strnlen(key, sizeof(shown));
	if (n < sizeof(shown)) {
		js_quote(out, key);
		return;
	}
	for (n = sizeof(shown) - 4; n > 0 && ((unsigned char)key[n] & 0xc0) == 0x80; n--)
		;
	snprintf(shown, sizeof(shown), "%.*s...", (int)n, key);
	js_quote(out, shown);
}

void js_at_text(const struct js_at *at, struct buf *out)
{
	if (!at->up) {
		buf_puts(out, at->name);
		return;
	}
	js_at_text(at->up, out);
	if (!at->up->up)
		buf_puts(out, ": $");
	if (at->index >= 0) {
		buf_printf(out, "[%ld]", at->index);
	} else if (is_simple(at->name)) {
		buf_printf(out, ".%s", at->name);
	} else {
		buf_putc(out, '[');
		put_shortened(out, at->name);
		buf_putc(out, ']');
	}
}

int js_fail(const struct js_at *at, struct hb_err *err, const char *fmt, ...)
{
	if (!err)
		return HB_E_FORMAT;
	struct buf where = BUF_INIT;
	char text[sizeof(err->text)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!at) {
		hb_fail(err, HB_E_FORMAT, "%s", text);
		return HB_E_FORMAT;
	}
	js_at_text(at, &where);
	/* Of a very long place the end tells most; the message itself must not be lost. */
	enum { PLACE = 300 };
	size_t skip = where.len > PLACE ? where.len - PLACE : 0;
	while (skip && skip < where.len && ((unsigned char)where.data[skip] & 0xc0) == 0x80)
		skip++;
	hb_fail(err, HB_E_FORMAT, "%s%s: %s", skip ? "..." : "", buf_text(&where) + skip, text);
	buf_free(&where);
	return HB_E_FORMAT;
}

/* ---- typed getters ---- */

static const char *type_text(json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_null: return "null";
	case json_type_boolean: return "true or false";
	case json_type_double: return "a number with a fraction";
	case json_type_int: return "a whole number";
	case json_type_object: return "an object";
	case json_type_array: return "an array";
	case json_type_string: return "text";
	default: return "something else";
	}
}

/*
 * Finds a member: 1 and *out, 0 when it is optional and not there, or HB_E_FORMAT. what says what
 * is expected.
 */
static int member(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                  const char *what, json_object **out, struct hb_err *err)
{
	json_object *v = NULL;
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object, not %s", type_text(o));
	bool there = json_object_object_get_ex(o, key, &v);
	if (v) {
		*out = v;
		return 1;
	}
	if (need == JS_OPTIONAL)
		return HB_OK;
	struct js_at here = js_at_key(at, key);
	return js_fail(&here, err, "%s; expected %s", there ? "null" : "missing", what);
}

static int wrong(const struct js_at *at, const char *key, const char *what, json_object *v,
                 struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);
	return js_fail(&here, err, "expected %s, not %s", what, type_text(v));
}

int js_get_str(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               const char **out, struct hb_err *err)
{
	json_object *v = NULL;
	int found = member(o, at, key, need, "text", &v, err);
	if (found <= 0)
		return found;
	if (!json_object_is_type(v, json_type_string))
		return wrong(at, key, "text", v, err);
	*out = json_object_get_string(v);
	return HB_OK;
}

/* Whole numbers written with a point or exponent (1e6, 12.0) count while they are exact. */
static bool whole_double(json_object *v, double *out)
{
	if (!json_object_is_type(v, json_type_double))
		return false;
	*out = json_object_get_double(v);
	return fabs(*out) <= 0x1p53 && *out == trunc(*out);
}

int js_get_u64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               uint64_t *out, struct hb_err *err)
{
	static const char what[] = "a whole number of 0 or more";
	json_object *v = NULL;
	double d;
	int found = member(o, at, key, need, what, &v, err);
	if (found <= 0)
		return found;
	struct js_at here = js_at_key(at, key);
	if (whole_double(v, &d)) {
		if (d < 0)
			return js_fail(&here, err, "expected %s, not a negative one", what);
		*out = (uint64_t)d;
		return HB_OK;
	}
	if (!json_object_is_type(v, json_type_int))
		return wrong(at, key, what, v, err);
	if (json_object_get_int64(v) < 0)
		return js_fail(&here, err, "expected %s, not a negative one", what);
	*out = json_object_get_uint64(v);
	return HB_OK;
}

int js_get_i64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               int64_t *out, struct hb_err *err)
{
	static const char what[] = "a whole number";
	json_object *v = NULL;
	double d;
	int found = member(o, at, key, need, what, &v, err);
	if (found <= 0)
		return found;
	if (whole_double(v, &d)) {
		*out = (int64_t)d;
		return HB_OK;
	}
	if (!json_object_is_type(v, json_type_int))
		return wrong(at, key, what, v, err);
	int64_t i = json_object_get_int64(v);
	if (i == INT64_MAX && json_object_get_uint64(v) > INT64_MAX) {
		struct js_at here = js_at_key(at, key);
		return js_fail(&here, err, "too large; at most %lld", (long long)INT64_MAX);
	}
	*out = i;
	return HB_OK;
}

/* One parameter more than usual: bounds belong to the one call that reads an int. */
/* NOLINTNEXTLINE(readability-function-size) */
int js_get_int(json_object *o, const struct js_at *at, const char *key, enum js_need need, int min,
               int max, int *out, struct hb_err *err)
{
	/* Outside every int: tells an absent member from any that could be there. */
	int64_t v = INT64_MIN;
	int rc = js_get_i64(o, at, key, need, &v, err);
	if (rc)
		return rc;
	json_object *there;
	if (v == INT64_MIN && (!json_object_object_get_ex(o, key, &there) || !there))
		return HB_OK;
	if (v < min || v > max) {
		struct js_at here = js_at_key(at, key);
		return js_fail(&here, err, "%lld is out of range; %d to %d is allowed",
		               (long long)v, min, max);
	}
	*out = (int)v;
	return HB_OK;
}

int js_get_f64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               double *out, struct hb_err *err)
{
	json_object *v = NULL;
	int found = member(o, at, key, need, "a number", &v, err);
	if (found <= 0)
		return found;
	if (json_object_is_type(v, json_type_double)) {
		*out = json_object_get_double(v);
		return HB_OK;
	}
	if (!json_object_is_type(v, json_type_int))
		return wrong(at, key, "a number", v, err);
	int64_t i = json_object_get_int64(v);
	*out = i < 0 ? (double)i : (double)json_object_get_uint64(v);
	return HB_OK;
}

int js_get_bool(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                bool *out, struct hb_err *err)
{
	json_object *v = NULL;
	int found = member(o, at, key, need, "true or false", &v, err);
	if (found <= 0)
		return found;
	if (!json_object_is_type(v, json_type_boolean))
		return wrong(at, key, "true or false", v, err);
	*out = json_object_get_boolean(v);
	return HB_OK;
}

int js_get_obj(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               json_object **out, struct hb_err *err)
{
	json_object *v = NULL;
	int found = member(o, at, key, need, "an object", &v, err);
	if (found <= 0)
		return found;
	if (!json_object_is_type(v, json_type_object))
		return wrong(at, key, "an object", v, err);
	*out = v;
	return HB_OK;
}

int js_get_arr(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               json_object **out, struct hb_err *err)
{
	json_object *v = NULL;
	int found = member(o, at, key, need, "an array", &v, err);
	if (found <= 0)
		return found;
	if (!json_object_is_type(v, json_type_array))
		return wrong(at, key, "an array", v, err);
	*out = v;
	return HB_OK;
}

/* Names the nearest of the known keys, if one is near. */
static int unknown_key(const struct js_at *at, const char *key, const char *const *known,
                       struct hb_err *err)
{
	struct buf shown = BUF_INIT;
	put_shortened(&shown, key);
	const char *near = units_nearest(key, known);
	int rc;
	if (near)
		rc = js_fail(at, err, "unknown key %s; did you mean \"%s\"?", buf_text(&shown),
		             near);
	else
		rc = js_fail(at, err, "unknown key %s", buf_text(&shown));
	buf_free(&shown);
	return rc;
}

int js_known_keys(json_object *o, const struct js_at *at, const char *const *known,
                  struct hb_err *err)
{
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object, not %s", type_text(o));
	json_object_object_foreach(o, key, unused)
	{
		(void)unused;
		bool found = strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0;
		for (size_t i = 0; !found && known[i]; i++)
			found = strcmp(key, known[i]) == 0;
		if (!found)
			return unknown_key(at, key, known, err);
	}
	return HB_OK;
}

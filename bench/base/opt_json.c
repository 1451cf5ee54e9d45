/* Option tables from and to JSON. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"

/* ---- from JSON ---- */

static bool takes_number(const struct opt *row)
{
	switch (row->type) {
	case OPT_INT:
	case OPT_U64:
	case OPT_BYTES:
	case OPT_SECONDS:
	case OPT_RATIO:
	case OPT_SIZES: return true;
	case OPT_FLAG:
	case OPT_STRING:
	case OPT_STRINGS:
	case OPT_ENUM:
	case OPT_SET:
	case OPT_GROUP:
	case OPT_END:
	default: return false;
	}
}

static bool takes_array(const struct opt *row)
{
	return row->type == OPT_SET || row->type == OPT_SIZES || row->type == OPT_STRINGS;
}

static const char *expected(const struct opt *row)
{
	switch (row->type) {
	case OPT_FLAG: return "true or false";
	case OPT_INT:
	case OPT_U64: return "a whole number";
	case OPT_BYTES: return "a number of bytes or text like \"64Ki\"";
	case OPT_SECONDS: return "a number of seconds or text like \"10s\"";
	case OPT_RATIO: return "a number or text like \"1%\"";
	case OPT_SIZES: return "text like \"8..1Mi\"";
	case OPT_STRINGS:
	case OPT_SET: return "an array of texts";
	case OPT_STRING:
	case OPT_ENUM:
	case OPT_GROUP:
	case OPT_END:
	default: return "text";
	}
}

static int wrong_type(const struct opt *row, const struct js_at *at, struct hb_err *err)
{
	return js_fail(at, err, "expected %s", expected(row));
}

/* The text that the command line would have, of a number, a boolean or a string; false if none. */
static bool plain_text(const struct opt *row, json_object *v, struct buf *text)
{
	switch (json_object_get_type(v)) {
	case json_type_string: buf_puts(text, json_object_get_string(v)); return true;
	case json_type_boolean:
		if (row->type != OPT_FLAG)
			return false;
		buf_puts(text, json_object_get_boolean(v) ? "yes" : "no");
		return true;
	case json_type_int:
	case json_type_double:
		if (!takes_number(row))
			return false;
		js_write(v, JS_PLAIN, text);
		return true;
	case json_type_null:
	case json_type_object:
	case json_type_array:
	default: return false;
	}
}

static int set_plain(const struct opt *row, void *dst, json_object *v, const struct js_at *at,
                     struct hb_err *err)
{
	struct buf text = BUF_INIT;
	struct hb_err mine = { .code = HB_OK };
	int rc;
	if (!plain_text(row, v, &text)) {
		rc = wrong_type(row, at, err);
	} else {
		rc = opt_row_set(row, dst, buf_text(&text), &mine);
		if (rc == HB_E_USAGE)
			js_fail(at, err, "%s", mine.text);
		else if (rc)
			js_fail(at, err, "\"%.80s\": %s", buf_text(&text), mine.text);
		if (rc && err)
			err->code = mine.code;
	}
	buf_free(&text);
	return rc;
}

/* Joins the elements with commas, which is how sets and sizes look on the command line. */
static int set_joined(const struct opt *row, void *dst, json_object *v, const struct js_at *at,
                      struct hb_err *err)
{
	struct buf text = BUF_INIT;
	size_t n = json_object_array_length(v);
	int rc = HB_OK;
	if (n == 0 && row->type == OPT_SET) {
		*opt_row_value(row, dst).u = 0;
		return HB_OK;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct js_at here = js_at_index(at, i);
		if (i)
			buf_putc(&text, ',');
		if (!plain_text(row, json_object_array_get_idx(v, i), &text))
			rc = wrong_type(row, &here, err);
	}
	if (!rc) {
		json_object *joined = js_str(buf_text(&text));
		rc = set_plain(row, dst, joined, at, err);
		js_put(joined);
	}
	buf_free(&text);
	return rc;
}

static int set_strings(const struct opt *row, void *dst, json_object *v, const struct js_at *at,
                       struct hb_err *err)
{
	size_t n = json_object_array_length(v);
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_index(at, i);
		int rc = set_plain(row, dst, json_object_array_get_idx(v, i), &here, err);
		if (rc)
			return rc;
	}
	return HB_OK;
}

static int set_row(const struct opt *row, void *dst, json_object *v, const struct js_at *at,
                   struct hb_err *err)
{
	if (row->type == OPT_STRINGS)
		opt_row_free(row, dst); /* the object says it all, it does not add */
	if (!json_object_is_type(v, json_type_array) || !takes_array(row))
		return set_plain(row, dst, v, at, err);
	return row->type == OPT_STRINGS ? set_strings(row, dst, v, at, err)
	                                : set_joined(row, dst, v, at, err);
}

static int unknown_key(const struct opt *opts, const char *key, const struct js_at *at,
                       struct hb_err *err)
{
	const char *nearest = opt_row_nearest(opts, key);
	if (nearest)
		return js_fail(at, err, "unknown key \"%.64s\"; did you mean \"%s\"?", key,
		               nearest);
	return js_fail(at, err, "unknown key \"%.64s\"", key);
}

int opt_from_json(const struct opt *opts, void *dst, json_object *o, const struct js_at *at,
                  struct hb_err *err)
{
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object of options");
	json_object_object_foreach(o, key, value)
	{
		if (strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0)
			continue;
		const struct opt *row = opt_row_find(opts, key);
		if (!row)
			return unknown_key(opts, key, at, err);
		if (!value)
			continue;
		struct js_at here = js_at_key(at, key);
		int rc = set_row(row, dst, value, &here, err);
		if (rc)
			return rc;
	}
	return HB_OK;
}

/* ---- to JSON ---- */

static const char *choice_name(const struct opt *row, int value)
{
	for (const struct opt_choice *c = row->choices; c->name; c++)
		if (c->value == value)
			return c->name;
	return NULL;
}

static int name_order(const void *a, const void *b)
{
	const char *x, *y;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return strcmp(x, y);
}

/* One chosen value is its name; others are an array sorted by name, so that no order of rows or
 * of words on the command line can change a key. */
static json_object *set_to_json(const struct opt *row, uint64_t mask)
{
	const char *names[64];
	size_t n = 0;
	for (int bit = 0; bit < 63; bit++) {
		const char *name = mask >> bit & 1 ? choice_name(row, bit) : NULL;
		if (name)
			names[n++] = name;
	}
	if (n == 1)
		return js_str(names[0]);
	qsort(names, n, sizeof(names[0]), name_order);
	json_object *array = json_object_new_array();
	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, js_str(names[i]));
	return array;
}

static json_object *strings_to_json(const struct opt_strings *s)
{
	json_object *array = json_object_new_array();
	for (size_t i = 0; i < s->n; i++)
		json_object_array_add(array, js_str(s->v[i]));
	return array;
}

static json_object *row_to_json(const struct opt *row, const void *src)
{
	union opt_value v = opt_row_look(row, src);
	switch (row->type) {
	case OPT_FLAG: return json_object_new_boolean(*v.i != 0);
	case OPT_INT: return json_object_new_int64(*v.i);
	case OPT_U64:
	case OPT_BYTES: return json_object_new_uint64(*v.u);
	case OPT_SECONDS:
	case OPT_RATIO: return js_f64(*v.d);
	case OPT_STRING:
	case OPT_SIZES: return js_str(*v.text);
	case OPT_STRINGS: return strings_to_json(v.strings);
	case OPT_ENUM: return js_str(choice_name(row, *v.i));
	case OPT_SET: return set_to_json(row, *v.u);
	case OPT_GROUP:
	case OPT_END:
	default: return NULL;
	}
}

/* The value that a key leaves out: that of the keys from before the row. */
static bool is_silent(const struct opt *row, json_object *v, unsigned flags)
{
	return (flags & OPT_KEY) && (row->flags & OPT_LATER) && row->dflt &&
	       strcmp(json_object_get_string(v), row->dflt) == 0;
}

json_object *opt_to_json(const struct opt *opts, const void *src, unsigned flags)
{
	json_object *o = json_object_new_object();
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		if (!opt_row_is_option(row) || (row->flags & flags) != flags)
			continue;
		if ((flags & OPT_KEY) && (row->type == OPT_SIZES || (row->flags & OPT_HIDDEN)))
			continue;
		json_object *v = row_to_json(row, src);
		if (is_silent(row, v, flags))
			js_put(v);
		else
			js_set_obj(o, row->name, v);
	}
	return o;
}

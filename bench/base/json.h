/*
 * A thin, strict layer on json-c: values are json-c's, text is read and written here. json-c alone
 * accepts NaN, single quotes, raw control characters and overlong UTF-8, clamps large integers,
 * keeps the last of duplicate keys and misreads some surrogate pairs; js_parse refuses or reads
 * right all of these, in one pass and half the time. Every value goes through a typed getter that
 * knows where it is, so that one line tells file, path and what was expected.
 */
#ifndef HPCBENCH_BASE_JSON_H
#define HPCBENCH_BASE_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"

enum { JS_DEPTH_MAX = 32, JS_LINE_MAX = 64 * 1024, JS_FILE_MAX = 1 << 30 };

/*
 * Checks that text is one complete JSON value: RFC 8259 grammar, UTF-8 without overlong forms or
 * surrogates, nesting up to JS_DEPTH_MAX, integers within int64/uint64, no duplicate keys in an
 * object, nothing behind the value but white space. Allocates nothing that outlives the call.
 * On failure err has "byte N: what", or "byte N (line L): what" beyond the first line.
 */
int js_check(const char *text, size_t len, struct hb_err *err);

/*
 * Parses one value; *out is the caller's (js_put). where names the source in errors ("FILE" or
 * "FILE:LINE"). The parser keeps nothing between calls, safe in any thread.
 */
int js_parse(const char *text, size_t len, const char *where, json_object **out,
             struct hb_err *err);

/* A parser that is reused over many lines: it keeps its memory. One thread. */
struct js_parser;
struct js_parser *js_parser_new(void);
int js_parser_line(struct js_parser *p, const char *text, size_t len, const char *where,
                   json_object **out, struct hb_err *err);
void js_parser_free(struct js_parser *p);

/* Reads and parses a file of at most max bytes whose value must be an object. */
int js_read_file(const char *path, size_t max, json_object **out, struct hb_err *err);

void js_put(json_object *o); /* drops one reference; NULL is fine */

/*
 * Where a value stands: names file and JSON path in errors. Made on the stack, child by child:
 *	struct js_at top = JS_AT_TOP("suite.json"), s = js_at_index(&steps, 3);
 */
struct js_at {
	const struct js_at *up;
	const char *name; /* key, or the source at the top */
	long index;       /* >= 0: array element */
};
#define JS_AT_TOP(source)                                                                          \
	{                                                                                          \
		NULL, (source), -1                                                                 \
	}
struct js_at js_at_key(const struct js_at *up, const char *key);
struct js_at js_at_index(const struct js_at *up, size_t index);
/* "suite.json: $.steps[3].sizes" */
void js_at_text(const struct js_at *at, struct buf *out);
/* Fails with "<where>: <message>". */
int js_fail(const struct js_at *at, struct hb_err *err, const char *fmt, ...) HB_PRINTF(3, 4);

enum js_need { JS_OPTIONAL, JS_REQUIRED };

/*
 * Typed getters of a member of object o. An absent or null optional member leaves *out as it was
 * and returns HB_OK; a wrong type or, where required, absence is HB_E_FORMAT. Strings and objects
 * are borrowed from o.
 */
int js_get_str(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               const char **out, struct hb_err *err);
int js_get_u64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               uint64_t *out, struct hb_err *err);
int js_get_i64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               int64_t *out, struct hb_err *err);
/* Bounded int: outside [min, max] is HB_E_FORMAT. */
int js_get_int(json_object *o, const struct js_at *at, const char *key, enum js_need need, int min,
               int max, int *out, struct hb_err *err);
int js_get_f64(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               double *out, struct hb_err *err);
int js_get_bool(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                bool *out, struct hb_err *err);
int js_get_obj(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               json_object **out, struct hb_err *err);
int js_get_arr(json_object *o, const struct js_at *at, const char *key, enum js_need need,
               json_object **out, struct hb_err *err);

/*
 * Refuses keys of o that are not in the NULL-terminated list, naming the nearest known one.
 * "$schema" and "comment" are always allowed.
 */
int js_known_keys(json_object *o, const struct js_at *at, const char *const *known,
                  struct hb_err *err);

/* Builders. A NULL string or a non-finite number becomes null; bad UTF-8 becomes U+FFFD. */
void js_set_str(json_object *o, const char *key, const char *value);
void js_set_u64(json_object *o, const char *key, uint64_t value);
void js_set_i64(json_object *o, const char *key, int64_t value);
void js_set_f64(json_object *o, const char *key,
                double value); /* shortest text that reads back equal */
void js_set_bool(json_object *o, const char *key, bool value);
void js_set_obj(json_object *o, const char *key, json_object *value); /* takes the reference */
json_object *js_str(const char *value); /* new values for arrays, same rules */
json_object *js_f64(double value);

enum js_style { JS_PLAIN, JS_SORTED, JS_PRETTY };
/* PLAIN: one line, no spaces. SORTED: the same with sorted keys (canonical). PRETTY: for people. */
void js_write(json_object *o, enum js_style style, struct buf *out);

/* Appends s as a JSON string with quotes, sanitised. */
void js_quote(struct buf *out, const char *s);

#endif

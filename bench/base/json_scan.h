/*
 * The words of JSON: strings and numbers, scanned strictly and, where asked, made into values.
 * Part of js_check and js_parse; nobody else includes this.
 */
#ifndef HPCBENCH_BASE_JSON_SCAN_H
#define HPCBENCH_BASE_JSON_SCAN_H

#include "bench/base/json.h"
#include "bench/base/json_keys.h"

typedef const unsigned char *text_p;

struct scanner {
	text_p start, p, end; /* the whole text, and where the scanner stands */
	int depth;
	struct buf *word; /* for decoded strings and keys; NULL while only checking */
	struct hb_err *err;
};

/* Fails with "byte N: what" (and the line, beyond the first) for the place at. */
int scan_bad(const struct scanner *s, text_p at, const char *what);

static inline void scan_space(struct scanner *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

/* s->p is at the opening quote; *out gets what is between the quotes. */
int scan_string(struct scanner *s, struct json_key *out);

/* s->p is at a minus sign or digit. Where out is not NULL, *out is a new number. */
int scan_number(struct scanner *s, json_object **out);

/* The text of a scanned string with its escapes resolved; valid until the next call. */
const char *scan_decode(struct scanner *s, const struct json_key *raw, size_t *len);

/* A new object never is NULL: that would be an unnoticed null in the data. */
json_object *scan_made(json_object *o);

/*
 * Reads one value. *out is the caller's (set it to NULL before: null stays NULL); a NULL out only
 * checks. word is any buffer, reused from call to call.
 */
int json_read(const char *text, size_t len, struct buf *word, json_object **out,
              struct hb_err *err);

#endif

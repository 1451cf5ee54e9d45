/*
 * The grammar behind js_check and js_parse: one pass, recursive descent bounded by JS_DEPTH_MAX.
 * Each function checks; where out is not NULL it also makes the value, so that a text is read
 * once only. A failure leaves nothing behind.
 */
#include <stdio.h>
#include <string.h>

#include "bench/base/json_scan.h"
#include "bench/base/mem.h"

static int check_value(struct scanner *s, json_object **out);

static int check_word(struct scanner *s, const char *word, size_t n)
{
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return scan_bad(s, s->p,
		                "a value is expected (true, false and null in small letters)");
	s->p += n;
	return HB_OK;
}

static int twice(struct scanner *s, const struct json_key *key)
{
	char shown[96];
	size_t n = key->len < 40 ? key->len : 40;
	while (n < key->len && n > 0 && (key->p[n] & 0xc0) == 0x80)
		n--;
	snprintf(shown, sizeof(shown), "the key \"%.*s%s\" occurs twice", (int)n,
	         (const char *)key->p, n < key->len ? "..." : "");
	return scan_bad(s, key->p - 1, shown);
}

/* Adds a member whose key is known to be new; the object owns value after. */
static void add_member(struct scanner *s, json_object *o, const struct json_key *key,
                       json_object *value)
{
	size_t len;
	const char *name = scan_decode(s, key, &len);
	if (json_object_object_add_ex(o, name, value, JSON_C_OBJECT_ADD_KEY_IS_NEW) != 0)
		hb_out_of_memory();
}

static int check_member(struct scanner *s, struct json_keys *set, json_object *o)
{
	struct json_key key;
	json_object *value = NULL;
	if (s->p == s->end)
		return scan_bad(s, s->p, "the text ends inside an object");
	if (*s->p != '"')
		return scan_bad(s, s->p, "a key in double quotes is expected");
	if (scan_string(s, &key) != HB_OK)
		return HB_E_FORMAT;
	if (!json_keys_add(set, &key))
		return twice(s, &key);
	scan_space(s);
	if (s->p == s->end || *s->p != ':')
		return scan_bad(s, s->p, "a colon is expected behind the key");
	s->p++;
	if (check_value(s, o ? &value : NULL) != HB_OK)
		return HB_E_FORMAT;
	if (o)
		add_member(s, o, &key, value);
	return HB_OK;
}

/* Behind an element: 1 and past the comma when another follows, 0 and past the closing bracket. */
static int check_next(struct scanner *s, unsigned char close, const char *what)
{
	scan_space(s);
	if (s->p == s->end || (*s->p != ',' && *s->p != close))
		return scan_bad(s, s->p, what);
	if (*s->p++ == close)
		return 0;
	scan_space(s);
	return 1;
}

static int check_keys(struct scanner *s, struct json_keys *set)
{
	const struct json_key *again = json_keys_repeated(set);
	return again ? twice(s, again) : HB_OK;
}

static int check_object(struct scanner *s, json_object *o)
{
	struct json_keys set;
	s->p++;
	scan_space(s);
	if (s->p < s->end && *s->p == '}') {
		s->p++;
		return HB_OK;
	}
	json_keys_start(&set);
	int rc;
	do {
		rc = check_member(s, &set, o);
		if (rc == HB_OK)
			rc = check_next(s, '}', "a comma or } is expected");
	} while (rc == 1);
	if (rc == HB_OK)
		rc = check_keys(s, &set);
	json_keys_free(&set);
	return rc;
}

static int check_element(struct scanner *s, json_object *array)
{
	json_object *value = NULL;
	if (check_value(s, array ? &value : NULL) != HB_OK)
		return HB_E_FORMAT;
	if (array && json_object_array_add(array, value) != 0)
		hb_out_of_memory();
	return HB_OK;
}

static int check_array(struct scanner *s, json_object *array)
{
	s->p++;
	scan_space(s);
	if (s->p < s->end && *s->p == ']') {
		s->p++;
		return HB_OK;
	}
	int rc;
	do {
		rc = check_element(s, array);
		if (rc == HB_OK)
			rc = check_next(s, ']', "a comma or ] is expected");
	} while (rc == 1);
	return rc;
}

static int check_nested(struct scanner *s, json_object **out)
{
	bool object = *s->p == '{';
	json_object *o = NULL;
	if (s->depth >= JS_DEPTH_MAX)
		return scan_bad(s, s->p, "nested too deep");
	if (out)
		o = scan_made(object ? json_object_new_object() : json_object_new_array());
	s->depth++;
	int rc = object ? check_object(s, o) : check_array(s, o);
	s->depth--;
	if (rc)
		js_put(o);
	else if (out)
		*out = o;
	return rc;
}

static int check_text(struct scanner *s, json_object **out)
{
	struct json_key raw;
	size_t len;
	if (scan_string(s, &raw) != HB_OK)
		return HB_E_FORMAT;
	if (out) {
		const char *text = raw.escaped ? scan_decode(s, &raw, &len) : (const char *)raw.p;
		if (!raw.escaped)
			len = raw.len;
		*out = scan_made(json_object_new_string_len(text, (int)len));
	}
	return HB_OK;
}

static int check_boolean(struct scanner *s, json_object **out)
{
	bool yes = *s->p == 't';
	int rc = yes ? check_word(s, "true", 4) : check_word(s, "false", 5);
	if (!rc && out)
		*out = scan_made(json_object_new_boolean(yes));
	return rc;
}

static int check_value(struct scanner *s, json_object **out)
{
	scan_space(s);
	if (s->p == s->end)
		return scan_bad(s, s->p, "the text ends where a value is expected");
	switch (*s->p) {
	case '{':
	case '[': return check_nested(s, out);
	case '"': return check_text(s, out);
	case 't':
	case 'f': return check_boolean(s, out);
	case 'n': return check_word(s, "null", 4);
	default:
		if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9'))
			return scan_number(s, out);
		return scan_bad(s, s->p, "a value is expected");
	}
}

int json_read(const char *text, size_t len, struct buf *word, json_object **out, struct hb_err *err)
{
	text_p start = (text_p)text;
	struct scanner s = { start, start, start + len, 0, word, err };
	if (len > JS_FILE_MAX)
		return hb_fail(err, HB_E_FORMAT, "byte %d: longer than is read", JS_FILE_MAX);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return scan_bad(&s, start, "a byte order mark; save the text as UTF-8 without it");
	if (check_value(&s, out) != HB_OK)
		return HB_E_FORMAT;
	scan_space(&s);
	if (s.p == s.end)
		return HB_OK;
	if (out) {
		js_put(*out);
		*out = NULL;
	}
	return scan_bad(&s, s.p, "something follows the value");
}

int js_check(const char *text, size_t len, struct hb_err *err)
{
	return json_read(text, len, NULL, NULL, err);
}

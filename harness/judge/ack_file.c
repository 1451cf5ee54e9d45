/* STORE/acks.json: read strictly, changed under its lock, written by rename. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/store/read.h"
#include "harness/store/store.h"

enum { ID_TRIES = 64, ID_LEN = 8 };

/* ---- reading ---- */

static void ack_free(struct ack *k)
{
	free(k->id);
	free(k->subject);
	free(k->bench);
	free(k->reason);
	free(k->by);
}

void acks_free(struct acks *a)
{
	for (size_t i = 0; i < a->n; i++)
		ack_free(&a->v[i]);
	free(a->v);
	free(a->warning);
	*a = (struct acks){ 0 };
}

static int read_day(json_object *o, const struct js_at *at, const char *name, int64_t *out,
                    struct hb_err *err)
{
	const char *text = NULL;
	int rc = js_get_str(o, at, name, JS_REQUIRED, &text, err);
	if (rc < 0)
		return rc;
	struct js_at here = js_at_key(at, name);
	if (ack_day_parse(text, false, 0, out, NULL) != HB_OK)
		return js_fail(&here, err, "'%.40s' is no day YYYY-MM-DD", text);
	return HB_OK;
}

/* A text that people wrote: short, and never empty. */
static int read_words(json_object *o, const struct js_at *at, const char *name, enum js_need need,
                      char **out, struct hb_err *err)
{
	int rc = read_text(o, at, name, need, out, err);
	if (rc < 0 || !*out || (**out && strlen(*out) <= ACK_TEXT_MAX))
		return rc;
	struct js_at here = js_at_key(at, name);
	return js_fail(&here, err, "must have 1 to %d bytes", ACK_TEXT_MAX);
}

/* What any acknowledgement must obey, typed or read. */
static int check(const struct ack *k, struct hb_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "0123456789._-*?,";
	int rc = ack_subject_check(k->subject, err);
	if (rc != HB_OK)
		return rc;
	if (k->bench && (!*k->bench || strlen(k->bench) > ACK_BENCH_MAX ||
	                 strspn(k->bench, allowed) != strlen(k->bench)))
		return hb_fail(err, HB_E_USAGE,
		               "'%.80s' is no list of benchmarks: names with * and ?, commas "
		               "between",
		               k->bench);
	if (!k->reason || !*k->reason || strlen(k->reason) > ACK_TEXT_MAX)
		return hb_fail(err, HB_E_USAGE, "a reason of 1 to %d bytes is wanted",
		               ACK_TEXT_MAX);
	if (!k->by || !*k->by || strlen(k->by) > ACK_TEXT_MAX)
		return hb_fail(err, HB_E_USAGE, "a name of 1 to %d bytes is wanted", ACK_TEXT_MAX);
	if (k->until < k->made)
		return hb_fail(err, HB_E_USAGE, "it would end before it is made");
	if (k->until - k->made > ACK_DAYS_MAX)
		return hb_fail(err, HB_E_USAGE, "at most a year ahead (%d days)", ACK_DAYS_MAX);
	return HB_OK;
}

static bool is_id(const char *id)
{
	return strlen(id) == ID_LEN && strspn(id, "0123456789abcdef") == ID_LEN;
}

static int read_ack(json_object *o, const struct js_at *at, struct ack *k, struct hb_err *err)
{
	static const char *const known[] = { "id",     "subject", "bench", "until",
		                             "reason", "by",      "made",  NULL };
	struct hb_err why;
	int rc;
	if ((rc = js_known_keys(o, at, known, err)) < 0 ||
	    (rc = read_text(o, at, "id", JS_REQUIRED, &k->id, err)) < 0 ||
	    (rc = read_text(o, at, "subject", JS_REQUIRED, &k->subject, err)) < 0 ||
	    (rc = read_text(o, at, "bench", JS_OPTIONAL, &k->bench, err)) < 0 ||
	    (rc = read_day(o, at, "until", &k->until, err)) < 0 ||
	    (rc = read_day(o, at, "made", &k->made, err)) < 0 ||
	    (rc = read_words(o, at, "reason", JS_REQUIRED, &k->reason, err)) < 0 ||
	    (rc = read_words(o, at, "by", JS_REQUIRED, &k->by, err)) < 0)
		return rc;
	if (!is_id(k->id))
		return js_fail(at, err, "id '%.20s' must be %d hexadecimal digits", k->id, ID_LEN);
	return check(k, &why) == HB_OK ? HB_OK : js_fail(at, err, "%s", why.text);
}

static int read_acks(json_object *o, const struct js_at *at, struct acks *a, struct hb_err *err)
{
	static const char *const known[] = { "schema", "acks", NULL };
	struct js_at at_list = js_at_key(at, "acks");
	json_object *list = NULL;
	int rc, schema = 0;
	if ((rc = js_known_keys(o, at, known, err)) < 0 ||
	    (rc = js_get_int(o, at, "schema", JS_REQUIRED, ACK_SCHEMA, ACK_SCHEMA, &schema, err)) <
	            0 ||
	    (rc = js_get_arr(o, at, "acks", JS_REQUIRED, &list, err)) < 0)
		return rc;
	size_t n = json_object_array_length(list);
	if (n > ACKS_MAX)
		return js_fail(&at_list, err, "more than %d acknowledgements", ACKS_MAX);
	a->v = hb_alloc(n * sizeof *a->v);
	a->cap = n;
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		struct js_at here = js_at_index(&at_list, i);
		if (!json_object_is_type(one, json_type_object))
			return js_fail(&here, err, "must be an object");
		a->n++;
		if ((rc = read_ack(one, &here, &a->v[i], err)) < 0)
			return rc;
		for (size_t k = 0; k < i; k++)
			if (strcmp(a->v[k].id, a->v[i].id) == 0)
				return js_fail(&here, err, "id %s stands twice", a->v[i].id);
	}
	return HB_OK;
}

int acks_parse(const char *text, size_t len, const char *source, struct acks *out,
               struct hb_err *err)
{
	struct js_at at = JS_AT_TOP(source);
	json_object *o = NULL;
	*out = (struct acks){ 0 };
	int rc = js_parse(text, len, source, &o, err);
	if (rc == HB_OK)
		rc = json_object_is_type(o, json_type_object)
		             ? read_acks(o, &at, out, err)
		             : js_fail(&at, err, "must be an object");
	js_put(o);
	if (rc != HB_OK)
		acks_free(out);
	return rc;
}

json_object *ack_to_json(const struct ack *a)
{
	json_object *o = json_object_new_object();
	char day[ACK_DAY_TEXT];
	ack_day_text(a->until, day);
	js_set_str(o, "id", a->id);
	js_set_str(o, "subject", a->subject);
	if (a->bench)
		js_set_str(o, "bench", a->bench);
	js_set_str(o, "until", day);
	js_set_str(o, "reason", a->reason);
	js_set_str(o, "by", a->by);
	return o;
}

json_object *acks_to_json(const struct acks *a)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	char day[ACK_DAY_TEXT];
	js_set_i64(o, "schema", ACK_SCHEMA);
	for (size_t i = 0; i < a->n; i++) {
		json_object *one = ack_to_json(&a->v[i]);
		ack_day_text(a->v[i].made, day);
		js_set_str(one, "made", day);
		json_object_array_add(list, one);
	}
	js_set_obj(o, "acks", list);
	return o;
}

/* ---- changing ---- */

static void drop(struct acks *a, size_t i)
{
	ack_free(&a->v[i]);
	a->n--;
	memmove(&a->v[i], &a->v[i + 1], (a->n - i) * sizeof *a->v);
}

static bool same_bench(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The same thing under both names: ack_covers alone would let a pair cover its directions. */
static bool same_subject(const char *a, const char *b)
{
	return ack_covers(a, b, NULL) && ack_covers(b, a, NULL);
}

static bool id_taken(const struct acks *a, const char *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].id, id) == 0)
			return true;
	return false;
}

static char *new_id(const struct acks *a)
{
	for (int i = 0; i < ID_TRIES; i++) {
		uint32_t r = (uint32_t)i;
		if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
			r ^= (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
		char *id = hb_format("%08x", (unsigned)r);
		if (!id_taken(a, id))
			return id;
		free(id);
	}
	return NULL;
}

struct ack *acks_add(struct acks *a, const struct ack *like, struct hb_err *err)
{
	if (check(like, err) != HB_OK)
		return NULL;
	for (size_t i = a->n; i > 0; i--)
		if (same_subject(a->v[i - 1].subject, like->subject) &&
		    same_bench(a->v[i - 1].bench, like->bench))
			drop(a, i - 1);
	char *id = a->n < ACKS_MAX ? new_id(a) : NULL;
	if (!id) {
		hb_fail(err, HB_E_USAGE, "there are %zu acknowledgements already; remove some",
		        a->n);
		return NULL;
	}
	hb_grow(&a->v, &a->cap, a->n + 1, sizeof *a->v);
	a->v[a->n] = (struct ack){ .id = id,
		                   .subject = hb_strdup(like->subject),
		                   .bench = hb_strdup(like->bench),
		                   .until = like->until,
		                   .made = like->made,
		                   .reason = hb_strdup(like->reason),
		                   .by = hb_strdup(like->by) };
	return &a->v[a->n++];
}

size_t acks_remove(struct acks *a, const char *what)
{
	size_t before = a->n;
	for (size_t i = a->n; i > 0; i--)
		if (strcmp(a->v[i - 1].id, what) == 0 || same_subject(a->v[i - 1].subject, what))
			drop(a, i - 1);
	return before - a->n;
}

/* ---- the file ---- */

char *acks_path(const char *store)
{
	return hb_format("%s/acks.json", store);
}

int acks_read(const char *path, struct acks *out, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	int rc = HB_OK;
	*out = (struct acks){ 0 };
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return HB_OK;
	rc = buf_read_file(&text, path, ACK_FILE_MAX, err);
	if (rc == HB_OK)
		rc = acks_parse(buf_text(&text), text.len, path, out, err);
	buf_free(&text);
	return rc;
}

void acks_load(const char *store, int64_t now_seconds, struct acks *out)
{
	char *path = acks_path(store);
	struct hb_err err;
	if (acks_read(path, out, &err) != HB_OK)
		out->warning = hb_strdup(err.text);
	acks_set_day(out, ack_day_of(now_seconds));
	free(path);
}

int acks_update(const char *path, int (*change)(struct acks *a, void *ctx, struct hb_err *err),
                void *ctx, struct hb_err *err)
{
	struct acks a = { 0 };
	char *lock = NULL;
	int rc = store_lock(path, &lock, err);
	if (rc != HB_OK)
		return rc;
	rc = acks_read(path, &a, err);
	if (rc == HB_OK)
		rc = change(&a, ctx, err);
	if (rc == HB_OK) {
		json_object *o = acks_to_json(&a);
		rc = store_write_json(path, o, err);
		js_put(o);
	}
	store_unlock(lock);
	acks_free(&a);
	return rc;
}

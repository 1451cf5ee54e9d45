/*
 * Reading records back. A summary reads a hundred thousand of them, so an object is walked once
 * against a table of its fields instead of being asked for one field after the other; writers keep
 * the tables' order, so that the search for a field nearly always hits at once. Nothing allocates.
 */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/base/record.h"

enum { BENCH_NAME_MAX = 64, ENDPOINT_MAX = 256, RANKS_MAX = 1 << 24 };

static const char *const phase_names[] = {
	[PHASE_MAIN] = "main",       [PHASE_EXTRA] = "extra",    [PHASE_CONFIRM] = "confirm",
	[PHASE_CONTROL] = "control", [PHASE_CONTROL + 1] = NULL,
};

static const char *const status_names[] = {
	[UNIT_OK] = "ok",           [UNIT_SKIPPED] = "skipped", [UNIT_FAILED] = "failed",
	[UNIT_INVALID] = "invalid", [UNIT_TIMEOUT] = "timeout", [UNIT_GIVEN_UP] = "given-up",
	[UNIT_GIVEN_UP + 1] = NULL,
};

static const char *const ended_names[] = {
	[ENDED_PRECISION] = "precision",
	[ENDED_MAX_TIME] = "max-time",
	[ENDED_MAX_ITERS] = "max-iters",
	[ENDED_MAX_ITERS + 1] = NULL,
};

static const char *const dir_names[] = { "ab", "ba", "both", NULL };

enum field_kind {
	FIELD_SKIP,   /* read elsewhere */
	FIELD_U64,    /* uint64_t, or int64_t with a fitting max */
	FIELD_INT,    /* int */
	FIELD_FIGURE, /* double above 0 */
	FIELD_AMOUNT, /* double of 0 or more */
	FIELD_TEXT,   /* const char *, shorter than max bytes, not empty */
	FIELD_NAME,   /* an enum: index into names */
	FIELD_OBJECT  /* json_object * */
};

struct field {
	const char *name;
	enum field_kind kind;
	enum js_need need;
	size_t offset;
	uint64_t min, max;
	const char *const *names;
};

static_assert(sizeof(enum phase) == sizeof(int) && sizeof(enum ended_by) == sizeof(int) &&
                      sizeof(enum unit_status) == sizeof(int),
              "enums are stored as int");

static int read_whole(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                      struct hb_err *err)
{
	uint64_t value = 0;
	bool ok = json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= 0;

	if (ok)
		value = json_object_get_uint64(v);
	if (!ok || value < f->min || value > f->max)
		return js_fail(at, err, "expected a whole number from %" PRIu64 " to %" PRIu64,
		               f->min, f->max);
	if (f->kind == FIELD_INT) {
		int small = (int)value;

		memcpy(dst, &small, sizeof(small));
	} else {
		memcpy(dst, &value, sizeof(value));
	}
	return HB_OK;
}

static int read_real(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                     struct hb_err *err)
{
	double value = -1;

	if (json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int))
		value = json_object_get_double(v);
	if (!isfinite(value) || value < 0 || (value <= 0 && f->kind == FIELD_FIGURE))
		return js_fail(at, err, "expected a finite number %s",
		               f->kind == FIELD_FIGURE ? "above 0" : "of 0 or more");
	memcpy(dst, &value, sizeof(value));
	return HB_OK;
}

static int read_text(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                     struct hb_err *err)
{
	const char *text;
	size_t len;

	if (!json_object_is_type(v, json_type_string))
		return js_fail(at, err, "expected a text");
	text = json_object_get_string(v);
	if (f->kind == FIELD_NAME) {
		for (int i = 0; f->names[i]; i++) {
			if (strcmp(f->names[i], text) != 0)
				continue;
			memcpy(dst, &i, sizeof(i));
			return HB_OK;
		}
		return js_fail(at, err, "\"%.40s\" is not known here", text);
	}
	len = (size_t)json_object_get_string_len(v);
	if (len == 0 || len >= f->max || strlen(text) != len)
		return js_fail(at, err, "expected a text of 1 to %" PRIu64 " bytes", f->max - 1);
	memcpy(dst, &text, sizeof(text));
	return HB_OK;
}

static int read_field(json_object *v, const struct field *f, const struct js_at *up, void *dst,
                      struct hb_err *err)
{
	struct js_at at = js_at_key(up, f->name);

	switch (f->kind) {
	case FIELD_SKIP: return HB_OK;
	case FIELD_U64:
	case FIELD_INT: return read_whole(v, f, &at, dst, err);
	case FIELD_FIGURE:
	case FIELD_AMOUNT: return read_real(v, f, &at, dst, err);
	case FIELD_TEXT:
	case FIELD_NAME: return read_text(v, f, &at, dst, err);
	case FIELD_OBJECT:
		if (!json_object_is_type(v, json_type_object))
			return js_fail(&at, err, "expected an object");
		memcpy(dst, &v, sizeof(json_object *));
		return HB_OK;
	}
	return HB_OK;
}

/* The row of a key, searched from start on and then from the beginning; n if there is none. */
static size_t find_field(const struct field *fields, size_t n, const char *key, size_t start)
{
	for (size_t k = 0; k < n; k++) {
		size_t i = start + k < n ? start + k : start + k - n;

		if (fields[i].name[0] == key[0] && !strcmp(fields[i].name, key))
			return i;
	}
	return n;
}

/* Sets the members of dst that o has; null is absent, unknown keys are passed over. */
static int read_fields(json_object *o, const struct js_at *at, const struct field *fields, size_t n,
                       void *dst, struct hb_err *err)
{
	uint32_t seen = 0;
	size_t next = 0;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object");
	json_object_object_foreach(o, key, value)
	{
		size_t i = find_field(fields, n, key, next);

		if (i == n)
			continue;
		next = i + 1;
		if (!value)
			continue;
		int rc = read_field(value, &fields[i], at, (char *)dst + fields[i].offset, err);
		if (rc)
			return rc;
		seen |= UINT32_C(1) << i;
	}
	for (size_t i = 0; i < n; i++)
		if (fields[i].need == JS_REQUIRED && !(seen & UINT32_C(1) << i))
			return js_fail(at, err, "\"%s\" is missing", fields[i].name);
	return HB_OK;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define SKIP(name)                                                                                 \
	{                                                                                          \
		name, FIELD_SKIP, JS_OPTIONAL, 0, 0, 0, NULL                                       \
	}
#define ID_ROWS(base)                                                                              \
	{ "step", FIELD_U64,  JS_REQUIRED, (base) + offsetof(struct rec_ids, step),                \
	  0,      UINT64_MAX, NULL },                                                              \
	        { "attempt", FIELD_U64,  JS_REQUIRED, (base) + offsetof(struct rec_ids, attempt),  \
		  1,         UINT64_MAX, NULL },                                                   \
	        { "unit", FIELD_U64,  JS_REQUIRED, (base) + offsetof(struct rec_ids, unit),        \
		  0,      UINT64_MAX, NULL },                                                      \
	{                                                                                          \
		"phase", FIELD_NAME, JS_REQUIRED, (base) + offsetof(struct rec_ids, phase), 0, 0,  \
		        phase_names                                                                \
	}

#define POINT(name, kind, need, member, min, max, names)                                           \
	{                                                                                          \
		name, kind, need, offsetof(struct rec_point, member), min, max, names              \
	}

static const struct field point_fields[] = {
	SKIP("type"),
	ID_ROWS(offsetof(struct rec_point, ids)),
	POINT("bench", FIELD_TEXT, JS_REQUIRED, bench, 0, BENCH_NAME_MAX, NULL),
	POINT("bytes", FIELD_U64, JS_REQUIRED, bytes, 0, UINT64_MAX, NULL),
	POINT("opts", FIELD_OBJECT, JS_REQUIRED, opts, 0, 0, NULL),
	POINT("a", FIELD_TEXT, JS_REQUIRED, a, 0, ENDPOINT_MAX, NULL),
	POINT("b", FIELD_TEXT, JS_OPTIONAL, b, 0, ENDPOINT_MAX, NULL),
	POINT("dir", FIELD_TEXT, JS_OPTIONAL, dir, 0, 8, NULL),
	POINT("round", FIELD_U64, JS_OPTIONAL, round, 0, INT64_MAX, NULL),
	POINT("ranks", FIELD_INT, JS_REQUIRED, ranks, 1, RANKS_MAX, NULL),
	POINT("blocks", FIELD_U64, JS_REQUIRED, blocks, 0, UINT64_MAX, NULL),
	POINT("batch", FIELD_U64, JS_REQUIRED, batch, 1, UINT64_MAX, NULL),
	POINT("warmup", FIELD_U64, JS_OPTIONAL, warmup, 0, UINT64_MAX, NULL),
	POINT("ended", FIELD_NAME, JS_REQUIRED, ended, 0, 0, ended_names),
	POINT("spread", FIELD_AMOUNT, JS_OPTIONAL, spread, 0, 0, NULL),
	POINT("verified", FIELD_U64, JS_OPTIONAL, verified, 0, UINT64_MAX, NULL),
	POINT("bad", FIELD_U64, JS_OPTIONAL, bad, 0, UINT64_MAX, NULL),
	SKIP("metrics"),
	POINT("per_rank", FIELD_OBJECT, JS_OPTIONAL, per_rank, 0, 0, NULL),
};

#define FIGURE(name, member)                                                                       \
	{                                                                                          \
		name, FIELD_FIGURE, JS_REQUIRED, offsetof(struct stat_summary, member), 0, 0, NULL \
	}

static const struct field metric_fields[] = {
	{ "n", FIELD_U64, JS_REQUIRED, offsetof(struct stat_summary, n), 1, UINT64_MAX, NULL },
	FIGURE("p50", p50),
	FIGURE("lo", lo),
	FIGURE("hi", hi),
	FIGURE("min", min),
	FIGURE("p95", p95),
	FIGURE("p99", p99),
	FIGURE("max", max),
};

static const struct field ids_fields[] = { ID_ROWS(0) };

static const struct field end_fields[] = {
	SKIP("type"),
	ID_ROWS(offsetof(struct rec_end, ids)),
	{ "status", FIELD_NAME, JS_REQUIRED, offsetof(struct rec_end, status), 0, 0, status_names },
	{ "reason", FIELD_TEXT, JS_OPTIONAL, offsetof(struct rec_end, reason), 0, RECORD_MAX,
	  NULL },
	{ "seconds", FIELD_AMOUNT, JS_REQUIRED, offsetof(struct rec_end, seconds), 0, 0, NULL },
};

static_assert(COUNT(point_fields) <= 32, "one bit a field");

/* The names of enums, in both directions, from the lists above. */
const char *phase_name(enum phase p)
{
	return phase_names[p];
}

int phase_parse(const char *text, enum phase *out)
{
	for (int i = 0; phase_names[i]; i++)
		if (!strcmp(phase_names[i], text)) {
			*out = (enum phase)i;
			return HB_OK;
		}
	return HB_E_FORMAT;
}

const char *unit_status_name(enum unit_status s)
{
	return status_names[s];
}

int unit_status_parse(const char *text, enum unit_status *out)
{
	for (int i = 0; status_names[i]; i++)
		if (!strcmp(status_names[i], text)) {
			*out = (enum unit_status)i;
			return HB_OK;
		}
	return HB_E_FORMAT;
}

const char *ended_by_name(enum ended_by e)
{
	return ended_names[e];
}

static int read_metrics(json_object *o, const struct js_at *at, struct rec_point *out,
                        struct hb_err *err)
{
	json_object *metrics = NULL;
	struct js_at here = js_at_key(at, "metrics");
	int rc = js_get_obj(o, at, "metrics", JS_REQUIRED, &metrics, err);

	if (rc)
		return rc;
	json_object_object_foreach(metrics, name, figures)
	{
		struct js_at metric = js_at_key(&here, name);

		if (out->n_metrics == RECORD_METRICS_MAX)
			return js_fail(&here, err, "more than %d metrics", RECORD_METRICS_MAX);
		if (strlen(name) >= BENCH_NAME_MAX)
			return js_fail(&here, err, "a metric's name is too long");
		struct rec_metric *m = &out->metrics[out->n_metrics];
		rc = read_fields(figures, &metric, metric_fields, COUNT(metric_fields), &m->s, err);
		if (rc)
			return rc;
		m->name = name;
		out->n_metrics++;
	}
	if (out->n_metrics == 0)
		return js_fail(&here, err, "no metric");
	return HB_OK;
}

int rec_ids_from_json(json_object *o, const struct js_at *at, struct rec_ids *out,
                      struct hb_err *err)
{
	return read_fields(o, at, ids_fields, COUNT(ids_fields), out, err);
}

int rec_point_from_json(json_object *o, const struct js_at *at, struct rec_point *out,
                        struct hb_err *err)
{
	enum record_type type = record_type_of(o);
	int rc;

	*out = (struct rec_point){ .is_pair = type == REC_PAIR, .round = -1, .spread = NAN };
	if (type != REC_POINT && type != REC_PAIR)
		return js_fail(at, err, "expected a record of type point or pair");
	rc = read_fields(o, at, point_fields, COUNT(point_fields), out, err);
	if (rc)
		return rc;
	if (!out->is_pair) {
		out->b = out->dir = NULL;
		out->round = -1;
		return read_metrics(o, at, out, err);
	}
	if (!out->b)
		return js_fail(at, err, "\"b\" is missing");
	for (size_t i = 0; out->dir && dir_names[i]; i++)
		if (!strcmp(out->dir, dir_names[i]))
			return read_metrics(o, at, out, err);
	return js_fail(at, err, "\"dir\" must be ab, ba or both");
}

int rec_end_from_json(json_object *o, const struct js_at *at, struct rec_end *out,
                      struct hb_err *err)
{
	*out = (struct rec_end){ .seconds = 0 };
	if (record_type_of(o) != REC_END)
		return js_fail(at, err, "expected a record of type end");
	return read_fields(o, at, end_fields, COUNT(end_fields), out, err);
}

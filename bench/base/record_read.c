/*
 * Reading records out of JSON objects. An object is walked once against the table of its fields
 * instead of being asked for one field after the other. Nothing allocates.
 */
#include <inttypes.h>
#include <string.h>

#include "bench/base/record_fields.h"

static int read_fields(json_object *o, const struct js_at *at, const struct field_table *table,
                       void *dst, struct hb_err *err);

static int read_whole(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                      struct hb_err *err)
{
	if (json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= 0 &&
	    record_store_whole(f, json_object_get_uint64(v), dst))
		return HB_OK;
	return js_fail(at, err, "expected a whole number from %" PRIu64 " to %" PRIu64, f->min,
	               f->max);
}

static int read_real(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                     struct hb_err *err)
{
	bool is_number = json_object_is_type(v, json_type_double) ||
	                 json_object_is_type(v, json_type_int);

	if (is_number && record_store_real(f, json_object_get_double(v), dst))
		return HB_OK;
	return js_fail(at, err, "expected a finite number %s",
	               f->kind == FIELD_FIGURE ? "above 0" : "of 0 or more");
}

static int read_text(json_object *v, const struct field *f, const struct js_at *at, void *dst,
                     struct hb_err *err)
{
	const char *text;
	size_t len;

	if (!json_object_is_type(v, json_type_string))
		return js_fail(at, err, "expected a text");
	text = json_object_get_string(v);
	len = (size_t)json_object_get_string_len(v);
	if (strlen(text) == len && record_store_text(f, text, len, dst))
		return HB_OK;
	if (f->kind == FIELD_NAME)
		return js_fail(at, err, "\"%.40s\" is not known here", text);
	return js_fail(at, err, "expected a text of 1 to %" PRIu64 " bytes", f->max - 1);
}

static int read_metrics(json_object *v, const struct js_at *at, struct rec_point *out,
                        struct hb_err *err)
{
	if (!json_object_is_type(v, json_type_object) || json_object_object_length(v) == 0)
		return js_fail(at, err, "expected an object with a metric");
	json_object_object_foreach(v, name, figures)
	{
		struct js_at here = js_at_key(at, name);
		int rc;

		if (out->n_metrics == RECORD_METRICS_MAX)
			return js_fail(at, err, "more than %d metrics", RECORD_METRICS_MAX);
		if (!*name || strlen(name) >= METRIC_NAME_MAX)
			return js_fail(at, err, "a metric's name has 1 to %d bytes",
			               METRIC_NAME_MAX - 1);
		struct rec_metric *m = &out->metrics[out->n_metrics];
		rc = read_fields(figures, &here, &record_metric_fields, &m->s, err);
		if (rc)
			return rc;
		m->name = name;
		out->n_metrics++;
	}
	return HB_OK;
}

static int read_field(json_object *v, const struct field *f, const struct js_at *up, void *dst,
                      struct hb_err *err)
{
	struct js_at at = js_at_key(up, f->name);

	switch (f->kind) {
	case FIELD_TYPE: return HB_OK;
	case FIELD_U64:
	case FIELD_INT: return read_whole(v, f, &at, dst, err);
	case FIELD_FIGURE:
	case FIELD_AMOUNT: return read_real(v, f, &at, dst, err);
	case FIELD_TEXT:
	case FIELD_NAME: return read_text(v, f, &at, dst, err);
	case FIELD_METRICS: return read_metrics(v, &at, dst, err);
	case FIELD_OBJECT:
		if (!json_object_is_type(v, json_type_object))
			return js_fail(&at, err, "expected an object");
		memcpy(dst, &v, sizeof(json_object *));
		return HB_OK;
	}
	return HB_OK;
}

/* Sets the members of dst that o has; null is absent, unknown keys are passed over. */
static int read_fields(json_object *o, const struct js_at *at, const struct field_table *table,
                       void *dst, struct hb_err *err)
{
	const struct field *missing;
	uint32_t present = 0;
	size_t next = 0;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object");
	json_object_object_foreach(o, key, value)
	{
		size_t i = record_find_field(table, key, next);

		if (i == table->n)
			continue;
		next = i + 1;
		if (!value)
			continue;
		const struct field *f = &table->rows[i];
		int rc = read_field(value, f, at, (char *)dst + f->offset, err);
		if (rc)
			return rc;
		present |= UINT32_C(1) << i;
	}
	missing = record_missing_field(table, present);
	if (missing)
		return js_fail(at, err, "\"%s\" is missing", missing->name);
	return HB_OK;
}

int rec_ids_from_json(json_object *o, const struct js_at *at, struct rec_ids *out,
                      struct hb_err *err)
{
	return read_fields(o, at, &record_ids_fields, out, err);
}

int rec_point_from_json(json_object *o, const struct js_at *at, struct rec_point *out,
                        struct hb_err *err)
{
	enum record_type type = record_type_of(o);
	const char *fault;
	int rc;

	record_point_init(out, type);
	if (type != REC_POINT && type != REC_PAIR)
		return js_fail(at, err, "expected a record of type point or pair");
	rc = read_fields(o, at, &record_point_fields, out, err);
	if (rc)
		return rc;
	fault = record_point_fault(out);
	return fault ? js_fail(at, err, "%s", fault) : HB_OK;
}

int rec_end_from_json(json_object *o, const struct js_at *at, struct rec_end *out,
                      struct hb_err *err)
{
	*out = (struct rec_end){ .seconds = 0 };
	if (record_type_of(o) != REC_END)
		return js_fail(at, err, "expected a record of type end");
	return read_fields(o, at, &record_end_fields, out, err);
}

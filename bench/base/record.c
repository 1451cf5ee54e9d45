#include "bench/base/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/num.h"
#include "bench/base/record_fields.h"

/* What the writers allow each text, in bytes of JSON, so that any mixture fits RECORD_MAX. */
enum { CUT_NAME = 128, CUT_ENDPOINT = 600, CUT_SOURCE = 800, CUT_TEXT = 2200 };

static const char *const type_names[] = {
	[REC_UNKNOWN] = "unknown", [REC_META] = "meta",       [REC_RANK] = "rank",
	[REC_FACT] = "fact",       [REC_COUNTER] = "counter", [REC_POINT] = "point",
	[REC_PAIR] = "pair",       [REC_SAMPLES] = "samples", [REC_EVENT] = "event",
	[REC_END] = "end",         [REC_LOAD] = "load",       [REC_LOAD + 1] = NULL,
};

const char *record_type_name(enum record_type type)
{
	return type_names[type];
}

enum unit_status unit_status_of(int rc)
{
	switch (rc) {
	case HB_OK: return UNIT_OK;
	case HB_E_UNSUPPORTED: return UNIT_SKIPPED;
	case HB_E_DATA: return UNIT_INVALID;
	case HB_E_TIMEOUT: return UNIT_TIMEOUT;
	default: return UNIT_FAILED;
	}
}

enum record_type record_type_of(json_object *o)
{
	json_object *type;
	int i;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "type", &type) ||
	    !json_object_is_type(type, json_type_string))
		return REC_UNKNOWN;
	i = record_name_index(type_names, json_object_get_string(type));
	return i < 0 ? REC_UNKNOWN : (enum record_type)i;
}

static json_object *new_record(enum record_type type)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "type", record_type_name(type));
	return o;
}

/*
 * Sets at most max bytes of JSON text. Each byte is counted at the most that its escape or its
 * replacement can take, and a UTF-8 sequence is never cut in two.
 */
static void set_cut(json_object *o, const char *key, const char *text, size_t max)
{
	size_t cost = 0, len = 0;

	if (!text) {
		js_set_str(o, key, NULL);
		return;
	}
	for (; text[len]; len++) {
		unsigned char c = (unsigned char)text[len];

		if (c < 0x20 || c == 0x7f)
			cost += 6;
		else if (c == '"' || c == '\\' || c == '/')
			cost += 2;
		else
			cost += c < 0x80 ? 1 : 3;
		if (cost > max)
			break;
	}
	if (!text[len]) {
		js_set_str(o, key, text);
		return;
	}
	while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	char *cut = strndup(text, len);
	js_set_str(o, key, cut);
	free(cut);
}

/* Records are many: what nobody computes with is rounded to what matters. */
static double rounded(double value, int digits)
{
	const char *end;
	char text[40];

	if (!isfinite(value))
		return value;
	num_format(text, sizeof(text), "%.*g", digits, value);
	num_parse(text, &end, &value);
	return value;
}

static void set_ids(json_object *o, const struct rec_ids *ids)
{
	js_set_u64(o, "step", ids->step);
	js_set_u64(o, "attempt", ids->attempt);
	js_set_u64(o, "unit", ids->unit);
	js_set_str(o, "phase", phase_name(ids->phase));
}

static json_object *figures_to_json(const struct stat_summary *s)
{
	json_object *o = json_object_new_object();

	js_set_u64(o, "n", s->n);
	js_set_f64(o, "p50", s->p50);
	js_set_f64(o, "lo", s->lo);
	js_set_f64(o, "hi", s->hi);
	js_set_f64(o, "min", rounded(s->min, 7));
	js_set_f64(o, "p95", rounded(s->p95, 7));
	js_set_f64(o, "p99", rounded(s->p99, 7));
	js_set_f64(o, "max", rounded(s->max, 7));
	return o;
}

/* Leaves per_rank out where the record would be too long with it. */
static void add_per_rank(json_object *o, json_object *per_rank)
{
	struct buf text = BUF_INIT;

	js_set_obj(o, "per_rank", json_object_get(per_rank));
	js_write(o, JS_PLAIN, &text);
	if (text.len > RECORD_MAX)
		json_object_object_del(o, "per_rank");
	buf_free(&text);
}

json_object *rec_point_to_json(const struct rec_point *p)
{
	json_object *o = new_record(p->is_pair ? REC_PAIR : REC_POINT);
	json_object *metrics = json_object_new_object();

	assert(p->n_metrics <= RECORD_METRICS_MAX);
	set_ids(o, &p->ids);
	set_cut(o, "bench", p->bench, CUT_NAME);
	js_set_u64(o, "bytes", p->bytes);
	js_set_obj(o, "opts", p->opts ? json_object_get(p->opts) : json_object_new_object());
	set_cut(o, "a", p->a, CUT_ENDPOINT);
	if (p->is_pair) {
		set_cut(o, "b", p->b, CUT_ENDPOINT);
		js_set_str(o, "dir", p->dir);
		if (p->round >= 0)
			js_set_i64(o, "round", p->round);
	}
	js_set_i64(o, "ranks", p->ranks);
	js_set_u64(o, "blocks", p->blocks);
	js_set_u64(o, "batch", p->batch);
	js_set_u64(o, "warmup", p->warmup);
	js_set_str(o, "ended", ended_by_name(p->ended));
	js_set_f64(o, "spread", rounded(p->spread, 4));
	js_set_u64(o, "verified", p->verified);
	js_set_u64(o, "bad", p->bad);
	for (size_t i = 0; i < p->n_metrics; i++)
		js_set_obj(metrics, p->metrics[i].name, figures_to_json(&p->metrics[i].s));
	js_set_obj(o, "metrics", metrics);
	if (p->per_rank)
		add_per_rank(o, p->per_rank);
	return o;
}

json_object *rec_end_to_json(const struct rec_end *e)
{
	json_object *o = new_record(REC_END);

	set_ids(o, &e->ids);
	js_set_str(o, "status", unit_status_name(e->status));
	set_cut(o, "reason", e->reason, CUT_TEXT);
	js_set_f64(o, "seconds", rounded(e->seconds, 7));
	return o;
}

json_object *rec_event_to_json(const struct rec_ids *ids, const char *level, const char *code,
                               const char *text)
{
	json_object *o = new_record(REC_EVENT);

	if (ids)
		set_ids(o, ids);
	set_cut(o, "level", level, CUT_NAME);
	set_cut(o, "code", code, CUT_NAME);
	set_cut(o, "text", text, CUT_TEXT);
	return o;
}

json_object *rec_fact_to_json(const char *endpoint, const char *key, const char *value,
                              const char *source)
{
	json_object *o = new_record(REC_FACT);

	set_cut(o, "endpoint", endpoint, CUT_ENDPOINT);
	set_cut(o, "key", key, CUT_NAME);
	set_cut(o, "value", value, CUT_TEXT);
	set_cut(o, "source", source, CUT_SOURCE);
	return o;
}

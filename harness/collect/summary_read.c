/*
 * Reading a summary, as summary_json.c writes it. Unknown members are ignored, so that a later
 * version may add some; known ones must have their type and range.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/summary.h"
#include "harness/store/read.h"

enum { GROUPS_MAX = 1 << 20, NODES_TEXT_MAX = 1 << 22, LATER_RUNS_MAX = 1 << 16 };

/* One word of a set; absent keeps *out. */
static int get_word(json_object *o, const struct js_at *at, const char *name,
                    int (*parse)(const char *, int *), int *out, struct hb_err *err)
{
	const char *s = NULL;
	int rc = js_get_str(o, at, name, JS_OPTIONAL, &s, err);

	if (rc < 0 || !s)
		return rc;
	if (parse(s, out) < 0) {
		struct js_at here = js_at_key(at, name);

		return js_fail(&here, err, "unknown word '%.40s'", s);
	}
	return HB_OK;
}

static int parse_quality(const char *s, int *out)
{
	enum row_quality q = ROW_OK;
	int rc = row_quality_parse(s, &q);

	*out = (int)q;
	return rc;
}

static int parse_phase(const char *s, int *out)
{
	enum phase p = PHASE_MAIN;
	int rc = phase_parse(s, &p);

	*out = (int)p;
	return rc;
}

static int parse_kind(const char *s, int *out)
{
	*out = strcmp(s, "cluster") == 0 ? SUBJECT_CLUSTER : SUBJECT_NODE;
	return *out == SUBJECT_CLUSTER || strcmp(s, "node") == 0 ? HB_OK : HB_E_FORMAT;
}

static int parse_better(const char *s, int *out)
{
	*out = strcmp(s, "higher") == 0;
	return *out || strcmp(s, "lower") == 0 ? HB_OK : HB_E_FORMAT;
}

static int parse_unit(const char *s, int *out)
{
	enum unit u = UNIT_NS;
	int rc = summary_unit_parse(s, &u);

	*out = (int)u;
	return rc;
}

static int parse_status(const char *s, int *out)
{
	enum unit_status u = UNIT_OK;
	int rc = unit_status_parse(s, &u);

	*out = (int)u;
	return rc;
}

/* Log figures are taken of it, so 0 and denormal rubbish are as wrong as a word. */
static int check_value(const struct summary_row *r, const struct js_at *at, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "value");

	if (r->quality == ROW_OK && !isfinite(r->value))
		return js_fail(&here, err, "is missing in a row of quality ok");
	if (isfinite(r->value) && !(r->value > 1e-30 && r->value < 1e30))
		return js_fail(&here, err, "must be above 1e-30 and below 1e30");
	return HB_OK;
}

static int row_from_json(json_object *o, const struct js_at *at, struct summary_row *r,
                         struct hb_err *err)
{
	int rc, quality = ROW_OK, kind = SUBJECT_NODE, phase = (int)r->phase;

	if ((rc = read_text(o, at, "subject", JS_REQUIRED, &r->subject, err)) < 0 ||
	    (rc = get_word(o, at, "kind", parse_kind, &kind, err)) < 0 ||
	    (rc = get_word(o, at, "quality", parse_quality, &quality, err)) < 0 ||
	    (rc = get_word(o, at, "phase", parse_phase, &phase, err)) < 0 ||
	    (rc = js_get_int(o, at, "repeat", JS_OPTIONAL, 0, 1000, &r->repeat, err)) < 0 ||
	    (rc = read_text(o, at, "reason", JS_OPTIONAL, &r->reason, err)) < 0 ||
	    (rc = js_get_f64(o, at, "value", JS_OPTIONAL, &r->value, err)) < 0 ||
	    (rc = js_get_f64(o, at, "lo", JS_OPTIONAL, &r->lo, err)) < 0 ||
	    (rc = js_get_f64(o, at, "hi", JS_OPTIONAL, &r->hi, err)) < 0 ||
	    (rc = js_get_f64(o, at, "p95", JS_OPTIONAL, &r->p95, err)) < 0 ||
	    (rc = js_get_f64(o, at, "p99", JS_OPTIONAL, &r->p99, err)) < 0 ||
	    (rc = js_get_f64(o, at, "spread", JS_OPTIONAL, &r->spread, err)) < 0 ||
	    (rc = js_get_u64(o, at, "n", JS_OPTIONAL, &r->n, err)) < 0 ||
	    (rc = js_get_int(o, at, "pairs", JS_OPTIONAL, 0, 1 << 30, &r->pairs, err)) < 0 ||
	    (rc = read_text(o, at, "worst_partner", JS_OPTIONAL, &r->worst_partner, err)) < 0 ||
	    (rc = read_text(o, at, "partner", JS_OPTIONAL, &r->partner, err)) < 0)
		return rc;
	r->quality = (enum row_quality)quality;
	r->kind = (enum subject_kind)kind;
	r->phase = (enum phase)phase;
	return check_value(r, at, err);
}

/* What the rows of a group share. */
static int group_head(json_object *o, const struct js_at *at, struct summary_row *head,
                      json_object **rows, struct hb_err *err)
{
	int rc, better = 0, unit = UNIT_NS;
	json_object *key = NULL;
	struct js_at at_key = js_at_key(at, "key");

	head->judged = true;
	if ((rc = js_get_obj(o, at, "key", JS_REQUIRED, &key, err)) < 0 ||
	    (rc = get_word(o, at, "unit", parse_unit, &unit, err)) < 0 ||
	    (rc = get_word(o, at, "better", parse_better, &better, err)) < 0 ||
	    (rc = js_get_bool(o, at, "judged", JS_OPTIONAL, &head->judged, err)) < 0 ||
	    (rc = read_ratio(o, at, "floor", &head->floor, err)) < 0 ||
	    (rc = read_ratio(o, at, "tolerance", &head->tolerance, err)) < 0 ||
	    (rc = js_get_arr(o, at, "rows", JS_REQUIRED, rows, err)) < 0)
		return rc;
	head->unit = (enum unit)unit;
	head->higher_is_better = better;
	return key_from_json(key, &at_key, &head->key, err);
}

static int group_from_json(json_object *o, const struct js_at *at, struct summary *s, bool confirm,
                           struct hb_err *err)
{
	struct summary_row head = { 0 };
	struct js_at at_rows = js_at_key(at, "rows");
	json_object *rows = NULL;
	int rc = HB_OK;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "must be an object");
	rc = group_head(o, at, &head, &rows, err);
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(rows); i++) {
		struct js_at here = js_at_index(&at_rows, i);
		json_object *m = json_object_array_get_idx(rows, i);
		struct summary_row *r;

		if (!json_object_is_type(m, json_type_object)) {
			rc = js_fail(&here, err, "must be an object");
			break;
		}
		r = summary_add_row(s, confirm);
		key_copy(&head.key, &r->key);
		r->unit = head.unit;
		r->higher_is_better = head.higher_is_better;
		r->judged = head.judged;
		r->floor = head.floor;
		r->tolerance = head.tolerance;
		rc = row_from_json(m, &here, r, err);
	}
	key_free(&head.key);
	return rc;
}

static int pair_from_json(json_object *o, const struct js_at *at, struct summary_pair *p,
                          struct hb_err *err)
{
	json_object *key = NULL;
	struct js_at at_key = js_at_key(at, "key");
	int rc;

	p->value = p->ratio = NAN;
	if ((rc = js_get_obj(o, at, "key", JS_REQUIRED, &key, err)) < 0 ||
	    (rc = key_from_json(key, &at_key, &p->key, err)) < 0 ||
	    (rc = read_text(o, at, "a", JS_REQUIRED, &p->a, err)) < 0 ||
	    (rc = read_text(o, at, "b", JS_REQUIRED, &p->b, err)) < 0 ||
	    (rc = read_text(o, at, "dir", JS_OPTIONAL, &p->dir, err)) < 0 ||
	    (rc = js_get_f64(o, at, "value", JS_OPTIONAL, &p->value, err)) < 0 ||
	    (rc = js_get_f64(o, at, "ratio", JS_OPTIONAL, &p->ratio, err)) < 0)
		return rc;
	return HB_OK;
}

static int loss_from_json(json_object *o, const struct js_at *at, struct summary_loss *l,
                          struct hb_err *err)
{
	int rc, status = UNIT_FAILED;

	if ((rc = read_text(o, at, "subject", JS_REQUIRED, &l->subject, err)) < 0 ||
	    (rc = read_text(o, at, "bench", JS_OPTIONAL, &l->bench, err)) < 0 ||
	    (rc = read_text(o, at, "reason", JS_OPTIONAL, &l->reason, err)) < 0 ||
	    (rc = get_word(o, at, "status", parse_status, &status, err)) < 0)
		return rc;
	l->status = (enum unit_status)status;
	return HB_OK;
}

enum part { PART_ROWS, PART_CONFIRM, PART_WORST, PART_LOSSES };

static int part_item(json_object *o, const struct js_at *at, struct summary *s, enum part part,
                     struct hb_err *err)
{
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "must be an object");
	switch (part) {
	case PART_ROWS: return group_from_json(o, at, s, false, err);
	case PART_CONFIRM: return group_from_json(o, at, s, true, err);
	case PART_WORST:
		hb_grow(&s->worst, &s->cap_worst, s->n_worst + 1, sizeof(*s->worst));
		memset(&s->worst[s->n_worst], 0, sizeof(*s->worst));
		return pair_from_json(o, at, &s->worst[s->n_worst++], err);
	case PART_LOSSES:
	default:
		hb_grow(&s->losses, &s->cap_losses, s->n_losses + 1, sizeof(*s->losses));
		memset(&s->losses[s->n_losses], 0, sizeof(*s->losses));
		return loss_from_json(o, at, &s->losses[s->n_losses++], err);
	}
}

static int read_part(json_object *o, const struct js_at *top, const char *name, struct summary *s,
                     enum part part, struct hb_err *err)
{
	json_object *a = NULL;
	struct js_at at = js_at_key(top, name);
	int rc = js_get_arr(o, top, name, part == PART_ROWS ? JS_REQUIRED : JS_OPTIONAL, &a, err);

	if (rc < 0 || !a)
		return rc;
	if (json_object_array_length(a) > GROUPS_MAX)
		return js_fail(&at, err, "more than %d elements", GROUPS_MAX);
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(a); i++) {
		struct js_at here = js_at_index(&at, i);

		rc = part_item(json_object_array_get_idx(a, i), &here, s, part, err);
	}
	return rc;
}

/* A node set as text: long ones are cut by nobody, so this is longer than other texts may be. */
static int read_nodes(json_object *o, const struct js_at *at, const char *name, char **out,
                      struct hb_err *err)
{
	const char *text = NULL;
	struct js_at here = js_at_key(at, name);
	int rc = js_get_str(o, at, name, JS_REQUIRED, &text, err);

	if (rc == HB_OK && (!*text || strlen(text) > NODES_TEXT_MAX))
		return js_fail(&here, err, "must have 1 to %d bytes", NODES_TEXT_MAX);
	if (rc == HB_OK)
		*out = hb_strdup(text);
	return rc;
}

int summary_shard_read(json_object *o, const struct js_at *up, struct summary *s,
                       struct hb_err *err)
{
	json_object *shard = NULL;
	struct js_at at = js_at_key(up, "shard");
	int rc, i = 0, n = 0;

	if ((rc = js_get_obj(o, up, "shard", JS_OPTIONAL, &shard, err)) < 0 || !shard)
		return rc;
	if ((rc = js_get_int(shard, &at, "n", JS_REQUIRED, 1, SUMMARY_SHARDS_MAX, &n, err)) < 0 ||
	    (rc = js_get_int(shard, &at, "i", JS_REQUIRED, 1, n, &i, err)) < 0)
		return rc;
	free(s->shard_of);
	s->shard_of = NULL;
	rc = read_nodes(shard, &at, "of", &s->shard_of, err);
	s->shard = rc == HB_OK ? i : 0;
	s->shards = rc == HB_OK ? n : 0;
	return rc;
}

static int read_later(json_object *o, const struct js_at *up, struct summary *s, struct hb_err *err)
{
	json_object *later = NULL;
	struct js_at at = js_at_key(up, "later");
	int rc = js_get_obj(o, up, "later", JS_OPTIONAL, &later, err);

	if (rc < 0 || !later)
		return rc;
	rc = js_get_int(later, &at, "runs", JS_REQUIRED, 1, LATER_RUNS_MAX, &s->later_runs, err);
	return rc < 0 ? rc : read_nodes(later, &at, "nodes", &s->later, err);
}

static int read_summary(json_object *o, const struct js_at *at, struct summary *s,
                        struct hb_err *err)
{
	json_object *facts = NULL;
	int rc, schema = 0;

	if ((rc = js_get_int(o, at, "schema", JS_REQUIRED, SUMMARY_SCHEMA, SUMMARY_SCHEMA, &schema,
	                     err)) < 0 ||
	    (rc = read_text(o, at, "run", JS_REQUIRED, &s->run, err)) < 0 ||
	    (rc = read_text(o, at, "suite", JS_OPTIONAL, &s->suite, err)) < 0 ||
	    (rc = read_text(o, at, "label", JS_OPTIONAL, &s->label, err)) < 0 ||
	    (rc = read_text(o, at, "started", JS_OPTIONAL, &s->started, err)) < 0 ||
	    (rc = read_text(o, at, "cluster", JS_OPTIONAL, &s->cluster, err)) < 0 ||
	    (rc = read_text(o, at, "user", JS_OPTIONAL, &s->user, err)) < 0 ||
	    (rc = js_get_bool(o, at, "named", JS_OPTIONAL, &s->named, err)) < 0 ||
	    (rc = js_get_bool(o, at, "partial", JS_OPTIONAL, &s->partial, err)) < 0 ||
	    (rc = js_get_bool(o, at, "injected", JS_OPTIONAL, &s->injected, err)) < 0 ||
	    (rc = summary_shard_read(o, at, s, err)) < 0 || (rc = read_later(o, at, s, err)) < 0 ||
	    (rc = read_names(o, at, "fingerprint", json_type_array, &s->fingerprint, err)) < 0 ||
	    (rc = read_names(o, at, "hw", json_type_string, &s->hw, err)) < 0 ||
	    (rc = js_get_obj(o, at, "facts", JS_OPTIONAL, &facts, err)) < 0 ||
	    (rc = read_part(o, at, "rows", s, PART_ROWS, err)) < 0 ||
	    (rc = read_part(o, at, "confirm", s, PART_CONFIRM, err)) < 0 ||
	    (rc = read_part(o, at, "worst", s, PART_WORST, err)) < 0 ||
	    (rc = read_part(o, at, "losses", s, PART_LOSSES, err)) < 0 ||
	    (rc = js_get_u64(o, at, "told", JS_OPTIONAL, &s->told, err)) < 0)
		return rc;
	s->facts = json_object_get(facts);
	return js_get_u64(o, at, "unknown_records", JS_OPTIONAL, &s->unknown_records, err);
}

int summary_from_json(json_object *o, const char *source, struct summary *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP(source);
	int rc;

	summary_init(out);
	rc = json_object_is_type(o, json_type_object) ? read_summary(o, &at, out, err)
	                                              : js_fail(&at, err, "must be an object");
	if (rc < 0)
		summary_free(out);
	return rc;
}

int summary_read(const char *dir, struct summary *out, struct hb_err *err)
{
	char *path = hb_format("%s/summary.json", dir);
	json_object *o = NULL;
	int rc = js_read_file(path, JS_FILE_MAX, &o, err);

	if (rc == HB_OK)
		rc = summary_from_json(o, path, out, err);
	js_put(o);
	free(path);
	return rc;
}

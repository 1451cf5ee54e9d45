/*
 * The file form of a summary. Rows that follow each other and share key, unit, direction, judged,
 * floor and tolerance stand in one group, so that the long key is written and parsed once:
 *
 *	{"schema":1, "run":…, …, "rows":[{"key":{…}, "unit":"ns", "better":"lower", "judged":true,
 *	 "floor":0.05, "tolerance":0.1, "rows":[{"subject":"n17", "value":…, "lo":…, …}]}],
 *	 "confirm":[as rows], "worst":[…], "losses":[…], "unknown_records":0}
 *
 * Members at their usual value (quality ok, kind node, tolerance 0, no partner, NaN figures) are
 * left out, as are "facts" (facts.h, what nodes must agree about) where nobody told any,
 *"later":{"nodes":HOSTLIST,"runs":N} where --budget left nothing out, and
 * "shard":{"i":I,"n":N,"of":HOSTLIST} of a run that is no part. What reads it is summary_read.c.
 */
#include <math.h>
#include <string.h>

#include "harness/collect/summary.h"

static void set_figure(json_object *o, const char *name, double v)
{
	if (isfinite(v))
		js_set_f64(o, name, v);
}

static void set_text(json_object *o, const char *name, const char *s)
{
	if (s)
		js_set_str(o, name, s);
}

static json_object *row_to_json(const struct summary_row *r)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "subject", r->subject);
	if (r->kind == SUBJECT_CLUSTER)
		js_set_str(o, "kind", "cluster");
	if (r->quality != ROW_OK)
		js_set_str(o, "quality", row_quality_name(r->quality));
	if (r->phase != PHASE_MAIN)
		js_set_str(o, "phase", phase_name(r->phase));
	if (r->repeat)
		js_set_i64(o, "repeat", r->repeat);
	set_text(o, "reason", r->reason);
	set_figure(o, "value", r->value);
	set_figure(o, "lo", r->lo);
	set_figure(o, "hi", r->hi);
	set_figure(o, "p95", r->p95);
	set_figure(o, "p99", r->p99);
	set_figure(o, "spread", r->spread);
	if (r->n)
		js_set_u64(o, "n", r->n);
	if (r->pairs)
		js_set_i64(o, "pairs", r->pairs);
	set_text(o, "worst_partner", r->worst_partner);
	set_text(o, "partner", r->partner);
	return o;
}

static bool same_group(const struct summary_row *a, const struct summary_row *b)
{
	return a->unit == b->unit && a->higher_is_better == b->higher_is_better &&
	       a->judged == b->judged && !(a->floor < b->floor) && !(a->floor > b->floor) &&
	       !(a->tolerance < b->tolerance) && !(a->tolerance > b->tolerance) &&
	       strcmp(a->key.text, b->key.text) == 0;
}

static json_object *rows_to_json(const struct summary_row *rows, size_t n)
{
	json_object *groups = json_object_new_array(), *members = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct summary_row *r = &rows[i];

		if (i == 0 || !same_group(&rows[i - 1], r)) {
			json_object *g = json_object_new_object();

			members = json_object_new_array();
			js_set_obj(g, "key", key_to_json(&r->key));
			js_set_str(g, "unit", summary_unit_name(r->unit));
			js_set_str(g, "better", r->higher_is_better ? "higher" : "lower");
			js_set_bool(g, "judged", r->judged);
			js_set_f64(g, "floor", r->floor);
			if (r->tolerance > 0.0)
				js_set_f64(g, "tolerance", r->tolerance);
			js_set_obj(g, "rows", members);
			json_object_array_add(groups, g);
		}
		json_object_array_add(members, row_to_json(r));
	}
	return groups;
}

static json_object *worst_to_json(const struct summary *s)
{
	json_object *a = json_object_new_array();

	for (size_t i = 0; i < s->n_worst; i++) {
		const struct summary_pair *p = &s->worst[i];
		json_object *o = json_object_new_object();

		js_set_obj(o, "key", key_to_json(&p->key));
		js_set_str(o, "a", p->a);
		js_set_str(o, "b", p->b);
		set_text(o, "dir", p->dir);
		set_figure(o, "value", p->value);
		set_figure(o, "ratio", p->ratio);
		json_object_array_add(a, o);
	}
	return a;
}

static json_object *losses_to_json(const struct summary *s)
{
	json_object *a = json_object_new_array();

	for (size_t i = 0; i < s->n_losses; i++) {
		json_object *o = json_object_new_object();

		js_set_str(o, "subject", s->losses[i].subject);
		set_text(o, "bench", s->losses[i].bench);
		set_text(o, "reason", s->losses[i].reason);
		js_set_str(o, "status", unit_status_name(s->losses[i].status));
		json_object_array_add(a, o);
	}
	return a;
}

static json_object *shard_to_json(const struct summary *s)
{
	json_object *o = json_object_new_object();

	js_set_i64(o, "i", s->shard);
	js_set_i64(o, "n", s->shards);
	set_text(o, "of", s->shard_of);
	return o;
}

static json_object *later_to_json(const struct summary *s)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "nodes", s->later);
	js_set_i64(o, "runs", s->later_runs);
	return o;
}

json_object *summary_to_json(const struct summary *s)
{
	json_object *o = json_object_new_object();

	js_set_i64(o, "schema", SUMMARY_SCHEMA);
	js_set_str(o, "run", s->run);
	set_text(o, "suite", s->suite);
	set_text(o, "label", s->label);
	set_text(o, "started", s->started);
	set_text(o, "cluster", s->cluster);
	set_text(o, "user", s->user);
	js_set_bool(o, "named", s->named);
	js_set_bool(o, "partial", s->partial);
	js_set_bool(o, "injected", s->injected);
	if (s->merged)
		js_set_u64(o, "merged", s->merged);
	if (s->notes)
		js_set_obj(o, "notes", json_object_get(s->notes));
	if (s->shards)
		js_set_obj(o, "shard", shard_to_json(s));
	if (s->later)
		js_set_obj(o, "later", later_to_json(s));
	js_set_obj(o, "fingerprint", json_object_get(s->fingerprint));
	js_set_obj(o, "hw", json_object_get(s->hw));
	if (s->facts)
		js_set_obj(o, "facts", json_object_get(s->facts));
	js_set_obj(o, "rows", rows_to_json(s->rows, s->n_rows));
	js_set_obj(o, "confirm", rows_to_json(s->confirm, s->n_confirm));
	js_set_obj(o, "worst", worst_to_json(s));
	js_set_obj(o, "losses", losses_to_json(s));
	js_set_u64(o, "unknown_records", s->unknown_records);
	if (s->told)
		js_set_u64(o, "told", s->told);
	return o;
}

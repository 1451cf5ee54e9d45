/*
 * The file form of a baseline. The series are what is read back; "derived" and the figures beside
 * each series are for whoever reads the file, and are computed anew from the series.
 *
 *	{"schema":1, "name":…, "created":…, "reason":…, "runs":[ids], "fingerprint":{…}, "hw":{…},
 *	 "merged":{"ID+1":[ids of the runs that it was put together from]},
 *	 "facts":{as in facts.h, what nodes must agree about}, "excluded":{"n3":"why"},
 *"rebased":{"from":…, "date":…, "reason":…, "by":…, "ratios":[…]}, "entries":[{"key":{…},
 *"kind":"node", "unit":"ns", "better":"lower", "floor":0.05, "tolerance":0.1, "derived":{…},
 *	             "series":[{"subject":"n17", "hw":…, "n":10, "median":…, "y":[one a run, or
 *null]}]}]}
 */
#include <math.h>

#include "harness/judge/baseline.h"

static void set_figure(json_object *o, const char *name, double v)
{
	if (isfinite(v))
		js_set_f64(o, name, v);
}

static json_object *series_to_json(const struct base_series *s, size_t n_runs)
{
	json_object *o = json_object_new_object(), *y = json_object_new_array();

	js_set_str(o, "subject", s->subject);
	if (s->hw)
		js_set_str(o, "hw", s->hw);
	js_set_i64(o, "n", s->n);
	set_figure(o, "mean", s->mean);
	set_figure(o, "median", s->median);
	for (size_t t = 0; t < n_runs; t++)
		json_object_array_add(y, js_f64(s->y[t]));
	js_set_obj(o, "y", y);
	return o;
}

static json_object *derived_to_json(const struct base_entry *e)
{
	json_object *o = json_object_new_object();

	js_set_i64(o, "runs", e->runs);
	js_set_bool(o, "provisional", e->runs < BASELINE_MIN_RUNS);
	set_figure(o, "mean", e->mean);
	set_figure(o, "s_own", e->s_own);
	set_figure(o, "df_own", e->df_own);
	set_figure(o, "s_pool", e->s_pool);
	set_figure(o, "df_pool", e->df_pool);
	set_figure(o, "rho", e->rho);
	set_figure(o, "rho_subjects", e->rho_subjects);
	set_figure(o, "s_run", e->s_run);
	set_figure(o, "df_run", e->df_run);
	set_figure(o, "s_node", e->s_node);
	set_figure(o, "df_node", e->df_node);
	return o;
}

static json_object *entry_to_json(const struct base_entry *e, size_t n_runs)
{
	json_object *o = json_object_new_object(), *series = json_object_new_array();

	js_set_obj(o, "key", key_to_json(&e->key));
	js_set_str(o, "kind", e->kind == SUBJECT_CLUSTER ? "cluster" : "node");
	js_set_str(o, "unit", summary_unit_name(e->unit));
	js_set_str(o, "better", e->higher_is_better ? "higher" : "lower");
	js_set_f64(o, "floor", e->floor);
	if (e->tolerance > 0.0)
		js_set_f64(o, "tolerance", e->tolerance);
	js_set_obj(o, "derived", derived_to_json(e));
	for (size_t k = 0; k < e->n_series; k++)
		json_object_array_add(series, series_to_json(&e->series[k], n_runs));
	js_set_obj(o, "series", series);
	return o;
}

static json_object *rebased_to_json(const struct base_rebase *r)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "from", r->from);
	js_set_str(o, "date", r->date);
	js_set_str(o, "reason", r->reason);
	js_set_str(o, "by", r->by);
	if (r->ratios)
		js_set_obj(o, "ratios", json_object_get(r->ratios));
	return o;
}

json_object *baseline_to_json(const struct baseline *b)
{
	json_object *o = json_object_new_object(), *runs = json_object_new_array();
	json_object *entries = json_object_new_array();

	js_set_i64(o, "schema", BASELINE_SCHEMA);
	js_set_str(o, "name", b->name);
	js_set_str(o, "created", b->created);
	if (b->reason)
		js_set_str(o, "reason", b->reason);
	for (size_t t = 0; t < b->n_runs; t++)
		json_object_array_add(runs, js_str(b->runs[t]));
	js_set_obj(o, "runs", runs);
	if (b->merged && json_object_object_length(b->merged))
		js_set_obj(o, "merged", json_object_get(b->merged));
	js_set_obj(o, "fingerprint", json_object_get(b->fingerprint));
	js_set_obj(o, "hw", json_object_get(b->hw));
	if (b->facts)
		js_set_obj(o, "facts", json_object_get(b->facts));
	if (b->excluded && json_object_object_length(b->excluded))
		js_set_obj(o, "excluded", json_object_get(b->excluded));
	if (b->rebased.from)
		js_set_obj(o, "rebased", rebased_to_json(&b->rebased));
	for (size_t i = 0; i < b->n_entries; i++)
		json_object_array_add(entries, entry_to_json(&b->entries[i], b->n_runs));
	js_set_obj(o, "entries", entries);
	return o;
}

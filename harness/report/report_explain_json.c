/*
 * The same as JSON, with every number. schema 1, kind "explain":
 *	run, subject, judged, baseline (name or null), code (of the run, or null)
 *	losses: [{subject, bench, status, reason}]
 *	told: [{kind, name, text}], bad_lines
 *	findings: those about the subject, as in findings.json
 *	sections: [{bench, bytes, opts, and
 *		verdicts: rows as in verdicts.json
 *		past: {n, y per run, mean, s_run, df_run ...} or null each
 *		localized: null, or what its pairs came to, one a hardware class
 *		rerun: [{phase, repeat, subject, partner, value}]
 *		units: [{unit, measured, partner, phase, round, repeat, tries: [{attempt, status,
 *			reason, seconds, metrics, blocks, spread, kept, unit_of_samples,
 *			samples}]}]}]
 */
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/judge/ack.h"
#include "harness/report/report_explain.h"

static bool is_node(const void *ctx, const char *name)
{
	return nodeset_find(ctx, name) >= 0;
}

json_object *explain_head_json(const struct explain *e)
{
	const struct ack_nodes nodes = { is_node, &e->plan.nodes };
	json_object *o = cmd_json("explain"), *losses = json_object_new_array();
	json_object *told = json_object_new_array();
	js_set_str(o, "run", e->run->run);
	js_set_str(o, "subject", e->subject);
	js_set_bool(o, "judged", e->verdicts != NULL);
	js_set_str(o, "baseline", e->base_name);
	for (size_t i = 0; i < e->run->n_losses; i++) {
		const struct summary_loss *l = &e->run->losses[i];
		if (!l->subject || !ack_covers(e->subject, l->subject, &nodes))
			continue;
		json_object *one = json_object_new_object();
		js_set_str(one, "subject", l->subject);
		js_set_str(one, "bench", l->bench);
		js_set_str(one, "status", unit_status_name(l->status));
		js_set_str(one, "reason", l->reason);
		json_object_array_add(losses, one);
	}
	for (size_t i = 0; i < e->n_told; i++) {
		json_object *one = json_object_new_object();
		js_set_str(one, "kind", e->told[i].kind);
		js_set_str(one, "name", e->told[i].name);
		js_set_str(one, "text", e->told[i].text);
		json_object_array_add(told, one);
	}
	js_set_obj(o, "losses", losses);
	js_set_obj(o, "told", told);
	js_set_u64(o, "bad_lines", e->bad_lines);
	js_set_obj(o, "findings", explain_findings_json(e));
	js_set_obj(o, "causes", explain_causes_json(e));
	if (e->why)
		js_set_u64(o, "rules", e->why->rules);
	return o;
}

static json_object *metrics_json(const struct explain_unit *u, const struct explain_try *t)
{
	const struct metric_info *m = u->job->cases.info->metrics;
	json_object *all = json_object_new_object();
	for (size_t i = 0; i < RECORD_METRICS_MAX && m[i].name; i++) {
		const struct stat_summary *s = &t->figure[i];
		if (!s->n)
			continue;
		json_object *o = json_object_new_object();
		js_set_u64(o, "n", s->n);
		js_set_f64(o, "p50", s->p50);
		js_set_f64(o, "lo", s->lo);
		js_set_f64(o, "hi", s->hi);
		js_set_f64(o, "min", s->min);
		js_set_f64(o, "p95", s->p95);
		js_set_f64(o, "p99", s->p99);
		js_set_f64(o, "max", s->max);
		js_set_obj(all, m[i].name, o);
	}
	return all;
}

static int try_json(const struct explain *e, const struct explain_unit *u, size_t at,
                    json_object *into, struct hb_err *err)
{
	const struct explain_try *t = &e->tries[at];
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	double *v;
	size_t n;
	bool all;
	int rc = explain_samples(e, at, &v, &n, &all, err);
	js_set_u64(o, "attempt", t->id);
	js_set_str(o, "status", explain_status(e, u, t));
	js_set_str(o, "reason", t->reason);
	js_set_f64(o, "seconds", t->seconds);
	js_set_obj(o, "metrics", metrics_json(u, t));
	js_set_u64(o, "blocks", t->blocks);
	js_set_f64(o, "spread", t->spread);
	js_set_str(o, "kept", all ? "all" : "blocks");
	js_set_str(o, "unit_of_samples", "ns/iteration");
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, js_f64(v[i]));
	js_set_obj(o, "samples", list);
	json_object_array_add(into, o);
	free(v);
	return rc;
}

static int unit_json(const struct explain *e, const struct explain_unit *u, json_object *into,
                     struct hb_err *err)
{
	json_object *o = json_object_new_object(), *tries = json_object_new_array();
	struct buf text = BUF_INIT;
	int rc = HB_OK;
	plan_job_subject(&e->plan, u->step, u->job, &text);
	js_set_u64(o, "unit", u->id);
	js_set_str(o, "measured", buf_text(&text));
	js_set_str(o, "partner", explain_partner(e, u));
	js_set_str(o, "phase", phase_name(u->job->phase));
	js_set_i64(o, "round", u->job->round);
	js_set_i64(o, "repeat", u->job->repeat);
	for (size_t t = u->first_try; rc == HB_OK && t != SIZE_MAX; t = e->tries[t].next_try)
		rc = try_json(e, u, t, tries, err);
	js_set_obj(o, "tries", tries);
	json_object_array_add(into, o);
	buf_free(&text);
	return rc;
}

/* The baseline's rows of this key: the subject's own runs and what all share. */
static json_object *past_json(const struct explain *e, const struct explain_row *r)
{
	enum subject_kind kind = strcmp(e->subject, "cluster") == 0 ? SUBJECT_CLUSTER
	                                                            : SUBJECT_NODE;
	size_t at = e->b ? baseline_find_near(e->b, r->key.text, kind, 0) : SIZE_MAX;
	if (at == SIZE_MAX)
		return NULL;
	const struct base_entry *b = &e->b->entries[at];
	const struct base_series *own = baseline_series(b, e->subject);
	json_object *o = json_object_new_object(), *y = json_object_new_object();
	js_set_u64(o, "subjects", b->n_series);
	js_set_f64(o, "mean", b->mean);
	js_set_f64(o, "s_own", b->s_own);
	js_set_f64(o, "s_pool", b->s_pool);
	js_set_f64(o, "rho", b->rho);
	js_set_f64(o, "s_run", b->s_run);
	js_set_f64(o, "df_run", b->df_run);
	js_set_f64(o, "s_node", b->s_node);
	js_set_f64(o, "df_node", b->df_node);
	for (size_t t = 0; own && t < e->b->n_runs; t++)
		js_set_f64(y, e->b->runs[t], own->y[t]);
	js_set_obj(o, "y", y);
	return o;
}

static json_object *rerun_json(const struct explain *e, const struct explain_section *s)
{
	json_object *list = json_object_new_array();
	for (size_t i = 0; i < e->run->n_confirm; i++) {
		const struct summary_row *c = &e->run->confirm[i];
		bool ours = strcmp(c->subject, e->subject) == 0 ||
		            (c->partner && strcmp(c->partner, e->subject) == 0);
		if (!ours || c->key.bytes != s->bytes || strcmp(c->key.bench, s->bench) != 0 ||
		    strcmp(c->key.opts, s->opts) != 0)
			continue;
		json_object *o = json_object_new_object();
		js_set_str(o, "metric", c->key.metric);
		js_set_str(o, "phase", phase_name(c->phase));
		js_set_i64(o, "repeat", c->repeat);
		js_set_str(o, "subject", c->subject);
		js_set_str(o, "partner", c->partner);
		js_set_f64(o, "value", c->value);
		json_object_array_add(list, o);
	}
	return list;
}

int explain_section_json(const struct explain *e, const struct explain_section *s,
                         json_object **out, struct hb_err *err)
{
	json_object *o, *verdicts, *past, *units;
	struct explain_row *rows;
	size_t n;
	int rc = explain_rows(e, s, &rows, &n, err);
	*out = NULL;
	if (rc != HB_OK)
		return rc;
	o = json_object_new_object();
	verdicts = json_object_new_array();
	past = json_object_new_array();
	units = json_object_new_array();
	js_set_str(o, "bench", s->bench);
	js_set_u64(o, "bytes", s->bytes);
	js_set_str(o, "opts", s->opts);
	for (size_t i = 0; i < n; i++) {
		json_object_array_add(verdicts, json_object_get(rows[i].o));
		json_object_array_add(past, past_json(e, &rows[i]));
	}
	js_set_obj(o, "verdicts", verdicts);
	js_set_obj(o, "past", past);
	js_set_obj(o, "localized", explain_localized_json(e, s));
	js_set_obj(o, "rerun", rerun_json(e, s));
	for (size_t i = 0; rc == HB_OK && i < s->n_units; i++)
		rc = unit_json(e, s->units[i], units, err);
	js_set_obj(o, "units", units);
	explain_rows_free(rows, n);
	if (rc == HB_OK)
		*out = o;
	else
		js_put(o);
	return rc;
}

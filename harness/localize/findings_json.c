/*
 * findings.json, schema 1:
 *	{"schema":1, "baseline": name or null,
 *	 "findings":[{subject, kind, state: slow|undecided, others: [..], nodes, text, loss, unsure,
 *	    known (as in verdicts.json), evidence:[{key (as in summary.json), kind, loss, z, tests,
 *	    slow_tests, partners, detectable, loaded, isolated, control}]}],
 *	 "scope":[{bench, nodes, links_tested, links, detectable, stored, paths_separated}]}
 * What is not known is left out. Read back by findings_read.c.
 */
#include <math.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/localize/findings_parts.h"

static void set_figure(json_object *o, const char *key, double v)
{
	if (isfinite(v))
		js_set_f64(o, key, v);
}

static json_object *evidence_to_json(const struct evidence *e)
{
	json_object *o = json_object_new_object();
	const struct loc_blame *b = &e->blame;
	js_set_obj(o, "key", key_to_json(e->key));
	js_set_str(o, "kind", loc_kind_name(b->kind));
	set_figure(o, "loss", b->loss);
	set_figure(o, "z", b->z);
	js_set_u64(o, "tests", b->tests);
	js_set_u64(o, "slow_tests", b->slow_tests);
	js_set_u64(o, "partners", b->partners);
	set_figure(o, "detectable", b->detectable);
	set_figure(o, "loaded", b->loaded);
	set_figure(o, "isolated", b->isolated);
	set_figure(o, "control", b->control);
	return o;
}

static json_object *list_to_json(const char *list)
{
	json_object *a = json_object_new_array();
	for (const char *p = list; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		char *one = hb_strndup(p, n);
		json_object_array_add(a, js_str(one));
		free(one);
		p += n;
	}
	return a;
}

static json_object *culprit_to_json(const struct culprit *c)
{
	json_object *o = json_object_new_object(), *evidence = json_object_new_array();
	js_set_str(o, "subject", c->subject);
	js_set_str(o, "kind", loc_kind_name(c->kind));
	js_set_str(o, "state", c->state == LOC_SLOW ? "slow" : "undecided");
	if (c->others)
		js_set_obj(o, "others", list_to_json(c->others));
	if (c->nodes)
		js_set_str(o, "nodes", c->nodes);
	js_set_str(o, "text", c->text);
	set_figure(o, "loss", c->loss);
	if (c->unsure)
		js_set_bool(o, "unsure", true);
	if (c->ack)
		js_set_obj(o, "known", ack_to_json(c->ack));
	for (size_t i = 0; i < c->n_evidence; i++)
		json_object_array_add(evidence, evidence_to_json(&c->evidence[i]));
	js_set_obj(o, "evidence", evidence);
	return o;
}

static json_object *scope_to_json(const struct findings_scope *s)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "bench", s->bench);
	js_set_u64(o, "nodes", s->nodes);
	js_set_u64(o, "links_tested", s->links_tested);
	js_set_u64(o, "links", s->links);
	set_figure(o, "detectable", s->detectable);
	js_set_bool(o, "stored", s->stored);
	js_set_bool(o, "paths_separated", s->paths_separated);
	return o;
}

json_object *findings_to_json(const struct findings *f)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	json_object *scope = json_object_new_array();
	js_set_i64(o, "schema", FINDINGS_SCHEMA);
	js_set_str(o, "baseline", f->baseline);
	for (size_t i = 0; i < f->n; i++)
		json_object_array_add(list, culprit_to_json(&f->v[i]));
	for (size_t i = 0; i < f->n_scope; i++)
		json_object_array_add(scope, scope_to_json(&f->scope[i]));
	js_set_obj(o, "findings", list);
	js_set_obj(o, "scope", scope);
	return o;
}

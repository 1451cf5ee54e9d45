/* What nodes tell of themselves: facts, counters, events. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"
#include "harness/diagnose/diagnose.h"

enum { KEY_MAX = 255, EVENT_TEXT_MAX = 512 };

void run_told_free(struct run_told *t)
{
	for (size_t i = 0; i < t->n_events; i++) {
		free(t->events[i].node);
		free(t->events[i].code);
		free(t->events[i].text);
	}
	free(t->events);
	facts_free(&t->facts);
	*t = (struct run_told){ 0 };
}

/* The plan's node at the beginning of an endpoint; SIZE_MAX: it is none of it. */
static size_t node_of(const struct collect *c, const char *endpoint, const char **device)
{
	size_t len;

	*device = fact_device(endpoint, &len);
	/* The local launcher knows one node only, whatever that calls itself. */
	if (c->plan.nodes.n == 1)
		return 0;
	char *name = hb_strndup(endpoint, len);
	size_t node = collect_find_node(c, name);

	free(name);
	return node;
}

/*
 * The step of a record, from 0; SIZE_MAX: it is of a confirming rerun, or of no step: those pairs
 * are measured apart from all others, so that what they move is no part of the run's traffic.
 */
static int step_of(const struct collect *c, json_object *o, const struct js_at *at, size_t *out,
                   struct hb_err *err)
{
	uint64_t step = 0;
	int rc = js_get_u64(o, at, "step", JS_OPTIONAL, &step, err);

	*out = SIZE_MAX;
	if (rc != HB_OK || step < 1 || step > c->n_steps)
		return rc;
	const struct plan_step *s = &c->plan.steps[c->step0 + step - 1];

	if (s->n_jobs == 0 || s->jobs[0].phase == PHASE_MAIN || s->jobs[0].phase == PHASE_EXTRA)
		*out = c->step0 + step - 1;
	return HB_OK;
}

int collect_fact(struct collect *c, json_object *o, const struct js_at *at, struct hb_err *err)
{
	const char *endpoint = NULL, *key = NULL, *value = NULL, *source = "", *also = NULL;
	const char *device;
	struct nodeset others = { NULL, 0, 0 };
	int rc;

	if ((rc = js_get_str(o, at, "key", JS_REQUIRED, &key, err)) < 0 ||
	    (rc = js_get_str(o, at, "value", JS_OPTIONAL, &value, err)) < 0 ||
	    (rc = js_get_str(o, at, "endpoint", JS_OPTIONAL, &endpoint, err)) < 0 ||
	    (rc = js_get_str(o, at, "source", JS_OPTIONAL, &source, err)) < 0 ||
	    (rc = js_get_str(o, at, "also", JS_OPTIONAL, &also, err)) < 0)
		return rc;
	if (!endpoint || !*key || strlen(key) > KEY_MAX)
		return HB_OK;
	size_t node = node_of(c, endpoint, &device);

	if (strlen(device) > KEY_MAX)
		return HB_OK;
	if (also && nodeset_parse(also, &others, err) != HB_OK)
		return js_fail(at, err, "also: not a hostlist");
	if (node != SIZE_MAX)
		facts_add(&c->told.facts, node, device, key, value, source);
	for (size_t i = 0; i < others.n; i++) {
		node = collect_find_node(c, others.v[i]);
		if (node != SIZE_MAX)
			facts_add(&c->told.facts, node, device, key, value, source);
	}
	nodeset_free(&others);
	return HB_OK;
}

int collect_counter(struct collect *c, json_object *o, const struct js_at *at, struct hb_err *err)
{
	const char *endpoint = NULL, *name = NULL, *device;
	uint64_t before = 0, after = 0;
	size_t step;
	int rc, width = 0;

	if ((rc = js_get_str(o, at, "endpoint", JS_REQUIRED, &endpoint, err)) < 0 ||
	    (rc = js_get_str(o, at, "name", JS_REQUIRED, &name, err)) < 0 ||
	    (rc = js_get_u64(o, at, "before", JS_REQUIRED, &before, err)) < 0 ||
	    (rc = js_get_u64(o, at, "after", JS_REQUIRED, &after, err)) < 0 ||
	    (rc = js_get_int(o, at, "width", JS_OPTIONAL, 0, 64, &width, err)) < 0 ||
	    (rc = step_of(c, o, at, &step, err)) < 0)
		return rc;
	size_t node = node_of(c, endpoint, &device);

	if (step == SIZE_MAX || node == SIZE_MAX || !*name || strlen(name) > KEY_MAX ||
	    strlen(device) > KEY_MAX)
		return HB_OK;
	facts_add_counter(&c->told.facts, node, device, name, counter_moved(before, after, width));
	if (c->counted[node] != step + 1) {
		c->counted[node] = step + 1;
		c->told.facts.counted_s[node] += c->step_s[step];
	}
	return HB_OK;
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

/* The one node of a unit; SIZE_MAX: several. */
static size_t unit_node(const struct collect *c, const struct unit_state *u)
{
	size_t node = job_node(c, u, 0);

	for (int r = 1; r < unit_job(c, u)->n_ranks; r++)
		if (job_node(c, u, r) != node)
			return SIZE_MAX;
	return node;
}

void collect_event(struct collect *c, json_object *o, const struct unit_state *unit)
{
	const char *code = text_of(o, "code"), *text = text_of(o, "text"), *device;
	const char *endpoint = text_of(o, "endpoint");
	struct run_told *t = &c->told;
	size_t node = SIZE_MAX;

	if (!code || t->n_events >= RUN_EVENTS_MAX)
		return;
	if (endpoint)
		node = node_of(c, endpoint, &device);
	else if (unit)
		node = unit_node(c, unit);
	hb_grow(&t->events, &t->cap_events, t->n_events + 1, sizeof *t->events);
	t->events[t->n_events++] = (struct scene_event){
		.node = node == SIZE_MAX ? NULL : hb_strdup(c->plan.nodes.v[node]),
		.code = hb_strndup(code, KEY_MAX),
		.text = hb_strndup(text ? text : "", EVENT_TEXT_MAX)
	};
}

void collect_told(struct collect *c)
{
	struct facts *f = &c->told.facts;

	for (size_t i = 0; i < c->plan.nodes.n; i++)
		if (c->node_hw[i])
			facts_add_node(f, c->plan.nodes.v[i], c->node_hw[i]);
	facts_sort(f);
	if (f->n_rows)
		c->out->facts = facts_to_json(f, FACTS_AGREE);
	if (!c->want_told)
		return;
	*c->want_told = c->told;
	c->told = (struct run_told){ 0 };
}

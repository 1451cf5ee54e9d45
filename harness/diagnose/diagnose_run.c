#include "harness/diagnose/diagnose_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/base/nodeset.h"

int diagnose_data_load(const char *site, struct diagnose_data *out, struct hb_err *err)
{
	struct hb_err late = { 0 };
	char today[ACK_DAY_TEXT];
	int rc = HB_OK;

	*out = (struct diagnose_data){ 0 };
	ack_day_text(ack_day_of(time(NULL)), today);
	out->has_rules = rules_load(NULL, today, &out->rules, &late) == HB_OK;
	if (!out->has_rules)
		out->warning = hb_format("nothing is diagnosed: %s", late.text);
	if (out->has_rules && site) {
		rules_free(&out->rules);
		out->rules = (struct rules){ 0 };
		rc = rules_load(site, today, &out->rules, err);
	}
	if (rc == HB_OK && out->has_rules && expected_load(NULL, &out->expected, &late) != HB_OK)
		out->warning = hb_format("no figures that hardware should reach: %s", late.text);
	if (rc != HB_OK)
		diagnose_data_free(out);
	return rc;
}

void diagnose_data_free(struct diagnose_data *d)
{
	rules_free(&d->rules);
	expected_free(&d->expected);
	free(d->warning);
	*d = (struct diagnose_data){ 0 };
}

/* ---- acknowledged ---- */

static bool is_node(const void *ctx, const char *name)
{
	return facts_find_node(ctx, name) != SIZE_MAX;
}

void cause_subjects(const char *subject, struct nodeset *out)
{
	size_t len = strcspn(subject, "/");
	char *nodes = hb_strndup(subject, len);
	struct nodeset set = { 0 };
	struct hb_err err;

	*out = (struct nodeset){ 0 };
	if (!strchr(nodes, '[') || nodeset_parse(nodes, &set, &err) != HB_OK)
		set = (struct nodeset){ 0 };
	size_t n = set.n ? set.n : 1;
	out->v = hb_alloc(n * sizeof(char *));
	out->cap = n;
	for (size_t i = 0; i < n; i++)
		out->v[out->n++] = set.n ? hb_format("%s%s", set.v[i], subject + len)
		                         : hb_strdup(subject);
	nodeset_free(&set);
	free(nodes);
}

/* The acknowledgement of the last where all are. */
static struct ack *cover(struct acks *a, const char *subject, const struct ack_nodes *nodes)
{
	struct nodeset all;
	struct ack *found = NULL;

	cause_subjects(subject, &all);
	for (size_t i = 0; i < all.n; i++) {
		found = acks_find(a, all.v[i], NULL, nodes);
		if (!found)
			break;
	}
	nodeset_free(&all);
	return found;
}

void diagnosis_mark(struct acks *a, const struct facts *f, struct diagnosis *d)
{
	const struct ack_nodes nodes = { is_node, f };

	for (size_t i = 0; i < d->n; i++) {
		struct ack *found = cover(a, d->v[i].subject, &nodes);
		d->v[i].ack = found;
		if (!found || d->v[i].severity == RULE_NOTE)
			continue;
		found->seen++;
		found->covers++;
	}
}

/* ---- a run ---- */

static const struct scene_event *take_events(const struct run_told *t, struct run_diagnosis *out)
{
	out->events = hb_alloc((t->n_events + 1) * sizeof(*out->events));
	for (size_t i = 0; i < t->n_events; i++)
		out->events[i] = (struct scene_event){ t->events[i].node, t->events[i].code,
			                               t->events[i].text };
	return out->events;
}

void run_diagnosis_make(const struct diagnose_data *data, const struct diagnose_input *in,
                        struct run_diagnosis *out)
{
	const struct facts *f = in->told ? &in->told->facts : NULL;

	*out = (struct run_diagnosis){ 0 };
	if (!data->has_rules || !f || f->n_rows + f->n_counters == 0)
		return;
	out->known = true;
	if (in->base && in->base->facts)
		out->has_base = facts_from_json(in->base->facts, "baseline", &out->base_facts,
		                                NULL) == HB_OK;
	if (in->summary) {
		attained_make(&data->expected, in->summary, f, &out->attained);
		out->n_figures = scene_figures_make(in->summary, in->verdicts, &out->figures);
	}
	out->wire = attained_wire(&out->attained, f);
	const struct scene scene = { .facts = f,
		                     .base_facts = out->has_base ? &out->base_facts : NULL,
		                     .findings = in->findings,
		                     .verdicts = in->verdicts,
		                     .summary = in->summary,
		                     .events = take_events(in->told, out),
		                     .n_events = in->told->n_events,
		                     .figures = out->figures,
		                     .n_figures = out->n_figures,
		                     .attained = &out->attained };
	diagnose_make(&scene, &data->rules, &out->d);
	if (in->acks)
		diagnosis_mark(in->acks, f, &out->d);
}

const struct diagnosis *run_diagnosis_of(const struct run_diagnosis *r)
{
	return r->known ? &r->d : NULL;
}

void run_diagnosis_free(struct run_diagnosis *r)
{
	if (r->known)
		diagnosis_free(&r->d);
	attained_free(&r->attained);
	if (r->has_base)
		facts_free(&r->base_facts);
	free(r->events);
	free(r->figures);
	free(r->wire);
	*r = (struct run_diagnosis){ 0 };
}

/* Why a subject is slow, or what is misconfigured of it: every cause with every line of evidence.
 */
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/nodeset.h"
#include "harness/diagnose/diagnose_run.h"
#include "harness/judge/ack.h"
#include "harness/report/report_explain.h"
#include "harness/report/report_parts.h"

static bool is_node(const void *ctx, const char *name)
{
	return nodeset_find(ctx, name) >= 0;
}

static bool covers(const struct explain *e, const char *subject)
{
	const struct ack_nodes nodes = { is_node, &e->plan.nodes };

	return ack_covers(e->subject, subject, &nodes) || ack_covers(subject, e->subject, &nodes);
}

/* The subject of a cause may be several nodes. */
static bool cause_is_about(const struct explain *e, const struct cause *c)
{
	struct nodeset set;
	bool about = strcmp(e->subject, "cluster") == 0;

	cause_subjects(c->subject, &set);
	for (size_t i = 0; i < set.n && !about; i++)
		about = covers(e, set.v[i]);
	nodeset_free(&set);
	for (size_t i = 0; !about && e->findings && i < c->n_explains; i++)
		about = c->explains[i] < e->findings->n &&
		        explain_is_about(e, &e->findings->v[c->explains[i]]);
	return about;
}

static void put_cause(struct doc *d, const struct cause *c)
{
	struct buf known = BUF_INIT, what = BUF_INIT;

	report_cause_what(c, &what);
	report_known_mark(c->ack, &known);
	if (c->suppressed)
		buf_printf(&known, " (suppressed %s)", c->suppressed);
	doc_list_item(d, "%s%s [%s: %s, %s]", buf_text(&what), buf_text(&known), c->rule,
	              rule_severity_name(c->severity), rule_confidence_name(c->confidence));
	buf_free(&what);
	buf_free(&known);
	for (size_t i = 0; i < c->n_evidence; i++)
		doc_list_below(d, "evidence: %s", c->evidence[i]);
	if (c->next && *c->next)
		doc_list_below(d, "next: %s", c->next);
	if (c->refute && *c->refute)
		doc_list_below(d, "refuted if: %s", c->refute);
}

void explain_causes(struct doc *d, const struct explain *e)
{
	size_t n = 0;

	if (!e->why)
		return;
	for (size_t i = 0; i < e->why->n; i++) {
		if (!cause_is_about(e, &e->why->v[i]))
			continue;
		if (n++ == 0)
			doc_heading(d, 2, "Why");
		put_cause(d, &e->why->v[i]);
	}
	if (n == 0)
		doc_text(d, DOC_DIM, "no cause: none of the rules holds for it");
}

json_object *explain_causes_json(const struct explain *e)
{
	json_object *all, *list = NULL, *mine;

	if (!e->why)
		return NULL;
	all = json_object_new_object();
	mine = json_object_new_array();
	diagnosis_to_json(e->why, all);
	if (json_object_object_get_ex(all, "causes", &list))
		for (size_t i = 0; i < e->why->n; i++)
			if (cause_is_about(e, &e->why->v[i]))
				json_object_array_add(
				        mine, json_object_get(json_object_array_get_idx(list, i)));
	js_put(all);
	return mine;
}

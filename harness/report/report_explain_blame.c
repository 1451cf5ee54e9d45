/* What localize made of a subject's pairs: scores, candidates, and who was blamed. */
#include <math.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/judge/ack.h"
#include "harness/report/report_explain.h"
#include "harness/report/report_parts.h"

enum { CANDIDATES_SHOWN = 8 };

static const char *state_name(enum loc_node_state s)
{
	switch (s) {
	case LOC_GOOD: return "good";
	case LOC_CANDIDATE: return "candidate";
	case LOC_BLAMED: return "slow";
	case LOC_OPEN: return "undecided";
	case LOC_GONE: return "silent";
	case LOC_UNTESTED:
	default: return "not tested";
	}
}

static bool is_node(const void *ctx, const char *name)
{
	return nodeset_find(ctx, name) >= 0;
}

/* ---- findings about the subject ---- */

bool explain_is_about(const struct explain *e, const struct culprit *c)
{
	const struct ack_nodes nodes = { is_node, &e->plan.nodes };
	if (strcmp(e->subject, "cluster") == 0 || ack_covers(e->subject, c->subject, &nodes) ||
	    ack_covers(c->subject, e->subject, &nodes))
		return true;
	for (const char *p = c->others; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		if (n == strlen(e->subject) && strncmp(p, e->subject, n) == 0)
			return true;
		p += n;
	}
	return false;
}

void explain_findings(struct doc *d, const struct explain *e)
{
	size_t n = 0;
	for (size_t i = 0; e->findings && i < e->findings->n; i++) {
		if (!explain_is_about(e, &e->findings->v[i]))
			continue;
		if (n++ == 0)
			doc_heading(d, 2, "Who is slow");
		doc_list_item(d, "%s", e->findings->v[i].text);
	}
}

json_object *explain_findings_json(const struct explain *e)
{
	json_object *all = e->findings ? findings_to_json(e->findings) : NULL, *list = NULL;
	json_object *mine = json_object_new_array();
	if (all && json_object_object_get_ex(all, "findings", &list))
		for (size_t i = 0; i < e->findings->n; i++)
			if (explain_is_about(e, &e->findings->v[i]))
				json_object_array_add(
				        mine, json_object_get(json_object_array_get_idx(list, i)));
	js_put(all);
	return mine;
}

/* ---- a section ---- */

/* Sheet i is of this section and was looked at. */
static bool is_of(const struct explain *e, const struct explain_section *s, size_t i)
{
	const struct key *k = &e->sheets->v[i].key;
	return i < e->findings->n_found && e->findings->found[i].nodes && k->bytes == s->bytes &&
	       strcmp(k->bench, s->bench) == 0 && strcmp(k->opts, s->opts) == 0;
}

static bool has_sheets(const struct explain *e)
{
	return e->sheets && e->findings;
}

/* A figure in the metric's own unit, from its log. */
static void put_y(const struct key *k, double y, struct buf *out)
{
	const struct bench_info *info = catalog_find(k->bench);
	const struct metric_info *m = info ? info_metric(info, k->metric) : NULL;
	if (m && isfinite(y))
		report_figure(m->unit, exp(m->higher_is_better ? y : -y), NAN, out);
	else
		buf_puts(out, "(none)");
}

static void put_z(double z, struct buf *out)
{
	char text[64];
	num_format(text, sizeof text, "%.1f", z);
	buf_puts(out, isfinite(z) ? text : "(none)");
}

/* The subject itself, or an end of it. */
static bool is_mine(const struct explain *e, const char *node)
{
	const struct ack_nodes nodes = { is_node, &e->plan.nodes };
	return ack_covers(node, e->subject, &nodes);
}

static void put_node(struct doc *d, const struct sheet *s, const struct localized *l,
                     const char *name, const struct loc_node *n)
{
	struct buf text = BUF_INIT;
	if (n->state == LOC_UNTESTED)
		return;
	buf_printf(&text, "localize: %s: S (upper quartile over its pairs) ", name);
	put_y(&s->key, n->score, &text);
	buf_printf(&text, " over %zu test%s with %zu partner%s", n->tests, report_plural(n->tests),
	           n->partners, report_plural(n->partners));
	if (isfinite(n->z)) {
		buf_puts(&text, "; z ");
		put_z(n->z, &text);
		buf_puts(&text, " against the median ");
		put_y(&s->key, l->median, &text);
		buf_puts(&text, ", s ");
		report_percent(l->s, false, &text);
		buf_puts(&text, l->stored ? " with what the baseline stored" : "");
		buf_puts(&text, "; loss ");
		report_percent(n->loss, true, &text);
	}
	buf_printf(&text, ": %s", state_name(n->state));
	doc_list_item(d, "%s", buf_text(&text));
	buf_free(&text);
}

static void put_candidates(struct doc *d, const struct explain *e, const struct localized *l)
{
	struct buf text = BUF_INIT;
	size_t n = 0;
	for (size_t i = 0; i < l->n_nodes && i < e->sheets->n_nodes; i++) {
		const struct loc_node *v = &l->nodes[i];
		if ((v->state != LOC_CANDIDATE && v->state != LOC_BLAMED && v->state != LOC_OPEN) ||
		    n++ >= CANDIDATES_SHOWN)
			continue;
		buf_printf(&text, "%s%s (%s, z ", text.len ? ", " : "", e->sheets->nodes[i],
		           state_name(v->state));
		put_z(v->z, &text);
		buf_putc(&text, ')');
	}
	if (n > CANDIDATES_SHOWN)
		buf_printf(&text, " and %zu more", n - CANDIDATES_SHOWN);
	if (n)
		doc_list_item(d, "localize: what stands out here: %s", buf_text(&text));
	else
		doc_list_item(d, "localize: nobody stands out here");
	buf_free(&text);
}

void explain_localized(struct doc *d, const struct explain *e, const struct explain_section *s)
{
	for (size_t i = 0; has_sheets(e) && i < e->sheets->n; i++) {
		const struct localized *l = &e->findings->found[i];
		if (!is_of(e, s, i))
			continue;
		for (size_t k = 0; k < l->n_nodes && k < e->sheets->n_nodes; k++)
			if (is_mine(e, e->sheets->nodes[k]))
				put_node(d, &e->sheets->v[i], l, e->sheets->nodes[k], &l->nodes[k]);
		put_candidates(d, e, l);
	}
}

static json_object *node_json(const char *name, const struct loc_node *n)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "node", name);
	js_set_str(o, "state", state_name(n->state));
	js_set_f64(o, "score", n->score);
	js_set_f64(o, "z", n->z);
	js_set_f64(o, "loss", n->loss);
	js_set_u64(o, "tests", n->tests);
	js_set_u64(o, "partners", n->partners);
	return o;
}

/* The nodes that are the subject's, and those that stand out. */
static json_object *nodes_json(const struct explain *e, const struct localized *l)
{
	json_object *list = json_object_new_array();
	for (size_t k = 0; k < l->n_nodes && k < e->sheets->n_nodes; k++) {
		enum loc_node_state state = l->nodes[k].state;
		bool out = state != LOC_GOOD && state != LOC_UNTESTED;
		if (out || is_mine(e, e->sheets->nodes[k]))
			json_object_array_add(list, node_json(e->sheets->nodes[k], &l->nodes[k]));
	}
	return list;
}

json_object *explain_localized_json(const struct explain *e, const struct explain_section *s)
{
	json_object *list = NULL;
	for (size_t i = 0; has_sheets(e) && i < e->sheets->n; i++) {
		const struct localized *l = &e->findings->found[i];
		if (!is_of(e, s, i))
			continue;
		json_object *o = json_object_new_object();
		js_set_str(o, "hw", e->sheets->v[i].key.hw);
		js_set_f64(o, "median", l->median);
		js_set_f64(o, "s", l->s);
		js_set_bool(o, "stored", l->stored);
		js_set_f64(o, "detectable", l->detectable);
		js_set_u64(o, "links_tested", l->links_tested);
		js_set_u64(o, "links", l->links);
		js_set_obj(o, "nodes", nodes_json(e, l));
		list = list ? list : json_object_new_array();
		json_object_array_add(list, o);
	}
	return list;
}

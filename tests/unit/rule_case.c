#include "tests/unit/rule_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

static json_object *list_of(json_object *o, const char *key, size_t *n)
{
	json_object *list = NULL;

	*n = 0;
	if (!json_object_object_get_ex(o, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	*n = json_object_array_length(list);
	return list;
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

static double number_of(json_object *o, const char *key, double otherwise)
{
	json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) && v ? json_object_get_double(v) : otherwise;
}

static const char *text_at(json_object *list, size_t i)
{
	json_object *v = i < json_object_array_length(list) ? json_object_array_get_idx(list, i)
	                                                    : NULL;
	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

/* The nodes that "n3/eth0", "n[3-4]" or a star mean. */
static int nodes_of(const struct rule_case *c, const char *endpoint, struct nodeset *out,
                    const char **device, struct hb_err *err)
{
	size_t len = 0;

	*out = (struct nodeset){ 0 };
	*device = fact_device(endpoint, &len);
	char *name = hb_strndup(endpoint, len);
	int rc = strcmp(name, "*") == 0 ? HB_OK : nodeset_parse(name, out, err);
	for (size_t i = 0; rc == HB_OK && strcmp(name, "*") == 0 && i < c->nodes.n; i++)
		rc = nodeset_add(out, c->nodes.v[i], err);
	for (size_t i = 0; rc == HB_OK && i < out->n; i++)
		if (nodeset_find(&c->nodes, out->v[i]) < 0)
			rc = hb_fail(err, HB_E_FORMAT, "no node %s", out->v[i]);
	free(name);
	return rc;
}

/* Is this row's fact of the node told again by a later one? */
static bool overridden(const struct rule_case *c, json_object *list, size_t at, const char *node)
{
	json_object *row = json_object_array_get_idx(list, at);
	const char *key = text_at(row, 1), *device, *other;
	size_t len = 0;
	bool again = false;

	device = fact_device(text_at(row, 0), &len);
	for (size_t i = at + 1; !again && i < json_object_array_length(list); i++) {
		json_object *later = json_object_array_get_idx(list, i);
		struct nodeset set;
		if (!text_at(later, 0) || !text_at(later, 1) || strcmp(text_at(later, 1), key) != 0)
			continue;
		again = nodes_of(c, text_at(later, 0), &set, &other, NULL) == HB_OK &&
		        strcmp(device, other) == 0 && nodeset_find(&set, node) >= 0;
		nodeset_free(&set);
	}
	return again;
}

static int add_fact(const struct rule_case *c, json_object *list, size_t at, struct facts *to,
                    struct hb_err *err)
{
	json_object *row = json_object_array_get_idx(list, at);
	struct nodeset set;
	const char *device, *endpoint = text_at(row, 0), *key = text_at(row, 1);
	const char *source = text_at(row, 3);

	if (!endpoint || !key || json_object_array_length(row) < 3)
		return hb_fail(err, HB_E_FORMAT, "a fact is [endpoint, key, value]");
	const struct fact_info *info = fact_find(key);
	if (!info)
		return hb_fail(err, HB_E_FORMAT, "no fact %s", key);
	if ((info->about == FACT_NODE) == (strchr(endpoint, '/') != NULL))
		return hb_fail(err, HB_E_FORMAT, "%s is about a %s", key,
		               fact_about_name(info->about));
	int rc = nodes_of(c, endpoint, &set, &device, err);
	for (size_t i = 0; rc == HB_OK && i < set.n; i++)
		if (!overridden(c, list, at, set.v[i]))
			facts_add(to, facts_find_node(to, set.v[i]), device, key, text_at(row, 2),
			          source ? source : "/sys");
	nodeset_free(&set);
	return rc;
}

/* Later rows override, null too. */
static int add_facts(const struct rule_case *c, const char *key, struct facts *to,
                     struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, key, &n);
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < n; i++)
		rc = add_fact(c, list, i, to, err);
	return rc;
}

static int add_counters(struct rule_case *c, struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, "counters", &n);
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		json_object *row = json_object_array_get_idx(list, i);
		const char *device, *endpoint = text_at(row, 0), *name = text_at(row, 1);
		struct nodeset set = { 0 };
		if (!endpoint || !name || json_object_array_length(row) != 3)
			return hb_fail(err, HB_E_FORMAT, "a counter is [endpoint, name, moved]");
		uint64_t moved = (uint64_t)json_object_get_int64(json_object_array_get_idx(row, 2));
		rc = nodes_of(c, endpoint, &set, &device, err);
		for (size_t k = 0; rc == HB_OK && k < set.n; k++)
			if (!overridden(c, list, i, set.v[k]))
				facts_add_counter(&c->facts, facts_find_node(&c->facts, set.v[k]),
				                  device, name, moved);
		nodeset_free(&set);
	}
	return rc;
}

static int add_figures(struct rule_case *c, struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, "figures", &n);

	c->figures = hb_alloc((n + 1) * sizeof *c->figures);
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		const char *node = text_of(o, "node"), *bench = text_of(o, "bench");
		if (!node || !bench || nodeset_find(&c->nodes, node) < 0)
			return hb_fail(err, HB_E_FORMAT, "a figure needs a node and a bench");
		c->figures[i] = (struct scene_figure){
			.node = node,
			.bench = bench,
			.metric = "",
			.bytes = (uint64_t)number_of(o, "bytes", 0),
			.loss = number_of(o, "loss", NAN),
			.tail = number_of(o, "tail", NAN),
		};
	}
	c->scene.figures = c->figures;
	c->scene.n_figures = n;
	return HB_OK;
}

/* ---- who is blamed ---- */

static struct key *new_key(struct rule_case *c, json_object *o)
{
	struct key *k = &c->keys[c->n_keys++];

	k->bench = hb_strdup(text_of(o, "bench"));
	k->metric = hb_strdup("bw_Bps");
	k->opts = hb_strdup("{}");
	k->class_ = hb_strdup("remote");
	k->hw = hb_strdup("A");
	k->bytes = (uint64_t)number_of(o, "bytes", 0);
	k->nodes = 2;
	k->rpn = 1;
	key_make(k);
	return k;
}

static void add_loss(struct rule_case *c, json_object *o)
{
	struct summary *s = &c->summary;

	hb_grow(&s->losses, &s->cap_losses, s->n_losses + 1, sizeof *s->losses);
	s->losses[s->n_losses++] = (struct summary_loss){
		.subject = hb_strdup(text_of(o, "subject")),
		.bench = hb_strdup(text_of(o, "bench")),
		.reason = hb_strdup("lost"),
	};
}

static void add_regressed(struct rule_case *c, json_object *o, size_t n)
{
	if (!c->verdicts.rows)
		c->verdicts.rows = hb_alloc(n * sizeof *c->verdicts.rows);
	c->verdicts.rows[c->verdicts.n++] = (struct verdict_row){
		.key = new_key(c, o),
		.subject = text_of(o, "subject"),
		.verdict = VERDICT_REGRESSED,
		.loss = number_of(o, "loss", NAN),
	};
}

static int add_culprit(struct rule_case *c, json_object *o, struct hb_err *err)
{
	struct findings *f = &c->findings;
	const char *kind = text_of(o, "kind"), *state = text_of(o, "state");
	int k = 0;

	while (k < LOC_KINDS && strcmp(loc_kind_name((enum loc_kind)k), kind) != 0)
		k++;
	if (k == LOC_KINDS)
		return hb_fail(err, HB_E_FORMAT, "no kind %s", kind);
	struct evidence *e = hb_alloc(sizeof *e);
	e->key = new_key(c, o);
	e->blame = (struct loc_blame){ .kind = (enum loc_kind)k,
		                       .loss = number_of(o, "loss", NAN) };
	hb_grow(&f->v, &f->cap, f->n + 1, sizeof *f->v);
	f->v[f->n++] = (struct culprit){
		.subject = hb_strdup(text_of(o, "subject")),
		.kind = (enum loc_kind)k,
		.state = state && strcmp(state, "undecided") == 0 ? LOC_UNDECIDED : LOC_SLOW,
		.others = hb_strdup(text_of(o, "others")),
		.nodes = hb_strdup(text_of(o, "nodes")),
		.text = hb_strdup("slow"),
		.evidence = e,
		.n_evidence = 1,
		.cap_evidence = 1,
		.loss = e->blame.loss,
	};
	return HB_OK;
}

static int add_blamed(struct rule_case *c, struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, "blamed", &n);
	int rc = HB_OK;

	c->keys = hb_alloc((n + 1) * sizeof *c->keys);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		const char *kind = text_of(o, "kind");
		if (!text_of(o, "subject") || !kind || !text_of(o, "bench"))
			return hb_fail(err, HB_E_FORMAT, "blamed: subject, kind and bench");
		if (strcmp(kind, "lost") == 0)
			add_loss(c, o);
		else if (strcmp(kind, "regressed") == 0)
			add_regressed(c, o, n);
		else
			rc = add_culprit(c, o, err);
	}
	c->scene.findings = &c->findings;
	c->scene.verdicts = &c->verdicts;
	c->scene.summary = &c->summary;
	return rc;
}

/* ---- interconnect, expected figures, events ---- */

static int add_attained(struct rule_case *c, struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, "attained", &n);

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		const char *is = text_of(o, "is"), *promise = text_of(o, "promise");
		struct attained_row r = { .subject = hb_strdup(text_of(o, "subject")),
			                  .lat_s = NAN,
			                  .rate_Bps = NAN,
			                  .rate_share = number_of(o, "rate_share", NAN),
			                  .below = number_of(o, "below", 0) != 0 };
		hb_grow(&c->attained.v, &c->attained.cap, c->attained.n + 1, sizeof r);
		r.is = is ? expected_class(c->expected, is) : NULL;
		r.promise = promise ? expected_class(c->expected, promise) : NULL;
		r.why = hb_strdup("figures of the case");
		c->attained.v[c->attained.n++] = r;
		if (!r.subject || (is && !r.is) || (promise && !r.promise))
			return hb_fail(err, HB_E_FORMAT,
			               "attained: a subject, and classes that "
			               "baselines/expected has");
	}
	return HB_OK;
}

static int add_misses(struct rule_case *c, struct hb_err *err)
{
	size_t n;
	json_object *list = list_of(c->o, "misses", &n);

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		const char *name = text_of(o, "figure"), *subject = text_of(o, "subject");
		size_t k = 0;
		while (name && k < c->expected->n_figures &&
		       strcmp(c->expected->figures[k].name, name) != 0)
			k++;
		if (!name || !subject || k == c->expected->n_figures)
			return hb_fail(err, HB_E_FORMAT, "misses: no figure %s", name ? name : "");
		hb_grow(&c->attained.misses, &c->attained.cap_misses, c->attained.n_misses + 1,
		        sizeof *c->attained.misses);
		c->attained.misses[c->attained.n_misses++] = (struct attained_miss){
			.figure = &c->expected->figures[k],
			.subject = hb_strdup(subject),
			.value = NAN,
			.ratio = number_of(o, "ratio", NAN),
		};
	}
	return HB_OK;
}

static void add_events(struct rule_case *c)
{
	size_t n;
	json_object *list = list_of(c->o, "events", &n);

	c->events = hb_alloc((n + 1) * sizeof *c->events);
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		c->events[i] = (struct scene_event){ hb_strdup(text_of(o, "node")),
			                             hb_strdup(text_of(o, "code")),
			                             hb_strdup(text_of(o, "text")) };
	}
	c->scene.events = c->events;
	c->scene.n_events = n;
}

/* "hw": one class for all, or {hostlist: class}. */
static const char *class_of(json_object *o, const char *node)
{
	json_object *hw = NULL;
	const char *class = text_of(o, "hw");

	if (!json_object_object_get_ex(o, "hw", &hw) || !json_object_is_type(hw, json_type_object))
		return class ? class : "A";
	json_object_object_foreach(hw, nodes, name)
	{
		struct nodeset set = { 0 };
		if (nodeset_parse(nodes, &set, NULL) == HB_OK && nodeset_find(&set, node) >= 0)
			class = json_object_get_string(name);
		nodeset_free(&set);
	}
	return class ? class : "A";
}

int rule_case_make(json_object *o, const struct expected *e, struct rule_case *out,
                   struct hb_err *err)
{
	static const char *const known[] = { "name",     "fires",   "first",  "nodes",
		                             "hw",       "seconds", "facts",  "baseline",
		                             "counters", "figures", "blamed", "attained",
		                             "misses",   "events",  NULL };
	struct js_at at = JS_AT_TOP("case");
	const char *nodes = text_of(o, "nodes");

	*out = (struct rule_case){ .o = o, .expected = e };
	facts_init(&out->facts);
	facts_init(&out->base);
	summary_init(&out->summary);
	int rc = js_known_keys(o, &at, known, err);
	if (rc == HB_OK)
		rc = nodeset_parse(nodes ? nodes : "n[1-6]", &out->nodes, err);
	for (size_t i = 0; rc == HB_OK && i < out->nodes.n; i++) {
		const char *hw = class_of(o, out->nodes.v[i]);
		size_t n = facts_add_node(&out->facts, out->nodes.v[i], hw);
		facts_add_node(&out->base, out->nodes.v[i], hw);
		if (list_of(o, "counters", &(size_t){ 0 }))
			out->facts.counted_s[n] = number_of(o, "seconds", 10);
	}
	if (rc == HB_OK)
		rc = add_facts(out, "facts", &out->facts, err);
	if (rc == HB_OK)
		rc = add_facts(out, "baseline", &out->base, err);
	if (rc == HB_OK)
		rc = add_counters(out, err);
	facts_sort(&out->facts);
	facts_sort(&out->base);
	if (rc == HB_OK)
		rc = add_figures(out, err);
	if (rc == HB_OK)
		rc = add_blamed(out, err);
	if (rc == HB_OK)
		rc = add_attained(out, err);
	if (rc == HB_OK)
		rc = add_misses(out, err);
	add_events(out);
	out->scene.facts = &out->facts;
	out->scene.base_facts = list_of(o, "baseline", &(size_t){ 0 }) ? &out->base : NULL;
	out->scene.attained = &out->attained;
	return rc;
}

void rule_case_free(struct rule_case *c)
{
	for (size_t i = 0; c->events && i < c->scene.n_events; i++) {
		free(c->events[i].node);
		free(c->events[i].code);
		free(c->events[i].text);
	}
	free(c->events);
	free(c->figures);
	findings_free(&c->findings);
	free(c->verdicts.rows);
	summary_free(&c->summary);
	attained_free(&c->attained);
	for (size_t i = 0; i < c->n_keys; i++)
		key_free(&c->keys[i]);
	free(c->keys);
	nodeset_free(&c->nodes);
	facts_free(&c->facts);
	facts_free(&c->base);
	*c = (struct rule_case){ 0 };
}

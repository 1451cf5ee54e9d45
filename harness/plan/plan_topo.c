/* What a plan knows of its nodes beside their names: leaves and roles, made and in plan.json. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"

static const char *const role_names[] = { NULL, "new", "control" };
static const char *const role_keys[] = { "new", "control", NULL };

static void find_leaves(struct plan *p)
{
	if (p->topo.n_leaves == 0)
		return;
	p->leaf_of = hb_alloc(p->nodes.n * sizeof(*p->leaf_of));
	topo_leaves(&p->topo, &p->nodes, p->leaf_of);
}

void plan_topo_take(struct plan *p, const struct topo *topo)
{
	if (!topo || topo->n_leaves == 0)
		return;
	topo_restrict(topo, &p->nodes, &p->topo);
	find_leaves(p);
}

int plan_roles_take(struct plan *p, const struct plan_params *params, struct hb_err *err)
{
	size_t controls = 0, n = p->nodes.n;

	p->shape = params->shape;
	if (params->controls) {
		p->role = hb_alloc(n);
		memset(p->role, ROLE_NEW, n);
		for (size_t i = 0; i < params->controls->n; i++) {
			long at = nodeset_find(&p->nodes, params->controls->v[i]);
			if (at < 0 || p->role[at] == ROLE_CONTROL)
				continue;
			p->role[at] = ROLE_CONTROL;
			controls++;
		}
	}
	if (p->shape == SHAPE_ROUNDS || (controls > 0 && controls < n))
		return HB_OK;
	if (!params->controls)
		return hb_fail(err, HB_E_USAGE,
		               "the shape %s needs controls, nodes that are known to be good: "
		               "--controls NODESET",
		               plan_shape_name(p->shape));
	return controls == 0 ? hb_fail(err, HB_E_USAGE,
	                               "none of the controls can be measured; name others")
	                     : hb_fail(err, HB_E_USAGE,
	                               "every node is a control: there is none to compare with "
	                               "them");
}

void plan_topo_free(struct plan *p)
{
	topo_free(&p->topo);
	free(p->leaf_of);
	free(p->role);
}

/* ---- several plans as one ---- */

/* The joined plan's leaf of this name, which may be a new one; known: numbers by name. */
static size_t same_leaf(struct topo *t, json_object *known, const char *name)
{
	json_object *v = NULL;

	if (json_object_object_get_ex(known, name, &v))
		return (size_t)json_object_get_int64(v);
	hb_grow(&t->leaves, &t->cap_leaves, t->n_leaves + 1, sizeof(*t->leaves));
	t->leaves[t->n_leaves] = (struct topo_leaf){ hb_strdup(name), { 0 } };
	json_object_object_add(known, name, json_object_new_int64((int64_t)t->n_leaves));
	return t->n_leaves++;
}

static void join_leaves(const struct plan *p, const size_t *index, json_object *known,
                        struct plan *out)
{
	for (size_t i = 0; i < p->nodes.n; i++) {
		size_t node = index[i];
		if (p->leaf_of[i] == TOPO_NO_LEAF || out->leaf_of[node] != TOPO_NO_LEAF)
			continue;
		size_t leaf = same_leaf(&out->topo, known, p->topo.leaves[p->leaf_of[i]].name);
		struct nodeset *s = &out->topo.leaves[leaf].nodes;
		hb_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n++] = hb_strdup(out->nodes.v[node]);
		out->leaf_of[node] = leaf;
	}
}

static void join_topo(const struct plan *p, const size_t *index, json_object *known,
                      struct plan *out)
{
	if (!p->leaf_of)
		return;
	if (!out->leaf_of) {
		out->leaf_of = hb_alloc(out->nodes.n * sizeof(*out->leaf_of));
		for (size_t i = 0; i < out->nodes.n; i++)
			out->leaf_of[i] = TOPO_NO_LEAF;
		out->topo.source = hb_strdup(p->topo.source);
		out->topo.routing = p->topo.routing;
	}
	if (out->topo.routing != p->topo.routing)
		out->topo.routing = TOPO_UNKNOWN;
	join_leaves(p, index, known, out);
}

void plan_topo_join(struct plan *const *plans, size_t n, size_t *const *index, struct plan *out)
{
	json_object *known = json_object_new_object();

	out->shape = plans[0]->shape;
	for (size_t i = 0; i < n; i++) {
		const struct plan *p = plans[i];
		if (p->shape != out->shape)
			out->shape = SHAPE_ROUNDS;
		join_topo(p, index[i], known, out);
		if (p->role && !out->role)
			out->role = hb_alloc(out->nodes.n);
		for (size_t k = 0; p->role && k < p->nodes.n; k++)
			if (out->role[index[i][k]] == ROLE_NONE)
				out->role[index[i][k]] = p->role[k];
	}
	js_put(known);
}

/* ---- plan.json ---- */

static void put_role(const struct plan *p, json_object *o, enum plan_role role)
{
	struct nodeset set = { 0 };
	struct buf text = BUF_INIT;

	set.v = hb_realloc_array(NULL, p->nodes.n, sizeof(*set.v));
	for (size_t i = 0; i < p->nodes.n; i++)
		if (p->role[i] == role)
			set.v[set.n++] = p->nodes.v[i];
	nodeset_format(&set, &text);
	if (set.n)
		js_set_str(o, role_names[role], buf_text(&text));
	free(set.v); /* its names are borrowed */
	buf_free(&text);
}

void plan_topo_to_json(const struct plan *p, json_object *o)
{
	if (p->shape != SHAPE_ROUNDS)
		js_set_str(o, "shape", plan_shape_name(p->shape));
	if (p->role) {
		json_object *roles = json_object_new_object();
		put_role(p, roles, ROLE_NEW);
		put_role(p, roles, ROLE_CONTROL);
		js_set_obj(o, "roles", roles);
	}
	if (p->topo.n_leaves)
		js_set_obj(o, "topology", topo_to_json(&p->topo));
}

struct numbered {
	const char *name;
	size_t node;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct numbered *)a)->name, ((const struct numbered *)b)->name);
}

static int take_role(struct plan *p, const struct numbered *sorted, const struct nodeset *set,
                     enum plan_role role, struct hb_err *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct numbered key = { set->v[i], 0 };
		const struct numbered *at = bsearch(&key, sorted, p->nodes.n, sizeof(*sorted),
		                                    by_name);
		if (!at)
			return hb_fail(err, HB_E_FORMAT, "'%.80s' is not a node of this plan",
			               set->v[i]);
		if (p->role[at->node] != ROLE_NONE)
			return hb_fail(err, HB_E_FORMAT, "'%.80s' has two roles", set->v[i]);
		p->role[at->node] = (unsigned char)role;
	}
	return HB_OK;
}

static int read_role(struct plan *p, json_object *roles, const struct js_at *at,
                     const struct numbered *sorted, enum plan_role role, struct hb_err *err)
{
	struct js_at here = js_at_key(at, role_names[role]);
	struct nodeset set = { 0 };
	struct hb_err why = { HB_OK, "" };
	const char *text = NULL;
	int rc = js_get_str(roles, at, role_names[role], JS_OPTIONAL, &text, err);

	if (rc != HB_OK || !text)
		return rc;
	rc = nodeset_parse(text, &set, &why);
	if (rc == HB_OK)
		rc = take_role(p, sorted, &set, role, &why);
	nodeset_free(&set);
	return rc == HB_OK ? rc : js_fail(&here, err, "%s", why.text);
}

static int read_roles(struct plan *p, json_object *o, const struct js_at *top, struct hb_err *err)
{
	json_object *roles = NULL;
	struct js_at here = js_at_key(top, "roles");
	int rc = js_get_obj(o, top, "roles", JS_OPTIONAL, &roles, err);

	if (rc != HB_OK || !roles)
		return rc;
	rc = js_known_keys(roles, &here, role_keys, err);
	struct numbered *sorted = hb_alloc((p->nodes.n + 1) * sizeof(*sorted));
	for (size_t i = 0; i < p->nodes.n; i++)
		sorted[i] = (struct numbered){ p->nodes.v[i], i };
	qsort(sorted, p->nodes.n, sizeof(*sorted), by_name);
	p->role = hb_alloc(p->nodes.n + 1);
	if (rc == HB_OK)
		rc = read_role(p, roles, &here, sorted, ROLE_NEW, err);
	if (rc == HB_OK)
		rc = read_role(p, roles, &here, sorted, ROLE_CONTROL, err);
	free(sorted);
	return rc;
}

static int read_topo(struct plan *p, json_object *o, const struct js_at *top, struct hb_err *err)
{
	json_object *v = NULL;
	struct topo all;
	struct hb_err why = { HB_OK, "" };
	int rc = js_get_obj(o, top, "topology", JS_OPTIONAL, &v, err);

	if (rc != HB_OK || !v)
		return rc;
	if (topo_from_json(v, "topology", &all, &why) != HB_OK)
		return js_fail(top, err, "%s", why.text);
	plan_topo_take(p, &all);
	topo_free(&all);
	return HB_OK;
}

int plan_topo_from_json(struct plan *p, json_object *o, const struct js_at *top, struct hb_err *err)
{
	const char *shape = NULL;
	struct js_at here = js_at_key(top, "shape");
	int rc = js_get_str(o, top, "shape", JS_OPTIONAL, &shape, err), known;

	if (rc == HB_OK && shape) {
		known = plan_shape_parse(shape);
		if (known < 0)
			return js_fail(&here, err, "'%.40s' is none of rounds, star, both", shape);
		p->shape = (enum plan_shape)known;
	}
	if (rc == HB_OK)
		rc = read_roles(p, o, top, err);
	return rc == HB_OK ? read_topo(p, o, top, err) : rc;
}

/* Leaves in memory: what may be in them, and who hangs where. */
#include "harness/topo/topo.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/topo/topo_parts.h"

static const char *const routing_names[] = { "unknown", "static", "adaptive" };

const char *topo_routing_name(enum topo_routing r)
{
	return routing_names[r];
}

int topo_leaf_add(struct topo *t, const char *name, struct topo_leaf **out, struct hb_err *err)
{
	struct nodeset one = { 0 };

	if (t->n_leaves == TOPO_LEAVES_MAX)
		return hb_fail(err, HB_E_FORMAT, "more than %d leaf switches", TOPO_LEAVES_MAX);
	/* Switches are called as nodes may be. */
	int rc = nodeset_add(&one, name, err);
	nodeset_free(&one);
	if (rc != HB_OK)
		return rc;
	hb_grow(&t->leaves, &t->cap_leaves, t->n_leaves + 1, sizeof(*t->leaves));
	struct topo_leaf *leaf = &t->leaves[t->n_leaves++];
	*leaf = (struct topo_leaf){ hb_strdup(name), { 0 } };
	*out = leaf;
	return HB_OK;
}

/* ---- nodes by name ---- */

struct place {
	const char *name;
	size_t leaf;
};

struct places {
	struct place *v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

static int name_only(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Every node, sorted; the caller frees v. */
static struct places places_of(const struct topo *t)
{
	struct places p = { NULL, 0 };

	for (size_t i = 0; i < t->n_leaves; i++)
		p.n += t->leaves[i].nodes.n;
	p.v = hb_alloc((p.n + 1) * sizeof(*p.v));
	p.n = 0;
	for (size_t i = 0; i < t->n_leaves; i++)
		for (size_t k = 0; k < t->leaves[i].nodes.n; k++)
			p.v[p.n++] = (struct place){ t->leaves[i].nodes.v[k], i };
	qsort(p.v, p.n, sizeof(*p.v), by_name);
	return p;
}

static int check_leaf_names(const struct topo *t, struct hb_err *err)
{
	struct place *v = hb_alloc((t->n_leaves + 1) * sizeof(*v));
	int rc = HB_OK;

	for (size_t i = 0; i < t->n_leaves; i++)
		v[i] = (struct place){ t->leaves[i].name, i };
	qsort(v, t->n_leaves, sizeof(*v), by_name);
	for (size_t i = 1; rc == HB_OK && i < t->n_leaves; i++)
		if (strcmp(v[i - 1].name, v[i].name) == 0)
			rc = hb_fail(err, HB_E_FORMAT, "the switch %s stands twice", v[i].name);
	free(v);
	return rc;
}

int topo_check(const struct topo *t, struct hb_err *err)
{
	struct places p = places_of(t);
	int rc = check_leaf_names(t, err);

	if (rc == HB_OK && p.n > NODESET_MAX)
		rc = hb_fail(err, HB_E_FORMAT, "%zu nodes, more than %d", p.n, NODESET_MAX);
	for (size_t i = 1; rc == HB_OK && i < p.n; i++)
		if (strcmp(p.v[i - 1].name, p.v[i].name) == 0)
			rc = hb_fail(err, HB_E_FORMAT,
			             "node %s hangs on two leaf switches, %s and %s; leaves must "
			             "not share nodes",
			             p.v[i].name, t->leaves[p.v[i - 1].leaf].name,
			             t->leaves[p.v[i].leaf].name);
	free(p.v);
	return rc;
}

size_t topo_leaf_of(const struct topo *t, const char *node)
{
	for (size_t i = 0; i < t->n_leaves; i++)
		if (nodeset_find(&t->leaves[i].nodes, node) >= 0)
			return i;
	return TOPO_NO_LEAF;
}

void topo_leaves(const struct topo *t, const struct nodeset *nodes, size_t *leaf_of)
{
	struct places p = places_of(t);

	for (size_t i = 0; i < nodes->n; i++) {
		const struct place key = { nodes->v[i], 0 };
		const struct place *at = bsearch(&key, p.v, p.n, sizeof(*p.v), name_only);
		leaf_of[i] = at ? at->leaf : TOPO_NO_LEAF;
	}
	free(p.v);
}

void topo_restrict(const struct topo *t, const struct nodeset *nodes, struct topo *out)
{
	size_t *leaf_of = hb_alloc((nodes->n + 1) * sizeof(*leaf_of));
	size_t *number = hb_alloc((t->n_leaves + 1) * sizeof(*number)); /* + 1; 0: left out */

	*out = (struct topo){ .source = hb_strdup(t->source), .routing = t->routing };
	topo_leaves(t, nodes, leaf_of);
	for (size_t i = 0; i < nodes->n; i++)
		if (leaf_of[i] != TOPO_NO_LEAF)
			number[leaf_of[i]] = 1;
	for (size_t i = 0; i < t->n_leaves; i++) {
		if (!number[i])
			continue;
		hb_grow(&out->leaves, &out->cap_leaves, out->n_leaves + 1, sizeof(*out->leaves));
		out->leaves[out->n_leaves++] = (struct topo_leaf){ hb_strdup(t->leaves[i].name),
			                                           { 0 } };
		number[i] = out->n_leaves;
	}
	for (size_t i = 0; i < nodes->n; i++) {
		if (leaf_of[i] == TOPO_NO_LEAF)
			continue;
		struct nodeset *s = &out->leaves[number[leaf_of[i]] - 1].nodes;
		hb_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n++] = hb_strdup(nodes->v[i]);
	}
	free(number);
	free(leaf_of);
}

void topo_free(struct topo *t)
{
	for (size_t i = 0; i < t->n_leaves; i++) {
		free(t->leaves[i].name);
		nodeset_free(&t->leaves[i].nodes);
	}
	free(t->leaves);
	free(t->source);
	*t = (struct topo){ 0 };
}

/*
 * Slow nodes that cannot be blamed, for too few of their slow pairs are with cleared nodes. Those
 * that are slow with each other are one group; where one slow pair alone is behind it all, its link
 * belongs to it. A node all of whose slow pairs are with nodes that are blamed is only a candidate:
 * nothing was learnt about it.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

struct groups {
	struct loc_work *w;
	uint32_t *stack;
	uint32_t *last; /* of each node: the slow cell that was seen last */
};

static bool is_slow(const struct loc_work *w, const struct loc_cell *c, uint32_t node)
{
	double half = (w->out->nodes[node].score - w->out->median) / 2;

	return !c->explained && c->all - w->out->median < half;
}

/* Slow cells with nodes that are not blamed. */
static size_t count(struct groups *g, uint32_t node, size_t *slow_tests)
{
	const struct loc_work *w = g->w;
	size_t n = 0;

	*slow_tests = 0;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];

		if (!is_slow(w, c, node))
			continue;
		*slow_tests += c->n;
		if (w->out->nodes[loc_partner(w, c, node)].state == LOC_BLAMED)
			continue;
		g->last[node] = w->of[i];
		n++;
	}
	return n;
}

static void add_node(struct groups *g, uint32_t node, size_t slow_tests)
{
	struct loc_work *w = g->w;
	const struct loc_node *n = &w->out->nodes[node];
	struct loc_blame *b = loc_blame_add(w, LOC_NODE, node, LOC_NONE);

	b->state = LOC_UNDECIDED;
	b->group = w->groups;
	b->loss = b->loaded = n->loss;
	b->z = n->z;
	b->tests = n->tests;
	b->slow_tests = slow_tests;
	b->partners = n->partners;
}

static void add_link(struct groups *g, uint32_t cell)
{
	struct loc_work *w = g->w;
	const struct loc_cell *c = &w->cells[cell];
	struct loc_blame *b = loc_blame_add(w, LOC_LINK, c->a, c->b);

	b->state = LOC_UNDECIDED;
	b->group = w->groups;
	b->loss = b->loaded = 1 - exp(c->all - w->out->median);
	b->tests = b->slow_tests = c->n;
}

/* All open nodes that slow pairs connect with this one. */
static void group_from(struct groups *g, uint32_t node, const bool *open)
{
	struct loc_work *w = g->w;
	size_t n = 0, members = 0, cells = 0, slow_tests;
	uint32_t last = 0;

	g->stack[n++] = node;
	w->out->nodes[node].state = LOC_OPEN;
	while (n) {
		uint32_t at = g->stack[--n];
		size_t own = count(g, at, &slow_tests);

		cells = own > cells ? own : cells;
		last = g->last[at];
		members++;
		add_node(g, at, slow_tests);
		for (size_t i = w->first[at]; i < w->first[at + 1]; i++) {
			const struct loc_cell *c = &w->cells[w->of[i]];
			uint32_t p = loc_partner(w, c, at);

			if (!open[p] || w->out->nodes[p].state == LOC_OPEN || !is_slow(w, c, at))
				continue;
			w->out->nodes[p].state = LOC_OPEN;
			g->stack[n++] = p;
		}
	}
	if (cells == 1 && members <= 2)
		add_link(g, last);
	w->groups++;
}

void loc_undecided(struct loc_work *w, const bool *bad)
{
	size_t n = w->out->n_nodes, slow_tests;
	struct groups g = { w, hb_alloc((n + 1) * sizeof(*g.stack)),
		            hb_alloc((n + 1) * sizeof(*g.last)) };
	bool *open = hb_alloc(n + 1);

	for (uint32_t i = 0; i < n; i++)
		open[i] = bad[i] && w->out->nodes[i].state != LOC_BLAMED &&
		          count(&g, i, &slow_tests) > 0;
	for (uint32_t i = 0; i < n; i++)
		if (open[i] && w->out->nodes[i].state != LOC_OPEN)
			group_from(&g, i, open);
	free(open);
	free(g.stack);
	free(g.last);
}

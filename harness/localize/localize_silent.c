/*
 * Who is silent or dead: whoever a lost pair names and who gave no figure after it; or whoever lost
 * all of its pairs while its partners had others. Two that only lost with each other cannot be told
 * apart, and neither can a node that met one partner alone and the link between the two.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

struct presence {
	size_t came, lost; /* tests */
	bool named;        /* silent, and nothing came after */
};

static void gather(const struct loc_work *w, struct presence *v)
{
	const struct loc_sheet *s = w->sheet;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];

		for (size_t k = 0; k < c->n; k++) {
			struct presence *a = &v[loc_node_of(w, c->a)],
			                *b = &v[loc_node_of(w, c->b)];
			bool came = isfinite(loc_test(w, c, k)->y);

			a->came += came;
			b->came += came;
			a->lost += !came;
			b->lost += !came;
		}
	}
	for (size_t i = 0; i < s->n_pairs; i++) { /* in the order in which they were measured */
		const struct loc_pair *t = &s->pairs[i];
		uint32_t a = t->a < s->n_ends ? s->ends[t->a].node : LOC_NONE;
		uint32_t b = t->b < s->n_ends ? s->ends[t->b].node : LOC_NONE;

		if (a >= w->out->n_nodes || b >= w->out->n_nodes)
			continue;
		if (isfinite(t->y))
			v[a].named = v[b].named = false;
		else if (t->silent == t->a || t->silent == t->b)
			v[t->silent == t->a ? a : b].named = true;
	}
}

static struct loc_blame *add(struct loc_work *w, const struct presence *v, uint32_t node,
                             size_t partners)
{
	struct loc_blame *b = loc_blame_add(w, LOC_SILENT, node, LOC_NONE);

	b->loss = 1;
	b->tests = v[node].came + v[node].lost;
	b->slow_tests = v[node].lost;
	b->partners = partners;
	return b;
}

/* Partners that a node lost pairs with, and how many of them gave figures elsewhere. */
static size_t partners_lost(const struct loc_work *w, const struct presence *v, uint32_t node,
                            size_t *alive, const struct loc_cell **last)
{
	size_t n = 0;

	*alive = 0;
	*last = NULL;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];
		uint32_t p = loc_partner(w, c, node);

		if (!c->lost || w->out->nodes[p].state == LOC_GONE)
			continue;
		n++;
		*alive += v[p].came > 0;
		*last = c;
	}
	return n;
}

static void explain(struct loc_work *w)
{
	for (size_t i = 0; i < w->n_cells; i++) {
		struct loc_cell *c = &w->cells[i];

		c->explained = w->out->nodes[loc_node_of(w, c->a)].state == LOC_GONE ||
		               w->out->nodes[loc_node_of(w, c->b)].state == LOC_GONE;
	}
}

/* Those that met only others of their kind, or one partner: a group for each. */
static void undecided(struct loc_work *w, const struct presence *v, uint32_t node)
{
	const struct loc_cell *last;
	size_t alive, n = partners_lost(w, v, node, &alive, &last);
	struct loc_blame *b;

	if (n == 0 || w->out->nodes[node].state == LOC_OPEN)
		return;
	w->out->nodes[node].state = LOC_OPEN;
	b = add(w, v, node, n);
	b->state = LOC_UNDECIDED;
	b->group = w->groups;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];
		uint32_t p = loc_partner(w, c, node);

		if (!c->lost || v[p].came || w->out->nodes[p].state != LOC_UNTESTED)
			continue;
		w->out->nodes[p].state = LOC_OPEN;
		b = add(w, v, p, w->first[p + 1] - w->first[p]);
		b->state = LOC_UNDECIDED;
		b->group = w->groups;
	}
	if (n == 1) {
		b = loc_blame_add(w, LOC_LINK, last->a, last->b);
		b->state = LOC_UNDECIDED;
		b->group = w->groups;
		b->loss = 1;
		b->tests = last->n;
		b->slow_tests = last->lost;
	}
	w->groups++;
}

void loc_silent(struct loc_work *w)
{
	size_t n = w->out->n_nodes;
	struct presence *v = hb_alloc((n + 1) * sizeof(*v));
	bool *dead = hb_alloc(n + 1);
	const struct loc_cell *last;
	size_t alive;

	gather(w, v);
	for (uint32_t i = 0; i < n; i++)
		if (v[i].named) {
			add(w, v, i, w->first[i + 1] - w->first[i]);
			w->out->nodes[i].state = LOC_GONE;
		}
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].named || v[i].came || !v[i].lost)
			continue;
		partners_lost(w, v, i, &alive, &last);
		dead[i] = alive >= 2;
	}
	for (uint32_t i = 0; i < n; i++)
		if (dead[i]) {
			add(w, v, i, w->first[i + 1] - w->first[i]);
			w->out->nodes[i].state = LOC_GONE;
		}
	for (uint32_t i = 0; i < n; i++)
		if (w->out->nodes[i].state == LOC_UNTESTED && !v[i].came && v[i].lost)
			undecided(w, v, i);
	explain(w);
	free(dead);
	free(v);
}

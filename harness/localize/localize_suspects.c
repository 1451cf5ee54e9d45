/*
 * Who is in question and who is known to be good. Known-good are nodes that every sheet in which
 * they have figures finds good, and of which none says that they are more than one s below the
 * middle; where fewer than three are, all that are found good.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_ask.h"

/* Cells of a node with others that are not blamed, and extra tests that it already had. */
static void had(const struct loc_work *w, const struct localized *found, uint32_t node,
                size_t *telling, size_t *extra)
{
	*telling = *extra = 0;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];

		*telling += found->nodes[loc_partner(w, c, node)].state != LOC_BLAMED;
		for (size_t k = 0; k < c->n; k++) {
			const struct loc_pair *t = loc_test(w, c, k);

			*extra += t->extra && !t->isolated;
		}
	}
}

/*
 * Two pairs with cleared nodes blame a node: as many as are missing, at least one, for the pair
 * that is slow counts once its other end is cleared. Who lost all pairs needs two new partners.
 */
static size_t deciding(double z, size_t telling)
{
	if (isinf(z))
		return 2;
	return telling >= 2 ? 1 : 2 - telling;
}

static void add_suspect(struct loc_asking *a, const struct localized *found, uint32_t node)
{
	struct loc_suspect s = { .node = node, .z = INFINITY };
	size_t telling, extra, most = a->w->p.extra_pairs > 0 ? (size_t)a->w->p.extra_pairs : 0;

	for (size_t i = 0; i < a->n_sheets; i++) {
		const struct loc_node *n;

		if (node >= found[i].n_nodes)
			continue;
		n = &found[i].nodes[node];
		if (n->state == LOC_GONE)
			return;
		if (n->state != LOC_CANDIDATE && n->state != LOC_BLAMED && n->state != LOC_OPEN)
			continue;
		s.open = s.open || n->state == LOC_OPEN;
		s.slow = s.slow || n->state == LOC_BLAMED;
		s.z = fmin(s.z, isfinite(n->z) ? n->z : -INFINITY);
	}
	if (s.z > 0)
		return;
	had(&a->w[0], &found[0], node, &telling, &extra);
	s.want = extra < most ? most - extra : 0;
	if (s.open && !s.slow)
		s.want = deciding(s.z, telling);
	s.open = s.open && !s.slow;
	s.slow = (s.slow || s.open) && isfinite(s.z);
	a->suspects[a->n_suspects++] = s;
}

static int by_z(const void *pa, const void *pb)
{
	const struct loc_suspect *a = pa, *b = pb;

	if (a->z < b->z || a->z > b->z)
		return a->z < b->z ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void find_good(struct loc_asking *a, const struct localized *found, double least)
{
	a->n_good = 0;
	for (uint32_t i = 0; i < found->n_nodes; i++) {
		bool good = found->nodes[i].state == LOC_GOOD;

		for (size_t k = 0; k < a->n_sheets && good; k++) {
			const struct loc_node *n = &found[k].nodes[i];

			good = i < found[k].n_nodes && (n->state == LOC_UNTESTED ||
			                                (n->state == LOC_GOOD && n->z >= least));
		}
		if (good)
			a->good[a->n_good++] = i;
	}
}

static void list_ends(struct loc_asking *a, size_t n_nodes)
{
	const struct loc_sheet *s = a->w->sheet;
	struct loc_numbers *v = hb_alloc((s->n_ends + 1) * sizeof(*v));
	size_t *order = hb_alloc((s->n_ends + 1) * sizeof(*order)), n = 0;

	a->first_end = hb_alloc((n_nodes + 2) * sizeof(*a->first_end));
	a->end = hb_alloc((s->n_ends + 1) * sizeof(*a->end));
	for (size_t i = 0; i < s->n_ends; i++)
		if (s->ends[i].node < n_nodes) {
			v[n++] = (struct loc_numbers){ s->ends[i].node, (uint32_t)i };
			a->first_end[s->ends[i].node + 1]++;
		}
	loc_order(v, n, n_nodes, s->n_ends, order);
	for (size_t i = 0; i < n; i++)
		a->end[i] = v[order[i]].b;
	for (size_t i = 0; i < n_nodes; i++)
		a->first_end[i + 1] += a->first_end[i];
	free(order);
	free(v);
}

/* Dense number of a leaf or rail of the first sheet; n: unknown. */
static size_t dense_of(const uint32_t *numbers, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return i;
	return n;
}

static void find_bad_paths(struct loc_asking *a, const struct localized *found)
{
	const struct loc_work *w = a->w;

	a->bad_leaf = hb_alloc(w->n_leaves + 1);
	a->bad_rail = hb_alloc(w->n_rails + 1);
	for (size_t k = 0; k < a->n_sheets; k++)
		for (size_t i = 0; i < found[k].n; i++) {
			const struct loc_blame *b = &found[k].v[i];

			if (b->kind == LOC_LEAF)
				a->bad_leaf[dense_of(w->leaf_number, w->n_leaves, b->a)] = true;
			else if (b->kind == LOC_RAIL)
				a->bad_rail[dense_of(w->rail_number, w->n_rails, b->a)] = true;
		}
}

void loc_suspects(struct loc_asking *a, const struct localized *found, struct rng *rng)
{
	size_t n = found->n_nodes;

	a->suspects = hb_alloc((n + 1) * sizeof(*a->suspects));
	a->good = hb_alloc((n + 1) * sizeof(*a->good));
	a->mark = hb_alloc((n + 1) * sizeof(*a->mark));
	for (uint32_t i = 0; i < n; i++)
		add_suspect(a, found, i);
	if (a->n_suspects)
		qsort(a->suspects, a->n_suspects, sizeof(*a->suspects), by_z);
	find_good(a, found, -1);
	if (a->n_good < 3)
		find_good(a, found, -INFINITY);
	rng_shuffle(rng, a->good, a->n_good, sizeof(*a->good));
	list_ends(a, n);
	find_bad_paths(a, found);
}

void loc_suspects_free(struct loc_asking *a)
{
	free(a->suspects);
	free(a->good);
	free(a->mark);
	free(a->end);
	free(a->first_end);
	free(a->bad_leaf);
	free(a->bad_rail);
}

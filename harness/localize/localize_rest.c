/*
 * What those that are not to blame show: the scores of the other nodes, and how the other cells lie
 * about what their ends make of them. Whoever weighs several sheets tests against these: a MAD of
 * few is too often far too small.
 */
#include <math.h>

#include "harness/localize/localize_parts.h"

struct sums {
	double first, all, squares;
	size_t n;
};

/* About the first, so that nothing is lost where figures are large. */
static void add(struct sums *s, double y)
{
	if (!isfinite(y))
		return;
	if (s->n++ == 0)
		s->first = y;
	s->all += y - s->first;
	s->squares += (y - s->first) * (y - s->first);
}

static struct loc_rest rest_of(const struct sums *s)
{
	double n = (double)s->n;
	struct loc_rest out = { NAN, NAN, s->n, n - 1 };

	if (s->n > 0)
		out.mean = s->first + s->all / n;
	if (s->n > 1)
		out.s = sqrt(fmax(s->squares - s->all * s->all / n, 0) / (n - 1));
	return out;
}

/* What a baseline knows of one node's score in one run counts as so many nodes more. */
static void pool(struct loc_rest *r, double stored_s)
{
	double w = LOC_STORED_NODES;

	if (!isfinite(stored_s) || !(stored_s > 0) || !isfinite(r->s))
		return;
	r->s = sqrt((w * stored_s * stored_s + r->df * r->s * r->s) / (w + r->df));
	r->df += w;
}

static bool is_fine(const struct localized *l, uint32_t node)
{
	return l->nodes[node].state == LOC_GOOD || l->nodes[node].state == LOC_CANDIDATE;
}

static bool same_ends(const struct loc_blame *b, const struct loc_cell *c)
{
	return (b->kind == LOC_LINK || b->kind == LOC_LINK_AB) &&
	       ((b->a == c->a && b->b == c->b) || (b->a == c->b && b->b == c->a));
}

/* Blames of links stand in the order of their cells, as loc_links left them from first on. */
static void links(const struct loc_work *w, size_t first, struct sums *out)
{
	const struct localized *l = w->out;

	for (size_t i = 0, at = first; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];

		if (at < l->n && same_ends(&l->v[at], c)) {
			at++;
			continue;
		}
		if (!c->explained && is_fine(l, loc_node_of(w, c->a)) &&
		    is_fine(l, loc_node_of(w, c->b)))
			add(out, loc_residual(w, c, NULL, c->all));
	}
}

void loc_rest(struct loc_work *w, size_t first_link)
{
	struct sums nodes = { 0 }, cells = { 0 };

	for (uint32_t i = 0; i < w->out->n_nodes; i++)
		if (is_fine(w->out, i))
			add(&nodes, w->out->nodes[i].score);
	links(w, first_link, &cells);
	w->out->rest_nodes = rest_of(&nodes);
	pool(&w->out->rest_nodes, w->sheet->stored_s);
	w->out->rest_links = rest_of(&cells);
}

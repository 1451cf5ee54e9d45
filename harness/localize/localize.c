/*
 * The steps in their order. Whoever explains more goes first: a silent node its lost pairs, a leaf
 * or a rail the pairs that cross it, a node all of its own, and what is left is a link's.
 */
#include "harness/localize/localize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/localize/localize_parts.h"

static const char *const kind_names[LOC_KINDS] = {
	[LOC_NODE] = "slow-node",
	[LOC_NODE_OUT] = "slow-sending",
	[LOC_NODE_IN] = "slow-receiving",
	[LOC_LINK] = "slow-link",
	[LOC_LINK_AB] = "slow-link-direction",
	[LOC_LEAF] = "slow-leaf",
	[LOC_RAIL] = "slow-rail",
	[LOC_SILENT] = "silent-node",
};

const char *loc_kind_name(enum loc_kind k)
{
	return (unsigned)k < LOC_KINDS ? kind_names[k] : "unknown";
}

struct loc_blame *loc_blame_add(struct loc_work *w, enum loc_kind kind, uint32_t a, uint32_t b)
{
	struct loc_blame *v;

	hb_grow(&w->out->v, &w->cap, w->out->n + 1, sizeof(*w->out->v));
	v = &w->out->v[w->out->n++];
	memset(v, 0, sizeof(*v));
	v->kind = kind;
	v->state = LOC_SLOW;
	v->a = a;
	v->b = b;
	v->group = LOC_NONE;
	v->loss = v->z = v->detectable = NAN;
	v->loaded = v->isolated = v->control = NAN;
	return v;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Numbers leaves or rails densely; *numbers: what they are in the sheet. Returns how many. */
static size_t dense(const struct loc_sheet *s, bool rails, uint32_t **of_end, uint32_t **numbers)
{
	uint32_t *v = hb_alloc((s->n_ends + 1) * sizeof(*v)), *end;
	size_t n = 0, kept = 0;

	end = hb_alloc((s->n_ends + 1) * sizeof(*end));
	for (size_t i = 0; i < s->n_ends; i++) {
		end[i] = rails ? s->ends[i].rail : s->ends[i].leaf;
		if (end[i] != LOC_NONE)
			v[n++] = end[i];
	}
	qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[kept - 1] != v[i])
			v[kept++] = v[i];
	for (size_t i = 0; i < s->n_ends; i++) {
		const uint32_t *at = kept ? bsearch(&end[i], v, kept, sizeof(*v), by_number) : NULL;

		end[i] = at ? (uint32_t)(at - v) : LOC_NONE;
	}
	*of_end = end;
	*numbers = v;
	return kept;
}

void loc_work_make(struct loc_work *w, const struct loc_sheet *sheet, const struct loc_params *p,
                   struct localized *out)
{
	static const struct loc_params usual = LOC_PARAMS_DEFAULT;
	double delta = sheet->delta > 0 && sheet->delta < 1 ? sheet->delta : LOC_DELTA;

	memset(w, 0, sizeof(*w));
	memset(out, 0, sizeof(*out));
	w->sheet = sheet;
	w->p = p ? *p : usual;
	w->delta = -log(1 - delta);
	w->best = w->centre = NAN;
	w->out = out;
	for (size_t i = 0; i < sheet->n_ends; i++) {
		uint32_t node = sheet->ends[i].node;

		if (node < LOC_NODES_MAX && node >= out->n_nodes)
			out->n_nodes = node + 1;
	}
	out->nodes = hb_alloc((out->n_nodes + 1) * sizeof(*out->nodes));
	for (size_t i = 0; i < out->n_nodes; i++) {
		out->nodes[i].score = out->nodes[i].z = out->nodes[i].loss = NAN;
		out->nodes[i].state = LOC_UNTESTED;
	}
	out->median = out->s = out->detectable = NAN;
	w->n_leaves = dense(sheet, false, &w->leaf, &w->leaf_number);
	w->n_rails = dense(sheet, true, &w->rail, &w->rail_number);
	loc_cells_make(w);
	loc_silent(w);
	loc_leaves(w);
	loc_rails(w);
	loc_nodes(w);
	size_t first_link = out->n;
	loc_links(w);
	loc_rest(w, first_link);
	loc_isolated(w);
}

void loc_work_free(struct loc_work *w)
{
	free(w->tests);
	free(w->cells);
	free(w->first);
	free(w->of);
	free(w->leaf);
	free(w->rail);
	free(w->leaf_number);
	free(w->rail_number);
	free(w->scratch);
}

/* Distinct pairs that were measured, and that there are among the ends that were. */
static void count_links(struct loc_work *w)
{
	struct localized *out = w->out;
	size_t *ends = hb_alloc((w->n_rails + 1) * sizeof(*ends));
	bool *seen = hb_alloc(w->sheet->n_ends + 1);

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];

		out->links_tested += isfinite(c->all) || c->lost < c->n;
		seen[c->a] = seen[c->b] = true;
	}
	for (size_t i = 0; i < w->sheet->n_ends; i++)
		if (seen[i])
			ends[w->rail[i] == LOC_NONE ? w->n_rails : w->rail[i]]++;
	for (size_t i = 0; i <= w->n_rails; i++)
		out->links += ends[i] * (ends[i] ? ends[i] - 1 : 0) / 2;
	if (out->links < out->links_tested)
		out->links = out->links_tested;
	free(seen);
	free(ends);
}

static int by_weight(const void *pa, const void *pb)
{
	const struct loc_blame *a = pa, *b = pb;
	bool sa = a->kind == LOC_SILENT, sb = b->kind == LOC_SILENT;
	double la = isnan(a->loss) ? -1 : a->loss, lb = isnan(b->loss) ? -1 : b->loss;

	if (a->state != b->state)
		return a->state < b->state ? -1 : 1;
	if (sa != sb)
		return sa ? -1 : 1;
	if (la < lb || la > lb)
		return la > lb ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

void localize(const struct loc_sheet *sheet, const struct loc_params *p, struct localized *out)
{
	struct loc_work w;

	loc_work_make(&w, sheet, p, out);
	count_links(&w);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_weight);
	loc_work_free(&w);
}

void localized_free(struct localized *l)
{
	free(l->v);
	free(l->nodes);
	memset(l, 0, sizeof(*l));
}

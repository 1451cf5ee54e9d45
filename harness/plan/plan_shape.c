/* Who meets whom: the plan's rounds, of whatever shape. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"
#include "harness/plan/plan_draw.h"

static const char *const shape_names[] = { "rounds", "star", "both" };

const char *plan_shape_name(enum plan_shape s)
{
	return shape_names[s];
}

int plan_shape_parse(const char *text)
{
	for (int i = 0; i <= SHAPE_STAR_AND_ROUNDS; i++)
		if (strcmp(text, shape_names[i]) == 0)
			return i;
	return -1;
}

/*
 * Kinds of nodes as plan_class_rounds has them: classes, but nodes that are alone in theirs are of
 * the largest. Returns false where all are of one.
 */
static bool find_kinds(const struct plan *p, size_t *kind, unsigned char *lone)
{
	size_t n = p->nodes.n, largest = 0;
	size_t *count = hb_alloc((n + 1) * sizeof(*count));

	for (size_t i = 0; p->class_of && i < n; i++)
		count[p->class_of[i]]++;
	for (size_t c = 0; c < n; c++)
		largest = count[c] > count[largest] ? c : largest;
	bool several = p->class_of && count[largest] >= 2;
	for (size_t i = 0; several && i < n; i++) {
		lone[i] = count[p->class_of[i]] == 1;
		kind[i] = lone[i] ? largest : p->class_of[i];
	}
	free(count);
	return several;
}

/* Rounds without a topology, behind those that are there. */
static void draw_plain(struct draw *d, size_t first, int k, const struct plan *p)
{
	struct pair_round *r;
	int n = plan_class_rounds(d->nodes, k, p->seed, p->class_of, p->class_seed, &r);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < r[i].n; j++)
			draw_add(d, first + (size_t)i, r[i].pairs[j][0], r[i].pairs[j][1]);
	plan_rounds_free(r, n);
}

int plan_shape_rounds(const struct plan *p, int k, struct pair_round **out)
{
	int n = (int)p->nodes.n;
	struct draw d;
	size_t star = 0;

	if (p->shape == SHAPE_ROUNDS && !p->leaf_of)
		return plan_class_rounds(n, k, p->seed, p->class_of, p->class_seed, out);
	size_t *kind = hb_alloc((size_t)n * sizeof(*kind));
	unsigned char *lone = hb_alloc((size_t)n);
	draw_init(&d, n, p->seed);
	if (find_kinds(p, kind, lone)) {
		d.kind = kind;
		d.lone = lone;
	}
	if (p->shape != SHAPE_ROUNDS)
		star = draw_star(&d, k, p);
	for (int i = 0; i < n; i++)
		d.want[i] = d.partners[i] + k;
	if (p->shape != SHAPE_STAR && p->leaf_of)
		draw_leaves(&d, star, k, p);
	else if (p->shape != SHAPE_STAR)
		draw_plain(&d, star, k, p);
	if (p->shape != SHAPE_STAR && k > 0)
		draw_fill(&d, star, p->leaf_of);
	draw_free(&d);
	free(lone);
	free(kind);
	*out = d.v;
	return (int)d.n;
}

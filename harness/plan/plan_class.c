/*
 * Nodes of several hardware classes: pairs and groups are drawn inside each class, so that no
 * figure is a mixture that changes with the draw. With one class all is as without.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

struct named {
	const char *hw; /* "": unknown */
	size_t node;
};

static int by_class(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->hw, y->hw);
	return c ? c : x->node < y->node ? -1 : x->node > y->node;
}

void plan_classes(struct plan *p, const char *const *hw)
{
	size_t n = p->nodes.n, count = 0;
	if (!hw || n < 2)
		return;
	struct named *v = hb_realloc_array(NULL, n, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		v[i] = (struct named){ hw[i] ? hw[i] : "", i };
	qsort(v, n, sizeof(*v), by_class);
	if (strcmp(v[0].hw, v[n - 1].hw) != 0) {
		p->class_of = hb_alloc(n * sizeof(*p->class_of));
		p->class_seed = hb_alloc(n * sizeof(*p->class_seed));
		for (size_t i = 0; i < n; i++) {
			count += i > 0 && strcmp(v[i].hw, v[i - 1].hw) != 0;
			p->class_of[v[i].node] = count;
			p->class_seed[count] = rng_hash(v[i].hw, strlen(v[i].hw));
		}
	}
	free(v);
}

/* How many nodes each class has, by its number; the caller frees. */
static size_t *count_classes(const size_t *class_of, size_t n)
{
	size_t *count = hb_alloc((n + 1) * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		count[class_of[i]]++;
	return count;
}

/* ---- rounds ---- */

/* The rounds of some nodes, with the nodes' numbers put in; rounds of the plan grow to hold them.
 */
struct rounds {
	struct pair_round *v;
	int n, nodes;
};

static void put_side_by_side(struct rounds *all, const struct rounds *part, const int *node)
{
	if (part->n > all->n) {
		all->v = hb_realloc_array(all->v, (size_t)part->n, sizeof(*all->v));
		for (; all->n < part->n; all->n++)
			all->v[all->n] = (struct pair_round){
				hb_realloc_array(NULL, (size_t)all->nodes / 2 + 1,
				                 sizeof(*all->v->pairs)),
				0
			};
	}
	for (int i = 0; i < part->n; i++) {
		struct pair_round *to = &all->v[i];
		for (int k = 0; k < part->v[i].n; k++, to->n++) {
			to->pairs[to->n][0] = node[part->v[i].pairs[k][0]];
			to->pairs[to->n][1] = node[part->v[i].pairs[k][1]];
		}
	}
}

/*
 * Pairs of two nodes that are each alone in their class say nothing that lasts; they are left out
 * where both have other pairs. own: how many members of the class come first, the rest are alone.
 */
static void drop_lone_pairs(struct rounds *r, int own, int n)
{
	int *good = hb_alloc((size_t)n * sizeof(*good));
	for (int i = 0; i < r->n; i++) {
		for (int k = 0; k < r->v[i].n; k++) {
			const int *p = r->v[i].pairs[k];
			if (p[0] >= own && p[1] >= own)
				continue;
			good[p[0]]++;
			good[p[1]]++;
		}
	}
	for (int i = 0; i < r->n; i++) {
		int kept = 0;
		for (int k = 0; k < r->v[i].n; k++) {
			int a = r->v[i].pairs[k][0], b = r->v[i].pairs[k][1];
			if (a >= own && b >= own && good[a] && good[b])
				continue;
			r->v[i].pairs[kept][0] = a;
			r->v[i].pairs[kept++][1] = b;
		}
		r->v[i].n = kept;
	}
	free(good);
}

int plan_class_rounds(int n, int k, uint64_t seed, const size_t *class_of,
                      const uint64_t *class_seed, struct pair_round **out)
{
	struct rounds all = { NULL, 0, n };
	if (!class_of)
		return plan_rounds(n, k, seed, out);
	size_t *count = count_classes(class_of, (size_t)n), largest = 0;
	for (size_t c = 0; c < (size_t)n; c++)
		largest = count[c] > count[largest] ? c : largest;
	if (count[largest] < 2) {
		free(count);
		return plan_rounds(n, k, seed, out);
	}
	int *node = hb_realloc_array(NULL, (size_t)n, sizeof(*node));
	for (size_t c = 0; c < (size_t)n && count[c]; c++) {
		struct rounds part = { NULL, 0, 0 };
		if (count[c] < 2)
			continue;
		for (int i = 0; i < n; i++)
			if (class_of[i] == c)
				node[part.nodes++] = i;
		for (int i = 0; c == largest && i < n; i++)
			if (count[class_of[i]] == 1)
				node[part.nodes++] = i;
		part.n = plan_rounds(part.nodes, k, seed ^ class_seed[c], &part.v);
		drop_lone_pairs(&part, (int)count[c], part.nodes);
		put_side_by_side(&all, &part, node);
		plan_rounds_free(part.v, part.n);
	}
	free(node);
	free(count);
	*out = all.v;
	return all.n;
}

/* ---- groups ---- */

/* Draws the order of n places; which = size and stream. */
static void draw(uint64_t seed, const uint64_t which[2], size_t *at, size_t n)
{
	struct rng rng;
	rng_stream(&rng, seed, which[0], which[1]);
	rng_shuffle(&rng, at, n, sizeof(*at));
}

size_t plan_class_groups(const struct plan *p, const struct plan_step *s, size_t size,
                         uint64_t stream, size_t *at)
{
	const uint64_t which[2] = { size, stream };
	size_t n = (size_t)(s->n_ranks / s->rpn), used = 0, largest = 0, small = 0;
	size_t *class = hb_alloc((n + 1) * sizeof(*class));
	size_t *count = hb_alloc((p->nodes.n + 1) * sizeof(*count));
	for (size_t i = 0; i < n; i++) {
		class[i] = p->class_of ? p->class_of[s->rank_node[i * (size_t)s->rpn]] : 0;
		count[class[i]]++;
		largest = count[class[i]] > largest ? count[class[i]] : largest;
	}
	for (size_t c = 0; c < p->nodes.n && p->class_of && size && size < n && largest >= size;
	     c++) {
		size_t have = 0;
		for (size_t i = 0; i < n && count[c] >= size; i++)
			if (class[i] == c)
				at[used + have++] = i;
		draw(p->seed ^ p->class_seed[c], which, at + used, have);
		used += have - have % size;
	}
	bool mixed = used == 0;
	for (size_t i = 0; i < n; i++)
		if (mixed || count[class[i]] < size)
			at[used + small++] = i;
	if (size < n)
		draw(p->seed, which, at + used, small);
	free(count);
	free(class);
	return used + small;
}

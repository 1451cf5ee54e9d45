/*
 * New nodes against controls in the same job: what the fabric does at that hour meets both, and a
 * new node is compared with what is known to be good.
 */
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_draw.h"

enum { STAR_STREAM = 5 };

struct star {
	int *fresh, *control;
	size_t n_fresh, n_control;
};

/*
 * Batches of at most as many new nodes as there are controls; in each sub-round every one meets
 * another control. Where there are controls to spare a batch is spread over all of them.
 */
static size_t put_star(struct draw *d, size_t first, int k, const struct star *s)
{
	size_t c = s->n_control, batch = s->n_fresh < c ? s->n_fresh : c;
	size_t each = k == 0 || (size_t)k > c ? c : (size_t)k, round = first;
	size_t stride = c / each;

	for (size_t j = 0; j < each; j++) {
		for (size_t lo = 0; lo < s->n_fresh; lo += batch, round++)
			for (size_t i = lo; i < lo + batch && i < s->n_fresh; i++)
				draw_add(d, round, s->fresh[i],
				         s->control[(i - lo + j * stride) % c]);
	}
	return round - first;
}

/* The nodes of a kind (SIZE_MAX: all) that are not done; drawn. */
static void pick(struct draw *d, const struct plan *p, size_t kind, struct star *s)
{
	s->n_fresh = s->n_control = 0;
	for (int i = 0; i < d->nodes; i++) {
		if (kind != SIZE_MAX && p->class_of && p->class_of[i] != kind)
			continue;
		if (p->role[i] == ROLE_CONTROL)
			s->control[s->n_control++] = i;
		else if (p->role[i] == ROLE_NEW && !d->partners[i])
			s->fresh[s->n_fresh++] = i;
	}
	rng_shuffle(&d->rng, s->fresh, s->n_fresh, sizeof(*s->fresh));
	rng_shuffle(&d->rng, s->control, s->n_control, sizeof(*s->control));
}

size_t draw_star(struct draw *d, int k, const struct plan *p)
{
	size_t n = p->nodes.n, kinds = 0, rounds = 0;
	struct star s = { hb_alloc((n + 1) * sizeof(int)), hb_alloc((n + 1) * sizeof(int)), 0, 0 };

	for (size_t i = 0; p->class_of && i < n; i++)
		kinds = p->class_of[i] > kinds ? p->class_of[i] : kinds;
	for (size_t kind = 0; kind <= kinds; kind++) {
		pick(d, p, kind, &s);
		size_t own = s.n_fresh && s.n_control ? put_star(d, 0, k, &s) : 0;
		rounds = own > rounds ? own : rounds;
	}
	/* Whoever has no control like it meets the others, after them. */
	pick(d, p, SIZE_MAX, &s);
	if (s.n_fresh && s.n_control)
		rounds += put_star(d, rounds, k, &s);
	free(s.fresh);
	free(s.control);
	return rounds;
}

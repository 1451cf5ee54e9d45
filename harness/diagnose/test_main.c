/* Of `wire`: which device most of a node's bytes went over, and whether it is the right one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

/* The device that most bytes of each node went over, and what that is for most of a class. */
struct look_mains {
	const char **of; /* by node; NULL: not known */
	size_t *same;    /* by node: how many of its class have that one, itself too */
	struct main_class {
		const char *device; /* that most of its nodes have; NULL: none known */
		size_t n, known;
	} * classes;
};

struct main_at {
	const char *device;
	size_t class, node;
};

static int by_class(const void *a, const void *b)
{
	const struct main_at *x = a, *y = b;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return strcmp(x->device, y->device);
}

void look_mains_make(struct look *l)
{
	struct look_mains *m = hb_alloc(sizeof *m);
	struct main_at *v = hb_alloc((l->n_nodes + 1) * sizeof *v);
	size_t n = 0;

	m->of = hb_alloc((l->n_nodes + 1) * sizeof *m->of);
	m->same = hb_alloc((l->n_nodes + 1) * sizeof *m->same);
	m->classes = hb_alloc((l->n_classes + 1) * sizeof *m->classes);
	for (size_t i = 0; i < l->n_nodes; i++) {
		const struct wire *w = look_wire(l, i);
		if (!w || !w->n)
			continue;
		m->of[i] = w->v[0].device;
		v[n++] = (struct main_at){ m->of[i], l->class_of[i], i };
	}
	qsort(v, n, sizeof *v, by_class);
	for (size_t i = 0, j; i < n; i = j) {
		struct main_class *c = &m->classes[v[i].class];
		for (j = i + 1; j < n && by_class(&v[i], &v[j]) == 0;)
			j++;
		c->known += j - i;
		for (size_t k = i; k < j; k++)
			m->same[v[k].node] = j - i;
		if (j - i > c->n) {
			c->n = j - i;
			c->device = v[i].device;
		}
	}
	free(v);
	l->mains = m;
}

void look_mains_free(struct look *l)
{
	if (!l->mains)
		return;
	free(l->mains->of);
	free(l->mains->same);
	free(l->mains->classes);
	free(l->mains);
	l->mains = NULL;
}

/* Peers agree as facts_peers has it: at least two, two thirds of those that are known, and more
 * than share the node's own. */
static bool differs(const struct look *l, const struct binding *b, struct seen *seen)
{
	const char *own = l->mains->of[b->node];
	const struct main_class *c = &l->mains->classes[l->class_of[b->node]];

	if (!own || !c->device || c->known < 2)
		return false;
	seen->of = c->known - 1;
	seen->count = c->n - (strcmp(own, c->device) == 0);
	if (seen->count < 2 || 3 * seen->count < 2 * seen->of)
		return false;
	seen->peers = c->device;
	return strcmp(own, c->device) != 0 && c->n > l->mains->same[b->node];
}

/* Could the node have used it: up, with an address, no part of the other one? */
static bool is_usable(const struct look *l, size_t node, const char *device, const char *main)
{
	const char *state = facts_text(l->f, node, device, "net.state");
	const char *address = facts_text(l->f, node, device, "net.addresses");
	const char *master = facts_text(l->f, node, device, "net.master");

	return state && strcmp(state, "up") == 0 && address && *address &&
	       strcmp(address, "none") != 0 && !(master && strcmp(master, main) == 0);
}

/* Twice as fast, or it is not worth a word. */
static bool slower(const struct look *l, const struct binding *b, struct seen *seen)
{
	const char *own = l->mains->of[b->node];
	struct row_range rows = look_rows(l, "net.speed_bps");
	double best;

	if (!own)
		return false;
	best = 2 * facts_number(l->f, b->node, own, "net.speed_bps");
	for (size_t i = 0; isfinite(best) && i < rows.n; i++) {
		const char *device = rows.v[i].device;
		double speed = facts_number(l->f, b->node, device, "net.speed_bps");
		if (!(speed >= best) || !is_usable(l, b->node, device, own))
			continue;
		best = speed;
		seen->other = b->node;
		seen->other_device = device;
	}
	return seen->other != SIZE_MAX;
}

bool holds_main(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	const struct wire *w = look_wire(l, b->node);

	if (!l->mains->of[b->node] || !w || !w->n)
		return false;
	seen->applies = true;
	seen->device = w->v[0].device;
	seen->share = w->v[0].share;
	seen->bytes = w->v[0].rx + w->v[0].tx;
	if ((t->said & FIELD(ABOVE)) && !(seen->share > t->above))
		return false;
	if ((t->said & FIELD(BELOW)) && !(seen->share < t->below))
		return false;
	return t->main == MAIN_DIFFERS ? differs(l, b, seen) : slower(l, b, seen);
}

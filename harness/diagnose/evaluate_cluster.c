/* Tests of the whole cluster: those that hold for enough of the nodes that can tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

/* How many nodes it holds for, of how many; and what one of them saw. */
struct share {
	size_t holds, applies;
	struct seen seen;
};

static void count_node(const struct look *l, struct binding *b, const struct rule_test *t,
                       size_t times, struct share *out)
{
	struct seen seen;

	seen_init(&seen, t, b);
	bool holds = rule_tests[t->kind].holds(l, b, t, &seen);
	if (holds && !out->holds)
		out->seen = seen;
	out->holds += holds ? times : 0;
	out->applies += holds || seen.applies ? times : 0;
}

/* A value is asked about once for each hardware class that has it. */
static void count_value(const struct look *l, struct binding *b, const struct rule_test *t,
                        const struct fact_value *v, struct share *out)
{
	size_t *of = hb_alloc(l->n_classes * sizeof *of),
	       *first = hb_alloc(l->n_classes * sizeof *of);

	for (size_t i = 0; i < v->n; i++) {
		size_t c = l->class_of[v->nodes[i]];
		if (!of[c]++)
			first[c] = v->nodes[i];
	}
	for (size_t c = 0; c < l->n_classes; c++) {
		if (!of[c])
			continue;
		b->node = first[c];
		count_node(l, b, t, of[c], out);
	}
	free(of);
	free(first);
}

static struct share count_row(const struct look *l, const struct binding *whole,
                              const struct rule_test *t, const struct fact_row *row)
{
	struct share s = { 0 };
	struct binding b = *whole;

	b.device[rule_test_about(t)] = row->device;
	b.only = row;
	if (rule_tests[t->kind].by_value) {
		for (size_t i = 0; i < row->n; i++)
			if (row->v[i].n)
				count_value(l, &b, t, &row->v[i], &s);
		return s;
	}
	for (b.node = 0; b.node < l->n_nodes; b.node++)
		if (facts_value(row, b.node))
			count_node(l, &b, t, 1, &s);
	return s;
}

static struct share count_nodes(const struct look *l, const struct binding *whole,
                                const struct rule_test *t)
{
	struct share s = { 0 };
	struct binding b = *whole;

	for (b.node = 0; b.node < l->n_nodes; b.node++)
		count_node(l, &b, t, 1, &s);
	return s;
}

/* How many nodes have the key, on whatever device. */
static size_t nodes_with(const struct look *l, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_nodes; i++)
		n += look_rows_of(l, key, i).n > 0;
	return n;
}

/* The row that holds for most of its nodes: of what is bound, or of the node itself. */
static struct share count_rows(const struct look *l, const struct binding *b,
                               const struct rule_test *t)
{
	const char *device = bound_device(b, t);
	struct row_range rows = look_rows_on(l, t->key, device);
	struct share best = { 0 };
	size_t known = 0;

	for (size_t i = 0; i < rows.n; i++) {
		if (strcmp(rows.v[i].device, device) != 0)
			continue;
		struct share s = count_row(l, b, t, &rows.v[i]);
		if (!best.applies || s.holds * best.applies > best.holds * s.applies)
			best = s;
	}
	/* A device that few nodes have says little of the cluster. */
	known = *device ? nodes_with(l, t->key) : 0;
	if (best.applies && 2 * best.applies < known)
		best.applies = known;
	return best;
}

/* Nodes may each have several devices: the one of the binding alone counts, else all. */
bool cluster_holds(const struct look *l, struct binding *b, const struct rule_test *t,
                   struct seen *seen)
{
	struct share s;

	if (rule_tests[t->kind].whole)
		return rule_tests[t->kind].holds(l, b, t, seen);
	s = t->key ? count_rows(l, b, t) : count_nodes(l, b, t);
	if (!s.holds || (double)s.holds < t->share * (double)s.applies)
		return false;
	*seen = s.seen;
	seen->count = s.holds;
	seen->of = s.applies;
	return true;
}

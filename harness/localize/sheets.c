/* The sheets of a run: who owns what of them, and how localize sees one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/localize/findings.h"

static void names_free(char **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		free(v[i]);
	free(v);
}

void sheets_free(struct sheets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		key_free(&s->v[i].key);
		free(s->v[i].ends);
		free(s->v[i].pairs);
	}
	free(s->v);
	names_free(s->nodes, s->n_nodes);
	names_free(s->leaves, s->n_leaves);
	names_free(s->leaf_nodes, s->n_leaves);
	names_free(s->rails, s->n_rails);
	*s = (struct sheets){ 0 };
}

/*
 * What one node's score does in one run: the nodes differ, and each differs from run to run. With
 * leaves known localize takes the classes' medians off first, and those of the key "remote" mean
 * nothing any more.
 */
static void take_stored(const struct sheets *s, size_t i, const struct baseline *base,
                        struct loc_sheet *out)
{
	size_t at = base && s->n_leaves == 0
	                    ? baseline_find_near(base, s->v[i].key.text, SUBJECT_NODE, i)
	                    : SIZE_MAX;
	if (at == SIZE_MAX || base->entries[at].runs < BASELINE_MIN_RUNS)
		return;
	const struct base_entry *e = &base->entries[at];
	double s_node = isfinite(e->s_node) ? e->s_node : 0.0;
	if (!isfinite(e->mean) || !isfinite(e->s_run))
		return;
	out->stored_median = e->mean;
	out->stored_s = sqrt(s_node * s_node + e->s_run * e->s_run);
}

void sheets_view(const struct sheets *s, size_t i, const struct baseline *base,
                 struct loc_sheet *out)
{
	const struct sheet *v = &s->v[i];
	*out = (struct loc_sheet){ .ends = v->ends,
		                   .n_ends = v->n_ends,
		                   .pairs = v->pairs,
		                   .n_pairs = v->n_pairs,
		                   .adaptive = s->adaptive,
		                   .delta = v->delta,
		                   .stored_median = NAN,
		                   .stored_s = NAN };
	take_stored(s, i, base, out);
}

bool sheets_same(const struct sheet *a, const struct sheet *b)
{
	if (strcmp(a->key.bench, b->key.bench) != 0 || strcmp(a->key.hw, b->key.hw) != 0 ||
	    a->n_ends != b->n_ends)
		return false;
	for (size_t i = 0; i < a->n_ends; i++)
		if (a->ends[i].node != b->ends[i].node || a->ends[i].rail != b->ends[i].rail)
			return false;
	return true;
}

/*
 * Hardware classes (contracts: metrics and keys): what is a finding by itself, and what a changed
 * class means for rows, whose keys hold it. A pair's key holds the classes of both ends, so one
 * changed node brings new keys to all its partners; only its own rows may be held against its past.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/compare_rows.h"

static const char *class_of(json_object *hw, const char *node)
{
	json_object *v = NULL;

	return hw && json_object_object_get_ex(hw, node, &v) ? json_object_get_string(v) : NULL;
}

const char *compare_old_hw(json_object *old, const struct summary *const *runs, size_t n,
                           const char *node)
{
	const char *was = class_of(old, node);

	for (size_t k = 0; was && k < n; k++) {
		const char *is = class_of(runs[k]->hw, node);

		if (is && strcmp(was, is) != 0)
			return was;
	}
	return NULL;
}

static bool told(const struct verdicts *v, const char *node)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (strcmp(v->findings[i].subject, node) == 0)
			return true;
	return false;
}

static void add(struct verdicts *v, const struct finding *f)
{
	hb_grow(&v->findings, &v->cap_findings, v->n_findings + 1, sizeof(*v->findings));
	v->findings[v->n_findings++] = *f;
}

/* What a baseline does not know on purpose is no finding against it. */
static bool is_excluded(json_object *excluded, const char *node)
{
	return excluded && json_object_object_get_ex(excluded, node, NULL);
}

static void add_changed(json_object *old, json_object *now, json_object *excluded,
                        struct verdicts *out)
{
	json_object_object_foreach(now, node, value)
	{
		const char *was = class_of(old, node), *is = json_object_get_string(value);
		struct finding f = { FINDING_HW_CHANGED, node, was, is, NULL, NULL };

		if (!was || !is || strcmp(was, is) == 0 || told(out, node) ||
		    is_excluded(excluded, node))
			continue;
		f.text = hb_format("the hardware class of %s changed: it was %s, it is %s", node,
		                   was, is);
		add(out, &f);
	}
}

static size_t how_many(json_object *hw, const char *class_)
{
	size_t n = 0;

	json_object_object_foreach(hw, node, value)
	{
		const char *other = json_object_get_string(value);

		(void)node;
		n += other && strcmp(other, class_) == 0;
	}
	return n;
}

/* A class of one that the baseline accepted for this node is no news. */
static void add_alone(json_object *old, json_object *now, json_object *excluded,
                      struct verdicts *out)
{
	int nodes = json_object_object_length(now);
	const char *shared = NULL; /* the last class seen that several nodes have: mostly all */

	if (nodes < FINDING_ALONE_MIN)
		return;
	json_object_object_foreach(now, node, value)
	{
		const char *is = json_object_get_string(value), *was = class_of(old, node);
		struct finding f = { FINDING_HW_ALONE, node, NULL, is, NULL, NULL };

		if (!is || (shared && strcmp(is, shared) == 0) || (was && strcmp(is, was) == 0))
			continue;
		if (how_many(now, is) > 1)
			shared = is;
		if (is == shared || told(out, node) || is_excluded(excluded, node))
			continue;
		f.text = hb_format("%s alone among %d nodes has the hardware class %s", node, nodes,
		                   is);
		add(out, &f);
	}
}

void compare_hw(const struct baseline *b, const struct summary *const *runs, size_t n, bool alone,
                struct verdicts *out)
{
	for (size_t k = 0; k < n; k++)
		if (runs[k]->hw)
			add_changed(b->hw, runs[k]->hw, b->excluded, out);
	for (size_t k = 0; alone && k < n; k++)
		if (runs[k]->hw)
			add_alone(b->hw, runs[k]->hw, b->excluded, out);
}

bool compare_same_but_class(const struct key *a, const struct key *b)
{
	return a->bytes == b->bytes && a->nodes == b->nodes && a->rpn == b->rpn &&
	       strcmp(a->bench, b->bench) == 0 && strcmp(a->metric, b->metric) == 0 &&
	       strcmp(a->opts, b->opts) == 0;
}

bool compare_moved(const struct compare_set *set, const struct base_entry *e, const char *subject)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct verdict_row *v = &set->rows[i];

		if (set->tests[i].measured && !v->entry && v->row->kind == e->kind &&
		    strcmp(v->subject, subject) == 0 && strcmp(v->key->hw, e->key.hw) != 0 &&
		    compare_same_but_class(v->key, &e->key))
			return true;
	}
	return false;
}

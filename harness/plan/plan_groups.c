/*
 * Jobs of group benchmarks: of the whole node set, and of groups of fixed sizes. The nodes there
 * are differ from night to night, a group of four stays comparable.
 */
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

enum { GROUPS_STREAM = 2 };

static int check_ranks(const struct suite_entry *e, int ranks, struct hb_err *err)
{
	const struct bench_info *info = e->info;
	if (ranks < info->min_ranks)
		return hb_fail(err, HB_E_USAGE, "%s needs at least %d ranks, these nodes give %d",
		               info->name, info->min_ranks, ranks);
	if (info->max_ranks && ranks > info->max_ranks)
		return hb_fail(err, HB_E_USAGE, "%s takes at most %d ranks, these nodes give %d",
		               info->name, info->max_ranks, ranks);
	return HB_OK;
}

/* One group: the first rpn ranks of each of n nodes of the step, by their places in it. */
static int add_group(struct plan *p, struct plan_step *s, const struct plan_job *how,
                     const size_t *at, size_t n, int rpn, struct hb_err *err)
{
	struct plan_job like = *how;
	int rc = check_ranks(&p->suite->entries[how->entry], (int)n * rpn, err);
	if (rc != HB_OK)
		return rc;
	like.ranks = hb_realloc_array(NULL, n * (size_t)rpn, sizeof(*like.ranks));
	like.n_ranks = 0;
	for (size_t i = 0; i < n; i++)
		for (int r = 0; r < rpn; r++)
			like.ranks[like.n_ranks++] = (int)at[i] * s->rpn + r;
	rc = plan_jobs_add(p, s, &like, err);
	free(like.ranks);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return x < y ? -1 : x > y;
}

/* As many disjoint groups of size nodes as there are; who is with whom depends on the seed. */
static int add_sized(struct plan *p, struct plan_step *s, const struct plan_job *how, size_t size,
                     int rpn, struct hb_err *err)
{
	int rc = HB_OK;
	size_t *at = hb_realloc_array(NULL, p->nodes.n, sizeof(*at));
	size_t n = plan_class_groups(p, s, size, GROUPS_STREAM, at);
	for (size_t i = 0; rc == HB_OK && i + size <= n; i += size) {
		qsort(at + i, size, sizeof(*at), by_number);
		rc = add_group(p, s, how, at + i, size, rpn, err);
	}
	free(at);
	return rc;
}

/*
 * Facts are of everybody: each node is in one group, none is larger than the largest that the suite
 * names, or than the benchmark takes. Neighbours go to different groups: they tend to share a leaf,
 * and what lies between leaves is to be met too.
 */
static int add_everybody(struct plan *p, struct plan_step *s, size_t entry, int rpn,
                         struct hb_err *err)
{
	const struct suite_entry *e = &p->suite->entries[entry];
	size_t n = (size_t)(s->n_ranks / s->rpn), most = n, groups;
	int rc = HB_OK;
	if (e->groups[e->n_groups - 1] != SUITE_GROUP_ALL)
		most = (size_t)e->groups[e->n_groups - 1];
	if (e->info->max_ranks > 0 && most * (size_t)rpn > (size_t)e->info->max_ranks)
		most = (size_t)(e->info->max_ranks / rpn);
	if (most == 0)
		return check_ranks(e, rpn, err);
	groups = (n + most - 1) / most;
	size_t *at = hb_realloc_array(NULL, n, sizeof(*at));
	for (size_t g = 0; rc == HB_OK && g < groups; g++) {
		struct plan_job how = { .entry = entry, .round = -1, .alone = groups == 1 };
		size_t in = 0;
		for (size_t i = g; i < n; i += groups)
			at[in++] = i;
		rc = add_group(p, s, &how, at, in, rpn, err);
	}
	free(at);
	return rc;
}

static int none_fits(size_t n, const struct suite_entry *e, struct hb_err *err)
{
	struct buf sizes = BUF_INIT;
	for (int i = 0; i < e->n_groups; i++)
		buf_printf(&sizes, "%s%d", i ? ", " : "", e->groups[i]);
	int rc = hb_fail(err, HB_E_USAGE,
	                 "%s measures groups of %s nodes, but there are only %zu; give it more "
	                 "nodes, or a smaller size in its groups",
	                 e->info->name, buf_text(&sizes), n);
	buf_free(&sizes);
	return rc;
}

int plan_group_jobs(struct plan *p, struct plan_step *s, size_t entry, int rpn, struct hb_err *err)
{
	const struct suite_entry *e = &p->suite->entries[entry];
	size_t n = (size_t)(s->n_ranks / s->rpn);
	int rc = HB_OK;
	bool whole = n == 1, any = whole;
	if (e->info->flags & BENCH_TELLS)
		return add_everybody(p, s, entry, rpn, err);
	for (int i = 0; rc == HB_OK && n > 1 && i < e->n_groups; i++) {
		size_t size = (size_t)e->groups[i];
		struct plan_job how = { .entry = entry, .round = i };
		if (e->groups[i] == SUITE_GROUP_ALL || size == n)
			whole = true;
		else if (size < n)
			rc = add_sized(p, s, &how, size, rpn, err);
		any = any || whole || size < n;
	}
	if (rc == HB_OK && whole) {
		struct plan_job how = { .entry = entry, .round = -1, .alone = true };
		rc = add_sized(p, s, &how, n, rpn, err);
	}
	return rc != HB_OK || any ? rc : none_fits(n, e, err);
}

/* ---- groups that were held back ---- */

static bool fits(const struct suite_entry *e, size_t n)
{
	if (e->info->flags & BENCH_TELLS)
		return true;
	for (int i = 0; i < e->n_groups; i++)
		if (e->groups[i] == SUITE_GROUP_ALL || (size_t)e->groups[i] <= n)
			return true;
	return false;
}

bool plan_groups_held(const struct plan *p)
{
	bool any = false;
	for (size_t e = 0; e < p->suite->n_entries; e++)
		any = any || p->suite->entries[e].info->shape == BENCH_GROUP;
	for (size_t i = 0; any && i < p->n_steps; i++)
		for (size_t j = 0; j < p->steps[i].n_jobs; j++)
			if (p->suite->entries[p->steps[i].jobs[j].entry].info->shape == BENCH_GROUP)
				return false;
	return any;
}

struct nodes_in {
	size_t *v, n;
};

/* The step of this helper and so many ranks a node, among those from index first on. */
static size_t step_of(struct plan *p, size_t first, const struct suite_entry *e, int rpn,
                      const struct nodes_in *in)
{
	for (size_t i = first; i < p->n_steps; i++)
		if (p->steps[i].rpn == rpn && plan_of_helper(e, p->steps[i].helper))
			return i;
	char helper[64];
	info_helper_name(e->info, helper, sizeof(helper));
	plan_step_on(p, helper, rpn, in->v, in->n);
	return p->n_steps - 1;
}

int plan_add_groups(struct plan *p, const bool *in, struct hb_err *err)
{
	const struct plan_mark mark = plan_mark(p);
	struct nodes_in set = { hb_alloc((p->nodes.n + 1) * sizeof(size_t)), 0 };
	int rc = HB_OK;
	for (size_t i = 0; i < p->nodes.n; i++)
		if (in[i])
			set.v[set.n++] = i;
	for (size_t e = 0; rc == HB_OK && set.n >= 2 && e < p->suite->n_entries; e++) {
		const struct suite_entry *entry = &p->suite->entries[e];
		if (entry->info->shape != BENCH_GROUP || !fits(entry, set.n))
			continue;
		size_t at = step_of(p, mark.n_steps, entry, entry->rpn, &set);
		rc = p->n_steps > PLAN_STEPS_MAX
		             ? hb_fail(err, HB_E_USAGE, "the plan has more than %d steps",
		                       PLAN_STEPS_MAX)
		             : plan_group_jobs(p, &p->steps[at], e, entry->rpn, err);
	}
	for (size_t i = mark.n_steps; rc == HB_OK && i < p->n_steps; i++)
		plan_step_estimate(p, &p->steps[i]);
	if (rc != HB_OK)
		plan_take_back(p, &mark);
	free(set.v);
	return rc;
}

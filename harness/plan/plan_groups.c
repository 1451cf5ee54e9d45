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

/* One group: the first rpn ranks of each of n nodes. */
static int add_group(struct plan *p, struct plan_step *s, const struct plan_job *how,
                     const size_t *nodes, size_t n, int rpn, struct hb_err *err)
{
	struct plan_job like = *how;
	int rc = check_ranks(&p->suite->entries[how->entry], (int)n * rpn, err);
	if (rc != HB_OK)
		return rc;
	like.ranks = hb_realloc_array(NULL, n * (size_t)rpn, sizeof(*like.ranks));
	like.n_ranks = 0;
	for (size_t i = 0; i < n; i++)
		for (int r = 0; r < rpn; r++)
			like.ranks[like.n_ranks++] = (int)nodes[i] * s->rpn + r;
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
	size_t *node = hb_realloc_array(NULL, p->nodes.n, sizeof(*node));
	size_t n = plan_class_groups(p, size, GROUPS_STREAM, node);
	for (size_t i = 0; rc == HB_OK && i + size <= n; i += size) {
		qsort(node + i, size, sizeof(*node), by_number);
		rc = add_group(p, s, how, node + i, size, rpn, err);
	}
	free(node);
	return rc;
}

static int none_fits(const struct plan *p, const struct suite_entry *e, struct hb_err *err)
{
	struct buf sizes = BUF_INIT;
	for (int i = 0; i < e->n_groups; i++)
		buf_printf(&sizes, "%s%d", i ? ", " : "", e->groups[i]);
	int rc = hb_fail(err, HB_E_USAGE,
	                 "%s measures groups of %s nodes, but there are only %zu; give it more "
	                 "nodes, or a smaller size in its groups",
	                 e->info->name, buf_text(&sizes), p->nodes.n);
	buf_free(&sizes);
	return rc;
}

int plan_group_jobs(struct plan *p, struct plan_step *s, size_t entry, int rpn, struct hb_err *err)
{
	const struct suite_entry *e = &p->suite->entries[entry];
	size_t n = p->nodes.n;
	int rc = HB_OK;
	bool whole = n == 1, any = whole;
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
	return rc != HB_OK || any ? rc : none_fits(p, e, err);
}

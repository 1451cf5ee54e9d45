/* The plan's nodes by their names: which may be there, and what a job is about. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/record.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

enum { GROUP_NAMES_MAX = 60 };

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Measured and absent nodes together: nobody is both, or absent twice. */
static int refuse_repeats(const struct plan *p, struct hb_err *err)
{
	int rc = HB_OK;
	size_t n = 0;
	const char **v = hb_realloc_array(NULL, p->nodes.n + p->n_absent, sizeof(*v));
	for (size_t i = 0; i < p->nodes.n; i++)
		v[n++] = p->nodes.v[i];
	for (size_t i = 0; i < p->n_absent; i++)
		v[n++] = p->absent[i].node;
	qsort(v, n, sizeof(*v), by_text);
	for (size_t i = 1; rc == HB_OK && i < n; i++)
		if (strcmp(v[i - 1], v[i]) == 0)
			rc = hb_fail(err, HB_E_USAGE,
			             "node %s is named twice, among those that are absent", v[i]);
	free(v);
	return rc;
}

int plan_check_names(const struct plan *p, struct hb_err *err)
{
	bool taken = nodeset_find(&p->nodes, "cluster") >= 0;
	for (size_t i = 0; i < p->n_absent; i++)
		taken = taken || strcmp(p->absent[i].node, "cluster") == 0;
	if (taken)
		return hb_fail(
		        err, HB_E_USAGE,
		        "a node may not be called 'cluster': that name stands for all nodes");
	return p->n_absent ? refuse_repeats(p, err) : HB_OK;
}

void plan_absent_add(struct plan *p, const char *node, const char *reason)
{
	p->absent = hb_realloc_array(p->absent, p->n_absent + 1, sizeof(*p->absent));
	struct plan_absent *a = &p->absent[p->n_absent++];
	*a = (struct plan_absent){ .node = hb_strdup(node) };
	a->reason = hb_strndup(reason, strnlen(reason, PLAN_REASON_MAX));
}

bool plan_within_node(const struct plan_step *step, const struct plan_job *job)
{
	for (int i = 1; i < job->n_ranks; i++)
		if (step->rank_node[job->ranks[i]] != step->rank_node[job->ranks[0]])
			return false;
	return true;
}

void plan_job_nodes(const struct plan *p, const struct plan_step *step, const struct plan_job *job,
                    struct buf *out)
{
	struct nodeset set = { NULL, 0, 0 };
	size_t last = SIZE_MAX;
	set.v = hb_realloc_array(NULL, (size_t)job->n_ranks, sizeof(*set.v));
	for (int i = 0; i < job->n_ranks; i++) {
		size_t node = step->rank_node[job->ranks[i]];
		if (node != last) /* ranks stand node by node */
			set.v[set.n++] = p->nodes.v[node];
		last = node;
	}
	nodeset_format(&set, out);
	free(set.v); /* the names are the plan's */
}

/* Part of the nodes by their names where those are short. */
static void group_subject(const struct plan *p, const struct plan_step *step,
                          const struct plan_job *job, struct buf *out)
{
	struct buf names = BUF_INIT;
	if (job->n_ranks < step->n_ranks && !plan_within_node(step, job))
		plan_job_nodes(p, step, job, &names);
	if (names.len && names.len <= GROUP_NAMES_MAX)
		buf_puts(out, buf_text(&names));
	else
		buf_printf(out, "%d ranks", job->n_ranks);
	buf_free(&names);
}

void plan_job_subject(const struct plan *p, const struct plan_step *step,
                      const struct plan_job *job, struct buf *out)
{
	char *const *nodes = p->nodes.v;
	const char *a = nodes[step->rank_node[job->ranks[0]]];

	switch (p->suite->entries[job->entry].info->shape) {
	case BENCH_GROUP: group_subject(p, step, job, out); break;
	case BENCH_LOCAL: buf_puts(out, a); break;
	case BENCH_PAIR:
		if (plan_within_node(step, job))
			buf_puts(out, a);
		else
			rec_pair_subject(job->dir, a, nodes[step->rank_node[job->ranks[1]]], out);
		break;
	}
}

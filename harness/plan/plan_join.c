/* Several plans as one: the shards of a job array, to be collected as if they had been one run. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

enum { JOINED_UNITS_MAX = 1 << 25 };

static int check_same(struct plan *const *plans, const char *const *names, size_t n,
                      struct hb_err *err)
{
	struct buf first = BUF_INIT, other = BUF_INIT;
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct buf *b = i ? &other : &first;
		json_object *o = plan_settings(plans[i]);
		buf_clear(b);
		js_write(o, JS_SORTED, b);
		js_put(o);
		const char *a = plans[0]->suite->name, *c = plans[i]->suite->name;
		if (i && strcmp(a, c) != 0)
			rc = hb_fail(err, HB_E_USAGE,
			             "%s measured the suite %s and %s %s: they cannot be merged",
			             names[0], a, names[i], c);
		else if (i && strcmp(buf_text(&first), buf_text(b)) != 0)
			rc = hb_fail(err, HB_E_USAGE,
			             "%s and %s did not measure the same: benchmarks, sizes, "
			             "limits or launcher differ; they cannot be merged",
			             names[0], names[i]);
	}
	buf_free(&first);
	buf_free(&other);
	return rc;
}

struct named {
	const char *name;
	size_t plan, node;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	if (c == 0)
		c = x->plan < y->plan ? -1 : x->plan > y->plan;
	return c;
}

static void nodeset_put(struct nodeset *s, const char *name)
{
	hb_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = hb_strdup(name);
}

/* All nodes once, in the order of their first plan; index[plan][node]: where each went. */
static int join_nodes(struct plan *const *plans, size_t n, struct plan *out, size_t **index,
                      struct hb_err *err)
{
	size_t total = 0, k = 0;
	for (size_t i = 0; i < n; i++)
		total += plans[i]->nodes.n;
	struct named *v = hb_alloc((total + 1) * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		index[i] = hb_alloc((plans[i]->nodes.n + 1) * sizeof(*index[i]));
		for (size_t j = 0; j < plans[i]->nodes.n; j++)
			v[k++] = (struct named){ plans[i]->nodes.v[j], i, j };
	}
	qsort(v, total, sizeof(*v), by_name);
	/* First who is the same, then numbers in the order of the plans. */
	for (size_t i = 0; i < total; i++)
		index[v[i].plan][v[i].node] = i && strcmp(v[i].name, v[i - 1].name) == 0
		                                      ? index[v[i - 1].plan][v[i - 1].node]
		                                      : i;
	size_t *place = hb_alloc((total + 1) * sizeof(*place)); /* + 1; 0: none yet */
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < plans[i]->nodes.n; j++) {
			size_t *p = &place[index[i][j]];
			if (!*p) {
				nodeset_put(&out->nodes, plans[i]->nodes.v[j]);
				*p = out->nodes.n;
			}
			index[i][j] = *p - 1;
		}
	}
	free(place);
	free(v);
	if (out->nodes.n > NODESET_MAX)
		return hb_fail(err, HB_E_USAGE, "%zu nodes together, more than %d", out->nodes.n,
		               NODESET_MAX);
	return HB_OK;
}

static const char *same_subject(const struct plan *out, const char *subject)
{
	static const char cluster[] = "cluster";
	long i = subject ? nodeset_find(&out->nodes, subject) : -1;
	return i >= 0 ? out->nodes.v[i] : subject ? cluster : NULL;
}

static void join_step(struct plan *out, const struct plan_step *from, const size_t *index,
                      const struct plan_part *at)
{
	hb_grow(&out->steps, &out->cap_steps, out->n_steps + 1, sizeof(*out->steps));
	struct plan_step *s = &out->steps[out->n_steps++];
	*s = *from;
	s->id = out->n_steps;
	s->helper = hb_strdup(from->helper);
	s->rank_node = hb_realloc_array(NULL, (size_t)from->n_ranks, sizeof(*s->rank_node));
	for (int r = 0; r < from->n_ranks; r++)
		s->rank_node[r] = index[from->rank_node[r]];
	s->jobs = NULL;
	s->cap_jobs = 0;
	hb_grow(&s->jobs, &s->cap_jobs, from->n_jobs, sizeof(*s->jobs));
	for (size_t i = 0; i < from->n_jobs; i++) {
		struct plan_job *j = &s->jobs[i];
		*j = from->jobs[i];
		j->id = out->next_job++;
		j->first_unit += at->unit0;
		if (j->instead)
			j->instead += at->unit0;
		j->subject = same_subject(out, j->subject);
		j->partner = same_subject(out, j->partner);
		j->ranks = hb_realloc_array(NULL, (size_t)j->n_ranks, sizeof(*j->ranks));
		memcpy(j->ranks, from->jobs[i].ranks, (size_t)j->n_ranks * sizeof(*j->ranks));
		plan_job_view(out, j, j->cases.n);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool in(char *const *sorted, size_t n, const char *name)
{
	return n && bsearch(&name, sorted, n, sizeof(*sorted), by_text);
}

/* Who is measured in another plan is neither absent nor left for later. */
static void join_missing(struct plan *const *plans, size_t n, struct plan *out)
{
	char **sorted = hb_alloc((out->nodes.n + 1) * sizeof(*sorted));
	for (size_t i = 0; i < out->nodes.n; i++)
		sorted[i] = out->nodes.v[i];
	qsort(sorted, out->nodes.n, sizeof(*sorted), by_text);
	for (size_t i = 0; i < n; i++) {
		const struct plan *p = plans[i];
		for (size_t k = 0; k < p->n_absent; k++) {
			bool known = in(sorted, out->nodes.n, p->absent[k].node);
			for (size_t j = 0; j < out->n_absent && !known; j++)
				known = strcmp(out->absent[j].node, p->absent[k].node) == 0;
			if (!known)
				plan_absent_add(out, p->absent[k].node, p->absent[k].reason);
		}
		for (size_t k = 0; k < p->later.n; k++)
			if (!in(sorted, out->nodes.n, p->later.v[k]) &&
			    nodeset_find(&out->later, p->later.v[k]) < 0)
				nodeset_put(&out->later, p->later.v[k]);
		if (p->later_runs > out->later_runs)
			out->later_runs = p->later_runs;
	}
	free(sorted);
}

static int join_steps(struct plan *const *plans, size_t n, size_t *const *index, struct plan *out,
                      struct plan_part *parts, struct hb_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct plan *p = plans[i];
		parts[i] = (struct plan_part){ out->next_unit - 1, out->n_steps };
		for (size_t s = 0; s < p->n_steps; s++)
			join_step(out, &p->steps[s], index[i], &parts[i]);
		out->next_unit += p->next_unit - 1;
		out->predicted_s += p->predicted_s;
		if (out->next_unit > JOINED_UNITS_MAX)
			return hb_fail(err, HB_E_USAGE,
			               "the runs have more than %d measurements together; merge "
			               "fewer of them",
			               JOINED_UNITS_MAX);
	}
	return HB_OK;
}

int plan_join(struct plan *const *plans, const char *const *names, size_t n, struct plan *out,
              struct plan_part *parts, struct hb_err *err)
{
	struct plan *first = plans[0];
	size_t **index = hb_alloc((n + 1) * sizeof(*index));
	memset(out, 0, sizeof(*out));
	int rc = check_same(plans, names, n, err);
	if (rc == HB_OK) {
		out->own = -1;
		out->suite = first->suite;
		out->launcher = hb_strdup(first->launcher);
		out->seed = first->seed;
		out->max_pairs = first->max_pairs;
		out->inject = first->inject;
		out->inject_bench = first->inject_bench;
		out->next_unit = out->next_job = 1;
		out->cases = first->cases;
		first->cases = NULL;
		rc = join_nodes(plans, n, out, index, err);
	}
	if (rc == HB_OK)
		rc = plan_check_names(out, err);
	if (rc == HB_OK)
		rc = join_steps(plans, n, index, out, parts, err);
	if (rc == HB_OK) {
		join_missing(plans, n, out);
		plan_topo_join(plans, n, index, out);
	} else if (out->suite)
		plan_free(out);
	for (size_t i = 0; i < n; i++)
		free(index[i]);
	free(index);
	return rc;
}

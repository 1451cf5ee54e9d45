/* From suite and nodes to steps and jobs; groups and confirming steps stand in files of their own.
 */
#include "harness/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"

enum { HELPER_NAME_MAX = 32, NODES_FOR_APART = 3 };

/*
 * What a case should take: warm-up and blocks often stop early at the precision, the rest is
 * preparing, verifying and telling. A step's start is mpirun's or srun's.
 */
static const double case_share = 0.7, case_extra_s = 0.1, start_s = 2;
/* Generous: a deadline ends what hangs, it must not end what is slow. */
static const double deadline_factor = 4, deadline_extra_s = 60, deadline_hangs = 2;

struct plan_step *plan_step_on(struct plan *p, const char *helper, int rpn, const size_t *node,
                               size_t n)
{
	hb_grow(&p->steps, &p->cap_steps, p->n_steps + 1, sizeof(*p->steps));
	struct plan_step *s = &p->steps[p->n_steps++];
	memset(s, 0, sizeof(*s));
	s->id = p->n_steps;
	s->helper = hb_strdup(helper);
	s->rpn = rpn;
	s->n_ranks = (int)n * rpn;
	s->rank_node = hb_realloc_array(NULL, (size_t)s->n_ranks, sizeof(*s->rank_node));
	for (int i = 0; i < s->n_ranks; i++)
		s->rank_node[i] = node ? node[i / rpn] : (size_t)(i / rpn);
	return s;
}

struct plan_step *plan_step_add(struct plan *p, const char *helper, int rpn)
{
	return plan_step_on(p, helper, rpn, NULL, p->nodes.n);
}

void plan_job_view(const struct plan *p, struct plan_job *j, size_t n)
{
	const struct case_list *all = &p->cases[j->entry];
	j->cases = (struct case_list){ all->info, all->v + j->first_case, n, 0 };
}

static int too_many(struct hb_err *err)
{
	return hb_fail(err, HB_E_USAGE,
	               "the plan has more than %d measurements; choose fewer rounds, sizes or "
	               "nodes",
	               PLAN_UNITS_MAX);
}

int plan_jobs_add(struct plan *p, struct plan_step *s, const struct plan_job *like,
                  struct hb_err *err)
{
	size_t total = p->cases[like->entry].n;
	if (p->next_unit + total > PLAN_UNITS_MAX)
		return too_many(err);
	for (size_t first = 0; first < total; first += PLAN_JOB_CASES_MAX) {
		size_t n = total - first < PLAN_JOB_CASES_MAX ? total - first : PLAN_JOB_CASES_MAX;
		hb_grow(&s->jobs, &s->cap_jobs, s->n_jobs + 1, sizeof(*s->jobs));
		struct plan_job *j = &s->jobs[s->n_jobs++];
		*j = *like;
		j->id = p->next_job++;
		j->first_unit = p->next_unit;
		j->first_case = first;
		plan_job_view(p, j, n);
		j->ranks = hb_realloc_array(NULL, (size_t)like->n_ranks, sizeof(*j->ranks));
		memcpy(j->ranks, like->ranks, (size_t)like->n_ranks * sizeof(*j->ranks));
		p->next_unit += n;
	}
	return HB_OK;
}

int plan_pair_jobs(struct plan *p, struct plan_step *s, const struct plan_job *like, int a, int b,
                   struct hb_err *err)
{
	int ranks[2] = { a, b };
	struct plan_job j = *like;
	bool directed = p->suite->entries[like->entry].info->flags & BENCH_DIRECTED;
	j.ranks = ranks;
	j.n_ranks = 2;
	j.dir = directed ? "ab" : "both";
	int rc = plan_jobs_add(p, s, &j, err);
	/* Within one node both directions are the same memory. */
	if (rc != HB_OK || !directed || p->nodes.n == 1)
		return rc;
	j.dir = "ba";
	return plan_jobs_add(p, s, &j, err);
}

/* How many jobs like this one run at once. */
static double width(const struct plan *p, const struct plan_step *s, const struct plan_job *j)
{
	size_t n = p->nodes.n, ranks = (size_t)j->n_ranks;
	if (j->alone)
		return 1;
	if (p->suite->entries[j->entry].info->shape == BENCH_LOCAL)
		return (double)s->n_ranks / s->rpn;
	size_t most = n * (size_t)s->rpn / ranks;
	if (p->max_pairs > 0 && (size_t)p->max_pairs < most)
		most = (size_t)p->max_pairs;
	return most > 1 ? (double)most : 1;
}

double plan_job_seconds(const struct plan *p, const struct plan_job *j)
{
	return (double)j->cases.n *
	       (case_share * p->suite->entries[j->entry].max_time_s + case_extra_s);
}

void plan_step_estimate(struct plan *p, struct plan_step *s)
{
	double seconds = start_s, longest = 0;
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct plan_job *j = &s->jobs[i];
		const struct suite_entry *e = &p->suite->entries[j->entry];
		seconds += plan_job_seconds(p, j) / width(p, s, j);
		if (e->deadline_s > longest)
			longest = e->deadline_s;
	}
	if (!s->beside)
		p->predicted_s += seconds - s->predicted_s;
	s->predicted_s = seconds;
	s->deadline_s = deadline_extra_s + deadline_factor * seconds + deadline_hangs * longest;
}

bool plan_of_helper(const struct suite_entry *e, const char *helper)
{
	char name[HELPER_NAME_MAX];
	info_helper_name(e->info, name, sizeof(name));
	return strcmp(name, helper) == 0;
}

static int add_local(struct plan *p, struct plan_step *s, size_t entry, struct hb_err *err)
{
	int rc = HB_OK;
	for (int r = 0; rc == HB_OK && r < s->n_ranks; r += s->rpn) {
		struct plan_job like = { .entry = entry, .ranks = &r, .n_ranks = 1, .round = -1 };
		rc = plan_jobs_add(p, s, &like, err);
	}
	return rc;
}

/* Is this the node that hpcbench runs on, and are there others for the main rounds? */
static bool apart(const struct plan *p, int node)
{
	return p->nodes.n >= NODES_FOR_APART && node >= 0 && node == p->own;
}

/* The pairs of one round, of every benchmark; own: those of the node that hpcbench runs on. */
static int add_round(struct plan *p, struct plan_step *s, const struct pair_round *r, int round,
                     bool own, struct hb_err *err)
{
	int rc = HB_OK, n = (int)p->nodes.n;
	for (size_t e = 0; e < p->suite->n_entries; e++) {
		struct plan_job like = { .entry = e, .round = round, .alone = own };
		if (p->suite->entries[e].info->shape != BENCH_PAIR ||
		    !plan_of_helper(&p->suite->entries[e], s->helper))
			continue;
		for (int k = 0; rc == HB_OK && k < r->n; k++) {
			int a = r->pairs[k][0], b = r->pairs[k][1];
			if (n == 1) /* ranks 0 and 1 of it */
				rc = plan_pair_jobs(p, s, &like, 0, 1, err);
			else if ((apart(p, a) || apart(p, b)) == own)
				rc = plan_pair_jobs(p, s, &like, a, b, err);
		}
	}
	return rc;
}

static bool has_pairs(const struct plan *p, const char *helper)
{
	for (size_t e = 0; e < p->suite->n_entries; e++)
		if (p->suite->entries[e].info->shape == BENCH_PAIR &&
		    plan_of_helper(&p->suite->entries[e], helper))
			return true;
	return false;
}

/*
 * Round by round, so that what the machine does at one moment meets every benchmark. The node that
 * hpcbench runs on has byes; its pairs are measured at the end, when nothing else is.
 */
static int add_pairs(struct plan *p, struct plan_step *s, int rounds, struct hb_err *err)
{
	struct pair_round *r;
	int rc = HB_OK, n = (int)p->nodes.n, count;
	if (!has_pairs(p, s->helper))
		return HB_OK;
	/* Before they are drawn: each pair is a unit at least. */
	if (rounds == 0 && p->nodes.n * (p->nodes.n - 1) / 2 > PLAN_UNITS_MAX && !p->class_of)
		return too_many(err);
	count = n == 1 ? plan_rounds(2, 1, p->seed, &r) : plan_shape_rounds(p, rounds, &r);
	for (int own = 0; own < 2; own++)
		for (int i = 0; rc == HB_OK && i < count; i++)
			if (!own || apart(p, (int)p->own))
				rc = add_round(p, s, &r[i], i, own, err);
	plan_rounds_free(r, count);
	return rc;
}

int plan_group_rpn(const struct plan *p, const struct suite_entry *e)
{
	return p->nodes.n == 1 && e->rpn < 2 && e->info->min_ranks > 1 ? 2 : e->rpn;
}

/* One step of helper with rpn ranks a node. main: local and pair benchmarks belong to it. */
static int add_step(struct plan *p, const char *helper, int rpn, bool main,
                    const struct plan_params *params, struct hb_err *err)
{
	if (p->nodes.n * (size_t)rpn > PLAN_RANKS_MAX)
		return hb_fail(err, HB_E_USAGE, "%zu nodes with %d ranks each are more than %d",
		               p->nodes.n, rpn, PLAN_RANKS_MAX);
	struct plan_step *s = plan_step_add(p, helper, rpn);
	int rc = HB_OK;
	for (size_t e = 0; main && rc == HB_OK && e < p->suite->n_entries; e++)
		if (p->suite->entries[e].info->shape == BENCH_LOCAL &&
		    plan_of_helper(&p->suite->entries[e], helper))
			rc = add_local(p, s, e, err);
	if (main && rc == HB_OK)
		rc = add_pairs(p, s, params->rounds, err);
	for (size_t e = 0; rc == HB_OK && e < p->suite->n_entries; e++) {
		const struct suite_entry *entry = &p->suite->entries[e];
		int own = plan_group_rpn(p, entry);
		if (params->hold_groups || entry->info->shape != BENCH_GROUP ||
		    !plan_of_helper(entry, helper))
			continue;
		/* On one node all are in one step; fewer ranks are the first ones. */
		if (p->nodes.n == 1 || own == rpn)
			rc = plan_group_jobs(p, s, e, own, err);
	}
	if (rc == HB_OK)
		plan_step_estimate(p, s);
	return rc;
}

/* What the entries of one helper ask of its steps. */
struct asks {
	bool main;                  /* a step of one rank a node (on one node: any) */
	int rpn[SUITE_ENTRIES_MAX]; /* those of groups, without repetition */
	int n, most;
};

static struct asks find_asks(const struct plan *p, const char *helper, bool hold_groups)
{
	struct asks a = { .most = 1 };
	for (size_t e = 0; e < p->suite->n_entries; e++) {
		const struct suite_entry *entry = &p->suite->entries[e];
		int own = 1, i = 0;
		if (!plan_of_helper(entry, helper) ||
		    (hold_groups && entry->info->shape == BENCH_GROUP))
			continue;
		if (entry->info->shape == BENCH_GROUP) {
			own = plan_group_rpn(p, entry);
			while (i < a.n && a.rpn[i] != own)
				i++;
			if (i == a.n)
				a.rpn[a.n++] = own;
		} else {
			a.main = true;
			if (entry->info->shape == BENCH_PAIR && p->nodes.n == 1)
				own = 2;
		}
		if (own > a.most)
			a.most = own;
	}
	return a;
}

static int add_helper(struct plan *p, const char *helper, const struct plan_params *params,
                      struct hb_err *err)
{
	struct asks a = find_asks(p, helper, params->hold_groups);
	int rc = HB_OK;
	if (p->nodes.n == 1)
		return a.main || a.n ? add_step(p, helper, a.most, true, params, err) : HB_OK;
	bool one = a.main;
	for (int i = 0; i < a.n; i++)
		one = one || a.rpn[i] == 1;
	if (one)
		rc = add_step(p, helper, 1, true, params, err);
	for (int i = 0; rc == HB_OK && i < a.n; i++)
		if (a.rpn[i] > 1)
			rc = add_step(p, helper, a.rpn[i], false, params, err);
	return rc;
}

static bool helper_planned(const struct plan *p, const char *helper)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (strcmp(p->steps[i].helper, helper) == 0)
			return true;
	return false;
}

/* Helpers with local benchmarks first: what a node is by itself explains the rest. */
static int add_helpers(struct plan *p, const struct plan_params *params, struct hb_err *err)
{
	int rc = HB_OK;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t e = 0; rc == HB_OK && e < p->suite->n_entries; e++) {
			const struct suite_entry *entry = &p->suite->entries[e];
			char helper[HELPER_NAME_MAX];
			info_helper_name(entry->info, helper, sizeof(helper));
			if ((pass == 0 && entry->info->shape != BENCH_LOCAL) ||
			    helper_planned(p, helper))
				continue;
			rc = add_helper(p, helper, params, err);
			if (rc == HB_OK && p->n_steps)
				plan_cut_local(p, params->at_once);
		}
	}
	return rc;
}

int plan_make(const struct suite *suite, const struct nodeset *nodes, const char *launcher,
              const struct plan_params *params, struct plan *out, struct hb_err *err)
{
	int rc = HB_OK;
	memset(out, 0, sizeof(*out));
	if (nodes->n == 0 || suite->n_entries == 0)
		return hb_fail(err, HB_E_USAGE, "nothing to plan: no %s",
		               nodes->n ? "benchmark" : "node");
	out->own = -1;
	out->suite = suite;
	out->launcher = hb_strdup(launcher);
	out->seed = params->seed;
	out->max_pairs = params->max_pairs;
	out->inject = 1;
	out->next_unit = out->next_job = 1;
	out->cases = hb_alloc(suite->n_entries * sizeof(*out->cases));
	for (size_t i = 0; rc == HB_OK && i < nodes->n; i++) {
		hb_grow(&out->nodes.v, &out->nodes.cap, out->nodes.n + 1, sizeof(*out->nodes.v));
		out->nodes.v[out->nodes.n++] = hb_strdup(nodes->v[i]);
	}
	plan_topo_take(out, params->topo);
	out->own = params->own ? nodeset_find(&out->nodes, params->own) : -1;
	plan_classes(out, params->hw);
	for (size_t i = 0; params->later && i < params->later->n; i++) {
		hb_grow(&out->later.v, &out->later.cap, out->later.n + 1, sizeof(*out->later.v));
		out->later.v[out->later.n++] = hb_strdup(params->later->v[i]);
	}
	out->later_runs = params->later_runs;
	for (size_t i = 0; i < params->n_absent; i++)
		plan_absent_add(out, params->absent[i].node, params->absent[i].reason);
	rc = plan_check_names(out, err);
	if (rc == HB_OK)
		rc = plan_roles_take(out, params, err);
	for (size_t i = 0; rc == HB_OK && i < suite->n_entries; i++) {
		const struct suite_entry *e = &suite->entries[i];
		rc = e->info->cases(e->info, e->opts, &out->cases[i], err);
	}
	if (rc == HB_OK)
		rc = add_helpers(out, params, err);
	if (rc == HB_OK && out->n_steps == 0)
		rc = hb_fail(err, HB_E_USAGE,
		             "the suite %s has nothing but groups, which come after pairs here",
		             suite->name);
	if (rc != HB_OK)
		plan_free(out);
	return rc;
}

void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		struct plan_step *s = &p->steps[i];
		for (size_t j = 0; j < s->n_jobs; j++)
			free(s->jobs[j].ranks);
		free(s->jobs);
		free(s->rank_node);
		free(s->helper);
	}
	for (size_t i = 0; p->cases && i < p->suite->n_entries; i++)
		case_list_free(&p->cases[i]);
	free(p->cases);
	free(p->steps);
	free(p->run);
	free(p->launcher);
	for (size_t i = 0; i < p->n_absent; i++) {
		free(p->absent[i].node);
		free(p->absent[i].reason);
	}
	free(p->absent);
	nodeset_free(&p->nodes);
	nodeset_free(&p->later);
	plan_topo_free(p);
	free(p->class_of);
	free(p->class_seed);
	memset(p, 0, sizeof(*p));
	p->own = -1;
}

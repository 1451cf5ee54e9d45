#include "harness/plan/plan_more.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_MIN = 3,
	ALONE = 2,  /* pairs of a candidate: its own, and a control's */
	REPEATS = 3 /* of a confirming rerun */
};
static const double start_s = 2; /* of a step, as plan.c has it */

/* All cases of an entry, measured once by one pair (both ways, if they are told apart). */
static double entry_seconds(const struct plan *p, size_t entry)
{
	const struct plan_job whole = { .entry = entry, .cases = { .n = p->cases[entry].n } };
	const struct bench_info *info = p->suite->entries[entry].info;
	bool both = (info->flags & BENCH_DIRECTED) && p->nodes.n > 1;

	return (both ? 2 : 1) * plan_job_seconds(p, &whole);
}

/* Main jobs of the entry that begin with its first case: pairs in both directions count once. */
static size_t count_main(const struct plan *p, size_t entry)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t j = 0; j < p->steps[i].n_jobs; j++) {
			const struct plan_job *job = &p->steps[i].jobs[j];
			n += job->entry == entry && job->phase == PHASE_MAIN &&
			     job->first_case == 0 && !(job->dir && strcmp(job->dir, "ba") == 0);
		}
	return n;
}

/* How many jobs of so many nodes each may be measured at the same time. */
static double at_once(const struct plan *p, size_t nodes)
{
	double n = floor((double)p->nodes.n / (double)nodes);

	if (p->max_pairs > 0)
		n = fmin(n, p->max_pairs);
	return fmax(n, 1);
}

/* Groups of an entry, those that are measured at the same time as one. */
static double count_groups(const struct plan *p, size_t entry)
{
	double n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t j = 0; j < p->steps[i].n_jobs; j++) {
			const struct plan_job *job = &p->steps[i].jobs[j];
			size_t nodes = (size_t)job->n_ranks / (size_t)p->steps[i].rpn;
			if (job->entry == entry && job->phase == PHASE_MAIN && job->first_case == 0)
				n += 1 / at_once(p, nodes ? nodes : 1);
		}
	return n;
}

/* ---- extra pairs ---- */

static double extra_of(const struct plan *p, size_t entry, const struct plan_more_rules *rules,
                       size_t *pairs)
{
	double each = rules->extra_pairs + ALONE;
	double n = fmax(rules->extra_share * (double)count_main(p, entry), each);
	double candidates = fmax(floor(n / each), 1);
	double rounds = fmax(rules->extra_pairs,
	                     ceil(candidates * rules->extra_pairs / at_once(p, 2)));
	*pairs = (size_t)n;
	return (rounds + candidates * ALONE) * entry_seconds(p, entry);
}

static void find_extra(const struct plan *p, const struct plan_more_rules *rules,
                       struct plan_more *out)
{
	if (p->nodes.n < NODES_MIN || !(rules->extra_share > 0) || rules->extra_pairs <= 0)
		return;
	for (size_t e = 0; e < p->suite->n_entries; e++) {
		size_t pairs;
		if (p->suite->entries[e].info->shape != BENCH_PAIR)
			continue;
		out->extra_s += extra_of(p, e, rules, &pairs);
		out->pairs = pairs > out->pairs ? pairs : out->pairs;
	}
	if (out->pairs)
		out->extra_s += start_s;
}

/* ---- the confirming rerun ---- */

/* So many suspects of one benchmark, each of which takes so long. */
struct rerun {
	double seconds;
	size_t n;
};

static int longest_first(const void *a, const void *b)
{
	const struct rerun *x = a, *y = b;
	return x->seconds > y->seconds ? -1 : x->seconds < y->seconds;
}

/* Entries of one benchmark are rerun together: what its nodes take, and what the cluster does. */
static void add_entry(const struct plan *p, size_t entry, struct rerun *node, struct rerun *cluster)
{
	const struct bench_info *info = p->suite->entries[entry].info;
	double s = entry_seconds(p, entry);
	bool many = p->nodes.n > 1;

	if (info->shape != BENCH_GROUP || !many) {
		node->seconds += 2 * REPEATS * s;
		node->n = p->nodes.n;
	}
	/* The pairs of a round, at the same time as far as they may, and the harness's own alone;
	 * groups as they were measured. */
	if (info->shape == BENCH_PAIR && many)
		cluster->seconds += REPEATS * s *
		                    (ceil(floor((double)p->nodes.n / 2) / at_once(p, 2)) + 1);
	else if (info->shape == BENCH_GROUP && many)
		cluster->seconds += REPEATS * s * count_groups(p, entry);
	cluster->n = cluster->seconds > 0;
}

static void find_confirm(const struct plan *p, const struct plan_more_rules *rules,
                         struct plan_more *out)
{
	struct rerun v[2 * SUITE_ENTRIES_MAX] = { { 0, 0 } };
	size_t n = 0, left = rules->suspects > 0 ? (size_t)rules->suspects : 0;

	for (size_t e = 0; e < p->suite->n_entries; e++) {
		size_t first = 0;
		while (p->suite->entries[first].info != p->suite->entries[e].info)
			first++;
		if (first < e)
			continue;
		for (size_t k = e; k < p->suite->n_entries; k++)
			if (p->suite->entries[k].info == p->suite->entries[e].info)
				add_entry(p, k, &v[n], &v[n + 1]);
		n += 2;
	}
	qsort(v, n, sizeof(*v), longest_first);
	for (size_t i = 0; i < n && left > 0; i++) {
		size_t take = v[i].n < left ? v[i].n : left;
		out->confirm_s += (double)take * v[i].seconds;
		out->suspects += take;
		left -= take;
	}
	/* Each helper, and each number of ranks a node, is a step of its own. */
	if (out->suspects)
		out->confirm_s += start_s * (double)p->n_steps;
}

void plan_more(const struct plan *p, const struct plan_more_rules *rules, struct plan_more *out)
{
	*out = (struct plan_more){ 0 };
	find_extra(p, rules, out);
	find_confirm(p, rules, out);
}

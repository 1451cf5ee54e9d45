/*
 * The confirming rerun: a suspect and its control, interleaved. Suspects share a step of the same
 * shape: on a cluster a launch takes longer than the measurements of one.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

enum { REPEATS = 3, NODES_FOR_CONTROL = 4 };
static const char cluster[] = "cluster";

/* One side of the rerun. */
struct side {
	const char *subject, *partner; /* names that the plan owns */
	long node;                     /* -1: the cluster */
	long peer;                     /* the node it is paired with; -1: none */
	int leaf;                      /* pairs of the cluster: as in plan_confirm; 0: any */
	enum phase phase;
};

/* Does this step hold main jobs of the entry? */
static bool in_step(const struct plan_step *s, size_t entry)
{
	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].entry == entry && s->jobs[i].phase == PHASE_MAIN)
			return true;
	return false;
}

static bool is_confirmed_elsewhere(const struct plan *p, const char *node)
{
	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t j = 0; j < p->steps[i].n_jobs; j++) {
			const struct plan_job *job = &p->steps[i].jobs[j];
			if (job->phase == PHASE_CONFIRM && job->subject &&
			    strcmp(job->subject, node) == 0)
				return true;
		}
	return false;
}

/* 1: both hang on one leaf, -1: on two, 0: it is not known. */
static int lies(const struct plan *p, size_t a, size_t b)
{
	const size_t *leaf = p->leaf_of;
	if (!leaf || leaf[a] == TOPO_NO_LEAF || leaf[b] == TOPO_NO_LEAF)
		return 0;
	return leaf[a] == leaf[b] ? 1 : -1;
}

static int lies_of(const struct plan *p, const struct plan_step *s, const struct plan_job *pair)
{
	return lies(p, s->rank_node[pair->ranks[0]], s->rank_node[pair->ranks[1]]);
}

/*
 * How little a node is wanted as a partner of a node like that one; 0: nothing speaks against it.
 * With another hardware class the pair has another key, which a baseline may not know.
 */
static int objection(const struct plan *p, const struct plan_confirm *how, size_t node, size_t like)
{
	int other = p->class_of && p->class_of[node] != p->class_of[like] ? 4 : 0;
	/* And between leaves, or within one, it is another endpoint class. */
	if (p->leaf_of && lies(p, node, like) != (how->leaf < 0 ? -1 : 1))
		other += 8;
	if (how->avoid && how->avoid[node])
		return other + 3;
	if (is_confirmed_elsewhere(p, p->nodes.v[node]))
		return other + 2;
	return other + ((long)node == p->own);
}

/* A node that is none of the taken ones, the best that is left; -1: none left. */
static long pick_peer(const struct plan *p, const struct plan_confirm *how, const long *taken,
                      size_t n_taken, struct rng *rng)
{
	long best = -1;
	int least = 0;
	size_t n = p->nodes.n, start = (size_t)rng_below(rng, n), like = (size_t)taken[0];
	for (size_t i = 0; i < n && (best < 0 || least > 0); i++) {
		size_t node = (start + i) % n;
		bool free_node = true;
		for (size_t k = 0; k < n_taken; k++)
			free_node = free_node && taken[k] != (long)node;
		int against = free_node ? objection(p, how, node, like) : 0;
		if (!free_node || (best >= 0 && against >= least))
			continue;
		best = (long)node;
		least = against;
	}
	return best;
}

/* Adds a job of another step to this one, which has all nodes. */
static int move_job(struct plan *p, struct plan_step *to, const struct plan_step *from,
                    const struct plan_job *like, struct hb_err *err)
{
	struct plan_job j = *like;
	int rank = plan_rank_of(to, from->rank_node[like->ranks[0]]);

	if (j.n_ranks == 1)
		j.ranks = &rank; /* a part of the nodes counts its ranks for itself */
	return plan_jobs_add(p, to, &j, err);
}

/*
 * Repeats the main jobs of an entry that the subject stands for: a node's, or for the cluster all,
 * of its pairs those of the first round.
 */
static int repeat_jobs(struct plan *p, size_t from, struct plan_step *to, size_t entry,
                       const struct plan_job *like, const struct side *side, struct hb_err *err)
{
	int rc = HB_OK;
	int64_t first_round = -1;
	enum bench_shape shape = p->suite->entries[entry].info->shape;
	bool any = false, pairs = shape == BENCH_PAIR;
	long node = shape == BENCH_LOCAL ? side->node : -1;
	for (size_t i = 0; rc == HB_OK && i < p->steps[from].n_jobs; i++) {
		const struct plan_step *s = &p->steps[from];
		struct plan_job j = s->jobs[i];
		if (j.entry != entry || j.phase != PHASE_MAIN || j.first_case != 0)
			continue;
		if (node >= 0 && (long)s->rank_node[j.ranks[0]] != node)
			continue;
		if (pairs && side->leaf && lies_of(p, s, &j) != side->leaf)
			continue;
		if (!any)
			first_round = j.round;
		if (pairs && j.round != first_round)
			continue;
		any = true;
		j.alone = j.alone || node >= 0;
		j.phase = like->phase;
		j.repeat = like->repeat;
		j.subject = like->subject;
		j.partner = like->partner;
		rc = move_job(p, to, s, &j, err);
	}
	return rc;
}

static int add_side(struct plan *p, size_t from, struct plan_step *to, const char *bench,
                    const struct side *side, int repeat, struct hb_err *err)
{
	int rc = HB_OK;
	for (size_t e = 0; rc == HB_OK && e < p->suite->n_entries; e++) {
		const struct bench_info *info = p->suite->entries[e].info;
		if (strcmp(info->name, bench) != 0 || !in_step(&p->steps[from], e))
			continue;
		struct plan_job like = { .entry = e,
			                 .phase = side->phase,
			                 .repeat = repeat,
			                 .subject = side->subject,
			                 .partner = side->partner,
			                 .round = -1,
			                 .alone = true };
		if (side->peer >= 0)
			rc = plan_pair_jobs(p, to, &like, plan_rank_of(to, (size_t)side->node),
			                    plan_rank_of(to, (size_t)side->peer), err);
		else
			for (size_t i = from; rc == HB_OK && i < from + plan_together(p, from); i++)
				rc = repeat_jobs(p, i, to, e, &like, side, err);
	}
	return rc;
}

/* Which nodes take part; control is dropped where there are too few for disjoint pairs. */
static int choose_sides(const struct plan *p, const struct plan_confirm *how,
                        const struct bench_info *info, const char *subject, const char *control,
                        struct side side[2], struct hb_err *err)
{
	struct rng rng;
	bool whole = strcmp(subject, cluster) == 0;
	bool pairs = info->shape == BENCH_PAIR && p->nodes.n > 1 && !whole;
	side[0].node = whole ? -1 : nodeset_find(&p->nodes, subject);
	side[1].node = control ? nodeset_find(&p->nodes, control) : -1;
	if (!whole && side[0].node < 0)
		return hb_fail(err, HB_E_USAGE, "cannot confirm %s: not a node of this run",
		               subject);
	if (side[1].node == side[0].node || whole || info->shape == BENCH_GROUP ||
	    (pairs && p->nodes.n < NODES_FOR_CONTROL))
		side[1].node = -1;
	side[0].subject = side[1].partner = whole ? cluster : p->nodes.v[side[0].node];
	side[1].subject = side[0].partner = side[1].node < 0 ? NULL : p->nodes.v[side[1].node];
	side[0].phase = PHASE_CONFIRM;
	side[1].phase = PHASE_CONTROL;
	side[0].peer = side[1].peer = -1;
	side[0].leaf = side[1].leaf = p->leaf_of ? how->leaf : 0;
	if (!pairs)
		return HB_OK;
	rng_stream(&rng, p->seed, rng_hash(subject, strlen(subject)), 1);
	const long first[] = { side[0].node, side[1].node };
	side[0].peer = pick_peer(p, how, first, 2, &rng);
	/* Both sides are compared: their pairs are of one endpoint class, if that can be. */
	struct plan_confirm alike = *how;
	if (side[0].peer >= 0)
		alike.leaf = lies(p, (size_t)side[0].node, (size_t)side[0].peer);
	const long second[] = { side[1].node, side[0].node, side[0].peer };
	if (side[1].node >= 0)
		side[1].peer = pick_peer(p, &alike, second, 3, &rng);
	return HB_OK;
}

static bool measures(const struct plan *p, size_t step, const char *bench)
{
	const struct plan_step *s = &p->steps[step];
	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].phase == PHASE_MAIN && !s->jobs[i].instead &&
		    strcmp(p->suite->entries[s->jobs[i].entry].info->name, bench) == 0)
			return true;
	return false;
}

static int add_confirm_jobs(struct plan *p, size_t first, size_t from, const char *bench,
                            const struct side side[2], struct hb_err *err)
{
	const struct plan_mark mark = plan_mark(p);
	int rc = HB_OK;
	size_t to = plan_open_step(p, first, p->steps[from].helper, p->steps[from].rpn);
	if (p->n_steps > PLAN_STEPS_MAX)
		rc = hb_fail(err, HB_E_USAGE, "the plan has %zu steps already", mark.n_steps);
	for (int repeat = 0; rc == HB_OK && repeat < REPEATS; repeat++)
		for (int i = 0; rc == HB_OK && i < 2; i++)
			if (side[i].subject)
				rc = add_side(p, from, &p->steps[to], bench, &side[i], repeat, err);
	if (rc != HB_OK)
		plan_take_back(p, &mark);
	else
		plan_step_estimate(p, &p->steps[to]);
	return rc;
}

int plan_add_confirm(struct plan *p, const struct plan_confirm *how, const char *bench,
                     const char *subject, const char *control, struct hb_err *err)
{
	const struct plan_confirm alone = { p->n_steps, NULL, 0 };
	const struct bench_info *info = catalog_find(bench);
	struct side side[2] = { 0 };
	size_t n_steps = p->n_steps;
	bool found = false;
	int rc = HB_OK;
	how = how ? how : &alone;
	for (size_t i = 0; info && rc == HB_OK && i < n_steps; i++) {
		if (p->steps[i].beside || !measures(p, i, bench))
			continue;
		if (!found)
			rc = choose_sides(p, how, info, subject, control, side, err);
		found = true;
		if (rc == HB_OK)
			rc = add_confirm_jobs(p, how->from, i, bench, side, err);
	}
	if (!found)
		return hb_fail(err, HB_E_USAGE, "cannot confirm %s with %s: it is not planned",
		               subject, bench);
	return rc;
}

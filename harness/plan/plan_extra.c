/* Jobs that join a plan while it runs: in which step, and how they are taken back; extra pairs. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"
#include "harness/plan/plan_draw.h"

struct plan_mark plan_mark(const struct plan *p)
{
	return (struct plan_mark){ p->n_steps, p->next_unit, p->next_job };
}

void plan_take_back(struct plan *p, const struct plan_mark *mark)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		struct plan_step *s = &p->steps[i];
		while (s->n_jobs && s->jobs[s->n_jobs - 1].id >= mark->next_job)
			free(s->jobs[--s->n_jobs].ranks);
	}
	while (p->n_steps > mark->n_steps) {
		struct plan_step *s = &p->steps[--p->n_steps];
		p->predicted_s -= s->beside ? 0 : s->predicted_s;
		free(s->jobs);
		free(s->rank_node);
		free(s->helper);
	}
	p->next_unit = mark->next_unit;
	p->next_job = mark->next_job;
}

int plan_rank_of(const struct plan_step *s, size_t node)
{
	for (int i = 0; i < s->n_ranks; i++)
		if (s->rank_node[i] == node)
			return i;
	return -1;
}

size_t plan_open_step(struct plan *p, size_t first, const char *helper, int rpn)
{
	size_t ranks = p->nodes.n * (size_t)rpn;

	/* Not one of groups that were held back: it may lack nodes. */
	for (size_t i = first; i < p->n_steps; i++)
		if (p->steps[i].rpn == rpn && (size_t)p->steps[i].n_ranks == ranks &&
		    strcmp(p->steps[i].helper, helper) == 0)
			return i;
	plan_step_add(p, helper, rpn);
	return p->n_steps - 1;
}

/* ---- extra pairs ---- */

/* Rounds of disjoint pairs, each pair in the first that has room for both. */
struct packed {
	size_t *round; /* of each pair */
	size_t rounds, first_alone;
};

static bool is_alone(const struct plan *p, const struct plan_extra *e)
{
	return e->alone || (p->own >= 0 && p->nodes.n > 2 &&
	                    ((size_t)p->own == e->a || (size_t)p->own == e->b));
}

static void pack(const struct plan *p, const struct plan_extra *v, size_t n, struct packed *out)
{
	size_t *next = hb_alloc((p->nodes.n + 1) * sizeof(*next));

	*out = (struct packed){ hb_alloc((n + 1) * sizeof(*out->round)), 0, 0 };
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if (is_alone(p, &v[i]) != (pass == 1))
				continue;
			size_t a = next[v[i].a], b = next[v[i].b], r = a > b ? a : b;
			r = pass == 1 ? out->rounds : r;
			out->round[i] = r;
			next[v[i].a] = next[v[i].b] = r + 1;
			out->rounds = r + 1 > out->rounds ? r + 1 : out->rounds;
		}
		if (pass == 0)
			out->first_alone = out->rounds;
	}
	free(next);
}

/* The rounds of extra pairs that the step has already are not to be met again. */
static int64_t first_round(const struct plan_step *s)
{
	int64_t first = 0;

	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].phase == PHASE_EXTRA && s->jobs[i].round >= first)
			first = s->jobs[i].round + 1;
	return first;
}

struct in_round {
	size_t round, at;
};

static int by_round(const void *a, const void *b)
{
	const struct in_round *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Those of one entry, round by round. */
static int add_entry(struct plan *p, size_t step, const struct plan_job *how,
                     const struct plan_extra *v, size_t n, struct hb_err *err)
{
	struct plan_step *s = &p->steps[step];
	struct packed packed;
	struct in_round *order = hb_alloc((n + 1) * sizeof(*order));
	int rc = HB_OK;

	pack(p, v, n, &packed);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct in_round){ packed.round[i], i };
	qsort(order, n, sizeof(*order), by_round);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		const struct plan_extra *e = &v[order[i].at];
		struct plan_job like = *how;
		like.round += (int64_t)order[i].round;
		like.alone = order[i].round >= packed.first_alone;
		rc = plan_pair_jobs(p, s, &like, plan_rank_of(s, e->a), plan_rank_of(s, e->b), err);
	}
	free(order);
	free(packed.round);
	return rc;
}

static int check_pairs(const struct plan *p, const struct plan_extra *v, size_t n,
                       struct hb_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].a >= p->nodes.n || v[i].b >= p->nodes.n || v[i].a == v[i].b)
			return hb_fail(err, HB_E_USAGE,
			               "extra pair %zu is no pair of this plan's nodes", i);
	return HB_OK;
}

int plan_add_extra(struct plan *p, size_t from, const char *bench, const struct plan_extra *v,
                   size_t n, struct hb_err *err)
{
	const struct plan_mark mark = plan_mark(p);
	const struct bench_info *info = catalog_find(bench);
	size_t to = SIZE_MAX;
	int64_t round = 0;
	int rc = check_pairs(p, v, n, err);

	for (size_t e = 0; rc == HB_OK && n && e < p->suite->n_entries; e++) {
		struct plan_job like = { .entry = e, .phase = PHASE_EXTRA };
		char helper[64];
		if (p->suite->entries[e].info != info || info->shape != BENCH_PAIR)
			continue;
		info_helper_name(info, helper, sizeof(helper));
		if (to == SIZE_MAX) {
			to = plan_open_step(p, from, helper, 1);
			round = first_round(&p->steps[to]);
		}
		like.round = round;
		rc = p->n_steps > PLAN_STEPS_MAX
		             ? hb_fail(err, HB_E_USAGE, "the plan has %zu steps already",
		                       mark.n_steps)
		             : add_entry(p, to, &like, v, n, err);
	}
	if (rc == HB_OK && n && to == SIZE_MAX)
		return hb_fail(err, HB_E_USAGE, "no extra pairs of %s: its pairs are not planned",
		               bench);
	if (rc != HB_OK)
		plan_take_back(p, &mark);
	else if (to != SIZE_MAX)
		plan_step_estimate(p, &p->steps[to]);
	return rc;
}

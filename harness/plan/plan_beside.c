/*
 * Steps side by side: a step of local jobs is cut into several with nodes of their own, which run
 * at the same time, so that a node that keeps its step from starting costs its neighbours only.
 */
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"

static bool can_be_cut(const struct plan_step *s)
{
	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].n_ranks != 1)
			return false;
	return s->n_jobs > 0 && s->rpn == 1 && s->n_ranks > 1;
}

/* The part of step from that has its ranks lo .. hi - 1; jobs move there with their ids. */
static void make_part(const struct plan_step *from, int lo, int hi, struct plan_step *part)
{
	*part = (struct plan_step){ .helper = hb_strdup(from->helper),
		                    .n_ranks = hi - lo,
		                    .rpn = from->rpn,
		                    .beside = lo > 0 };
	part->rank_node = hb_realloc_array(NULL, (size_t)part->n_ranks, sizeof(*part->rank_node));
	memcpy(part->rank_node, from->rank_node + lo,
	       (size_t)part->n_ranks * sizeof(*part->rank_node));
	for (size_t i = 0; i < from->n_jobs; i++) {
		const struct plan_job *j = &from->jobs[i];
		if (j->ranks[0] < lo || j->ranks[0] >= hi)
			continue;
		hb_grow(&part->jobs, &part->cap_jobs, part->n_jobs + 1, sizeof(*part->jobs));
		part->jobs[part->n_jobs] = *j;
		part->jobs[part->n_jobs++].ranks[0] -= lo;
	}
}

void plan_cut_local(struct plan *p, int at_once)
{
	struct plan_step from = p->steps[p->n_steps - 1];
	int n = from.n_ranks, parts = at_once < n ? at_once : n;

	if (parts < 2 || !can_be_cut(&from))
		return;
	p->n_steps--;
	p->predicted_s -= from.predicted_s;
	for (int i = 0; i < parts; i++) {
		/* The larger parts first, so that the first one says how long all take. */
		int lo = i * (n / parts) + (i < n % parts ? i : n % parts);
		int hi = lo + n / parts + (i < n % parts);
		hb_grow(&p->steps, &p->cap_steps, p->n_steps + 1, sizeof(*p->steps));
		struct plan_step *s = &p->steps[p->n_steps++];
		make_part(&from, lo, hi, s);
		s->id = p->n_steps;
		plan_step_estimate(p, s);
	}
	free(from.jobs); /* their ranks have moved */
	free(from.rank_node);
	free(from.helper);
}

size_t plan_together(const struct plan *p, size_t first)
{
	size_t n = 1;

	while (first + n < p->n_steps && p->steps[first + n].beside)
		n++;
	return n;
}

/* Pairs that were lost although both ends answer others: each again, in a step of the two alone. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

/* A step of these two nodes from index first on, or a new one. */
static struct plan_step *step_of_two(struct plan *p, size_t first, const char *helper, size_t a,
                                     size_t b)
{
	for (size_t i = first; i < p->n_steps; i++) {
		struct plan_step *s = &p->steps[i];

		if (s->n_ranks == 2 && s->rank_node[0] == a && s->rank_node[1] == b &&
		    strcmp(s->helper, helper) == 0)
			return s;
	}
	struct plan_step *s = plan_step_add(p, helper, 1);

	s->n_ranks = 2;
	s->rank_node[0] = a;
	s->rank_node[1] = b;
	return s;
}

int plan_add_again(struct plan *p, size_t from, size_t step, size_t job, struct hb_err *err)
{
	const struct plan_step *old_step = &p->steps[step];
	struct plan_job j = old_step->jobs[job];
	size_t a, b;

	if (j.n_ranks != 2 || j.phase != PHASE_MAIN || j.instead || p->nodes.n < 3)
		return hb_fail(err, HB_E_USAGE, "job %llu is no pair of the main part",
		               (unsigned long long)j.id);
	a = old_step->rank_node[j.ranks[0]];
	b = old_step->rank_node[j.ranks[1]];
	if (a == b || p->n_steps >= PLAN_STEPS_MAX || p->next_unit + j.cases.n > PLAN_UNITS_MAX)
		return hb_fail(err, HB_E_USAGE, "job %llu cannot be measured again",
		               (unsigned long long)j.id);
	/* The lower node first, so that both directions of a pair share a step. */
	bool swapped = a > b;
	char *helper = hb_strdup(old_step->helper); /* the array of steps may move */
	struct plan_step *s = step_of_two(p, from, helper, swapped ? b : a, swapped ? a : b);

	free(helper);
	j.instead = j.first_unit;
	j.id = p->next_job++;
	j.first_unit = p->next_unit;
	j.alone = true;
	j.ranks = hb_realloc_array(NULL, 2, sizeof(*j.ranks));
	j.ranks[0] = swapped;
	j.ranks[1] = !swapped;
	p->next_unit += j.cases.n;
	hb_grow(&s->jobs, &s->cap_jobs, s->n_jobs + 1, sizeof(*s->jobs));
	s->jobs[s->n_jobs++] = j;
	plan_step_estimate(p, s);
	return HB_OK;
}

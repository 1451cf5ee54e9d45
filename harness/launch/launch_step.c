/* The state of one attempt at a step: made for its plan and what is known already, and freed. */
#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/launch_watch.h"

/* What an earlier process of the run measured is not measured again. */
static void go_on(struct step_run *r, const struct launch_past *past)
{
	r->attempt = past->attempts[r->index];
	for (size_t j = 0; j < r->step->n_jobs; j++) {
		const struct plan_job *job = &r->step->jobs[j];
		size_t done = 0;
		for (size_t i = 0; i < job->cases.n; i++) {
			uint64_t unit = job->first_unit + i;
			r->ended[r->unit_at[j] + i] = past->ended[unit];
			done += past->ended[unit];
			if (past->tries[unit] > r->tries[j])
				r->tries[j] = past->tries[unit];
		}
		if (done == job->cases.n)
			r->s.job[j] = JOB_DONE;
		r->jobs_done += done == job->cases.n;
	}
}

void step_run_init(struct step_run *r, struct launch *l, size_t index)
{
	const struct plan *plan = l->p.plan;
	const struct plan_step *step = &plan->steps[index];
	const struct launch_past *past = l->p.past;
	size_t n_ranks = (size_t)step->n_ranks, units = 0;

	*r = (struct step_run){ .l = l, .step = step, .index = index };
	sched_init(&r->s, step, plan->max_pairs);
	r->host = hb_alloc((n_ranks + 1) * sizeof *r->host);
	r->why = hb_alloc((n_ranks + 1) * sizeof *r->why);
	r->heard_ms = hb_alloc((n_ranks + 1) * sizeof *r->heard_ms);
	r->last = hb_alloc((n_ranks + 1) * sizeof *r->last);
	r->world = hb_alloc((n_ranks + 1) * sizeof *r->world);
	r->seat = hb_alloc((n_ranks + 1) * sizeof *r->seat);
	r->left_out = hb_alloc((n_ranks + 1) * sizeof *r->left_out);
	r->port = hb_alloc((n_ranks + 1) * sizeof *r->port);
	r->n_world = step->n_ranks;
	for (size_t i = 0; i < n_ranks; i++)
		r->host[i] = hb_strdup(plan->nodes.v[step->rank_node[i]]);
	for (size_t i = 0; i < n_ranks; i++)
		r->world[i] = r->seat[i] = (int)i;
	r->due_ms = hb_alloc((step->n_jobs + 1) * sizeof *r->due_ms);
	r->unit_at = hb_alloc((step->n_jobs + 1) * sizeof *r->unit_at);
	for (size_t j = 0; j < step->n_jobs; j++) {
		r->unit_at[j] = units;
		units += step->jobs[j].cases.n;
	}
	r->ended = hb_alloc(units + 1);
	r->asked = hb_alloc(units + 1);
	r->commanded = hb_alloc((step->n_jobs + 1) * sizeof *r->commanded);
	r->tries = hb_alloc((step->n_jobs + 1) * sizeof *r->tries);
	r->cut = hb_alloc((step->n_jobs + 1) * sizeof *r->cut);
	r->begun = hb_alloc((n_ranks + 1) * sizeof *r->begun);
	r->watch = step_watch_new(r);
	r->facts = step_facts_new(r);
	tiers_init(&r->tiers, step, plan->nodes.n);
	if (past && index < past->n_steps)
		go_on(r, past);
}

void step_run_free(struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++) {
		free(r->host[i]);
		free(r->why[i]);
		free(r->port[i].address);
	}
	free(r->port);
	free(r->host);
	free(r->why);
	free(r->heard_ms);
	free(r->last);
	free(r->world);
	free(r->seat);
	free(r->left_out);
	free(r->begun);
	tiers_free(&r->tiers);
	free(r->due_ms);
	free(r->unit_at);
	free(r->ended);
	free(r->asked);
	free(r->commanded);
	free(r->tries);
	free(r->cut);
	step_facts_free(r->facts);
	step_watch_free(r->watch, r);
	sched_free(&r->s);
}

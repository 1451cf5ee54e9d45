/* Acceptance while a run goes on: collectives wait until it is known which nodes are good. */
#include "bench/base/mem.h"
#include "harness/measure/measure_parts.h"

int measure_accept_check(const struct measure *m, struct hb_err *err)
{
	if (!m->req.hold_groups)
		return HB_OK;
	if (!accept_wanted(&m->plan))
		return hb_fail(err, HB_E_USAGE,
		               "this run has no new nodes: nobody is to be accepted");
	if (m->plan.later.n)
		return hb_fail(err, HB_E_USAGE,
		               "--budget: %zu of %zu nodes do not fit, and new nodes and their "
		               "controls are measured together; give more time, or fewer nodes",
		               m->plan.later.n, m->plan.later.n + m->plan.nodes.n);
	return HB_OK;
}

void measure_decide(struct measure *m)
{
	const struct accept_input in = { .plan = &m->plan,
		                         .s = &m->summary,
		                         .v = m->judged ? &m->verdicts : NULL,
		                         .sheets = m->sheets.n ? &m->sheets : NULL,
		                         .findings = m->sheets.n ? &m->findings : NULL };

	m->accepting = accept_wanted(&m->plan);
	if (m->accepting)
		accept_decide(&in, &m->acceptance);
}

void measure_decide_not(struct measure *m)
{
	accept_free(&m->acceptance);
	m->accepting = false;
}

/* Appends the groups; returns how many steps they are. */
static size_t plan_held(struct measure *m)
{
	size_t before = m->plan.n_steps;
	bool *in = hb_alloc(m->plan.nodes.n + 1);
	struct hb_err err;

	accept_members(&m->acceptance, &m->plan, in);
	if (plan_add_groups(&m->plan, in, &err) != HB_OK && m->req.note)
		m->req.note(m->req.ctx, "warn", err.text);
	free(in);
	return m->plan.n_steps - before;
}

int measure_accept(struct measure *m, struct launch *l, struct hb_err *err)
{
	size_t steps;
	int rc;

	if (!m->accepting || m->signal || m->broken || m->req.files ||
	    (m->past.ended && measure_nothing_left(m)) || !plan_groups_held(&m->plan))
		return HB_OK;
	for (size_t i = 0; i < m->n_steps; i++)
		if (m->steps[i].no_time)
			return HB_OK;
	steps = plan_held(m);
	if (steps == 0)
		return HB_OK;
	rc = measure_write_plan(m, err);
	if (rc == HB_OK)
		rc = measure_appended(l, PHASE_MAIN, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	if (rc == HB_OK)
		rc = measure_collect(m, err);
	return rc;
}

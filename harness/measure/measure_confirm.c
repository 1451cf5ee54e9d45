/* The confirming rerun: what looks slow is measured again beside a good control, in the same run.
 */
#include "bench/base/mem.h"
#include "harness/judge/compare.h"
#include "harness/measure/measure_parts.h"

int measure_appended(struct launch *l, enum phase phase, size_t steps, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int rc;

	js_set_str(o, "type", "append");
	js_set_str(o, "phase", phase_name(phase));
	js_set_u64(o, "steps", steps);
	rc = launch_journal(l, o, err);
	js_put(o);
	return rc;
}

/* Who is no good partner in the rerun: what lost figures, is suspect itself or known trouble. A
 * flag a node. */
static bool *nodes_to_avoid(const struct measure *m, const struct suspect *s, size_t n)
{
	bool *avoid = hb_alloc(m->plan.nodes.n * sizeof *avoid);
	long node;

	for (size_t i = 0; i < m->summary.n_losses; i++) {
		const struct summary_loss *l = &m->summary.losses[i];
		if (l->status != UNIT_SKIPPED &&
		    (node = nodeset_find(&m->plan.nodes, l->subject)) >= 0)
			avoid[node] = true;
	}
	for (size_t i = 0; i < m->plan.nodes.n; i++)
		avoid[i] = avoid[i] || acks_touch_node(&m->acks, m->plan.nodes.v[i]);
	for (size_t i = 0; i < n; i++)
		if ((node = nodeset_find(&m->plan.nodes, s[i].subject)) >= 0)
			avoid[node] = true;
	return avoid;
}

/* Appends confirming jobs for what is suspect; returns how many steps were added for them. */
static size_t plan_confirm(struct measure *m)
{
	struct suspect s[MEASURE_CONFIRM_MAX];
	size_t all = compare_suspects(&m->verdicts, s, MEASURE_CONFIRM_MAX);
	size_t n = all < MEASURE_CONFIRM_MAX ? all : MEASURE_CONFIRM_MAX;
	size_t before = m->plan.n_steps;
	bool *avoid = nodes_to_avoid(m, s, n);
	const struct plan_confirm how = { before, avoid };
	struct hb_err err;
	char text[160];

	for (size_t i = 0; i < n; i++)
		if (plan_add_confirm(&m->plan, &how, s[i].bench, s[i].subject, s[i].control,
		                     &err) != HB_OK &&
		    m->req.note)
			m->req.note(m->req.ctx, "warn", err.text);
	free(avoid);
	if (all > n && m->req.note) {
		snprintf(text, sizeof text, "%zu suspects; the worst %zu are measured again", all,
		         n);
		m->req.note(m->req.ctx, "info", text);
	}
	return m->plan.n_steps - before;
}

bool measure_has_phase(const struct measure *m, enum phase phase)
{
	for (size_t i = m->plan.n_steps; i > 0; i--) {
		const struct plan_step *s = &m->plan.steps[i - 1];
		if (s->n_jobs > 0 && s->jobs[0].phase == phase)
			return true;
	}
	return false;
}

int measure_confirm(struct measure *m, struct launch *l, struct hb_err *err)
{
	size_t steps;
	int rc;

	if (!m->judged || !m->req.confirm || m->signal || m->broken)
		return HB_OK;
	steps = measure_has_phase(m, PHASE_CONFIRM) ? 0 : plan_confirm(m);
	if (steps == 0)
		return HB_OK;
	rc = measure_write(m, "plan.json", plan_to_json(&m->plan), err);
	if (rc == HB_OK)
		rc = measure_appended(l, PHASE_CONFIRM, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	if (rc == HB_OK)
		rc = measure_collect(m, err);
	return rc;
}

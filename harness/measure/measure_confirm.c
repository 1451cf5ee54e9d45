/* The confirming rerun: what looks slow is measured again beside a good control, in the same run.
 */
#include "bench/base/mem.h"
#include "harness/judge/compare.h"
#include "harness/measure/measure_parts.h"

static int journal_append(struct launch *l, size_t steps, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int rc;

	js_set_str(o, "type", "append");
	js_set_str(o, "phase", phase_name(PHASE_CONFIRM));
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

/* An earlier process of the run had come so far. */
static bool has_confirm(const struct measure *m)
{
	const struct plan_step *last = &m->plan.steps[m->plan.n_steps - 1];

	return last->n_jobs > 0 && last->jobs[0].phase != PHASE_MAIN;
}

int measure_confirm(struct measure *m, struct launch *l, struct hb_err *err)
{
	size_t steps;
	int rc;

	if (!m->judged || !m->req.confirm || m->signal || m->broken)
		return HB_OK;
	steps = has_confirm(m) ? 0 : plan_confirm(m);
	if (steps == 0)
		return HB_OK;
	rc = measure_write_plan(m, err);
	if (rc == HB_OK)
		rc = journal_append(l, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	if (rc == HB_OK)
		rc = measure_collect(m, err);
	return rc;
}

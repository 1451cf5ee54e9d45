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

/* Of which leaf classes the suspect rows are: bit 0 within a leaf, bit 1 across leaves. */
static int leaves_of(const struct verdicts *v, const struct suspect *s)
{
	int found = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (r->verdict == VERDICT_SUSPECT && strcmp(r->subject, s->subject) == 0 &&
		    strcmp(r->key->bench, s->bench) == 0 && key_of_leaf(r->key))
			found |= strcmp(r->key->class_, key_same_leaf) == 0 ? 1 : 2;
	}
	return found;
}

/* A rerun for each leaf class that the suspect has rows of, else one. */
static int add_one(struct measure *m, struct plan_confirm how, const struct suspect *s,
                   struct hb_err *err)
{
	static const int leaf[] = { 1, -1 };
	int classes = leaves_of(&m->verdicts, s), rc = HB_OK;

	for (int i = 0; i < 2 && rc == HB_OK; i++) {
		how.leaf = classes ? leaf[i] : 0;
		if (classes ? classes >> i & 1 : i == 0)
			rc = plan_add_confirm(&m->plan, &how, s->bench, s->subject, s->control,
			                      err);
	}
	return rc;
}

/* Appends confirming jobs for what is suspect; returns how many steps were added for them. */
static size_t plan_confirm(struct measure *m)
{
	struct suspect s[MEASURE_CONFIRM_MAX];
	size_t all = compare_suspects(&m->verdicts, s, MEASURE_CONFIRM_MAX);
	size_t n = all < MEASURE_CONFIRM_MAX ? all : MEASURE_CONFIRM_MAX;
	size_t before = m->plan.n_steps;
	bool *avoid = nodes_to_avoid(m, s, n);
	const struct plan_confirm how = { before, avoid, 0 };
	struct hb_err err;
	char text[160];

	for (size_t i = 0; i < n; i++)
		if (add_one(m, how, &s[i], &err) != HB_OK && m->req.note)
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
	for (size_t i = 0; i < m->plan.n_steps; i++)
		for (size_t j = 0; j < m->plan.steps[i].n_jobs; j++)
			if (m->plan.steps[i].jobs[j].phase == phase)
				return true;
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
	rc = measure_write_plan(m, err);
	if (rc == HB_OK)
		rc = measure_appended(l, PHASE_CONFIRM, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	if (rc == HB_OK)
		rc = measure_collect(m, err);
	return rc;
}

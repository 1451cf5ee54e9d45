/*
 * Pairs that got no answer although both ends answer others: once more, each in a small step of the
 * two nodes alone. What comes replaces what was lost; what is lost again is the pair's fault.
 */
#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "harness/measure/measure_parts.h"

enum { AGAIN_PAIRS_MAX = 16, AGAIN_SHARE = 20 /* one pair of so many */ };

static bool worth_a_look(const struct measure *m)
{
	bool lost = false;

	if (!m->has_summary || !measure_may_add(m))
		return false;
	for (size_t i = 0; i < m->summary.n_losses; i++)
		lost = lost || m->summary.losses[i].status == UNIT_GIVEN_UP ||
		       m->summary.losses[i].status == UNIT_TIMEOUT;
	return lost;
}

/* Is another job of the same two nodes measured again already? */
static bool has_step(const struct plan *p, size_t from, const struct collect_lost_job *lost)
{
	const struct plan_step *old = &p->steps[lost->step];
	const struct plan_job *j = &old->jobs[lost->job];
	size_t a = old->rank_node[j->ranks[0]], b = old->rank_node[j->ranks[1]];

	for (size_t i = from; i < p->n_steps; i++) {
		const size_t *two = p->steps[i].rank_node;
		if ((two[0] == a && two[1] == b) || (two[0] == b && two[1] == a))
			return true;
	}
	return false;
}

/* Both directions of a pair, and all of its benchmarks, share one step of the two nodes. */
static size_t plan_again(struct measure *m, const struct collect_lost *lost)
{
	size_t before = m->plan.n_steps, left_out = 0;
	size_t most = lost->of / AGAIN_SHARE;
	struct hb_err err;
	char text[120];

	most = most < 1 ? 1 : most > AGAIN_PAIRS_MAX ? AGAIN_PAIRS_MAX : most;
	for (size_t i = 0; i < lost->n; i++) {
		const struct collect_lost_job *j = &lost->v[i];

		if (m->plan.n_steps - before >= most && !has_step(&m->plan, before, j))
			left_out++;
		else if (plan_add_again(&m->plan, before, j->step, j->job, &err) != HB_OK)
			break;
	}
	if (left_out > 0 && m->req.note) {
		snprintf(text, sizeof text,
		         "more pairs got no answer than are measured again; those of %zu are",
		         m->plan.n_steps - before);
		m->req.note(m->req.ctx, "info", text);
	}
	return m->plan.n_steps - before;
}

int measure_again(struct measure *m, struct launch *l, struct hb_err *err)
{
	struct collect_lost lost;
	bool *out_of_it;
	size_t steps = 0;
	int rc;

	if (!worth_a_look(m))
		return HB_OK;
	out_of_it = hb_alloc((m->plan.nodes.n + 1) * sizeof *out_of_it);
	for (size_t i = 0; i < m->plan.nodes.n; i++)
		out_of_it[i] = launch_node_lost(l, i);
	rc = collect_lost_pairs(m->dir, out_of_it, &lost, err);
	if (rc == HB_OK)
		steps = plan_again(m, &lost);
	free(out_of_it);
	free(lost.v);
	if (rc != HB_OK || steps == 0)
		return rc;
	rc = measure_write_plan(m, err);
	if (rc == HB_OK)
		rc = measure_appended(l, PHASE_MAIN, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	return rc == HB_OK ? measure_collect(m, err) : rc;
}

/*
 * Pairs that were lost and measured once more, in a step of their own: which these should be, and
 * what the second try makes of the first.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "harness/collect/collect_parts.h"

/*
 * A figure of the second try replaces the first one's. Where there is none the first one stands
 * only if it was good, or if there never was a second.
 */
void collect_again(struct collect *c)
{
	for (uint64_t i = 0; i < c->plan.next_unit; i++) {
		struct unit_state *u = &c->units[i], *old;
		const struct plan_job *j = u->step == UINT32_MAX ? NULL : unit_job(c, u);

		if (!j || !j->instead)
			continue;
		old = &c->units[j->instead + (i - j->first_unit)];
		if (old->step == UINT32_MAX)
			continue;
		bool came = collect_outcome(c, u).status == UNIT_OK;
		bool had = collect_outcome(c, old).status == UNIT_OK;
		if (came || (!had && u->cur))
			old->step = UINT32_MAX;
		else
			u->step = UINT32_MAX;
	}
}

/* ---- what should be measured again ---- */

enum { NEAR = 8 /* jobs: both directions of a pair stand side by side, in parts of 64 cases */ };

struct ends {
	size_t *pairs, *lost; /* of each node: main jobs of pairs, and those that were lost */
};

static bool is_main_pair(const struct collect *c, const struct plan_step *s,
                         const struct plan_job *j)
{
	return j->phase == PHASE_MAIN && j->cases.info->shape == BENCH_PAIR && !j->instead &&
	       c->plan.nodes.n > 2 && s->rank_node[j->ranks[0]] != s->rank_node[j->ranks[1]];
}

/* Somebody told that it got no answer, or that nobody came. */
static bool is_lost(const struct collect *c, const struct plan_job *j)
{
	for (size_t k = 0; k < j->cases.n; k++) {
		const struct unit_state *u = &c->units[j->first_unit + k];
		enum unit_status s = collect_outcome(c, u).status;

		if (u->cur && u->cur->ended && (s == UNIT_TIMEOUT || s == UNIT_GIVEN_UP))
			return true;
	}
	return false;
}

/* It was lost, or its other direction was: the two are one figure, and measured alike. */
static bool is_half_lost(const struct collect *c, const struct plan_step *s, size_t i)
{
	const struct plan_job *j = &s->jobs[i];
	size_t lo = i > NEAR ? i - NEAR : 0, hi = i + NEAR < s->n_jobs ? i + NEAR : s->n_jobs - 1;

	if (is_lost(c, j))
		return true;
	for (size_t k = lo; k <= hi; k++) {
		const struct plan_job *o = &s->jobs[k];
		if (k != i && o->entry == j->entry && o->phase == j->phase &&
		    o->round == j->round && o->first_case == j->first_case && o->n_ranks == 2 &&
		    o->ranks[0] == j->ranks[0] && o->ranks[1] == j->ranks[1] && is_lost(c, o))
			return true;
	}
	return false;
}

static bool was_again(const struct collect *c, const struct plan_job *j)
{
	for (size_t s = 0; s < c->plan.n_steps; s++)
		for (size_t i = 0; i < c->plan.steps[s].n_jobs; i++)
			if (c->plan.steps[s].jobs[i].instead == j->first_unit)
				return true;
	return false;
}

static void count_ends(const struct collect *c, struct ends *e)
{
	for (size_t s = 0; s < c->plan.n_steps; s++) {
		const struct plan_step *step = &c->plan.steps[s];

		for (size_t i = 0; i < step->n_jobs; i++) {
			const struct plan_job *j = &step->jobs[i];

			if (!is_main_pair(c, step, j))
				continue;
			bool lost = is_lost(c, j);
			for (int k = 0; k < 2; k++) {
				e->pairs[step->rank_node[j->ranks[k]]]++;
				e->lost[step->rank_node[j->ranks[k]]] += lost;
			}
		}
	}
}

/* It answers others: less than half of what it should measure was lost. */
static bool answers(const struct ends *e, size_t node)
{
	return 2 * e->lost[node] < e->pairs[node];
}

static void choose(const struct collect *c, const struct ends *e, const bool *out_of_it,
                   struct collect_lost *out)
{
	size_t cap = 0;

	for (size_t s = 0; s < c->plan.n_steps; s++) {
		const struct plan_step *step = &c->plan.steps[s];

		for (size_t i = 0; i < step->n_jobs; i++) {
			const struct plan_job *j = &step->jobs[i];

			if (!is_main_pair(c, step, j))
				continue;
			size_t a = step->rank_node[j->ranks[0]], b = step->rank_node[j->ranks[1]];
			out->of++;
			if (out_of_it[a] || out_of_it[b] || !answers(e, a) || !answers(e, b) ||
			    !is_half_lost(c, step, i) || was_again(c, j))
				continue;
			hb_grow(&out->v, &cap, out->n + 1, sizeof(*out->v));
			out->v[out->n++] = (struct collect_lost_job){ s, i };
		}
	}
}

int collect_lost_pairs(const char *dir, const bool *out_of_it, struct collect_lost *out,
                       struct hb_err *err)
{
	struct summary none;
	struct collect c = { .out = &none };
	int rc;

	*out = (struct collect_lost){ 0 };
	summary_init(&none);
	rc = collect_lines(&c, dir, err);
	if (rc == HB_OK) {
		struct ends e = { hb_alloc((c.plan.nodes.n + 1) * sizeof(*e.pairs)),
			          hb_alloc((c.plan.nodes.n + 1) * sizeof(*e.lost)) };

		count_ends(&c, &e);
		choose(&c, &e, out_of_it, out);
		free(e.pairs);
		free(e.lost);
	}
	collect_free(&c);
	summary_free(&none);
	return rc;
}

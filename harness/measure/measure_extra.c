/*
 * Extra pairs: what decides who is to blame, measured in the same run. localize says which; they
 * are few (LOC_PARAMS_DEFAULT), and asked for once.
 */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/measure/measure_parts.h"

bool measure_extra_due(const struct measure *m)
{
	if (!m->req.confirm || m->req.files || m->plan.nodes.n < FINDINGS_NODES_MIN ||
	    measure_has_phase(m, PHASE_EXTRA))
		return false;
	for (size_t i = 0; i < m->suite.n_entries; i++)
		if (m->suite.entries[i].info->shape == BENCH_PAIR)
			return true;
	return false;
}

bool measure_may_add(const struct measure *m)
{
	if (m->signal || m->broken)
		return false;
	for (size_t i = 0; i < m->n_steps; i++)
		if (m->steps[i].no_time || m->steps[i].cancelled)
			return false;
	return true;
}

static bool may_add(const struct measure *m)
{
	return measure_may_add(m) && measure_extra_due(m) &&
	       !(m->past.ended && measure_nothing_left(m));
}

/* The sheets of one benchmark and hardware class, side by side as localize_ask takes them. */
struct cases {
	struct loc_sheet *sheets;
	struct localized *found; /* borrowed from the findings, in copies */
	size_t *at;              /* where each stands in the run's sheets */
	size_t n;
};

static void gather(const struct measure *m, size_t first, bool *taken, struct cases *out)
{
	const struct sheets *s = &m->sheets;

	*out = (struct cases){ .sheets = hb_alloc((s->n + 1) * sizeof *out->sheets),
		               .found = hb_alloc((s->n + 1) * sizeof *out->found),
		               .at = hb_alloc((s->n + 1) * sizeof *out->at) };
	for (size_t i = first; i < s->n; i++) {
		if (taken[i] || !sheets_same(&s->v[first], &s->v[i]))
			continue;
		taken[i] = true;
		sheets_view(s, i, m->has_base ? &m->base : NULL, &out->sheets[out->n]);
		out->found[out->n] = m->findings.found[i];
		out->at[out->n++] = i;
	}
}

static void cases_free(struct cases *c)
{
	free(c->sheets);
	free(c->found);
	free(c->at);
}

static bool is_known(const struct measure *m, size_t node)
{
	return acks_touch_node(&m->acks, m->plan.nodes.v[node]);
}

/* Somebody looks after it already: nothing is spent on it. */
static bool is_wanted(const struct measure *m, const struct plan_extra *e, const struct loc_ask *a)
{
	size_t n = m->plan.nodes.n;

	if (e->a >= n || e->b >= n || e->a == e->b)
		return false;
	return a->about < n ? !is_known(m, a->about) : !is_known(m, e->a) && !is_known(m, e->b);
}

/* Adds what the cases of one benchmark ask for; how many pairs that are. */
static size_t ask_for(struct measure *m, size_t from, const struct cases *c)
{
	const struct loc_params params = LOC_PARAMS_DEFAULT;
	const struct sheet *s = &m->sheets.v[c->at[0]];
	struct loc_ask *asks = NULL;
	struct hb_err err;
	size_t kept = 0,
	       n = localize_ask(c->sheets, c->found, c->n, &params, s->loaded, m->plan.seed, &asks);
	struct plan_extra *v = hb_alloc((n + 1) * sizeof *v);

	for (size_t i = 0; i < n; i++) {
		if (asks[i].a >= s->n_ends || asks[i].b >= s->n_ends)
			continue;
		v[kept] = (struct plan_extra){ s->ends[asks[i].a].node, s->ends[asks[i].b].node,
			                       asks[i].isolated };
		kept += is_wanted(m, &v[kept], &asks[i]);
	}
	if (kept && plan_add_extra(&m->plan, from, s->key.bench, v, kept, &err) != HB_OK) {
		if (m->req.note)
			m->req.note(m->req.ctx, "warn", err.text);
		kept = 0;
	}
	free(v);
	free(asks);
	return kept;
}

/* Appends them all; returns how many steps there are for them. */
static size_t plan_extras(struct measure *m)
{
	size_t from = m->plan.n_steps, pairs = 0;
	bool *taken = hb_alloc(m->sheets.n + 1);
	char text[128];

	for (size_t i = 0; i < m->sheets.n; i++) {
		struct cases c;
		if (taken[i] || i >= m->findings.n_found || !m->findings.found[i].nodes)
			continue;
		gather(m, i, taken, &c);
		pairs += ask_for(m, from, &c);
		cases_free(&c);
	}
	free(taken);
	if (pairs && m->req.note) {
		snprintf(text, sizeof text, "%zu extra pair%s decide%s who is slow", pairs,
		         pairs == 1 ? "" : "s", pairs == 1 ? "s" : "");
		m->req.note(m->req.ctx, "info", text);
	}
	return m->plan.n_steps - from;
}

int measure_extra(struct measure *m, struct launch *l, struct hb_err *err)
{
	size_t steps = may_add(m) ? plan_extras(m) : 0;
	int rc;

	if (steps == 0)
		return HB_OK;
	rc = measure_write_plan(m, err);
	if (rc == HB_OK)
		rc = measure_appended(l, PHASE_EXTRA, steps, err);
	if (rc == HB_OK)
		rc = measure_steps(m, l, err);
	if (rc == HB_OK)
		rc = measure_collect(m, err);
	return rc;
}

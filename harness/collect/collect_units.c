/* The table of units: from a unit's id to its place in the plan in one step, and its attempts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

void collect_units_init(struct collect *c)
{
	c->units = hb_realloc_array(NULL, (size_t)c->plan.next_unit, sizeof(*c->units));
	for (uint64_t i = 0; i < c->plan.next_unit; i++)
		c->units[i] = (struct unit_state){ UINT32_MAX, 0, NULL, NULL };
	for (size_t s = 0; s < c->plan.n_steps; s++) {
		for (size_t j = 0; j < c->plan.steps[s].n_jobs; j++) {
			const struct plan_job *job = &c->plan.steps[s].jobs[j];
			for (size_t k = 0; k < job->cases.n; k++) {
				struct unit_state *u = &c->units[job->first_unit + k];
				u->step = (uint32_t)s;
				u->job = (uint32_t)j;
			}
		}
	}
}

static void attempt_free(struct attempt *a)
{
	if (!a)
		return;
	free(a->reason);
	free(a->f);
	free(a);
}

void collect_units_free(struct collect *c)
{
	for (uint64_t i = 0; c->units && i < c->plan.next_unit; i++) {
		attempt_free(c->units[i].cur);
		attempt_free(c->units[i].whole);
	}
	free(c->units);
	c->units = NULL;
}

struct unit_state *collect_unit(struct collect *c, uint64_t id)
{
	if (id > c->n_units || c->units[c->unit0 + id].step == UINT32_MAX)
		return NULL;
	return &c->units[c->unit0 + id];
}

static bool is_whole(const struct attempt *a)
{
	return a->ended && a->point && a->status == UNIT_OK;
}

/* a, the later one, goes before b: it is whole, and not disturbed where b is whole and quiet. */
static bool is_better(const struct attempt *a, const struct attempt *b)
{
	return is_whole(a) && (!b || !a->disturbed || b->disturbed);
}

struct attempt *collect_attempt(struct unit_state *u, uint64_t id)
{
	if (u->cur && u->cur->id == id)
		return u->cur;
	if (u->cur && u->cur->id > id)
		return NULL;
	/* A new attempt; an earlier one is kept while it is the best there is. */
	if (u->cur && is_better(u->cur, u->whole)) {
		attempt_free(u->whole);
		u->whole = u->cur;
	} else {
		attempt_free(u->cur);
	}
	u->cur = hb_alloc(sizeof(*u->cur));
	u->cur->id = id;
	return u->cur;
}

static const char *lost_reason(const struct collect *c, const struct unit_state *u)
{
	if (c->step_reason[u->step])
		return c->step_reason[u->step];
	if (!u->cur)
		return "never measured: the run ended before";
	return "its end was never told";
}

struct outcome collect_outcome(const struct collect *c, const struct unit_state *u)
{
	const struct attempt *a = u->cur && is_better(u->cur, u->whole) ? u->cur : u->whole;
	if (a) {
		bool disturbed = a->disturbed || c->disturbed[u->step];
		return (struct outcome){ a, disturbed ? ROW_DISTURBED : ROW_OK, UNIT_OK,
			                 !disturbed  ? NULL
			                 : a->reason ? a->reason
			                             : "foreign load or traffic meanwhile" };
	}
	a = u->cur;
	if (!a || !a->ended)
		return (struct outcome){ a, ROW_NOT_MEASURED, UNIT_GIVEN_UP, lost_reason(c, u) };
	if (a->status == UNIT_INVALID)
		return (struct outcome){ a, ROW_INVALID, a->status,
			                 a->reason ? a->reason : "not to be trusted" };
	if (a->status == UNIT_OK)
		return (struct outcome){ a, ROW_NOT_MEASURED, UNIT_GIVEN_UP,
			                 "ended well, but its figures never came" };
	return (struct outcome){ a, ROW_NOT_MEASURED, a->status,
		                 a->reason ? a->reason : unit_status_name(a->status) };
}

bool collect_figure(const struct collect *c, const struct unit_state *u, const struct outcome *o,
                    size_t index, struct pair_figure *out)
{
	const struct plan_job *j = unit_job(c, u);
	const struct figure *f = o->attempt && o->attempt->f ? &o->attempt->f[index] : NULL;
	bool higher = j->cases.info->metrics[index].higher_is_better;
	if (!f || !f->n)
		return false;
	size_t a = job_node(c, u, 0), b = j->n_ranks > 1 ? job_node(c, u, 1) : a;
	*out = (struct pair_figure){ u, o->attempt, f, a, b, higher ? log(f->p50) : -log(f->p50) };
	return true;
}

size_t collect_add_figure(const struct collect *c, struct pair_figure *v, size_t n,
                          const struct pair_figure *e)
{
	struct pair_figure *last = &v[n > 0 ? n - 1 : 0];
	const char *dir = unit_job(c, e->u)->dir;
	if (!dir || n == 0 || last->a != e->a || last->b != e->b ||
	    strcmp(unit_job(c, last->u)->dir, dir) == 0) {
		v[n] = *e;
		return n + 1;
	}
	if (e->y < last->y)
		*last = *e;
	return n;
}

#include "harness/plan/plan_budget.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "bench/base/units.h"

enum { TURNS_STREAM = 3 };

/* ---- whose turn it is ---- */

struct turn {
	const char *had, *run, *last;
	size_t draw, node;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	int c = strcmp(x->had, y->had);

	if (c == 0)
		c = strcmp(x->run, y->run);
	if (c == 0)
		c = strcmp(x->last, y->last);
	return c ? c : x->draw < y->draw ? -1 : x->draw > y->draw;
}

void plan_turns(const struct plan_past *past, size_t n, const char *now, uint64_t seed,
                size_t *order)
{
	struct turn *v = hb_alloc((n + 1) * sizeof(*v));
	size_t *draw = hb_alloc((n + 1) * sizeof(*draw));
	struct rng rng;

	rng_stream(&rng, seed, n, TURNS_STREAM);
	for (size_t i = 0; i < n; i++)
		draw[i] = i;
	rng_shuffle(&rng, draw, n, sizeof(*draw));
	for (size_t i = 0; i < n; i++) {
		bool past_now = strcmp(past[i].had, now) > 0;
		v[i] = (struct turn){ past_now ? "" : past[i].had, past_now ? "" : past[i].run,
			              past_now ? "" : past[i].last, draw[i], i };
	}
	qsort(v, n, sizeof(*v), by_turn);
	for (size_t i = 0; i < n; i++)
		order[i] = v[i].node;
	free(draw);
	free(v);
}

static bool *chosen(size_t all, const size_t *order, size_t n)
{
	bool *keep = hb_alloc((all + 1) * sizeof(*keep));

	for (size_t i = 0; i < n; i++)
		keep[order[i]] = true;
	return keep;
}

void plan_keep(const struct nodeset *all, const size_t *order, size_t n, struct nodeset *kept,
               struct nodeset *rest)
{
	bool *keep = chosen(all->n, order, n);

	*kept = *rest = (struct nodeset){ 0 };
	for (size_t i = 0; i < all->n; i++) {
		struct nodeset *to = keep[i] ? kept : rest;
		hb_grow(&to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = hb_strdup(all->v[i]);
	}
	free(keep);
}

/* ---- what fits ---- */

struct fitting {
	const struct suite *suite;
	const struct nodeset *nodes;
	const struct plan_params *params;
	const size_t *order;
	struct hb_err *err;
};

/* What the first n nodes should take; negative: no plan can be made, err says why. */
static double time_of(const struct fitting *f, size_t n, int rounds)
{
	struct plan_params p = *f->params;
	struct nodeset part = { 0 };
	struct plan plan;
	bool *keep = chosen(f->nodes->n, f->order, n);
	const char **hw = hb_alloc((n + 1) * sizeof(const char *));
	double seconds = -1;

	for (size_t i = 0; i < f->nodes->n; i++) {
		if (!keep[i])
			continue;
		if (p.hw)
			hw[part.n] = p.hw[i];
		hb_grow(&part.v, &part.cap, part.n + 1, sizeof(*part.v));
		part.v[part.n++] = f->nodes->v[i];
	}
	p.hw = p.hw ? hw : NULL;
	p.rounds = rounds;
	if (plan_make(f->suite, &part, "", &p, &plan, f->err) == HB_OK) {
		seconds = plan.predicted_s;
		plan_free(&plan);
	}
	free(part.v); /* its names are borrowed */
	free(hw);
	free(keep);
	return seconds;
}

/*
 * The largest number in [lo, hi] that fits, given that lo does: rounds of all nodes, or nodes with
 * so many rounds.
 */
static int largest(const struct fitting *f, int lo, int hi, bool rounds, int fixed, double budget_s)
{
	while (lo < hi) {
		int mid = lo + (hi - lo + 1) / 2;
		double s = rounds ? time_of(f, (size_t)fixed, mid) : time_of(f, (size_t)mid, fixed);
		if (s >= 0 && s <= budget_s)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

static int nothing_fits(double budget_s, double least, size_t n, struct hb_err *err)
{
	char has[32], needs[32];

	units_format_duration(budget_s, has, sizeof has);
	units_format_duration(least, needs, sizeof needs);
	return hb_fail(err, HB_E_USAGE,
	               "--budget %s: even %zu node%s should take %s; give that much, or fewer "
	               "benchmarks or sizes, or a shorter --max-time",
	               has, n, n == 1 ? "" : "s", needs);
}

/* As many nodes as fit with so few rounds. */
static int fit_nodes(const struct fitting *f, int few, double budget_s, struct plan_fit *out)
{
	size_t all = f->nodes->n, need = suite_nodes_min(f->suite), least = 0;
	double s;

	/* The controls, which come first, and a node that is none. */
	for (size_t i = 0; f->params->controls && i < all; i++)
		if (nodeset_find(f->params->controls, f->nodes->v[i]) >= 0)
			least++;
	if (least && least + 1 > need)
		need = least + 1;
	if (need > all)
		need = all;
	s = time_of(f, need, few);
	if (s < 0)
		return f->err->code;
	if (s > budget_s)
		return nothing_fits(budget_s, s, need, f->err);
	out->rounds = few;
	out->n = (size_t)largest(f, (int)need, (int)all, false, few, budget_s);
	out->predicted_s = time_of(f, out->n, few);
	return HB_OK;
}

int plan_fit(const struct suite *suite, const struct nodeset *nodes,
             const struct plan_params *params, double budget_s, const size_t *order,
             struct plan_fit *out, struct hb_err *err)
{
	struct fitting f = { suite, nodes, params, order, err };
	int all = (int)nodes->n;
	int most = params->rounds > 0 && params->rounds < all ? params->rounds : all;
	int few = most < PLAN_BUDGET_ROUNDS ? most : PLAN_BUDGET_ROUNDS;
	double s = time_of(&f, nodes->n, params->rounds);

	if (s < 0)
		return err->code;
	*out = (struct plan_fit){ params->rounds, nodes->n, s };
	if (s <= budget_s)
		return HB_OK;
	s = time_of(&f, nodes->n, few);
	if (s < 0 || s > budget_s)
		return fit_nodes(&f, few, budget_s, out);
	out->rounds = largest(&f, few, most, true, all, budget_s);
	out->predicted_s = time_of(&f, nodes->n, out->rounds);
	return HB_OK;
}

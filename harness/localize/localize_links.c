/*
 * Links: a cell below what its ends make of it, in its first figure and in every retest. Transient
 * dips make low cells too, and among thousands of cells some are low three times in a row; so the
 * share of low cells says how many tests it takes until chance alone makes less than one false link
 * in 200 sheets.
 */
#include <math.h>

#include "harness/localize/localize_parts.h"

static const double false_links = 0.005;
enum { MORE_RETESTS = 4 };

double loc_residual(const struct loc_work *w, const struct loc_cell *c, const struct loc_pair *t,
                    double y)
{
	double a = w->out->nodes[loc_node_of(w, c->a)].score;
	double b = w->out->nodes[loc_node_of(w, c->b)].score;

	if (!isfinite(a) || !isfinite(b))
		return NAN;
	if (!t)
		return y - fmin(a, b);
	return isfinite(y) ? y - w->off[c->class_] - fmin(a, b) : -INFINITY;
}

static bool fit(const struct loc_work *w, const struct loc_cell *c)
{
	return !c->explained && w->out->nodes[loc_node_of(w, c->a)].state != LOC_OPEN &&
	       w->out->nodes[loc_node_of(w, c->b)].state != LOC_OPEN;
}

static bool low(const struct loc_work *w, const struct loc_cell *c, const struct loc_pair *t)
{
	return loc_residual(w, c, t, t->y) < -w->delta;
}

bool loc_all_low(const struct loc_work *w, const struct loc_cell *c, size_t *n)
{
	*n = 0;
	if (!fit(w, c))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);

		if (t->isolated)
			continue;
		if (!low(w, c, t))
			return false;
		++*n;
	}
	return *n > 0;
}

size_t loc_link_tests(const struct loc_work *w, bool sure)
{
	size_t least = 1 + (size_t)(w->p.retests > 0 ? w->p.retests : 0), n = 0, lows = 0, m;
	double share, bound = sure ? false_links / 2 : false_links, chance;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];
		const struct loc_pair *t = loc_test(w, c, 0);

		if (!fit(w, c) || t->isolated || t->extra)
			continue;
		n++;
		lows += low(w, c, t);
	}
	/* The cell in question left out: it may be low for its own reason. */
	share = n > 1 ? (double)(lows - (lows > 0)) / (double)(n - 1) : 0;
	chance = (double)n * pow(share, (double)least);
	for (m = least; m < least + MORE_RETESTS && chance > bound; m++)
		chance *= share;
	return m;
}

/* Median residual over the cell's loaded tests, of y or of one direction (a to b: end numbers);
 * *low: each was low. NaN where a test does not tell. */
static double direction(const struct loc_work *w, const struct loc_cell *c, bool a_to_b, bool *low)
{
	size_t n = 0;

	*low = true;
	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);
		double y = (t->a == c->a) == a_to_b ? t->ab : t->ba;

		if (t->isolated || !isfinite(t->y))
			continue;
		if (!isfinite(y))
			return NAN;
		w->scratch[n] = loc_residual(w, c, t, y);
		*low = *low && w->scratch[n++] < -w->delta;
	}
	return loc_median(w->scratch, n);
}

static size_t fewer(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void blame(struct loc_work *w, const struct loc_cell *c, size_t tests)
{
	const struct loc_node *a = &w->out->nodes[loc_node_of(w, c->a)];
	const struct loc_node *b = &w->out->nodes[loc_node_of(w, c->b)];
	bool low_ab, low_ba;
	double ab = direction(w, c, true, &low_ab), ba = direction(w, c, false, &low_ba), r;
	struct loc_blame *v;

	if (isfinite(ab) && isfinite(ba) && low_ab && ba > -w->delta)
		v = loc_blame_add(w, LOC_LINK_AB, c->a, c->b);
	else if (isfinite(ab) && isfinite(ba) && low_ba && ab > -w->delta)
		v = loc_blame_add(w, LOC_LINK_AB, c->b, c->a);
	else
		v = loc_blame_add(w, LOC_LINK, c->a, c->b);
	r = loc_residual(w, c, NULL, c->all);
	v->loss = v->loaded = isfinite(c->all) ? 1 - exp(r) : 1;
	v->tests = v->slow_tests = tests;
	v->partners = fewer(a->partners, b->partners) - (fewer(a->partners, b->partners) > 0);
	/* Every test must be low, and half of them are below the middle: z of 0.9 to the power 1/n.
	 */
	v->detectable = NAN;
}

void loc_links(struct loc_work *w)
{
	size_t need = loc_link_tests(w, false), n;

	for (size_t i = 0; i < w->n_cells; i++)
		if (loc_all_low(w, &w->cells[i], &n) && n >= need)
			blame(w, &w->cells[i], n);
}

/*
 * Links: a cell below what its ends make of it, in its first figure and in every retest. Transient
 * dips make low cells too, and among thousands of cells some are low three times in a row; so the
 * share of low cells says how many tests it takes until chance alone makes less than one false link
 * in 200 sheets.
 */
#include <math.h>

#include "bench/base/dist.h"
#include "harness/localize/localize_parts.h"

static const double false_links = 0.005;
enum { MORE_RETESTS = 4 };

/*
 * What a pair whose link is well shows at least: the lesser of both scores. But two nodes that are
 * both slower than good pairs are slower still with each other, where times add up, and where slow
 * nodes are the most nobody blames them; and a pair that is as good as most of its class is
 * not slow, whatever its ends do elsewhere (across a slow up-link that nobody may blame).
 */
static double least(const struct loc_work *w, double a, double b)
{
	double least = fmax(a, b) < w->best - w->delta ? a + b - w->best : fmin(a, b);

	return fmin(least, w->centre);
}

double loc_residual(const struct loc_work *w, const struct loc_cell *c, const struct loc_pair *t,
                    double y)
{
	double a = w->out->nodes[loc_node_of(w, c->a)].score;
	double b = w->out->nodes[loc_node_of(w, c->b)].score;

	if (!isfinite(a) || !isfinite(b))
		return NAN;
	if (!t)
		return y - least(w, a, b);
	return isfinite(y) ? y - w->off[c->class_] - least(w, a, b) : -INFINITY;
}

static bool fit(const struct loc_work *w, const struct loc_cell *c)
{
	return !c->explained && w->out->nodes[loc_node_of(w, c->a)].state != LOC_OPEN &&
	       w->out->nodes[loc_node_of(w, c->b)].state != LOC_OPEN;
}

static bool told_apart(const struct loc_pair *t)
{
	return isfinite(t->ab) && isfinite(t->ba);
}

/* Directions in which a test was low; both where it does not tell them apart or was lost. */
static unsigned low(const struct loc_work *w, const struct loc_cell *c, const struct loc_pair *t)
{
	bool same = t->a == c->a;
	double ab, ba;

	if (!isfinite(t->y) || !told_apart(t))
		return loc_residual(w, c, t, t->y) < -w->delta ? LOC_BOTH : 0;
	ab = loc_residual(w, c, t, same ? t->ab : t->ba);
	ba = loc_residual(w, c, t, same ? t->ba : t->ab);
	return (ab < -w->delta ? LOC_AB : 0U) | (ba < -w->delta ? LOC_BA : 0U);
}

/* The best test of a cell, as a residual. */
static double best(const struct loc_work *w, const struct loc_cell *c)
{
	double r = -INFINITY;

	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);

		if (!t->isolated)
			r = fmax(r, loc_residual(w, c, t, t->y));
	}
	return r;
}

/*
 * What makes a node slow may make its figures wander (lost packets, a starved core), and then some
 * cell of it is the lowest. So a blamed node's cell says something of its link only where it lies
 * further below all others of that node than those lie apart.
 */
static bool stands_out(const struct loc_work *w, const struct loc_cell *c, uint32_t node)
{
	double lowest = INFINITY, highest = -INFINITY;
	size_t n = 0;

	if (w->out->nodes[node].state != LOC_BLAMED)
		return true;
	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *other = &w->cells[w->of[i]];
		double r = loc_residual(w, other, NULL, other->all);

		if (other == c || !isfinite(r))
			continue;
		lowest = fmin(lowest, r);
		highest = fmax(highest, r);
		n++;
	}
	return n > 1 && best(w, c) < lowest - fmax(w->delta, highest - lowest);
}

unsigned loc_always_low(const struct loc_work *w, const struct loc_cell *c, size_t *n)
{
	unsigned ways = LOC_BOTH;

	*n = 0;
	if (!fit(w, c))
		return 0;
	for (size_t i = 0; i < c->n && ways; i++) {
		const struct loc_pair *t = loc_test(w, c, i);

		if (t->isolated)
			continue;
		ways &= low(w, c, t);
		++*n;
	}
	if (*n == 0 || ways == 0 || !stands_out(w, c, loc_node_of(w, c->a)) ||
	    !stands_out(w, c, loc_node_of(w, c->b)))
		return 0;
	return ways;
}

size_t loc_link_tests(const struct loc_work *w, bool sure)
{
	size_t least = 1 + (size_t)(w->p.retests > 0 ? w->p.retests : 0), n = 0, lows = 0, m;
	double share, bound = sure ? false_links / 2 : false_links, chance;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];
		const struct loc_pair *t = loc_test(w, c, 0);
		unsigned ways;

		if (!fit(w, c) || t->isolated || t->extra)
			continue;
		ways = low(w, c, t);
		n += told_apart(t) ? 2 : 1;
		lows += ways != 0;
		lows += told_apart(t) && ways == LOC_BOTH;
	}
	/* The cell in question left out: it may be low for its own reason. */
	share = n > 1 ? (double)(lows - (lows > 0)) / (double)(n - 1) : 0;
	chance = (double)n * pow(share, (double)least);
	for (m = least; m < least + MORE_RETESTS && chance > bound; m++)
		chance *= share;
	return m;
}

/* Median residual over the cell's figures in these directions; lost tests have none. */
static double middle(const struct loc_work *w, const struct loc_cell *c, unsigned ways)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct loc_pair *t = loc_test(w, c, i);
		double y = (t->a == c->a) == (ways == LOC_AB) ? t->ab : t->ba;

		if (!t->isolated && isfinite(t->y))
			w->scratch[n++] = loc_residual(w, c, t, ways == LOC_BOTH ? t->y : y);
	}
	return n ? loc_median(w->scratch, n) : -INFINITY;
}

static size_t fewer(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void blame(struct loc_work *w, const struct loc_cell *c, unsigned ways, size_t tests)
{
	const struct loc_node *a = &w->out->nodes[loc_node_of(w, c->a)];
	const struct loc_node *b = &w->out->nodes[loc_node_of(w, c->b)];
	size_t partners = fewer(a->partners, b->partners);
	struct loc_blame *v = loc_blame_add(w, ways == LOC_BOTH ? LOC_LINK : LOC_LINK_AB,
	                                    ways == LOC_BA ? c->b : c->a,
	                                    ways == LOC_BA ? c->a : c->b);

	v->loss = v->loaded = 1 - exp(middle(w, c, ways));
	v->tests = v->slow_tests = tests;
	v->partners = partners - (partners > 0);
	/* All of its tests must be low, so each with the power 0.9 to 1/tests. */
	v->detectable = 1 - exp(-w->delta -
	                        w->noise * dist_norm_quantile(pow(0.9, 1.0 / (double)tests)));
}

/* The level of the better pairs, those of two good nodes: the best tenth begins there. */
static double best_level(const struct loc_work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_cells; i++)
		if (!w->cells[i].explained && isfinite(w->cells[i].all))
			w->scratch[n++] = w->cells[i].all;
	return n ? loc_quantile(w->scratch, n, 0.9) : NAN;
}

/* The level of all classes of pairs, where there are several; else NaN. */
static double centre_of_classes(const struct loc_work *w)
{
	bool several = false;
	size_t n = 0;

	for (size_t i = 0; i < w->n_cells; i++) {
		const struct loc_cell *c = &w->cells[i];

		several = several || c->class_ != w->cells[0].class_;
		if (!c->explained && isfinite(c->all))
			w->scratch[n++] = c->all;
	}
	return several && n ? loc_median(w->scratch, n) : NAN;
}

void loc_links(struct loc_work *w)
{
	size_t need, n;

	w->best = best_level(w);
	w->centre = centre_of_classes(w);
	need = loc_link_tests(w, false);
	for (size_t i = 0; i < w->n_cells; i++) {
		unsigned ways = loc_always_low(w, &w->cells[i], &n);

		if (ways && n >= need)
			blame(w, &w->cells[i], ways, n);
	}
}

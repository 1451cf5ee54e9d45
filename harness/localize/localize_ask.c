/*
 * What to measure next, the most telling first: pairs that decide what is undecided, retests of low
 * cells, isolated tests, then pairs for the candidates, shared out evenly, the worst first.
 */
#include "harness/localize/localize_ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

static bool put(struct loc_asking *a, uint32_t x, uint32_t y, enum loc_why why, uint32_t about)
{
	struct loc_ask *q;

	if (a->budget == 0)
		return false;
	a->budget--;
	hb_grow(&a->v, &a->cap, a->n + 1, sizeof(*a->v));
	q = &a->v[a->n++];
	q->a = x;
	q->b = y;
	q->why = why;
	q->isolated = why == LOC_ASK_ISOLATED || why == LOC_ASK_CONTROL;
	q->about = about;
	return true;
}

/* Whether a pair of these ends says something about their nodes. */
static bool telling(const struct loc_asking *a, uint32_t x, uint32_t y)
{
	const struct loc_work *w = a->w;
	uint32_t lx = w->leaf[x], ly = w->leaf[y], rx = w->rail[x], ry = w->rail[y];

	if (lx != ly &&
	    ((lx != LOC_NONE && a->bad_leaf[lx]) || (ly != LOC_NONE && a->bad_leaf[ly])))
		return false;
	return (rx == LOC_NONE || !a->bad_rail[rx]) && (ry == LOC_NONE || !a->bad_rail[ry]);
}

/* Ends of both nodes that lie on the same rail where they have one, from the turn-th on. */
static bool choose_ends(const struct loc_asking *a, uint32_t node, uint32_t partner, size_t turn,
                        uint32_t end[2])
{
	const uint32_t *x = a->end + a->first_end[node], *y = a->end + a->first_end[partner];
	size_t nx = a->first_end[node + 1] - a->first_end[node];
	size_t ny = a->first_end[partner + 1] - a->first_end[partner];

	for (size_t i = 0; i < nx; i++)
		for (size_t k = 0; k < ny; k++) {
			end[0] = x[(i + turn) % nx];
			end[1] = y[k];
			if (a->w->rail[end[0]] == a->w->rail[end[1]] && telling(a, end[0], end[1]))
				return true;
		}
	return false;
}

enum { AGAIN = 2 };

/* The next known-good node that was not tested with this suspect (fresh), or any. */
static bool choose(struct loc_asking *a, const struct loc_suspect *s, bool fresh, size_t turn,
                   uint32_t end[2])
{
	size_t stamp = (size_t)(s - a->suspects) + 1;

	for (size_t tried = 0; tried < a->n_good; tried++) {
		uint32_t p = a->good[a->next++ % a->n_good];

		if (p == s->node || (fresh && a->mark[p] == stamp))
			continue;
		if (!choose_ends(a, s->node, p, turn, end))
			continue;
		if (fresh)
			a->mark[p] = stamp;
		return true;
	}
	return false;
}

static void mark_tested(struct loc_asking *a, const struct loc_suspect *s)
{
	for (size_t k = 0; k < a->n_sheets; k++) {
		const struct loc_work *w = &a->w[k];

		for (size_t i = w->first[s->node]; i < w->first[s->node + 1]; i++)
			a->mark[loc_partner(w, &w->cells[w->of[i]], s->node)] =
			        (size_t)(s - a->suspects) + 1;
	}
}

static void ask_pairs(struct loc_asking *a, const struct loc_suspect *s, size_t n, enum loc_why why)
{
	uint32_t end[2];
	size_t i = 0;

	mark_tested(a, s);
	for (; i < n && choose(a, s, true, i, end); i++)
		if (!put(a, end[0], end[1], why, s->node))
			return;
	/* Whoever has met everybody is measured with some once more: once is no confirmation. */
	for (; i < n && i < AGAIN && choose(a, s, false, i, end); i++)
		if (!put(a, end[0], end[1], why, s->node))
			return;
}

/* Pairs from an undecided leaf to leaves that nothing is said about. */
static void ask_leaf(struct loc_asking *a, uint32_t leaf)
{
	const struct loc_work *w = a->w;
	size_t asked = 0;

	for (size_t i = 0; i < a->n_good && asked < 3; i++) {
		uint32_t x = a->end[a->first_end[a->good[i]]];

		if (w->leaf[x] == LOC_NONE || w->leaf_number[w->leaf[x]] != leaf)
			continue;
		for (size_t k = 0; k < a->n_good; k++) {
			uint32_t y = a->end[a->first_end[a->good[a->next++ % a->n_good]]];

			if (w->leaf[y] == LOC_NONE || a->bad_leaf[w->leaf[y]])
				continue;
			asked += put(a, x, y, LOC_ASK_UNDECIDED, LOC_NONE);
			break;
		}
	}
}

static bool is_asked(const struct loc_asking *a, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].why == LOC_ASK_LINK && a->v[i].a == x && a->v[i].b == y)
			return true;
	return false;
}

/* Links that may be behind it: once its ends are cleared nothing else says so. All or none of the
 * retests: fewer decide nothing. */
static void ask_open_links(struct loc_asking *a, const struct localized *found)
{
	for (size_t k = 0; k < a->n_sheets; k++) {
		size_t need = loc_link_tests(&a->w[k], true);

		for (size_t i = 0; i < found[k].n; i++) {
			const struct loc_blame *b = &found[k].v[i];

			if (b->kind != LOC_LINK || b->state != LOC_UNDECIDED || b->tests >= need ||
			    need - b->tests > a->budget || is_asked(a, b->a, b->b))
				continue;
			for (size_t t = b->tests; t < need; t++)
				put(a, b->a, b->b, LOC_ASK_LINK, LOC_NONE);
		}
	}
}

static void ask_undecided(struct loc_asking *a, const struct localized *found)
{
	for (size_t i = 0; i < a->n_suspects; i++)
		if (a->suspects[i].open)
			ask_pairs(a, &a->suspects[i], a->suspects[i].want, LOC_ASK_UNDECIDED);
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].kind == LOC_LEAF && found->v[i].state == LOC_UNDECIDED)
			ask_leaf(a, found->v[i].a);
	ask_open_links(a, found);
}

struct low_cell {
	uint32_t a, b;
	double r; /* the worst of all sheets */
	size_t want;
};

static int by_ends(const void *pa, const void *pb)
{
	const struct low_cell *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static int by_residual(const void *pa, const void *pb)
{
	const struct low_cell *a = pa, *b = pb;

	return a->r < b->r ? -1 : a->r > b->r ? 1 : by_ends(pa, pb);
}

static size_t low_cells(const struct loc_asking *a, struct low_cell **out)
{
	struct low_cell *v = NULL;
	size_t n = 0, cap = 0, kept = 0, tests;

	for (size_t k = 0; k < a->n_sheets; k++) {
		const struct loc_work *w = &a->w[k];
		size_t need = loc_link_tests(w, true);

		for (size_t i = 0; i < w->n_cells; i++) {
			const struct loc_cell *c = &w->cells[i];
			double r = isfinite(c->all) ? loc_residual(w, c, NULL, c->all) : -INFINITY;

			if (!loc_always_low(w, c, &tests) || tests >= need)
				continue;
			hb_grow(&v, &cap, n + 1, sizeof(*v));
			v[n++] = (struct low_cell){ c->a, c->b, r, need - tests };
		}
	}
	if (n)
		qsort(v, n, sizeof(*v), by_ends);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || by_ends(&v[kept - 1], &v[i]) != 0) {
			v[kept++] = v[i];
			continue;
		}
		v[kept - 1].r = fmin(v[kept - 1].r, v[i].r);
		if (v[kept - 1].want < v[i].want)
			v[kept - 1].want = v[i].want;
	}
	if (kept)
		qsort(v, kept, sizeof(*v), by_residual);
	*out = v;
	return kept;
}

/* Whole cells, the lowest first. */
static void ask_links(struct loc_asking *a)
{
	struct low_cell *v;
	size_t n = low_cells(a, &v), left = a->budget;

	for (size_t i = 0; i < n && v[i].want <= left; i++) {
		left -= v[i].want;
		for (size_t k = 0; k < v[i].want; k++)
			put(a, v[i].a, v[i].b, LOC_ASK_LINK, LOC_NONE);
	}
	free(v);
}

static bool had_isolated(const struct loc_asking *a, uint32_t node)
{
	const struct loc_work *w = a->w;

	for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
		const struct loc_cell *c = &w->cells[w->of[i]];

		for (size_t k = 0; k < c->n; k++)
			if (loc_test(w, c, k)->isolated)
				return true;
	}
	return false;
}

static void ask_control(struct loc_asking *a)
{
	uint32_t end[2], x, y;

	if (a->n_good < 2)
		return;
	x = a->good[a->next++ % a->n_good];
	y = a->good[a->next++ % a->n_good];
	if (x != y && choose_ends(a, x, y, 0, end))
		put(a, end[0], end[1], LOC_ASK_CONTROL, LOC_NONE);
}

/* At most a third of what is left. */
static void ask_isolated(struct loc_asking *a, const struct localized *found)
{
	size_t most = a->budget / 3, before = a->n;
	uint32_t end[2];

	for (size_t i = 0; i < a->n_suspects && a->n - before + 2 <= most; i++) {
		const struct loc_suspect *s = &a->suspects[i];

		if (!s->slow || had_isolated(a, s->node) || !choose(a, s, false, 0, end))
			continue;
		put(a, end[0], end[1], LOC_ASK_ISOLATED, s->node);
		ask_control(a);
	}
	for (size_t i = 0; i < found->n && a->n - before + 2 <= most; i++) {
		const struct loc_blame *b = &found->v[i];

		if ((b->kind != LOC_LINK && b->kind != LOC_LINK_AB) || b->state != LOC_SLOW ||
		    isfinite(b->isolated))
			continue;
		put(a, b->a, b->b, LOC_ASK_ISOLATED, LOC_NONE);
		ask_control(a);
	}
}

static void ask_candidates(struct loc_asking *a)
{
	size_t *quota = hb_alloc((a->n_suspects + 1) * sizeof(*quota)), left = a->budget, given = 1;

	while (left && given) {
		given = 0;
		for (size_t i = 0; i < a->n_suspects && left; i++) {
			if (a->suspects[i].open || quota[i] >= a->suspects[i].want)
				continue;
			quota[i]++;
			given++;
			left--;
		}
	}
	for (size_t i = 0; i < a->n_suspects; i++)
		if (quota[i])
			ask_pairs(a, &a->suspects[i], quota[i], LOC_ASK_CANDIDATE);
	free(quota);
}

/* Within the share of the main tests less what was asked before; at least one suspect's worth. */
static size_t budget(const struct loc_sheet *sheets, size_t n, const struct loc_params *p)
{
	size_t most = 0, done = 0, least = p->extra_pairs > 0 ? (size_t)p->extra_pairs : 0;

	for (size_t k = 0; k < n; k++) {
		size_t main = 0, more = 0;

		for (size_t i = 0; i < sheets[k].n_pairs; i++)
			if (sheets[k].pairs[i].extra || sheets[k].pairs[i].isolated)
				more++;
			else
				main++;
		most = main > most ? main : most;
		done = more > done ? more : done;
	}
	most = (size_t)((double)most * fmax(p->extra_share, 0));
	most = most > least ? most : least;
	return most > done ? most - done : 0;
}

size_t localize_ask(const struct loc_sheet *sheets, const struct localized *found, size_t n,
                    const struct loc_params *p, bool loaded, uint64_t seed, struct loc_ask **out)
{
	struct loc_asking a = { .n_sheets = n };
	struct localized *again;
	struct rng rng;

	*out = NULL;
	if (n == 0)
		return 0;
	a.w = hb_alloc(n * sizeof(*a.w));
	again = hb_alloc(n * sizeof(*again));
	for (size_t i = 0; i < n; i++)
		loc_work_make(&a.w[i], &sheets[i], p, &again[i]);
	rng_stream(&rng, seed, found->n_nodes, n);
	a.budget = budget(sheets, n, &a.w[0].p);
	loc_suspects(&a, found, &rng);
	if (a.n_good > 0)
		ask_undecided(&a, found);
	ask_links(&a);
	if (loaded && a.n_good > 0)
		ask_isolated(&a, found);
	if (a.n_good > 0)
		ask_candidates(&a);
	for (size_t i = 0; i < n; i++) {
		loc_work_free(&a.w[i]);
		localized_free(&again[i]);
	}
	loc_suspects_free(&a);
	free(again);
	free(a.w);
	*out = a.v;
	return a.n;
}

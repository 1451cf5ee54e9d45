/*
 * Suspects, the control each would be measured against, and what the interleaved rerun says
 * (contracts.md section 5): both sides share the session, so what it does cancels.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/compare_rows.h"

static const double alpha_confirm = 0.05, s_floor = 1e-4;

static bool same_family(const struct verdict_row *a, const struct verdict_row *b)
{
	return a->row && b->row && a->row->kind == b->row->kind &&
	       strcmp(a->subject, b->subject) == 0 && strcmp(a->key->bench, b->key->bench) == 0;
}

/* Nothing of this subject in this benchmark is worse than a pass. */
static bool known_good(const struct verdicts *v, const struct verdict_row *of)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];

		if (same_family(r, of) && r->verdict != VERDICT_PASS &&
		    r->verdict != VERDICT_IMPROVED && r->verdict != VERDICT_NEW)
			return false;
	}
	return true;
}

/* The longest history first, then the most ordinary figure in this run. */
static bool better_control(const struct verdict_row *a, const struct verdict_row *b)
{
	bool own_a = a->source == SPREAD_OWN, own_b = b->source == SPREAD_OWN;

	if (own_a != own_b)
		return own_a;
	if (a->n_old != b->n_old)
		return a->n_old > b->n_old;
	return fabs(a->p - 0.5) < fabs(b->p - 0.5);
}

/* Something of this node was not measured: its rank may be gone. */
static bool lost_figures(const struct verdicts *v, const struct verdict_row *of)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].verdict == VERDICT_NOT_MEASURED &&
		    strcmp(v->rows[i].subject, of->subject) == 0)
			return true;
	return false;
}

/* whole: only among those that lost nothing; known: also among what is acknowledged. */
static const char *find_among(const struct verdicts *v, const struct verdict_row *suspect,
                              bool whole, bool known)
{
	const struct verdict_row *best = NULL;

	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];

		if (!r->row || !r->entry || r->row->kind != SUBJECT_NODE ||
		    (r->verdict != VERDICT_PASS && r->verdict != VERDICT_IMPROVED) ||
		    strcmp(r->subject, suspect->subject) == 0 ||
		    strcmp(r->key->text, suspect->key->text) != 0 || (r->ack && !known))
			continue;
		if ((!best || better_control(r, best)) && known_good(v, r) &&
		    !(whole && lost_figures(v, r)))
			best = r;
	}
	return best ? best->subject : NULL;
}

static const char *find_control(const struct verdicts *v, const struct verdict_row *suspect)
{
	const char *best = NULL;

	if (suspect->row->kind != SUBJECT_NODE)
		return NULL;
	for (int known = 0; known < 2 && !best; known++) {
		best = find_among(v, suspect, true, known);
		if (!best)
			best = find_among(v, suspect, false, known);
	}
	return best;
}

/* A suspect row, to be sorted by family. */
struct place {
	const struct verdict_row *v;
	size_t row;
};

static int family_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = strcmp(x->v->subject, y->v->subject);

	if (c == 0)
		c = strcmp(x->v->key->bench, y->v->key->bench);
	if (c == 0)
		c = (int)x->v->row->kind - (int)y->v->row->kind;
	if (c == 0)
		c = x->row < y->row ? -1 : 1;
	return c;
}

static int first_row_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->row < y->row ? -1 : 1;
}

/* For each family with a suspect its worst row; .row is where the family begins. */
static size_t worst_rows(const struct verdicts *v, struct place *out)
{
	size_t n = 0, families = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].verdict == VERDICT_SUSPECT && v->rows[i].row && !v->rows[i].ack)
			out[n++] = (struct place){ &v->rows[i], i };
	if (n)
		qsort(out, n, sizeof(*out), family_order);
	for (size_t i = 0; i < n; i++) {
		if (families == 0 || !same_family(out[families - 1].v, out[i].v))
			out[families++] = out[i];
		else if (out[i].v->p < out[families - 1].v->p)
			out[families - 1].v = out[i].v;
	}
	if (families)
		qsort(out, families, sizeof(*out), first_row_order);
	return families;
}

size_t compare_suspects(const struct verdicts *v, struct suspect *out, size_t max)
{
	struct place *worst = hb_alloc(v->n * sizeof(*worst));
	size_t n = worst_rows(v, worst);

	for (size_t i = 0; i < n && i < max; i++) {
		out[i].subject = worst[i].v->subject;
		out[i].bench = worst[i].v->key->bench;
		out[i].first_row = (size_t)(worst[i].v - v->rows);
		out[i].control = find_control(v, worst[i].v);
	}
	free(worst);
	return n;
}

/* What the rerun says about one row: log ratios suspect/control less the baseline's, a repeat
 * each. */
struct ratios {
	double sum, sum2; /* of the ratios, and of their squares */
	int n;            /* complete repeats */
};

/* Own median, except where the row was judged against its class for want of own history. */
static double base_y(const struct verdict_row *v, const char *subject)
{
	const struct base_series *s = baseline_series(v->entry, subject);
	int least = v->source == SPREAD_CLASS ? BASELINE_MIN_RUNS : 1;

	return s && s->n >= least ? s->median : v->entry->mean;
}

static bool is_good(const struct summary_row *r)
{
	return r->quality == ROW_OK && isfinite(r->value) && r->value > 0.0;
}

/* The control's row of the same repeat, or NULL. */
static const struct summary_row *control_of(const struct summary *run, const struct summary_row *c)
{
	for (size_t i = 0; i < run->n_confirm; i++) {
		const struct summary_row *r = &run->confirm[i];

		if (r->phase == PHASE_CONTROL && r->repeat == c->repeat && is_good(r) &&
		    r->partner && strcmp(r->partner, c->subject) == 0 &&
		    strcmp(r->subject, c->partner) == 0 && strcmp(r->key.text, c->key.text) == 0)
			return r;
	}
	return NULL;
}

/* Returns whether the rerun has this row at all, with or without a control. */
static bool row_ratios(const struct verdict_row *v, const struct summary *run, struct ratios *out,
                       bool *controlled)
{
	bool any = false;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < run->n_confirm; i++) {
		const struct summary_row *c = &run->confirm[i], *control;
		double d;

		if (c->phase != PHASE_CONFIRM || c->kind != v->row->kind ||
		    strcmp(c->subject, v->subject) != 0 ||
		    strcmp(c->key.text, v->row->key.text) != 0)
			continue;
		any = true;
		*controlled |= c->partner != NULL;
		control = c->partner && is_good(c) ? control_of(run, c) : NULL;
		if (!control)
			continue;
		d = summary_y(c) - summary_y(control) -
		    (base_y(v, v->subject) - base_y(v, control->subject));
		out->sum += d;
		out->sum2 += d * d;
		out->n++;
	}
	return any;
}

/* Squares about each row's own mean, pooled over the rows of a family that share a floor: as in a
 * baseline, what the suite holds to be less steady is another curve. */
struct session {
	double ss, df, sizes;
	int repeats; /* the most of any row */
	bool any, controlled;
};

static void look_at_curve(const struct place *rows, size_t n, double floor,
                          const struct summary *run, struct session *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		struct ratios r;

		if (rows[i].v->floor < floor || rows[i].v->floor > floor)
			continue;
		out->any |= row_ratios(rows[i].v, run, &r, &out->controlled);
		if (r.n < 2)
			continue;
		out->ss += fmax(r.sum2 - r.sum * r.sum / r.n, 0.0);
		out->df += r.n - 1;
		out->sizes += 1.0;
		out->repeats = r.n > out->repeats ? r.n : out->repeats;
	}
}

/* Sizes of one session move together: as in a baseline, rho is 1 below 5 repeats. */
static double session_df(const struct session *s, const struct base_entry *e)
{
	double rho = s->repeats < BASELINE_MIN_RUNS ? 1.0 : e->rho;

	return s->df / (1.0 + (s->sizes - 1.0) * rho * rho);
}

static void confirm_row(struct verdict_row *v, const struct session *s, const struct summary *run,
                        const struct compare_params *p)
{
	double spread, mean;
	struct ratios r;
	bool controlled = false;

	row_ratios(v, run, &r, &controlled);
	if (r.n < 2) {
		compare_note(v, "the rerun has no two complete repeats: another run decides");
		return;
	}
	mean = r.sum / r.n;
	spread = fmax(sqrt(s->ss / s->df), s_floor);
	v->confirm_loss = 1.0 - exp(mean);
	v->confirm_p = dist_t_cdf(mean / (spread / sqrt(r.n)), session_df(s, v->entry));
	if (!(v->confirm_loss > v->floor && v->confirm_p < alpha_confirm)) {
		v->verdict = v->mde <= compare_tolerance(v, p) ? VERDICT_PASS
		                                               : VERDICT_INCONCLUSIVE;
		compare_note(v, "not confirmed by %d interleaved repeats", r.n);
		return;
	}
	if (v->provisional) {
		compare_note(v, "the rerun agrees, but %s",
		             v->source > SPREAD_CLASS ? "the spread is borrowed"
		                                      : "the baseline is provisional");
		return;
	}
	v->verdict = VERDICT_REGRESSED;
	v->confirmed = true;
	compare_note(v, "confirmed by %d interleaved repeats", r.n);
}

/* What several runs agree on is no longer one run's rerun to decide. */
static bool is_open(const struct verdict_row *v)
{
	return v->verdict == VERDICT_SUSPECT && v->n_new < 2;
}

static void confirm_family(struct verdicts *v, const struct place *rows, size_t n,
                           const struct summary *run, const struct compare_params *p)
{
	struct session s = { .any = false };
	double floor = NAN;

	for (size_t i = 0; i < n; i++) {
		struct verdict_row *r = &v->rows[rows[i].row];

		if (!is_open(r))
			continue;
		if (!(r->floor >= floor && r->floor <= floor)) /* the first one, or another curve */
			look_at_curve(rows, n, r->floor, run, &s);
		floor = r->floor;
		if (!s.any)
			continue;
		if (!s.controlled)
			compare_note(r, "no known-good control: another run decides");
		else if (s.df > 0.0)
			confirm_row(r, &s, run, p);
		else
			compare_note(r, "the rerun is incomplete: another run decides");
	}
}

void compare_confirm(struct verdicts *v, const struct baseline *b, const struct summary *run,
                     const struct compare_params *p)
{
	struct place *rows = hb_alloc(v->n * sizeof(*rows));
	size_t n = 0;

	(void)b; /* the rows know their entries of it */
	for (size_t i = 0; i < v->n && run->n_confirm; i++)
		if (v->rows[i].row && v->rows[i].entry)
			rows[n++] = (struct place){ &v->rows[i], i };
	if (n)
		qsort(rows, n, sizeof(*rows), family_order);
	for (size_t first = 0, end = 0; first < n; first = end) {
		while (end < n && same_family(rows[first].v, rows[end].v))
			end++;
		confirm_family(v, rows + first, end - first, run, p);
	}
	free(rows);
	verdicts_count(v);
}

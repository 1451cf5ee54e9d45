/*
 * The two sides of `diff`. Differences are always between figures of one subject, so what sets
 * nodes apart cancels; the only question is where the spread from run to run comes from:
 *
 * - the two sides' own runs, each about its own mean, if they leave at least 2 degrees of freedom;
 * - else the entry of the same key in the reference, then in the stored runs, with as many;
 * - else the scatter of the other subjects' differences under this key (at least 3 others): each
 *   difference holds one side's noise and the other's, so its s.d. is the standard error itself;
 * - else the stated default, as if it were known exactly, widened by what the figures themselves
 *   tell of their uncertainty within a run.
 * All but the first are borrowed: what they support is never more than suspect.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/compare_rows.h"

static const double df_min = 2.0, df_known = 1e6;

struct scatter;

struct sides {
	const struct baseline *old, *new, *reference, *stored;
	const struct compare_params *p;
	const struct scatter *scatter; /* one an entry of old */
};

/* Adds one side's spread about its own means, weighted by its degrees of freedom. */
static void add_spread(const struct base_entry *e, double *ss, double *df)
{
	if (!e || !(e->df_run > 0.0))
		return;
	*ss += e->df_run * e->s_run * e->s_run;
	*df += e->df_run;
}

static bool own_spread(const struct base_entry *a, const struct base_entry *b, double *s,
                       double *df)
{
	double ss = 0.0;

	*df = 0.0;
	add_spread(a, &ss, df);
	add_spread(b, &ss, df);
	if (*df < df_min)
		return false;
	*s = sqrt(ss / *df);
	return true;
}

static bool entry_spread(const struct baseline *b, const struct verdict_row *v, size_t near,
                         double *s, double *df)
{
	size_t i = b ? baseline_find_near(b, v->key->text, v->row->kind, near) : SIZE_MAX;

	if (i == SIZE_MAX || !(b->entries[i].df_run >= df_min))
		return false;
	*s = b->entries[i].s_run;
	*df = b->entries[i].df_run;
	return true;
}

/* Sums over the differences under one entry of the old side. */
struct scatter {
	double sum, sum2, n;
};

/* One for each entry of the old side, of rows that are measured on both; the caller frees. */
static struct scatter *scatters(const struct baseline *old, const struct compare_set *set)
{
	struct scatter *all = hb_alloc(old->n_entries * sizeof(*all));

	for (size_t i = 0; i < set->n; i++) {
		double d = set->tests[i].diff;
		struct scatter *x;

		if (!set->rows[i].entry || !isfinite(d))
			continue;
		x = &all[set->rows[i].entry - old->entries];
		x->sum += d;
		x->sum2 += d * d;
		x->n += 1.0;
	}
	return all;
}

/*
 * The scatter of the other subjects' differences under the entry of a row, about their mean. The
 * row's own difference d is taken out: a slow node must not hide in its own spread.
 */
static bool subjects_spread(const struct scatter *all, double d, double *s, double *df)
{
	double n = all->n - 1.0, sum = all->sum - d, sum2 = all->sum2 - d * d;

	if (n - 1.0 < df_min)
		return false;
	*s = fmax(sqrt(fmax(sum2 - sum * sum / n, 0.0) / (n - 1.0)), 1e-4);
	*df = n - 1.0;
	return true;
}

/* First pass: the old side's figure and the difference. */
static void find_old(struct compare_from *from, struct verdict_row *v, struct compare_test *t,
                     size_t *series_cursor)
{
	const struct base_entry *e = compare_lookup(from, v);
	size_t k = e ? baseline_series_near(e, v->subject, *series_cursor) : SIZE_MAX;

	*series_cursor = k == SIZE_MAX ? 0 : k + 1;
	if (k == SIZE_MAX || e->series[k].n == 0)
		return;
	v->entry = e;
	v->n_old = e->series[k].n;
	if (t->measured)
		compare_two_means(v, t, e->series[k].mean, NAN, 0.0);
}

/* The largest relative half interval (95 %) inside a run on either side; 0: not known. */
static double within_runs(const struct verdict_row *v, const struct base_entry *mine)
{
	const struct base_series *a = baseline_series(v->entry, v->subject);
	const struct base_series *b = mine ? baseline_series(mine, v->subject) : NULL;

	return fmax(a ? a->within : 0.0, b ? b->within : 0.0);
}

/* The stated default, and no less than what a single run says of its own figure. */
static double default_spread(double stated, struct verdict_row *v, const struct base_entry *mine)
{
	double within = within_runs(v, mine);

	if (within / 1.96 > stated)
		compare_note(v, "unstable within a run (± %.3g %%): the spread is widened",
		             100.0 * within);
	return hypot(stated, within / 1.96);
}

/* Second pass: the spread, from the first source that has one. */
static void find_spread(const struct sides *x, struct compare_set *set, size_t i,
                        size_t *new_cursor)
{
	struct verdict_row *v = &set->rows[i];
	struct compare_test *t = &set->tests[i];
	size_t k = baseline_find_near(x->new, v->key->text, v->row->kind, *new_cursor);
	const struct base_entry *mine = k == SIZE_MAX ? NULL : &x->new->entries[k];
	size_t at = (size_t)(v->entry - x->old->entries);
	double s = x->p->default_spread, df = df_known;

	*new_cursor = k == SIZE_MAX ? 0 : k;
	v->source = SPREAD_DEFAULT;
	if (own_spread(v->entry, mine, &s, &df)) {
		v->source = SPREAD_OWN;
	} else if (entry_spread(x->reference, v, at, &s, &df)) {
		v->source = SPREAD_BASELINE;
	} else if (entry_spread(x->stored, v, at, &s, &df)) {
		v->source = SPREAD_STORED;
	} else if (subjects_spread(&x->scatter[at], t->diff, &s, &df)) {
		v->source = SPREAD_SUBJECTS;
		s /= sqrt(1.0 / v->n_new + 1.0 / v->n_old); /* back to one run's */
	} else {
		s = default_spread(x->p->default_spread, v, mine);
		df = df_known;
	}
	t->borrowed = v->source != SPREAD_OWN;
	v->provisional = t->borrowed || v->n_old < BASELINE_MIN_RUNS;
	compare_two_means(v, t, t->y_new - t->diff, s, df);
}

/* What only the old side has. */
static void add_gone(const struct baseline *b, const struct summary *const *runs, size_t n,
                     struct compare_set *set)
{
	bool **seen = hb_alloc(b->n_entries * sizeof(*seen));
	size_t n_rows = set->n, *stands = compare_stand_ins(b);

	for (size_t at = 0; at < b->n_entries; at++)
		seen[at] = hb_alloc(b->entries[at].n_series * sizeof(**seen));
	for (size_t i = 0; i < n_rows; i++) {
		const struct base_entry *e = set->rows[i].entry;
		e = e ? &b->entries[stands[e - b->entries]] : NULL;
		size_t k = e ? baseline_series_near(e, set->rows[i].subject, i) : SIZE_MAX;

		if (k != SIZE_MAX)
			seen[e - b->entries][k] = true;
	}
	for (size_t at = 0; at < b->n_entries; at++) {
		const struct base_entry *e = &b->entries[at];

		for (size_t k = 0; stands[at] == at && k < e->n_series; k++) {
			const struct summary_loss *l;

			if (seen[at][k] || e->series[k].n == 0)
				continue;
			l = compare_loss(runs, n, e->series[k].subject, e->key.bench);
			compare_add_absent(set, e, &e->series[k],
			                   l ? VERDICT_NOT_MEASURED : VERDICT_GONE,
			                   !l          ? "only in the old side"
			                   : l->reason ? l->reason
			                               : unit_status_name(l->status));
		}
		free(seen[at]);
	}
	free(stands);
	free(seen);
}

void compare_sides(const struct baseline *old_side, const struct summary *const *new_runs,
                   size_t n_new, const struct baseline *reference, const struct baseline *stored,
                   const struct compare_params *p, struct verdicts *out)
{
	struct baseline new_side;
	struct sides x = { old_side, &new_side, reference, stored, p, NULL };
	struct scatter *scatter;
	struct compare_set set;
	struct compare_from from = { old_side, new_runs, n_new, 0 };
	size_t series = 0, mine = 0;

	baseline_build(new_runs, n_new, &new_side);
	compare_gather(new_runs, n_new, &set);
	enum leaf_gap gap = compare_leaves(old_side, &set);
	for (size_t i = 0; i < set.n; i++)
		find_old(&from, &set.rows[i], &set.tests[i], &series);
	x.scatter = scatter = scatters(old_side, &set);
	for (size_t i = 0; i < set.n; i++)
		if (set.rows[i].entry && set.tests[i].measured)
			find_spread(&x, &set, i, &mine);
	free(scatter);
	baseline_free(&new_side);
	add_gone(old_side, new_runs, n_new, &set);
	compare_judge(&set, p, out);
	out->leaves = gap;
	compare_hw(old_side, new_runs, n_new, false, out);
}

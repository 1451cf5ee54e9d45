#include "harness/judge/compare.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/compare_rows.h"

/* Against the subjects of the class: how many there are, and runs over all of them. */
static void class_size(const struct base_entry *e, double *subjects, double *runs)
{
	*subjects = *runs = 0.0;
	for (size_t k = 0; e->series && k < e->n_series; k++) {
		*subjects += e->series[k].n > 0;
		*runs += e->series[k].n;
	}
}

/*
 * A subject without enough history of its own: one draw from the class, s^2 = s_node^2 +
 * s_run^2 / n for its mean over n runs, and the same of the class's mean. df by Satterthwaite over
 * the two spreads.
 */
static bool against_class(const struct base_entry *e, const struct base_series *own, int n_new,
                          struct compare_against *out)
{
	double subjects, runs, node, run, var;

	class_size(e, &subjects, &runs);
	if (!(subjects >= 2.0) && !(own && own->n > 0))
		return false; /* nobody knows how far apart nodes lie */
	out->source = SPREAD_CLASS;
	out->n = e->runs;
	out->y = e->mean;
	if (!(e->df_run > 0.0))
		return true;
	node = e->s_node * e->s_node * (1.0 + 1.0 / subjects);
	run = e->s_run * e->s_run * (1.0 / n_new + 1.0 / runs);
	var = node + run;
	out->s = sqrt(e->s_node * e->s_node + e->s_run * e->s_run);
	out->se = sqrt(var);
	out->se_new = sqrt(e->s_node * e->s_node + e->s_run * e->s_run / n_new);
	out->se_old = sqrt(e->s_node * e->s_node / subjects + e->s_run * e->s_run / runs);
	out->df = var * var /
	          (run * run / e->df_run + (node > 0.0 ? node * node / e->df_node : 0.0));
	return true;
}

bool compare_against(const struct base_entry *e, const struct base_series *own, int n_new,
                     struct compare_against *out)
{
	*out = (struct compare_against){ .source = SPREAD_OWN, .s = NAN, .df = NAN };
	if (!own || own->n < BASELINE_MIN_RUNS)
		return against_class(e, own, n_new, out);
	out->n = own->n;
	out->y = own->mean;
	out->s = e->s_run;
	out->df = e->df_run;
	if (!(e->df_run > 0.0))
		return true;
	out->se_old = e->s_run / sqrt(own->n);
	out->se_new = e->s_run / sqrt(n_new);
	out->se = e->s_run * sqrt(1.0 / n_new + 1.0 / own->n);
	return true;
}

static void test_row(struct verdict_row *v, struct compare_test *t, size_t *series_cursor)
{
	const struct base_entry *e = v->entry;
	size_t k = baseline_series_near(e, v->subject, *series_cursor);
	const struct base_series *own = k == SIZE_MAX ? NULL : &e->series[k];
	struct compare_against old;

	*series_cursor = k == SIZE_MAX ? 0 : k + 1;
	v->provisional = e->runs < BASELINE_MIN_RUNS;
	if (!compare_against(e, own, v->n_new, &old)) {
		compare_note(v, "the baseline knows neither this subject nor a class of several");
		v->entry = NULL;
		return;
	}
	v->source = old.source;
	v->n_old = old.n;
	v->old_value = exp(e->higher_is_better ? old.y : -old.y);
	v->s = old.s;
	v->df = old.df;
	t->diff = t->y_new - old.y;
	t->se = old.se;
	t->se_old = old.se_old;
	t->se_new = old.se_new;
	t->df = old.df > 0.0 ? old.df : 0.0;
	if (old.source == SPREAD_CLASS && !v->note[0])
		compare_note(v, "against its class: it has %d run%s of its own", own ? own->n : 0,
		             own && own->n == 1 ? "" : "s");
}

static bool took_part(const struct summary *const *runs, size_t n, const char *subject)
{
	for (size_t k = 0; k < n; k++)
		if (runs[k]->hw && json_object_object_get_ex(runs[k]->hw, subject, NULL))
			return true;
	return false;
}

/*
 * Subjects that should have been there: the baseline has them under a key, and either a loss of
 * the new runs names them (and the benchmark, or all), or they took part in these runs and others
 * have figures under this key.
 */
static void add_not_measured(const struct baseline *b, const struct summary *const *runs, size_t n,
                             struct compare_set *set)
{
	bool **seen = hb_alloc(b->n_entries * sizeof(*seen));
	size_t n_rows = set->n, k = 0, *stands = compare_stand_ins(b);

	for (size_t i = 0; i < n_rows; i++) {
		const struct base_entry *e = set->rows[i].entry;
		size_t at = e ? stands[e - b->entries] : 0;

		if (!e)
			continue;
		e = &b->entries[at];
		if (!seen[at])
			seen[at] = hb_alloc(e->n_series * sizeof(**seen));
		k = baseline_series_near(e, set->rows[i].subject, k);
		if (k != SIZE_MAX)
			seen[at][k] = true;
		k = k == SIZE_MAX ? 0 : k + 1;
	}
	for (size_t at = 0; at < b->n_entries; at++) {
		const struct base_entry *e = &b->entries[at];

		for (size_t s = 0; stands[at] == at && s < e->n_series; s++) {
			const struct summary_loss *l;

			if (e->series[s].n == 0 || (seen[at] && seen[at][s]) ||
			    baseline_excluded(b, e->series[s].subject))
				continue;
			l = compare_loss(runs, n, e->series[s].subject, e->key.bench);
			if (l)
				compare_add_absent(set, e, &e->series[s], VERDICT_NOT_MEASURED,
				                   l->reason ? l->reason
				                             : unit_status_name(l->status));
			else if (seen[at] && took_part(runs, n, e->series[s].subject) &&
			         !compare_moved(set, e, e->series[s].subject))
				compare_add_absent(set, e, &e->series[s], VERDICT_NOT_MEASURED,
				                   "took part, but has no figure here");
		}
		free(seen[at]);
	}
	free(stands);
	free(seen);
}

void compare_runs(const struct baseline *b, const struct summary *const *runs, size_t n_new,
                  const struct compare_params *p, struct verdicts *out)
{
	struct compare_set set;
	struct compare_from from = { b, runs, n_new, 0 };
	size_t series = 0;

	compare_gather(runs, n_new, &set);
	enum leaf_gap gap = compare_leaves(b, &set);
	for (size_t i = 0; i < set.n; i++) {
		struct verdict_row *v = &set.rows[i];

		if (set.tests[i].measured && baseline_excluded(b, v->subject)) {
			compare_note(v, "excluded from the baseline");
			continue;
		}
		v->entry = compare_lookup(&from, v);
		if (v->entry && set.tests[i].measured)
			test_row(v, &set.tests[i], &series);
	}
	add_not_measured(b, runs, n_new, &set);
	compare_judge(&set, p, out);
	out->leaves = gap;
	compare_hw(b, runs, n_new, true, out);
}

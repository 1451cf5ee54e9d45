#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;

static void an_unchanged_site_passes(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.n, 24);
	assert_int_equal(v.count[VERDICT_PASS], 24);
	assert_int_equal(v.families, 8);
	assert_int_equal(v.families_rejected, 0);
	assert_true(v.any_tested);
	assert_int_equal(rows_code(&v), CODE_OK);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

/* Smallest detectable loss by the formula as it is written down. */
static double mde(double s, double df, double n_new, double n_base)
{
	double t = dist_t_quantile(0.995, df) + dist_t_quantile(0.9, df);

	return 1.0 - exp(-t * s * sqrt(1.0 / n_new + 1.0 / n_base));
}

static void a_row_shows_the_test_it_was_judged_by(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	const struct verdict_row *r;
	const struct base_entry *e;
	const struct base_series *own;
	double t, x;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	rows_judge(&b, &s, &v);
	r = rows_find(&v, "x.b", 4096, "n3");
	e = rows_entry(&b, r->key->text, SUBJECT_NODE);
	own = baseline_series(e, "n3");
	assert_ptr_equal(r->entry, e);
	assert_int_equal(r->source, SPREAD_OWN);
	assert_int_equal(r->n_old, 10);
	assert_int_equal(r->n_new, 1);
	assert_false(r->provisional || r->confirmed);
	t = (log(r->new_value) - own->mean) / (e->s_run * sqrt(1.0 + 0.1));
	assert_true(fabs(r->p - dist_t_cdf(t, e->df_run)) < 1e-12);
	x = mde(e->s_run, e->df_run, 1.0, 10.0);
	assert_true(fabs(r->mde - x) < 1e-12);
	assert_true(fabs(r->delta + r->loss) < 1e-12); /* a rate: what is lost is missing */
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void smallest_detectable_effect_agrees_with_the_table(void **state)
{
	/* alpha 0.005, power 0.9, 20 runs in the baseline: 4.29, 2.59, 2.09 times s. */
	static const double times[][2] = { { 1, 4.29 }, { 3, 2.59 }, { 5, 2.09 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double loss = mde(0.01, 19.0, times[i][0], 20.0);

		assert_true(fabs(-log(1.0 - loss) / 0.01 - times[i][1]) < 0.01);
	}
}

static void one_slow_run_is_suspect_and_only_where_it_is_slow(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct suspect found[4];

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.9);
	rows_judge(&b, &s, &v);
	for (unsigned k = 0; k < 3; k++)
		rows_expect(&v, "x.a", 1024u << (2 * k), "n2", VERDICT_SUSPECT);
	assert_int_equal(v.count[VERDICT_SUSPECT], 3);
	assert_int_equal(v.count[VERDICT_PASS], 21);
	assert_int_equal(v.families_rejected, 1);
	assert_int_equal(rows_code(&v), CODE_SUSPECT);
	assert_int_equal(compare_suspects(&v, found, 4), 1);
	assert_string_equal(found[0].subject, "n2");
	assert_string_equal(found[0].bench, "x.a");
	assert_non_null(found[0].control);
	assert_string_not_equal(found[0].control, "n2");
	assert_int_equal(compare_suspects(&v, NULL, 0), 1);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void inside_a_family_rows_are_held_to_the_share_of_families_rejected(void **state)
{
	/* One family of eight falls: its rows are tested at q / 8, where p = 0.02 is nothing. */
	struct baseline b;
	struct summary s;
	struct verdicts v;
	const struct verdict_row *r;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct base_entry *e = rows_entry(&b, s.rows[i].key.text, SUBJECT_NODE);
		double y = baseline_series(e, s.rows[i].subject)->mean;

		if (i == 1) /* x.a, smallest size, n2: the whole family falls with it */
			y -= 0.5;
		if (i == 5) /* x.a, next size, n2 */
			y += dist_t_quantile(0.02, e->df_run) * e->s_run * sqrt(1.1);
		s.rows[i].value = exp(y);
		s.rows[i].floor = 0.001;
	}
	rows_judge(&b, &s, &v);
	assert_int_equal(v.families_rejected, 1);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_SUSPECT);
	r = rows_find(&v, "x.a", 4096, "n2");
	assert_true(fabs(r->p - 0.02) < 1e-9);
	assert_true(r->loss > r->floor);
	assert_true(r->p_family < 0.001);
	assert_int_equal(v.count[VERDICT_SUSPECT], 1);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void two_slow_runs_confirm_each_other(void **state)
{
	struct baseline b;
	struct summary s[2];
	const struct summary *list[] = { &s[0], &s[1] };
	struct verdicts v;
	const struct verdict_row *r;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s[0], "new-0", 50, 0.01, 0.9);
	rows_site(&s[1], "new-1", 51, 0.01, 0.9);
	compare_runs(&b, list, 2, &params, &v);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_REGRESSED);
	r = rows_find(&v, "x.a", 1024, "n2");
	assert_int_equal(r->n_new, 2);
	assert_true(r->confirmed);
	assert_true(fabs(log(r->new_value) -
	                 (log(s[0].rows[1].value) + log(s[1].rows[1].value)) / 2.0) < 1e-12);
	assert_int_equal(v.n, 24);
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	verdicts_free(&v);
	summary_free(&s[0]);
	summary_free(&s[1]);
	baseline_free(&b);
}

static void a_significant_loss_below_the_floor_passes(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.001, &b);
	rows_site(&s, "new", 50, 0.001, 0.98);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.families_rejected, 1);
	assert_int_equal(v.count[VERDICT_PASS], 24);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void a_gain_beyond_the_floor_is_improved(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.2);
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_IMPROVED);
	assert_int_equal(v.count[VERDICT_IMPROVED], 3);
	assert_int_equal(rows_code(&v), CODE_OK);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void where_lower_is_better_a_larger_figure_is_the_loss(void **state)
{
	struct baseline b;
	struct summary s[11];
	const struct summary *list[11];
	struct verdicts v;
	const struct verdict_row *r;

	(void)state;
	for (unsigned t = 0; t < 11; t++) {
		struct summary_row *row;
		char id[16];

		snprintf(id, sizeof(id), "r%u", t);
		rows_begin(&s[t], id);
		row = rows_add(&s[t], "x.l", 8, "n1", 1000.0 + (t % 3) + (t == 10 ? 200.0 : 0.0));
		row->higher_is_better = false;
		row->unit = UNIT_NS;
		list[t] = &s[t];
	}
	baseline_build(list, 10, &b);
	rows_judge(&b, &s[10], &v);
	rows_expect(&v, "x.l", 8, "n1", VERDICT_SUSPECT);
	r = &v.rows[0];
	assert_true(r->delta > 0.19 && r->delta < 0.21);
	assert_true(r->loss > 0.16 && r->loss < 0.17);
	assert_true(r->old_value > 1000.0 && r->old_value < 1002.0);
	verdicts_free(&v);
	baseline_free(&b);
	for (unsigned t = 0; t < 11; t++)
		summary_free(&s[t]);
}

static void too_wide_a_spread_is_inconclusive(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.05, &b);
	rows_site(&s, "new", 50, 0.05, 1.0);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.count[VERDICT_INCONCLUSIVE], 24);
	assert_int_equal(rows_code(&v), CODE_SUSPECT);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void a_wider_tolerance_lets_it_pass(void **state)
{
	struct compare_params wide = COMPARE_PARAMS_DEFAULT;
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;

	(void)state;
	wide.tolerance = 0.5;
	rows_baseline(10, 0.05, &b);
	rows_site(&s, "new", 50, 0.05, 1.0);
	compare_runs(&b, list, 1, &wide, &v);
	assert_int_equal(v.count[VERDICT_PASS], 24);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void the_suites_tolerance_counts_row_by_row(void **state)
{
	struct compare_params strict = COMPARE_PARAMS_DEFAULT;
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;

	(void)state;
	strict.tolerance = 0.001;
	rows_baseline(10, 0.05, &b);
	rows_site(&s, "new", 50, 0.05, 1.0);
	for (size_t i = 0; i < 12; i++) /* x.a */
		s.rows[i].tolerance = 0.5;
	rows_judge(&b, &s, &v);
	assert_int_equal(v.count[VERDICT_PASS], 12);
	assert_int_equal(v.count[VERDICT_INCONCLUSIVE], 12);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_PASS);
	verdicts_free(&v);
	compare_runs(&b, list, 1, &strict, &v); /* what the caller asks for goes first */
	assert_int_equal(v.count[VERDICT_INCONCLUSIVE], 24);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void a_provisional_baseline_never_condemns(void **state)
{
	struct baseline b;
	struct summary s[2];
	const struct summary *list[] = { &s[0], &s[1] };
	struct verdicts v;

	(void)state;
	rows_baseline(4, 0.001, &b);
	rows_site(&s[0], "new-0", 50, 0.001, 0.5);
	rows_site(&s[1], "new-1", 51, 0.001, 0.5);
	compare_runs(&b, list, 2, &params, &v);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_SUSPECT);
	assert_true(rows_find(&v, "x.a", 1024, "n2")->provisional);
	assert_int_equal(v.count[VERDICT_REGRESSED], 0);
	assert_int_equal(rows_code(&v), CODE_SUSPECT);
	verdicts_free(&v);
	summary_free(&s[0]);
	summary_free(&s[1]);
	baseline_free(&b);
}

static void a_baseline_of_one_run_decides_nothing(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(1, 0.001, &b);
	rows_site(&s, "new", 50, 0.001, 0.5);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.count[VERDICT_INCONCLUSIVE], 24);
	assert_false(v.any_tested);
	assert_true(isnan(v.rows[0].p) && isnan(v.rows[0].mde));
	assert_int_equal(rows_code(&v), CODE_SUSPECT);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void verdicts_are_written_without_what_is_unknown(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct buf text = BUF_INIT;
	json_object *o;

	(void)state;
	rows_baseline(1, 0.01, &b);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 1024, "n1", 1e9);
	rows_judge(&b, &s, &v);
	o = verdicts_to_json(&v);
	js_write(o, JS_PLAIN, &text);
	js_put(o);
	assert_non_null(strstr(buf_text(&text), "\"inconclusive\":1"));
	assert_null(strstr(buf_text(&text), "\"p\""));
	assert_null(strstr(buf_text(&text), "nan"));
	buf_free(&text);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unchanged_site_passes),
		cmocka_unit_test(a_row_shows_the_test_it_was_judged_by),
		cmocka_unit_test(smallest_detectable_effect_agrees_with_the_table),
		cmocka_unit_test(one_slow_run_is_suspect_and_only_where_it_is_slow),
		cmocka_unit_test(inside_a_family_rows_are_held_to_the_share_of_families_rejected),
		cmocka_unit_test(two_slow_runs_confirm_each_other),
		cmocka_unit_test(a_significant_loss_below_the_floor_passes),
		cmocka_unit_test(a_gain_beyond_the_floor_is_improved),
		cmocka_unit_test(where_lower_is_better_a_larger_figure_is_the_loss),
		cmocka_unit_test(too_wide_a_spread_is_inconclusive),
		cmocka_unit_test(a_wider_tolerance_lets_it_pass),
		cmocka_unit_test(the_suites_tolerance_counts_row_by_row),
		cmocka_unit_test(a_provisional_baseline_never_condemns),
		cmocka_unit_test(a_baseline_of_one_run_decides_nothing),
		cmocka_unit_test(verdicts_are_written_without_what_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

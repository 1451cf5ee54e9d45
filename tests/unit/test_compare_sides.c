/* The two sides of diff, and where the spread comes from. */
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

static int code(const struct verdicts *v)
{
	struct code_input in = { .verdicts = v };

	return code_of(&in);
}

/* n old runs, numbered from 0, against m new ones, numbered from 50, of the rows_site. */
struct sides {
	struct baseline old;
	struct summary new[8];
	const struct summary *list[8];
	unsigned m;
	struct verdicts v;
};

static void begin(struct sides *t, unsigned n, unsigned m, double spread, double factor)
{
	rows_baseline(n, spread, &t->old);
	t->m = m;
	for (unsigned i = 0; i < m; i++) {
		char id[16];

		snprintf(id, sizeof(id), "new-%u", i);
		rows_site(&t->new[i], id, 50 + i, spread, factor);
		t->list[i] = &t->new[i];
	}
}

static void compare(struct sides *t, const struct baseline *reference,
                    const struct baseline *stored)
{
	compare_sides(&t->old, t->list, t->m, reference, stored, &params, &t->v);
}

static void end(struct sides *t)
{
	verdicts_free(&t->v);
	for (unsigned i = 0; i < t->m; i++)
		summary_free(&t->new[i]);
	baseline_free(&t->old);
}

static void many_runs_a_side_use_their_own_spread_and_may_regress(void **state)
{
	struct sides t;
	const struct verdict_row *r;

	(void)state;
	begin(&t, 6, 4, 0.005, 0.9);
	compare(&t, NULL, NULL);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	assert_int_equal(r->source, SPREAD_OWN);
	assert_int_equal(r->verdict, VERDICT_REGRESSED);
	assert_int_equal(r->n_old, 6);
	assert_int_equal(r->n_new, 4);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 3);
	assert_int_equal(code(&t.v), CODE_FINDINGS);
	end(&t);
}

static void few_old_runs_make_it_suspect_at_most(void **state)
{
	struct sides t;

	(void)state;
	begin(&t, 3, 3, 0.002, 0.9);
	compare(&t, NULL, NULL);
	assert_int_equal(rows_find(&t.v, "x.a", 1024, "n2")->source, SPREAD_OWN);
	assert_int_equal(rows_find(&t.v, "x.a", 1024, "n2")->verdict, VERDICT_SUSPECT);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 0);
	end(&t);
}

static void one_run_a_side_borrows_from_the_given_baseline_first(void **state)
{
	struct sides t;
	struct baseline reference, stored;
	const struct verdict_row *r;
	const struct base_entry *e;
	double d;

	(void)state;
	begin(&t, 1, 1, 0.005, 0.9);
	rows_baseline(10, 0.005, &reference);
	rows_baseline(8, 0.005, &stored);
	compare(&t, &reference, &stored);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	e = rows_entry(&reference, r->key->text, SUBJECT_NODE);
	assert_int_equal(r->source, SPREAD_BASELINE);
	assert_true(fabs(r->s - e->s_run) < 1e-15);
	d = log(r->new_value) - log(r->old_value);
	assert_true(fabs(r->p - dist_t_cdf(d / (e->s_run * sqrt(2.0)), e->df_run)) < 1e-9);
	assert_int_equal(r->verdict, VERDICT_SUSPECT);
	assert_true(r->provisional);
	assert_non_null(strstr(r->note, spread_source_text(SPREAD_BASELINE)));
	assert_int_equal(code(&t.v), CODE_SUSPECT);
	baseline_free(&reference);
	baseline_free(&stored);
	end(&t);
}

static void then_from_stored_runs_of_the_same_key(void **state)
{
	struct sides t;
	struct baseline stored;

	(void)state;
	begin(&t, 1, 1, 0.005, 0.9);
	rows_baseline(8, 0.005, &stored);
	compare(&t, NULL, &stored);
	assert_int_equal(rows_find(&t.v, "x.a", 1024, "n2")->source, SPREAD_STORED);
	assert_int_equal(rows_find(&t.v, "x.a", 1024, "n2")->verdict, VERDICT_SUSPECT);
	assert_int_equal(rows_find(&t.v, "x.b", 1024, "n2")->verdict, VERDICT_PASS);
	baseline_free(&stored);
	end(&t);
}

static void then_from_like_subjects_without_the_row_itself(void **state)
{
	struct sides t;
	const struct verdict_row *r;
	double d[3], mean = 0.0, ss = 0.0;
	size_t n = 0;

	(void)state;
	begin(&t, 1, 1, 0.001, 0.5);
	compare(&t, NULL, NULL);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	assert_int_equal(r->source, SPREAD_SUBJECTS);
	for (size_t i = 0; i < 4; i++) {
		const struct verdict_row *o = &t.v.rows[i];

		if (strcmp(o->subject, "n2") != 0)
			d[n++] = log(o->new_value / o->old_value);
	}
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 3; i++)
		mean += d[i] / 3.0;
	for (size_t i = 0; i < 3; i++)
		ss += (d[i] - mean) * (d[i] - mean);
	assert_true(fabs(r->s * sqrt(2.0) - sqrt(ss / 2.0)) < 1e-9);
	assert_true(fabs(r->df - 2.0) < 1e-12);
	assert_int_equal(r->verdict, VERDICT_SUSPECT);
	end(&t);
}

static void and_at_last_from_the_stated_default(void **state)
{
	struct summary a, b;
	const struct summary *old[] = { &a }, *list[] = { &b };
	struct baseline base;
	struct verdicts v;

	(void)state;
	rows_begin(&a, "old");
	rows_begin(&b, "new");
	rows_add(&a, "x.a", 8, "n1", 1e9);
	rows_add(&b, "x.a", 8, "n1", 0.97e9);
	rows_add(&a, "x.b", 8, "n1", 1e9);
	rows_add(&b, "x.b", 8, "n1", 0.5e9);
	baseline_build(old, 1, &base);
	compare_sides(&base, list, 1, NULL, NULL, &params, &v);
	assert_int_equal(v.rows[0].source, SPREAD_DEFAULT);
	assert_true(fabs(v.rows[0].s - 0.02) < 1e-15);
	assert_true(fabs(v.rows[0].p - dist_norm_cdf(log(0.97) / (0.02 * sqrt(2.0)))) < 1e-5);
	assert_int_equal(v.rows[0].verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(v.rows[1].verdict, VERDICT_SUSPECT);
	verdicts_free(&v);
	baseline_free(&base);
	summary_free(&a);
	summary_free(&b);
}

static void a_figure_that_is_unstable_in_itself_widens_the_default(void **state)
{
	struct summary a, b;
	const struct summary *old[] = { &a }, *list[] = { &b };
	struct baseline base;
	struct verdicts v;

	(void)state;
	rows_begin(&a, "old");
	rows_begin(&b, "new");
	rows_add(&a, "x.a", 8, "n1", 1e9)->spread = 0.392;
	rows_add(&b, "x.a", 8, "n1", 0.7e9)->spread = 0.01;
	rows_add(&a, "x.b", 8, "n1", 1e9)->spread = 0.01;
	rows_add(&b, "x.b", 8, "n1", 0.7e9)->spread = 0.01;
	baseline_build(old, 1, &base);
	compare_sides(&base, list, 1, NULL, NULL, &params, &v);
	assert_true(fabs(v.rows[0].s - hypot(0.02, 0.2)) < 1e-12);
	assert_int_equal(v.rows[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(v.rows[0].note, "unstable within a run"));
	assert_int_equal(v.rows[1].verdict, VERDICT_SUSPECT);
	verdicts_free(&v);
	baseline_free(&base);
	summary_free(&a);
	summary_free(&b);
}

static void a_row_on_one_side_only_is_shown(void **state)
{
	struct summary a, b;
	const struct summary *old[] = { &a }, *list[] = { &b };
	struct baseline base;
	struct verdicts v;
	const struct verdict_row *r;

	(void)state;
	rows_begin(&a, "old");
	rows_begin(&b, "new");
	rows_add(&a, "x.a", 8, "n1", 1e9);
	rows_add(&a, "x.a", 8, "n2", 1e9);
	rows_add(&a, "x.a", 8, "n3", 1e9);
	rows_add(&b, "x.a", 8, "n1", 1e9);
	rows_add(&b, "x.a", 8, "n4", 1e9);
	rows_loss(&b, "n3", NULL, "its node died");
	baseline_build(old, 1, &base);
	compare_sides(&base, list, 1, NULL, NULL, &params, &v);
	assert_int_equal(v.n, 4);
	assert_int_equal(rows_find(&v, "x.a", 8, "n4")->verdict, VERDICT_NEW);
	r = rows_find(&v, "x.a", 8, "n2");
	assert_int_equal(r->verdict, VERDICT_GONE);
	assert_null(r->row);
	assert_true(fabs(r->old_value - 1e9) < 1.0);
	assert_int_equal(rows_find(&v, "x.a", 8, "n3")->verdict, VERDICT_NOT_MEASURED);
	verdicts_free(&v);
	baseline_free(&base);
	summary_free(&a);
	summary_free(&b);
}

static void a_side_compared_with_itself_differs_in_nothing(void **state)
{
	struct sides t;

	(void)state;
	begin(&t, 6, 1, 0.005, 1.0);
	summary_free(&t.new[0]);
	rows_site(&t.new[0], "old-3", 3, 0.005, 1.0);
	compare(&t, NULL, NULL);
	assert_int_equal(t.v.count[VERDICT_PASS], 24);
	assert_int_equal(code(&t.v), CODE_OK);
	end(&t);
}

static void sides_with_nothing_in_common_are_incompatible(void **state)
{
	struct summary a, b;
	const struct summary *old[] = { &a }, *list[] = { &b };
	struct baseline base;
	struct verdicts v;

	(void)state;
	rows_begin(&a, "old");
	rows_begin(&b, "new");
	rows_add(&a, "x.a", 8, "n1", 1e9);
	rows_add(&b, "x.b", 8, "n1", 1e9);
	baseline_build(old, 1, &base);
	compare_sides(&base, list, 1, NULL, NULL, &params, &v);
	assert_int_equal(v.count[VERDICT_NEW], 1);
	assert_int_equal(v.count[VERDICT_GONE], 1);
	assert_int_equal(code(&v), CODE_NO_BASELINE);
	verdicts_free(&v);
	baseline_free(&base);
	summary_free(&a);
	summary_free(&b);
}

static void the_spread_of_a_session_pair_is_not_taken_for_two_runs(void **state)
{
	/* Two against one: one degree of freedom is no spread; the stored runs have one. */
	struct sides t;
	struct baseline stored;

	(void)state;
	begin(&t, 2, 1, 0.005, 1.0);
	rows_baseline(8, 0.005, &stored);
	compare(&t, NULL, &stored);
	assert_int_equal(t.v.rows[0].source, SPREAD_STORED);
	baseline_free(&stored);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_runs_a_side_use_their_own_spread_and_may_regress),
		cmocka_unit_test(few_old_runs_make_it_suspect_at_most),
		cmocka_unit_test(one_run_a_side_borrows_from_the_given_baseline_first),
		cmocka_unit_test(then_from_stored_runs_of_the_same_key),
		cmocka_unit_test(then_from_like_subjects_without_the_row_itself),
		cmocka_unit_test(and_at_last_from_the_stated_default),
		cmocka_unit_test(a_figure_that_is_unstable_in_itself_widens_the_default),
		cmocka_unit_test(a_row_on_one_side_only_is_shown),
		cmocka_unit_test(a_side_compared_with_itself_differs_in_nothing),
		cmocka_unit_test(sides_with_nothing_in_common_are_incompatible),
		cmocka_unit_test(the_spread_of_a_session_pair_is_not_taken_for_two_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (1.0 + fabs(b))))
		fail_msg("%.15g, not %.15g", a, b);
}

/* A baseline of one benchmark from log figures y[run][size][subject]. */
static void build(const double *y, unsigned runs, unsigned sizes, unsigned subjects,
                  struct baseline *out)
{
	static const char *const names[] = { "n1", "n2", "n3" };
	struct summary s[ROWS_RUNS_MAX];
	const struct summary *list[ROWS_RUNS_MAX];

	for (unsigned t = 0; t < runs; t++) {
		char id[16];

		snprintf(id, sizeof(id), "r%u", t);
		rows_begin(&s[t], id);
		for (unsigned k = 0; k < sizes; k++)
			for (unsigned i = 0; i < subjects; i++)
				rows_add(&s[t], "x.a", 8u << k, names[i],
				         exp(y[(t * sizes + k) * subjects + i]));
		list[t] = &s[t];
	}
	baseline_build(list, runs, out);
	for (unsigned t = 0; t < runs; t++)
		summary_free(&s[t]);
}

static void one_series_gives_its_plain_standard_deviation(void **state)
{
	static const double y[] = { 1.00, 1.02, 0.99, 1.01, 1.08 };
	struct baseline b;
	const struct base_entry *e;

	(void)state;
	build(y, 5, 1, 1, &b);
	assert_int_equal(b.n_entries, 1);
	e = &b.entries[0];
	assert_int_equal(e->runs, 5);
	near(e->mean, 1.02);
	near(e->series[0].median, 1.01);
	near(e->s_own, sqrt((0.0004 + 0.0 + 0.0009 + 0.0001 + 0.0036) / 4.0));
	near(e->s_pool, e->s_own);
	near(e->s_run, e->s_own); /* nothing is clipped, the far run counts in full */
	near(e->df_own, 4.0);
	near(e->df_pool, 4.0);
	near(e->df_run, 4.0); /* pooled over itself it knows no more than before */
	near(e->s_node, 0.0);
	near(e->df_node, 0.0);
	baseline_free(&b);
}

static void sizes_that_move_together_are_one_observation(void **state)
{
	/* Two sizes, the same residuals: rho 1; opposite ones: rho floored at 0. */
	static const double same[] = { 1, 2, 1.1, 2.1, 0.9, 1.9, 1, 2, 1.2, 2.2, 0.8, 1.8 };
	static const double against[] = { 1, 2, 1.1, 1.9, 0.9, 2.1, 1, 2, 1.2, 1.8, 0.8, 2.2 };
	struct baseline b;

	(void)state;
	build(same, 6, 2, 1, &b);
	near(b.entries[0].rho, 1.0);
	near(b.entries[0].df_pool, 5.0);
	near(b.entries[0].df_run, 5.0);
	baseline_free(&b);
	build(against, 6, 2, 1, &b);
	near(b.entries[0].rho, 0.0);
	near(b.entries[0].df_pool, 10.0);
	baseline_free(&b);
}

static void own_and_pooled_spread_are_joined_as_written(void **state)
{
	/* Size 0 has residuals twice those of size 1, and against them: rho is floored at 0. */
	static const double y[] = { 1.2, 1.9, 0.8, 2.1, 1.2, 1.9, 0.8, 2.1, 1.0, 2.0 };
	const double n = 5.0;
	double own, pool, s2, variance, w_pool = 4.0 / (n + 3.0), w_own = (n - 1.0) / (n + 3.0);
	struct baseline b;

	(void)state;
	build(y, 5, 2, 1, &b);
	own = 4.0 * 0.04 / 4.0;
	pool = (own + 4.0 * 0.01 / 4.0) / 2.0;
	near(b.entries[0].s_own, sqrt(own));
	near(b.entries[0].s_pool, sqrt(pool));
	s2 = w_pool * pool + w_own * own;
	near(b.entries[0].s_run, sqrt(s2));
	variance = (w_pool * w_pool + 2.0 * w_pool * w_own) * pool * pool / 8.0 +
	           w_own * w_own * own * own / 4.0;
	near(b.entries[0].df_run, s2 * s2 / variance);
	baseline_free(&b);
}

static void below_five_runs_sizes_count_as_one(void **state)
{
	static const double y[] = { 1, 2, 1.1, 1.9, 0.9, 2.1, 1, 2 };
	struct baseline b;

	(void)state;
	build(y, 4, 2, 1, &b);
	near(b.entries[0].rho, 1.0);
	near(b.entries[0].df_pool, 3.0);
	baseline_free(&b);
}

/* A loud size and a quiet one of one subject over five runs, each with its floor. */
static void build_floors(double loud, double quiet, struct baseline *out)
{
	static const double y[] = { 0.3, -0.2, 0.1, -0.4, 0.2 };
	struct summary s[5];
	const struct summary *list[5];

	for (unsigned t = 0; t < 5; t++) {
		char id[16];

		snprintf(id, sizeof(id), "r%u", t);
		rows_begin(&s[t], id);
		rows_add(&s[t], "x.a", 8, "n1", exp(y[t]))->floor = loud;
		rows_add(&s[t], "x.a", 1 << 18, "n1", exp(y[4 - t] / 20.0))->floor = quiet;
		list[t] = &s[t];
	}
	baseline_build(list, 5, out);
	for (unsigned t = 0; t < 5; t++)
		summary_free(&s[t]);
}

static void sizes_with_other_floors_do_not_share_their_spread(void **state)
{
	struct baseline apart, together;

	(void)state;
	build_floors(2.0, 0.25, &apart);
	build_floors(0.25, 0.25, &together);
	for (int i = 0; i < 2; i++) {
		near(apart.entries[i].s_pool, apart.entries[i].s_own);
		near(apart.entries[i].s_run, apart.entries[i].s_own);
		near(apart.entries[i].df_run, 4.0);
	}
	near(apart.entries[0].s_own, 20.0 * apart.entries[1].s_own);
	assert_true(together.entries[1].s_run > 5.0 * together.entries[1].s_own);
	baseline_free(&apart);
	baseline_free(&together);
}

static void subjects_of_one_run_are_not_independent(void **state)
{
	/* n1 and n2 move together exactly: twice the figures, no more degrees of freedom. */
	static const double y[] = { 1, 2, 1.1, 2.1, 0.9, 1.9, 1, 2, 1.2, 2.2, 0.8, 1.8 };
	struct baseline b;

	(void)state;
	build(y, 6, 1, 2, &b);
	near(b.entries[0].rho_subjects, 1.0);
	near(b.entries[0].df_own, 5.0);
	near(b.entries[0].df_run, 5.0);
	baseline_free(&b);
}

static void even_unrelated_subjects_leave_room_for_a_session_effect(void **state)
{
	static const double y[] = { 1, 2, 1.1, 1.9, 0.9, 2.1, 1, 2, 1.2, 1.8, 0.8, 2.2, 1, 2 };
	double rho = tanh(1.96 / 2.0);
	struct baseline b;

	(void)state;
	build(y, 7, 1, 2, &b);
	near(b.entries[0].rho_subjects, rho);
	near(b.entries[0].df_own, 12.0 / (1.0 + rho * rho));
	baseline_free(&b);
}

static void spread_between_nodes_is_what_runs_do_not_explain(void **state)
{
	static const double apart[] = { 1.0, 2.0, 3.0, 1.2, 2.2, 3.2 };
	static const double close[] = { 1.0, 1.1, 1.05, 1.4, 1.3, 1.35 };
	struct baseline b;

	(void)state;
	build(apart, 2, 1, 3, &b);
	near(b.entries[0].s_own, sqrt(0.02));
	near(b.entries[0].s_node, sqrt(1.0 - 0.02 / 2.0));
	near(b.entries[0].df_node, 2.0);
	baseline_free(&b);
	build(close, 2, 1, 3, &b);
	near(b.entries[0].s_node, 0.0);
	baseline_free(&b);
}

static void spread_is_never_below_the_timer(void **state)
{
	static const double y[] = { 1, 1, 1, 1, 1 };
	struct baseline b;

	(void)state;
	build(y, 5, 1, 1, &b);
	near(b.entries[0].s_run, 1e-4);
	assert_true(b.entries[0].df_run > 0.0);
	baseline_free(&b);
}

static void one_run_gives_no_spread_at_all(void **state)
{
	static const double y[] = { 1, 2, 3 };
	struct baseline b;

	(void)state;
	build(y, 1, 1, 3, &b);
	assert_true(isnan(b.entries[0].s_run));
	near(b.entries[0].df_run, 0.0);
	baseline_free(&b);
}

static void nodes_and_the_cluster_are_kept_apart(void **state)
{
	struct summary s;
	const struct summary *list[] = { &s };
	struct baseline b;

	(void)state;
	rows_begin(&s, "r");
	rows_add(&s, "x.a", 8, "n1", 1.0);
	rows_add(&s, "x.a", 8, "cluster", 2.0)->kind = SUBJECT_CLUSTER;
	baseline_build(list, 1, &b);
	assert_int_equal(b.n_entries, 2);
	assert_ptr_equal(rows_entry(&b, s.rows[0].key.text, SUBJECT_NODE), &b.entries[0]);
	assert_ptr_equal(rows_entry(&b, s.rows[0].key.text, SUBJECT_CLUSTER), &b.entries[1]);
	assert_null(rows_entry(&b, "{}", SUBJECT_NODE));
	assert_null(baseline_series(&b.entries[0], "cluster"));
	baseline_free(&b);
	summary_free(&s);
}

static void only_judged_good_main_rows_enter(void **state)
{
	struct summary s;
	const struct summary *list[] = { &s, &s };
	struct baseline b;
	struct summary_row *r;

	(void)state;
	rows_begin(&s, "r");
	rows_add(&s, "x.a", 8, "n1", 1.0)->judged = false;
	rows_add(&s, "x.a", 16, "n1", 1.0)->quality = ROW_DISTURBED;
	r = rows_add(&s, "x.a", 32, "n1", NAN);
	r->quality = ROW_NOT_MEASURED;
	rows_add_confirm(&s, PHASE_CONFIRM, 0, "x.a", 64, "n1", 1.0);
	rows_add(&s, "x.a", 128, "n1", 1.0);
	baseline_build(list, 2, &b);
	assert_int_equal(b.n_entries, 1);
	assert_int_equal(b.entries[0].key.bytes, 128);
	assert_int_equal(b.n_runs, 1); /* the same run given twice counts once */
	baseline_free(&b);
	summary_free(&s);
}

static void extending_joins_the_history(void **state)
{
	struct baseline b, all;
	struct summary s;
	const struct summary *list[] = { &s };
	struct hb_err err = { 0 };

	(void)state;
	rows_baseline(6, 0.01, &b);
	rows_baseline(7, 0.01, &all);
	rows_site(&s, "old-6", 6, 0.01, 1.0);
	s.started = hb_strdup("2026-02-01T00:00:00Z");
	rows_add(&s, "x.c", 8, "n1", 1.0);
	assert_int_equal(baseline_extend(&b, list, 1, &err), HB_OK);
	assert_int_equal(b.n_runs, 7);
	assert_int_equal(b.n_entries, all.n_entries + 1);
	for (size_t i = 0; i < all.n_entries; i++) {
		near(b.entries[i].s_run, all.entries[i].s_run);
		near(b.entries[i].df_run, all.entries[i].df_run);
	}
	assert_int_equal(b.entries[all.n_entries].runs, 1);
	assert_true(isnan(b.entries[all.n_entries].series[0].y[0]));
	baseline_free(&b);
	baseline_free(&all);
	summary_free(&s);
}

static void extending_refuses_a_run_it_has(void **state)
{
	struct baseline b;
	struct summary s, t;
	const struct summary *one[] = { &s }, *twice[] = { &t, &t };
	struct hb_err err = { 0 };

	(void)state;
	rows_baseline(6, 0.01, &b);
	rows_site(&s, "old-3", 3, 0.01, 1.0);
	rows_site(&t, "fresh", 9, 0.01, 1.0);
	assert_int_equal(baseline_extend(&b, one, 1, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "old-3"));
	assert_int_equal(baseline_extend(&b, twice, 2, &err), HB_E_USAGE);
	assert_int_equal(b.n_runs, 6);
	baseline_free(&b);
	summary_free(&s);
	summary_free(&t);
}

static void a_run_beyond_five_mads_is_objected_to(void **state)
{
	struct baseline b;
	struct summary s;
	char *why;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 77, 0.01, 1.0);
	assert_null(baseline_objection(&b, &s));
	s.rows[1].value = 0.9e9;
	why = baseline_objection(&b, &s);
	assert_non_null(why);
	assert_non_null(strstr(why, "n2"));
	assert_non_null(strstr(why, "x.a"));
	assert_non_null(strstr(why, "worse"));
	free(why);
	s.rows[1].value = 1.1e9;
	why = baseline_objection(&b, &s);
	assert_non_null(strstr(why, "better"));
	free(why);
	baseline_free(&b);
	summary_free(&s);
}

static void a_run_within_half_the_floor_is_not_objected_to(void **state)
{
	/* Five figures of one subject and size that by chance lie close together. */
	static const double y[] = { 1.0, 1.0001, 0.9999, 1.0, 1.0002 };
	struct baseline b;
	struct summary s;
	char *why;

	(void)state;
	build(y, 5, 1, 1, &b);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 8, "n1", exp(1.0 - 0.49 * 0.03));
	assert_null(baseline_objection(&b, &s));
	s.rows[0].value = exp(1.0 - 0.51 * 0.03);
	why = baseline_objection(&b, &s);
	assert_non_null(why);
	free(why);
	summary_free(&s);
	baseline_free(&b);
}

static void four_runs_are_too_few_to_object(void **state)
{
	struct baseline b;
	struct summary s;

	(void)state;
	rows_baseline(4, 0.01, &b);
	rows_site(&s, "new", 77, 0.01, 0.5);
	assert_null(baseline_objection(&b, &s));
	baseline_free(&b);
	summary_free(&s);
}

static void injected_and_partial_runs_are_objected_to(void **state)
{
	struct baseline b;
	struct summary s;
	char *why;

	(void)state;
	rows_baseline(5, 0.01, &b);
	rows_site(&s, "new", 77, 0.01, 1.0);
	s.injected = true;
	why = baseline_objection(&b, &s);
	assert_non_null(strstr(why, "inject"));
	free(why);
	s.injected = false;
	s.partial = true;
	why = baseline_objection(&b, &s);
	assert_non_null(strstr(why, "partial"));
	free(why);
	baseline_free(&b);
	summary_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_series_gives_its_plain_standard_deviation),
		cmocka_unit_test(sizes_that_move_together_are_one_observation),
		cmocka_unit_test(own_and_pooled_spread_are_joined_as_written),
		cmocka_unit_test(below_five_runs_sizes_count_as_one),
		cmocka_unit_test(sizes_with_other_floors_do_not_share_their_spread),
		cmocka_unit_test(subjects_of_one_run_are_not_independent),
		cmocka_unit_test(even_unrelated_subjects_leave_room_for_a_session_effect),
		cmocka_unit_test(spread_between_nodes_is_what_runs_do_not_explain),
		cmocka_unit_test(spread_is_never_below_the_timer),
		cmocka_unit_test(one_run_gives_no_spread_at_all),
		cmocka_unit_test(nodes_and_the_cluster_are_kept_apart),
		cmocka_unit_test(only_judged_good_main_rows_enter),
		cmocka_unit_test(extending_joins_the_history),
		cmocka_unit_test(extending_refuses_a_run_it_has),
		cmocka_unit_test(a_run_beyond_five_mads_is_objected_to),
		cmocka_unit_test(a_run_within_half_the_floor_is_not_objected_to),
		cmocka_unit_test(four_runs_are_too_few_to_object),
		cmocka_unit_test(injected_and_partial_runs_are_objected_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

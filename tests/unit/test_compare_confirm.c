/* The confirming rerun: A B A B A B against a known-good control. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "tests/unit/rows.h"

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;

struct bed {
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct suspect suspect;
};

/* A site of so many baseline runs on which n2 lost a share in x.a. */
static void begin(struct bed *t, unsigned runs, double spread, double factor)
{
	const struct summary *list[] = { &t->s };

	rows_baseline(runs, spread, &t->b);
	rows_site(&t->s, "new", 50, spread, factor);
	compare_runs(&t->b, list, 1, &params, &t->v);
	assert_int_equal(compare_suspects(&t->v, &t->suspect, 1), 1);
	assert_string_equal(t->suspect.subject, "n2");
}

static void end(struct bed *t)
{
	verdicts_free(&t->v);
	summary_free(&t->s);
	baseline_free(&t->b);
}

/* Three repeats at every size; both sides carry the session's factor, the suspect its own too. */
static void rerun(struct bed *t, double session, double suspect, const char *control)
{
	static const double wobble[] = { 0.004, -0.003, 0.001 };

	for (int r = 0; r < 3; r++) {
		for (unsigned k = 0; k < 3; k++) {
			uint64_t bytes = 1024u << (2 * k);
			double v = 1e9 * session;

			rows_partner(rows_add_confirm(&t->s, PHASE_CONFIRM, r, "x.a", bytes, "n2",
			                              v * suspect * exp(wobble[(r + (int)k) % 3])),
			             control);
			if (control)
				rows_partner(rows_add_confirm(&t->s, PHASE_CONTROL, r, "x.a", bytes,
				                              control, v * exp(wobble[r])),
				             "n2");
		}
	}
}

static int code(const struct verdicts *v)
{
	struct code_input in = { .verdicts = v, .baseline_asked = true };

	return code_of(&in);
}

static void a_loss_that_the_rerun_shows_again_is_regressed(void **state)
{
	struct bed t;
	const struct verdict_row *r;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	rerun(&t, 1.0, 0.9, t.suspect.control);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 3);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 0);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	assert_true(r->confirmed);
	assert_true(r->confirm_loss > 0.08 && r->confirm_loss < 0.12);
	assert_true(r->confirm_p < 0.05);
	assert_int_equal(code(&t.v), CODE_FINDINGS);
	end(&t);
}

static void a_loss_that_the_rerun_does_not_show_passes(void **state)
{
	struct bed t;
	const struct verdict_row *r;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	rerun(&t, 1.0, 1.0, t.suspect.control);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_PASS], 24);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	assert_false(r->confirmed);
	assert_non_null(strstr(r->note, "not confirmed"));
	assert_int_equal(code(&t.v), CODE_OK);
	end(&t);
}

static void what_the_session_does_to_both_sides_cancels(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	rerun(&t, 0.5, 1.0, t.suspect.control); /* the whole session at half speed */
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_PASS], 24);
	end(&t);
}

static void a_confirmed_loss_below_the_floor_passes(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 10, 0.005, 0.94);
	rerun(&t, 1.0, 0.98, t.suspect.control);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 0);
	assert_true(rows_find(&t.v, "x.a", 1024, "n2")->confirm_p < 0.05);
	end(&t);
}

static void without_a_control_it_stays_suspect(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	rerun(&t, 1.0, 0.9, NULL);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	assert_non_null(strstr(rows_find(&t.v, "x.a", 1024, "n2")->note, "control"));
	assert_int_equal(code(&t.v), CODE_SUSPECT);
	end(&t);
}

static void an_incomplete_rerun_decides_nothing(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	rerun(&t, 1.0, 0.9, t.suspect.control);
	for (size_t i = 0; i < t.s.n_confirm; i++)
		if (t.s.confirm[i].repeat > 0)
			t.s.confirm[i].quality = ROW_NOT_MEASURED;
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	assert_non_null(strstr(rows_find(&t.v, "x.a", 1024, "n2")->note, "another run"));
	end(&t);
}

static void a_run_without_a_rerun_keeps_its_suspects(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	end(&t);
}

static void a_provisional_baseline_is_not_enough_to_condemn(void **state)
{
	struct bed t;

	(void)state;
	begin(&t, 4, 0.001, 0.5);
	rerun(&t, 1.0, 0.5, t.suspect.control);
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 0);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	assert_non_null(strstr(rows_find(&t.v, "x.a", 1024, "n2")->note, "provisional"));
	assert_int_equal(code(&t.v), CODE_SUSPECT);
	end(&t);
}

static void one_rerun_does_not_acquit_whom_several_runs_suspect(void **state)
{
	struct bed t;
	struct summary other;
	const struct summary *list[] = { &t.s, &other };

	(void)state;
	begin(&t, 4, 0.001, 0.5);
	rows_site(&other, "new-1", 51, 0.001, 0.5);
	verdicts_free(&t.v);
	compare_runs(&t.b, list, 2, &params, &t.v);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	rerun(&t, 1.0, 1.0, t.suspect.control); /* shows nothing, in one of the runs */
	compare_confirm(&t.v, &t.b, &t.s, &params);
	assert_int_equal(t.v.count[VERDICT_SUSPECT], 3);
	assert_true(isnan(rows_find(&t.v, "x.a", 1024, "n2")->confirm_p));
	verdicts_free(&t.v);
	memset(&t.v, 0, sizeof(t.v));
	summary_free(&other);
	end(&t);
}

static void three_repeats_count_as_two_degrees_of_freedom(void **state)
{
	struct bed t;
	const struct verdict_row *r;
	const struct base_entry *e;
	const char *control;
	double ss = 0.0, sum[3] = { 0 }, sum2[3] = { 0 }, x;

	(void)state;
	begin(&t, 10, 0.01, 0.9);
	control = t.suspect.control;
	rerun(&t, 1.0, 0.9, control);
	for (size_t i = 0; i + 1 < t.s.n_confirm; i += 2) {
		size_t k = i / 2 % 3;

		e = rows_entry(&t.b, t.s.confirm[i].key.text, SUBJECT_NODE);
		x = log(t.s.confirm[i].value) - log(t.s.confirm[i + 1].value) -
		    (baseline_series(e, "n2")->median - baseline_series(e, control)->median);
		sum[k] += x;
		sum2[k] += x * x;
	}
	for (size_t k = 0; k < 3; k++)
		ss += sum2[k] - sum[k] * sum[k] / 3.0;
	compare_confirm(&t.v, &t.b, &t.s, &params);
	r = rows_find(&t.v, "x.a", 1024, "n2");
	x = dist_t_cdf(sum[0] / 3.0 / sqrt(ss / 6.0 / 3.0), 2.0);
	assert_true(fabs(r->confirm_p - x) < 1e-9);
	assert_true(fabs(r->confirm_loss - (1.0 - exp(sum[0] / 3.0))) < 1e-9);
	end(&t);
}

static void a_control_with_trouble_of_its_own_is_not_taken(void **state)
{
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;
	struct suspect found[4];

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.9);
	/* n1 is slow at the largest size, n3 has wrong data at another: only n4 is known good. */
	s.rows[8].value = 0.8e9;
	s.rows[6].quality = ROW_INVALID;
	compare_runs(&b, list, 1, &params, &v);
	assert_int_equal(compare_suspects(&v, found, 4), 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(found[i].control, "n4");
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void a_control_that_lost_figures_is_taken_last(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct suspect found[4];
	const char *first;

	(void)state;
	for (int all = 0; all < 2; all++) {
		rows_baseline(10, 0.01, &b);
		rows_site(&s, "new", 50, 0.01, 0.9);
		rows_judge(&b, &s, &v);
		assert_int_equal(compare_suspects(&v, found, 4), 1);
		first = found[0].control;
		/* In the other benchmark it, or everybody but the suspect, lost a figure. */
		for (size_t i = 0; i < s.n_rows; i++) {
			struct summary_row *r = &s.rows[i];

			if (strcmp(r->key.bench, "x.b") == 0 && r->key.bytes == 1024 &&
			    (strcmp(r->subject, first) == 0 ||
			     (all && strcmp(r->subject, "n2") != 0)))
				r->quality = ROW_NOT_MEASURED;
		}
		verdicts_free(&v);
		rows_judge(&b, &s, &v);
		assert_int_equal(compare_suspects(&v, found, 4), 1);
		assert_string_equal(found[0].subject, "n2");
		assert_non_null(found[0].control);
		if (all)
			assert_string_equal(found[0].control, first);
		else
			assert_string_not_equal(found[0].control, first);
		verdicts_free(&v);
		summary_free(&s);
		baseline_free(&b);
	}
}

/* Confirm rows of the smallest size are so noisy that pooled they would drown the others. */
static void noise_where(struct bed *t, double floor)
{
	static const double noise[] = { 0.9, -0.8, 0.1 };

	begin(t, 10, 0.01, 0.9);
	rerun(t, 1.0, 0.9, t->suspect.control);
	for (size_t i = 0; i < t->s.n_confirm; i++) {
		struct summary_row *r = &t->s.confirm[i];

		if (r->key.bytes == 1024 && r->phase == PHASE_CONFIRM)
			r->value *= exp(noise[r->repeat]);
	}
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.rows[i].key->bytes == 1024)
			t->v.rows[i].floor = floor;
	compare_confirm(&t->v, &t->b, &t->s, &params);
}

static void a_noisy_size_with_a_floor_of_its_own_spoils_no_other(void **state)
{
	struct bed t;

	(void)state;
	noise_where(&t, 2.0);
	rows_expect(&t.v, "x.a", 4096, "n2", VERDICT_REGRESSED);
	rows_expect(&t.v, "x.a", 16384, "n2", VERDICT_REGRESSED);
	end(&t);
	noise_where(&t, 0.03);
	assert_int_equal(t.v.count[VERDICT_REGRESSED], 0);
	end(&t);
}

static void where_everybody_is_slow_there_is_no_control(void **state)
{
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;
	struct suspect found[8];
	size_t n;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	for (size_t i = 0; i < s.n_rows; i++)
		s.rows[i].value *= 0.8;
	compare_runs(&b, list, 1, &params, &v);
	n = compare_suspects(&v, found, 8);
	assert_int_equal(n, 8);
	for (size_t i = 0; i < n; i++)
		assert_null(found[i].control);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_that_the_rerun_shows_again_is_regressed),
		cmocka_unit_test(one_rerun_does_not_acquit_whom_several_runs_suspect),
		cmocka_unit_test(a_loss_that_the_rerun_does_not_show_passes),
		cmocka_unit_test(what_the_session_does_to_both_sides_cancels),
		cmocka_unit_test(a_confirmed_loss_below_the_floor_passes),
		cmocka_unit_test(without_a_control_it_stays_suspect),
		cmocka_unit_test(an_incomplete_rerun_decides_nothing),
		cmocka_unit_test(a_run_without_a_rerun_keeps_its_suspects),
		cmocka_unit_test(a_provisional_baseline_is_not_enough_to_condemn),
		cmocka_unit_test(three_repeats_count_as_two_degrees_of_freedom),
		cmocka_unit_test(a_control_with_trouble_of_its_own_is_not_taken),
		cmocka_unit_test(a_control_that_lost_figures_is_taken_last),
		cmocka_unit_test(a_noisy_size_with_a_floor_of_its_own_spoils_no_other),
		cmocka_unit_test(where_everybody_is_slow_there_is_no_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

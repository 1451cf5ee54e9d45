/*
 * The statistical promise, with the functions that the commands use: 3 benchmarks, 8 sizes, 4
 * subjects, a fresh baseline for every seed, between-run spread 1 %. Bounds are asserted at three
 * binomial standard deviations from what is promised; the seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/bed.h"

enum { SEEDS = 2000, LOSSES = 4 };

struct tally {
	int ok_before, ok_after;       /* exit 0 */
	int inconclusive;              /* exit 11 without a suspect, before confirmation */
	int found;                     /* the planted loss is regressed after confirmation */
	int false_before, false_after; /* runs with a suspect, or a regressed row, that is none */
};

static int code_now(const struct verdicts *v)
{
	struct code_input in = { .verdicts = v, .baseline_asked = true };

	return code_of(&in);
}

static bool planted(const struct verdict_row *r, const char *subject, const char *bench)
{
	return subject && strcmp(r->subject, subject) == 0 && strcmp(r->key->bench, bench) == 0;
}

/* Whether some row with this verdict is (or, for wanted false, is not) the planted one. */
static bool has(const struct verdicts *v, enum verdict verdict, bool wanted, const char *subject,
                const char *bench)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].verdict == verdict && planted(&v->rows[i], subject, bench) == wanted)
			return true;
	return false;
}

/* Memory of one seed's runs, used again by the next. */
struct site {
	struct summary old[BED_RUNS_MAX], now;
};

static void one_run(const struct bed *bed, const struct baseline *base, struct site *site,
                    const char *subject, const char *bench, struct tally *t)
{
	static const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct suspect suspects[BED_SUBJECTS * BED_BENCHES];
	const uint64_t number = 1000;
	const struct summary *runs[] = { &site->now };
	struct verdicts v;
	size_t n;

	bed_run(&bed->now, number, &site->now);
	compare_runs(base, runs, 1, &params, &v);
	t->ok_before += code_now(&v) == CODE_OK;
	t->inconclusive += code_now(&v) == CODE_SUSPECT && v.count[VERDICT_SUSPECT] == 0;
	t->false_before += has(&v, VERDICT_SUSPECT, false, subject, bench);
	n = compare_suspects(&v, suspects, sizeof(suspects) / sizeof(suspects[0]));
	for (size_t i = 0; i < n; i++)
		bed_rerun(&bed->now, number, &suspects[i], &site->now);
	compare_confirm(&v, base, &site->now, &params);
	t->ok_after += code_now(&v) == CODE_OK;
	t->found += has(&v, VERDICT_REGRESSED, true, subject, bench);
	t->false_after += has(&v, VERDICT_REGRESSED, false, subject, bench);
	verdicts_free(&v);
}

/* One seed: the same baseline and the same day, with each of the losses in turn. */
static void one_seed(uint64_t seed, int runs, const double *rho, const double *loss,
                     struct site *site, struct tally *t)
{
	const char *subject = bed_subjects[seed % BED_SUBJECTS];
	const char *bench = bed_bench((int)(seed % BED_BENCHES));
	struct baseline base;
	struct bed bed;

	bed_make(&bed, seed, rho[0], rho[1], 0.0, NULL, NULL);
	bed_baseline(&bed.quiet, 1, runs, site->old, &base);
	bed_free(&bed);
	for (int k = 0; k < LOSSES && loss[k] >= 0.0; k++) {
		bed_make(&bed, seed, rho[0], rho[1], loss[k], subject, bench);
		one_run(&bed, &base, site, loss[k] > 0.0 ? subject : NULL, bench, &t[k]);
		bed_free(&bed);
	}
	baseline_free(&base);
}

static void print(int runs, const double *rho, double loss, const struct tally *t)
{
	const double each = 100.0 / SEEDS;

	printf("sim: %9d %9.1f %9.1f %6.0f | %6.2f %6.2f %7.2f %7.2f %7.2f %7.2f\n", runs, rho[0],
	       rho[1], loss * 100.0, t->ok_before * each, t->ok_after * each,
	       t->inconclusive * each, t->found * each, t->false_before * each,
	       t->false_after * each);
}

/* loss: ends with a figure below 0. */
static void simulate(int runs, double size_rho, double subject_rho, const double *loss,
                     struct tally *t)
{
	static const struct summary none;
	const double rho[] = { size_rho, subject_rho };
	struct site site;

	site.now = none;
	for (int k = 0; k < BED_RUNS_MAX; k++)
		site.old[k] = none;
	memset(t, 0, LOSSES * sizeof(*t));
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		one_seed(seed, runs, rho, loss, &site, t);
	for (int k = 0; k < LOSSES && loss[k] >= 0.0; k++)
		print(runs, rho, loss[k], &t[k]);
	for (int k = 0; k < BED_RUNS_MAX; k++)
		summary_free(&site.old[k]);
	summary_free(&site.now);
}

static void heading(void)
{
	printf("sim: all figures in %% of %d runs\n"
	       "sim: base runs  rho size  rho subj loss %% | exit 0   after inconcl.   found false "
	       "s. "
	       "false r.\n",
	       SEEDS);
}

static double slack(double p)
{
	return 3.0 * sqrt(p * (1.0 - p) / SEEDS);
}

static void assert_at_least(int count, double promised)
{
	assert_true((double)count / SEEDS >= promised - slack(promised));
}

static void assert_at_most(int count, double promised)
{
	assert_true((double)count / SEEDS <= promised + slack(promised));
}

static void keeps_the_promise(double size_rho)
{
	static const double loss[LOSSES] = { 0.0, 0.10, 0.05, -1.0 };
	struct tally t[LOSSES];

	heading();
	simulate(10, size_rho, 0.0, loss, t);
	assert_at_least(t[0].ok_before, 0.96);
	assert_at_least(t[0].ok_after, 0.98);
	assert_at_least(t[1].found, 0.995);
	assert_at_least(t[2].found, 0.95);
	for (int k = 0; k < 3; k++)
		assert_at_most(t[k].false_after, 0.005);
}

static void the_promise_holds_when_sizes_are_independent(void **state)
{
	(void)state;
	keeps_the_promise(0.0);
}

static void the_promise_holds_when_sizes_move_together(void **state)
{
	(void)state;
	keeps_the_promise(0.8);
}

static const double no_loss[LOSSES] = { 0.0, -1.0 };

static void a_five_run_baseline_says_inconclusive_rather_than_wrong(void **state)
{
	struct tally a[LOSSES], b[LOSSES];

	(void)state;
	heading();
	simulate(5, 0.0, 0.0, no_loss, a);
	simulate(5, 0.8, 0.0, no_loss, b);
	assert_at_most(a[0].false_before, 0.05);
	assert_at_most(b[0].false_before, 0.05);
	assert_at_most(a[0].false_after, 0.005);
	assert_at_most(b[0].false_after, 0.005);
	assert_true(a[0].inconclusive <= b[0].inconclusive);
}

/*
 * What a session does to all subjects alike must not count as so many independent observations of
 * the spread, nor be blamed on anybody: the interleaved control has it too.
 */
static void a_session_that_moves_all_subjects_raises_no_false_alarm(void **state)
{
	static const double rho[][2] = { { 0.0, 0.8 }, { 0.8, 0.8 }, { 0.0, 1.0 }, { 0.8, 1.0 } };
	struct tally t[LOSSES];

	(void)state;
	heading();
	for (size_t k = 0; k < sizeof(rho) / sizeof(rho[0]); k++) {
		simulate(10, rho[k][0], rho[k][1], no_loss, t);
		assert_at_most(t[0].false_before, 0.05);
		assert_at_most(t[0].false_after, 0.005);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_promise_holds_when_sizes_are_independent),
		cmocka_unit_test(the_promise_holds_when_sizes_move_together),
		cmocka_unit_test(a_five_run_baseline_says_inconclusive_rather_than_wrong),
		cmocka_unit_test(a_session_that_moves_all_subjects_raises_no_false_alarm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Statistics: known answers, the edges of 0, 1 and 2 values, and properties on random data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/rng.h"
#include "bench/base/stat.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void nothing_has_no_statistics(void **state)
{
	struct stat_summary s;
	double none[1] = { 0 };

	(void)state;
	assert_true(isnan(stat_mean(none, 0)));
	assert_true(isnan(stat_sd(none, 0)));
	assert_true(isnan(stat_median(none, 0)));
	assert_true(isnan(stat_mad(none, 0)));
	assert_true(isnan(stat_quantile_sorted(none, 0, 0.5)));
	assert_true(isnan(stat_node_score(none, 0)));
	stat_sort(none, 0);
	stat_summarize(none, 0, &s);
	assert_int_equal(s.n, 0);
	assert_true(isnan(s.p50) && isnan(s.lo) && isnan(s.hi) && isnan(s.min) && isnan(s.max));
}

static void one_value_is_all_its_quantiles(void **state)
{
	struct stat_summary s;
	double one[] = { 42 };

	(void)state;
	assert_near(stat_mean(one, 1), 42);
	assert_true(isnan(stat_sd(one, 1)));
	assert_near(stat_mad(one, 1), 0);
	for (int quarter = 0; quarter <= 4; quarter++)
		assert_near(stat_quantile(one, 1, quarter / 4.0), 42);
	stat_summarize(one, 1, &s);
	assert_int_equal(s.n, 1);
	assert_near(s.min, 42);
	assert_near(s.lo, 42);
	assert_near(s.hi, 42);
	assert_near(s.p99, 42);
}

static void two_values_are_interpolated(void **state)
{
	struct stat_summary s;
	double two[] = { 30, 10 };

	(void)state;
	assert_near(stat_sd(two, 2), sqrt(200));
	assert_near(stat_quantile(two, 2, 0), 10);
	assert_near(stat_quantile(two, 2, 0.25), 15);
	assert_near(stat_median(two, 2), 20);
	assert_near(stat_quantile(two, 2, 1), 30);
	stat_summarize(two, 2, &s);
	assert_near(s.lo, 10);
	assert_near(s.hi, 30);
	assert_near(s.p95, 29);
}

static void quantiles_are_of_type_seven(void **state)
{
	const double v[] = { 7, 1, 3, 9, 4 };

	(void)state;
	assert_near(stat_quantile(v, 5, 0), 1);
	assert_near(stat_quantile(v, 5, 1), 9);
	assert_near(stat_quantile(v, 5, -1), 1);
	assert_near(stat_quantile(v, 5, 2), 9);
	assert_near(stat_quantile(v, 5, 0.5), 4);
	assert_near(stat_quantile(v, 5, 0.75), 7);
	assert_near(stat_quantile(v, 5, 0.95), 8.6);
	assert_near(stat_quantile(v, 5, 0.1), 1.8);
	assert_true(isnan(stat_quantile(v, 5, NAN)));
	assert_near(v[0], 7); /* the input stays as it was */
}

static void spread_has_its_textbook_values(void **state)
{
	const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	const double w[] = { 1, 1, 2, 2, 4, 6, 9 };

	(void)state;
	assert_near(stat_mean(v, 8), 5);
	assert_near(stat_sd(v, 8), sqrt(32.0 / 7));
	assert_near(stat_mad(w, 7), 1.4826);
}

static void not_a_number_sorts_last(void **state)
{
	double v[] = { 3, NAN, 1, INFINITY, NAN, -INFINITY };

	(void)state;
	stat_sort(v, COUNT(v));
	assert_true(v[0] == -INFINITY && v[3] == INFINITY);
	assert_near(v[1], 1);
	assert_near(v[2], 3);
	assert_true(isnan(v[4]) && isnan(v[5]));
}

static void infinities_do_not_become_nan_in_a_quantile(void **state)
{
	const double v[] = { -INFINITY, -INFINITY, 1, INFINITY, INFINITY };

	(void)state;
	assert_true(stat_quantile(v, 5, 0.1) == -INFINITY);
	assert_near(stat_median(v, 5), 1);
	assert_true(stat_quantile(v, 5, 0.9) == INFINITY);
}

static void the_interval_of_the_median_follows_its_formula(void **state)
{
	static const struct {
		size_t n, lo, hi;
	} rows[] = {
		{ 0, 0, 0 },
		{ 1, 0, 0 },
		{ 2, 0, 1 },
		{ 5, 0, 4 },
		{ 6, 0, 5 },
		{ 10, 1, 9 },
		{ 20, 5, 15 },
		{ 100, 40, 60 },
		{ 101, 40, 61 },
		{ 1000, 469, 531 },
		{ 1000000, 499020, 500980 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t lo, hi;

		stat_median_interval(rows[i].n, &lo, &hi);
		assert_int_equal(lo, rows[i].lo);
		assert_int_equal(hi, rows[i].hi);
	}
}

/* 95 % nominal; three standard deviations of 4,000 trials below it are 94 %. */
static void the_interval_of_the_median_covers_it(void **state)
{
	enum { TRIALS = 4000, N = 50 };
	double v[N];
	struct rng r;
	int covered = 0;

	(void)state;
	rng_seed(&r, 5);
	for (int trial = 0; trial < TRIALS; trial++) {
		struct stat_summary s;

		for (int i = 0; i < N; i++)
			v[i] = exp(rng_normal(&r));
		stat_summarize(v, N, &s);
		covered += s.lo <= 1 && 1 <= s.hi;
	}
	assert_true(covered >= TRIALS * 94 / 100);
}

static void a_summary_is_ordered_and_exact(void **state)
{
	double v[300], copy[300];
	struct rng r;

	(void)state;
	rng_seed(&r, 6);
	for (int trial = 0; trial < 200; trial++) {
		size_t n = 1 + rng_below(&r, 300);
		struct stat_summary s;

		for (size_t i = 0; i < n; i++)
			v[i] = exp(rng_normal(&r));
		memcpy(copy, v, sizeof(copy));
		stat_summarize(v, n, &s);
		assert_int_equal(s.n, n);
		assert_near(s.p50, stat_median(copy, n));
		assert_near(s.p95, stat_quantile(copy, n, 0.95));
		assert_true(s.min <= s.lo && s.lo <= s.p50 && s.p50 <= s.hi && s.hi <= s.max);
		assert_true(s.p50 <= s.p95 && s.p95 <= s.p99 && s.p99 <= s.max);
	}
}

static void simes_takes_the_smallest_scaled_p(void **state)
{
	const double p[] = { 0.04, 0.01, 0.5 };
	const double with_nan[] = { NAN, 0.04, 0.01, NAN, 0.5 };
	const double high[] = { 1, 1 };

	(void)state;
	assert_near(stat_simes(p, 3), 0.03);
	assert_near(stat_simes(p, 1), 0.04);
	assert_near(stat_simes(with_nan, 5), 0.03);
	assert_near(stat_simes(high, 2), 1);
	assert_near(stat_simes(NULL, 0), 1);
}

static void simes_is_never_above_bonferroni_nor_below_the_smallest_p(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int trial = 0; trial < 2000; trial++) {
		double p[20], least = 1;
		size_t n = 1 + rng_below(&r, 20);

		for (size_t i = 0; i < n; i++) {
			p[i] = rng_uniform(&r);
			least = fmin(least, p[i]);
		}
		double s = stat_simes(p, n);
		assert_true(s >= least && s <= fmin(1, (double)n * least) + 1e-15);
	}
}

static void benjamini_hochberg_rejects_up_to_the_last_under_the_line(void **state)
{
	/* Of 10 tests at 5 %: 0.0245 <= 5 * 0.005 saves 0.021, which is above 4 * 0.005. */
	const double p[] = { 0.9, 0.0245, 0.001, 0.021, 0.008, 0.012, 0.3, 0.4, 0.5, 0.6 };
	const unsigned char want[] = { 0, 1, 1, 1, 1, 1, 0, 0, 0, 0 };
	unsigned char rejected[10];

	(void)state;
	assert_int_equal(stat_bh(p, 10, 0.05, rejected), 5);
	assert_memory_equal(rejected, want, 10);
	assert_int_equal(stat_bh(p, 10, 0.0001, rejected), 0);
	assert_int_equal(stat_bh(p, 10, 1, rejected), 10);
	assert_int_equal(stat_bh(NULL, 0, 0.05, rejected), 0);
}

static void what_was_not_tested_is_not_counted_nor_rejected(void **state)
{
	const double p[] = { NAN, 0.04, NAN, NAN };
	unsigned char rejected[4];

	(void)state;
	assert_int_equal(stat_bh(p, 4, 0.05, rejected), 1);
	assert_int_equal(rejected[0], 0);
	assert_int_equal(rejected[1], 1);
	assert_int_equal(stat_bh(p, 1, 0.05, rejected), 0);
}

/* By the definition: reject the k smallest for the largest k with p_(k) <= k q / n. */
static void benjamini_hochberg_agrees_with_its_definition(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 8);
	for (int trial = 0; trial < 2000; trial++) {
		unsigned char rejected[30];
		double p[30];
		size_t n = 1 + rng_below(&r, 30), best = 0;

		for (size_t i = 0; i < n; i++)
			p[i] = pow(rng_uniform(&r), 3);
		for (size_t i = 0; i < n; i++) {
			size_t rank = 0;

			for (size_t j = 0; j < n; j++)
				rank += p[j] <= p[i];
			if (p[i] <= 0.1 * (double)rank / (double)n && rank > best)
				best = rank;
		}
		assert_int_equal(stat_bh(p, n, 0.1, rejected), best);
	}
}

static void the_score_of_a_node_is_its_upper_quartile_or_with_few_pairs_its_best(void **state)
{
	const double y[] = { -3, -1, -2, -5, -4 };

	(void)state;
	assert_near(stat_node_score(y, 1), -3);
	assert_near(stat_node_score(y, 2), -1);
	assert_near(stat_node_score(y, 3), -1);
	assert_near(stat_node_score(y, 4), -1.75);
	assert_near(stat_node_score(y, 5), -2);
}

static void correlation_is_one_of_a_line_and_zero_where_undefined(void **state)
{
	const double a[] = { 1, 2, 3, 4 }, up[] = { 10, 20, 30, 40 }, down[] = { 4, 3, 2, 1 };
	const double mixed[] = { 1, -1, -1, 1 }, flat[] = { 5, 5, 5, 5 };
	const double nan[] = { 1, NAN, 3, 4 };

	(void)state;
	assert_near(stat_correlation(a, up, 4), 1);
	assert_near(stat_correlation(a, down, 4), -1);
	assert_near(stat_correlation(a, mixed, 4), 0);
	assert_near(stat_correlation(a, flat, 4), 0);
	assert_near(stat_correlation(a, nan, 4), 0);
	assert_near(stat_correlation(a, up, 1), 0);
	assert_near(stat_correlation(a, up, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_no_statistics),
		cmocka_unit_test(one_value_is_all_its_quantiles),
		cmocka_unit_test(two_values_are_interpolated),
		cmocka_unit_test(quantiles_are_of_type_seven),
		cmocka_unit_test(spread_has_its_textbook_values),
		cmocka_unit_test(not_a_number_sorts_last),
		cmocka_unit_test(infinities_do_not_become_nan_in_a_quantile),
		cmocka_unit_test(the_interval_of_the_median_follows_its_formula),
		cmocka_unit_test(the_interval_of_the_median_covers_it),
		cmocka_unit_test(a_summary_is_ordered_and_exact),
		cmocka_unit_test(simes_takes_the_smallest_scaled_p),
		cmocka_unit_test(simes_is_never_above_bonferroni_nor_below_the_smallest_p),
		cmocka_unit_test(benjamini_hochberg_rejects_up_to_the_last_under_the_line),
		cmocka_unit_test(what_was_not_tested_is_not_counted_nor_rejected),
		cmocka_unit_test(benjamini_hochberg_agrees_with_its_definition),
		cmocka_unit_test(
		        the_score_of_a_node_is_its_upper_quartile_or_with_few_pairs_its_best),
		cmocka_unit_test(correlation_is_one_of_a_line_and_zero_where_undefined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Distributions against figures computed with 40 digits, closed forms, and their own inverses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/dist.h"
#include "bench/base/rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("got %.17g, want %.17g within %g", got, want, relative);
}

static void the_normal_distribution_has_its_known_values(void **state)
{
	(void)state;
	assert_near(dist_norm_cdf(-8), 6.2209605742717841235e-16, 1e-13);
	assert_near(dist_norm_cdf(-2), 0.0227501319481792072, 1e-14);
	assert_near(dist_norm_cdf(0), 0.5, 0);
	assert_near(dist_norm_cdf(0.5), 0.69146246127401310364, 1e-15);
	assert_near(dist_norm_cdf(1.96), 0.97500210485177956379, 1e-15);
	assert_near(dist_norm_quantile(1e-12), -7.0344838253011319298, 1e-14);
	assert_near(dist_norm_quantile(0.001), -3.0902323061678135415, 1e-14);
	assert_near(dist_norm_quantile(0.05), -1.6448536269514727149, 1e-14);
	assert_near(dist_norm_quantile(0.3), -0.52440051270804078404, 1e-14);
	assert_near(dist_norm_quantile(0.975), 1.9599639845400542355, 1e-14);
	assert_true(dist_norm_quantile(0.5) == 0);
}

static void the_ends_of_the_normal_distribution_are_infinite_and_the_rest_is_nan(void **state)
{
	(void)state;
	assert_true(dist_norm_quantile(0) == -INFINITY);
	assert_true(dist_norm_quantile(1) == INFINITY);
	assert_true(isnan(dist_norm_quantile(-0.1)));
	assert_true(isnan(dist_norm_quantile(1.1)));
	assert_true(isnan(dist_norm_quantile(NAN)));
	assert_near(dist_norm_quantile(5e-324), -38.47, 1e-3);
}

static void the_t_distribution_has_its_known_values(void **state)
{
	(void)state;
	assert_near(dist_t_cdf(2, 3), 0.93033701572057841158, 1e-14);
	assert_near(dist_t_cdf(-2, 3), 0.069662984279421588424, 1e-13);
	assert_near(dist_t_cdf(-5, 4.7), 0.0024331773609290754808, 1e-13);
	assert_near(dist_t_cdf(-30, 9), 1.2418523520791312223e-10, 1e-12);
	assert_near(dist_t_cdf(1, 1e6), 0.84134462508321093536, 1e-14);
	assert_near(dist_t_quantile(0.005, 9), -3.2498355415921262756, 1e-13);
	assert_near(dist_t_quantile(0.005, 4), -4.6040948713499932254, 1e-13);
	assert_near(dist_t_quantile(0.1, 171.3), -1.2865131900796583749, 1e-13);
	assert_near(dist_t_quantile(1e-9, 2.5), -3489.583395369981813, 1e-13);
}

static void one_and_two_degrees_of_freedom_have_closed_forms(void **state)
{
	static const double ps[] = { 1e-200, 1e-12, 1e-6, 0.001, 0.05, 0.2, 0.3, 0.49 };

	(void)state;
	for (size_t i = 0; i < COUNT(ps); i++) {
		double p = ps[i];
		double one = -1 / tan(M_PI * p);
		double two = (2 * p - 1) / sqrt(2 * p * (1 - p));

		assert_near(dist_t_quantile(p, 1), one, 1e-11);
		assert_near(dist_t_quantile(p, 2), two, 1e-11);
		assert_near(dist_t_cdf(one, 1), p, 1e-11);
		assert_near(dist_t_cdf(two, 2), p, 1e-11);
	}
}

static void the_edges_of_the_t_distribution_are_told_apart(void **state)
{
	(void)state;
	assert_true(dist_t_cdf(0, 7) == 0.5);
	assert_true(dist_t_cdf(-INFINITY, 7) == 0);
	assert_true(dist_t_cdf(INFINITY, 7) == 1);
	assert_true(isnan(dist_t_cdf(NAN, 7)));
	assert_true(isnan(dist_t_cdf(1, 0)));
	assert_true(isnan(dist_t_cdf(1, -1)));
	assert_true(isnan(dist_t_cdf(1, NAN)));
	assert_true(dist_t_quantile(0, 7) == -INFINITY);
	assert_true(dist_t_quantile(1, 7) == INFINITY);
	assert_true(dist_t_quantile(0.5, 7) == 0);
	assert_true(isnan(dist_t_quantile(-0.5, 7)));
	assert_true(isnan(dist_t_quantile(2, 7)));
	assert_true(isnan(dist_t_quantile(0.2, 0)));
	assert_true(isnan(dist_t_quantile(NAN, 7)));
	/* So heavy a tail that the quantile is no double any more. */
	assert_true(dist_t_quantile(1e-300, 0.3) == -INFINITY);
}

static void many_degrees_of_freedom_are_the_normal_distribution(void **state)
{
	(void)state;
	assert_near(dist_t_quantile(0.001, INFINITY), dist_norm_quantile(0.001), 0);
	assert_near(dist_t_cdf(-2, INFINITY), dist_norm_cdf(-2), 0);
	assert_near(dist_t_quantile(0.001, 1e15), dist_norm_quantile(0.001), 1e-13);
	assert_near(dist_t_cdf(-6, 1e15), dist_norm_cdf(-6), 1e-12);
	assert_near(dist_t_cdf(0.3, 1e15), dist_norm_cdf(0.3), 1e-14);
}

static void every_quantile_inverts_its_distribution(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 1);
	for (int i = 0; i < 20000; i++) {
		double df = pow(10, -0.5 + 7 * rng_uniform(&r));
		double p = pow(10, -14 * rng_uniform(&r)) / 2;
		double t = dist_t_quantile(p, df);

		assert_true(t <= 0);
		assert_near(dist_t_cdf(t, df), p, 1e-11);
		/* 1 - p is a rounded number: only its mirror is the same one. */
		assert_near(dist_t_quantile(1 - p, df), -dist_t_quantile(1 - (1 - p), df), 1e-11);
		assert_near(dist_norm_cdf(dist_norm_quantile(p)), p, 1e-11);
		/* The heavier tail is the t distribution's. */
		assert_true(t <= dist_norm_quantile(p) * (1 - 1e-12));
	}
}

static void a_larger_t_never_has_a_smaller_probability(void **state)
{
	static const double dfs[] = { 0.5, 1, 2.7, 9, 40, 1e4 };

	(void)state;
	for (size_t i = 0; i < COUNT(dfs); i++) {
		double before = 0;

		for (int step = -4000; step < 4000; step++) {
			double p = dist_t_cdf(step / 100.0, dfs[i]);

			assert_true(p >= before - 1e-15 && p <= 1);
			before = p;
		}
	}
}

static void the_incomplete_beta_function_has_its_known_values(void **state)
{
	(void)state;
	assert_near(dist_beta_inc(2.5, 3.5, 0.3), 0.29675298929566637832, 1e-13);
	assert_near(dist_beta_inc(200, 300, 0.41), 0.67762816477217894864, 1e-12);
	assert_near(dist_beta_inc(0.1, 7, 0.0001), 0.50501160571211085499, 1e-13);
	assert_true(dist_beta_inc(2, 3, 0) == 0);
	assert_true(dist_beta_inc(2, 3, 1) == 1);
	assert_true(isnan(dist_beta_inc(0, 3, 0.5)));
	assert_true(isnan(dist_beta_inc(2, 3, NAN)));
}

static void the_incomplete_beta_function_is_symmetric(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 2);
	for (int i = 0; i < 5000; i++) {
		double a = pow(10, -1 + 5 * rng_uniform(&r)), b = pow(10, -1 + 5 * rng_uniform(&r));
		double x = rng_uniform(&r);
		double sum = dist_beta_inc(a, b, x) + dist_beta_inc(b, a, 1 - x);

		assert_near(sum, 1, 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_normal_distribution_has_its_known_values),
		cmocka_unit_test(
		        the_ends_of_the_normal_distribution_are_infinite_and_the_rest_is_nan),
		cmocka_unit_test(the_t_distribution_has_its_known_values),
		cmocka_unit_test(one_and_two_degrees_of_freedom_have_closed_forms),
		cmocka_unit_test(the_edges_of_the_t_distribution_are_told_apart),
		cmocka_unit_test(many_degrees_of_freedom_are_the_normal_distribution),
		cmocka_unit_test(every_quantile_inverts_its_distribution),
		cmocka_unit_test(a_larger_t_never_has_a_smaller_probability),
		cmocka_unit_test(the_incomplete_beta_function_has_its_known_values),
		cmocka_unit_test(the_incomplete_beta_function_is_symmetric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

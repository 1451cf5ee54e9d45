/* Distributions against an independent library, where it is installed. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/dist.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double dfs[] = { 0.8, 1, 1.5, 2, 3, 4.7, 9, 12.34, 27, 31.3, 100, 171.3, 1e4, 1e6 };
static const double ps[] = { 1e-12, 1e-6, 0.001, 0.005, 0.05, 0.3, 0.5, 0.9, 0.995, 1 - 1e-9 };

static void assert_near(double got, double want, double allowed, double p, double df)
{
	if (!(fabs(got - want) <= allowed))
		fail_msg("p %g, df %g: got %.17g, want %.17g within %g", p, df, got, want, allowed);
}

static void normal_quantiles_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ps); i++) {
		double want = gsl_cdf_ugaussian_Pinv(ps[i]);

		assert_near(dist_norm_quantile(ps[i]), want, 1e-9 * fabs(want), ps[i], INFINITY);
	}
}

static void t_probabilities_agree(void **state)
{
	(void)state;
	for (size_t d = 0; d < COUNT(dfs); d++)
		for (int step = -135; step <= 135; step++) {
			double t = 0.37 * step, df = dfs[d];

			assert_near(dist_t_cdf(t, df), gsl_cdf_tdist_P(t, df), 1e-9, t, df);
		}
}

/* How far a quantile misses its probability by the library's own distribution, relative. */
static double miss(double t, double p, double df)
{
	if (p <= 0.5)
		return fabs(gsl_cdf_tdist_P(t, df) / p - 1);
	return fabs(gsl_cdf_tdist_Q(t, df) / (1 - p) - 1);
}

/*
 * Far out the library's inverse stops early: there it misses its own distribution by more than
 * 1e-9, while ours must not.
 */
static void t_quantiles_agree(void **state)
{
	int compared = 0;

	(void)state;
	for (size_t d = 0; d < COUNT(dfs); d++) {
		for (size_t i = 0; i < COUNT(ps); i++) {
			double p = ps[i], df = dfs[d];
			double want = gsl_cdf_tdist_Pinv(p, df), got = dist_t_quantile(p, df);

			if (miss(want, p, df) > 1e-9) {
				assert_true(miss(got, p, df) <= 1e-9);
				continue;
			}
			assert_near(got, want, 1e-9 * fabs(want), p, df);
			compared++;
		}
	}
	assert_true(compared >= (int)(COUNT(dfs) * COUNT(ps) * 9 / 10));
}

static void the_incomplete_beta_function_agrees(void **state)
{
	static const double ab[] = { 0.1, 0.5, 1, 2.5, 10, 100, 3000 };
	static const double xs[] = { 1e-9, 0.01, 0.2, 0.5, 0.8, 0.99, 0.999999 };

	(void)state;
	for (size_t a = 0; a < COUNT(ab); a++)
		for (size_t b = 0; b < COUNT(ab); b++)
			for (size_t x = 0; x < COUNT(xs); x++)
				assert_near(dist_beta_inc(ab[a], ab[b], xs[x]),
				            gsl_cdf_beta_P(xs[x], ab[a], ab[b]), 1e-9, ab[a],
				            ab[b]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_quantiles_agree),
		cmocka_unit_test(t_probabilities_agree),
		cmocka_unit_test(t_quantiles_agree),
		cmocka_unit_test(the_incomplete_beta_function_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

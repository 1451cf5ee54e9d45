/*
 * The normal and t distributions and the incomplete beta function, agreeing with GSL to 1e-9
 * (tested). Degrees of freedom may be fractional (Satterthwaite) or infinite. What is out of range
 * gives NaN. A quantile takes about 1 us. Pure functions.
 */
#ifndef HPCBENCH_BASE_DIST_H
#define HPCBENCH_BASE_DIST_H

double dist_norm_cdf(double z);
double dist_norm_quantile(double p); /* p in (0,1); 0 and 1 give -/+ infinity */

/* P(T <= t) with df > 0 degrees of freedom; accurate in the far tails too. */
double dist_t_cdf(double t, double df);
double dist_t_quantile(double p, double df);

/* Regularised incomplete beta I_x(a, b), continued fraction (Lentz). */
double dist_beta_inc(double a, double b, double x);

#endif

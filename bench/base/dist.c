#include "bench/base/dist.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* ln sqrt(2 pi) */
static const double half_ln_2pi = 0.91893853320467274178;

double dist_norm_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

static double norm_density(double z)
{
	return exp(-0.5 * z * z - half_ln_2pi);
}

/*
 * -z for a lower tail q in (0, 1/2]: the rational start of Abramowitz & Stegun 26.2.23, good to
 * 4.5e-4, and two of Halley's cubic steps, which bring that to the last digit.
 */
static double norm_upper(double q)
{
	double r = sqrt(-2 * log(q));
	double z = r - (2.515517 + r * (0.802853 + r * 0.010328)) /
	                       (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));

	/* Below this the density is no longer a normal number, and the start has to do. */
	if (q < 1e-300)
		return z;
	for (int i = 0; i < 2; i++) {
		double miss;

		/* Near the middle the difference to 1/2, which is exact, is what counts. */
		if (q > 0.25)
			miss = (0.5 - q) - 0.5 * erf(z * M_SQRT1_2);
		else
			miss = 0.5 * erfc(z * M_SQRT1_2) - q;
		double step = miss / norm_density(z);
		z += step / (1 - 0.5 * z * step);
	}
	return z;
}

double dist_norm_quantile(double p)
{
	if (isnan(p) || p < 0 || p > 1)
		return NAN;
	if (p <= 0 || p >= 1)
		return p <= 0 ? -INFINITY : INFINITY;
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -norm_upper(p) : norm_upper(1 - p);
}

/* What Stirling's formula for ln gamma leaves out, for z >= 20 to the last digit. */
static double stirling_rest(double z)
{
	double w = 1 / (z * z);

	return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

/*
 * ln(gamma(z + d) / gamma(z)), d > 0. For large z the two logarithms agree in most of their
 * digits, so their difference is taken term by term.
 */
static double ln_gamma_ratio(double z, double d)
{
	int sign;

	if (z < 20)
		return lgamma_r(z + d, &sign) - lgamma_r(z, &sign);
	return (z - 0.5) * log1p(d / z) + d * log(z + d) - d + stirling_rest(z + d) -
	       stirling_rest(z);
}

static double ln_beta(double a, double b)
{
	double small = fmin(a, b), big = fmax(a, b);
	int sign;

	return lgamma_r(small, &sign) - ln_gamma_ratio(big, small);
}

/*
 * The continued fraction of I_x(a, b) (Abramowitz & Stegun 26.5.8), 1/(1 + d1/(1 + d2/(1 + ...))),
 * contracted to its even part, 1/(b0 - a1/(b1 - a2/(b2 - ...))) with
 *	b_m = 1 + d_2m + d_2m+1,  a_m = d_2m-1 d_2m,
 * and evaluated by Lentz' method. y = 1 - x is given apart: where x is close to 1, 1 + d_2m+1 is
 * written with y, so that nothing cancels however large a is. Converges fast for
 * x < (a + 1)/(a + b + 2).
 */
static double beta_fraction(double a, double b, double x, double y)
{
	const double tiny = 1e-290;
	double c = 1, inv = 0, f = 1, odd_before = 0;

	for (int i = 0; i < 100000; i++) {
		double m = i;
		double top = (a + m) * (a + b + m), bottom = (a + 2 * m) * (a + 2 * m + 1);
		double odd = -top / bottom * x;
		double even = i ? m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m)) * x : 0;
		double one_odd = 1 + odd;

		if (x > 0.5)
			one_odd = (a * (2 * m + 1 - b) + m * (3 * m + 2 - b) + top * y) / bottom;
		double bm = one_odd + even, am = odd_before * even;
		odd_before = odd;
		if (i == 0) {
			f = c = fabs(bm) < tiny ? tiny : bm;
			continue;
		}
		inv = bm - am * inv;
		inv = 1 / (fabs(inv) < tiny ? tiny : inv);
		c = bm - am / c;
		if (fabs(c) < tiny)
			c = tiny;
		f *= c * inv;
		if (fabs(c * inv - 1) < 2 * DBL_EPSILON)
			break;
	}
	return 1 / f;
}

double dist_beta_inc(double a, double b, double x)
{
	if (isnan(x) || !(a > 0) || !(b > 0))
		return NAN;
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;

	double y = 1 - x;
	double front = exp(a * (x > 0.5 ? log1p(-y) : log(x)) + b * log1p(-x) - ln_beta(a, b));

	if (x < (a + 1) / (a + b + 2))
		return front / a * beta_fraction(a, b, x, y);
	return 1 - front / b * beta_fraction(b, a, y, x);
}

/* The t distribution of df degrees of freedom: the logarithm of its density at 0. */
struct t_dist {
	double df, ln_top;
};

/* What lies beyond t > 0, and between 0 and t: each accurate by itself; the density at t. */
struct t_parts {
	double tail, inner, density;
};

static struct t_dist t_make(double df)
{
	struct t_dist d = { df, ln_gamma_ratio(df / 2, 0.5) - 0.5 * log(M_PI * df) };

	return d;
}

/*
 * P(T > t) = I_x(df/2, 1/2) / 2 with x = df/(df + t^2), and the other half of the area by the
 * mirrored fraction, whichever converges.
 */
static struct t_parts t_at(const struct t_dist *d, double t)
{
	double a = d->df / 2, ratio = t / d->df * t;
	double ln = log1p(ratio), x = 1 / (1 + ratio), y = ratio / (1 + ratio);
	struct t_parts parts;

	if (ratio > 1e280) { /* t squared is about to overflow */
		ln = 2 * log(t) - log(d->df);
		x = exp(-ln);
		y = 1;
	}
	parts.density = exp(d->ln_top - (a + 0.5) * ln);
	double front = exp(d->ln_top + 0.5 * log(d->df) - a * ln) * sqrt(y);
	if (x < (a + 1) / (a + 2.5)) {
		parts.tail = 0.5 * front / a * beta_fraction(a, 0.5, x, y);
		parts.inner = 0.5 - parts.tail;
	} else {
		parts.inner = front * beta_fraction(0.5, a, y, x);
		parts.tail = 0.5 - parts.inner;
	}
	return parts;
}

double dist_t_cdf(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	if (isinf(df))
		return dist_norm_cdf(t);
	if (isinf(t))
		return t < 0 ? 0 : 1;
	if (t == 0)
		return 0.5;

	struct t_dist d = t_make(df);
	struct t_parts parts = t_at(&d, fabs(t));

	return t < 0 ? parts.tail : 0.5 + parts.inner;
}

/*
 * Between 0 and the quantile lies the area, small: the area is concave in t, so Newton's steps
 * from area / density(0), which is too small, rise to the root and never pass it.
 */
static double t_inner_quantile(const struct t_dist *d, double area)
{
	double t = area * exp(-d->ln_top);

	for (int i = 0; i < 100; i++) {
		struct t_parts parts = t_at(d, t);
		double step = (area - parts.inner) / parts.density;

		t += step;
		if (fabs(step) < 1e-9 * t)
			break;
	}
	return t;
}

/* The quantile by its expansion in 1/df around the normal one (Abramowitz & Stegun 26.7.5). */
static double t_from_normal(double z, double df)
{
	double w = z * z;

	return z * (1 + ((w + 1) / 4 + ((5 * w * w + 16 * w + 3) / 96 +
	                                (((3 * w + 19) * w + 17) * w - 15) / 384 / df) /
	                                       df) /
	                        df);
}

/*
 * Beyond the quantile lies q, a tail. ln q is concave in ln t with a slope that falls from 0 to
 * -df, so Newton's steps in logarithms fall to the root once they are above it, and the first one
 * takes them there. Above: what the tail's leading power gives, as (1 + t^2/df) > t^2/df. Below:
 * the normal quantile, as t has the heavier tails. The start is the expansion around the normal
 * quantile, kept between the two.
 */
static double t_tail_quantile(const struct t_dist *d, double q)
{
	double low = norm_upper(q), df = d->df;
	double high = exp((d->ln_top - log(q) + 0.5 * (df - 1) * log(df)) / df);
	double t = fmin(fmax(t_from_normal(low, df), low), high);

	if (isinf(t))
		return t;
	for (int i = 0; i < 100; i++) {
		struct t_parts parts = t_at(d, t);
		double step;

		if (parts.tail > 0)
			step = log(parts.tail / q) * parts.tail / (parts.density * t);
		else
			step = -0.5; /* too far out to say how far */
		if (!isfinite(step))
			break;
		t *= exp(step);
		if (fabs(step) < 1e-9)
			break;
	}
	return t;
}

double dist_t_quantile(double p, double df)
{
	double q = p <= 0.5 ? p : 1 - p;

	if (isnan(p) || p < 0 || p > 1 || !(df > 0))
		return NAN;
	if (isinf(df) || q <= 0)
		return dist_norm_quantile(p);
	if (p == 0.5)
		return 0;

	struct t_dist d = t_make(df);
	double t = q > 0.25 ? t_inner_quantile(&d, 0.5 - q) : t_tail_quantile(&d, q);

	return p < 0.5 ? -t : t;
}

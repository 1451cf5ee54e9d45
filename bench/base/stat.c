#include "bench/base/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

double stat_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : NAN;
}

double stat_sd(const double *v, size_t n)
{
	double mean = stat_mean(v, n), squares = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

void stat_sort(double *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_value);
}

/* A sorted copy of the values that are numbers; the caller frees. */
static double *sorted_numbers(const double *v, size_t n, size_t *n_numbers)
{
	double *copy = hb_alloc((n ? n : 1) * sizeof(*copy));
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			copy[k++] = v[i];
	stat_sort(copy, k);
	*n_numbers = k;
	return copy;
}

double stat_quantile_sorted(const double *sorted, size_t n, double p)
{
	if (n == 0 || isnan(p))
		return NAN;
	if (p <= 0 || n == 1)
		return sorted[0];
	if (p >= 1)
		return sorted[n - 1];

	double h = (double)(n - 1) * p, below = floor(h);
	size_t i = (size_t)below;

	/* No interpolation where there is none to do: keeps infinities out of it. */
	if (i >= n - 1)
		return sorted[n - 1];
	if (h <= below || sorted[i] >= sorted[i + 1])
		return sorted[i];
	return sorted[i] + (h - below) * (sorted[i + 1] - sorted[i]);
}

double stat_quantile(const double *v, size_t n, double p)
{
	double *copy, q;

	if (n == 0)
		return NAN;
	copy = hb_alloc(n * sizeof(*copy));
	memcpy(copy, v, n * sizeof(*copy));
	stat_sort(copy, n);
	q = stat_quantile_sorted(copy, n, p);
	free(copy);
	return q;
}

double stat_median(const double *v, size_t n)
{
	return stat_quantile(v, n, 0.5);
}

double stat_mad(const double *v, size_t n)
{
	double *off, median, mad;

	if (n == 0)
		return NAN;
	median = stat_median(v, n);
	off = hb_alloc(n * sizeof(*off));
	for (size_t i = 0; i < n; i++)
		off[i] = fabs(v[i] - median);
	stat_sort(off, n);
	mad = 1.4826 * stat_quantile_sorted(off, n, 0.5);
	free(off);
	return mad;
}

void stat_median_interval(size_t n, size_t *lo, size_t *hi)
{
	double width = 1.96 * sqrt((double)n), low, high;

	*lo = 0;
	*hi = n ? n - 1 : 0;
	if (n < 6)
		return;
	low = floor(((double)n - width) / 2);
	high = ceil(1 + ((double)n + width) / 2) - 1;
	if (low > 0)
		*lo = (size_t)low;
	if (high < (double)(n - 1))
		*hi = (size_t)high;
}

void stat_summarize(double *v, size_t n, struct stat_summary *out)
{
	size_t lo, hi;

	*out = (struct stat_summary){ 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	if (n == 0)
		return;
	stat_sort(v, n);
	stat_median_interval(n, &lo, &hi);
	out->n = n;
	out->min = v[0];
	out->p50 = stat_quantile_sorted(v, n, 0.5);
	out->lo = v[lo];
	out->hi = v[hi];
	out->p95 = stat_quantile_sorted(v, n, 0.95);
	out->p99 = stat_quantile_sorted(v, n, 0.99);
	out->max = v[n - 1];
}

double stat_simes(const double *p, size_t n)
{
	double best = 1;
	size_t m;
	double *sorted = sorted_numbers(p, n, &m);

	for (size_t i = 0; i < m; i++)
		best = fmin(best, (double)m * sorted[i] / (double)(i + 1));
	free(sorted);
	return best;
}

size_t stat_bh(const double *p, size_t n, double q, unsigned char *rejected)
{
	size_t m, k, count = 0;
	double *sorted = sorted_numbers(p, n, &m);

	/* The largest rank whose p lies under the line; all up to it are rejected. */
	for (k = m; k > 0; k--)
		if (sorted[k - 1] <= (double)k * q / (double)m)
			break;
	for (size_t i = 0; i < n; i++) {
		rejected[i] = k > 0 && p[i] <= sorted[k - 1];
		count += rejected[i];
	}
	free(sorted);
	return count;
}

double stat_node_score(const double *y, size_t n)
{
	return stat_quantile(y, n, n <= 3 ? 1 : 0.75);
}

double stat_correlation(const double *a, const double *b, size_t n)
{
	double mean_a = stat_mean(a, n), mean_b = stat_mean(b, n);
	double aa = 0, bb = 0, ab = 0, r;

	for (size_t i = 0; i < n; i++) {
		aa += (a[i] - mean_a) * (a[i] - mean_a);
		bb += (b[i] - mean_b) * (b[i] - mean_b);
		ab += (a[i] - mean_a) * (b[i] - mean_b);
	}
	r = ab / (sqrt(aa) * sqrt(bb));
	return isfinite(r) ? fmin(fmax(r, -1), 1) : 0;
}

/*
 * Pure statistics on arrays: what a point stores about its samples, and the robust and multiple
 * test tools that compare and localize build on. Nothing here prints, allocates globally or knows
 * a benchmark. Sources: Hyndman & Fan 1996 (type 7 quantiles), Simes 1986, Benjamini & Hochberg
 * 1995, Hoefler & Belli SC'15 (interval of the median).
 */
#ifndef HPCBENCH_BASE_STAT_H
#define HPCBENCH_BASE_STAT_H

#include <stddef.h>
#include <stdint.h>

/* 0 of no values is NaN throughout. */
double stat_mean(const double *v, size_t n);
double stat_sd(const double *v, size_t n); /* n - 1 in the denominator; NaN below 2 values */
void stat_sort(double *v, size_t n);       /* ascending, NaN last */
double stat_quantile_sorted(const double *sorted, size_t n, double p); /* type 7 */
double stat_quantile(const double *v, size_t n, double p);             /* copies and sorts */
double stat_median(const double *v, size_t n);
double stat_mad(const double *v, size_t n); /* 1.4826 * median |v - median| */

/*
 * Order-statistic interval of the median (about 95 %): zero-based ranks into the sorted samples,
 * floor((n - 1.96 sqrt n)/2) and ceil(1 + (n + 1.96 sqrt n)/2) - 1, clipped. Fewer than 6 samples
 * give the whole range.
 */
void stat_median_interval(size_t n, size_t *lo, size_t *hi);

/* Everything a point stores of one series of times, exactly, from all its samples. */
struct stat_summary {
	uint64_t n;
	double min, p50, lo, hi, p95, p99, max; /* lo, hi: interval of p50 */
};
void stat_summarize(double *v, size_t n, struct stat_summary *out); /* sorts v */

/* Simes' combined p of n p-values: min over i of n * p_(i) / i. Any order; 1 if n = 0. NaN counts
 * as not tested. */
double stat_simes(const double *p, size_t n);

/*
 * Benjamini-Hochberg: sets rejected[i] to 1 or 0 for each p[i], rejected at level q over as many
 * tests as there are p-values, returns how many are. NaN counts as not tested and not rejected.
 */
size_t stat_bh(const double *p, size_t n, double q, unsigned char *rejected);

/*
 * The score of a node over its pairs (y: log figures, lower is worse): upper quartile, type 7; the
 * maximum with at most 3 pairs. design.md section 7.
 */
double stat_node_score(const double *y, size_t n);

double stat_correlation(const double *a, const double *b, size_t n); /* Pearson; 0 if undefined */

#endif

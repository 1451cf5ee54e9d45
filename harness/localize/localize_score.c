/*
 * Scores and what they are measured in. Selection in place of sorting: a full matrix of 1,024
 * nodes is a million figures.
 */
#include <math.h>
#include <stddef.h>

#include "bench/base/dist.h"
#include "harness/localize/localize_parts.h"

/*
 * A stored spread counts as one that this many nodes of now had shown. Below this share of the
 * nodes at the stored level the whole cluster has moved.
 */
static const double stored_weight = LOC_STORED_NODES, stored_share = 0.15, stored_reach = 2.5;

/* The k-th smallest: Hoare's FIND. Afterwards those before it are not larger, those behind it not
 * smaller. */
static double select_kth(double *v, size_t n, size_t k)
{
	ptrdiff_t lo = 0, hi = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;

	while (lo < hi) {
		double pivot = v[at];
		ptrdiff_t i = lo, j = hi;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (pivot < v[j])
				j--;
			if (i > j)
				break;
			double t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		if (j < at)
			lo = i;
		if (at < i)
			hi = j;
	}
	return v[k];
}

/* Type 7 quantile; NaN of nothing. */
double loc_quantile(double *v, size_t n, double p)
{
	if (n == 0)
		return NAN;

	double h = (double)(n - 1) * p, below = floor(h), low, next;
	size_t k = (size_t)below;

	low = select_kth(v, n, k);
	if (h <= below || k + 1 >= n)
		return low;
	next = v[k + 1];
	for (size_t i = k + 2; i < n; i++)
		next = v[i] < next ? v[i] : next;
	return low + (h - below) * (next - low);
}

double loc_median(double *v, size_t n)
{
	return n == 1 ? v[0] : loc_quantile(v, n, 0.5);
}

double loc_score(double *v, size_t n, size_t partners)
{
	return loc_quantile(v, n, partners <= 3 ? 1.0 : 0.75);
}

/*
 * 1.4826 MAD about a given middle, with the factors that make it unbiased where there are few
 * (Croux & Rousseeuw 1992). Uses v up.
 */
static double spread(double *v, size_t n, double middle)
{
	static const double few[] = {
		1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107
	};
	double factor = n < sizeof(few) / sizeof(few[0]) ? few[n] : 1;

	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - middle);
	return 1.4826 * factor * loc_median(v, n);
}

/* Brings those above the bound to the front. Returns how many. */
static size_t above(double *v, size_t n, double bound)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i] <= bound)
			continue;
		double t = v[i];
		v[i] = v[k];
		v[k++] = t;
	}
	return k;
}

/* Those that are at the stored level, to the front: the level follows them, so that a small shift
 * of the whole is no fault of some. 0: the whole cluster has moved. */
static size_t at_stored_level(double *v, size_t n, double median, double s, double *middle)
{
	size_t g = 0;

	for (int pass = 0; pass < 3; pass++) {
		g = above(v, n, median - stored_reach * s);
		if ((double)g < stored_share * (double)n || g == 0)
			return 0;
		median = loc_median(v, g);
	}
	*middle = median;
	return g;
}

void loc_scale(double *v, size_t n, double stored_median, double stored_s,
               const struct loc_params *p, struct loc_scale *out)
{
	bool has_s = isfinite(stored_s) && stored_s > 0,
	     has_median = isfinite(stored_median) && has_s;
	size_t g = 0;
	double own, w = stored_weight;

	if (has_median)
		g = at_stored_level(v, n, stored_median, fmax(stored_s, p->s_floor), &out->median);
	/* Two nodes have one figure: it has moved, or one of them is slow, and nobody can tell. */
	if (g == 0 && has_median && n == 2) {
		g = n;
		out->median = stored_median;
		v[0] = v[1] = stored_median;
	}
	if (g == 0) {
		g = n;
		out->median = loc_median(v, n);
	}
	own = spread(v, g, out->median);
	if (has_s && g > 0)
		own = sqrt((w * stored_s * stored_s + (double)g * own * own) / (w + (double)g));
	out->s = fmax(own, p->s_floor);
	out->stored = has_s;
}

/* Variance of the score of n figures with variance 1: of a normal's maximum, then of its upper
 * quartile. */
static double score_variance(double n)
{
	static const double most[] = { 1, 1, 0.682, 0.559 };

	return n < 4 ? most[(int)n] : 1.86 / (n + 1);
}

/* The mean of max(a, X), X normal; *variance: of it, about. */
static double mean_of_max(double a, double mean, double sd, double *variance)
{
	double t = (mean - a) / fmax(sd, 1e-12), above = dist_norm_cdf(t);

	*variance = sd * sd * above;
	return a * (1 - above) + mean * above + sd * exp(-t * t / 2) * 0.39894228;
}

/*
 * A slow node's pairs all show its own speed where a healthy one's show the lesser of two: its own
 * spread is about 1.25 times that of the scores, and the score's median lies 0.67 s lower than the
 * healthy speed (simulated with equal spread and noise). The limit is random too: s comes from as
 * many nodes as there are, with a relative s.d. of 1.17 / sqrt n where it is a MAD.
 */
double localize_detectable(const struct loc_spread *of, double partners, double delta,
                           double z_slow)
{
	double s = of->s, noise = of->noise * of->noise, nodes = of->nodes, own, limit, error, more;
	double power = 1.2816 + 2.6 / sqrt(nodes); /* few nodes: the limit has a long tail */

	if (!(partners >= 2) || !isfinite(s) || nodes < 3 || !(delta < 1))
		return NAN;
	own = fmax(1.5625 * s * s - noise * score_variance(of->usual), 0) +
	      noise * score_variance(partners);
	error = of->stored ? 1.17 * sqrt(nodes) / (nodes + stored_weight) : 1.17 / sqrt(nodes);
	limit = mean_of_max(-log1p(-delta), -z_slow * s, -z_slow * s * error, &more);
	return 1 - exp(-limit - 0.67 * s - power * sqrt(own + more + 1.57 * s * s / nodes));
}

double loc_detectable(const struct loc_work *w, double n, double usual)
{
	const struct loc_spread of = { w->out->s, w->noise, w->scored, usual, w->out->stored };

	return localize_detectable(&of, n, 1 - exp(-w->delta), w->p.z_slow);
}

/*
 * From the series of a baseline to spreads and degrees of freedom: the formulae stand at
 * baseline_derive in baseline.h, their reasons in the statistics chapter of the design.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/baseline.h"
#include "harness/judge/baseline_curve.h"

static const double s_floor = 1e-4; /* relative: timer resolution */

struct curve_item {
	char *curve;
	size_t entry;
	enum subject_kind kind;
	double floor;
};

static bool same_curve(const struct curve_item *x, const struct curve_item *y)
{
	return x->kind == y->kind && !(x->floor < y->floor) && !(x->floor > y->floor) &&
	       strcmp(x->curve, y->curve) == 0;
}

static int item_order(const void *a, const void *b)
{
	const struct curve_item *x = a, *y = b;
	int c = strcmp(x->curve, y->curve);

	if (c != 0)
		return c;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->floor < y->floor || x->floor > y->floor)
		return x->floor < y->floor ? -1 : 1;
	return x->entry < y->entry ? -1 : 1;
}

void curves_make(const struct baseline *b, struct curves *out)
{
	struct curve_item *items = hb_alloc(b->n_entries * sizeof(*items));

	memset(out, 0, sizeof(*out));
	out->entry = hb_alloc(b->n_entries * sizeof(*out->entry));
	out->first = hb_alloc((b->n_entries + 1) * sizeof(*out->first));
	for (size_t i = 0; i < b->n_entries; i++) {
		items[i].curve = key_curve(&b->entries[i].key);
		items[i].entry = i;
		items[i].kind = b->entries[i].kind;
		items[i].floor = b->entries[i].floor;
	}
	if (b->n_entries)
		qsort(items, b->n_entries, sizeof(*items), item_order);
	for (size_t i = 0; i < b->n_entries; i++) {
		if (i == 0 || !same_curve(&items[i - 1], &items[i]))
			out->first[out->n++] = i;
		out->entry[i] = items[i].entry;
	}
	out->first[out->n] = b->n_entries;
	for (size_t i = 0; i < b->n_entries; i++)
		free(items[i].curve);
	free(items);
}

void curves_free(struct curves *c)
{
	free(c->entry);
	free(c->first);
	memset(c, 0, sizeof(*c));
}

/* Mean, median and count of one series. Returns its sum of squares about the mean. */
static double series_figures(struct base_series *s, size_t n_runs, double *scratch)
{
	double ss = 0.0;
	size_t n = 0;

	for (size_t t = 0; t < n_runs; t++)
		if (isfinite(s->y[t]))
			scratch[n++] = s->y[t];
	s->n = (int)n;
	s->mean = stat_mean(scratch, n);
	for (size_t i = 0; i < n; i++)
		ss += (scratch[i] - s->mean) * (scratch[i] - s->mean);
	s->median = stat_median(scratch, n);
	return ss;
}

/* What belongs to one key alone. df_own still counts subjects as independent. */
static void derive_entry(struct base_entry *e, size_t n_runs, double *scratch)
{
	double ss = 0.0, df = 0.0, sum = 0.0;
	size_t with = 0;

	e->runs = 0;
	for (size_t t = 0; t < n_runs; t++) {
		bool seen = false;

		for (size_t k = 0; k < e->n_series && !seen; k++)
			seen = isfinite(e->series[k].y[t]);
		e->runs += seen;
	}
	for (size_t k = 0; k < e->n_series; k++) {
		ss += series_figures(&e->series[k], n_runs, scratch);
		if (e->series[k].n == 0)
			continue;
		df += e->series[k].n - 1;
		sum += e->series[k].mean;
		with++;
	}
	e->mean = with ? sum / (double)with : NAN;
	e->df_own = df;
	e->s_own = df > 0.0 ? sqrt(ss / df) : NAN;
}

/*
 * The mean correlation over all pairs of vectors, with gaps: each vector is scaled to a mean
 * square of 1, and the products of all pairs that were both seen in a run are averaged. Without
 * gaps this is the mean of Pearson's coefficients.
 */
struct pair_sum {
	double products, pairs;
};

/* Column t of n vectors; v[k * len + t] NaN: not seen. */
static void add_vectors(struct pair_sum *p, double *v, size_t n, size_t len)
{
	for (size_t k = 0; k < n; k++) {
		double square = 0.0, count = 0.0;

		for (size_t t = 0; t < len; t++) {
			if (isfinite(v[k * len + t])) {
				square += v[k * len + t] * v[k * len + t];
				count += 1.0;
			}
		}
		for (size_t t = 0; t < len; t++)
			v[k * len + t] = square > 0.0 ? v[k * len + t] / sqrt(square / count) : NAN;
	}
	for (size_t t = 0; t < len; t++) {
		double sum = 0.0, squares = 0.0, count = 0.0;

		for (size_t k = 0; k < n; k++) {
			if (isfinite(v[k * len + t])) {
				sum += v[k * len + t];
				squares += v[k * len + t] * v[k * len + t];
				count += 1.0;
			}
		}
		p->products += sum * sum - squares;
		p->pairs += count * (count - 1.0);
	}
}

static double pair_sum_rho(const struct pair_sum *p)
{
	if (!(p->pairs > 0.0))
		return 1.0; /* unknown: the careful end */
	return fmin(fmax(p->products / p->pairs, 0.0), 1.0);
}

/* The subjects of a curve with at least two runs somewhere, in order of first appearance. */
struct subjects {
	const char **name;
	size_t n, cap;
};

static void curve_subjects(const struct baseline *b, const size_t *entry, size_t n_entries,
                           struct subjects *out)
{
	for (size_t i = 0; i < n_entries; i++) {
		const struct base_entry *e = &b->entries[entry[i]];
		size_t at = 0;

		for (size_t k = 0; k < e->n_series; k++) {
			const char *name = e->series[k].subject;
			size_t look = 0;

			if (e->series[k].n < 2)
				continue;
			while (look < out->n && strcmp(out->name[(at + look) % out->n], name) != 0)
				look++;
			if (look < out->n) {
				at = (at + look + 1) % out->n;
				continue;
			}
			hb_grow(&out->name, &out->cap, out->n + 1, sizeof(*out->name));
			out->name[out->n++] = name;
			at = 0;
		}
	}
}

/* Residuals of one subject at every size of the curve, size by size; NaN where not measured. */
static void subject_residuals(const struct baseline *b, const size_t *entry, size_t n_entries,
                              const char *name, size_t hint, double *out)
{
	for (size_t i = 0; i < n_entries; i++) {
		const struct base_entry *e = &b->entries[entry[i]];
		size_t k = baseline_series_near(e, name, hint);

		for (size_t t = 0; t < b->n_runs; t++)
			out[i * b->n_runs + t] = k == SIZE_MAX || e->series[k].n < 2
			                                 ? NAN
			                                 : e->series[k].y[t] - e->series[k].mean;
	}
}

/* Mean over sizes in each run. */
static void mean_columns(const double *v, size_t n, size_t len, double *out)
{
	for (size_t t = 0; t < len; t++) {
		double sum = 0.0, count = 0.0;

		for (size_t k = 0; k < n; k++) {
			if (isfinite(v[k * len + t])) {
				sum += v[k * len + t];
				count += 1.0;
			}
		}
		out[t] = count > 0.0 ? sum / count : NAN;
	}
}

/*
 * Upper 97.5 % bound of a correlation seen in n runs (Fisher's z): a few runs cannot show that
 * sessions do nothing to all subjects alike, and every pair of subjects shares the same runs.
 */
static double upper_rho(double rho, int n)
{
	if (n <= 3 || rho >= 1.0)
		return 1.0;
	return tanh(atanh(rho) + 1.96 / sqrt(n - 3));
}

struct correlations {
	double sizes, subjects;
	size_t n_subjects;
};

/* Between the sizes within subjects; and between subjects, of their residuals' mean over sizes. */
static void curve_correlations(const struct baseline *b, const size_t *entry, size_t n_entries,
                               int runs, struct correlations *out)
{
	struct pair_sum sizes = { 0 }, between = { 0 };
	struct subjects subjects = { 0 };
	double *v = hb_alloc(n_entries * b->n_runs * sizeof(*v)), *means;

	curve_subjects(b, entry, n_entries, &subjects);
	means = hb_alloc(subjects.n * b->n_runs * sizeof(*means));
	for (size_t i = 0; i < subjects.n; i++) {
		subject_residuals(b, entry, n_entries, subjects.name[i], i, v);
		mean_columns(v, n_entries, b->n_runs, means + i * b->n_runs);
		add_vectors(&sizes, v, n_entries, b->n_runs);
	}
	add_vectors(&between, means, subjects.n, b->n_runs);
	out->n_subjects = subjects.n;
	out->sizes = out->subjects = 1.0;
	if (runs >= BASELINE_MIN_RUNS) {
		out->sizes = pair_sum_rho(&sizes);
		out->subjects = upper_rho(pair_sum_rho(&between), runs);
	}
	free(v);
	free(means);
	free(subjects.name);
}

/* Own and pooled spread as one (formulae: baseline.h). */
static void combine(struct base_entry *e)
{
	double own = e->s_own * e->s_own, pool = e->s_pool * e->s_pool, s2, variance;
	double n = e->runs, w_pool = 4.0 / (n + 3.0), w_own = (n - 1.0) / (n + 3.0);

	if (!(e->df_own > 0.0)) {
		e->s_run = fmax(e->s_pool, s_floor);
		e->df_run = e->df_pool;
		return;
	}
	s2 = w_pool * pool + w_own * own;
	variance = (w_pool * w_pool + 2.0 * w_pool * w_own) * pool * pool / e->df_pool +
	           w_own * w_own * own * own / e->df_own;
	e->s_run = fmax(sqrt(s2), s_floor);
	e->df_run = variance > 0.0 ? s2 * s2 / variance : e->df_own;
}

static void derive_node_spread(struct base_entry *e)
{
	double sum = 0.0, inverse = 0.0;
	size_t n = 0;

	e->s_node = e->df_node = 0.0;
	for (size_t k = 0; k < e->n_series; k++) {
		if (e->series[k].n == 0)
			continue;
		sum += (e->series[k].mean - e->mean) * (e->series[k].mean - e->mean);
		inverse += 1.0 / e->series[k].n;
		n++;
	}
	if (n < 2)
		return;
	e->df_node = (double)(n - 1);
	sum /= e->df_node;
	if (e->df_run > 0.0)
		sum -= e->s_run * e->s_run * inverse / (double)n;
	e->s_node = sum > 0.0 ? sqrt(sum) : 0.0;
}

static double inflation(double n, double rho)
{
	return n > 1.0 ? 1.0 + (n - 1.0) * rho * rho : 1.0;
}

static void derive_curve(struct baseline *b, const size_t *entry, size_t n_entries)
{
	struct correlations rho;
	double ss = 0.0, df = 0.0, sizes = 0.0, of_sizes, of_subjects;
	int runs = 0;

	for (size_t i = 0; i < n_entries; i++) {
		const struct base_entry *e = &b->entries[entry[i]];

		runs = e->runs > runs ? e->runs : runs;
		if (e->df_own > 0.0) {
			ss += e->s_own * e->s_own * e->df_own;
			df += e->df_own;
			sizes += 1.0;
		}
	}
	curve_correlations(b, entry, n_entries, runs, &rho);
	of_sizes = inflation(sizes, rho.sizes);
	of_subjects = inflation((double)rho.n_subjects, rho.subjects);
	for (size_t i = 0; i < n_entries; i++) {
		struct base_entry *e = &b->entries[entry[i]];

		e->rho = rho.sizes;
		e->rho_subjects = rho.subjects;
		e->df_own /= of_subjects;
		e->df_pool = df / (of_sizes * of_subjects);
		e->s_pool = df > 0.0 ? sqrt(ss / df) : NAN;
		e->s_run = NAN;
		e->df_run = 0.0;
		if (df > 0.0)
			combine(e);
		derive_node_spread(e);
	}
}

void baseline_derive(struct baseline *b)
{
	struct curves curves;
	double *scratch = hb_alloc(b->n_runs * sizeof(*scratch));

	for (size_t i = 0; i < b->n_entries; i++)
		derive_entry(&b->entries[i], b->n_runs, scratch);
	curves_make(b, &curves);
	for (size_t c = 0; c < curves.n; c++)
		derive_curve(b, curves.entry + curves.first[c],
		             curves.first[c + 1] - curves.first[c]);
	curves_free(&curves);
	free(scratch);
}

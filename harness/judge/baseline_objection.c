#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "bench/base/units.h"
#include "harness/judge/baseline.h"
#include "harness/judge/baseline_curve.h"

/* How far from the median a run may lie, in scaled MADs, and what a MAD is at least: also a share
 * of the floor, as a curve of one size and one subject has only a few figures to tell it from. */
static const double mads = 5.0, mad_floor = 1e-4, mad_of_floor = 0.1;

/* Scaled MAD of all residuals of a curve, each series about its own median. */
static double curve_mad(const struct baseline *b, const size_t *entry, size_t n_entries)
{
	double *r = NULL, mad;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < n_entries; i++) {
		const struct base_entry *e = &b->entries[entry[i]];

		for (size_t k = 0; k < e->n_series; k++) {
			const struct base_series *s = &e->series[k];

			if (s->n < BASELINE_MIN_RUNS)
				continue;
			hb_grow(&r, &cap, n + b->n_runs, sizeof(*r));
			for (size_t t = 0; t < b->n_runs; t++)
				if (isfinite(s->y[t]))
					r[n++] = s->y[t] - s->median;
		}
	}
	mad = n ? stat_mad(r, n) : 0.0;
	free(r);
	return mad;
}

static double series_mad(const struct baseline *b, const struct base_series *s, double *scratch)
{
	size_t n = 0;

	for (size_t t = 0; t < b->n_runs; t++)
		if (isfinite(s->y[t]))
			scratch[n++] = s->y[t];
	return stat_mad(scratch, n);
}

struct objection {
	const struct summary_row *worst;
	double mads, loss; /* of the worst */
	int n_old;
	size_t rows;
};

static void look_at_rows(const struct baseline *b, const double *curve_of, double *scratch,
                         const struct summary *run, struct objection *out)
{
	size_t e = 0, k = 0;

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct summary_row *r = &run->rows[i];
		const struct base_series *s;
		double limit, away;

		if (!r->judged || r->quality != ROW_OK || !(r->value > 0.0))
			continue;
		e = baseline_find_near(b, r->key.text, r->kind, e);
		k = e == SIZE_MAX ? SIZE_MAX : baseline_series_near(&b->entries[e], r->subject, k);
		if (k == SIZE_MAX) {
			e = e == SIZE_MAX ? 0 : e;
			k = 0;
			continue;
		}
		s = &b->entries[e].series[k++];
		if (s->n < BASELINE_MIN_RUNS)
			continue;
		limit = fmax(fmax(series_mad(b, s, scratch), curve_of[e]),
		             fmax(mad_floor, mad_of_floor * b->entries[e].floor));
		away = (summary_y(r) - s->median) / limit;
		if (!(fabs(away) > mads))
			continue;
		out->rows++;
		if (!out->worst || fabs(away) > fabs(out->mads)) {
			out->worst = r;
			out->mads = away;
			out->loss = 1.0 - exp(summary_y(r) - s->median);
			out->n_old = s->n;
		}
	}
}

static char *objection_text(const struct objection *o, const struct summary *run)
{
	char bytes[32], percent[32], more[48] = "";

	info_size_text(o->worst->key.bench, o->worst->key.bytes, bytes, sizeof(bytes));
	units_format_percent(fabs(o->loss), percent, sizeof(percent));
	if (o->rows > 1)
		snprintf(more, sizeof(more), ", and %zu more such figures", o->rows - 1);
	return hb_format("run %s: %s%s%s on %s is %s %s than the median of %d runs "
	                 "(%.2f scaled MADs, 5 are allowed)%s",
	                 run->run ? run->run : "?", o->worst->key.bench, *bytes ? ", " : "", bytes,
	                 o->worst->subject, percent, o->loss > 0.0 ? "worse" : "better", o->n_old,
	                 fabs(o->mads), more);
}

char *baseline_objection(const struct baseline *b, const struct summary *run)
{
	struct objection found = { 0 };
	struct curves curves;
	double *curve_of, *scratch;

	if (run->injected)
		return hb_format("run %s was measured with --inject", run->run ? run->run : "?");
	if (run->partial)
		return hb_format("run %s is partial: interrupted, or steps are missing",
		                 run->run ? run->run : "?");
	curve_of = hb_alloc(b->n_entries * sizeof(*curve_of));
	scratch = hb_alloc(b->n_runs * sizeof(*scratch));
	curves_make(b, &curves);
	for (size_t c = 0; c < curves.n; c++) {
		size_t first = curves.first[c], n = curves.first[c + 1] - first;
		double mad = curve_mad(b, curves.entry + first, n);

		for (size_t i = first; i < first + n; i++)
			curve_of[curves.entry[i]] = mad;
	}
	curves_free(&curves);
	look_at_rows(b, curve_of, scratch, run, &found);
	free(curve_of);
	free(scratch);
	return found.worst ? objection_text(&found, run) : NULL;
}

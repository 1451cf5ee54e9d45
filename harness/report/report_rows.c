/* Which rows of a comparison get a line of their own, and which are counted. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

enum {
	ROWS_SHOWN_ALL = 30, /* a table of fewer rows is shown whole */
	DIFFER_SHOWN = 60,   /* rows that differ, before the others of theirs are counted only */
	GROUP_MIN = 3        /* rows worth a collapsed line */
};

/* Rows of one benchmark and verdict that become one line. */
struct groups {
	struct report_group *v;
	size_t n, cap;
};

static struct report_group *group_of(struct groups *g, const struct verdict_row *r)
{
	const struct key *k = r->key;
	for (size_t i = g->n; i > 0; i--)
		if (g->v[i - 1].verdict == r->verdict && strcmp(g->v[i - 1].bench, k->bench) == 0)
			return &g->v[i - 1];
	hb_grow(&g->v, &g->cap, g->n + 1, sizeof *g->v);
	g->v[g->n] = (struct report_group){ .bench = k->bench,
		                            .verdict = r->verdict,
		                            .bytes_min = k->bytes,
		                            .bytes_max = k->bytes,
		                            .delta_min = NAN,
		                            .delta_max = NAN,
		                            .mde = NAN };
	return &g->v[g->n++];
}

static void group_add(struct report_group *g, const struct verdict_row *r)
{
	const struct key *k = r->key;
	g->rows++;
	g->bytes_min = k->bytes < g->bytes_min ? k->bytes : g->bytes_min;
	g->bytes_max = k->bytes > g->bytes_max ? k->bytes : g->bytes_max;
	g->delta_min = fmin(g->delta_min, r->delta); /* fmin and fmax pass over NaN */
	g->delta_max = fmax(g->delta_max, r->delta);
}

static double group_mde(const struct report_group *g, const struct verdicts *v)
{
	double *mde = hb_alloc((g->rows + 1) * sizeof *mde);
	size_t n = 0;
	for (size_t i = 0; i < v->n && n < g->rows; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (r->verdict == g->verdict && isfinite(r->mde) &&
		    strcmp(r->key->bench, g->bench) == 0)
			mde[n++] = r->mde;
	}
	double median = stat_median(mde, n);
	free(mde);
	return median;
}

void report_diff_rows(struct doc *d, const struct verdicts *v, bool all, const bool *alike,
                      const struct report_names *names)
{
	const struct verdict_row **rows = report_sorted(v);
	bool whole = all || v->n < ROWS_SHOWN_ALL;
	struct groups groups = { 0 };
	size_t differ = 0;
	bool *shown = hb_alloc(v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		bool one_of_all = !all && alike && alike[rows[i] - v->rows];
		shown[i] = !one_of_all &&
		           (whole || (report_differs(rows[i]->verdict) && differ++ < DIFFER_SHOWN));
		if (!shown[i])
			group_add(group_of(&groups, rows[i]), rows[i]);
	}
	if (v->n)
		report_rows_begin(d, "old", "new");
	/* Groups stand in the order of their first row; one too small to save lines is shown. */
	for (size_t i = 0; i < v->n; i++) {
		struct report_group *g = shown[i] ? NULL : group_of(&groups, rows[i]);
		if (!g || g->rows < GROUP_MIN) {
			if (g || shown[i])
				report_row(d, names, rows[i]);
		} else if (!g->said) {
			g->said = true;
			g->mde = group_mde(g, v);
			report_row_collapsed(d, g);
		}
	}
	if (groups.n)
		doc_text(d, DOC_DIM,
		         "lines with a count stand for rows of that verdict; --all "
		         "shows each");
	report_reasons(d, rows, v->n, NULL);
	free(groups.v);
	free(shown);
	free(rows);
}

static int by_key(const void *a, const void *b)
{
	const struct verdict_row *x = *(const struct verdict_row *const *)a;
	const struct verdict_row *y = *(const struct verdict_row *const *)b;
	return strcmp(x->key->text, y->key->text);
}

bool report_shares_keys(const struct verdicts *v)
{
	const struct verdict_row **rows = hb_alloc((v->n + 1) * sizeof(const struct verdict_row *));
	bool shares = false;
	for (size_t i = 0; i < v->n; i++)
		rows[i] = &v->rows[i];
	qsort(rows, v->n, sizeof(const struct verdict_row *), by_key);
	for (size_t i = 0; i < v->n && !shares;) {
		bool is_new = false, is_gone = false;
		size_t k = i;
		for (; k < v->n && by_key(&rows[i], &rows[k]) == 0; k++) {
			is_new = is_new || rows[k]->verdict == VERDICT_NEW;
			is_gone = is_gone || rows[k]->verdict == VERDICT_GONE;
		}
		shares = is_new && is_gone;
		i = k;
	}
	free(rows);
	return shares;
}

/* Each node's own figures against those of the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose.h"

enum { OTHERS_MIN = 3 }; /* nodes with a figure of the key */

static bool counts(const struct summary_row *r)
{
	return r->kind == SUBJECT_NODE && r->quality == ROW_OK && r->phase == PHASE_MAIN &&
	       r->value > 0 && isfinite(r->value);
}

static int by_key(const void *a, const void *b)
{
	const struct summary_row *x = *(const struct summary_row *const *)a;
	const struct summary_row *y = *(const struct summary_row *const *)b;
	int c = strcmp(x->key.text, y->key.text);

	return c ? c : (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of those that are numbers; NaN: fewer than OTHERS_MIN. v is put in order. */
static double median(double *v, size_t n)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[m++] = v[i];
	if (m < OTHERS_MIN)
		return NAN;
	qsort(v, m, sizeof *v, by_value);
	return (v[(m - 1) / 2] + v[m / 2]) / 2;
}

/* Log of how far the slow side's 99th percentile lies from the figure itself; at least 0. */
static double tail_of(const struct summary_row *r)
{
	double t = r->p99 > 0 ? log(r->p99 / r->value) : NAN;

	return r->higher_is_better ? -t : t;
}

/* The n rows of one key. */
static void add_key(struct summary_row *const *rows, size_t n, struct scene_figure *out)
{
	double *v = hb_alloc(n * sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = summary_y(rows[i]);
	double y = median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = tail_of(rows[i]);
	double tail = median(v, n);
	for (size_t i = 0; i < n; i++)
		out[i] = (struct scene_figure){
			.node = rows[i]->subject,
			.bench = rows[i]->key.bench,
			.metric = rows[i]->key.metric,
			.bytes = rows[i]->key.bytes,
			.loss = 1 - exp(summary_y(rows[i]) - y),
			.tail = exp(tail_of(rows[i]) - tail),
		};
	free(v);
}

static const struct verdict_row *verdict_of(const struct verdicts *v, const struct scene_figure *f)
{
	for (size_t i = 0; v && i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (isfinite(r->loss) && r->key->bytes == f->bytes &&
		    strcmp(r->subject, f->node) == 0 && strcmp(r->key->bench, f->bench) == 0 &&
		    strcmp(r->key->metric, f->metric) == 0)
			return r;
	}
	return NULL;
}

size_t scene_figures_make(const struct summary *s, const struct verdicts *v,
                          struct scene_figure **out)
{
	struct summary_row **rows = hb_alloc((s->n_rows + 1) * sizeof(struct summary_row *));
	size_t n = 0, m = 1;

	for (size_t i = 0; i < s->n_rows; i++)
		if (counts(&s->rows[i]))
			rows[n++] = &s->rows[i];
	qsort(rows, n, sizeof(struct summary_row *), by_key);
	*out = hb_alloc((n + 1) * sizeof **out);
	for (size_t i = 0; i < n; i += m) {
		for (m = 1; i + m < n && strcmp(rows[i + m]->key.text, rows[i]->key.text) == 0;)
			m++;
		add_key(rows + i, m, *out + i);
		for (size_t k = i; m < OTHERS_MIN && k < i + m; k++) {
			const struct verdict_row *r = verdict_of(v, &(*out)[k]);
			(*out)[k].loss = r ? r->loss : NAN;
		}
	}
	free(rows);
	return n;
}

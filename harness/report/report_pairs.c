/* The slowest pairs of all benchmarks: evidence for whoever looks at a cable. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

enum { PAIRS_SHOWN = 5 };
/* Shown below this share of the median over pairs; looked at first below that one. */
static const double shown_below = 0.95, alarming_below = 0.80;

static int by_ratio(const void *a, const void *b)
{
	const struct summary_pair *x = *(const struct summary_pair *const *)a;
	const struct summary_pair *y = *(const struct summary_pair *const *)b;
	if (x->ratio != y->ratio)
		return x->ratio < y->ratio ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A finding tells already whose fault it is. */
static bool is_explained(const struct findings *f, const struct summary_pair *p)
{
	return f && findings_of_pair(f, p->key.bench, p->a, p->b);
}

/* The slow ones, worst first; the caller frees the array. */
static const struct summary_pair **slow_pairs(const struct summary *s, const struct findings *f,
                                              size_t *n)
{
	const struct summary_pair **v = hb_alloc((s->n_worst + 1) * sizeof(struct summary_pair *));
	*n = 0;
	for (size_t i = 0; i < s->n_worst; i++)
		if (isfinite(s->worst[i].ratio) && s->worst[i].ratio < shown_below &&
		    !is_explained(f, &s->worst[i]))
			v[(*n)++] = &s->worst[i];
	if (*n > 1)
		qsort(v, *n, sizeof(struct summary_pair *), by_ratio);
	return v;
}

const struct summary_pair *report_slow_pair(const struct summary *s, const struct findings *f)
{
	const struct summary_pair *worst = NULL;
	for (size_t i = 0; i < s->n_worst; i++) {
		const struct summary_pair *p = &s->worst[i];
		if (p->ratio < alarming_below && (!worst || p->ratio < worst->ratio) &&
		    !is_explained(f, p))
			worst = p;
	}
	return worst;
}

static void put_pair(struct doc *d, const struct summary_pair *p, const struct report_names *names)
{
	const struct bench_info *info = catalog_find(p->key.bench);
	const struct metric_info *m = info ? info_metric(info, p->key.metric) : NULL;
	char size[REPORT_TEXT];
	struct buf text = BUF_INIT;
	units_format_bytes(p->key.bytes, size, sizeof size);
	rec_pair_subject(p->dir, p->a, p->b, &text);
	buf_putc(&text, ' ');
	report_name(names, &p->key, &text);
	buf_printf(&text, " %s: ", size);
	if (m)
		report_figure(m->unit, p->value, NAN, &text);
	buf_puts(&text, m ? ", " : "");
	report_percent(p->ratio, false, &text);
	buf_puts(&text, " of the median speed over pairs");
	doc_list_item(d, "%s", buf_text(&text));
	buf_free(&text);
}

void report_pairs(struct doc *d, const struct summary *s, const struct findings *f,
                  const struct report_names *names)
{
	size_t n;
	const struct summary_pair **v = slow_pairs(s, f, &n);
	if (n) {
		doc_heading(d, 2, "Worst pairs (shown as evidence, not judged)");
		for (size_t i = 0; i < n && i < PAIRS_SHOWN; i++)
			put_pair(d, v[i], names);
		if (n > PAIRS_SHOWN)
			doc_text(d, DOC_DIM, "and %zu more; --json has them", n - PAIRS_SHOWN);
	}
	free(v);
}

#include "harness/report/report_parts.h"

#include <math.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"

enum { VALUES_SHOWN = 4, REASONS_SHOWN = 6 };

bool report_typable(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                        "._-/~,");
	return n && !name[n] && *name != '-' && *name != '~';
}

const char *report_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

void report_percent(double ratio, bool with_sign, struct buf *out)
{
	double percent = ratio * 100.0;
	if (!isfinite(percent))
		return;
	int decimals = fabs(percent) < 9.95 ? 1 : 0;
	if (fabs(percent) < 0.05)
		percent = 0.0; /* never "-0.0" */
	buf_printf(out, with_sign && percent > 0.0 ? "+%.*f %%" : "%.*f %%", decimals, percent);
}

void report_change(const struct key *k, double loss, struct buf *out)
{
	const struct bench_info *info = catalog_find(k->bench);
	const struct metric_info *m = info ? info_metric(info, k->metric) : NULL;
	report_percent(m && !m->higher_is_better ? 1.0 / (1.0 - loss) - 1.0 : -loss, true, out);
}

void report_p(double p, struct buf *out)
{
	if (!isfinite(p))
		return;
	if (p < 0.0001)
		buf_puts(out, "<0.0001");
	else
		buf_printf(out, "%.4f", p);
}

void report_figure(enum unit u, double value, double half, struct buf *out)
{
	char text[REPORT_TEXT];
	if (!isfinite(value))
		return;
	units_format(u, value, text, sizeof text);
	buf_puts(out, text);
	if (isfinite(half)) {
		buf_puts(out, " \xc2\xb1 ");
		if (half > 1.0) /* wider than the figure itself: how much does not matter */
			buf_puts(out, ">100 %");
		else
			report_percent(half, false, out);
	}
}

enum doc_tone report_tone(enum verdict v)
{
	switch (v) {
	case VERDICT_REGRESSED:
	case VERDICT_INVALID: return DOC_BAD;
	case VERDICT_SUSPECT:
	case VERDICT_NOT_MEASURED:
	case VERDICT_DISTURBED: return DOC_WARN;
	case VERDICT_IMPROVED: return DOC_GOOD;
	case VERDICT_NEW:
	case VERDICT_GONE:
	case VERDICT_INCONCLUSIVE: return DOC_DIM;
	case VERDICT_PASS:
	case VERDICTS: break;
	}
	return DOC_PLAIN;
}

/* Place in the report: worst first. */
static int rank_of(enum verdict v)
{
	static const int rank[VERDICTS] = {
		[VERDICT_REGRESSED] = 0,    [VERDICT_INVALID] = 1,      [VERDICT_SUSPECT] = 2,
		[VERDICT_DISTURBED] = 3,    [VERDICT_NOT_MEASURED] = 4, [VERDICT_IMPROVED] = 5,
		[VERDICT_INCONCLUSIVE] = 6, [VERDICT_GONE] = 7,         [VERDICT_NEW] = 8,
		[VERDICT_PASS] = 9
	};
	return rank[v];
}

bool report_differs(enum verdict v)
{
	return rank_of(v) <= rank_of(VERDICT_IMPROVED);
}

static int by_rank(const void *a, const void *b)
{
	const struct verdict_row *x = *(const struct verdict_row *const *)a;
	const struct verdict_row *y = *(const struct verdict_row *const *)b;
	int rx = rank_of(x->verdict), ry = rank_of(y->verdict);
	if (rx != ry)
		return rx - ry;
	/* What is not a figure to sort by, and equals, keep the order of the verdicts. */
	if (report_differs(x->verdict) && isfinite(x->loss) && isfinite(y->loss) &&
	    x->loss != y->loss)
		return x->loss > y->loss ? -1 : 1;
	return x < y ? -1 : x > y;
}

const struct verdict_row **report_sorted(const struct verdicts *v)
{
	const struct verdict_row **rows = hb_alloc((v->n + 1) * sizeof(const struct verdict_row *));
	for (size_t i = 0; i < v->n; i++)
		rows[i] = &v->rows[i];
	qsort(rows, v->n, sizeof(const struct verdict_row *), by_rank);
	return rows;
}

static void size_text(const char *bench, uint64_t bytes, struct buf *out)
{
	char text[REPORT_TEXT];
	info_size_text(bench, bytes, text, sizeof text);
	buf_puts(out, text);
}

void report_rows_begin(struct doc *d, const char *old_title, const char *new_title)
{
	char *old_side = hb_format(">%s", old_title), *new_side = hb_format(">%s", new_title);
	const char *titles[] = { "benchmark", ">size", "class", "subject",     old_side,  new_side,
		                 ">delta",    ">p",    ">runs", ">detectable", "verdict", NULL };
	doc_table(d, titles);
	free(old_side);
	free(new_side);
}

/* One cell filled from a buffer, which is empty after. */
static void cell(struct doc *d, enum doc_tone tone, struct buf *text)
{
	doc_cell(d, tone, "%s", buf_text(text));
	buf_clear(text);
}

/* What the verdict says already needs no reason. */
static const char *note_of(const struct verdict_row *r)
{
	return r->verdict == VERDICT_GONE || r->verdict == VERDICT_NEW ? "" : r->note;
}

void report_reasons(struct doc *d, const struct verdict_row *const *rows, size_t n,
                    const char *said)
{
	struct reason {
		const struct verdict_row *first;
		size_t rows;
	} v[REASONS_SHOWN];
	size_t kinds = 0, more = 0;
	for (size_t i = 0; i < n; i++) {
		const struct verdict_row *r = rows[i];
		size_t k = 0;
		if (!*note_of(r) || (said && strcmp(note_of(r), said) == 0))
			continue;
		while (k < kinds && (v[k].first->verdict != r->verdict ||
		                     strcmp(note_of(v[k].first), note_of(r)) != 0))
			k++;
		if (k < kinds)
			v[k].rows++;
		else if (kinds < REASONS_SHOWN)
			v[kinds++] = (struct reason){ r, 1 };
		else
			more++;
	}
	for (size_t k = 0; k < kinds; k++) {
		const struct verdict_row *r = v[k].first;
		if (v[k].rows > 1)
			doc_text(d, DOC_PLAIN, "%s (%zu rows): %s", verdict_name(r->verdict),
			         v[k].rows, note_of(r));
		else
			doc_text(d, DOC_PLAIN, "%s (%s %s): %s", verdict_name(r->verdict),
			         r->subject, r->key->bench, note_of(r));
	}
	if (more)
		doc_text(d, DOC_DIM, "and %zu rows with other reasons; --json has all", more);
}

void report_row(struct doc *d, const struct report_names *names, const struct verdict_row *r)
{
	const struct key *k = r->key;
	enum unit unit = r->row ? r->row->unit : r->entry->unit;
	enum doc_tone tone = report_tone(r->verdict);
	struct buf text = BUF_INIT;
	if (r->ack && tone == DOC_BAD)
		tone = DOC_WARN;
	report_name(names, k, &text);
	cell(d, DOC_PLAIN, &text);
	size_text(k->bench, k->bytes, &text);
	cell(d, DOC_PLAIN, &text);
	report_class(k, &text);
	cell(d, DOC_PLAIN, &text);
	doc_cell(d, DOC_PLAIN, "%s", r->subject);
	report_figure(unit, r->old_value, r->old_half, &text);
	cell(d, DOC_PLAIN, &text);
	report_figure(unit, r->new_value, r->new_half, &text);
	cell(d, DOC_PLAIN, &text);
	report_percent(r->delta, true, &text);
	cell(d, tone, &text);
	/* One-sided, on the side on which the figure lies. */
	report_p(r->loss < 0.0 ? 1.0 - r->p : r->p, &text);
	cell(d, DOC_PLAIN, &text);
	doc_cell(d, DOC_PLAIN, "%d+%d", r->n_old, r->n_new);
	report_percent(r->mde, false, &text);
	cell(d, DOC_PLAIN, &text);
	buf_puts(&text, verdict_name(r->verdict));
	report_known_mark(r->ack, &text);
	cell(d, tone, &text);
	buf_free(&text);
}

void report_row_collapsed(struct doc *d, const struct report_group *g)
{
	struct buf text = BUF_INIT;
	doc_cell(d, DOC_PLAIN, "%s", g->bench);
	size_text(g->bench, g->bytes_min, &text);
	if (g->bytes_max != g->bytes_min) {
		buf_puts(&text, "..");
		size_text(g->bench, g->bytes_max, &text);
	}
	cell(d, DOC_PLAIN, &text);
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_PLAIN, "%zu row%s", g->rows, report_plural(g->rows));
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_PLAIN, "%s", "");
	report_percent(g->delta_min, true, &text);
	if (g->delta_max > g->delta_min) {
		buf_puts(&text, "..");
		report_percent(g->delta_max, true, &text);
	}
	cell(d, DOC_PLAIN, &text);
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_PLAIN, "%s", "");
	report_percent(g->mde, false, &text);
	cell(d, DOC_PLAIN, &text);
	doc_cell(d, report_tone(g->verdict), "%s", verdict_name(g->verdict));
	buf_free(&text);
}

double report_mde_median(const struct verdicts *v)
{
	double *mde = hb_alloc((v->n + 1) * sizeof *mde);
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++)
		if (isfinite(v->rows[i].mde))
			mde[n++] = v->rows[i].mde;
	double median = stat_median(mde, n);
	free(mde);
	return median;
}

const struct verdict_row *report_worst(const struct verdicts *v)
{
	const struct verdict_row *worst = NULL;
	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (r->ack || (r->verdict != VERDICT_REGRESSED && r->verdict != VERDICT_SUSPECT))
			continue;
		if (!worst || rank_of(r->verdict) < rank_of(worst->verdict) ||
		    (r->verdict == worst->verdict && r->loss > worst->loss))
			worst = r;
	}
	return worst;
}

void report_row_words(const struct report_names *names, const struct verdict_row *r,
                      struct buf *out)
{
	const struct key *k = r->key;
	buf_printf(out, "%s ", r->subject);
	report_name(names, k, out);
	buf_putc(out, ' ');
	size_t before = out->len;
	size_text(k->bench, k->bytes, out);
	if (out->len > before)
		buf_putc(out, ' ');
	report_percent(r->delta, true, out);
}

const char *report_json_text(json_object *o)
{
	const char *text = o ? json_object_get_string(o) : NULL;
	return text ? text : "(none)";
}

void report_values(json_object *o, struct buf *out)
{
	if (!json_object_is_type(o, json_type_array)) {
		buf_puts(out, report_json_text(o));
		return;
	}
	size_t n = json_object_array_length(o);
	if (n == 0)
		buf_puts(out, "(none)");
	for (size_t i = 0; i < n && i < VALUES_SHOWN; i++)
		buf_printf(out, "%s%s", i ? ", " : "",
		           report_json_text(json_object_array_get_idx(o, i)));
	if (n > VALUES_SHOWN)
		buf_printf(out, " and %zu more", n - VALUES_SHOWN);
}

void report_run_words(const struct summary *s, struct buf *out)
{
	buf_printf(out, "%s, %s, suite %s", s->run, s->started ? s->started : "time unknown",
	           s->suite ? s->suite : "unknown");
	if (s->label)
		buf_printf(out, ", %s", s->label);
	if (s->partial)
		buf_puts(out, ", partial");
	if (s->injected)
		buf_puts(out, ", injected");
}

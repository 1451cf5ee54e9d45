/*
 * The document of one run: for somebody with a minute at eight in the morning. The verdict first,
 * then what is slow, what was not measured, and only then the figures.
 */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd.h"
#include "harness/cmd_report.h"
#include "harness/compare.h"
#include "harness/report_parts.h"

enum { SLOW_SHOWN = 20, PAIRS_SHOWN = 5, CLASSES_SHOWN = 4 };

int report_run_code(const struct summary *const *runs, size_t n, const struct verdicts *v,
                    bool baseline_asked, bool baseline_missing)
{
	struct code_input in = { .verdicts = v,
		                 .baseline_asked = baseline_asked,
		                 .baseline_missing = baseline_missing };
	for (size_t r = 0; r < n; r++) {
		const struct summary *s = runs[r];
		for (size_t i = 0; i < s->n_rows; i++) {
			enum row_quality q = s->rows[i].quality;
			in.invalid += q == ROW_INVALID;
			in.not_measured += q == ROW_DISTURBED || q == ROW_NOT_MEASURED;
		}
		/* What a suite asks for and a machine does not have is a line, not a failure; what
		 * was asked for by name is one. */
		for (size_t i = 0; i < s->n_losses; i++) {
			enum unit_status u = s->losses[i].status;
			in.invalid += u == UNIT_INVALID;
			in.not_measured += u != UNIT_INVALID && (s->named || u != UNIT_SKIPPED);
		}
	}
	return code_of(&in);
}

static size_t rows_of(const struct summary *s, enum row_quality q)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		n += s->rows[i].quality == q;
	return n;
}

static void put_detectable(const struct verdicts *v, struct buf *text)
{
	double worst = NAN, median = report_mde_median(v);
	for (size_t i = 0; i < v->n; i++)
		worst = fmax(worst, v->rows[i].mde);
	if (!isfinite(median))
		return;
	buf_puts(text, "; smallest detectable slowdown: median ");
	report_percent(median, false, text);
	buf_puts(text, ", worst ");
	report_percent(worst, false, text);
}

/* The usual cause of imprecision, and the cure. */
static void put_few_runs(struct doc *d, const struct verdicts *v)
{
	int most = 0;
	for (size_t i = 0; i < v->n; i++)
		most = v->rows[i].n_old > most ? v->rows[i].n_old : most;
	if (most > 0 && most < BASELINE_MIN_RUNS)
		doc_text(d, DOC_WARN,
		         "the baseline has only %d run%s: from %d on it can tell more, and be "
		         "sure",
		         most, report_plural((size_t)most), (int)BASELINE_MIN_RUNS);
}

/* "REGRESSED: 3 of 40 rows are slower than baseline night, worst: ..."; whole: nothing was lost */
static void put_compared(struct doc *d, const struct verdicts *v, const char *base, bool whole,
                         const struct report_names *names)
{
	size_t regressed = v->count[VERDICT_REGRESSED], suspect = v->count[VERDICT_SUSPECT];
	const struct verdict_row *worst = report_worst(v);
	size_t judged = v->count[VERDICT_PASS] + v->count[VERDICT_IMPROVED] +
	                v->count[VERDICT_INCONCLUSIVE] + regressed + suspect;
	struct buf text = BUF_INIT;
	enum doc_tone tone = DOC_GOOD;
	if (worst) {
		tone = regressed ? DOC_BAD : DOC_WARN;
		buf_printf(&text, "%s: %zu of %zu row%s slower than %s, worst: ",
		           regressed ? "REGRESSED" : "SUSPECT", regressed + suspect, v->n,
		           v->n == 1 ? " is" : "s are", base ? base : "the baseline");
		report_row_words(names, worst, &text);
	} else if (judged == 0) {
		tone = DOC_WARN;
		buf_printf(&text, "NOT COMPARED: %s",
		           v->count[VERDICT_NEW]
		                   ? "nothing of this run is in the baseline; other benchmarks, "
		                     "sizes, hardware or node count"
		                   : "there is no figure that could be");
	} else if (v->count[VERDICT_INCONCLUSIVE] * 4 > judged) {
		tone = DOC_WARN;
		buf_printf(&text,
		           "INCONCLUSIVE: nothing is visibly slower than %s, but %zu of %zu rows "
		           "are too imprecise to tell",
		           base ? base : "the baseline", v->count[VERDICT_INCONCLUSIVE], judged);
	} else {
		buf_printf(&text, "%s slower than %s; %zu row%s compared",
		           whole ? "PASS: nothing is" : "of what was measured nothing is",
		           base ? base : "the baseline", judged, report_plural(judged));
	}
	put_detectable(v, &text);
	doc_text(d, tone, "%s", buf_text(&text));
	if (worst && !regressed)
		doc_text(d, DOC_WARN, "unconfirmed: %s",
		         *worst->note ? worst->note : "another run decides");
	put_few_runs(d, v);
	buf_free(&text);
}

static void put_verdict(struct doc *d, const struct summary *s, const struct verdicts *v,
                        const char *base, const struct report_names *names)
{
	size_t invalid = rows_of(s, ROW_INVALID), good = rows_of(s, ROW_OK);
	if (invalid)
		doc_text(d, DOC_BAD,
		         "INVALID: %zu row%s wrong data or an unstable clock and cannot be trusted",
		         invalid, invalid == 1 ? " has" : "s have");
	size_t lost = s->n_rows - good - invalid;
	for (size_t i = 0; i < s->n_losses; i++)
		lost += s->losses[i].status != UNIT_SKIPPED && s->losses[i].status != UNIT_INVALID;
	if (lost)
		doc_text(d, DOC_WARN, "NOT MEASURED: something is missing; why is told below");
	if (v)
		put_compared(d, v, base, lost + invalid == 0, names);
	else if (base)
		doc_text(d, DOC_WARN, "NOT COMPARED: there is no baseline %s", base);
	else if (good)
		doc_text(d, DOC_PLAIN,
		         "MEASURED: %zu figure%s, not compared because no baseline was named", good,
		         report_plural(good));
	else
		doc_text(d, DOC_BAD, "NOTHING was measured");
	if (s->partial)
		doc_text(d, DOC_WARN, "PARTIAL: the run was interrupted or steps are missing");
	if (s->injected)
		doc_text(d, DOC_WARN,
		         "INJECTED: a slowdown was planted on purpose (--inject); these figures "
		         "are a test of hpcbench, not of the machine");
}

/* How sure the worst rows are: the confirming rerun in words. */
static void put_confirmation(struct doc *d, const struct verdicts *v,
                             const struct report_names *names)
{
	size_t shown = 0;
	for (size_t i = 0; i < v->n && shown < PAIRS_SHOWN; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (!isfinite(r->confirm_p))
			continue;
		struct buf text = BUF_INIT;
		report_row_words(names, r, &text);
		buf_printf(&text, ": the confirming rerun finds a loss of ");
		report_percent(r->confirm_loss, false, &text);
		buf_puts(&text, " (p ");
		report_p(r->confirm_p, &text);
		buf_printf(&text, "): %s", r->confirmed ? "confirmed" : "not confirmed");
		doc_list_item(d, "%s", buf_text(&text));
		buf_free(&text);
		shown++;
	}
}

static void put_slow(struct doc *d, const struct verdicts *v, const struct report_names *names)
{
	const struct verdict_row **rows = report_sorted(v);
	size_t n = 0;
	while (n < v->n && report_differs(rows[n]->verdict))
		n++;
	if (n) {
		doc_heading(d, 2, "What differs");
		size_t shown = n < SLOW_SHOWN ? n : SLOW_SHOWN;
		const char *common = report_common_note(rows, shown);
		report_rows_begin(d, "baseline", "this run");
		for (size_t i = 0; i < shown; i++)
			report_row(d, names, rows[i], common);
		/* Without anything regressed the headline has said it. */
		if (common && v->count[VERDICT_REGRESSED])
			doc_text(d, DOC_PLAIN, "because: %s", common);
		if (n > SLOW_SHOWN)
			doc_text(d, DOC_DIM, "and %zu more; --json has all", n - SLOW_SHOWN);
		put_confirmation(d, v, names);
	}
	free(rows);
}

/* The worst pair is always told; further ones if they lost more than their benchmark's floor. */
static bool pair_matters(const struct summary_pair *p, size_t shown)
{
	const struct bench_info *info = catalog_find(p->key.bench);
	return isfinite(p->ratio) && p->ratio < (shown ? 1.0 - (info ? info->floor : 0.03) : 1.0);
}

static void put_pairs(struct doc *d, const struct summary *s, const struct report_names *names)
{
	size_t shown = 0;
	for (size_t i = 0; i < s->n_worst && shown < PAIRS_SHOWN; i++) {
		const struct summary_pair *p = &s->worst[i];
		if (!pair_matters(p, shown))
			continue;
		if (shown++ == 0)
			doc_heading(d, 2, "Worst pairs");
		const struct bench_info *info = catalog_find(p->key.bench);
		const struct metric_info *m = info ? info_metric(info, p->key.metric) : NULL;
		char size[REPORT_TEXT];
		units_format_bytes(p->key.bytes, size, sizeof size);
		struct buf text = BUF_INIT;
		rec_pair_subject(p->dir, p->a, p->b, &text);
		buf_putc(&text, ' ');
		report_name(names, &p->key, &text);
		buf_printf(&text, " %s: ", size);
		if (m)
			report_figure(m->unit, p->value, NAN, &text);
		buf_puts(&text, m ? ", " : "");
		report_percent(p->ratio, false, &text);
		buf_puts(&text, " of the median over pairs");
		doc_list_item(d, "%s", buf_text(&text));
		buf_free(&text);
	}
}

/* Hardware classes with their nodes: "n1, n2 and 62 more: 2x EPYC ...". */
static void put_hardware(struct doc *d, json_object *hw)
{
	json_object *classes = json_object_new_object();
	if (json_object_is_type(hw, json_type_object)) {
		json_object_object_foreach(hw, node, value)
		{
			json_object *nodes = NULL;
			const char *name = report_json_text(value);
			if (!json_object_object_get_ex(classes, name, &nodes)) {
				nodes = json_object_new_array();
				json_object_object_add(classes, name, nodes);
			}
			json_object_array_add(nodes, js_str(node));
		}
	}
	size_t shown = 0, all = (size_t)json_object_object_length(classes);
	json_object_object_foreach(classes, name, nodes)
	{
		struct buf text = BUF_INIT;
		report_values(nodes, &text);
		if (shown++ < CLASSES_SHOWN)
			doc_fact(d, "hardware", "%s: %s", buf_text(&text), name);
		buf_free(&text);
	}
	if (all > CLASSES_SHOWN)
		doc_fact(d, "hardware", "and %zu more classes", all - CLASSES_SHOWN);
	js_put(classes);
}

static void put_facts(struct doc *d, const struct summary *s, const char *dir)
{
	struct buf text = BUF_INIT;
	doc_heading(d, 2, "About this run");
	report_run_words(s, &text);
	doc_fact(d, "run", "%s", buf_text(&text));
	if (dir)
		doc_fact(d, "stored in", "%s", dir);
	put_hardware(d, s->hw);
	if (json_object_is_type(s->fingerprint, json_type_object)) {
		json_object_object_foreach(s->fingerprint, name, values)
		{
			buf_clear(&text);
			report_values(values, &text);
			doc_fact(d, name, "%s", buf_text(&text));
		}
	}
	buf_free(&text);
}

/* The one command to type next. */
static void put_next(struct doc *d, const struct summary *s, const struct verdicts *v,
                     const char *base)
{
	bool clean = !s->partial && !s->injected && rows_of(s, ROW_INVALID) == 0 &&
	             rows_of(s, ROW_OK);
	if (!report_typable(s->run) || (base && !report_typable(base)))
		return; /* a file can hold anything; nobody should be told to type it */
	if (v && base && report_worst(v))
		doc_text(d, DOC_PLAIN, "next: hpcbench diff %s %s", base, s->run);
	else if (v && base && clean)
		doc_text(d, DOC_PLAIN, "next: hpcbench baseline record %s %s --extend", base,
		         s->run);
	else if (!v && clean)
		doc_text(d, DOC_PLAIN,
		         "next: hpcbench baseline record NAME %s, or hpcbench diff latest~1 latest",
		         s->run);
	else
		doc_text(d, DOC_PLAIN, "next: hpcbench report %s --format json", s->run);
}

/* What the data of a report is made from, when they are printed. */
struct run_data {
	const struct summary *s;
	const struct verdicts *v;
};

static void fill_data(json_object *data, const void *ctx)
{
	const struct run_data *in = ctx;
	js_set_obj(data, "summary", summary_to_json(in->s));
	js_set_obj(data, "verdicts", in->v ? verdicts_to_json(in->v) : NULL);
}

struct doc *report_run_doc(const struct summary *s, const struct verdicts *v, const char *base,
                           const char *dir)
{
	struct doc *d = doc_new("");
	d->data = cmd_json("report");
	js_set_str(d->data, "dir", dir);
	js_set_str(d->data, "baseline", base);
	struct run_data *data = hb_alloc(sizeof *data);
	*data = (struct run_data){ s, v };
	d->fill = fill_data;
	d->ctx = data;

	struct report_names *names = report_names_new();
	for (size_t i = 0; i < s->n_rows; i++)
		report_names_add(names, &s->rows[i].key);
	for (size_t i = 0; v && i < v->n; i++)
		report_names_add(names, v->rows[i].key);
	put_verdict(d, s, v, base, names);
	if (v)
		put_slow(d, v, names);
	report_losses(d, s);
	report_figures(d, s, names);
	put_pairs(d, s, names);
	put_facts(d, s, dir);
	put_next(d, s, v, base);
	report_names_free(names);
	return d;
}

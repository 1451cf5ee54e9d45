/* The document of `hpcbench diff`: what differs first, the rest in as few lines as is honest. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare_shift.h"
#include "harness/report/report_parts.h"

enum { RUNS_SHOWN = 4 };

static json_object *run_json(const char *run, const struct summary *s)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "run", run);
	js_set_str(o, "started", s ? s->started : NULL);
	js_set_str(o, "suite", s ? s->suite : NULL);
	js_set_str(o, "label", s ? s->label : NULL);
	return o;
}

static json_object *side_json(const struct report_side *side)
{
	json_object *o = json_object_new_object(), *runs = json_object_new_array();
	js_set_str(o, "name", side->name);
	js_set_str(o, "baseline", side->stored_baseline ? side->b->name : NULL);
	if (side->stored_baseline)
		for (size_t i = 0; i < side->b->n_runs; i++)
			json_object_array_add(runs, run_json(side->b->runs[i], NULL));
	else
		for (size_t i = 0; i < side->n; i++)
			json_object_array_add(runs, run_json(side->runs[i].run, &side->runs[i]));
	js_set_obj(o, "runs", runs);
	return o;
}

static void put_side(struct doc *d, const char *word, const struct report_side *side)
{
	struct buf text = BUF_INIT;
	if (side->stored_baseline) {
		const struct baseline *b = side->b;
		buf_printf(&text, "baseline %s, %zu run%s", b->name ? b->name : side->name,
		           b->n_runs, report_plural(b->n_runs));
		if (b->n_runs == 1)
			buf_printf(&text, " (%s)", b->runs[0]);
		else if (b->n_runs)
			buf_printf(&text, " (%s to %s)", b->runs[0], b->runs[b->n_runs - 1]);
		if (b->n_runs < BASELINE_MIN_RUNS)
			buf_puts(&text, ", provisional");
	} else {
		for (size_t i = 0; i < side->n && i < RUNS_SHOWN; i++) {
			buf_puts(&text, i ? "; " : "run ");
			report_run_words(&side->runs[i], &text);
		}
		if (side->n > RUNS_SHOWN)
			buf_printf(&text, "; and %zu more", side->n - RUNS_SHOWN);
	}
	doc_text(d, DOC_PLAIN, "%s: %s", word, buf_text(&text));
	buf_free(&text);
}

static bool has_run(const struct report_side *side, const char *run)
{
	for (size_t i = 0; i < side->b->n_runs; i++)
		if (strcmp(side->b->runs[i], run) == 0)
			return true;
	return false;
}

/* A run compared with itself says nothing, however small the difference. */
static void put_shared(struct doc *d, const struct report_diff *in)
{
	size_t shared = 0;
	const struct baseline *b = in->new_side.b;
	for (size_t i = 0; i < b->n_runs; i++)
		shared += has_run(&in->old_side, b->runs[i]);
	if (shared)
		doc_text(d, DOC_WARN, "%zu run%s on both sides: that hides differences", shared,
		         shared == 1 ? " is" : "s are");
}

/* Where the spread of the tests comes from, and what that allows to say. */
static void put_spread(struct doc *d, const struct report_diff *in)
{
	size_t rows[SPREAD_DEFAULT + 1] = { 0 }, provisional = 0, sources = 0;
	for (size_t i = 0; i < in->v->n; i++) {
		const struct verdict_row *r = &in->v->rows[i];
		if (!isfinite(r->s))
			continue;
		rows[r->source]++;
		provisional += r->provisional;
	}
	json_object *list = json_object_new_array();
	struct buf text = BUF_INIT;
	for (int i = 0; i <= SPREAD_DEFAULT; i++) {
		if (!rows[i])
			continue;
		const char *words = spread_source_text((enum spread_source)i);
		json_object *o = json_object_new_object();
		js_set_str(o, "source", words);
		js_set_u64(o, "rows", rows[i]);
		json_object_array_add(list, o);
		buf_printf(&text, "%s%s (%zu row%s", sources++ ? "; " : "", words, rows[i],
		           report_plural(rows[i]));
		if (i == SPREAD_BASELINE && in->reference)
			buf_printf(&text, ", %s", in->reference);
		buf_puts(&text, ")");
	}
	js_set_obj(d->data, "spread", list);
	if (text.len)
		doc_text(d, DOC_PLAIN, "spread from: %s", text.data);
	if (provisional)
		doc_text(d, DOC_PLAIN,
		         "%zu row%s on fewer than %d runs or a borrowed spread: what only that "
		         "supports is `suspect`",
		         provisional, provisional == 1 ? " rests" : "s rest",
		         (int)BASELINE_MIN_RUNS);
	buf_free(&text);
}

static json_object *summary_json(const struct verdicts *v, const struct verdict_row *worst)
{
	json_object *o = json_object_new_object();
	js_set_u64(o, "rows", v->n);
	js_set_u64(o, "slower", v->count[VERDICT_REGRESSED] + v->count[VERDICT_SUSPECT]);
	js_set_u64(o, "regressed", v->count[VERDICT_REGRESSED]);
	js_set_u64(o, "suspect", v->count[VERDICT_SUSPECT]);
	js_set_u64(o, "faster", v->count[VERDICT_IMPROVED]);
	js_set_u64(o, "inconclusive", v->count[VERDICT_INCONCLUSIVE]);
	js_set_u64(o, "invalid", v->count[VERDICT_INVALID]);
	js_set_u64(o, "findings", v->n_findings);
	js_set_u64(o, "only_old", v->count[VERDICT_GONE]);
	js_set_u64(o, "only_new", v->count[VERDICT_NEW]);
	js_set_f64(o, "detectable", report_mde_median(v));
	json_object *w = NULL;
	if (worst) {
		w = json_object_new_object();
		js_set_str(w, "subject", worst->subject);
		js_set_str(w, "bench", worst->key->bench);
		js_set_u64(w, "bytes", worst->key->bytes);
		js_set_f64(w, "delta", worst->delta);
	}
	js_set_obj(o, "worst", w);
	return o;
}

static void count_words(struct buf *out, size_t n, const char *words)
{
	if (n)
		buf_printf(out, "; %zu %s", n, words);
}

/* A side as it can be named tomorrow, when latest is another run. False: too long to type. */
static bool lasting_name(const struct report_side *side, struct buf *out)
{
	if (side->stored_baseline) {
		buf_puts(out, side->name);
		return report_typable(side->name);
	}
	for (size_t i = 0; i < side->n; i++) {
		if (!report_typable(side->runs[i].run))
			return false;
		buf_printf(out, "%s%s", i ? "," : "", side->runs[i].run);
	}
	return side->n <= RUNS_SHOWN;
}

static void put_more_runs(struct doc *d, const struct report_diff *in)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	if (!in->new_side.stored_baseline && lasting_name(&in->old_side, &a) &&
	    lasting_name(&in->new_side, &b))
		doc_text(d, DOC_PLAIN,
		         "more runs decide: hpcbench run, then hpcbench diff %s %s,latest",
		         buf_text(&a), buf_text(&b));
	else
		doc_text(d, DOC_PLAIN, "more runs on either side decide");
	buf_free(&a);
	buf_free(&b);
}

/* What the exit code rests on beside the figures, of either side: the code is about NEW. */
static void put_trouble(struct doc *d, const struct report_side *side, const struct verdicts *v,
                        const char *lead)
{
	struct report_trouble t;
	const struct summary **runs = hb_alloc((side->n + 1) * sizeof(const struct summary *));
	for (size_t i = 0; i < side->n; i++)
		runs[i] = &side->runs[i];
	report_trouble(runs, side->n, v, &t);
	report_invalid_line(d, v ? DOC_BAD : DOC_WARN, lead, &t);
	report_lost_line(d, lead, &t);
	report_trouble_free(&t);
	free(runs);
}

static void put_known(struct doc *d, const struct report_diff *in)
{
	const struct report_side *side = &in->new_side;
	const struct summary **runs = hb_alloc((side->n + 1) * sizeof(const struct summary *));
	for (size_t i = 0; i < side->n; i++)
		runs[i] = &side->runs[i];
	report_known(d, in->acks, runs, side->n, in->v, NULL);
	free(runs);
}

/* Why nothing could be compared, where that is so. */
static void put_nothing_shared(struct doc *d, const struct verdicts *v)
{
	const size_t *c = v ? v->count : NULL;
	if (!c || c[VERDICT_PASS] + c[VERDICT_IMPROVED] + c[VERDICT_INCONCLUSIVE] +
	                          c[VERDICT_SUSPECT] + c[VERDICT_REGRESSED] + c[VERDICT_INVALID] +
	                          c[VERDICT_NOT_MEASURED] + c[VERDICT_DISTURBED] >
	                  0)
		return;
	if (v->n == 0)
		doc_text(d, DOC_WARN, "NOT COMPARED: neither side has a figure");
	else if (report_shares_keys(v))
		doc_text(d, DOC_WARN,
		         "NOT COMPARED: no node is on both sides; the same benchmarks were "
		         "measured on other nodes");
	else
		doc_text(d, DOC_WARN,
		         "NOT COMPARED: no figure is on both sides; other benchmarks, sizes, "
		         "hardware or node count");
}

static void put_summary(struct doc *d, const struct report_diff *in,
                        const struct report_names *names)
{
	const struct verdicts *v = in->v;
	const struct verdict_row *worst = report_worst(v);
	size_t regressed = verdicts_open(v, VERDICT_REGRESSED);
	size_t suspect = verdicts_open(v, VERDICT_SUSPECT);
	size_t known = v->known[VERDICT_REGRESSED] + v->known[VERDICT_SUSPECT];
	struct buf text = BUF_INIT;
	buf_printf(&text, "%zu of %zu row%s slower", regressed + suspect, v->n,
	           report_plural(v->n));
	if (regressed && suspect)
		buf_printf(&text, " (%zu regressed, %zu suspect)", regressed, suspect);
	else if (worst)
		buf_printf(&text, " (%s)", verdict_name(worst->verdict));
	if (worst) {
		buf_puts(&text, ", worst: ");
		report_row_words(names, worst, &text);
	}
	buf_printf(&text, "; %zu faster", v->count[VERDICT_IMPROVED]);
	count_words(&text, known, "slower and known");
	count_words(&text, v->count[VERDICT_INVALID], "invalid");
	count_words(&text, v->count[VERDICT_INCONCLUSIVE], "inconclusive");
	count_words(&text, v->count[VERDICT_NOT_MEASURED] + v->count[VERDICT_DISTURBED],
	            "not measured");
	count_words(&text, v->count[VERDICT_GONE], "only in OLD");
	count_words(&text, v->count[VERDICT_NEW], "only in NEW");
	double mde = report_mde_median(v);
	if (isfinite(mde)) {
		buf_puts(&text, "; smallest detectable: median ");
		report_percent(mde, false, &text);
	}
	count_words(&text, v->n_findings, "changed in hardware class");
	enum doc_tone tone = in->code == CODE_OK         ? DOC_GOOD
	                     : in->code == CODE_FINDINGS ? DOC_BAD
	                                                 : DOC_WARN;
	doc_text(d, tone, "%s", buf_text(&text));
	if (suspect || v->count[VERDICT_INCONCLUSIVE] * 4 > v->n)
		put_more_runs(d, in);
	js_set_obj(d->data, "summary", summary_json(v, worst));
	buf_free(&text);
}

struct diff_data {
	const struct verdicts *v;
};

static void fill_data(json_object *data, const void *ctx)
{
	const struct diff_data *in = ctx;
	js_set_obj(data, "verdicts", verdicts_to_json(in->v));
}

struct doc *report_diff_doc(const struct report_diff *in)
{
	struct doc *d = doc_new("");
	d->data = cmd_json("diff");
	js_set_obj(d->data, "old", side_json(&in->old_side));
	js_set_obj(d->data, "new", side_json(&in->new_side));
	put_side(d, "old", &in->old_side);
	put_side(d, "new", &in->new_side);
	put_shared(d, in);
	report_leaves(d, in->v, "the old side");
	report_changes(d, in);
	put_spread(d, in);
	struct report_names *names = report_names_of(in->v);
	report_shift(d, in->shifts, names);
	report_diff_rows(d, in->v, in->all, in->shifts->alike, names);
	put_trouble(d, &in->old_side, NULL, "old: ");
	put_trouble(d, &in->new_side, in->v, "new: ");
	put_known(d, in);
	put_nothing_shared(d, in->v);
	put_summary(d, in, names);
	report_names_free(names);
	struct diff_data *data = hb_alloc(sizeof *data);
	data->v = in->v;
	d->fill = fill_data;
	d->ctx = data;
	return d;
}

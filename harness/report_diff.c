/* The document of `hpcbench diff`: what differs first, the rest in as few lines as is honest. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd.h"
#include "harness/cmd_report.h"
#include "harness/compare.h"
#include "harness/report_parts.h"

enum {
	ROWS_SHOWN_ALL = 30, /* a table of fewer rows is shown whole */
	DIFFER_SHOWN = 60,   /* rows that differ, before the others of theirs are counted only */
	GROUP_MIN = 3,       /* rows worth a collapsed line */
	RUNS_SHOWN = 4,
	HARDWARE_SHOWN = 8
};

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
		if (b->n_runs)
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
	doc_fact(d, word, "%s", buf_text(&text));
	buf_free(&text);
}

/* Members of a and b that differ, each once: those of a, then those that only b has. */
typedef void (*differ_fn)(void *ctx, const char *name, json_object *a, json_object *b);
static void each_difference(json_object *a, json_object *b, differ_fn fn, void *ctx)
{
	if (json_object_is_type(a, json_type_object)) {
		json_object_object_foreach(a, name, value)
		{
			json_object *other = NULL;
			if (b)
				json_object_object_get_ex(b, name, &other);
			if (!other || !json_object_equal(value, other))
				fn(ctx, name, value, other);
		}
	}
	if (json_object_is_type(b, json_type_object)) {
		json_object_object_foreach(b, name, value)
		{
			if (!a || !json_object_object_get_ex(a, name, NULL))
				fn(ctx, name, NULL, value);
		}
	}
}

struct differences {
	struct doc *d;
	json_object *list; /* for the data */
	const char *key;   /* "name", "node" */
	size_t shown, max;
	enum doc_tone tone;
	const char *what;
};

static void put_difference(void *ctx, const char *name, json_object *a, json_object *b)
{
	struct differences *in = ctx;
	json_object *o = json_object_new_object();
	js_set_str(o, in->key, name);
	js_set_obj(o, "old", json_object_get(a));
	js_set_obj(o, "new", json_object_get(b));
	json_object_array_add(in->list, o);
	if (in->shown++ >= in->max)
		return;
	struct buf was = BUF_INIT, is = BUF_INIT;
	report_values(a, &was);
	report_values(b, &is);
	doc_text(in->d, in->tone, "%s %s: %s -> %s", in->what, name, buf_text(&was), buf_text(&is));
	buf_free(&was);
	buf_free(&is);
}

/* The software first: the most frequent cause of a difference. Then the hardware. */
static void put_fingerprint(struct doc *d, const struct report_diff *in)
{
	const struct baseline *a = in->old_side.b, *b = in->new_side.b;
	struct differences soft = { .d = d,
		                    .list = json_object_new_array(),
		                    .key = "name",
		                    .max = 64,
		                    .tone = DOC_WARN,
		                    .what = "changed:" };
	struct differences hard = { .d = d,
		                    .list = json_object_new_array(),
		                    .key = "node",
		                    .max = HARDWARE_SHOWN,
		                    .tone = DOC_WARN,
		                    .what = "hardware of" };
	each_difference(a->fingerprint, b->fingerprint, put_difference, &soft);
	each_difference(a->hw, b->hw, put_difference, &hard);
	if (soft.shown == 0)
		doc_text(d, DOC_DIM, "software and settings: the same on both sides");
	if (hard.shown > hard.max)
		doc_text(d, DOC_WARN, "hardware of %zu more nodes differs", hard.shown - hard.max);
	js_set_obj(d->data, "fingerprint", soft.list);
	js_set_obj(d->data, "hardware", hard.list);
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

static void put_rows(struct doc *d, const struct report_diff *in, const struct report_names *names)
{
	const struct verdicts *v = in->v;
	const struct verdict_row **rows = report_sorted(v);
	bool whole = in->all || v->n < ROWS_SHOWN_ALL;
	struct groups groups = { 0 };
	size_t differ = 0;
	bool *shown = hb_alloc(v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		shown[i] = whole || (report_differs(rows[i]->verdict) && differ++ < DIFFER_SHOWN);
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
	free(groups.v);
	free(shown);
	free(rows);
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

static void put_summary(struct doc *d, const struct report_diff *in,
                        const struct report_names *names)
{
	const struct verdicts *v = in->v;
	const struct verdict_row *worst = report_worst(v);
	size_t regressed = v->count[VERDICT_REGRESSED], suspect = v->count[VERDICT_SUSPECT];
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
	enum doc_tone tone = regressed || v->count[VERDICT_INVALID] ? DOC_BAD
	                     : suspect                              ? DOC_WARN
	                                                            : DOC_GOOD;
	doc_text(d, tone, "%s", buf_text(&text));
	if (suspect || v->count[VERDICT_INCONCLUSIVE] * 4 > v->n)
		doc_text(d, DOC_PLAIN,
		         "more runs decide: repeat the measurement and name both, as in hpcbench "
		         "diff %s latest,latest~1",
		         in->old_side.name);
	js_set_obj(d->data, "summary", summary_json(v, worst));
	buf_free(&text);
}

struct doc *report_diff_doc(const struct report_diff *in)
{
	struct doc *d = doc_new("");
	d->data = cmd_json("diff");
	js_set_obj(d->data, "old", side_json(&in->old_side));
	js_set_obj(d->data, "new", side_json(&in->new_side));
	put_side(d, "OLD", &in->old_side);
	put_side(d, "NEW", &in->new_side);
	put_fingerprint(d, in);
	put_spread(d, in);
	struct report_names *names = report_names_of(in->v);
	put_rows(d, in, names);
	put_summary(d, in, names);
	report_names_free(names);
	js_set_obj(d->data, "verdicts", verdicts_to_json(in->v));
	return d;
}

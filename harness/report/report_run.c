/*
 * The document of one run: for somebody with a minute at eight in the morning. The verdict first,
 * then what is slow, what was not measured, and only then the figures.
 */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare.h"
#include "harness/report/report_parts.h"

enum { SLOW_SHOWN = 20, CONFIRMED_SHOWN = 5, CLASSES_SHOWN = 4 };

int report_run_code(const struct summary *const *runs, size_t n, const struct verdicts *v,
                    bool baseline_asked, bool baseline_missing)
{
	struct code_input in = { .verdicts = v,
		                 .baseline_asked = baseline_asked,
		                 .baseline_missing = baseline_missing };
	struct report_trouble t;
	report_trouble(runs, n, NULL, &t);
	in.invalid = t.invalid;
	/* A machine that has nothing of a suite has not passed it. */
	in.not_measured = t.lost.n + (t.good + t.invalid + t.told == 0 && t.invalid_known == 0);
	report_trouble_free(&t);
	return code_of(&in);
}

/* How sure the worst rows are: the confirming rerun in words. */
static void put_confirmation(struct doc *d, const struct verdicts *v,
                             const struct report_names *names)
{
	size_t shown = 0;
	for (size_t i = 0; i < v->n && shown < CONFIRMED_SHOWN; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (!isfinite(r->confirm_p))
			continue;
		struct buf text = BUF_INIT;
		report_row_words(names, r, &text);
		buf_printf(&text, ": the confirming rerun finds ");
		report_change(r->key, r->confirm_loss, &text);
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
		report_rows_begin(d, "baseline", "this run");
		for (size_t i = 0; i < shown; i++)
			report_row(d, names, rows[i]);
		if (n > SLOW_SHOWN)
			doc_text(d, DOC_DIM, "and %zu more; --json has all", n - SLOW_SHOWN);
		put_confirmation(d, v, names);
		/* Without anything regressed the headline has told the worst row's. */
		const struct verdict_row *worst = report_worst(v);
		bool told = worst && worst->verdict == VERDICT_SUSPECT;
		report_reasons(d, rows, n, told ? worst->note : NULL);
	}
	free(rows);
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

static void put_facts(struct doc *d, const struct report_run *in)
{
	const struct summary *s = in->runs[in->n - 1];
	struct buf text = BUF_INIT;
	doc_heading(d, 2, in->n > 1 ? "About these runs" : "About this run");
	for (size_t i = 0; i < in->n; i++) {
		buf_clear(&text);
		report_run_words(in->runs[i], &text);
		doc_fact(d, "run", "%s%s", buf_text(&text),
		         in->n > 1 && i + 1 == in->n ? "; the figures above are of this one" : "");
	}
	if (in->dir)
		doc_fact(d, "stored in", "%s", in->dir);
	put_hardware(d, s->hw);
	if (in->why && in->why->interconnect && !report_interconnect_below(in))
		doc_fact(d, "interconnect", "%s", in->why->interconnect);
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

/* What the data of a report is made from, when they are printed. */
struct run_data {
	const struct summary *s;
	const struct verdicts *v;
	const struct findings *f;
	const struct diagnosis *why;
};

static void fill_data(json_object *data, const void *ctx)
{
	const struct run_data *in = ctx;
	js_set_obj(data, "summary", summary_to_json(in->s));
	js_set_obj(data, "verdicts", in->v ? verdicts_to_json(in->v) : NULL);
	json_object *found = in->f ? findings_to_json(in->f) : NULL;
	if (found && in->why)
		diagnosis_to_json(in->why, found);
	js_set_obj(data, "findings", found);
}

static void add_names(struct report_names *names, const struct report_run *in)
{
	for (size_t r = 0; r < in->n; r++)
		for (size_t i = 0; i < in->runs[r]->n_rows; i++)
			report_names_add(names, &in->runs[r]->rows[i].key);
	for (size_t i = 0; in->v && i < in->v->n; i++)
		report_names_add(names, in->v->rows[i].key);
}

struct doc *report_run_doc(const struct report_run *in)
{
	const struct summary *s = in->runs[in->n - 1];
	struct doc *d = doc_new("");
	d->data = cmd_json("report");
	js_set_str(d->data, "dir", in->dir);
	js_set_str(d->data, "baseline", in->base);
	js_set_i64(d->data, "code", in->code);
	struct run_data *data = hb_alloc(sizeof *data);
	*data = (struct run_data){ s, in->v, in->f, in->why };
	d->fill = fill_data;
	d->ctx = data;

	struct report_names *names = report_names_new();
	add_names(names, in);
	report_head(d, in, names);
	if (in->accept)
		report_accept(d, in);
	report_blame(d, in->f, in->why);
	report_causes(d, in->why);
	if (in->v)
		put_slow(d, in->v, names);
	report_losses(d, in->runs, in->n);
	report_scope(d, s);
	report_figures(d, s, names);
	report_pairs(d, s, in->f, names);
	put_facts(d, in);
	report_next(d, in);
	report_names_free(names);
	return d;
}

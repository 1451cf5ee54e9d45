/* The smallest slowdown that a run would find, a line a curve. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/detect.h"
#include "harness/report/report_parts.h"

/* A range of losses over the sizes of a curve. */
struct range {
	double least, most; /* NaN: none */
};

struct line {
	const struct base_entry *e; /* the first size */
	uint64_t from, to;
	struct range mde, counts, peers;
	int runs; /* the fewest */
};

static void widen(struct range *r, double least, double most)
{
	r->least = fmin(r->least, least); /* both pass over NaN */
	r->most = fmax(r->most, most);
}

static void take(struct line *l, const struct detect_row *r)
{
	uint64_t bytes = r->entry->key.bytes;

	l->from = bytes < l->from ? bytes : l->from;
	l->to = bytes > l->to ? bytes : l->to;
	l->runs = r->entry->runs < l->runs ? r->entry->runs : l->runs;
	widen(&l->mde, r->mde.median, r->mde.most);
	widen(&l->counts, r->counts.median, r->counts.most);
	widen(&l->peers, r->peers, r->peers);
}

static bool same_line(const struct base_entry *a, const struct base_entry *b)
{
	const struct key *x = &a->key, *y = &b->key;

	return a->kind == b->kind && !(a->floor < b->floor || a->floor > b->floor) &&
	       strcmp(x->bench, y->bench) == 0 && strcmp(x->metric, y->metric) == 0 &&
	       strcmp(x->opts, y->opts) == 0 && strcmp(x->class_, y->class_) == 0 &&
	       strcmp(x->hw, y->hw) == 0 && x->nodes == y->nodes && x->rpn == y->rpn;
}

static void put_range(struct doc *d, const struct range *r)
{
	struct buf text = BUF_INIT, most = BUF_INIT;

	report_percent(r->least, false, &text);
	report_percent(r->most, false, &most);
	if (strcmp(buf_text(&text), buf_text(&most)) != 0)
		buf_printf(&text, "..%s", buf_text(&most));
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
	buf_free(&most);
}

static void put_line(struct doc *d, const struct report_names *names, const struct line *l)
{
	struct buf text = BUF_INIT;
	char size[REPORT_TEXT];

	report_name(names, &l->e->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	info_size_text(l->e->key.bench, l->from, size, sizeof size);
	buf_puts(&text, size);
	if (l->to > l->from) {
		units_format_bytes(l->to, size, sizeof size);
		buf_printf(&text, "..%s", size);
	}
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	report_class(&l->e->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	doc_cell(d, DOC_PLAIN, "%s", l->e->kind == SUBJECT_NODE ? "a node" : "cluster");
	put_range(d, &l->mde);
	put_range(d, &l->counts);
	put_range(d, &l->peers);
	doc_cell(d, l->runs < BASELINE_MIN_RUNS ? DOC_WARN : DOC_PLAIN, "%d", l->runs);
	buf_free(&text);
}

static void put_table(struct doc *d, const struct detect *found)
{
	static const char *const titles[] = { "benchmark", ">size",    "class",
		                              "subject",   ">one run", ">beyond the floor",
		                              ">peers",    ">runs",    NULL };
	const struct range none = { NAN, NAN };
	struct report_names *names = report_names_new();
	bool *said = hb_alloc(found->n + 1);

	for (size_t i = 0; i < found->n; i++)
		report_names_add(names, &found->v[i].entry->key);
	doc_table(d, titles);
	for (size_t i = 0; i < found->n; i++) {
		const struct base_entry *e = found->v[i].entry;
		struct line l = { e, e->key.bytes, e->key.bytes, none, none, none, e->runs };
		if (said[i])
			continue;
		for (size_t k = i; k < found->n; k++) {
			if (said[k] || !same_line(e, found->v[k].entry))
				continue;
			said[k] = true;
			take(&l, &found->v[k]);
		}
		put_line(d, names, &l);
	}
	free(said);
	report_names_free(names);
}

static json_object *row_json(const struct detect_row *r)
{
	json_object *o = json_object_new_object();

	js_set_obj(o, "key", key_to_json(&r->entry->key));
	js_set_str(o, "kind", r->entry->kind == SUBJECT_NODE ? "node" : "cluster");
	js_set_u64(o, "subjects", r->subjects);
	js_set_u64(o, "of_class", r->of_class);
	js_set_i64(o, "runs", r->entry->runs);
	js_set_f64(o, "floor", r->entry->floor);
	js_set_f64(o, "loss", r->mde.median);
	js_set_f64(o, "loss_most", r->mde.most);
	js_set_f64(o, "counts", r->counts.median);
	js_set_f64(o, "counts_most", r->counts.most);
	js_set_f64(o, "peers", r->peers);
	return o;
}

static json_object *data_of(const struct report_detect *in)
{
	json_object *o = json_object_new_object(), *rows = json_object_new_array();

	js_set_str(o, "baseline", in->base);
	js_set_f64(o, "alpha", in->params->alpha);
	js_set_f64(o, "power", in->params->power);
	js_set_i64(o, "rounds", in->rounds);
	js_set_u64(o, "unknown", in->found->unknown);
	js_set_u64(o, "new_nodes", in->found->not_there);
	for (size_t i = 0; i < in->found->n; i++)
		json_object_array_add(rows, row_json(&in->found->v[i]));
	js_set_obj(o, "rows", rows);
	return o;
}

void report_detect(struct doc *d, const struct report_detect *in)
{
	const struct detect *f = in->found;

	if (!in->base) {
		doc_text(d, DOC_PLAIN,
		         "the smallest slowdown that this run would find is not known: name a "
		         "--baseline, whose runs tell the spread (hpcbench baseline record makes "
		         "one)");
		js_set_obj(d->data, "detectable", NULL);
		return;
	}
	js_set_obj(d->data, "detectable", data_of(in));
	if (f->n == 0) {
		doc_text(d, DOC_WARN, "baseline %s knows nothing of what this run measures",
		         in->base);
		return;
	}
	doc_heading(d, 2, "Smallest slowdown found in %.0f of 100 cases, by the spread of %s",
	            100 * in->params->power, in->base);
	put_table(d, f);
	doc_text(d, DOC_DIM,
	         "one run: against the baseline; beyond the floor: what a verdict and its rerun "
	         "ask for%s",
	         in->rounds > 0 ? "; peers: a node against the others of the same run" : "");
	if (in->rounds > 0)
		doc_text(d, DOC_DIM,
		         "%d round%s of pairs; a node is scored by as many in the baseline's runs, "
		         "or "
		         "its spread is another",
		         in->rounds, report_plural((size_t)in->rounds));
	if (f->unknown)
		doc_text(d, DOC_WARN,
		         "%zu of %zu keys have no spread: the baseline has too few runs",
		         f->unknown, f->n);
	if (f->not_there)
		doc_text(d, DOC_WARN,
		         "%zu node%s not in the baseline: held against the class, if it is one of "
		         "these",
		         f->not_there, f->not_there == 1 ? " is" : "s are");
}

/* The document of a baseline: what it was made from, and how well each key is known. */
#include <math.h>

#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/report/report_parts.h"

enum { RUNS_SHOWN = 8, ENTRIES_SHOWN = 200, EXCLUDED_SHOWN = 8 };

static void put_entry(struct doc *d, const struct report_names *names, const struct base_entry *e)
{
	struct buf text = BUF_INIT;
	char size[REPORT_TEXT];
	info_size_text(e->key.bench, e->key.bytes, size, sizeof size);
	report_name(names, &e->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	doc_cell(d, DOC_PLAIN, "%s", size);
	buf_clear(&text);
	report_class(&e->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	if (e->n_series == 1)
		doc_cell(d, DOC_PLAIN, "%s", e->series[0].subject);
	else
		doc_cell(d, DOC_PLAIN, "%zu nodes", e->n_series);
	report_figure(e->unit, exp(e->higher_is_better ? e->mean : -e->mean), NAN, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	report_percent(e->s_run, false, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	report_percent(e->n_series > 1 ? e->s_node : NAN, false, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	doc_cell(d, e->runs < BASELINE_MIN_RUNS ? DOC_WARN : DOC_PLAIN, "%d", e->runs);
	buf_free(&text);
}

void report_rebased(const struct baseline *b, struct buf *out)
{
	if (b->rebased.from)
		buf_printf(out, "from %s on %.10s: %s", b->rebased.from, b->rebased.date,
		           b->rebased.reason);
}

void report_excluded(const struct baseline *b, struct buf *out)
{
	size_t n = 0, all = b->excluded ? (size_t)json_object_object_length(b->excluded) : 0;
	if (!all)
		return;
	json_object_object_foreach(b->excluded, node, value)
	{
		const char *why = value ? json_object_get_string(value) : "";
		if (n++ < EXCLUDED_SHOWN)
			buf_printf(out, "%s%s%s%s%s", n > 1 ? ", " : "", node, *why ? " (" : "",
			           why, *why ? ")" : "");
	}
	if (all > EXCLUDED_SHOWN)
		buf_printf(out, " and %zu more", all - EXCLUDED_SHOWN);
}

static void put_head(struct doc *d, const struct baseline *b)
{
	struct buf text = BUF_INIT;
	size_t from = b->n_runs > RUNS_SHOWN ? b->n_runs - RUNS_SHOWN : 0;
	doc_fact(d, "baseline", "%s", b->name ? b->name : "(no name)");
	doc_fact(d, "created", "%s", b->created ? b->created : "(unknown)");
	if (b->reason)
		doc_fact(d, "reason", "%s", b->reason);
	report_rebased(b, &text);
	if (text.len)
		doc_fact(d, "rebased", "%s (by %s)", text.data, b->rebased.by);
	buf_clear(&text);
	report_excluded(b, &text);
	if (text.len)
		doc_fact(d, "excluded", "%s", text.data);
	buf_clear(&text);
	for (size_t i = from; i < b->n_runs; i++)
		buf_printf(&text, "%s%s", i > from ? ", " : from ? "... " : "", b->runs[i]);
	doc_fact(d, "runs", "%zu: %s", b->n_runs, buf_text(&text));
	if (json_object_is_type(b->fingerprint, json_type_object)) {
		json_object_object_foreach(b->fingerprint, name, values)
		{
			buf_clear(&text);
			report_values(values, &text);
			doc_fact(d, name, "%s", buf_text(&text));
		}
	}
	if (b->n_runs < BASELINE_MIN_RUNS)
		doc_text(
		        d, DOC_WARN,
		        "provisional: below %d runs nothing is `regressed`, at most `suspect`; add "
		        "more with --extend",
		        (int)BASELINE_MIN_RUNS);
	buf_free(&text);
}

void report_leaves(struct doc *d, const struct verdicts *v, const char *old_side)
{
	if (v && v->leaves == LEAVES_NEW)
		doc_text(d, DOC_PLAIN,
		         "%s has no leaf classes: pairs are compared as remote, all together",
		         old_side);
	else if (v && v->leaves == LEAVES_OLD)
		doc_text(d, DOC_PLAIN,
		         "no topology here, but %s has leaf classes: pairs are compared as remote, "
		         "all together",
		         old_side);
}

void report_baseline_note(struct doc *d, const struct report_run *in)
{
	const char *name = in->base ? in->base : "the baseline";
	struct buf text = BUF_INIT;
	report_rebased(in->b, &text);
	if (text.len)
		doc_text(d, DOC_PLAIN, "baseline %s (rebased %s)", name, text.data);
	buf_clear(&text);
	report_excluded(in->b, &text);
	report_leaves(d, in->v, "the baseline");
	if (text.len)
		doc_text(d, DOC_PLAIN, "excluded from the baseline: %s", text.data);
	buf_free(&text);
}

struct doc *report_baseline_doc(const struct baseline *b)
{
	static const char *const titles[] = { "benchmark",      ">size", "class",
		                              "subject",        ">mean", ">between runs",
		                              ">between nodes", ">runs", NULL };
	struct doc *d = doc_new("");
	d->data = cmd_json("baseline");
	js_set_u64(d->data, "runs", b->n_runs);
	js_set_u64(d->data, "keys", b->n_entries);
	js_set_bool(d->data, "provisional", b->n_runs < BASELINE_MIN_RUNS);
	js_set_obj(d->data, "baseline", baseline_to_json(b));
	put_head(d, b);
	struct report_names *names = report_names_new();
	for (size_t i = 0; i < b->n_entries; i++)
		report_names_add(names, &b->entries[i].key);
	if (b->n_entries)
		doc_table(d, titles);
	for (size_t i = 0; i < b->n_entries && i < ENTRIES_SHOWN; i++)
		put_entry(d, names, &b->entries[i]);
	if (b->n_entries > ENTRIES_SHOWN)
		doc_text(d, DOC_DIM, "and %zu more keys; --json has all",
		         b->n_entries - ENTRIES_SHOWN);
	report_names_free(names);
	return d;
}

/* The documents of `hpcbench explain`: what is known of a subject, then case by case all of it. */
#include "harness/report/report_explain.h"

#include <math.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/judge/ack.h"
#include "harness/report/report_parts.h"

enum { VALUES_A_LINE = 12 };

/* ---- head ---- */

static bool is_node(const void *ctx, const char *name)
{
	return nodeset_find(ctx, name) >= 0;
}

static void put_losses(struct doc *d, const struct explain *e)
{
	const struct ack_nodes nodes = { is_node, &e->plan.nodes };
	size_t n = 0;
	for (size_t i = 0; i < e->run->n_losses; i++) {
		const struct summary_loss *l = &e->run->losses[i];
		if (!l->subject || !ack_covers(e->subject, l->subject, &nodes) ||
		    (e->bench && l->bench && strcmp(e->bench, l->bench) != 0))
			continue;
		if (n++ == 0)
			doc_heading(d, 2, "Not measured, or not to be trusted");
		doc_list_item(d, "%s %s: %s: %s", l->subject, l->bench ? l->bench : "(all)",
		              unit_status_name(l->status),
		              l->reason ? l->reason : "no reason told");
	}
	for (size_t i = 0; i < e->n_told; i++) {
		if (strcmp(e->told[i].kind, "event") != 0)
			continue;
		if (n++ == 0)
			doc_heading(d, 2, "Not measured, or not to be trusted");
		doc_list_item(d, "%s: %s", e->told[i].name, e->told[i].text);
	}
}

static void put_told(struct doc *d, const struct explain *e)
{
	size_t n = 0;
	for (size_t i = 0; i < e->n_told; i++) {
		const struct explain_told *t = &e->told[i];
		if (strcmp(t->kind, "event") == 0)
			continue;
		if (n++ == 0)
			doc_heading(d, 2, "Facts");
		doc_fact(d, t->name, "%s", t->text);
	}
	if (n && !e->has_facts && nodeset_find(&e->plan.nodes, e->subject) >= 0)
		doc_text(d, DOC_DIM,
		         "a fact that several nodes share is stored under the one that told it "
		         "first");
}

struct doc *explain_head_doc(const struct explain *e)
{
	struct doc *d = doc_new("");
	struct buf text = BUF_INIT;
	report_run_words(e->run, &text);
	doc_fact(d, "run", "%s", buf_text(&text));
	doc_fact(d, "subject", "%s", e->subject);
	if (!e->verdicts)
		doc_fact(d, "judged", "not judged: the run was measured without a baseline");
	else if (e->b)
		doc_fact(d, "judged", "against baseline %s", e->base_name);
	else
		doc_fact(d, "judged", "against baseline %s, which is not there any more",
		         e->base_name ? e->base_name : "(unknown)");
	explain_findings(d, e);
	explain_causes(d, e);
	put_losses(d, e);
	put_told(d, e);
	if (e->bad_lines)
		doc_text(d, DOC_WARN, "%llu line%s could not be understood and were left out",
		         (unsigned long long)e->bad_lines, report_plural((size_t)e->bad_lines));
	buf_free(&text);
	return d;
}

/* ---- a section ---- */

/* The median over the pairs or groups of the same key: what a figure's loss is held against. */
static double cluster_y(const struct explain *e, const struct explain_section *s,
                        const struct metric_info *m)
{
	for (size_t i = 0; i < e->run->n_rows; i++) {
		const struct summary_row *r = &e->run->rows[i];
		if (r->kind == SUBJECT_CLUSTER && r->key.bytes == s->bytes && r->value > 0.0 &&
		    strcmp(r->key.bench, s->bench) == 0 && strcmp(r->key.opts, s->opts) == 0 &&
		    strcmp(r->key.metric, m->name) == 0)
			return summary_y(r);
	}
	return NAN;
}

static void put_try(struct doc *d, const struct explain *e, const struct explain_unit *u,
                    const struct explain_try *t, double middle)
{
	const struct plan_job *j = u->job;
	const struct metric_info *m = j->cases.info->metrics;
	const struct stat_summary *f = t && t->figure[0].n ? &t->figure[0] : NULL;
	const char *status = explain_status(e, u, t);
	enum doc_tone tone = strcmp(status, "ok") == 0 ? DOC_PLAIN : DOC_WARN;
	struct buf text = BUF_INIT;
	plan_job_subject(&e->plan, u->step, j, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	if (j->round >= 0)
		buf_printf(&text, "%lld", (long long)j->round);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	doc_cell(d, DOC_PLAIN, "%llu", t ? (unsigned long long)t->id : 0ULL);
	buf_clear(&text);
	buf_puts(&text, phase_name(j->phase));
	if (j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL)
		buf_printf(&text, " %d", j->repeat + 1);
	if (j->phase == PHASE_EXTRA && j->alone)
		buf_puts(&text, " alone");
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	if (f)
		report_figure(m->unit, f->p50, (f->hi - f->lo) / 2.0 / f->p50, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	if (f && isfinite(middle))
		report_percent(1.0 - exp((m->higher_is_better ? 1.0 : -1.0) * log(f->p50) - middle),
		               true, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	doc_cell(d, tone, "%s%s%s", status, t && t->reason ? ": " : "",
	         t && t->reason ? t->reason : "");
	buf_free(&text);
}

static void put_tries(struct doc *d, const struct explain *e, const struct explain_section *s)
{
	static const char *const titles[] = { "measured", ">round", ">attempt", "phase",
		                              ">figure",  ">loss",  "outcome",  NULL };
	if (s->n_units == 0)
		return;
	double middle = cluster_y(e, s, s->units[0]->job->cases.info->metrics);
	doc_table(d, titles);
	for (size_t i = 0; i < s->n_units; i++) {
		const struct explain_unit *u = s->units[i];
		size_t t = u->first_try;
		do
			put_try(d, e, u, t == SIZE_MAX ? NULL : &e->tries[t], middle);
		while (t != SIZE_MAX && (t = e->tries[t].next_try) != SIZE_MAX);
	}
	if (isfinite(middle))
		doc_text(d, DOC_DIM, "loss: against the median over all of this case");
}

/* ---- samples ---- */

/* One unit for all samples of a point, so that they can be read side by side. */
struct scale {
	double by;
	const char *unit;
};

static struct scale scale_of(double median_ns)
{
	static const struct scale steps[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (median_ns >= steps[i].by)
			return steps[i];
	return (struct scale){ 1.0, "ns" };
}

static void put_value(struct buf *out, double v, struct scale s)
{
	char text[64];
	num_format(text, sizeof text, "%.4g", v / s.by);
	buf_puts(out, text);
}

/* Minimum, quartiles, maximum, and the interval of the median. */
static struct scale put_five(struct doc *d, const char *what, const double *v, size_t n, bool all)
{
	static const double at[] = { 0.0, 0.25, 0.5, 0.75, 1.0 };
	static const char *const names[] = { "min", "q25", "median", "q75", "max" };
	double *sorted = hb_alloc(n * sizeof *sorted);
	struct buf text = BUF_INIT;
	size_t lo = 0, hi = 0;
	memcpy(sorted, v, n * sizeof *sorted);
	stat_sort(sorted, n);
	struct scale s = scale_of(stat_quantile_sorted(sorted, n, 0.5));
	stat_median_interval(n, &lo, &hi);
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		buf_printf(&text, "%s%s ", i ? ", " : "", names[i]);
		put_value(&text, stat_quantile_sorted(sorted, n, at[i]), s);
		if (i != 2)
			continue;
		buf_puts(&text, " [");
		put_value(&text, sorted[lo], s);
		buf_puts(&text, " .. ");
		put_value(&text, sorted[hi], s);
		buf_putc(&text, ']');
	}
	doc_text(d, DOC_PLAIN, "%s: %zu %s in order, %s an iteration: %s", what, n,
	         all ? "samples" : "block medians", s.unit, buf_text(&text));
	buf_free(&text);
	free(sorted);
	return s;
}

static int put_samples(struct doc *d, const struct explain *e, const struct explain_unit *u,
                       size_t attempt, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	double *v;
	size_t n;
	bool all;
	int rc = explain_samples(e, attempt, &v, &n, &all, err);
	if (rc != HB_OK || n == 0) {
		free(v);
		return rc;
	}
	explain_unit_words(e, u, &text);
	buf_printf(&text, ", attempt %llu", (unsigned long long)e->tries[attempt].id);
	struct scale s = put_five(d, buf_text(&text), v, n, all);
	for (size_t i = 0; i < n; i += VALUES_A_LINE) {
		char from[32];
		(void)snprintf(from, sizeof from, "%zu", i + 1);
		buf_clear(&text);
		for (size_t k = i; k < n && k < i + VALUES_A_LINE; k++) {
			buf_puts(&text, k > i ? " " : "");
			put_value(&text, v[k], s);
		}
		doc_fact(d, from, "%s", buf_text(&text));
	}
	buf_free(&text);
	free(v);
	return HB_OK;
}

static void put_rows(struct doc *d, const struct explain *e, const struct explain_row *rows,
                     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (n > 1)
			doc_text(d, DOC_PLAIN, "%s, class %s, hardware %s:", rows[i].key.metric,
			         rows[i].key.class_, rows[i].key.hw);
		explain_rule(d, e, &rows[i]);
		explain_past(d, e, &rows[i]);
		explain_rerun(d, e, &rows[i]);
	}
}

/* "node.memory 64 MiB, op=triad threads=0": all options of the key. */
static void put_title(struct doc *d, const struct explain_section *s)
{
	char size[REPORT_TEXT];
	json_object *o = NULL;
	struct buf text = BUF_INIT;
	info_size_text(s->bench, s->bytes, size, sizeof size);
	if (js_parse(s->opts, strlen(s->opts), "opts", &o, NULL) == HB_OK &&
	    json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, name, value)
		{
			buf_printf(&text, "%s%s=%s", text.len ? " " : ", ", name,
			           report_json_text(value));
		}
	}
	doc_heading(d, 2, "%s%s%s%s", s->bench, *size ? " " : "", size, buf_text(&text));
	buf_free(&text);
	js_put(o);
}

int explain_section_doc(const struct explain *e, const struct explain_section *s, struct doc **out,
                        struct hb_err *err)
{
	struct explain_row *rows;
	size_t n;
	int rc = explain_rows(e, s, &rows, &n, err);
	*out = NULL;
	if (rc != HB_OK)
		return rc;
	struct doc *d = doc_new("");
	put_title(d, s);
	if (e->verdicts && n == 0)
		doc_text(d, DOC_DIM, "no verdict: this is not judged for %s", e->subject);
	put_rows(d, e, rows, n);
	explain_localized(d, e, s);
	put_tries(d, e, s);
	for (size_t i = 0; rc == HB_OK && i < s->n_units; i++)
		for (size_t t = s->units[i]->first_try; rc == HB_OK && t != SIZE_MAX;
		     t = e->tries[t].next_try)
			rc = put_samples(d, e, s->units[i], t, err);
	explain_rows_free(rows, n);
	if (rc == HB_OK)
		*out = d;
	else
		doc_free(d);
	return rc;
}

/* The rule behind a verdict in words, with the numbers that went into it (contracts: statistics).
 */
#include <math.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "harness/report/report_explain.h"
#include "harness/report/report_parts.h"

/* One sentence, put into the list when it is whole. */
static void put_line(struct doc *d, struct buf *text)
{
	doc_list_item(d, "%s", buf_text(text));
	buf_clear(text);
}

static double number_of(json_object *o, const char *name)
{
	json_object *v = NULL;
	if (!o || !json_object_object_get_ex(o, name, &v) ||
	    (!json_object_is_type(v, json_type_double) && !json_object_is_type(v, json_type_int)))
		return NAN;
	return json_object_get_double(v);
}

/* The rows of the subject and benchmark in verdicts.json that were tested: their p. */
static size_t family(const struct explain *e, const struct explain_row *r, double **p, size_t *own)
{
	json_object *rows = NULL;
	size_t n = 0, cap = 0;
	*p = NULL;
	*own = SIZE_MAX;
	if (!json_object_object_get_ex(e->verdicts, "rows", &rows))
		return 0;
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *o = json_object_array_get_idx(rows, i), *subject = NULL, *key = NULL;
		json_object *bench = NULL;
		double value = number_of(o, "p");
		if (!isfinite(value) || !json_object_object_get_ex(o, "subject", &subject) ||
		    !json_object_object_get_ex(o, "key", &key) ||
		    !json_object_object_get_ex(key, "bench", &bench) ||
		    strcmp(json_object_get_string(subject), e->subject) != 0 ||
		    strcmp(json_object_get_string(bench), r->key.bench) != 0)
			continue;
		if (o == r->o)
			*own = n;
		hb_grow(p, &cap, n + 1, sizeof **p);
		(*p)[n++] = value;
	}
	return n;
}

static void put_difference(struct doc *d, const struct explain_row *r, struct buf *text)
{
	buf_printf(text, "%s: ", r->verdict);
	if (isfinite(r->new_value))
		report_figure(r->unit, r->new_value, NAN, text);
	else
		buf_puts(text, "no figure in this run");
	if (isfinite(r->old_value)) {
		buf_puts(text, " against ");
		report_figure(r->unit, r->old_value, NAN, text);
		buf_printf(text, " of the baseline (%d run%s)", r->n_old,
		           report_plural((size_t)r->n_old));
	}
	if (isfinite(r->delta)) {
		buf_puts(text, ", ");
		report_percent(r->delta, true, text);
	}
	if (isfinite(r->loss)) {
		buf_printf(text, ": a %s of ", r->loss < 0.0 ? "gain" : "loss");
		report_percent(fabs(r->loss), false, text);
		buf_printf(text, ", %s the floor \xce\xb4 of ",
		           r->loss > r->floor ? "beyond" : "not beyond");
		report_percent(r->floor, false, text);
	}
	put_line(d, text);
}

/* t is not stored; where the spread is the subject's own it follows from what is. */
static void put_test(struct doc *d, const struct explain_row *r, struct buf *text)
{
	bool own = strcmp(r->spread, spread_source_text(SPREAD_OWN)) == 0;
	double t = dist_t_quantile(r->p, r->df);
	if (own && r->n_old > 0 && r->n_new > 0 && r->s > 0.0)
		t = log1p(-r->loss) / (r->s * sqrt(1.0 / r->n_old + 1.0 / r->n_new));
	buf_puts(text, "spread between runs s = ");
	report_percent(r->s, false, text);
	buf_printf(text, " (from %s), df = %.1f, runs %d + %d; t = %.2f, one-sided p ", r->spread,
	           r->df, r->n_old, r->n_new, t);
	report_p(r->p, text);
	put_line(d, text);
}

static void put_stages(struct doc *d, const struct explain *e, const struct explain_row *r,
                       struct buf *text)
{
	double *p, q = number_of(e->verdicts, "q"), m = number_of(e->verdicts, "families");
	double rejected = number_of(e->verdicts, "families_rejected");
	size_t own, n = family(e, r, &p, &own);
	buf_printf(text, "Simes over the %zu size%s of %s on %s: p ", n, report_plural(n),
	           r->key.bench, e->subject);
	report_p(r->p_family, text);
	put_line(d, text);
	bool in = rejected > 0.0 && r->p_family <= q * rejected / m;
	buf_printf(text,
	           "Benjamini-Hochberg at q = %.0f %% over %.0f families rejects %.0f; this "
	           "one is %s",
	           q * 100.0, m, rejected, in ? "among them" : "not among them");
	put_line(d, text);
	if (in && own != SIZE_MAX) {
		unsigned char *out = hb_alloc(n);
		size_t hits = stat_bh(p, n, q * rejected / m, out);
		buf_printf(text,
		           "inside it, at q R/m = %.2f %%, %zu of %zu size%s rejected; this one %s",
		           q * rejected / m * 100.0, hits, n, n == 1 ? " is" : "s are",
		           out[own] ? "is" : "is not");
		put_line(d, text);
		free(out);
	}
	free(p);
}

/* Whether it was acknowledged when the run was judged. */
static void put_known(struct doc *d, const struct explain_row *r, struct buf *text)
{
	struct js_at at = JS_AT_TOP("verdicts.json");
	const char *until = NULL, *reason = NULL, *by = NULL;
	json_object *known = NULL;
	if (!json_object_object_get_ex(r->o, "known", &known) ||
	    js_get_str(known, &at, "until", JS_REQUIRED, &until, NULL) != HB_OK ||
	    js_get_str(known, &at, "reason", JS_REQUIRED, &reason, NULL) != HB_OK ||
	    js_get_str(known, &at, "by", JS_REQUIRED, &by, NULL) != HB_OK)
		return;
	buf_printf(text, "known until %s when it was judged: %s (by %s)", until, reason, by);
	put_line(d, text);
}

void explain_rule(struct doc *d, const struct explain *e, const struct explain_row *r)
{
	struct buf text = BUF_INIT;
	put_difference(d, r, &text);
	if (isfinite(r->p) && isfinite(r->df) && isfinite(r->s)) {
		put_test(d, r, &text);
		put_stages(d, e, r, &text);
	}
	if (isfinite(r->mde)) {
		double tolerance = r->tolerance > 0.0 ? r->tolerance : 2.0 * r->floor;
		buf_puts(&text, "smallest detectable loss ");
		report_percent(r->mde, false, &text);
		buf_puts(&text, "; a pass needs at most ");
		report_percent(tolerance, false, &text);
		put_line(d, &text);
	}
	if (isfinite(r->confirm_p)) {
		buf_puts(&text, "the confirming rerun finds ");
		report_percent(r->higher ? -r->confirm_loss : 1.0 / (1.0 - r->confirm_loss) - 1.0,
		               true, &text);
		buf_puts(&text, ", p ");
		report_p(r->confirm_p, &text);
		buf_printf(&text, ": %s", r->confirmed ? "confirmed" : "not confirmed");
		put_line(d, &text);
	}
	if (r->provisional) {
		buf_puts(&text,
		         "provisional: too few runs, or a borrowed spread; never beyond suspect");
		put_line(d, &text);
	}
	if (*r->note) {
		buf_puts(&text, r->note);
		put_line(d, &text);
	}
	put_known(d, r, &text);
	buf_free(&text);
}

/* ---- what it was compared with ---- */

static double value_of(const struct base_entry *b, double y)
{
	return exp(b->higher_is_better ? y : -y);
}

static void put_own(struct doc *d, const struct explain *e, const struct base_entry *b,
                    const struct base_series *s)
{
	struct buf text = BUF_INIT;
	buf_printf(&text, "own, %d run%s: median ", s->n, report_plural((size_t)s->n));
	report_figure(b->unit, value_of(b, s->median), NAN, &text);
	for (size_t t = 0; t < e->b->n_runs; t++) {
		if (!isfinite(s->y[t]))
			continue;
		buf_printf(&text, "; %s ", e->b->runs[t]);
		report_figure(b->unit, value_of(b, s->y[t]), NAN, &text);
	}
	doc_list_item(d, "%s", buf_text(&text));
	buf_free(&text);
}

void explain_past(struct doc *d, const struct explain *e, const struct explain_row *r)
{
	enum subject_kind kind = strcmp(e->subject, "cluster") == 0 ? SUBJECT_CLUSTER
	                                                            : SUBJECT_NODE;
	size_t at = e->b ? baseline_find_near(e->b, r->key.text, kind, 0) : SIZE_MAX;
	struct buf text = BUF_INIT;
	if (!e->b)
		return;
	if (at == SIZE_MAX) {
		doc_list_item(d, "baseline %s has no row of this key", e->base_name);
		return;
	}
	const struct base_entry *b = &e->b->entries[at];
	const struct base_series *own = baseline_series(b, e->subject);
	doc_text(d, DOC_PLAIN, "compared with, in baseline %s:", e->base_name);
	if (own)
		put_own(d, e, b, own);
	else
		doc_list_item(d, "nothing of %s itself", e->subject);
	buf_printf(&text, "class: mean ");
	report_figure(b->unit, value_of(b, b->mean), NAN, &text);
	buf_printf(&text, " over %zu subject%s, s_node ", b->n_series, report_plural(b->n_series));
	report_percent(b->s_node, false, &text);
	buf_puts(&text, "; between runs: s_own ");
	report_percent(b->s_own, false, &text);
	buf_puts(&text, ", pooled over sizes ");
	report_percent(b->s_pool, false, &text);
	buf_printf(&text, " (\xcf\x81 = %.2f), together ", b->rho);
	report_percent(b->s_run, false, &text);
	buf_printf(&text, " with df %.1f", b->df_run);
	doc_list_item(d, "%s", buf_text(&text));
	buf_free(&text);
}

/* The rows of the rerun: A is the subject, B its control. */
static const struct summary_row *find_side(const struct explain *e, const struct explain_row *r,
                                           enum phase phase, int repeat)
{
	for (size_t i = 0; i < e->run->n_confirm; i++) {
		const struct summary_row *c = &e->run->confirm[i];
		const char *whose = phase == PHASE_CONFIRM ? c->subject : c->partner;
		if (c->phase == phase && c->repeat == repeat && whose &&
		    strcmp(whose, e->subject) == 0 && strcmp(c->key.text, r->key.text) == 0)
			return c;
	}
	return NULL;
}

static void side_cell(struct doc *d, const struct summary_row *c)
{
	struct buf text = BUF_INIT;
	if (c)
		report_figure(c->unit, c->value, NAN, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
}

void explain_rerun(struct doc *d, const struct explain *e, const struct explain_row *r)
{
	int repeats = 0;
	const char *control = NULL;
	for (size_t i = 0; i < e->run->n_confirm; i++) {
		const struct summary_row *c = &e->run->confirm[i];
		if (strcmp(c->subject, e->subject) != 0 || c->phase != PHASE_CONFIRM ||
		    strcmp(c->key.text, r->key.text) != 0)
			continue;
		repeats = c->repeat >= repeats ? c->repeat + 1 : repeats;
		control = c->partner ? c->partner : control;
	}
	if (repeats == 0)
		return;
	char *a = hb_format(">A %s", e->subject), *b = hb_format(">B %s", control ? control : "-");
	const char *titles[] = { ">rerun", a, b, ">A worse by", NULL };
	doc_table(d, titles);
	for (int k = 0; k < repeats; k++) {
		const struct summary_row *x = find_side(e, r, PHASE_CONFIRM, k);
		const struct summary_row *y = find_side(e, r, PHASE_CONTROL, k);
		struct buf text = BUF_INIT;
		doc_cell(d, DOC_PLAIN, "%d", k + 1);
		side_cell(d, x);
		side_cell(d, y);
		if (x && y)
			report_percent(1.0 - exp(summary_y(x) - summary_y(y)), true, &text);
		doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
		buf_free(&text);
	}
	free(a);
	free(b);
}

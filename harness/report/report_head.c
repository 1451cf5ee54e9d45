/*
 * The first lines of a report: what the exit code says, in words. Whatever raises the code is told
 * here first; PASS stands only where the code is 0.
 */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/diagnose/expected.h"
#include "harness/report/report_parts.h"

enum { NAMES_SHOWN = 3 };

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts a copy and counts what differs. */
static size_t distinct(const struct report_lost *l)
{
	const char **v = hb_alloc((l->n + 1) * sizeof(const char *));
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		v[i] = l->names[i];
	qsort(v, l->n, sizeof(const char *), by_name);
	for (size_t i = 0; i < l->n; i++)
		n += i == 0 || strcmp(v[i], v[i - 1]) != 0;
	free(v);
	return n;
}

/* "n3, n4, n5 and 9 more", each once, in the order of appearance. */
static void put_names(const struct report_lost *l, struct buf *out)
{
	const char *shown[NAMES_SHOWN];
	size_t n = 0, all = distinct(l);
	/* Where nothing of a benchmark came, its nodes need no names. */
	if (l->n && strcmp(l->names[0], "cluster") == 0) {
		buf_puts(out, "the whole cluster");
		return;
	}
	for (size_t i = 0; i < l->n && n < NAMES_SHOWN; i++) {
		bool known = false;
		for (size_t k = 0; k < n; k++)
			known = known || strcmp(shown[k], l->names[i]) == 0;
		if (!known)
			shown[n++] = l->names[i];
	}
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", shown[i]);
	if (all > n)
		buf_printf(out, " and %zu more", all - n);
}

void report_invalid_line(struct doc *d, enum doc_tone tone, const char *lead,
                         const struct report_trouble *t)
{
	struct buf text = BUF_INIT;
	if (t->invalid == 0)
		return;
	buf_printf(&text, "%sINVALID DATA: %s%s%s: %s", lead, t->subject, t->bench ? " " : "",
	           t->bench ? t->bench : "", t->reason && *t->reason ? t->reason : "wrong data");
	if (t->invalid > 1)
		buf_printf(&text, "; and %zu more such figures or pairs", t->invalid - 1);
	doc_text(d, tone, "%s", buf_text(&text));
	buf_free(&text);
}

void report_lost_line(struct doc *d, const char *lead, const struct report_trouble *t)
{
	struct buf text = BUF_INIT;
	if (t->lost.n == 0)
		return;
	buf_printf(&text, "%sNOT MEASURED: ", lead);
	put_names(&t->lost, &text);
	const char *why = t->lost.reason && *t->lost.reason ? t->lost.reason : "no reason was told";
	bool several = distinct(&t->lost) > 1 && strcmp(t->lost.names[0], "cluster") != 0;
	buf_printf(&text, " (%s%s%s%s)", several ? "first: " : "",
	           t->lost.bench ? t->lost.bench : "", t->lost.bench ? ": " : "", why);
	doc_text(d, DOC_WARN, "%s", buf_text(&text));
	buf_free(&text);
}

/* "; 3 of 4 benchmarks skipped (why: below)": those of which nothing was measured. */
static void put_skipped(const struct report_trouble *t, struct buf *out)
{
	struct report_lost all = { 0 };
	for (size_t i = 0; i < t->benches.n; i++)
		report_lost_add(&all, t->benches.names[i]);
	for (size_t i = 0; i < t->skipped.n; i++)
		report_lost_add(&all, t->skipped.names[i]);
	size_t n = distinct(&all), skipped = n - distinct(&t->benches);
	if (skipped)
		buf_printf(out, "; %zu of %zu benchmark%s skipped (why: below)", skipped, n,
		           report_plural(n));
	free(all.names);
}

/* ---- the comparison ---- */

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

static size_t judged_rows(const struct verdicts *v)
{
	return v->count[VERDICT_PASS] + v->count[VERDICT_IMPROVED] +
	       v->count[VERDICT_INCONCLUSIVE] + v->count[VERDICT_REGRESSED] +
	       v->count[VERDICT_SUSPECT];
}

/* Those of them that are not acknowledged: what the exit code looks at. */
static size_t open_rows(const struct verdicts *v)
{
	return judged_rows(v) - v->known[VERDICT_PASS] - v->known[VERDICT_IMPROVED] -
	       v->known[VERDICT_INCONCLUSIVE] - v->known[VERDICT_REGRESSED] -
	       v->known[VERDICT_SUSPECT];
}

static void put_findings(struct doc *d, const struct verdicts *v)
{
	size_t n = v ? v->n_findings : 0;
	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
		struct buf known = BUF_INIT;
		report_known_mark(v->findings[i].ack, &known);
		doc_text(d, known.len ? DOC_WARN : DOC_BAD, "HARDWARE: %s%s", v->findings[i].text,
		         buf_text(&known));
		buf_free(&known);
	}
	if (n > NAMES_SHOWN)
		doc_text(d, DOC_BAD, "HARDWARE: and %zu more such nodes; --json has all",
		         n - NAMES_SHOWN);
}

/* As code_of sees it: a provisional baseline never makes a machine fail. */
static bool has_regressed(const struct verdicts *v)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (v->rows[i].verdict == VERDICT_REGRESSED && !v->rows[i].provisional &&
		    !v->rows[i].ack)
			return true;
	return false;
}

/* Several nodes and the figure of all of them: then the worst node is not who is to blame. */
static bool whole_is_slow(const struct verdicts *v)
{
	bool whole = false, nodes = false;
	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		bool slow = !r->ack &&
		            (r->verdict == VERDICT_REGRESSED || r->verdict == VERDICT_SUSPECT);
		bool all = strcmp(r->subject, "cluster") == 0;
		whole = whole || (slow && all);
		nodes = nodes || (slow && !all);
	}
	return whole && nodes;
}

static enum doc_tone compared_words(const struct report_run *in, const struct report_trouble *t,
                                    const struct report_names *names, struct buf *text)
{
	const struct verdicts *v = in->v;
	const struct verdict_row *worst = report_worst(v);
	size_t slow = verdicts_open(v, VERDICT_REGRESSED) + verdicts_open(v, VERDICT_SUSPECT);
	size_t known = v->known[VERDICT_REGRESSED] + v->known[VERDICT_SUSPECT];
	size_t judged = judged_rows(v), vague = verdicts_open(v, VERDICT_INCONCLUSIVE);
	const char *base = in->base ? in->base : "the baseline";
	if (worst) {
		bool regressed = has_regressed(v);
		const char *word = regressed ? "REGRESSED" : "SUSPECT";
		if (slow * 2 > judged && whole_is_slow(v))
			buf_printf(text,
			           "%s: the whole cluster is slower than %s, %zu of %zu rows, "
			           "worst: ",
			           word, base, slow, v->n);
		else
			buf_printf(text, "%s: %zu of %zu row%s slower than %s, worst: ", word, slow,
			           v->n, v->n == 1 ? " is" : "s are", base);
		report_row_words(names, worst, text);
		return regressed ? DOC_BAD : DOC_WARN;
	}
	if (judged == 0) {
		buf_printf(text, "NOT COMPARED: %s",
		           v->count[VERDICT_NEW]
		                   ? "nothing of this run is in the baseline; other benchmarks, "
		                     "sizes, nodes, hardware or node count"
		                   : "there is no figure that could be");
		return DOC_WARN;
	}
	if (vague * 4 > open_rows(v)) {
		buf_printf(text,
		           "INCONCLUSIVE: nothing is visibly slower than %s, but %zu of %zu rows "
		           "are too imprecise to tell",
		           base, vague, judged);
		return DOC_WARN;
	}
	bool pass = in->code == CODE_OK && t->lost.n + t->invalid == 0;
	buf_printf(text, "%s slower than %s%s; %zu row%s compared",
	           pass ? "PASS: nothing is" : "of what can be judged nothing is", base,
	           known ? " but what is known" : "", judged, report_plural(judged));
	return pass ? DOC_GOOD : DOC_PLAIN;
}

/* "REGRESSED: 3 of 40 rows are slower than baseline night, worst: ..." */
static void put_compared(struct doc *d, const struct report_run *in, const struct report_trouble *t,
                         const struct report_names *names)
{
	const struct verdict_row *worst = report_worst(in->v);
	struct buf text = BUF_INIT;
	enum doc_tone tone = compared_words(in, t, names, &text);
	put_skipped(t, &text);
	put_detectable(in->v, &text);
	doc_text(d, tone, "%s", buf_text(&text));
	if (worst && !has_regressed(in->v))
		doc_text(d, DOC_WARN, "unconfirmed: %s",
		         *worst->note ? worst->note : "another run decides");
	put_few_runs(d, in->v);
	buf_free(&text);
}

static void put_measured(struct doc *d, const struct report_run *in, const struct report_trouble *t)
{
	struct buf text = BUF_INIT;
	if (t->good)
		buf_printf(&text, "MEASURED: %zu figure%s", t->good, report_plural(t->good));
	else if (t->told)
		buf_puts(&text, "TOLD: facts alone; there was nothing to measure");
	else
		buf_puts(&text, "NOTHING was measured");
	put_skipped(t, &text);
	if (in->past_base && report_typable(in->past_base) && in->past_code >= 0)
		buf_printf(&text,
		           "; when it was measured it was held against %s: %s (exit %d); hpcbench "
		           "report %s --baseline %s shows the rows",
		           in->past_base, report_code_word(in->past_code, true), in->past_code,
		           in->runs[in->n - 1]->run, in->past_base);
	else if (in->base)
		buf_printf(&text, "; not compared with %s", in->base);
	else if (t->good)
		buf_puts(&text, "; not compared because no baseline was named");
	doc_text(d, t->good + t->told ? DOC_PLAIN : DOC_BAD, "%s", buf_text(&text));
	buf_free(&text);
}

const char *report_code_word(int code, bool baseline)
{
	switch (code) {
	case CODE_OK: return baseline ? "pass" : "measured";
	case CODE_FINDINGS: return "findings";
	case CODE_SUSPECT: return "suspect or too imprecise";
	case CODE_NO_BASELINE: return "no matching baseline";
	case CODE_NOT_MEASURED: return "not all measured";
	case CODE_BROKEN: return "failed";
	default: return code >= 128 ? "interrupted" : "unknown";
	}
}

bool report_interconnect_below(const struct report_run *in)
{
	const struct attained_row *r = attained_of(in->attained, "cluster");
	return in->why && in->why->interconnect && r && r->below;
}

static void put_profile(struct doc *d, const struct summary *s)
{
	json_object *names = NULL;
	struct buf text = BUF_INIT;
	if (!json_object_is_type(s->fingerprint, json_type_object) ||
	    !json_object_object_get_ex(s->fingerprint, "profile", &names))
		return;
	report_values(names, &text);
	doc_text(d, DOC_PLAIN, "measured with profile %s", buf_text(&text));
	buf_free(&text);
}

static void put_told(struct doc *d, const struct report_run *in, const struct report_trouble *t,
                     const struct report_names *names)
{
	bool regressed = has_regressed(in->v);
	report_invalid_line(d, DOC_BAD, "", t);
	report_blame_head(d, in->f, in->why);
	report_causes_head(d, in->why);
	put_findings(d, in->v);
	if (!regressed)
		report_lost_line(d, "", t);
	if (in->v)
		put_compared(d, in, t, names);
	else
		put_measured(d, in, t);
	if (regressed)
		report_lost_line(d, "", t);
}

void report_head(struct doc *d, const struct report_run *in, const struct report_names *names)
{
	const struct summary *s = in->runs[in->n - 1];
	struct report_trouble t;
	report_trouble(in->runs, in->n, in->v, &t);
	if (in->code >= 128)
		doc_text(d, DOC_WARN, "STOPPED: by %s; what was measured until then is kept",
		         in->code == 128 + 2 ? "SIGINT (Ctrl-C)" : "a signal");
	else if (in->code == CODE_BROKEN)
		doc_text(d, DOC_BAD,
		         "FAILED: hpcbench or its launcher; what was measured until then is kept");
	if (in->accept) {
		report_accept_head(d, in->accept);
		report_causes_head(d, in->why);
	} else {
		put_told(d, in, &t, names);
	}
	if (in->b)
		report_baseline_note(d, in);
	report_known(d, in->acks, in->runs, in->n, in->v, in->f);
	put_profile(d, s);
	if (in->wire)
		doc_text(d, DOC_WARN, "THE WIRE: %s", in->wire);
	if (report_interconnect_below(in))
		doc_text(d, DOC_WARN, "INTERCONNECT: %s", in->why->interconnect);
	if (s->partial)
		doc_text(d, DOC_WARN, "PARTIAL: the run was interrupted or steps are missing");
	if (s->injected)
		doc_text(d, DOC_WARN,
		         "INJECTED: a slowdown was planted on purpose (--inject); these figures "
		         "are a test of hpcbench, not of the machine");
	report_trouble_free(&t);
}

/*
 * Judging and showing what files say: the parts are a baseline and summaries of runs. Whatever
 * they hold, the verdicts can be written, and every report drives no terminal.
 */
#include <math.h>

#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_shift.h"
#include "tests/fuzz/fuzz.h"

enum { RUNS_MAX = 2 };

static void check_doc(struct doc *d)
{
	static const struct doc_style style = { false, 80, false };
	struct buf out = BUF_INIT;

	for (size_t f = 0; report_formats[f]; f++) {
		buf_clear(&out);
		report_formats[f]->render(d, &style, &out);
		fuzz_check_clean(buf_text(&out), out.len, true);
	}
	buf_free(&out);
	doc_free(d);
}

static void check_verdicts(const struct verdicts *v)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;
	json_object *o = verdicts_to_json(v);

	js_write(o, JS_PLAIN, &text);
	FUZZ_CHECK(js_check(text.data, text.len, &err) == HB_OK);
	for (size_t i = 0; i < v->n; i++)
		FUZZ_CHECK(isnan(v->rows[i].p) || (v->rows[i].p >= 0 && v->rows[i].p <= 1));
	buf_free(&text);
	js_put(o);
}

static void judge(const struct baseline *b, const struct summary *const *runs, size_t n)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct report_run in = { .runs = runs, .n = n, .base = "b", .dir = "d", .past_code = -1 };
	struct report_diff diff = { .old_side = { "old", b, true, NULL, 0 } };
	struct verdicts v = { 0 };
	struct suspect suspects[4];
	struct shifts shifts;

	compare_runs(b, runs, n, &params, &v);
	compare_suspects(&v, suspects, 4);
	compare_confirm(&v, b, runs[0], &params);
	check_verdicts(&v);
	in.v = &v;
	in.code = report_run_code(runs, n, &v, true, false);
	check_doc(report_run_doc(&in));
	verdicts_free(&v);
	free(baseline_objection(b, runs[0]));
	compare_sides(b, runs, n, NULL, NULL, &params, &v);
	check_verdicts(&v);
	compare_shift(&v, &shifts);
	diff.v = &v;
	diff.shifts = &shifts;
	diff.new_side = (struct report_side){ "new", b, false, runs[0], 1 };
	check_doc(report_diff_doc(&diff));
	shifts_free(&shifts);
	verdicts_free(&v);
}

static bool read_run(struct fuzz_part part, struct summary *s)
{
	struct hb_err err = { HB_OK, "" };
	json_object *o = fuzz_object(part.text, part.len);
	bool ok = o && fuzz_ok(summary_from_json(o, "input", s, &err), &err);

	js_put(o);
	return ok;
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part part = fuzz_next_part(&data, &size);
	json_object *o = fuzz_object(part.text, part.len);
	const struct summary *runs[RUNS_MAX];
	struct summary s[RUNS_MAX];
	struct hb_err err = { HB_OK, "" };
	struct baseline b = { 0 };
	size_t n = 0;

	if (o && fuzz_ok(baseline_from_json(o, "input", &b, &err), &err)) {
		while (n < RUNS_MAX && read_run(fuzz_next_part(&data, &size), &s[n])) {
			runs[n] = &s[n];
			n++;
		}
		check_doc(report_baseline_doc(&b));
		if (n > 0)
			judge(&b, runs, n);
		if (n > 0 && fuzz_ok(baseline_extend(&b, runs, n, &err), &err))
			js_put(baseline_to_json(&b));
		while (n > 0)
			summary_free(&s[--n]);
		baseline_free(&b);
	}
	js_put(o);
}

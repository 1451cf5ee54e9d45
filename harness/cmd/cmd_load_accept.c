/* The decisions of a stored run with new nodes, made again from what it holds. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_load.h"
#include "harness/collect/collect.h"
#include "harness/judge/compare.h"

static int read_plan(const char *dir, struct run_accept *out)
{
	char *path = hb_format("%s/plan.json", dir);
	json_object *o = NULL;
	int rc = js_read_file(path, JS_FILE_MAX, &o, NULL);

	if (rc == HB_OK)
		rc = plan_from_json(o, path, &out->suite, &out->plan, NULL);
	out->has_plan = rc == HB_OK;
	js_put(o);
	free(path);
	return rc;
}

/* The baseline that the run was held against, where nobody names one now. */
static void past_verdicts(const struct store *s, const char *dir, struct run_accept *out)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	const struct summary *one = &out->summary;
	struct run_about about;
	bool missing;

	load_about(dir, &about);
	if (about.baseline) {
		out->has_base = load_baseline(s, about.baseline, &out->base, &missing, NULL) ==
		                HB_OK;
		if (!out->has_base)
			out->note = hb_format("when it was measured it was held against %s, which "
			                      "is not there now",
			                      about.baseline);
	}
	if (out->has_base) {
		compare_runs(&out->base, &one, 1, &params, &out->verdicts);
		compare_confirm(&out->verdicts, &out->base, &out->summary, &params);
	}
	load_about_free(&about);
}

bool load_accept(const struct store *s, const char *dir, const struct load_accept_with *with,
                 struct run_accept *out)
{
	const struct verdicts *v = with->v;
	const struct baseline *b = with->b;

	*out = (struct run_accept){ 0 };
	if (read_plan(dir, out) != HB_OK || !accept_wanted(&out->plan))
		return false;
	if (collect_run_sheets(dir, &out->summary, &out->sheets, NULL, NULL) != HB_OK)
		return false;
	out->has_summary = true;
	if (!v) {
		past_verdicts(s, dir, out);
		v = out->has_base ? &out->verdicts : NULL;
		b = out->has_base ? &out->base : NULL;
	}
	findings_make(&out->sheets, b, &out->findings);
	if (with->acks) {
		acks_mark(with->acks, &out->summary, 1,
		          v == &out->verdicts ? &out->verdicts : NULL);
		acks_mark_findings(with->acks, &out->summary, 1, &out->findings);
	}
	const struct accept_input in = { .plan = &out->plan,
		                         .s = &out->summary,
		                         .v = v,
		                         .sheets = out->sheets.n ? &out->sheets : NULL,
		                         .findings = out->sheets.n ? &out->findings : NULL };
	accept_decide(&in, &out->acceptance);
	if (out->note)
		accept_tell(&out->acceptance, out->note);
	out->note = NULL;
	out->decided = true;
	return true;
}

void load_accept_free(struct run_accept *a)
{
	accept_free(&a->acceptance);
	findings_free(&a->findings);
	sheets_free(&a->sheets);
	verdicts_free(&a->verdicts);
	if (a->has_summary)
		summary_free(&a->summary);
	if (a->has_base)
		baseline_free(&a->base);
	if (a->has_plan) {
		plan_free(&a->plan);
		suite_free(&a->suite);
	}
	free(a->note);
	*a = (struct run_accept){ 0 };
}

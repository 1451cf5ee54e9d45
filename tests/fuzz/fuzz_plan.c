/* plan.json: what is taken is written so that it reads back equal, and every job can be named. */
#include "harness/plan/plan.h"
#include "tests/fuzz/fuzz.h"

enum { JOBS_NAMED = 64 };

static void name_jobs(const struct plan *p)
{
	struct buf text = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++) {
		for (size_t j = 0; j < p->steps[i].n_jobs && n < JOBS_NAMED; j++, n++) {
			plan_job_subject(p, &p->steps[i], &p->steps[i].jobs[j], &text);
			plan_job_nodes(p, &p->steps[i], &p->steps[i].jobs[j], &text);
			FUZZ_CHECK(text.len > 0);
			buf_clear(&text);
		}
	}
	buf_free(&text);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct suite s = { 0 }, s_again = { 0 };
	struct plan p = { 0 }, again = { 0 };
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(plan_from_json(o, "input", &s, &p, &err), &err)) {
		name_jobs(&p);
		written = plan_to_json(&p);
		if (plan_from_json(written, "written", &s_again, &again, &err) != HB_OK)
			fuzz_broken("plan", 0, err.text);
		fuzz_check_same(plan_to_json(&again), written);
		plan_free(&again);
		suite_free(&s_again);
		plan_free(&p);
		suite_free(&s);
	}
	js_put(o);
}

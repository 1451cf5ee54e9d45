/* plan.json: what is taken is written so that it reads back equal, and every job can be named. */
#include <string.h>

#include "harness/plan/plan_read.h"
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

/* What is read straight from the text is what is read from its objects, and nothing else is. */
static void check_scan(const char *data, size_t size, bool good, const struct plan *whole)
{
	struct suite suite = { 0 };
	struct plan plan = { 0 };
	struct buf text = BUF_INIT;

	buf_add(&text, data, size);
	if (plan_scan(&text, "input", &suite, &plan) == HB_OK) {
		FUZZ_CHECK(good);
		if (whole)
			fuzz_check_same(plan_to_json(whole), plan_to_json(&plan));
		plan_free(&plan);
		suite_free(&suite);
	}
	buf_free(&text);
}

/* What is written is taken straight from its text. */
static void check_written(const struct plan *p, json_object *as)
{
	struct suite suite = { 0 };
	struct plan again = { 0 };
	struct buf text = BUF_INIT;
	bool plain = true;

	plan_write(p, &text);
	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t k = 0; k < p->steps[i].n_jobs; k++)
			plain = plain && !p->steps[i].jobs[k].subject;
	plain = plain && p->n_steps > 0 && p->steps[0].n_jobs > 0 &&
	        !strstr(buf_text(&text), "\\u");
	int rc = plan_scan(&text, "written", &suite, &again);
	FUZZ_CHECK(rc == HB_OK || !plain);
	if (rc == HB_OK) {
		fuzz_check_same(plan_to_json(&again), json_object_get(as));
		plan_free(&again);
		suite_free(&suite);
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
		check_scan(data, size, true, &p);
		written = plan_to_json(&p);
		check_written(&p, written);
		if (plan_from_json(written, "written", &s_again, &again, &err) != HB_OK)
			fuzz_broken("plan", 0, err.text);
		fuzz_check_same(plan_to_json(&again), written);
		plan_free(&again);
		suite_free(&s_again);
		plan_free(&p);
		suite_free(&s);
	} else {
		check_scan(data, size, false, NULL);
	}
	js_put(o);
}

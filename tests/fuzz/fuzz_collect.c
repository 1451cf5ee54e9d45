/*
 * A run directory: records.jsonl, run.json and, if it is not empty, plan.json are the parts of the
 * input. A summary that can be made can be written, read back and shown.
 */
#include "harness/collect/collect.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

/* The plan of a step of four nodes, unless the input brings its own. */
static void put_plan(struct fuzz_part own)
{
	struct buf text = BUF_INIT;
	struct fuzz_step s;
	json_object *o;

	if (own.len) {
		fuzz_put_file("plan.json", own.text, own.len);
		return;
	}
	fuzz_step_open(&s);
	o = plan_to_json(&s.plan);
	js_write(o, JS_PLAIN, &text);
	fuzz_put_file("plan.json", text.data, text.len);
	js_put(o);
	buf_free(&text);
	fuzz_step_close(&s);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part records = fuzz_next_part(&data, &size),
	                 about = fuzz_next_part(&data, &size), plan = fuzz_next_part(&data, &size);
	struct hb_err err = { HB_OK, "" };
	struct summary s, again;
	json_object *written;

	put_plan(plan);
	fuzz_put_file("records.jsonl", records.text, records.len);
	fuzz_put_file("run.json", about.text, about.len);
	if (!fuzz_ok(collect_run(fuzz_folder(), &s, &err), &err))
		return;
	written = summary_to_json(&s);
	if (summary_from_json(written, "written", &again, &err) != HB_OK)
		fuzz_broken("collect", 0, err.text);
	fuzz_check_same(summary_to_json(&again), written);
	summary_free(&again);
	summary_free(&s);
}

/*
 * A run directory: records.jsonl, run.json and, if it is not empty, plan.json are the parts of the
 * input. A summary that was made can be written and read back.
 */
#include "harness/collect/collect.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

static void check_summary(struct summary *s)
{
	struct hb_err err = { HB_OK, "" };
	json_object *written = summary_to_json(s);
	struct summary again;

	if (summary_from_json(written, "written", &again, &err) != HB_OK)
		fuzz_broken("collect", 0, err.text);
	fuzz_check_same(summary_to_json(&again), written);
	summary_free(&again);
	summary_free(s);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part records = fuzz_next_part(&data, &size),
	                 about = fuzz_next_part(&data, &size), plan = fuzz_next_part(&data, &size);
	struct hb_err err = { HB_OK, "" };
	struct nodeset without = { 0 };
	struct summary s;

	if (plan.len)
		fuzz_put_file("plan.json", plan.text, plan.len);
	else
		fuzz_step_put_plan("plan.json");
	fuzz_put_file("records.jsonl", records.text, records.len);
	fuzz_put_file("run.json", about.text, about.len);
	FUZZ_CHECK(nodeset_parse("n2", &without, &err) == HB_OK);
	if (fuzz_ok(collect_run(fuzz_folder(), &s, &err), &err))
		check_summary(&s);
	if (fuzz_ok(collect_run_without(fuzz_folder(), &without, &s, &err), &err))
		check_summary(&s);
	nodeset_free(&without);
}

/*
 * What --resume reads of an earlier run: journal.jsonl, records.jsonl and run.json are the parts of
 * the input, plan.json that of four nodes. What counts as done are units of the plan.
 */
#include "harness/measure/measure_parts.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

/* A readable run.json where the input has none, so that the rest is read too. */
static void put_about(struct fuzz_part part)
{
	static const char plain[] = "{\"launcher\":\"local\"}";

	if (part.len)
		fuzz_put_file("run.json", part.text, part.len);
	else
		fuzz_put_file("run.json", plain, sizeof(plain) - 1);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part journal = fuzz_next_part(&data, &size),
	                 records = fuzz_next_part(&data, &size);
	struct hb_err err = { HB_OK, "" };
	struct measure m = { .site = { .resume = true } };

	/* No program of a launcher is to be found. */
	setenv("PATH", "/nowhere", 1);
	fuzz_step_put_plan("plan.json");
	fuzz_put_file("journal.jsonl", journal.text, journal.len);
	fuzz_put_file("records.jsonl", records.text, records.len);
	put_about(fuzz_next_part(&data, &size));
	m.dir = fuzz_text(fuzz_folder(), strlen(fuzz_folder()));
	if (fuzz_ok(measure_resume(&m, &err), &err)) {
		for (size_t i = 0; i < m.plan.n_steps; i++)
			measure_step_done(&m, i);
		measure_nothing_left(&m);
	}
	measure_free(&m);
}

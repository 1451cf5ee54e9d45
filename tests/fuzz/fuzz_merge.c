/*
 * Two runs as one: run.json and records.jsonl of each are the parts of the input, both have the
 * plan of four nodes. A summary that was made can be written and read back.
 */
#include <errno.h>
#include <sys/stat.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

static char *put_run(const char *name, struct fuzz_part about, struct fuzz_part records)
{
	static const char *const files[] = { "plan.json", "run.json", "records.jsonl" };
	char *dir = hb_format("%s/%s", fuzz_folder(), name), *file[3];

	FUZZ_CHECK(mkdir(dir, 0700) == 0 || errno == EEXIST);
	for (int i = 0; i < 3; i++)
		file[i] = hb_format("%s/%s", name, files[i]);
	fuzz_step_put_plan(file[0]);
	fuzz_put_file(file[1], about.text, about.len);
	fuzz_put_file(file[2], records.text, records.len);
	for (int i = 0; i < 3; i++)
		free(file[i]);
	return dir;
}

static void check_summary(struct summary *s)
{
	struct hb_err err = { HB_OK, "" };
	struct summary again;
	json_object *written;

	/* These are told, and never in files. */
	s->merged = 0;
	js_put(s->notes);
	s->notes = NULL;
	written = summary_to_json(s);
	if (summary_from_json(written, "written", &again, &err) != HB_OK)
		fuzz_broken("merge", 0, err.text);
	fuzz_check_same(summary_to_json(&again), written);
	summary_free(&again);
	summary_free(s);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part part[4];
	struct hb_err err = { HB_OK, "" };
	struct nodeset without = { 0 };
	struct summary s;
	char *dirs[2];

	for (int i = 0; i < 4; i++)
		part[i] = fuzz_next_part(&data, &size);
	dirs[0] = put_run("one", part[0], part[1]);
	dirs[1] = put_run("two", part[2], part[3]);
	FUZZ_CHECK(nodeset_parse("n2", &without, &err) == HB_OK);
	if (fuzz_ok(collect_runs((const char *const *)dirs, 2, NULL, &s, &err), &err))
		check_summary(&s);
	if (fuzz_ok(collect_runs((const char *const *)dirs, 2, &without, &s, &err), &err))
		check_summary(&s);
	nodeset_free(&without);
	free(dirs[0]);
	free(dirs[1]);
}

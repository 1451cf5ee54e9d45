/* Who is to blame in a stored run, for the commands that show and judge it. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_load.h"
#include "harness/collect/collect.h"

static bool has_file(const char *dir, const char *name)
{
	char *path = hb_format("%s/%s", dir, name);
	bool has = access(path, R_OK) == 0;

	free(path);
	return has;
}

/* The summary is there already: of what is collected again only the sheets are wanted. */
static bool from_records(const char *dir, const struct baseline *b, struct run_blame *out)
{
	struct summary again;

	if (!has_file(dir, "plan.json") || !has_file(dir, "records.jsonl"))
		return false;
	if (collect_run_sheets(dir, &again, &out->sheets, &out->own, NULL) != HB_OK) {
		sheets_free(&out->sheets);
		return false;
	}
	out->told = &out->own;
	summary_free(&again);
	findings_make(&out->sheets, b, &out->f);
	return true;
}

/* A run that was held against a baseline which nobody names now: what it said then. */
static bool as_it_was(const char *dir, struct run_blame *out)
{
	struct run_about about;

	load_about(dir, &about);
	bool had = about.baseline != NULL;
	load_about_free(&about);
	if (!had || findings_read(dir, &out->f, NULL) != HB_OK)
		return false;
	out->stored = true;
	if (has_file(dir, "facts.json") && facts_read(dir, &out->own.facts, NULL) == HB_OK)
		out->told = &out->own;
	return true;
}

void load_blame(const struct run_list *runs, size_t i, const struct baseline *b, struct acks *acks,
                struct run_blame *out)
{
	size_t first = runs->n - runs->n_merged;

	*out = (struct run_blame){ .known = true };
	if (i >= first) {
		findings_make(&runs->merged[i - first], b, &out->f);
		out->told = &runs->told[i - first];
	} else if ((b || !as_it_was(runs->dirs[i], out)) && !from_records(runs->dirs[i], b, out)) {
		out->known = findings_read(runs->dirs[i], &out->f, NULL) == HB_OK;
		out->stored = out->known;
	}
	if (acks)
		acks_mark_findings(acks, runs->v, runs->n, &out->f);
}

void load_blame_free(struct run_blame *blame)
{
	findings_free(&blame->f);
	sheets_free(&blame->sheets);
	run_told_free(&blame->own);
	blame->told = NULL;
	blame->known = false;
}

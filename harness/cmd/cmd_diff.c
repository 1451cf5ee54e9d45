/* `hpcbench diff`: two sides, each runs or a baseline, and whether anything really changed. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare_shift.h"

enum { STORED_MAX = 50 };

struct diff_opts {
	char *baseline;
	int all;
};

#define AT(field) offsetof(struct diff_opts, field)
static const struct opt diff_opts[] = {
	{ OPT_STRING, 0, "baseline", "NAME|FILE", "take the spread between runs from this baseline",
	  NULL, AT(baseline), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "all", NULL, "show every row, also those that did not change", NULL, AT(all),
	  0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* A side as loaded. */
struct side {
	const char *name;
	bool is_baseline;
	struct run_list runs; /* of a baseline: made from it, where they are needed */
	struct baseline b;
};

static void add_row(struct summary *to, const struct base_entry *e, const char *subject, double y)
{
	struct summary_row *r = summary_add_row(to, false);
	key_copy(&e->key, &r->key);
	r->subject = hb_strdup(subject);
	r->kind = e->kind;
	r->unit = e->unit;
	r->higher_is_better = e->higher_is_better;
	r->judged = true;
	r->floor = e->floor;
	r->tolerance = e->tolerance;
	r->value = exp(e->higher_is_better ? y : -y);
}

/* The runs a baseline was made from, as far as it still knows them. */
static void runs_of_baseline(struct side *side)
{
	const struct baseline *b = &side->b;
	struct run_list *out = &side->runs;
	out->v = hb_alloc((b->n_runs + 1) * sizeof *out->v);
	out->dirs = hb_alloc((b->n_runs + 1) * sizeof *out->dirs);
	out->ptrs = hb_alloc((b->n_runs + 1) * sizeof(const struct summary *));
	for (size_t i = 0; i < b->n_runs; i++) {
		struct summary *s = &out->v[i];
		summary_init(s);
		s->run = hb_strdup(b->runs[i]);
		js_put(s->fingerprint);
		js_put(s->hw);
		s->fingerprint = json_object_get(b->fingerprint);
		s->hw = json_object_get(b->hw);
		out->ptrs[out->n++] = s;
	}
	for (size_t e = 0; e < b->n_entries; e++) {
		const struct base_entry *entry = &b->entries[e];
		for (size_t i = 0; i < entry->n_series * b->n_runs; i++) {
			const struct base_series *series = &entry->series[i / b->n_runs];
			size_t at = i % b->n_runs;
			if (isfinite(series->y[at]))
				add_row(&out->v[at], entry, series->subject, series->y[at]);
		}
	}
}

/* Loads a side; on failure prints, and *code says how to end. */
static bool side_load(const struct store *s, const char *name, bool as_new, struct side *out,
                      int *code)
{
	struct hb_err err = { 0 };
	bool missing = false;
	*out = (struct side){ .name = name, .is_baseline = load_is_baseline(s, name) };
	if (out->is_baseline) {
		if (load_baseline(s, name, &out->b, &missing, &err) != HB_OK) {
			*code = missing ? cmd_error_text("diff", CODE_NO_BASELINE, "%s", err.text)
			                : cmd_error("diff", &err);
			return false;
		}
		if (as_new)
			runs_of_baseline(out);
		return true;
	}
	if (load_runs(s, name, &out->runs, &err) != HB_OK) {
		*code = cmd_error("diff", &err);
		return false;
	}
	baseline_build(out->runs.ptrs, out->runs.n, &out->b);
	return true;
}

static void side_free(struct side *side)
{
	baseline_free(&side->b);
	load_runs_free(&side->runs);
}

/* Ids of the runs on both sides: the store's other runs give the spread. */
static size_t stored_spread(const struct store *s, const struct side *a, const struct side *b,
                            struct baseline *out)
{
	size_t n = 0;
	const char **known = hb_alloc((a->b.n_runs + b->b.n_runs + 1) * sizeof *known);
	for (size_t i = 0; i < a->b.n_runs; i++)
		known[n++] = a->b.runs[i];
	for (size_t i = 0; i < b->b.n_runs; i++)
		known[n++] = b->b.runs[i];
	size_t found = load_stored(s, known, n, STORED_MAX, out);
	free(known);
	return found;
}

static int diff_sides(const struct common *common, const struct diff_opts *o, const struct store *s,
                      const struct side *a, const struct side *b, const struct baseline *reference)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct verdicts v = { 0 };
	struct baseline stored = { 0 };
	size_t n_stored = reference ? 0 : stored_spread(s, a, b, &stored);
	compare_sides(&a->b, b->runs.ptrs, b->runs.n, reference, n_stored ? &stored : NULL, &params,
	              &v);
	for (size_t i = 0; i < b->runs.n; i++) /* what a confirming rerun of the run said counts */
		if (b->runs.v[i].n_confirm)
			compare_confirm(&v, &a->b, &b->runs.v[i], &params);
	struct acks acks;
	acks_load(s->path, time(NULL), &acks);
	acks_mark(&acks, b->runs.v, b->runs.n, &v);
	struct shifts shifts;
	compare_shift(&v, &shifts);
	struct report_diff in = {
		.v = &v,
		.shifts = &shifts,
		.old_side = { a->name, &a->b, a->is_baseline, a->runs.v, a->runs.n },
		.new_side = { b->name, &b->b, b->is_baseline, b->runs.v, b->runs.n },
		.reference = o->baseline,
		.stored = n_stored,
		.all = o->all,
		.code = report_run_code(b->runs.ptrs, b->runs.n, &v, false, false),
		.acks = &acks,
	};
	struct doc *d = report_diff_doc(&in);
	js_set_i64(d->data, "code", in.code);
	cmd_print(common, d);
	doc_free(d);
	shifts_free(&shifts);
	verdicts_free(&v);
	acks_free(&acks);
	baseline_free(&stored);
	return in.code;
}

static int diff(const struct common *common, const struct diff_opts *o, const struct store *s,
                const char **names)
{
	struct hb_err err = { 0 };
	struct side a = { 0 }, b = { 0 };
	struct baseline reference = { 0 };
	bool missing = false;
	int code = CODE_OK;
	if (o->baseline && load_baseline(s, o->baseline, &reference, &missing, &err) != HB_OK)
		code = missing ? cmd_error_text("diff", CODE_NO_BASELINE, "%s", err.text)
		               : cmd_error("diff", &err);
	else if (side_load(s, names[0], false, &a, &code) &&
	         side_load(s, names[1], true, &b, &code))
		code = diff_sides(common, o, s, &a, &b, o->baseline ? &reference : NULL);
	side_free(&a);
	side_free(&b);
	baseline_free(&reference);
	return code;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct hb_err err = { 0 };
	struct store s;
	if (argc != 2)
		return cmd_error_text("diff", CODE_USAGE,
		                      "needs OLD and NEW, not %d name%s; as in hpcbench diff "
		                      "latest~1 latest",
		                      argc, argc == 1 ? "" : "s");
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("diff", &err);
	int code = diff(common, opts, &s, argv);
	store_close(&s);
	return code;
}

const struct command cmd_diff = {
	.name = "diff",
	.usage = "OLD NEW [options]",
	.summary = "compare two runs, or lists of runs, or baselines",
	.text = "A side is a run (an id, the beginning of one, a folder, latest, latest~N), a "
	        "comma "
	        "list of runs, which are replicates, or a baseline's name or file. The spread that "
	        "a difference is held against comes from the sides' own runs, else from "
	        "--baseline, else from the newest 50 other runs in the store, else from like "
	        "subjects, else from a stated default; what only a borrowed spread supports is "
	        "suspect. Where at least 4 nodes are on both sides, the shift of the whole (the "
	        "median "
	        "over nodes) is told apart from the nodes that moved against the rest, which are "
	        "tested where there are at least 8. Exit codes are those of hpcbench check.",
	.opts = diff_opts,
	.opts_size = sizeof(struct diff_opts),
	.run = run,
};

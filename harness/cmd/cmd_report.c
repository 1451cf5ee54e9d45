/* `hpcbench report`: what a stored run measured, and what a baseline says about it. */
#include "harness/cmd/cmd_report.h"

#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/judge/compare.h"
#include "harness/report/report_probe.h"

struct report_opts {
	char *baseline, *format, *merge, *rules;
};

#define AT(field) offsetof(struct report_opts, field)
static const struct opt report_opts[] = {
	{ OPT_STRING, 0, "baseline", "NAME|FILE", "compare with this baseline", NULL, AT(baseline),
	  0, 0, NULL, 0 },
	{ OPT_STRING, 0, "format", "FORMAT", "one of hpcbench list formats (text)", NULL,
	  AT(format), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "merge", "RUNS",
	  "several runs as one: RUN,RUN,... or label:TEXT or array:JOBID", NULL, AT(merge), 0, 0,
	  NULL, 0 },
	{ OPT_STRING, 0, "rules", "PATH", "rules of this site: a file, or a folder of *.json", NULL,
	  AT(rules), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

static int unknown_format(const char *name)
{
	struct buf known = BUF_INIT;
	for (size_t i = 0; report_formats[i]; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", report_formats[i]->name);
	int code = cmd_error_text("report", CODE_USAGE, "no format \"%s\"; there are %s", name,
	                          buf_text(&known));
	buf_free(&known);
	return code;
}

/* What a run is held against; all but acks NULL: nothing. */
struct report_against {
	const char *name;
	const struct verdicts *v;
	const struct baseline *b;
	struct acks *acks;
	const struct diagnose_data *causes;
};

/* As `probe` printed it, against the baseline that it was held against where none is named. */
static void print_probe(const struct common *common, const struct report_opts *o,
                        const struct store *s, const struct run_list *runs,
                        const struct report_against *against, const struct run_blame *blame,
                        const struct run_diagnosis *why)
{
	struct baseline past = { 0 };
	struct facts base = { 0 };
	struct run_about about;
	bool missing, known = false;
	const struct baseline *b = against->b;
	const struct facts *told = &blame->told->facts;

	load_about(runs->dirs[0], &about);
	if (!b && about.baseline &&
	    load_baseline(s, about.baseline, &past, &missing, NULL) == HB_OK)
		b = &past;
	if (b && b->facts)
		known = facts_from_json(b->facts, b->name ? b->name : "baseline", &base, NULL) ==
		        HB_OK;
	struct report_probe in = { .s = &runs->v[0],
		                   .facts = told,
		                   .base = known ? &base : NULL,
		                   .base_name = !b              ? NULL
		                                : against->name ? against->name
		                                                : about.baseline,
		                   .why = run_diagnosis_of(why),
		                   .dir = runs->dirs[0],
		                   .code = report_probe_code(&runs->v[0], told) };
	if (why->known)
		in.code = code_worse(in.code, diagnosis_code(&why->d));
	struct doc *d = report_probe_doc(&in);

	cmd_print_as(common, d, o->format);
	doc_free(d);
	load_about_free(&about);
	facts_free(&base);
	baseline_free(&past);
}

static void print_run(const struct common *common, const struct report_opts *o,
                      const struct store *s, const struct run_list *runs,
                      const struct report_against *against)
{
	const struct verdicts *v = against->v;
	const struct baseline *b = against->b;
	struct acks *acks = against->acks;
	const char *base = against->name;
	struct run_accept accept = { 0 };
	struct run_blame blame;
	struct run_about about;
	load_blame(runs, 0, b, acks, &blame);
	load_about(runs->dirs[0], &about);
	const struct diagnose_input with_causes = {
		.base = b, .summary = &runs->v[0], .verdicts = v, .acks = acks
	};
	struct run_diagnosis why;
	load_diagnosis(against->causes, runs->dirs[0], &blame, &with_causes, &why);
	if (!o->merge && blame.told && report_is_probe(&runs->v[0], &blame.told->facts)) {
		print_probe(common, o, s, runs, against, &blame, &why);
		run_diagnosis_free(&why);
		load_blame_free(&blame);
		load_about_free(&about);
		return;
	}
	if (!o->merge) {
		const struct load_accept_with with = { v, b, acks };
		load_accept(s, runs->dirs[0], &with, &accept);
	}
	struct report_run in = { .runs = runs->ptrs,
		                 .n = 1,
		                 .v = v,
		                 .base = base,
		                 .dir = o->merge ? NULL : runs->dirs[0],
		                 .code = code_worse(
		                         report_run_code(runs->ptrs, 1, v, v != NULL, false),
		                         findings_code(&blame.f)),
		                 .past_base = o->merge ? NULL : about.baseline,
		                 .past_code = o->merge ? -1 : about.code,
		                 .launcher = about.launcher,
		                 .acks = acks,
		                 .b = b,
		                 .f = blame.known ? &blame.f : NULL,
		                 .why = run_diagnosis_of(&why),
		                 .attained = &why.attained,
		                 .wire = why.wire,
		                 .accept = accept.decided ? &accept.acceptance : NULL };
	if (accept.decided)
		in.code = accept_code(&accept.acceptance);
	if (why.known)
		in.code = code_worse(in.code, diagnosis_code(&why.d));
	struct doc *d = report_run_doc(&in);
	cmd_print_as(common, d, o->format);
	doc_free(d);
	run_diagnosis_free(&why);
	load_accept_free(&accept);
	load_blame_free(&blame);
	load_about_free(&about);
}

/* Judges what was loaded against base (NULL: not) and prints it. */
static int judge_and_print(const struct common *common, const struct report_opts *o,
                           const struct store *s, const struct run_list *runs, const char *base)
{
	struct hb_err err = { 0 };
	struct baseline b = { 0 };
	struct verdicts v = { 0 };
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	bool missing = false;
	struct diagnose_data causes = { 0 };
	int code = load_causes("report", common, o->rules, &causes);
	if (code == CODE_OK && base && load_baseline(s, base, &b, &missing, &err) != HB_OK)
		code = missing ? cmd_error_text("report", CODE_NO_BASELINE, "%s", err.text)
		               : cmd_error("report", &err);
	if (code == CODE_OK) {
		if (base) {
			compare_runs(&b, runs->ptrs, 1, &params, &v);
			if (runs->v[0].n_confirm)
				compare_confirm(&v, &b, &runs->v[0], &params);
		}
		struct acks acks;
		acks_load(s->path, time(NULL), &acks);
		acks_mark(&acks, runs->v, runs->n, base ? &v : NULL);
		const struct report_against against = { base, base ? &v : NULL, base ? &b : NULL,
			                                &acks, &causes };
		print_run(common, o, s, runs, &against);
		verdicts_free(&v);
		acks_free(&acks);
	}
	baseline_free(&b);
	diagnose_data_free(&causes);
	return code;
}

static int report_run(const struct common *common, const struct report_opts *o,
                      const struct store *s, const char *name)
{
	struct hb_err err = { 0 };
	struct run_list runs = { 0 };
	char *base = NULL;
	if (!o->merge && strchr(name, ','))
		return cmd_error_text("report", CODE_USAGE,
		                      "shows one run, not a list; hpcbench check and diff take "
		                      "lists, --merge joins the shards of one");
	int rc = o->merge ? load_merged(s, o->merge, NULL, &runs, &base, &err)
	                  : load_runs(s, name, &runs, &err);
	int code = rc == HB_OK
	                   ? judge_and_print(common, o, s, &runs, o->baseline ? o->baseline : base)
	                   : cmd_error("report", &err);
	free(base);
	load_runs_free(&runs);
	return code;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct report_opts *o = opts;
	struct hb_err err = { 0 };
	struct store s;
	if (o->merge && argc > 0)
		return cmd_error_text("report", CODE_USAGE,
		                      "with --merge no RUN stands beside it, not \"%s\"", argv[0]);
	if (!o->merge && argc != 1)
		return cmd_error_text("report", CODE_USAGE,
		                      "needs one RUN, not %d; as in hpcbench report latest", argc);
	if (o->format && !report_find(o->format))
		return unknown_format(o->format);
	if (o->format && common->json && strcmp(o->format, "json") != 0)
		return cmd_error_text("report", CODE_USAGE,
		                      "--json and --format %s contradict each other; give one",
		                      o->format);
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("report", &err);
	int code = report_run(common, o, &s, argc ? argv[0] : NULL);
	store_close(&s);
	return code;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "RUN|--merge RUNS [options]",
	.summary = "show what a run measured",
	.text = "RUN is an id, the beginning of one, a run's folder, latest or latest~N. Prints "
	        "the verdict first if a baseline is named, then what is slow, what was not "
	        "measured and why, and the figures. The exit code tells only whether it could be "
	        "printed; hpcbench check judges. With --merge several runs, the shards of a job "
	        "array, are shown as if they had been one; they are judged against the baseline "
	        "that all of them were, unless another is named.",
	.opts = report_opts,
	.opts_size = sizeof(struct report_opts),
	.run = run,
};

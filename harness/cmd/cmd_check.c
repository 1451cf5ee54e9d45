/* `hpcbench check`: does a stored run hold against a baseline? The answer is the exit code. */
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare.h"

struct check_opts {
	char *baseline, *merge, *rules;
};

static const struct opt check_opts[] = {
	{ OPT_STRING, 0, "baseline", "NAME|FILE", "the baseline to hold the run against", NULL,
	  offsetof(struct check_opts, baseline), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "merge", "RUNS",
	  "several runs as one: RUN,RUN,... or label:TEXT or array:JOBID", NULL,
	  offsetof(struct check_opts, merge), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "rules", "PATH", "rules of this site: a file, or a folder of *.json", NULL,
	  offsetof(struct check_opts, rules), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* Prints and returns the exit code. */
static int check_runs(const struct common *common, const struct store *s,
                      const struct run_list *runs, const struct baseline *b,
                      const struct check_opts *o)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	const char *dir = runs->dirs[runs->n - 1];
	struct verdicts v = { 0 };
	struct acks acks;
	struct run_about about;
	compare_runs(b, runs->ptrs, runs->n, &params, &v);
	for (size_t i = 0; i < runs->n; i++)
		if (runs->v[i].n_confirm)
			compare_confirm(&v, b, &runs->v[i], &params);
	acks_load(s->path, time(NULL), &acks);
	acks_mark(&acks, runs->v, runs->n, &v);
	struct run_blame blame; /* of the newest: what it shows is what is there now */
	load_blame(runs, runs->n - 1, b, &acks, &blame);
	load_about(dir, &about);
	struct diagnose_data causes;
	struct run_diagnosis why = { 0 };
	const struct diagnose_input with = {
		.base = b, .summary = &runs->v[runs->n - 1], .verdicts = &v, .acks = &acks
	};
	int code = load_causes("check", common, o->rules, &causes);
	if (code == CODE_OK)
		load_diagnosis(&causes, dir, &blame, &with, &why);
	struct report_run in = { .runs = runs->ptrs,
		                 .n = runs->n,
		                 .v = &v,
		                 .base = o->baseline,
		                 .dir = runs->v[runs->n - 1].merged ? NULL : dir,
		                 .code = code_worse(
		                         report_run_code(runs->ptrs, runs->n, &v, true, false),
		                         findings_code(&blame.f)),
		                 .launcher = about.launcher,
		                 .acks = &acks,
		                 .b = b,
		                 .f = blame.known ? &blame.f : NULL,
		                 .why = run_diagnosis_of(&why),
		                 .attained = &why.attained,
		                 .wire = why.wire };
	if (why.known)
		in.code = code_worse(in.code, diagnosis_code(&why.d));
	struct doc *d = code == CODE_OK ? report_run_doc(&in) : NULL;
	if (d)
		cmd_print(common, d);
	doc_free(d);
	run_diagnosis_free(&why);
	diagnose_data_free(&causes);
	load_blame_free(&blame);
	load_about_free(&about);
	verdicts_free(&v);
	acks_free(&acks);
	return code == CODE_OK ? in.code : code;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct check_opts *o = opts;
	struct hb_err err = { 0 };
	struct store s;
	struct run_list runs = { 0 };
	struct baseline b = { 0 };
	bool missing = false;
	if (o->merge && argc > 0)
		return cmd_error_text("check", CODE_USAGE,
		                      "with --merge no RUN stands beside it, not \"%s\"", argv[0]);
	if (!o->merge && argc != 1)
		return cmd_error_text("check", CODE_USAGE,
		                      "needs one RUN, not %d; as in hpcbench check latest "
		                      "--baseline NAME",
		                      argc);
	if (!o->baseline)
		return cmd_error_text("check", CODE_USAGE,
		                      "needs --baseline NAME; hpcbench baseline list shows which "
		                      "there are");
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("check", &err);
	int rc = o->merge ? load_merged(&s, o->merge, NULL, &runs, NULL, &err)
	                  : load_runs(&s, argv[0], &runs, &err);
	if (rc != HB_OK) {
		load_runs_free(&runs);
		store_close(&s);
		return cmd_error("check", &err);
	}
	rc = load_baseline(&s, o->baseline, &b, &missing, &err);
	int code;
	if (rc == HB_OK)
		code = check_runs(common, &s, &runs, &b, o);
	else
		code = cmd_error_text("check", CODE_NO_BASELINE, "%s", err.text);
	baseline_free(&b);
	load_runs_free(&runs);
	store_close(&s);
	return code;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "RUN[,RUN...]|--merge RUNS --baseline NAME|FILE",
	.summary = "judge a run against a baseline; the exit code is the answer",
	.text = "Never measures. Several runs are replicates: they confirm each other; with "
	        "--merge they are the parts of one. Exits 0 if nothing is slower, 10 on findings, "
	        "11 if something is suspect or too much is too "
	        "imprecise to tell, 12 without a matching baseline, 13 if something was not "
	        "measured.",
	.opts = check_opts,
	.opts_size = sizeof(struct check_opts),
	.run = run,
};

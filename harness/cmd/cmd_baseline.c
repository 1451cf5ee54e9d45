/* `hpcbench baseline`: record one from chosen runs, show one, list them. */
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare.h"
#include "harness/report/report_parts.h"

struct baseline_opts {
	char *reason;
	struct opt_strings merge;
	int force, extend;
};

#define AT(field) offsetof(struct baseline_opts, field)
static const struct opt baseline_opts[] = {
	{ OPT_STRING, 0, "reason", "TEXT", "record: why this is accepted; stored with it", NULL,
	  AT(reason), 0, 0, NULL, 0 },
	{ OPT_STRINGS, 0, "merge", "RUNS",
	  "record: several runs as one: RUN,RUN,... or label:TEXT or array:JOBID; may be repeated",
	  NULL, AT(merge), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "extend", NULL, "record: add the runs to a baseline that exists", NULL,
	  AT(extend), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "force", NULL, "record: take runs with findings too", NULL, AT(force), 0, 0,
	  NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* What would be recorded, while it is decided whether it may be. */
struct recording {
	const struct baseline_opts *opts;
	const char *name;
	char *path;
	struct run_list runs;
	struct baseline b; /* existed: as read; else made from the runs */
	bool existed;
};

static size_t usable_rows(const struct summary *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		n += s->rows[i].judged && s->rows[i].quality == ROW_OK;
	return n;
}

/* Is this run slower than the baseline it would join? NULL, or why; the caller frees. */
static char *slower_than(const struct baseline *b, const struct summary *run)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct verdicts v = { 0 };
	char *why = NULL;
	compare_runs(b, &run, 1, &params, &v);
	if (run->n_confirm)
		compare_confirm(&v, b, run, &params);
	size_t slower = v.count[VERDICT_REGRESSED] + v.count[VERDICT_SUSPECT];
	if (slower)
		why = hb_format("%zu row%s slower than the baseline it would join", slower,
		                slower == 1 ? " is" : "s are");
	verdicts_free(&v);
	return why;
}

/* Wrong data, or something that was not measured: NULL, or which; the caller frees. */
static char *damage(const struct summary *run)
{
	struct report_trouble t;
	char *why = NULL;
	report_trouble(&run, 1, NULL, &t);
	if (t.invalid)
		why = hb_format("invalid data: %s%s%s: %s%s", t.subject, t.bench ? " " : "",
		                t.bench ? t.bench : "", t.reason ? t.reason : "no reason told",
		                t.invalid > 1 ? ", and more" : "");
	else if (t.lost.n)
		why = hb_format("not everything was measured: %s (%s)%s", t.lost.names[0],
		                t.lost.reason ? t.lost.reason : "no reason told",
		                t.lost.n > 1 ? ", and more" : "");
	report_trouble_free(&t);
	return why;
}

/* What nobody can insist on. NULL, or why; the caller frees. */
static char *no_reference(const struct summary *run)
{
	if (run->shards > 1)
		return hb_format("it is part %d of %d of the nodes, not a run of the cluster: "
		                 "record its parts together, with --merge RUN,RUN,...",
		                 run->shard, run->shards);
	return usable_rows(run) ? NULL : hb_strdup("it holds no figure that could be a reference");
}

/* NULL, or why this run does not belong in a baseline; the caller frees. */
static char *objection(const struct recording *r, const struct summary *run)
{
	if (run->injected)
		return hb_strdup("a slowdown was planted in it (--inject)");
	if (run->partial)
		return hb_strdup("it is partial: interrupted, or steps are missing");
	char *why = damage(run);
	if (!why)
		why = baseline_objection(&r->b, run);
	return why || !r->existed ? why : slower_than(&r->b, run);
}

/* The command that records what is left, ready to be typed. */
static void tell_accepted(const struct recording *r, const bool *good)
{
	struct buf runs = BUF_INIT;
	bool typable = report_typable(r->name);
	for (size_t i = 0; i < r->runs.n; i++) {
		if (!good[i])
			continue;
		typable = typable && report_typable(r->runs.v[i].run);
		buf_printf(&runs, " %s", r->runs.v[i].run);
	}
	if (runs.len && typable)
		(void)cmd_error_text(
		        "baseline", CODE_FINDINGS,
		        "the others would be accepted: hpcbench baseline record %s%s%s; "
		        "replace the refused ones by runs measured while the hosts are "
		        "idle",
		        r->name, buf_text(&runs), r->opts->extend ? " --extend" : "");
	buf_free(&runs);
}

/* CODE_OK if every run may be recorded. */
static int check_runs(const struct recording *r)
{
	int code = CODE_OK;
	bool *good = hb_alloc(r->runs.n + 1);
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct summary *s = &r->runs.v[i];
		char *hard = no_reference(s),
		     *soft = hard || r->opts->force ? NULL : objection(r, s);
		char *why = hard ? hard : soft;
		/* An objection that begins with the run's name needs it only once. */
		char *lead = hb_format("run %s: ", s->run);
		size_t skip = why && strncmp(why, lead, strlen(lead)) == 0 ? strlen(lead) : 0;
		good[i] = !why;
		if (why)
			code = cmd_error_text("baseline", CODE_FINDINGS, "run %s refused: %s%s",
			                      s->run, why + skip,
			                      hard ? "" : "; --force takes it anyway");
		free(lead);
		free(why);
	}
	if (code != CODE_OK)
		tell_accepted(r, good);
	free(good);
	return code;
}

/* Reads what exists and joins the runs; prints on failure. */
static int prepare(struct recording *r)
{
	struct hb_err err = { 0 };
	r->existed = access(r->path, F_OK) == 0;
	if (r->existed && !r->opts->extend)
		return cmd_error_text("baseline", CODE_USAGE,
		                      "%s exists and is never overwritten; --extend adds runs to "
		                      "it, another name makes a new one",
		                      r->path);
	if (!r->existed && r->opts->extend)
		return cmd_error_text("baseline", CODE_NO_BASELINE,
		                      "there is no %s to extend; leave out --extend to make it",
		                      r->path);
	if (r->existed) {
		if (baseline_read(r->path, &r->b, &err) != HB_OK)
			return cmd_error("baseline", &err);
	} else {
		baseline_build(r->runs.ptrs, r->runs.n, &r->b);
	}
	int code = check_runs(r);
	if (code != CODE_OK || !r->existed)
		return code;
	if (baseline_extend(&r->b, r->runs.ptrs, r->runs.n, &err) != HB_OK)
		return cmd_error("baseline", &err);
	return CODE_OK;
}

static char *utc_now(void)
{
	char text[32] = "";
	struct tm tm;
	time_t now = time(NULL);
	if (gmtime_r(&now, &tm))
		(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return hb_strdup(text);
}

/* "dir/night.json" -> "night" */
static char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	size_t n = strlen(last);
	if (n > 5 && strcmp(last + n - 5, ".json") == 0)
		n -= 5;
	return hb_strndup(last, n);
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

static size_t few_keys(const struct baseline *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n_entries; i++)
		n += b->entries[i].runs < BASELINE_MIN_RUNS;
	return n;
}

static int write_out(const struct common *common, struct recording *r)
{
	struct hb_err err = { 0 };
	struct baseline *b = &r->b;
	if (!r->existed) {
		set_text(&b->name, base_name(r->name));
		set_text(&b->created, utc_now());
	}
	if (r->opts->reason)
		set_text(&b->reason, hb_strdup(r->opts->reason));
	json_object *o = baseline_to_json(b);
	int rc = store_write_json(r->path, o, &err);
	js_put(o);
	if (rc != HB_OK)
		return cmd_error("baseline", &err);

	bool provisional = b->n_runs < BASELINE_MIN_RUNS;
	struct doc *d = doc_new("");
	d->data = cmd_json("baseline-recorded");
	js_set_str(d->data, "name", b->name);
	js_set_str(d->data, "path", r->path);
	js_set_u64(d->data, "runs", b->n_runs);
	js_set_u64(d->data, "added", r->runs.n);
	js_set_u64(d->data, "keys", b->n_entries);
	js_set_bool(d->data, "provisional", provisional);
	doc_text(d, DOC_GOOD, "baseline %s: %zu run%s, %zu key%s, in %s", b->name, b->n_runs,
	         b->n_runs == 1 ? "" : "s", b->n_entries, b->n_entries == 1 ? "" : "s", r->path);
	size_t few = few_keys(b);
	js_set_u64(d->data, "provisional_keys", few);
	if (!provisional && few)
		doc_text(d, DOC_WARN,
		         "%zu of %zu key%s fewer than %d runs: there nothing is `regressed`, at "
		         "most "
		         "`suspect`",
		         few, b->n_entries, b->n_entries == 1 ? " has" : "s have",
		         (int)BASELINE_MIN_RUNS);
	if (provisional)
		doc_text(d, DOC_WARN,
		         "provisional: below %d runs nothing is `regressed`, at most `suspect`; "
		         "measure again and add with hpcbench baseline record %s latest --extend",
		         (int)BASELINE_MIN_RUNS, r->name);
	cmd_print(common, d);
	doc_free(d);
	return CODE_OK;
}

static int record(const struct common *common, const struct baseline_opts *o, int argc,
                  const char **argv)
{
	struct hb_err err = { 0 };
	struct store s;
	if (argc < (o->merge.n ? 1 : 2))
		return cmd_error_text("baseline", CODE_USAGE,
		                      "record needs a NAME and at least one RUN; as in hpcbench "
		                      "baseline record night latest");
	struct recording r = { .opts = o, .name = argv[0] };
	char *name = base_name(argv[0]);
	int rc = store_check_name("baseline", name, &err);
	free(name);
	if (rc != HB_OK || store_open(common->store, true, &s, &err) != HB_OK)
		return cmd_error("baseline", &err);
	int code;
	char *lock = NULL;
	r.path = store_baseline_path(&s, argv[0]);
	int loaded = load_runs_args(&s, argc - 1, argv + 1, &r.runs, &err);
	for (size_t i = 0; loaded == HB_OK && i < o->merge.n; i++)
		loaded = load_merged(&s, o->merge.v[i], &r.runs, NULL, &err);
	if (loaded != HB_OK || store_lock(r.path, &lock, &err) != HB_OK)
		code = cmd_error("baseline", &err);
	else if ((code = prepare(&r)) == CODE_OK)
		code = write_out(common, &r);
	store_unlock(lock);
	baseline_free(&r.b);
	load_runs_free(&r.runs);
	free(r.path);
	store_close(&s);
	return code;
}

static int show(const struct common *common, const struct baseline_opts *o, int argc,
                const char **argv)
{
	struct hb_err err = { 0 };
	struct store s;
	struct baseline b = { 0 };
	bool missing = false;
	(void)o;
	if (argc != 1)
		return cmd_error_text("baseline", CODE_USAGE, "show needs one NAME, not %d", argc);
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("baseline", &err);
	int code = CODE_OK;
	if (load_baseline(&s, argv[0], &b, &missing, &err) != HB_OK) {
		code = missing ? cmd_error_text("baseline", CODE_NO_BASELINE, "%s", err.text)
		               : cmd_error("baseline", &err);
	} else {
		struct doc *d = report_baseline_doc(&b);
		cmd_print(common, d);
		doc_free(d);
	}
	baseline_free(&b);
	store_close(&s);
	return code;
}

/* One line of the list; a baseline that cannot be read is a line too. */
static void list_one(struct doc *d, json_object *items, const struct store *s, const char *name)
{
	struct hb_err err = { 0 };
	struct baseline b = { 0 };
	char *path = store_baseline_path(s, name);
	json_object *o = json_object_new_object();
	js_set_str(o, "name", name);
	doc_cell(d, DOC_PLAIN, "%s", name);
	if (baseline_read(path, &b, &err) == HB_OK) {
		bool provisional = b.n_runs < BASELINE_MIN_RUNS;
		js_set_u64(o, "runs", b.n_runs);
		js_set_u64(o, "keys", b.n_entries);
		js_set_str(o, "created", b.created);
		js_set_str(o, "reason", b.reason);
		js_set_bool(o, "provisional", provisional);
		doc_cell(d, DOC_PLAIN, "%zu", b.n_runs);
		doc_cell(d, DOC_PLAIN, "%zu", b.n_entries);
		doc_cell(d, DOC_PLAIN, "%s", b.created ? b.created : "");
		doc_cell(d, provisional ? DOC_WARN : DOC_PLAIN, "%s",
		         provisional ? "provisional" : "");
		doc_cell(d, DOC_PLAIN, "%s", b.reason ? b.reason : "");
		baseline_free(&b);
	} else {
		js_set_str(o, "error", err.text);
		for (int i = 0; i < 3; i++)
			doc_cell(d, DOC_PLAIN, "%s", "");
		doc_cell(d, DOC_BAD, "%s", "unreadable");
		doc_cell(d, DOC_PLAIN, "%s", err.text);
	}
	json_object_array_add(items, o);
	free(path);
}

static int list(const struct common *common, const struct baseline_opts *o, int argc,
                const char **argv)
{
	static const char *const titles[] = {
		"name", ">runs", ">keys", "created", "", "why", NULL
	};
	struct hb_err err = { 0 };
	struct store s;
	char **names = NULL;
	size_t n = 0;
	(void)o;
	if (argc > 0)
		return cmd_error_text("baseline", CODE_USAGE, "list takes no arguments, not \"%s\"",
		                      argv[0]);
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("baseline", &err);
	if (store_baseline_list(&s, &names, &n, &err) != HB_OK) {
		store_close(&s);
		return cmd_error("baseline", &err);
	}
	struct doc *d = doc_new("");
	json_object *items = json_object_new_array();
	d->data = cmd_json("baseline-list");
	js_set_str(d->data, "store", s.path);
	if (n)
		doc_table(d, titles);
	for (size_t i = 0; i < n; i++)
		list_one(d, items, &s, names[i]);
	if (n == 0)
		doc_text(d, DOC_PLAIN,
		         "no baselines in %s; hpcbench baseline record NAME RUN makes one", s.path);
	js_set_obj(d->data, "items", items);
	cmd_print(common, d);
	doc_free(d);
	store_dirs_free(names, n);
	store_close(&s);
	return CODE_OK;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const struct common *common, const struct baseline_opts *o, int argc,
		           const char **argv);
	} actions[] = { { "record", record }, { "show", show }, { "list", list } };
	for (size_t i = 0; argc && i < sizeof actions / sizeof *actions; i++)
		if (strcmp(argv[0], actions[i].name) == 0)
			return actions[i].run(common, opts, argc - 1, argv + 1);
	return cmd_error_text("baseline", CODE_USAGE, "needs record, show or list%s%s%s",
	                      argc ? ", not \"" : "", argc ? argv[0] : "", argc ? "\"" : "");
}

const struct command cmd_baseline = {
	.name = "baseline",
	.usage = "record NAME RUN... | show NAME | list",
	.summary = "record, show and list the references that runs are judged against",
	.text = "record makes a baseline from runs that were chosen: nothing becomes one by "
	        "itself, "
	        "and one that exists is only extended. Runs with findings (partial, injected, "
	        "invalid data, something not measured, far from the others, slower than the "
	        "baseline they would join) "
	        "are refused with exit code 10 unless --force is given. NAME is a name in the "
	        "store, or a file if it holds a '/' or ends in .json.",
	.opts = baseline_opts,
	.opts_size = sizeof(struct baseline_opts),
	.run = run,
};

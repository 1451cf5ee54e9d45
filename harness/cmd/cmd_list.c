/* `hpcbench list`: what there is to measure with, and what was measured. */
#include <errno.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_list.h"
#include "harness/cmd/cmd_load.h"
#include "harness/launch/launch.h"
#include "harness/plan/suite.h"
#include "harness/report/report_parts.h"

enum { RUNS_SHOWN = 30 };

static const struct opt list_opts[] = {
	{ OPT_FLAG, 0, "all", NULL, "runs: all of them, not only the newest", NULL,
	  offsetof(struct list_opts, all), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "suite", "NAME", "coverage: of this suite alone", NULL,
	  offsetof(struct list_opts, suite), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

static json_object *item_new(struct listing *l, const char *name)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "name", name);
	json_object_array_add(l->items, o);
	doc_cell(l->d, DOC_PLAIN, "%s", name);
	return o;
}

static void item_text(struct listing *l, json_object *o, const char *key, const char *text)
{
	js_set_str(o, key, text);
	doc_cell(l->d, DOC_PLAIN, "%s", text ? text : "");
}

static void put_metrics(json_object *o, const struct bench_info *info)
{
	json_object *list = json_object_new_array();
	for (const struct metric_info *m = info->metrics; m->name; m++)
		json_object_array_add(list, js_str(m->name));
	js_set_obj(o, "metrics", list);
}

/* The metrics are in the data: with them no line fits a screen. */
static int list_benches(struct listing *l)
{
	static const char *const titles[] = { "name", "shape", "floor", "what", NULL };
	doc_table(l->d, titles);
	for (size_t i = 0; catalog[i]; i++) {
		const struct bench_info *info = catalog[i];
		json_object *o = item_new(l, info->name);
		char floor[32];
		item_text(l, o, "shape", info_shape_name(info->shape));
		units_format_percent(info->floor, floor, sizeof floor);
		js_set_f64(o, "floor", info->floor);
		doc_cell(l->d, DOC_PLAIN, "%s", floor);
		put_metrics(o, info);
		item_text(l, o, "summary", info->summary);
		js_set_obj(o, "options", opt_describe(info->opts));
	}
	return CODE_OK;
}

static int list_suites(struct listing *l)
{
	static const char *const titles[] = { "name", "benchmarks", "what", NULL };
	struct hb_err err = { 0 };
	char **names = suite_names();
	int code = CODE_OK;
	doc_table(l->d, titles);
	for (size_t i = 0; names[i]; i++) {
		struct suite s = { 0 };
		if (suite_load(names[i], &s, &err) != HB_OK) {
			code = cmd_error("list", &err);
			continue;
		}
		json_object *o = item_new(l, names[i]), *list = json_object_new_array();
		struct buf text = BUF_INIT;
		for (size_t j = 0; j < s.n_entries; j++) {
			const char *bench = s.entries[j].info->name;
			buf_printf(&text, "%s%s", j ? ", " : "", bench);
			json_object_array_add(list, js_str(bench));
		}
		js_set_obj(o, "benches", list);
		doc_cell(l->d, DOC_PLAIN, "%s", buf_text(&text));
		item_text(l, o, "summary", s.summary);
		buf_free(&text);
		suite_free(&s);
	}
	suite_names_free(names);
	return code;
}

static int list_launchers(struct listing *l)
{
	static const char *const titles[] = { "name", "what", NULL };
	doc_table(l->d, titles);
	for (size_t i = 0; launchers[i]; i++) {
		const struct launcher_ops *ops = launchers[i];
		struct buf name = BUF_INIT;
		launcher_words(ops, &name);
		item_text(l, item_new(l, buf_text(&name)), "summary", ops->summary);
		buf_free(&name);
	}
	return CODE_OK;
}

static int list_formats(struct listing *l)
{
	static const char *const titles[] = { "name", "what", NULL };
	doc_table(l->d, titles);
	for (size_t i = 0; report_formats[i]; i++)
		item_text(l, item_new(l, report_formats[i]->name), "summary",
		          report_formats[i]->summary);
	return CODE_OK;
}

/* How `run` ended, and what makes the run special. */
static void put_ending(struct listing *l, json_object *o, const char *dir, const struct summary *r)
{
	struct run_about about;
	struct buf text = BUF_INIT;
	load_about(dir, &about);
	js_set_str(o, "baseline", about.baseline);
	if (about.code >= 0) {
		js_set_i64(o, "code", about.code);
		buf_printf(&text, "%d %s", about.code,
		           report_code_word(about.code, about.baseline != NULL));
	}
	if (r->partial)
		buf_printf(&text, "%spartial", text.len ? ", " : "");
	if (r->injected)
		buf_printf(&text, "%sinjected", text.len ? ", " : "");
	bool odd = r->partial || r->injected || about.code > 0;
	doc_cell(l->d, odd ? DOC_WARN : DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
	load_about_free(&about);
}

static void tell_unfinished(const char *dir, struct hb_err *err)
{
	char *who = NULL;
	if (store_run_locked(dir, &who))
		(void)hb_fail(err, HB_E_IO, "no summary yet: it is being measured%s%s",
		              who ? " by " : "", who ? who : "");
	else
		(void)hb_fail(err, HB_E_IO, "no summary: it was killed");
	free(who);
}

/* One run; one that cannot be read is a line too, and says why. */
static void put_run(struct listing *l, const struct store *s, const char *id)
{
	struct hb_err err = { 0 };
	struct summary r;
	char *dir = hb_format("%s/runs/%s", s->path, id);
	json_object *o = item_new(l, id);
	if (summary_read(dir, &r, &err) != HB_OK) {
		char *path = hb_format("%s/summary.json", dir);
		bool unfinished = access(path, F_OK) != 0 && errno == ENOENT;
		if (unfinished)
			tell_unfinished(dir, &err);
		js_set_str(o, "error", err.text);
		for (int i = 0; i < 4; i++)
			doc_cell(l->d, DOC_PLAIN, "%s", "");
		doc_cell(l->d, DOC_WARN, "%s", unfinished ? "unfinished" : "unreadable");
		doc_cell(l->d, DOC_PLAIN, "%s", err.text);
		free(path);
		free(dir);
		return;
	}
	item_text(l, o, "started", r.started);
	item_text(l, o, "suite", r.suite);
	size_t nodes = (size_t)json_object_object_length(r.hw);
	js_set_u64(o, "nodes", nodes);
	js_set_u64(o, "rows", r.n_rows);
	js_set_u64(o, "losses", r.n_losses);
	js_set_bool(o, "partial", r.partial);
	js_set_bool(o, "injected", r.injected);
	doc_cell(l->d, DOC_PLAIN, "%zu", nodes);
	doc_cell(l->d, DOC_PLAIN, "%zu", r.n_rows);
	put_ending(l, o, dir, &r);
	item_text(l, o, "label", r.label);
	summary_free(&r);
	free(dir);
}

static int list_runs(struct listing *l)
{
	static const char *const titles[] = { "name",     "started", "suite", ">nodes",
		                              ">figures", "exit",    "label", NULL };
	struct hb_err err = { 0 };
	struct store s;
	char **ids = NULL;
	size_t n = 0;
	if (store_open(l->common->store, false, &s, &err) != HB_OK)
		return cmd_error("list", &err);
	int rc = store_run_list(&s, &ids, &n, &err);
	size_t from = l->opts->all || n <= RUNS_SHOWN ? 0 : n - RUNS_SHOWN;
	js_set_str(l->d->data, "store", s.path);
	js_set_u64(l->d->data, "runs", n);
	if (n)
		doc_table(l->d, titles);
	for (size_t i = from; i < n; i++)
		put_run(l, &s, ids[i]);
	if (rc == HB_OK && n == 0)
		doc_text(l->d, DOC_PLAIN, "no runs in %s; hpcbench run makes one", s.path);
	if (from)
		doc_text(l->d, DOC_DIM, "and %zu older; --all shows them", from);
	store_dirs_free(ids, n);
	store_close(&s);
	return rc == HB_OK ? CODE_OK : cmd_error("list", &err);
}

static const struct {
	const char *name;
	int (*fill)(struct listing *l);
} lists[] = { { "benches", list_benches }, { "suites", list_suites },
	      { "runs", list_runs },       { "launchers", list_launchers },
	      { "formats", list_formats }, { "coverage", list_coverage } };
enum { N_LISTS = sizeof lists / sizeof *lists };

static int unknown(const char *name)
{
	const char *names[N_LISTS + 1] = { NULL }, *near = NULL;
	for (size_t i = 0; i < N_LISTS; i++)
		names[i] = lists[i].name;
	if (name)
		near = units_nearest(name, names);
	if (near)
		return cmd_error_text("list", CODE_USAGE, "no list \"%s\"; did you mean \"%s\"?",
		                      name, near);
	return cmd_error_text("list", CODE_USAGE,
	                      "needs one of benches, suites, runs, launchers, formats, coverage");
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct listing l = { .common = common, .opts = opts };
	size_t i = 0;
	if (argc != 1)
		return unknown(NULL);
	while (i < N_LISTS && strcmp(lists[i].name, argv[0]) != 0)
		i++;
	if (i == N_LISTS)
		return unknown(argv[0]);
	l.d = doc_new("");
	l.items = json_object_new_array();
	l.d->data = cmd_json("list");
	js_set_str(l.d->data, "what", lists[i].name);
	int code = lists[i].fill(&l);
	js_set_obj(l.d->data, "items", l.items);
	cmd_print(common, l.d);
	doc_free(l.d);
	return code;
}

const struct command cmd_list = {
	.name = "list",
	.usage = "benches|suites|runs|launchers|formats|coverage",
	.summary = "list what can be measured, and what was",
	.opts = list_opts,
	.opts_size = sizeof(struct list_opts),
	.run = run,
};

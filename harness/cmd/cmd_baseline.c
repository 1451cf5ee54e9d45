/* `hpcbench baseline`: record one from chosen runs, rebase, show one, list them. */
#include "harness/cmd/cmd_baseline.h"
#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"

#define AT(field) offsetof(struct baseline_opts, field)
static const struct opt baseline_opts[] = {
	{ OPT_STRING, 0, "reason", "TEXT",
	  "record, rebase: why this is accepted, or why nodes are excluded; stored with it", NULL,
	  AT(reason), 0, 0, NULL, 0 },
	{ OPT_STRINGS, 0, "merge", "RUNS",
	  "record, rebase: several runs as one: RUN,RUN,... or label:TEXT or array:JOBID; may be "
	  "repeated",
	  NULL, AT(merge), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "extend", NULL, "record: add the runs to a baseline that exists", NULL,
	  AT(extend), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "exclude", "NODESET",
	  "record, rebase: leave out these nodes and all that was measured with them", NULL,
	  AT(exclude), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "from", "NAME", "rebase: the baseline whose place is taken; it is kept",
	  NULL, AT(from), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "to", "NAME", "rebase: the new baseline", NULL, AT(to), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "force", NULL, "record, rebase: take runs with findings too", NULL,
	  AT(force), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

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
	} actions[] = { { "record", cmd_baseline_record },
		        { "rebase", cmd_baseline_rebase },
		        { "show", show },
		        { "list", list } };
	for (size_t i = 0; argc && i < sizeof actions / sizeof *actions; i++)
		if (strcmp(argv[0], actions[i].name) == 0)
			return actions[i].run(common, opts, argc - 1, argv + 1);
	return cmd_error_text("baseline", CODE_USAGE, "needs record, rebase, show or list%s%s%s",
	                      argc ? ", not \"" : "", argc ? argv[0] : "", argc ? "\"" : "");
}

const struct command cmd_baseline = {
	.name = "baseline",
	.usage = "record NAME RUN... | rebase --from A --to B --reason TEXT RUN... | show NAME | "
	         "list",
	.summary = "record, rebase, show and list the references that runs are judged against",
	.text = "record makes a baseline from runs that were chosen: nothing becomes one by "
	        "itself, "
	        "and one that exists is only extended. Runs with findings (partial, injected, "
	        "invalid data, something not measured, far from the others, slower than the "
	        "baseline they would join) "
	        "are refused with exit code 10 unless --force is given. rebase makes another "
	        "baseline "
	        "after hardware or software was renewed, from new runs or from a baseline that "
	        "they "
	        "were recorded in: it prints what became faster or slower and marks the new one; "
	        "the "
	        "old one is kept. NAME is a name in the "
	        "store, or a file if it holds a '/' or ends in .json.",
	.opts = baseline_opts,
	.opts_size = sizeof(struct baseline_opts),
	.run = run,
};

/* `hpcbench explain`: everything behind what a run says about one subject. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/report/report_explain.h"

enum { VERDICTS_MAX = 256 << 20 };

struct explain_opts {
	char *bench, *bytes, *rules;
};

#define AT(field) offsetof(struct explain_opts, field)
static const struct opt explain_opts[] = {
	{ OPT_STRING, 0, "bench", "NAME", "only this benchmark", NULL, AT(bench), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "bytes", "N", "only this size: 64Ki", NULL, AT(bytes), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "rules", "PATH", "rules of this site: a file, or a folder of *.json", NULL,
	  AT(rules), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

/* verdicts.json of a run that was judged; *out stays NULL where there is none. */
static int load_verdicts(const char *dir, json_object **out, struct hb_err *err)
{
	char *path = hb_format("%s/verdicts.json", dir);
	int rc = access(path, F_OK) == 0 ? js_read_file(path, VERDICTS_MAX, out, err) : HB_OK;
	free(path);
	return rc;
}

static void print_buf(struct buf *text)
{
	(void)fwrite(buf_text(text), 1, text->len, stdout);
	buf_clear(text);
}

/* One section is held at a time: a run's samples may be more than fits into memory. */
static int print_json(const struct explain *e, const struct explain_section *s, size_t n,
                      struct hb_err *err)
{
	json_object *head = explain_head_json(e);
	struct buf text = BUF_INIT;
	int rc = HB_OK;
	js_write(head, JS_PLAIN, &text);
	js_put(head);
	text.len--; /* the closing brace comes last */
	text.data[text.len] = '\0';
	buf_puts(&text, ",\"sections\":[");
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		json_object *o;
		rc = explain_section_json(e, &s[i], &o, err);
		if (rc != HB_OK)
			break;
		buf_puts(&text, i ? ",\n" : "\n");
		js_write(o, JS_PLAIN, &text);
		js_put(o);
		print_buf(&text);
	}
	buf_puts(&text, "]}\n");
	print_buf(&text);
	buf_free(&text);
	return rc;
}

/* Everything is made before anything is printed: with an error standard output stays empty. */
static int print_text(const struct common *common, const struct explain *e,
                      const struct explain_section *s, size_t n, struct hb_err *err)
{
	struct doc **docs = hb_alloc((n + 1) * sizeof(struct doc *));
	size_t made = 0;
	int rc = HB_OK;
	docs[made++] = explain_head_doc(e);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		rc = explain_section_doc(e, &s[i], &docs[made], err);
		made += rc == HB_OK;
	}
	for (size_t i = 0; i < made; i++) {
		if (rc == HB_OK && i > 0 && !common->quiet)
			(void)fputs("\n", stdout);
		if (rc == HB_OK)
			cmd_print(common, docs[i]);
		doc_free(docs[i]);
	}
	free(docs);
	return rc;
}

static int print(const struct common *common, const struct explain *e, struct hb_err *err)
{
	struct explain_section *s;
	size_t n = explain_sections(e, &s);
	int rc;
	if (n == 0 && (e->bench || e->has_bytes))
		rc = hb_fail(err, HB_E_USAGE,
		             "run %s measured nothing of %s with that benchmark and size; leave "
		             "out --bench and --bytes to see what it did",
		             e->run->run, e->subject);
	else if (common->json)
		rc = print_json(e, s, n, err);
	else
		rc = print_text(common, e, s, n, err);
	explain_sections_free(s, n);
	return rc;
}

static int explain(const struct common *common, const struct explain_opts *o,
                   const struct store *store, const char **names,
                   const struct diagnose_data *causes)
{
	struct hb_err err;
	struct run_list runs;
	struct run_about about;
	struct baseline b = { 0 };
	bool missing;
	if (strchr(names[0], ','))
		return cmd_error_text("explain", CODE_USAGE, "explains one run, not a list");
	if (load_runs(store, names[0], &runs, &err) != HB_OK)
		return cmd_error("explain", &err);
	load_about(runs.dirs[0], &about);
	struct explain e = { .dir = runs.dirs[0],
		             .subject = names[1],
		             .bench = o->bench,
		             .has_bytes = o->bytes != NULL,
		             .run = &runs.v[0],
		             .base_name = about.baseline };
	int rc = o->bytes ? units_parse_bytes(o->bytes, &e.bytes, &err) : HB_OK;
	if (rc == HB_OK)
		rc = load_verdicts(e.dir, &e.verdicts, &err);
	if (rc == HB_OK && e.verdicts && about.baseline &&
	    load_baseline(store, about.baseline, &b, &missing, NULL) == HB_OK)
		e.b = &b;
	struct run_blame blame;
	load_blame(&runs, 0, e.b, NULL, &blame);
	e.sheets = &blame.sheets;
	e.findings = blame.known ? &blame.f : NULL;
	const struct diagnose_input with = { .base = e.b, .summary = &runs.v[0] };
	struct run_diagnosis why = { 0 };
	if (rc == HB_OK)
		load_diagnosis(causes, e.dir, &blame, &with, &why);
	e.why = run_diagnosis_of(&why);
	if (rc == HB_OK)
		rc = explain_open(&e, &err);
	e.facts = blame.told ? &blame.told->facts : NULL;
	if (rc == HB_OK)
		explain_tell_facts(&e);
	if (rc == HB_OK)
		rc = explain_read(&e, &err);
	if (rc == HB_OK)
		rc = print(common, &e, &err);
	bool judged = e.b != NULL;
	explain_free(&e);
	run_diagnosis_free(&why);
	load_blame_free(&blame);
	if (judged)
		baseline_free(&b);
	load_about_free(&about);
	load_runs_free(&runs);
	return rc == HB_OK ? CODE_OK : cmd_error("explain", &err);
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct explain_opts *o = opts;
	struct hb_err err;
	struct store s;
	if (argc != 2)
		return cmd_error_text("explain", CODE_USAGE,
		                      "needs RUN and SUBJECT, not %d name%s; as in hpcbench "
		                      "explain latest n17",
		                      argc, argc == 1 ? "" : "s");
	if (o->bench && !catalog_find(o->bench)) {
		const char *near = catalog_nearest(o->bench);
		return cmd_error_text("explain", CODE_USAGE, "--bench: no benchmark '%.80s'%s%s%s",
		                      o->bench, near ? "; did you mean '" : "", near ? near : "",
		                      near ? "'?" : "");
	}
	if (store_open(common->store, false, &s, &err) != HB_OK)
		return cmd_error("explain", &err);
	struct diagnose_data causes = { 0 };
	int code = load_causes("explain", common, o->rules, &causes);
	if (code == CODE_OK)
		code = explain(common, o, &s, argv, &causes);
	diagnose_data_free(&causes);
	store_close(&s);
	return code;
}

const struct command cmd_explain = {
	.name = "explain",
	.usage = "RUN SUBJECT [--bench NAME] [--bytes N]",
	.summary = "everything behind a verdict: rule, pairs, samples",
	.text = "SUBJECT is a node, a pair (n1-n2, n1>n2) or cluster. Prints for each benchmark "
	        "and "
	        "size the verdict with the rule and the numbers behind it, what of the baseline it "
	        "was "
	        "held against, the confirming rerun, every pair that was measured and how it "
	        "ended, and "
	        "all samples. Never measures and never judges anew: a run without a baseline is "
	        "shown "
	        "as not judged.",
	.opts = explain_opts,
	.opts_size = sizeof(struct explain_opts),
	.run = run,
};

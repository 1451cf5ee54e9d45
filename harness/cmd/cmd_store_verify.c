/* `hpcbench store verify`. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_store.h"
#include "harness/judge/baseline.h"
#include "harness/store/store_verify.h"

/* What is found, while it is looked for. */
struct verifying {
	const struct store *s;
	struct doc *d;
	json_object *problems;
	size_t n_problems, n_runs, n_unfinished, n_baselines, n_pruned;
	int code; /* CODE_BROKEN where something could not be read */
};

static void take_problem(void *ctx, const char *file, uint64_t line, const char *text)
{
	struct verifying *v = ctx;
	json_object *o = json_object_new_object();
	size_t n = strlen(v->s->path);
	if (strncmp(file, v->s->path, n) == 0 && file[n] == '/')
		file += n + 1;
	js_set_str(o, "file", file);
	js_set_u64(o, "line", line);
	js_set_str(o, "text", text);
	json_object_array_add(v->problems, o);
	v->n_problems++;
	if (line)
		doc_text(v->d, DOC_BAD, "%s:%llu: %s", file, (unsigned long long)line, text);
	else
		doc_text(v->d, DOC_BAD, "%s: %s", file, text);
}

static void take_error(struct verifying *v, const struct hb_err *err)
{
	v->code = cmd_error_text("store", CODE_BROKEN, "%s", err->text);
}

static void verify_dir(struct verifying *v, const char *dir)
{
	const struct verify_sink sink = { take_problem, v };
	enum verify_state state = VERIFY_WHOLE;
	struct hb_err err;
	v->n_runs++;
	if (verify_run(dir, &sink, &state, &err) != HB_OK)
		take_error(v, &err);
	else
		v->n_unfinished += state == VERIFY_UNFINISHED;
}

static bool has_run(const struct store *s, const char *id)
{
	char *dir = hb_format("%s/runs/%s", s->path, id);
	bool there = access(dir, F_OK) == 0;
	free(dir);
	return there;
}

static void verify_baseline(struct verifying *v, const char *name)
{
	struct baseline b = { 0 };
	struct hb_err err;
	char *path = store_baseline_path(v->s, name);
	v->n_baselines++;
	if (baseline_read(path, &b, &err) == HB_OK) {
		size_t gone = 0;
		for (size_t i = 0; i < b.n_runs; i++)
			gone += !has_run(v->s, b.runs[i]);
		if (gone)
			doc_text(v->d, DOC_DIM,
			         "baseline %s: %zu of its %zu runs are no longer in the store, or "
			         "never were; its figures do not need them",
			         name, gone, b.n_runs);
		v->n_pruned += gone;
	} else if (access(path, R_OK) != 0) {
		take_error(v, &err);
	} else {
		size_t n = strlen(path);
		bool named = strncmp(err.text, path, n) == 0 && err.text[n] == ':';
		take_problem(v, path, 0, named ? err.text + n + 2 : err.text);
	}
	baseline_free(&b);
	free(path);
}

static void verify_all(struct verifying *v)
{
	char **ids = NULL, **names = NULL;
	size_t n = 0, n_names = 0;
	struct hb_err err;
	if (store_run_list(v->s, &ids, &n, &err) != HB_OK)
		take_error(v, &err);
	for (size_t i = 0; i < n; i++) {
		char *dir = hb_format("%s/runs/%s", v->s->path, ids[i]);
		verify_dir(v, dir);
		free(dir);
	}
	if (store_baseline_list(v->s, &names, &n_names, &err) != HB_OK)
		take_error(v, &err);
	for (size_t i = 0; i < n_names; i++)
		verify_baseline(v, names[i]);
	store_dirs_free(ids, n);
	store_dirs_free(names, n_names);
}

static void verify_named(struct verifying *v, int argc, const char **argv)
{
	for (int i = 0; i < argc; i++) {
		char **dirs = NULL;
		size_t n = 0;
		struct hb_err err;
		if (store_runs_find(v->s, argv[i], &dirs, &n, &err) != HB_OK)
			v->code = cmd_error("store", &err);
		for (size_t j = 0; j < n; j++)
			verify_dir(v, dirs[j]);
		store_dirs_free(dirs, n);
	}
}

int cmd_store_verify(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv)
{
	struct verifying v = { .s = s, .d = doc_new(""), .problems = json_object_new_array() };
	(void)o;
	v.d->data = cmd_json("store-verify");
	if (argc)
		verify_named(&v, argc, argv);
	else
		verify_all(&v);
	js_set_u64(v.d->data, "runs", v.n_runs);
	js_set_u64(v.d->data, "unfinished", v.n_unfinished);
	js_set_u64(v.d->data, "baselines", v.n_baselines);
	js_set_u64(v.d->data, "pruned", v.n_pruned);
	js_set_obj(v.d->data, "problems", v.problems);
	doc_text(v.d, v.n_problems ? DOC_BAD : DOC_GOOD,
	         "%zu run%s (%zu unfinished) and %zu baseline%s: %zu problem%s", v.n_runs,
	         v.n_runs == 1 ? "" : "s", v.n_unfinished, v.n_baselines,
	         v.n_baselines == 1 ? "" : "s", v.n_problems, v.n_problems == 1 ? "" : "s");
	if (v.code != CODE_USAGE)
		cmd_print(common, v.d);
	doc_free(v.d);
	if (v.code != CODE_OK)
		return v.code;
	return v.n_problems ? CODE_FINDINGS : CODE_OK;
}

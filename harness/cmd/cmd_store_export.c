/* `hpcbench store export` and `import`. */
#include <time.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_store.h"
#include "harness/store/store_export.h"

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The ids of the runs that are named; they must be the store's. */
static int find_runs(const struct store *s, int argc, const char **argv, struct export *what,
                     struct hb_err *err)
{
	size_t cap = 0;
	int rc = HB_OK;
	for (int i = 0; i < argc && rc == HB_OK; i++) {
		char **dirs = NULL;
		size_t n = 0;
		rc = store_runs_find(s, argv[i], &dirs, &n, err);
		for (size_t j = 0; rc == HB_OK && j < n; j++) {
			const char *id = last_of(dirs[j]);
			char *own = hb_format("%s/runs/%s", s->path, id);
			if (!store_is_run_id(id) || strcmp(own, dirs[j]) != 0)
				rc = hb_fail(err, HB_E_USAGE,
				             "%s: only runs of the store are exported; --store "
				             "names another store",
				             dirs[j]);
			free(own);
			hb_grow(&what->ids, &cap, what->n_ids + 1, sizeof(*what->ids));
			what->ids[what->n_ids++] = hb_strdup(id);
		}
		store_dirs_free(dirs, n);
	}
	for (size_t i = 0; i < what->n_ids && rc == HB_OK; i++)
		for (size_t j = 0; j < i && rc == HB_OK; j++)
			if (strcmp(what->ids[i], what->ids[j]) == 0)
				rc = hb_fail(err, HB_E_USAGE, "run %s is named twice",
				             what->ids[i]);
	return rc;
}

static int check_baselines(const struct export *what, struct hb_err *err)
{
	int rc = HB_OK;
	for (size_t i = 0; i < what->n_baselines && rc == HB_OK; i++)
		rc = store_check_name("baseline", what->baselines[i], err);
	return rc;
}

int cmd_store_export(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv)
{
	struct export what = { .baselines = o->baselines.v,
		               .n_baselines = o->baselines.n,
		               .no_samples = o->no_samples };
	struct hb_err err;
	uint64_t bytes = 0;
	char *to = NULL, size[32];
	int code = CODE_OK;
	if (argc == 0 && what.n_baselines == 0)
		return cmd_error_text("store", CODE_USAGE,
		                      "export needs a RUN, or a --baseline NAME; as in hpcbench "
		                      "store export latest");
	if (find_runs(s, argc, argv, &what, &err) != HB_OK ||
	    check_baselines(&what, &err) != HB_OK) {
		code = cmd_error("store", &err);
	} else {
		to = o->to ? hb_strdup(o->to)
		           : hb_format("hpcbench-%s.tar",
		                       what.n_ids ? what.ids[0] : what.baselines[0]);
		if (store_export(s, &what, to, &bytes, &err) != HB_OK)
			code = cmd_error("store", &err);
	}
	if (code == CODE_OK) {
		struct doc *d = doc_new("");
		units_format_bytes(bytes, size, sizeof size);
		d->data = cmd_json("store-export");
		js_set_str(d->data, "path", to);
		js_set_u64(d->data, "runs", what.n_ids);
		js_set_u64(d->data, "baselines", what.n_baselines);
		js_set_u64(d->data, "bytes", bytes);
		doc_text(d, DOC_GOOD, "%zu run%s and %zu baseline%s, %s, in %s", what.n_ids,
		         what.n_ids == 1 ? "" : "s", what.n_baselines,
		         what.n_baselines == 1 ? "" : "s", size, to);
		cmd_print(common, d);
		doc_free(d);
	}
	store_dirs_free(what.ids, what.n_ids);
	free(to);
	return code;
}

static void put_names(struct doc *d, const char *key, const char *form, char **v, size_t n)
{
	json_object *list = json_object_new_array();
	for (size_t i = 0; i < n; i++) {
		json_object_array_add(list, js_str(v[i]));
		doc_text(d, DOC_PLAIN, "%s %s", form, v[i]);
	}
	js_set_obj(d->data, key, list);
}

int cmd_store_import(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv)
{
	struct import got = { 0 };
	struct hb_err err;
	int code = CODE_OK;
	(void)o;
	if (argc != 1)
		return cmd_error_text("store", CODE_USAGE,
		                      "import needs one FILE.tar or DIR, not %d", argc);
	if (store_import(s, argv[0], &got, &err) != HB_OK) {
		code = cmd_error("store", &err);
	} else {
		struct doc *d = doc_new("");
		d->data = cmd_json("store-import");
		put_names(d, "runs", "run", got.runs, got.n_runs);
		put_names(d, "baselines", "baseline", got.baselines, got.n_baselines);
		put_names(d, "skipped", "left alone, the store has it already:", got.skipped,
		          got.n_skipped);
		js_set_u64(d->data, "bytes", got.bytes);
		doc_text(d, DOC_GOOD, "%zu run%s and %zu baseline%s taken into %s%s", got.n_runs,
		         got.n_runs == 1 ? "" : "s", got.n_baselines,
		         got.n_baselines == 1 ? "" : "s", s->path,
		         got.n_runs ? "; hpcbench store verify looks whether they are whole" : "");
		cmd_print(common, d);
		doc_free(d);
	}
	store_import_free(&got);
	return code;
}

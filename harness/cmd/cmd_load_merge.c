/* Several runs as one: the shards of a job array, by their names, their label, or the array. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_load.h"
#include "harness/collect/collect.h"

enum { RUN_FILE_MAX = 16 << 20 };

/* Has run.json in dir this text under key? */
static bool says(const char *dir, const char *key, const char *text)
{
	char *path = hb_format("%s/run.json", dir);
	struct js_at top = JS_AT_TOP(path);
	const char *value = NULL;
	json_object *o = NULL;
	bool same = js_read_file(path, RUN_FILE_MAX, &o, NULL) == HB_OK &&
	            js_get_str(o, &top, key, JS_OPTIONAL, &value, NULL) == HB_OK && value &&
	            strcmp(value, text) == 0;

	js_put(o);
	free(path);
	return same;
}

static int find_all(const struct store *s, const char *key, const char *text, char ***dirs,
                    size_t *n, struct hb_err *err)
{
	char **ids = NULL;
	size_t n_ids = 0, cap = 0;
	int rc = store_run_list(s, &ids, &n_ids, err);

	*dirs = NULL;
	*n = 0;
	for (size_t i = 0; rc == HB_OK && i < n_ids; i++) {
		char *dir = hb_format("%s/runs/%s", s->path, ids[i]);
		if (says(dir, key, text)) {
			hb_grow(dirs, &cap, *n + 1, sizeof **dirs);
			(*dirs)[(*n)++] = dir;
		} else {
			free(dir);
		}
	}
	store_dirs_free(ids, n_ids);
	if (rc == HB_OK && *n == 0)
		rc = hb_fail(err, HB_E_USAGE,
		             "no run in %s with %s %s; hpcbench list runs shows what is there",
		             s->path, strcmp(key, "label") == 0 ? "label" : "job array", text);
	return rc;
}

/* The baseline that all were held against; NULL: they differ, or none was. */
static char *common_base(char *const *dirs, size_t n)
{
	char *base = NULL;

	for (size_t i = 0; i < n; i++) {
		struct run_about about;
		load_about(dirs[i], &about);
		bool same = about.baseline && (!base || strcmp(base, about.baseline) == 0);
		if (same && !base)
			base = hb_strdup(about.baseline);
		load_about_free(&about);
		if (!same) {
			free(base);
			return NULL;
		}
	}
	return base;
}

int load_merged(const struct store *s, const char *words, const struct nodeset *without,
                struct run_list *out, char **base, struct hb_err *err)
{
	static const char *const keys[] = { "label", "array" };
	char **dirs = NULL;
	size_t n = 0, k = 0, len = strcspn(words, ":");
	int rc;

	while (k < 2 && (strlen(keys[k]) != len || strncmp(words, keys[k], len) != 0))
		k++;
	if (words[len] && k < 2)
		rc = find_all(s, keys[k], words + len + 1, &dirs, &n, err);
	else
		rc = store_runs_find(s, words, &dirs, &n, err);
	out->v = hb_realloc_array(out->v, out->n + 1, sizeof *out->v);
	out->dirs = hb_realloc_array(out->dirs, out->n + 1, sizeof *out->dirs);
	out->ptrs = hb_realloc_array(out->ptrs, out->n + 1, sizeof(const struct summary *));
	if (rc == HB_OK) {
		out->merged = hb_realloc_array(out->merged, out->n_merged + 1, sizeof *out->merged);
		out->told = hb_realloc_array(out->told, out->n_merged + 1, sizeof *out->told);
		rc = collect_runs_sheets((const char *const *)dirs, n, without, &out->v[out->n],
		                         &out->merged[out->n_merged], &out->told[out->n_merged],
		                         err);
		out->n_merged++;
	}
	if (rc == HB_OK && n > 0)
		out->dirs[out->n++] = hb_strdup(dirs[n - 1]);
	if (base)
		*base = rc == HB_OK ? common_base(dirs, n) : NULL;
	for (size_t i = 0; i < out->n; i++)
		out->ptrs[i] = &out->v[i];
	store_dirs_free(dirs, n);
	return rc;
}

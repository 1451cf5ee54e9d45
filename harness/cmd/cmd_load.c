#include "harness/cmd/cmd_load.h"

#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"

enum { STORED_BYTES_MAX = 64 << 20, RUN_FILE_MAX = 16 << 20, CODE_MAX = 255 };

/*
 * The summary of a run; where hpcbench was killed before it wrote one, it is collected from the
 * records, which are there up to the last finished unit. Nothing is written: the run may be live.
 */
static int read_run(const char *dir, struct summary *out, struct hb_err *err)
{
	char *path = hb_format("%s/summary.json", dir), *plan = hb_format("%s/plan.json", dir);
	bool collected = access(path, F_OK) == 0 || access(plan, F_OK) != 0;
	int rc = collected ? summary_read(dir, out, err) : collect_run(dir, out, err);

	if (rc == HB_OK && !collected)
		out->partial = true;
	free(path);
	free(plan);
	return rc;
}

/* Takes dirs, which holds n of them, into out. */
static int add_dirs(struct run_list *out, char **dirs, size_t n, struct hb_err *err)
{
	size_t total = out->n + n;
	int rc = HB_OK;
	out->v = hb_realloc_array(out->v, total + 1, sizeof *out->v);
	out->dirs = hb_realloc_array(out->dirs, total + 1, sizeof *out->dirs);
	for (size_t i = 0; i < n && rc == HB_OK; i++) {
		struct summary *s = &out->v[out->n];
		rc = read_run(dirs[i], s, err);
		if (rc != HB_OK)
			break;
		out->dirs[out->n++] = hb_strdup(dirs[i]);
		for (size_t j = 0; j + 1 < out->n && rc == HB_OK; j++)
			if (strcmp(out->v[j].run, s->run) == 0)
				rc = hb_fail(err, HB_E_USAGE, "run %s is named twice", s->run);
	}
	return rc;
}

int load_runs_args(const struct store *s, int n, const char **names, struct run_list *out,
                   struct hb_err *err)
{
	int rc = HB_OK;
	*out = (struct run_list){ 0 };
	for (int i = 0; i < n && rc == HB_OK; i++) {
		char **dirs = NULL;
		size_t n_dirs = 0;
		rc = store_runs_find(s, names[i], &dirs, &n_dirs, err);
		if (rc == HB_OK)
			rc = add_dirs(out, dirs, n_dirs, err);
		store_dirs_free(dirs, n_dirs);
	}
	if (rc != HB_OK) {
		load_runs_free(out);
		return rc;
	}
	out->ptrs = hb_alloc((out->n + 1) * sizeof(const struct summary *));
	for (size_t i = 0; i < out->n; i++)
		out->ptrs[i] = &out->v[i];
	return HB_OK;
}

int load_runs(const struct store *s, const char *names, struct run_list *out, struct hb_err *err)
{
	return load_runs_args(s, 1, &names, out, err);
}

void load_runs_free(struct run_list *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		summary_free(&runs->v[i]);
		free(runs->dirs[i]);
	}
	free(runs->v);
	free(runs->dirs);
	free(runs->ptrs);
	for (size_t i = 0; i < runs->n_merged; i++) {
		sheets_free(&runs->merged[i]);
		run_told_free(&runs->told[i]);
	}
	free(runs->told);
	free(runs->merged);
	*runs = (struct run_list){ 0 };
}

void load_about(const char *dir, struct run_about *out)
{
	char *path = hb_format("%s/run.json", dir);
	struct js_at top = JS_AT_TOP(path);
	const char *text = NULL;
	json_object *o = NULL;
	*out = (struct run_about){ .code = -1 };
	if (js_read_file(path, RUN_FILE_MAX, &o, NULL) == HB_OK) {
		if (js_get_str(o, &top, "baseline", JS_OPTIONAL, &text, NULL) == HB_OK && text)
			out->baseline = hb_strdup(text);
		text = NULL;
		if (js_get_str(o, &top, "launcher", JS_OPTIONAL, &text, NULL) == HB_OK && text)
			out->launcher = hb_strdup(text);
		if (js_get_int(o, &top, "code", JS_OPTIONAL, 0, CODE_MAX, &out->code, NULL) !=
		    HB_OK)
			out->code = -1;
	}
	js_put(o);
	free(path);
}

void load_about_free(struct run_about *about)
{
	free(about->baseline);
	free(about->launcher);
	*about = (struct run_about){ .code = -1 };
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

int load_baseline(const struct store *s, const char *name, struct baseline *out, bool *missing,
                  struct hb_err *err)
{
	char *path = store_baseline_path(s, name);
	int rc;
	*missing = access(path, F_OK) != 0;
	if (*missing)
		rc = hb_fail(err, HB_E_USAGE,
		             "no baseline \"%s\" in %s; try hpcbench baseline list", name, s->path);
	else
		rc = baseline_read(path, out, err);
	free(path);
	return rc;
}

bool load_is_baseline(const struct store *s, const char *name)
{
	struct hb_err err;
	struct stat st;
	bool file = strchr(name, '/') || strstr(name, ".json");
	if (!*name || strchr(name, ','))
		return false;
	if (file) /* a run is a folder; what is absent is reported as the baseline it looks like */
		return stat(name, &st) == 0 ? !S_ISDIR(st.st_mode) : strstr(name, ".json") != NULL;
	if (store_check_name("baseline", name, &err) != HB_OK)
		return false;
	char *path = store_baseline_path(s, name);
	bool found = is_file(path);
	free(path);
	return found;
}

static bool is_known(const char *id, const char *const *known, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(id, known[i]) == 0)
			return true;
	return false;
}

static off_t summary_size(const char *dir)
{
	struct stat st;
	char *path = hb_format("%s/summary.json", dir);
	off_t size = stat(path, &st) == 0 ? st.st_size : -1;
	free(path);
	return size;
}

/*
 * Builds out from the runs that belong together: one that is far from the others (a slow node
 * measured last week) would make everything look noisy. Returns how many are left.
 */
static size_t build_stored(const struct summary **runs, size_t n, struct baseline *out)
{
	size_t good = 0;
	if (n == 0)
		return 0;
	baseline_build(runs, n, out);
	for (size_t i = 0; i < n; i++) {
		char *why = baseline_objection(out, runs[i]);
		if (!why)
			runs[good++] = runs[i];
		free(why);
	}
	if (good == n)
		return n;
	baseline_free(out);
	*out = (struct baseline){ 0 };
	if (good)
		baseline_build(runs, good, out);
	return good;
}

size_t load_stored(const struct store *s, const char *const *known, size_t n, size_t max,
                   struct baseline *out)
{
	char **ids = NULL;
	size_t n_ids = 0, found = 0;
	off_t bytes = 0;
	struct summary *runs = hb_alloc((max + 1) * sizeof *runs);
	const struct summary **ptrs = hb_alloc((max + 1) * sizeof(const struct summary *));
	*out = (struct baseline){ 0 };
	/* A store that cannot be listed has no spread to give; the runs named were read already. */
	if (store_run_list(s, &ids, &n_ids, NULL) != HB_OK)
		n_ids = 0;
	for (size_t i = n_ids; i > 0 && found < max; i--) {
		if (is_known(ids[i - 1], known, n))
			continue;
		char *dir = hb_format("%s/runs/%s", s->path, ids[i - 1]);
		off_t size = summary_size(dir);
		bool fits = size > 0 && bytes + size <= STORED_BYTES_MAX;
		struct summary *r = &runs[found];
		if (fits && summary_read(dir, r, NULL) == HB_OK) {
			bytes += size;
			if (r->partial || r->injected)
				summary_free(r);
			else
				ptrs[found++] = r;
		}
		free(dir);
	}
	size_t good = build_stored(ptrs, found, out);
	for (size_t i = 0; i < found; i++)
		summary_free(&runs[i]);
	store_dirs_free(ids, n_ids);
	free(ptrs);
	free(runs);
	return good;
}

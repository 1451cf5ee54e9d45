/* Where suites lie: beside the program as built or installed, or by path. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/plan/suite.h"

enum { SUITE_FILE_MAX = 1 << 20 };
static const char json_end[] = ".json", schema_end[] = ".schema.json";

char *suite_data_path(const char *relative)
{
	const char *env = getenv("HPCBENCH_DATA_PATH");
	char exe[PATH_MAX];
	if (env && *env)
		return hb_format("%s/%s", env, relative);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return hb_strdup(relative);
	exe[n] = '\0';
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	return hb_format("%s/../share/hpcbench/%s", exe, relative);
}

static bool ends_with(const char *name, const char *what)
{
	size_t n = strlen(name), end = strlen(what);
	return n > end && strcmp(name + n - end, what) == 0;
}

static bool has_json_end(const char *name)
{
	return ends_with(name, json_end);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **data_names(const char *dir)
{
	char **v = hb_alloc(sizeof(*v));
	size_t n = 0, cap = 1;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		const char *name = e->d_name;
		if (*name == '.' || !has_json_end(name) || ends_with(name, schema_end))
			continue;
		hb_grow(&v, &cap, n + 2, sizeof(*v));
		v[n++] = hb_strndup(name, strlen(name) - strlen(json_end));
	}
	if (d)
		closedir(d);
	if (n > 1)
		qsort(v, n, sizeof(*v), by_text);
	v[n] = NULL;
	return v;
}

char **suite_names(void)
{
	char *dir = suite_data_path("suites"), **v = data_names(dir);
	free(dir);
	return v;
}

void suite_names_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static int no_such_suite(const char *name, struct hb_err *err)
{
	char **names = suite_names(), *dir = suite_data_path("suites");
	const char *near = units_nearest(name, (const char *const *)names);
	struct buf all = BUF_INIT;
	for (size_t i = 0; names[i]; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	if (near)
		hb_fail(err, HB_E_USAGE, "no suite '%.80s'; did you mean '%s'?", name, near);
	else if (names[0])
		hb_fail(err, HB_E_USAGE, "no suite '%.80s'; there are %s, or give a file's path",
		        name, buf_text(&all));
	else
		hb_fail(err, HB_E_USAGE,
		        "no suite '%.80s': none found in %s; set HPCBENCH_DATA_PATH or give a "
		        "file's path",
		        name, dir);
	buf_free(&all);
	free(dir);
	suite_names_free(names);
	return HB_E_USAGE;
}

int suite_load(const char *name, struct suite *out, struct hb_err *err)
{
	json_object *o = NULL;
	char *path = NULL;
	memset(out, 0, sizeof(*out));
	if (strchr(name, '/') || has_json_end(name)) {
		path = hb_strdup(name);
	} else {
		char *file = hb_format("suites/%s.json", name);
		path = suite_data_path(file);
		free(file);
		if (access(path, F_OK) != 0) {
			free(path);
			return no_such_suite(name, err);
		}
	}
	int rc = js_read_file(path, SUITE_FILE_MAX, &o, err);
	if (rc == HB_OK)
		rc = suite_from_json(o, path, out, err);
	js_put(o);
	free(path);
	return rc;
}

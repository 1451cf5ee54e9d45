/* Which files there are, and all of them together. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/config/config_parts.h"

static const char file_name[] = "hpcbench.json", system_file[] = "/etc/hpcbench.json";

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

/* HPCBENCH_ETC is where etc lies: relative to the program, or a path. */
static char *prefix_path(void)
{
	const char *etc = HPCBENCH_ETC;
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (HPCBENCH_ETC[0] == '/')
		return hb_format("%s/%s", HPCBENCH_ETC, file_name);
	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	cut_last(exe);
	for (; strncmp(etc, "../", 3) == 0; etc += 3)
		cut_last(exe);
	return hb_format("%s/%s/%s", exe, etc, file_name);
}

static char *user_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return hb_format("%s/hpcbench/%s", xdg, file_name);
	if (home && *home == '/')
		return hb_format("%s/.config/hpcbench/%s", home, file_name);
	return NULL;
}

void config_paths_default(struct config_paths *out)
{
	out->path[CONFIG_PREFIX] = prefix_path();
	out->path[CONFIG_SYSTEM] = hb_strdup(system_file);
	out->path[CONFIG_USER] = user_path();
	/* Installed below / or /usr both are the same file. */
	const char *first = out->path[CONFIG_PREFIX];
	char *real = first ? realpath(first, NULL) : NULL;
	if (first && (strcmp(first, system_file) == 0 || (real && strcmp(real, system_file) == 0)))
		free(out->path[CONFIG_PREFIX]), out->path[CONFIG_PREFIX] = NULL;
	free(real);
}

void config_paths_free(struct config_paths *p)
{
	for (int i = 0; i < CONFIG_KINDS; i++)
		free(p->path[i]);
	*p = (struct config_paths){ { NULL } };
}

static int load_one(const char *path, bool user, const struct config_table *tables,
                    struct config *out, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	struct hb_err why;
	bool found = false;
	int rc = config_file_read(path, user, &found, &text, &why);

	if (rc == HB_E_TIMEOUT || rc == HB_E_UNSUPPORTED) {
		free(out->warning);
		out->warning = hb_format("%s; going on without this configuration", why.text);
		rc = HB_OK;
	} else if (rc != HB_OK) {
		rc = hb_fail(err, (enum hb_status)rc, "%s", why.text);
	} else if (found) {
		out->v = hb_realloc_array(out->v, out->n + 1, sizeof *out->v);
		rc = config_parse(buf_text(&text), text.len, path, tables, &out->v[out->n], err);
		out->n += rc == HB_OK;
	}
	buf_free(&text);
	return rc;
}

int config_load(const struct config_paths *paths, const struct config_table *tables,
                struct config *out, struct hb_err *err)
{
	int rc = HB_OK;

	*out = (struct config){ NULL };
	for (int i = 0; i < CONFIG_KINDS && rc == HB_OK; i++)
		if (paths->path[i])
			rc = load_one(paths->path[i], i == CONFIG_USER, tables, out, err);
	return rc;
}

void config_free(struct config *c)
{
	for (size_t i = 0; i < c->n; i++)
		config_layer_free(&c->v[i]);
	free(c->v);
	free(c->warning);
	*c = (struct config){ NULL };
}

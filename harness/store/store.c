/* The store's folders: run ids, finding runs and baselines by name. */
#include "harness/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"

/* 20261130-014210-7f3a: UTC time, then a random part. Ids sort by time. */
enum { ID_LEN = 20, ID_TIME_LEN = 16, ID_TRIES = 200, NAMES_SHOWN = 3 };
enum { SAME_SECOND_NAP_NS = 50000000 };
static const char id_form[] = "dddddddd-dddddd-xxxx";

static bool is_id(const char *s)
{
	for (size_t i = 0; i < ID_LEN; i++) {
		bool digit = s[i] >= '0' && s[i] <= '9';
		bool ok = id_form[i] == '-'   ? s[i] == '-'
		          : id_form[i] == 'd' ? digit
		                              : digit || (s[i] >= 'a' && s[i] <= 'f');
		if (!ok)
			return false;
	}
	return s[ID_LEN] == '\0';
}

/* Names of DIR/sub that wanted() likes, sorted. A folder that is absent is empty. */
static int list_dir(const char *dir, bool (*wanted)(const char *), char ***out, size_t *n,
                    struct hb_err *err)
{
	size_t cap = 0;
	*out = NULL;
	*n = 0;
	DIR *d = opendir(dir);
	if (!d) {
		if (errno == ENOENT)
			return HB_OK;
		return hb_fail(err, HB_E_IO, "cannot read the folder %s: %s", dir, strerror(errno));
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (!wanted(e->d_name))
			continue;
		hb_grow(out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = hb_strdup(e->d_name);
	}
	closedir(d);
	return HB_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(char **v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_text);
}

int store_run_list(const struct store *s, char ***ids, size_t *n, struct hb_err *err)
{
	char *dir = hb_format("%s/runs", s->path);
	int rc = list_dir(dir, is_id, ids, n, err);
	sort_names(*ids, *n);
	free(dir);
	return rc;
}

void store_dirs_free(char **dirs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(dirs[i]);
	free(dirs);
}

/*
 * The random part of an id. Runs made within one second must still sort in their order, so it
 * lies above that of the newest id if that has the same time: last, or -1. -1 if none is left.
 */
static int id_random(int last)
{
	uint16_t r = 0;
	if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
		r = (uint16_t)(getpid() ^ (int)clock());
	if (last < 0)
		return r & 0x7fff; /* the upper half stays for runs of the same second */
	return last >= 0xffff ? -1 : last + 1 + (r & 0xff) % (0xffff - last);
}

/* The newest id's random part if its time is this one, else -1. */
static int last_of_second(const struct store *s, const char *stamp)
{
	char **ids;
	size_t n;
	int last = -1;
	if (store_run_list(s, &ids, &n, NULL) == HB_OK && n &&
	    strncmp(ids[n - 1], stamp, ID_TIME_LEN) == 0)
		last = (int)strtol(ids[n - 1] + ID_TIME_LEN, NULL, 16);
	store_dirs_free(ids, n);
	return last;
}

int store_run_new(const struct store *s, char **id, char **dir, struct hb_err *err)
{
	for (int i = 0; i < ID_TRIES; i++) {
		char stamp[ID_TIME_LEN + 1];
		struct tm tm;
		time_t now = time(NULL);
		if (!gmtime_r(&now, &tm) ||
		    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S-", &tm) != ID_TIME_LEN)
			return hb_fail(err, HB_E_IO, "the system's clock is not usable");
		int r = id_random(last_of_second(s, stamp));
		if (r < 0) { /* no number left in this second */
			nanosleep(&(struct timespec){ 0, SAME_SECOND_NAP_NS }, NULL);
			continue;
		}
		char *name = hb_format("%s%04x", stamp, (unsigned)r);
		char *path = hb_format("%s/runs/%s", s->path, name);
		if (mkdir(path, 0777) == 0) {
			*id = name;
			*dir = path;
			return HB_OK;
		}
		int e = errno;
		if (e != EEXIST)
			hb_fail(err, HB_E_IO,
			        "cannot create the run folder %s: %s; choose another store with "
			        "--store or HPCBENCH_STORE",
			        path, strerror(e));
		free(name);
		free(path);
		if (e != EEXIST)
			return HB_E_IO;
	}
	return hb_fail(err, HB_E_IO, "no free run id found in %s/runs", s->path);
}

/* "latest" and "latest~N": 1 and *back, 0 if name is neither. */
static int parse_latest(const char *name, size_t *back, struct hb_err *err)
{
	const char *rest = name + strlen("latest");
	char *end;
	if (strncmp(name, "latest", strlen("latest")) != 0 || (*rest != '\0' && *rest != '~'))
		return 0;
	*back = 0;
	if (*rest == '\0')
		return 1;
	if (rest[1] < '0' || rest[1] > '9' || strlen(rest + 1) > 9)
		return hb_fail(err, HB_E_USAGE, "'%s': expected latest~N with a small number",
		               name);
	*back = strtoul(rest + 1, &end, 10);
	if (*end)
		return hb_fail(err, HB_E_USAGE, "'%s': expected latest~N with a small number",
		               name);
	return 1;
}

static int find_prefix(const struct store *s, const char *name, char **ids, size_t n, char **dir,
                       struct hb_err *err)
{
	struct buf hits = BUF_INIT;
	const char *hit = NULL;
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(ids[i], name, strlen(name)) != 0)
			continue;
		hit = ids[i];
		if (++found <= NAMES_SHOWN)
			buf_printf(&hits, "%s%s", found > 1 ? ", " : "", ids[i]);
	}
	int rc = HB_OK;
	if (found == 1)
		*dir = hb_format("%s/runs/%s", s->path, hit);
	else if (found == 0)
		rc = hb_fail(err, HB_E_USAGE,
		             "no run '%s' in %s; `hpcbench list runs` shows what is there", name,
		             s->path);
	else
		rc = hb_fail(err, HB_E_USAGE, "'%s' fits %zu runs (%s%s); give more of the id",
		             name, found, buf_text(&hits), found > NAMES_SHOWN ? ", ..." : "");
	buf_free(&hits);
	return rc;
}

/* Does this folder hold what a run begins or ends with? */
static bool has_run(const char *dir)
{
	static const char *const files[] = { "summary.json", "plan.json" };
	bool found = false;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !found; i++) {
		char *path = hb_format("%s/%s", dir, files[i]);
		found = access(path, F_OK) == 0;
		free(path);
	}
	return found;
}

int store_run_find(const struct store *s, const char *name, char **dir, struct hb_err *err)
{
	struct stat st;
	char **ids;
	size_t n, back;
	*dir = NULL;
	if (!*name)
		return hb_fail(err, HB_E_USAGE, "an empty run name");
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		if (stat(name, &st) != 0)
			return hb_fail(err, HB_E_USAGE, "no run directory %s: %s", name,
			               strerror(errno));
		if (!S_ISDIR(st.st_mode) || !has_run(name))
			return hb_fail(err, HB_E_USAGE,
			               "%s is not a run directory; `hpcbench list runs` shows "
			               "what is there",
			               name);
		*dir = hb_strdup(name);
		return HB_OK;
	}
	int latest = parse_latest(name, &back, err);
	if (latest < 0)
		return latest;
	int rc = store_run_list(s, &ids, &n, err);
	if (rc != HB_OK)
		return rc;
	if (!latest)
		rc = find_prefix(s, name, ids, n, dir, err);
	else if (back < n)
		*dir = hb_format("%s/runs/%s", s->path, ids[n - 1 - back]);
	else
		rc = hb_fail(err, HB_E_USAGE,
		             "no run '%s': %s holds %zu run%s; `hpcbench run` makes one", name,
		             s->path, n, n == 1 ? "" : "s");
	store_dirs_free(ids, n);
	return rc;
}

int store_runs_find(const struct store *s, const char *names, char ***dirs, size_t *n,
                    struct hb_err *err)
{
	size_t cap = 0;
	*dirs = NULL;
	*n = 0;
	for (const char *p = names;; p++) {
		size_t len = strcspn(p, ",");
		char *name = hb_strndup(p, len), *dir;
		int rc = store_run_find(s, name, &dir, err);
		free(name);
		if (rc != HB_OK) {
			store_dirs_free(*dirs, *n);
			*dirs = NULL;
			*n = 0;
			return rc;
		}
		hb_grow(dirs, &cap, *n + 1, sizeof(**dirs));
		(*dirs)[(*n)++] = dir;
		p += len;
		if (!*p)
			return HB_OK;
	}
}

static bool has_json_end(const char *name)
{
	size_t n = strlen(name);
	return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

char *store_baseline_path(const struct store *s, const char *name)
{
	if (strchr(name, '/') || has_json_end(name))
		return hb_strdup(name);
	return hb_format("%s/baselines/%s.json", s->path, name);
}

static bool is_baseline(const char *name)
{
	return name[0] != '.' && has_json_end(name);
}

int store_baseline_list(const struct store *s, char ***names, size_t *n, struct hb_err *err)
{
	char *dir = hb_format("%s/baselines", s->path);
	int rc = list_dir(dir, is_baseline, names, n, err);
	for (size_t i = 0; i < *n; i++)
		(*names)[i][strlen((*names)[i]) - 5] = '\0';
	sort_names(*names, *n);
	free(dir);
	return rc;
}

/* Digits alone, or eight and a dash: the beginning of a run's id. */
static bool looks_like_id(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits > 0 && (name[digits] == '\0' || (digits == 8 && name[digits] == '-'));
}

int store_check_name(const char *what, const char *name, struct hb_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "0123456789._-";
	size_t n = strlen(name);
	if (n == 0 || n > 128 || name[0] == '.' || name[0] == '-' || strspn(name, allowed) != n)
		return hb_fail(err, HB_E_USAGE,
		               "%s '%.140s': use 1 to 128 letters, digits, '.', '-' and '_', not "
		               "beginning with '.' or '-'",
		               what, name);
	if (strncmp(name, "latest", 6) == 0 || looks_like_id(name))
		return hb_fail(err, HB_E_USAGE,
		               "%s '%.140s': runs are named like that; use another", what, name);
	return HB_OK;
}

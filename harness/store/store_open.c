/* Opening the store: is it there, does it answer, can it be written, is there room? */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/store/store_parts.h"

enum { PROBE_BYTES = 4096, FREE_FILES_MIN = 16 };

static int make_dir(const char *path, struct hb_err *err)
{
	struct stat st;
	if (mkdir(path, 0777) == 0)
		return HB_OK;
	int e = errno;
	if (e == EEXIST && stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return HB_OK;
		e = ENOTDIR;
	}
	return hb_fail(err, HB_E_IO,
	               "cannot create the folder %s: %s; choose another store with --store or "
	               "HPCBENCH_STORE",
	               path, strerror(e));
}

/* Makes every missing folder of path. */
static int make_dirs(const char *path, struct hb_err *err)
{
	char *p = hb_strdup(path);
	int rc = HB_OK;
	for (char *s = p + 1; rc == HB_OK && *s; s++) {
		struct stat st;
		if (*s != '/')
			continue;
		*s = '\0';
		/* A parent that exists may be on a read-only system: do not even try. */
		if (stat(p, &st) != 0 || !S_ISDIR(st.st_mode))
			rc = make_dir(p, err);
		*s = '/';
	}
	if (rc == HB_OK)
		rc = make_dir(p, err);
	free(p);
	return rc;
}

static char *store_path(const char *opt, struct hb_err *err)
{
	const char *xdg = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	char *path = NULL;
	if (opt && *opt)
		path = hb_strdup(opt);
	else if (xdg && *xdg == '/')
		path = hb_format("%s/hpcbench", xdg);
	else if (home && *home)
		path = hb_format("%s/.local/share/hpcbench", home);
	else
		hb_fail(err, HB_E_USAGE,
		        "no store: HOME is not set; say where with --store or HPCBENCH_STORE");
	for (size_t n = path ? strlen(path) : 0; n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	return path;
}

static int fail_other(struct hb_err *err, const char *what, const char *path, int e)
{
	return hb_fail(err, HB_E_IO,
	               "cannot %s %s: %s; %schoose another store with --store or HPCBENCH_STORE",
	               what, path, strerror(e), e == ENOSPC || e == EDQUOT ? "make room or " : "");
}

/* Writes, syncs and reads back: 0 or errno. */
static int try_file(int fd)
{
	char out[PROBE_BYTES], in[PROBE_BYTES];
	size_t done;

	memset(out, 'x', sizeof out);
	int e = store_write_all(fd, out, sizeof out, &done);
	if (!e)
		e = store_sync_fd(fd, fsync);
	if (!e && pread(fd, in, sizeof in, 0) != (ssize_t)sizeof in)
		e = errno ? errno : EIO;
	return !e && memcmp(in, out, sizeof in) != 0 ? EIO : e;
}

static int probe_write(const char *runs, struct hb_err *err)
{
	char *path = hb_format("%s/.probe", runs), *temp = NULL;
	int fd = store_open_temp(path, &temp), e = fd < 0 ? errno : 0;

	if (fd >= 0) {
		e = try_file(fd);
		if (close(fd) != 0 && !e)
			e = errno;
		if (unlink(temp) != 0 && !e)
			e = errno;
	}
	free(temp);
	free(path);
	return e ? fail_other(err, "write to", runs, e) : HB_OK;
}

static int make_store(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct store *s = ctx;
	char *runs = hb_format("%s/runs", s->path);
	char *baselines = hb_format("%s/baselines", s->path);
	int rc = make_dirs(runs, err);

	(void)out;
	if (rc == HB_OK)
		rc = make_dirs(baselines, err);
	if (rc == HB_OK)
		rc = probe_write(runs, err);
	free(runs);
	free(baselines);
	return rc;
}

/* A store that is not there is an empty one. */
static int look_at_store(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct store *s = ctx;
	char *runs = hb_format("%s/runs", s->path);
	struct stat st;
	int e = 0;

	(void)out;
	if (stat(s->path, &st) != 0)
		e = errno == ENOENT ? 0 : errno;
	else if (!S_ISDIR(st.st_mode))
		e = ENOTDIR;
	DIR *d = e ? NULL : opendir(runs);
	if (d) {
		(void)readdir(d);
		closedir(d);
	}
	free(runs);
	if (e)
		return hb_fail(err, HB_E_IO,
		               "cannot read the store %s: %s; choose another with --store or "
		               "HPCBENCH_STORE",
		               s->path, strerror(e));
	return HB_OK;
}

static int fail_silent(const struct store *s, struct hb_err *err)
{
	return hb_fail(err, HB_E_IO,
	               "the store %s does not answer (a hung file system?); choose another with "
	               "--store or HPCBENCH_STORE",
	               s->path);
}

int store_open(const char *opt, bool create, struct store *out, struct hb_err *err)
{
	out->path = store_path(opt, err);
	if (!out->path)
		return HB_E_USAGE;
	int rc = store_apart(create ? make_store : look_at_store, out, STORE_PROBE_S, NULL, err);
	if (rc == HB_E_TIMEOUT)
		rc = fail_silent(out, err);
	if (rc != HB_OK)
		store_close(out);
	return rc;
}

void store_close(struct store *s)
{
	free(s->path);
	s->path = NULL;
}

/* ---- room ---- */

struct room {
	double bytes, files; /* free; files negative: no limit */
};

static int look_for_room(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct store *s = ctx;
	struct statvfs v;

	if (statvfs(s->path, &v) != 0)
		return fail_other(err, "look at", s->path, errno);
	struct room r = { (double)v.f_bavail * (double)v.f_frsize,
		          v.f_files ? (double)v.f_favail : -1 };
	buf_add(out, &r, sizeof r);
	return HB_OK;
}

/* "1.5 GB", and "" where it is nothing. */
static void bytes_text(double bytes, char out[32])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t i = 0;

	for (; bytes >= 1000 && i + 1 < sizeof units / sizeof units[0]; i++)
		bytes /= 1000;
	snprintf(out, 32, i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}

int store_room(const struct store *s, double need, char **tight, struct hb_err *err)
{
	struct store look = *s;
	struct buf out = BUF_INIT;
	struct room r = { 0, 0 };
	char wanted[32], there[32];
	int rc = store_apart(look_for_room, &look, STORE_PROBE_S, &out, err);

	*tight = NULL;
	if (rc == HB_OK && out.len == sizeof r)
		memcpy(&r, out.data, sizeof r);
	buf_free(&out);
	if (rc != HB_OK)
		return rc == HB_E_TIMEOUT ? fail_silent(s, err) : rc;
	bytes_text(need, wanted);
	bytes_text(r.bytes, there);
	if (r.bytes < need)
		return hb_fail(err, HB_E_IO,
		               "this run will write about %s, and the store %s has room for %s; "
		               "make room or choose another store with --store or HPCBENCH_STORE",
		               wanted, s->path, there);
	if (r.files >= 0 && r.files < FREE_FILES_MIN)
		return hb_fail(err, HB_E_IO,
		               "no more files can be made in the store %s; make room or choose "
		               "another store with --store or HPCBENCH_STORE",
		               s->path);
	if (r.bytes < 2 * need)
		*tight = hb_format("this run will write about %s, and the store %s has room for %s",
		                   wanted, s->path, there);
	return HB_OK;
}

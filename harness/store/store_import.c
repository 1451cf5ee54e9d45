/* Taking runs in that somebody else made. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_export.h"
#include "harness/store/store_remove.h"
#include "harness/store/store_tar.h"

enum { CHUNK = 256 * 1024, MEMBERS_MAX = 100000 };
#define FILE_BYTES_MAX  ((uint64_t)4 << 30)
#define TOTAL_BYTES_MAX ((uint64_t)64 << 30)

/* A run or baseline that waits under a temporary name until everything has been read. */
struct staged {
	char *name, *temp; /* in its folder */
	int dir;           /* of a run, open; -1: a baseline */
	bool skip;         /* the store has it */
};

struct importing {
	const char *from;
	int runs, baselines; /* the store's folders, open */
	unsigned mark;       /* in temporary names */
	struct staged *v;
	size_t n, cap, n_members;
	char *chunk;
	struct import *out;
};

static int refuse(const struct importing *im, struct hb_err *err, const char *fmt, ...)
        HB_PRINTF(3, 4);
static int refuse(const struct importing *im, struct hb_err *err, const char *fmt, ...)
{
	struct hb_err why;
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(why.text, sizeof why.text, fmt, ap);
	va_end(ap);
	return hb_fail(err, HB_E_FORMAT, "%s refused, nothing was taken: %s", im->from, why.text);
}

static int fail_io(const char *what, const char *name, struct hb_err *err)
{
	return hb_fail(err, HB_E_IO, "cannot %s %s: %s", what, name, strerror(errno));
}

/* The entry of a run or baseline, made when its first file comes; NULL with err. */
static struct staged *stage(struct importing *im, const char *name, bool run, struct hb_err *err)
{
	int parent = run ? im->runs : im->baselines;
	for (size_t i = im->n; i > 0; i--)
		if ((im->v[i - 1].dir >= 0 || im->v[i - 1].skip) &&
		    strcmp(im->v[i - 1].name, name) == 0)
			return &im->v[i - 1];
	char *temp = hb_format("%s.%08x.import.tmp", name, im->mark);
	bool there = faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	int dir = -1;
	if (run && !there) {
		if (mkdirat(parent, temp, 0777) == 0)
			dir = openat(parent, temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir < 0) {
			(void)fail_io("make", temp, err);
			free(temp);
			return NULL;
		}
	}
	hb_grow(&im->v, &im->cap, im->n + 1, sizeof(*im->v));
	struct staged *s = &im->v[im->n++];
	*s = (struct staged){ hb_strdup(name), temp, dir, there };
	return s;
}

/* Copies size bytes of fd into a new file of dir; dir -1: reads over them. */
static int take_bytes(struct importing *im, int fd, uint64_t size, int dir, const char *name,
                      struct hb_err *err)
{
	int rc = HB_OK, out = -1;
	if (dir >= 0) {
		out = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (out < 0)
			return errno == EEXIST ? refuse(im, err, "%s stands there twice", name)
			                       : fail_io("write", name, err);
	}
	for (uint64_t left = size; rc == HB_OK && left > 0;) {
		ssize_t n = read(fd, im->chunk, left < CHUNK ? (size_t)left : CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			rc = n < 0 ? fail_io("read", im->from, err)
			           : refuse(im, err, "it ends in the middle of %s", name);
		for (ssize_t done = 0; out >= 0 && rc == HB_OK && done < n;) {
			ssize_t w = write(out, im->chunk + done, (size_t)(n - done));
			if (w <= 0 && errno != EINTR)
				rc = fail_io("write", name, err);
			done += w > 0 ? w : 0;
		}
		left -= n > 0 ? (uint64_t)n : 0;
	}
	if (out >= 0) {
		if (rc == HB_OK && fsync(out) != 0 && errno != EINVAL)
			rc = fail_io("write", name, err);
		close(out);
		im->out->bytes += rc == HB_OK ? size : 0;
	}
	return rc;
}

static bool is_run_file(const char *name)
{
	for (size_t i = 0; store_run_files[i]; i++)
		if (strcmp(store_run_files[i], name) == 0)
			return true;
	return false;
}

static int take_run_file(struct importing *im, const char *id, const char *file, int fd,
                         uint64_t size, struct hb_err *err)
{
	struct staged *s = stage(im, id, true, err);
	return s ? take_bytes(im, fd, size, s->skip ? -1 : s->dir, file, err) : HB_E_IO;
}

static int take_baseline(struct importing *im, const char *file, int fd, uint64_t size,
                         struct hb_err *err)
{
	size_t n = strlen(file);
	struct hb_err why;
	char *name = hb_strndup(file, n > 5 ? n - 5 : 0);
	bool good = n > 5 && strcmp(file + n - 5, ".json") == 0 &&
	            store_check_name("baseline", name, &why) == HB_OK;
	free(name);
	if (!good)
		return refuse(im, err, "'%.80s' is no name of a baseline", file);
	struct staged *s = stage(im, file, false, err);
	if (!s)
		return HB_E_IO;
	return take_bytes(im, fd, size, s->skip ? -1 : im->baselines, s->temp, err);
}

/* What a store holds beside runs and baselines is its own: an archive of all of it has them too. */
static bool is_own_file(const char *name)
{
	static const char *const names[] = { "coverage.json", "acks.json" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* One file, by the name that it has in a store. */
static int take_member(struct importing *im, const char *name, int fd, uint64_t size,
                       struct hb_err *err)
{
	const char *slash = strncmp(name, "runs/", 5) == 0 ? strchr(name + 5, '/') : NULL;
	if (++im->n_members > MEMBERS_MAX)
		return refuse(im, err, "more than %d files", (int)MEMBERS_MAX);
	if (size > FILE_BYTES_MAX || im->out->bytes + size > TOTAL_BYTES_MAX)
		return refuse(im, err, "'%s' is too large", name);
	if (slash) {
		char *id = hb_strndup(name + 5, (size_t)(slash - name) - 5);
		int rc = store_is_run_id(id) && is_run_file(slash + 1)
		                 ? take_run_file(im, id, slash + 1, fd, size, err)
		                 : refuse(im, err, "'%s' is no file of a run", name);
		free(id);
		return rc;
	}
	if (strncmp(name, "baselines/", 10) == 0 && !strchr(name + 10, '/'))
		return take_baseline(im, name + 10, fd, size, err);
	if (is_own_file(name))
		return take_bytes(im, fd, size, -1, name, err);
	return refuse(im, err, "'%s' is no file of a store", name);
}

/* ---- archives ---- */

/* 1: a block; 0: the end, or the rest of one; -1 with errno. */
static int read_block(int fd, char block[TAR_BLOCK])
{
	size_t have = 0;
	while (have < TAR_BLOCK) {
		ssize_t n = read(fd, block + have, TAR_BLOCK - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		have += (size_t)n;
	}
	return 1;
}

static int take_archive(struct importing *im, int fd, struct hb_err *err)
{
	char block[TAR_BLOCK];
	for (;;) {
		struct tar_entry e;
		struct hb_err why;
		int got = read_block(fd, block);
		if (got < 0)
			return fail_io("read", im->from, err);
		if (got == 0)
			return refuse(im, err, "it ends early");
		if (tar_read(block, &e, &why) != HB_OK)
			return refuse(im, err, "%s", why.text);
		if (e.kind == TAR_END)
			return HB_OK;
		if (e.kind == TAR_FOLDER && e.size == 0)
			continue; /* folders are made for files, whatever is said of them */
		const char *name = e.name + (strncmp(e.name, "./", 2) == 0 ? 2 : 0);
		int rc = e.kind == TAR_FOLDER ? refuse(im, err, "a folder with contents")
		                              : take_member(im, name, fd, e.size, err);
		if (rc != HB_OK)
			return rc;
		if (tar_padding(e.size) &&
		    read(fd, block, tar_padding(e.size)) != (ssize_t)tar_padding(e.size))
			return refuse(im, err, "it ends early");
	}
}

/* ---- folders ---- */

/* A file of this folder, if it is there; a link is refused. */
static int take_file(struct importing *im, int dir, const char *file, const char *name,
                     struct hb_err *err)
{
	struct stat st;
	int rc, fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return HB_OK;
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		rc = refuse(im, err, "'%s' is not a file that can be read", name);
	else
		rc = take_member(im, name, fd, (uint64_t)st.st_size, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int take_run_folder(struct importing *im, const char *id, struct hb_err *err)
{
	char *path = hb_format("%s/runs/%s", im->from, id);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = dir < 0 ? refuse(im, err, "runs/%s: %s", id, strerror(errno)) : HB_OK;
	for (size_t i = 0; rc == HB_OK && store_run_files[i]; i++) {
		char *name = hb_format("runs/%s/%s", id, store_run_files[i]);
		rc = take_file(im, dir, store_run_files[i], name, err);
		free(name);
	}
	if (dir >= 0)
		close(dir);
	free(path);
	return rc;
}

static int take_folder(struct importing *im, struct hb_err *err)
{
	struct store from = { .path = hb_strdup(im->from) };
	char **ids = NULL, **names = NULL;
	size_t n = 0, n_names = 0;
	int rc = store_run_list(&from, &ids, &n, err);
	if (rc == HB_OK)
		rc = store_baseline_list(&from, &names, &n_names, err);
	if (rc == HB_OK && n + n_names == 0)
		rc = refuse(im, err, "it holds neither runs nor baselines");
	for (size_t i = 0; rc == HB_OK && i < n; i++)
		rc = take_run_folder(im, ids[i], err);
	for (size_t i = 0; rc == HB_OK && i < n_names; i++) {
		char *name = hb_format("baselines/%s.json", names[i]);
		char *path = hb_format("%s/%s", im->from, name);
		rc = take_file(im, AT_FDCWD, path, name, err);
		free(path);
		free(name);
	}
	store_dirs_free(ids, n);
	store_dirs_free(names, n_names);
	store_close(&from);
	return rc;
}

/* ---- the end ---- */

static void add(char ***v, size_t *cap, size_t *n, const char *name)
{
	hb_grow(v, cap, *n + 1, sizeof(**v));
	(*v)[(*n)++] = hb_strdup(name);
}

/* Some file systems cannot refuse to replace by themselves. */
static int rename_new(int parent, const char *from, const char *to)
{
	if (renameat2(parent, from, parent, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (faccessat(parent, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(parent, from, parent, to);
}

/* Gives everything its name; what came into being meanwhile stays as it is. */
static int settle(struct importing *im, struct hb_err *err)
{
	struct import *out = im->out;
	int rc = HB_OK;
	for (size_t i = 0; i < im->n && rc == HB_OK; i++) {
		struct staged *s = &im->v[i];
		bool run = s->dir >= 0;
		int parent = run ? im->runs : im->baselines;
		if (s->skip) {
			add(&out->skipped, &out->cap_skipped, &out->n_skipped, s->name);
			continue;
		}
		if (rename_new(parent, s->temp, s->name) != 0) {
			rc = fail_io("name", s->name, err);
			break;
		}
		s->skip = true; /* no longer to be cleared away */
		if (run)
			add(&out->runs, &out->cap_runs, &out->n_runs, s->name);
		else
			add(&out->baselines, &out->cap_baselines, &out->n_baselines, s->name);
	}
	if (rc == HB_OK && (fsync(im->runs) != 0 || fsync(im->baselines) != 0) && errno != EINVAL)
		rc = fail_io("write", "the store", err);
	return rc;
}

static void clear_away(struct importing *im)
{
	for (size_t i = 0; i < im->n; i++) {
		struct staged *s = &im->v[i];
		if (!s->skip && s->dir >= 0)
			(void)remove_tree(im->runs, s->temp, s->dir, NULL);
		else if (!s->skip)
			(void)unlinkat(im->baselines, s->temp, 0);
		if (s->dir >= 0)
			close(s->dir);
		free(s->name);
		free(s->temp);
	}
	free(im->v);
	free(im->chunk);
}

static int open_folder(const struct store *s, const char *name, struct hb_err *err)
{
	char *path = hb_format("%s/%s", s->path, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		(void)fail_io("open", path, err);
	free(path);
	return fd;
}

int store_import(const struct store *s, const char *from, struct import *out, struct hb_err *err)
{
	struct importing im = { .from = from, .runs = -1, .baselines = -1, .out = out };
	struct stat st = { 0 };
	int rc = HB_OK, fd = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*out = (struct import){ 0 };
	if (fd < 0 || fstat(fd, &st) != 0)
		rc = fail_io("read", from, err);
	else if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		rc = refuse(&im, err, "neither an archive nor a folder");
	if (rc == HB_OK && (im.runs = open_folder(s, "runs", err)) < 0)
		rc = HB_E_IO;
	if (rc == HB_OK && (im.baselines = open_folder(s, "baselines", err)) < 0)
		rc = HB_E_IO;
	if (rc == HB_OK) {
		if (getrandom(&im.mark, sizeof im.mark, 0) != (ssize_t)sizeof im.mark)
			im.mark = (unsigned)getpid();
		im.chunk = hb_alloc(CHUNK);
		rc = S_ISDIR(st.st_mode) ? take_folder(&im, err) : take_archive(&im, fd, err);
	}
	if (rc == HB_OK && im.n == 0)
		rc = refuse(&im, err, "it is empty");
	if (rc == HB_OK)
		rc = settle(&im, err);
	clear_away(&im);
	if (fd >= 0)
		close(fd);
	if (im.runs >= 0)
		close(im.runs);
	if (im.baselines >= 0)
		close(im.baselines);
	return rc;
}

void store_import_free(struct import *i)
{
	store_dirs_free(i->runs, i->n_runs);
	store_dirs_free(i->skipped, i->n_skipped);
	store_dirs_free(i->baselines, i->n_baselines);
	*i = (struct import){ 0 };
}

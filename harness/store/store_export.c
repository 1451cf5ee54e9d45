#include "harness/store/store_export.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_tar.h"

enum { CHUNK = 256 * 1024 };

const char *const store_run_files[] = {
	"plan.json",     "journal.jsonl", "records.jsonl", "run.json",      "summary.json",
	"verdicts.json", "findings.json", "facts.json",    "samples.jsonl", NULL
};

/* Where files go: the archive, or a folder. */
struct sink {
	const char *to;
	int fd; /* of the archive; -1: a folder */
	char *chunk;
	uint64_t bytes;
};

bool store_is_archive(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && strcmp(path + n - 4, ".tar") == 0;
}

bool store_is_run_id(const char *text)
{
	static const char digits[] = "0123456789", hex[] = "0123456789abcdef";
	return strspn(text, digits) == 8 && text[8] == '-' && strspn(text + 9, digits) == 6 &&
	       text[15] == '-' && strspn(text + 16, hex) == 4 && text[20] == '\0';
}

static int write_all(const struct sink *k, int fd, const char *data, size_t len, struct hb_err *err)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hb_fail(err, HB_E_IO, "cannot write %s: %s", k->to,
			               strerror(n == 0 ? ENOSPC : errno));
		data += n;
		len -= (size_t)n;
	}
	return HB_OK;
}

/* Exactly size bytes: a file that grows meanwhile is cut, one that shrinks is an error. */
static int copy(struct sink *k, int from, int to, uint64_t size, const char *path,
                struct hb_err *err)
{
	uint64_t left = size;
	while (left > 0) {
		ssize_t n = read(from, k->chunk, left < CHUNK ? (size_t)left : CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hb_fail(err, HB_E_IO, "cannot read %s: %s", path,
			               n < 0 ? strerror(errno) : "it became shorter meanwhile");
		int rc = write_all(k, to, k->chunk, (size_t)n, err);
		if (rc != HB_OK)
			return rc;
		left -= (uint64_t)n;
	}
	k->bytes += size;
	return HB_OK;
}

static int to_archive(struct sink *k, int fd, const struct stat *st, const char *name,
                      const char *path, struct hb_err *err)
{
	static const char zeros[TAR_BLOCK];
	struct tar_entry e = { .kind = TAR_FILE,
		               .size = (uint64_t)st->st_size,
		               .mtime = st->st_mtime > 0 ? (uint64_t)st->st_mtime : 0 };
	char block[TAR_BLOCK];
	if (strlen(name) > TAR_NAME_MAX)
		return hb_fail(err, HB_E_USAGE,
		               "%s: its name is too long for an archive; use a folder", name);
	memcpy(e.name, name, strlen(name) + 1);
	int rc = tar_write(&e, block, err);
	if (rc == HB_OK)
		rc = write_all(k, k->fd, block, TAR_BLOCK, err);
	if (rc == HB_OK)
		rc = copy(k, fd, k->fd, e.size, path, err);
	if (rc == HB_OK)
		rc = write_all(k, k->fd, zeros, tar_padding(e.size), err);
	return rc;
}

static int to_folder(struct sink *k, int fd, const struct stat *st, const char *name,
                     const char *path, struct hb_err *err)
{
	char *target = hb_format("%s/%s", k->to, name);
	int out = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc = HB_OK;
	if (out < 0 && errno == EEXIST)
		rc = hb_fail(err, HB_E_USAGE, "%s exists and is never overwritten", target);
	else if (out < 0)
		rc = hb_fail(err, HB_E_IO, "cannot write %s: %s", target, strerror(errno));
	else
		rc = copy(k, fd, out, (uint64_t)st->st_size, path, err);
	if (rc == HB_OK && fsync(out) != 0 && errno != EINVAL)
		rc = hb_fail(err, HB_E_IO, "cannot write %s: %s", target, strerror(errno));
	if (out >= 0)
		close(out);
	free(target);
	return rc;
}

/* One file of the store, under its name there. *missing: it is not there. */
static int put_file(struct sink *k, const struct store *s, const char *name, bool *missing,
                    struct hb_err *err)
{
	char *path = hb_format("%s/%s", s->path, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc = HB_OK;
	struct stat st;
	*missing = fd < 0 && errno == ENOENT;
	if (fd < 0 && !*missing)
		rc = hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
	else if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
		rc = hb_fail(err, HB_E_IO, "cannot read %s: not a regular file", path);
	else if (fd >= 0)
		rc = k->fd >= 0 ? to_archive(k, fd, &st, name, path, err)
		                : to_folder(k, fd, &st, name, path, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

static int put_run(struct sink *k, const struct store *s, const char *id, bool no_samples,
                   struct hb_err *err)
{
	size_t n = 0;
	int rc = HB_OK;
	if (k->fd < 0) {
		char *dir = hb_format("%s/runs/%s", k->to, id);
		if (mkdir(dir, 0777) != 0)
			rc = hb_fail(err, errno == EEXIST ? HB_E_USAGE : HB_E_IO,
			             "cannot make %s: %s", dir, strerror(errno));
		free(dir);
	}
	for (size_t i = 0; rc == HB_OK && store_run_files[i]; i++) {
		bool missing = false;
		if (no_samples && strcmp(store_run_files[i], "samples.jsonl") == 0)
			continue;
		char *name = hb_format("runs/%s/%s", id, store_run_files[i]);
		rc = put_file(k, s, name, &missing, err);
		n += !missing;
		free(name);
	}
	if (rc == HB_OK && n == 0)
		rc = hb_fail(err, HB_E_USAGE, "run %s is empty", id);
	return rc;
}

static int put_all(struct sink *k, const struct store *s, const struct export *what,
                   struct hb_err *err)
{
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < what->n_ids; i++)
		rc = put_run(k, s, what->ids[i], what->no_samples, err);
	for (size_t i = 0; rc == HB_OK && i < what->n_baselines; i++) {
		bool missing = false;
		char *name = hb_format("baselines/%s.json", what->baselines[i]);
		rc = put_file(k, s, name, &missing, err);
		if (rc == HB_OK && missing)
			rc = hb_fail(err, HB_E_USAGE,
			             "no baseline \"%s\" in %s; try hpcbench baseline list",
			             what->baselines[i], s->path);
		free(name);
	}
	return rc;
}

static int end_archive(struct sink *k, struct hb_err *err)
{
	static const char zeros[2 * TAR_BLOCK];
	int rc = write_all(k, k->fd, zeros, sizeof zeros, err);
	if (rc == HB_OK && fsync(k->fd) != 0 && errno != EINVAL)
		rc = hb_fail(err, HB_E_IO, "cannot write %s: %s", k->to, strerror(errno));
	if (close(k->fd) != 0 && rc == HB_OK)
		rc = hb_fail(err, HB_E_IO, "cannot write %s: %s", k->to, strerror(errno));
	return rc;
}

int store_export(const struct store *s, const struct export *what, const char *to, uint64_t *bytes,
                 struct hb_err *err)
{
	struct sink k = { .to = to, .fd = -1 };
	struct store folder = { 0 };
	int rc = HB_OK;
	*bytes = 0;
	if (!store_is_archive(to)) {
		rc = store_open(to, true, &folder, err);
	} else {
		k.fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (k.fd < 0 && errno == EEXIST)
			return hb_fail(err, HB_E_USAGE,
			               "%s exists and is never overwritten; choose another name "
			               "with --to",
			               to);
		if (k.fd < 0)
			return hb_fail(err, HB_E_IO, "cannot write %s: %s", to, strerror(errno));
	}
	k.chunk = hb_alloc(CHUNK);
	if (rc == HB_OK)
		rc = put_all(&k, s, what, err);
	if (k.fd >= 0 && rc == HB_OK)
		rc = end_archive(&k, err);
	else if (k.fd >= 0)
		close(k.fd);
	if (k.fd >= 0 && rc != HB_OK)
		unlink(to);
	free(k.chunk);
	store_close(&folder);
	*bytes = k.bytes;
	return rc;
}

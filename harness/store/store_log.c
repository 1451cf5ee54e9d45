/* Writing the store: whole files by rename, logs by append. */
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_parts.h"

enum { LOG_BUFFER = 64 * 1024, TEMP_TRIES = 16 };

int store_fail_io(struct hb_err *err, const char *what, const char *path, int e)
{
	const char *hint = e == ENOSPC || e == EDQUOT
	                           ? "; make room or choose another store with --store"
	                           : "";
	return hb_fail(err, HB_E_IO, "cannot %s %s: %s%s", what, path, strerror(e), hint);
}

/* Writes all of it or fails; *done counts what went out. */
int store_write_all(int fd, const char *data, size_t len, size_t *done)
{
	for (*done = 0; *done < len;) {
		ssize_t n = write(fd, data + *done, len - *done);
		if (n > 0)
			*done += (size_t)n;
		else if (n == 0)
			return ENOSPC;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

/* Pipes and devices cannot be synced; that is no error of theirs. */
int store_sync_fd(int fd, int (*how)(int))
{
	while (how(fd) != 0) {
		if (errno == EINTR)
			continue;
		return errno == EINVAL || errno == EROFS ? 0 : errno;
	}
	return 0;
}

/* The folder's entry must reach the disk too, else a crash may lose the rename. */
static int sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? hb_strndup(path, slash == path ? 1 : (size_t)(slash - path))
	                  : hb_strdup(".");
	int e = 0, fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0)
		return errno;
	e = store_sync_fd(fd, fsync);
	close(fd);
	return e;
}

int store_open_temp(const char *path, char **temp)
{
	char host[65];

	store_host(host);
	for (int i = 0; i < TEMP_TRIES; i++) {
		unsigned r = (unsigned)i;
		if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
			r += (unsigned)getpid();
		/* store_temp_dead reads this name. mkstemp would make the file 0600. */
		*temp = hb_format("%s.%s.%ld.%08x.tmp", path, host, (long)getpid(), r);
		int fd = open(*temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		int e = errno;
		free(*temp);
		*temp = NULL;
		errno = e;
		if (e != EEXIST)
			return -1;
	}
	return -1;
}

int store_write(const char *path, const void *data, size_t len, struct hb_err *err)
{
	char *temp;
	size_t done;
	int fd = store_open_temp(path, &temp);
	if (fd < 0)
		return store_fail_io(err, "write", path, errno);
	int e = store_write_all(fd, data, len, &done);
	if (!e)
		e = store_sync_fd(fd, fsync);
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && rename(temp, path) != 0)
		e = errno;
	if (e)
		unlink(temp);
	else
		e = sync_parent(path);
	free(temp);
	return e ? store_fail_io(err, "write", path, e) : HB_OK;
}

int store_write_json(const char *path, json_object *o, struct hb_err *err)
{
	struct buf b = BUF_INIT;
	js_write(o, JS_PRETTY, &b);
	if (b.len == 0 || b.data[b.len - 1] != '\n')
		buf_putc(&b, '\n');
	int rc = store_write(path, b.data, b.len, err);
	buf_free(&b);
	return rc;
}

struct store_log {
	int fd;
	char *path;
	struct buf out;
	off_t synced; /* its size when it was last known to be on disk; -1: no ordinary file */
};

/* Cuts the file back to its last whole line at or before size. A line is at most JS_LINE_MAX. */
static void cut_back(const struct store_log *l, off_t size)
{
	char *text = hb_alloc(JS_LINE_MAX + 2);
	off_t from = size > JS_LINE_MAX + 1 ? size - (JS_LINE_MAX + 1) : 0;
	ssize_t n = pread(l->fd, text, (size_t)(size - from), from);

	bool known = n == size - from;

	while (n > 0 && text[n - 1] != '\n')
		n--;
	if (known && (n > 0 || from == 0) && from + n < size)
		(void)!ftruncate(l->fd, from + n);
	free(text);
}

int store_log_open(const char *path, struct store_log **out, struct hb_err *err)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return store_fail_io(err, "open", path, errno);
	struct store_log *l = hb_alloc(sizeof(*l));
	l->fd = fd;
	l->path = hb_strdup(path);
	l->synced = -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		/* A line that a killed writer left half done must not swallow the next one. */
		if (st.st_size > 0)
			cut_back(l, st.st_size);
		l->synced = fstat(fd, &st) == 0 ? st.st_size : 0;
	}
	*out = l;
	return HB_OK;
}

uint64_t store_log_size(const struct store_log *l)
{
	return l->synced > 0 ? (uint64_t)l->synced : 0;
}

static int flush(struct store_log *l, struct hb_err *err)
{
	struct stat st;
	size_t done;
	if (l->out.len == 0)
		return HB_OK;
	int e = store_write_all(l->fd, l->out.data, l->out.len, &done);
	if (!e) {
		buf_clear(&l->out);
		return HB_OK;
	}
	/* What does not fit is not there by halves; what was cut off is kept here. */
	if (l->synced >= 0 && fstat(l->fd, &st) == 0 && done > 0) {
		size_t whole = done;
		while (whole > 0 && l->out.data[whole - 1] != '\n')
			whole--;
		if (ftruncate(l->fd, st.st_size - (off_t)(done - whole)) == 0)
			done = whole;
	}
	buf_drop(&l->out, done);
	return store_fail_io(err, "write", l->path, e);
}

int store_log_text(struct store_log *l, const void *lines, size_t len, struct hb_err *err)
{
	buf_add(&l->out, lines, len);
	return l->out.len >= LOG_BUFFER ? flush(l, err) : HB_OK;
}

int store_log_line(struct store_log *l, json_object *o, struct hb_err *err)
{
	js_write(o, JS_PLAIN, &l->out);
	buf_putc(&l->out, '\n');
	return l->out.len >= LOG_BUFFER ? flush(l, err) : HB_OK;
}

int store_log_sync(struct store_log *l, struct hb_err *err)
{
	struct stat st;
	int rc = flush(l, err);
	if (rc != HB_OK)
		return rc;
	int e = store_sync_fd(l->fd, fdatasync);
	if (e) {
		/* Which of the pages are on disk is not known: none since the last time. */
		if (l->synced >= 0)
			(void)!ftruncate(l->fd, l->synced);
		return store_fail_io(err, "sync", l->path, e);
	}
	if (l->synced >= 0 && fstat(l->fd, &st) == 0)
		l->synced = st.st_size;
	return HB_OK;
}

int store_log_close(struct store_log *l, struct hb_err *err)
{
	if (!l)
		return HB_OK;
	int rc = store_log_sync(l, err);
	if (close(l->fd) != 0 && rc == HB_OK)
		rc = store_fail_io(err, "close", l->path, errno);
	free(l->path);
	buf_free(&l->out);
	free(l);
	return rc;
}

/* Writing the store: whole files by rename, logs by append. */
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store.h"

enum { LOG_BUFFER = 64 * 1024, TEMP_TRIES = 16 };

static int fail_io(struct hb_err *err, const char *what, const char *path, int e)
{
	const char *hint = e == ENOSPC || e == EDQUOT
	                           ? "; make room or choose another store with --store"
	                           : "";
	return hb_fail(err, HB_E_IO, "cannot %s %s: %s%s", what, path, strerror(e), hint);
}

/* Writes all of it or fails; *done counts what went out. */
static int write_all(int fd, const char *data, size_t len, size_t *done)
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
static int sync_fd(int fd, int (*how)(int))
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
	e = sync_fd(fd, fsync);
	close(fd);
	return e;
}

/* A new file beside path that nobody else has. mkstemp would make it 0600. */
static int open_temp(const char *path, char **temp)
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		unsigned r = (unsigned)i;
		if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
			r += (unsigned)getpid();
		*temp = hb_format("%s.%08x.tmp", path, r);
		int fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
	int fd = open_temp(path, &temp);
	if (fd < 0)
		return fail_io(err, "write", path, errno);
	int e = write_all(fd, data, len, &done);
	if (!e)
		e = sync_fd(fd, fsync);
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && rename(temp, path) != 0)
		e = errno;
	if (e)
		unlink(temp);
	else
		e = sync_parent(path);
	free(temp);
	return e ? fail_io(err, "write", path, e) : HB_OK;
}

int store_lock(const char *path, char **lock, struct hb_err *err)
{
	*lock = hb_format("%s.lock", path);
	int fd = open(*lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int e = errno;
	if (fd >= 0) {
		close(fd);
		return HB_OK;
	}
	if (e == EEXIST)
		hb_fail(err, HB_E_IO,
		        "%s is being written by somebody else; try again, or remove %s if nobody "
		        "is",
		        path, *lock);
	else
		fail_io(err, "write", path, e);
	free(*lock);
	*lock = NULL;
	return HB_E_IO;
}

void store_unlock(char *lock)
{
	if (lock)
		unlink(lock);
	free(lock);
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
};

/* A line that a killed writer left half done must not swallow the next one. */
static void end_cut_line(struct store_log *l)
{
	struct stat st;
	char last = '\n';
	if (fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    pread(l->fd, &last, 1, st.st_size - 1) == 1 && last != '\n')
		buf_putc(&l->out, '\n');
}

int store_log_open(const char *path, struct store_log **out, struct hb_err *err)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail_io(err, "open", path, errno);
	struct store_log *l = hb_alloc(sizeof(*l));
	l->fd = fd;
	l->path = hb_strdup(path);
	end_cut_line(l);
	*out = l;
	return HB_OK;
}

static int flush(struct store_log *l, struct hb_err *err)
{
	size_t done;
	if (l->out.len == 0)
		return HB_OK;
	int e = write_all(l->fd, l->out.data, l->out.len, &done);
	buf_drop(&l->out, done);
	return e ? fail_io(err, "write", l->path, e) : HB_OK;
}

int store_log_line(struct store_log *l, json_object *o, struct hb_err *err)
{
	js_write(o, JS_PLAIN, &l->out);
	buf_putc(&l->out, '\n');
	return l->out.len >= LOG_BUFFER ? flush(l, err) : HB_OK;
}

int store_log_sync(struct store_log *l, struct hb_err *err)
{
	int rc = flush(l, err);
	if (rc != HB_OK)
		return rc;
	int e = sync_fd(l->fd, fdatasync);
	return e ? fail_io(err, "sync", l->path, e) : HB_OK;
}

int store_log_close(struct store_log *l, struct hb_err *err)
{
	if (!l)
		return HB_OK;
	int rc = store_log_sync(l, err);
	if (close(l->fd) != 0 && rc == HB_OK)
		rc = fail_io(err, "close", l->path, errno);
	free(l->path);
	buf_free(&l->out);
	free(l);
	return rc;
}

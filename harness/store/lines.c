#include "harness/store/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"

enum { READ_CHUNK = 256 * 1024 };

struct lines {
	lines_fn *fn;
	void *ctx;
	size_t max;
	uint64_t number;
	struct buf in;
	bool skipping; /* inside a line that is too long */
};

static int tell(struct lines *l, const char *text, size_t len, bool cut, struct hb_err *err)
{
	bool fits = len <= l->max;
	const struct line line = { fits ? text : NULL, fits ? len : 0, ++l->number, cut };

	return l->fn(l->ctx, &line, err);
}

/* Tells the whole lines there are; what is left stays for more. */
static int tell_lines(struct lines *l, struct hb_err *err)
{
	size_t at = 0;
	int rc = HB_OK;

	while (rc == HB_OK) {
		const char *start = l->in.data + at;
		const char *nl = at < l->in.len ? memchr(start, '\n', l->in.len - at) : NULL;
		if (!nl)
			break;
		if (l->skipping)
			l->skipping = false;
		else
			rc = tell(l, start, (size_t)(nl - start), false, err);
		at = (size_t)(nl - l->in.data) + 1;
	}
	buf_drop(&l->in, at);
	if (rc == HB_OK && !l->skipping && l->in.len > l->max) {
		rc = tell(l, "", l->in.len, false, err);
		l->skipping = true;
	}
	if (l->skipping)
		buf_clear(&l->in);
	return rc;
}

static int open_regular(const char *path, int *fd, struct hb_err *err)
{
	struct stat st;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return errno == ENOENT
		               ? HB_OK
		               : hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return HB_OK;
	close(*fd);
	return hb_fail(err, HB_E_IO, "cannot read %s: not a regular file", path);
}

int lines_read(const char *path, size_t max, lines_fn *fn, void *ctx, struct hb_err *err)
{
	struct lines l = { .fn = fn, .ctx = ctx, .max = max };
	int fd, rc = open_regular(path, &fd, err);

	if (rc != HB_OK || fd < 0)
		return rc;
	char *chunk = hb_alloc(READ_CHUNK);
	while (rc == HB_OK) {
		ssize_t n = read(fd, chunk, READ_CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
		if (n <= 0)
			break;
		buf_add(&l.in, chunk, (size_t)n);
		rc = tell_lines(&l, err);
	}
	/* A last line without its end was cut, unless it is whole all the same. */
	if (rc == HB_OK && l.in.len && !l.skipping)
		rc = tell(&l, l.in.data, l.in.len, true, err);
	close(fd);
	buf_free(&l.in);
	free(chunk);
	return rc;
}

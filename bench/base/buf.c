#include "bench/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"

/* Room for more bytes and the terminator. */
static void reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len > more)
		return;
	if (more >= SIZE_MAX - b->len)
		hb_out_of_memory();
	hb_grow(&b->data, &b->cap, b->len + more + 1, 1);
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
	reserve(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	reserve(b, 64);
	size_t room = b->cap - b->len;
	int n = vsnprintf(b->data + b->len, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= room) {
		reserve(b, (size_t)n);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->len += (size_t)n;
	b->data[b->len] = '\0';
}

void buf_pad(struct buf *b, char c, size_t n)
{
	reserve(b, n);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_drop(struct buf *b, size_t n)
{
	if (n > b->len)
		n = b->len;
	if (!n)
		return;
	b->len -= n;
	memmove(b->data, b->data + n, b->len + 1);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->data);
	b->data = NULL;
	b->len = b->cap = 0;
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_detach(struct buf *b)
{
	char *s = b->data ? b->data : hb_strdup("");
	b->data = NULL;
	b->len = b->cap = 0;
	return s;
}

/* Reads to the end of the file; one byte above max tells that it is too large. */
static int read_all(struct buf *b, int fd, const char *path, size_t max, struct hb_err *err)
{
	size_t got = 0;
	for (;;) {
		size_t want = (size_t)64 * 1024;
		if (max - got < want)
			want = max - got + 1;
		reserve(b, want);
		ssize_t n = read(fd, b->data + b->len, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
		b->len += (size_t)n;
		b->data[b->len] = '\0';
		got += (size_t)n;
		if (got > max)
			return hb_fail(err, HB_E_FORMAT, "%s: larger than the limit of %zu bytes",
			               path, max);
		if (n == 0)
			return HB_OK;
	}
}

int buf_read_file(struct buf *b, const char *path, size_t max, struct hb_err *err)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return hb_fail(err, HB_E_IO, "cannot open %s: %s", path, strerror(errno));
	struct stat st;
	size_t before = b->len;
	int rc = HB_OK;
	if (fstat(fd, &st) < 0)
		rc = hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode)) /* a pipe could block for ever, a device never end */
		rc = hb_fail(err, HB_E_IO, "cannot read %s: %s", path,
		             S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file");
	else if (st.st_size > 0 && (uintmax_t)st.st_size <= max)
		reserve(b, (size_t)st.st_size + 1); /* a hint: one allocation in the usual case */
	if (!rc)
		rc = read_all(b, fd, path, max, err);
	if (rc && b->data) {
		b->len = before;
		b->data[before] = '\0';
	}
	close(fd);
	return rc;
}

/*
 * A growable byte buffer, always NUL-terminated behind its length, so that it serves as text too.
 * Start with BUF_INIT; out of memory ends the process (mem.h).
 */
#ifndef HPCBENCH_BASE_BUF_H
#define HPCBENCH_BASE_BUF_H

#include <stddef.h>

#include "bench/base/err.h"

struct buf {
	char *data; /* NULL until something was added; use buf_text */
	size_t len, cap;
};
#define BUF_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void buf_add(struct buf *b, const void *data, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) HB_PRINTF(2, 3);
void buf_pad(struct buf *b, char c, size_t n); /* n times c */
void buf_drop(struct buf *b, size_t n);        /* removes the first n bytes */
void buf_clear(struct buf *b);                 /* keeps the memory */
void buf_free(struct buf *b);
const char *buf_text(const struct buf *b); /* "" when empty; valid until the next change */
char *buf_detach(struct buf *b);           /* the caller frees; b is empty after */

/* Reads a whole regular file of at most max bytes. "-" is not special. Errors name the path. */
int buf_read_file(struct buf *b, const char *path, size_t max, struct hb_err *err);

#endif

/* Reading a file of lines, whatever is in it: bounded memory, a cut last line, lines without end.
 */
#ifndef HPCBENCH_HARNESS_STORE_LINES_H
#define HPCBENCH_HARNESS_STORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"

/* One line without its newline, not terminated. */
struct line {
	const char *text; /* NULL: it is longer than max and was skipped */
	size_t len;
	uint64_t number; /* from 1 */
	bool cut;        /* the last one, without its newline */
};
/* A negative status ends the reading and is returned. */
typedef int lines_fn(void *ctx, const struct line *l, struct hb_err *err);

/*
 * Calls fn for each line of a regular file; a last line without newline is one too. A file that is
 * absent has no lines. HB_E_IO: it cannot be read, or is no regular file.
 */
int lines_read(const char *path, size_t max, lines_fn *fn, void *ctx, struct hb_err *err);

#endif

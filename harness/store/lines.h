/* Reading a file of lines, whatever is in it: bounded memory, a cut last line, lines without end.
 */
#ifndef HPCBENCH_HARNESS_STORE_LINES_H
#define HPCBENCH_HARNESS_STORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"

/*
 * One line without its newline, not terminated; number counts from 1. text NULL: the line is longer
 * than max and was skipped. A negative status ends the reading and is returned.
 */
typedef int lines_fn(void *ctx, uint64_t number, const char *text, size_t len, struct hb_err *err);

/*
 * Calls fn for each line of a regular file; a last line without newline is one too. A file that is
 * absent has no lines. HB_E_IO: it cannot be read, or is no regular file.
 */
int lines_read(const char *path, size_t max, lines_fn *fn, void *ctx, struct hb_err *err);

#endif

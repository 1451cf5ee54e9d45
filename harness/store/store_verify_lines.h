/* What `store verify` sees of a file's lines; and a set of ids that were seen. */
#ifndef HPCBENCH_HARNESS_STORE_VERIFY_LINES_H
#define HPCBENCH_HARNESS_STORE_VERIFY_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/base/json.h"
#include "harness/store/lines.h"

/* Too long, or cut before its end; else NULL. A cut line has a text. */
const char *line_wrong(const struct line *l);

/*
 * Calls take for each line of a regular file; a line beyond JS_LINE_MAX has no text. *missing,
 * where not NULL: there is no such file, which is then no error. HB_E_IO.
 */
int verify_lines(const char *path, void (*take)(void *ctx, const struct line *l), void *ctx,
                 bool *missing, struct hb_err *err);

/* Ids, by their hashes of 64 bits: bounded memory, and one false alarm in a million runs. */
struct id_set {
	uint64_t *v;
	size_t n, cap;
};
enum { ID_SET_MAX = 1 << 23 };
/* A hash of these bytes, beginning with another one or 0. */
uint64_t id_hash(uint64_t begin, const void *data, size_t len);
/* False: it was there before. Beyond ID_SET_MAX nothing is remembered. */
bool id_set_add(struct id_set *s, uint64_t id);
void id_set_free(struct id_set *s);

#endif

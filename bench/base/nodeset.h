/*
 * Node sets in hostlist form: "n[001-064,070],login1". Order is kept, a repeated node is an error.
 * Bounded: NODESET_MAX nodes, so that "n[1-99999999]" is one clear line and not a dead machine.
 */
#ifndef HPCBENCH_BASE_NODESET_H
#define HPCBENCH_BASE_NODESET_H

#include <stddef.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"

enum { NODESET_MAX = 65536, NODESET_NAME_MAX = 255 };

struct nodeset {
	char **v;
	size_t n, cap;
};

/* HB_E_FORMAT with the text and the place. Names: letters, digits, '.', '-', '_'. */
int nodeset_parse(const char *text, struct nodeset *out, struct hb_err *err);
int nodeset_add(struct nodeset *s, const char *name, struct hb_err *err);
long nodeset_find(const struct nodeset *s, const char *name); /* index or -1 */
/* Runs of numbers folded; parses back to the same set. */
void nodeset_format(const struct nodeset *s, struct buf *out);
/* The same as a text of its own, the caller's. */
char *nodeset_text(const struct nodeset *s);
void nodeset_free(struct nodeset *s);

#endif

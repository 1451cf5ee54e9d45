/* What words.c and words_places.c share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_DIAGNOSE_WORDS_H
#define HPCBENCH_HARNESS_DIAGNOSE_WORDS_H

#include "harness/diagnose/scene.h"

/* Each appends; a figure that is not known is "unknown". */
void words_number(double v, struct buf *out);
void words_percent(double share, struct buf *out);
void words_bytes(double v, struct buf *out);
const char *told_node(const struct told *t, size_t node);
const char *told_device(const struct told *t); /* that the rule is about; NULL: none */
void told_other(const struct told *t, const struct seen *s, struct buf *out); /* "n2/eth0" */

#endif

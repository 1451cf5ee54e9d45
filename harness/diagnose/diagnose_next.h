/* What to measure next where nothing explains who is slow. */
#ifndef HPCBENCH_HARNESS_DIAGNOSE_NEXT_H
#define HPCBENCH_HARNESS_DIAGNOSE_NEXT_H

#include "bench/base/buf.h"
#include "harness/localize/findings.h"

/* Appends it, one line, by the kind of finding: what would tell one kind of cause from another. */
void diagnosis_next(const struct culprit *c, struct buf *out);

#endif

/*
 * Which entries of a baseline form one curve: the same key but for the message size, the same kind
 * of subject, and the same floor. A suite that gives sizes of one benchmark different floors says
 * that they are not equally steady: the spread of 8 B among other users must not be that of 256 KiB
 * over a shaped link. Inside the baseline module only.
 */
#ifndef HPCBENCH_HARNESS_BASELINE_CURVE_H
#define HPCBENCH_HARNESS_BASELINE_CURVE_H

#include "harness/judge/baseline.h"

/* Curve c holds entries entry[first[c]] up to entry[first[c + 1] - 1]. */
struct curves {
	size_t *entry, *first;
	size_t n;
};
void curves_make(const struct baseline *b, struct curves *out);
void curves_free(struct curves *c);

#endif

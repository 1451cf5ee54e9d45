/* What expected.c and attained*.c share; nobody else but tests includes this. */
#ifndef HPCBENCH_HARNESS_EXPECTED_PARTS_H
#define HPCBENCH_HARNESS_EXPECTED_PARTS_H

#include "harness/diagnose/expected.h"

/* The fastest class of this kind whose rate a link of so many bits a second carries; NULL: it is
 * slower than all that are known. */
const struct wire_class *wire_of_link(const struct expected *e, enum wire_coarse kind, double bps);

/* What figures between two nodes look like; lat_s and rate_Bps may be NaN, promise NULL. */
const struct wire_class *wire_classify(const struct expected *e, double lat_s, double rate_Bps,
                                       const struct wire_class *promise);
/* Is this figure worse than what is promised? Fills *share. is may be NULL. */
bool wire_below(const struct wire_class *is, double rate_Bps, const struct wire_class *promise,
                double *share);

/* What the hardware facts of a node promise. */
struct wire_promise {
	const struct wire_class *class_; /* NULL: unknown */
	const char *device;              /* borrowed from the facts; NULL */
	double bps;                      /* its rate */
	bool no_wire;                    /* all devices that are up are virtual */
};
void wire_promise_of(const struct expected *e, const struct facts *f, size_t node,
                     struct wire_promise *out);

#endif

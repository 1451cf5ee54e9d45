/* Controls for an acceptance, where nobody named any. */
#ifndef HPCBENCH_HARNESS_MEASURE_CONTROLS_H
#define HPCBENCH_HARNESS_MEASURE_CONTROLS_H

#include "harness/measure/measure.h"

/*
 * Nodes that the launcher has now, none of them new or known trouble: accept_choose_controls says
 * which. *controls is their node set and *note which were taken and why; both the caller's.
 * HB_E_USAGE: fewer than ACCEPT_CONTROLS_MIN; they must be named. s may be NULL.
 */
int measure_controls_auto(const struct measure_request *r, const struct store *s,
                          const struct nodeset *new_nodes, char **controls, char **note,
                          struct hb_err *err);

#endif

/* What the topo_*.c files share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_TOPO_PARTS_H
#define HPCBENCH_HARNESS_TOPO_PARTS_H

#include "harness/topo/topo.h"

/* A new leaf without nodes; the name is copied. HB_E_FORMAT: there are too many, or it may not be
 * called so. */
int topo_leaf_add(struct topo *t, const char *name, struct topo_leaf **out, struct hb_err *err);
/* HB_E_FORMAT: a leaf's name, or a node, stands twice; or there are too many nodes. */
int topo_check(const struct topo *t, struct hb_err *err);

#endif

/* What the files of `hpcbench ack` share. */
#ifndef HPCBENCH_HARNESS_CMD_ACK_H
#define HPCBENCH_HARNESS_CMD_ACK_H

#include "bench/base/json.h"
#include "harness/store/store.h"

/* The nodes that the coverage ledger, a baseline or one of the newest 50 runs knows, as the members
 * of an object; the caller's. */
json_object *ack_known_nodes(const struct store *s);
/* The node of a subject that is not among them. NULL: it is, the subject is about no node, or none
 * at all are known. The caller frees. */
char *ack_unknown_node(json_object *known, const char *subject);

#endif

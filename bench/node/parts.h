/* What the parts of a node (cores, NUMA nodes) took, each by itself, over the latest iterations. */
#ifndef HPCBENCH_NODE_PARTS_H
#define HPCBENCH_NODE_PARTS_H

#include "bench/base/json.h"

enum { PARTS_LATEST = 16, PARTS_KEPT = 256 };

struct parts;

/* of: "cpu", "numa"; ids are copied, a number for each of n parts. */
struct parts *parts_new(const char *of, const int *ids, int n);
void parts_clear(struct parts *p);
/* Parts may push at the same time, each for itself. */
void parts_push(struct parts *p, int part, double ns);
/* As bench_ops.parts describes; more (may be NULL) adds members to one of the latest. NULL: nothing
 * was pushed. */
json_object *parts_json(const struct parts *p, void (*more)(void *ctx, int part, json_object *o),
                        void *ctx);
void parts_free(struct parts *p);

#endif

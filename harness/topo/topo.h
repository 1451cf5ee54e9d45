/*
 * Which node hangs on which leaf switch, and whether routes are static: from Slurm (topology.conf,
 * `scontrol show topology`) or a file of the site. Untrusted until parsed; bounded.
 *
 *	{"schema":1, "routing":"static", "leaves":{"sw1":"n[1-8]", "sw2":"n[9-16]"},
 *	 "levels":[{"name":"spine1", "of":["sw1","sw2"]}]}
 */
#ifndef HPCBENCH_HARNESS_TOPO_H
#define HPCBENCH_HARNESS_TOPO_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "harness/plan/nodeset.h"

enum { TOPO_SCHEMA = 1, TOPO_LEAVES_MAX = 65536, TOPO_FILE_MAX = 8 << 20 };
#define TOPO_NO_LEAF SIZE_MAX

enum topo_routing { TOPO_UNKNOWN, TOPO_STATIC, TOPO_ADAPTIVE };

struct topo_leaf {
	char *name;
	struct nodeset nodes;
};

struct topo {
	char *source; /* where it comes from, for reports: "topology.conf", "scontrol", a path */
	enum topo_routing routing;
	struct topo_leaf *leaves;
	size_t n_leaves, cap_leaves;
};

/* Slurm's topology.conf (SwitchName=... Nodes=.../Switches=...), or what scontrol prints; both have
 * the same words. Only switches with nodes are leaves. Trees say nothing of routing: UNKNOWN. */
int topo_from_slurm(const char *text, size_t len, const char *source, struct topo *out,
                    struct hb_err *err);
int topo_from_json(json_object *o, const char *source, struct topo *out, struct hb_err *err);
json_object *topo_to_json(const struct topo *t);
/* A file of either kind: JSON if it begins with '{'. */
int topo_read(const char *path, struct topo *out, struct hb_err *err);
/* The leaf's index, or TOPO_NO_LEAF. */
size_t topo_leaf_of(const struct topo *t, const char *node);
void topo_free(struct topo *t);

#endif

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

/*
 * Slurm's topology.conf (SwitchName=... Nodes=.../Switches=...), or what scontrol prints; both have
 * the same words. Only switches with nodes and none below them are leaves. Trees say nothing of
 * routing: UNKNOWN. HB_E_FORMAT with the line; no leaf at all is no error.
 */
int topo_from_slurm(const char *text, size_t len, const char *source, struct topo *out,
                    struct hb_err *err);
/* "source" in it goes before the argument. levels are checked and not kept. */
int topo_from_json(json_object *o, const char *source, struct topo *out, struct hb_err *err);
json_object *topo_to_json(const struct topo *t);
/* A file of either kind: JSON if it begins with '{'. One without a leaf is HB_E_FORMAT. */
int topo_read(const char *path, struct topo *out, struct hb_err *err);
const char *topo_routing_name(enum topo_routing r); /* "unknown", "static", "adaptive" */
/* The leaf's index, or TOPO_NO_LEAF. Of many nodes: topo_leaves. */
size_t topo_leaf_of(const struct topo *t, const char *node);
/* The leaf of each of the nodes. */
void topo_leaves(const struct topo *t, const struct nodeset *nodes, size_t *leaf_of);
/* Copies only these nodes and the leaves that have some of them, in their order. */
void topo_restrict(const struct topo *t, const struct nodeset *nodes, struct topo *out);
void topo_free(struct topo *t);

/*
 * The topology that an option names: a file, "slurm" or "slurm:static" (whoever runs the cluster
 * knows that its routes are static, Slurm does not), "none". NULL: what Slurm says, where slurm is
 * true and at least two of the nodes hang on one leaf, else none; then what is wrong is no error
 * but a line in *note (the caller's; NULL: nothing). HB_E_USAGE: an empty word, or Slurm has no
 * topology.
 */
int topo_choose(const char *option, bool slurm, const struct nodeset *nodes, int signal_fd,
                struct topo *out, char **note, struct hb_err *err);

#endif

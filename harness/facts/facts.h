/*
 * The facts and counters of a run, as a table: which nodes say what. Made from fact and counter
 * records (collect), stored in facts.json, and as far as nodes must agree in summary.json and
 * baselines; read by drift, rules and reports. Values that many nodes share are kept once, so a
 * table of 10,000 nodes stays small. Files are untrusted.
 */
#ifndef HPCBENCH_HARNESS_FACTS_H
#define HPCBENCH_HARNESS_FACTS_H

#include <stdint.h>

#include "bench/base/counter.h"
#include "bench/base/err.h"
#include "bench/base/fact.h"
#include "bench/base/json.h"
#include "harness/plan/nodeset.h"

enum {
	FACTS_SCHEMA = 1,
	FACTS_ROWS_MAX = 65536,    /* distinct (device, key) */
	FACTS_CELLS_MAX = 1 << 25, /* what nodes said, all rows together */
	FACTS_TEXT_MAX = 1024,     /* bytes of a value or source; longer ones are cut */
	FACTS_FILE_MAX = 256 << 20 /* bytes */
};

/* One value of a fact, and who has it. */
struct fact_value {
	char *text;       /* NULL: could not be had */
	char *source;     /* where it is from, or why it could not be had; of the first that told */
	size_t *nodes, n; /* ascending numbers of facts.nodes; made by facts_sort */
};

struct fact_row {
	char *device; /* "" for the node itself */
	char *key;
	const struct fact_info *info; /* NULL: no row of the catalog knows it */
	struct fact_value *v;         /* most nodes first once facts_sort ran */
	size_t n, cap;
	struct fact_cells *cells; /* inside: which node has which */
};

/* What a counter counted on a node over the steps of the run. */
struct counter_cell {
	size_t node;
	uint64_t moved;
};
struct counter_row {
	char *device, *name;
	struct counter_cell *v; /* ascending nodes once facts_sort ran */
	size_t n, cap;
	struct fact_cells *cells; /* inside */
};

struct facts {
	char **nodes; /* owned names; numbers as in the plan where there is one */
	char **hw;    /* hardware class of each; NULL entries: unknown */
	size_t n_nodes, cap_nodes;
	struct fact_row *rows; /* ordered by key, then device, once facts_sort ran */
	size_t n_rows, cap_rows;
	struct counter_row *counters; /* ordered by device, then name, likewise */
	size_t n_counters, cap_counters;
	double *counted_s; /* of each node: how long counters ran, all steps together; 0: never */
	struct facts_index *index; /* inside */
};

void facts_init(struct facts *f);
void facts_free(struct facts *f);
/* The node's number; adds it where it is new (hw NULL: unknown, or stays as it was). */
size_t facts_add_node(struct facts *f, const char *name, const char *hw);
/* SIZE_MAX: unknown. */
size_t facts_find_node(const struct facts *f, const char *name);
/*
 * node tells a fact. A later different value of the same node takes the place of the earlier one,
 * but a value that could not be had never takes that of one that was. Quietly dropped beyond
 * FACTS_ROWS_MAX and FACTS_CELLS_MAX. None is slow: a few hash look-ups.
 */
void facts_add(struct facts *f, size_t node, const char *device, const char *key, const char *value,
               const char *source);
/* Nothing of the node counts any more; the node itself stays. */
void facts_forget(struct facts *f, size_t node);
void facts_add_counter(struct facts *f, size_t node, const char *device, const char *name,
                       uint64_t moved);
/* After the last facts_add and before anything below is asked; rows, values and counters move. */
void facts_sort(struct facts *f);

/* The row, or NULL; and the value of a node in it, or NULL where it told none at all. */
const struct fact_row *facts_row(const struct facts *f, const char *device, const char *key);
const struct fact_value *facts_value(const struct fact_row *row, size_t node);
/* The text of a node's fact; NULL: not told, or could not be had. */
const char *facts_text(const struct facts *f, size_t node, const char *device, const char *key);
/* As a number; NaN where there is none. */
double facts_number(const struct facts *f, size_t node, const char *device, const char *key);
/* What a counter counted on a node; false: it told none of that name. */
bool facts_counter(const struct facts *f, size_t node, const char *device, const char *name,
                   uint64_t *moved);

/*
 * What the peers of a node say: the others of its hardware class (all others where the class is
 * unknown, and of what nodes say of each other) that have the fact. They agree where at least 2 and
 * at least two thirds of them have one value, and more nodes than share the node's own; its text is
 * that. NULL: too few, or they do not agree. So of two against two nobody differs.
 */
struct fact_peers_say {
	const char *text;
	size_t n, of; /* that have this value; that have any */
};
void facts_peers(const struct facts *f, const struct fact_row *row, size_t node,
                 struct fact_peers_say *out);

/* ---- drift: who differs from peers, and what from a baseline ---- */

struct fact_drift {
	const struct fact_row *row;     /* borrowed, as all below */
	const struct fact_value *value; /* of those who differ; its text is NULL where they could
	                                   not have it. NULL: they did not tell it at all: the
	                                   device, the library, the variable is not there */
	size_t *nodes, n;               /* owned; of one hardware class */
	const char *peers;              /* what the others have; NULL: they did not tell it at all
	                                   (of_peers 0), or nobody's value has a majority: then each
	                                   value has its entry */
	size_t n_peers, of_peers;       /* others that have this; that have any */
};
struct fact_change {
	const char *device, *key, *was, *is; /* is NULL: not told any more; was NULL: new */
	size_t *nodes, n;                    /* owned: who has it so now */
};
struct drift {
	struct fact_drift *v;
	size_t n, cap;
	struct fact_change *changes; /* against the baseline's facts */
	size_t n_changes, cap_changes;
};
/*
 * Facts that must agree (FACT_ALIKE) and do not, fewest nodes first, inside each hardware class
 * (nodes of unknown class are one together, and what nodes say of each other is compared over
 * all). A value has a majority if facts_peers would tell it to those who differ. Of what is not
 * there at all only one fact a device, library or variable is told; new devices where they are no
 * virtual ones. base (facts that a baseline kept, by hardware class; NULL: none) tells what all
 * had then. Software that makes the fingerprint is compared like anything else. f and base must
 * outlive out.
 */
void drift_make(const struct facts *f, const struct facts *base, struct drift *out);
void drift_free(struct drift *d);

/* ---- the wire: which devices the bytes really went over ---- */

struct wire_share {
	const char *device; /* borrowed */
	double rx, tx;      /* bytes */
	double share;       /* of the bytes of all devices of the node, both directions */
	bool port;          /* an RDMA port, not the kernel's network */
};
struct wire {
	struct wire_share v[8]; /* most bytes first */
	size_t n;
	double bytes;   /* of all devices together; those of bonds and bridges count once */
	double own;     /* what the ranks say they sent and received; NaN: nobody said */
	double shm;     /* of own, what stayed within the node by what was planned; 0 */
	double foreign; /* share of bytes that the ranks' own do not explain; NaN: not known */
};
/*
 * False where the node told no counters of bytes. Each byte counts once: a bond or bridge
 * (net.master of others) does not where a member has counters, a VLAN does not where the node has
 * a device of another kind that carried at least as much, and from the bytes of an InfiniBand port
 * those of its own IPoIB device (rdma.netdev) are taken off. lo is a device like others.
 *
 *	foreign = max(0, bytes - 1.02 own - 90 packets - 1 MiB - 4 KiB * counted_s) / bytes
 *
 * 90 bytes a packet, both directions, are Ethernet (14), IPv6 (40) and TCP with timestamps (32),
 * with some for InfiniBand's; acknowledgements are packets without anything else. Where no device
 * counts packets, 12 % of own stand for them: 66 in 1448 bytes and an acknowledgement for every
 * other segment. 2 % are what is sent again and what the library says beside the payload; 1 MiB
 * and 4 KiB a second are the control channel, the start of helpers and name look-ups. All of it
 * errs towards silence, as do bytes that ranks of a node exchange through memory.
 */
bool wire_of(const struct facts *f, size_t node, struct wire *out);

/* ---- files ---- */

enum facts_part {
	FACTS_ALL,  /* facts.json */
	FACTS_AGREE /* what nodes must agree about, without counters and with nodes by hardware
	               class alone: for summary.json and baselines */
};
/*
 * {"schema":1, "part":"all", "nodes":[[class|null, hostlist]],
 *  "facts":[[device, key, [[value|null, source, hostlist]]]],
 *  "counters":[[device, name, [[moved, hostlist]]]], "counted_s":[[seconds, hostlist]]}
 *
 * "*" as a hostlist: all nodes. Of FACTS_AGREE ("part":"agree") the nodes are hardware classes,
 * called c1, c2 ..., and each value is that of at least two thirds of the class's nodes that have
 * the fact (facts nobody's value of which has that are left out); counters are left out.
 */
json_object *facts_to_json(const struct facts *f, enum facts_part part);
/* source names the file in errors. On failure out is empty. */
int facts_from_json(json_object *o, const char *source, struct facts *out, struct hb_err *err);
/* Reads DIR/facts.json. */
int facts_read(const char *dir, struct facts *out, struct hb_err *err);

#endif

/*
 * The coverage ledger, STORE/coverage.json: which node was measured with which suite, and when.
 * What `run --budget` chooses nodes by, and what hardware class a node had when it was last seen.
 *
 *	{"schema":1,"clusters":{CLUSTER:{NODE:{"hw":CLASS,"suites":{SUITE:
 *	 {"last":TIME,"run":ID,"tried":TIME,"tried_run":ID}}}}}}
 *
 * last, run: the newest run with good figures; tried, tried_run: a newer one in which the node had
 * its turn and gave none. Absent where there was none. Times are UTC, ISO 8601, whole seconds. The
 * file only tells what would be best measured next: one that is broken is set aside, never an
 * error that costs a run.
 */
#ifndef HPCBENCH_HARNESS_LEDGER_H
#define HPCBENCH_HARNESS_LEDGER_H

#include "harness/store/store.h"

enum { LEDGER_SCHEMA = 1, LEDGER_NODES_MAX = 100000, LEDGER_SUITES_MAX = 64 };

struct ledger {
	json_object *clusters; /* checked: name -> node -> as above; owned */
	char *warning;         /* why there is nothing although there is a file; or NULL; owned */
};

/* A node's turns with one suite; "" where there was none; borrowed from the ledger. */
struct ledger_turn {
	const char *last, *run, *tried, *tried_run;
};

/* One node of a run. */
struct ledger_entry {
	const char *node, *hw; /* hw NULL: not told */
	bool measured;         /* has good figures; else it had its turn and gave none */
};
/* What a run tells the ledger; all borrowed. */
struct ledger_note {
	const char *cluster, *suite, *run, *time; /* time: when the run began */
	const struct ledger_entry *v;
	size_t n;
};

/* Never fails: without a file, and with one that cannot be read, nothing is known. */
void ledger_read(const struct store *s, struct ledger *out);
void ledger_free(struct ledger *l);
/* The nodes of a cluster: name -> node, borrowed; NULL: none is known. */
json_object *ledger_nodes(const struct ledger *l, const char *cluster);
/* The hardware class a node of ledger_nodes had; NULL: not known; borrowed. */
const char *ledger_hw(json_object *nodes, const char *node);
/* A node's turns with a suite; nodes may be NULL. */
struct ledger_turn ledger_turn(json_object *nodes, const char *node, const char *suite);
/* When the node last had its turn, with figures or without; "": never. */
const char *ledger_had(const struct ledger_turn *t);

/*
 * Adds a run, under a lock: what others added meanwhile is kept, of two turns the newer one counts.
 * Beyond LEDGER_NODES_MAX the nodes that were not seen for the longest time are forgotten. A file
 * that cannot be understood is renamed and *aside, the caller's, says to what (NULL: none was).
 * HB_E_IO: nothing was written.
 */
int ledger_update(const struct store *s, const struct ledger_note *n, char **aside,
                  struct hb_err *err);

#endif

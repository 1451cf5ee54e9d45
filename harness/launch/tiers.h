/*
 * Who a step does without, and whether another start of it is worth while, as pure decisions: no
 * clock, no processes, no output. The owner tells what became of each start.
 *
 * A node whose ranks never started or fell silent is lost. One that was the first to go is brought
 * back once; when it is the first to go again it is lost. Each thing that was learned this way
 * earns one start more, so that several bad nodes do not cost the rest its turn, up to a limit that
 * grows with the logarithm of the number of nodes and with those that were named.
 *
 * Where all processes run and no rank comes out of start-up, the node through which is searched by
 * halves: starts of some of the nodes, a probe each, which measure nothing. First come two nodes at
 * a time, until two come out: where none do it is no single node's doing, and nobody is named. A
 * node is named when it alone, with one that came out before, does not.
 */
#ifndef HPCBENCH_HARNESS_TIERS_H
#define HPCBENCH_HARNESS_TIERS_H

#include "harness/plan/plan.h"

struct tiers {
	size_t n;              /* nodes of the plan */
	size_t n_in;           /* of the step */
	bool *in, *lost;       /* of each node of the plan */
	unsigned char *deaths; /* of each: starts in which it was the first to go */
	size_t named;          /* nodes that were lost, or the first to go */
	int starts;            /* of everything; probes do not count */
	int earned;            /* starts beyond the first LAUNCH_ATTEMPTS */
	int fruitless;         /* of the latest starts: nobody came, and nobody else ran either */
	/* The search; ask[0 .. n_ask - 1] are the nodes among which somebody is sought. */
	bool searches, in_vain;       /* in_vain: it was over, and named nobody */
	size_t *ask, n_ask, n_probed; /* the probe has the first n_probed of ask, and with */
	int pairs;                    /* that were tried at first, and did not come */
	bool known;                   /* some nodes do come out */
	int voids;                    /* probes of this search that said nothing */
	long with;                    /* beside them; -1: nobody */
	bool *cleared;                /* of each node: has come out of start-up */
	int probes;
};

/* How a probe ended. */
enum tiers_probe {
	PROBE_CAME,  /* all its ranks came out of start-up */
	PROBE_HANGS, /* all its processes ran, and some did not come out */
	PROBE_VOID   /* something else: they did not all run, or the launcher ended */
};

/* What a probe showed. */
enum tiers_found {
	TIERS_SEARCH_ON, /* the next probe is due */
	TIERS_NODE,      /* *node does not let others come out of start-up; it is lost */
	TIERS_NOBODY,    /* no part of the nodes shows it: all are started together again */
	TIERS_ALL        /* every part shows it: there is no node to do without */
};

void tiers_init(struct tiers *t, const struct plan_step *step, size_t n_nodes);
void tiers_free(struct tiers *t);

/* The node is out for the rest of the step; nothing new where it was before. */
void tiers_lost(struct tiers *t, size_t node);
/* It was the first to go in this start. True: for the second time; the owner loses it. */
bool tiers_died(struct tiers *t, size_t node);
/* A job of many ranks hung, and nobody knows through whom: it is not measured again. */
void tiers_hung(struct tiers *t);
/* A start of everything begins. */
void tiers_started(struct tiers *t);
/* It ended; fruitless: no rank ever came, whoever is said to be to blame. That may be all of them.
 */
void tiers_ended(struct tiers *t, bool fruitless);
/* Another start of everything may follow. */
bool tiers_may_start(const struct tiers *t);

/* All run, nobody came out of start-up: the search begins. False: there is nobody to tell apart. */
bool tiers_search(struct tiers *t);
/* Does the next start have this node? All are in while nobody is sought. */
bool tiers_in_probe(const struct tiers *t, size_t node);
enum tiers_found tiers_probed(struct tiers *t, enum tiers_probe how, size_t *node);

#endif

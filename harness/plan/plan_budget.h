/*
 * What of a measurement fits into a given time: fewer rounds of pairs first, then fewer nodes. The
 * nodes whose turn is the longest ago are kept, so that every node is measured within a few runs.
 */
#ifndef HPCBENCH_HARNESS_PLAN_BUDGET_H
#define HPCBENCH_HARNESS_PLAN_BUDGET_H

#include "harness/plan/plan.h"

enum { PLAN_BUDGET_ROUNDS = 3 /* pairs: never fewer, where the suite has as many */ };

/* What is known of a node's past; texts are times or "", borrowed. */
struct plan_past {
	const char *had;  /* when it last had its turn */
	const char *run;  /* in which run: tells turns of one second apart */
	const char *last; /* when it last gave figures */
};
/*
 * Node indices into order (n of them): whose turn is the longest ago first; of the same turn those
 * without figures for the longest time first; what is left is drawn from the seed. Turns after now
 * cannot be: they count as none.
 */
void plan_turns(const struct plan_past *past, size_t n, const char *now, uint64_t seed,
                size_t *order);

struct plan_fit {
	int rounds; /* as in plan_params */
	size_t n;   /* the first n of order */
	double predicted_s;
};
/*
 * The most that should take at most budget_s; order: from plan_turns. HB_E_USAGE: even the least
 * takes longer, and how long.
 */
int plan_fit(const struct suite *suite, const struct nodeset *nodes,
             const struct plan_params *params, double budget_s, const size_t *order,
             struct plan_fit *out, struct hb_err *err);
/* The first n nodes of order, in the order that all has; the others go to rest. */
void plan_keep(const struct nodeset *all, const size_t *order, size_t n, struct nodeset *kept,
               struct nodeset *rest);

#endif

/*
 * Which of the nodes are measured, and what is known of them before: part I of N (--shard), what
 * fits into --budget, hardware classes; and at the end of a run what the coverage ledger learns.
 */
#ifndef HPCBENCH_HARNESS_MEASURE_CHOOSE_H
#define HPCBENCH_HARNESS_MEASURE_CHOOSE_H

#include "harness/measure/measure.h"
#include "harness/store/ledger.h"

/* The nodes of the launcher, or this shard's part of them, into m->nodes and m->absent. */
int measure_nodes(struct measure *m, struct hb_err *err);

/* What plan_params borrows from. */
struct measure_choice {
	struct ledger ledger;
	const char **hw;
	struct nodeset later;
};
/*
 * Before the plan is made: fills in p the hardware classes, and with a budget the rounds and what
 * is left for later; m->nodes then are those that are measured. s NULL or without a path: no ledger
 * is read. Free the choice in any case, after the plan is made.
 */
int measure_choose(struct measure *m, const struct store *s, struct plan_params *p,
                   struct measure_choice *c, struct hb_err *err);
void measure_choice_free(struct measure_choice *c);

/*
 * Where neither the command line nor the suite says how many pairs are measured at the same time,
 * and others run jobs on the cluster: a quarter of a round at most, at least one, into p and told
 * in m->polite_note. Where the launcher does not know of others nothing changes.
 */
void measure_polite(struct measure *m, struct plan_params *p);

/* After the run: the ledger learns which nodes have figures. What goes wrong is only noted. */
void measure_cover(const struct measure *m, const struct store *s);

#endif

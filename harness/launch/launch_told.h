/* Between launch_facts.c and launch_told.c: what nodes have told so far. */
#ifndef HPCBENCH_HARNESS_LAUNCH_TOLD_H
#define HPCBENCH_HARNESS_LAUNCH_TOLD_H

#include "harness/launch/launch_parts.h"

/* Of a node, by this process of the run. */
struct node_told {
	bool facts; /* what the node is */
	bool clock; /* how its clock stands, right within bound_s */
	double bound_s;
	bool address;
};

/* Of a seat in an attempt. */
struct seat_told {
	uint64_t attempt;
	size_t n; /* facts and counters */
};

/* One for each node of the plan. */
struct node_told *launch_told(struct launch *l);
/* Of the attempt that runs. */
struct seat_told *step_seat_told(struct step_run *r, int seat);
/* Written now, whoever told the same: the order of what one node tells is kept. Parts: device, key,
 * value, source. */
void step_fact_now(struct step_run *r, size_t node, const char *const part[4]);
/* "n1", "n1/eth0"; the caller's. */
char *launch_endpoint(const char *node, const char *device);

#endif

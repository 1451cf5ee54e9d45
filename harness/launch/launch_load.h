/*
 * Was a job disturbed? A pure decision over what its nodes did while it ran: CPU time that none of
 * its ranks used, network traffic that none of them sent or received. Jobs that run at the same
 * time are on different nodes, so whatever a node did beside its ranks is foreign.
 */
#ifndef HPCBENCH_HARNESS_LAUNCH_LOAD_H
#define HPCBENCH_HARNESS_LAUNCH_LOAD_H

#include "bench/base/load_span.h"
#include "harness/plan/suite.h"

/* One node, its ranks of the job taken together. */
struct node_load {
	const char *node; /* borrowed */
	struct load_span sum;
	int ranks; /* that told */
	/* Other nodes of the step are this very machine, or use its network: nobody knows whose
	 * load it is. */
	bool cpu_shared, net_shared;
};

/* Takes one rank's word: the node's figures come from the rank that watched longest. */
void node_load_add(struct node_load *n, const struct load_span *rank);

/*
 * True: foreign load was above a limit on one of the nodes, and why says where and what ("n3:
 * foreign processes used 3.2 of 4 cores", size bytes at most, the first few nodes).
 * - CPU: foreign processes used more than half a core and more than limits->cpu of all cores, and
 *   hardly a core was idle: a single one on a node of many disturbs nobody. Time in interrupts is
 *   our own where the job uses the network.
 * - Network: a device carried foreign bytes, in one direction, at more than limits->nic of its
 *   speed; where that is unknown at more than five times that share of the job's own rate, and more
 *   than 10 MB/s. Only jobs that use the network can be disturbed so.
 * What is too short for the kernel's clock (jobs of 50 ms, a tenth of a second of CPU time), and
 * traffic of less than 10 ms or 1 MB, is not judged.
 */
bool load_disturbed(const struct suite_disturbed *limits, const struct node_load *v, size_t n,
                    char *why, size_t size);

#endif

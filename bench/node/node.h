/* The benchmarks of one node, as main.c and the tests take them. */
#ifndef HPCBENCH_NODE_NODE_H
#define HPCBENCH_NODE_NODE_H

#include "bench/core/bench.h"

extern const struct bench_ops node_memory, node_compute, node_jitter, node_facts, node_peers;

/*
 * Prints what the processes of a run are doing on this node, a line each: host, pid, state (a
 * letter as /proc has it), wait channel (0: none, or hidden), name, between tabs; a line with pid 0
 * where there are none. Sees the caller's own processes, root all. Returns an exit code.
 */
int node_processes(const char *run);

#endif

/* The benchmarks of one node, as main.c and the tests take them. */
#ifndef HPCBENCH_NODE_NODE_H
#define HPCBENCH_NODE_NODE_H

#include "bench/core/bench.h"

extern const struct bench_ops node_memory;

#endif

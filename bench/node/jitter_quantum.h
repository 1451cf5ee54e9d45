/* The fixed work of node.jitter: a chain in which each step needs the one before. */
#ifndef HPCBENCH_NODE_JITTER_QUANTUM_H
#define HPCBENCH_NODE_JITTER_QUANTUM_H

#include <stdint.h>

/* x = x * MUL + ADD modulo 2^64, steps times. cpu: that it runs on. */
uint64_t jitter_quantum(uint64_t x, uint64_t steps, int cpu);

#define JITTER_MUL 6364136223846793005u
#define JITTER_ADD 1442695040888963407u

#endif

/*
 * The multiply-adds of node.compute, by what the processor can: the first row that it has is used.
 * Compiled for speed in every build type (see CMakeLists.txt).
 */
#ifndef HPCBENCH_NODE_COMPUTE_KERNELS_H
#define HPCBENCH_NODE_COMPUTE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* Accumulators of a core; a kernel uses the first lanes of them. */
enum { COMPUTE_LANES_MAX = 64 };

/*
 * acc[i] = factor * acc[i] + addend, rounds times for each lane. With a factor of -1 and whole
 * numbers every step is exact, two give back what was there, and an error once made stays.
 */
struct compute_work {
	_Alignas(64) double acc[COMPUTE_LANES_MAX];
	double factor, addend;
	uint64_t rounds;
	int cpu; /* that it is done on */
};

struct compute_kernel {
	const char *name;
	int lanes;
	bool (*can)(void);
	void (*run)(struct compute_work *w);
};

/* Ends with a row without a name; the last one before it runs everywhere. */
extern const struct compute_kernel compute_kernels[];

#endif

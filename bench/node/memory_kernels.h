/*
 * The four sweeps of node.memory on one thread's part of the arrays. Compiled for speed in every
 * build type (see CMakeLists.txt), so that a debug build measures memory too.
 */
#ifndef HPCBENCH_NODE_MEMORY_KERNELS_H
#define HPCBENCH_NODE_MEMORY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* a is written; b and c are read; n elements. */
typedef void memory_kernel(double *restrict a, const double *restrict b, const double *restrict c,
                           size_t n);

struct memory_op_row {
	memory_kernel *run;
	double arrays; /* read and written in a sweep, as STREAM counts: no write-allocate */
	double b, c;   /* a = b factor * b[i] + c factor * c[i], to check against */
};

/* By enum memory_op. */
extern const struct memory_op_row memory_ops[];
/* The same with stores that go past the caches; a must lie on 16 bytes. run is NULL where this
 * processor family has none. */
extern const struct memory_op_row memory_streaming_ops[];

/* What element i of b and c holds: exact in double, and so is every sum made of them here. */
double memory_b(uint64_t seed, uint64_t i);
double memory_c(uint64_t seed, uint64_t i);
/* Sets n elements that begin at number first: b and c to their contents, a to no right answer. */
void memory_fill(double *a, double *b, double *c, size_t n, uint64_t seed, uint64_t first);
/* How many of n elements of a are not what op makes of b and c. */
uint64_t memory_count_bad(const struct memory_op_row *op, const double *a, size_t n, uint64_t seed,
                          uint64_t first);

#endif

/* THE clock: CLOCK_MONOTONIC_RAW, in nanoseconds. Nothing else in the project times anything. */
#ifndef HPCBENCH_CORE_CLOCK_H
#define HPCBENCH_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Smallest and median cost of one clock_ns() call, from n calls. */
void clock_cost(unsigned n, double *min_ns, double *median_ns);

#endif

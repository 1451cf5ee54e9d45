#include "bench/node/jitter_quantum.h"

uint64_t jitter_quantum(uint64_t x, uint64_t steps, int cpu)
{
	(void)cpu;
	for (uint64_t i = 0; i < steps; i++)
		x = x * JITTER_MUL + JITTER_ADD;
	return x;
}

#include "bench/base/counter.h"

uint64_t counter_moved(uint64_t before, uint64_t after, int width)
{
	uint64_t range, moved;

	if (after >= before)
		return after - before;
	if (width <= 0 || width >= 64)
		return 0;
	range = UINT64_C(1) << width;
	if (before >= range)
		return 0;
	moved = range - before + after;
	return moved <= range / 2 ? moved : 0;
}

#include "bench/core/clock.h"

#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"

void clock_cost(unsigned n, double *min_ns, double *median_ns)
{
	double *cost;
	uint64_t before, after;

	if (n < 3)
		n = 3;
	cost = hb_alloc(n * sizeof(*cost));
	before = clock_ns();
	for (unsigned i = 0; i < n; i++) {
		after = clock_ns();
		cost[i] = (double)(int64_t)(after - before);
		before = after;
	}
	stat_sort(cost, n);
	*min_ns = cost[0];
	*median_ns = stat_quantile_sorted(cost, n, 0.5);
	free(cost);
}

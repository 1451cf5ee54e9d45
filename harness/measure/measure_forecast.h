/* What can be said of a run before it is made: how long it takes, and what it would find. */
#ifndef HPCBENCH_HARNESS_MEASURE_FORECAST_H
#define HPCBENCH_HARNESS_MEASURE_FORECAST_H

#include "harness/judge/detect.h"
#include "harness/measure/measure.h"
#include "harness/plan/plan_more.h"

struct measure_forecast {
	struct plan_more more; /* what may be appended */
	double most_s;         /* the plan's time with all of that */
	bool allocates;        /* an allocation is waited for before */
	int rounds;            /* of pairs, as they are planned; 0: no pairs */
	struct compare_params params;
	struct detect detect; /* empty without a baseline */
};
/* m: prepared. Free with measure_forecast_free, before m and its baseline. */
void measure_forecast(const struct measure *m, struct measure_forecast *out);
void measure_forecast_free(struct measure_forecast *f);

#endif

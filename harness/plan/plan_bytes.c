/* How much a run of a plan writes, so that a full disk is known before anything is measured. */
#include "harness/plan/plan.h"

/*
 * Seen in stored runs, in bytes a unit (suite quick on one host; suite pairs, simulated; latency
 * and bandwidth at 2 s a case): records 957, 681, 801; journal 198, 145, 141; plan.json 550, 168,
 * 393; summary.json 812, 351, 628; samples 9454, 717, 5290. At most 10,000 samples of 6.6 bytes are
 * kept of a metric, 66,000 bytes, but a case that is not that noisy ends long before. Confirming
 * reruns and a second start of a step add units: a fifth.
 */
enum { UNIT_BYTES_ALL = 2600 + 10000, RANK_BYTES = 1500, RUN_BYTES = 64 * 1024 };

double plan_bytes(const struct plan *p)
{
	double bytes = RUN_BYTES;

	for (size_t i = 0; i < p->n_steps; i++) {
		const struct plan_step *s = &p->steps[i];
		bytes += (double)s->n_ranks * RANK_BYTES;
		for (size_t j = 0; j < s->n_jobs; j++)
			bytes += (double)s->jobs[j].cases.n * UNIT_BYTES_ALL * 1.2;
	}
	return bytes;
}

/* What the files of `hpcbench run` share. */
#ifndef HPCBENCH_HARNESS_CMD_RUN_H
#define HPCBENCH_HARNESS_CMD_RUN_H

#include "harness/cmd/cmd.h"
#include "harness/measure/measure.h"

struct run_opts {
	char *suite, *bench, *sizes, *rounds, *launcher, *nodes, *seed, *baseline, *label, *inject;
	char *max_pairs, *port_range, *control_address, *profile, *resume, *shard;
	struct opt_strings alloc, step;
	double precision, max_time, budget, max_wait;
	int records, no_confirm, dry_run;
};

/* Prints what would be started and measured. */
int cmd_run_dry(const struct common *common, const struct measure *m);

#endif

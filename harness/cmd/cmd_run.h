/* What the files of `hpcbench run` share. */
#ifndef HPCBENCH_HARNESS_CMD_RUN_H
#define HPCBENCH_HARNESS_CMD_RUN_H

#include "harness/cmd/cmd.h"
#include "harness/measure/measure.h"

struct run_opts {
	char *suite, *bench, *sizes, *rounds, *launcher, *nodes, *seed, *baseline, *label, *inject;
	char *max_pairs, *port_range, *control_address, *profile, *resume, *shard;
	char *shape, *controls, *topology;
	struct opt_strings alloc, step;
	double precision, max_time, budget, max_wait;
	int records, no_confirm, dry_run;
	const char *called; /* "run", or "plan"; set by the command */
};

/* Measures with one profile (NULL: none). *id becomes the run's, the caller's; NULL: no run. */
typedef int cmd_run_one(void *ctx, const struct profile *p, char **id);
/*
 * Once for each profile of a comma list (NULL: once without), and what the user does with several
 * runs. Returns the worst exit code. A profile that is unknown or does not fit is CODE_USAGE,
 * before anything is measured.
 */
int cmd_run_profiles(const struct common *common, const char *list, cmd_run_one *one, void *ctx);

/* Prints what would be started and measured. */
int cmd_run_dry(const struct common *common, const struct measure *m);

#endif

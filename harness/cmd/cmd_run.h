/* What the files of `hpcbench run` share. */
#ifndef HPCBENCH_HARNESS_CMD_RUN_H
#define HPCBENCH_HARNESS_CMD_RUN_H

#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/measure/measure.h"

struct run_opts {
	char *suite, *bench, *sizes, *rounds, *launcher, *nodes, *seed, *baseline, *label, *inject;
	char *max_pairs, *port_range, *control_address, *profile, *resume, *shard;
	char *shape, *controls, *topology, *rules;
	struct opt_strings alloc, step;
	double precision, max_time, budget, max_wait;
	int records, no_confirm, dry_run;
	/* Of commands that are a run with more. */
	const char *command; /* its name; NULL: run */
	bool hold_groups;    /* until nodes are accepted */
	bool facts_only;     /* nothing is judged: what nodes are is told */
	char *format;        /* of what is printed then; NULL: text */
	int drain;           /* those that are rejected */
};
enum { RECORDS_CHANNEL, RECORDS_FILES };

/* A whole run, or one for each profile. Returns the exit code. */
int cmd_run_go(const struct common *common, const struct run_opts *o);
/* Prints what a run of facts alone has found. */
void cmd_probe_print(const struct common *common, const struct run_opts *o,
                     const struct measure *m);
/* The last partition that the options name; inside a job, the job's. own: a struct run_opts. */
const char *cmd_run_partition(const void *own);

/* What became of the nodes that were to be drained; v is not NULL, also where there are none. */
struct drained {
	struct report_drain *v;
	size_t n;
	void *owned; /* what v borrows from */
};
/* Drains what may be of the rejected nodes of a run that has ended (design: opt-in only). */
void cmd_accept_drain(const struct measure *m, struct drained *out);
void cmd_accept_drain_free(struct drained *d);

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

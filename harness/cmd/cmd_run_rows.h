/*
 * Rows that `run` and commands that are a run with more have in common. Their values lie in a
 * struct run_opts, which such a command's own options begin with.
 */
#ifndef HPCBENCH_HARNESS_CMD_RUN_ROWS_H
#define HPCBENCH_HARNESS_CMD_RUN_ROWS_H

#include "harness/cmd/cmd_run.h"

enum { RUN_BUDGET_MIN_S = 1, RUN_BUDGET_MAX_S = 7 * 86400 };
enum { RUN_WAIT_MIN_S = 1, RUN_WAIT_MAX_S = 30 * 86400 };
extern const struct opt_choice cmd_run_records[];

#define RUN_AT(field) offsetof(struct run_opts, field)

/* A row is a row: clang-format would put each of its fields on a line of its own. */
/* clang-format off */
#define RUN_ROWS_WHAT(help) \
	{ OPT_GROUP, 0, NULL, NULL, "What is measured", NULL, 0, 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "suite", "NAME|FILE", help, NULL, RUN_AT(suite), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "bench", "LIST", \
	  "only these benchmarks; without --suite: just these", \
	  NULL, RUN_AT(bench), 0, 0, NULL, 0 }, \
	{ OPT_SIZES, 0, "sizes", "RANGE", \
	  "message sizes instead of the suite's, for the benchmarks that can take them: 8,64Ki " \
	  "or 8..1Mi", NULL, RUN_AT(sizes), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "rounds", "K|all", \
	  "pairs: how many partners each node gets", NULL, RUN_AT(rounds), 0, 0, NULL, 0 }, \
	{ OPT_RATIO, 0, "precision", "P", \
	  "stop a case when its median is known this well", \
	  NULL, RUN_AT(precision), SUITE_PRECISION_MIN, SUITE_PRECISION_MAX, NULL, 0 }, \
	{ OPT_SECONDS, 0, "max-time", "T", \
	  "or after this long", \
	  NULL, RUN_AT(max_time), SUITE_MAX_TIME_MIN_S, SUITE_MAX_TIME_MAX_S, NULL, 0 }

#define RUN_ROWS_LAUNCHER(dflt) \
	{ OPT_GROUP, 0, NULL, NULL, "Where", NULL, 0, 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "launcher", "L", \
	  "how processes start, see hpcbench list launchers", \
	  dflt, RUN_AT(launcher), 0, 0, NULL, 0 }

#define RUN_ROWS_ORDER \
	{ OPT_STRING, 0, "topology", "FILE|slurm|none", \
	  "which node hangs on which leaf switch: topology.conf, JSON, or what Slurm says " \
	  "(with srun the default); slurm:static where routes are static", \
	  NULL, RUN_AT(topology), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "max-pairs", "N", \
	  "pairs and small groups measured at the same time; 0: all of a round (else the " \
	  "suite's, else a quarter of them where others run jobs on the cluster)", \
	  NULL, RUN_AT(max_pairs), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "seed", "N", \
	  "repeats the order of an earlier run", NULL, RUN_AT(seed), 0, 0, NULL, 0 }

#define RUN_ROWS_CLUSTER \
	{ OPT_GROUP, 0, NULL, NULL, "On a cluster", NULL, 0, 0, 0, NULL, 0 }, \
	{ OPT_STRINGS, 0, "alloc", "OPT=VAL", \
	  "an option of the allocation that srun makes: partition=gpu, account=x, time=30, " \
	  "exclusive=no; may be repeated", NULL, RUN_AT(alloc), 0, 0, NULL, 0 }, \
	{ OPT_STRINGS, 0, "step", "OPT=VAL", \
	  "an option of each step: mpi=pmix, gres=gpu:4; may be repeated", \
	  NULL, RUN_AT(step), 0, 0, NULL, 0 }, \
	{ OPT_SECONDS, 0, "max-wait", "T", \
	  "give up when the allocation does not come in this time", \
	  NULL, RUN_AT(max_wait), RUN_WAIT_MIN_S, RUN_WAIT_MAX_S, NULL, 0 }, \
	{ OPT_STRING, 0, "profile", "LIST", \
	  "how helpers run, see hpcbench config; of several each is measured in a run of its " \
	  "own", NULL, RUN_AT(profile), 0, 0, NULL, 0 }, \
	{ OPT_ENUM, 0, "records", "HOW", \
	  "how ranks reach this host", "channel", RUN_AT(records), 0, 0, cmd_run_records, 0 }, \
	{ OPT_STRING, 0, "port-range", "LO-HI", \
	  "the control channel listens on one of these ports", \
	  NULL, RUN_AT(port_range), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "control-address", "ADDRESS", \
	  "the one address of this host that ranks connect to", \
	  NULL, RUN_AT(control_address), 0, 0, NULL, 0 }

#define RUN_ROWS_RESULT \
	{ OPT_GROUP, 0, NULL, NULL, "What becomes of it", NULL, 0, 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "baseline", "NAME|FILE", \
	  "judge the run against this baseline", NULL, RUN_AT(baseline), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "rules", "PATH", \
	  "rules of this site beside those that come along: a file, or a folder of *.json", \
	  NULL, RUN_AT(rules), 0, 0, NULL, 0 }, \
	{ OPT_FLAG, 0, "no-confirm", NULL, \
	  "do not measure again what looks slow: no extra pairs, no rerun", \
	  NULL, RUN_AT(no_confirm), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "resume", "RUN", \
	  "measure what an earlier run did not get to; job: what this Slurm job began, if " \
	  "anything", NULL, RUN_AT(resume), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "label", "TEXT", \
	  "a word of yours to find the run again", NULL, RUN_AT(label), 0, 0, NULL, 0 }, \
	{ OPT_STRING, 0, "inject", "SPEC", \
	  "slow a benchmark down on purpose, to see that it is found: BENCH:FACTOR[@NODE]", \
	  NULL, RUN_AT(inject), 0, 0, NULL, 0 }, \
	{ OPT_FLAG, 0, "dry-run", NULL, \
	  "only show what would be started and measured, as hpcbench plan does", \
	  NULL, RUN_AT(dry_run), 0, 0, NULL, 0 }
/* clang-format on */

#endif

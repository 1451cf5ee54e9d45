/* What launchers share about the nodes that are asked for. */
#ifndef HPCBENCH_HARNESS_LAUNCH_NODES_H
#define HPCBENCH_HARNESS_LAUNCH_NODES_H

#include "harness/launch/launch.h"

struct launch_wish {
	const char *wanted;        /* --nodes; NULL: all there are */
	const struct nodeset *all; /* the nodes there are */
	const char *what;          /* "this allocation": where they come from, for errors */
};
/*
 * The wanted nodes. One that there is not is an error that names it; with s->resume it is in
 * *absent. The caller frees both; *absent has room for every node of out behind them.
 */
int launch_nodes_within(const struct launch_site *s, const struct launch_wish *wish,
                        struct nodeset *out, struct plan_absent **absent, size_t *n_absent,
                        struct hb_err *err);
/*
 * As ops->look, of nodes that Slurm knows: which have gone. A controller that does not answer just
 * now changes nothing.
 */
int launch_slurm_look(struct launch_site *s, const struct plan *plan, char **reason,
                      struct hb_err *err);
/* As ops->facts, of nodes that Slurm knows. */
int launch_slurm_facts(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
                       void *ctx, struct hb_err *err);
/* Seconds until the Slurm job of this run ends; negative: not known, or there is none. */
double launch_slurm_left_s(struct launch_site *s);

#endif

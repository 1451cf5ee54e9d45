/* What launchers share about the nodes that are asked for. */
#ifndef HPCBENCH_HARNESS_LAUNCH_NODES_H
#define HPCBENCH_HARNESS_LAUNCH_NODES_H

#include "harness/launch/launch.h"

/*
 * The nodes of wanted (--nodes) that there are, or all where it is NULL. One that is not in all is
 * an error that names it and what (static: "this allocation"); with s->resume it is in *absent, to
 * which it is appended. The caller frees both; *absent has room for every node of out behind them.
 */
int launch_nodes_within(const struct launch_site *s, const char *wanted, const struct nodeset *all,
                        const char *what, struct nodeset *out, struct plan_absent **absent,
                        size_t *n_absent, struct hb_err *err);
/*
 * As ops->look, of nodes that Slurm knows: which have gone. A controller that does not answer just
 * now changes nothing.
 */
int launch_slurm_look(struct launch_site *s, const struct plan *plan, char **reason,
                      struct hb_err *err);
/* Seconds until the Slurm job of this run ends; negative: not known, or there is none. */
double launch_slurm_left_s(struct launch_site *s);

#endif

/* What the files of the launcher `srun` share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_LAUNCH_SRUN_H
#define HPCBENCH_HARNESS_LAUNCH_SRUN_H

#include "harness/launch/launch.h"
#include "harness/slurm/slurm.h"

struct srun_state {
	struct slurm_guard *guard; /* of our own allocation; NULL: the job is another's */
	struct slurm_config config;
	char mpi[SLURM_WORD_MAX]; /* of --mpi; "": the site's default, nothing is said */
};

struct srun_state *srun_state(struct launch_site *s); /* made where there is none */
/* Does the user say this option of the steps? */
bool srun_has_step_opt(const struct launch_site *s, const char *name);
/* "srun" and what every step of the job begins with. */
void srun_words(const struct launch_site *s, struct launch_command *c);
/*
 * Finds the type of --mpi with which two ranks of hpcbench-mpi see each other, and remembers it in
 * s->memory for this cluster and program. Nothing is done for a plan without MPI, or where --step
 * says the type. HB_E_LIB: none works, with what the first try said.
 */
int srun_mpi_type(struct launch_site *s, const struct plan *plan, struct hb_err *err);

/* Takes what is remembered back: the next run tries again. */
void srun_mpi_forget(struct launch_site *s);

#endif

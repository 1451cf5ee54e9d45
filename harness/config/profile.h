/*
 * A profile: one of the ways in which helpers run on a site. Another MPI, a container, a script
 * that loads modules. Profiles stand in the configuration (config.h); helpers that were built for
 * one lie in a folder of its name below libexec/hpcbench.
 */
#ifndef HPCBENCH_HARNESS_CONFIG_PROFILE_H
#define HPCBENCH_HARNESS_CONFIG_PROFILE_H

#include <stddef.h>

/* All strings are owned; what is not given is NULL or empty. */
struct profile {
	char *name;     /* letters, digits, '.', '-', '_' */
	char *arch;     /* of the machines it is for, as uname -m says; NULL: any */
	char *mpi_type; /* of srun --mpi; NULL: found out by two ranks */
	char *mpirun;   /* starts ranks under the launchers local and mpirun; NULL: "mpirun" */
	char **env;     /* "NAME=VALUE", for the launcher and its processes */
	size_t n_env;
	char **wrap; /* an argument list that stands in front of the helper's path; never a shell's
	              */
	size_t n_wrap;
};

void profile_free(struct profile *p);

#endif

/*
 * A profile: one of the ways in which helpers run on a site. Another MPI, a container, a script
 * that loads modules. Profiles stand in the configuration (config.h); helpers that were built for
 * one lie in a folder of its name below libexec/hpcbench, or in the user's data folder.
 */
#ifndef HPCBENCH_HARNESS_CONFIG_PROFILE_H
#define HPCBENCH_HARNESS_CONFIG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/json.h"

/* All strings are owned; what is not given is NULL or empty. */
struct profile {
	char *name;     /* letters, digits, '.', '-', '_' */
	char *arch;     /* of the machines it is for, as uname -m says; NULL: any */
	char *mpi_type; /* of srun --mpi; NULL: found out by two ranks */
	char *mpirun;   /* starts ranks under the launchers local and mpirun; NULL: "mpirun" */
	char *helpers;  /* the folder of its helpers; NULL: where those of its name are built */
	char **env;     /* "NAME=VALUE", for the launcher and its processes */
	size_t n_env;
	char **wrap; /* an argument list that stands in front of the helper's path; never a shell's
	              */
	size_t n_wrap;
};

#define PROFILE_DEFAULT "default" /* in lists of names: no profile, helpers as built */

void profile_free(struct profile *p);
json_object *profile_to_json(const struct profile *p); /* as it stands in a configuration */
/* Is this machine one that the profile is for? */
bool profile_fits(const struct profile *p);
/* Where an ordinary user's helpers lie, a folder a profile; NULL: no home. The caller frees. */
char *profile_user_folder(void);

#endif

/*
 * Builds hpcbench-mpi for another MPI: cmake in a temporary folder, over the sources that an
 * installation carries, then a check that the result runs. Prints nothing, needs no root.
 */
#ifndef HPCBENCH_HARNESS_CONFIG_PROFILE_BUILD_H
#define HPCBENCH_HARNESS_CONFIG_PROFILE_BUILD_H

#include "harness/launch/spawn.h"

struct profile_build {
	const char *source;  /* folder with CMakeLists.txt and bench/ */
	const char *mpicc;   /* a path */
	const char *folder;  /* where the helper goes; made if it is not there */
	int signal_fd;       /* a signalfd that asks to stop; -1: none */
	spawn_line_fn *line; /* told each line of cmake; may be NULL */
	void *ctx;
};

/* What came out; strings are owned. */
struct profile_built {
	char *helper;  /* its path */
	char *mpi;     /* how its library calls itself; NULL: it does not say */
	char *library; /* LD_LIBRARY_PATH that it cannot do without; NULL: it can */
};

/* On failure the temporary folder is kept for its log, which err names, and folder is as before. */
int profile_build(const struct profile_build *in, struct profile_built *out, struct hb_err *err);
void profile_built_free(struct profile_built *b);

#endif

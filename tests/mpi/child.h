/* Starting a program in a test and learning how it ended, with a limit on everything. */
#ifndef HPCBENCH_TESTS_MPI_CHILD_H
#define HPCBENCH_TESTS_MPI_CHILD_H

#include <sys/types.h>

#include "bench/base/buf.h"

/* How long anything may take on a busy machine before a test gives it up. */
enum { CHILD_LIMIT_MS = 60000 };

struct child {
	pid_t pid;
	int out; /* its standard output and standard error in one */
	struct buf text;
};

/*
 * Starts argv[0]; env is a NULL-terminated list of NAME=VALUE put over this process's environment.
 * Ends the test process with a message if that is not possible.
 */
void child_start(struct child *c, const char *const *argv, const char *const *env);
/* Reads until the end of its output and returns the exit status, 128 + N for signal N. */
int child_finish(struct child *c);
/* TERM, and KILL if it does not end; returns like child_finish. */
int child_end(struct child *c);
void child_free(struct child *c);

/* Readable once the process is gone (pidfd), -1 if it is already; the caller closes. */
int process_fd(pid_t pid);
/* Waits until a process that need not be a child is gone; 0 when it still is there at the limit. */
int process_gone(pid_t pid);

/* What mpirun needs here: root allowed, more ranks than cores. Does not replace what is set. */
void mpirun_environment(void);

#endif

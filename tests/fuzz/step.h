/* A step on n[1-4] without processes: what its ranks say goes to nowhere but into memory. */
#ifndef HPCBENCH_TESTS_FUZZ_STEP_H
#define HPCBENCH_TESTS_FUZZ_STEP_H

#include "harness/launch/launch_parts.h"

struct fuzz_step {
	struct suite suite;
	struct plan plan;
	struct launch_site site;
	struct launch l;
	struct step_run r;
};

/* Nobody is there yet. The run directory is fuzz_folder(). */
void fuzz_step_open(struct fuzz_step *s);
void fuzz_step_close(struct fuzz_step *s);
/* Writes its plan as a file of that folder. */
void fuzz_step_put_plan(const char *name);
/* Starts every job that can start. */
void fuzz_step_start_jobs(struct fuzz_step *s);

#endif

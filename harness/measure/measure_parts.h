/* What the files of measure share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_MEASURE_PARTS_H
#define HPCBENCH_HARNESS_MEASURE_PARTS_H

#include "harness/measure/measure.h"

/* Now, UTC, ISO 8601. */
void measure_now(char out[32]);
/* Writes a file of the run; takes o. */
int measure_write(const struct measure *m, const char *name, json_object *o, struct hb_err *err);
/* run.json; finished: the exit code is known. */
int measure_write_run(const struct measure *m, bool finished, struct hb_err *err);

/* The cluster's name: the launcher's, SLURM_CLUSTER_NAME, else the host's. */
void measure_cluster(const struct measure *m, char out[256]);
/* How the coverage ledger calls the cluster, and the suite; the latter is the caller's. */
void measure_ledger_name(const struct measure *m, char out[256]);
char *measure_suite_name(const struct measure *m);

#endif

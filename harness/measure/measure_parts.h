/* What the files of measure share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_MEASURE_PARTS_H
#define HPCBENCH_HARNESS_MEASURE_PARTS_H

#include "harness/measure/measure.h"

/* Now, UTC, ISO 8601. */
void measure_now(char out[32]);
/* Writes a file of the run; takes o. */
int measure_write(const struct measure *m, const char *name, json_object *o, struct hb_err *err);
int measure_write_summary(const struct measure *m, struct hb_err *err);
/* run.json; finished: the exit code is known. */
int measure_write_run(const struct measure *m, bool finished, struct hb_err *err);

/* ---- the store while measuring (measure_store.c) ---- */

/* Room, the lock of the run's folder, its writer. m->dir exists. */
int measure_store_open(struct measure *m, struct hb_err *err);
/*
 * Nothing is being measured: waits until everything is on disk, so that m->dir can be read. Where
 * the store failed m->dir is elsewhere from then on, or NULL, and m is broken.
 */
void measure_store_settle(struct measure *m);
/* Settles, and lets go of the folder. Fails where the store did, saying where the run is. */
int measure_store_close(struct measure *m, struct hb_err *err);

#endif

/* What the files of measure share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_MEASURE_PARTS_H
#define HPCBENCH_HARNESS_MEASURE_PARTS_H

#include "harness/measure/measure.h"

/* Now, UTC, ISO 8601. */
void measure_now(char out[32]);
/* Writes a file of the run; takes o. */
int measure_write(const struct measure *m, const char *name, json_object *o, struct hb_err *err);
int measure_write_plan(const struct measure *m, struct hb_err *err); /* plan.json */
int measure_write_summary(const struct measure *m, struct hb_err *err);
/* run.json; finished: the exit code is known. */
int measure_write_run(const struct measure *m, bool finished, struct hb_err *err);

/* The cluster's name: the launcher's, SLURM_CLUSTER_NAME, else the host's. */
void measure_cluster(const struct measure *m, char out[256]);
/* How the coverage ledger calls the cluster, and the suite; the latter is the caller's. */
void measure_ledger_name(const struct measure *m, char out[256]);
char *measure_suite_name(const struct measure *m);
/*
 * The directory of the run that --resume names; "job": the newest that this Slurm job began, and
 * *dir stays NULL where there is none. The caller frees.
 */
int measure_resume_find(const struct store *s, const char *name, char **dir, struct hb_err *err);
/*
 * Fills plan, suite, request and what is done from m->dir; the launcher, and which nodes are there
 * now.
 */
int measure_resume(struct measure *m, struct hb_err *err);
/* All of the step was measured by an earlier process of the run. */
bool measure_step_done(const struct measure *m, size_t step);
/* Nothing need be started: there is only the report to be written again. */
bool measure_nothing_left(const struct measure *m);
void measure_resume_free(struct measure *m);

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

/* Runs the plan's steps that have not run; until a signal, or the store cannot be written. */
int measure_steps(struct measure *m, struct launch *l, struct hb_err *err);
/* From the records to the summary, and the verdicts if there is a baseline. */
int measure_collect(struct measure *m, struct hb_err *err);
/* The causes of what is slow, and what is misconfigured; and forgets them. After it m->findings,
 * verdicts and told must stay. */
void measure_diagnose(struct measure *m);
void measure_diagnose_not(struct measure *m);
json_object *measure_findings_json(const struct measure *m); /* findings.json, the caller's */
/* Measures again the pairs that got no answer although both ends answer others; collects again. */
int measure_again(struct measure *m, struct launch *l, struct hb_err *err);
/* The journal's word that steps were added to plan.json. */
int measure_appended(struct launch *l, enum phase phase, size_t steps, struct hb_err *err);
/* May extra pairs be asked for in this run, and were not yet? */
bool measure_extra_due(const struct measure *m);
/* May more be measured than was planned? Not after a signal or a failure, nor where the end was
 * near, or somebody cancelled a step. */
bool measure_may_add(const struct measure *m);
/* Has an earlier process of the run appended steps of this phase? */
bool measure_has_phase(const struct measure *m, enum phase phase);
/*
 * Appends the pairs that decide who is to blame (localize_ask), measures them and collects again;
 * at most once a run. Nothing where nothing is to be confirmed, by files, below three nodes, after
 * a signal, and where the time is nearly over.
 */
int measure_extra(struct measure *m, struct launch *l, struct hb_err *err);
/*
 * In a run with new nodes: appends the groups that were held back, over those that are accepted and
 * the healthy controls, measures them and collects again; at most once a run.
 */
int measure_accept(struct measure *m, struct launch *l, struct hb_err *err);
/* The decisions, from what is collected, if nodes are new; and forgets them. */
void measure_decide(struct measure *m);
void measure_decide_not(struct measure *m);
/* HB_E_USAGE: with groups held back, what was made of the request is no acceptance. */
int measure_accept_check(const struct measure *m, struct hb_err *err);
/* Appends what confirms the suspects, measures it and collects again; nothing where none is due. */
int measure_confirm(struct measure *m, struct launch *l, struct hb_err *err);

#endif

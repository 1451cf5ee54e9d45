/*
 * Watches over the jobs of a step for foreign load: keeps what ranks tell of their nodes, stores
 * it, and says which job is measured once more and which figures do not count. Private to launch
 * and its tests.
 */
#ifndef HPCBENCH_HARNESS_LAUNCH_WATCH_H
#define HPCBENCH_HARNESS_LAUNCH_WATCH_H

#include "harness/launch/launch_parts.h"

struct step_watch;
struct step_watch *step_watch_new(const struct step_run *r);
void step_watch_free(struct step_watch *w, const struct step_run *r);

/* A rank record: which kernel and network the rank has, to know nodes that share theirs. */
void step_watch_rank(struct step_run *r, int rank, json_object *record);
/* The load that a done message may have. HB_E_FORMAT: it is no such thing. */
int step_watch_done(struct step_run *r, int rank, size_t j, json_object *done, struct hb_err *err);
/* The job starts: what it measured before, if it is measured once more, counts as not ended. */
void step_watch_start(struct step_run *r, size_t j);
/*
 * The job has ended, in this way: stores a load record for each of its nodes. Where it was
 * disturbed its units are marked by events, line (of the journal) says why, and the first time the
 * job waits again, if that can be done. True: it does.
 */
bool step_watch_ended(struct step_run *r, size_t j, const char *status, json_object *line);

#endif

/*
 * A team of threads, each on a core of its own, that do the same step together again and again:
 * started once, woken by the thread that made them, released into each repetition at one moment.
 */
#ifndef HPCBENCH_NODE_TEAM_H
#define HPCBENCH_NODE_TEAM_H

#include <stdint.h>

#include "bench/base/err.h"

struct team;

/* One member's part of a step. Must not block. */
typedef void team_step(void *arg, int member);
/* After each repetition, on member 0: its time, from the first start to the last end. Returns 0
 * to go on, anything else to stop the repetitions. */
typedef int team_timed(void *arg, double ns);

/* Member i is bound to cpus[i % n_cpus]; members 1..1 << 14. */
int team_start(int members, const int *cpus, int n_cpus, struct team **out, struct hb_err *err);
int team_size(const struct team *t);
/* Runs step n times on all members; timed may be NULL. Returns what timed returned last, or 0. */
int team_run(struct team *t, uint64_t n, team_step *step, team_timed *timed, void *arg);
/* Ends the threads; NULL is fine. */
void team_stop(struct team *t);

#endif

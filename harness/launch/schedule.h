/*
 * Which job runs next, as pure decisions over one step: no clock, no sockets, no output. The owner
 * tells what happened (a rank came, finished, fell silent, went away) and asks what to start.
 *
 * Jobs form groups in plan order (one benchmark, phase, round, repeat). A group starts when the one
 * before it has ended, so that what runs at the same time is the same in every run; within a group
 * all jobs with disjoint ranks run at once, `alone` jobs by themselves, pairs (and groups of
 * several ranks that are not alone) at most max_pairs.
 */
#ifndef HPCBENCH_HARNESS_SCHEDULE_H
#define HPCBENCH_HARNESS_SCHEDULE_H

#include "harness/plan/plan.h"

enum sched_rank {
	RANK_ABSENT, /* has not connected yet */
	RANK_HERE,
	RANK_GONE,  /* its connection closed; a relaunch brings it back */
	RANK_STUCK, /* hung together with others in a job; a relaunch brings it back, too */
	RANK_LOST   /* silent or hung: gets no more jobs, not even after a relaunch */
};

enum sched_job {
	JOB_WAITING,
	JOB_RUNNING,
	JOB_DONE,     /* every one of its ranks said done */
	JOB_CUT,      /* was running when a rank of it went away: may run again */
	JOB_GIVEN_UP, /* never ended and will not */
	JOB_SKIPPED   /* its helper cannot run here */
};

struct sched {
	const struct plan_step *step; /* borrowed */
	int max_pairs;                /* measured at the same time; 0: no limit */
	enum sched_rank *rank;
	size_t *rank_job; /* index of the running job that the rank has not finished; SIZE_MAX */
	enum sched_job *job;
	int *left;     /* ranks of a running job that have not said done */
	size_t *group; /* of each job, from 0 */
	int *lost_by;  /* rank that cost a given-up job; -1 */
	bool *late;    /* was cut: runs alone and after all others, as it may be deadly */
	bool *again;   /* is measured once more: when all others of its group have ended */
	/* So that nobody walks over all jobs at each message: no job before first can run any more,
	 * none from started on ever has. */
	size_t first, started;
};

void sched_init(struct sched *s, const struct plan_step *step, int max_pairs);
void sched_free(struct sched *s);

/* Jobs to start now: indexes into step->jobs, at most max. They are disjoint. Changes nothing. */
size_t sched_next(const struct sched *s, size_t *out, size_t max);
/* The job runs from now on. */
void sched_started(struct sched *s, size_t job);

/*
 * One rank begins with the job, while its others may still be in earlier ones: where the schedule
 * was handed over in advance. Nothing happens when the job has ended already.
 */
void sched_rank_begins(struct sched *s, int rank, size_t job);

void sched_joined(struct sched *s, int rank);
/* A rank said done. True if its job has ended with it. False also if it was not in that job. */
bool sched_rank_done(struct sched *s, int rank, uint64_t job_id);
/*
 * A connection closed: its running job becomes JOB_CUT. Whether that job is to blame or the
 * launcher is taking everybody down is for the owner to tell (sched_give_up). Returns the job's
 * index or SIZE_MAX.
 */
size_t sched_gone(struct sched *s, int rank);
/* A rank is silent: lost, its running job given up. Returns the job's index or SIZE_MAX. */
size_t sched_lost(struct sched *s, int rank);
/*
 * A job's deadline passed: it is given up. Its ranks that have not said done are lost where it is
 * one, or all of one node while others answered; else they are stuck, and nobody knows through whom
 * (one silent rank of a group holds up whoever waits for it). Their number is returned, the ranks
 * are in out (room for the job's n_ranks).
 */
int sched_expired(struct sched *s, size_t job, int *out);
/* A job that is done waits again, for the end of its group. */
void sched_repeat(struct sched *s, size_t job);
/* The job will not be tried again; by_rank (-1: nobody) cost it. */
void sched_give_up(struct sched *s, size_t job, int by_rank);

size_t sched_running(const struct sched *s);
/* True when nothing runs and nothing that waits can still run with the ranks that are here. */
bool sched_finished(const struct sched *s);
/*
 * True when jobs are left that a relaunch could run: waiting or cut ones whose ranks are not lost.
 * sched_relaunch then sets ranks to ABSENT (LOST ones stay) and cut jobs to waiting and late.
 */
bool sched_worth_relaunch(const struct sched *s);
void sched_relaunch(struct sched *s);
/* Whatever still waits, runs or was cut is given up. */
void sched_close(struct sched *s);

#endif

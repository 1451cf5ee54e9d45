/*
 * What the files of launch share: the run's logs, a step in progress, its jobs. Private to launch
 * and its tests.
 */
#ifndef HPCBENCH_HARNESS_LAUNCH_PARTS_H
#define HPCBENCH_HARNESS_LAUNCH_PARTS_H

#include "harness/control/control.h"
#include "harness/launch/launch.h"
#include "harness/launch/schedule.h"
#include "harness/store/store.h"

/*
 * ---- logs: queued in memory while something is measured; written in between, by another process
 */

enum log_file { LOG_RECORDS, LOG_SAMPLES, LOG_JOURNAL, LOG_FILES };
enum { LOG_QUEUE_MAX = 64 * 1024 * 1024 /* bytes; beyond it is written whatever runs */ };

struct log_entry {
	json_object *o;
	enum log_file file;
};

struct launch_log {
	struct store_writer *w;
	bool own; /* w is closed with the log */
	struct log_entry *queue;
	size_t n, cap, bytes;
	struct hb_err err; /* the first failure; err.code says whether there was one */
};

/* A log over a writer of its own, or over the caller's. */
int launch_log_open(struct launch_log *l, const char *dir, struct hb_err *err);
void launch_log_use(struct launch_log *l, struct store_writer *w);
/* Takes the reference. size: about how many bytes it is. */
void launch_log_add(struct launch_log *l, enum log_file file, json_object *o, size_t size);
/*
 * Writes and syncs everything; the first failure is remembered and returned from then on. A store
 * that does not answer is none (writer.h): nothing waits for it long.
 */
int launch_log_flush(struct launch_log *l, struct hb_err *err);
int launch_log_close(struct launch_log *l, struct hb_err *err);

/* ---- a step in progress ---- */

struct launch {
	struct launch_params p;
	struct ctl *ctl; /* NULL in files mode */
	struct launch_log log;
	int signal;     /* the first one */
	bool impatient; /* a second signal came */
	int64_t start_ms;
	char reason[480]; /* of the last step */
};

struct step_run {
	struct launch *l;
	const struct plan_step *step;
	size_t index;
	struct sched s;
	uint64_t attempt;
	struct spawn *child;
	/* per rank */
	char **host;       /* the node's name */
	char **why;        /* what became of it, once it is gone or lost */
	int64_t *heard_ms; /* last word */
	/*
	 * A rank of the plan is a seat; the launcher's processes, the world, number themselves
	 * otherwise, and nodes may be left out of it.
	 */
	int *world; /* of each seat: who sits there; -1: nobody yet */
	int *seat;  /* of each rank of the world; -1: not here yet */
	int n_world;
	bool *left_out;           /* seats that this attempt does without */
	struct step_files *files; /* NULL: records come over the control channel */
	/* per job */
	int64_t *due_ms; /* its next unit must have ended by then; 0: not running */
	size_t *unit_at; /* where its units begin in ended */
	unsigned char *ended;
	uint64_t *tries; /* of each job: how often it was commanded; the attempt of its records */
	json_object *facts; /* those told so far, as names; NULL: none */
	/* per attempt */
	int joined;
	size_t *cut; /* jobs cut since the last look, at most n_jobs */
	size_t n_cut;
	bool blamed; /* somebody has gone in this attempt, and was blamed if that was clear */
	int64_t start_ms, last_join_ms;
	bool world_wrong;
	bool quitting;    /* told to quit: connections may close now */
	size_t jobs_done; /* or given up */
};

enum {
	RECORD_GUESS = 512,     /* bytes of a record of ours, for the queue's bound */
	IDLE_SILENCE_MS = 30000 /* an idle rank sends a heartbeat every 5 s */
};

void step_run_init(struct step_run *r, struct launch *l, size_t index);
void step_run_free(struct step_run *r);

static inline const struct suite_entry *step_entry(const struct step_run *r,
                                                   const struct plan_job *job)
{
	return &r->l->p.plan->suite->entries[job->entry];
}

/* ---- seats (launch_seats.c) ---- */

/* Who is started in this attempt: everybody, less nodes that are lost where that can be said. */
int step_seats_choose(struct step_run *r, struct hb_err *err);
/* The seat of a rank of the world; -1: there is none left. */
int step_seat_take(struct step_run *r, int world, const char *host, int local);
/* All seats of a node are lost, for this reason. */
void step_node_lost(struct step_run *r, const char *node, const char *why);

/* ---- one attempt (launch_loop.c) ---- */

extern const struct ctl_handlers step_handlers;
void step_read_signals(struct launch *l);
/*
 * Until everything that can be measured is, the launcher has ended, or somebody asked to stop.
 * HB_E_TIMEOUT: the step's deadline passed; HB_E_IO: the logs cannot be written.
 */
int step_loop(struct step_run *r);
/*
 * Quit, TERM, KILL, each with its time; the last records are still taken meanwhile. True: it went
 * without force, so that what it says about its end is true.
 */
bool step_end_child(struct step_run *r);
/* Takes what ended processes left in their sockets. */
void step_drain(struct step_run *r);
/* A rank has introduced itself and sits there from now on. */
void step_joined(struct step_run *r, int seat, const struct ctl_hello *h);

/* ---- records by files (launch_files.c); harness/README.md has the format ---- */

/* The folder with the schedule of everything that can still be measured. */
int step_files_open(struct step_run *r, struct hb_err *err);
const char *step_files_folder(const struct step_run *r);
/* Takes what ranks have written since. */
void step_files_service(struct step_run *r);
/* How long a poll may sleep at most, in ms. */
enum { STEP_FILES_TICK_MS = 250 };
/* Takes the rest, after the processes are gone. */
void step_files_finish(struct step_run *r);
void step_files_close(struct step_run *r);

/* ---- jobs (launch_jobs.c, launch_message.c) and records (launch_records.c) ---- */

/* The command of a job; the caller's. */
json_object *step_job_message(const struct step_run *r, size_t j);
/* "Finish and exit"; the caller's. */
json_object *step_quit_message(void);
/* The journal says that a job begins. */
void step_log_job_start(struct step_run *r, size_t j);
/* The job counts as running, and the journal says so. */
void step_announce_job(struct step_run *r, size_t j);
/* Commands it to its ranks; those that cannot be told are about to be gone. */
void step_send_job(struct step_run *r, size_t j);
/* What the rank on a seat says. */
int step_on_message(struct step_run *r, int rank, json_object *o, size_t len, struct hb_err *err);
/* The rank on a seat is gone, by itself. */
void step_on_leave(struct step_run *r, int rank, const char *why);
/*
 * After each look at the channel: the first job that lost a rank killed it, unless several went at
 * once; what goes after may be the launcher taking everybody down.
 */
void step_settle_blame(struct step_run *r);
/* A rank will not be waited for any longer. */
void step_rank_lost(struct step_run *r, int rank, const char *why);
/* Ends jobs whose next unit is overdue and ranks that are silent while idle. */
void step_check_deadlines(struct step_run *r, int64_t now_ms);
/* The next moment at which step_check_deadlines has something to do; -1: none. */
int64_t step_next_deadline(const struct step_run *r);
/* Gives up or skips whatever is left, writing an end record for each unit. */
void step_close_jobs(struct step_run *r, enum unit_status status, const char *reason);

/* The next unit of a running job has its whole deadline from now on. */
void step_renew_due(struct step_run *r, size_t j);
void step_log_unit_end(struct step_run *r, const struct rec_ids *ids, enum unit_status status);
/* All of its ranks are done: what has no end record by now never gets one. */
void step_job_done(struct step_run *r, size_t j, const char *status, const char *reason);

/* An event: to the records, and to whoever listens. */
void step_event(struct step_run *r, const char *level, const char *code, const char *fmt, ...)
        HB_PRINTF(4, 5);
/* "mpi.latency n1-n2": what a job measures, for people. */
void step_job_text(const struct step_run *r, size_t j, struct buf *out);
/* Sets the ids that every record of this step and attempt has. */
void step_stamp(const struct step_run *r, json_object *record);
/* A journal line of this step and attempt, to be completed by the caller and handed to step_log. */
json_object *step_journal(const struct step_run *r, const char *type);
void step_log(struct step_run *r, json_object *o);

#endif

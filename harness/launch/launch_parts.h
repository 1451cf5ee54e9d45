/*
 * What the files of launch share: the run's logs, a step in progress, its jobs. Private to launch
 * and its tests.
 */
#ifndef HPCBENCH_HARNESS_LAUNCH_PARTS_H
#define HPCBENCH_HARNESS_LAUNCH_PARTS_H

#include "harness/control/control.h"
#include "harness/launch/launch.h"
#include "harness/launch/schedule.h"
#include "harness/launch/tiers.h"
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
	/* A control channel for each step that runs at the same time; none in files mode. */
	struct ctl *ctl[LAUNCH_AT_ONCE];
	size_t n_ctl;
	bool ready;
	struct launch_log log;
	int signal;     /* the first one */
	bool impatient; /* a second signal came */
	int64_t start_ms;
	int64_t end_ms; /* nothing starts that cannot end by then, and all ends; 0: no limit */
	bool *lost;     /* of each node: a step had to do without it; NULL: no step has ended */
	char **gone; /* of each node: why it cannot take part, as last seen; NULL: nobody looked */
	int64_t looked_ms;
	const char *end_what;     /* what ends then; static */
	struct machine_id *where; /* of each node (launch_watch.c); NULL: nobody told yet */
	struct node_told *told;   /* of each node (launch_facts.c); NULL: nobody told yet */
	bool manager_told;        /* the resource manager was asked about the nodes */
};

/* What an attempt is about to do; in this order. */
enum step_phase {
	STEP_RUNS,   /* jobs are measured */
	STEP_QUITS,  /* told to quit */
	STEP_LOOKS,  /* somebody does not go: what are those processes doing? */
	STEP_TERMS,  /* SIGTERM was sent */
	STEP_KILLS,  /* SIGKILL was sent */
	STEP_DRAINS, /* the launcher is gone, last words may still be in the sockets */
	STEP_OVER
};

/* The last that a rank said, for when it says nothing any more. */
struct last_word {
	const char *what; /* static; NULL: nothing */
	uint64_t unit;    /* 0: of none */
};

/* Where others of the step can connect to a rank, as its hello told. */
struct step_port {
	char *address; /* the one that hpcbench saw; NULL: not known */
	int port;      /* 0: it does not listen */
};

struct stuck_look; /* launch_stuck.c */
struct step_facts; /* launch_facts.c */

struct step_run {
	struct launch *l;
	const struct plan_step *step;
	size_t index;
	struct ctl *ctl; /* NULL in files mode */
	struct sched s;
	uint64_t attempt;   /* from 1; goes on where an earlier process of the run left off */
	struct tiers tiers; /* what is known of nodes from the starts of this process */
	struct spawn *child;
	enum step_phase phase;
	int64_t until_ms; /* of the phase */
	bool late;        /* the deadline passed */
	bool by_itself;   /* the launcher ended without force: what it says about its end is true */
	struct stuck_look *look;
	struct launch_cause early; /* what the launcher had said before nobody came */
	bool no_time;              /* something could not be started, or go on, before l->end_ms */
	bool cancelled;            /* by somebody else */
	char stuck[320];           /* a process that did not go, and what it was doing; "" */
	enum step_status status;   /* once it is over */
	char reason[480];
	int64_t began_ms;
	double seconds; /* once it is over */
	/* per rank */
	char **host;       /* the node's name */
	char **why;        /* what became of it, once it is gone or lost */
	int64_t *heard_ms; /* last word */
	struct last_word *last;
	/*
	 * A rank of the plan is a seat; the launcher's processes, the world, number themselves
	 * otherwise, and nodes may be left out of it.
	 */
	int *world; /* of each seat: who sits there; -1: nobody yet */
	int *seat;  /* of each rank of the world; -1: not here yet */
	int n_world;
	struct step_port *port;   /* of each seat */
	bool *begun;              /* of each seat: its process said that it runs, in this attempt */
	bool *left_out;           /* seats that this attempt does without */
	struct step_files *files; /* NULL: records come over the control channel */
	/* per job */
	int64_t *due_ms; /* its next unit must have ended by then; 0: not running */
	size_t *unit_at; /* where its units begin in ended */
	unsigned char *ended;
	bool *commanded;      /* of each job: in this process, since it was last to be measured */
	unsigned char *asked; /* of each unit, beside ended: its job's latest command had it */
	uint64_t *tries; /* of each job: how often it was commanded; the attempt of its records */
	struct step_watch *watch; /* for foreign load */
	struct step_facts *facts; /* those told so far, and by whom */
	/* per attempt */
	int joined, n_begun;
	bool stranger;        /* a process runs on a host that the plan does not know */
	bool nobody;          /* no rank came in time, and no node is to blame for that */
	bool probe;           /* nothing is measured: do these nodes come out of start-up? */
	bool stalled;         /* processes ran, and nobody came out of start-up in time */
	int left, first_left; /* ranks that went since the last look, and the first of them */
	size_t *cut;          /* jobs cut since the last look, at most n_jobs */
	size_t n_cut;
	bool blamed; /* somebody has gone in this attempt, and was blamed if that was clear */
	int64_t start_ms, last_join_ms, last_begun_ms;
	int64_t turn_ms; /* when it was last looked at; 0: not yet */
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

/* Forgets what was seen of the nodes. */
void launch_forget_look(struct launch *l);

/* Who is started in this attempt: everybody, less nodes that are lost where that can be said. */
int step_seats_choose(struct step_run *r, struct hb_err *err);
/* The seat of a rank of the world; -1: there is none left. */
int step_seat_take(struct step_run *r, int world, const char *host, int local);
/* All seats of a node are lost, for this reason. */
void step_node_lost(struct step_run *r, const char *node, const char *why);

/* ---- attempts: one start of a step's processes, to its end (launch_attempt.c) ---- */

/* The next attempt, or the step's end where nobody is left to start. */
void step_begin(struct step_run *r);
/* An attempt has ended: the next one begins, or the step is over. */
void step_attempt_over(struct step_run *r);
/* What the launcher says about an end that was not ours; the node that it blames is lost. */
void step_learn_cause(struct step_run *r, struct launch_cause *cause);
/* The step will not go on; what is left of it ends so. */
void step_finish(struct step_run *r, enum step_status s, const struct launch_cause *cause);
/* "SIGTERM" */
const char *step_signal_text(int number);

/* ---- start-up (launch_startup.c) ---- */

/* Ranks of this attempt that have not come. */
int step_absent(const struct step_run *r);
/* Until when the ranks that are still missing may come; -1: none is missing. */
int64_t step_absent_until(const struct step_run *r);
/* Time is over for those: they are named as far as it is known through whom. */
void step_give_up_absent(struct step_run *r);
/* The attempt's start-up stalled, or it was a probe: what is known now; false: nothing more. */
bool step_startup_over(struct step_run *r);

/* ---- what an attempt does (launch_loop.c, launch_end.c) ---- */

extern const struct ctl_handlers step_handlers;
void step_read_signals(struct launch *l);
/* Sleeps until something happens to one of these steps or until_ms (-1: ever), and takes it. */
void step_turn(struct launch *l, struct step_run *v, size_t n, int64_t until_ms);
/*
 * Does what is due; never blocks. Until when there is nothing more to do unless something happens;
 * -1: ever, and for a step that is over.
 */
int64_t step_advance(struct step_run *r, int64_t now_ms);
/*
 * Was this process stopped since its last look, or its host too busy to run it, then ranks may have
 * spoken, or waited for an answer of ours, meanwhile: what passed is on nobody's deadline.
 */
void step_forgive_deafness(struct step_run *r, int64_t now_ms);
/* step_advance where its jobs are done, lost, or nobody wants more: quit, TERM, KILL, last words.
 */
int64_t step_advance_end(struct step_run *r, int64_t now_ms);
/* No more jobs: the attempt ends from now on. */
void step_begin_end(struct step_run *r);
/* A process runs that does not know its rank yet. */
void step_begun(struct step_run *r, const struct ctl_start *s);
/* A rank has introduced itself and sits there from now on. */
void step_joined(struct step_run *r, int seat, const struct ctl_hello *h);

/* ---- who does not go, and why (launch_stuck.c) ---- */

/* Somebody is lost, or was told to quit and stays. */
bool step_somebody_stuck(const struct step_run *r);
/* Asks what processes of this run are doing on those nodes; what they say comes as an event. */
void stuck_open(struct step_run *r);
/* True once everything is said, or will not be. */
bool stuck_done(struct step_run *r, int64_t now_ms);
void stuck_close(struct step_run *r);
/* For a poll beside the step's own child; NULL: nothing runs. */
struct spawn *stuck_child(const struct step_run *r);

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
/* A job is commanded once more: the attempt of its records from now on. */
void step_count_try(struct step_run *r, size_t j);
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
/* Jobs that were cut after their last unit had ended are done; before another attempt, and an end.
 */
void step_keep_told(struct step_run *r);
/* A rank will not be waited for any longer. */
void step_rank_lost(struct step_run *r, int rank, const char *why);
/* Ends jobs whose next unit is overdue and ranks that are silent while idle. */
void step_check_deadlines(struct step_run *r, int64_t now_ms);
/* The next moment at which step_check_deadlines has something to do; -1: none. */
int64_t step_next_deadline(const struct step_run *r);
/* Gives up or skips whatever is left, writing an end record for each unit. */
void step_close_jobs(struct step_run *r, enum unit_status status, const char *reason);

/* ---- facts and counters that nodes tell (launch_facts.c, launch_told.c) ---- */

struct step_facts *step_facts_new(const struct step_run *r);
void step_facts_free(struct step_facts *f);
/* What somebody who joins is to tell: node facts once a run and node, the rest once an attempt. */
void step_wish(struct step_run *r, const struct ctl_hello *hello, struct ctl_wish *out);
/* Are there nodes whose facts nobody told yet? */
bool step_facts_wanted(const struct step_run *r);
/* A node tells a fact: written now if it is the first, else with the others in the end. */
void step_fact(struct step_run *r, size_t node, const char *device, const char *key,
               const char *value, const char *source);
/* Who told what others had told before: at the step's end. */
void step_facts_finish(struct step_run *r);
/* How a node's clock stands, and where it is, as its connection shows. */
void step_fact_joined(struct step_run *r, int seat, const struct ctl_hello *hello);
/* The resource manager's view of all nodes, once a run. */
void step_facts_manager(struct step_run *r);
/* A message of facts, a fact record, a counter record of the rank on a seat. */
int step_on_facts(struct step_run *r, int seat, json_object *o, struct hb_err *err);
int step_on_fact(struct step_run *r, int seat, json_object *o, struct hb_err *err);
int step_on_counter(struct step_run *r, int seat, json_object *o, struct hb_err *err);

/* The next unit of a running job has its whole deadline from now on. */
void step_renew_due(struct step_run *r, size_t j);
void step_log_unit_end(struct step_run *r, const struct rec_ids *ids, enum unit_status status);
/* Can the job still end before everything must? */
bool step_job_fits(const struct step_run *r, size_t j, int64_t now_ms);
/* The job cannot end before everything must: it is given up and never starts. */
void step_no_time(struct step_run *r, size_t j);
/* A rank of a job that tells facts is done: where it failed, so did the job. */
void step_has_told(struct step_run *r, size_t j, const char *status, const char *reason);
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

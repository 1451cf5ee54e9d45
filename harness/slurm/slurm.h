/*
 * What hpcbench asks Slurm's commands, and what their answers say. Commands are started from
 * argument vectors, never through a shell; answers are untrusted text. Reading is apart from
 * asking, so that every answer can be tested as text.
 */
#ifndef HPCBENCH_HARNESS_SLURM_H
#define HPCBENCH_HARNESS_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "harness/plan/nodeset.h"

enum { SLURM_ASK_MS = 30000, SLURM_WORD_MAX = 64, SLURM_TEXT_MAX = 300, SLURM_TYPES_MAX = 32 };

/* ---- asking ---- */

struct slurm_answer {
	char *out, *err; /* owned, terminated; at most what spawn keeps */
	int status;      /* as waitpid gives it */
};
/*
 * Runs a command to its end. HB_E_UNSUPPORTED: there is no such command (say where Slurm's
 * commands come from); HB_E_TIMEOUT: killed after timeout_ms; HB_E_CANCELLED: signal_fd (-1: none)
 * became readable meanwhile and the command was ended; nothing is read from it. A command that
 * fails is not an error here.
 */
int slurm_ask(const char *const *argv, int timeout_ms, int signal_fd, struct slurm_answer *out,
              struct hb_err *err);
void slurm_answer_free(struct slurm_answer *a);

/* ---- nodes: scontrol show node --oneliner ---- */

struct slurm_node {
	char name[NODESET_NAME_MAX + 1];
	char address[NODESET_NAME_MAX + 1]; /* NodeAddr */
	char state[SLURM_WORD_MAX];         /* as Slurm writes it: "IDLE+DRAIN" */
	char reason[SLURM_TEXT_MAX];        /* without who and when; "" if none */
	bool up;                            /* answers: a step of a job that has it can run there */
	bool takes;                         /* up, and a new job may get it */
	/* What Slurm counts with; negative or "": it does not tell. */
	long cpus, sockets, gpus;
	int64_t memory_mib;
	char gres[SLURM_TEXT_MAX]; /* "gpu:a100:4(S:0-1)"; "none" */
	char version[SLURM_WORD_MAX];
};
/* One node a line; lines that are none are skipped. The caller frees *out. */
int slurm_nodes_parse(const char *text, struct slurm_node **out, size_t *n, struct hb_err *err);
/* GPUs among gres as a node has them, whatever their models; "gpu" alone is one. Pure. */
long slurm_gres_gpus(const char *gres);
/*
 * Asks about the nodes, in their order; a node that Slurm does not know comes back with state
 * "unknown", up and takes false. The caller frees *out, which has names->n entries.
 */
int slurm_nodes(const struct nodeset *names, int signal_fd, struct slurm_node **out,
                struct hb_err *err);

/*
 * Slurm's view of a node as facts slurm.* of bench/base/fact.h, one by one; strings are borrowed
 * for the call. Nothing of a node that Slurm does not know. Pure.
 */
void slurm_node_facts(const struct slurm_node *n,
                      void (*tell)(void *ctx, const char *key, const char *value), void *ctx);

/* ---- who else is there: sinfo ---- */

enum { BUSY_LINES_MAX = 1 << 20 };
struct slurm_busy {
	size_t nodes; /* of the cluster, but mine */
	size_t busy;  /* of these: run jobs */
};
/*
 * Lines NAME|STATE of "sinfo -h -N -o %N|%T"; a node may stand in several partitions and counts
 * once, others are skipped. mine: nodes that do not count. False: there is no such line. Pure.
 */
bool slurm_busy_parse(const char *text, const struct nodeset *mine, struct slurm_busy *out);
/* The same, asked for, within 5 s; fails where it is not known. */
int slurm_busy_ask(const struct nodeset *mine, int signal_fd, struct slurm_busy *out,
                   struct hb_err *err);

/*
 * Nodes that are idle now and that a new job may get in a partition (NULL: the default one), from
 * "sinfo --format=%P|%N". out is made new; without such a line it is empty. HB_E_LIB: Slurm
 * refused, in its own words.
 */
int slurm_idle_parse(const char *text, const char *partition, struct nodeset *out,
                     struct hb_err *err);
int slurm_idle(const char *partition, int signal_fd, struct nodeset *out, struct hb_err *err);

/* ---- the cluster: scontrol show config, srun --mpi=list ---- */

struct slurm_config {
	char cluster[SLURM_WORD_MAX], version[SLURM_WORD_MAX], mpi_default[SLURM_WORD_MAX];
	int port_lo, port_hi; /* SrunPortRange; 0: none */
};
int slurm_config_parse(const char *text, struct slurm_config *out, struct hb_err *err);
int slurm_config_read(int signal_fd, struct slurm_config *out, struct hb_err *err);

struct slurm_types {
	char v[SLURM_TYPES_MAX][SLURM_WORD_MAX];
	size_t n;
};
/* Both forms: "\tpmix" lines of newer versions, "srun: pmix" lines of older ones. */
void slurm_mpi_types_parse(const char *text, struct slurm_types *out);

/* ---- switches: scontrol show topology ---- */

/*
 * Appends what is printed to the empty out; nothing where Slurm has no topology. HB_E_FORMAT: more
 * than max bytes; else as slurm_ask.
 */
int slurm_topology(int signal_fd, size_t max, struct buf *out, struct hb_err *err);

/* ---- jobs: squeue ---- */

/* The job that this process runs in, as digits, from the environment; NULL: none. */
const char *slurm_job_here(void);
/*
 * Seconds that a job may still run, from "squeue -o %L": "1-02:03:04", "2:03:04", "3:04".
 * Negative where there is no such time: UNLIMITED, NOT_SET, INVALID, no answer at all.
 */
double slurm_left_parse(const char *text);
/*
 * The same, asked for: somebody may have prolonged the job. Negative when it is not known; where
 * Slurm does not answer, SLURM_JOB_END_TIME counts for the job that this process runs in.
 */
double slurm_left_s(uint64_t job, int signal_fd);

struct slurm_pending {
	char reason[SLURM_WORD_MAX]; /* "Resources"; "": not told */
	char start[SLURM_WORD_MAX];  /* expected, "2026-03-01T12:00:00"; "": not known */
};
/* "squeue -o %r|%S"; false: no such line, the job is gone. Pure. */
bool slurm_pending_parse(const char *text, struct slurm_pending *out);
/* What to do about a reason that time alone does not mend, static; NULL: waiting helps. */
const char *slurm_pending_hopeless(const char *reason);

/* ---- why a step ended: srun's standard error ---- */

enum slurm_cause {
	SLURM_UNKNOWN,   /* srun says nothing that is known */
	SLURM_CANCELLED, /* scancel, or the job was */
	SLURM_TIME_LIMIT,
	SLURM_PREEMPTED,
	SLURM_NODE_FAILED, /* node names it */
	SLURM_NO_LAUNCH,   /* the step was never created, or its program could not be started */
	SLURM_PROGRAM      /* a task died or failed by itself; node and task name the first one */
};
const char *slurm_cause_name(enum slurm_cause c); /* "cancelled", "node-failure" ... */
struct slurm_failure {
	enum slurm_cause cause;
	char node[NODESET_NAME_MAX + 1]; /* "": not told; with SLURM_NO_LAUNCH: it alone failed */
	int task;                        /* -1: not told */
	char text[SLURM_TEXT_MAX];       /* the line that tells, without control characters; "" */
};
/*
 * The first cause in the text counts: tasks that die after it are Slurm's doing. But a node failure
 * and a program that could not be started count wherever they stand, and an MPI_Abort is not the
 * "cancelled" that it leads to. Pure. The exit status is not asked: 137 is cancel, TERM and node
 * failure alike. SLURM_UNKNOWN has the first error in text, if there is one.
 */
void slurm_failure_parse(const char *text, struct slurm_failure *out);

/* ---- allocations ---- */

/*
 * A small process that outlives hpcbench: when its pipe closes, however hpcbench ended, it cancels
 * the job whose id it was told, else whatever job of this user bears the name; then it ends. It has
 * a session of its own, so that no signal from the terminal or to hpcbench's group reaches it.
 */
struct slurm_guard;
int slurm_guard_open(const char *job_name, struct slurm_guard **out, struct hb_err *err);
void slurm_guard_job(struct slurm_guard *g, uint64_t job);
/* Has it cancel, and waits until that is done, at most 10 s. NULL is fine. */
void slurm_guard_close(struct slurm_guard *g);

struct slurm_alloc_params {
	const char *job_name;
	const struct nodeset *nodes;
	double seconds; /* becomes the time limit, in whole minutes, rounded up */
	/* "OPT=VAL" or "OPT" of --alloc, over the defaults: exclusive, time limit, job name.
	 * "exclusive=no" takes that default away. */
	const char *const *opts;
	size_t n_opts;
	double max_wait_s; /* 0: however long it takes */
	int signal_fd;     /* as in slurm_ask */
	/* One line when the job has to wait, and each time the reason changes; may be NULL. */
	void (*note)(void *ctx, const char *level, const char *text);
	void *ctx;
};
/*
 * Checks OPT=VAL lists; refuses what hpcbench sets itself (nodelist, nodes ...; NULL-terminated,
 * may be NULL) and what Slurm would take as an abbreviation of it. option: "--alloc".
 */
int slurm_opts_check(const char *option, const char *const *opts, size_t n,
                     const char *const *refused, struct hb_err *err);
/* The argument vector of salloc, NULL-terminated, owned by the caller (free each, then it). */
char **slurm_alloc_argv(const struct slurm_alloc_params *p);
/* The id that salloc granted, from its standard error; 0: none. */
uint64_t slurm_alloc_parse(const char *text);
/*
 * Gets an allocation. HB_E_CANCELLED as in slurm_ask (a pending job is cancelled); HB_E_TIMEOUT:
 * still pending after max_wait_s, with the reason and the expected start, and cancelled; HB_E_LIB:
 * Slurm refused, with its own words, or the job would wait for ever. *job is set in every case: 0,
 * or a grant that crossed the signal or salloc's failure, which is the caller's to cancel.
 */
int slurm_allocate(const struct slurm_alloc_params *p, uint64_t *job, struct hb_err *err);

/* ---- draining: the one thing that hpcbench ever changes, and only where it is asked to ---- */

enum { SLURM_DRAIN_MAX = 200 /* bytes of a reason */ };
#define SLURM_DRAIN_PREFIX "HPCBENCH:"

/* "HPCBENCH: RUN: evidence": one line of plain characters that survives every shell and every
 * tool that splits reasons; what is longer is cut. */
void slurm_drain_reason(const char *run, const char *evidence, char out[SLURM_DRAIN_MAX + 1]);
/* Appends "scontrol update nodename=n20 state=drain reason='HPCBENCH: ...'", to be pasted into a
 * shell whatever the name and the reason hold. */
void slurm_drain_words(const char *node, const char *reason, struct buf *out);
/*
 * May this node be drained: in service, in a state all words of which are known, and without a
 * reason that somebody else gave? If not, why says what it is, in words. Pure.
 */
bool slurm_may_drain(const struct slurm_node *n, char why[SLURM_TEXT_MAX]);

/* One node to drain. */
struct slurm_drain {
	const char *node, *reason; /* borrowed */
	bool drained;
	char text[SLURM_TEXT_MAX]; /* what became of it: the state it has now, or why not */
};
/*
 * Asks for each node's state and drains those that may be, one after another; the state is asked
 * for again right before and after each, for others drain nodes too. Nothing is ever resumed. A
 * node that could not be drained tells so in its text; no failure ends the others.
 */
void slurm_drain(struct slurm_drain *v, size_t n, int signal_fd);

#endif

/*
 * Runs the steps of a plan: starts a step's processes through a launcher, commands its jobs over
 * the control channel, journals what happens, and ends what it started. Exit status is never proof
 * of success; the `end` records are. Whatever goes wrong costs what it must and nothing else: a
 * silent rank its job, a dead launcher one relaunch, a missing library the jobs of its helper.
 */
#ifndef HPCBENCH_HARNESS_LAUNCH_H
#define HPCBENCH_HARNESS_LAUNCH_H

#include "bench/base/token.h"
#include "harness/config/profile.h"
#include "harness/launch/spawn.h"
#include "harness/plan/plan.h"
#include "harness/store/writer.h"

enum { LAUNCH_ATTEMPTS = 2, LAUNCH_AT_ONCE = 16 /* steps */ };

/* An argument vector and what is added to the environment; strings are owned. */
struct launch_command {
	char **argv, **env; /* NULL-terminated */
	size_t argc, n_env, cap_argv, cap_env;
	const char *missing_hint; /* static: what to do when argv[0] is not there */
};
void launch_command_arg(struct launch_command *c, const char *fmt, ...) HB_PRINTF(2, 3);
void launch_command_env(struct launch_command *c, const char *fmt, ...) HB_PRINTF(2, 3);
void launch_command_free(struct launch_command *c);

struct launcher_ops;

/* A launcher as one run uses it; strings are borrowed unless they say owned. */
struct launch_site {
	const struct launcher_ops *ops;
	const char *arg;                        /* behind the colon of --launcher; NULL */
	const char *const *alloc, *const *step; /* --alloc and --step, "OPT=VAL" or "OPT" */
	size_t n_alloc, n_step;
	const struct profile *profile; /* how helpers run; NULL: as they were built with hpcbench */
	double max_wait_s;             /* for an allocation; 0: however long it takes */
	bool resume;        /* nodes that are asked for may be out of reach: they are absent then */
	const char *memory; /* folder for what is found out once and remembered; NULL: nowhere */
	int signal_fd;      /* as in launch_params */
	void (*note)(void *ctx, const char *level, const char *text);
	void *ctx;
	/* Set by ops->open, for the control channel; owned by the site. */
	char *first_node; /* an address or name of the first node; NULL: unknown */
	int port_lo, port_hi;
	char *cluster; /* its name; NULL: unknown; owned */
	uint64_t job;  /* of the resource manager; 0: none */
	void *state;   /* of ops; freed by ops->close */
};
void launch_site_close(struct launch_site *s); /* also where open failed or never came */

/* What a launcher needs to know to write its command. */
struct launch_what {
	const struct launch_site *site;
	const struct plan *plan;
	const struct plan_step *step;
	const bool *left_out; /* seats that are not started; NULL: none. Whole nodes only. */
};

/* Why a launcher's processes ended, as far as it tells. */
struct launch_cause {
	const char *name;                /* for the journal; static; NULL: not known */
	char node[NODESET_NAME_MAX + 1]; /* to blame; "": nobody */
	char text[300];                  /* one clean line; "" */
	bool again;                      /* the same step without that node may go well */
};

/* Other nodes than ours. */
struct launch_busy {
	size_t nodes, busy; /* all of them; those that run jobs of others */
};

typedef void launch_fact_fn(void *ctx, size_t node, const char *key, const char *value,
                            const char *source);

/* A way of starting processes: one row each. */
struct launcher_ops {
	const char *name, *summary;
	const char *arg;   /* placeholder of what stands behind the colon, NULL: nothing may */
	bool arg_optional; /* colon and arg may be missing */
	bool remote;       /* ranks run on other hosts than this one */
	int at_once;       /* steps on disjoint nodes at the same time; 0 stands for 1 */
	bool allocates;    /* outside of a job it gets nodes by itself: --alloc, --max-wait */
	bool leaves_out;   /* can start a step without some of its nodes */
	bool channel_only; /* cannot do with --records files */
	bool used_beside;  /* people work on the hosts meanwhile: foreign load is normal there */
	/*
	 * The nodes, given --nodes (NULL: not given). Those that cannot be used are not in out but
	 * in *absent (may be left NULL); the caller frees both.
	 */
	int (*nodes)(struct launch_site *s, const char *wanted, struct nodeset *out,
	             struct plan_absent **absent, size_t *n_absent, struct hb_err *err);
	/* Before the first step, with the plan: whatever must be had first. May be NULL. */
	int (*open)(struct launch_site *s, const struct plan *plan, struct hb_err *err);
	/*
	 * Before the plan is made: other nodes of the cluster than mine, and those of them that run
	 * jobs of others. Fails where that is not known. May be NULL: nobody knows.
	 */
	int (*busy)(struct launch_site *s, const struct nodeset *mine, struct launch_busy *out,
	            struct hb_err *err);
	/*
	 * What the resource manager says of these nodes, as facts (bench/base/fact.h): told by
	 * number, of no device. Asks once. May be NULL.
	 */
	int (*facts)(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
	             void *ctx, struct hb_err *err);
	/* Seconds until the resource manager ends everything; negative: no end known. May be NULL.
	 */
	double (*left_s)(struct launch_site *s);
	/*
	 * Before each start: why a node cannot take part any more, as reason[node], owned by the
	 * caller; the others stay NULL. May be NULL.
	 */
	int (*look)(struct launch_site *s, const struct plan *plan, char **reason,
	            struct hb_err *err);
	/* Arguments and the launcher's own environment; the control channel's is there before. */
	int (*command)(const struct launch_what *w, struct launch_command *out, struct hb_err *err);
	/*
	 * How one process that is no MPI rank starts on each of these nodes; the program follows.
	 * NULL: all are on this host.
	 */
	int (*on_nodes)(const struct launch_site *s, const struct nodeset *nodes,
	                struct launch_command *out, struct hb_err *err);
	/* From standard error. May be NULL. */
	void (*explain)(const char *text, struct launch_cause *out);
	/* Ranks did not find each other: what was remembered about that is wrong. May be NULL. */
	void (*forget)(struct launch_site *s);
	void (*close)(struct launch_site *s); /* frees state; may be NULL */
	/* From the start to the first process; from when all run until a rank has connected. */
	int connect_ms;
	/* From the last process or rank that came to the next one, beside as long again as all took
	 * until then. */
	int straggle_ms;
	int slack_ms; /* what a unit may take beside its own deadline: set-up, the way here */
};
extern const struct launcher_ops *const launchers[]; /* NULL-terminated */
extern const struct launcher_ops launcher_local, launcher_mpirun, launcher_sim, launcher_srun;

/* The topology of a model of launcher_sim: its leaves, statically routed. Without any *out stays as
 * it was. */
int launch_sim_topo(const char *model, struct topo *out, struct hb_err *err);

/* As it is given: "sim:FILE", "mpirun[:FILE]". */
void launcher_words(const struct launcher_ops *ops, struct buf *out);
/* "sim:FILE" -> its row and *arg (borrowed from text, or NULL). HB_E_USAGE names what there is. */
int launcher_find(const char *text, const struct launcher_ops **out, const char **arg,
                  struct hb_err *err);

/*
 * The path of a helper: HPCBENCH_EXEC_PATH, else the program's own folder, else ../libexec/hpcbench
 * beside it. With a profile (NULL: none) first its `helpers`, then the folder of its name in each
 * of these and in the user's data folder; a helper that is in none of them is the common one.
 * HB_E_UNSUPPORTED says where it was looked for. The caller frees *path.
 */
int launch_helper_path(const struct profile *profile, const char *helper, char **path,
                       struct hb_err *err);
/* Appends how the site's profile starts a helper: its wrapper and the path; its environment too. */
int launch_helper_words(const struct launch_site *site, const char *helper,
                        struct launch_command *out, struct hb_err *err);

/* How ranks reach the harness: over a channel, or through files in a folder. */
struct launch_reach {
	uint64_t attempt;
	const char *address, *token; /* NULL: for showing, "..." stands in their place */
	const char *files;           /* the folder; NULL: the channel is used */
};
/* The whole command of a step. */
int launch_command_make(const struct launch_what *w, const struct launch_reach *reach,
                        struct launch_command *out, struct hb_err *err);

/* ---- running ---- */

struct launch_progress {
	size_t step, steps; /* step: from 1 */
	size_t jobs_done, jobs;
	const char *helper;
	const char *what; /* "mpi.latency n1-n2, n3-n4"; "" */
	double left_s;    /* of everything, as far as known; negative: unknown */
};

/* What is done already, of each step of the plan. */
struct launch_past {
	size_t n_steps;       /* steps appended since have no past */
	uint64_t *attempts;   /* of each step */
	uint64_t *tries;      /* of each unit, by its id: the highest attempt that left a record */
	unsigned char *ended; /* of each unit: it need not be measured again */
	const char **gone;    /* of each node: why it is out of reach now; NULL: it is not */
};

struct launch_params {
	const char *run, *dir;       /* run id and its directory, which exists */
	struct store_writer *writer; /* of dir, borrowed; NULL: one of its own */
	struct launch_site *site;    /* closed with the launch */
	struct plan *plan;
	bool files;                     /* records by files instead of the control channel */
	const char *control_address;    /* NULL: as contracts.md section 3 says */
	int port_lo, port_hi;           /* 0: the site's, else any */
	double budget_s;                /* of the whole run, from launch_open on; 0: none */
	const struct launch_past *past; /* what an earlier process of this run did; NULL: none */
	const char *inject_node;        /* --inject BENCH:FACTOR@NODE; NULL: everywhere */
	int signal_fd;                  /* a signalfd that tells of SIGINT and SIGTERM; -1: none */
	/* Told what happens; each may be NULL. */
	void (*progress)(void *ctx, const struct launch_progress *p);
	void (*note)(void *ctx, const char *level, const char *text); /* one line */
	spawn_line_fn *output;                                        /* lines of the children */
	void *ctx;
};

enum step_status {
	STEP_DONE,     /* every unit has ended */
	STEP_PARTIAL,  /* some were given up */
	STEP_SKIPPED,  /* its helper cannot run here */
	STEP_FAILED,   /* no rank ever worked: the launcher's fault */
	STEP_CANCELLED /* a signal */
};
const char *step_status_name(enum step_status s);

struct launch;

/* Opens the run's logs. */
int launch_open(const struct launch_params *p, struct launch **out, struct hb_err *err);
/*
 * Gets what steps need, an allocation and the control channel: errors are known before anything is
 * measured. Before the first launch_steps.
 */
int launch_ready(struct launch *l, struct hb_err *err);

/* What became of a step. */
struct launch_result {
	enum step_status status;
	char *reason; /* NULL if there is nothing to say; owned by the caller */
	double seconds;
	bool no_time;   /* some of it did not start, or go on, because the end was near */
	bool cancelled; /* by somebody else, or by the resource manager: nothing more is wanted */
};
/*
 * Runs plan->steps[first] and the n - 1 after it at the same time, at most LAUNCH_AT_ONCE, where
 * they have no node in common (the plan's `beside`). out has n entries. A failing status means
 * that the store cannot be written (or an error of hpcbench itself): stop then. Nothing is started
 * that cannot end before the budget or the resource manager's limit.
 */
int launch_steps(struct launch *l, size_t first, size_t n, struct launch_result *out,
                 struct hb_err *err);
/* The signal that asked to stop, or 0. */
int launch_signal(const struct launch *l);
/* A node of the plan that a step had to do without from some moment on. */
bool launch_node_lost(const struct launch *l, size_t node);
/* Appends a line to the journal: o is the caller's. */
int launch_journal(struct launch *l, json_object *o, struct hb_err *err);
/* Writes everything out and closes. Also after errors; NULL is fine. */
int launch_close(struct launch *l, struct hb_err *err);

#endif

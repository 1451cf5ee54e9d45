/*
 * A whole run: suite and nodes -> plan -> steps -> records -> summary, and with a baseline verdicts
 * and the confirming rerun. `run` and `selftest` both call this; it prints nothing. A stored run is
 * always usable: what was measured before a failure or a signal is kept and collected.
 */
#ifndef HPCBENCH_HARNESS_MEASURE_H
#define HPCBENCH_HARNESS_MEASURE_H

#include "harness/accept/accept.h"
#include "harness/collect/collect.h"
#include "harness/config/config.h"
#include "harness/diagnose/diagnose_run.h"
#include "harness/judge/ack.h"
#include "harness/judge/baseline.h"
#include "harness/judge/verdict.h"
#include "harness/launch/launch.h"
#include "harness/localize/findings.h"
#include "harness/store/store.h"

enum { MEASURE_CONFIRM_MAX = 16 /* suspects that get a confirming rerun, the worst first */ };

/* --inject BENCH:FACTOR[@NODE] */
struct measure_inject {
	char *spec, *bench, *node; /* spec NULL: none; bench "*": all; node NULL: everywhere */
	double factor;
};
int measure_inject_parse(const char *text, struct measure_inject *out, struct hb_err *err);
void measure_inject_free(struct measure_inject *i);

/* What is asked for; strings are borrowed, NULL and 0 where not given. */
struct measure_request {
	const char *suite, *bench, *nodes, *launcher, *sizes, *label, *baseline;
	int rounds; /* -1: the suite's; 0: all */
	double precision, max_time_s;
	uint64_t seed;
	bool confirm;  /* measure again what looks slow: extra pairs, then the confirming rerun */
	int max_pairs; /* -1: the suite's, else what is polite; 0: no limit */
	/* As --controls and --topology; shape: enum plan_shape, or -1: the suite's, else rounds, or
	 * with controls star and rounds. */
	const char *controls, *topology; /* controls "": none, and all nodes are new */
	int shape;
	bool hold_groups; /* as in plan_params */
	bool facts_only;  /* figures are not judged; the exit code is that of a probe */
	bool files;       /* records by files */
	const char *control_address;
	int port_lo, port_hi;
	const char *const *alloc, *const *step;
	size_t n_alloc, n_step;
	const struct measure_inject *inject; /* NULL: none */
	double budget_s, max_wait_s;         /* 0: none */
	int shard, shards;                   /* shard 1 .. shards; 0: the whole */
	const char *rules;                   /* of the site, a file or folder; NULL: none */
	const char *resume;                  /* a run's name, or "job"; NULL: a new run */
	const struct profile *profile;       /* NULL: as built */
	const struct config *config;         /* knows the profile of a resumed run; may be NULL */
	int signal_fd;
	/* As in launch_params. */
	void (*progress)(void *ctx, const struct launch_progress *p);
	void (*note)(void *ctx, const char *level, const char *text);
	spawn_line_fn *output;
	void *ctx;
};

struct measure {
	struct measure_request req;
	struct launch_site site;
	struct suite suite;
	struct nodeset nodes;
	struct plan_absent *absent; /* owned */
	size_t n_absent;
	struct plan plan;
	struct baseline base;
	bool has_base;
	char *shard_of;    /* with --shard: the whole node set, hostlist form */
	char *budget_note; /* what --budget left out, in one line; NULL: nothing */
	char *polite_note; /* why fewer pairs are measured at once than could be; NULL: they are not
	                    */
	char *topo_note;   /* why there is no topology; NULL: there is, or nobody has one */
	char *ledger_note; /* why the coverage ledger could not be read; NULL: it could */
	struct diagnose_data causes; /* what it is diagnosed with */
	struct acks acks;            /* of the time when the run began */
	/* with --resume: run.json as it was, what is done, and how its steps ended */
	json_object *about;
	struct launch_past past; /* ended NULL: a new run */
	struct launch_result *past_steps;
	struct measure_inject past_inject;
	/* after measure_run */
	char *id, *dir, *started;    /* dir: elsewhere, where the store failed (measure_store.c) */
	struct store_writer *writer; /* of dir; only while measuring, like the lock */
	char *lock;
	struct launch_result *steps;
	size_t n_steps, cap_steps;
	struct summary summary;
	bool has_summary;
	struct sheets sheets; /* with the summary; findings borrow from them */
	struct findings findings;
	struct run_diagnosis why;     /* once it has ended; borrows from all of these */
	struct run_told told;         /* likewise */
	struct acceptance acceptance; /* where nodes are new: the decisions about them */
	bool accepting;
	struct verdicts verdicts; /* only with a baseline; rows borrow from summary and base */
	bool judged;
	bool broken; /* hpcbench or the launcher failed; why is in err of measure_run, or a note */
	int signal, code;
};

/*
 * Everything that can be known before anything is measured: suite, launcher, nodes, baseline,
 * plan. s may be NULL without a baseline. On failure *code is the exit code, and m is freed.
 */
int measure_prepare(const struct measure_request *req, const struct store *s, struct measure *m,
                    int *code, struct hb_err *err);
/*
 * Measures into a new run of the store. m->code is the exit code. HB_OK means that there is a
 * summary, however little is in it; else err says why hpcbench failed (code 20) and what was
 * measured is still in m->dir (NULL if there is none).
 */
int measure_run(struct measure *m, const struct store *s, struct hb_err *err);
void measure_free(struct measure *m);

#endif

/*
 * The cluster model: what every node, link and benchmark of an imaginary cluster would show, as
 * pure functions of (model, run, names, bytes). hpcbench-sim measures with it and the tests call it
 * thousands of times in process. Its JSON form is described in bench/sim/README.md.
 *
 * Log time of a node = log base figure + the node's own lasting effect + what this run does to it
 * + its faults. A pair adds both ends where the latency counts and takes the slower end where the
 * bandwidth counts; a group is as slow as its slowest node. No state, safe in any thread.
 */
#ifndef HPCBENCH_SIM_MODEL_H
#define HPCBENCH_SIM_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "bench/base/rng.h"

enum { SIM_SCHEMA = 1, SIM_BENCHES_MAX = 64, SIM_FAULTS_MAX = 256 };

/* time(bytes) = latency_ns + bytes / bandwidth: of one message, one call, one sweep. */
struct sim_bench {
	char *name;
	double latency_ns, bandwidth_Bps;
};

enum sim_fault_kind {
	SIM_SLOW_NODE,        /* time of everything on node is factor times as long; with a dir
	                         only of what it sends to, or receives from, another node */
	SIM_SLOW_LINK,        /* the same for the pair a-b alone, in both directions */
	SIM_SILENT_RANK,      /* takes the job and never answers */
	SIM_SILENT_LINK,      /* the pair a-b alone gets no answer; both report that in time */
	SIM_DEAD_NODE,        /* its processes end at once */
	SIM_MISSING_RECORDS,  /* says done, sends no figures */
	SIM_MALFORMED_FRAMES, /* sends bytes that are no frame of the protocol */
	SIM_WRONG_DATA,       /* verification finds wrong elements */
	SIM_NEVER_STARTS, /* no process runs there, and those elsewhere wait for it in start-up */
	SIM_HANGS_START,  /* its process runs, and nobody comes out of start-up with it */
	SIM_HANGS_JOB,    /* none of the ranks of a job with it ever answers */
	SIM_LOAD,         /* others use the node meanwhile: cores, network or both */
	SIM_FAULT_KINDS
};

enum sim_dir { SIM_DIR_BOTH, SIM_DIR_OUT, SIM_DIR_IN };

struct sim_fault {
	enum sim_fault_kind kind;
	char *node;       /* the node, or the link's one end; NULL: named by rank */
	char *other;      /* the link's other end; else NULL */
	char *bench;      /* only in this benchmark; NULL: in all */
	int rank;         /* -1: named by node */
	enum sim_dir dir; /* slow-node only */
	double factor;    /* of the time, above 0; slow kinds and load only */
	double cores;     /* load: that foreign processes use */
	double Bps;       /* load: of foreign traffic, in each direction */
	uint64_t tries;   /* load: only in so many tries of each job; 0: in all */
	uint64_t after;   /* begins once the process has taken this many jobs */
};

struct sim_model {
	uint64_t seed;
	char *nodes; /* hostlist form as written, for whoever resolves it; NULL if absent */
	char *hw;    /* hardware class of every node that node_hw does not name */
	json_object *node_hw;       /* node -> its class; NULL: none. Owned */
	double node_spread;         /* s.d. of the nodes' lasting log effects */
	double run_spread;          /* s.d. of a node's log effect between runs */
	double size_correlation;    /* of the run effect between message sizes, 0..1 */
	double subject_correlation; /* of the run effect between nodes (the session's), 0..1 */
	double noise;               /* s.d. of log samples within a run */
	double delay_ms;            /* real time that a unit takes, so that a kill can hit it */
	struct sim_bench *benches;
	size_t n_benches;
	struct sim_fault *faults;
	size_t n_faults;
};

/* A quiet cluster: node and run spread 0.5 and 1 %, noise 0.5 %, built-in base figures, no faults.
 * Free with sim_model_free. */
void sim_model_init(struct sim_model *m);
/* source names the file in errors. Unknown members are errors. out is valid only on HB_OK. */
int sim_model_from_json(json_object *o, const char *source, struct sim_model *out,
                        struct hb_err *err);
void sim_model_free(struct sim_model *m);

/* The hardware class that a node reports. Borrowed from m. */
const char *sim_node_hw(const struct sim_model *m, const char *node);

/*
 * The time in ns that this run would show as its median, without the noise of samples, for one
 * message or call of bytes bytes. a: node, the sender of a pair; b: the other node of a pair, its
 * receiver, or NULL (also when both ranks are on a). run_seed: any number that stands for the run.
 * repeat: 0 in the main part; the repeats 1, 2 ... of a confirming rerun draw fresh run effects.
 */
double sim_time_ns(const struct sim_model *m, uint64_t run_seed, const char *bench, uint64_t bytes,
                   const char *a, const char *b, int repeat);
/* The same for a group: the slowest of its n nodes. */
double sim_group_time_ns(const struct sim_model *m, uint64_t run_seed, const char *bench,
                         uint64_t bytes, const char *const *nodes, size_t n, int repeat);
/* One sample around a time from above. */
double sim_sample_ns(const struct sim_model *m, double true_ns, struct rng *r);

/*
 * The first fault of this kind that holds for a process: on node, with rank (-1: unknown), in
 * bench (NULL: none yet), having taken jobs jobs before the present one. NULL: none.
 */
const struct sim_fault *sim_fault_find(const struct sim_model *m, enum sim_fault_kind kind,
                                       const char *node, int rank, const char *bench,
                                       uint64_t jobs);
/* "slow-node", "slow-link", "silent-rank" ... as in the JSON form. */
const char *sim_fault_name(enum sim_fault_kind kind);

#endif

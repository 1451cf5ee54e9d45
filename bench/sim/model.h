/*
 * The cluster model: what every node, link and benchmark of an imaginary cluster would show, as
 * pure functions of (model, run, names, bytes). hpcbench-sim measures with it and the tests call it
 * thousands of times in process. Its JSON form is described in bench/sim/README.md.
 *
 * Log time of a node = log base figure + the node's own lasting effect + what this run does to it
 * + its faults. A pair adds both ends where the latency counts and takes the slower end where the
 * bandwidth counts, plus what this one measurement drew (pair noise, a dip); a group is as slow as
 * its slowest node. An endpoint is a node, "n1", or a device of one, "n1/rail0": that has a lasting
 * effect of its own beside its node's. No state, safe in any thread.
 */
#ifndef HPCBENCH_SIM_MODEL_H
#define HPCBENCH_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "bench/base/nodeset.h"
#include "bench/base/rng.h"

enum {
	SIM_SCHEMA = 1,
	SIM_BENCHES_MAX = 64,
	SIM_FAULTS_MAX = 256,
	SIM_LEAVES_MAX = 4096,
	SIM_RAILS_MAX = 64,
	SIM_TOLD_MAX = 1024, /* facts, or counters, of a group of nodes */
	SIM_DEVICE_MAX = 64
};
#define SIM_NO_LEAF SIZE_MAX

/* time(bytes) = latency_ns + bytes / bandwidth: of one message, one call, one sweep. */
struct sim_bench {
	char *name;
	double latency_ns, bandwidth_Bps;
};

enum sim_fault_kind {
	SIM_SLOW_NODE,   /* time of everything on node is factor times as long; with a dir
	                    only of what it sends to, or receives from, another node */
	SIM_SLOW_LINK,   /* the same for the pair a-b alone; with a dir from a to b (OUT) or from
	                    b to a (IN) alone */
	SIM_SLOW_LEAF,   /* the same for what crosses out of a leaf switch: its up-link; with a
	                    dir only for pairs, of what leaves it (OUT) or comes in (IN) */
	SIM_SLOW_RAIL,   /* the same for the devices of this number on all nodes */
	SIM_SILENT_RANK, /* takes the job and never answers */
	SIM_SILENT_LINK, /* the pair a-b alone gets no answer; both report that in time */
	SIM_DEAD_NODE,   /* its processes end at once */
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
	char *node;  /* the endpoint, a node's name stands for all its devices too; or the link's
	                one end; NULL: named by rank, leaf or rail */
	char *other; /* the link's other end; else NULL */
	char *bench; /* only in this benchmark; NULL: in all */
	int rank;    /* -1: named by node */
	char *leaf;  /* slow-leaf; else NULL */
	int rail;    /* slow-rail; else -1 */
	enum sim_dir dir; /* slow-node, slow-link, slow-leaf */
	double factor;    /* of the time, above 0; slow kinds and load only */
	double cores;     /* load: that foreign processes use */
	double Bps;       /* load: of foreign traffic, in each direction */
	uint64_t tries;   /* load: only in so many tries of each job; 0: in all */
	uint64_t after;   /* begins once the process has taken this many jobs */
};

/* Which node hangs on which leaf. */
struct sim_seat {
	char *node;
	size_t leaf; /* index into the model's leaves */
};

/* A transient: with this probability one measurement of a pair shows a figure that is lower by a
 * share drawn evenly between low and high. */
struct sim_dips {
	double rate, low, high;
};

/* Facts or counters that some nodes tell. */
struct sim_told {
	bool all;             /* every node; else */
	struct nodeset nodes; /* these */
	json_object *values;  /* "KEY" or "DEVICE/KEY" -> text, null or (counters) number. Owned */
};
struct sim_told_list {
	struct sim_told *v; /* later ones override */
	size_t n;
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
	double pair_noise;          /* s.d. of the log time of one measurement of one pair */
	struct sim_dips dips;       /* rate 0: none */
	int rails;                  /* devices of a node, "n1/rail0" ...; 1: none are told apart */
	double rail_spread;         /* s.d. of the devices' lasting log effects beside the node's */
	double cross_leaf;          /* time of a pair across leaves, as a multiple; 1 */
	char **leaves;              /* names of leaf switches */
	size_t n_leaves;
	struct sim_seat *seats; /* sorted by node */
	size_t n_seats;
	double delay_ms; /* real time that a unit takes, so that a kill can hit it */
	struct sim_bench *benches;
	size_t n_benches;
	struct sim_fault *faults;
	size_t n_faults;
	struct sim_told_list facts, counters;
};

/* A quiet cluster: node and run spread 0.5 and 1 %, noise 0.5 %, built-in base figures, no faults.
 * Free with sim_model_free. */
void sim_model_init(struct sim_model *m);
/* source names the file in errors. Unknown members are errors. out is valid only on HB_OK. */
int sim_model_from_json(json_object *o, const char *source, struct sim_model *out,
                        struct hb_err *err);
void sim_model_free(struct sim_model *m);

/* The hardware class that a node, or a device's node, reports. Borrowed from m. */
const char *sim_node_hw(const struct sim_model *m, const char *node);
/* The leaf of an endpoint's node, an index into m->leaves; SIM_NO_LEAF: on none. */
size_t sim_leaf_of(const struct sim_model *m, const char *endpoint);

/* What a node tells, the groups that it is in merged; an object of its own, the caller's. */
json_object *sim_told_by(const struct sim_told_list *list, const char *node);
/* "fs:/home/fs.type" is key "fs.type" of device "fs:/home": keys have no slash. device: n bytes,
 * SIM_DEVICE_MAX are enough for all that a model has, "" where there is none; *key points into
 * name. */
void sim_split_key(const char *name, char *device, size_t n, const char **key);

/* One measurement. */
struct sim_what {
	uint64_t run; /* any number that stands for the run */
	const char *bench;
	uint64_t bytes;    /* of one message or call */
	const char *a, *b; /* endpoints: a alone, or the sender of a pair; b: its receiver, or NULL
	                      (also when both ranks are on one node) */
	int repeat;        /* 0 in the main part; the repeats 1, 2 ... of a confirming rerun draw
	                      fresh run effects */
	uint64_t occasion; /* what tells this measurement of the pair from any other in the run:
	                      sim_occasion. A fresh one draws fresh pair noise and dips. */
};
/* Of a unit and its attempt. */
uint64_t sim_occasion(uint64_t unit, uint64_t attempt);

/*
 * The time in ns that this run would show as its median, without the noise of samples. Pair noise
 * and dips are the same in both directions of one occasion: the mean of both is one measurement.
 */
double sim_time_ns(const struct sim_model *m, const struct sim_what *w);
/* The same for a group, whatever a and b are: the slowest of its n endpoints; slower still where it
 * spans the up-link of a slow leaf. */
double sim_group_time_ns(const struct sim_model *m, const struct sim_what *w,
                         const char *const *nodes, size_t n);
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

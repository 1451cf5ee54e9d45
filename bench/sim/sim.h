/* What main.c and faults.c of hpcbench-sim share: one simulated rank. */
#ifndef HPCBENCH_SIM_SIM_H
#define HPCBENCH_SIM_SIM_H

#include "bench/core/control.h"
#include "bench/core/emit.h"
#include "bench/core/helper.h"
#include "bench/sim/model.h"

struct sim_world {
	struct sim_model model;
	char **nodes; /* in rank order, rpn ranks on each */
	size_t n_nodes;
	const char *node_list; /* as given */
	int rpn, size;
	uint64_t run_seed;
	struct helper helper; /* every benchmark of the catalog, without anything to run */
	struct bench_ops *ops;
	const struct bench_ops **benches;
};

struct sim_rank {
	const struct sim_world *world;
	int rank;
	const char *node;
	struct control *control;
	struct emit *emit;
	uint64_t jobs; /* taken before the present one */
	struct rng rng;
};

const char *sim_node_of(const struct sim_world *w, int rank);

/* True if a fault of this kind holds for the rank now; bench NULL: before any job. */
bool sim_has(const struct sim_rank *r, enum sim_fault_kind kind, const char *bench);

/* Acts on faults that end a rank, now or at this job: may not return. */
void sim_fault_before_start(const struct sim_rank *r);
void sim_fault_before_hello(const struct sim_rank *r);
void sim_fault_at_job(const struct sim_rank *r, const struct job *job);

/* The other rank of the job that will never answer, or -1. */
int sim_fault_partner(const struct sim_rank *r, const struct job *job);

/* What others do on a rank's node while this job runs; NULL: nothing. */
const struct sim_fault *sim_load_of(const struct sim_rank *r, int rank, const struct job *job);
/* What the rank tells of its node after the job: one second on four cores, and that load. */
json_object *sim_load_json(const struct sim_rank *r, const struct job *job);

/* What the rank's node tells of itself: its facts, and at the end of the step its counters, as far
 * as it is this rank that tells them. */
int sim_tell_facts(const struct sim_rank *r, struct hb_err *err);
void sim_tell_counters(const struct sim_rank *r);

/* Measures a job as rank 0 of it: records for every case. repeat as sim_time_ns has it. */
int sim_measure(struct sim_rank *r, const struct job *job, int repeat, struct hb_err *err);

#endif

/*
 * A whole run of the suite `pairs` on an imaginary cluster, in process: the sheets of its five
 * cases from the cluster model, the extra pairs that localize asks for measured too, then the
 * findings. What the commands call, without their processes.
 */
#ifndef HPCBENCH_TESTS_SIM_FLEET_H
#define HPCBENCH_TESTS_SIM_FLEET_H

#include "bench/sim/model.h"
#include "harness/localize/findings.h"

enum { FLEET_CASES = 5, FLEET_ROUNDS = 5 };

struct fleet {
	struct sim_model model;
	struct sheets sheets;
	uint64_t run;      /* which run of this cluster */
	uint64_t occasion; /* the last */
};

/* The default model with these spreads; its seed says which cluster it is. */
void fleet_make(struct fleet *f, size_t nodes, double node_spread, double run_spread,
                uint64_t seed);
void fleet_free(struct fleet *f);
/* A fault of this cluster: b SIZE_MAX: node a, else the link; bench NULL: in all. */
void fleet_slow(struct fleet *f, size_t a, size_t b, const char *bench, double loss);
/* Run number `run` afresh: main part, findings, extra pairs, findings. Free out. */
void fleet_run(struct fleet *f, uint64_t run, const struct baseline *base, struct findings *out);
/*
 * A baseline of so many runs: mean and spreads of the nodes' scores, case by case. Between nodes
 * and from run to run together, as localize takes them. Free with fleet_baseline_free.
 */
void fleet_baseline(struct fleet *f, int runs, struct baseline *out);
void fleet_baseline_free(struct baseline *b);

#endif

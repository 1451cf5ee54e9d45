/* Models of imaginary clusters: whatever is taken gives times above 0. */
#include <math.h>

#include "bench/sim/model.h"
#include "tests/fuzz/fuzz.h"

static void check_times(const struct sim_model *m)
{
	static const char *const nodes[] = { "n1", "n2", "n3" };
	struct rng r;

	rng_stream(&r, m->seed, 1, 2);
	for (uint64_t bytes = 0; bytes <= 1 << 20; bytes = bytes ? bytes << 10 : 8) {
		double pair = sim_time_ns(m, 7, "mpi.latency", bytes, "n1", "n2", 0);
		double group = sim_group_time_ns(m, 7, "mpi.allreduce", bytes, nodes, 3, 1);
		FUZZ_CHECK(isfinite(pair) && pair > 0);
		FUZZ_CHECK(isfinite(group) && group > 0);
		FUZZ_CHECK(sim_sample_ns(m, pair, &r) > 0);
	}
	FUZZ_CHECK(sim_node_hw(m, "n1") != NULL);
	for (int k = 0; k < SIM_FAULT_KINDS; k++)
		sim_fault_find(m, (enum sim_fault_kind)k, "n1", 0, "mpi.latency", 1);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct sim_model m;
	json_object *o = fuzz_object(data, size);

	if (!o)
		return;
	if (fuzz_ok(sim_model_from_json(o, "input", &m, &err), &err)) {
		check_times(&m);
		sim_model_free(&m);
	}
	js_put(o);
}

/* Models of imaginary clusters: whatever is taken gives times above 0. */
#include <math.h>
#include <string.h>

#include "bench/sim/model.h"
#include "tests/fuzz/fuzz.h"

static void check_times(const struct sim_model *m)
{
	static const char *const nodes[] = { "n1", "n2/rail1", "n3" };
	struct sim_what w = { .run = 7, .bench = "mpi.latency", .a = "n1", .b = "n2/rail0" };
	struct rng r;

	rng_stream(&r, m->seed, 1, 2);
	for (w.bytes = 0; w.bytes <= 1 << 20; w.bytes = w.bytes ? w.bytes << 10 : 8) {
		w.occasion = sim_occasion(w.bytes, 1);
		double pair = sim_time_ns(m, &w);
		double group = sim_group_time_ns(m, &w, nodes, 3);
		FUZZ_CHECK(isfinite(pair) && pair > 0);
		FUZZ_CHECK(isfinite(group) && group > 0);
		FUZZ_CHECK(sim_sample_ns(m, pair, &r) > 0);
	}
	FUZZ_CHECK(sim_node_hw(m, "n1/rail0") != NULL);
	FUZZ_CHECK(sim_leaf_of(m, "n1") == sim_leaf_of(m, "n1/rail0"));
	for (size_t i = 0; i < m->n_seats; i++)
		FUZZ_CHECK(sim_leaf_of(m, m->seats[i].node) == m->seats[i].leaf);
	for (int k = 0; k < SIM_FAULT_KINDS; k++)
		sim_fault_find(m, (enum sim_fault_kind)k, "n1", 0, "mpi.latency", 1);
}

static void check_told(const struct sim_told_list *list)
{
	json_object *told = sim_told_by(list, "n1");

	json_object_object_foreach(told, name, value)
	{
		char device[64];
		const char *key;

		(void)value;
		sim_split_key(name, device, sizeof(device), &key);
		FUZZ_CHECK(*key && !strchr(key, '/') && strlen(device) < sizeof(device));
	}
	js_put(told);
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
		check_told(&m.facts);
		check_told(&m.counters);
		sim_model_free(&m);
	}
	js_put(o);
}

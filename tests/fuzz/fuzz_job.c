/* What the harness commands a helper: a job that is taken lies within every bound. */
#include "bench/core/helper.h"
#include "tests/fuzz/fuzz.h"

static const struct bench_ops latency = { .info = &info_mpi_latency },
                              allreduce = { .info = &info_mpi_allreduce },
                              memory = { .info = &info_node_memory };
static const struct bench_ops *const benches[] = { &latency, &allreduce, &memory, NULL };

void fuzz_one(const char *data, size_t size)
{
	static const struct helper helper = { .name = "fuzz", .benches = benches };
	struct hb_err err = { HB_OK, "" };
	struct job j;
	json_object *o = fuzz_object(data, size);

	if (!o)
		return;
	if (fuzz_ok(job_from_json(o, &helper, &j, &err), &err)) {
		FUZZ_CHECK(j.ops && j.a && j.n_ranks >= 1 && j.cases.n >= 1);
		FUZZ_CHECK((j.ops->info->shape == BENCH_PAIR) == (j.b != NULL));
		FUZZ_CHECK(j.params.max_time_s >= 0 && j.params.deadline_s >= 0);
		for (int i = 0; i < j.n_ranks; i++)
			FUZZ_CHECK(j.ranks[i] >= 0);
		job_free(&j);
	}
	js_put(o);
}

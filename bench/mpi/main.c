/* hpcbench-mpi: the benchmarks that run on MPI. */
#include "bench/core/helper.h"
#include "bench/facts/facts.h"
#include "bench/mpi/benches.h"
#include "bench/mpi/comm_mpi.h"

static const struct bench_ops *const benches[] = {
	&bench_mpi_latency, &bench_mpi_bandwidth, &bench_mpi_allreduce, &bench_mpi_world, NULL,
};

static const struct helper helper = {
	.name = "mpi",
	.benches = benches,
	.world = comm_mpi_world,
	.leave = comm_mpi_leave,
	.facts = mpi_facts,
	.transport = mpi_transport,
	.node_facts = facts_node,
	.libraries = facts_libraries,
};

int main(int argc, char **argv)
{
	return helper_main(&helper, argc, argv);
}

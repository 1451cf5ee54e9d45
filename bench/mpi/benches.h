/* The benchmarks of hpcbench-mpi and what it can tell of the MPI library it runs on. */
#ifndef HPCBENCH_MPI_BENCHES_H
#define HPCBENCH_MPI_BENCHES_H

#include "bench/core/bench.h"

extern const struct bench_ops bench_mpi_latency, bench_mpi_bandwidth, bench_mpi_allreduce;
extern const struct bench_ops bench_mpi_world;

/* helper.facts: versions, the settings that MPI reads from the environment, its way of waiting. */
void mpi_facts(const char *endpoint, json_object *arr);
/* helper.transport: the components that MPI loaded to move data ("ob1: self tcp vader"). */
const char *mpi_transport(void);

#endif

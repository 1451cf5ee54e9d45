/* What comm_mpi.c (the operations) and world.c (start, end, communicators) share; nobody else. */
#ifndef HPCBENCH_MPI_COMM_MPI_IMPL_H
#define HPCBENCH_MPI_COMM_MPI_IMPL_H

#include "bench/mpi/comm_mpi.h"

/* A communicator that MPI knows, of the given ranks of the world. */
struct group {
	int *ranks;
	int n;
	MPI_Comm mpi;
};

/* Groups beyond this many take the place of the one used longest ago. */
enum { GROUPS_KEPT = 64 };

struct comm_mpi {
	struct comm base;
	struct comm_mpi *world; /* itself in the world */
	int *ranks;             /* of the world, in this communicator's order */
	int rank, size;
	int tag; /* of coordination; the benchmarks' follow */
	/* The world alone has these. */
	MPI_Comm mpi;
	int lost; /* a unit ended with requests in flight: MPI_Finalize might wait for them */
	int tags; /* how many communicators can have tags of their own */
	struct group *groups;
	int n_groups; /* most recently used first */
};

extern const struct comm_ops comm_mpi_ops;

/* ranks is left to fill in; world NULL makes a world. */
struct comm_mpi *comm_mpi_new(struct comm_mpi *world, int size, int rank);
void comm_mpi_free(struct comm_mpi *m);
/* The first tag of a subset that was asked for with this tag. */
int comm_mpi_tag(const struct comm_mpi *world, int tag);

#endif

/*
 * Coordination over MPI (comm.h), and how the benchmarks reach the ranks of their unit.
 *
 * A unit's communicator costs nothing to make: its ranks are translated to those of the world, in
 * which nobody else sends, and its messages have tags of their own, taken from the subset's tag.
 * So making one cannot block on a silent peer, and what a peer still sends for an earlier unit
 * that timed out never meets a later one. Only collectives need a communicator that MPI knows;
 * comm_mpi_group makes it, by the named ranks alone.
 *
 * All coordination is non-blocking messages polled until comm->deadline_ns. Nothing here is
 * collective over the world after start-up. One thread per rank.
 */
#ifndef HPCBENCH_MPI_COMM_MPI_H
#define HPCBENCH_MPI_COMM_MPI_H

#include <mpi.h>

#include "bench/core/comm.h"

/*
 * helper.world: MPI_Init_thread (funneled; errors return from then on). A world started without a
 * launcher has one rank. HB_E_LIB where MPI says no.
 */
int comm_mpi_world(struct comm **out, int *argc, char ***argv, struct hb_err *err);
/*
 * helper.leave: MPI_Finalize, and world is freed. Not if clean is 0 or a unit of this world broke:
 * it would wait for the lost, and MPI still has requests of ours.
 */
void comm_mpi_leave(struct comm *world, int clean);

/* Where messages to and from one rank of a unit go. */
struct mpi_route {
	MPI_Comm comm;
	int rank;      /* in comm */
	int tag_data;  /* of messages under test */
	int tag_token; /* of the short message that closes a window */
};
void comm_mpi_route(const struct comm *c, int rank, struct mpi_route *out);

/*
 * A communicator of exactly c's ranks in their order, for collectives: made on first use, kept for
 * the next unit of the same ranks; the world keeps it, never free it. All ranks of c call it. They
 * first meet under comm->deadline_ns, so that a rank that never comes costs a HB_E_TIMEOUT;
 * MPI_Comm_create_group itself cannot be interrupted.
 */
int comm_mpi_group(struct comm *c, MPI_Comm *out, struct hb_err *err);

#endif

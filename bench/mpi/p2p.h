/*
 * What the benchmarks between two ranks share: buffers, posting, waiting, and data that the
 * receiver can check. One struct p2p is a benchmark's whole state.
 */
#ifndef HPCBENCH_MPI_P2P_H
#define HPCBENCH_MPI_P2P_H

#include "bench/core/bench.h"
#include "bench/mpi/comm_mpi.h"
#include "bench/mpi/wait.h"

/* Whole pages, touched by the rank that uses them. */
struct region {
	unsigned char *at;
	size_t len;
};
/* HB_E_UNSUPPORTED when it would not leave the node most of its memory. */
int region_new(struct region *out, uint64_t len, struct hb_err *err);
void region_free(struct region *r);

/* The MPI datatype of an option's value and its size in bytes. */
MPI_Datatype datatype_mpi(int datatype);
size_t datatype_size(int datatype);

struct p2p {
	struct region send, receive; /* of slots messages each, where this rank does that */
	struct mpi_route peer;
	MPI_Datatype type;
	int count;      /* elements in a message */
	int slots;      /* messages in flight at once */
	size_t stride;  /* from one message of a region to the next */
	MPI_Request *r; /* one a slot */
};

enum p2p_role { P2P_SENDS = 1, P2P_RECEIVES = 2 };

/* bench_ops.probe: two ranks and values that this version can measure. */
int p2p_probe(const struct bench *b, struct hb_err *err);
/* Room for slots messages of b->max_bytes, in the regions that roles (a mask) need. */
int p2p_setup(struct bench *b, int slots, unsigned roles, struct hb_err *err);
/* The case's datatype and count, and more room if this case has more slots than the one before. */
int p2p_prepare(struct bench *b, int slots, unsigned roles, struct hb_err *err);
/* bench_ops.teardown: what MPI may still use after a timeout is left to it. */
void p2p_teardown(struct bench *b);

/* Message slot of the send region to the peer, of the receive region from it. */
static inline int p2p_send(struct p2p *p, int slot, MPI_Request *req, struct hb_err *err)
{
	int rc = MPI_Isend(p->send.at + (size_t)slot * p->stride, p->count, p->type, p->peer.rank,
	                   p->peer.tag_data, p->peer.comm, req);

	return rc == MPI_SUCCESS ? HB_OK : mpi_check(rc, "MPI_Isend", err);
}

static inline int p2p_receive(struct p2p *p, int slot, MPI_Request *req, struct hb_err *err)
{
	int rc = MPI_Irecv(p->receive.at + (size_t)slot * p->stride, p->count, p->type,
	                   p->peer.rank, p->peer.tag_data, p->peer.comm, req);

	return rc == MPI_SUCCESS ? HB_OK : mpi_check(rc, "MPI_Irecv", err);
}

/*
 * Patterns that depend on seed, sending rank and slot. Filled before a checked transfer; the
 * receive region gets the opposite of what is expected, so that a byte that never came is wrong.
 */
void p2p_pattern_send(const struct bench *b);
void p2p_pattern_expect(const struct bench *b);
void p2p_pattern_check(const struct bench *b, uint64_t *checked, uint64_t *bad);

#endif

/*
 * Coordination between the ranks of one unit: barriers, small broadcasts, gathering. Injected, so
 * that one measuring loop runs under MPI, under TCP between two hosts, with threads in a unit test
 * and alone; never the path under test. Every call honours comm->deadline_ns, so that a silent
 * peer costs a HB_E_TIMEOUT, not a hang.
 */
#ifndef HPCBENCH_CORE_COMM_H
#define HPCBENCH_CORE_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"

struct comm;

struct comm_ops {
	const char *name;
	int (*rank)(const struct comm *c);
	int (*size)(const struct comm *c);
	int (*barrier)(struct comm *c, struct hb_err *err);
	/* len bytes of root's buf into everybody's. */
	int (*bcast)(struct comm *c, void *buf, size_t len, int root, struct hb_err *err);
	/* Appends everybody's bytes to out at root, in rank order; lengths may differ; lens (size()
	 * entries at root, may be NULL) gets each length. out is untouched elsewhere. */
	int (*gatherv)(struct comm *c, const void *in, size_t len, struct buf *out, size_t *lens,
	               int root, struct hb_err *err);
	/* out[i] = max over ranks of in[i], at root only: the slowest rank, per sample. */
	int (*reduce_max)(struct comm *c, const double *in, double *out, size_t n, int root,
	                  struct hb_err *err);
	/* Everybody gets the largest of all values: stop together, fail together. */
	int (*agree)(struct comm *c, int mine, int *worst, struct hb_err *err);
	/*
	 * A communicator of the named ranks (of c, distinct; the caller among them), made by them
	 * alone; rank i of the new one is ranks[i]. tag tells concurrent calls apart.
	 */
	int (*subset)(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
	              struct hb_err *err);
	/* This rank's clock minus root's, and the error bound (half the best round trip). */
	int (*clock_offset)(struct comm *c, int root, double *offset_ns, double *error_ns,
	                    struct hb_err *err);
	void (*close)(struct comm *c); /* frees c; never blocks on peers */
};

/* Implementations embed this as their first member. */
struct comm {
	const struct comm_ops *ops;
	uint64_t deadline_ns; /* absolute, on clock_ns(); 0: none */
	int broken;           /* a call timed out or failed: peers may be anywhere, do not reuse */
	int idle;             /* waits here may last: nap, leave the core to whoever measures */
	int apart;            /* the ranks cannot speak to each other (comm_solo_among) */
};

/* One rank, nobody else. */
struct comm *comm_solo_open(void);
/*
 * A process that works by itself among size others that a launcher started with it: it has rank
 * and size, and the subset of itself alone. Every call that concerns others is HB_E_USAGE, at once.
 */
struct comm *comm_solo_among(int rank, int size);

/* n ranks as n threads of this process: out[i] is for thread i alone. The last close frees. */
void comm_threads_open(int n, struct comm **out);

/*
 * size ranks as processes over TCP: rank 0 listens, the others connect to it. For two hosts without
 * MPI, and tests. timeout_ms (-1: none) is for the start alone.
 */
struct comm_tcp_place {
	int listen_fd;    /* rank 0: already bound and listening, stays the caller's */
	const char *host; /* the others: where rank 0 is, as a numeric IPv4 address */
	int port;
};
int comm_tcp_open(int rank, int size, const struct comm_tcp_place *rank0, int timeout_ms,
                  struct comm **out, struct hb_err *err);

#endif

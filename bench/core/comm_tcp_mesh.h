/*
 * Connections between all ranks, under comm_tcp alone: messages with a key, matched by it.
 * Not safe between threads; a rank is one thread.
 */
#ifndef HPCBENCH_CORE_COMM_TCP_MESH_H
#define HPCBENCH_CORE_COMM_TCP_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/core/comm.h"

enum { MESH_RANKS_MAX = 1024, MESH_MESSAGE_MAX = 64 << 20 };

struct mesh;

/* What a message belongs to. */
struct mesh_key {
	uint64_t context, op;
};

/* As comm_tcp_open; the new mesh has one reference. */
int mesh_open(int rank, int size, const struct comm_tcp_place *rank0, int timeout_ms,
              struct mesh **out, struct hb_err *err);
struct mesh *mesh_ref(struct mesh *m);
void mesh_unref(struct mesh *m); /* the last one closes */

/*
 * deadline_ns on clock_ns(), 0: none; HB_E_TIMEOUT after it, HB_E_IO when the other side is gone.
 * A message that was sent in part only leaves the connection unusable: later calls fail.
 */
int mesh_send(struct mesh *m, int rank, struct mesh_key key, const void *data, size_t len,
              uint64_t deadline_ns, struct hb_err *err);
/* Appends the message from rank with this very key to out. */
int mesh_recv(struct mesh *m, int rank, struct mesh_key key, struct buf *out, uint64_t deadline_ns,
              struct hb_err *err);

#endif

/* Between the files of the mesh: what a connection is, and blocking transfers with a deadline. */
#ifndef HPCBENCH_CORE_COMM_TCP_PARTS_H
#define HPCBENCH_CORE_COMM_TCP_PARTS_H

#include <stdbool.h>

#include "bench/core/comm_tcp_mesh.h"

enum { ASIDE_MAX = 64 };

/* A message that came before anybody asked for it. */
struct aside {
	struct mesh_key key;
	struct buf data;
};

struct link {
	int fd; /* -1: to oneself, or gone */
	struct buf in;
	struct aside aside[ASIDE_MAX];
	int n_aside;
};

struct mesh {
	int refs, rank, size;
	struct link *links;
};

/* Milliseconds to the deadline, at least 1 before it and 0 after; -1: there is none. */
int64_t mesh_left_ms(uint64_t deadline_ns);
/* True for an errno that asks to try again. */
bool mesh_passing(int code);
int mesh_wait_fd(int fd, short events, uint64_t deadline_ns, struct hb_err *err);
int mesh_write_all(int fd, const void *data, size_t len, uint64_t deadline_ns, struct hb_err *err);
int mesh_read_exactly(int fd, void *data, size_t len, uint64_t deadline_ns, struct hb_err *err);

#endif

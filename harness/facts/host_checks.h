/*
 * What is wrong between the nodes of a run, whatever their figures are: addresses, hardware
 * addresses, host names and boots that two nodes share, names that resolve to different things,
 * connections that failed, clocks that differ, a world of another size than was asked for. Pure.
 */
#ifndef HPCBENCH_HARNESS_HOST_CHECKS_H
#define HPCBENCH_HARNESS_HOST_CHECKS_H

#include "harness/facts/facts.h"

enum {
	HOST_CHECKS_MAX = 4096 /* of each kind */
};

enum host_check_kind {
	HOST_DUPLICATE, /* what each node must have for itself, two have */
	HOST_SAME,      /* several nodes are one machine: that may be meant */
	HOST_NAME,      /* what a name resolves to */
	HOST_CONNECT,   /* no TCP connection came about */
	HOST_CLOCK,
	HOST_WORLD,
	HOST_KINDS
};
/* "duplicate", "same-machine", "name", "connect", "clock", "world" */
const char *host_check_name(enum host_check_kind k);

struct host_check {
	enum host_check_kind kind;
	bool error; /* by itself a reason for exit 10 */
	char *text; /* one line: what, who, both values */
};
struct host_checks {
	struct host_check *v; /* by kind */
	size_t n, cap;
	size_t of[HOST_KINDS];
};

/*
 * Errors are: an address, or a hardware address of different machines, that two nodes have, and a
 * world that is not as large as it should be. Addresses of bridges, of loopback and virtual
 * devices, and those that more than half of the nodes have on a device of one name (as docker0 has)
 * count for nothing, nor does a device that two nodes share because they are one machine (same
 * boot, same hardware address). An own name that is a loopback address is odd where there are
 * several nodes. Clocks: time.offset_s less the median over the nodes (from 3 on),
 * where it is more than its bound and 50 ms; and that median against this host likewise.
 */
void host_checks_make(const struct facts *f, struct host_checks *out);
bool host_checks_error(const struct host_checks *c);
void host_checks_free(struct host_checks *c);

/* The names of nodes in hostlist form; the caller frees. */
char *facts_hostlist(const struct facts *f, const size_t *nodes, size_t n);

#endif

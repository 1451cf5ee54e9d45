/*
 * What every implementation of comm_ops promises, as one body that each rank of a world runs:
 * with threads, over TCP, alone and under MPI. It fails with a text instead of a test framework's
 * jump, because ranks are threads or processes of their own.
 */
#ifndef HPCBENCH_TESTS_COMM_CONTRACT_H
#define HPCBENCH_TESTS_COMM_CONTRACT_H

#include "bench/core/comm.h"

enum { CONTRACT_TEXT = 640 };
struct contract {
	char text[CONTRACT_TEXT]; /* the first broken promise; "": none */
};

/*
 * Every rank of c calls it. Returns 0 if all promises hold on this rank. Any number of ranks from
 * 1 up; with at least 3 the subsets are made by some ranks only, with 2 or more a silent peer is
 * tried on a subset, and c itself stays usable after it.
 */
int comm_contract(struct comm *c, struct contract *out);

/* The parts, for implementations that want some of them alone. */
int comm_contract_collectives(struct comm *c, struct contract *out);
int comm_contract_subsets(struct comm *c, struct contract *out);
/* max_error_ns: how far the clocks may be apart beyond the stated error; all ranks on one host. */
int comm_contract_clock(struct comm *c, double max_error_ns, struct contract *out);
/* The last rank says nothing for silent_ms; the others must come back with HB_E_TIMEOUT. */
int comm_contract_silent(struct comm *c, int silent_ms, struct contract *out);

#endif

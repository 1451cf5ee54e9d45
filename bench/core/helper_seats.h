/* Which seat of the plan each process takes (bench/base/seat.h), for all of a world at once. */
#ifndef HPCBENCH_CORE_HELPER_SEATS_H
#define HPCBENCH_CORE_HELPER_SEATS_H

#include <stdbool.h>

#include "bench/base/err.h"
#include "bench/core/comm.h"

struct seat_claim {
	char host[256];
	int local; /* place on the host, -1: unknown */
};

struct seat_given {
	int seat; /* -1: none is left */
	bool stranger;
};

/* Strangers come last, so that none takes the seat of one who belongs there. */
void seats_give(const char *const *hosts, int n_hosts, const struct seat_claim *claim, int n,
                struct seat_given *out);

/*
 * Every rank of world calls it with its own claim and gets what all are given (size() entries).
 * hosts counts at rank 0 alone. A world whose ranks are apart: own entry alone, the others -1.
 */
int seats_agree(struct comm *world, const char *const *hosts, int n_hosts,
                const struct seat_claim *mine, struct seat_given *out, struct hb_err *err);

#endif

/*
 * What threads that are ranks share, under comm_threads alone. One mutex and one condition guard
 * everything; each rank's contribution is copied into a slot of the shared hub, so that a rank that
 * gives up at its deadline leaves nothing behind that others could still read. A hub on which any
 * rank gave up is broken for good.
 */
#ifndef HPCBENCH_CORE_COMM_THREADS_HUB_H
#define HPCBENCH_CORE_COMM_THREADS_HUB_H

#include <pthread.h>
#include <stdbool.h>

#include "bench/core/comm.h"

/* What all hubs that come from one comm_threads_open share. */
struct world {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	int refs; /* open communicators */
};

struct hub {
	struct world *world;
	int n, refs; /* open communicators, and the list it stands in while it is made */
	int arrived; /* at the barrier in progress */
	uint64_t generation;
	bool broken;
	struct buf *slots;    /* n: what each rank contributed last */
	struct gather *first; /* subsets being made */
};

/* A subset that some of its ranks have joined already. */
struct gather {
	struct gather *next;
	struct hub *hub;
	int tag, joined;
	int *ranks;
};

struct threads_comm {
	struct comm base;
	struct hub *hub;
	int rank;
};

static inline struct threads_comm *threads_of(struct comm *c)
{
	return (struct threads_comm *)c;
}

/* A hub of n without references. The lock of the world guards all that follows. */
struct hub *hub_new(struct world *w, int n);
void hub_unref(struct hub *hub);
/* Waits until all n ranks have come, or HB_E_TIMEOUT. */
int hub_meet(struct threads_comm *t, const char *what, struct hb_err *err);
/*
 * Takes the lock. Everybody puts len bytes into its slot and meets; take (may be NULL) then reads
 * the slots; a second meeting keeps them until all have read. what is for the error text.
 */
int hub_exchange(struct threads_comm *t, const void *in, size_t len, const char *what,
                 void (*take)(struct threads_comm *t, void *arg), void *arg, struct hb_err *err);
/* The subset of these ranks with this tag that is being made; begun here if there is none. */
struct gather *hub_find_gather(struct hub *hub, const int *ranks, int n, int tag);
/* Everybody has joined it. */
void hub_remove_gather(struct hub *hub, struct gather *g);

#endif

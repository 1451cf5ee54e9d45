/*
 * Which rank of the plan (its seat) a started process takes. Launchers number ranks in an order of
 * their own and leave out nodes that are gone, so seats go by host and by place on that host, never
 * by the launcher's number. Harness and helpers use the same rule.
 */
#ifndef HPCBENCH_BASE_SEAT_H
#define HPCBENCH_BASE_SEAT_H

#include <stdbool.h>

/*
 * host: the node's name of each of n seats; taken: those already given away. local: the process's
 * place among those on its host, from 0; -1: unknown. Returns the local-th seat of that host; if it
 * is taken, or local unknown, the first free one of that host; if there is none the first free one
 * of all with *stranger set. -1: every seat is taken.
 */
int seat_find(const char *const *host, const bool *taken, int n, const char *name, int local,
              bool *stranger);

#endif

/*
 * Names to addresses, all of them at once and never waited for: each name has a thread of its own,
 * and one whose name server is dead is left behind.
 */
#ifndef HPCBENCH_NODE_PEERS_NAMES_H
#define HPCBENCH_NODE_PEERS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/address.h"

enum { NAME_ADDRESSES_MAX = 8, NAME_ALL_TEXT = NAME_ADDRESSES_MAX * ADDRESS_TEXT };

struct name_found {
	char first[ADDRESS_TEXT]; /* the one that would be connected to; "": none */
	char all[NAME_ALL_TEXT];  /* sorted, with commas */
	char why[160];            /* where there is none */
};
typedef void name_resolver(const char *name, struct name_found *out);
/* By getaddrinfo. */
void name_resolve(const char *name, struct name_found *out);

struct names;
/* The names are copied. */
struct names *names_start(const char *const *names, size_t n, name_resolver *resolve);
/* Readable once another name is known, until names_heard: that comes before names_get, or the
 * answer that comes between them goes unheard. */
int names_fd(const struct names *s);
void names_heard(struct names *s);
/* False: not known yet. Names are known once and for all. */
bool names_get(struct names *s, size_t i, struct name_found *out);
/* Threads that still wait for an answer go on by themselves. */
void names_leave(struct names *s);

#endif

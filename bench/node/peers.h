/*
 * node.peers: what the names of the other nodes resolve to here, and does a TCP connection to each
 * of them come about. All ranks do it at once: each listens, answers who it is, and connects to
 * each of the others, so that both ways are tried.
 *
 * What is said: the one who connects "hpcbench-peer RUN NODE\n", the other one the same of itself.
 * Nothing else is read, and nothing more than a line; who does not know the run is not answered.
 */
#ifndef HPCBENCH_NODE_PEERS_H
#define HPCBENCH_NODE_PEERS_H

#include <stdint.h>

#include "bench/base/err.h"
#include "bench/core/fact_sink.h"
#include "bench/node/peers_names.h"

enum { PEERS_MAX = 64, PEERS_LINE_MAX = 512 };
/* What a name server may take, what all connections together may, and how much later than this
 * rank another one may begin. */
#define PEERS_RESOLVE_S 3.0
#define PEERS_CONNECT_S 1.5
#define PEERS_LATE_S    0.5
/* Who has heard all it waited for answers this much longer. */
#define PEERS_LINGER_S 0.05

struct peer_seen {
	const char *node, *address; /* as hpcbench saw it; NULL: not known */
	int port;                   /* 0: none */
};

struct peers {
	const char *run;
	const struct peer_seen *v;
	size_t n, me;
	int listener; /* -1: none; stays the caller's */
	double resolve_s, connect_s, late_s, linger_s;
	uint64_t deadline_ns;   /* absolute; 0: none */
	name_resolver *resolve; /* must be ready for several threads */
	const struct fact_sink *sink;
};

/*
 * Tells of every other node; of the own one where there is no other. Returns when all is known,
 * at the latest after resolve_s + connect_s + late_s. HB_E_IO where it cannot even begin.
 */
int peers_tell(const struct peers *p, struct hb_err *err);

#endif

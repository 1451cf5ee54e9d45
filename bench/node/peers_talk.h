/* The connections of node.peers, both ways, in one loop. */
#ifndef HPCBENCH_NODE_PEERS_TALK_H
#define HPCBENCH_NODE_PEERS_TALK_H

#include <stdbool.h>

#include "bench/node/peers.h"

enum peer_stage {
	PEER_UNKNOWN,    /* its name is being looked up */
	PEER_CONNECTING, /* nothing was heard of the other side */
	PEER_ANSWERING,  /* it took the connection and has been told who asks */
	PEER_OVER
};

/* What is known of one other node. */
struct peer_talk {
	const struct peer_seen *seen;
	struct name_found name;
	bool named;   /* name holds what came of the look-up */
	bool by_name; /* connected to what its name resolves to */
	char to[ADDRESS_TEXT];
	char result[320];        /* "ok" or what went wrong; "": it was not tried */
	char untried[80];        /* why not */
	double connect_s;        /* below 0: no connection */
	char from[ADDRESS_TEXT]; /* where its own connection came from; "": none came */
	/* the loop's own */
	enum peer_stage stage;
	int fd;
	uint64_t since_ns, until_ns;
	char line[PEERS_LINE_MAX];
	size_t len;
};

/* Fills t[0 .. n-1] for as long as it takes (peers_tell); fds are closed then. */
int peers_talk(const struct peers *p, struct peer_talk *t, size_t n, struct hb_err *err);

#endif

/* What control.c and control_io.c share: the server and its connections. Private to both. */
#ifndef HPCBENCH_HARNESS_CONTROL_PARTS_H
#define HPCBENCH_HARNESS_CONTROL_PARTS_H

#include <sys/socket.h>

#include "bench/base/address.h"
#include "bench/base/frame.h"
#include "bench/base/token.h"
#include "harness/control/control.h"

enum { CTL_ADDRESS_TEXT = 64, CTL_ADDRESSES_MAX = 64, CTL_INTERFACE_TEXT = 16 };

struct peer {
	int fd, rank;  /* rank -1: not authenticated, or without a rank yet */
	bool starting; /* authenticated, and will say its hello later */
	int64_t since_ms, greeted_ns;
	struct ctl_clock clock;         /* of what it said first */
	char address[CTL_ADDRESS_TEXT]; /* "": of this host alone */
	struct frame_reader in;
	struct buf out;
	bool dead, tell; /* tell: the owner gets a leave */
	char why[240];
	char from[ADDRESS_TEXT];      /* the address that it came from; "": not known */
	struct peer *next, *prev;     /* of those alive, newest first; next: of the dead, too */
	struct peer *younger, *older; /* of those alive that have not authenticated */
};

struct ctl {
	int listen_fd, epoll_fd, port;
	char token[TOKEN_TEXT];
	struct buf address;
	char *run;
	int64_t handshake_ms;
	size_t queue_max, queues_max, queued;
	int send_buffer;
	struct peer *peers;             /* alive, newest first */
	struct peer *dead, *dead_last;  /* to be freed in ctl_sweep, who went first is first */
	struct peer *oldest, *youngest; /* alive and not authenticated, in order of arrival */
	int pending, starting;
	struct ctl_world world;
	struct peer **ranks;
	const struct ctl_handlers *h;
	void *ctx;
	unsigned foreign;      /* strangers so far */
	int64_t deaf_until_ms; /* out of descriptors: nobody is accepted before; 0: listening */
	bool told_descriptors;
};

/* An address of an interface that is up. */
struct ctl_interface {
	char name[CTL_INTERFACE_TEXT], address[CTL_ADDRESS_TEXT];
};
struct ctl_addresses {
	char v[CTL_ADDRESSES_MAX][CTL_ADDRESS_TEXT];
	size_t n;
};
/* As text; false for those that no other host can use: loopback, link-local, none. */
bool ctl_address_text(const struct sockaddr *a, char out[CTL_ADDRESS_TEXT]);
/* The same of a peer: IPv4 may come in the clothes of IPv6. */
bool ctl_peer_text(const struct sockaddr *a, char out[CTL_ADDRESS_TEXT]);
/* The order in which ranks try them: first (may be NULL) alone, bridges of containers last. */
void ctl_addresses_order(const struct ctl_interface *v, size_t n, const char *first,
                         struct ctl_addresses *out);
/* Listens and fills port and address. */
int ctl_listen(struct ctl *c, const struct ctl_params *p, struct hb_err *err);

int64_t ctl_wall_ns(void);
/* Into and out of the line of those that have not authenticated. */
void ctl_pending_add(struct ctl *c, struct peer *p);
void ctl_pending_remove(struct ctl *c, struct peer *p);
/* Closes the socket; memory goes in ctl_sweep. tell: leave is called then, for a rank. */
void ctl_kill_peer(struct ctl *c, struct peer *p, bool tell, const char *why);
/* The same, with the one event that a misbehaving connection gets. */
void ctl_misbehaved(struct ctl *c, struct peer *p, const char *why);
/* Unlinks and frees the dead; tell: the owner hears about ranks among them. */
void ctl_sweep(struct ctl *c, bool tell);
/* Queues a message and sends what the socket takes. */
int ctl_put(struct ctl *c, struct peer *p, json_object *o, struct hb_err *err);
void ctl_push_out(struct ctl *c, struct peer *p);
/* Takes what has come, frame by frame. */
void ctl_pull_in(struct ctl *c, struct peer *p);

#endif

/*
 * A client of the control channel for tests, honest or not: it says exactly what it is told. Server
 * and clients live in one thread; every wait runs the server until something happens.
 */
#ifndef HPCBENCH_TESTS_CTL_CLIENT_H
#define HPCBENCH_TESTS_CTL_CLIENT_H

#include "bench/base/frame.h"
#include "harness/control/control.h"

enum { CLIENT_RUN_STEP = 3, CLIENT_RUN_ATTEMPT = 1 };

/* What the server told its owner. */
struct client_seen {
	int joins, leaves, messages, events, worlds, starts;
	int last_rank;
	char last_event[320], last_why[240];
	char last_start[64]; /* "HOST RANK LOCAL" */
	bool refuse_messages;
	struct ctl_wish wish;     /* what joining ranks are asked for */
	double offset_s, bound_s; /* of who joined last */
	char address[64];
};
/* With a client_seen as context. */
extern const struct ctl_handlers client_handlers;

/* A server that expects so many ranks and tells *seen; p.run is set here. */
struct ctl *client_server(struct ctl_params p, struct client_seen *seen, int ranks);
json_object *client_message(const char *msg);

struct client {
	struct ctl *ctl;
	int fd;
	struct frame_reader in;
	bool closed; /* the server closed it */
};

struct client client_dial(struct ctl *c);    /* the server has no turn */
struct client client_connect(struct ctl *c); /* it has one */
void client_close(struct client *c);
/* Lets the server work until there is something to read or nothing more happens for a while. */
void client_bytes(struct client *c, const void *data, size_t len);
void client_send(struct client *c, json_object *o);      /* takes the reference */
void client_text(struct client *c, const char *payload); /* as one frame, whatever it is */
json_object *client_recv(struct client *c);              /* NULL: the server closed it */
bool client_is(struct client *c, const char *msg);       /* the next message is this one */
bool client_sees_end(struct client *c);                  /* reads until the server closes */
/* "I run", of a process on that host. */
json_object *client_starting(const struct ctl *c, const char *host);
json_object *client_hello(const struct ctl *c, int rank, int size);
/* Connects, reads the greeting, says hello. */
struct client client_join(struct ctl *c, int rank, int size);

#endif

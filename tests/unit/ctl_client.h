/*
 * A client of the control channel for tests, honest or not: it says exactly what it is told. Server
 * and clients live in one thread; every wait runs the server until something happens.
 */
#ifndef HPCBENCH_TESTS_CTL_CLIENT_H
#define HPCBENCH_TESTS_CTL_CLIENT_H

#include "bench/base/frame.h"
#include "harness/control.h"

enum { CLIENT_RUN_STEP = 3, CLIENT_RUN_ATTEMPT = 1 };

struct client {
	struct ctl *ctl;
	int fd;
	struct frame_reader in;
	bool closed; /* the server closed it */
};

struct client client_connect(struct ctl *c);
void client_close(struct client *c);
/* Lets the server work until there is something to read or nothing more happens for a while. */
void client_bytes(struct client *c, const void *data, size_t len);
void client_send(struct client *c, json_object *o);      /* takes the reference */
void client_text(struct client *c, const char *payload); /* as one frame, whatever it is */
json_object *client_recv(struct client *c);              /* NULL: the server closed it */
bool client_is(struct client *c, const char *msg);       /* the next message is this one */
bool client_sees_end(struct client *c);                  /* reads until the server closes */
json_object *client_hello(const struct ctl *c, int rank, int size);
/* Connects, reads the greeting, says hello. */
struct client client_join(struct ctl *c, int rank, int size);

#endif

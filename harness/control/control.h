/*
 * The server of the control channel (contracts.md section 3, messages in harness/README.md). It
 * listens on TCP, lets in who knows run id and token, and passes on what ranks say. One thread, no
 * blocking: the owner polls ctl_fd and calls ctl_service. A connection that misbehaves is closed
 * with one event and harms nobody else.
 */
#ifndef HPCBENCH_HARNESS_CONTROL_H
#define HPCBENCH_HARNESS_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"

enum {
	CTL_HANDSHAKE_MS = 5000,
	/* Not yet authenticated, beside one for each rank that is expected; beyond it the oldest
	 * one goes. */
	CTL_PENDING_MAX = 256,
	CTL_QUEUE_MAX = 1024 * 1024,       /* bytes waiting for a rank that does not read */
	CTL_QUEUES_MAX = 64 * 1024 * 1024, /* for all ranks; beyond it the longest one goes */
	CTL_FOREIGN_EVENTS_MAX = 100,      /* refused strangers that get an event each */
	CTL_RANKS_MAX = 65536
};

/* What a rank told in its hello; strings are borrowed for the time of the call. */
struct ctl_hello {
	int rank, size;
	const char *host, *hw, *helper, *version;
	int64_t pid;
	int local; /* its place among the ranks on its host; -1: not told */
	int port;  /* that other ranks can connect to; 0: none */
	/*
	 * Its wall clock less ours, right within bound_s: it read it between our greeting and what
	 * we got first. bound_s is negative where it told no time.
	 */
	double offset_s, bound_s;
	const char *address; /* where it came from, numeric; "": one of this host alone */
	const char *from;    /* the same, also where other hosts have it too; NULL: not known */
};

/* What the answer to a hello asks for. */
struct ctl_wish {
	bool facts; /* of its node */
	int first;  /* it is the first of its node in this step: 1 yes, 0 no, -1: not known */
};

/* What a process told that does not know its rank yet; the same. */
struct ctl_start {
	const char *host;
	int64_t pid;
	int rank, local; /* as its launcher says; -1: not told */
};

struct ctl_handlers {
	/* Authenticated, the right step and attempt, its rank not there yet. */
	void (*join)(void *ctx, const struct ctl_hello *hello);
	/*
	 * A message or record of a rank: a strictly checked object, borrowed; len is its size as
	 * sent. A negative status closes the connection as misbehaving with err's text.
	 */
	int (*message)(void *ctx, int rank, json_object *o, size_t len, struct hb_err *err);
	/* The connection of a rank that had joined is gone; why is one line. */
	void (*leave)(void *ctx, int rank, const char *why);
	/* Somebody was not let in, or misbehaved. world: a rank of ours whose world is wrong. */
	void (*event)(void *ctx, const char *code, const char *text, bool world);
	/* A process of this step and attempt runs, and will say its hello later. May be NULL. */
	void (*start)(void *ctx, const struct ctl_start *start);
	/* Somebody is about to join: what is it to tell? out is {false, -1}. May be NULL. */
	void (*wish)(void *ctx, const struct ctl_hello *hello, struct ctl_wish *out);
};

/* What a hello must agree with. */
struct ctl_world {
	const char *token;
	uint64_t step, attempt;
	int n_ranks; /* 0: no step is running */
};

/*
 * Checks a hello; *wrong_world is set when it is one of ours whose launcher and library disagree
 * about how many ranks there are. Strings of out are borrowed from o. Pure.
 */
int ctl_check_hello(json_object *o, const struct ctl_world *w, struct ctl_hello *out,
                    bool *wrong_world, struct hb_err *err);

/*
 * The clock of a message that was sent between two readings of ours: ns since 1970. Negative bound:
 * the message tells no time that can be one. Pure.
 */
struct ctl_clock {
	double offset_s, bound_s;
};
struct ctl_clock ctl_clock_of(json_object *o, int64_t before_ns, int64_t after_ns);

/* Checks the message of a process that does not know its rank yet, as ctl_check_hello does. */
int ctl_check_start(json_object *o, const struct ctl_world *w, struct ctl_start *out,
                    struct hb_err *err);

struct ctl_params {
	const char *run; /* the run id greeted with */
	/*
	 * Ranks come from other hosts: listens on every address and tells those that contracts.md
	 * section 3 names. false: loopback alone.
	 */
	bool remote;
	/* With remote: listens on and tells this numeric address alone; NULL: as above. */
	const char *address;
	/* With remote: name or numeric address of a node; the address that the kernel picks towards
	 * it is told first. NULL: none. */
	const char *first_node;
	int port_lo, port_hi; /* a free one of these, both included; 0: any */
	int handshake_ms;     /* 0: CTL_HANDSHAKE_MS */
	size_t queue_max;     /* 0: CTL_QUEUE_MAX */
	size_t queues_max;    /* 0: CTL_QUEUES_MAX */
	int send_buffer;      /* SO_SNDBUF of a connection; 0: the system's */
};

struct ctl;

/*
 * Makes the token, raises RLIMIT_NOFILE to its hard limit, listens. HB_E_USAGE: address is none of
 * this host that other nodes could use; HB_E_IO: no port is free, or no address can be told.
 */
int ctl_open(const struct ctl_params *p, struct ctl **out, struct hb_err *err);
/* "a.b.c.d:port,[v6]:port" for the helpers' environment, at most 64; valid until ctl_close. */
const char *ctl_address(const struct ctl *c);
const char *ctl_token(const struct ctl *c);
int ctl_port(const struct ctl *c);

/*
 * From now on ranks 0 .. n_ranks - 1 of this step and attempt may join; everybody who is there is
 * dropped without a word to the handlers. n_ranks 0: nobody may. h is borrowed, ctx its first
 * argument. Not to be called from a handler.
 */
void ctl_expect(struct ctl *c, uint64_t step, uint64_t attempt, int n_ranks,
                const struct ctl_handlers *h, void *ctx);

int ctl_fd(const struct ctl *c); /* readable when ctl_service has something to do */
/* Milliseconds until ctl_service has something to do that ctl_fd does not show; -1: never. */
int ctl_timeout_ms(const struct ctl *c);
void ctl_service(struct ctl *c);

bool ctl_connected(const struct ctl *c, int rank);
/*
 * Queues a message to a rank. HB_E_IO if it is not connected or does not read (its connection is
 * then closed, and leave called from the next ctl_service). Where all queues together are too
 * long, the rank with the longest one is closed in the same way.
 */
int ctl_send(struct ctl *c, int rank, json_object *o, struct hb_err *err);
/* Bytes that wait for all ranks together. */
size_t ctl_queued(const struct ctl *c);
/* How many connections are there that have not authenticated. */
int ctl_pending(const struct ctl *c);
void ctl_close(struct ctl *c);

#endif

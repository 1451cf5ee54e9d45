/*
 * The helper's end of the control channel (contracts.md section 3; messages in
 * harness/README.md). A rank waits for its next command in a blocking read here, outside MPI, so
 * that waiting ranks do not disturb the measured pair; while waiting it sends a heartbeat every
 * few seconds, while measuring nothing.
 */
#ifndef HPCBENCH_CORE_CONTROL_H
#define HPCBENCH_CORE_CONTROL_H

#include <stdbool.h>

#include "bench/base/err.h"
#include "bench/base/json.h"

/* The environment the harness gives. Values are never put on a command line. */
#define CONTROL_ENV_ADDRESS                                                                        \
	"HPCBENCH_CONTROL" /* "addr:port,addr:port": tried in order, 2 s each                      \
	                    */
#define CONTROL_ENV_TOKEN   "HPCBENCH_TOKEN"
#define CONTROL_ENV_RUN     "HPCBENCH_RUN"
#define CONTROL_ENV_STEP    "HPCBENCH_STEP"
#define CONTROL_ENV_ATTEMPT "HPCBENCH_ATTEMPT"
#define CONTROL_ENV_RANKS   "HPCBENCH_RANKS" /* how many ranks the launcher was asked to start */
/* Instead of an address: a folder that all ranks see (files mode, harness/README.md). */
#define CONTROL_ENV_FILES "HPCBENCH_FILES"

/* The harness may be busy with a thousand others that start at the same time. */
enum { CONTROL_CONNECT_MS = 2000, CONTROL_HANDSHAKE_MS = 15000, CONTROL_HEARTBEAT_MS = 5000 };

/* "1": a job of this step has its ranks connect to each other; see helper.listens. */
#define CONTROL_ENV_LISTEN "HPCBENCH_LISTEN"

struct control;

struct control_hello {
	const char *host, *hw, *helper, *version;
	int rank, size;
	int port; /* that other ranks can connect to; 0: none */
};

/* By what the environment says the helper is commanded. */
enum control_way { CONTROL_BY_HAND, CONTROL_BY_CHANNEL, CONTROL_BY_FILES };
enum control_way control_asked(void);
/* 1 if the environment asks for a control channel. */
int control_wanted(void);

/* Which part of which run this process belongs to. */
struct control_part {
	char *run; /* owned: control_part_free */
	uint64_t step, attempt;
};
int control_part_read(struct control_part *out, struct hb_err *err);
void control_part_free(struct control_part *p);
/* A new hello, without a token; it tells the place on the host (env_launch_local) if it is known.
 */
json_object *control_hello_json(const struct control_hello *hello, const struct control_part *part);
/*
 * Connects and authenticates: the first address that answers with the expected run id. The token
 * is taken out of the environment, so that no child inherits it.
 */
int control_open(const struct control_hello *hello, struct control **out, struct hb_err *err);
/*
 * The same in two parts, for what may hang before a rank knows who it is: connects and says that a
 * process runs on this host; then, on the same connection, the hello. The harness names hosts that
 * never started, and those that did and did not come out of it. Between the two nothing is heard.
 */
int control_start(const char *host, struct control **out, struct hb_err *err);
int control_join(struct control *c, const struct control_hello *hello, struct hb_err *err);
/*
 * What the harness answered to the hello: wishes for this process. An older one has none: then
 * first is -1.
 */
struct control_answer {
	bool facts; /* it is the first that came from its node in the run: node facts are wanted */
	int first;  /* of those of its node in this step: 1 yes, 0 no, -1 not said */
};
struct control_answer control_answer(const struct control *c);
/*
 * The next command; the caller's. HB_E_CANCELLED when the harness sent quit; any other failure
 * means that the connection is of no more use (HB_E_IO: closed or broken).
 */
int control_next(struct control *c, json_object **out, struct hb_err *err);
/* One message or record; a peer that does not read for 30 s is HB_E_TIMEOUT. */
int control_send(struct control *c, json_object *o, struct hb_err *err);
/* From now on it is so after ms: nobody waits longer than that for last words. */
void control_hurry(struct control *c, int ms);
void control_close(struct control *c);

#endif

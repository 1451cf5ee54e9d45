/*
 * The helper's end of the control channel (contracts.md section 3; messages in
 * harness/README.md). A rank waits for its next command in a blocking read here, outside MPI, so
 * that waiting ranks do not disturb the measured pair; while waiting it sends a heartbeat every
 * few seconds, while measuring nothing.
 */
#ifndef HPCBENCH_CORE_CONTROL_H
#define HPCBENCH_CORE_CONTROL_H

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

enum { CONTROL_CONNECT_MS = 2000, CONTROL_HANDSHAKE_MS = 5000, CONTROL_HEARTBEAT_MS = 5000 };

struct control;

struct control_hello {
	const char *host, *hw, *helper, *version;
	int rank, size;
};

/* 1 if the environment asks for a control channel, 0 if the helper was started by hand. */
int control_wanted(void);
/*
 * Connects and authenticates: the first address that answers with the expected run id. The token
 * is taken out of the environment, so that no child inherits it.
 */
int control_open(const struct control_hello *hello, struct control **out, struct hb_err *err);
/*
 * The next command; the caller's. HB_E_CANCELLED when the harness sent quit; any other failure
 * means that the connection is of no more use (HB_E_IO: closed or broken).
 */
int control_next(struct control *c, json_object **out, struct hb_err *err);
/* One message or record; a peer that does not read for 30 s is HB_E_TIMEOUT. */
int control_send(struct control *c, json_object *o, struct hb_err *err);
void control_close(struct control *c);

#endif

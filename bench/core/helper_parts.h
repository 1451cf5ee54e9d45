/* Between the files of the helpers' main function. */
#ifndef HPCBENCH_CORE_HELPER_PARTS_H
#define HPCBENCH_CORE_HELPER_PARTS_H

#include "bench/core/env.h"
#include "bench/core/helper.h"

/* The ranks that were started together, and whether they can still part in good order. */
struct crew {
	const struct helper *helper;
	struct comm *world;
	struct env_node node;
	bool clean; /* false once anything timed out: leaving properly would hang */
};

/* Says on standard error what went wrong, and gives the exit status for it. */
int helper_complain(const struct helper *h, const struct hb_err *err);
/* Meta (rank 0), rank and fact records of this process. */
int helper_introduce(const struct crew *crew, struct emit *e, struct hb_err *err);
/* Facts of the node and of the loaded libraries, as a new array. */
json_object *helper_facts(const struct helper *h, const char *endpoint);
/* Takes commands from the harness until it says quit. Returns the exit status. */
int helper_serve(struct crew *crew);
/* Measures one benchmark as the command line says. Returns the exit status. */
int helper_by_hand(struct crew *crew, int argc, char **argv);
/* The options that every benchmark has when started by hand. */
extern const struct opt helper_hand_opts[];

#endif

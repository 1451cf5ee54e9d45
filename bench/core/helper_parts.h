/* Between the files of the helpers' main function. */
#ifndef HPCBENCH_CORE_HELPER_PARTS_H
#define HPCBENCH_CORE_HELPER_PARTS_H

#include "bench/core/control.h"
#include "bench/core/counters.h"
#include "bench/core/env.h"
#include "bench/core/helper.h"
#include "bench/core/load.h"

/* The ranks that were started together, and whether they can still part in good order. */
struct crew {
	const struct helper *helper;
	struct comm *world;
	struct env_node node;
	struct buf bound;       /* what was decided about the binding; empty: nothing was asked */
	struct load_moved last; /* what this rank moved in its job before, which ended then */
	uint64_t last_ns;
	struct control *control; /* connected before the ranks joined each other; NULL: none */
	struct load_moved own;   /* what it moved in all its jobs */
	bool facts;              /* tell what the node is */
	bool first;              /* of its node in this step: software, libraries, counters */
	struct counters before;  /* read after the introduction, where it is the first */
	bool clean;              /* false once anything timed out: leaving properly would hang */
	/* Where jobs name seats: the rank that has each of n_seats, -1: nobody. NULL: they name
	 * ranks. */
	const int *rank_of_seat;
	int n_seats;
	int listener, port; /* that other ranks of a job connect to; -1 and 0: none */
};

/* Says on standard error what went wrong, and gives the exit status for it. */
int helper_complain(const struct helper *h, const struct hb_err *err);
/*
 * Meta (rank 0), rank and facts of this process, as far as crew says that they are wanted. Counters
 * are read after it.
 */
int helper_introduce(struct crew *crew, struct emit *e, struct hb_err *err);
/* One process a node is enough; where the launcher does not say which, all of them tell. */
bool helper_first_on_node(void);
/* What the counters have counted since: the last words. Failures are nobody's concern any more. */
void helper_part(struct crew *crew, struct emit *e);
/* Prints o, which it takes, for people. Returns the exit status. */
int helper_print_json(json_object *o);
/* Prints all facts as JSON. Returns the exit status. */
int helper_print_facts(const struct helper *h);
/*
 * HB_E_LIB where the world is not as large as the launcher was asked for. A rank that believes to
 * be alone is the classic sign of a launcher and an MPI that do not speak the same PMI; figures of
 * such a world would look fine and mean nothing.
 */
int helper_check_world(int size, struct hb_err *err);
/* What a rank says of itself first, but for the token. */
struct control_hello helper_hello(const struct crew *crew);
/* job_run of a benchmark that tells facts. */
int job_tell(const struct job *j, struct comm *world, struct emit *e, struct hb_err *err);
/*
 * Where the harness asks for it (CONTROL_ENV_LISTEN) and the helper has a use for it: a port that
 * other ranks of the step can reach, of every address there is. *port is 0 and the result -1 where
 * not, or where there is none to be had.
 */
int helper_listen(const struct helper *h, int *port);
/* Runs one job and says done; returns a failure only where that can no longer be told. */
int helper_do_job(struct crew *crew, struct emit *e, json_object *msg, struct hb_err *err);
/* Works off a schedule that lies in a folder. Returns the exit status. */
int helper_files(struct crew *crew);
/* Takes commands from the harness until it says quit. Returns the exit status. */
int helper_serve(struct crew *crew);
/* Measures one benchmark as the command line says. Returns the exit status. */
int helper_by_hand(struct crew *crew, int argc, char **argv);
/* The options that every benchmark has when started by hand. */
extern const struct opt helper_hand_opts[];

#endif

/*
 * The main function of every helper program. A helper is one row: its name, its benchmarks, how
 * its ranks find each other, the facts it can tell of the libraries it really loaded.
 *
 *	hpcbench-X --list | --describe | --facts | --version
 *	hpcbench-X --hello		joins the other ranks; rank 0 says "world SIZE"
 *	hpcbench-X BENCH [options]	measures by hand: a table, or --records FILE
 *	(with HPCBENCH_CONTROL set)	takes commands from the harness
 *	(with HPCBENCH_FILES set)	works off a schedule in that folder
 */
#ifndef HPCBENCH_CORE_HELPER_H
#define HPCBENCH_CORE_HELPER_H

#include "bench/core/bench.h"
#include "bench/core/emit.h"
#include "bench/core/fact_sink.h"
#include "bench/core/run.h"

struct helper {
	const char *name;                       /* "mpi" */
	const struct bench_ops *const *benches; /* NULL-terminated */
	/* Joins the ranks that the launcher started together; comm_solo where there is no launcher.
	 */
	int (*world)(struct comm **out, int *argc, char ***argv, struct hb_err *err);
	/* Leaves it; clean is 0 when anything timed out (then MPI_Finalize would hang). May be
	 * NULL. */
	void (*leave)(struct comm *world, int clean);
	/* Appends fact records of the loaded libraries to arr. May be NULL. */
	void (*facts)(const char *endpoint, json_object *arr);
	/* What the library says it moves the data with, or NULL. May be NULL. */
	const char *(*transport)(void);
	/* What the node is, and which libraries this process loaded (bench/facts). May be NULL. */
	void (*node_facts)(const struct fact_sink *s);
	void (*libraries)(const struct fact_sink *s);
	/* Jobs need a port of this process that other ranks connect to: it is told in the hello. */
	bool listens;
};

int helper_main(const struct helper *h, int argc, char **argv);

/*
 * helper.world of helpers that work node by node, each alone: its rank is the launcher's, the size
 * HPCBENCH_RANKS; alone where that is absent. HB_E_LIB where the launcher tells no rank.
 */
int helper_world_apart(struct comm **out, int *argc, char ***argv, struct hb_err *err);

/* One command of the harness: a subject, a benchmark, its cases. */
struct job {
	uint64_t id;
	struct rec_ids ids; /* unit is set case by case */
	const struct bench_ops *ops;
	const char *a, *b; /* endpoints; b NULL unless a pair */
	int *ranks;
	int n_ranks;
	enum direction dir;
	int64_t round;
	uint64_t seed;
	struct run_params params;
	struct case_list cases;
	uint64_t *units;          /* cases.n entries */
	struct load_moved *moved; /* told what this rank moved; NULL: nobody asks; borrowed */
	json_object *msg;         /* as it came; NULL: by hand; borrowed */
	const char *host;         /* what this rank calls its node; NULL: not known; borrowed */
	int listener;             /* of the port that the hello told; -1: none */
};
const char *direction_name(enum direction d);               /* "both", "ab", "ba" */
int direction_parse(const char *text, enum direction *out); /* HB_E_FORMAT: unknown */
/* Parses a job message; strings are borrowed from msg. Free with job_free. */
int job_from_json(json_object *msg, const struct helper *h, struct job *out, struct hb_err *err);
void job_free(struct job *j);
/*
 * Runs all cases of a job on this rank and emits their records (at the job's rank 0): point or
 * pair, samples, end. A case that fails or times out ends with its status and the next one is
 * tried unless the communicator is broken. Returns the worst status.
 */
int job_run(const struct job *j, struct comm *world, struct emit *e, struct hb_err *err);

#endif

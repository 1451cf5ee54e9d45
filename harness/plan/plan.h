/*
 * Suite + nodes + seed -> plan.json: which processes start (steps), what each is commanded to
 * measure (jobs: a subject and a benchmark; units: one case of it). The plan is data, made before
 * anything starts; `run --dry-run` prints it and appended steps (extra pairs, confirmation) join
 * it with their phase.
 */
#ifndef HPCBENCH_HARNESS_PLAN_H
#define HPCBENCH_HARNESS_PLAN_H

#include "bench/base/info.h"
#include "bench/base/record.h"
#include "harness/plan/nodeset.h"
#include "harness/plan/suite.h"
#include "harness/topo/topo.h"

enum {
	PLAN_SCHEMA = 1,
	PLAN_JOB_CASES_MAX = 64,
	PLAN_STEPS_MAX = 4096,
	PLAN_RANKS_MAX = 1 << 20, /* of one step */
	PLAN_UNITS_MAX = 1 << 22, /* of one plan: so that memory and files stay bounded */
	PLAN_REASON_MAX = 240     /* bytes of why a node is absent; what is longer is cut */
};

/* What a node is in an acceptance: others are compared with controls. */
enum plan_role { ROLE_NONE, ROLE_NEW, ROLE_CONTROL };
/* Who meets whom: everybody (rounds; with 0 rounds all pairs), or new nodes controls alone. */
enum plan_shape { SHAPE_ROUNDS, SHAPE_STAR, SHAPE_STAR_AND_ROUNDS };
const char *plan_shape_name(enum plan_shape s); /* "rounds", "star", "both" */
int plan_shape_parse(const char *text);         /* -1: none of them */

/* What the harness commands in one message: one subject, one benchmark, some of its cases. */
struct plan_job {
	uint64_t id;
	size_t entry; /* index into suite.entries */
	enum phase phase;
	int repeat;          /* confirm, control: 0, 1, 2 ...; else 0 */
	const char *subject; /* confirm, control: whom it is about; else NULL; owned by plan */
	const char *partner; /* confirm, control: the other side's subject; else NULL; owned by plan
	                      */
	int *ranks;          /* of its step; ranks[0] is a */
	int n_ranks;
	const char *dir;     /* "both", "ab", "ba" for pairs; NULL otherwise; static */
	int64_t round;       /* -1: none */
	bool alone;          /* nothing else may be measured meanwhile */
	uint64_t instead;    /* the first unit of the job that this one measures again; 0: none */
	uint64_t first_unit; /* units first_unit .. first_unit + cases.n - 1 */
	struct case_list cases; /* a view into plan.cases[entry]: not to be freed or changed */
	size_t first_case;      /* where in it */
};

/* One launch of one helper. */
struct plan_step {
	uint64_t id;
	char *helper;      /* "mpi" */
	size_t *rank_node; /* node index of each rank */
	int n_ranks, rpn;
	bool beside; /* runs at the same time as the step before it: they have no node in common */
	struct plan_job *jobs;
	size_t n_jobs, cap_jobs;
	/* Of the whole step: 60 s, four times what it should take, and two cases that hang. */
	double deadline_s;
	double predicted_s; /* start-up, then every job's cases, pairs at once where they may */
};

/* A node that was asked for and cannot be measured. */
struct plan_absent {
	char *node, *reason;
};

struct plan {
	char *run, *launcher;
	uint64_t seed;
	struct nodeset nodes;
	const struct suite *suite; /* borrowed */
	struct case_list *cases;   /* of each entry of the suite */
	struct plan_step *steps;
	size_t n_steps, cap_steps;
	uint64_t next_unit, next_job; /* ids begin with 1 */
	int max_pairs;                /* 0: no limit */
	double inject;
	const char *inject_bench; /* factor, 1: none; borrowed */
	double predicted_s;
	struct plan_absent *absent; /* none of them is in nodes */
	size_t n_absent;
	long own; /* index of the node that hpcbench itself runs on; -1: none of them */
	/* Nodes that did not fit into --budget, and in how many such runs each has its turn. */
	struct nodeset later;
	int later_runs;
	struct topo topo; /* of these nodes alone; n_leaves 0: unknown */
	/* Of each node, an index into topo.leaves or TOPO_NO_LEAF; NULL: no topology. */
	size_t *leaf_of;
	unsigned char *role; /* enum plan_role of each node; NULL: none has one */
	enum plan_shape shape;
	/* While it is made: a number of each node's hardware class; NULL: they are all the same. */
	size_t *class_of;
	uint64_t *class_seed; /* of each class number */
};

struct plan_params {
	uint64_t seed;
	int rounds; /* 0: all; else at most this many */
	int max_pairs;
	const char *own; /* the node that hpcbench runs on; NULL: none, or it does not matter */
	int at_once;     /* steps that the launcher can run at the same time; 0 stands for 1 */
	const struct plan_absent *absent;
	size_t n_absent;
	const char *const *hw; /* hardware class of each node, NULL where unknown; NULL: of none */
	const struct nodeset *later; /* as in plan; NULL: none */
	int later_runs;
	const struct topo *topo; /* what concerns these nodes is copied; NULL: unknown */
	/* Nodes that are known to be good, those of them that are not in nodes do not count; NULL:
	 * no roles. */
	const struct nodeset *controls;
	enum plan_shape shape; /* the star kinds need a control and a node that is none */
	bool hold_groups;      /* groups come later, with plan_add_groups */
};

/* Pair rounds of n nodes: circle method over a seeded permutation, odd n with byes spread. */
struct pair_round {
	int (*pairs)[2];
	int n;
};
/* k = 0: all. Returns min(k, n - 1) rounds (odd n: min(k, n)); no pair is repeated. */
int plan_rounds(int n, int k, uint64_t seed, struct pair_round **out);
void plan_rounds_free(struct pair_round *rounds, int n);
/*
 * The same for nodes of several hardware classes (a number of each node; NULL: one class): rounds
 * are drawn inside each class and those of the classes are put side by side, so that one round
 * holds disjoint pairs of all. Nodes that are alone in their class join the rounds of the largest
 * one; two such nodes are paired only where one of them would have no pair at all. class_seed: of
 * each number. Where no class has two nodes all are as of one class.
 */
int plan_class_rounds(int n, int k, uint64_t seed, const size_t *class_of,
                      const uint64_t *class_seed, struct pair_round **out);

/*
 * One step a helper, those with local benchmarks first. Ranks: one a node, and rpn a node for
 * groups (a step of its own above 1); on a single node at least two for pairs and groups. Jobs:
 * local ones node by node; pairs round by round, in both directions for BENCH_DIRECTED; then those
 * of the node that hpcbench runs on, which had byes (at least 3 nodes), each alone; then groups.
 * Of each size below the number of nodes n there are n / size disjoint groups, which the seed
 * draws; they are one round (its number is the place of the size in the entry) and may be measured
 * at once. The whole set is measured alone, once; on a single node whatever the sizes are.
 * Where the nodes' hardware classes are known and differ, pairs are drawn inside each class
 * (plan_class_rounds), and so are groups; nodes whose class is unknown are a class of their own.
 * Nodes of classes too small for a group of some size make groups of that size with each other;
 * a size that no class can hold is drawn from all nodes.
 * With a topology about half of the rounds of pairs stay within the leaves, they come first; the
 * others lead across them (plan_leaf.c). SHAPE_STAR: each new node meets as many different controls
 * as there are rounds, in as many rounds as that takes; SHAPE_STAR_AND_ROUNDS: then come the usual
 * rounds of all nodes, without the pairs that were there.
 * HB_E_USAGE: the suite does not fit these nodes; an absent node is among them; a star without a
 * control or without a new node; groups are held back and there is nothing else.
 */
int plan_make(const struct suite *suite, const struct nodeset *nodes, const char *launcher,
              const struct plan_params *p, struct plan *out, struct hb_err *err);
/* How many steps run at the same time from this one on, itself and those beside it. */
size_t plan_together(const struct plan *p, size_t first);
/* How long a job should take, in seconds; what a step's predicted_s is made of. */
double plan_job_seconds(const struct plan *p, const struct plan_job *job);
/* Whether all ranks of the job are on one node. */
bool plan_within_node(const struct plan_step *step, const struct plan_job *job);
/* Appends the nodes of a job in hostlist form. */
void plan_job_nodes(const struct plan *p, const struct plan_step *step, const struct plan_job *job,
                    struct buf *out);
/*
 * Appends what a job is about: "n1" (also a pair within it), "n1-n2", "n1>n2", of a group "n[1,4]"
 * or, where it is all nodes or their names are long, "4 ranks".
 */
void plan_job_subject(const struct plan *p, const struct plan_step *step,
                      const struct plan_job *job, struct buf *out);
/* What a confirming rerun minds beside its suspect; NULL where it is taken: nothing. */
struct plan_confirm {
	size_t from;       /* steps from this index on have not started and may be extended */
	const bool *avoid; /* of each node: no partner while another is left; NULL: none */
	/* With a topology, how the partners are to hang: on the same leaf (1), on another (-1); 0:
	 * the same if there is one, for both sides alike. */
	int leaf;
};
/*
 * Appends confirming jobs A B A B A B, each alone, for every entry of bench: A is the suspect
 * (phase CONFIRM), B its control (CONTROL). They join an appended step of the same helper and ranks
 * a node that has not started, else they are a step of their own (one for each that measures
 * bench); without how always. In a pair benchmark over several nodes each is measured with a
 * partner of its own that is neither, rather not the node that hpcbench runs on, rather not another
 * suspect, and rather not one to be avoided; below 4 nodes, without control and for the subject
 * "cluster", A is repeated alone (a cluster's pairs: those of the first round; its groups: all, as
 * they were measured). HB_E_USAGE: the plan does not measure that subject with that benchmark; the
 * plan is as before.
 */
int plan_add_confirm(struct plan *p, const struct plan_confirm *how, const char *bench,
                     const char *subject, const char *control, struct hb_err *err);
/* A pair to measure beyond the plan; node indices. */
struct plan_extra {
	size_t a, b;
	bool alone; /* nothing else meanwhile */
};
/*
 * Appends pairs (phase EXTRA) of every entry of bench, in rounds of disjoint pairs, those that are
 * alone last. They join an appended step of the same helper and ranks a node from index `from` on,
 * which has not started, else are a step of their own. HB_E_USAGE: bench has no pairs.
 */
int plan_add_extra(struct plan *p, size_t from, const char *bench, const struct plan_extra *v,
                   size_t n, struct hb_err *err);
/*
 * Measures a pair of the main part again that was lost: appends the job of the same cases, with
 * `instead`, to a step of its two nodes alone from index `from` on, else to a new one.
 * HB_E_USAGE: it is no such pair, or the plan is full.
 */
int plan_add_again(struct plan *p, size_t from, size_t step, size_t job, struct hb_err *err);
/*
 * Appends the groups that hold_groups kept back, over those nodes alone (a flag each), as steps of
 * their own, whose ranks are on those nodes alone. Nothing where the suite has no groups or fewer
 * than two nodes are in; an entry none of whose sizes fits is left out.
 */
int plan_add_groups(struct plan *p, const bool *in, struct hb_err *err);
/* Does the suite have groups, and the plan none? Then they were held back. */
bool plan_groups_held(const struct plan *p);
/* Where the plans that were joined stand in the joined one. */
struct plan_part {
	uint64_t unit0; /* what their units' ids begin behind */
	size_t step0;   /* the same of their steps */
};
/*
 * Joins n plans of one suite into one over all their nodes: steps and units one plan behind the
 * other, ids counted on. A node that stands in several is one node; absent is who is in none. out
 * takes the cases of the first and borrows its suite, which must outlive it; the others may be
 * freed. HB_E_USAGE: they measure different things (names: of the plans, for the message).
 */
int plan_join(struct plan *const *plans, const char *const *names, size_t n, struct plan *out,
              struct plan_part *parts, struct hb_err *err);
/* All that must be the same where figures of two plans are to be one: suite, cases, launcher. */
json_object *plan_settings(const struct plan *p);
/* About how many bytes a run of it writes: a high guess, see plan_bytes.c. */
double plan_bytes(const struct plan *p);
json_object *plan_to_json(const struct plan *p);
int plan_from_json(json_object *o, const char *source, struct suite *suite, struct plan *out,
                   struct hb_err *err);
/* A file of it: many times faster, and without a tree of objects, where the plan is large. */
int plan_read(const char *path, struct suite *suite, struct plan *out, struct hb_err *err);
/* Appends plan.json: what plan_to_json gives, a job a line. */
void plan_write(const struct plan *p, struct buf *out);
void plan_free(struct plan *p);

#endif

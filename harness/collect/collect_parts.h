/* What the collect_*.c files share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_COLLECT_PARTS_H
#define HPCBENCH_HARNESS_COLLECT_PARTS_H

#include "harness/collect/collect.h"
#include "harness/collect/summary.h"
#include "harness/localize/findings.h"
#include "harness/plan/plan.h"

enum { COLLECT_WORST = 16, COLLECT_BAD_LINES_NAMED = 5, COLLECT_RAILS_MAX = 64 };

/* One metric of one attempt; n 0: it was not reported. */
struct figure {
	double p50, lo, hi, p95, p99;
	uint64_t n;
};

/* One try of a unit: its point and its end may come in either order, or never. */
struct attempt {
	uint64_t id;
	double spread;
	char *reason;
	enum unit_status status; /* where ended */
	bool ended, point, disturbed;
	unsigned char rail[2]; /* devices of both ends of a pair: numbers in rails + 1; 0: none */
	struct figure *f;      /* one a metric of its benchmark; NULL before the point */
};

/* A unit's place in the plan and what was told of it. */
struct unit_state {
	uint32_t step, job;    /* indices; step UINT32_MAX: the plan has no such unit */
	struct attempt *cur;   /* the latest attempt */
	struct attempt *whole; /* the latest earlier one that ended ok with figures */
};

struct collect {
	struct suite suite;
	struct plan plan;
	struct unit_state *units; /* plan.next_unit of them */
	char **node_hw;           /* of each node; NULL: never told */
	size_t *hw_id;            /* of each node: equal where the classes are */
	size_t *by_name;          /* node indices, sorted by name */
	char **step_reason;       /* of each step, from run.json; NULL: none */
	bool *disturbed;          /* each step */
	double *step_s;           /* how long each took, from run.json; 0: unknown */
	struct run_told told;
	size_t *counted;            /* of each node: the step that last told a counter, + 1 */
	struct run_told *want_told; /* where told goes in the end; NULL: not wanted */
	uint64_t bad_lines;
	/* Whose records are read: what its ids begin behind, and how many it has. */
	const char *part; /* its run, where several are collected together; else NULL */
	uint64_t unit0, n_units;
	size_t step0, n_steps;
	struct summary *out;
	struct sheets *sheets; /* NULL: not wanted */
	char **rails;          /* names of devices, in the order of appearance */
	size_t n_rails, cap_rails;
};

/* How a unit came out: the attempt that counts and what it is worth. */
struct outcome {
	const struct attempt *attempt; /* with figures where quality is not NOT_MEASURED */
	enum row_quality quality;
	enum unit_status status;
	const char *reason; /* borrowed; NULL only where OK */
};

static inline const struct plan_job *unit_job(const struct collect *c, const struct unit_state *u)
{
	return &c->plan.steps[u->step].jobs[u->job];
}

static inline size_t job_node(const struct collect *c, const struct unit_state *u, int rank)
{
	const struct plan_step *s = &c->plan.steps[u->step];
	return s->rank_node[s->jobs[u->job].ranks[rank]];
}

/* One unit's figure, of a pair between the nodes a and b; a == b where it is none. */
struct pair_figure {
	const struct unit_state *u;
	const struct attempt *attempt;
	const struct figure *f;
	size_t a, b;
	double y; /* log figure, lower is worse */
};
/* ---- collect.c ---- */
/* DIR/plan.json with its suite, into c. */
int collect_plan(struct collect *c, const char *dir, struct hb_err *err);
/* Everything that has the plan's size; and all of c but its summary. */
void collect_prepare(struct collect *c);
/* Both, and what ranks wrote: without rows. c is to be freed whatever this says. */
int collect_lines(struct collect *c, const char *dir, struct hb_err *err);
void collect_free(struct collect *c);
/* Takes these nodes out, after the records were read: until then every one has its unit. */
void collect_leave_out(struct collect *c, const struct nodeset *without);
/* From what was read to rows and losses. */
void collect_finish(struct collect *c);

/* ---- collect_units.c ---- */
void collect_units_init(struct collect *c);
void collect_units_free(struct collect *c);
/* By the id that records of the current part bear. NULL: its plan has no such unit. */
struct unit_state *collect_unit(struct collect *c, uint64_t id);
/* The unit's attempt to write to; NULL if a later one was seen already. */
struct attempt *collect_attempt(struct unit_state *u, uint64_t id);
struct outcome collect_outcome(const struct collect *c, const struct unit_state *u);

/* ---- collect_read.c ---- */
/* Reads DIR/records.jsonl into c; an absent file is no record. */
int collect_records(struct collect *c, const char *dir, struct hb_err *err);
/* DIR/run.json into c and its summary: who, when, what became of each step. */
int collect_about(struct collect *c, const char *dir);
size_t collect_find_node(const struct collect *c, const char *name); /* SIZE_MAX: none */

/* ---- collect_facts.c ---- */
/* Records of these types; where one is bad, that is in err. */
int collect_fact(struct collect *c, json_object *o, const struct js_at *at, struct hb_err *err);
int collect_counter(struct collect *c, json_object *o, const struct js_at *at, struct hb_err *err);
/* unit: whose event it is; NULL: of none. */
void collect_event(struct collect *c, json_object *o, const struct unit_state *unit);
/* Sorts what was told; into the summary, and to whoever wants it. */
void collect_told(struct collect *c);

/* ---- collect_rows.c ---- */
/* The units of one case of one entry, in the order of the plan. */
struct cell {
	size_t entry, index;
	struct unit_state **v;
	size_t n;
};
void collect_rows(struct collect *c);
/* A key without hw: what a cell and one metric share. */
void collect_key(const struct collect *c, const struct cell *cell, const struct unit_state *u,
                 const struct metric_info *m, const char *hw, struct key *out);
/* How the ends of a pair lie to each other. ENDS_ANY: "remote", whatever is known of leaves. */
enum pair_ends { ENDS_ANY, ENDS_SAME_LEAF, ENDS_CROSS_LEAF, ENDS_KINDS };
/* ENDS_ANY: no topology, or a node of it without a leaf, or no pair of two nodes. */
enum pair_ends collect_unit_ends(const struct collect *c, const struct unit_state *u);
/* The key of a pair's row of that endpoint class; nothing changes with ENDS_ANY. */
void collect_key_ends(struct key *key, enum pair_ends ends);
/* The hardware class of the unit's nodes: all distinct ones, sorted; the caller frees. */
char *collect_unit_hw(const struct collect *c, const struct unit_state *u);
/* A row of this key (copied), with everything but figures. */
struct summary_row *collect_row(struct collect *c, const struct cell *cell, const struct key *key,
                                const struct metric_info *m, const char *subject, bool confirm);
/* A row that is one unit's figure, not a score: f of its attempt a. */
void collect_row_figure(struct summary_row *r, const struct figure *f, const struct attempt *a);
/*
 * A row over n figures, one at least: their median (type 7, of y), range and spread; n: how many.
 */
void collect_row_median(struct summary_row *r, const struct metric_info *m,
                        const struct pair_figure *v, size_t n);
void collect_row_quality(struct summary_row *r, enum row_quality q, const char *reason);

/* The figure of metric number index of a unit with this outcome; false: it has none. */
bool collect_figure(const struct collect *c, const struct unit_state *u, const struct outcome *o,
                    size_t index, struct pair_figure *out);
/*
 * Adds a figure to the n of v, and returns how many there are then. The two directions of a pair,
 * which stand one behind the other, are one figure, the worse: a node that is slow in one direction
 * would else keep half of its figures healthy.
 */
size_t collect_add_figure(const struct collect *c, struct pair_figure *v, size_t n,
                          const struct pair_figure *e);

/* ---- collect_pairs.c ---- */
/* The rows of a cell of pairs over several nodes: nodes, cluster, worst pairs. */
void collect_pairs(struct collect *c, const struct cell *cell);
/* ---- collect_sheets.c ---- */
/* The names in c->sheets. */
void collect_sheets_begin(struct collect *c);
/* The sheets of a cell of pairs over several nodes, one a hardware class pair. */
void collect_sheets(struct collect *c, const struct cell *cell);
/* The device of an endpoint "n17/mlx5_1", as attempt.rail has it. */
unsigned char collect_rail(struct collect *c, const char *endpoint);

/* ---- collect_groups.c ---- */
/* The rows of a cell of groups over several nodes. */
void collect_groups(struct collect *c, const struct cell *cell);

/* ---- collect_confirm.c ---- */
/* Confirm and control rows of a cell of any shape. */
void collect_confirm(struct collect *c, const struct cell *cell);

/* ---- collect_again.c ---- */
/* Of a pair that was measured again, the try that counts; before rows and losses. */
void collect_again(struct collect *c);
/* ---- collect_losses.c ---- */
void collect_losses(struct collect *c);

/* Something of the run that could not be read, with its reason; both are copied. */
void collect_add_loss(struct summary *s, const char *subject, const char *reason);

#endif

/* What the plan_*.c files share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_PLAN_BUILD_H
#define HPCBENCH_HARNESS_PLAN_BUILD_H

#include "harness/plan/plan.h"

/* A new step without jobs: rpn ranks on every node, node by node. Valid until the next one. */
struct plan_step *plan_step_add(struct plan *p, const char *helper, int rpn);
/* The same on some nodes, in their order. */
struct plan_step *plan_step_on(struct plan *p, const char *helper, int rpn, const size_t *node,
                               size_t n);
/* The step that takes more jobs like those of a helper: one from index first on that has the same
 * ranks a node, or a new one; its index. */
size_t plan_open_step(struct plan *p, size_t first, const char *helper, int rpn);
/* What the plan was before jobs were appended to it. */
struct plan_mark {
	size_t n_steps;
	uint64_t next_unit, next_job;
};
struct plan_mark plan_mark(const struct plan *p);
/* Takes back the jobs and steps that came after the mark. */
void plan_take_back(struct plan *p, const struct plan_mark *mark);
/* The rank of a node that comes first in the step; -1: it has none there. */
int plan_rank_of(const struct plan_step *s, size_t node);
/* No node may bear the name that stands for all of them, and none may be measured and absent. */
int plan_check_names(const struct plan *p, struct hb_err *err);
/* Makes j->cases the view of n cases from j->first_case on. */
void plan_job_view(const struct plan *p, struct plan_job *j, size_t n);
/*
 * Adds like to the step with fresh ids and all cases of its entry, split into jobs of at most
 * PLAN_JOB_CASES_MAX; like's ranks are copied.
 */
int plan_jobs_add(struct plan *p, struct plan_step *s, const struct plan_job *like,
                  struct hb_err *err);
/* The jobs of a pair of ranks, in each direction that its benchmark is measured in. */
int plan_pair_jobs(struct plan *p, struct plan_step *s, const struct plan_job *like, int a, int b,
                   struct hb_err *err);
/*
 * The jobs of a group benchmark's entry with rpn ranks a node: groups of each of its sizes that is
 * below the number of nodes, then the whole set if it is asked for. HB_E_USAGE: no size fits.
 */
int plan_group_jobs(struct plan *p, struct plan_step *s, size_t entry, int rpn, struct hb_err *err);
/* Ranks a node that a group takes: a single node must give it two. */
int plan_group_rpn(const struct plan *p, const struct suite_entry *e);
/* Whether the entry is of this helper. */
bool plan_of_helper(const struct suite_entry *e, const char *helper);
/* The pairs of all rounds, of whatever shape; k as in plan_rounds. */
int plan_shape_rounds(const struct plan *p, int k, struct pair_round **out);
/* Fills topo and leaf_of; roles and shape. HB_E_USAGE: a star without a control or a new node. */
void plan_topo_take(struct plan *p, const struct topo *topo);
int plan_roles_take(struct plan *p, const struct plan_params *params, struct hb_err *err);
/* Members of plan.json: "topology", "shape", "roles". */
void plan_topo_to_json(const struct plan *p, json_object *o);
int plan_topo_from_json(struct plan *p, json_object *o, const struct js_at *top,
                        struct hb_err *err);
/* Leaves, roles and shape of plans that are joined; index[plan][node]: where each went. */
void plan_topo_join(struct plan *const *plans, size_t n, size_t *const *index, struct plan *out);
void plan_topo_free(struct plan *p);
/*
 * Numbers the hardware classes (hw: of each node, NULL where unknown; NULL: of none) into
 * p->class_of, which stays NULL where there is one class only.
 */
void plan_classes(struct plan *p, const char *const *hw);
/*
 * Nodes for groups of size, of those that have a rank in the step, one group behind the other in
 * node[]; returns how many nodes that are.
 */
size_t plan_class_groups(const struct plan *p, const struct plan_step *s, size_t size,
                         uint64_t stream, size_t *node);
/* Copies both; the reason is cut to PLAN_REASON_MAX. */
void plan_absent_add(struct plan *p, const char *node, const char *reason);
/* Fills the step's predicted time and deadline from its jobs; the plan's time follows. */
void plan_step_estimate(struct plan *p, struct plan_step *s);

/*
 * Cuts the plan's last step, if it has nothing but local jobs, into at most at_once steps of
 * neighbouring nodes, side by side. Ids of jobs and units stay.
 */
void plan_cut_local(struct plan *p, int at_once);

#endif

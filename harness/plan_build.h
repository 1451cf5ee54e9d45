/* What plan.c, plan_confirm.c and plan_json.c share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_PLAN_BUILD_H
#define HPCBENCH_HARNESS_PLAN_BUILD_H

#include "harness/plan.h"

/* A new step without jobs: rpn ranks on every node, node by node. Valid until the next one. */
struct plan_step *plan_step_add(struct plan *p, const char *helper, int rpn);
/* No node may bear the name that stands for all of them. */
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
/* Fills the step's predicted time and deadline from its jobs, and adds to the plan's time. */
void plan_step_estimate(struct plan *p, struct plan_step *s);

#endif

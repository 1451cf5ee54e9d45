/* Plans for tests, made from a suite's text, and what holds of every plan. */
#ifndef HPCBENCH_TESTS_UNIT_PLAN_FIXTURE_H
#define HPCBENCH_TESTS_UNIT_PLAN_FIXTURE_H

#include "harness/plan/plan.h"

struct made {
	struct suite suite;
	struct nodeset nodes;
	struct plan plan;
};

#define SUITE(text) "{\"schema\":1,\"name\":\"x\",\"benches\":[" text "]}"
/* Latency, bandwidth, allreduce with two ranks a node, memory: every shape there is. */
extern const char suite_all[];

int try_plan(struct made *m, const char *suite, const char *nodes, int rounds, struct hb_err *err);
void make_plan(struct made *m, const char *suite, const char *nodes, int rounds);
/* The same with all that may be asked for. */
int try_plan_with(struct made *m, const char *suite, const char *nodes,
                  const struct plan_params *params, struct hb_err *err);
void make_plan_with(struct made *m, const char *suite, const char *nodes,
                    const struct plan_params *params);
void drop(struct made *m);
/* Ids in order, units without gap or overlap, ranks in range. */
void check_plan(const struct plan *p);
/* dir NULL: any. */
size_t count_jobs(const struct plan_step *s, const struct plan *p, const char *bench,
                  const char *dir);

#endif

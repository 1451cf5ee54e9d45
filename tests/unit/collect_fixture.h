/* Run directories for tests of collect: a plan, records for its units, what came out of them. */
#ifndef HPCBENCH_TESTS_UNIT_COLLECT_FIXTURE_H
#define HPCBENCH_TESTS_UNIT_COLLECT_FIXTURE_H

#include "harness/collect/collect.h"

/* A run directory in the making. */
struct made {
	char *dir;
	struct suite suite;
	struct nodeset nodes;
	struct plan plan;
	struct buf records;
	struct summary s;
	struct hb_err err;
};

#define SUITE(text) "{\"schema\":1,\"name\":\"x\",\"benches\":[" text "]}"
extern const char suite_latency[], suite_bandwidth[], suite_memory[], suite_allreduce[];

void expect_near(double got, double want);
void start(struct made *m, const char *suite, const char *nodes, int rounds);
/* The same with all that a plan may be asked for. */
void start_with(struct made *m, const char *suite, const char *nodes,
                const struct plan_params *params);
void write_file(const struct made *m, const char *name, const char *text, size_t len);
int collect(struct made *m);
void collected(struct made *m);
void finish(struct made *m);
void add_line(struct made *m, json_object *o);
const struct plan_job *job_of(const struct made *m, uint64_t unit, size_t *step);
void add_point(struct made *m, uint64_t unit, uint64_t attempt, double value);
void add_end(struct made *m, uint64_t unit, uint64_t attempt, enum unit_status status,
             const char *reason);
void add_unit(struct made *m, uint64_t unit, double value);
void add_hw(struct made *m, const char *host, const char *hw);
const struct summary_row *find_row(const struct summary *s, const char *subject, const char *metric,
                                   uint64_t bytes);
const struct summary_row *need_row(const struct summary *s, const char *subject, const char *metric,
                                   uint64_t bytes);
const struct summary_loss *find_loss(const struct summary *s, const char *subject);
void expect_loss(const struct summary *s, const char *subject, enum unit_status status,
                 const char *reason);

#endif

#include "tests/unit/plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

const char suite_all[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"},\"max_time\":\"1s\"},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"},\"max_time\":\"1s\"},"
        "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"rpn\":2},"
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi\"}}");

int try_plan_with(struct made *m, const char *suite, const char *nodes,
                  const struct plan_params *params, struct hb_err *err)
{
	json_object *o = NULL;
	memset(m, 0, sizeof(*m));
	assert_int_equal(js_parse(suite, strlen(suite), "s", &o, err), HB_OK);
	if (suite_from_json(o, "s", &m->suite, err) != HB_OK)
		fail_msg("%s", err->text);
	js_put(o);
	assert_int_equal(nodeset_parse(nodes, &m->nodes, err), HB_OK);
	return plan_make(&m->suite, &m->nodes, "local", params, &m->plan, err);
}

void make_plan_with(struct made *m, const char *suite, const char *nodes,
                    const struct plan_params *params)
{
	struct hb_err err = { HB_OK, "" };
	if (try_plan_with(m, suite, nodes, params, &err) != HB_OK)
		fail_msg("%s", err.text);
}

int try_plan(struct made *m, const char *suite, const char *nodes, int rounds, struct hb_err *err)
{
	const struct plan_params params = { .seed = 11, .rounds = rounds };
	return try_plan_with(m, suite, nodes, &params, err);
}

void make_plan(struct made *m, const char *suite, const char *nodes, int rounds)
{
	const struct plan_params params = { .seed = 11, .rounds = rounds };
	make_plan_with(m, suite, nodes, &params);
}

void drop(struct made *m)
{
	plan_free(&m->plan);
	suite_free(&m->suite);
	nodeset_free(&m->nodes);
}

void check_plan(const struct plan *p)
{
	uint64_t unit = 1, job = 1;
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct plan_step *s = &p->steps[i];
		assert_int_equal(s->id, i + 1);
		assert_true(s->predicted_s > 0);
		assert_true(s->deadline_s > s->predicted_s + 60);
		for (int r = 0; r < s->n_ranks; r++)
			assert_true(s->rank_node[r] < p->nodes.n);
		for (size_t k = 0; k < s->n_jobs; k++) {
			const struct plan_job *j = &s->jobs[k];
			const struct bench_info *info = p->suite->entries[j->entry].info;
			assert_int_equal(j->id, job++);
			assert_int_equal(j->first_unit, unit);
			assert_in_range(j->cases.n, 1, PLAN_JOB_CASES_MAX);
			assert_ptr_equal(j->cases.info, info);
			unit += j->cases.n;
			for (int r = 0; r < j->n_ranks; r++)
				assert_in_range(j->ranks[r], 0, s->n_ranks - 1);
			assert_int_equal(j->dir != NULL, info->shape == BENCH_PAIR);
			assert_int_equal(j->n_ranks == 2 || info->shape != BENCH_PAIR, 1);
		}
	}
	assert_int_equal(p->next_unit, unit);
	assert_int_equal(p->next_job, job);
}

size_t count_jobs(const struct plan_step *s, const struct plan *p, const char *bench,
                  const char *dir)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_jobs; i++)
		n += strcmp(p->suite->entries[s->jobs[i].entry].info->name, bench) == 0 &&
		     (!dir || strcmp(s->jobs[i].dir, dir) == 0);
	return n;
}

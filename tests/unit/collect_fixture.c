#include "tests/unit/collect_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store.h"

const char suite_latency[] = SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"},"
                                   "\"floor\":0.07,\"tolerance\":0.2}");
const char suite_bandwidth[] = SUITE(
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"}}");
const char suite_memory[] = SUITE(
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi,2Mi\"}}");
const char suite_allreduce[] = SUITE(
        "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"rpn\":2}");

void expect_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g instead of %.17g", got, want);
}

void start_with(struct made *m, const char *suite, const char *nodes,
                const struct plan_params *params)
{
	json_object *o = NULL;
	memset(m, 0, sizeof(*m));
	m->dir = hb_strdup("/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	assert_int_equal(js_parse(suite, strlen(suite), "s", &o, &m->err), HB_OK);
	if (suite_from_json(o, "s", &m->suite, &m->err) != HB_OK)
		fail_msg("%s", m->err.text);
	js_put(o);
	assert_int_equal(nodeset_parse(nodes, &m->nodes, &m->err), HB_OK);
	assert_int_equal(plan_make(&m->suite, &m->nodes, "local", params, &m->plan, &m->err),
	                 HB_OK);
	m->plan.run = hb_strdup("20261130-014210-7f3a");
}

void start(struct made *m, const char *suite, const char *nodes, int rounds)
{
	const struct plan_params params = { .seed = 3, .rounds = rounds };
	start_with(m, suite, nodes, &params);
}

void write_file(const struct made *m, const char *name, const char *text, size_t len)
{
	struct hb_err err;
	char *path = hb_format("%s/%s", m->dir, name);
	if (store_write(path, text, len, &err) != HB_OK)
		fail_msg("%s", err.text);
	free(path);
}

/* Writes the plan and what was added, and collects. */
int collect(struct made *m)
{
	struct buf b = BUF_INIT;
	json_object *o = plan_to_json(&m->plan);
	js_write(o, JS_PLAIN, &b);
	write_file(m, "plan.json", b.data, b.len);
	write_file(m, "records.jsonl", buf_text(&m->records), m->records.len);
	js_put(o);
	buf_free(&b);
	return collect_run(m->dir, &m->s, &m->err);
}

void collected(struct made *m)
{
	if (collect(m) != HB_OK)
		fail_msg("%s", m->err.text);
}

void finish(struct made *m)
{
	static const char *const files[] = { "plan.json", "run.json", "records.jsonl",
		                             "samples.jsonl" };
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = hb_format("%s/%s", m->dir, files[i]);
		unlink(path);
		free(path);
	}
	rmdir(m->dir);
	free(m->dir);
	plan_free(&m->plan);
	suite_free(&m->suite);
	nodeset_free(&m->nodes);
	buf_free(&m->records);
	summary_free(&m->s);
}

/* ---- records ---- */

void add_line(struct made *m, json_object *o)
{
	js_write(o, JS_PLAIN, &m->records);
	buf_putc(&m->records, '\n');
	js_put(o);
}

const struct plan_job *job_of(const struct made *m, uint64_t unit, size_t *step)
{
	for (*step = 0; *step < m->plan.n_steps; (*step)++) {
		const struct plan_step *s = &m->plan.steps[*step];
		for (size_t i = 0; i < s->n_jobs; i++)
			if (unit >= s->jobs[i].first_unit &&
			    unit < s->jobs[i].first_unit + s->jobs[i].cases.n)
				return &s->jobs[i];
	}
	fail_msg("no unit %d", (int)unit);
	return NULL;
}

void add_point(struct made *m, uint64_t unit, uint64_t attempt, double value)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	const struct plan_step *s = &m->plan.steps[step];
	const struct bench_info *info = j->cases.info;
	struct rec_point p = { .ids = { s->id, unit, attempt, j->phase },
		               .is_pair = info->shape == BENCH_PAIR,
		               .bench = info->name,
		               .bytes = j->cases.v[unit - j->first_unit].bytes,
		               .a = m->plan.nodes.v[s->rank_node[j->ranks[0]]],
		               .round = j->round,
		               .ranks = j->n_ranks,
		               .blocks = 9,
		               .batch = 1,
		               .spread = 0.004 };
	if (p.is_pair) {
		p.b = m->plan.nodes.v[s->rank_node[j->ranks[1]]];
		p.dir = j->dir;
	}
	for (const struct metric_info *i = info->metrics; i->name; i++)
		p.metrics[p.n_metrics++] =
		        (struct rec_metric){ i->name,
			                     { 500, value * 0.9, value, value * 0.99, value * 1.01,
			                       value * 1.2, value * 1.3, value * 2 } };
	add_line(m, rec_point_to_json(&p));
}

void add_end(struct made *m, uint64_t unit, uint64_t attempt, enum unit_status status,
             const char *reason)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	struct rec_end e = {
		{ m->plan.steps[step].id, unit, attempt, j->phase }, status, reason, 0.1
	};
	add_line(m, rec_end_to_json(&e));
}

void add_unit(struct made *m, uint64_t unit, double value)
{
	add_point(m, unit, 1, value);
	add_end(m, unit, 1, UNIT_OK, NULL);
}

void add_hw(struct made *m, const char *host, const char *hw)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "type", "rank");
	js_set_str(o, "host", host);
	js_set_str(o, "hw", hw);
	add_line(m, o);
}

const struct summary_row *find_row(const struct summary *s, const char *subject, const char *metric,
                                   uint64_t bytes)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].subject, subject) == 0 &&
		    strcmp(s->rows[i].key.metric, metric) == 0 &&
		    (bytes == 0 || s->rows[i].key.bytes == bytes))
			return &s->rows[i];
	return NULL;
}

const struct summary_row *need_row(const struct summary *s, const char *subject, const char *metric,
                                   uint64_t bytes)
{
	const struct summary_row *r = find_row(s, subject, metric, bytes);
	if (!r)
		fail_msg("no row of %s %s", subject, metric);
	return r;
}

const struct summary_loss *find_loss(const struct summary *s, const char *subject)
{
	for (size_t i = 0; i < s->n_losses; i++)
		if (strcmp(s->losses[i].subject, subject) == 0)
			return &s->losses[i];
	return NULL;
}

void expect_loss(const struct summary *s, const char *subject, enum unit_status status,
                 const char *reason)
{
	const struct summary_loss *l = find_loss(s, subject);
	if (!l) {
		fail_msg("no loss of %s", subject);
		return;
	}
	assert_int_equal(l->status, status);
	if (!strstr(l->reason, reason))
		fail_msg("%s: %s", subject, l->reason);
}

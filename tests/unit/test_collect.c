/* Collect: what becomes a row, what a loss, and that no line of a file can do harm. */
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
#include "harness/collect.h"
#include "harness/store.h"

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

static void expect_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g instead of %.17g", got, want);
}

#define SUITE(text) "{\"schema\":1,\"name\":\"x\",\"benches\":[" text "]}"
static const char latency[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"},\"floor\":0.07}");
static const char bandwidth[] = SUITE(
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"}}");
static const char memory[] = SUITE(
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi,2Mi\"}}");
static const char allreduce[] = SUITE(
        "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"rpn\":2}");

static void start(struct made *m, const char *suite, const char *nodes, int rounds)
{
	json_object *o = NULL;
	struct plan_params params = { 3, rounds, 0 };
	memset(m, 0, sizeof(*m));
	m->dir = hb_strdup("/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	assert_int_equal(js_parse(suite, strlen(suite), "s", &o, &m->err), HB_OK);
	if (suite_from_json(o, "s", &m->suite, &m->err) != HB_OK)
		fail_msg("%s", m->err.text);
	js_put(o);
	assert_int_equal(nodeset_parse(nodes, &m->nodes, &m->err), HB_OK);
	assert_int_equal(plan_make(&m->suite, &m->nodes, "local", &params, &m->plan, &m->err),
	                 HB_OK);
	m->plan.run = hb_strdup("20261130-014210-7f3a");
}

static void write_file(const struct made *m, const char *name, const char *text, size_t len)
{
	struct hb_err err;
	char *path = hb_format("%s/%s", m->dir, name);
	if (store_write(path, text, len, &err) != HB_OK)
		fail_msg("%s", err.text);
	free(path);
}

/* Writes the plan and what was added, and collects. */
static int collect(struct made *m)
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

static void collected(struct made *m)
{
	if (collect(m) != HB_OK)
		fail_msg("%s", m->err.text);
}

static void finish(struct made *m)
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

static void add_line(struct made *m, json_object *o)
{
	js_write(o, JS_PLAIN, &m->records);
	buf_putc(&m->records, '\n');
	js_put(o);
}

static const struct plan_job *job_of(const struct made *m, uint64_t unit, size_t *step)
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

static void add_point(struct made *m, uint64_t unit, uint64_t attempt, double value)
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

static void add_end(struct made *m, uint64_t unit, uint64_t attempt, enum unit_status status,
                    const char *reason)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	struct rec_end e = {
		{ m->plan.steps[step].id, unit, attempt, j->phase }, status, reason, 0.1
	};
	add_line(m, rec_end_to_json(&e));
}

static void add_unit(struct made *m, uint64_t unit, double value)
{
	add_point(m, unit, 1, value);
	add_end(m, unit, 1, UNIT_OK, NULL);
}

static void add_hw(struct made *m, const char *host, const char *hw)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "type", "rank");
	js_set_str(o, "host", host);
	js_set_str(o, "hw", hw);
	add_line(m, o);
}

static const struct summary_row *find_row(const struct summary *s, const char *subject,
                                          const char *metric, uint64_t bytes)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].subject, subject) == 0 &&
		    strcmp(s->rows[i].key.metric, metric) == 0 &&
		    (bytes == 0 || s->rows[i].key.bytes == bytes))
			return &s->rows[i];
	return NULL;
}

static const struct summary_row *need_row(const struct summary *s, const char *subject,
                                          const char *metric, uint64_t bytes)
{
	const struct summary_row *r = find_row(s, subject, metric, bytes);
	if (!r)
		fail_msg("no row of %s %s", subject, metric);
	return r;
}

static const struct summary_loss *find_loss(const struct summary *s, const char *subject)
{
	for (size_t i = 0; i < s->n_losses; i++)
		if (strcmp(s->losses[i].subject, subject) == 0)
			return &s->losses[i];
	return NULL;
}

static void expect_loss(const struct summary *s, const char *subject, enum unit_status status,
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

/* ---- rows without scoring ---- */

static void a_single_node_has_its_figures_as_they_were_told(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "host", 5);
	add_hw(&m, "whatever-it-calls-itself", "1x CPU");
	add_unit(&m, 1, 1500);
	collected(&m);
	assert_int_equal(m.s.n_rows, 1);
	const struct summary_row *r = need_row(&m.s, "host", "lat_p50_ns", 8);
	assert_int_equal(r->kind, SUBJECT_NODE);
	assert_int_equal(r->quality, ROW_OK);
	expect_near(r->value, 1500);
	expect_near(r->lo, 1500 * 0.99);
	expect_near(r->hi, 1500 * 1.01);
	expect_near(r->p95, 1500 * 1.2);
	expect_near(r->p99, 1500 * 1.3);
	expect_near(r->spread, 0.004);
	expect_near(r->floor, 0.07);
	assert_int_equal(r->n, 500);
	assert_int_equal(r->pairs, 0);
	assert_true(r->judged);
	assert_false(r->higher_is_better);
	assert_string_equal(r->key.text, "{\"bench\":\"mpi.latency\",\"bytes\":8,"
	                                 "\"class\":\"same-node\",\"hw\":\"1x CPU\","
	                                 "\"metric\":\"lat_p50_ns\",\"nodes\":1,\"opts\":"
	                                 "{\"buffers\":\"hot\",\"datatype\":\"byte\"},"
	                                 "\"rpn\":2}");
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void local_benchmarks_have_a_row_a_node_and_groups_one_for_the_cluster(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n[1-2]", 5);
	add_hw(&m, "n1", "A");
	add_hw(&m, "n2", "B");
	for (uint64_t u = 1; u <= 4; u++)
		add_unit(&m, u, 1e9 * (double)u);
	collected(&m);
	assert_int_equal(m.s.n_rows, 4);
	expect_near(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->value, 2e9);
	expect_near(need_row(&m.s, "n2", "algbw_Bps", 1 << 20)->value, 3e9);
	assert_string_equal(need_row(&m.s, "n2", "algbw_Bps", 0)->key.hw, "B");
	assert_int_equal(need_row(&m.s, "n2", "algbw_Bps", 0)->key.rpn, 1);
	finish(&m);
	start(&m, allreduce, "n[1-3]", 5);
	add_hw(&m, "n1", "B");
	add_hw(&m, "n2", "A");
	add_hw(&m, "n3", "B");
	add_unit(&m, 1, 9000);
	collected(&m);
	const struct summary_row *r = need_row(&m.s, "cluster", "lat_p50_ns", 8);
	assert_int_equal(m.s.n_rows, 3);
	assert_int_equal(r->kind, SUBJECT_CLUSTER);
	assert_string_equal(r->key.hw, "A + B");
	assert_string_equal(r->key.class_, "remote");
	assert_int_equal(r->key.nodes, 3);
	assert_int_equal(r->key.rpn, 2);
	assert_false(need_row(&m.s, "cluster", "busbw_Bps", 8)->judged);
	finish(&m);
}

/* ---- scores ---- */

static void nodes_are_scored_by_the_upper_quartile_over_their_pairs(void **state)
{
	struct made m;
	double y[6][5];
	int n[6] = { 0 };
	(void)state;
	start(&m, latency, "n[1-6]", 5);
	/* n3 is slow: what it takes part in takes twice as long. */
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		double v = 1000 + 10 * (double)u;
		if (j->ranks[0] == 2 || j->ranks[1] == 2)
			v *= 2;
		y[j->ranks[0]][n[j->ranks[0]]++] = -log(v);
		y[j->ranks[1]][n[j->ranks[1]]++] = -log(v);
		add_unit(&m, u, v);
	}
	collected(&m);
	assert_int_equal(m.s.n_rows, 7);
	for (int i = 0; i < 6; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i + 1);
		const struct summary_row *r = need_row(&m.s, name, "lat_p50_ns", 8);
		assert_int_equal(n[i], 5);
		expect_near(r->value, exp(-stat_node_score(y[i], 5)));
		assert_int_equal(r->pairs, 5);
		assert_int_equal(r->n, 5);
		expect_near(r->spread, stat_sd(y[i], 5));
		assert_true(r->lo <= r->value && r->value <= r->hi);
		if (i != 2)
			assert_string_equal(r->worst_partner, "n3");
		assert_true(isnan(r->p95));
		assert_int_equal(r->key.nodes, 2);
		assert_int_equal(r->key.rpn, 1);
	}
	assert_true(need_row(&m.s, "n3", "lat_p50_ns", 8)->value > 2000);
	assert_true(need_row(&m.s, "n1", "lat_p50_ns", 8)->value < 1200);
	const struct summary_row *c = need_row(&m.s, "cluster", "lat_p50_ns", 8);
	assert_int_equal(c->kind, SUBJECT_CLUSTER);
	assert_int_equal(c->n, 15);
	assert_int_equal(m.s.n_worst, 15);
	for (size_t i = 0; i < 5; i++) {
		const struct summary_pair *p = &m.s.worst[i];
		assert_true(strcmp(p->a, "n3") == 0 || strcmp(p->b, "n3") == 0);
		expect_near(p->ratio, c->value / p->value);
		assert_true(p->ratio < 0.7);
		assert_true(i == 0 || p->ratio >= p[-1].ratio);
	}
	finish(&m);
}

static void few_partners_are_scored_by_the_best(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= 6; u++)
		add_unit(&m, u, 1000 * (double)u);
	collected(&m);
	for (int i = 0; i < 4; i++) {
		char name[8];
		double best = INFINITY;
		snprintf(name, sizeof(name), "n%d", i + 1);
		for (uint64_t u = 1; u <= 6; u++) {
			size_t step;
			const struct plan_job *j = job_of(&m, u, &step);
			if (j->ranks[0] == i || j->ranks[1] == i)
				best = fmin(best, 1000 * (double)u);
		}
		expect_near(need_row(&m.s, name, "lat_p50_ns", 8)->value, best);
	}
	finish(&m);
}

static void both_directions_count_and_the_worse_one_is_evidence(void **state)
{
	struct made m;
	(void)state;
	start(&m, bandwidth, "n[1-2]", 5);
	assert_int_equal(m.plan.next_unit, 3);
	add_unit(&m, 1, 10e9);
	add_unit(&m, 2, 4e9);
	collected(&m);
	const struct summary_row *r = need_row(&m.s, "n1", "algbw_Bps", 0);
	assert_int_equal(r->pairs, 1);
	expect_near(r->value, 10e9);
	expect_near(r->lo, 4e9);
	expect_near(need_row(&m.s, "cluster", "algbw_Bps", 0)->value, sqrt(40) * 1e9);
	assert_int_equal(need_row(&m.s, "cluster", "algbw_Bps", 0)->n, 1);
	assert_int_equal(m.s.n_worst, 1);
	assert_string_equal(m.s.worst[0].dir, "ba");
	expect_near(m.s.worst[0].value, 4e9);
	finish(&m);
}

static void only_the_sixteen_worst_pairs_are_kept(void **state)
{
	struct made m;
	(void)state;
	start(&m, bandwidth, "n[01-12]", 0);
	for (uint64_t u = 1; u < m.plan.next_unit; u++)
		add_unit(&m, u, 1e9 * (double)((u * 37) % 131 + 1));
	collected(&m);
	assert_int_equal(m.s.n_worst, 16);
	for (size_t i = 1; i < 16; i++)
		assert_true(m.s.worst[i - 1].value <= m.s.worst[i].value);
	for (size_t i = 0; i < 16; i++)
		for (size_t k = 0; k < i; k++)
			assert_false((strcmp(m.s.worst[i].a, m.s.worst[k].a) == 0 &&
			              strcmp(m.s.worst[i].b, m.s.worst[k].b) == 0) ||
			             (strcmp(m.s.worst[i].a, m.s.worst[k].b) == 0 &&
			              strcmp(m.s.worst[i].b, m.s.worst[k].a) == 0));
	finish(&m);
}

static void pairs_of_different_hardware_have_keys_of_their_own(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "n[1-4]", 5);
	add_hw(&m, "n1", "A");
	add_hw(&m, "n2", "A");
	add_hw(&m, "n3", "B");
	add_hw(&m, "n4", "B");
	for (uint64_t u = 1; u <= 6; u++)
		add_unit(&m, u, 1000);
	collected(&m);
	size_t mixed = 0, a = 0, b = 0;
	for (size_t i = 0; i < m.s.n_rows; i++) {
		mixed += strcmp(m.s.rows[i].key.hw, "A + B") == 0;
		a += strcmp(m.s.rows[i].key.hw, "A") == 0;
		b += strcmp(m.s.rows[i].key.hw, "B") == 0;
		assert_int_equal(m.s.rows[i].quality, ROW_OK);
	}
	assert_int_equal(a, 3);
	assert_int_equal(b, 3);
	assert_int_equal(mixed, 5);
	finish(&m);
}

/* ---- what was lost ---- */

static void a_dead_node_costs_itself_and_is_named_once(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "n[1-6]", 5);
	for (int i = 1; i <= 6; i++) {
		char host[8];
		snprintf(host, sizeof(host), "n%d", i);
		if (i != 4)
			add_hw(&m, host, "A");
	}
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		if (j->ranks[0] == 3 || j->ranks[1] == 3)
			add_end(&m, u, 1, UNIT_GIVEN_UP, "n4 never connected");
		else
			add_unit(&m, u, 1000);
	}
	collected(&m);
	assert_int_equal(m.s.n_rows, 7);
	const struct summary_row *r = need_row(&m.s, "n4", "lat_p50_ns", 8);
	assert_int_equal(r->quality, ROW_NOT_MEASURED);
	assert_string_equal(r->reason, "n4 never connected");
	assert_true(isnan(r->value));
	/* It is missed from the key of its peers, though it never told its class. */
	assert_string_equal(r->key.text, need_row(&m.s, "n1", "lat_p50_ns", 8)->key.text);
	assert_int_equal(need_row(&m.s, "n1", "lat_p50_ns", 8)->pairs, 4);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "n4", UNIT_GIVEN_UP, "never connected");
	finish(&m);
}

static void a_pair_that_hung_costs_only_itself(void **state)
{
	struct made m;
	size_t step;
	char pair[32];
	(void)state;
	start(&m, latency, "n[1-6]", 5);
	add_end(&m, 1, 1, UNIT_TIMEOUT, "no answer within 30 s");
	for (uint64_t u = 2; u < m.plan.next_unit; u++)
		add_unit(&m, u, 1000);
	collected(&m);
	const struct plan_job *j = job_of(&m, 1, &step);
	int a = j->ranks[0] < j->ranks[1] ? j->ranks[0] : j->ranks[1];
	snprintf(pair, sizeof(pair), "n%d-n%d", a + 1, j->ranks[0] + j->ranks[1] - a + 1);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, pair, UNIT_TIMEOUT, "30 s");
	for (size_t i = 0; i < m.s.n_rows; i++)
		assert_int_equal(m.s.rows[i].quality, ROW_OK);
	finish(&m);
}

static void records_without_their_end_do_not_count(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n[1-2]", 5);
	add_unit(&m, 1, 1e9);
	add_point(&m, 2, 1, 2e9);
	add_end(&m, 3, 1, UNIT_OK, NULL);
	collected(&m);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 1 << 20)->quality, ROW_OK);
	const struct summary_row *r = need_row(&m.s, "n1", "algbw_Bps", 2 << 20);
	assert_int_equal(r->quality, ROW_NOT_MEASURED);
	assert_true(isnan(r->value));
	assert_non_null(strstr(r->reason, "end"));
	r = need_row(&m.s, "n2", "algbw_Bps", 1 << 20);
	assert_int_equal(r->quality, ROW_NOT_MEASURED);
	assert_non_null(strstr(r->reason, "figures never came"));
	r = need_row(&m.s, "n2", "algbw_Bps", 2 << 20);
	assert_non_null(strstr(r->reason, "never measured"));
	assert_true(m.s.partial);
	finish(&m);
}

static void nothing_at_all_is_one_loss_with_the_reason_of_its_step(void **state)
{
	static const char run[] =
	        "{\"schema\":1,\"run\":\"r\",\"steps\":[{\"id\":1,\"status\":\"failed\","
	        "\"reason\":\"mpirun was not found\"}]}";
	struct made m;
	(void)state;
	start(&m, latency, "n[1-4]", 5);
	write_file(&m, "run.json", run, strlen(run));
	collected(&m);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "cluster", UNIT_GIVEN_UP, "mpirun was not found");
	assert_int_equal(m.s.n_rows, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(m.s.rows[i].quality, ROW_NOT_MEASURED);
		assert_string_equal(m.s.rows[i].key.hw, "unknown");
	}
	finish(&m);
}

static void what_cannot_run_here_is_a_line_and_no_row(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_end(&m, 1, 1, UNIT_SKIPPED, "libsomething.so was not found");
	add_end(&m, 2, 1, UNIT_SKIPPED, "libsomething.so was not found");
	collected(&m);
	assert_int_equal(m.s.n_rows, 0);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "n1", UNIT_SKIPPED, "libsomething");
	finish(&m);
}

static void invalid_and_disturbed_figures_are_kept_and_marked(void **state)
{
	struct made m;
	struct rec_ids ids = { 1, 2, 1, PHASE_MAIN };
	(void)state;
	start(&m, memory, "n1", 5);
	add_point(&m, 1, 1, 1e9);
	add_end(&m, 1, 1, UNIT_INVALID, "3 of 8 elements wrong");
	add_point(&m, 2, 1, 2e9);
	add_line(&m, rec_event_to_json(&ids, "warn", "disturbed", "load 40 from others"));
	add_end(&m, 2, 1, UNIT_OK, NULL);
	collected(&m);
	const struct summary_row *r = need_row(&m.s, "n1", "algbw_Bps", 1 << 20);
	assert_int_equal(r->quality, ROW_INVALID);
	expect_near(r->value, 1e9);
	assert_string_equal(r->reason, "3 of 8 elements wrong");
	r = need_row(&m.s, "n1", "algbw_Bps", 2 << 20);
	assert_int_equal(r->quality, ROW_DISTURBED);
	expect_near(r->value, 2e9);
	assert_string_equal(r->reason, "load 40 from others");
	expect_loss(&m.s, "n1", UNIT_INVALID, "3 of 8");
	assert_int_equal(m.s.n_losses, 1);
	finish(&m);
}

static void wrong_data_from_one_node_does_not_take_its_partners_along(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "n[1-6]", 5);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		bool bad = j->ranks[0] == 1 || j->ranks[1] == 1;
		add_point(&m, u, 1, bad ? 500 : 1000);
		add_end(&m, u, 1, bad ? UNIT_INVALID : UNIT_OK, bad ? "wrong bytes" : NULL);
	}
	collected(&m);
	assert_int_equal(need_row(&m.s, "n2", "lat_p50_ns", 8)->quality, ROW_INVALID);
	expect_near(need_row(&m.s, "n2", "lat_p50_ns", 8)->value, 500);
	for (int i = 1; i <= 6; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i);
		if (i == 2)
			continue;
		assert_int_equal(need_row(&m.s, name, "lat_p50_ns", 8)->quality, ROW_OK);
		expect_near(need_row(&m.s, name, "lat_p50_ns", 8)->value, 1000);
		assert_int_equal(need_row(&m.s, name, "lat_p50_ns", 8)->pairs, 4);
	}
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "n2", UNIT_INVALID, "wrong bytes");
	finish(&m);
}

/* ---- attempts and repetition ---- */

static void the_last_attempt_that_ended_well_counts(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	add_point(&m, 1, 2, 2e9);
	add_end(&m, 1, 2, UNIT_OK, NULL);
	add_point(&m, 1, 3, 3e9); /* never ended */
	add_point(&m, 2, 1, 4e9); /* the first attempt died */
	add_end(&m, 2, 2, UNIT_FAILED, "again");
	add_end(&m, 2, 3, UNIT_OK, NULL); /* the end came before its point */
	add_point(&m, 2, 3, 5e9);
	add_point(&m, 2, 1, 6e9); /* late words of a dead attempt */
	add_end(&m, 2, 1, UNIT_OK, NULL);
	collected(&m);
	expect_near(need_row(&m.s, "n1", "algbw_Bps", 1 << 20)->value, 2e9);
	expect_near(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->value, 5e9);
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void a_record_that_comes_twice_counts_once(void **state)
{
	struct made m;
	(void)state;
	start(&m, latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= 6; u++) {
		add_unit(&m, u, 1000);
		add_point(&m, u, 1, 9999);
		add_end(&m, u, 1, UNIT_FAILED, "a second end");
	}
	collected(&m);
	expect_near(need_row(&m.s, "n1", "lat_p50_ns", 8)->value, 1000);
	assert_int_equal(need_row(&m.s, "n1", "lat_p50_ns", 8)->pairs, 3);
	assert_int_equal(need_row(&m.s, "cluster", "lat_p50_ns", 8)->n, 6);
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

/* ---- confirmation ---- */

static void confirming_rows_stand_apart(void **state)
{
	struct made m;
	(void)state;
	start(&m, bandwidth, "n[1-5]", 5);
	uint64_t main_units = m.plan.next_unit;
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.bandwidth", "n2", "n4", &m.err), HB_OK);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		double v = u < main_units              ? 10e9
		           : j->phase == PHASE_CONFIRM ? 5e9 + 1e9 * j->repeat
		                                       : 9e9;
		if (j->phase == PHASE_CONTROL && j->repeat == 2)
			add_end(&m, u, 1, UNIT_TIMEOUT, "late");
		else
			add_unit(&m, u, v);
	}
	collected(&m);
	size_t confirm = 0, control = 0;
	for (size_t i = 0; i < m.s.n_confirm; i++) {
		const struct summary_row *r = &m.s.confirm[i];
		bool a = r->phase == PHASE_CONFIRM;
		if (!r->judged)
			continue;
		assert_string_equal(r->subject, a ? "n2" : "n4");
		assert_string_equal(r->partner, a ? "n4" : "n2");
		expect_near(r->value, a ? 5e9 + 1e9 * r->repeat : 9e9);
		assert_int_equal(r->n, 2);
		assert_string_equal(r->key.text, need_row(&m.s, "n2", r->key.metric, 0)->key.text);
		confirm += a;
		control += !a;
	}
	assert_int_equal(confirm, 3);
	assert_int_equal(control, 2);
	/* They change nothing in the main rows. */
	expect_near(need_row(&m.s, "n2", "algbw_Bps", 0)->value, 10e9);
	assert_int_equal(need_row(&m.s, "n2", "algbw_Bps", 0)->pairs, 4);
	expect_loss(&m.s, "n4", UNIT_TIMEOUT, "confirming rerun: late");
	finish(&m);
}

/* ---- the run's own words ---- */

static void who_when_and_which_software_are_told(void **state)
{
	static const char run[] =
	        "{\"schema\":1,\"run\":\"r1\",\"suite\":\"night\",\"label\":\"after the fire\","
	        "\"cluster\":\"deep\",\"user\":\"ann\",\"started\":\"2026-11-30T01:42:10Z\","
	        "\"partial\":false,\"inject\":1.5,\"steps\":[{\"id\":1,\"status\":\"done\","
	        "\"reason\":null}]}";
	struct made m;
	json_object *mpi = NULL;
	(void)state;
	start(&m, memory, "n1", 5);
	write_file(&m, "run.json", run, strlen(run));
	add_line(&m, rec_fact_to_json("n1", "sw.mpi", "Z 2", "x"));
	add_line(&m, rec_fact_to_json("n1", "sw.mpi", "A 1", "x"));
	add_line(&m, rec_fact_to_json("n2", "sw.mpi", "Z 2", "x"));
	add_line(&m, rec_fact_to_json("n1", "net.mtu", "9000", "x"));
	add_hw(&m, "n1", "A");
	add_unit(&m, 1, 1e9);
	add_unit(&m, 2, 1e9);
	collected(&m);
	assert_string_equal(m.s.run, "r1");
	assert_string_equal(m.s.suite, "night");
	assert_string_equal(m.s.label, "after the fire");
	assert_string_equal(m.s.cluster, "deep");
	assert_string_equal(m.s.user, "ann");
	assert_string_equal(m.s.started, "2026-11-30T01:42:10Z");
	assert_false(m.s.partial);
	assert_true(m.s.injected);
	assert_int_equal(json_object_object_length(m.s.fingerprint), 1);
	assert_true(json_object_object_get_ex(m.s.fingerprint, "mpi", &mpi));
	assert_int_equal(json_object_array_length(mpi), 2);
	assert_string_equal(json_object_get_string(json_object_array_get_idx(mpi, 0)), "A 1");
	assert_int_equal(json_object_object_length(m.s.hw), 1);
	finish(&m);
}

static void a_run_that_was_killed_is_partial_and_dated_by_its_id(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	collected(&m);
	assert_true(m.s.partial);
	assert_false(m.s.injected);
	assert_string_equal(m.s.started, "2026-11-30T01:42:10Z");
	assert_string_equal(m.s.suite, "x");
	assert_null(m.s.label);
	finish(&m);
}

/* ---- hostile files ---- */

static void bad_lines_are_counted_and_named_and_the_rest_is_kept(void **state)
{
	static const char *const bad[] = {
		"garbage",
		"{\"type\":\"point\"",
		"[]",
		"7",
		"{\"type\":\"end\"}",
		"{\"type\":\"point\",\"unit\":1}",
		"{\"type\":\"end\",\"step\":1,\"attempt\":1,\"unit\":99999999999,\"phase\":"
		"\"main\","
		"\"status\":\"ok\",\"reason\":null,\"seconds\":1}",
		"{\"type\":\"end\",\"step\":7,\"attempt\":1,\"unit\":1,\"phase\":\"main\","
		"\"status\":\"ok\",\"reason\":null,\"seconds\":1}",
		"{\"type\":\"end\",\"step\":1,\"attempt\":1,\"unit\":2,\"phase\":\"main\","
		"\"status\":\"great\",\"reason\":null,\"seconds\":1}",
		"{\"type\":\"rank\",\"host\":7}",
		"{\"type\":\"fact\",\"key\":\"sw.x\",\"value\":7}",
		"{\"type\":\"event\",\"code\":7}",
		"{\"type\":\"end\",\"type\":\"end\"}",
	};
	size_t n = sizeof(bad) / sizeof(*bad);
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	for (size_t i = 0; i < n; i++)
		buf_printf(&m.records, "%s\n", bad[i]);
	buf_add(&m.records, "nul\0in it\n", 10);
	buf_puts(&m.records, "\n{\"type\":\"riddle\"}\n{\"no\":\"type\"}\n");
	add_unit(&m, 2, 2e9);
	collected(&m);
	expect_near(need_row(&m.s, "n1", "algbw_Bps", 1 << 20)->value, 1e9);
	expect_near(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->value, 2e9);
	assert_true(m.s.unknown_records >= 2);
	/* The first five with their lines, then how many more. */
	assert_int_equal(m.s.n_losses, 6);
	expect_loss(&m.s, "records.jsonl:3", UNIT_FAILED, "byte 1");
	expect_loss(&m.s, "records.jsonl", UNIT_FAILED, "more lines");
	finish(&m);
}

static void a_record_for_another_benchmark_is_not_taken(void **state)
{
	struct made m;
	size_t step;
	(void)state;
	start(&m, memory, "n1", 5);
	const struct plan_job *j = job_of(&m, 1, &step);
	struct rec_point p = { .ids = { 1, 1, 1, PHASE_MAIN },
		               .bench = "mpi.latency",
		               .bytes = j->cases.v[0].bytes,
		               .a = "n1",
		               .round = -1,
		               .ranks = 1,
		               .batch = 1,
		               .n_metrics = 1 };
	p.metrics[0] = (struct rec_metric){ "lat_p50_ns", { 1, 1, 1, 1, 1, 1, 1, 1 } };
	add_line(&m, rec_point_to_json(&p));
	p.bench = "node.memory";
	p.bytes++;
	add_line(&m, rec_point_to_json(&p));
	add_end(&m, 1, 1, UNIT_OK, NULL);
	collected(&m);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 1 << 20)->quality, ROW_NOT_MEASURED);
	expect_loss(&m.s, "records.jsonl:1", UNIT_FAILED, "plan");
	expect_loss(&m.s, "records.jsonl:2", UNIT_FAILED, "plan");
	finish(&m);
}

static void a_cut_last_line_and_an_endless_one_do_no_harm(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	buf_puts(&m.records, "{\"x\":\"");
	buf_pad(&m.records, 'x', 3 << 20);
	buf_puts(&m.records, "\"}\n");
	add_unit(&m, 2, 2e9);
	m.records.len -= 9; /* the last end is cut */
	collected(&m);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 1 << 20)->quality, ROW_OK);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->quality, ROW_NOT_MEASURED);
	expect_loss(&m.s, "records.jsonl:3", UNIT_FAILED, "longer");
	expect_loss(&m.s, "records.jsonl:5", UNIT_FAILED, "");
	finish(&m);
}

static void a_whole_last_line_without_its_newline_is_taken(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	add_unit(&m, 2, 2e9);
	m.records.len--;
	collected(&m);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->quality, ROW_OK);
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void a_directory_that_is_no_run_is_one_clear_line(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	assert_int_equal(collect_run(m.dir, &m.s, &m.err), HB_E_FORMAT);
	assert_non_null(strstr(m.err.text, "plan.json"));
	write_file(&m, "plan.json", "{\"schema\":1}", 12);
	assert_int_equal(collect_run(m.dir, &m.s, &m.err), HB_E_FORMAT);
	assert_non_null(strstr(m.err.text, "plan.json"));
	write_file(&m, "run.json", "{\"steps\":7}", 11);
	assert_int_equal(collect(&m), HB_E_FORMAT);
	assert_non_null(strstr(m.err.text, "run.json"));
	assert_null(m.s.rows);
	finish(&m);
}

static void samples_are_never_read(void **state)
{
	struct made m;
	(void)state;
	start(&m, memory, "n1", 5);
	write_file(&m, "samples.jsonl", "\xff garbage", 9);
	add_unit(&m, 1, 1e9);
	add_unit(&m, 2, 1e9);
	collected(&m);
	assert_int_equal(m.s.n_losses, 0);
	assert_int_equal(m.s.unknown_records, 0);
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_node_has_its_figures_as_they_were_told),
		cmocka_unit_test(local_benchmarks_have_a_row_a_node_and_groups_one_for_the_cluster),
		cmocka_unit_test(nodes_are_scored_by_the_upper_quartile_over_their_pairs),
		cmocka_unit_test(few_partners_are_scored_by_the_best),
		cmocka_unit_test(both_directions_count_and_the_worse_one_is_evidence),
		cmocka_unit_test(only_the_sixteen_worst_pairs_are_kept),
		cmocka_unit_test(pairs_of_different_hardware_have_keys_of_their_own),
		cmocka_unit_test(a_dead_node_costs_itself_and_is_named_once),
		cmocka_unit_test(a_pair_that_hung_costs_only_itself),
		cmocka_unit_test(records_without_their_end_do_not_count),
		cmocka_unit_test(nothing_at_all_is_one_loss_with_the_reason_of_its_step),
		cmocka_unit_test(what_cannot_run_here_is_a_line_and_no_row),
		cmocka_unit_test(invalid_and_disturbed_figures_are_kept_and_marked),
		cmocka_unit_test(wrong_data_from_one_node_does_not_take_its_partners_along),
		cmocka_unit_test(the_last_attempt_that_ended_well_counts),
		cmocka_unit_test(a_record_that_comes_twice_counts_once),
		cmocka_unit_test(confirming_rows_stand_apart),
		cmocka_unit_test(who_when_and_which_software_are_told),
		cmocka_unit_test(a_run_that_was_killed_is_partial_and_dated_by_its_id),
		cmocka_unit_test(bad_lines_are_counted_and_named_and_the_rest_is_kept),
		cmocka_unit_test(a_record_for_another_benchmark_is_not_taken),
		cmocka_unit_test(a_cut_last_line_and_an_endless_one_do_no_harm),
		cmocka_unit_test(a_whole_last_line_without_its_newline_is_taken),
		cmocka_unit_test(a_directory_that_is_no_run_is_one_clear_line),
		cmocka_unit_test(samples_are_never_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

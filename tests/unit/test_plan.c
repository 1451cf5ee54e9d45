/* Plans: rounds are disjoint and complete, every layout of steps, confirmation, hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan.h"

/* ---- rounds ---- */

/* Every pair at most once, every node at most once a round; counts pairs and byes. */
static void check_rounds(int n, int k, uint64_t seed)
{
	struct pair_round *r;
	int most = n % 2 ? n : n - 1, want = k > 0 && k < most ? k : most;
	int count = plan_rounds(n, k, seed, &r), total = 0;
	unsigned char *met = hb_alloc((size_t)n * (size_t)n);
	int *byes = hb_alloc((size_t)n * sizeof(*byes));
	assert_int_equal(count, want);
	for (int i = 0; i < count; i++) {
		unsigned char *busy = hb_alloc((size_t)n);
		assert_int_equal(r[i].n, n / 2);
		for (int p = 0; p < r[i].n; p++) {
			int a = r[i].pairs[p][0], b = r[i].pairs[p][1];
			assert_in_range(a, 0, n - 1);
			assert_in_range(b, 0, n - 1);
			assert_int_not_equal(a, b);
			assert_int_equal(busy[a]++ + busy[b]++, 0);
			assert_int_equal(met[a * n + b]++ + met[b * n + a]++, 0);
			total++;
		}
		for (int v = 0; v < n; v++)
			byes[v] += !busy[v];
		free(busy);
	}
	/* All rounds together: every pair once. Byes: none where n is even, else spread. */
	if (want == most)
		assert_int_equal(total, n * (n - 1) / 2);
	for (int v = 0; v < n; v++)
		assert_in_range(byes[v], n % 2 && want == most ? 1 : 0, n % 2);
	free(met);
	free(byes);
	plan_rounds_free(r, count);
}

static void all_rounds_are_disjoint_and_complete_for_2_to_33_nodes(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++)
		for (uint64_t seed = 0; seed < 5; seed++)
			check_rounds(n, 0, seed);
}

static void fewer_rounds_repeat_no_pair_and_spread_the_byes(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++)
		for (int k = 1; k <= 8; k++)
			check_rounds(n, k, 99);
	check_rounds(1024, 5, 1);
	check_rounds(1023, 5, 1);
}

static void the_same_seed_gives_the_same_rounds_and_another_does_not(void **state)
{
	struct pair_round *a, *b, *c;
	bool differ = false;
	(void)state;
	assert_int_equal(plan_rounds(16, 5, 7, &a), 5);
	assert_int_equal(plan_rounds(16, 5, 7, &b), 5);
	assert_int_equal(plan_rounds(16, 5, 8, &c), 5);
	for (int i = 0; i < 5; i++) {
		assert_memory_equal(a[i].pairs, b[i].pairs, 8 * sizeof(*a[i].pairs));
		differ = differ || memcmp(a[i].pairs, c[i].pairs, 8 * sizeof(*a[i].pairs)) != 0;
	}
	assert_true(differ);
	plan_rounds_free(a, 5);
	plan_rounds_free(b, 5);
	plan_rounds_free(c, 5);
}

static void fewer_than_two_nodes_have_no_rounds(void **state)
{
	struct pair_round *r;
	(void)state;
	assert_int_equal(plan_rounds(1, 0, 1, &r), 0);
	assert_null(r);
	assert_int_equal(plan_rounds(0, 0, 1, &r), 0);
}

/* ---- plans ---- */

struct made {
	struct suite suite;
	struct nodeset nodes;
	struct plan plan;
};

#define SUITE(text) "{\"schema\":1,\"name\":\"x\",\"benches\":[" text "]}"
static const char all[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"},\"max_time\":\"1s\"},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"},\"max_time\":\"1s\"},"
        "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"rpn\":2},"
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi\"}}");

static int try_plan(struct made *m, const char *suite, const char *nodes, int rounds,
                    struct hb_err *err)
{
	json_object *o = NULL;
	struct plan_params params = { 11, rounds, 0 };
	memset(m, 0, sizeof(*m));
	assert_int_equal(js_parse(suite, strlen(suite), "s", &o, err), HB_OK);
	if (suite_from_json(o, "s", &m->suite, err) != HB_OK)
		fail_msg("%s", err->text);
	js_put(o);
	assert_int_equal(nodeset_parse(nodes, &m->nodes, err), HB_OK);
	return plan_make(&m->suite, &m->nodes, "local", &params, &m->plan, err);
}

static void make_plan(struct made *m, const char *suite, const char *nodes, int rounds)
{
	struct hb_err err = { HB_OK, "" };
	if (try_plan(m, suite, nodes, rounds, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static void drop(struct made *m)
{
	plan_free(&m->plan);
	suite_free(&m->suite);
	nodeset_free(&m->nodes);
}

/* What holds of every plan: ids in order, units without gap or overlap, ranks in range. */
static void check_plan(const struct plan *p)
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

static size_t count_jobs(const struct plan_step *s, const struct plan *p, const char *bench,
                         const char *dir)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_jobs; i++)
		n += strcmp(p->suite->entries[s->jobs[i].entry].info->name, bench) == 0 &&
		     (!dir || strcmp(s->jobs[i].dir, dir) == 0);
	return n;
}

static void one_node_runs_pairs_and_groups_on_two_ranks(void **state)
{
	struct made m;
	const struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, all, "host", 5);
	check_plan(p);
	assert_int_equal(p->n_steps, 2);
	assert_string_equal(p->steps[0].helper, "node");
	assert_int_equal(p->steps[0].n_ranks, 1);
	assert_string_equal(p->steps[1].helper, "mpi");
	assert_int_equal(p->steps[1].n_ranks, 2);
	assert_int_equal(p->steps[1].rpn, 2);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.latency", "both"), 1);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ab"), 1);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ba"), 0);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.allreduce", NULL), 1);
	drop(&m);
}

static void groups_of_one_node_with_more_ranks_leave_pairs_the_first_two(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m,
	          SUITE("{\"bench\":\"mpi.latency\"},{\"bench\":\"mpi.allreduce\",\"rpn\":1},"
	                "{\"bench\":\"mpi.allreduce\",\"rpn\":4,\"options\":{\"sizes\":\"16\"}}"),
	          "host", 5);
	check_plan(&m.plan);
	assert_int_equal(m.plan.n_steps, 1);
	assert_int_equal(m.plan.steps[0].n_ranks, 4);
	const struct plan_job *j = m.plan.steps[0].jobs;
	assert_int_equal(j[0].n_ranks, 2);
	assert_int_equal(j[0].ranks[0], 0);
	assert_int_equal(j[0].ranks[1], 1);
	assert_int_equal(j[1].n_ranks, 2);
	assert_true(j[1].alone);
	assert_int_equal(j[2].n_ranks, 4);
	drop(&m);
}

static void several_nodes_have_one_rank_each_and_steps_of_their_own_for_more(void **state)
{
	struct made m;
	const struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, all, "n[1-4]", 5);
	check_plan(p);
	assert_int_equal(p->n_steps, 3);
	assert_string_equal(p->steps[0].helper, "node");
	assert_int_equal(count_jobs(&p->steps[0], p, "node.memory", NULL), 4);
	assert_int_equal(p->steps[1].n_ranks, 4);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.latency", "both"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ab"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.bandwidth", "ba"), 6);
	assert_int_equal(count_jobs(&p->steps[1], p, "mpi.allreduce", NULL), 0);
	assert_int_equal(p->steps[2].n_ranks, 8);
	assert_int_equal(p->steps[2].rpn, 2);
	assert_int_equal(p->steps[2].n_jobs, 1);
	assert_int_equal(p->steps[2].jobs[0].n_ranks, 8);
	assert_int_equal(p->steps[2].rank_node[3], 1);
	drop(&m);
}

static void local_jobs_of_different_nodes_may_run_at_once(void **state)
{
	struct made m;
	(void)state;
	make_plan(&m, SUITE("{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi\"}}"),
	          "n[1-3]", 5);
	assert_int_equal(m.plan.steps[0].n_jobs, 3);
	for (int i = 0; i < 3; i++) {
		assert_false(m.plan.steps[0].jobs[i].alone);
		assert_int_equal(m.plan.steps[0].jobs[i].ranks[0], i);
		assert_int_equal(m.plan.steps[0].jobs[i].round, -1);
	}
	drop(&m);
}

static void many_cases_are_split_into_jobs(void **state)
{
	struct made m;
	struct buf b = BUF_INIT;
	(void)state;
	buf_puts(&b, "{\"schema\":1,\"name\":\"x\",\"benches\":[{\"bench\":\"mpi.latency\","
	             "\"options\":{\"sizes\":\"1");
	for (int i = 2; i <= 150; i++)
		buf_printf(&b, ",%d", i);
	buf_puts(&b, "\"}}]}");
	make_plan(&m, buf_text(&b), "n[1-2]", 5);
	check_plan(&m.plan);
	const struct plan_step *s = &m.plan.steps[0];
	assert_int_equal(s->n_jobs, 3);
	assert_int_equal(s->jobs[2].cases.n, 150 - 2 * PLAN_JOB_CASES_MAX);
	assert_int_equal(s->jobs[2].cases.v[0].bytes, 2 * PLAN_JOB_CASES_MAX + 1);
	buf_free(&b);
	drop(&m);
}

static void a_plan_that_would_never_end_is_refused(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	assert_int_equal(try_plan(&m,
	                          SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":"
	                                "\"8..1Gi\"}},{\"bench\":\"mpi.bandwidth\"}"),
	                          "n[1-2000]", 0, &err),
	                 HB_E_USAGE);
	assert_non_null(strstr(err.text, "fewer rounds"));
	assert_null(m.plan.steps);
	drop(&m);
	assert_int_equal(try_plan(&m, SUITE("{\"bench\":\"mpi.allreduce\",\"rpn\":1024}"),
	                          "n[1-60000]", 0, &err),
	                 HB_E_USAGE);
	assert_non_null(strstr(err.text, "60000 nodes with 1024 ranks"));
	drop(&m);
}

static void a_limit_on_pairs_at_once_lengthens_the_prediction(void **state)
{
	struct made m, wide;
	struct hb_err err;
	struct plan_params params = { 11, 5, 1 };
	(void)state;
	make_plan(&wide, all, "n[1-8]", 5);
	make_plan(&m, all, "n[1-8]", 5);
	plan_free(&m.plan);
	assert_int_equal(plan_make(&m.suite, &m.nodes, "local", &params, &m.plan, &err), HB_OK);
	assert_true(m.plan.predicted_s > wide.plan.predicted_s * 1.5);
	drop(&m);
	drop(&wide);
}

/* ---- confirmation ---- */

static const struct plan_step *last_step(const struct plan *p)
{
	return &p->steps[p->n_steps - 1];
}

static const char *node_of(const struct plan *p, const struct plan_step *s, int rank)
{
	return p->nodes.v[s->rank_node[rank]];
}

static void a_pair_suspect_and_its_control_alternate_with_partners_of_their_own(void **state)
{
	struct made m;
	struct hb_err err = { HB_OK, "" };
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, all, "n[1-8]", 5);
	if (plan_add_confirm(p, "mpi.latency", "n3", "n5", &err) != HB_OK)
		fail_msg("%s", err.text);
	check_plan(p);
	assert_int_equal(p->n_steps, 4);
	const struct plan_step *s = last_step(p);
	assert_string_equal(s->helper, "mpi");
	assert_int_equal(s->n_ranks, 8);
	assert_int_equal(s->n_jobs, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct plan_job *j = &s->jobs[i];
		const char *other = node_of(p, s, j->ranks[1]);
		assert_int_equal(j->phase, i % 2 ? PHASE_CONTROL : PHASE_CONFIRM);
		assert_int_equal(j->repeat, i / 2);
		assert_string_equal(j->subject, i % 2 ? "n5" : "n3");
		assert_string_equal(j->partner, i % 2 ? "n3" : "n5");
		assert_string_equal(node_of(p, s, j->ranks[0]), j->subject);
		assert_string_not_equal(other, "n3");
		assert_string_not_equal(other, "n5");
		assert_true(j->alone);
		/* The same partner in every repeat, and not the other side's. */
		assert_string_equal(other, node_of(p, s, s->jobs[i % 2].ranks[1]));
	}
	assert_int_not_equal(s->jobs[0].ranks[1], s->jobs[1].ranks[1]);
	drop(&m);
}

static void directed_benchmarks_are_confirmed_in_both_directions(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, all, "n[1-8]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.bandwidth", "n1", "n2", &err), HB_OK);
	check_plan(&m.plan);
	assert_int_equal(last_step(&m.plan)->n_jobs, 12);
	assert_int_equal(count_jobs(last_step(&m.plan), &m.plan, "mpi.bandwidth", "ba"), 6);
	drop(&m);
}

static void without_enough_nodes_or_control_it_is_a_plain_repetition(void **state)
{
	static const struct {
		const char *nodes, *control;
	} cases[] = { { "n[1-3]", "n2" }, { "n[1-2]", "n2" }, { "n[1-8]", NULL } };
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m;
		struct hb_err err;
		make_plan(&m, all, cases[i].nodes, 5);
		assert_int_equal(
		        plan_add_confirm(&m.plan, "mpi.latency", "n1", cases[i].control, &err),
		        HB_OK);
		check_plan(&m.plan);
		const struct plan_step *s = last_step(&m.plan);
		assert_int_equal(s->n_jobs, 3);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(s->jobs[k].phase, PHASE_CONFIRM);
			assert_int_equal(s->jobs[k].repeat, k);
			assert_null(s->jobs[k].partner);
			assert_int_not_equal(s->jobs[k].ranks[0], s->jobs[k].ranks[1]);
		}
		drop(&m);
	}
}

static void other_shapes_are_confirmed_as_they_were_measured(void **state)
{
	struct made m;
	struct hb_err err;
	struct plan *p = &m.plan;
	(void)state;
	make_plan(&m, all, "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(p, "node.memory", "n2", "n4", &err), HB_OK);
	assert_string_equal(last_step(p)->helper, "node");
	assert_int_equal(last_step(p)->n_jobs, 6);
	assert_string_equal(node_of(p, last_step(p), last_step(p)->jobs[1].ranks[0]), "n4");
	assert_int_equal(plan_add_confirm(p, "mpi.allreduce", "cluster", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->rpn, 2);
	assert_int_equal(last_step(p)->n_jobs, 3);
	assert_int_equal(last_step(p)->jobs[0].n_ranks, 8);
	assert_string_equal(last_step(p)->jobs[0].subject, "cluster");
	assert_int_equal(plan_add_confirm(p, "mpi.latency", "cluster", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->n_jobs, 3 * 2); /* the two pairs of the first round */
	check_plan(p);
	drop(&m);
	make_plan(&m, all, "host", 5);
	assert_int_equal(plan_add_confirm(p, "mpi.bandwidth", "host", NULL, &err), HB_OK);
	assert_int_equal(last_step(p)->n_jobs, 3);
	assert_string_equal(last_step(p)->jobs[0].dir, "ab");
	check_plan(p);
	drop(&m);
}

static void what_was_not_planned_cannot_be_confirmed(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, SUITE("{\"bench\":\"mpi.latency\"}"), "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.bandwidth", "n1", NULL, &err), HB_E_USAGE);
	assert_int_equal(plan_add_confirm(&m.plan, "nothing", "n1", NULL, &err), HB_E_USAGE);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.latency", "n9", NULL, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "n9"));
	assert_int_equal(m.plan.n_steps, 1);
	drop(&m);
}

/* ---- files ---- */

static void a_plan_reads_back_the_same(void **state)
{
	struct made m;
	struct suite suite;
	struct plan back;
	struct hb_err err = { HB_OK, "" };
	struct buf a = BUF_INIT, b = BUF_INIT;
	(void)state;
	make_plan(&m, all, "n[01-09]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.bandwidth", "n03", "n07", &err), HB_OK);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.latency", "cluster", NULL, &err), HB_OK);
	m.plan.run = hb_strdup("20261130-014210-7f3a");
	m.plan.inject = 1.5;
	m.plan.inject_bench = "mpi.latency";
	json_object *o = plan_to_json(&m.plan);
	if (plan_from_json(o, "plan.json", &suite, &back, &err) != HB_OK)
		fail_msg("%s", err.text);
	check_plan(&back);
	json_object *o2 = plan_to_json(&back);
	js_write(o, JS_PRETTY, &a);
	js_write(o2, JS_PRETTY, &b);
	assert_string_equal(buf_text(&a), buf_text(&b));
	js_put(o);
	js_put(o2);
	buf_free(&a);
	buf_free(&b);
	plan_free(&back);
	suite_free(&suite);
	drop(&m);
}

/* Replaces the first occurrence of old in the plan's text and expects a refusal, or a sound plan.
 */
static void expect_refused(const char *text, const char *old, const char *new, const char *why)
{
	struct suite suite;
	struct plan plan;
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;
	const char *at = strstr(text, old);
	if (!at)
		fail_msg("the plan has no %s", old);
	char *changed = hb_format("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	if (js_parse(changed, strlen(changed), "plan.json", &o, &err) != HB_OK)
		fail_msg("%s: %s", new, err.text);
	if (plan_from_json(o, "plan.json", &suite, &plan, &err) == HB_OK)
		fail_msg("%s was taken", new);
	if (!strstr(err.text, why) || !strstr(err.text, "plan.json"))
		fail_msg("%s -> %s gave: %s", old, new, err.text);
	assert_null(plan.steps);
	assert_null(suite.entries);
	js_put(o);
	free(changed);
}

static void hostile_plans_are_refused_with_their_place(void **state)
{
	struct made m;
	struct buf b = BUF_INIT;
	struct hb_err err;
	(void)state;
	make_plan(&m, all, "n[1-4]", 5);
	assert_int_equal(plan_add_confirm(&m.plan, "mpi.latency", "n1", "n2", &err), HB_OK);
	json_object *o = plan_to_json(&m.plan);
	js_write(o, JS_PLAIN, &b);
	const char *t = buf_text(&b);
	expect_refused(t, "\"schema\":1", "\"schema\":9", "schema");
	expect_refused(t, "\"nodes\":\"n[1-4]\"", "\"nodes\":\"n[1-99999999]\"", "65536");
	expect_refused(t, "\"nodes\":\"n[1-4]\"", "\"nodes\":\"n[1-2]\"", "below 2");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":1000000000000,\"old\":", "next_unit");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":0,\"old\":", "next_unit");
	expect_refused(t, "\"next_unit\":", "\"next_unit\":3,\"old\":", "next_unit");
	expect_refused(t, "\"entry\":3", "\"entry\":4", "entry");
	expect_refused(t, "\"entry\":3", "\"entry\":18446744073709551615", "entry");
	expect_refused(t, "\"entry\":3", "\"entry\":0", "pair");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[9]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[-1]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[\"0\"]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[]", "ranks");
	expect_refused(t, "\"ranks\":[0]", "\"ranks\":[0,0]", "twice");
	expect_refused(t, "\"rank_node\":[0,1", "\"rank_node\":[7,1", "rank_node");
	expect_refused(t, "\"unit\":2", "\"unit\":1", "another job");
	expect_refused(t, "\"unit\":2", "\"unit\":18446744073709551615", "next_unit");
	expect_refused(t, "\"cases\":1", "\"cases\":2", "cases");
	expect_refused(t, "\"case\":0", "\"case\":18446744073709551615", "cases");
	expect_refused(t, "\"cases\":[[", "\"cases\":[[],[", "entry of the suite");
	expect_refused(t, "\"phase\":\"main\"", "\"phase\":\"other\"", "phase");
	expect_refused(t, "\"dir\":\"both\"", "\"dir\":\"up\"", "dir");
	expect_refused(t, "\"id\":1", "\"id\":2", "steps count");
	expect_refused(t, "\"subject\":\"n1\"", "\"subject\":\"evil\"", "not a node");
	expect_refused(t, "\"subject\":\"n1\"", "\"old\":\"n1\"", "without a subject");
	expect_refused(t, "\"inject_bench\":null", "\"inject_bench\":\"zz\"", "zz");
	expect_refused(t, "\"steps\":[", "\"steps\":[7,", "object");
	expect_refused(t, "\"jobs\":[", "\"jobs\":[null,", "object");
	expect_refused(t, "\"bench\":\"mpi.latency\"", "\"bench\":\"mpi.nothing\"", "benchmark");
	js_put(o);
	buf_free(&b);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rounds_are_disjoint_and_complete_for_2_to_33_nodes),
		cmocka_unit_test(fewer_rounds_repeat_no_pair_and_spread_the_byes),
		cmocka_unit_test(the_same_seed_gives_the_same_rounds_and_another_does_not),
		cmocka_unit_test(fewer_than_two_nodes_have_no_rounds),
		cmocka_unit_test(one_node_runs_pairs_and_groups_on_two_ranks),
		cmocka_unit_test(groups_of_one_node_with_more_ranks_leave_pairs_the_first_two),
		cmocka_unit_test(several_nodes_have_one_rank_each_and_steps_of_their_own_for_more),
		cmocka_unit_test(local_jobs_of_different_nodes_may_run_at_once),
		cmocka_unit_test(many_cases_are_split_into_jobs),
		cmocka_unit_test(a_plan_that_would_never_end_is_refused),
		cmocka_unit_test(a_limit_on_pairs_at_once_lengthens_the_prediction),
		cmocka_unit_test(
		        a_pair_suspect_and_its_control_alternate_with_partners_of_their_own),
		cmocka_unit_test(directed_benchmarks_are_confirmed_in_both_directions),
		cmocka_unit_test(without_enough_nodes_or_control_it_is_a_plain_repetition),
		cmocka_unit_test(other_shapes_are_confirmed_as_they_were_measured),
		cmocka_unit_test(what_was_not_planned_cannot_be_confirmed),
		cmocka_unit_test(a_plan_reads_back_the_same),
		cmocka_unit_test(hostile_plans_are_refused_with_their_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

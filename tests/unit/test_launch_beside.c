/* Steps side by side, steps that run out of time, and processes that do not go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "launch_bed.h"

static const char suite_text[] =
        "{\"schema\":1,\"name\":\"test\",\"rounds\":2,\"benches\":["
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"64Ki\",\"op\":\"copy\"},"
        "\"max_time\":\"50ms\",\"deadline\":\"1s\"},"
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"},"
        "\"max_time\":\"50ms\",\"deadline\":\"300ms\"}]}";

static void plan_on(struct bed *b, const char *nodes, int at_once)
{
	struct nodeset set = { 0 };
	struct plan_params p = { .seed = 5, .rounds = 2, .at_once = at_once };
	json_object *o = NULL;
	struct hb_err err;

	must(js_parse(suite_text, strlen(suite_text), "test", &o, &err), &err);
	must(suite_from_json(o, "test", &b->suite, &err), &err);
	js_put(o);
	must(nodeset_parse(nodes, &set, &err), &err);
	must(plan_make(&b->suite, &set, "test", &p, &b->plan, &err), &err);
	b->plan.run = hb_strdup("test-run");
	nodeset_free(&set);
}

static void note(void *ctx, const char *level, const char *text)
{
	struct bed *b = ctx;

	buf_printf(&b->notes, "%s: %s\n", level, text);
}

/* Runs n steps from the first on; results have room for them. */
static void run_steps(struct bed *b, const struct launcher_ops *ops, const char *faults,
                      size_t first, size_t n, struct launch_result *results)
{
	char path[64] = "/tmp/hpcbench-model-XXXXXX", text[512];
	int fd = mkstemp(path);
	int len = snprintf(text, sizeof text, "{\"schema\":1,\"delay_ms\":20,\"faults\":[%s]}",
	                   faults);
	struct launch_site site = { .ops = ops, .arg = path, .signal_fd = -1 };
	struct launch_params p = { .run = "test-run",
		                   .dir = b->dir,
		                   .site = &site,
		                   .plan = &b->plan,
		                   .signal_fd = -1,
		                   .note = note,
		                   .ctx = b };
	struct hb_err err;

	assert_int_equal(write(fd, text, (size_t)len), len);
	close(fd);
	snprintf(b->dir, sizeof b->dir, "/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	must(launch_open(&p, &b->l, &err), &err);
	must(launch_ready(b->l, &err), &err);
	must(launch_steps(b->l, first, n, results, &err), &err);
	must(launch_close(b->l, &err), &err);
	bed_read(b, "records.jsonl", &b->records);
	bed_read(b, "journal.jsonl", &b->journal);
	unlink(path);
}

static void drop_results(struct launch_result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(results[i].reason);
}

static void local_jobs_are_cut_into_steps_of_neighbours(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	static const int ranks[] = { 2, 2, 1 };
	uint64_t unit = 0;

	(void)state;
	plan_on(b, "n[1-5]", 3);
	assert_int_equal(b->plan.n_steps, 4);
	for (size_t s = 0, node = 0; s < 3; s++) {
		const struct plan_step *step = &b->plan.steps[s];
		assert_int_equal(step->id, s + 1);
		assert_int_equal(step->n_ranks, ranks[s]);
		assert_int_equal(step->n_jobs, ranks[s]);
		assert_int_equal(step->beside, s > 0);
		for (int i = 0; i < step->n_ranks; i++, node++) {
			assert_int_equal(step->rank_node[i], node);
			assert_int_equal(step->jobs[i].ranks[0], i);
			assert_true(step->jobs[i].first_unit > unit);
			unit = step->jobs[i].first_unit;
		}
	}
	assert_false(b->plan.steps[3].beside);
	assert_int_equal(b->plan.steps[3].n_ranks, 5);
	assert_int_equal(plan_together(&b->plan, 0), 3);
	assert_int_equal(plan_together(&b->plan, 3), 1);
	/* As long as the longest of those that run at once. */
	assert_true(b->plan.predicted_s - b->plan.steps[0].predicted_s -
	                    b->plan.steps[3].predicted_s <
	            1e-9);
	bed_free(b);
}

static void the_plan_survives_its_file(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct suite suite;
	struct plan back;
	struct hb_err err;

	(void)state;
	plan_on(b, "n[1-4]", 16);
	json_object *o = plan_to_json(&b->plan);
	must(plan_from_json(o, "test", &suite, &back, &err), &err);
	assert_int_equal(back.n_steps, 5);
	assert_int_equal(plan_together(&back, 0), 4);
	assert_int_equal(plan_together(&back, 4), 1);
	js_put(o);
	plan_free(&back);
	suite_free(&suite);
	bed_free(b);
}

static void the_rerun_of_a_node_finds_it_in_its_part(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct hb_err err;

	(void)state;
	plan_on(b, "n[1-5]", 3);
	must(plan_add_confirm(&b->plan, NULL, "node.memory", "n4", "n1", &err), &err);
	assert_int_equal(b->plan.n_steps, 5);
	const struct plan_step *s = &b->plan.steps[4];
	assert_int_equal(s->n_ranks, 5);
	assert_int_equal(s->n_jobs, 6);
	for (size_t i = 0; i < s->n_jobs; i++)
		assert_int_equal(s->rank_node[s->jobs[i].ranks[0]], i % 2 ? 0 : 3);
	bed_free(b);
}

static void steps_side_by_side_all_start_before_any_ends(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launch_result r[4] = { 0 };

	(void)state;
	plan_on(b, "n[1-4]", 16);
	run_steps(b, &launcher_sim, "", 0, 4, r);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r[i].status, STEP_DONE);
	assert_int_equal(ends(b, "ok"), 4);
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 4);
	const char *end = strstr(buf_text(&b->journal), "step-end");
	const char *last = buf_text(&b->journal);
	for (const char *at; (at = strstr(last + 1, "step-start")) != NULL;)
		last = at;
	assert_true(last < end);
	drop_results(r, 4);
	bed_free(b);
}

static void a_node_that_dies_costs_its_own_step_only(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launch_result r[4] = { 0 };

	(void)state;
	plan_on(b, "n[1-4]", 16);
	run_steps(b, &launcher_sim, "{\"kind\":\"dead-node\",\"node\":\"n3\"}", 0, 4, r);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			assert_int_equal(r[i].status, STEP_DONE);
	assert_int_not_equal(r[2].status, STEP_DONE);
	assert_int_equal(ends(b, "ok"), 3);
	drop_results(r, 4);
	bed_free(b);
}

/* ---- time ---- */

static double no_time(struct launch_site *s)
{
	(void)s;
	return 30; /* what is kept for the end */
}

static double some_time(struct launch_site *s)
{
	(void)s;
	return 600;
}

static void what_cannot_end_in_time_does_not_start(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launcher_ops ops = launcher_sim;
	struct launch_result r = { 0 };

	(void)state;
	ops.left_s = no_time;
	plan_on(b, "n[1-4]", 1);
	run_steps(b, &ops, "", 1, 1, &r);
	assert_int_equal(r.status, STEP_PARTIAL);
	assert_non_null(strstr(r.reason, "the time limit of the job is near"));
	assert_int_equal(ends(b, "ok"), 0);
	assert_int_equal(ends(b, "given-up"), 4);
	assert_int_equal(count(&b->journal, "job-start", NULL, NULL), 0);
	/* Nobody had to be killed for it. */
	assert_int_equal(count(&b->journal, "step-end", "\"signal\"", NULL), 0);
	drop_results(&r, 1);
	bed_free(b);
}

static void with_time_enough_all_is_measured(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launcher_ops ops = launcher_sim;
	struct launch_result r = { 0 };

	(void)state;
	ops.left_s = some_time;
	plan_on(b, "n[1-4]", 1);
	run_steps(b, &ops, "", 1, 1, &r);
	assert_int_equal(r.status, STEP_DONE);
	assert_int_equal(ends(b, "ok"), 4);
	drop_results(&r, 1);
	bed_free(b);
}

/* ---- who does not go ---- */

static void a_rank_that_does_not_go_is_named_with_what_it_does(void **state)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launch_result r = { 0 };

	(void)state;
	plan_on(b, "n[1-4]", 1);
	run_steps(b, &launcher_sim, "{\"kind\":\"silent-rank\",\"node\":\"n2\"}", 1, 1, &r);
	assert_int_equal(r.status, STEP_PARTIAL);
	assert_int_equal(count(&b->records, "\"silent\"", "on n2 does not go", "its last word"), 1);
	assert_int_equal(count(&b->records, "\"silent\"", NULL, NULL), 1);
	assert_true(count(&b->records, "\"stuck-process\"", "hpcbench-sim (pid ", "sleeping") >= 1);
	assert_non_null(strstr(r.reason, "it did not end when told"));
	drop_results(&r, 1);
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_jobs_are_cut_into_steps_of_neighbours),
		cmocka_unit_test(the_plan_survives_its_file),
		cmocka_unit_test(the_rerun_of_a_node_finds_it_in_its_part),
		cmocka_unit_test(steps_side_by_side_all_start_before_any_ends),
		cmocka_unit_test(a_node_that_dies_costs_its_own_step_only),
		cmocka_unit_test(what_cannot_end_in_time_does_not_start),
		cmocka_unit_test(with_time_enough_all_is_measured),
		cmocka_unit_test(a_rank_that_does_not_go_is_named_with_what_it_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

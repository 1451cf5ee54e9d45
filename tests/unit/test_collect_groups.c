/* Collect: groups of fixed sizes, what was lost of them, and nodes that were absent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/compare.h"
#include "tests/unit/collect_fixture.h"

/* The commands' library asks for its table; none is called here. */
const struct command *const commands[] = { NULL };

#define ALLREDUCE "\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"floor\":0.07"
static const char suite_groups[] = SUITE("{" ALLREDUCE ",\"groups\":[2,\"all\"]}");
static const char suite_pairs_and_groups[] = SUITE(
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}},"
        "{" ALLREDUCE ",\"groups\":[2,\"all\"]}");

/* ---- rows ---- */

static const struct summary_row *row_of(const struct summary *s, const char *metric, int nodes)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].key.metric, metric) == 0 && s->rows[i].key.nodes == nodes)
			return &s->rows[i];
	fail_msg("no row of %s over %d nodes", metric, nodes);
	return NULL;
}

static void a_size_has_the_median_over_its_groups_and_the_whole_set_its_own_figures(void **state)
{
	static const double v[] = { 1000, 4000, 1600, 1200, 9000 };
	double y[4];
	struct made m;
	(void)state;
	start(&m, suite_groups, "n[1-8]", 5);
	for (uint64_t u = 1; u <= 5; u++)
		add_unit(&m, u, v[u - 1]);
	for (int i = 0; i < 4; i++)
		y[i] = -log(v[i]);
	collected(&m);
	assert_int_equal(m.s.n_rows, 6);
	const struct summary_row *r = row_of(&m.s, "lat_p50_ns", 2);
	expect_near(r->value, sqrt(1200 * 1600));
	expect_near(r->lo, 1000);
	expect_near(r->hi, 4000);
	expect_near(r->spread, stat_sd(y, 4));
	assert_int_equal(r->n, 4);
	assert_int_equal(r->kind, SUBJECT_CLUSTER);
	assert_string_equal(r->subject, "cluster");
	assert_int_equal(r->quality, ROW_OK);
	assert_true(isnan(r->p95));
	assert_true(r->judged);
	assert_false(row_of(&m.s, "busbw_Bps", 2)->judged);
	expect_near(r->floor, 0.07);
	r = row_of(&m.s, "lat_p50_ns", 8);
	expect_near(r->value, 9000);
	expect_near(r->lo, 9000 * 0.99);
	expect_near(r->p95, 9000 * 1.2);
	assert_int_equal(r->n, 500);
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void groups_of_other_hardware_stand_under_keys_of_their_own(void **state)
{
	struct made m;
	size_t kinds = 0, groups = 0;
	(void)state;
	start(&m, SUITE("{" ALLREDUCE ",\"groups\":[2]}"), "n[1-8]", 5);
	for (int i = 1; i <= 8; i++) {
		char host[8];
		snprintf(host, sizeof(host), "n%d", i);
		add_hw(&m, host, i <= 5 ? "A" : "B");
	}
	for (uint64_t u = 1; u <= 4; u++)
		add_unit(&m, u, 1000 * (double)u);
	collected(&m);
	for (size_t i = 0; i < m.s.n_rows; i++) {
		const struct summary_row *r = &m.s.rows[i];
		if (strcmp(r->key.metric, "lat_p50_ns") != 0)
			continue;
		assert_true(strcmp(r->key.hw, "A") == 0 || strcmp(r->key.hw, "B") == 0 ||
		            strcmp(r->key.hw, "A + B") == 0);
		kinds++;
		groups += r->n == 500 ? 1 : r->n;
	}
	assert_in_range(kinds, 2, 3);
	assert_int_equal(groups, 4);
	finish(&m);
}

static void a_group_with_wrong_data_takes_its_size_along_only_with_half_of_it(void **state)
{
	struct made m;
	(void)state;
	for (uint64_t bad = 1; bad <= 2; bad++) {
		start(&m, SUITE("{" ALLREDUCE ",\"groups\":[2]}"), "n[1-8]", 5);
		for (uint64_t u = 1; u <= 4; u++) {
			add_point(&m, u, 1, u <= bad ? 10 : 1000);
			add_end(&m, u, 1, u <= bad ? UNIT_INVALID : UNIT_OK,
			        u <= bad ? "wrong sums" : NULL);
		}
		collected(&m);
		const struct summary_row *r = row_of(&m.s, "lat_p50_ns", 2);
		assert_int_equal(r->quality, bad == 1 ? ROW_OK : ROW_INVALID);
		expect_near(r->value, bad == 1 ? 1000 : 10);
		assert_int_equal(r->n, bad == 1 ? 3 : 2);
		assert_true(m.s.n_losses >= 1);
		assert_int_equal(m.s.losses[0].status, UNIT_INVALID);
		finish(&m);
	}
}

static void a_size_is_not_measured_only_when_none_of_its_groups_was(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_groups, "n[1-4]", 5);
	add_unit(&m, 1, 1000);
	add_end(&m, 2, 1, UNIT_TIMEOUT, "no answer within 8 s");
	add_end(&m, 3, 1, UNIT_GIVEN_UP, "a rank is gone");
	collected(&m);
	const struct summary_row *r = row_of(&m.s, "lat_p50_ns", 2);
	assert_int_equal(r->quality, ROW_OK);
	expect_near(r->value, 1000);
	r = row_of(&m.s, "lat_p50_ns", 4);
	assert_int_equal(r->quality, ROW_NOT_MEASURED);
	assert_string_equal(r->reason, "a rank is gone");
	assert_true(isnan(r->value));
	finish(&m);
}

/* ---- losses ---- */

static void a_lost_group_is_named_where_its_nodes_are_good_elsewhere(void **state)
{
	struct made m;
	char names[40];
	size_t step;
	(void)state;
	start(&m, suite_pairs_and_groups, "n[1-4]", 5);
	for (uint64_t u = 1; u < m.plan.next_unit; u++)
		if (u == 7)
			add_end(&m, u, 1, UNIT_TIMEOUT, "no answer within 8 s");
		else
			add_unit(&m, u, 1000);
	const struct plan_job *j = job_of(&m, 7, &step);
	int a = j->ranks[0] + 1, b = j->ranks[1] + 1;
	assert_int_equal(j->n_ranks, 2);
	snprintf(names, sizeof(names), b == a + 1 ? "group n[%d-%d]: no" : "group n[%d,%d]: no", a,
	         b);
	collected(&m);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "cluster", UNIT_TIMEOUT, names);
	finish(&m);
}

static void a_node_without_any_good_figure_is_what_its_groups_were_lost_through(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_pairs_and_groups, "n[1-4]", 5);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		bool dead = false;
		for (int r = 0; r < j->n_ranks; r++)
			dead = dead || j->ranks[r] == 2;
		if (dead)
			add_end(&m, u, 1, UNIT_GIVEN_UP, "n3 never connected");
		else
			add_unit(&m, u, 1000);
	}
	collected(&m);
	/* Once for its pairs, once for its groups; no other node is blamed. */
	assert_int_equal(m.s.n_losses, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(m.s.losses[i].subject, "n3");
	finish(&m);
}

/* ---- confirming rows ---- */

static void confirming_rows_keep_sizes_apart(void **state)
{
	struct made m;
	size_t small = 0, whole = 0;
	(void)state;
	start(&m, suite_groups, "n[1-6]", 5);
	uint64_t main_units = m.plan.next_unit;
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.allreduce", "cluster", NULL, &m.err),
	                 HB_OK);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		double v = u < main_units ? 1000 : 2000 + 100 * j->repeat;
		add_unit(&m, u, j->n_ranks == 2 ? v : 10 * v);
	}
	collected(&m);
	for (size_t i = 0; i < m.s.n_confirm; i++) {
		const struct summary_row *r = &m.s.confirm[i];
		if (!r->judged)
			continue;
		double v = 2000 + 100 * r->repeat;
		assert_true(r->key.nodes == 2 || r->key.nodes == 6);
		expect_near(r->value, r->key.nodes == 2 ? v : 10 * v);
		assert_int_equal(r->n, r->key.nodes == 2 ? 3 : 500);
		assert_string_equal(r->key.text,
		                    row_of(&m.s, r->key.metric, r->key.nodes)->key.text);
		small += r->key.nodes == 2;
		whole += r->key.nodes == 6;
	}
	assert_int_equal(small, 3);
	assert_int_equal(whole, 3);
	finish(&m);
}

/* ---- absent nodes ---- */

/* A run of four nodes, or of those without n3; factor 1 but for the noise of its number. */
static void site(struct made *m, int number, bool absent)
{
	char node[] = "n3", reason[] = "down: Not responding", run[32];
	struct plan_absent a[] = { { node, reason, ROLE_NONE } };
	const struct plan_params params = { .seed = 3, .absent = a, .n_absent = absent ? 1 : 0 };
	start_with(m, suite_pairs_and_groups, absent ? "n[1-2,4]" : "n[1-4]", &params);
	snprintf(run, sizeof(run), "20261130-01421%d-7f3a", number);
	memcpy(m->plan.run, run, strlen(m->plan.run));
	for (uint64_t u = 1; u < m->plan.next_unit; u++)
		add_unit(m, u, 1000 + (double)(u * 7 + (uint64_t)number * 13) / 10);
	for (size_t i = 0; i < m->nodes.n; i++)
		add_hw(m, m->nodes.v[i], "A");
	collected(m);
}

static void an_absent_node_is_lost_to_every_benchmark(void **state)
{
	struct made m;
	const struct summary *one = &m.s;
	(void)state;
	site(&m, 0, true);
	assert_int_equal(m.s.n_losses, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(m.s.losses[i].subject, "n3");
		assert_string_equal(m.s.losses[i].bench, i ? "mpi.allreduce" : "mpi.latency");
		assert_string_equal(m.s.losses[i].reason, "down: Not responding");
		assert_int_equal(m.s.losses[i].status, UNIT_GIVEN_UP);
	}
	for (size_t i = 0; i < m.s.n_rows; i++)
		assert_int_equal(m.s.rows[i].quality, ROW_OK);
	/* Without a baseline too that is a run in which some nodes were not measured. */
	assert_int_equal(report_run_code(&one, 1, NULL, false, false), CODE_NOT_MEASURED);
	finish(&m);
	site(&m, 0, false);
	assert_int_equal(report_run_code(&one, 1, NULL, false, false), CODE_OK);
	finish(&m);
}

static void a_baseline_that_knows_an_absent_node_misses_it(void **state)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct made old[6], today;
	const struct summary *list[6] = { NULL }, *one = &today.s;
	struct baseline b;
	struct verdicts v;
	size_t missed = 0;
	(void)state;
	for (int i = 0; i < 6; i++) {
		site(&old[i], i, false);
		list[i] = &old[i].s;
	}
	baseline_build(list, 6, &b);
	site(&today, 7, true);
	compare_runs(&b, &one, 1, &params, &v);
	for (size_t i = 0; i < v.n; i++) {
		const struct verdict_row *r = &v.rows[i];
		if (strcmp(r->subject, "n3") != 0) {
			assert_int_not_equal(r->verdict, VERDICT_NOT_MEASURED);
			continue;
		}
		missed++;
		assert_int_equal(r->verdict, VERDICT_NOT_MEASURED);
		assert_string_equal(r->key->bench, "mpi.latency");
		assert_non_null(strstr(r->note, "down: Not responding"));
	}
	assert_int_equal(missed, 1);
	assert_int_equal(report_run_code(&one, 1, &v, true, false), CODE_NOT_MEASURED);
	verdicts_free(&v);
	baseline_free(&b);
	finish(&today);
	for (int i = 0; i < 6; i++)
		finish(&old[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		        a_size_has_the_median_over_its_groups_and_the_whole_set_its_own_figures),
		cmocka_unit_test(groups_of_other_hardware_stand_under_keys_of_their_own),
		cmocka_unit_test(a_group_with_wrong_data_takes_its_size_along_only_with_half_of_it),
		cmocka_unit_test(a_size_is_not_measured_only_when_none_of_its_groups_was),
		cmocka_unit_test(a_lost_group_is_named_where_its_nodes_are_good_elsewhere),
		cmocka_unit_test(
		        a_node_without_any_good_figure_is_what_its_groups_were_lost_through),
		cmocka_unit_test(confirming_rows_keep_sizes_apart),
		cmocka_unit_test(an_absent_node_is_lost_to_every_benchmark),
		cmocka_unit_test(a_baseline_that_knows_an_absent_node_misses_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

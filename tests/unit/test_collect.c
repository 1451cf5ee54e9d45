/* Collect: from units to rows, and how nodes are scored over their pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/collect_fixture.h"

/* ---- rows without scoring ---- */

static void a_single_node_has_its_figures_as_they_were_told(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_latency, "host", 5);
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
	expect_near(r->tolerance, 0.2);
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
	start(&m, suite_memory, "n[1-2]", 5);
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
	start(&m, suite_allreduce, "n[1-3]", 5);
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
	start(&m, suite_latency, "n[1-6]", 5);
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
	start(&m, suite_latency, "n[1-4]", 5);
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

static void three_partners_in_both_directions_are_still_few(void **state)
{
	struct made m;
	double best[4] = { 0 };
	(void)state;
	start(&m, suite_bandwidth, "n[1-4]", 5);
	for (uint64_t u = 1; u <= 12; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		double v = 1e9 * (double)(u * u), worse = 1e9 * (double)((u - 1) * (u - 1));
		if (u % 2 == 0) { /* the second direction of a pair: the first was worse */
			best[j->ranks[0]] = fmax(best[j->ranks[0]], worse);
			best[j->ranks[1]] = fmax(best[j->ranks[1]], worse);
		}
		add_unit(&m, u, v);
	}
	collected(&m);
	for (int i = 0; i < 4; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i + 1);
		expect_near(need_row(&m.s, name, "algbw_Bps", 0)->value, best[i]);
		assert_int_equal(need_row(&m.s, name, "algbw_Bps", 0)->pairs, 3);
	}
	finish(&m);
}

static void of_both_directions_the_worse_one_counts_and_is_evidence(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_bandwidth, "n[1-2]", 5);
	assert_int_equal(m.plan.next_unit, 3);
	add_unit(&m, 1, 10e9);
	add_unit(&m, 2, 4e9);
	collected(&m);
	const struct summary_row *r = need_row(&m.s, "n1", "algbw_Bps", 0);
	assert_int_equal(r->pairs, 1);
	expect_near(r->value, 4e9);
	expect_near(r->lo, 4e9);
	expect_near(need_row(&m.s, "cluster", "algbw_Bps", 0)->value, 4e9);
	assert_int_equal(need_row(&m.s, "cluster", "algbw_Bps", 0)->n, 1);
	assert_int_equal(m.s.n_worst, 1);
	assert_string_equal(m.s.worst[0].dir, "ba");
	expect_near(m.s.worst[0].value, 4e9);
	finish(&m);
}

static void a_node_that_is_slow_in_one_direction_has_a_low_score(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_bandwidth, "n[01-10]", 5);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		const char *from = m.plan.nodes.v[j->ranks[strcmp(j->dir, "ba") == 0]];
		add_unit(&m, u, strcmp(from, "n03") == 0 ? 5e9 : 10e9);
	}
	collected(&m);
	expect_near(need_row(&m.s, "n03", "algbw_Bps", 0)->value, 5e9);
	expect_near(need_row(&m.s, "n04", "algbw_Bps", 0)->value, 10e9);
	finish(&m);
}

static void only_the_sixteen_worst_pairs_are_kept(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_bandwidth, "n[01-12]", 0);
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
	start(&m, suite_latency, "n[1-4]", 5);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_node_has_its_figures_as_they_were_told),
		cmocka_unit_test(local_benchmarks_have_a_row_a_node_and_groups_one_for_the_cluster),
		cmocka_unit_test(nodes_are_scored_by_the_upper_quartile_over_their_pairs),
		cmocka_unit_test(few_partners_are_scored_by_the_best),
		cmocka_unit_test(three_partners_in_both_directions_are_still_few),
		cmocka_unit_test(of_both_directions_the_worse_one_counts_and_is_evidence),
		cmocka_unit_test(a_node_that_is_slow_in_one_direction_has_a_low_score),
		cmocka_unit_test(only_the_sixteen_worst_pairs_are_kept),
		cmocka_unit_test(pairs_of_different_hardware_have_keys_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Several runs collected as one: the same figures as one run over all nodes would have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "tests/unit/collect_fixture.h"

/* One shard in the making; its run's id and time follow from its number. */
static void shard_start(struct made *m, const char *suite, const char *nodes, int hour)
{
	start(m, suite, nodes, 0);
	free(m->plan.run);
	m->plan.run = hb_format("20261130-%02d0000-0001", hour);
}

/* extra: members of run.json beside run, started and steps. */
static void shard_write(struct made *m, int hour, const char *extra)
{
	char *text = hb_format("{\"run\":\"%s\",\"started\":\"2026-11-30T%02d:00:00Z\","
	                       "\"steps\":[{\"id\":1}]%s%s}",
	                       m->plan.run, hour, *extra ? "," : "", extra);
	collected(m); /* writes plan and records */
	summary_free(&m->s);
	summary_init(&m->s);
	write_file(m, "run.json", text, strlen(text));
	free(text);
}

static int merge(struct made *const *v, size_t n, struct summary *out, struct hb_err *err)
{
	const char *dirs[8];
	for (size_t i = 0; i < n; i++)
		dirs[i] = v[i]->dir;
	return collect_runs(dirs, n, NULL, out, err);
}

static void merged(struct made *const *v, size_t n, struct summary *out)
{
	struct hb_err err;
	if (merge(v, n, out, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static bool noted(const struct summary *s, const char *text)
{
	for (size_t i = 0; s->notes && i < json_object_array_length(s->notes); i++)
		if (strstr(json_object_get_string(json_object_array_get_idx(s->notes, i)), text))
			return true;
	return false;
}

static void all_units(struct made *m, double base, double step)
{
	for (uint64_t u = 1; u < m->plan.next_unit; u++)
		add_unit(m, u, base + step * (double)u);
}

#define SHARD(i, n) "\"shard\":{\"i\":" #i ",\"n\":" #n ",\"of\":\"n[1-8]\"}"

static void the_cluster_is_the_median_over_the_pairs_of_all_not_of_medians(void **state)
{
	struct made a, b, *v[] = { &b, &a };
	struct summary s;
	double y[6 + 3];
	(void)state;
	shard_start(&a, suite_latency, "n[1-4]", 1);
	shard_start(&b, suite_latency, "n[5-7]", 2);
	assert_int_equal(a.plan.next_unit - 1, 6);
	assert_int_equal(b.plan.next_unit - 1, 3);
	all_units(&a, 1000, 10);
	all_units(&b, 2000, 10);
	for (int i = 0; i < 6; i++)
		y[i] = log(1000 + 10 * (i + 1));
	for (int i = 0; i < 3; i++)
		y[6 + i] = log(2000 + 10 * (i + 1));
	shard_write(&a, 1, SHARD(1, 2));
	shard_write(&b, 2, SHARD(2, 2));
	merged(v, 2, &s);
	const struct summary_row *r = need_row(&s, "cluster", "lat_p50_ns", 8);
	expect_near(r->value, exp(stat_median(y, 9)));
	assert_int_equal(r->n, 9);
	expect_near(need_row(&s, "n2", "lat_p50_ns", 8)->lo > 0, 1);
	assert_int_equal(need_row(&s, "n2", "lat_p50_ns", 8)->pairs, 3);
	assert_int_equal(need_row(&s, "n7", "lat_p50_ns", 8)->pairs, 2);
	assert_int_equal(s.n_rows, 7 + 1);
	assert_int_equal(s.n_losses, 0);
	assert_false(s.partial);
	assert_int_equal(s.shards, 0);
	assert_int_equal(s.merged, 2);
	assert_string_equal(s.started, "2026-11-30T01:00:00Z");
	assert_string_equal(s.run, "20261130-010000-0001+1");
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void a_merged_run_of_one_is_what_the_run_is(void **state)
{
	struct made a, *v[] = { &a };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-5]", 1);
	all_units(&a, 1000, 10);
	shard_write(&a, 1, "");
	merged(v, 1, &s);
	struct summary one;
	assert_int_equal(collect_run(a.dir, &one, &a.err), HB_OK);
	assert_int_equal(s.n_rows, one.n_rows);
	for (size_t i = 0; i < s.n_rows; i++) {
		assert_string_equal(s.rows[i].subject, one.rows[i].subject);
		assert_string_equal(s.rows[i].key.text, one.rows[i].key.text);
		expect_near(s.rows[i].value, one.rows[i].value);
	}
	summary_free(&one);
	summary_free(&s);
	finish(&a);
}

static void groups_of_one_size_are_one_figure_over_all_shards(void **state)
{
	struct made a, b, *v[] = { &a, &b };
	struct summary s;
	(void)state;
	shard_start(&a, suite_allreduce, "n[1-4]", 1);
	shard_start(&b, suite_allreduce, "n[5-8]", 2);
	add_unit(&a, 1, 4000);
	add_unit(&b, 1, 4000 * 1.21);
	shard_write(&a, 1, SHARD(1, 2));
	shard_write(&b, 1, SHARD(2, 2));
	merged(v, 2, &s);
	const struct summary_row *r = &s.rows[0];
	assert_string_equal(r->subject, "cluster");
	assert_int_equal(r->key.nodes, 4);
	expect_near(r->value, 4000 * 1.1);
	assert_int_equal(r->n, 2);
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void a_shard_that_is_missing_or_unfinished_is_named_with_its_nodes(void **state)
{
	struct made a, b, *v[] = { &a, &b };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-2]", 1);
	shard_start(&b, suite_latency, "n[5-6]", 2);
	all_units(&a, 1000, 10);
	shard_write(&a, 1, SHARD(1, 4));
	shard_write(&b, 1, SHARD(3, 4) ",\"partial\":true");
	merged(v, 2, &s);
	assert_true(s.partial);
	expect_loss(&s, "shard 2/4", UNIT_GIVEN_UP, "n[3-4]");
	expect_loss(&s, "shard 4/4", UNIT_GIVEN_UP, "n[7-8]");
	expect_loss(&s, "shard 3/4", UNIT_GIVEN_UP, "interrupted");
	assert_null(find_loss(&s, "shard 1/4"));
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void of_a_node_in_two_runs_the_newer_figures_count_and_that_is_said(void **state)
{
	struct made a, b, *v[] = { &b, &a };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-2]", 1);
	shard_start(&b, suite_latency, "n[1-2]", 2);
	all_units(&a, 1000, 0);
	all_units(&b, 3000, 0);
	shard_write(&a, 1, SHARD(1, 1));
	shard_write(&b, 2, SHARD(1, 1));
	merged(v, 2, &s);
	expect_near(need_row(&s, "n1", "lat_p50_ns", 8)->value, 3000);
	assert_int_equal(need_row(&s, "cluster", "lat_p50_ns", 8)->n, 1);
	assert_int_equal(s.n_losses, 0);
	assert_true(noted(&s, "n[1-2] of run 20261130-010000-0001"));
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void a_newer_run_without_figures_does_not_take_the_older_ones_away(void **state)
{
	struct made a, b, *v[] = { &a, &b };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-2]", 1);
	shard_start(&b, suite_latency, "n[1-2]", 2);
	all_units(&a, 1000, 0);
	shard_write(&a, 1, "");
	shard_write(&b, 2, "\"partial\":true");
	merged(v, 2, &s);
	expect_near(need_row(&s, "n1", "lat_p50_ns", 8)->value, 1000);
	assert_true(noted(&s, "n[1-2] of run 20261130-020000-0001"));
	assert_false(s.partial);
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void a_partner_of_the_older_self_of_a_node_loses_that_pair_only(void **state)
{
	struct made a, b, *v[] = { &a, &b };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-4]", 1);
	shard_start(&b, suite_latency, "n[4-6]", 2);
	all_units(&a, 1000, 0);
	all_units(&b, 2000, 0);
	shard_write(&a, 1, "");
	shard_write(&b, 2, "");
	merged(v, 2, &s);
	assert_int_equal(need_row(&s, "n1", "lat_p50_ns", 8)->pairs, 2);
	assert_int_equal(need_row(&s, "n4", "lat_p50_ns", 8)->pairs, 2);
	expect_near(need_row(&s, "n4", "lat_p50_ns", 8)->value, 2000);
	assert_int_equal(need_row(&s, "cluster", "lat_p50_ns", 8)->n, 3 + 3);
	assert_int_equal(s.n_losses, 0);
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void records_that_name_units_of_another_shard_are_bad_lines(void **state)
{
	struct made a, b, *v[] = { &a, &b };
	struct summary s;
	(void)state;
	shard_start(&a, suite_latency, "n[1-2]", 1);
	shard_start(&b, suite_latency, "n[3-4]", 2);
	all_units(&b, 2000, 0);
	all_units(&a, 1000, 0);
	/* As unit 2 of step 2 stands in the joined plan. */
	buf_puts(&a.records, "{\"type\":\"end\",\"step\":2,\"unit\":2,\"attempt\":9,\"phase\":"
	                     "\"main\",\"status\":\"failed\",\"reason\":\"x\",\"seconds\":1}\n");
	buf_puts(&a.records, "{\"type\":\"end\",\"step\":1,\"unit\":0,\"attempt\":9,\"phase\":"
	                     "\"main\",\"status\":\"failed\",\"reason\":\"x\",\"seconds\":1}\n");
	shard_write(&a, 1, SHARD(1, 2));
	shard_write(&b, 2, SHARD(2, 2));
	merged(v, 2, &s);
	expect_near(need_row(&s, "n3", "lat_p50_ns", 8)->value, 2000);
	assert_int_equal(s.n_losses, 2);
	assert_non_null(find_loss(&s, "20261130-010000-0001/records.jsonl:4"));
	summary_free(&s);
	finish(&a);
	finish(&b);
}

static void runs_of_different_kinds_are_refused(void **state)
{
	struct made a, b, *v[] = { &a, &b }, *twice[] = { &a, &a };
	struct summary s;
	struct hb_err err;
	(void)state;
	shard_start(&a, suite_latency, "n[1-2]", 1);
	shard_write(&a, 1, SHARD(1, 2) ",\"cluster\":\"x\"");
	assert_int_equal(merge(twice, 2, &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "named twice"));
	shard_start(&b, suite_bandwidth, "n[3-4]", 2);
	shard_write(&b, 2, SHARD(2, 2));
	assert_int_equal(merge(v, 2, &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "did not measure the same"));
	finish(&b);
	shard_start(&b, suite_latency, "n[3-4]", 2);
	shard_write(&b, 2, SHARD(2, 3));
	assert_int_equal(merge(v, 2, &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "no parts of one whole"));
	finish(&b);
	shard_start(&b, suite_latency, "n[3-4]", 2);
	shard_write(&b, 2, SHARD(2, 2) ",\"cluster\":\"y\"");
	assert_int_equal(merge(v, 2, &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "cluster"));
	finish(&b);
	finish(&a);
}

/* ---- hardware classes ---- */

static void rows_of_nodes_and_of_the_cluster_are_of_one_class_each(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_latency, "n[1-6]", 0);
	for (int i = 1; i <= 6; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i);
		add_hw(&m, name, i <= 3 ? "A" : "B");
	}
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		size_t a = m.plan.steps[step].rank_node[j->ranks[0]];
		size_t b = m.plan.steps[step].rank_node[j->ranks[1]];
		add_unit(&m, u, a < 3 && b < 3 ? 1000 : a >= 3 && b >= 3 ? 2000 : 7000);
	}
	collected(&m);
	size_t clusters = 0;
	for (size_t i = 0; i < m.s.n_rows; i++) {
		const struct summary_row *r = &m.s.rows[i];
		double want = strcmp(r->key.hw, "A") == 0   ? 1000
		              : strcmp(r->key.hw, "B") == 0 ? 2000
		                                            : 7000;
		clusters += r->kind == SUBJECT_CLUSTER;
		expect_near(r->value, want);
		expect_near(r->lo, want);
		expect_near(r->hi, want);
	}
	assert_int_equal(clusters, 3);
	assert_int_equal(m.s.n_rows, 3 + 3 + 3 + 6);
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cluster_is_the_median_over_the_pairs_of_all_not_of_medians),
		cmocka_unit_test(a_merged_run_of_one_is_what_the_run_is),
		cmocka_unit_test(groups_of_one_size_are_one_figure_over_all_shards),
		cmocka_unit_test(a_shard_that_is_missing_or_unfinished_is_named_with_its_nodes),
		cmocka_unit_test(of_a_node_in_two_runs_the_newer_figures_count_and_that_is_said),
		cmocka_unit_test(a_newer_run_without_figures_does_not_take_the_older_ones_away),
		cmocka_unit_test(a_partner_of_the_older_self_of_a_node_loses_that_pair_only),
		cmocka_unit_test(records_that_name_units_of_another_shard_are_bad_lines),
		cmocka_unit_test(runs_of_different_kinds_are_refused),
		cmocka_unit_test(rows_of_nodes_and_of_the_cluster_are_of_one_class_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

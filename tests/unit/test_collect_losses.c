/* Collect: what was lost, tried again or measured once more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/collect_fixture.h"

/* ---- what was lost ---- */

static void a_dead_node_costs_itself_and_is_named_once(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_latency, "n[1-6]", 5);
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
	start(&m, suite_latency, "n[1-6]", 5);
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
	start(&m, suite_memory, "n[1-2]", 5);
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
	start(&m, suite_latency, "n[1-4]", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_latency, "n[1-6]", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_latency, "n[1-4]", 5);
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
	start(&m, suite_bandwidth, "n[1-5]", 5);
	uint64_t main_units = m.plan.next_unit;
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "n2", "n4", &m.err),
	                 HB_OK);
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
		assert_int_equal(r->n, 500);
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

static void of_two_directions_the_confirming_rows_count_the_worse(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_bandwidth, "n[1-5]", 5);
	uint64_t main_units = m.plan.next_unit;
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "n2", "n4", &m.err),
	                 HB_OK);
	assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.bandwidth", "cluster", NULL, &m.err),
	                 HB_OK);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		bool slow = u >= main_units && strcmp(j->dir, "ba") == 0;
		add_unit(&m, u, slow ? 4e9 : 9e9);
	}
	collected(&m);
	size_t judged = 0, clusters = 0;
	for (size_t i = 0; i < m.s.n_confirm; i++) {
		const struct summary_row *r = &m.s.confirm[i];
		if (!r->judged)
			continue;
		expect_near(r->value, 4e9);
		judged++;
		clusters += r->kind == SUBJECT_CLUSTER;
		if (r->kind == SUBJECT_CLUSTER) /* two pairs of five nodes in a round */
			assert_int_equal(r->n, 2);
	}
	assert_int_equal(judged, 9);
	assert_int_equal(clusters, 3);
	finish(&m);
}

static void disturb(struct made *m, uint64_t unit, uint64_t attempt)
{
	struct rec_ids ids = { 1, unit, attempt, PHASE_MAIN };

	add_line(m, rec_event_to_json(&ids, "warn", "disturbed", "n1: others were at work"));
}

static void of_two_attempts_the_one_that_nobody_disturbed_counts(void **state)
{
	struct made m;
	(void)state;
	start(&m,
	      SUITE("{\"bench\":\"node.memory\","
	            "\"options\":{\"sizes\":\"1Mi,2Mi,4Mi,8Mi\",\"op\":\"triad\"}}"),
	      "n1", 5);
	for (uint64_t attempt = 1; attempt <= 2; attempt++) {
		for (uint64_t unit = 1; unit <= 4; unit++) {
			/* The third never ends its second attempt. */
			if (unit != 3 || attempt == 1)
				add_point(&m, unit, attempt, (double)(unit + attempt) * 1e9);
			add_end(&m, unit, attempt,
			        unit == 3 && attempt == 2 ? UNIT_GIVEN_UP : UNIT_OK, NULL);
			if (attempt == 1 ? unit != 2 : unit != 1)
				disturb(&m, unit, attempt);
		}
	}
	collected(&m);
	const struct summary_row *r = need_row(&m.s, "n1", "algbw_Bps", 1 << 20);
	assert_int_equal(r->quality, ROW_OK);
	expect_near(r->value, 3e9);
	r = need_row(&m.s, "n1", "algbw_Bps", 2 << 20);
	assert_int_equal(r->quality, ROW_OK); /* the first, as only the second was disturbed */
	expect_near(r->value, 3e9);
	r = need_row(&m.s, "n1", "algbw_Bps", 4 << 20);
	assert_int_equal(r->quality, ROW_DISTURBED);
	expect_near(r->value, 4e9);
	r = need_row(&m.s, "n1", "algbw_Bps", 8 << 20);
	assert_int_equal(r->quality, ROW_DISTURBED);
	expect_near(r->value, 6e9);
	assert_string_equal(r->reason, "n1: others were at work");
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void a_disturbed_pair_is_told_as_the_pair_and_blames_neither(void **state)
{
	struct made m;
	size_t step;
	uint64_t n = 0;
	(void)state;
	start(&m, suite_latency, "n[1-4]", 3);
	for (uint64_t unit = 1; unit < m.plan.next_unit; unit++)
		add_unit(&m, unit, 1e3);
	for (uint64_t unit = 1; unit < m.plan.next_unit && n == 0; unit++) {
		const struct plan_job *job = job_of(&m, unit, &step);
		const size_t *node = m.plan.steps[step].rank_node;
		if (node[job->ranks[0]] + node[job->ranks[1]] == 2) { /* n1 and n3 */
			disturb(&m, unit, 1);
			n++;
		}
	}
	assert_int_equal(n, 1);
	collected(&m);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, "n1-n3", UNIT_OK, "n1: others were at work");
	for (size_t i = 0; i < m.s.n_rows; i++)
		assert_int_equal(m.s.rows[i].quality, ROW_OK);
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dead_node_costs_itself_and_is_named_once),
		cmocka_unit_test(a_pair_that_hung_costs_only_itself),
		cmocka_unit_test(records_without_their_end_do_not_count),
		cmocka_unit_test(nothing_at_all_is_one_loss_with_the_reason_of_its_step),
		cmocka_unit_test(what_cannot_run_here_is_a_line_and_no_row),
		cmocka_unit_test(invalid_and_disturbed_figures_are_kept_and_marked),
		cmocka_unit_test(of_two_attempts_the_one_that_nobody_disturbed_counts),
		cmocka_unit_test(a_disturbed_pair_is_told_as_the_pair_and_blames_neither),
		cmocka_unit_test(wrong_data_from_one_node_does_not_take_its_partners_along),
		cmocka_unit_test(the_last_attempt_that_ended_well_counts),
		cmocka_unit_test(a_record_that_comes_twice_counts_once),
		cmocka_unit_test(confirming_rows_stand_apart),
		cmocka_unit_test(of_two_directions_the_confirming_rows_count_the_worse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

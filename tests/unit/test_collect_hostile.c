/* Collect: the run's own words, and that no line of a file can do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/collect_fixture.h"

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
	start(&m, suite_memory, "n1", 5);
	write_file(&m, "run.json", run, strlen(run));
	add_line(&m, rec_fact_to_json("n1", "sw.mpi", "Z 2", "x"));
	add_line(&m, rec_fact_to_json("n1", "sw.mpi", "A 1", "x"));
	add_line(&m, rec_fact_to_json("n2", "sw.mpi", "Z 2", "x"));
	add_line(&m, rec_fact_to_json("n1", "net.mtu", "9000", "x"));
	add_line(&m, rec_fact_to_json("n1", "env.OMPI_MCA_btl", "self,tcp", "x"));
	add_line(&m, rec_fact_to_json("n1", "mpi.yield_when_idle", "1", "x"));
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
	/* Settings keep their whole names: "env." alone would hide where they come from. */
	assert_int_equal(json_object_object_length(m.s.fingerprint), 3);
	assert_true(json_object_object_get_ex(m.s.fingerprint, "env.OMPI_MCA_btl", NULL));
	assert_true(json_object_object_get_ex(m.s.fingerprint, "mpi.yield_when_idle", NULL));
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
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
	start(&m, suite_memory, "n1", 5);
	assert_int_equal(collect_run(m.dir, &m.s, &m.err), HB_E_FORMAT);
	assert_non_null(strstr(m.err.text, "plan.json"));
	write_file(&m, "plan.json", "{\"schema\":1}", 12);
	assert_int_equal(collect_run(m.dir, &m.s, &m.err), HB_E_FORMAT);
	assert_non_null(strstr(m.err.text, "plan.json"));
	finish(&m);
}

static void a_damaged_run_json_hides_no_figure(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_memory, "n1", 5);
	add_unit(&m, 1, 1e9);
	add_unit(&m, 2, 2e9);
	write_file(&m, "run.json", "{\"steps\":7}", 11);
	collected(&m);
	assert_int_equal(need_row(&m.s, "n1", "algbw_Bps", 2 << 20)->quality, ROW_OK);
	assert_true(m.s.partial);
	assert_int_equal(m.s.n_losses, 1);
	assert_string_equal(m.s.losses[0].subject, "run.json");
	assert_non_null(strstr(m.s.losses[0].reason, "steps"));
	finish(&m);
}

static void samples_are_never_read(void **state)
{
	struct made m;
	(void)state;
	start(&m, suite_memory, "n1", 5);
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
		cmocka_unit_test(who_when_and_which_software_are_told),
		cmocka_unit_test(a_run_that_was_killed_is_partial_and_dated_by_its_id),
		cmocka_unit_test(bad_lines_are_counted_and_named_and_the_rest_is_kept),
		cmocka_unit_test(a_record_for_another_benchmark_is_not_taken),
		cmocka_unit_test(a_cut_last_line_and_an_endless_one_do_no_harm),
		cmocka_unit_test(a_whole_last_line_without_its_newline_is_taken),
		cmocka_unit_test(a_directory_that_is_no_run_is_one_clear_line),
		cmocka_unit_test(a_damaged_run_json_hides_no_figure),
		cmocka_unit_test(samples_are_never_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

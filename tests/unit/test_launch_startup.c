/*
 * Start-up that goes wrong, and nodes that die one after the other: whole steps with hpcbench-sim
 * and planted faults.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "bench/base/mem.h"
#include "launch_bed.h"

enum { ALARM_S = 110 };

static void explain_srun(const char *text, struct launch_cause *out)
{
	launcher_srun.explain(text, out);
}

#define OPS(COMMAND, LEAVES, CONNECT, STRAGGLE, SLACK)                                             \
	{                                                                                          \
		.name = "sim", .summary = "", .arg = "FILE", .leaves_out = LEAVES,                 \
		.command = COMMAND, .connect_ms = CONNECT, .straggle_ms = STRAGGLE,                \
		.slack_ms = SLACK                                                                  \
	}
/* Impatient only where the wait is what is tested. */
static const struct launcher_ops ops_never = OPS(sim_plain, true, 30000, 2500, 20000),
                                 ops_all = OPS(sim_plain, false, 30000, 2500, 20000),
                                 ops_hangs = OPS(sim_plain, true, 4000, 2500, 20000),
                                 ops_job = OPS(sim_plain, true, 30000, 20000, 2500),
                                 ops_together = OPS(sim_together, true, 30000, 20000, 20000),
                                 ops_pending = { .name = "srun",
	                                         .summary = "",
	                                         .arg = "S",
	                                         .command = sh_script,
	                                         .explain = explain_srun,
	                                         .connect_ms = 1000,
	                                         .straggle_ms = 1000,
	                                         .slack_ms = 1000 };

static size_t starts(const struct bed *b)
{
	return count(&b->journal, "\"step-start\"", NULL, NULL);
}

static void a_node_on_which_nothing_runs_is_named_and_done_without(void **state)
{
	struct bed *b = run_sim(&ops_never, "{\"kind\":\"never-starts\",\"node\":\"n3\"}");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS - 3 * 2);
	assert_int_equal(starts(b), 2);
	assert_int_equal(count(&b->records, "\"rank-lost\"", "on n3: no process of hpcbench-mpi",
	                       "3 of 4 did elsewhere"),
	                 1);
	assert_int_equal(count(&b->records, "\"rank-lost\"", NULL, NULL), 1);
	bed_free(b);
}

static void a_launcher_that_needs_all_nodes_names_the_one_and_ends(void **state)
{
	struct bed *b = run_sim(&ops_all, "{\"kind\":\"never-starts\",\"node\":\"n3\"}");

	(void)state;
	assert_int_equal(b->status, STEP_FAILED);
	assert_all_ended(b);
	assert_int_equal(starts(b), 1);
	assert_int_equal(count(&b->records, "\"rank-lost\"", "on n3: no process", NULL), 1);
	assert_non_null(strstr(b->reason, "did not come out of its start-up"));
	bed_free(b);
}

static void a_node_that_lets_nobody_out_of_start_up_is_found_by_halves(void **state)
{
	struct bed *b = run_sim(&ops_hangs, "{\"kind\":\"hangs-start\",\"node\":\"n2\"}");

	(void)state;
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS - 3 * 2);
	assert_int_equal(count(&b->records, "\"rank-lost\"", "on n2: its process runs", NULL), 1);
	assert_int_equal(count(&b->records, "\"rank-lost\"", NULL, NULL), 1);
	/* All, at most four probes, all but one. */
	assert_true(starts(b) <= 6);
	assert_true(count(&b->records, "\"probe\"", NULL, NULL) <= 4);
	bed_free(b);
}

/* n1 lets nobody out in its first job, with whomever that is: both are silent. */
static void a_pair_of_which_both_ends_hang_costs_one_start_and_no_node(void **state)
{
	struct bed *b = run_sim(&ops_job, "{\"kind\":\"hangs-job\",\"rank\":0,\"after\":2}");

	(void)state;
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS - 2);
	assert_int_equal(count(&b->records, "\"rank-lost\"", NULL, NULL), 0);
	bed_free(b);
}

static void two_nodes_that_die_at_different_times_cost_themselves_only(void **state)
{
	struct bed *b = run_sim(&ops_together,
	                        "{\"kind\":\"dead-node\",\"node\":\"n3\",\"after\":1},"
	                        "{\"kind\":\"dead-node\",\"node\":\"n4\",\"after\":2}");

	(void)state;
	assert_all_ended(b);
	/* Of three rounds of two pairs one has them both, the others one each. */
	assert_true(ends(b, "ok") >= 2);
	assert_int_equal(
	        count(&b->records, "\"status\":\"given-up\"", "the step ended before", NULL), 0);
	assert_int_equal(count(&b->records, "\"rank-lost\"", "on n1", NULL), 0);
	assert_int_equal(count(&b->records, "\"rank-lost\"", "on n2", NULL), 0);
	bed_free(b);
}

static void a_step_that_stays_pending_is_told_in_slurms_words(void **state)
{
	struct bed *b = run_on("n[1-4]", &ops_pending,
	                       "echo 'srun: Job 7 step creation temporarily disabled, retrying "
	                       "(Requested nodes are busy)' >&2; exec sleep 1000",
	                       -1, 0);

	(void)state;
	assert_int_equal(b->status, STEP_FAILED);
	assert_all_ended(b);
	assert_int_equal(starts(b), 1);
	assert_non_null(strstr(b->reason, "step creation temporarily disabled"));
	assert_non_null(strstr(b->reason, "Requested nodes are busy"));
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_on_which_nothing_runs_is_named_and_done_without),
		cmocka_unit_test(a_launcher_that_needs_all_nodes_names_the_one_and_ends),
		cmocka_unit_test(a_node_that_lets_nobody_out_of_start_up_is_found_by_halves),
		cmocka_unit_test(a_pair_of_which_both_ends_hang_costs_one_start_and_no_node),
		cmocka_unit_test(two_nodes_that_die_at_different_times_cost_themselves_only),
		cmocka_unit_test(a_step_that_stays_pending_is_told_in_slurms_words),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

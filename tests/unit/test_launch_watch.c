/* Jobs that foreign load disturbs, on a simulated cluster with real processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "launch_bed.h"

/* n3 is in one of two pairs of each of three rounds. */
enum { JOBS = 6, JOBS_OF_N3 = 3, SIZES = 2 };

#define LOAD "{\"kind\":\"load\",\"node\":\"n3\",\"cores\":3"

/* Slow is not silent: a busy host loses no unit of these. */
static struct launcher_ops patient(void)
{
	struct launcher_ops ops = launcher_sim;

	ops.connect_ms = 60000;
	ops.straggle_ms = ops.slack_ms = 20000;
	return ops;
}

static struct bed *run_patiently(const char *faults)
{
	const struct launcher_ops ops = patient();

	return run_sim(&ops, faults);
}

static size_t disturbed(const struct bed *b, const char *attempt)
{
	return count(&b->records, "\"code\":\"disturbed\"", "n3: foreign processes used 3.0 of 4",
	             attempt);
}

static void every_node_of_a_job_has_its_load_stored(void **state)
{
	struct bed *b = run_patiently("");

	(void)state;
	assert_all_ended(b);
	assert_int_equal(count(&b->records, "\"type\":\"load\"", "\"endpoint\":\"n", NULL),
	                 2 * JOBS);
	assert_int_equal(
	        count(&b->records, "\"type\":\"load\"", "\"endpoint\":\"n3\"", "\"attempt\":1"),
	        JOBS_OF_N3);
	assert_int_equal(count(&b->records, "\"type\":\"event\"", "disturbed", NULL), 0);
	assert_int_equal(count(&b->journal, "disturbed", NULL, NULL), 0);
	bed_free(b);
}

static void a_disturbed_job_is_measured_once_more_and_its_first_try_is_marked(void **state)
{
	struct bed *b = run_patiently(LOAD ",\"tries\":1}");

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_int_equal(disturbed(b, "\"attempt\":1"), JOBS_OF_N3 * SIZES);
	assert_int_equal(disturbed(b, NULL), JOBS_OF_N3 * SIZES);
	assert_int_equal(count(&b->records, "\"type\":\"pair\"", "\"attempt\":2", NULL),
	                 JOBS_OF_N3 * SIZES);
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"status\":\"ok\"", NULL),
	                 (JOBS + JOBS_OF_N3) * SIZES);
	assert_int_equal(count(&b->journal, "job-end", "\"disturbed\":\"n3: ", "\"again\":true"),
	                 JOBS_OF_N3);
	assert_int_equal(count(&b->journal, "job-end", NULL, NULL), JOBS + JOBS_OF_N3);
	assert_int_equal(count(&b->notes, "measured once more", NULL, NULL), JOBS_OF_N3);
	bed_free(b);
}

static void a_job_that_stays_disturbed_is_marked_and_not_tried_a_third_time(void **state)
{
	struct bed *b = run_patiently(LOAD "}");

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_int_equal(disturbed(b, "\"attempt\":1"), JOBS_OF_N3 * SIZES);
	assert_int_equal(disturbed(b, "\"attempt\":2"), JOBS_OF_N3 * SIZES);
	assert_int_equal(count(&b->records, "\"attempt\":3", NULL, NULL), 0);
	assert_int_equal(count(&b->journal, "job-end", "\"disturbed\":\"n3: ", "\"again\":false"),
	                 JOBS_OF_N3);
	assert_int_equal(count(&b->notes, "its figures do not count", NULL, NULL), JOBS_OF_N3);
	bed_free(b);
}

static void where_people_work_beside_it_is_told_once_and_nothing_else(void **state)
{
	struct launcher_ops shared = patient();
	struct bed *b;

	(void)state;
	shared.used_beside = true;
	b = run_sim(&shared, LOAD "}");
	assert_all_ended(b);
	assert_int_equal(count(&b->records, "\"code\":\"disturbed\"", NULL, NULL), 0);
	assert_int_equal(count(&b->records, "\"code\":\"busy\"", "n3: foreign processes", NULL), 1);
	assert_int_equal(count(&b->journal, "job-end", NULL, NULL), JOBS);
	bed_free(b);
}

static void a_job_that_failed_is_not_measured_once_more_for_its_load(void **state)
{
	struct bed *b = run_patiently(LOAD "},{\"kind\":\"missing-records\",\"node\":\"n3\"},"
	                                   "{\"kind\":\"missing-records\",\"node\":\"n1\"},"
	                                   "{\"kind\":\"missing-records\",\"node\":\"n2\"},"
	                                   "{\"kind\":\"missing-records\",\"node\":\"n4\"}");

	(void)state;
	/* They say done and ok, so all is tried once more; no unit ends twice in one attempt. */
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"attempt\":1", NULL), UNITS);
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"attempt\":2", NULL),
	                 JOBS_OF_N3 * SIZES);
	assert_int_equal(ends(b, "ok"), 0);
	bed_free(b);
}

static void what_is_lost_while_it_is_measured_once_more_ends_then(void **state)
{
	struct bed *b = run_patiently(LOAD
	                              "},{\"kind\":\"dead-node\",\"node\":\"n3\",\"after\":1}");

	(void)state;
	/* n3 goes when its first job comes back, and after the relaunch once more so. How far its
	 * partner comes without it is not told here. */
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"attempt\":2", NULL), 2 * SIZES);
	assert_int_equal(disturbed(b, "\"attempt\":1"), 2 * SIZES);
	for (int unit = 1; unit <= UNITS; unit++) {
		for (int attempt = 1; attempt <= 2; attempt++) {
			char one[40], two[40];
			snprintf(one, sizeof one, "\"unit\":%d,", unit);
			snprintf(two, sizeof two, "\"attempt\":%d,", attempt);
			assert_true(count(&b->records, "\"type\":\"end\"", one, two) <= 1);
		}
	}
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_node_of_a_job_has_its_load_stored),
		cmocka_unit_test(a_disturbed_job_is_measured_once_more_and_its_first_try_is_marked),
		cmocka_unit_test(a_job_that_stays_disturbed_is_marked_and_not_tried_a_third_time),
		cmocka_unit_test(where_people_work_beside_it_is_told_once_and_nothing_else),
		cmocka_unit_test(a_job_that_failed_is_not_measured_once_more_for_its_load),
		cmocka_unit_test(what_is_lost_while_it_is_measured_once_more_ends_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

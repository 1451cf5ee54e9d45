/* How long a job may run, and why it is pending: answers as text, and a squeue of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "fake_path.h"
#include "harness/slurm/slurm.h"

static void the_time_that_is_left_is_read(void **state)
{
	static const struct {
		const char *text;
		double seconds; /* negative: none */
	} rows[] = {
		/* seen */
		{ "4:59\n", 299 },
		{ "59:59\n", 3599 },
		{ "1:00:00\n", 3600 },
		{ "1-02:03:04\n", 93784 },
		{ "0:00\n", 0 },
		{ "UNLIMITED\n", -1 },
		{ "INVALID\n", -1 },
		{ "NOT_SET\n", -1 },
		{ "", -1 },
		{ "\n\n  5:00  \n", 300 },
		{ "365-00:00:00", 31536000 },
		/* hostile */
		{ "5\n", -1 },
		{ "5:\n", -1 },
		{ ":5\n", -1 },
		{ "1:2:3:4\n", -1 },
		{ "-1:00\n", -1 },
		{ "1--00:00\n", -1 },
		{ "1-\n", -1 },
		{ "1-2-3:00\n", -1 },
		{ "5:0x\n", -1 },
		{ "99999999999999999999:00\n", -1 },
		{ "1e3:00\n", -1 },
		{ "nan\n", -1 },
		{ "slurm_load_jobs error: Invalid job id specified\n", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double got = slurm_left_parse(rows[i].text);
		if (rows[i].seconds < 0 ? got >= 0 : got != rows[i].seconds)
			fail_msg("'%s': %g", rows[i].text, got);
	}
}

static void the_reason_and_the_start_are_read(void **state)
{
	static const struct {
		const char *text, *reason, *start; /* reason NULL: no line */
	} rows[] = {
		{ "Resources|2026-03-01T12:00:00\n", "Resources", "2026-03-01T12:00:00" },
		{ "Priority|N/A\n", "Priority", "" },
		{ "None|N/A\n", "", "" },
		{ "PartitionTimeLimit|N/A\n", "PartitionTimeLimit", "" },
		{ "ReqNodeNotAvail, UnavailableNodes:n3|N/A\n",
		  "ReqNodeNotAvail, UnavailableNodes:n3", "" },
		{ "", NULL, "" },
		{ "no bar\n", NULL, "" },
		{ "|\n", "", "" },
		{ "a\033b|\xff\n", "a b", "?" },
		{ "a|b|c\n", "a|b", "c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct slurm_pending got;
		assert_int_equal(slurm_pending_parse(rows[i].text, &got), rows[i].reason != NULL);
		assert_string_equal(got.reason, rows[i].reason ? rows[i].reason : "");
		assert_string_equal(got.start, rows[i].start);
	}
}

static void only_limits_of_the_job_itself_are_hopeless(void **state)
{
	static const char *const fine[] = { "Resources",      "Priority",   "",
		                            "QOSGrpCpuLimit", "Dependency", "MaxJobsPerAccount" };

	(void)state;
	assert_non_null(strstr(slurm_pending_hopeless("PartitionTimeLimit"), "--alloc time="));
	for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
		assert_null(slurm_pending_hopeless(fine[i]));
}

/* ---- asking ---- */

static int open_fake(void **state)
{
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_JOBID");
	unsetenv("SLURM_JOB_END_TIME");
	return fake_setup(state);
}

static void a_job_that_was_prolonged_has_more_time(void **state)
{
	struct fake *f = *state;

	fake_put(f, "squeue", "[ \"$*\" = '-h -j 12 -o %L' ] && echo 5:00");
	assert_true(slurm_left_s(12, -1) == 300);
	fake_put(f, "squeue", "echo 1:00:00");
	assert_true(slurm_left_s(12, -1) == 3600);
	fake_put(f, "squeue", "echo UNLIMITED");
	assert_true(slurm_left_s(12, -1) < 0);
}

static void where_slurm_does_not_answer_the_environment_counts(void **state)
{
	struct fake *f = *state;
	char text[32];

	fake_put(f, "squeue", "echo 'slurm_load_jobs error' >&2; exit 1");
	assert_true(slurm_left_s(12, -1) < 0);
	setenv("SLURM_JOB_ID", "12", 1);
	snprintf(text, sizeof text, "%lld", (long long)time(NULL) + 100);
	setenv("SLURM_JOB_END_TIME", text, 1);
	double left = slurm_left_s(12, -1);
	assert_true(left > 50 && left <= 100);
	assert_true(slurm_left_s(13, -1) < 0); /* another job's */
	setenv("SLURM_JOB_END_TIME", "1000", 1);
	assert_true(slurm_left_s(12, -1) == 0);
	setenv("SLURM_JOB_END_TIME", "1e999", 1);
	assert_true(slurm_left_s(12, -1) < 0);
	setenv("SLURM_JOB_END_TIME", "12x", 1);
	assert_true(slurm_left_s(12, -1) < 0);
	/* What Slurm says goes before it. */
	fake_put(f, "squeue", "echo UNLIMITED");
	assert_true(slurm_left_s(12, -1) < 0);
}

#define WITH_SQUEUE(test) cmocka_unit_test_setup_teardown(test, open_fake, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_that_is_left_is_read),
		cmocka_unit_test(the_reason_and_the_start_are_read),
		cmocka_unit_test(only_limits_of_the_job_itself_are_hopeless),
		WITH_SQUEUE(a_job_that_was_prolonged_has_more_time),
		WITH_SQUEUE(where_slurm_does_not_answer_the_environment_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

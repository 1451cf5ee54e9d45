/* Who else is on the cluster: answers as text, and a sinfo of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "fake_path.h"
#include "harness/slurm/slurm.h"

static void count(const char *text, const char *mine, size_t nodes, size_t busy)
{
	struct nodeset set = { 0 };
	struct slurm_busy got;
	struct hb_err err;

	if (*mine)
		assert_int_equal(nodeset_parse(mine, &set, &err), HB_OK);
	assert_true(slurm_busy_parse(text, &set, &got));
	if (got.nodes != nodes || got.busy != busy)
		fail_msg("'%s' but %s: %zu of %zu", text, mine, got.busy, got.nodes);
	nodeset_free(&set);
}

static void nodes_that_run_jobs_are_counted_without_ours(void **state)
{
	(void)state;
	count("n1|idle\nn2|allocated\nn3|mixed\nn4|down\n", "", 4, 2);
	count("n1|idle\nn2|allocated\nn3|mixed\nn4|down\n", "n[1-2]", 2, 1);
	count("n1|allocated\nn2|allocated\n", "n[1-2]", 0, 0);
	/* One that is ours and not there any more changes nothing. */
	count("n1|allocated\n", "n[7-9]", 1, 1);
}

static void a_node_of_several_partitions_counts_once(void **state)
{
	(void)state;
	count("n1|idle\nn1|idle\nn2|mixed\nn2|mixed\nn10|idle\nn2|mixed\n", "", 3, 1);
	count("n1|idle\nn10|allocated\nn1|idle\n", "n1", 1, 1);
}

static void states_say_whether_jobs_run(void **state)
{
	static const struct {
		const char *state;
		size_t busy;
	} rows[] = {
		{ "allocated", 1 }, { "allocated+", 1 }, { "allocated*", 1 }, { "mixed", 1 },
		{ "mixed-", 1 },    { "draining", 1 },   { "draining@", 1 },  { "idle", 0 },
		{ "idle~", 0 },     { "drained", 0 },    { "down*", 0 },      { "completing", 0 },
		{ "planned", 0 },   { "reserved", 0 },   { "maint", 0 },      { "unknown", 0 },
		{ "", 0 },          { "mixedup", 0 },    { "alloc", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = hb_format("n1|%s\n", rows[i].state);
		count(text, "", 1, rows[i].busy);
		free(text);
	}
}

static void what_is_no_answer_is_not_read(void **state)
{
	static const char *const rows[] = { "", "\n\n", "slurm_load_node: Unable to contact\n",
		                            "|idle\n" };
	const struct nodeset none = { 0 };
	struct slurm_busy got;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_false(slurm_busy_parse(rows[i], &none, &got));
	char *longer = hb_alloc(1000);
	memset(longer, 'n', 600);
	memcpy(longer + 600, "|mixed", 7);
	assert_false(slurm_busy_parse(longer, &none, &got));
	free(longer);
}

/* ---- asking ---- */

static void one_question_tells(void **state)
{
	struct fake *f = *state;
	const struct nodeset none = { 0 };
	struct slurm_busy got;
	struct hb_err err;

	fake_put(f, "sinfo", "[ \"$*\" = '-h -N -o %N|%T' ] && printf 'n1|mixed\\nn2|idle\\n'");
	assert_int_equal(slurm_busy_ask(&none, -1, &got, &err), HB_OK);
	assert_int_equal(got.nodes, 2);
	assert_int_equal(got.busy, 1);
	/* More than spawn keeps. */
	fake_put(f, "sinfo",
	         "i=0; while [ $i -lt 9000 ]; do echo \"node$i|allocated\"; i=$((i+1)); done");
	assert_int_equal(slurm_busy_ask(&none, -1, &got, &err), HB_OK);
	assert_int_equal(got.busy, 9000);
}

static void whatever_fails_means_that_nobody_knows(void **state)
{
	static const char *const scripts[] = { "exit 1", "echo 'n1|mixed'; exit 1", "echo",
		                               "kill -9 $$", "echo 'n1|mixed'; kill -9 $$" };
	struct fake *f = *state;
	const struct nodeset none = { 0 };
	struct slurm_busy got;
	struct hb_err err;

	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
		fake_put(f, "sinfo", scripts[i]);
		assert_true(slurm_busy_ask(&none, -1, &got, &err) < 0);
	}
}

#define WITH_SINFO(test) cmocka_unit_test_setup_teardown(test, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_that_run_jobs_are_counted_without_ours),
		cmocka_unit_test(a_node_of_several_partitions_counts_once),
		cmocka_unit_test(states_say_whether_jobs_run),
		cmocka_unit_test(what_is_no_answer_is_not_read),
		WITH_SINFO(one_question_tells),
		WITH_SINFO(whatever_fails_means_that_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Records by files: the schedule that is handed over, and ranks whose files say what they should
 * not. A script stands for the launcher and writes the files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "launch_bed.h"

static int script(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	(void)err;
	launch_command_arg(c, "/bin/sh");
	launch_command_arg(c, "-c");
	launch_command_arg(c, "cd \"$HPCBENCH_FILES\" && { %s; }", w->site->arg);
	return HB_OK;
}

static const struct launcher_ops ops = { .name = "script",
	                                 .summary = "",
	                                 .arg = "S",
	                                 .command = script,
	                                 .connect_ms = 20000,
	                                 .straggle_ms = 20000,
	                                 .slack_ms = 20000 };
static const struct launcher_ops ops_impatient = { .name = "script",
	                                           .summary = "",
	                                           .arg = "S",
	                                           .command = script,
	                                           .connect_ms = 300,
	                                           .straggle_ms = 300,
	                                           .slack_ms = 20000 };

/* What every script begins with: hello SEAT, and job UNIT JOB SEAT for one measured unit. */
#define WORDS                                                                                      \
	"hello() { echo '{\"msg\":\"hello\",\"proto\":1,\"run\":\"test-run\",\"step\":1,'"         \
	"'\"attempt\":'$HPCBENCH_ATTEMPT',\"host\":\"n'$(($1+1))'\",\"rank\":'$1',\"size\":2}'"    \
	" >rank-$1.jsonl; }; "                                                                     \
	"end() { echo "                                                                            \
	"'{\"type\":\"end\",\"step\":1,\"attempt\":'$HPCBENCH_ATTEMPT',\"unit\":'$1',"             \
	"\"phase\":\"main\",\"status\":\"skipped\",\"reason\":\"a test\",\"seconds\":1}'"          \
	" >>rank-$2.jsonl; }; "                                                                    \
	"finished() { echo '{\"msg\":\"done\",\"job\":'$1',\"status\":\"ok\"}' >>rank-$2.jsonl; "  \
	"}; "                                                                                      \
	"bye() { echo '{\"msg\":\"bye\"}' >>rank-$1.jsonl; }; "                                    \
	"first=$(grep -o '\"ranks\":.[01]' schedule.jsonl | grep -o '[01]$'); "

static struct bed *run_script(const struct launcher_ops *o, const char *text)
{
	char *all = hb_format("%s%s", WORDS, text);
	struct bed *b = run_files("n[1-2]", o, all);

	free(all);
	return b;
}

/* Two nodes have one pair with two sizes: units 1 and 2 of job 1. */
static const char good[] = "hello 0; hello 1; end 1 $first; end 2 $first; finished 1 0; "
                           "finished 1 1; bye 0; bye 1";

static void the_schedule_names_seats_and_jobs_and_ends_with_quit(void **state)
{
	struct bed *b = run_script(&ops, "cp schedule.jsonl ../seen.jsonl; hello 0; hello 1; "
	                                 "end 1 $first; end 2 $first; finished 1 0; finished 1 1; "
	                                 "bye 0; bye 1");
	struct buf seen = BUF_INIT;

	(void)state;
	bed_read(b, "seen.jsonl", &seen);
	assert_int_equal(count(&seen, NULL, NULL, NULL), 3);
	assert_int_equal(count(&seen,
	                       "{\"msg\":\"seats\",\"hosts\":[\"n1\",\"n2\"],\"facts\":true}", NULL,
	                       NULL),
	                 1);
	assert_int_equal(count(&seen, "\"msg\":\"job\"", "\"slot\":0", "\"unit\":2"), 1);
	assert_int_equal(count(&seen, "{\"msg\":\"quit\"}", NULL, NULL), 1);
	buf_free(&seen);
	bed_free(b);
}

static void what_ranks_write_is_kept_as_if_they_had_sent_it(void **state)
{
	struct bed *b = run_script(&ops, good);

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_string_equal(b->reason, "");
	assert_int_equal(ends(b, "skipped"), 2);
	assert_int_equal(count(&b->records, "\"type\":\"end\"", NULL, NULL), 2);
	assert_int_equal(count(&b->journal, "\"type\":\"connected\"", NULL, NULL), 2);
	assert_int_equal(count(&b->journal, "\"type\":\"job-start\"", NULL, NULL), 1);
	assert_int_equal(count(&b->journal, "\"type\":\"job-end\"", "\"status\":\"ok\"", NULL), 1);
	assert_int_equal(b->notes.len, 0);
	bed_free(b);
}

static void ranks_that_end_in_the_middle_are_started_once_more(void **state)
{
	struct bed *b = run_script(&ops, "hello 0; hello 1; end 1 $first; "
	                                 "[ $HPCBENCH_ATTEMPT = 2 ] && { end 2 $first; "
	                                 "finished 1 0; finished 1 1; bye 0; bye 1; }; true");

	(void)state;
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 2);
	/* The unit that had ended is not in the second schedule, and its second end is refused. */
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"unit\":1,", NULL), 1);
	assert_int_equal(count(&b->records, "\"type\":\"end\"", "\"unit\":2,", NULL), 1);
	bed_free(b);
}

static void lines_that_are_none_cost_their_rank_and_are_told(void **state)
{
	static const char *const lines[] = {
		"echo nonsense",
		"echo '[1,2]'",
		"echo '{\"type\":\"end\",\"step\":1,\"attempt\":1,\"unit\":7,\"phase\":\"main\","
		"\"status\":\"ok\"}'",
		"echo '{\"type\":\"end\",\"step\":9,\"attempt\":1,\"unit\":1,\"phase\":\"main\","
		"\"status\":\"ok\"}'",
		"echo '{\"msg\":\"done\",\"job\":99}'",
		"echo '{\"msg\":\"dance\"}'",
		"head -c 70000 /dev/zero | tr '\\0' x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char *text = hb_format("hello 0; hello 1; %s >>rank-1.jsonl; bye 0; sleep 1",
		                       lines[i]);
		struct bed *b = run_script(&ops, text);
		assert_int_equal(count(&b->records, "\"misbehaved\"", "on n2", NULL), 1);
		assert_int_equal(count(&b->records, "\"type\":\"end\"", NULL, NULL), 2);
		assert_int_equal(ends(b, "given-up"), 2);
		bed_free(b);
		free(text);
	}
}

static void a_hello_of_another_run_is_not_believed(void **state)
{
	struct bed *b = run_script(&ops, "hello 0; hello 1; sed -i s/test-run/other/ rank-1.jsonl; "
	                                 "bye 0; bye 1; sleep 1");

	(void)state;
	assert_int_equal(count(&b->records, "\"misbehaved\"", "another run", NULL), 1);
	assert_int_equal(ends(b, "given-up"), 2);
	bed_free(b);
}

static void links_and_pipes_are_no_files_of_ranks(void **state)
{
	struct bed *b = run_script(&ops, "hello 0; mkfifo rank-1.jsonl; bye 0; sleep 1");

	(void)state;
	assert_int_equal(count(&b->records, "\"misbehaved\"", "not a plain file", NULL), 1);
	bed_free(b);
	b = run_script(&ops, "ln -s /etc/passwd rank-1.jsonl; hello 0; bye 0");
	assert_int_equal(ends(b, "given-up"), 2);
	bed_free(b);
}

static void where_nobody_writes_the_reason_names_the_folder(void **state)
{
	struct bed *b = run_script(&ops_impatient, "sleep 60");

	(void)state;
	assert_int_equal(b->status, STEP_FAILED);
	assert_non_null(strstr(b->reason, "wrote into the run's folder"));
	assert_non_null(strstr(b->reason, "do all nodes see that folder?"));
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedule_names_seats_and_jobs_and_ends_with_quit),
		cmocka_unit_test(what_ranks_write_is_kept_as_if_they_had_sent_it),
		cmocka_unit_test(ranks_that_end_in_the_middle_are_started_once_more),
		cmocka_unit_test(lines_that_are_none_cost_their_rank_and_are_told),
		cmocka_unit_test(a_hello_of_another_run_is_not_believed),
		cmocka_unit_test(links_and_pipes_are_no_files_of_ranks),
		cmocka_unit_test(where_nobody_writes_the_reason_names_the_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

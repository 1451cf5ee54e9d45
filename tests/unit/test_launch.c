/*
 * Whole steps with real processes: hpcbench-sim with planted faults, and children that do not do
 * what they should. Deadlines are short because they are part of the launcher's row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "launch_bed.h"

enum { ALARM_S = 55 };

/* ---- launchers of these tests: the simulator, or a script in its place ---- */

static int no_program(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	(void)w;
	(void)err;
	c->missing_hint = "install it";
	launch_command_arg(c, "hpcbench-no-such-launcher");
	return HB_OK;
}

#define OPS(NAME, ARG, COMMAND, CONNECT, STRAGGLE, SLACK)                                          \
	{                                                                                          \
		.name = NAME, .summary = "", .arg = ARG, .command = COMMAND,                       \
		.connect_ms = CONNECT, .straggle_ms = STRAGGLE, .slack_ms = SLACK                  \
	}
/* Patient where nothing is to be waited for, impatient where the wait is what is tested. */
static const struct launcher_ops ops_sim = OPS("sim", "FILE", sim_plain, 20000, 20000, 20000),
                                 ops_silent = OPS("sim", "FILE", sim_plain, 20000, 20000, 2000),
                                 ops_dead = OPS("sim", "FILE", sim_plain, 20000, 3000, 20000),
                                 ops_together = OPS("sim", "FILE", sim_together, 20000, 20000,
                                                    20000),
                                 ops_script = OPS("script", "S", sh_script, 20000, 20000, 20000),
                                 ops_hang = OPS("hang", "S", sh_script, 200, 200, 20000),
                                 ops_none = OPS("none", NULL, no_program, 20000, 20000, 20000);

/* ---- a healthy cluster ---- */

static void every_unit_of_a_healthy_cluster_ends_ok(void **state)
{
	struct bed *b = run_sim(&ops_sim, "");

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_string_equal(b->reason, "");
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS);
	assert_int_equal(count(&b->records, "\"type\":\"pair\"", "lat_", NULL), UNITS);
	assert_int_equal(count(&b->journal, "\"type\":\"connected\"", NULL, NULL), 4);
	assert_int_equal(count(&b->journal, "\"type\":\"step-end\"", "\"exit\":0", NULL), 1);
	assert_int_equal(b->notes.len, 0);
	bed_free(b);
}

static void the_journal_names_a_job_before_its_units(void **state)
{
	struct bed *b = run_sim(&ops_sim, "");
	const char *journal = buf_text(&b->journal);

	(void)state;
	assert_true(strstr(journal, "step-start") < strstr(journal, "\"connected\""));
	assert_true(strstr(journal, "job-start") < strstr(journal, "unit-end"));
	assert_true(strstr(journal, "\"connected\"") < strstr(journal, "job-start"));
	bed_free(b);
}

static void a_hundred_nodes_are_no_trouble(void **state)
{
	char path[64] = "/tmp/hpcbench-model-XXXXXX";
	int fd = mkstemp(path);
	struct bed *b;

	(void)state;
	assert_int_equal(write(fd, "{\"schema\":1}", 12), 12);
	close(fd);
	b = run_on("n[001-100]", &ops_sim, path, -1, 0);
	unlink(path);
	assert_int_equal(b->status, STEP_DONE);
	assert_int_equal(ends(b, "ok"), 3 * 50 * 2);
	bed_free(b);
}

/* ---- planted faults ---- */

static void a_silent_rank_costs_only_its_pairs(void **state)
{
	struct bed *b = run_sim(&ops_silent, "{\"kind\":\"silent-rank\",\"node\":\"n2\"}");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS - 3 * 2);
	assert_int_equal(count(&b->records, "\"type\":\"event\"", "no answer from", "on n2"), 1);
	bed_free(b);
}

static void a_node_that_never_connects_costs_only_its_pairs(void **state)
{
	struct bed *b = run_sim(&ops_dead, "{\"kind\":\"dead-node\",\"node\":\"n3\"}");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS - 3 * 2);
	assert_int_equal(
	        count(&b->records, "\"status\":\"given-up\"", "on n3: it never connected", NULL),
	        3 * 2);
	bed_free(b);
}

/*
 * n3 does one job and dies in its second, in the first attempt and in the second again; its third
 * job is the first one of the second attempt.
 */
static void assert_one_job_lost(const struct bed *b)
{
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(count(&b->journal, "step-start", "\"attempt\":1", NULL), 1);
	assert_int_equal(count(&b->journal, "step-start", "\"attempt\":2", NULL), 1);
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 2);
	assert_int_equal(ends(b, "ok"), UNITS - 2);
	/* Its partner may have been able to say that nobody answers. */
	assert_int_equal(ends(b, "given-up") + ends(b, "timeout"), 2);
	assert_true(count(&b->records, "\"type\":\"event\"", "on n3", NULL) > 0);
}

static void a_rank_that_dies_costs_the_job_it_had(void **state)
{
	struct bed *b = run_sim(&ops_sim, "{\"kind\":\"dead-node\",\"node\":\"n3\",\"after\":1}");

	(void)state;
	assert_one_job_lost(b);
	bed_free(b);
}

static void a_launcher_that_dies_with_its_rank_is_started_once_more(void **state)
{
	struct bed *b = run_sim(&ops_together,
	                        "{\"kind\":\"dead-node\",\"node\":\"n3\",\"after\":1}");

	(void)state;
	assert_one_job_lost(b);
	bed_free(b);
}

static void missing_records_are_given_up_not_believed(void **state)
{
	struct bed *b = run_sim(&ops_sim, "{\"kind\":\"missing-records\",\"node\":\"n1\"},"
	                                  "{\"kind\":\"missing-records\",\"node\":\"n2\"},"
	                                  "{\"kind\":\"missing-records\",\"node\":\"n3\"},"
	                                  "{\"kind\":\"missing-records\",\"node\":\"n4\"}");

	(void)state;
	assert_all_ended(b);
	assert_int_equal(ends(b, "given-up"), UNITS);
	assert_int_equal(count(&b->records, "no end record", NULL, NULL), UNITS);
	bed_free(b);
}

static void malformed_frames_cost_only_their_sender(void **state)
{
	struct bed *b = run_sim(&ops_sim, "{\"kind\":\"malformed-frames\",\"node\":\"n4\"}");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_true(ends(b, "ok") >= UNITS - 3 * 2);
	assert_int_equal(count(&b->records, "\"code\":\"misbehaved\"", "\"attempt\":1", NULL), 1);
	bed_free(b);
}

static void wrong_data_are_kept_and_marked_invalid(void **state)
{
	struct bed *b = run_sim(&ops_sim, "{\"kind\":\"wrong-data\",\"node\":\"n1\"},"
	                                  "{\"kind\":\"wrong-data\",\"node\":\"n2\"},"
	                                  "{\"kind\":\"wrong-data\",\"node\":\"n3\"},"
	                                  "{\"kind\":\"wrong-data\",\"node\":\"n4\"}");

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_all_ended(b);
	assert_int_equal(ends(b, "invalid"), UNITS);
	bed_free(b);
}

/* ---- children that are no helpers ---- */

static void a_launcher_that_does_not_exist_skips_its_units(void **state)
{
	struct bed *b = run_on("n[1-4]", &ops_none, NULL, -1, 0);

	(void)state;
	assert_int_equal(b->status, STEP_SKIPPED);
	assert_string_equal(b->reason, "hpcbench-no-such-launcher: not found in PATH; install it");
	assert_all_ended(b);
	assert_int_equal(ends(b, "skipped"), UNITS);
	bed_free(b);
}

static void a_missing_library_skips_with_the_loaders_line(void **state)
{
	struct bed *b = run_on("n[1-4]", &ops_script,
	                       "echo 'hpcbench-mpi: error while loading shared libraries: "
	                       "libmpi.so.40: cannot open shared object file' >&2; "
	                       "echo '-----------' >&2; exit 1",
	                       -1, 0);

	(void)state;
	assert_int_equal(b->status, STEP_SKIPPED);
	assert_non_null(strstr(b->reason, "libmpi.so.40"));
	assert_int_equal(ends(b, "skipped"), UNITS);
	bed_free(b);
}

static void a_launcher_that_prints_garbage_and_ends_well_has_failed(void **state)
{
	struct bed *b = run_on("n[1-4]", &ops_script,
	                       "head -c 100000 /dev/urandom; printf 'x\\033[31m\\n' >&2; exit 0",
	                       -1, 0);

	(void)state;
	assert_int_equal(b->status, STEP_FAILED);
	assert_non_null(strstr(b->reason, "started no rank"));
	assert_non_null(strstr(b->reason, "exit 0"));
	assert_null(strchr(b->reason, '\033'));
	assert_all_ended(b);
	assert_int_equal(ends(b, "given-up"), UNITS);
	bed_free(b);
}

static void a_launcher_that_hangs_is_killed_and_named(void **state)
{
	struct bed *b = run_on("n[1-4]", &ops_hang,
	                       "echo 'waiting for resources' >&2; exec sleep 1000", -1, 0);

	(void)state;
	assert_int_equal(b->status, STEP_FAILED);
	assert_non_null(strstr(b->reason, "waiting for resources"));
	assert_int_equal(ends(b, "given-up"), UNITS);
	assert_int_equal(count(&b->journal, "step-end", "\"signal\":15", NULL), 1);
	bed_free(b);
}

/* ---- signals ---- */

static void a_signal_stops_the_step_and_keeps_what_was_measured(void **state)
{
	char path[64] = "/tmp/hpcbench-model-XXXXXX";
	static const char model[] = "{\"schema\":1,\"delay_ms\":20000}";
	int fd = mkstemp(path), signals;
	struct bed *b;
	sigset_t set, old;

	(void)state;
	assert_int_equal(write(fd, model, sizeof model - 1), sizeof model - 1);
	close(fd);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &old);
	signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	b = run_on("n[1-4]", &ops_sim, path, signals, 1);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(signals);
	unlink(path);
	assert_int_equal(b->status, STEP_CANCELLED);
	assert_non_null(strstr(b->reason, "SIGINT (Ctrl-C)"));
	assert_all_ended(b);
	assert_int_equal(ends(b, "given-up"), UNITS);
	bed_free(b);
}

/* ---- rows ---- */

static void launchers_are_found_by_name_and_argument(void **state)
{
	const struct launcher_ops *ops = NULL;
	const char *arg = NULL;
	struct hb_err err;

	(void)state;
	assert_int_equal(launcher_find("local", &ops, &arg, &err), HB_OK);
	assert_ptr_equal(ops, &launcher_local);
	assert_null(arg);
	assert_int_equal(launcher_find("sim:a:b.json", &ops, &arg, &err), HB_OK);
	assert_ptr_equal(ops, &launcher_sim);
	assert_string_equal(arg, "a:b.json");
	assert_int_equal(launcher_find("sim", &ops, &arg, &err), HB_E_USAGE);
	assert_int_equal(launcher_find("sim:", &ops, &arg, &err), HB_E_USAGE);
	assert_int_equal(launcher_find("local:x", &ops, &arg, &err), HB_E_USAGE);
	assert_int_equal(launcher_find("slurp", &ops, &arg, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "local"));
}

/* The words of mpirun: the token's name is passed on, its value is on no command line. */
static void the_token_is_on_no_command_line(void **state)
{
	struct bed b = { 0 };
	struct launch_site site = { .ops = &launcher_local, .signal_fd = -1 };
	struct launch_reach reach = { 1, "127.0.0.1:1", "secret", NULL };
	struct launch_what w;
	struct launch_command c;
	struct hb_err err;
	bool named = false, in_env = false;

	(void)state;
	make_plan(&b, "n1");
	w = (struct launch_what){ &site, &b.plan, &b.plan.steps[0], NULL };
	if (launch_command_make(&w, &reach, &c, &err) != HB_OK) {
		plan_free(&b.plan); /* a build without MPI has no such helper */
		suite_free(&b.suite);
		skip();
	}
	assert_string_equal(c.argv[0], "mpirun");
	for (size_t i = 0; i < c.argc; i++) {
		assert_null(strstr(c.argv[i], "secret"));
		named = named || strcmp(c.argv[i], "HPCBENCH_TOKEN") == 0;
	}
	for (size_t i = 0; i < c.n_env; i++)
		in_env = in_env || strcmp(c.env[i], "HPCBENCH_TOKEN=secret") == 0;
	assert_true(named);
	assert_true(in_env);
	launch_command_free(&c);
	plan_free(&b.plan);
	suite_free(&b.suite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_unit_of_a_healthy_cluster_ends_ok),
		cmocka_unit_test(the_journal_names_a_job_before_its_units),
		cmocka_unit_test(a_hundred_nodes_are_no_trouble),
		cmocka_unit_test(a_silent_rank_costs_only_its_pairs),
		cmocka_unit_test(a_node_that_never_connects_costs_only_its_pairs),
		cmocka_unit_test(a_rank_that_dies_costs_the_job_it_had),
		cmocka_unit_test(a_launcher_that_dies_with_its_rank_is_started_once_more),
		cmocka_unit_test(missing_records_are_given_up_not_believed),
		cmocka_unit_test(malformed_frames_cost_only_their_sender),
		cmocka_unit_test(wrong_data_are_kept_and_marked_invalid),
		cmocka_unit_test(a_launcher_that_does_not_exist_skips_its_units),
		cmocka_unit_test(a_missing_library_skips_with_the_loaders_line),
		cmocka_unit_test(a_launcher_that_prints_garbage_and_ends_well_has_failed),
		cmocka_unit_test(a_launcher_that_hangs_is_killed_and_named),
		cmocka_unit_test(a_signal_stops_the_step_and_keeps_what_was_measured),
		cmocka_unit_test(launchers_are_found_by_name_and_argument),
		cmocka_unit_test(the_token_is_on_no_command_line),
	};

	alarm(ALARM_S); /* a wait that never ends is a failure, not a hang */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Why steps ended: srun's standard error, as Slurm 22.05 wrote it unless a row says otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/base/buf.h"
#include "harness/slurm/slurm.h"

#define MPI_ABORT_TEXT                                                                             \
	"--------------------------------------------------------------------------\n"             \
	"MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD\n"                         \
	"with errorcode 7.\n\n"                                                                    \
	"NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.\n"                    \
	"--------------------------------------------------------------------------\n"
#define ABORTED                "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
#define FINISH(n)              "srun: launch/slurm: _step_signal: Terminating StepId=1." n "\n"
#define CANCEL(n)              "slurmstepd-n1: error: *** STEP 1." n " ON n1 CANCELLED AT 2026-11-30T04:52:28"
#define TASK(node, task, what) "srun: error: " node ": task " task ": " what "\n"
#define EXECVE(node)           "slurmstepd-" node ": error: execve(): /nonexist: No such file or directory\n"

struct row {
	const char *text;
	enum slurm_cause cause;
	const char *node;
	int task;
	const char *told; /* a part of the line that tells */
};

static void check(const struct row *r)
{
	struct slurm_failure f;

	slurm_failure_parse(r->text, &f);
	if (f.cause != r->cause || strcmp(f.node, r->node) != 0 || f.task != r->task ||
	    !strstr(f.text, r->told) || (!r->told[0] && f.text[0]))
		fail_msg("%s\nis taken for %s, node '%s', task %d, text '%s'", r->text,
		         slurm_cause_name(f.cause), f.node, f.task, f.text);
}

#define CHECK_ALL(rows)                                                                            \
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++)                                \
	check(&(rows)[i])

static void a_task_that_dies_is_named(void **state)
{
	static const struct row rows[] = {
		{ TASK("n3", "2", "Killed") FINISH("0") CANCEL("0") " ***\n" TASK("n2", "1",
		                                                                  "Terminated")
		          TASK("n1", "0", "Terminated") "srun: Force Terminated StepId=1.0\n",
		  SLURM_PROGRAM, "n3", 2, "srun: error: n3: task 2: Killed" },
		{ TASK("n2", "1", "Killed") FINISH("1") TASK("n3", "2", "Killed")
		          TASK("n1", "0", "Killed") "srun: Force Terminated StepId=1.1\n",
		  SLURM_PROGRAM, "n2", 1, "n2: task 1: Killed" },
		{ TASK("n3", "2", "Segmentation fault") FINISH("2") CANCEL("2") " ***\n",
		  SLURM_PROGRAM, "n3", 2, "Segmentation fault" },
		{ TASK("n3", "2", "Aborted (core dumped)") FINISH("3"), SLURM_PROGRAM, "n3", 2,
		  "core dumped" },
		{ TASK("n3", "2", "Exited with exit code 3") FINISH("4")
		          CANCEL("4") " ***\n" TASK("n2", "1", "Terminated"),
		  SLURM_PROGRAM, "n3", 2, "exit code 3" },
		{ "srun: error: n[1-2]: tasks 0-1: Killed\n", SLURM_PROGRAM, "n1", 0, "tasks 0-1" },
		{ "srun: error: n[01,04]-ib.x: tasks 7,9: Killed\n", SLURM_PROGRAM, "n01-ib.x", 7,
		  "tasks 7,9" },
		{ "srun: error: n1,n2: tasks 0-1: Killed\n", SLURM_PROGRAM, "n1", 0, "" },
		{ TASK("n3", "2", "Out Of Memory"), SLURM_PROGRAM, "n3", 2, "Out Of Memory" },
		/* the program's last words without a newline */
		{ "dying nowsrun: error: n3: task 2: Killed\n", SLURM_PROGRAM, "n3", 2,
		  "srun: error: n3: task 2: Killed" },
		/* without -K the rest hangs until the time is over */
		{ TASK("n3", "2", "Killed") CANCEL("5") " DUE TO TIME LIMIT ***\n" ABORTED,
		  SLURM_PROGRAM, "n3", 2, "Killed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct slurm_failure f;
		if (rows[i].told[0]) {
			check(&rows[i]);
			continue;
		}
		slurm_failure_parse(rows[i].text, &f);
		assert_int_equal(f.cause, rows[i].cause);
		assert_string_equal(f.node, rows[i].node);
	}
}

static void mpi_abort_is_the_programs_though_slurm_says_cancelled(void **state)
{
	static const struct row rows[] = {
		{ MPI_ABORT_TEXT ABORTED CANCEL("17") " ***\n" TASK("n2", "1", "Killed")
		          FINISH("17") TASK("n3", "2", "Exited with exit code 7")
		                  TASK("n1", "0", "Killed"),
		  SLURM_PROGRAM, "n3", 2, "MPI_ABORT was invoked on rank 2" },
		/* all killed before the one that called could end */
		{ MPI_ABORT_TEXT CANCEL("18") " ***\n" ABORTED TASK("n1", "0", "Killed")
		          FINISH("18") TASK("n2", "1", "Killed") TASK("n3", "2", "Killed"),
		  SLURM_PROGRAM, "n3", 2, "MPI_ABORT" },
		/* the lines of different nodes may overtake one another */
		{ CANCEL("18") " ***\n" MPI_ABORT_TEXT TASK("n1", "0", "Killed")
		          TASK("n3", "2", "Killed"),
		  SLURM_PROGRAM, "n3", 2, "MPI_ABORT" },
		{ MPI_ABORT_TEXT "srun: error: n[1-3]: tasks 0-2: Killed\n", SLURM_PROGRAM, "", 2,
		  "MPI_ABORT" },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void cancelled_steps_are_told_from_tasks_that_die_of_it(void **state)
{
	static const struct row rows[] = {
		{ CANCEL("11") " ***\n" ABORTED TASK("n1", "0", "Killed") FINISH("11")
		          TASK("n3", "2", "Killed") TASK("n2", "1", "Killed"),
		  SLURM_CANCELLED, "", -1, "STEP 1.11 ON n1 CANCELLED AT" },
		{ ABORTED CANCEL("23") " ***\n" TASK("n2", "1", "Terminated") FINISH("23"),
		  SLURM_CANCELLED, "", -1, "CANCELLED AT" },
		{ "srun: forcing job termination\n" ABORTED CANCEL("20") " ***\n" TASK("n2", "1",
		                                                                       "Killed"),
		  SLURM_CANCELLED, "", -1, "CANCELLED AT" },
		{ ABORTED TASK("n2", "1", "Terminated"), SLURM_CANCELLED, "", -1,
		  "Job step aborted" },
		{ "srun: Force Terminated StepId=1.0\n", SLURM_CANCELLED, "", -1, "Force" },
		{ CANCEL("0") " DUE TO TIME LIMIT ***\n" ABORTED TASK("n4", "0", "Terminated"),
		  SLURM_TIME_LIMIT, "", -1, "DUE TO TIME LIMIT" },
		/* seen: what was ended first is told first */
		{ TASK("n3", "2", "Terminated") "srun: launch/slurm: _step_signal: Terminating "
		                                "StepId=1.0\n" TASK("n2", "1", "Terminated")
		                                        CANCEL("0") " DUE TO PREEMPTION ***\n",
		  SLURM_PREEMPTED, "", -1, "DUE TO PREEMPTION" },
		{ TASK("n3", "2", "Terminated") CANCEL("0") " ***\n", SLURM_CANCELLED, "", -1,
		  "CANCELLED AT" },
		{ "srun: got SIGCONT\nsrun: forcing job termination\n" ABORTED TASK(
		          "n4", "3", "Terminated") CANCEL("0") " DUE TO PREEMPTION ***\n",
		  SLURM_PREEMPTED, "", -1, "DUE TO PREEMPTION" },
		{ ABORTED CANCEL("0") " DUE TO TIME LIMIT ***\n", SLURM_TIME_LIMIT, "", -1,
		  "DUE TO TIME LIMIT" },
		/* texts that slurmstepd and srun have, not provoked */
		{ CANCEL("0") " DUE TO PREEMPTION ***\n" ABORTED, SLURM_PREEMPTED, "", -1,
		  "PREEMPTION" },
		{ CANCEL("0") " DUE TO JOB REQUEUE ***\n" ABORTED, SLURM_CANCELLED, "", -1,
		  "REQUEUE" },
		{ "srun: Job allocation 12 has been revoked\n", SLURM_CANCELLED, "", -1,
		  "revoked" },
		{ "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-30T04:52:28 DUE TO TIME "
		  "LIMIT ***\n",
		  SLURM_TIME_LIMIT, "", -1, "JOB 7" },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void a_node_failure_counts_wherever_it_stands(void **state)
{
	static const struct row rows[] = {
		{ "srun: error: Node failure on n3\n", SLURM_NODE_FAILED, "n3", -1,
		  "Node failure on n3" },
		{ "srun: Node failure on n3.\n", SLURM_NODE_FAILED, "n3", -1, "Node failure" },
		{ TASK("n1", "0", "Exited with exit code 1")
		          FINISH("1") "srun: error: Node failure on n3\n" TASK("n2", "1", "Killed"),
		  SLURM_NODE_FAILED, "n3", -1, "Node failure on n3" },
		{ ABORTED CANCEL("1") " ***\nsrun: error: Node failure on n[07-09]\n",
		  SLURM_NODE_FAILED, "n07", -1, "Node failure" },
		/* not provoked */
		{ CANCEL("0") " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n"
		              "srun: error: Node failure on n2\n",
		  SLURM_NODE_FAILED, "n2", -1, "Node failure on n2" },
		{ "slurmstepd-n4: error: *** STEP 1.0 ON n4 UNCORRECTABLE MEMORY ERROR AT "
		  "2026-11-30T04:52:28 ***\n",
		  SLURM_NODE_FAILED, "n4", -1, "UNCORRECTABLE" },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void a_program_that_never_ran_is_no_death_of_a_task(void **state)
{
	static const struct row rows[] = {
		{ EXECVE("n2") TASK("n2", "1", "Exited with exit code 2") FINISH("6") EXECVE("n1")
		          EXECVE("n3") TASK("n3", "2", "Exited with exit code 2"),
		  SLURM_NO_LAUNCH, "", -1, "execve(): /nonexist: No such file" },
		{ TASK("n3", "2", "Exited with exit code 13") FINISH(
		          "8") "slurmstepd-n3: error: execve(): /etc/hosts: Permission denied\n",
		  SLURM_NO_LAUNCH, "n3", -1, "Permission denied" },
		{ "slurmstepd: error: execve(): /opt/a-b: No such file or directory\n",
		  SLURM_NO_LAUNCH, "", -1, "/opt/a-b" },
		{ "srun: error: Task launch for StepId=3.0 failed on node n2: Communication "
		  "connection failure\n"
		  "srun: error: Application launch failed: Communication connection "
		  "failure\n" ABORTED TASK("n1", "0", "Killed") FINISH("0") CANCEL("0") " ***\n",
		  SLURM_NO_LAUNCH, "n2", -1, "failed on node n2" },
		{ "srun: error: Couldn't find the specified plugin name for mpi/bogus looking at "
		  "all files\n"
		  "srun: error: cannot find mpi plugin for mpi/bogus\n"
		  "srun: error: MPI: Cannot create context for mpi/bogus\n"
		  "srun: error: Invalid MPI type 'bogus', --mpi=list for acceptable types\n",
		  SLURM_NO_LAUNCH, "", -1, "cannot find mpi plugin" },
		{ "srun: unrecognized option '--bogus'\nTry \"srun --help\" for more information\n",
		  SLURM_NO_LAUNCH, "", -1, "--bogus" },
		{ "srun: error: Unable to create step for job 1: Requested node configuration is "
		  "not available\n",
		  SLURM_NO_LAUNCH, "", -1, "not available" },
		{ "srun: error: Unable to create step for job 1: More processors requested than "
		  "permitted\n",
		  SLURM_NO_LAUNCH, "", -1, "More processors" },
		{ "srun: error: Only allocated 3 nodes asked for 4\n", SLURM_NO_LAUNCH, "", -1,
		  "asked for 4" },
		{ "srun: error: Unable to confirm allocation for job 9999: Invalid job id "
		  "specified\n"
		  "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 9999\n",
		  SLURM_NO_LAUNCH, "", -1, "Invalid job id" },
		{ "srun: error: Slurm job 1 has expired\n", SLURM_NO_LAUNCH, "", -1, "expired" },
		/* not provoked */
		{ "srun: error: task 3 launch failed: Slurmd could not connect IO\n",
		  SLURM_NO_LAUNCH, "", 3, "could not connect IO" },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void what_srun_does_not_explain_stays_unknown(void **state)
{
	static const struct row rows[] = {
		{ "", SLURM_UNKNOWN, "", -1, "" },
		{ "\n\n", SLURM_UNKNOWN, "", -1, "" },
		{ "hello\nerror: bad\n*** An error occurred in MPI_Init\n", SLURM_UNKNOWN, "", -1,
		  "" },
		{ "The application appears to have been direct launched using \"srun\",\n"
		  "but OMPI was not built with SLURM's PMI support and therefore cannot\n",
		  SLURM_UNKNOWN, "", -1, "" },
		{ "slurmstepd-n2: error: couldn't chdir to `/nodir': No such file or directory: "
		  "going to /tmp instead\n",
		  SLURM_UNKNOWN, "", -1, "couldn't chdir" },
		{ "srun: error: something new\nsrun: error: and more\n", SLURM_UNKNOWN, "", -1,
		  "something new" },
		{ "srun: Job 5 step creation temporarily disabled, retrying (Requested nodes are "
		  "busy)\n",
		  SLURM_UNKNOWN, "", -1, "" },
		/* nobody's words but the program's */
		{ "n3: task 2: Killed\nNode failure on n1\nCANCELLED AT 1\n", SLURM_UNKNOWN, "", -1,
		  "" },
		{ "srun: error: : task 2: Killed\nsrun: error: n1: task x: Killed\n", SLURM_UNKNOWN,
		  "", -1, "task 2" },
		{ "srun: error: n1; rm: task 2: Killed\n", SLURM_UNKNOWN, "", -1, "rm" },
		{ "srun: error: n1: task 99999999999: Killed\n", SLURM_UNKNOWN, "", -1, "99999" },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void texts_come_out_short_and_clean(void **state)
{
	struct buf b = BUF_INIT;
	struct slurm_failure f;

	(void)state;
	slurm_failure_parse("srun: error: n1: task 0: \033[31mKil\xffled\t\xc2\x9b\r\n", &f);
	assert_int_equal(f.cause, SLURM_PROGRAM);
	assert_string_equal(f.text, "srun: error: n1: task 0:  [31mKil?led");
	buf_pad(&b, 'x', 1 << 20);
	buf_puts(&b, "srun: error: ");
	buf_pad(&b, 'n', 300);
	buf_puts(&b, ": task 1: Killed\n");
	slurm_failure_parse(buf_text(&b), &f);
	assert_int_equal(f.cause, SLURM_PROGRAM);
	assert_int_equal(strlen(f.node), NODESET_NAME_MAX);
	assert_int_equal(strlen(f.text), SLURM_TEXT_MAX - 1);
	buf_free(&b);
}

static void a_mebibyte_of_anything_does_no_harm(void **state)
{
	static const char *const seeds[] = {
		"srun: ",
		"srun: error: n[",
		"srun: error: n[1-65536]: tasks 0-65535: Killed\n",
		"slurmstepd-",
		"slurmstepd: error: execve(): ",
		"srun: error: n1: task 1",
		"MPI_ABORT was invoked on rank ",
		"MPI_ABORT was invoked on rank 9\nsrun: error: n1: tasks 1-2,,,-,7-: X\n",
		"[[[]]],,--",
		"\xf0\x9f\x98",
		"=",
		"\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
		struct buf b = BUF_INIT;
		struct slurm_failure f;
		while (b.len < 1 << 20)
			buf_puts(&b, seeds[i]);
		slurm_failure_parse(buf_text(&b), &f);
		assert_true(strlen(f.text) < SLURM_TEXT_MAX);
		assert_true(strlen(f.node) <= NODESET_NAME_MAX);
		assert_true(f.task >= -1);
		buf_free(&b);
	}
}

static void every_cause_has_a_name(void **state)
{
	(void)state;
	for (int c = SLURM_UNKNOWN; c <= SLURM_PROGRAM; c++)
		assert_true(slurm_cause_name((enum slurm_cause)c)[0]);
	assert_string_equal(slurm_cause_name(SLURM_CANCELLED), "cancelled");
	assert_string_equal(slurm_cause_name(SLURM_NODE_FAILED), "node-failure");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_that_dies_is_named),
		cmocka_unit_test(mpi_abort_is_the_programs_though_slurm_says_cancelled),
		cmocka_unit_test(cancelled_steps_are_told_from_tasks_that_die_of_it),
		cmocka_unit_test(a_node_failure_counts_wherever_it_stands),
		cmocka_unit_test(a_program_that_never_ran_is_no_death_of_a_task),
		cmocka_unit_test(what_srun_does_not_explain_stays_unknown),
		cmocka_unit_test(texts_come_out_short_and_clean),
		cmocka_unit_test(a_mebibyte_of_anything_does_no_harm),
		cmocka_unit_test(every_cause_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

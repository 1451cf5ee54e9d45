/* Children that behave and children that do not. Every wait is for an event, with an alarm above.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "harness/launch/spawn.h"

enum { ALARM_S = 50 };

struct lines {
	struct buf text;
	size_t n;
};

static void take_line(void *ctx, enum spawn_stream stream, const char *line)
{
	struct lines *l = ctx;

	buf_printf(&l->text, "%c:%s\n", stream == SPAWN_OUT ? 'o' : 'e', line);
	l->n++;
}

/* A child of the shell's: tests may use one, the program never does. */
static struct spawn *start(const char *script, struct lines *lines)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct spawn_params p = { .argv = argv, .line = lines ? take_line : NULL, .ctx = lines };
	struct spawn *s = NULL;
	struct hb_err err;

	assert_int_equal(spawn_start(&p, &s, &err), HB_OK);
	return s;
}

static void turn(struct spawn *s)
{
	struct pollfd v[SPAWN_FDS];

	poll(v, spawn_fds(s, v), spawn_tick_ms(s));
	spawn_service(s);
}

static int wait_end(struct spawn *s)
{
	int status = 0;

	while (!spawn_ended(s, &status))
		turn(s);
	return status;
}

static void wait_text(struct spawn *s, const char *text)
{
	while (!strstr(spawn_text(s, SPAWN_OUT), text) && !spawn_ended(s, NULL))
		turn(s);
	assert_non_null(strstr(spawn_text(s, SPAWN_OUT), text));
}

static void output_and_status_come_back(void **state)
{
	struct lines lines = { BUF_INIT, 0 };
	struct spawn *s = start("echo one; echo two; echo bad >&2; printf rest; exit 3", &lines);
	int status = wait_end(s);
	char text[64];

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_string_equal(spawn_text(s, SPAWN_OUT), "one\ntwo\nrest");
	assert_string_equal(spawn_text(s, SPAWN_ERR), "bad\n");
	assert_non_null(strstr(buf_text(&lines.text), "o:one\n"));
	assert_non_null(strstr(buf_text(&lines.text), "o:rest\n"));
	assert_non_null(strstr(buf_text(&lines.text), "e:bad\n"));
	assert_int_equal(lines.n, 4);
	spawn_status_text(status, text, sizeof text);
	assert_string_equal(text, "exit 3");
	spawn_free(s);
	buf_free(&lines.text);
}

static void standard_input_is_empty(void **state)
{
	struct spawn *s = start("if read x; then echo got; else echo none; fi", NULL);

	(void)state;
	wait_end(s);
	assert_string_equal(spawn_text(s, SPAWN_OUT), "none\n");
	spawn_free(s);
}

static void a_program_that_does_not_exist_says_so(void **state)
{
	const char *argv[] = { "hpcbench-no-such-program", NULL };
	struct spawn_params p = { .argv = argv, .missing_hint = "install it" };
	struct spawn *s = NULL;
	struct hb_err err;

	(void)state;
	assert_int_equal(spawn_start(&p, &s, &err), HB_E_UNSUPPORTED);
	assert_string_equal(err.text, "hpcbench-no-such-program: not found in PATH; install it");
	assert_null(s);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* and leaves no zombie */
	assert_int_equal(errno, ECHILD);
}

static void a_file_that_cannot_be_executed_says_so(void **state)
{
	const char *argv[] = { "/dev/null", NULL };
	struct spawn_params p = { .argv = argv };
	struct spawn *s = NULL;
	struct hb_err err;

	(void)state;
	assert_int_equal(spawn_start(&p, &s, &err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "/dev/null: cannot be executed"));
}

static void the_environment_is_added_to_and_replaced(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "echo $SPAWN_A-$SPAWN_B-$SPAWN_C", NULL };
	const char *env[] = { "SPAWN_A=new", "SPAWN_B=two", NULL };
	struct spawn_params p = { .argv = argv, .env = env };
	struct spawn *s = NULL;
	struct hb_err err;

	(void)state;
	setenv("SPAWN_A", "old", 1);
	setenv("SPAWN_C", "kept", 1);
	assert_int_equal(spawn_start(&p, &s, &err), HB_OK);
	wait_end(s);
	assert_string_equal(spawn_text(s, SPAWN_OUT), "new-two-kept\n");
	spawn_free(s);
}

static void no_descriptor_of_ours_leaks(void **state)
{
	int leak = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct spawn *s, *other = start("echo here; exec sleep 1000", NULL);

	(void)state;
	s = start("ls /proc/self/fd", NULL);
	wait_end(s);
	/* 0, 1, 2, and the folder that ls itself reads */
	assert_string_equal(spawn_text(s, SPAWN_OUT), "0\n1\n2\n3\n");
	spawn_free(s);
	spawn_free(other);
	close(leak);
}

static void a_flood_keeps_its_last_part_and_ends(void **state)
{
	struct spawn *s = start("i=0; while [ $i -lt 3000 ]; do echo line $i "
	                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; "
	                        "i=$((i+1)); done; echo the end",
	                        NULL);
	size_t len;

	(void)state;
	wait_end(s);
	len = strlen(spawn_text(s, SPAWN_OUT));
	assert_true(len <= SPAWN_KEEP && len > SPAWN_KEEP / 2);
	assert_non_null(strstr(spawn_text(s, SPAWN_OUT), "the end\n"));
	assert_null(strstr(spawn_text(s, SPAWN_OUT), "line 0 "));
	spawn_free(s);
}

static void an_endless_flood_does_not_starve_the_loop(void **state)
{
	struct spawn *s = start("exec yes", NULL);

	(void)state;
	for (int i = 0; i < 50; i++)
		turn(s);
	spawn_stop(s, 5000);
	assert_true(spawn_ended(s, NULL));
	spawn_free(s);
}

static void a_long_line_comes_in_pieces(void **state)
{
	struct lines lines = { BUF_INIT, 0 };
	struct spawn *s = start("head -c 10000 /dev/zero | tr '\\0' x; echo", &lines);

	(void)state;
	wait_end(s);
	assert_int_equal(lines.n, 3); /* 4096 + 4096 + 1808 */
	spawn_free(s);
	buf_free(&lines.text);
}

static void garbage_is_kept_as_it_came(void **state)
{
	struct spawn *s = start("printf 'a\\001\\033[31m\\377z\\n' >&2; exit 1", NULL);

	(void)state;
	wait_end(s);
	assert_string_equal(spawn_text(s, SPAWN_ERR), "a\001\033[31m\377z\n");
	spawn_free(s);
}

static void a_child_that_ignores_term_is_killed(void **state)
{
	struct spawn *s = start("trap '' TERM; echo ready; while :; do sleep 1000; done", NULL);
	int status;
	char text[64];

	(void)state;
	wait_text(s, "ready\n");
	spawn_stop(s, 50);
	assert_true(spawn_ended(s, &status));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	spawn_status_text(status, text, sizeof text);
	assert_string_equal(text, "signal 9 (Killed)");
	spawn_free(s);
}

static void a_stopped_child_hears_term_too(void **state)
{
	struct spawn *s = start("echo ready; kill -STOP $$; sleep 1000", NULL);
	int status;

	(void)state;
	wait_text(s, "ready\n");
	spawn_stop(s, 20000);
	assert_true(spawn_ended(s, &status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	spawn_free(s);
}

/* Becomes the parent of orphans, so that their end can be waited for instead of guessed. */
static pid_t read_pid(struct spawn *s)
{
	wait_text(s, "\n");
	return (pid_t)strtol(spawn_text(s, SPAWN_OUT), NULL, 10);
}

static void grandchildren_of_the_group_end_with_it(void **state)
{
	struct spawn *s;
	pid_t orphan;
	int status;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	s = start("sleep 1000 & echo $!; exit 0", NULL);
	orphan = read_pid(s);
	wait_end(s);
	assert_int_equal(waitpid(orphan, &status, 0), orphan);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	spawn_free(s);
}

static void a_killed_parent_takes_its_child_along(void **state)
{
	int fds[2];
	pid_t middle, child = 0;
	int status;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	middle = fork();
	if (middle == 0) {
		struct spawn *s = start("exec sleep 1000", NULL);
		pid_t pid = spawn_pid(s);
		if (write(fds[1], &pid, sizeof pid) != sizeof pid)
			_exit(1);
		pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
	kill(middle, SIGKILL);
	assert_int_equal(waitpid(middle, NULL, 0), middle);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(fds[0]);
}

static void freeing_ends_what_runs(void **state)
{
	struct spawn *s = start("exec sleep 1000", NULL);
	pid_t pid = spawn_pid(s);

	(void)state;
	spawn_free(s);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_come_back),
		cmocka_unit_test(standard_input_is_empty),
		cmocka_unit_test(a_program_that_does_not_exist_says_so),
		cmocka_unit_test(a_file_that_cannot_be_executed_says_so),
		cmocka_unit_test(the_environment_is_added_to_and_replaced),
		cmocka_unit_test(no_descriptor_of_ours_leaks),
		cmocka_unit_test(a_flood_keeps_its_last_part_and_ends),
		cmocka_unit_test(an_endless_flood_does_not_starve_the_loop),
		cmocka_unit_test(a_long_line_comes_in_pieces),
		cmocka_unit_test(garbage_is_kept_as_it_came),
		cmocka_unit_test(a_child_that_ignores_term_is_killed),
		cmocka_unit_test(a_stopped_child_hears_term_too),
		cmocka_unit_test(grandchildren_of_the_group_end_with_it),
		cmocka_unit_test(a_killed_parent_takes_its_child_along),
		cmocka_unit_test(freeing_ends_what_runs),
	};

	for (int fd = 3; fd < 1024; fd++) /* what whoever runs the tests left open */
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	alarm(ALARM_S); /* a wait that never ends is a failure, not a hang */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

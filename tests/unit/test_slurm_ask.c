/* Commands that answer, fail, hang and flood, and a scontrol that the test writes itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "fake_path.h"
#include "harness/launch/spawn.h"
#include "harness/slurm/slurm.h"

enum { ALARM_S = 50, LONG_MS = 40000 };

static int ask(const char *script, int timeout_ms, int signal_fd, struct slurm_answer *a,
               struct hb_err *err)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };

	return slurm_ask(argv, timeout_ms, signal_fd, a, err);
}

static void both_outputs_and_the_status_come_back(void **state)
{
	struct slurm_answer a;
	struct hb_err err;

	(void)state;
	assert_int_equal(ask("echo yes; echo no >&2; exit 3", LONG_MS, -1, &a, &err), HB_OK);
	assert_string_equal(a.out, "yes\n");
	assert_string_equal(a.err, "no\n");
	assert_true(WIFEXITED(a.status) && WEXITSTATUS(a.status) == 3);
	slurm_answer_free(&a);
	assert_null(a.out);
	slurm_answer_free(&a);
}

static void commands_speak_plain_english_and_usual_times(void **state)
{
	struct slurm_answer a;

	(void)state;
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("SLURM_TIME_FORMAT", "relative", 1);
	assert_int_equal(ask("echo $LC_ALL $SLURM_TIME_FORMAT", LONG_MS, -1, &a, NULL), HB_OK);
	assert_string_equal(a.out, "C standard\n");
	slurm_answer_free(&a);
	unsetenv("LC_ALL");
	unsetenv("SLURM_TIME_FORMAT");
}

static void a_command_that_does_not_exist_is_said_so(void **state)
{
	static const char *const argv[] = { "no-such-slurm-command", "x", NULL };
	struct slurm_answer a;
	struct hb_err err;

	(void)state;
	assert_int_equal(slurm_ask(argv, LONG_MS, -1, &a, &err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "no-such-slurm-command"));
	assert_non_null(strstr(err.text, "Slurm's client commands"));
	assert_null(a.out);
}

static void assert_gone(const char *path)
{
	struct buf b = BUF_INIT;

	assert_int_equal(buf_read_file(&b, path, 100, NULL), HB_OK);
	assert_int_equal(kill((pid_t)strtol(buf_text(&b), NULL, 10), 0), -1);
	assert_int_equal(errno, ESRCH);
	buf_free(&b);
	unlink(path);
}

static void a_command_that_hangs_is_ended(void **state)
{
	char *path = hb_format("/tmp/test-slurm-ask-%d", (int)getpid());
	char *script = hb_format("echo $$ >%s; echo waiting >&2; trap '' TERM; "
	                         "while :; do sleep 1; done",
	                         path);
	struct slurm_answer a;
	struct hb_err err;

	(void)state;
	assert_int_equal(ask(script, 1500, -1, &a, &err), HB_E_TIMEOUT);
	assert_non_null(strstr(err.text, "waiting"));
	assert_null(a.out);
	assert_gone(path);
	free(script);
	free(path);
}

static void a_signal_ends_the_command_and_is_left_to_its_reader(void **state)
{
	char *path = hb_format("/tmp/test-slurm-ask-%d", (int)getpid());
	char *script = hb_format("echo $$ >%s.new; mv %s.new %s; exec sleep 100", path, path, path);
	int ends[2];
	char c;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t teller = fork();
	if (teller == 0) { /* tells once the command runs */
		while (access(path, F_OK) != 0)
			usleep(5000);
		_exit(write(ends[1], "!", 1) != 1);
	}
	struct slurm_answer a;
	struct hb_err err;
	assert_int_equal(ask(script, -1, ends[0], &a, &err), HB_E_CANCELLED);
	assert_int_equal(waitpid(teller, NULL, 0), teller);
	assert_int_equal(read(ends[0], &c, 1), 1);
	assert_gone(path);
	close(ends[0]);
	close(ends[1]);
	free(script);
	free(path);
}

static void a_flood_is_bounded(void **state)
{
	struct slurm_answer a;

	(void)state;
	assert_int_equal(
	        ask("yes | head -c 1048576; yes | head -c 1048576 >&2", LONG_MS, -1, &a, NULL),
	        HB_OK);
	assert_int_equal(strlen(a.out), SPAWN_KEEP);
	assert_int_equal(strlen(a.err), SPAWN_KEEP);
	slurm_answer_free(&a);
}

/* ---- a scontrol of the test's own ---- */

static void nodes_come_back_in_the_order_asked_for(void **state)
{
	struct nodeset names = { NULL, 0, 0 };
	struct slurm_node *v = NULL;
	struct hb_err err;
	struct fake f;

	(void)state;
	fake_open(&f);
	fake_put(&f, "scontrol",
	         "echo \"$@\" >>$FAKE/asked\n"
	         "echo 'NodeName=n1 State=IDLE'\n"
	         "echo 'NodeName=n3 State=MIXED+DRAIN Reason=x [a@b]'\n"
	         "echo 'Node zz7 not found' >&2\nexit 1");
	assert_int_equal(nodeset_parse("n3,zz7,n1", &names, &err), HB_OK);
	assert_int_equal(slurm_nodes(&names, -1, &v, &err), HB_OK);
	assert_string_equal(v[0].name, "n3");
	assert_true(v[0].up && !v[0].takes);
	assert_string_equal(v[0].reason, "x");
	assert_string_equal(v[1].name, "zz7");
	assert_string_equal(v[1].state, "unknown");
	assert_true(!v[1].up && !v[1].takes);
	assert_string_equal(v[2].name, "n1");
	assert_true(v[2].takes);
	char *file = hb_format("%s/asked", f.dir);
	struct buf b = BUF_INIT;
	assert_int_equal(buf_read_file(&b, file, 1000, &err), HB_OK);
	assert_string_equal(buf_text(&b), "--oneliner show node n3,zz7,n1\n");
	buf_free(&b);
	free(file);
	free(v);
	nodeset_free(&names);
	fake_close(&f);
}

static void thousands_of_nodes_with_long_lines_are_asked_in_parts(void **state)
{
	struct nodeset names = { NULL, 0, 0 };
	struct slurm_node *v = NULL;
	struct hb_err err;
	struct fake f;

	(void)state;
	/* Lines longer than a piece of output; all nodes with every call. */
	fake_open(&f);
	fake_put(&f, "scontrol",
	         "echo x >>$FAKE/asked\n"
	         "awk 'BEGIN { for (i = 0; i < 420; i++) p = p \"feature-0,\";\n"
	         "for (i = 1; i <= 2500; i++) printf(\"NodeName=n%d F=%s State=IDLE\\n\", i, "
	         "p) }'");
	assert_int_equal(nodeset_parse("n[1-2500]", &names, &err), HB_OK);
	assert_int_equal(slurm_nodes(&names, -1, &v, &err), HB_OK);
	for (size_t i = 0; i < names.n; i++) {
		assert_string_equal(v[i].name, names.v[i]);
		assert_true(v[i].takes);
	}
	char *file = hb_format("%s/asked", f.dir);
	struct stat st;
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_size, 3 * 2);
	free(file);
	free(v);
	nodeset_free(&names);
	fake_close(&f);
}

static void a_controller_that_does_not_answer_is_told_in_its_words(void **state)
{
	struct nodeset names = { NULL, 0, 0 };
	struct slurm_node *v = NULL;
	struct slurm_config c;
	struct hb_err err;
	struct fake f;

	(void)state;
	fake_open(&f);
	fake_put(&f, "scontrol",
	         "echo 'slurm_load_node error: Unable to contact slurm controller (connect "
	         "failure)' >&2; exit 1");
	assert_int_equal(nodeset_parse("n[1-3]", &names, &err), HB_OK);
	assert_int_equal(slurm_nodes(&names, -1, &v, &err), HB_E_LIB);
	assert_non_null(strstr(err.text, "Unable to contact slurm controller"));
	assert_null(v);
	assert_int_equal(slurm_config_read(-1, &c, &err), HB_E_LIB);
	assert_non_null(strstr(err.text, "Unable to contact slurm controller"));
	nodeset_free(&names);
	fake_close(&f);
}

static void the_configuration_is_asked_for(void **state)
{
	struct slurm_config c;
	struct hb_err err;
	struct fake f;

	(void)state;
	fake_open(&f);
	fake_put(&f, "scontrol", "[ \"$*\" = 'show config' ] && echo 'SLURM_VERSION = 22.05.8'");
	assert_int_equal(slurm_config_read(-1, &c, &err), HB_OK);
	assert_string_equal(c.version, "22.05.8");
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_outputs_and_the_status_come_back),
		cmocka_unit_test(commands_speak_plain_english_and_usual_times),
		cmocka_unit_test(a_command_that_does_not_exist_is_said_so),
		cmocka_unit_test(a_command_that_hangs_is_ended),
		cmocka_unit_test(a_signal_ends_the_command_and_is_left_to_its_reader),
		cmocka_unit_test(a_flood_is_bounded),
		cmocka_unit_test(nodes_come_back_in_the_order_asked_for),
		cmocka_unit_test(thousands_of_nodes_with_long_lines_are_asked_in_parts),
		cmocka_unit_test(a_controller_that_does_not_answer_is_told_in_its_words),
		cmocka_unit_test(the_configuration_is_asked_for),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

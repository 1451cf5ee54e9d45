/* The guard of an allocation, with a scancel that the test writes itself. */
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
#include "harness/slurm/slurm.h"

enum { ALARM_S = 50 };

struct fake {
	char dir[64];
	char *called; /* the file that scancel writes its words to */
	char *path;   /* PATH as it was */
};

/* Writes the words to a file of another name first, so that what is found is whole. */
static int fake_open(void **state)
{
	static struct fake f;
	const char *old = getenv("PATH");

	snprintf(f.dir, sizeof f.dir, "/tmp/test-slurm-XXXXXX");
	assert_non_null(mkdtemp(f.dir));
	f.called = hb_format("%s/called", f.dir);
	f.path = hb_strdup(old);
	char *file = hb_format("%s/scancel", f.dir), *path = hb_format("%s:%s", f.dir, old);
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	fprintf(out,
	        "#!/bin/sh\n"
	        "echo \"$*\" >%s.new\n"
	        "env | grep -c ^SCANCEL_ >>%s.new\n"
	        "ls /proc/self/fd | wc -l >>%s.new\n"
	        "pwd >>%s.new\n"
	        "mv %s.new %s\n",
	        f.called, f.called, f.called, f.called, f.called, f.called);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(file, 0755), 0);
	setenv("PATH", path, 1);
	setenv("SCANCEL_INTERACTIVE", "1", 1);
	free(path);
	free(file);
	*state = &f;
	return 0;
}

static int fake_close(void **state)
{
	struct fake *f = *state;
	char *file = hb_format("%s/scancel", f->dir);

	setenv("PATH", f->path, 1);
	unlink(file);
	unlink(f->called);
	assert_int_equal(rmdir(f->dir), 0);
	free(file);
	free(f->called);
	free(f->path);
	return 0;
}

/* The alarm bounds the wait. Standard three and that of ls itself make four descriptors. */
static void assert_called(const struct fake *f, const char *words)
{
	char *want = hb_format("%s\n0\n4\n/\n", words);
	struct buf b = BUF_INIT;

	while (access(f->called, F_OK) != 0)
		usleep(5000);
	assert_int_equal(buf_read_file(&b, f->called, 1000, NULL), HB_OK);
	assert_string_equal(buf_text(&b), want);
	buf_free(&b);
	free(want);
}

static struct slurm_guard *open_guard(void)
{
	struct slurm_guard *g = NULL;
	struct hb_err err;

	assert_int_equal(slurm_guard_open("hpcbench-x", &g, &err), HB_OK);
	return g;
}

static void closing_cancels_the_job_it_was_told(void **state)
{
	struct slurm_guard *g = open_guard();

	slurm_guard_job(g, 12345678901234567890U);
	slurm_guard_close(g);
	/* close has waited for it */
	assert_int_equal(access(((struct fake *)*state)->called, F_OK), 0);
	assert_called(*state, "12345678901234567890");
}

static void the_last_id_told_counts(void **state)
{
	struct slurm_guard *g = open_guard();

	slurm_guard_job(g, 41);
	slurm_guard_job(g, 7);
	slurm_guard_close(g);
	assert_called(*state, "7");
}

static void without_an_id_it_goes_by_name_and_user(void **state)
{
	char *want = hb_format("--name=hpcbench-x --user=%lu", (unsigned long)getuid());

	slurm_guard_close(open_guard());
	assert_called(*state, want);
	free(want);
}

/* A process that opens a guard, says so and sleeps; signals go to it and its group. */
static pid_t owner(uint64_t job)
{
	int ends[2];
	char c;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct slurm_guard *g = NULL;
		setpgid(0, 0);
		alarm(ALARM_S);
		if (slurm_guard_open("hpcbench-x", &g, NULL) != HB_OK)
			_exit(1);
		slurm_guard_job(g, job);
		if (write(ends[1], "!", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

static void it_outlives_a_killed_owner_and_cancels(void **state)
{
	pid_t pid = owner(99);

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_called(*state, "99");
}

static void signals_to_the_owners_group_do_not_reach_it(void **state)
{
	struct fake *f = *state;
	pid_t pid = owner(98);

	kill(-pid, SIGSTOP);
	kill(-pid, SIGINT);
	kill(-pid, SIGTERM);
	kill(-pid, SIGHUP);
	assert_int_not_equal(access(f->called, F_OK), 0); /* the owner, stopped, still is */
	kill(-pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_called(f, "98");
}

static void a_missing_scancel_ends_it_all_the_same(void **state)
{
	struct fake *f = *state;
	char *old = hb_strdup(getenv("PATH"));
	struct slurm_guard *g;

	setenv("PATH", "/nonexistent", 1);
	g = open_guard();
	slurm_guard_job(g, 5);
	slurm_guard_close(g);
	setenv("PATH", old, 1);
	free(old);
	/* nothing is left to reap */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_not_equal(access(f->called, F_OK), 0);
}

static void names_that_could_mean_other_jobs_are_refused(void **state)
{
	struct slurm_guard *g = NULL;
	struct hb_err err;

	(void)state;
	assert_int_equal(slurm_guard_open("", &g, &err), HB_E_USAGE);
	assert_int_equal(slurm_guard_open("a,b", &g, &err), HB_E_USAGE);
	assert_null(g);
	slurm_guard_close(g);
}

int main(void)
{
#define WITH_FAKE(f) cmocka_unit_test_setup_teardown(f, fake_open, fake_close)
	const struct CMUnitTest tests[] = {
		WITH_FAKE(closing_cancels_the_job_it_was_told),
		WITH_FAKE(the_last_id_told_counts),
		WITH_FAKE(without_an_id_it_goes_by_name_and_user),
		WITH_FAKE(it_outlives_a_killed_owner_and_cancels),
		WITH_FAKE(signals_to_the_owners_group_do_not_reach_it),
		WITH_FAKE(a_missing_scancel_ends_it_all_the_same),
		cmocka_unit_test(names_that_could_mean_other_jobs_are_refused),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

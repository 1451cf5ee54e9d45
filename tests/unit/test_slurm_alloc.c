/* Allocations: the words given to salloc, its answers, and a salloc that the test writes itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/slurm/slurm.h"

enum { ALARM_S = 50 };

/* ---- options and words ---- */

static void options_are_checked_before_slurm_sees_them(void **state)
{
	static const char *const refused[] = { "nodes", "nodelist", "no-shell", "jobid", NULL };
	static const struct {
		const char *opt, *told; /* NULL: fine */
	} rows[] = {
		{ "partition=debug", NULL },
		{ "exclusive=no", NULL },
		{ "overcommit", NULL },
		{ "gres=gpu:4,x=1", NULL },
		{ "comment=two words \xc3\xa9", NULL },
		{ "mem=0", NULL },
		{ "ntasks-per-node=2", NULL },
		{ "no-requeue", NULL },
		{ "nodes=4", "hpcbench sets --nodes itself" },
		{ "nodelist=n1", "hpcbench sets --nodelist itself" },
		{ "no-shell", "hpcbench sets --no-shell itself" },
		{ "nodel=n1", "could stand for --nodelist" },
		{ "n=3", "could stand for --nodes" },
		{ "", "want OPT=VAL or OPT" },
		{ "=x", "want OPT=VAL or OPT" },
		{ "-p", "want OPT=VAL or OPT" },
		{ "--partition=x", "want OPT=VAL or OPT" },
		{ "Partition=x", "want OPT=VAL or OPT" },
		{ "two words", "want OPT=VAL or OPT" },
		{ "partition=", "nothing stands behind" },
		{ "comment=a\nb", "control character" },
		{ "comment=\033[31m", "control character" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *const opts[] = { "qos=high", rows[i].opt };
		struct hb_err err = { HB_OK, "" };
		int rc = slurm_opts_check("--alloc", opts, 2, refused, &err);
		if (rc != (rows[i].told ? HB_E_USAGE : HB_OK))
			fail_msg("%s: %d %s", rows[i].opt, rc, err.text);
		if (rows[i].told) {
			assert_non_null(strstr(err.text, rows[i].told));
			assert_non_null(strstr(err.text, "--alloc"));
			assert_null(strchr(err.text, '\n'));
			assert_null(strchr(err.text, '\033'));
		}
	}
	assert_int_equal(slurm_opts_check("--alloc", NULL, 0, refused, NULL), HB_OK);
	const char *const nodes[] = { "nodes=4" };
	assert_int_equal(slurm_opts_check("--step", nodes, 1, NULL, NULL), HB_OK);
}

static void check_argv(double seconds, const char *const *opts, size_t n_opts, const char *want)
{
	struct nodeset nodes = { NULL, 0, 0 };
	struct buf b = BUF_INIT;
	struct slurm_alloc_params p = {
		.job_name = "hpcbench-x",
		.nodes = &nodes,
		.seconds = seconds,
		.opts = opts,
		.n_opts = n_opts,
		.signal_fd = -1,
	};

	assert_int_equal(nodeset_parse("n[1-3],m7", &nodes, NULL), HB_OK);
	char **argv = slurm_alloc_argv(&p);
	for (size_t i = 0; argv[i]; i++) {
		buf_printf(&b, "%s%s", i ? " " : "", argv[i]);
		free(argv[i]);
	}
	free(argv);
	assert_string_equal(buf_text(&b), want);
	buf_free(&b);
	nodeset_free(&nodes);
}

static void options_replace_defaults_of_their_name(void **state)
{
#define FRONT "salloc --no-shell --no-kill --job-name=hpcbench-x --nodes=4 --nodelist=n[1-3],m7"
	static const char *const some[] = { "partition=debug", "overcommit" };
	static const char *const shared[] = { "exclusive=no" };
	static const char *const user[] = { "exclusive=user", "time=1:00:00" };
	static const char *const mine[] = { "job-name=mine", "time-min=5" };

	(void)state;
	check_argv(61, NULL, 0, FRONT " --time=2 --exclusive");
	check_argv(60, NULL, 0, FRONT " --time=1 --exclusive");
	check_argv(0, NULL, 0, FRONT " --time=1 --exclusive");
	check_argv(86400, NULL, 0, FRONT " --time=1440 --exclusive");
	check_argv(1, some, 2, FRONT " --time=1 --exclusive --partition=debug --overcommit");
	check_argv(1, shared, 1, FRONT " --time=1");
	check_argv(1, user, 2, FRONT " --exclusive=user --time=1:00:00");
	check_argv(1, mine, 2,
	           "salloc --no-shell --no-kill --nodes=4 --nodelist=n[1-3],m7 --time=1 "
	           "--exclusive --job-name=mine --time-min=5");
}

static void the_granted_id_is_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t id;
	} rows[] = {
		/* seen */
		{ "salloc: Granted job allocation 1\n", 1 },
		{ "salloc: Pending job allocation 2\nsalloc: job 2 queued and waiting for "
		  "resources\nsalloc: job 2 has been allocated resources\nsalloc: Granted job "
		  "allocation 2\n",
		  2 },
		{ "salloc: Pending job allocation 2\nsalloc: job 2 queued and waiting for "
		  "resources\nsalloc: Job aborted due to signal\n",
		  0 },
		{ "salloc: error: Unable to allocate resources: Requested nodes are busy\n", 0 },
		/* hostile */
		{ "", 0 },
		{ "Granted job allocation 5\n", 0 },
		{ "salloc: Granted job allocation \n", 0 },
		{ "salloc: Granted job allocation x7\n", 0 },
		{ "salloc: Granted job allocation -7\n", 0 },
		{ "salloc: Granted job allocation 99999999999999999999999\n", 0 },
		{ "salloc: Granted job allocation 18446744073709551610", 0 },
		{ "salloc: Granted job allocation 1844674407370955160", 1844674407370955160U },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (slurm_alloc_parse(rows[i].text) != rows[i].id)
			fail_msg("%s", rows[i].text);
}

/* ---- a salloc of the test's own ---- */

struct fake {
	char dir[64];
	char *path; /* PATH as it was */
	struct buf notes;
	int ends[2]; /* of the signal */
};

static void put_script(const struct fake *f, const char *name, const char *script)
{
	char *file = hb_format("%s/%s", f->dir, name);
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(file, 0755), 0);
	free(file);
}

static void fake_open(struct fake *f, const char *script)
{
	const char *old = getenv("PATH");

	*f = (struct fake){ .notes = BUF_INIT };
	snprintf(f->dir, sizeof f->dir, "/tmp/test-slurm-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(pipe(f->ends), 0);
	f->path = hb_strdup(old);
	char *path = hb_format("%s:%s", f->dir, old);
	put_script(f, "salloc", script);
	setenv("PATH", path, 1);
	setenv("FAKE", f->dir, 1);
	free(path);
}

static void fake_close(struct fake *f)
{
	char *file = hb_format("%s/salloc", f->dir), *ended = hb_format("%s/ended", f->dir);

	char *squeue = hb_format("%s/squeue", f->dir);
	setenv("PATH", f->path, 1);
	unlink(file);
	unlink(ended);
	unlink(squeue);
	free(squeue);
	assert_int_equal(rmdir(f->dir), 0);
	close(f->ends[0]);
	close(f->ends[1]);
	buf_free(&f->notes);
	free(ended);
	free(file);
	free(f->path);
}

/* Keeps what is said; the first line also brings the signal where the test wants one. */
static void note(void *ctx, const char *level, const char *text)
{
	struct fake *f = ctx;

	buf_printf(&f->notes, "%s: %s\n", level, text);
	assert_int_equal(write(f->ends[1], "!", 1), 1);
}

static int allocate_within(struct fake *f, int signal_fd, double max_wait_s, uint64_t *job,
                           struct hb_err *err)
{
	struct nodeset nodes = { NULL, 0, 0 };
	struct slurm_alloc_params p = {
		.job_name = "hpcbench-x",
		.nodes = &nodes,
		.seconds = 300,
		.max_wait_s = max_wait_s,
		.signal_fd = signal_fd,
		.note = note,
		.ctx = f,
	};

	assert_int_equal(nodeset_parse("n[1-2]", &nodes, NULL), HB_OK);
	int rc = slurm_allocate(&p, job, err);
	nodeset_free(&nodes);
	return rc;
}

static int allocate(struct fake *f, int signal_fd, uint64_t *job, struct hb_err *err)
{
	return allocate_within(f, signal_fd, 0, job, err);
}

static void a_grant_gives_the_id_and_no_note(void **state)
{
	struct hb_err err;
	struct fake f;
	uint64_t job = 0;

	(void)state;
	fake_open(&f, "[ \"$5\" = '--nodelist=n[1-2]' ] || exit 9\n"
	              "echo 'salloc: Granted job allocation 41' >&2");
	assert_int_equal(allocate(&f, f.ends[0], &job, &err), HB_OK);
	assert_int_equal(job, 41);
	assert_string_equal(buf_text(&f.notes), "");
	fake_close(&f);
}

static void a_job_that_waits_is_told_once_with_the_reason(void **state)
{
	struct hb_err err;
	struct fake f;
	uint64_t job = 0;

	(void)state;
	fake_open(&f, "echo 'salloc: Pending job allocation 12' >&2\n"
	              "echo 'salloc: job 12 queued and waiting for resources' >&2\n"
	              "echo 'salloc: job 12 has been allocated resources' >&2\n"
	              "echo 'salloc: Granted job allocation 12' >&2");
	assert_int_equal(allocate(&f, -1, &job, &err), HB_OK);
	assert_int_equal(job, 12);
	assert_string_equal(buf_text(&f.notes),
	                    "info: job 12 waits for its nodes (salloc: job 12 queued and waiting "
	                    "for resources)\n");
	fake_close(&f);
	fake_open(&f, "echo 'salloc: Required node not available (down, drained or reserved)' >&2\n"
	              "echo 'salloc: Pending job allocation 2' >&2\n"
	              "echo 'salloc: job 2 queued and waiting for resources' >&2\n"
	              "echo 'salloc: Granted job allocation 2' >&2");
	assert_int_equal(allocate(&f, -1, &job, &err), HB_OK);
	assert_string_equal(buf_text(&f.notes),
	                    "info: job 2 waits for its nodes (salloc: Required node not available "
	                    "(down, drained or reserved))\n");
	fake_close(&f);
}

/* A salloc that waits until it is ended, and leaves a sign that it was given the time to. */
#define WAITS                                                                                      \
	"trap 'echo yes >$FAKE/ended; exit 1' TERM\n"                                              \
	"echo 'salloc: Pending job allocation 3' >&2\n"                                            \
	"echo 'salloc: job 3 queued and waiting for resources' >&2\n"                              \
	"while :; do sleep 0.05; done"

static void assert_was_ended(const struct fake *f)
{
	char *ended = hb_format("%s/ended", f->dir);

	assert_int_equal(access(ended, F_OK), 0);
	free(ended);
}

static void who_waits_too_long_is_told_why_and_until_when(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct fake f;
	uint64_t job = 7;

	(void)state;
	fake_open(&f, WAITS);
	put_script(&f, "squeue",
	           "[ \"$*\" = '-h -t pending -j 3 -o %r|%S' ] || exit 9\n"
	           "echo 'Resources|2026-03-01T12:00:00'");
	assert_int_equal(allocate_within(&f, -1, 1.5, &job, &err), HB_E_TIMEOUT);
	assert_int_equal(job, 0);
	assert_non_null(strstr(err.text, "job 3 still waits after"));
	assert_non_null(strstr(err.text, "(--max-wait): Resources; Slurm expects it to start at "
	                                 "2026-03-01T12:00:00"));
	assert_non_null(strstr(buf_text(&f.notes), "info: job 3 is pending: Resources; Slurm "
	                                           "expects it to start at 2026-03-01T12:00:00\n"));
	assert_was_ended(&f);
	fake_close(&f);
	/* Nobody tells why: salloc's own words stand for it. */
	fake_open(&f, WAITS);
	put_script(&f, "squeue", "exit 1");
	assert_int_equal(allocate_within(&f, -1, 1, &job, &err), HB_E_TIMEOUT);
	assert_non_null(strstr(err.text, "queued and waiting for resources; Slurm tells no"));
	fake_close(&f);
}

static void a_limit_that_waiting_does_not_mend_is_an_error(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct fake f;
	uint64_t job = 7;

	(void)state;
	fake_open(&f, WAITS);
	put_script(&f, "squeue", "echo 'PartitionTimeLimit|N/A'");
	assert_int_equal(allocate(&f, -1, &job, &err), HB_E_LIB);
	assert_non_null(strstr(err.text, "PartitionTimeLimit"));
	assert_non_null(strstr(err.text, "--alloc time=MINUTES"));
	assert_was_ended(&f);
	fake_close(&f);
}

static void refusals_come_in_slurms_own_words(void **state)
{
	static const struct {
		const char *script, *told;
	} rows[] = {
		/* seen */
		{ "echo 'salloc: error: invalid partition specified: nosuch' >&2\n"
		  "echo 'salloc: error: Job submit/allocate failed: Invalid partition name "
		  "specified' >&2; exit 1",
		  "no allocation: invalid partition specified: nosuch; Job submit/allocate failed: "
		  "Invalid partition name specified (salloc: exit 1)" },
		{ "echo \"salloc: unrecognized option '--bogus=1'\" >&2\n"
		  "echo 'Try \"salloc --help\" for more information' >&2; exit 255",
		  "no allocation: unrecognized option '--bogus=1'; Try \"salloc --help\"" },
		{ "echo 'salloc: Pending job allocation 9' >&2\n"
		  "echo 'salloc: job 9 queued and waiting for resources' >&2\n"
		  "echo 'salloc: Job has been cancelled' >&2\n"
		  "echo 'salloc: error: Job submit/allocate failed: Job/step already completing or "
		  "completed' >&2; exit 1",
		  "already completing" },
		/* texts that salloc has, not provoked */
		{ "echo 'salloc: Job allocation 4 has been revoked.' >&2; exit 1",
		  "Job allocation 4 has been revoked" },
		/* not Slurm's */
		{ "exit 0", "no reason told (salloc: exit 0)" },
		{ "kill -9 $$", "no reason told (salloc: signal 9" },
		{ "printf 'a\\033[31m\\377b\\n' >&2; exit 1", "allocation: a [31m?b (salloc" },
		{ "yes xxxxxxxxxxxxxxxxxxxxxxxx | head -c 1048576 >&2; exit 1", "xxxx; xxxx" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct hb_err err = { HB_OK, "" };
		uint64_t job = 7;
		struct fake f;
		fake_open(&f, rows[i].script);
		assert_int_equal(allocate(&f, -1, &job, &err), HB_E_LIB);
		if (!strstr(err.text, rows[i].told))
			fail_msg("%s", err.text);
		assert_int_equal(job, 0);
		fake_close(&f);
	}
}

static void a_grant_that_fails_afterwards_leaves_its_id(void **state)
{
	struct hb_err err;
	struct fake f;
	uint64_t job = 0;

	(void)state;
	fake_open(&f, "echo 'salloc: Granted job allocation 8' >&2\n"
	              "echo 'salloc: error: Something is wrong with the boot of the nodes.' >&2\n"
	              "exit 1");
	assert_int_equal(allocate(&f, -1, &job, &err), HB_E_LIB);
	assert_int_equal(job, 8);
	assert_non_null(strstr(err.text, "boot of the nodes"));
	fake_close(&f);
}

static void a_signal_takes_the_waiting_job_back(void **state)
{
	struct hb_err err;
	struct fake f;
	uint64_t job = 7;

	(void)state;
	fake_open(&f, WAITS);
	assert_int_equal(allocate(&f, f.ends[0], &job, &err), HB_E_CANCELLED);
	assert_int_equal(job, 0);
	assert_was_ended(&f); /* it was given the time to cancel */
	fake_close(&f);
}

static void without_salloc_the_answer_says_so(void **state)
{
	struct hb_err err;
	struct fake f;
	uint64_t job = 7;

	(void)state;
	fake_open(&f, "exit 0");
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(allocate(&f, -1, &job, &err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "salloc"));
	assert_int_equal(job, 0);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_checked_before_slurm_sees_them),
		cmocka_unit_test(options_replace_defaults_of_their_name),
		cmocka_unit_test(the_granted_id_is_read),
		cmocka_unit_test(a_grant_gives_the_id_and_no_note),
		cmocka_unit_test(a_job_that_waits_is_told_once_with_the_reason),
		cmocka_unit_test(who_waits_too_long_is_told_why_and_until_when),
		cmocka_unit_test(a_limit_that_waiting_does_not_mend_is_an_error),
		cmocka_unit_test(refusals_come_in_slurms_own_words),
		cmocka_unit_test(a_grant_that_fails_afterwards_leaves_its_id),
		cmocka_unit_test(a_signal_takes_the_waiting_job_back),
		cmocka_unit_test(without_salloc_the_answer_says_so),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

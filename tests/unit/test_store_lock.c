/* Locks: one holder at a time, known by name, and none for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/store/store_parts.h"

enum { PROCESSES = 8, TURNS = 25 };

struct desk {
	char work[64], *path, *file;
	struct hb_err err;
};

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int make_desk(void **state)
{
	struct desk *d = hb_alloc(sizeof *d);

	snprintf(d->work, sizeof d->work, "/tmp/hpcbench-test-XXXXXX");
	if (!mkdtemp(d->work))
		return -1;
	d->path = hb_format("%s/night.json", d->work);
	d->file = hb_format("%s.lock", d->path);
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_RESTART_COUNT");
	*state = d;
	return 0;
}

static int remove_desk(void **state)
{
	struct desk *d = *state;

	nftw(d->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(d->path);
	free(d->file);
	free(d);
	return 0;
}

static void must(const struct desk *d, int rc)
{
	if (rc != HB_OK)
		fail_msg("%s", d->err.text);
}

/* Writes a lock by hand; what is NULL is as this process would write it. */
static void plant(const struct desk *d, const char *host, const char *boot, const char *pid_ns,
                  int64_t pid, uint64_t job)
{
	struct store_who self;
	json_object *o = json_object_new_object();
	struct hb_err err;

	store_who_self(&self);
	js_set_str(o, "host", host ? host : self.host);
	js_set_i64(o, "pid", pid);
	js_set_u64(o, "start", pid == self.pid ? self.start : 0);
	js_set_str(o, "boot_id", boot ? boot : self.boot);
	js_set_str(o, "pid_ns", pid_ns ? pid_ns : self.pid_ns);
	js_set_u64(o, "job", job);
	js_set_u64(o, "restart", 0);
	js_set_str(o, "time", "2001-01-01T00:00:00Z");
	js_set_str(o, "what", "file");
	if (store_write_json(d->file, o, &err) != HB_OK)
		fail_msg("%s", err.text);
	js_put(o);
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* Can it be taken at once? */
static bool can_take(struct desk *d)
{
	char *lock = NULL;
	int rc = store_lock_try(d->path, "file", &lock, &d->err);

	store_unlock(lock);
	return rc == HB_OK;
}

static void a_lock_tells_who_has_it_and_goes_when_given_back(void **state)
{
	struct desk *d = *state;
	struct store_who self;
	char *lock = NULL, *second = NULL, *pid;
	struct buf b = BUF_INIT;
	struct stat st;

	store_who_self(&self);
	must(d, store_lock_try(d->path, "baseline", &lock, &d->err));
	must(d, buf_read_file(&b, d->file, 4096, &d->err));
	pid = hb_format("\"pid\":%d,", (int)getpid());
	assert_non_null(strstr(buf_text(&b), pid));
	assert_non_null(strstr(buf_text(&b), self.host));
	assert_non_null(strstr(buf_text(&b), "\"what\":\"baseline\""));
	assert_false(store_lock_stale(d->file));
	assert_int_equal(store_lock_try(d->path, "baseline", &second, &d->err), HB_E_IO);
	assert_null(second);
	assert_non_null(strstr(d->err.text, self.host));
	assert_non_null(strstr(d->err.text, d->file));
	store_unlock(lock);
	assert_int_equal(stat(d->file, &st), -1);
	free(pid);
	buf_free(&b);
}

static void locks_of_the_dead_are_taken_over(void **state)
{
	struct desk *d = *state;

	plant(d, NULL, NULL, NULL, dead_pid(), 0);
	assert_true(store_lock_stale(d->file));
	assert_true(can_take(d));
	/* Before this host was started again; whatever has that number now. */
	plant(d, NULL, "another boot", NULL, getpid(), 0);
	assert_true(can_take(d));
	/* In this job, before it was requeued, on whatever host that was. */
	setenv("SLURM_JOB_ID", "77", 1);
	setenv("SLURM_RESTART_COUNT", "1", 1);
	plant(d, "elsewhere", "another boot", NULL, 1, 77);
	assert_true(can_take(d));
}

static void locks_of_the_living_and_the_unknown_are_not(void **state)
{
	struct desk *d = *state;

	plant(d, NULL, NULL, NULL, getpid(), 0);
	assert_false(can_take(d));
	plant(d, "elsewhere", "another boot", NULL, dead_pid(), 0);
	assert_false(can_take(d));
	assert_non_null(strstr(d->err.text, "on elsewhere since 2001-01-01T00:00:00Z"));
	/* Its number means nothing here. */
	plant(d, NULL, NULL, "pid:[1]", dead_pid(), 0);
	assert_false(can_take(d));
	/* Many hosts have this name. */
	plant(d, "localhost", "another boot", NULL, dead_pid(), 0);
	assert_false(can_take(d));
	/* Another job. */
	setenv("SLURM_JOB_ID", "78", 1);
	setenv("SLURM_RESTART_COUNT", "1", 1);
	plant(d, "elsewhere", "another boot", NULL, 1, 77);
	assert_false(can_take(d));
	must(d, store_write(d->file, "no lock of ours", 15, &d->err));
	assert_false(can_take(d));
	assert_non_null(strstr(d->err.text, "by somebody else"));
}

/* A zombie holds nothing, although its number is still taken. */
static void a_holder_that_nobody_has_waited_for_is_gone(void **state)
{
	struct desk *d = *state;
	pid_t pid = fork();
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	plant(d, NULL, NULL, NULL, pid, 0);
	assert_true(can_take(d));
	waitpid(pid, NULL, 0);
}

static void giving_back_does_not_remove_the_lock_of_another(void **state)
{
	struct desk *d = *state;
	struct stat st;
	char *lock = NULL;

	must(d, store_lock_try(d->path, "file", &lock, &d->err));
	plant(d, "elsewhere", NULL, NULL, 1, 0);
	store_unlock(lock);
	assert_int_equal(stat(d->file, &st), 0);
}

/* Between lock and unlock nobody else may be there. Some die while they hold it. */
static void one_of_many(struct desk *d, int number)
{
	char *marker = hb_format("%s/inside", d->work);
	char *count = hb_format("%s/count", d->work);

	for (int turn = 0; turn < TURNS; turn++) {
		char *lock = NULL;
		if (store_lock_wait(d->path, "file", 60, &lock, &d->err) != HB_OK)
			_exit(1);
		int fd = open(marker, O_CREAT | O_EXCL | O_WRONLY, 0666);
		if (fd < 0)
			_exit(2);
		close(fd);
		fd = open(count, O_CREAT | O_APPEND | O_WRONLY, 0666);
		if (fd < 0 || write(fd, "x", 1) != 1)
			_exit(3);
		close(fd);
		unlink(marker);
		if (turn + 1 == TURNS && number % 2 == 0)
			raise(SIGKILL);
		store_unlock(lock);
	}
	_exit(0);
}

static void many_take_turns_even_where_some_die_holding_it(void **state)
{
	struct desk *d = *state;
	char *count = hb_format("%s/count", d->work);
	pid_t pid[PROCESSES];
	struct stat st;

	plant(d, NULL, NULL, NULL, dead_pid(), 0);
	for (int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			one_of_many(d, i);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status = 0;
		waitpid(pid[i], &status, 0);
		if (i % 2 == 0)
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		else
			assert_int_equal(status, 0);
	}
	assert_int_equal(stat(count, &st), 0);
	assert_int_equal(st.st_size, PROCESSES * TURNS);
	assert_true(can_take(d));
	free(count);
}

static void a_run_says_whether_it_is_still_being_measured(void **state)
{
	struct desk *d = *state;
	char *lock = NULL, *second = NULL, *who = NULL, *mine;

	assert_false(store_run_locked(d->work, &who));
	assert_null(who);
	must(d, store_run_lock(d->work, &lock, &d->err));
	assert_true(store_run_locked(d->work, &who));
	mine = hb_format("pid %d on ", (int)getpid());
	assert_int_equal(strncmp(who, mine, strlen(mine)), 0);
	assert_int_equal(store_run_lock(d->work, &second, &d->err), HB_E_IO);
	assert_non_null(strstr(d->err.text, "is being measured by pid"));
	assert_non_null(strstr(d->err.text, "run.lock"));
	store_unlock(lock);
	assert_false(store_run_locked(d->work, NULL));
	free(who);
	free(mine);
}

static void set_age(const char *path, int seconds)
{
	struct timespec t[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void temporary_files_of_dead_writers_are_known_as_such(void **state)
{
	struct desk *d = *state;
	struct store_who self;
	char *temp = NULL, *dead, *foreign;

	store_who_self(&self);
	int fd = store_open_temp(d->path, &temp);
	assert_true(fd >= 0);
	close(fd);
	set_age(temp, 7200);
	assert_false(store_temp_dead(temp));
	dead = hb_format("%s.%s.%d.0123abcd.tmp", d->path, self.host, (int)dead_pid());
	must(d, store_write(dead, "x", 1, &d->err));
	assert_false(store_temp_dead(dead));
	set_age(dead, 7200);
	assert_true(store_temp_dead(dead));
	foreign = hb_format("%s.elsewhere.1.0123abcd.tmp", d->path);
	must(d, store_write(foreign, "x", 1, &d->err));
	set_age(foreign, 7200);
	assert_false(store_temp_dead(foreign));
	set_age(foreign, 2 * 86400);
	assert_true(store_temp_dead(foreign));
	must(d, store_write(d->path, "x", 1, &d->err));
	set_age(d->path, 2 * 86400);
	assert_false(store_temp_dead(d->path));
	free(temp);
	free(dead);
	free(foreign);
}

static int sleep_long(void *ctx, struct buf *out, struct hb_err *err)
{
	(void)ctx;
	(void)out;
	(void)err;
	while (pause() != 0)
		;
	return HB_OK;
}

static int say_it(void *ctx, struct buf *out, struct hb_err *err)
{
	buf_puts(out, ctx);
	return hb_fail(err, HB_E_FORMAT, "as it was said");
}

static int die(void *ctx, struct buf *out, struct hb_err *err)
{
	(void)ctx;
	(void)out;
	(void)err;
	raise(SIGKILL);
	return HB_OK;
}

static void work_apart_answers_or_is_given_up(void **state)
{
	struct desk *d = *state;
	struct buf out = BUF_INIT;
	char words[] = "words";
	int64_t start = wait_now_ms();

	assert_int_equal(store_apart(say_it, words, 10, &out, &d->err), HB_E_FORMAT);
	assert_string_equal(buf_text(&out), "words");
	assert_string_equal(d->err.text, "as it was said");
	assert_int_equal(store_apart(sleep_long, NULL, 0.05, NULL, &d->err), HB_E_TIMEOUT);
	assert_int_equal(store_apart(die, NULL, 10, NULL, &d->err), HB_E_IO);
	assert_in_range(wait_now_ms() - start, 50, 9000);
	buf_free(&out);
}

static void too_little_room_is_known_before(void **state)
{
	struct desk *d = *state;
	struct store s = { d->work };
	char *tight = NULL;

	must(d, store_room(&s, 1, &tight, &d->err));
	assert_null(tight);
	assert_int_equal(store_room(&s, 1e18, &tight, &d->err), HB_E_IO);
	assert_non_null(strstr(d->err.text, "will write about 1000.0 PB"));
	assert_non_null(strstr(d->err.text, d->work));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_desk, remove_desk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_lock_tells_who_has_it_and_goes_when_given_back),
		TEST(locks_of_the_dead_are_taken_over),
		TEST(locks_of_the_living_and_the_unknown_are_not),
		TEST(a_holder_that_nobody_has_waited_for_is_gone),
		TEST(giving_back_does_not_remove_the_lock_of_another),
		TEST(many_take_turns_even_where_some_die_holding_it),
		TEST(a_run_says_whether_it_is_still_being_measured),
		TEST(temporary_files_of_dead_writers_are_known_as_such),
		TEST(work_apart_answers_or_is_given_up),
		TEST(too_little_room_is_known_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The writer of a run: what is handed over reaches the disk, or another one, whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/store/writer_parts.h"

/* Two seconds become 60 ms. */
#define PATIENCE 0.03

struct desk {
	char work[64], *dir;
	struct store_writer *w;
	struct buf notes;
	struct hb_err err;
};

static void note(void *ctx, const char *level, const char *text)
{
	struct desk *d = ctx;

	buf_printf(&d->notes, "%s: %s\n", level, text);
}

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
	char *tmp;

	snprintf(d->work, sizeof d->work, "/tmp/hpcbench-test-XXXXXX");
	if (!mkdtemp(d->work))
		return -1;
	d->dir = hb_format("%s/20010101-000000-0001", d->work);
	tmp = hb_format("%s/tmp", d->work);
	mkdir(d->dir, 0777);
	mkdir(tmp, 0777);
	setenv("TMPDIR", tmp, 1);
	free(tmp);
	*state = d;
	return 0;
}

static int remove_desk(void **state)
{
	struct desk *d = *state;

	if (d->w) {
		writer_stop(d->w);
		d->w->folder = WRITER_FOLDERS_MAX;
		store_writer_close(d->w, false, NULL);
	}
	nftw(d->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	buf_free(&d->notes);
	free(d->dir);
	free(d);
	return 0;
}

static void open_writer(struct desk *d, size_t queue_max, size_t keep_max)
{
	struct store_writer_params p = { .dir = d->dir,
		                         .signal_fd = -1,
		                         .patience = PATIENCE,
		                         .queue_max = queue_max,
		                         .keep_max = keep_max,
		                         .note = note,
		                         .ctx = d };

	if (store_writer_open(&p, &d->w, &d->err) != HB_OK)
		fail_msg("%s", d->err.text);
}

static void line(struct desk *d, enum writer_log log, int i)
{
	json_object *o = json_object_new_object();

	js_set_i64(o, "i", i);
	store_writer_line(d->w, log, o);
	js_put(o);
}

static void lines(struct desk *d, int from, int to)
{
	for (int i = from; i < to; i++)
		for (int log = 0; log < WRITER_LOGS; log++)
			line(d, (enum writer_log)log, i);
}

static void must(struct desk *d, int rc)
{
	if (rc != HB_OK)
		fail_msg("%s", d->err.text);
}

/* A process that was killed may take a while to go. */
static void flush_until_it_fails(struct desk *d)
{
	int rc = HB_OK;

	for (int i = 0; i < 1000 && rc == HB_OK; i++) {
		rc = store_writer_flush(d->w, &d->err);
		poll(NULL, 0, rc == HB_OK ? 10 : 0);
	}
	assert_int_equal(rc, HB_E_IO);
}

static char *text_of(const char *dir, const char *name)
{
	struct buf b = BUF_INIT;
	struct hb_err err;
	char *path = hb_format("%s/%s", dir, name);

	if (buf_read_file(&b, path, 1 << 28, &err) != HB_OK)
		fail_msg("%s", err.text);
	free(path);
	return b.data ? buf_detach(&b) : hb_strdup("");
}

/* The log holds the lines from .. to - 1, in their order, and nothing else. */
static void assert_lines(const char *dir, const char *name, int from, int to)
{
	struct buf want = BUF_INIT;
	char *got = text_of(dir, name);

	for (int i = from; i < to; i++)
		buf_printf(&want, "{\"i\":%d}\n", i);
	assert_string_equal(got, buf_text(&want));
	buf_free(&want);
	free(got);
}

static void assert_all_logs(const char *dir, int from, int to)
{
	for (int i = 0; i < WRITER_LOGS; i++)
		assert_lines(dir, writer_log_names[i], from, to);
}

static int times(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)) != NULL; text += strlen(what))
		n++;
	return n;
}

/* Closes a writer whose store failed; the place is in work/tmp, and is the caller's. */
static char *close_moved(struct desk *d)
{
	assert_int_equal(store_writer_settle(d->w, true, &d->err), HB_E_IO);
	assert_true(store_writer_moved(d->w));
	assert_non_null(store_writer_dir(d->w));
	char *place = hb_strdup(store_writer_dir(d->w));
	assert_int_equal(strncmp(place, d->work, strlen(d->work)), 0);
	assert_non_null(strstr(d->err.text, place));
	assert_non_null(strstr(d->err.text, d->dir));
	assert_int_equal(store_writer_close(d->w, true, &d->err), HB_E_IO);
	d->w = NULL;
	return place;
}

static void what_is_flushed_is_on_disk(void **state)
{
	struct desk *d = *state;

	open_writer(d, 0, 0);
	lines(d, 0, 1000);
	must(d, store_writer_flush(d->w, &d->err));
	assert_all_logs(d->dir, 0, 1000);
	lines(d, 1000, 1010);
	must(d, store_writer_file(d->w, "plan.json", "{}\n", 3, &d->err));
	assert_all_logs(d->dir, 0, 1010);
	must(d, store_writer_file(d->w, "plan.json", "[]\n", 3, &d->err));
	char *plan = text_of(d->dir, "plan.json");
	assert_string_equal(plan, "[]\n");
	free(plan);
	lines(d, 1010, 1011);
	must(d, store_writer_close(d->w, false, &d->err));
	d->w = NULL;
	assert_all_logs(d->dir, 0, 1011);
	assert_string_equal(buf_text(&d->notes), "");
}

static void half_a_line_of_a_killed_writer_is_cut_off(void **state)
{
	struct desk *d = *state;
	char *path = hb_format("%s/records.jsonl", d->dir);

	must(d, store_write(path, "{\"i\":0}\n{\"i", 11, &d->err));
	free(path);
	open_writer(d, 0, 0);
	line(d, WRITER_RECORDS, 1);
	must(d, store_writer_close(d->w, false, &d->err));
	d->w = NULL;
	assert_lines(d->dir, "records.jsonl", 0, 2);
}

/* A process that is stopped answers as little as one that waits for a dead server. */
static void a_store_that_hangs_is_waited_for_once_and_told_once(void **state)
{
	struct desk *d = *state;
	int64_t start;

	open_writer(d, 0, 0);
	lines(d, 0, 10);
	must(d, store_writer_flush(d->w, &d->err));
	kill(d->w->pid, SIGSTOP);
	lines(d, 10, 20);
	start = wait_now_ms();
	must(d, store_writer_flush(d->w, &d->err));
	assert_in_range(wait_now_ms() - start, writer_ms(d->w, WRITER_PATIENCE_MS), 5000);
	for (int i = 20; i < 40; i++) {
		lines(d, i, i + 1);
		must(d, store_writer_flush(d->w, &d->err));
	}
	assert_int_equal(times(buf_text(&d->notes), "has not answered for 2 s"), 1);
	assert_lines(d->dir, "journal.jsonl", 0, 10);
	kill(d->w->pid, SIGCONT);
	for (int i = 0; d->w->late && i < 1000; i++) {
		must(d, store_writer_flush(d->w, &d->err));
		poll(NULL, 0, 10);
	}
	assert_int_equal(times(buf_text(&d->notes), "answers again"), 1);
	assert_all_logs(d->dir, 0, 40);
}

static void at_the_end_a_hung_store_is_given_up_and_the_run_is_elsewhere(void **state)
{
	struct desk *d = *state;

	open_writer(d, 0, 0);
	must(d, store_writer_file(d->w, "plan.json", "{}\n", 3, &d->err));
	lines(d, 0, 10);
	must(d, store_writer_flush(d->w, &d->err));
	kill(d->w->pid, SIGSTOP);
	lines(d, 10, 20);
	must(d, store_writer_file(d->w, "run.json", "{}\n", 3, &d->err));
	char *place = close_moved(d);
	assert_non_null(strstr(d->err.text, "does not answer"));
	assert_non_null(strstr(d->err.text, "the whole run is in"));
	/* What was on disk before too: it cannot be read there now. */
	assert_all_logs(place, 0, 20);
	char *plan = text_of(place, "plan.json"), *run = text_of(place, "run.json");
	assert_string_equal(plan, "{}\n");
	assert_string_equal(run, "{}\n");
	free(plan);
	free(run);
	free(place);
}

static void a_tired_user_is_not_kept_waiting(void **state)
{
	struct desk *d = *state;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	open_writer(d, 0, 0);
	d->w->p.signal_fd = fds[0];
	d->w->p.patience = 1;
	kill(d->w->pid, SIGSTOP);
	lines(d, 0, 5);
	assert_int_equal(write(fds[1], "x", 1), 1);
	int64_t start = wait_now_ms();
	char *place = close_moved(d);
	assert_in_range(wait_now_ms() - start, 0, WRITER_SETTLE_STOP_MS / 2);
	assert_all_logs(place, 0, 5);
	free(place);
	close(fds[0]);
	close(fds[1]);
}

static void a_writer_that_is_killed_loses_nothing(void **state)
{
	struct desk *d = *state;

	open_writer(d, 0, 0);
	lines(d, 0, 10);
	must(d, store_writer_flush(d->w, &d->err));
	kill(d->w->pid, SIGKILL);
	lines(d, 10, 12);
	flush_until_it_fails(d);
	assert_non_null(strstr(d->err.text, "has died"));
	char *place = close_moved(d);
	assert_all_logs(place, 0, 12);
	free(place);
}

static void what_is_no_longer_in_memory_is_copied(void **state)
{
	struct desk *d = *state;
	char *path = hb_format("%s/records.jsonl", d->dir);

	/* Of an earlier part of the run, too. */
	must(d, store_write(path, "{\"i\":0}\n", 8, &d->err));
	free(path);
	open_writer(d, 0, 100);
	for (int i = 1; i < 50; i++) {
		line(d, WRITER_RECORDS, i);
		line(d, WRITER_SAMPLES, i);
		must(d, store_writer_flush(d->w, &d->err));
	}
	assert_in_range(d->w->kept, 0, 100);
	kill(d->w->pid, SIGKILL);
	line(d, WRITER_RECORDS, 50);
	line(d, WRITER_SAMPLES, 50);
	flush_until_it_fails(d);
	char *place = close_moved(d);
	assert_lines(place, "records.jsonl", 0, 51);
	assert_lines(place, "samples.jsonl", 1, 51);
	free(place);
}

static void when_memory_is_short_samples_go_first_and_that_is_told(void **state)
{
	struct desk *d = *state;

	int n = 0;

	/* More than a socket holds: what is on its way cannot be dropped. */
	open_writer(d, 2 << 20, 0);
	kill(d->w->pid, SIGSTOP);
	for (; times(buf_text(&d->notes), "samples are dropped") == 0 && n < 1000000; n += 1000) {
		lines(d, n, n + 1000);
		must(d, store_writer_flush(d->w, &d->err));
	}
	for (; d->w->err.code == HB_OK && n < 1000000; n += 1000) {
		lines(d, n, n + 1000);
		store_writer_flush(d->w, NULL);
	}
	assert_int_equal(times(buf_text(&d->notes), "samples are dropped"), 1);
	assert_non_null(strstr(d->w->err.text, "memory is full"));
	char *place = close_moved(d);
	assert_non_null(strstr(d->err.text, "everything but some samples"));
	assert_lines(place, "records.jsonl", 0, n);
	assert_lines(place, "journal.jsonl", 0, n);
	char *samples = text_of(place, "samples.jsonl");
	assert_in_range(times(samples, "\n"), 0, n - 1);
	free(samples);
	free(place);
}

/* Runs in a mount namespace of its own, with a disk of 256 KiB under the run's folder. */
static void on_a_small_disk(struct desk *d)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", d->dir, "tmpfs", 0, "size=256k") != 0) {
		print_message("skipped: no tmpfs can be mounted here: %s\n", strerror(errno));
		skip();
	}
}

static void a_full_disk_ends_with_whole_lines_there_and_all_of_them_elsewhere(void **state)
{
	struct desk *d = *state;
	int n = 0;

	on_a_small_disk(d);
	open_writer(d, 0, 0);
	for (; n < 100000 && d->w->err.code == HB_OK; n += 500) {
		lines(d, n, n + 500);
		store_writer_flush(d->w, &d->err);
	}
	assert_non_null(strstr(d->err.text, "No space left"));
	for (int i = 0; i < WRITER_LOGS; i++) {
		char *text = text_of(d->dir, writer_log_names[i]);
		size_t len = strlen(text);
		int here = times(text, "\n");
		assert_true(len > 0 && text[len - 1] == '\n');
		free(text);
		assert_lines(d->dir, writer_log_names[i], 0, here);
	}
	char *place = close_moved(d);
	assert_all_logs(place, 0, n);
	free(place);
	umount2(d->dir, MNT_DETACH);
}

static int files_in(const char *dir)
{
	DIR *in = opendir(dir);
	int n = 0;

	assert_non_null(in);
	for (struct dirent *e; (e = readdir(in)) != NULL;)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(in);
	return n;
}

static void a_file_that_does_not_fit_leaves_no_trace(void **state)
{
	struct desk *d = *state;
	size_t len = 512 * 1024;
	char *big = hb_alloc(len + 1);

	memset(big, 'x', len);
	on_a_small_disk(d);
	open_writer(d, 0, 0);
	lines(d, 0, 5);
	must(d, store_writer_file(d->w, "summary.json", "old\n", 4, &d->err));
	assert_int_equal(store_writer_file(d->w, "summary.json", big, len, &d->err), HB_E_IO);
	assert_non_null(strstr(d->err.text, "No space left"));
	/* Three logs and the old summary, whole. */
	char *old = text_of(d->dir, "summary.json");
	assert_string_equal(old, "old\n");
	free(old);
	assert_int_equal(files_in(d->dir), 4);
	char *place = close_moved(d);
	char *saved = text_of(place, "summary.json");
	assert_string_equal(saved, big);
	assert_all_logs(place, 0, 5);
	free(saved);
	free(place);
	free(big);
	umount2(d->dir, MNT_DETACH);
}

static void the_writer_goes_with_whoever_it_writes_for(void **state)
{
	struct desk *d = *state;
	int fds[2];
	pid_t writer = 0, pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		open_writer(d, 0, 0);
		ssize_t n = write(fds[1], &d->w->pid, sizeof d->w->pid);
		(void)n;
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &writer, sizeof writer), sizeof writer);
	assert_int_equal(kill(writer, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct store_who who = { .pid = writer };
	store_who_self(&who);
	who.pid = writer;
	who.start = 0;
	for (int i = 0; i < 1000 && !store_who_gone(&who); i++)
		poll(NULL, 0, 10);
	assert_true(store_who_gone(&who));
	close(fds[0]);
	close(fds[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_desk, remove_desk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_flushed_is_on_disk),
		TEST(half_a_line_of_a_killed_writer_is_cut_off),
		TEST(a_store_that_hangs_is_waited_for_once_and_told_once),
		TEST(at_the_end_a_hung_store_is_given_up_and_the_run_is_elsewhere),
		TEST(a_tired_user_is_not_kept_waiting),
		TEST(a_writer_that_is_killed_loses_nothing),
		TEST(what_is_no_longer_in_memory_is_copied),
		TEST(when_memory_is_short_samples_go_first_and_that_is_told),
		TEST(a_full_disk_ends_with_whole_lines_there_and_all_of_them_elsewhere),
		TEST(a_file_that_does_not_fit_leaves_no_trace),
		TEST(the_writer_goes_with_whoever_it_writes_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

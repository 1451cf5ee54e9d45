/*
 * hpcbench-mpi in files mode, with real mpirun: ranks that each believe to be on a node of their
 * own work off a schedule that was written by hand.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/core/clock.h"
#include "child.h"
#include "files_fixture.h"

enum { RANKS_MAX = 4 };

/* mpirun with one rank on each of the nodes, in this order. */
static void start(struct child *c, const struct files_folder *d, const char *const *nodes)
{
	const char *argv[RANKS_MAX * 6 + 2] = { MPIRUN };
	char set[RANKS_MAX][40];
	int n = 1;

	for (int i = 0; nodes[i]; i++) {
		snprintf(set[i], sizeof(set[i]), "HPCBENCH_NODE=%s", nodes[i]);
		if (i > 0)
			argv[n++] = ":";
		argv[n++] = "-n";
		argv[n++] = "1";
		argv[n++] = "-x";
		argv[n++] = set[i];
		argv[n++] = HELPER;
	}
	argv[n] = NULL;
	child_start(c, argv, d->env);
}

static int run(const struct files_folder *d, const char *const *nodes, struct buf *said)
{
	struct child c;
	int code;

	start(&c, d, nodes);
	code = child_finish(&c);
	buf_puts(said, buf_text(&c.text));
	child_free(&c);
	return code;
}

static void expect_ok(json_object *first, json_object *second, const char *job, const char *unit)
{
	assert_string_equal(files_done(first, job), "ok");
	assert_string_equal(files_done(second, job), "ok");
	assert_string_equal(files_end(first, unit), "ok");
	assert_string_equal(files_end(second, unit), "");
}

/*
 * Five seats; one node was left out. The launcher numbers the others in another order than the plan
 * has them: rank 0 has seat 4.
 */
static void every_seat_does_its_jobs_and_writes_its_own_file(void **state)
{
	static const char *const nodes[] = { "d", "c", "a", "b", NULL };
	static const char *const rank_of_seat[] = { "2", "3", "", "1", "0" };
	static const struct files_job jobs[] = {
		{ 1, 0, "mpi.latency", "0,1", "a", "b", NULL },
		{ 2, 0, "mpi.bandwidth", "3,4", "c", "d", NULL },
		{ 3, 1, "mpi.latency", "4,0", "d", "a", NULL },
		{ 4, 2, "mpi.allreduce", "0,1,3,4", "cluster", NULL, NULL },
		{ 5, 3, "mpi.latency", "1,2", "b", "gone", NULL },
		{ 6, 4, "mpi.allreduce", "3,1", "cluster", NULL, NULL },
	};
	struct buf said = BUF_INIT;
	json_object *lines[5];
	struct files_folder d;

	(void)state;
	files_open(&d, "\"a\",\"b\",\"gone\",\"c\",\"d\"", 4);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		files_job(&d, &jobs[i]);
	files_ready(&d);
	if (run(&d, nodes, &said) != 0)
		fail_msg("%s", buf_text(&said));
	for (int i = 0; i < 5; i++) {
		lines[i] = files_lines(&d, i);
		if (i == 2)
			continue;
		assert_true(files_whole(lines[i]));
		assert_string_equal(files_text(files_find(lines[i], "msg", "hello"), "rank"),
		                    rank_of_seat[i]);
		assert_string_equal(files_text(files_find(lines[i], "type", "rank"), "rank"),
		                    rank_of_seat[i]);
		assert_string_equal(files_done(lines[i], "4"), "ok");
	}
	assert_null(lines[2]);
	assert_non_null(files_find(lines[4], "type", "meta"));
	expect_ok(lines[0], lines[1], "1", "10");
	expect_ok(lines[3], lines[4], "2", "20");
	expect_ok(lines[4], lines[0], "3", "30");
	expect_ok(lines[0], lines[1], "4", "40");
	expect_ok(lines[3], lines[1], "6", "60");
	assert_string_equal(files_text(files_find(lines[0], "type", "pair"), "a"), "a");
	assert_string_equal(files_text(files_find(lines[0], "type", "point"), "ranks"), "4");
	assert_string_equal(files_done(lines[1], "5"), "failed");
	assert_string_equal(files_done(lines[3], "1"), "");
	for (int i = 0; i < 5; i++)
		js_put(lines[i]);
	buf_free(&said);
	files_close(&d);
}

static void ranks_on_one_node_take_the_seats_of_their_places(void **state)
{
	static const char *const nodes[] = { "a", "a", NULL };
	struct buf said = BUF_INIT;
	struct files_folder d;
	json_object *lines;

	(void)state;
	files_open(&d, "\"a\",\"a\"", 2);
	files_job(&d,
	          &(struct files_job){ 1, 0, "mpi.latency", "1,0", "a/rank1", "a/rank0", NULL });
	files_ready(&d);
	if (run(&d, nodes, &said) != 0)
		fail_msg("%s", buf_text(&said));
	lines = files_lines(&d, 1);
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "rank"), "1");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "local"), "1");
	assert_string_equal(files_end(lines, "10"), "ok");
	js_put(lines);
	buf_free(&said);
	files_close(&d);
}

static void one_rank_that_cannot_begin_stops_all_of_them(void **state)
{
	static const char *const nodes[] = { "a", "b", "z9", NULL };
	uint64_t begun = clock_ns();
	struct buf said = BUF_INIT;
	struct files_folder d;
	json_object *lines;

	(void)state;
	files_open(&d, "\"a\",\"b\",\"c\"", 3);
	files_job(&d, &(struct files_job){ 1, 0, "mpi.latency", "0,1", "a", "b", NULL });
	files_ready(&d);
	assert_int_equal(run(&d, nodes, &said), 70);
	assert_non_null(strstr(buf_text(&said), "no free seat on z9"));
	/* They tell each other: nobody waits for a limit. */
	assert_true(clock_ns() - begun < 25 * 1000000000ull);
	for (int i = 0; i < 3; i++) {
		lines = files_lines(&d, i);
		assert_string_equal(files_text(files_find(lines, "msg", "hello"), "run"), "r1");
		assert_string_equal(files_done(lines, "1"), "");
		js_put(lines);
	}
	buf_free(&said);
	files_close(&d);
}

static void a_world_of_one_where_two_were_started_names_the_cause(void **state)
{
	static const char *const argv[] = { HELPER, NULL };
	struct files_folder d;
	json_object *lines;
	struct child c;

	(void)state;
	files_open(&d, "\"a\",\"b\"", 2);
	files_env(&d, "HPCBENCH_NODE", "b");
	files_job(&d, &(struct files_job){ 1, 0, "mpi.latency", "0,1", "a", "b", NULL });
	files_ready(&d);
	child_start(&c, argv, d.env);
	assert_int_equal(child_finish(&c), 70);
	assert_non_null(strstr(buf_text(&c.text), "--mpi=pmix"));
	lines = files_lines(&d, 1);
	assert_true(files_whole(lines));
	assert_non_null(strstr(files_text(files_find(lines, "code", "world-size"), "text"), "PMI"));
	js_put(lines);
	child_free(&c);
	files_close(&d);
}

static void nap_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Waits until a seat has answered a job; returns its process. */
static pid_t pid_after(const struct files_folder *d, int seat, const char *job)
{
	uint64_t limit = clock_ns() + CHILD_LIMIT_MS * 1000000ull;
	pid_t pid = 0;

	while (!pid && clock_ns() < limit) {
		json_object *lines = files_lines(d, seat);

		if (*files_done(lines, job))
			pid = (pid_t)strtol(files_text(files_find(lines, "msg", "hello"), "pid"),
			                    NULL, 10);
		js_put(lines);
		nap_ms(10);
	}
	assert_true(pid > 0);
	return pid;
}

/* A rank stops for good: what was measured is kept, the others wait as long as they must, no more.
 */
static void a_silent_rank_ends_the_step_and_nothing_that_was_told_is_lost(void **state)
{
	static const char *const nodes[] = { "a", "b", "c", NULL };
	static const char lasting[] = "\"precision\":0,\"max_time\":1.5,\"deadline\":2,";
	struct files_folder d;
	json_object *lines;
	struct child c;
	int given_up = 0;
	pid_t pid;

	(void)state;
	files_open(&d, "\"a\",\"b\",\"c\"", 3);
	files_job(&d, &(struct files_job){ 1, 0, "mpi.latency", "0,2", "a", "c", NULL });
	buf_printf(
	        &d.schedule,
	        "{\"msg\":\"job\",\"job\":2,\"slot\":1,\"bench\":\"mpi.latency\",\"ranks\":[0,1],"
	        "\"a\":\"a\",\"b\":\"b\",\"dir\":\"ab\",%s"
	        "\"cases\":[{\"unit\":20,\"bytes\":8,\"opts\":{}}]}\n",
	        lasting);
	files_job(&d, &(struct files_job){ 3, 2, "mpi.latency", "0,1", "a", "b", NULL });
	files_ready(&d);
	start(&c, &d, nodes);
	pid = pid_after(&d, 2, "1");
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(child_finish(&c), 70);
	assert_true(process_gone(pid));
	for (int i = 0; i < 2; i++) {
		json_object *event;

		lines = files_lines(&d, i);
		event = files_find(lines, "code", "given-up");
		if (event) {
			given_up++;
			assert_non_null(strstr(files_text(event, "text"), "given up before slot"));
			assert_true(files_whole(lines));
		}
		assert_string_equal(files_done(lines, "3"), "");
		if (i == 0)
			assert_string_equal(files_end(lines, "10"), "ok");
		js_put(lines);
	}
	assert_true(given_up >= 1);
	child_free(&c);
	files_close(&d);
}

/* What the harness asks before it believes in a launcher's way to start ranks. */
static void hello_tells_the_size_of_the_world_once(void **state)
{
	static const char *const several[] = { MPIRUN, "-n", "3", HELPER, "--hello", NULL };
	static const char *const one[] = { HELPER, "--hello", NULL };
	static const char *const none[] = { NULL };
	struct child c;

	(void)state;
	child_start(&c, several, none);
	assert_int_equal(child_finish(&c), 0);
	assert_string_equal(buf_text(&c.text), "world 3\n");
	child_free(&c);
	child_start(&c, one, none);
	assert_int_equal(child_finish(&c), 0);
	assert_string_equal(buf_text(&c.text), "world 1\n");
	child_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seat_does_its_jobs_and_writes_its_own_file),
		cmocka_unit_test(ranks_on_one_node_take_the_seats_of_their_places),
		cmocka_unit_test(one_rank_that_cannot_begin_stops_all_of_them),
		cmocka_unit_test(a_world_of_one_where_two_were_started_names_the_cause),
		cmocka_unit_test(a_silent_rank_ends_the_step_and_nothing_that_was_told_is_lost),
		cmocka_unit_test(hello_tells_the_size_of_the_world_once),
	};

	mpirun_environment();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

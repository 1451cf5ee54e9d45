/* hpcbench-node in files mode: alone, and as one of several that each work by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files_fixture.h"
#include "tests/mpi/child.h"

static const char *const node[] = { HELPER, NULL };

/* Runs the helper to its end, returns its exit status; said: what it printed. */
static int run(const struct files_folder *d, char said[512])
{
	struct child c;
	int code;

	child_start(&c, node, d->env);
	code = child_finish(&c);
	snprintf(said, 512, "%s", buf_text(&c.text));
	child_free(&c);
	return code;
}

static void memory_job(struct files_folder *d, int job, int slot, const char *seat,
                       const char *host)
{
	files_job(d, &(struct files_job){ job, slot, "node.memory", seat, host, NULL, NULL });
}

static void one_alone_works_its_schedule_off(void **state)
{
	struct files_folder d;
	json_object *lines;
	char said[512];

	(void)state;
	files_open(&d, "\"n1\"", 1);
	files_env(&d, "HPCBENCH_NODE", "n1");
	memory_job(&d, 1, 0, "0", "n1");
	memory_job(&d, 2, 5, "0", "n1");
	files_ready(&d);
	assert_int_equal(run(&d, said), 0);
	assert_string_equal(said, "");
	lines = files_lines(&d, 0);
	assert_true(files_whole(lines));
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "run"), "r1");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "step"), "4");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "attempt"), "2");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "host"), "n1");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "token"), "");
	assert_non_null(files_find(lines, "type", "meta"));
	assert_non_null(files_find(lines, "type", "rank"));
	assert_non_null(files_find(lines, "msg", "facts"));
	assert_non_null(files_find(lines, "type", "point"));
	assert_string_equal(files_end(lines, "10"), "ok");
	assert_string_equal(files_end(lines, "20"), "ok");
	assert_string_equal(files_done(lines, "1"), "ok");
	assert_string_equal(files_done(lines, "2"), "ok");
	js_put(lines);
	files_close(&d);
}

/* Nobody else was started, and nobody is waited for. */
static void one_of_several_does_its_own_jobs(void **state)
{
	struct files_folder d;
	json_object *lines;
	char said[512];

	(void)state;
	files_open(&d, "\"a\",\"b\",\"c\"", 3);
	files_env(&d, "HPCBENCH_NODE", "b");
	files_env(&d, "SLURM_PROCID", "2");
	files_env(&d, "SLURM_LOCALID", "0");
	memory_job(&d, 1, 0, "0", "a");
	memory_job(&d, 2, 0, "1", "b");
	memory_job(&d, 3, 1, "2", "c");
	memory_job(&d, 4, 2, "1", "b");
	files_ready(&d);
	assert_int_equal(run(&d, said), 0);
	lines = files_lines(&d, 1);
	assert_true(files_whole(lines));
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "rank"), "2");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "size"), "3");
	assert_string_equal(files_text(files_find(lines, "msg", "hello"), "local"), "0");
	assert_string_equal(files_end(lines, "20"), "ok");
	assert_string_equal(files_end(lines, "40"), "ok");
	assert_string_equal(files_done(lines, "1"), "");
	assert_string_equal(files_done(lines, "3"), "");
	assert_null(files_lines(&d, 0));
	assert_null(files_lines(&d, 2));
	js_put(lines);
	files_close(&d);
}

static void a_job_that_cannot_be_done_leaves_the_others(void **state)
{
	struct files_folder d;
	json_object *lines;
	char said[512];

	(void)state;
	files_open(&d, "\"n1\",\"gone\"", 1);
	files_env(&d, "HPCBENCH_NODE", "n1");
	files_job(&d, &(struct files_job){ 1, 0, "node.dream", "0", "n1", NULL, NULL });
	files_job(&d, &(struct files_job){ 2, 1, "node.memory", "0,1", "n1", NULL, NULL });
	memory_job(&d, 3, 2, "0", "n1");
	files_ready(&d);
	assert_int_equal(run(&d, said), 0);
	lines = files_lines(&d, 0);
	assert_true(files_whole(lines));
	assert_string_equal(files_done(lines, "1"), "failed");
	assert_string_equal(files_done(lines, "2"), "failed");
	assert_string_equal(files_done(lines, "3"), "ok");
	assert_string_equal(files_end(lines, "30"), "ok");
	js_put(lines);
	files_close(&d);
}

static void a_stranger_says_so_in_its_file(void **state)
{
	struct files_folder d;
	json_object *lines;
	char said[512];

	(void)state;
	files_open(&d, "\"n1\"", 1);
	files_env(&d, "HPCBENCH_NODE", "z9");
	memory_job(&d, 1, 0, "0", "n1");
	files_ready(&d);
	assert_int_equal(run(&d, said), 70);
	assert_non_null(strstr(said, "no free seat on z9"));
	lines = files_lines(&d, 0);
	assert_true(files_whole(lines));
	assert_non_null(strstr(files_text(files_find(lines, "code", "seat"), "text"), "z9"));
	assert_string_equal(files_done(lines, "1"), "");
	js_put(lines);
	files_close(&d);
}

/* It cannot know whose seat is free: it writes to nobody's file. */
static void a_stranger_among_several_touches_no_file(void **state)
{
	struct files_folder d;
	char said[512];

	(void)state;
	files_open(&d, "\"a\",\"b\"", 2);
	files_env(&d, "HPCBENCH_NODE", "z9");
	files_env(&d, "SLURM_PROCID", "0");
	memory_job(&d, 1, 0, "0", "a");
	files_ready(&d);
	assert_int_equal(run(&d, said), 70);
	assert_non_null(strstr(said, "z9"));
	assert_null(files_lines(&d, 0));
	assert_null(files_lines(&d, 1));
	files_close(&d);
}

static void a_damaged_schedule_is_told_and_nothing_is_measured(void **state)
{
	struct files_folder d;
	json_object *lines;
	char said[512];

	(void)state;
	files_open(&d, "\"n1\"", 1);
	files_env(&d, "HPCBENCH_NODE", "n1");
	memory_job(&d, 1, 0, "0", "n1");
	buf_puts(&d.schedule, "{\"msg\":\"job\",\n");
	files_ready(&d);
	assert_int_equal(run(&d, said), 70);
	assert_non_null(strstr(said, "schedule.jsonl:3"));
	lines = files_lines(&d, 0);
	assert_true(files_whole(lines));
	assert_non_null(strstr(files_text(files_find(lines, "code", "given-up"), "text"),
	                       "schedule.jsonl:3"));
	assert_string_equal(files_end(lines, "10"), "");
	js_put(lines);
	files_close(&d);
}

static void a_file_that_is_there_already_is_left_as_it_is(void **state)
{
	struct files_folder d;
	char said[512], path[128];
	json_object *lines;
	FILE *f;

	(void)state;
	files_open(&d, "\"n1\"", 1);
	files_env(&d, "HPCBENCH_NODE", "n1");
	memory_job(&d, 1, 0, "0", "n1");
	files_ready(&d);
	snprintf(path, sizeof(path), "%s/rank-0.jsonl", d.path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(run(&d, said), 70);
	assert_non_null(strstr(said, "rank-0.jsonl: File exists"));
	lines = files_lines(&d, 0);
	assert_int_equal(json_object_array_length(lines), 0);
	js_put(lines);
	files_close(&d);
}

static void without_a_run_nothing_begins(void **state)
{
	struct files_folder d;
	char said[512];

	(void)state;
	files_open(&d, "\"n1\"", 1);
	files_ready(&d);
	snprintf(d.text[1], sizeof(d.text[1]), "HPCBENCH_STEP=4");
	assert_int_equal(run(&d, said), 64);
	assert_non_null(strstr(said, "HPCBENCH_RUN"));
	files_close(&d);
}

static void hello_tells_how_many_were_started(void **state)
{
	static const char *const hello[] = { HELPER, "--hello", NULL };
	static const struct {
		const char *env[3], *says;
		int code;
	} rows[] = {
		{ { NULL, NULL, NULL }, "world 1\n", 0 },
		{ { "HPCBENCH_RANKS=3", "SLURM_PROCID=0", NULL }, "world 3\n", 0 },
		{ { "HPCBENCH_RANKS=3", "SLURM_PROCID=1", NULL }, "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct child c;

		child_start(&c, hello, rows[i].env);
		assert_int_equal(child_finish(&c), rows[i].code);
		assert_string_equal(buf_text(&c.text), rows[i].says);
		child_free(&c);
	}
}

int main(void)
{
	static const char *const launchers[] = {
		"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK", "SLURM_PROCID",
		"HPCBENCH_RANKS",       "HPCBENCH_RUN", NULL
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_alone_works_its_schedule_off),
		cmocka_unit_test(one_of_several_does_its_own_jobs),
		cmocka_unit_test(a_job_that_cannot_be_done_leaves_the_others),
		cmocka_unit_test(a_stranger_says_so_in_its_file),
		cmocka_unit_test(a_stranger_among_several_touches_no_file),
		cmocka_unit_test(a_damaged_schedule_is_told_and_nothing_is_measured),
		cmocka_unit_test(a_file_that_is_there_already_is_left_as_it_is),
		cmocka_unit_test(without_a_run_nothing_begins),
		cmocka_unit_test(hello_tells_how_many_were_started),
	};

	for (const char *const *name = launchers; *name; name++)
		unsetenv(*name);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The coverage ledger: what it keeps, what two writers make of it, and files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/ledger.h"

static struct store s;

static int make_store(void **state)
{
	(void)state;
	s.path = hb_strdup("/tmp/hpcbench-test-XXXXXX");
	return mkdtemp(s.path) ? 0 : -1;
}

/* Removes all files; returns how many there were whose names begin so. */
static size_t empty_store(const char *begin)
{
	size_t n = 0;
	DIR *d = opendir(s.path);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		char *path = hb_format("%s/%s", s.path, e->d_name);
		n += strncmp(e->d_name, begin, strlen(begin)) == 0;
		if (e->d_name[0] != '.' && unlink(path) != 0)
			rmdir(path);
		free(path);
	}
	closedir(d);
	return n;
}

static int remove_store(void **state)
{
	(void)state;
	empty_store("");
	rmdir(s.path);
	free(s.path);
	return 0;
}

static int update_of(const char *cluster, const char *suite, const char *run, const char *time,
                     const struct ledger_entry *v, size_t n, char **aside)
{
	const struct ledger_note note = { cluster, suite, run, time, v, n };
	struct hb_err err;
	return ledger_update(&s, &note, aside, &err);
}

static void update(const char *run, const char *time, const struct ledger_entry *v, size_t n)
{
	char *aside;
	assert_int_equal(update_of("c", "quick", run, time, v, n, &aside), HB_OK);
	assert_null(aside);
}

/* A turn of the cluster "c", copied: the ledger is gone when it is looked at. */
struct copy {
	char last[32], run[32], tried[32], tried_run[32], hw[32];
};

static struct copy look(const char *node, const char *suite)
{
	struct ledger l;
	struct copy c = { 0 };
	ledger_read(&s, &l);
	assert_null(l.warning);
	json_object *nodes = ledger_nodes(&l, "c");
	struct ledger_turn t = ledger_turn(nodes, node, suite);
	const char *hw = ledger_hw(nodes, node);
	snprintf(c.last, sizeof(c.last), "%s", t.last);
	snprintf(c.run, sizeof(c.run), "%s", t.run);
	snprintf(c.tried, sizeof(c.tried), "%s", t.tried);
	snprintf(c.tried_run, sizeof(c.tried_run), "%s", t.tried_run);
	snprintf(c.hw, sizeof(c.hw), "%s", hw ? hw : "");
	ledger_free(&l);
	return c;
}

static void write_ledger(const char *text)
{
	struct hb_err err;
	char *path = hb_format("%s/coverage.json", s.path);
	assert_int_equal(store_write(path, text, strlen(text), &err), HB_OK);
	free(path);
}

static void a_store_without_a_ledger_knows_nothing_and_that_is_no_error(void **state)
{
	struct ledger l;
	(void)state;
	ledger_read(&s, &l);
	assert_null(l.warning);
	assert_null(ledger_nodes(&l, "c"));
	struct ledger_turn t = ledger_turn(NULL, "n1", "quick");
	assert_string_equal(ledger_had(&t), "");
	ledger_free(&l);
}

static void only_good_figures_count_as_measured_a_turn_without_is_a_try(void **state)
{
	const struct ledger_entry first[] = { { "n1", "A", true }, { "n2", NULL, false } };
	const struct ledger_entry later[] = { { "n1", NULL, false }, { "n2", "B", true } };
	(void)state;
	update("r1", "2026-11-01T01:00:00Z", first, 2);
	assert_string_equal(look("n1", "quick").last, "2026-11-01T01:00:00Z");
	assert_string_equal(look("n1", "quick").hw, "A");
	assert_string_equal(look("n1", "other").last, "");
	assert_string_equal(look("n2", "quick").last, "");
	assert_string_equal(look("n2", "quick").tried, "2026-11-01T01:00:00Z");
	assert_string_equal(look("n2", "quick").hw, "");
	update("r2", "2026-11-02T01:00:00Z", later, 2);
	assert_string_equal(look("n1", "quick").last, "2026-11-01T01:00:00Z");
	assert_string_equal(look("n1", "quick").run, "r1");
	assert_string_equal(look("n1", "quick").tried, "2026-11-02T01:00:00Z");
	assert_string_equal(look("n1", "quick").hw, "A");
	assert_string_equal(look("n2", "quick").last, "2026-11-02T01:00:00Z");
	assert_string_equal(look("n2", "quick").tried, "");
	assert_string_equal(look("n2", "quick").hw, "B");
	empty_store("");
}

static void of_two_turns_the_newer_one_counts_whoever_writes_last(void **state)
{
	const struct ledger_entry v[] = { { "n1", "A", true } };
	(void)state;
	update("r2", "2026-11-02T01:00:00Z", v, 1);
	update("r1", "2026-11-01T01:00:00Z", v, 1);
	assert_string_equal(look("n1", "quick").run, "r2");
	update("r3", "2026-11-02T01:00:00Z", v, 1);
	assert_string_equal(look("n1", "quick").run, "r3");
	empty_store("");
}

static void what_was_written_in_the_future_does_not_stay_for_ever(void **state)
{
	const struct ledger_entry v[] = { { "n1", "A", true } };
	(void)state;
	update("r2", "2999-11-02T01:00:00Z", v, 1);
	update("r1", "2026-11-01T01:00:00Z", v, 1);
	assert_string_equal(look("n1", "quick").last, "2026-11-01T01:00:00Z");
	empty_store("");
}

static void clusters_and_suites_are_kept_apart(void **state)
{
	const struct ledger_entry v[] = { { "n1", "A", true } };
	char *aside;
	(void)state;
	assert_int_equal(update_of("c", "quick", "r1", "2026-11-01T01:00:00Z", v, 1, &aside),
	                 HB_OK);
	assert_int_equal(update_of("c", "full", "r2", "2026-11-02T01:00:00Z", v, 1, &aside), HB_OK);
	assert_int_equal(update_of("d", "quick", "r3", "2026-11-03T01:00:00Z", v, 1, &aside),
	                 HB_OK);
	assert_string_equal(look("n1", "quick").run, "r1");
	assert_string_equal(look("n1", "full").run, "r2");
	empty_store("");
}

static void eight_writers_at_once_lose_nothing(void **state)
{
	(void)state;
	pid_t pid[8];
	for (int i = 0; i < 8; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			int bad = 0;
			for (int k = 0; k < 4; k++) {
				char name[16], *aside;
				snprintf(name, sizeof(name), "n%d-%d", i, k);
				const struct ledger_entry v[] = { { name, "A", true } };
				bad += update_of("c", "quick", "r", "2026-11-01T01:00:00Z", v, 1,
				                 &aside) != HB_OK;
			}
			_exit(bad ? 1 : 0);
		}
	}
	for (int i = 0; i < 8; i++) {
		int status;
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	struct ledger l;
	ledger_read(&s, &l);
	assert_int_equal(json_object_object_length(ledger_nodes(&l, "c")), 32);
	ledger_free(&l);
	empty_store("");
}

static void a_file_that_is_no_ledger_is_set_aside_and_a_new_one_begun(void **state)
{
	static const char *const bad[] = {
		"not json",
		"[]",
		"{}",
		"{\"schema\":2,\"clusters\":{}}",
		"{\"schema\":1,\"clusters\":[]}",
		"{\"schema\":1,\"clusters\":{\"c\":3}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"n1\":{}}}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"\":{\"suites\":{}}}}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"n1\":{\"hw\":1,\"suites\":{}}}}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"n1\":{\"suites\":{\"q\":null}}}}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"n1\":{\"suites\":{\"q\":{\"last\":\"now\"}}}}"
		"}}",
		"{\"schema\":1,\"clusters\":{\"c\":{\"n1\":{\"suites\":{\"q\":{\"last\":"
		"\"2026-11-01T01:00:00Zx\"}}}}}}",
	};
	const struct ledger_entry v[] = { { "n1", "A", true } };
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ledger l;
		char *aside = NULL;
		write_ledger(bad[i]);
		ledger_read(&s, &l);
		assert_non_null(l.warning);
		assert_null(ledger_nodes(&l, "c"));
		ledger_free(&l);
		assert_int_equal(
		        update_of("c", "quick", "r1", "2026-11-01T01:00:00Z", v, 1, &aside), HB_OK);
		assert_non_null(strstr(aside, "coverage.json.broken-r1"));
		free(aside);
		assert_string_equal(look("n1", "quick").run, "r1");
		assert_int_equal(empty_store("coverage.json.broken"), 1);
	}
}

static void a_folder_in_its_place_is_set_aside_too(void **state)
{
	const struct ledger_entry v[] = { { "n1", "A", true } };
	char *path = hb_format("%s/coverage.json", s.path), *aside = NULL;
	(void)state;
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(update_of("c", "quick", "r1", "2026-11-01T01:00:00Z", v, 1, &aside),
	                 HB_OK);
	assert_non_null(aside);
	free(aside);
	free(path);
	assert_string_equal(look("n1", "quick").run, "r1");
	empty_store("");
}

static void the_suite_that_was_not_used_for_the_longest_time_makes_room(void **state)
{
	const struct ledger_entry v[] = { { "n1", "A", true } };
	char suite[16], time[32], *aside;
	(void)state;
	for (int i = 0; i <= LEDGER_SUITES_MAX; i++) {
		snprintf(suite, sizeof(suite), "s%d", i);
		snprintf(time, sizeof(time), "2026-11-01T%02d:%02d:00Z", i / 60, i % 60);
		assert_int_equal(update_of("c", suite, "r", time, v, 1, &aside), HB_OK);
	}
	assert_string_equal(look("n1", "s0").last, "");
	assert_string_equal(look("n1", "s1").last, "2026-11-01T00:01:00Z");
	assert_string_equal(look("n1", suite).last, time);
	empty_store("");
}

static void beyond_a_hundred_thousand_nodes_the_oldest_are_forgotten(void **state)
{
	enum { MORE = 3 };
	struct ledger_entry *v = hb_alloc(LEDGER_NODES_MAX * sizeof(*v));
	char(*names)[16] = hb_alloc(LEDGER_NODES_MAX * sizeof(*names));
	const struct ledger_entry old[] = { { "a1", "A", true },
		                            { "a2", "A", true },
		                            { "a3", "A", true } };
	(void)state;
	update("r1", "2026-11-01T01:00:00Z", old, MORE);
	for (size_t i = 0; i < LEDGER_NODES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "n%zu", i);
		v[i] = (struct ledger_entry){ names[i], "A", true };
	}
	update("r2", "2026-11-02T01:00:00Z", v, LEDGER_NODES_MAX);
	struct ledger l;
	ledger_read(&s, &l);
	assert_null(l.warning);
	assert_int_equal(json_object_object_length(ledger_nodes(&l, "c")), LEDGER_NODES_MAX);
	assert_null(ledger_hw(ledger_nodes(&l, "c"), "a1"));
	assert_string_equal(ledger_hw(ledger_nodes(&l, "c"), "n99999"), "A");
	ledger_free(&l);
	free(names);
	free(v);
	empty_store("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_without_a_ledger_knows_nothing_and_that_is_no_error),
		cmocka_unit_test(only_good_figures_count_as_measured_a_turn_without_is_a_try),
		cmocka_unit_test(of_two_turns_the_newer_one_counts_whoever_writes_last),
		cmocka_unit_test(what_was_written_in_the_future_does_not_stay_for_ever),
		cmocka_unit_test(clusters_and_suites_are_kept_apart),
		cmocka_unit_test(eight_writers_at_once_lose_nothing),
		cmocka_unit_test(a_file_that_is_no_ledger_is_set_aside_and_a_new_one_begun),
		cmocka_unit_test(a_folder_in_its_place_is_set_aside_too),
		cmocka_unit_test(the_suite_that_was_not_used_for_the_longest_time_makes_room),
		cmocka_unit_test(beyond_a_hundred_thousand_nodes_the_oldest_are_forgotten),
	};
	return cmocka_run_group_tests(tests, make_store, remove_store);
}

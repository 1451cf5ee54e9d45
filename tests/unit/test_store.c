/* The store: names of runs, files that are whole or absent, and disks that say no. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store.h"

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	folder = hb_strdup("/tmp/hpcbench-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		char *inner = hb_format("%s/%s", path, e->d_name);
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlink(inner) != 0)
			remove_tree(inner);
		free(inner);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static int remove_folder(void **state)
{
	(void)state;
	remove_tree(folder);
	free(folder);
	return 0;
}

static struct store open_store(void)
{
	struct store s;
	struct hb_err err = { HB_OK, "" };
	if (store_open(folder, true, &s, &err) != HB_OK)
		fail_msg("%s", err.text);
	return s;
}

static void make_run(const char *id)
{
	char *path = hb_format("%s/runs/%s", folder, id);
	assert_int_equal(mkdir(path, 0777), 0);
	free(path);
}

static void the_store_is_chosen_by_option_then_data_folder(void **state)
{
	struct store s;
	struct hb_err err;
	char *home = hb_format("%s/home", folder), *xdg = hb_format("%s/xdg", folder);
	char *want = hb_format("%s/xdg/hpcbench", folder);
	char *deep = hb_format("%s/home/.local/share/hpcbench", folder);
	(void)state;
	unsetenv("HPCBENCH_STORE");
	setenv("XDG_DATA_HOME", xdg, 1);
	setenv("HOME", home, 1);
	assert_int_equal(store_open("/from/option//", false, &s, &err), HB_OK);
	assert_string_equal(s.path, "/from/option");
	store_close(&s);
	assert_int_equal(store_open(NULL, false, &s, &err), HB_OK);
	assert_string_equal(s.path, want);
	store_close(&s);
	setenv("XDG_DATA_HOME", "not/absolute", 1);
	assert_int_equal(store_open(NULL, true, &s, &err), HB_OK);
	assert_string_equal(s.path, deep);
	assert_int_equal(access(deep, W_OK), 0);
	store_close(&s);
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	assert_int_equal(store_open(NULL, false, &s, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "HPCBENCH_STORE"));
	free(home);
	free(xdg);
	free(want);
	free(deep);
}

static void a_store_that_cannot_be_made_names_path_reason_and_way_out(void **state)
{
	struct store s;
	struct hb_err err;
	char *file = hb_format("%s/file", folder), *under = hb_format("%s/file/store", folder);
	(void)state;
	assert_int_equal(close(open(file, O_CREAT | O_WRONLY, 0666)), 0);
	assert_int_equal(store_open(under, true, &s, &err), HB_E_IO);
	assert_non_null(strstr(err.text, file));
	assert_non_null(strstr(err.text, "Not a directory"));
	assert_non_null(strstr(err.text, "--store"));
	assert_null(s.path);
	assert_int_equal(store_open(file, false, &s, &err), HB_E_IO);
	assert_int_equal(store_open("/proc/nothing/here", true, &s, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "/proc/nothing"));
	free(file);
	free(under);
}

static void new_runs_are_unique_and_sort_in_their_order(void **state)
{
	enum { RUNS = 40 };
	struct store s = open_store();
	struct hb_err err;
	char *made[RUNS], *dir, **ids;
	size_t n;
	(void)state;
	for (int i = 0; i < RUNS; i++) {
		struct stat st;
		assert_int_equal(store_run_new(&s, &made[i], &dir, &err), HB_OK);
		assert_int_equal(stat(dir, &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		assert_int_equal(strlen(made[i]), strlen("20261130-014210-7f3a"));
		free(dir);
	}
	assert_int_equal(store_run_list(&s, &ids, &n, &err), HB_OK);
	assert_int_equal(n, RUNS);
	for (int i = 0; i < RUNS; i++) {
		assert_string_equal(ids[i], made[i]);
		free(made[i]);
	}
	store_dirs_free(ids, n);
	store_close(&s);
}

static void expect_run(const struct store *s, const char *name, const char *id)
{
	struct hb_err err = { HB_OK, "" };
	char *dir, *want = hb_format("%s/runs/%s", folder, id);
	if (store_run_find(s, name, &dir, &err) != HB_OK)
		fail_msg("%s: %s", name, err.text);
	assert_string_equal(dir, want);
	free(dir);
	free(want);
}

static void expect_no_run(const struct store *s, const char *name, const char *why)
{
	struct hb_err err = { HB_OK, "" };
	char *dir;
	assert_int_equal(store_run_find(s, name, &dir, &err), HB_E_USAGE);
	assert_null(dir);
	if (!strstr(err.text, why))
		fail_msg("%s gave: %s", name, err.text);
}

static void runs_are_found_by_id_prefix_age_and_directory(void **state)
{
	struct store s = open_store();
	struct hb_err err;
	char *dir, **dirs;
	size_t n;
	(void)state;
	expect_no_run(&s, "latest", "holds 0 runs");
	make_run("20261129-120000-00aa");
	make_run("20261130-120000-00bb");
	make_run("20261130-130000-00cc");
	make_run("notes");
	expect_run(&s, "latest", "20261130-130000-00cc");
	expect_run(&s, "latest~0", "20261130-130000-00cc");
	expect_run(&s, "latest~2", "20261129-120000-00aa");
	expect_run(&s, "20261129", "20261129-120000-00aa");
	expect_run(&s, "20261130-13", "20261130-130000-00cc");
	expect_no_run(&s, "20261130", "fits 2 runs");
	expect_no_run(&s, "20251130", "no run");
	expect_no_run(&s, "latest~3", "holds 3 runs");
	expect_no_run(&s, "latest~", "latest~N");
	expect_no_run(&s, "latest~1x", "latest~N");
	expect_no_run(&s, "latest~99999999999999999999", "latest~N");
	expect_no_run(&s, "", "empty");
	expect_no_run(&s, "./nowhere", "no run directory");
	expect_no_run(&s, folder, "not a run directory");
	char *plan = hb_format("%s/plan.json", folder);
	assert_int_equal(store_write(plan, "{}", 2, &err), HB_OK);
	free(plan);
	assert_int_equal(store_run_find(&s, folder, &dir, &err), HB_OK);
	assert_string_equal(dir, folder);
	free(dir);
	assert_int_equal(store_runs_find(&s, "latest,latest~2", &dirs, &n, &err), HB_OK);
	assert_int_equal(n, 2);
	assert_non_null(strstr(dirs[1], "00aa"));
	store_dirs_free(dirs, n);
	assert_int_equal(store_runs_find(&s, "latest,,latest", &dirs, &n, &err), HB_E_USAGE);
	assert_null(dirs);
	store_close(&s);
}

static void baselines_go_by_name_or_file(void **state)
{
	struct store s = open_store();
	struct hb_err err;
	char **names, *path;
	size_t n;
	(void)state;
	path = store_baseline_path(&s, "night");
	assert_int_equal(store_write(path, "{}", 2, &err), HB_OK);
	free(path);
	path = store_baseline_path(&s, "accepted");
	assert_int_equal(store_write(path, "{}", 2, &err), HB_OK);
	free(path);
	assert_int_equal(store_baseline_list(&s, &names, &n, &err), HB_OK);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "accepted");
	assert_string_equal(names[1], "night");
	store_dirs_free(names, n);
	path = store_baseline_path(&s, "other.json");
	assert_string_equal(path, "other.json");
	free(path);
	path = store_baseline_path(&s, "a/b");
	assert_string_equal(path, "a/b");
	free(path);
	store_close(&s);
}

static void names_that_could_lead_elsewhere_are_refused(void **state)
{
	static const char *const bad[] = { "",    ".",   "..",  "-x",      ".hidden",
		                           "a/b", "a b", "a\n", "\xc3\xa4" };
	struct hb_err err;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(store_check_name("name", bad[i], &err), HB_E_USAGE);
	assert_int_equal(store_check_name("name", "night-2026_11.30", &err), HB_OK);
}

static size_t count_files(const char *dir)
{
	size_t n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void a_file_is_replaced_whole_and_leaves_no_traces(void **state)
{
	struct hb_err err;
	struct buf b = BUF_INIT;
	struct stat st;
	char *path = hb_format("%s/x.json", folder), *dir = hb_format("%s/dir", folder);
	mode_t old = umask(027);
	(void)state;
	assert_int_equal(store_write(path, "first", 5, &err), HB_OK);
	assert_int_equal(store_write(path, "second", 6, &err), HB_OK);
	assert_int_equal(buf_read_file(&b, path, 100, &err), HB_OK);
	assert_string_equal(buf_text(&b), "second");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(mkdir(dir, 0777), 0);
	/* A folder stands where the file should go: the write fails and cleans up. */
	assert_int_equal(store_write(dir, "x", 1, &err), HB_E_IO);
	assert_non_null(strstr(err.text, dir));
	assert_int_equal(count_files(folder), 2);
	umask(old);
	buf_free(&b);
	free(path);
	free(dir);
}

static json_object *numbered(int i)
{
	json_object *o = json_object_new_object();
	js_set_i64(o, "i", i);
	return o;
}

static void log_number(struct store_log *l, int i)
{
	struct hb_err err;
	json_object *o = numbered(i);
	assert_int_equal(store_log_line(l, o, &err), HB_OK);
	js_put(o);
}

static void logs_keep_every_line_and_grow(void **state)
{
	struct hb_err err;
	struct store_log *l;
	struct buf b = BUF_INIT;
	char *path = hb_format("%s/log.jsonl", folder);
	(void)state;
	assert_int_equal(store_log_open(path, &l, &err), HB_OK);
	log_number(l, 1);
	assert_int_equal(store_log_sync(l, &err), HB_OK);
	assert_int_equal(buf_read_file(&b, path, 100, &err), HB_OK);
	assert_string_equal(buf_text(&b), "{\"i\":1}\n");
	log_number(l, 2);
	assert_int_equal(store_log_close(l, &err), HB_OK);
	assert_int_equal(store_log_open(path, &l, &err), HB_OK);
	log_number(l, 3);
	assert_int_equal(store_log_close(l, &err), HB_OK);
	buf_clear(&b);
	assert_int_equal(buf_read_file(&b, path, 100, &err), HB_OK);
	assert_string_equal(buf_text(&b), "{\"i\":1}\n{\"i\":2}\n{\"i\":3}\n");
	buf_free(&b);
	free(path);
}

static void a_line_that_was_cut_does_not_swallow_the_next(void **state)
{
	struct hb_err err;
	struct store_log *l;
	struct buf b = BUF_INIT;
	char *path = hb_format("%s/log.jsonl", folder);
	(void)state;
	assert_int_equal(store_write(path, "{\"i\":1}\n{\"i\"", 12, &err), HB_OK);
	assert_int_equal(store_log_open(path, &l, &err), HB_OK);
	log_number(l, 2);
	assert_int_equal(store_log_close(l, &err), HB_OK);
	assert_int_equal(buf_read_file(&b, path, 100, &err), HB_OK);
	assert_non_null(strstr(buf_text(&b), "\n{\"i\":2}\n"));
	buf_free(&b);
	free(path);
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
	struct hb_err err;
	struct store_log *l;
	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	assert_int_equal(store_log_open("/dev/full", &l, &err), HB_OK);
	log_number(l, 1);
	assert_int_equal(store_log_sync(l, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_non_null(strstr(err.text, "No space left"));
	assert_non_null(strstr(err.text, "make room"));
	/* What was not written is still there, and closing says so again. */
	assert_int_equal(store_log_close(l, &err), HB_E_IO);
}

static void a_log_that_cannot_be_opened_says_why(void **state)
{
	struct hb_err err;
	struct store_log *l;
	char *path = hb_format("%s/absent/log.jsonl", folder);
	(void)state;
	assert_int_equal(store_log_open(path, &l, &err), HB_E_IO);
	assert_non_null(strstr(err.text, path));
	free(path);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_store_is_chosen_by_option_then_data_folder),
		TEST(a_store_that_cannot_be_made_names_path_reason_and_way_out),
		TEST(new_runs_are_unique_and_sort_in_their_order),
		TEST(runs_are_found_by_id_prefix_age_and_directory),
		TEST(baselines_go_by_name_or_file),
		TEST(names_that_could_lead_elsewhere_are_refused),
		TEST(a_file_is_replaced_whole_and_leaves_no_traces),
		TEST(logs_keep_every_line_and_grow),
		TEST(a_line_that_was_cut_does_not_swallow_the_next),
		TEST(a_full_disk_is_an_error_that_names_the_file),
		TEST(a_log_that_cannot_be_opened_says_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

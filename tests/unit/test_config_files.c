/* The configuration's files: which are read, whose, and what never answers. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "harness/config/config.h"
#include "harness/config/config_parts.h"
#include "harness/launch/wait.h"

static const struct opt common[] = {
	{ OPT_STRING, 0, "store", "DIR", "", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
static const struct config_table tables[] = { { NULL, common }, { NULL, NULL } };

static char folder[] = "/tmp/hpcbench-config-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "a.json", "b.json", "fifo", "dir" };
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path = hb_format("%s/%s", folder, names[i]);
		remove(path);
		free(path);
	}
	return rmdir(folder);
}

static char *file(const char *name, const char *text)
{
	char *path = hb_format("%s/%s", folder, name);
	(void)remove(path); /* who owned it must not stay */
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0644), 0);
	return path;
}

static int load(char *prefix, char *user, struct config *out, struct hb_err *err)
{
	struct config_paths paths = { { prefix, NULL, user } };
	*err = (struct hb_err){ .code = HB_OK };
	return config_load(&paths, tables, out, err);
}

static void expect_refused(char *path, const char *why)
{
	for (int user = 0; user <= 1; user++) {
		struct config c;
		struct hb_err err;
		int rc = load(user ? NULL : path, user ? path : NULL, &c, &err);
		if (rc == HB_OK || !strstr(err.text, why) || !strstr(err.text, path))
			fail_msg("%s: %d %s", path, rc, err.text);
		config_free(&c);
	}
}

static void files_that_exist_are_read_in_order(void **state)
{
	char *a = file("a.json", "{\"schema\":1,\"store\":\"/a\"}");
	char *b = file("b.json", "{\"schema\":1,\"store\":\"/b\"}"), *store = NULL;
	char *none = hb_format("%s/none/x.json", folder), *below = hb_format("%s/x", a);
	struct config c;
	struct hb_err err;
	(void)state;
	assert_int_equal(load(a, b, &c, &err), HB_OK);
	assert_int_equal(c.n, 2);
	assert_string_equal(c.v[0].source, a);
	assert_int_equal(config_apply(&c, NULL, common, NULL, &store, NULL, &err), HB_OK);
	assert_string_equal(store, "/b");
	assert_null(c.warning);
	opt_free(common, &store);
	config_free(&c);
	/* Where there is nothing there is nothing to say, also below something that is no folder.
	 */
	assert_int_equal(load(none, below, &c, &err), HB_OK);
	assert_int_equal(c.n, 0);
	assert_null(c.warning);
	config_free(&c);
	free(none);
	free(below);
	free(a);
	free(b);
}

static void what_is_no_file_or_too_large_is_refused_at_once(void **state)
{
	char *fifo = hb_format("%s/fifo", folder), *dir = hb_format("%s/dir", folder);
	int64_t start = wait_now_ms();
	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	expect_refused(fifo, "not a regular file");
	expect_refused(dir, "not a regular file");
	char *large = file("a.json", "{\"schema\":1}");
	assert_int_equal(truncate(large, CONFIG_FILE_MAX + 1), 0);
	expect_refused(large, "larger than 256 KiB");
	free(large);
	char *wrong = file("a.json", "{\"schema\":1,");
	expect_refused(wrong, "byte ");
	assert_true(wait_now_ms() - start < CONFIG_USER_MS);
	free(wrong);
	free(fifo);
	free(dir);
}

static void what_others_could_have_written_is_refused(void **state)
{
	char *path = file("a.json", "{\"schema\":1}");
	(void)state;
	assert_int_equal(chmod(path, 0646), 0);
	expect_refused(path, "everybody may write");
	assert_int_equal(chmod(path, 0664), 0);
	struct config c;
	struct hb_err err;
	assert_int_equal(load(NULL, path, &c, &err), HB_OK);
	config_free(&c);
	free(path);
}

static void a_file_of_somebody_else_is_refused(void **state)
{
	char *path = file("a.json", "{\"schema\":1}");
	(void)state;
	if (chown(path, 12345, (gid_t)-1) != 0) {
		free(path);
		skip();
	}
	expect_refused(path, "belongs to user 12345");
	free(path);
}

/* A file under a lease of another process stands for a dead file system: opening it blocks. */
static void a_file_that_does_not_answer_costs_two_seconds_and_a_warning(void **state)
{
	char *path = file("b.json", "{\"schema\":1}"), *good = file("a.json", "{\"schema\":1}");
	struct config c;
	struct hb_err err;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	(void)state;
	assert_true(fd >= 0);
	(void)signal(SIGIO, SIG_IGN);
	if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) {
		close(fd);
		free(path);
		free(good);
		skip();
	}
	int64_t start = wait_now_ms();
	int rc = load(good, path, &c, &err);
	int64_t took = wait_now_ms() - start;
	close(fd);
	if (rc != HB_OK)
		fail_msg("%s", err.text);
	assert_int_equal(c.n, 1);
	assert_non_null(c.warning);
	assert_non_null(strstr(c.warning, "no answer within 2 s"));
	assert_non_null(strstr(c.warning, path));
	assert_true(took >= CONFIG_USER_MS);
	config_free(&c);
	/* Nothing is left of the reader. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	free(path);
	free(good);
}

static void the_users_file_is_where_xdg_says(void **state)
{
	struct config_paths p;
	(void)state;
	setenv("HOME", "/home/x", 1);
	unsetenv("XDG_CONFIG_HOME");
	config_paths_default(&p);
	assert_string_equal(p.path[CONFIG_USER], "/home/x/.config/hpcbench/hpcbench.json");
	assert_string_equal(p.path[CONFIG_SYSTEM], "/etc/hpcbench.json");
	config_paths_free(&p);
	setenv("XDG_CONFIG_HOME", "/xdg", 1);
	config_paths_default(&p);
	assert_string_equal(p.path[CONFIG_USER], "/xdg/hpcbench/hpcbench.json");
	config_paths_free(&p);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	unsetenv("HOME");
	config_paths_default(&p);
	assert_null(p.path[CONFIG_USER]);
	config_paths_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_exist_are_read_in_order),
		cmocka_unit_test(what_is_no_file_or_too_large_is_refused_at_once),
		cmocka_unit_test(what_others_could_have_written_is_refused),
		cmocka_unit_test(a_file_of_somebody_else_is_refused),
		cmocka_unit_test(a_file_that_does_not_answer_costs_two_seconds_and_a_warning),
		cmocka_unit_test(the_users_file_is_where_xdg_says),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

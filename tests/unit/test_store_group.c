/* A store that a group shares: two ordinary users, a setgid folder, their umasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store.h"

/* Numbers that nobody has. */
enum { FIRST = 4200001, SECOND = 4200002, OWN = 4200003, GROUP = 4200004 };

static char work[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* A folder of the group, as an administrator makes it: chgrp, chmod 2770. */
static int make_folder(void **state)
{
	(void)state;
	snprintf(work, sizeof work, "/tmp/hpcbench-test-XXXXXX");
	if (!mkdtemp(work))
		return -1;
	return geteuid() == 0 && (chown(work, FIRST, GROUP) != 0 || chmod(work, 02770) != 0) ? -1
	                                                                                     : 0;
}

static int remove_folder(void **state)
{
	(void)state;
	nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

typedef int deed(const struct store *s, struct hb_err *err);

/* Does it as that user; returns what it returned, as an exit status: 0 well, 1 not. */
static int as_user(uid_t uid, mode_t mask, bool create, deed *what)
{
	const gid_t groups[] = { GROUP };
	int status = 0;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	pid = fork();
	if (pid == 0) {
		struct store s;
		struct hb_err err;
		umask(mask);
		if (setgroups(1, groups) != 0 || setresgid(OWN, OWN, OWN) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(3);
		int rc = store_open(work, create, &s, &err);
		if (rc == HB_OK)
			rc = what(&s, &err);
		if (rc != HB_OK)
			fprintf(stderr, "user %d: %s\n", (int)uid, err.text);
		_exit(rc == HB_OK ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static int nothing(const struct store *s, struct hb_err *err)
{
	(void)s;
	(void)err;
	return HB_OK;
}

static int record(const struct store *s, struct hb_err *err)
{
	char *path = store_baseline_path(s, "night"), *lock = NULL;
	char *text = hb_format("{\"by\":%d}\n", (int)getuid());
	int rc = store_lock(path, &lock, err);

	if (rc == HB_OK)
		rc = store_write(path, text, strlen(text), err);
	store_unlock(lock);
	free(text);
	free(path);
	return rc;
}

static int new_run(const struct store *s, struct hb_err *err)
{
	char *id, *dir, *path;
	int rc = store_run_new(s, &id, &dir, err);

	if (rc != HB_OK)
		return rc;
	path = hb_format("%s/plan.json", dir);
	rc = store_write(path, "{}\n", 3, err);
	free(path);
	free(id);
	free(dir);
	return rc;
}

static int find_run(const struct store *s, struct hb_err *err)
{
	char *dir = NULL;
	int rc = store_run_find(s, "latest", &dir, err);

	free(dir);
	return rc;
}

static mode_t mode_of(const char *name, gid_t *group)
{
	char *path = hb_format("%s/%s", work, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	free(path);
	*group = st.st_gid;
	return st.st_mode & 07777;
}

static void assert_mode(const char *name, mode_t want)
{
	gid_t group;

	assert_int_equal(mode_of(name, &group), want);
	assert_int_equal(group, GROUP);
}

static void folders_and_files_belong_to_the_group_as_the_umask_says(void **state)
{
	(void)state;
	assert_int_equal(as_user(FIRST, 002, true, record), 0);
	assert_mode("runs", 02775);
	assert_mode("baselines", 02775);
	assert_mode("baselines/night.json", 0664);
	assert_int_equal(as_user(FIRST, 027, true, record), 0);
	assert_mode("baselines/night.json", 0640);
	assert_mode("runs", 02775);
}

static void a_baseline_of_one_member_is_replaced_by_another(void **state)
{
	struct stat st;
	char *path = hb_format("%s/baselines/night.json", work);

	(void)state;
	assert_int_equal(as_user(FIRST, 007, true, record), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, FIRST);
	assert_int_equal(as_user(SECOND, 007, true, record), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, SECOND);
	assert_mode("baselines/night.json", 0660);
	/* Also where the old one could not be written by the group. */
	assert_int_equal(as_user(FIRST, 027, true, record), 0);
	assert_int_equal(as_user(SECOND, 007, true, record), 0);
	free(path);
}

static void runs_of_both_stand_side_by_side(void **state)
{
	(void)state;
	assert_int_equal(as_user(FIRST, 007, true, new_run), 0);
	assert_int_equal(as_user(SECOND, 007, true, new_run), 0);
	assert_int_equal(as_user(FIRST, 007, false, find_run), 0);
}

static void a_store_that_only_its_owner_may_write_is_refused_and_can_be_read(void **state)
{
	(void)state;
	assert_int_equal(as_user(FIRST, 027, true, new_run), 0);
	assert_int_equal(as_user(SECOND, 027, true, nothing), 1);
	assert_int_equal(as_user(SECOND, 027, false, find_run), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(folders_and_files_belong_to_the_group_as_the_umask_says),
		TEST(a_baseline_of_one_member_is_replaced_by_another),
		TEST(runs_of_both_stand_side_by_side),
		TEST(a_store_that_only_its_owner_may_write_is_refused_and_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

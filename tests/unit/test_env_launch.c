#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/core/control.h"
#include "bench/core/env.h"
#include "bench/core/helper.h"

static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
	                             "SLURM_PROCID" };
static const char *const locals[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_LOCAL_RANK",
	                              "MPI_LOCALRANKID", "SLURM_LOCALID" };
enum { LAUNCHERS = 4 };

/* As if nobody had started this process. */
static int nobody(void **state)
{
	(void)state;
	for (int i = 0; i < LAUNCHERS; i++) {
		unsetenv(ranks[i]);
		unsetenv(locals[i]);
	}
	unsetenv(CONTROL_ENV_RANKS);
	return 0;
}

static void without_a_launcher_there_is_no_rank(void **state)
{
	(void)state;
	assert_int_equal(env_launch_rank(), -1);
	assert_int_equal(env_launch_local(), -1);
}

static void every_launcher_tells_its_rank(void **state)
{
	for (int i = 0; i < LAUNCHERS; i++) {
		nobody(state);
		setenv(ranks[i], "17", 1);
		setenv(locals[i], "3", 1);
		assert_int_equal(env_launch_rank(), 17);
		assert_int_equal(env_launch_local(), 3);
	}
}

/* mpirun within a Slurm step: what Slurm says is about the daemon that mpirun left there. */
static void the_nearest_launcher_is_believed(void **state)
{
	(void)state;
	setenv("SLURM_PROCID", "1", 1);
	setenv("SLURM_LOCALID", "0", 1);
	setenv("OMPI_COMM_WORLD_RANK", "5", 1);
	setenv("OMPI_COMM_WORLD_LOCAL_RANK", "2", 1);
	assert_int_equal(env_launch_rank(), 5);
	assert_int_equal(env_launch_local(), 2);
}

static void what_is_no_number_counts_as_absent(void **state)
{
	static const char *const bad[] = { "",   "-1",      "+1",  " 1",
		                           "1x", "1048576", "0x1", "99999999999999999999" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("PMIX_RANK", bad[i], 1);
		setenv("PMIX_LOCAL_RANK", bad[i], 1);
		assert_int_equal(env_launch_rank(), -1);
		assert_int_equal(env_launch_local(), -1);
	}
	setenv("SLURM_PROCID", "6", 1);
	assert_int_equal(env_launch_rank(), 6);
}

static void the_number_started_is_strict(void **state)
{
	static const char *const bad[] = { "0", "-2", "2 ", "x", "" };
	struct hb_err err = { HB_OK, "" };
	int n = -1;

	(void)state;
	assert_int_equal(env_launch_started(&n, &err), HB_OK);
	assert_int_equal(n, 0);
	setenv(CONTROL_ENV_RANKS, "12", 1);
	assert_int_equal(env_launch_started(&n, &err), HB_OK);
	assert_int_equal(n, 12);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv(CONTROL_ENV_RANKS, bad[i], 1);
		assert_int_equal(env_launch_started(&n, &err), HB_E_USAGE);
		assert_non_null(strstr(err.text, CONTROL_ENV_RANKS));
	}
}

static struct comm *world_of(int want, struct hb_err *err)
{
	struct comm *c = NULL;
	int argc = 0, rc = helper_world_apart(&c, &argc, NULL, err);

	assert_int_equal(rc, want);
	return c;
}

static void a_helper_of_one_node_is_alone_where_nobody_counts(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct comm *c = world_of(HB_OK, &err);

	(void)state;
	assert_int_equal(c->ops->size(c), 1);
	assert_false(c->apart);
	c->ops->close(c);
	setenv("SLURM_PROCID", "4", 1); /* a shell within a job, and nothing was started in it */
	c = world_of(HB_OK, &err);
	assert_int_equal(c->ops->size(c), 1);
	assert_int_equal(c->ops->rank(c), 0);
	c->ops->close(c);
}

static void one_a_node_has_the_launchers_rank_and_the_number_started(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct comm *c;

	(void)state;
	setenv(CONTROL_ENV_RANKS, "4", 1);
	setenv("SLURM_PROCID", "3", 1);
	c = world_of(HB_OK, &err);
	assert_int_equal(c->ops->rank(c), 3);
	assert_int_equal(c->ops->size(c), 4);
	assert_true(c->apart);
	c->ops->close(c);
}

static void a_world_without_ranks_is_one_clear_error(void **state)
{
	struct hb_err err = { HB_OK, "" };

	(void)state;
	setenv(CONTROL_ENV_RANKS, "4", 1);
	assert_null(world_of(HB_E_LIB, &err));
	assert_non_null(strstr(err.text, "one of 4 processes"));
	assert_non_null(strstr(err.text, "SLURM_PROCID"));
	setenv("SLURM_PROCID", "4", 1);
	assert_null(world_of(HB_E_LIB, &err));
	assert_non_null(strstr(err.text, "rank 4 of 4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_launcher_there_is_no_rank, nobody),
		cmocka_unit_test_setup(every_launcher_tells_its_rank, nobody),
		cmocka_unit_test_setup(the_nearest_launcher_is_believed, nobody),
		cmocka_unit_test_setup(what_is_no_number_counts_as_absent, nobody),
		cmocka_unit_test_setup(the_number_started_is_strict, nobody),
		cmocka_unit_test_setup(a_helper_of_one_node_is_alone_where_nobody_counts, nobody),
		cmocka_unit_test_setup(one_a_node_has_the_launchers_rank_and_the_number_started,
		                       nobody),
		cmocka_unit_test_setup(a_world_without_ranks_is_one_clear_error, nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

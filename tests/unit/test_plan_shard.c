/* Part I of N of a node set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plan/plan_shard.h"
#include "tests/unit/plan_fixture.h"

static const char *const names[] = { "ID", "COUNT", "MIN", "MAX", "STEP" };

/* SLURM_ARRAY_TASK_*; NULL: not set. */
static void set_array(const char *const value[5])
{
	for (size_t i = 0; i < 5; i++) {
		char name[64] = "SLURM_ARRAY_TASK_";
		memcpy(name + strlen(name), names[i], strlen(names[i]) + 1);
		if (value[i])
			setenv(name, value[i], 1);
		else
			unsetenv(name);
	}
}

static void shards_are_counted_from_1_to_n(void **state)
{
	struct hb_err err;
	int i = 0, n = 0;
	(void)state;
	assert_int_equal(plan_shard_parse("2/4", &i, &n, &err), HB_OK);
	assert_int_equal(i, 2);
	assert_int_equal(n, 4);
	assert_int_equal(plan_shard_parse("4096/4096", &i, &n, &err), HB_OK);
	static const char *const bad[] = {
		"",     "2",    "/",   "2/",     "/4",           "2/4x",
		" 2/4", "-1/4", "5/4", "1/4097", "1/9999999999", "2/4/4"
	};
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
		assert_int_equal(plan_shard_parse(bad[k], &i, &n, &err), HB_E_USAGE);
	assert_int_equal(plan_shard_parse("0/4", &i, &n, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "--shard auto"));
}

static void auto_follows_an_array_from_wherever_it_counts(void **state)
{
	static const struct {
		const char *env[5];
		int i, n; /* 0: refused */
	} rows[] = {
		{ { "0", "4", "0", "3", "1" }, 1, 4 },
		{ { "3", "4", "0", "3", NULL }, 4, 4 },
		{ { "1", "4", "1", "4", "1" }, 1, 4 },
		{ { "4", "4", "1", "4", NULL }, 4, 4 },
		{ { "14", "3", "10", "14", "2" }, 3, 3 },
		{ { "1", "4", "0", NULL, NULL }, 2, 4 },
		{ { "7", "1", "7", "7", "1" }, 1, 1 },
		{ { "5", "3", "1", "9", "1" }, 0, 0 },
		{ { NULL, "4", "0", "3", NULL }, 0, 0 },
		{ { "x", "4", "0", "3", NULL }, 0, 0 },
		{ { "4", "4", "0", "3", NULL }, 0, 0 },
		{ { "0", "5000", "0", "4999", "1" }, 0, 0 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct hb_err err;
		int i = 0, n = 0;
		set_array(rows[k].env);
		int rc = plan_shard_parse("auto", &i, &n, &err);
		assert_int_equal(rc, rows[k].n ? HB_OK : HB_E_USAGE);
		assert_int_equal(i, rows[k].i);
		assert_int_equal(n, rows[k].n);
	}
	set_array((const char *const[5]){ NULL });
}

static void parts_are_contiguous_complete_and_of_nearly_one_size(void **state)
{
	struct made m;
	struct hb_err err;
	(void)state;
	make_plan(&m, suite_all, "n[1-37]", 3);
	for (int n = 1; n <= 18; n++) {
		size_t next = 0;
		for (int i = 1; i <= n; i++) {
			struct nodeset part;
			assert_int_equal(plan_shard_cut(&m.suite, &m.nodes, i, n, &part, &err),
			                 HB_OK);
			assert_in_range(part.n, 37 / n, (37 + n - 1) / n);
			for (size_t k = 0; k < part.n; k++)
				assert_string_equal(part.v[k], m.nodes.v[next++]);
			nodeset_free(&part);
		}
		assert_int_equal(next, 37);
	}
	drop(&m);
}

static void a_part_with_too_few_nodes_is_refused_with_the_largest_useful_number(void **state)
{
	struct made m;
	struct nodeset part;
	struct hb_err err;
	(void)state;
	make_plan(&m, suite_all, "n[1-9]", 3);
	assert_int_equal(plan_shard_cut(&m.suite, &m.nodes, 1, 5, &part, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "at most 4 parts"));
	drop(&m);
	make_plan(&m, SUITE("{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"1Mi\"}}"),
	          "n[1-9]", 3);
	assert_int_equal(plan_shard_cut(&m.suite, &m.nodes, 9, 9, &part, &err), HB_OK);
	assert_int_equal(part.n, 1);
	nodeset_free(&part);
	assert_int_equal(plan_shard_cut(&m.suite, &m.nodes, 1, 10, &part, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "at most 9 parts"));
	drop(&m);
	make_plan(&m, suite_all, "n[1-3]", 3);
	assert_int_equal(plan_shard_cut(&m.suite, &m.nodes, 1, 2, &part, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "leave --shard out"));
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shards_are_counted_from_1_to_n),
		cmocka_unit_test(auto_follows_an_array_from_wherever_it_counts),
		cmocka_unit_test(parts_are_contiguous_complete_and_of_nearly_one_size),
		cmocka_unit_test(
		        a_part_with_too_few_nodes_is_refused_with_the_largest_useful_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pair rounds: disjoint, complete, spread, and the same for the same seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"

/* Every pair at most once, every node at most once a round; counts pairs and byes. */
static void check_rounds(int n, int k, uint64_t seed)
{
	struct pair_round *r;
	int most = n % 2 ? n : n - 1, want = k > 0 && k < most ? k : most;
	int count = plan_rounds(n, k, seed, &r), total = 0;
	unsigned char *met = hb_alloc((size_t)n * (size_t)n);
	int *byes = hb_alloc((size_t)n * sizeof(*byes));
	assert_int_equal(count, want);
	for (int i = 0; i < count; i++) {
		unsigned char *busy = hb_alloc((size_t)n);
		assert_int_equal(r[i].n, n / 2);
		for (int p = 0; p < r[i].n; p++) {
			int a = r[i].pairs[p][0], b = r[i].pairs[p][1];
			assert_in_range(a, 0, n - 1);
			assert_in_range(b, 0, n - 1);
			assert_int_not_equal(a, b);
			assert_int_equal(busy[a]++ + busy[b]++, 0);
			assert_int_equal(met[a * n + b]++ + met[b * n + a]++, 0);
			total++;
		}
		for (int v = 0; v < n; v++)
			byes[v] += !busy[v];
		free(busy);
	}
	/* All rounds together: every pair once. Byes: none where n is even, else spread. */
	if (want == most)
		assert_int_equal(total, n * (n - 1) / 2);
	for (int v = 0; v < n; v++)
		assert_in_range(byes[v], n % 2 && want == most ? 1 : 0, n % 2);
	free(met);
	free(byes);
	plan_rounds_free(r, count);
}

static void all_rounds_are_disjoint_and_complete_for_2_to_33_nodes(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++)
		for (uint64_t seed = 0; seed < 5; seed++)
			check_rounds(n, 0, seed);
}

static void fewer_rounds_repeat_no_pair_and_spread_the_byes(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++)
		for (int k = 1; k <= 8; k++)
			check_rounds(n, k, 99);
	check_rounds(1024, 5, 1);
	check_rounds(1023, 5, 1);
}

static void the_same_seed_gives_the_same_rounds_and_another_does_not(void **state)
{
	struct pair_round *a, *b, *c;
	bool differ = false;
	(void)state;
	assert_int_equal(plan_rounds(16, 5, 7, &a), 5);
	assert_int_equal(plan_rounds(16, 5, 7, &b), 5);
	assert_int_equal(plan_rounds(16, 5, 8, &c), 5);
	for (int i = 0; i < 5; i++) {
		assert_memory_equal(a[i].pairs, b[i].pairs, 8 * sizeof(*a[i].pairs));
		differ = differ || memcmp(a[i].pairs, c[i].pairs, 8 * sizeof(*a[i].pairs)) != 0;
	}
	assert_true(differ);
	plan_rounds_free(a, 5);
	plan_rounds_free(b, 5);
	plan_rounds_free(c, 5);
}

static void fewer_than_two_nodes_have_no_rounds(void **state)
{
	struct pair_round *r;
	(void)state;
	assert_int_equal(plan_rounds(1, 0, 1, &r), 0);
	assert_null(r);
	assert_int_equal(plan_rounds(0, 0, 1, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rounds_are_disjoint_and_complete_for_2_to_33_nodes),
		cmocka_unit_test(fewer_rounds_repeat_no_pair_and_spread_the_byes),
		cmocka_unit_test(the_same_seed_gives_the_same_rounds_and_another_does_not),
		cmocka_unit_test(fewer_than_two_nodes_have_no_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The seeded generator, and the tokens that it must not be used for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/rng.h"
#include "bench/base/token.h"

static void splitmix64_gives_the_published_sequence_for_seed_1234567(void **state)
{
	(void)state;
	static const uint64_t known[] = { UINT64_C(6457827717110365317),
		                          UINT64_C(3203168211198807973),
		                          UINT64_C(9817491932198370423),
		                          UINT64_C(4593380528125082431),
		                          UINT64_C(16408922859458223821) };
	struct rng r;
	rng_seed(&r, 1234567);
	for (size_t i = 0; i < 5; i++)
		assert_true(rng_u64(&r) == known[i]);
}

static void the_same_seed_gives_the_same_stream_and_another_seed_does_not(void **state)
{
	(void)state;
	struct rng a, b, c;
	rng_stream(&a, 7, 1, 2);
	rng_stream(&b, 7, 1, 2);
	rng_stream(&c, 8, 1, 2);
	int equal = 0;
	for (int i = 0; i < 100; i++) {
		uint64_t v = rng_u64(&a);
		assert_true(v == rng_u64(&b));
		equal += v == rng_u64(&c);
	}
	assert_int_equal(equal, 0);
}

static void streams_differ_when_their_numbers_are_swapped_or_neighbours(void **state)
{
	(void)state;
	static const uint64_t ids[][3] = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 1, 2, 4 },
		                           { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 } };
	uint64_t first[8];
	for (size_t i = 0; i < 8; i++) {
		struct rng r;
		rng_stream(&r, ids[i][0], ids[i][1], ids[i][2]);
		first[i] = rng_u64(&r);
		for (size_t j = 0; j < i; j++)
			assert_false(first[i] == first[j]);
	}
}

static void uniform_numbers_stay_inside_the_open_interval_and_fill_it_evenly(void **state)
{
	(void)state;
	enum { N = 100000, CELLS = 20 };
	int count[CELLS] = { 0 };
	struct rng r;
	rng_seed(&r, 42);
	for (int i = 0; i < N; i++) {
		double u = rng_uniform(&r);
		assert_true(u > 0 && u < 1);
		count[(int)(u * CELLS)]++;
	}
	/* chi-square with 19 degrees of freedom: 43.8 is its 99.9 % quantile; the seed is fixed */
	double chi = 0, want = (double)N / CELLS;
	for (int i = 0; i < CELLS; i++)
		chi += (count[i] - want) * (count[i] - want) / want;
	assert_true(chi < 43.8);
}

static void bounded_numbers_reach_every_value_and_never_the_bound(void **state)
{
	(void)state;
	struct rng r;
	int count[7] = { 0 };
	rng_seed(&r, 3);
	for (int i = 0; i < 70000; i++) {
		uint64_t v = rng_below(&r, 7);
		assert_true(v < 7);
		count[v]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(count[i], 9700, 10300); /* 3.2 standard deviations, fixed seed */
	assert_true(rng_below(&r, 1) == 0);
	assert_true(rng_below(&r, 0) == 0);
	for (int i = 0; i < 1000; i++)
		assert_true(rng_below(&r, UINT64_C(1) << 63) < UINT64_C(1) << 63);
}

static void a_bound_just_above_half_the_range_is_not_biased(void **state)
{
	(void)state;
	/* x % n without rejection would give the lower half of [0, n) two thirds of the time. */
	struct rng r;
	uint64_t n = UINT64_C(3) << 62;
	int low = 0;
	rng_seed(&r, 11);
	for (int i = 0; i < 30000; i++)
		low += rng_below(&r, n) < n / 3;
	assert_in_range(low, 9700, 10300);
}

static void normal_numbers_have_the_moments_of_the_normal_distribution(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct rng r;
	double sum = 0, squares = 0, cubes = 0, fourths = 0;
	int beyond = 0;
	rng_seed(&r, 5);
	for (int i = 0; i < N; i++) {
		double z = rng_normal(&r);
		assert_true(isfinite(z));
		sum += z;
		squares += z * z;
		cubes += z * z * z;
		fourths += z * z * z * z;
		beyond += fabs(z) > 1.959964;
	}
	/* Each within 4 standard errors; the seed is fixed. */
	assert_true(fabs(sum / N) < 4 / sqrt(N));
	assert_true(fabs(squares / N - 1) < 4 * sqrt(2.0 / N));
	assert_true(fabs(cubes / N) < 4 * sqrt(15.0 / N));
	assert_true(fabs(fourths / N - 3) < 4 * sqrt(96.0 / N));
	assert_in_range(beyond, 9600, 10400);
}

static void a_shuffle_keeps_every_item_and_reaches_every_order(void **state)
{
	(void)state;
	struct rng r;
	int seen[27] = { 0 };
	rng_seed(&r, 9);
	for (int i = 0; i < 6000; i++) {
		unsigned char v[3] = { 0, 1, 2 };
		rng_shuffle(&r, v, 3, 1);
		assert_int_equal((1 << v[0]) | (1 << v[1]) | (1 << v[2]), 7);
		seen[v[0] * 9 + v[1] * 3 + v[2]]++;
	}
	int orders = 0;
	for (int i = 0; i < 27; i++) {
		if (!seen[i])
			continue;
		orders++;
		assert_in_range(seen[i], 880, 1120);
	}
	assert_int_equal(orders, 6);
}

static void a_shuffle_moves_items_larger_than_its_chunk_as_a_whole(void **state)
{
	(void)state;
	struct item {
		uint32_t id;
		unsigned char body[150];
	} v[20];
	struct rng r;
	rng_seed(&r, 1);
	for (uint32_t i = 0; i < 20; i++) {
		v[i].id = i;
		memset(v[i].body, (int)i, sizeof(v[i].body));
	}
	rng_shuffle(&r, v, 20, sizeof(v[0]));
	uint32_t seen = 0;
	int moved = 0;
	for (uint32_t i = 0; i < 20; i++) {
		seen |= 1U << v[i].id;
		moved += v[i].id != i;
		for (size_t j = 0; j < sizeof(v[i].body); j++)
			assert_int_equal(v[i].body[j], v[i].id);
	}
	assert_int_equal(seen, (1U << 20) - 1);
	assert_true(moved > 10);
	rng_shuffle(&r, v, 0, sizeof(v[0]));
	rng_shuffle(&r, v, 1, sizeof(v[0]));
}

static void the_hash_gives_the_published_fnv_1a_values(void **state)
{
	(void)state;
	assert_true(rng_hash("", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(rng_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(rng_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void a_token_is_32_hexadecimal_digits_and_new_each_time(void **state)
{
	(void)state;
	char a[TOKEN_TEXT], b[TOKEN_TEXT];
	struct hb_err err;
	assert_int_equal(token_make(a, &err), HB_OK);
	assert_int_equal(token_make(b, &err), HB_OK);
	assert_int_equal(strlen(a), 32);
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_string_not_equal(a, b);
}

static void a_token_equals_only_itself(void **state)
{
	(void)state;
	const char *token = "0123456789abcdef0123456789abcdef";
	assert_true(token_equal(token, token));
	assert_false(token_equal(token, ""));
	assert_false(token_equal(token, "0123456789abcdef"));
	assert_false(token_equal(token, "0123456789abcdef0123456789abcdee"));
	assert_false(token_equal(token, "1123456789abcdef0123456789abcdef"));
	assert_false(token_equal(token, "0123456789abcdef0123456789abcdef0"));
	assert_false(token_equal("0", "00"));
	/* A server that has no token must not accept a client that has none. */
	assert_false(token_equal("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitmix64_gives_the_published_sequence_for_seed_1234567),
		cmocka_unit_test(the_same_seed_gives_the_same_stream_and_another_seed_does_not),
		cmocka_unit_test(streams_differ_when_their_numbers_are_swapped_or_neighbours),
		cmocka_unit_test(uniform_numbers_stay_inside_the_open_interval_and_fill_it_evenly),
		cmocka_unit_test(bounded_numbers_reach_every_value_and_never_the_bound),
		cmocka_unit_test(a_bound_just_above_half_the_range_is_not_biased),
		cmocka_unit_test(normal_numbers_have_the_moments_of_the_normal_distribution),
		cmocka_unit_test(a_shuffle_keeps_every_item_and_reaches_every_order),
		cmocka_unit_test(a_shuffle_moves_items_larger_than_its_chunk_as_a_whole),
		cmocka_unit_test(the_hash_gives_the_published_fnv_1a_values),
		cmocka_unit_test(a_token_is_32_hexadecimal_digits_and_new_each_time),
		cmocka_unit_test(a_token_equals_only_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

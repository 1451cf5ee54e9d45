#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/core/verify.h"

enum { LEN = 4099, SEED = 42 };

static void what_was_filled_is_right_at_every_length(void **state)
{
	unsigned char buf[64];

	(void)state;
	for (size_t len = 0; len <= sizeof(buf); len++) {
		memset(buf, 0xee, sizeof(buf));
		verify_fill(buf, len, SEED, 3);
		assert_int_equal(verify_count_bad(buf, len, SEED, 3), 0);
		for (size_t i = len; i < sizeof(buf); i++)
			assert_int_equal(buf[i], 0xee); /* nothing behind it is touched */
	}
}

static void every_single_wrong_byte_is_counted(void **state)
{
	unsigned char buf[LEN];

	(void)state;
	verify_fill(buf, LEN, SEED, 0);
	for (size_t i = 0; i < LEN; i++) {
		buf[i] ^= 0x10;
		assert_int_equal(verify_count_bad(buf, LEN, SEED, 0), 1);
		buf[i] ^= 0x10;
	}
	buf[0] ^= 1;
	buf[9] ^= 1;
	buf[LEN - 1] ^= 1;
	assert_int_equal(verify_count_bad(buf, LEN, SEED, 0), 3);
}

/* Two patterns agree by chance in one byte of 256. */
static void assert_mostly_bad(const void *buf, size_t len, uint64_t seed, int source)
{
	assert_true(verify_count_bad(buf, len, seed, source) > len * 9 / 10);
}

static void data_of_another_seed_rank_or_offset_are_wrong(void **state)
{
	unsigned char buf[LEN + 16];

	(void)state;
	verify_fill(buf, sizeof(buf), SEED, 0);
	assert_mostly_bad(buf, LEN, SEED + 1, 0);
	assert_mostly_bad(buf, LEN, SEED, 1);
	for (size_t shift = 1; shift <= 16; shift++)
		assert_mostly_bad(buf + shift, LEN - 1, SEED, 0);
}

static void missing_data_are_wrong(void **state)
{
	unsigned char buf[LEN] = { 0 };

	(void)state;
	assert_mostly_bad(buf, LEN, SEED, 0);
	memset(buf, 0xff, LEN);
	assert_mostly_bad(buf, LEN, SEED, 0);
}

static void a_pattern_starts_the_same_whatever_its_length(void **state)
{
	unsigned char a[100], b[37];

	(void)state;
	verify_fill(a, sizeof(a), SEED, 7);
	verify_fill(b, sizeof(b), SEED, 7);
	assert_memory_equal(a, b, sizeof(b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_filled_is_right_at_every_length),
		cmocka_unit_test(every_single_wrong_byte_is_counted),
		cmocka_unit_test(data_of_another_seed_rank_or_offset_are_wrong),
		cmocka_unit_test(missing_data_are_wrong),
		cmocka_unit_test(a_pattern_starts_the_same_whatever_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

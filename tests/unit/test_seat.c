#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/seat.h"

enum { SEATS = 6 };
static const char *const host[SEATS] = { "a", "a", "b", "b", "c", "c" };

static void a_process_takes_its_place_on_its_host(void **state)
{
	bool taken[SEATS] = { false }, stranger;

	(void)state;
	assert_int_equal(seat_find(host, taken, SEATS, "a", 0, &stranger), 0);
	assert_false(stranger);
	assert_int_equal(seat_find(host, taken, SEATS, "b", 1, &stranger), 3);
	assert_int_equal(seat_find(host, taken, SEATS, "c", 0, &stranger), 4);
	assert_false(stranger);
}

static void whose_place_is_unknown_takes_the_first_free_one_there(void **state)
{
	bool taken[SEATS] = { true, false, true, false, false, false }, stranger;

	(void)state;
	assert_int_equal(seat_find(host, taken, SEATS, "a", -1, &stranger), 1);
	assert_int_equal(seat_find(host, taken, SEATS, "c", -1, &stranger), 4);
	assert_false(stranger);
}

static void a_place_that_is_taken_or_too_far_gives_the_next_free_one_there(void **state)
{
	bool taken[SEATS] = { true, false, false, false, false, false }, stranger;

	(void)state;
	assert_int_equal(seat_find(host, taken, SEATS, "a", 0, &stranger), 1);
	assert_int_equal(seat_find(host, taken, SEATS, "b", 9, &stranger), 2);
	assert_false(stranger);
}

static void who_is_not_expected_takes_any_seat_and_is_told_apart(void **state)
{
	bool taken[SEATS] = { true, true, false, false, false, false }, stranger;

	(void)state;
	assert_int_equal(seat_find(host, taken, SEATS, "z", 0, &stranger), 2);
	assert_true(stranger);
	assert_int_equal(seat_find(host, taken, SEATS, "a", 0, &stranger), 2);
	assert_true(stranger);
}

static void no_seat_is_left_for_one_more(void **state)
{
	bool taken[SEATS] = { true, true, true, true, true, true }, stranger;

	(void)state;
	assert_int_equal(seat_find(host, taken, SEATS, "a", 0, &stranger), -1);
	assert_int_equal(seat_find(host, taken, 0, "a", 0, &stranger), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_takes_its_place_on_its_host),
		cmocka_unit_test(whose_place_is_unknown_takes_the_first_free_one_there),
		cmocka_unit_test(a_place_that_is_taken_or_too_far_gives_the_next_free_one_there),
		cmocka_unit_test(who_is_not_expected_takes_any_seat_and_is_told_apart),
		cmocka_unit_test(no_seat_is_left_for_one_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of facts: who says what, what peers say, and what a later word changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/facts/facts.h"

static void nodes(struct facts *f, size_t n, const char *hw)
{
	char name[32];

	facts_init(f);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "n%zu", i + 1);
		assert_int_equal(facts_add_node(f, name, hw), i);
	}
}

static void a_value_that_many_share_is_kept_once(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f, 100, "a");
	for (size_t i = 100; i-- > 0;)
		facts_add(&f, i, "eth0", "net.mtu", i == 16 ? "1500" : "9000", "ioctl");
	facts_sort(&f);
	const struct fact_row *row = facts_row(&f, "eth0", "net.mtu");

	assert_non_null(row);
	assert_int_equal(row->n, 2);
	assert_string_equal(row->v[0].text, "9000");
	assert_int_equal(row->v[0].n, 99);
	for (size_t i = 1; i < 99; i++)
		assert_true(row->v[0].nodes[i] > row->v[0].nodes[i - 1]);
	assert_int_equal(row->v[1].n, 1);
	assert_int_equal(row->v[1].nodes[0], 16);
	assert_true(facts_number(&f, 16, "eth0", "net.mtu") == 1500);
	assert_true(isnan(facts_number(&f, 16, "eth1", "net.mtu")));
	assert_null(facts_value(row, 100));
	assert_int_equal(facts_find_node(&f, "n17"), 16);
	assert_int_equal(facts_find_node(&f, "n101"), SIZE_MAX);
	facts_free(&f);
}

static void a_later_word_counts_but_not_that_it_could_not_be_had(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f, 2, NULL);
	facts_add(&f, 0, "", "cpu.governor", NULL, "no cpufreq");
	facts_add(&f, 0, "", "cpu.governor", "powersave", "sysfs");
	facts_add(&f, 0, "", "cpu.governor", "performance", "sysfs");
	facts_add(&f, 0, "", "cpu.governor", NULL, "gone");
	facts_add(&f, 1, "", "cpu.governor", NULL, "no cpufreq");
	facts_sort(&f);
	const struct fact_row *row = facts_row(&f, "", "cpu.governor");

	assert_int_equal(row->n, 2);
	assert_string_equal(facts_text(&f, 0, "", "cpu.governor"), "performance");
	assert_null(facts_text(&f, 1, "", "cpu.governor"));
	assert_non_null(facts_value(row, 1));
	assert_string_equal(facts_value(row, 1)->source, "no cpufreq");
	facts_add(&f, 1, "", "cpu.governor", "performance", "sysfs");
	facts_sort(&f);
	row = facts_row(&f, "", "cpu.governor");
	assert_int_equal(row->n, 1);
	assert_int_equal(row->v[0].n, 2);
	facts_free(&f);
}

static const char *say(struct facts *f, size_t node, size_t *n, size_t *of)
{
	struct fact_peers_say p;

	facts_peers(f, facts_row(f, "", "k"), node, &p);
	*n = p.n;
	*of = p.of;
	return p.text;
}

static void peers_are_the_others_of_the_hardware_class(void **state)
{
	struct facts f;
	size_t n, of;

	(void)state;
	nodes(&f, 6, "a");
	for (size_t i = 0; i < 3; i++) {
		char name[8];

		snprintf(name, sizeof name, "m%zu", i);
		facts_add(&f, facts_add_node(&f, name, "b"), "", "k", "9", "s");
	}
	size_t odd = facts_add_node(&f, "odd", NULL);

	for (size_t i = 0; i < 6; i++)
		facts_add(&f, i, "", "k", i < 4 ? "1" : "2", "s");
	facts_sort(&f);
	assert_string_equal(say(&f, 5, &n, &of), "1"); /* 4 of 5 */
	assert_int_equal(n, 4);
	assert_int_equal(of, 5);
	assert_null(say(&f, 0, &n, &of)); /* 3 of 5 */
	assert_int_equal(n, 3);
	assert_string_equal(say(&f, 7, &n, &of), "9"); /* the others of class b */
	assert_int_equal(n, 2);
	assert_int_equal(of, 2);
	assert_null(say(&f, odd, &n, &of)); /* of unknown class: all of them */
	assert_int_equal(of, 9);
	facts_free(&f);
}

static void of_two_against_two_nobody_differs(void **state)
{
	struct facts f;
	size_t n, of;

	(void)state;
	nodes(&f, 4, NULL);
	for (size_t i = 0; i < 4; i++)
		facts_add(&f, i, "", "k", i < 2 ? "1" : "2", "s");
	facts_sort(&f);
	for (size_t i = 0; i < 4; i++)
		assert_null(say(&f, i, &n, &of));
	facts_free(&f);
	nodes(&f, 2, NULL);
	facts_add(&f, 0, "", "k", "1", "s");
	facts_add(&f, 1, "", "k", "2", "s");
	facts_sort(&f);
	assert_null(say(&f, 0, &n, &of)); /* one other is no majority */
	facts_free(&f);
}

static void counters_add_up_over_steps_and_never_wrap(void **state)
{
	struct facts f;
	uint64_t moved = 0;

	(void)state;
	nodes(&f, 3, NULL);
	facts_add_counter(&f, 2, "eth0", "rx_bytes", 10);
	facts_add_counter(&f, 0, "eth0", "rx_bytes", 5);
	facts_add_counter(&f, 2, "eth0", "rx_bytes", 30);
	facts_add_counter(&f, 0, "eth0", "rx_bytes", UINT64_MAX);
	facts_sort(&f);
	assert_true(facts_counter(&f, 2, "eth0", "rx_bytes", &moved));
	assert_int_equal(moved, 40);
	assert_true(facts_counter(&f, 0, "eth0", "rx_bytes", &moved));
	assert_true(moved == UINT64_MAX);
	assert_false(facts_counter(&f, 1, "eth0", "rx_bytes", &moved));
	assert_false(facts_counter(&f, 0, "eth0", "tx_bytes", &moved));
	facts_free(&f);
}

static void long_texts_are_cut_between_characters(void **state)
{
	struct facts f;
	char text[2 * FACTS_TEXT_MAX + 2];

	(void)state;
	nodes(&f, 1, NULL);
	text[0] = 'x';
	for (size_t i = 1; i + 1 < sizeof text; i += 2) {
		text[i] = '\xc3';
		text[i + 1] = '\xa9';
	}
	text[sizeof text - 1] = '\0';
	facts_add(&f, 0, "", "k", text, text);
	facts_sort(&f);
	size_t len = strlen(facts_text(&f, 0, "", "k"));

	assert_int_equal(len, FACTS_TEXT_MAX - 1);
	assert_int_equal(strlen(f.rows[0].v[0].source), FACTS_TEXT_MAX - 1);
	facts_free(&f);
}

static void more_rows_than_allowed_are_dropped(void **state)
{
	struct facts f;
	char key[32];

	(void)state;
	nodes(&f, 1, NULL);
	for (size_t i = 0; i < FACTS_ROWS_MAX + 10; i++) {
		snprintf(key, sizeof key, "k%zu", i);
		facts_add(&f, 0, "", key, "1", "s");
	}
	facts_sort(&f);
	assert_int_equal(f.n_rows, FACTS_ROWS_MAX);
	assert_non_null(facts_row(&f, "", "k77"));
	facts_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_that_many_share_is_kept_once),
		cmocka_unit_test(a_later_word_counts_but_not_that_it_could_not_be_had),
		cmocka_unit_test(peers_are_the_others_of_the_hardware_class),
		cmocka_unit_test(of_two_against_two_nobody_differs),
		cmocka_unit_test(counters_add_up_over_steps_and_never_wrap),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(more_rows_than_allowed_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

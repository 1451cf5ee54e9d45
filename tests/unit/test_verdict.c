#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/verdict.h"

/* Verdicts with so many rows of each kind. */
static void make(struct verdicts *v, const size_t *count)
{
	size_t n = 0;

	memset(v, 0, sizeof(*v));
	for (int k = 0; k < VERDICTS; k++)
		n += count[k];
	v->rows = hb_alloc(n * sizeof(*v->rows));
	for (int k = 0; k < VERDICTS; k++)
		for (size_t i = 0; i < count[k]; i++)
			v->rows[v->n++].verdict = (enum verdict)k;
	verdicts_count(v);
}

struct want {
	size_t count[VERDICTS];
	int code;
};

static void every_verdict_has_its_exit_code(void **state)
{
	static const struct want wants[] = {
		{ { [VERDICT_PASS] = 4 }, CODE_OK },
		{ { [VERDICT_PASS] = 4, [VERDICT_IMPROVED] = 1 }, CODE_OK },
		{ { [VERDICT_PASS] = 1, [VERDICT_NEW] = 9 }, CODE_OK },
		{ { [VERDICT_PASS] = 1, [VERDICT_GONE] = 9 }, CODE_OK },
		{ { [VERDICT_NEW] = 4 }, CODE_NO_BASELINE },
		{ { [VERDICT_NEW] = 1, [VERDICT_GONE] = 1 }, CODE_NO_BASELINE },
		{ { 0 }, CODE_NO_BASELINE },
		{ { [VERDICT_PASS] = 3, [VERDICT_INCONCLUSIVE] = 1 }, CODE_OK },
		{ { [VERDICT_PASS] = 2, [VERDICT_INCONCLUSIVE] = 1 }, CODE_SUSPECT },
		{ { [VERDICT_PASS] = 9, [VERDICT_SUSPECT] = 1 }, CODE_SUSPECT },
		{ { [VERDICT_PASS] = 9, [VERDICT_REGRESSED] = 1 }, CODE_FINDINGS },
		{ { [VERDICT_PASS] = 9, [VERDICT_INVALID] = 1 }, CODE_FINDINGS },
		{ { [VERDICT_PASS] = 9, [VERDICT_NOT_MEASURED] = 1 }, CODE_NOT_MEASURED },
		{ { [VERDICT_PASS] = 9, [VERDICT_DISTURBED] = 1 }, CODE_NOT_MEASURED },
		{ { [VERDICT_SUSPECT] = 1, [VERDICT_NOT_MEASURED] = 1 }, CODE_NOT_MEASURED },
		{ { [VERDICT_REGRESSED] = 1, [VERDICT_NOT_MEASURED] = 1 }, CODE_FINDINGS },
		{ { [VERDICT_NEW] = 1, [VERDICT_NOT_MEASURED] = 1 }, CODE_NOT_MEASURED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct verdicts v;
		struct code_input in = { .verdicts = &v, .baseline_asked = true };

		make(&v, wants[i].count);
		if (code_of(&in) != wants[i].code)
			fail_msg("case %zu: %d, not %d", i, code_of(&in), wants[i].code);
		verdicts_free(&v);
	}
}

static void a_provisional_baseline_gives_at_most_11(void **state)
{
	static const size_t count[VERDICTS] = { [VERDICT_PASS] = 9, [VERDICT_REGRESSED] = 1 };
	struct verdicts v;
	struct code_input in = { .verdicts = &v };

	(void)state;
	make(&v, count);
	for (size_t i = 0; i < v.n; i++)
		v.rows[i].provisional = true;
	assert_int_equal(code_of(&in), CODE_SUSPECT);
	verdicts_free(&v);
}

static void the_gravest_code_wins(void **state)
{
	static const size_t count[VERDICTS] = { [VERDICT_REGRESSED] = 1, [VERDICT_SUSPECT] = 1 };
	struct verdicts v;
	struct code_input in = {
		.verdicts = &v, .invalid = 1, .not_measured = 1, .broken = true, .signal = SIGINT
	};

	(void)state;
	make(&v, count);
	assert_int_equal(code_of(&in), 130);
	in.signal = SIGTERM;
	assert_int_equal(code_of(&in), 143);
	in.signal = 0;
	assert_int_equal(code_of(&in), CODE_BROKEN);
	in.broken = false;
	assert_int_equal(code_of(&in), CODE_FINDINGS);
	verdicts_free(&v);
}

static void without_a_baseline_only_what_was_lost_or_wrong_counts(void **state)
{
	struct code_input in = { 0 };

	(void)state;
	assert_int_equal(code_of(&in), CODE_OK);
	in.baseline_asked = in.baseline_missing = true;
	assert_int_equal(code_of(&in), CODE_NO_BASELINE);
	in.not_measured = 1;
	assert_int_equal(code_of(&in), CODE_NOT_MEASURED);
	in.invalid = 1;
	assert_int_equal(code_of(&in), CODE_FINDINGS);
}

static void of_several_runs_the_gravest_code_is_told(void **state)
{
	static const int order[] = { 0, 11, 12, 13, 10, 20, 64, 130 };
	(void)state;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		for (size_t k = 0; k <= i; k++) {
			assert_int_equal(code_worse(order[i], order[k]), order[i]);
			assert_int_equal(code_worse(order[k], order[i]), order[i]);
		}
}

static void every_verdict_and_source_has_a_word(void **state)
{
	(void)state;
	for (int k = 0; k < VERDICTS; k++)
		for (int j = 0; j < k; j++)
			assert_string_not_equal(verdict_name((enum verdict)k),
			                        verdict_name((enum verdict)j));
	for (int k = SPREAD_OWN; k <= SPREAD_DEFAULT; k++)
		for (int j = 0; j < k; j++)
			assert_string_not_equal(spread_source_text((enum spread_source)k),
			                        spread_source_text((enum spread_source)j));
	assert_string_equal(verdict_name(VERDICT_NOT_MEASURED), "not-measured");
	assert_string_equal(verdict_name(VERDICTS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_verdict_has_its_exit_code),
		cmocka_unit_test(a_provisional_baseline_gives_at_most_11),
		cmocka_unit_test(the_gravest_code_wins),
		cmocka_unit_test(without_a_baseline_only_what_was_lost_or_wrong_counts),
		cmocka_unit_test(of_several_runs_the_gravest_code_is_told),
		cmocka_unit_test(every_verdict_and_source_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

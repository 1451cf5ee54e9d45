#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/node/memory_kernels.h"
#include "bench/node/node.h"
#include "bench/node/team.h"
#include "one_case.h"

enum { N = 1001, SEED = 7 };

static void each_operation_gives_what_its_row_says(void **state)
{
	static double a[N], b[N], c[N];

	(void)state;
	for (int op = MEMORY_COPY; op <= MEMORY_TRIAD; op++) {
		memory_fill(a, b, c, N, SEED, 100);
		assert_int_equal(memory_count_bad(&memory_ops[op], a, N, SEED, 100), N);
		memory_ops[op].run(a, b, c, N);
		assert_int_equal(memory_count_bad(&memory_ops[op], a, N, SEED, 100), 0);
		/* Again, from the same b and c: nothing adds up. */
		memory_ops[op].run(a, b, c, N);
		assert_int_equal(memory_count_bad(&memory_ops[op], a, N, SEED, 100), 0);
		assert_true(memory_count_bad(&memory_ops[op], a, N, SEED, 101) > N / 2);
		assert_true(memory_count_bad(&memory_ops[op], a, N, SEED + 1, 100) > N / 2);
	}
}

static void operations_are_told_apart(void **state)
{
	static double a[N], b[N], c[N];

	(void)state;
	for (int op = MEMORY_COPY; op <= MEMORY_TRIAD; op++) {
		memory_fill(a, b, c, N, SEED, 0);
		memory_ops[op].run(a, b, c, N);
		for (int other = MEMORY_COPY; other <= MEMORY_TRIAD; other++)
			if (other != op)
				assert_true(memory_count_bad(&memory_ops[other], a, N, SEED, 0) >
				            N / 2);
	}
}

static void one_wrong_element_is_found(void **state)
{
	static double a[N], b[N], c[N];

	(void)state;
	memory_fill(a, b, c, N, SEED, 0);
	memory_ops[MEMORY_TRIAD].run(a, b, c, N);
	a[500] = nextafter(a[500], INFINITY);
	a[501] = NAN;
	assert_int_equal(memory_count_bad(&memory_ops[MEMORY_TRIAD], a, N, SEED, 0), 2);
}

/* What a team of 5 did, on however many cores there are. */
struct tally {
	atomic_int steps[5];
	int timed, stop_after;
	int bad_time;
};

static void count_step(void *arg, int member)
{
	struct tally *t = arg;

	atomic_fetch_add(&t->steps[member], 1);
}

/* All members have done the step when its time is told. */
static int count_time(void *arg, double ns)
{
	struct tally *t = arg;

	t->timed++;
	t->bad_time += !(ns >= 0);
	for (int i = 0; i < 5; i++)
		t->bad_time += atomic_load(&t->steps[i]) != t->timed;
	return t->timed == t->stop_after ? -42 : 0;
}

static void a_team_does_every_step_together(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct tally t;
	struct team *team = NULL;

	(void)state;
	if (team_start(5, NULL, 0, &team, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(team_size(team), 5);
	for (int round = 0; round < 20; round++) {
		memset(&t, 0, sizeof(t));
		assert_int_equal(team_run(team, 10, count_step, count_time, &t), 0);
		assert_int_equal(t.timed, 10);
		assert_int_equal(t.bad_time, 0);
	}
	memset(&t, 0, sizeof(t));
	t.stop_after = 3;
	assert_int_equal(team_run(team, 10, count_step, count_time, &t), -42);
	assert_int_equal(t.timed, 3);
	memset(&t, 0, sizeof(t));
	assert_int_equal(team_run(team, 4, count_step, NULL, &t), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(atomic_load(&t.steps[i]), 4);
	team_stop(team);
}

static void a_team_that_cannot_be_bound_says_so(void **state)
{
	static const int nowhere[] = { 60000 };
	struct hb_err err = { HB_OK, "" };
	struct team *team = NULL;

	(void)state;
	assert_int_equal(team_start(3, nowhere, 1, &team, &err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "60000"));
	assert_int_equal(team_start(0, NULL, 0, &team, &err), HB_E_USAGE);
	assert_int_equal(team_start(1 << 20, NULL, 0, &team, &err), HB_E_USAGE);
	assert_null(team);
}

static int run_one(struct one_case *o, uint64_t bytes)
{
	struct run_params params = RUN_PARAMS_DEFAULT;

	params.max_time_s = 0.02;
	params.deadline_s = 0;
	o->ops = &node_memory;
	return one_case_run(o, bytes, &params);
}

static void every_operation_is_measured_and_checked(void **state)
{
	static const uint64_t sizes[] = { 4096, 100000, 3 << 20 };

	(void)state;
	for (int op = MEMORY_COPY; op <= MEMORY_TRIAD; op++) {
		for (size_t i = 0; i < 3; i++) {
			struct one_case o = { .opts = &(struct memory_opts){
				                      .ops = UINT64_C(1) << op, .threads = 3 } };
			uint64_t elements;
			double moved;

			if (run_one(&o, sizes[i]) < 0)
				fail_msg("%s", o.err.text);
			assert_int_equal(o.result.status, UNIT_OK);
			assert_int_equal(o.result.verified, sizes[i] / 24);
			assert_int_equal(o.result.bad, 0);
			assert_true(o.result.time.p50 > 0);
			/* Whole sweeps of 2 or 3 arrays, about 1 MiB of working set a thread at
			 * least. */
			moved = node_memory.bytes_moved(&o.b);
			elements = sizes[i] / 24;
			assert_true(fabs(fmod(moved,
			                      memory_ops[op].arrays * 8 * (double)elements)) <= 0);
			assert_true(moved >= 0.99 * (2 << 20));
			one_case_end(&o);
		}
	}
}

static void a_working_set_beyond_memory_is_skipped(void **state)
{
	struct one_case o = { .opts = &(struct memory_opts){ .ops = 1 << MEMORY_ADD,
		                                             .threads = 1 } };

	(void)state;
	assert_int_equal(run_one(&o, UINT64_C(1) << 60), HB_E_UNSUPPORTED);
	assert_int_equal(o.result.status, UNIT_SKIPPED);
	assert_true(strlen(o.err.text) > 0);
	one_case_end(&o);
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct one_case two = { .opts = &(struct memory_opts){ .ops = 3, .threads = 1 } };
	struct one_case none = { .opts = &(struct memory_opts){ .ops = 0, .threads = 1 } };
	struct one_case later = { .opts = &(struct memory_opts){ .ops = 1 << 9, .threads = 1 } };
	struct one_case tiny = { .opts = &(struct memory_opts){ .ops = 1, .threads = 200 } };

	(void)state;
	assert_int_equal(run_one(&two, 1 << 20), HB_E_USAGE);
	one_case_end(&two);
	assert_int_equal(run_one(&none, 1 << 20), HB_E_USAGE);
	one_case_end(&none);
	assert_int_equal(run_one(&later, 1 << 20), HB_E_USAGE);
	one_case_end(&later);
	assert_int_equal(run_one(&tiny, 4096), HB_E_USAGE);
	assert_non_null(strstr(tiny.err.text, "too small for 200 threads"));
	one_case_end(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_gives_what_its_row_says),
		cmocka_unit_test(operations_are_told_apart),
		cmocka_unit_test(one_wrong_element_is_found),
		cmocka_unit_test(a_team_does_every_step_together),
		cmocka_unit_test(a_team_that_cannot_be_bound_says_so),
		cmocka_unit_test(every_operation_is_measured_and_checked),
		cmocka_unit_test(a_working_set_beyond_memory_is_skipped),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

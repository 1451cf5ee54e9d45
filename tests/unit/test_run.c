#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/stat.h"
#include "bench/core/clock.h"
#include "fake_bench.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-9 * fabs((double)(b)))

/* Short, and with no deadline that a busy machine could miss. */
static struct fake_run short_run(int n)
{
	struct fake_run r = { .n = n, .bytes = 1000, .params = RUN_PARAMS_DEFAULT };

	r.params.max_time_s = 0.05;
	r.params.deadline_s = 0;
	return r;
}

static void check_all(const struct fake_run *r, int rc, enum unit_status status)
{
	for (int i = 0; i < r->n; i++) {
		if (r->rc[i] != rc)
			print_error("rank %d: %s\n", i, r->err[i].text);
		assert_int_equal(r->rc[i], rc);
		assert_int_equal(r->result[i].status, status);
	}
}

static void constant_times_end_by_precision_after_five_blocks(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 1500, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
	r.params.max_time_s = 60; /* never the reason, however busy the machine */
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_int_equal(r.result[0].ended, ENDED_PRECISION);
	assert_int_equal(r.result[0].blocks, 5);
	assert_true(fabs(r.result[0].spread) <= 0);
	assert_true(r.result[0].warmup > 0);
	NEAR(r.result[0].time.p50, 1500);
	NEAR(r.result[0].time.max, 1500);
	assert_int_equal(r.result[0].time.n, r.result[0].n_samples);
	assert_int_equal(r.result[0].verified, 100);
	assert_int_equal(r.result[0].bad, 0);
	fake_run_free(&r);
}

static void times_that_never_agree_end_by_max_time(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH_ODD, .push_ns = 1000, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
	r.params.precision = 0;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_true(r.result[0].ended != ENDED_PRECISION);
	assert_true(r.result[0].spread > 0);
	fake_run_free(&r);
}

static void max_iters_is_never_exceeded(void **state)
{
	static const uint64_t limits[] = { 1, 2, 7, 500 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct fake fake = { .kind = FAKE_BUSY, .busy_ns = 3000, .who = -1 };
		struct fake_run r = short_run(1);
		struct fake_bench f;

		fake_bench_init(&f, BENCH_LOCAL, 0);
		r.params.precision = 0;
		r.params.max_iters = limits[i];
		r.params.max_time_s = 20;
		fake_run(&r, &f, &fake);
		check_all(&r, HB_OK, UNIT_OK);
		assert_int_equal(r.result[0].ended, ENDED_MAX_ITERS);
		assert_true(r.result[0].n_samples * r.result[0].batch <= limits[i]);
		assert_true(r.result[0].n_samples >= 1);
		fake_run_free(&r);
	}
}

static void iterations_below_a_microsecond_are_batched(void **state)
{
	struct fake fake = { .kind = FAKE_NULL, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, 0);
	r.params.max_time_s = 60;
	r.params.precision = 1;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_true(r.result[0].batch >= 2);
	assert_true(r.result[0].time.p50 > 0);
	fake_run_free(&r);

	fake = (struct fake){ .kind = FAKE_BUSY, .busy_ns = 30000, .who = -1 };
	r = short_run(1);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_int_equal(r.result[0].batch, 1);
	assert_true(r.result[0].time.min >= 30000);
	fake_run_free(&r);
}

static void the_slowest_rank_of_a_group_counts(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 1000, .who = -1 };
	struct fake_run r = short_run(3);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_GROUP, BENCH_SELF_TIMED);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	NEAR(r.result[0].time.p50, 3000);
	assert_non_null(r.result[0].rank_p50);
	for (int i = 0; i < 3; i++)
		NEAR(r.result[0].rank_p50[i], 1000 * (i + 1));
	assert_int_equal(r.result[0].verified, 300);
	assert_null(r.result[1].samples);
	fake_run_free(&r);
}

static void a_group_is_timed_by_the_loop_too(void **state)
{
	struct fake fake = { .kind = FAKE_BUSY, .busy_ns = 5000, .who = -1 };
	struct fake_run r = short_run(3);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_GROUP, 0);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_true(r.result[0].time.min >= 5000);
	for (int i = 0; i < 3; i++)
		assert_true(r.result[0].rank_p50[i] >= 5000);
	fake_run_free(&r);
}

static void a_pair_counts_rank_0_or_the_sender(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 700, .who = -1 };
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_PAIR, BENCH_SELF_TIMED | BENCH_DIRECTED);
	for (int dir = DIR_BOTH; dir <= DIR_BA; dir++) {
		struct fake_run r = short_run(2);

		r.dir = (enum direction)dir;
		fake_run(&r, &f, &fake);
		check_all(&r, HB_OK, UNIT_OK);
		NEAR(r.result[0].time.p50, dir == DIR_BA ? 1400 : 700);
		assert_null(r.result[0].rank_p50);
		fake_run_free(&r);
	}
}

static void injected_delay_stretches_what_the_loop_times(void **state)
{
	struct fake fake = { .kind = FAKE_BUSY, .busy_ns = 20000, .who = -1 };
	struct fake_bench f;

	(void)state;
	for (int group = 0; group < 2; group++) {
		struct fake_run plain = short_run(1), slow = short_run(1);

		fake_bench_init(&f, group ? BENCH_GROUP : BENCH_LOCAL, 0);
		fake_run(&plain, &f, &fake);
		check_all(&plain, HB_OK, UNIT_OK);
		slow.params.inject = 3;
		fake_run(&slow, &f, &fake);
		check_all(&slow, HB_OK, UNIT_OK);
		assert_true(plain.result[0].time.min < 60000);
		assert_true(slow.result[0].time.min >= 59000);
		fake_run_free(&plain);
		fake_run_free(&slow);
	}
}

static void injected_delay_stretches_what_benchmarks_time(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 5000, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;
	uint64_t start = clock_ns();

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
	r.params.inject = 2;
	r.params.max_iters = 1000;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_true(r.result[0].time.min >= 10000 - 1);
	/* Waited for, not calculated. */
	assert_true((double)(clock_ns() - start) >= 5000.0 * (double)r.result[0].n_samples);
	fake_run_free(&r);
}

static void inject_is_bounded(void **state)
{
	struct fake fake = { .kind = FAKE_BUSY, .busy_ns = 2000, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, 0);
	r.params.inject = 1e12; /* would wait for ever */
	r.params.max_iters = 50;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_true(r.result[0].time.min >= 19000);
	fake_run_free(&r);
}

static void wrong_data_are_invalid_and_name_the_rank(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 1000, .who = 1, .bad = 3 };
	struct fake_run r = short_run(2);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_PAIR, BENCH_SELF_TIMED);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_E_DATA, UNIT_INVALID);
	assert_non_null(strstr(r.err[0].text, "rank 1: 3 of 100"));
	assert_int_equal(r.result[0].bad, 3);
	assert_int_equal(r.result[0].verified, 200);
	assert_true(r.result[0].n_samples > 0);
	fake_run_free(&r);

	r = short_run(2);
	r.params.verify = false;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	assert_int_equal(r.result[0].verified, 0);
	fake_run_free(&r);
}

static void a_silent_rank_costs_a_timeout(void **state)
{
	static const enum bench_shape shapes[] = { BENCH_PAIR, BENCH_GROUP };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake fake = { .kind = FAKE_SILENT, .busy_ns = 6e8, .who = 1 };
		struct fake_run r = short_run(2);
		struct fake_bench f;
		uint64_t start = clock_ns();

		fake_bench_init(&f, shapes[i], 0);
		r.params.deadline_s = 0.2;
		fake_run(&r, &f, &fake);
		check_all(&r, HB_E_TIMEOUT, UNIT_TIMEOUT);
		assert_true(clock_ns() - start >= 200000000);
		for (int k = 0; k < 2; k++)
			assert_true(r.comm_broken[k]);
		assert_non_null(strstr(r.err[0].text, "no message came"));
		fake_run_free(&r);
	}
}

static void an_overrun_deadline_is_seen_between_blocks(void **state)
{
	struct fake fake = { .kind = FAKE_SLEEPY, .busy_ns = 3e7, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, 0);
	r.params.deadline_s = 0.1;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_E_TIMEOUT, UNIT_TIMEOUT);
	assert_non_null(strstr(r.err[0].text, "not finished within 0.1 s"));
	fake_run_free(&r);
}

static void one_rank_that_fails_fails_all(void **state)
{
	struct fake fake = { .kind = FAKE_FAIL, .who = 2 };
	struct fake_run r = short_run(3);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_GROUP, 0);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_E_LIB, UNIT_FAILED);
	assert_string_equal(r.err[0].text, "rank 2: the device fell off");
	for (int i = 0; i < 3; i++)
		assert_false(r.comm_broken[i]);
	fake_run_free(&r);
}

static void what_prepare_refuses_is_skipped(void **state)
{
	struct fake fake = { .who = 1, .prepare_status = HB_E_UNSUPPORTED };
	struct fake_run r = short_run(2);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_PAIR, 0);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_E_UNSUPPORTED, UNIT_SKIPPED);
	assert_string_equal(r.err[0].text, "rank 1: prepare says no");
	fake_run_free(&r);
}

static void benchmarks_that_push_nonsense_fail(void **state)
{
	static const enum fake_kind kinds[] = { FAKE_FEW, FAKE_MANY, FAKE_PUSH_BAD };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct fake fake = { .kind = kinds[i], .push_ns = 1000, .who = -1 };
		struct fake_run r = short_run(1);
		struct fake_bench f;

		fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
		fake_run(&r, &f, &fake);
		check_all(&r, HB_E_LIB, UNIT_FAILED);
		assert_non_null(strstr(r.err[0].text, "fake.bench"));
		fake_run_free(&r);
	}
}

static const struct stat_summary *metric(const struct fake_run *r, const char *name)
{
	for (size_t i = 0; i < r->point.n_metrics; i++)
		if (!strcmp(r->point.metrics[i].name, name))
			return &r->point.metrics[i].s;
	fail_msg("no metric %s", name);
	return NULL;
}

static void figures_follow_from_times(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 2000, .who = -1 };
	struct fake_run r = short_run(2);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_PAIR, BENCH_SELF_TIMED | BENCH_ROUND_TRIP | BENCH_WINDOWED);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	NEAR(metric(&r, "lat_p50_ns")->p50, 1000);        /* half the round trip */
	NEAR(metric(&r, "algbw_Bps")->p50, 64000 / 2e-6); /* 64 messages of 1000 bytes */
	NEAR(metric(&r, "busbw_Bps")->p50, 64000 / 2e-6); /* 2 (n - 1) / n is 1 for two */
	NEAR(metric(&r, "rate_per_s")->p50, 64 / 2e-6);
	assert_int_equal(r.point.ranks, 2);
	assert_int_equal(r.point.bytes, 1000);
	fake_run_free(&r);

	r = short_run(4);
	fake_bench_init(&f, BENCH_GROUP, BENCH_SELF_TIMED | BENCH_BUSBW);
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	NEAR(metric(&r, "lat_p50_ns")->p50, 8000);
	NEAR(metric(&r, "busbw_Bps")->p50, 1.5 * 1000 / 8e-6);
	NEAR(metric(&r, "rate_per_s")->p50, 1 / 8e-6);
	fake_run_free(&r);
}

static void rates_keep_their_tails_on_the_slow_side(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH_ODD, .push_ns = 1000, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;
	const struct stat_summary *s;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
	r.params.max_iters = 200;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	s = metric(&r, "algbw_Bps");
	assert_true(s->min <= s->p99 && s->p99 <= s->p95 && s->p95 <= s->lo);
	assert_true(s->lo <= s->p50 && s->p50 <= s->hi && s->hi <= s->max);
	NEAR(s->min * r.result[0].time.max, s->max * r.result[0].time.min);
	fake_run_free(&r);
}

static void nothing_moved_has_no_bandwidth(void **state)
{
	struct fake fake = { .kind = FAKE_PUSH, .push_ns = 1000, .who = -1 };
	struct fake_run r = short_run(1);
	struct fake_bench f;

	(void)state;
	fake_bench_init(&f, BENCH_LOCAL, BENCH_SELF_TIMED);
	r.bytes = 0;
	fake_run(&r, &f, &fake);
	check_all(&r, HB_OK, UNIT_OK);
	for (size_t i = 0; i < r.point.n_metrics; i++)
		assert_null(strstr(r.point.metrics[i].name, "_Bps"));
	fake_run_free(&r);
}

static void the_clock_has_a_cost(void **state)
{
	double min_ns = -1, median_ns = -1;

	(void)state;
	clock_cost(1000, &min_ns, &median_ns);
	assert_true(min_ns >= 0);
	assert_true(median_ns >= min_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_has_a_cost),
		cmocka_unit_test(constant_times_end_by_precision_after_five_blocks),
		cmocka_unit_test(times_that_never_agree_end_by_max_time),
		cmocka_unit_test(max_iters_is_never_exceeded),
		cmocka_unit_test(iterations_below_a_microsecond_are_batched),
		cmocka_unit_test(the_slowest_rank_of_a_group_counts),
		cmocka_unit_test(a_group_is_timed_by_the_loop_too),
		cmocka_unit_test(a_pair_counts_rank_0_or_the_sender),
		cmocka_unit_test(injected_delay_stretches_what_the_loop_times),
		cmocka_unit_test(injected_delay_stretches_what_benchmarks_time),
		cmocka_unit_test(inject_is_bounded),
		cmocka_unit_test(wrong_data_are_invalid_and_name_the_rank),
		cmocka_unit_test(a_silent_rank_costs_a_timeout),
		cmocka_unit_test(an_overrun_deadline_is_seen_between_blocks),
		cmocka_unit_test(one_rank_that_fails_fails_all),
		cmocka_unit_test(what_prepare_refuses_is_skipped),
		cmocka_unit_test(benchmarks_that_push_nonsense_fail),
		cmocka_unit_test(figures_follow_from_times),
		cmocka_unit_test(rates_keep_their_tails_on_the_slow_side),
		cmocka_unit_test(nothing_moved_has_no_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

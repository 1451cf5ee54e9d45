/* node.jitter with a quantum of the test's own, which is interrupted or slow where it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/core/env.h"
#include "bench/node/jitter_quantum.h"
#include "bench/node/node.h"
#include "one_case.h"

/* Work that is done in no time but counts as done; every so many quanta of that processor sleep. */
static int cpu_hit = -1, wrong_cpu = -1;
static int every;
static long sleep_ms;
static atomic_int quanta, hits;

static uint64_t jump(uint64_t x, uint64_t steps)
{
	uint64_t mul = JITTER_MUL, add = JITTER_ADD;

	for (; steps > 0; steps >>= 1) {
		x = steps & 1 ? x * mul + add : x;
		add = add * mul + add;
		mul *= mul;
	}
	return x;
}

uint64_t jitter_quantum(uint64_t x, uint64_t steps, int cpu)
{
	if (cpu == cpu_hit && atomic_fetch_add(&quanta, 1) % every == every - 1) {
		const struct timespec t = { 0, sleep_ms * 1000000 };

		atomic_fetch_add(&hits, 1);
		nanosleep(&t, NULL);
	}
	return jump(x, steps) + (cpu == wrong_cpu);
}

static int run_one(struct one_case *o)
{
	static char none;
	struct run_params params = RUN_PARAMS_DEFAULT;

	params.max_time_s = 0.05;
	params.precision = 1;
	params.deadline_s = 0;
	atomic_store(&quanta, 0);
	atomic_store(&hits, 0);
	*o = (struct one_case){ .ops = &node_jitter, .opts = &none };
	return one_case_run(o, 0, &params);
}

static const struct stat_summary *figure(const struct one_case *o, const char *name)
{
	for (size_t i = 0; i < o->p.n_metrics; i++)
		if (strcmp(o->p.metrics[i].name, name) == 0)
			return &o->p.metrics[i].s;
	fail_msg("no %s", name);
	return NULL;
}

/* A number of the first of the latest cores. */
static double of_latest(const struct one_case *o, const char *name)
{
	json_object *parts = node_jitter.parts(&o->b), *latest, *v;
	double d;

	assert_true(json_object_object_get_ex(parts, "latest", &latest));
	assert_true(json_object_object_get_ex(json_object_array_get_idx(latest, 0), name, &v));
	d = json_object_get_double(v);
	json_object_put(parts);
	return d;
}

static void it_is_measured_to_the_end_of_its_time_and_checked(void **state)
{
	struct one_case o;

	(void)state;
	if (run_one(&o) < 0)
		fail_msg("%s", o.err.text);
	/* The precision that was asked for is any; it goes on for rare events. */
	assert_int_equal(o.result.ended, ENDED_MAX_TIME);
	assert_true(o.result.verified > 0);
	assert_int_equal(o.result.bad, 0);
	assert_int_equal(o.p.n_metrics, 3);
	assert_true(figure(&o, "round_p50_ns")->p50 > 0);
	assert_true(figure(&o, "interruptions_per_s")->p50 > 0);
	assert_true(figure(&o, "worst_ns")->p50 >= figure(&o, "worst_ns")->min);
	one_case_end(&o);
}

static int second_cpu(void)
{
	struct hb_err err;
	int *cpus, n, cpu;

	assert_int_equal(env_core_list(&cpus, &n, &err), HB_OK);
	cpu = cpus[1 % n];
	free(cpus);
	return cpu;
}

static void what_interrupts_a_core_is_counted_and_the_core_named(void **state)
{
	struct one_case o;

	(void)state;
	cpu_hit = second_cpu();
	every = 16; /* four in each round */
	sleep_ms = 40;
	if (run_one(&o) < 0)
		fail_msg("%s", o.err.text);
	assert_true(atomic_load(&hits) > 0);
	assert_int_equal((int)of_latest(&o, "cpu"), cpu_hit);
	assert_true(of_latest(&o, "interruptions") >= atomic_load(&hits));
	/* It slept so long, so it was late by so much, but for the usual length. */
	assert_true(of_latest(&o, "worst") > 20e6);
	assert_true(figure(&o, "worst_ns")->p50 > 20e6);
	assert_true(figure(&o, "round_p50_ns")->p50 >= 4 * 40e6);
	cpu_hit = -1;
	one_case_end(&o);
}

static void a_core_that_calculates_wrongly_is_found(void **state)
{
	struct one_case o;

	(void)state;
	wrong_cpu = second_cpu();
	assert_int_equal(run_one(&o), HB_E_DATA);
	assert_int_equal(o.result.bad, 1);
	wrong_cpu = -1;
	one_case_end(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_measured_to_the_end_of_its_time_and_checked),
		cmocka_unit_test(what_interrupts_a_core_is_counted_and_the_core_named),
		cmocka_unit_test(a_core_that_calculates_wrongly_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* node.compute with kernels of the test's own: one that is slow on one core, one that errs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/core/env.h"
#include "bench/node/compute_kernels.h"
#include "bench/node/node.h"
#include "one_case.h"

/* The kernels by which the tests plant what they look for. */
static int slow_cpu = -1, wrong_cpu = -1;
static bool first_can;

static bool may_first(void)
{
	return first_can;
}

static bool always(void)
{
	return true;
}

/* Far slower than any disturbance of a busy host makes a core. */
enum { SLOWER = 60 };

static void multiply_add(struct compute_work *w)
{
	volatile double sink = 0;

	for (uint64_t n = w->rounds / 16 * (w->cpu == slow_cpu ? SLOWER : 1); n > 0; n--)
		sink = sink + 1;
	for (int i = 0; w->rounds % 2 && i < 4; i++)
		w->acc[i] = w->factor * w->acc[i] + w->addend;
	if (w->cpu == wrong_cpu)
		w->acc[2] += 1;
}

const struct compute_kernel compute_kernels[] = {
	{ "never", 8, may_first, multiply_add },
	{ "test", 4, always, multiply_add },
	{ NULL, 0, NULL, NULL },
};

static int run_one(struct one_case *o, enum compute_cores cores)
{
	static struct compute_opts opts;
	struct run_params params = RUN_PARAMS_DEFAULT;

	params.max_time_s = 0.02;
	params.max_iters = 5;
	params.deadline_s = 0;
	opts.cores = UINT64_C(1) << cores;
	*o = (struct one_case){ .ops = &node_compute, .opts = &opts };
	return one_case_run(o, 0, &params);
}

static int n_cores(int which, int *cpu)
{
	struct hb_err err;
	int *cpus, n;

	assert_int_equal(env_core_list(&cpus, &n, &err), HB_OK);
	*cpu = cpus[which % n];
	free(cpus);
	return n;
}

static void both_ways_are_measured_and_checked(void **state)
{
	int cpu, n = n_cores(0, &cpu);

	(void)state;
	for (int cores = COMPUTE_ONE; cores <= COMPUTE_ALL; cores++) {
		struct one_case o;
		struct rec_point p = { 0 };
		json_object *parts, *of, *latest, *kernel;

		if (run_one(&o, (enum compute_cores)cores) < 0)
			fail_msg("%s", o.err.text);
		assert_int_equal(o.result.verified, 4 * n);
		assert_int_equal(o.result.bad, 0);
		run_metrics(&o.b, &o.result, &p);
		assert_int_equal(p.n_metrics, 1);
		assert_string_equal(p.metrics[0].name, "rate_per_s");
		/* A rate of the operations of the kernel that was chosen. */
		double want = node_compute.operations(&o.b) * 1e9 / o.result.time.p50;
		assert_true(p.metrics[0].s.p50 > 0.999 * want && p.metrics[0].s.p50 < 1.001 * want);
		parts = node_compute.parts(&o.b);
		assert_true(json_object_object_get_ex(parts, "of", &of));
		assert_string_equal(json_object_get_string(of), "cpu");
		assert_true(json_object_object_get_ex(parts, "latest", &latest));
		assert_int_equal(json_object_array_length(latest), n < 16 ? n : 16);
		assert_true(json_object_object_get_ex(parts, "kernel", &kernel));
		assert_string_equal(json_object_get_string(kernel), "test");
		json_object_put(parts);
		one_case_end(&o);
	}
}

static void a_slow_core_counts_and_is_named(void **state)
{
	(void)state;
	for (int cores = COMPUTE_ONE; cores <= COMPUTE_ALL; cores++) {
		struct one_case o;
		json_object *parts, *latest, *cpu, *p50, *quantiles;
		int n = n_cores(1, &slow_cpu);

		if (run_one(&o, (enum compute_cores)cores) < 0)
			fail_msg("%s", o.err.text);
		parts = node_compute.parts(&o.b);
		assert_true(json_object_object_get_ex(parts, "latest", &latest));
		json_object *first = json_object_array_get_idx(latest, 0);
		assert_true(json_object_object_get_ex(first, "cpu", &cpu));
		assert_true(json_object_object_get_ex(first, "p50", &p50));
		assert_true(json_object_object_get_ex(parts, "p50", &quantiles));
		assert_int_equal(json_object_get_int(cpu), slow_cpu);
		/* Its time is the one that is measured, and not that of the others. */
		assert_true(o.result.time.max >= json_object_get_double(p50));
		if (n > 1)
			assert_true(json_object_get_double(p50) >
			            2 * json_object_get_double(
			                        json_object_array_get_idx(quantiles, 0)));
		json_object_put(parts);
		one_case_end(&o);
	}
	slow_cpu = -1;
}

static void a_core_that_calculates_wrongly_is_found(void **state)
{
	struct one_case o;

	(void)state;
	n_cores(1, &wrong_cpu);
	assert_int_equal(run_one(&o, COMPUTE_ALL), HB_E_DATA);
	assert_int_equal(o.result.bad, 1);
	one_case_end(&o);
	wrong_cpu = -1;
}

static void the_first_kernel_that_can_run_is_used(void **state)
{
	struct one_case o;
	json_object *parts, *kernel;

	(void)state;
	first_can = true;
	assert_int_equal(run_one(&o, COMPUTE_ONE), HB_OK);
	parts = node_compute.parts(&o.b);
	assert_true(json_object_object_get_ex(parts, "kernel", &kernel));
	assert_string_equal(json_object_get_string(kernel), "never");
	json_object_put(parts);
	one_case_end(&o);
	first_can = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_are_measured_and_checked),
		cmocka_unit_test(a_slow_core_counts_and_is_named),
		cmocka_unit_test(a_core_that_calculates_wrongly_is_found),
		cmocka_unit_test(the_first_kernel_that_can_run_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

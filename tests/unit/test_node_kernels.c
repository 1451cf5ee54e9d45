/* The real kernels of node.compute and node.jitter, and the ways of node.memory, on this machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/core/env.h"
#include "bench/node/compute_kernels.h"
#include "bench/node/jitter_quantum.h"
#include "bench/node/memory_kernels.h"
#include "bench/node/node.h"
#include "bench/node/parts.h"
#include "one_case.h"

static void every_multiply_add_is_what_it_should_be(void **state)
{
	const struct compute_kernel *k;

	(void)state;
	for (k = compute_kernels; k->name; k++) {
		struct compute_work w = { .factor = -1, .addend = 5 };

		assert_true(k->lanes > 0 && k->lanes <= COMPUTE_LANES_MAX);
		if (!k->can())
			continue;
		for (int i = 0; i < COMPUTE_LANES_MAX; i++)
			w.acc[i] = 100 + i;
		w.rounds = 1001;
		k->run(&w);
		for (int i = 0; i < COMPUTE_LANES_MAX; i++)
			assert_int_equal((int)w.acc[i], i < k->lanes ? 5 - 100 - i : 100 + i);
		w.factor = 2;
		w.addend = 1;
		w.rounds = 3;
		k->run(&w);
		assert_int_equal((int)w.acc[0], 8 * (5 - 100) + 7);
	}
	assert_true(k > compute_kernels && (k - 1)->can());
}

static void a_quantum_is_a_chain_of_so_many_steps(void **state)
{
	uint64_t x = 7;

	(void)state;
	for (int i = 0; i < 1000; i++)
		x = x * JITTER_MUL + JITTER_ADD;
	assert_true(jitter_quantum(7, 1000, 0) == x);
	assert_true(jitter_quantum(7, 0, 0) == 7);
}

static void streaming_stores_write_what_the_others_do(void **state)
{
	enum { N = 1001, SEED = 7 };
	static _Alignas(64) double a[N], b[N], c[N];

	(void)state;
	for (int op = MEMORY_COPY; op <= MEMORY_TRIAD; op++) {
		const struct memory_op_row *row = &memory_streaming_ops[op];

		assert_true(row->arrays >= memory_ops[op].arrays &&
		            row->arrays <= memory_ops[op].arrays);
		if (!row->run)
			continue;
		memory_fill(a, b, c, N, SEED, 100);
		row->run(a, b, c, N);
		assert_int_equal(memory_count_bad(&memory_ops[op], a, N, SEED, 100), 0);
	}
}

static int run_one(struct one_case *o, uint64_t bytes)
{
	struct run_params params = RUN_PARAMS_DEFAULT;

	params.max_time_s = 0.02;
	params.max_iters = 20;
	params.deadline_s = 0;
	return one_case_run(o, bytes, &params);
}

static void every_way_of_node_memory_is_measured_and_checked(void **state)
{
	const uint64_t bytes = 3 << 20;

	(void)state;
	for (uint64_t where = 1; where <= 2; where++) {
		for (uint64_t stores = 1; stores <= 2; stores++) {
			struct memory_opts opts = { .ops = 1 << MEMORY_TRIAD,
				                    .threads = 3,
				                    .where = where,
				                    .stores = stores };
			struct one_case o = { .ops = &node_memory, .opts = &opts };
			json_object *parts, *of;

			if (run_one(&o, bytes) == HB_E_UNSUPPORTED && stores == 2) {
				one_case_end(&o);
				continue;
			}
			if (o.err.code != HB_OK)
				fail_msg("%s", o.err.text);
			assert_int_equal(o.result.verified, bytes / 24);
			assert_int_equal(o.result.bad, 0);
			assert_int_equal(o.p.n_metrics, 1);
			parts = node_memory.parts(&o.b);
			assert_int_equal(parts != NULL, where == 2);
			if (parts) {
				assert_true(json_object_object_get_ex(parts, "of", &of));
				assert_string_equal(json_object_get_string(of), "numa");
			}
			json_object_put(parts);
			one_case_end(&o);
		}
	}
}

static void keys_from_before_the_ways_of_node_memory_still_name_the_same(void **state)
{
	struct memory_opts *opts = info_opts_new(&info_node_memory);
	struct hb_err err;
	json_object *key = info_key_opts(&info_node_memory, opts);

	(void)state;
	assert_string_equal(json_object_to_json_string_ext(key, JSON_C_TO_STRING_PLAIN),
	                    "{\"op\":\"triad\",\"threads\":0}");
	json_object_put(key);
	assert_int_equal(opt_set(info_node_memory.opts, opts, "where", "numa", &err), HB_OK);
	key = info_key_opts(&info_node_memory, opts);
	assert_string_equal(json_object_to_json_string_ext(key, JSON_C_TO_STRING_PLAIN),
	                    "{\"op\":\"triad\",\"threads\":0,\"where\":\"numa\"}");
	json_object_put(key);
	info_opts_free(&info_node_memory, opts);
}

static void the_real_work_is_measured_and_checked(void **state)
{
	struct compute_opts all = { .cores = 1 << COMPUTE_ALL };
	char none = 0;
	struct one_case compute = { .ops = &node_compute, .opts = &all };
	struct one_case jitter = { .ops = &node_jitter, .opts = &none };

	(void)state;
	if (run_one(&compute, 0) < 0)
		fail_msg("%s", compute.err.text);
	assert_true(compute.result.verified > 0);
	one_case_end(&compute);
	if (run_one(&jitter, 0) < 0)
		fail_msg("%s", jitter.err.text);
	assert_int_equal(jitter.result.verified % (64 * 75000), 0);
	assert_int_equal(jitter.p.n_metrics, 3);
	one_case_end(&jitter);
}

static void the_slowest_parts_come_first_and_only_some_of_them(void **state)
{
	int ids[40];
	struct parts *p;
	json_object *o, *latest, *v;

	(void)state;
	for (int i = 0; i < 40; i++)
		ids[i] = 100 + i;
	p = parts_new("cpu", ids, 40);
	assert_null(parts_json(p, NULL, NULL));
	for (int i = 0; i < 40; i++)
		for (int k = 0; k < PARTS_KEPT + 5; k++)
			parts_push(p, i, i == 17 ? 1000 : 10 + i);
	o = parts_json(p, NULL, NULL);
	assert_true(json_object_object_get_ex(o, "latest", &latest));
	assert_int_equal(json_object_array_length(latest), PARTS_LATEST);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(latest, 0), "cpu", &v));
	assert_int_equal(json_object_get_int(v), 117);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(latest, 1), "cpu", &v));
	assert_int_equal(json_object_get_int(v), 139);
	json_object_put(o);
	parts_clear(p);
	assert_null(parts_json(p, NULL, NULL));
	parts_free(p);
	parts_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_multiply_add_is_what_it_should_be),
		cmocka_unit_test(a_quantum_is_a_chain_of_so_many_steps),
		cmocka_unit_test(streaming_stores_write_what_the_others_do),
		cmocka_unit_test(every_way_of_node_memory_is_measured_and_checked),
		cmocka_unit_test(keys_from_before_the_ways_of_node_memory_still_name_the_same),
		cmocka_unit_test(the_real_work_is_measured_and_checked),
		cmocka_unit_test(the_slowest_parts_come_first_and_only_some_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

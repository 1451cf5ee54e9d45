/* What fits into a time, and whose turn it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/plan/plan_budget.h"
#include "tests/unit/plan_fixture.h"

#define LATENCY                                                                                    \
	SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"},\"max_time\":\"1s\"}")
static const char now[] = "2026-12-01T00:00:00Z";

static double time_with(const char *suite, const char *nodes, struct plan_params p)
{
	struct made m;
	make_plan_with(&m, suite, nodes, &p);
	double s = m.plan.predicted_s;
	drop(&m);
	return s;
}

static int fit(const char *suite, const char *nodes, const struct plan_params *p, double budget,
               struct plan_fit *out, struct hb_err *err)
{
	struct made m;
	make_plan_with(&m, suite, nodes, p);
	struct plan_past *past = hb_alloc(m.nodes.n * sizeof(*past));
	size_t *order = hb_alloc(m.nodes.n * sizeof(*order));
	for (size_t i = 0; i < m.nodes.n; i++)
		past[i] = (struct plan_past){ "", "", "" };
	plan_turns(past, m.nodes.n, now, 1, order);
	int rc = plan_fit(&m.suite, &m.nodes, p, budget, order, out, err);
	free(past);
	free(order);
	drop(&m);
	return rc;
}

static void what_fits_is_left_as_it_is(void **state)
{
	const struct plan_params p = { .seed = 1, .rounds = 7, .max_pairs = 2 };
	double all = time_with(LATENCY, "n[1-16]", p);
	struct plan_fit f;
	struct hb_err err;
	(void)state;
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, all, &f, &err), HB_OK);
	assert_int_equal(f.n, 16);
	assert_int_equal(f.rounds, 7);
}

static void rounds_go_before_nodes_and_as_few_as_must(void **state)
{
	struct plan_params p = { .seed = 1, .rounds = 0, .max_pairs = 2 };
	struct plan_fit f;
	struct hb_err err;
	(void)state;
	p.rounds = 9;
	double nine = time_with(LATENCY, "n[1-16]", p);
	p.rounds = 0;
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, nine, &f, &err), HB_OK);
	assert_int_equal(f.n, 16);
	assert_int_equal(f.rounds, 9);
}

static void below_three_rounds_nodes_go(void **state)
{
	struct plan_params p = { .seed = 1, .rounds = 3, .max_pairs = 2 };
	struct plan_fit f;
	struct hb_err err;
	(void)state;
	double ten = time_with(LATENCY, "n[1-10]", p), eleven = time_with(LATENCY, "n[1-12]", p);
	assert_true(ten < eleven);
	p.rounds = 8;
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, ten, &f, &err), HB_OK);
	assert_in_range(f.n, 10, 11);
	assert_int_equal(f.rounds, 3);
	assert_true(f.predicted_s <= ten);
	p.rounds = 2; /* the suite's own are fewer */
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, ten, &f, &err), HB_OK);
	assert_int_equal(f.rounds, 2);
}

static void where_nothing_fits_the_error_says_what_would(void **state)
{
	const struct plan_params p = { .seed = 1, .rounds = 3, .max_pairs = 2 };
	double least = time_with(LATENCY, "n[1-2]", p);
	struct plan_fit f;
	struct hb_err err;
	(void)state;
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, least, &f, &err), HB_OK);
	assert_in_range(f.n, 2, 3);
	assert_int_equal(fit(LATENCY, "n[1-16]", &p, least - 0.1, &f, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "even 2 nodes should take"));
}

static void the_longest_wait_is_served_first_and_the_future_counts_as_never(void **state)
{
	const struct plan_past past[] = {
		{ "2026-11-03T00:00:00Z", "c", "2026-11-03T00:00:00Z" },
		{ "2026-11-02T00:00:00Z", "b", "2026-11-02T00:00:00Z" },
		{ "2027-11-02T00:00:00Z", "z", "2027-11-02T00:00:00Z" },
		{ "2026-11-02T00:00:00Z", "b", "2026-11-01T00:00:00Z" },
		{ "2026-11-02T00:00:00Z", "a", "2026-11-02T00:00:00Z" },
	};
	static const size_t want[] = { 2, 4, 3, 1, 0 };
	size_t order[5];
	(void)state;
	plan_turns(past, 5, now, 3, order);
	assert_memory_equal(order, want, sizeof(want));
}

static void equals_are_drawn_from_the_seed(void **state)
{
	struct plan_past past[32];
	size_t a[32], b[32], c[32];
	(void)state;
	for (size_t i = 0; i < 32; i++)
		past[i] = (struct plan_past){ "", "", "" };
	plan_turns(past, 32, now, 1, a);
	plan_turns(past, 32, now, 1, b);
	plan_turns(past, 32, now, 2, c);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, c, sizeof(a));
}

/* What a ledger would hold of one node. */
struct past_text {
	char had[32], run[8], last[32];
};

/* One night: the first 20 have their turn, those that fail have it in vain. */
static void one_night(struct past_text *t, int night, struct rng *rng, const bool *broken)
{
	struct plan_past past[64];
	size_t order[64];
	for (size_t i = 0; i < 64; i++)
		past[i] = (struct plan_past){ t[i].had, t[i].run, t[i].last };
	plan_turns(past, 64, now, rng_u64(rng), order);
	for (size_t k = 0; k < 20; k++) {
		struct past_text *x = &t[order[k]];
		snprintf(x->had, sizeof(x->had), "2026-11-%02dT00:00:00Z", night);
		snprintf(x->run, sizeof(x->run), "r%u", (unsigned)night % 1000);
		if (!broken[order[k]] && rng_below(rng, 20))
			memcpy(x->last, x->had, sizeof(x->last));
	}
}

static void every_node_has_its_turn_in_4_of_64_by_20_whatever_fails(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct past_text t[64] = { 0 };
		bool broken[64] = { false };
		struct rng rng;
		rng_seed(&rng, seed);
		for (int i = 0; i < 10; i++)
			broken[rng_below(&rng, 64)] = true;
		for (int night = 1; night <= 4; night++)
			one_night(t, night, &rng, broken);
		for (size_t i = 0; i < 64; i++)
			assert_true(t[i].had[0] != '\0');
		for (int night = 5; night <= 8; night++)
			one_night(t, night, &rng, broken);
		for (size_t i = 0; i < 64; i++)
			assert_true(strcmp(t[i].had, "2026-11-04T00:00:00Z") > 0 || t[i].last[0]);
	}
}

static void the_kept_stay_in_their_order_and_the_rest_too(void **state)
{
	static const size_t order[] = { 4, 1, 3, 0, 2 };
	struct nodeset all = { 0 }, kept, rest;
	struct hb_err err;
	struct buf b = BUF_INIT;
	(void)state;
	assert_int_equal(nodeset_parse("n[1-5]", &all, &err), HB_OK);
	plan_keep(&all, order, 2, &kept, &rest);
	nodeset_format(&kept, &b);
	buf_putc(&b, ' ');
	nodeset_format(&rest, &b);
	assert_string_equal(buf_text(&b), "n[2,5] n[1,3-4]");
	buf_free(&b);
	nodeset_free(&all);
	nodeset_free(&kept);
	nodeset_free(&rest);
}

static void what_is_left_for_later_stands_in_the_plan_and_is_read_back(void **state)
{
	struct made m;
	struct nodeset later = { 0 };
	struct suite suite;
	struct plan back;
	struct hb_err err;
	(void)state;
	assert_int_equal(nodeset_parse("n[9-12]", &later, &err), HB_OK);
	const struct plan_params p = { .seed = 1, .rounds = 3, .later = &later, .later_runs = 3 };
	make_plan_with(&m, LATENCY, "n[1-8]", &p);
	json_object *o = plan_to_json(&m.plan);
	assert_int_equal(plan_from_json(o, "p", &suite, &back, &err), HB_OK);
	assert_int_equal(back.later.n, 4);
	assert_string_equal(back.later.v[3], "n12");
	assert_int_equal(back.later_runs, 3);
	assert_int_equal(back.n_absent, 0);
	plan_free(&back);
	suite_free(&suite);
	js_put(o);
	nodeset_free(&later);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_left_as_it_is),
		cmocka_unit_test(rounds_go_before_nodes_and_as_few_as_must),
		cmocka_unit_test(below_three_rounds_nodes_go),
		cmocka_unit_test(where_nothing_fits_the_error_says_what_would),
		cmocka_unit_test(the_longest_wait_is_served_first_and_the_future_counts_as_never),
		cmocka_unit_test(equals_are_drawn_from_the_seed),
		cmocka_unit_test(every_node_has_its_turn_in_4_of_64_by_20_whatever_fails),
		cmocka_unit_test(the_kept_stay_in_their_order_and_the_rest_too),
		cmocka_unit_test(what_is_left_for_later_stands_in_the_plan_and_is_read_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

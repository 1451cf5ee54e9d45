/* What a run would find, against what compare says when the run is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/judge/detect.h"
#include "harness/localize/localize.h"
#include "tests/unit/rows.h"

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;

/* ctx: only this benchmark; NULL: all. */
static bool of_bench(const void *ctx, const struct base_entry *e)
{
	return !ctx || strcmp(ctx, e->key.bench) == 0;
}

static double all_pairs(const void *ctx, const struct base_entry *e)
{
	(void)ctx;
	(void)e;
	return LOC_DELTA;
}

static double no_pairs(const void *ctx, const struct base_entry *e)
{
	(void)ctx;
	(void)e;
	return 0;
}

static void look(const struct baseline *b, const char *bench, const char *const *nodes, size_t n,
                 struct detect *out)
{
	const struct detect_scope x = { of_bench, all_pairs, bench, nodes, n, 5 };

	detect_run(b, &x, &params, out);
}

static const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };

static const struct detect_row *row_of(const struct detect *d, const struct verdict_row *v)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].entry == v->entry)
			return &d->v[i];
	fail_msg("no row for %s", v->key->text);
	return NULL;
}

/* Every row of a run shows what was foretold for it. */
static void foretells(unsigned runs, double spread)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct detect d;

	rows_baseline(runs, spread, &b);
	look(&b, NULL, nodes, 4, &d);
	rows_site(&s, "new", 50, spread, 1.0);
	rows_judge(&b, &s, &v);
	assert_int_equal(d.n, 6);
	assert_int_equal(d.runs, runs);
	assert_int_equal(d.not_there, 0);
	for (size_t i = 0; i < v.n; i++) {
		const struct detect_row *r = row_of(&d, &v.rows[i]);

		assert_int_equal(r->subjects, 4);
		assert_int_equal(r->of_class, runs < BASELINE_MIN_RUNS ? 4 : 0);
		if (isnan(v.rows[i].mde)) {
			assert_true(isnan(r->mde.median));
			continue;
		}
		assert_true(fabs(r->mde.median - v.rows[i].mde) < 1e-12);
		assert_true(fabs(r->mde.most - v.rows[i].mde) < 1e-12);
		assert_true(r->counts.median >= r->mde.median);
	}
	detect_free(&d);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void what_is_foretold_is_what_compare_then_says(void **state)
{
	(void)state;
	foretells(10, 0.01);
	foretells(16, 0.002);
	foretells(5, 0.02);
	foretells(3, 0.01);
}

static void one_run_in_the_baseline_has_no_spread(void **state)
{
	struct baseline b;
	struct detect d;

	(void)state;
	rows_baseline(1, 0.01, &b);
	look(&b, NULL, nodes, 4, &d);
	assert_int_equal(d.n, 6);
	assert_int_equal(d.unknown, 6);
	for (size_t i = 0; i < d.n; i++)
		assert_true(isnan(d.v[i].mde.median) && isnan(d.v[i].peers));
	detect_free(&d);
	baseline_free(&b);
}

static void a_node_without_history_is_foretold_against_its_class(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct detect d;

	(void)state;
	rows_baseline(10, 0.01, &b);
	look(&b, "x.a", nodes, 4, &d);
	double own = d.v[1].mde.most; /* 4 KiB */
	detect_free(&d);
	look(&b, "x.a", nodes, 5, &d);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 4096, "n5", 1e9);
	rows_judge(&b, &s, &v);
	const struct verdict_row *r = rows_find(&v, "x.a", 4096, "n5");
	assert_int_equal(r->source, SPREAD_CLASS);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.not_there, 1);
	assert_int_equal(row_of(&d, r)->of_class, 1);
	assert_int_equal(row_of(&d, r)->subjects, 5);
	assert_true(fabs(row_of(&d, r)->mde.most - fmax(own, r->mde)) < 1e-12);
	assert_true(fabs(row_of(&d, r)->mde.median - own) < 1e-12);
	detect_free(&d);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void only_what_is_measured_is_foretold(void **state)
{
	static const char *const others[] = { "m1", "n3" };
	struct baseline b;
	struct detect d;

	(void)state;
	rows_baseline(10, 0.01, &b);
	look(&b, "x.b", nodes + 1, 2, &d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.v[0].subjects, 2);
	detect_free(&d);
	js_put(b.excluded);
	b.excluded = json_object_new_object();
	js_set_str(b.excluded, "n3", "");
	look(&b, "x.b", nodes + 1, 2, &d);
	assert_int_equal(d.v[0].subjects, 1);
	detect_free(&d);
	/* A node of another class, which no series of these entries is about. */
	js_set_str(b.hw, "m1", "hw-2");
	look(&b, "x.b", others, 1, &d);
	assert_int_equal(d.n, 0);
	detect_free(&d);
	const struct detect_scope x = { of_bench, no_pairs, "x.b", nodes, 4, 3 };
	detect_run(&b, &x, &params, &d);
	assert_true(isnan(d.v[0].peers));
	detect_free(&d);
	baseline_free(&b);
}

static void what_counts_is_beyond_the_floor(void **state)
{
	struct baseline b;
	struct detect d;

	(void)state;
	/* Hardly any spread: the floor of 3 % decides, and what it takes to be beyond it. */
	rows_baseline(10, 0.0005, &b);
	look(&b, NULL, nodes, 4, &d);
	assert_true(d.v[0].mde.median < 0.01);
	assert_true(d.v[0].counts.median > 0.03 && d.v[0].counts.median < 0.035);
	detect_free(&d);
	baseline_free(&b);
	/* Much of it: the same as the smallest detectable loss. */
	rows_baseline(10, 0.05, &b);
	look(&b, NULL, nodes, 4, &d);
	assert_true(fabs(d.v[0].counts.median - d.v[0].mde.median) < 1e-12);
	detect_free(&d);
	baseline_free(&b);
}

static void a_node_against_its_peers_is_found_by_what_is_blamed_and_by_the_spread(void **state)
{
	const struct loc_spread quiet = { 0.0005, 0, 64, 5, true }, wild = { 0.02, 0, 64, 5, true };
	struct loc_spread lone = { 0.02, 0, 2, 5, true };

	(void)state;
	/* Hardly any spread: the least that is blamed decides. */
	double least = localize_detectable(&quiet, 5, LOC_DELTA, -4);
	assert_true(least > LOC_DELTA && least < LOC_DELTA + 0.002);
	/* Much of it: more than four times the spread, and less than seven. */
	double most = localize_detectable(&wild, 5, LOC_DELTA, -4);
	assert_true(most > 4 * 0.02 && most < 7 * 0.02);
	assert_true(localize_detectable(&wild, 9, LOC_DELTA, -4) <= most);
	assert_true(isnan(localize_detectable(&lone, 5, LOC_DELTA, -4)));
	assert_true(isnan(localize_detectable(&wild, 1, LOC_DELTA, -4)));
}

/* A sweep of 16 nodes with this noise, as localize sees it: the same loss for the same spread. */
static void localize_says_the_same_of_its_sweep(void **state)
{
	enum { NODES = 16, ROUNDS = 5 };
	const struct loc_params p = LOC_PARAMS_DEFAULT;
	static const double noises[] = { 0.004, 0.012, 0.03 };

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct loc_end ends[NODES];
		struct loc_pair pairs[NODES * ROUNDS / 2];
		struct localized l;
		struct rng r;
		size_t n = 0;

		rng_stream(&r, 7, k, 1);
		for (uint32_t i = 0; i < NODES; i++)
			ends[i] = (struct loc_end){ i, LOC_NONE, LOC_NONE };
		for (uint32_t d = 1; d <= ROUNDS; d++)
			for (uint32_t i = 0; i < NODES; i += 2)
				pairs[n++] = (struct loc_pair){ i,
					                        (i + 2 * d - 1) % NODES,
					                        noises[k] * rng_normal(&r),
					                        NAN,
					                        NAN,
					                        false,
					                        false,
					                        LOC_NONE };
		const struct loc_sheet sheet = { .ends = ends,
			                         .n_ends = NODES,
			                         .pairs = pairs,
			                         .n_pairs = n,
			                         .stored_median = NAN,
			                         .stored_s = NAN };
		localize(&sheet, &p, &l);
		const struct loc_spread of = { l.s, 0, NODES, ROUNDS, false };
		double mine = localize_detectable(&of, ROUNDS, LOC_DELTA, p.z_slow);
		printf("spread %.2f %%: %.2f %% by localize, %.2f %% here\n", 100 * l.s,
		       100 * l.detectable, 100 * mine);
		/* Localize knows how noisy this sweep's single pairs were; a baseline does not. */
		assert_true(fabs(l.detectable - mine) < 0.15 * mine);
		localized_free(&l);
	}
}

/* ---- simulated ---- */

enum { SIM_NODES = 10, SIM_RUNS = 12, SIM_TIMES = 1500 };

/* One benchmark of one size: ten families, so that one slow node must reach p 0.005. */
static void sim_run(struct summary *s, uint64_t seed, double spread, double loss)
{
	struct rng r;

	rng_stream(&r, 5, seed, 1);
	rows_begin(s, "run");
	free(s->run);
	s->run = hb_format("run-%llu", (unsigned long long)seed);
	for (int i = 0; i < SIM_NODES; i++) {
		char name[8];
		double v = 1e9 * exp(spread * rng_normal(&r)) * (i == 0 ? 1.0 - loss : 1.0);

		snprintf(name, sizeof name, "n%d", i);
		rows_add(s, "x.a", 1024, name, v);
	}
}

static void sim_baseline(uint64_t seed, double spread, struct baseline *b)
{
	struct summary runs[SIM_RUNS];
	const struct summary *list[SIM_RUNS];

	for (int i = 0; i < SIM_RUNS; i++) {
		sim_run(&runs[i], seed * 100 + (uint64_t)i, spread, 0.0);
		list[i] = &runs[i];
	}
	baseline_build(list, SIM_RUNS, b);
	for (int i = 0; i < SIM_RUNS; i++)
		summary_free(&runs[i]);
}

/* How often n0, which loses just what was foretold, is found: 0.9 is what was promised. */
static double found(double spread, bool floor)
{
	static const char *const names[] = { "n0", "n1", "n2", "n3", "n4",
		                             "n5", "n6", "n7", "n8", "n9" };
	unsigned n = 0;
	double sum = 0.0;

	for (unsigned k = 0; k < SIM_TIMES; k++) {
		struct baseline b;
		struct summary s;
		struct verdicts v;
		struct detect d;

		sim_baseline(k + 1, spread, &b);
		for (size_t i = 0; i < b.n_entries; i++)
			b.entries[i].floor = floor ? 0.03 : 0.0;
		look(&b, NULL, names, SIM_NODES, &d);
		double x = floor ? d.v[0].counts.median : d.v[0].mde.median;
		sum += x;
		sim_run(&s, k * 100 + 99, spread, x);
		for (size_t i = 0; i < s.n_rows; i++)
			s.rows[i].floor = floor ? 0.03 : 0.0;
		rows_judge(&b, &s, &v);
		n += rows_find(&v, "x.a", 1024, "n0")->verdict == VERDICT_SUSPECT;
		detect_free(&d);
		verdicts_free(&v);
		summary_free(&s);
		baseline_free(&b);
	}
	printf("spread %.1f %%, floor %d %%: a loss of %.2f %% is found in %.1f %% of %d runs\n",
	       100 * spread, floor ? 3 : 0, 100 * sum / SIM_TIMES, 100.0 * n / SIM_TIMES,
	       (int)SIM_TIMES);
	return (double)n / SIM_TIMES;
}

static void what_is_foretold_is_found_with_that_power(void **state)
{
	const double least = 0.9 - 3 * sqrt(0.9 * 0.1 / SIM_TIMES);

	(void)state;
	assert_true(found(0.01, false) >= least);
	assert_true(found(0.01, true) >= least);
	assert_true(found(0.003, true) >= least);
	/* And not by being told far too high. */
	assert_true(found(0.02, false) <= 0.98);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_foretold_is_what_compare_then_says),
		cmocka_unit_test(one_run_in_the_baseline_has_no_spread),
		cmocka_unit_test(a_node_without_history_is_foretold_against_its_class),
		cmocka_unit_test(only_what_is_measured_is_foretold),
		cmocka_unit_test(what_counts_is_beyond_the_floor),
		cmocka_unit_test(
		        a_node_against_its_peers_is_found_by_what_is_blamed_and_by_the_spread),
		cmocka_unit_test(localize_says_the_same_of_its_sweep),
		cmocka_unit_test(what_is_foretold_is_found_with_that_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

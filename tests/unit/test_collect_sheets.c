/* Sheets: what of a run's records localize gets to see, and in which form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/collect_fixture.h"

/* Collects once more, with the sheets. */
static void sheets_of(struct made *m, struct sheets *s)
{
	struct summary again;
	collected(m);
	if (collect_run_sheets(m->dir, &again, s, NULL, &m->err) != HB_OK)
		fail_msg("%s", m->err.text);
	/* The summary is the same as without them. */
	assert_int_equal(again.n_rows, m->s.n_rows);
	assert_int_equal(again.n_losses, m->s.n_losses);
	summary_free(&again);
}

/* The n-th pair of a sheet between these nodes, or NULL. */
static const struct loc_pair *pair_of(const struct sheets *s, size_t i, uint32_t a, uint32_t b,
                                      size_t nth)
{
	const struct sheet *v = &s->v[i];
	for (size_t k = 0; k < v->n_pairs; k++) {
		uint32_t x = v->ends[v->pairs[k].a].node, y = v->ends[v->pairs[k].b].node;
		if (((x == a && y == b) || (x == b && y == a)) && nth-- == 0)
			return &v->pairs[k];
	}
	return NULL;
}

static uint32_t node_at(const struct made *m, uint64_t unit, int rank)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	return (uint32_t)m->plan.steps[step].rank_node[j->ranks[rank]];
}

static void every_pair_is_there_with_its_log_figure(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= 6; u++)
		add_unit(&m, u, 1000 * (double)u);
	sheets_of(&m, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.n_nodes, 4);
	assert_string_equal(s.nodes[3], "n4");
	const struct sheet *v = &s.v[0];
	assert_int_equal(v->n_ends, 4);
	assert_int_equal(v->n_pairs, 6);
	assert_true(v->loaded);
	expect_near(v->floor, 0.07);
	assert_string_equal(v->key.text, need_row(&m.s, "n1", "lat_p50_ns", 8)->key.text);
	for (uint64_t u = 1; u <= 6; u++) {
		const struct loc_pair *p = pair_of(&s, 0, node_at(&m, u, 0), node_at(&m, u, 1), 0);
		assert_non_null(p);
		expect_near(p->y, -log(1000 * (double)u));
		assert_true(isnan(p->ab) && isnan(p->ba)); /* latency knows no direction */
		assert_false(p->extra || p->isolated);
		assert_int_equal(p->silent, LOC_NONE);
	}
	sheets_free(&s);
	finish(&m);
}

static void both_directions_are_one_pair_of_the_worse(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_bandwidth, "n[1-3]", 5);
	assert_int_equal(m.plan.next_unit, 7);
	for (uint64_t u = 1; u <= 6; u++)
		add_unit(&m, u, 1e9 * (double)u);
	sheets_of(&m, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].n_pairs, 3);
	for (uint64_t u = 1; u <= 6; u += 2) {
		size_t step;
		const struct loc_pair *p = pair_of(&s, 0, node_at(&m, u, 0), node_at(&m, u, 1), 0);
		bool ab = strcmp(job_of(&m, u, &step)->dir, "ab") == 0;
		expect_near(p->y, log(1e9 * (double)u));
		expect_near(ab ? p->ab : p->ba, log(1e9 * (double)u));
		expect_near(ab ? p->ba : p->ab, log(1e9 * (double)(u + 1)));
		assert_int_equal(s.v[0].ends[p->a].node, node_at(&m, u, 0));
	}
	assert_false(s.v[0].loaded); /* three nodes: one pair at a time */
	sheets_free(&s);
	finish(&m);
}

static void a_lost_pair_knows_who_fell_silent(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= 6; u++) {
		char why[96];
		uint32_t a = node_at(&m, u, 0), b = node_at(&m, u, 1);
		if (a != 2 && b != 2) {
			add_unit(&m, u, 1000);
			continue;
		}
		snprintf(why, sizeof why, "no answer from rank 2 on n3 within 9 s");
		add_end(&m, u, 1, UNIT_GIVEN_UP, why);
	}
	sheets_of(&m, &s);
	assert_int_equal(s.v[0].n_ends, 4);
	assert_int_equal(s.v[0].n_pairs, 6);
	for (uint32_t n = 0; n < 4; n++) {
		const struct loc_pair *p = n == 2 ? NULL : pair_of(&s, 0, 2, n, 0);
		if (n == 2)
			continue;
		assert_true(isnan(p->y));
		assert_int_equal(s.v[0].ends[p->silent].node, 2);
	}
	sheets_free(&s);
	finish(&m);
}

/* Each way in which a pair gives no figure, and what of it is told. */
static void what_says_nothing_of_the_pair_is_left_out(void **state)
{
	static const struct {
		enum unit_status status;
		const char *reason;
		bool there, named;
	} ways[] = {
		{ UNIT_TIMEOUT, "the deadline passed", true, false },
		{ UNIT_FAILED, "MPI_Send: failed", true, false },
		{ UNIT_FAILED, "rank 0 on n10: died", true,
		  false }, /* a name that only begins so */
		{ UNIT_GIVEN_UP, "rank 0 on n1: it never connected", true, true },
		{ UNIT_GIVEN_UP, "no answer from rank 0 on n1, rank 1 on n2 within 9 s", false,
		  false },
		{ UNIT_GIVEN_UP, "no time left: the job's end is near", false, false },
		{ UNIT_GIVEN_UP, "stopped by SIGTERM", false, false },
		{ UNIT_SKIPPED, "no such device", false, false },
		{ UNIT_INVALID, "7 elements are wrong", false, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct made m;
		struct sheets s;
		start(&m, suite_latency, "n[1-2]", 5);
		add_point(&m, 1, 1, 1000);
		add_end(&m, 1, 1, ways[i].status, ways[i].reason);
		sheets_of(&m, &s);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.v[0].n_pairs, ways[i].there);
		if (ways[i].there) {
			assert_true(isnan(s.v[0].pairs[0].y));
			assert_int_equal(s.v[0].pairs[0].silent != LOC_NONE, ways[i].named);
		}
		if (ways[i].named)
			assert_string_equal(s.nodes[s.v[0].ends[s.v[0].pairs[0].silent].node],
			                    "n1");
		sheets_free(&s);
		finish(&m);
	}
}

static void never_measured_and_disturbed_pairs_are_left_out(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	size_t step;
	struct rec_ids ids = { 1, 1, 1, PHASE_MAIN };
	(void)job_of(&m, 1, &step);
	ids.step = m.plan.steps[step].id;
	add_unit(&m, 1, 1000);
	add_line(&m, rec_event_to_json(&ids, "warn", "disturbed", "foreign load"));
	add_unit(&m, 2, 1000); /* the others were never commanded */
	sheets_of(&m, &s);
	assert_int_equal(s.v[0].n_ends, 4);
	assert_int_equal(s.v[0].n_pairs, 1);
	sheets_free(&s);
	finish(&m);
}

static void each_pair_of_hardware_classes_has_a_sheet(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	for (int i = 1; i <= 4; i++) {
		char name[8];
		snprintf(name, sizeof name, "n%d", i);
		add_hw(&m, name, i <= 2 ? "A" : "B");
	}
	for (uint64_t u = 1; u <= 6; u++)
		add_unit(&m, u, 1000);
	sheets_of(&m, &s);
	assert_int_equal(s.n, 3);
	for (size_t i = 0; i < s.n; i++) {
		bool mixed = strcmp(s.v[i].key.hw, "A + B") == 0;
		assert_int_equal(s.v[i].n_ends, mixed ? 4 : 2);
		assert_int_equal(s.v[i].n_pairs, mixed ? 4 : 1);
		for (size_t k = 0; k < s.v[i].n_ends; k++) {
			uint32_t node = s.v[i].ends[k].node;
			assert_true(mixed || (node < 2) == (s.v[i].key.hw[0] == 'A'));
		}
	}
	sheets_free(&s);
	finish(&m);
}

static void extra_pairs_say_that_they_are_and_which_were_alone(void **state)
{
	struct made m;
	struct sheets s;
	const struct plan_extra v[] = { { 0, 1, false }, { 2, 3, false }, { 0, 1, true } };
	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	assert_int_equal(plan_add_extra(&m.plan, m.plan.n_steps, "mpi.latency", v, 3, &m.err),
	                 HB_OK);
	assert_int_equal(m.plan.next_unit, 10);
	for (uint64_t u = 1; u < 10; u++)
		add_unit(&m, u, 1000 + (double)u);
	sheets_of(&m, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].n_pairs, 9);
	size_t extra = 0, isolated = 0;
	for (size_t i = 0; i < 9; i++) {
		extra += s.v[0].pairs[i].extra;
		isolated += s.v[0].pairs[i].isolated;
		assert_true(s.v[0].pairs[i].extra || !s.v[0].pairs[i].isolated);
	}
	assert_int_equal(extra, 3);
	assert_int_equal(isolated, 1);
	assert_true(pair_of(&s, 0, 0, 1, 2)->isolated);
	sheets_free(&s);
	finish(&m);

	/* One pair at a time: nothing was ever loaded, and alone means nothing. */
	const struct plan_params params = { .seed = 3, .rounds = 5, .max_pairs = 1 };
	start_with(&m, suite_latency, "n[1-4]", &params);
	assert_int_equal(plan_add_extra(&m.plan, m.plan.n_steps, "mpi.latency", v, 3, &m.err),
	                 HB_OK);
	for (uint64_t u = 1; u < 10; u++)
		add_unit(&m, u, 1000 + (double)u);
	sheets_of(&m, &s);
	assert_false(s.v[0].loaded);
	for (size_t i = 0; i < s.v[0].n_pairs; i++)
		assert_false(s.v[0].pairs[i].isolated);
	sheets_free(&s);
	finish(&m);
}

static void devices_of_endpoints_are_ends_on_rails(void **state)
{
	struct made m;
	struct sheets s;
	(void)state;
	start(&m, suite_latency, "n[1-2]", 5);
	json_object *o = NULL;
	add_point(&m, 1, 1, 1000);
	assert_int_equal(js_parse(m.records.data, m.records.len, "r", &o, &m.err), HB_OK);
	buf_clear(&m.records);
	js_set_str(o, "a", "n1/mlx5_1");
	js_set_str(o, "b", "n2/mlx5_1");
	add_line(&m, o);
	add_end(&m, 1, 1, UNIT_OK, NULL);
	sheets_of(&m, &s);
	assert_int_equal(s.n_rails, 1);
	assert_string_equal(s.rails[0], "mlx5_1");
	assert_int_equal(s.v[0].n_ends, 2);
	assert_int_equal(s.v[0].ends[0].rail, 0);
	assert_int_equal(s.v[0].ends[1].rail, 0);
	assert_int_equal(s.v[0].ends[1].node, 1);
	assert_int_equal(s.v[0].n_pairs, 1);
	sheets_free(&s);
	finish(&m);
}

static void one_node_and_groups_have_no_sheets(void **state)
{
	const char *const suites[] = { suite_latency, suite_allreduce, suite_memory };
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m;
		struct sheets s;
		start(&m, suites[i], i == 0 ? "host" : "n[1-3]", 5);
		for (uint64_t u = 1; u < m.plan.next_unit; u++)
			add_unit(&m, u, 1000);
		sheets_of(&m, &s);
		assert_int_equal(s.n, 0);
		sheets_free(&s);
		finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_there_with_its_log_figure),
		cmocka_unit_test(both_directions_are_one_pair_of_the_worse),
		cmocka_unit_test(a_lost_pair_knows_who_fell_silent),
		cmocka_unit_test(what_says_nothing_of_the_pair_is_left_out),
		cmocka_unit_test(never_measured_and_disturbed_pairs_are_left_out),
		cmocka_unit_test(each_pair_of_hardware_classes_has_a_sheet),
		cmocka_unit_test(extra_pairs_say_that_they_are_and_which_were_alone),
		cmocka_unit_test(devices_of_endpoints_are_ends_on_rails),
		cmocka_unit_test(one_node_and_groups_have_no_sheets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

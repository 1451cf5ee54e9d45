/* Collect: pairs that were lost, which of them should be measured again, and what that changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/collect_fixture.h"

static const char silent[] = "no answer within 30 s";

/* Six nodes, all pairs once, of which those (as many as there are) were lost. */
static void start_lost(struct made *m, uint64_t lost)
{
	start(m, suite_latency, "n[1-6]", 5);
	for (uint64_t u = 1; u < m->plan.next_unit; u++) {
		if (u <= lost)
			add_end(m, u, 1, UNIT_TIMEOUT, silent);
		else
			add_unit(m, u, 1000);
	}
}

static uint64_t measured_again(struct made *m, size_t job)
{
	size_t from = m->plan.n_steps;

	if (plan_add_again(&m->plan, from, 0, job, &m->err) != HB_OK)
		fail_msg("%s", m->err.text);
	return m->plan.steps[from].jobs[0].first_unit;
}

static void pair_name(const struct made *m, uint64_t unit, char *out, size_t n)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	const size_t *node = m->plan.steps[step].rank_node;

	size_t a = node[j->ranks[0]], b = node[j->ranks[1]];

	snprintf(out, n, "%s-%s", m->plan.nodes.v[a < b ? a : b], m->plan.nodes.v[a < b ? b : a]);
}

static void a_figure_that_comes_replaces_the_loss(void **state)
{
	struct made m;
	char pair[64];

	(void)state;
	start_lost(&m, 1);
	pair_name(&m, 1, pair, sizeof pair);
	add_unit(&m, measured_again(&m, 0), 1500);
	collected(&m);
	assert_null(find_loss(&m.s, pair));
	assert_int_equal(m.s.n_losses, 0);
	/* Each node has all of its five pairs. */
	for (int i = 1; i <= 6; i++) {
		char node[8];

		snprintf(node, sizeof node, "n%d", i);
		assert_int_equal(need_row(&m.s, node, "lat_p50_ns", 8)->pairs, 5);
	}
	finish(&m);
}

static void what_is_lost_again_is_one_loss_of_the_pair(void **state)
{
	struct made m;
	char pair[64];
	uint64_t u;

	(void)state;
	start_lost(&m, 1);
	pair_name(&m, 1, pair, sizeof pair);
	u = measured_again(&m, 0);
	add_end(&m, u, 1, UNIT_TIMEOUT, "no answer, alone");
	collected(&m);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, pair, UNIT_TIMEOUT, "no answer, alone");
	finish(&m);
}

static void a_second_try_that_never_came_leaves_the_first_as_it_was(void **state)
{
	struct made m;
	char pair[64];

	(void)state;
	start_lost(&m, 1);
	pair_name(&m, 1, pair, sizeof pair);
	measured_again(&m, 0);
	collected(&m);
	assert_int_equal(m.s.n_losses, 1);
	expect_loss(&m.s, pair, UNIT_TIMEOUT, silent);
	finish(&m);
}

/* A figure stands where the second try was the one that was lost (as after --resume). */
static void a_first_figure_is_not_thrown_away_for_a_loss(void **state)
{
	struct made m;
	uint64_t u;

	(void)state;
	start_lost(&m, 0);
	u = measured_again(&m, 0);
	add_end(&m, u, 1, UNIT_TIMEOUT, silent);
	collected(&m);
	assert_int_equal(m.s.n_losses, 0);
	assert_int_equal(need_row(&m.s, "n1", "lat_p50_ns", 8)->pairs, 5);
	finish(&m);
}

/* A resumed run: what was given up is measured again in its old place too, as it is not done. */
static void a_resumed_run_has_each_pair_once(void **state)
{
	struct made m;
	uint64_t u, n, *tries;
	unsigned char *ended;

	(void)state;
	start(&m, suite_latency, "n[1-6]", 5);
	add_end(&m, 1, 1, UNIT_GIVEN_UP, silent);
	for (u = 2; u < m.plan.next_unit; u++)
		add_unit(&m, u, 1000);
	u = measured_again(&m, 0);
	add_unit(&m, u, 1500);
	collected(&m);
	assert_int_equal(m.s.n_losses, 0);
	n = m.plan.next_unit;
	tries = hb_alloc(n * sizeof *tries);
	ended = hb_alloc(n);
	assert_int_equal(collect_done(m.dir, tries, ended, n, &m.err), HB_OK);
	assert_int_equal(ended[1], 0);
	assert_int_equal(tries[1], 1);
	assert_int_equal(ended[u], 1);
	/* It is measured: the second try still counts, once. */
	add_point(&m, 1, 2, 1000);
	add_end(&m, 1, 2, UNIT_OK, NULL);
	summary_free(&m.s);
	collected(&m);
	assert_int_equal(m.s.n_losses, 0);
	assert_int_equal(need_row(&m.s, "n1", "lat_p50_ns", 8)->pairs, 5);
	free(tries);
	free(ended);
	finish(&m);
}

/* ---- which ones ---- */

static size_t lost_pairs(struct made *m, const bool *out_of_it)
{
	struct collect_lost lost;
	size_t n;

	collected(m);
	if (collect_lost_pairs(m->dir, out_of_it, &lost, &m->err) != HB_OK)
		fail_msg("%s", m->err.text);
	n = lost.n;
	assert_int_equal(lost.of, 15);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lost.v[i].step, 0);
	free(lost.v);
	return n;
}

static void a_lost_pair_is_measured_again_once(void **state)
{
	struct made m;
	bool none[6] = { false };

	(void)state;
	start_lost(&m, 1);
	assert_int_equal(lost_pairs(&m, none), 1);
	measured_again(&m, 0);
	summary_free(&m.s);
	assert_int_equal(lost_pairs(&m, none), 0);
	finish(&m);
}

static void not_with_a_node_that_is_known_to_be_out(void **state)
{
	struct made m;
	bool out_of_it[6] = { false };
	size_t step;

	(void)state;
	start_lost(&m, 1);
	const struct plan_job *j = job_of(&m, 1, &step);
	out_of_it[m.plan.steps[step].rank_node[j->ranks[1]]] = true;
	assert_int_equal(lost_pairs(&m, out_of_it), 0);
	finish(&m);
}

/* All pairs of a node: it is the node, and to measure them again would tell nothing. */
static void not_where_one_end_answers_nobody(void **state)
{
	struct made m;
	bool none[6] = { false };

	(void)state;
	start(&m, suite_latency, "n[1-6]", 5);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);

		if (j->ranks[0] == 2 || j->ranks[1] == 2)
			add_end(&m, u, 1, UNIT_GIVEN_UP, silent);
		else
			add_unit(&m, u, 1000);
	}
	assert_int_equal(lost_pairs(&m, none), 0);
	finish(&m);
}

/* A hostile plan: units that stand for those of other pairs, or for each other. */
static void units_that_stand_for_strange_ones_harm_nothing(void **state)
{
	static const uint64_t strange[] = { 2, 15, 7 };

	(void)state;
	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
		struct made m;
		uint64_t a, b;

		start_lost(&m, 1);
		a = measured_again(&m, 0);
		b = measured_again(&m, 1);
		m.plan.steps[1].jobs[0].instead = strange[i];
		m.plan.steps[2].jobs[0].instead = a;
		add_unit(&m, a, 1500);
		add_unit(&m, b, 1500);
		collected(&m);
		assert_true(m.s.n_rows > 0);
		finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_that_comes_replaces_the_loss),
		cmocka_unit_test(what_is_lost_again_is_one_loss_of_the_pair),
		cmocka_unit_test(a_second_try_that_never_came_leaves_the_first_as_it_was),
		cmocka_unit_test(a_first_figure_is_not_thrown_away_for_a_loss),
		cmocka_unit_test(a_resumed_run_has_each_pair_once),
		cmocka_unit_test(a_lost_pair_is_measured_again_once),
		cmocka_unit_test(not_with_a_node_that_is_known_to_be_out),
		cmocka_unit_test(not_where_one_end_answers_nobody),
		cmocka_unit_test(units_that_stand_for_strange_ones_harm_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What extra pairs and leaf switches do to the rows of a summary: nothing, and rows of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/collect_fixture.h"

/* All that the summary says, as one text. */
static char *all_of(const struct summary *s)
{
	struct buf text = BUF_INIT;
	json_object *o = summary_to_json(s);

	js_write(o, JS_PLAIN, &text);
	js_put(o);
	return buf_detach(&text);
}

/* ---- extra pairs ---- */

enum { MAIN_UNITS = 6, EXTRA_UNITS = 6 };

static void start_extra(struct made *m)
{
	static const struct plan_extra v[] = { { 0, 1, false }, { 2, 3, false }, { 0, 2, false },
		                               { 1, 3, true },  { 0, 3, true },  { 1, 2, true } };

	start(m, suite_latency, "n[1-4]", 5);
	assert_int_equal(m->plan.next_unit, MAIN_UNITS + 1);
	assert_int_equal(
	        plan_add_extra(&m->plan, m->plan.n_steps, "mpi.latency", v, EXTRA_UNITS, &m->err),
	        HB_OK);
	assert_int_equal(m->plan.next_unit, MAIN_UNITS + EXTRA_UNITS + 1);
}

/* One of each way in which an extra pair may come out; the last was never commanded. */
static void add_extras(struct made *m)
{
	size_t step;
	const struct plan_job *j = job_of(m, MAIN_UNITS + 5, &step);
	struct rec_ids ids = { m->plan.steps[step].id, MAIN_UNITS + 5, 1, j->phase };

	add_unit(m, MAIN_UNITS + 1, 5000);
	add_point(m, MAIN_UNITS + 2, 1, 5000);
	add_end(m, MAIN_UNITS + 2, 1, UNIT_INVALID, "7 elements are wrong");
	add_end(m, MAIN_UNITS + 3, 1, UNIT_TIMEOUT, "the deadline passed");
	add_end(m, MAIN_UNITS + 4, 1, UNIT_GIVEN_UP, "no answer from rank 1 on n2 within 9 s");
	add_unit(m, MAIN_UNITS + 5, 10);
	add_line(m, rec_event_to_json(&ids, "warn", "disturbed", "foreign load"));
}

static void extra_pairs_make_no_row_and_no_loss(void **state)
{
	struct made m;
	char *without, *with;

	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= MAIN_UNITS; u++)
		add_unit(&m, u, 1000 + 10 * (double)u);
	collected(&m);
	assert_int_equal(m.s.n_losses, 0);
	without = all_of(&m.s);
	finish(&m);

	start_extra(&m);
	for (uint64_t u = 1; u <= MAIN_UNITS; u++)
		add_unit(&m, u, 1000 + 10 * (double)u);
	add_extras(&m);
	collected(&m);
	with = all_of(&m.s);
	assert_string_equal(with, without);
	free(with);
	free(without);
	finish(&m);
}

static void an_extra_pair_does_not_stand_in_for_what_the_main_part_lost(void **state)
{
	struct made m;

	(void)state;
	start_extra(&m);
	for (uint64_t u = 1; u <= MAIN_UNITS; u++) {
		size_t step;
		const struct plan_job *j = job_of(&m, u, &step);
		const size_t *node = m.plan.steps[step].rank_node;

		if (node[j->ranks[0]] == 3 || node[j->ranks[1]] == 3)
			add_end(&m, u, 1, UNIT_TIMEOUT, "the deadline passed");
		else
			add_unit(&m, u, 1000);
	}
	for (uint64_t u = MAIN_UNITS + 1; u <= MAIN_UNITS + EXTRA_UNITS; u++)
		add_unit(&m, u, 1000);
	collected(&m);
	expect_loss(&m.s, "n4", UNIT_TIMEOUT, "the deadline passed");
	assert_int_equal(need_row(&m.s, "n4", "lat_p50_ns", 8)->quality, ROW_NOT_MEASURED);
	assert_int_equal(need_row(&m.s, "n1", "lat_p50_ns", 8)->pairs, 2);
	assert_int_equal(need_row(&m.s, "cluster", "lat_p50_ns", 8)->n, 3);
	finish(&m);
}

/* ---- leaves ---- */

enum { LEAF_NODES = 4, NODES = 9 }; /* two leaves of four, and one node that nobody knows of */

static void start_leaves(struct made *m)
{
	static const char text[] = "SwitchName=sw1 Nodes=n[1-4]\nSwitchName=sw2 Nodes=n[5-8]\n";
	struct plan_params params = { .seed = 3, .rounds = NODES };
	struct topo topo;
	struct hb_err err;

	assert_int_equal(topo_from_slurm(text, strlen(text), "t", &topo, &err), HB_OK);
	params.topo = &topo;
	start_with(m, suite_latency, "n[1-9]", &params);
	topo_free(&topo);
}

/* 1000 within a leaf, 2000 across, 4000 with the node that hangs on none. */
static double figure_of(const struct made *m, uint64_t unit)
{
	size_t step;
	const struct plan_job *j = job_of(m, unit, &step);
	size_t a = m->plan.steps[step].rank_node[j->ranks[0]];
	size_t b = m->plan.steps[step].rank_node[j->ranks[1]];

	if (a == NODES - 1 || b == NODES - 1)
		return 4000;
	return a / LEAF_NODES == b / LEAF_NODES ? 1000 : 2000;
}

static const struct summary_row *row_of(const struct summary *s, const char *subject,
                                        const char *class)
{
	const struct summary_row *found = NULL;

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct summary_row *r = &s->rows[i];
		if (strcmp(r->subject, subject) != 0 || strcmp(r->key.class_, class) != 0 ||
		    strcmp(r->key.metric, "lat_p50_ns") != 0)
			continue;
		assert_null(found); /* one row a key and subject */
		found = r;
	}
	return found;
}

static void expect_row(const struct summary *s, const char *subject, const char *class,
                       uint64_t pairs, double value)
{
	const struct summary_row *r = row_of(s, subject, class);

	if (!r) {
		fail_msg("no row of %s %s", subject, class);
		return;
	}
	assert_int_equal(r->quality, ROW_OK);
	assert_int_equal(r->n, pairs);
	expect_near(r->value, value);
}

static void with_leaves_a_node_has_a_row_for_each_kind_of_pair(void **state)
{
	struct made m;

	(void)state;
	start_leaves(&m);
	for (uint64_t u = 1; u < m.plan.next_unit; u++)
		add_unit(&m, u, figure_of(&m, u));
	collected(&m);
	/* All pairs of nine nodes; the quarter of the eight that is best is within the leaf. */
	expect_row(&m.s, "n2", "remote", 8, 1000);
	expect_row(&m.s, "n2", "same-leaf", 3, 1000);
	expect_row(&m.s, "n2", "cross-leaf", 4, 2000);
	expect_row(&m.s, "cluster", "remote", 36, 2000);
	expect_row(&m.s, "cluster", "same-leaf", 12, 1000);
	expect_row(&m.s, "cluster", "cross-leaf", 16, 2000);
	/* Whoever hangs on no known leaf has pairs, but of neither kind. */
	expect_row(&m.s, "n9", "remote", 8, 4000);
	assert_null(row_of(&m.s, "n9", "same-leaf"));
	assert_null(row_of(&m.s, "n9", "cross-leaf"));
	/* Pairs are evidence once. */
	for (size_t i = 0; i < m.s.n_worst; i++)
		assert_string_equal(m.s.worst[i].key.class_, "remote");
	assert_int_equal(m.s.n_losses, 0);
	finish(&m);
}

static void what_is_lost_across_leaves_is_told_once_and_not_by_leaf(void **state)
{
	struct made m;

	(void)state;
	start_leaves(&m);
	for (uint64_t u = 1; u < m.plan.next_unit; u++) {
		if (figure_of(&m, u) < 1500)
			add_unit(&m, u, 1000);
		else
			add_end(&m, u, 1, UNIT_TIMEOUT, "the deadline passed");
	}
	collected(&m);
	expect_row(&m.s, "n2", "remote", 3, 1000);
	expect_row(&m.s, "n2", "same-leaf", 3, 1000);
	assert_null(row_of(&m.s, "n2", "cross-leaf"));
	assert_int_equal(row_of(&m.s, "n9", "remote")->quality, ROW_NOT_MEASURED);
	expect_loss(&m.s, "n9", UNIT_TIMEOUT, "the deadline passed");
	expect_loss(&m.s, "n1-n5", UNIT_TIMEOUT, "the deadline passed");
	finish(&m);
}

static void without_leaves_there_are_no_rows_of_leaves(void **state)
{
	struct made m;

	(void)state;
	start(&m, suite_latency, "n[1-4]", 5);
	for (uint64_t u = 1; u <= MAIN_UNITS; u++)
		add_unit(&m, u, 1000);
	collected(&m);
	for (size_t i = 0; i < m.s.n_rows; i++)
		assert_string_equal(m.s.rows[i].key.class_, "remote");
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extra_pairs_make_no_row_and_no_loss),
		cmocka_unit_test(an_extra_pair_does_not_stand_in_for_what_the_main_part_lost),
		cmocka_unit_test(with_leaves_a_node_has_a_row_for_each_kind_of_pair),
		cmocka_unit_test(what_is_lost_across_leaves_is_told_once_and_not_by_leaf),
		cmocka_unit_test(without_leaves_there_are_no_rows_of_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

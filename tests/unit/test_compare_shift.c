/* How the whole moved, and who moved against the rest. */
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
#include "harness/judge/compare_shift.h"
#include "tests/unit/rows.h"

enum { NODES_MAX = 256 };

/* One key with n nodes, and the two parts of it. */
struct site {
	struct summary s;
	struct base_entry entry;
	struct verdicts v;
	struct shifts out;
	size_t n;
};

static void begin(struct site *t, size_t n)
{
	*t = (struct site){ .n = n };
	rows_begin(&t->s, "new");
	for (size_t i = 0; i < n; i++) {
		char *name = hb_format("n%zu", i + 1);

		rows_add(&t->s, "x.a", 1024, name, 1e9);
		free(name);
	}
	t->v.rows = hb_alloc(n * sizeof(*t->v.rows));
	t->v.n = n;
	for (size_t i = 0; i < n; i++) {
		struct verdict_row *r = &t->v.rows[i];

		r->row = &t->s.rows[i];
		r->key = &r->row->key;
		r->subject = r->row->subject;
		r->entry = &t->entry;
		r->floor = 0.03;
	}
}

/* Everybody loses `whole`, and moves by noise of this spread. */
static void scatter(struct site *t, uint64_t seed, double whole, double spread)
{
	struct rng r;

	rng_stream(&r, seed, t->n, 1);
	for (size_t i = 0; i < t->n; i++)
		t->v.rows[i].loss = 1.0 - (1.0 - whole) * exp(spread * rng_normal(&r));
}

static void lose(struct site *t, size_t node, double loss)
{
	t->v.rows[node].loss = 1.0 - (1.0 - t->v.rows[node].loss) * (1.0 - loss);
}

static const struct shift *look(struct site *t)
{
	shifts_free(&t->out);
	compare_shift(&t->v, &t->out);
	return t->out.n ? &t->out.v[0] : NULL;
}

static void end(struct site *t)
{
	shifts_free(&t->out);
	free(t->v.rows);
	summary_free(&t->s);
}

static void the_whole_moves_and_one_node_moves_against_it(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 64);
	scatter(&t, 1, 0.05, 0.005);
	lose(&t, 16, 0.20);
	const struct shift *s = look(&t);
	assert_int_equal(s->n, 64);
	assert_true(s->whole);
	assert_int_equal(s->slower, 64);
	assert_true(fabs(1.0 - exp(s->shift) - 0.05) < 0.002);
	assert_true(s->lo <= s->shift && s->shift <= s->hi && s->hi < 0.0);
	assert_int_equal(s->moved, 1);
	assert_string_equal(s->nodes[0].subject, "n17");
	assert_true(fabs(1.0 - exp(s->nodes[0].rest) - 0.20) < 0.02);
	assert_true(s->nodes[0].z < -4.0);
	assert_false(t.out.alike[16]);
	assert_true(t.out.alike[0] && t.out.alike[63]);
	end(&t);
}

static void one_slow_node_does_not_move_the_whole(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 64);
	scatter(&t, 2, 0.0, 0.005);
	lose(&t, 3, 0.20);
	const struct shift *s = look(&t);
	assert_false(s->whole);
	assert_int_equal(s->moved, 1);
	assert_string_equal(s->nodes[0].subject, "n4");
	for (size_t i = 0; i < t.n; i++)
		assert_false(t.out.alike[i]);
	end(&t);
}

static void where_nothing_changed_nothing_is_said(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 64);
	scatter(&t, 3, 0.0, 0.005);
	const struct shift *s = look(&t);
	assert_false(s->whole);
	assert_int_equal(s->moved, 0);
	end(&t);
}

static void a_gain_of_the_whole_is_a_shift_and_so_is_who_did_not_take_part(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 32);
	scatter(&t, 4, -0.10, 0.004);
	lose(&t, 5, 0.10);
	const struct shift *s = look(&t);
	assert_true(s->whole && s->shift > 0.0 && s->lo > 0.0);
	assert_int_equal(s->slower, t.v.rows[5].loss > 0.0 ? 1 : 0);
	assert_int_equal(s->moved, 1);
	assert_string_equal(s->nodes[0].subject, "n6");
	assert_true(s->nodes[0].rest < 0.0);
	end(&t);
}

static void a_node_that_gained_against_the_rest_is_told_too(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 16);
	scatter(&t, 5, 0.06, 0.004);
	lose(&t, 1, -0.15);
	const struct shift *s = look(&t);
	assert_true(s->whole);
	assert_int_equal(s->moved, 1);
	assert_true(s->nodes[0].rest > 0.0 && s->nodes[0].z > 4.0);
	assert_false(t.out.alike[1]);
	end(&t);
}

static void a_shift_below_the_floor_is_none(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 64);
	scatter(&t, 6, 0.02, 0.002);
	assert_false(look(&t)->whole);
	end(&t);
}

static void few_nodes_are_shown_and_not_tested(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 7);
	scatter(&t, 7, 0.05, 0.003);
	lose(&t, 2, 0.30);
	const struct shift *s = look(&t);
	assert_true(s->whole);
	assert_int_equal(s->moved, 0);
	assert_true(isnan(s->nodes[0].z));
	assert_string_equal(s->nodes[0].subject, "n3");
	assert_true(shift_stands_out(s, &s->nodes[0]) && !shift_stands_out(s, &s->nodes[1]));
	assert_false(t.out.alike[2]);
	json_object *list = shifts_to_json(&t.out), *nodes = NULL;
	json_object_object_get_ex(json_object_array_get_idx(list, 0), "against_rest", &nodes);
	assert_int_equal(json_object_array_length(nodes), 7);
	js_put(list);
	end(&t);
}

static void below_four_nodes_there_is_no_whole(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 3);
	scatter(&t, 8, 0.20, 0.001);
	assert_null(look(&t));
	end(&t);
}

static void rows_without_a_difference_do_not_count(void **state)
{
	struct site t;

	(void)state;
	begin(&t, 5);
	scatter(&t, 9, 0.10, 0.001);
	t.v.rows[0].loss = NAN;   /* invalid, or not measured */
	t.v.rows[1].entry = NULL; /* only in the new side */
	assert_null(look(&t));
	t.v.rows[1].entry = &t.entry;
	assert_int_equal(look(&t)->n, 4);
	assert_false(t.out.alike[0]);
	end(&t);
}

/* Sweeps in which nothing changed but a node is said to have moved, and those with a false shift.
 */
static void false_alarms(size_t n, double spread, unsigned sweeps, double *moved, double *whole)
{
	struct site t;

	*moved = *whole = 0.0;
	begin(&t, n);
	for (unsigned k = 0; k < sweeps; k++) {
		scatter(&t, 1000 + k, 0.0, spread);
		const struct shift *s = look(&t);
		*moved += s->moved > 0;
		*whole += s->whole;
	}
	*moved /= sweeps;
	*whole /= sweeps;
	end(&t);
}

static void false_alarms_are_rare(void **state)
{
	static const size_t sizes[] = { 8, 16, 64, 256 };
	static const double spreads[] = { 0.003, 0.005, 0.007, 0.01, 0.02 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 5; k++) {
			unsigned sweeps = sizes[i] > 64 ? 1000 : 4000;
			double moved, whole;

			false_alarms(sizes[i], spreads[k], sweeps, &moved, &whole);
			printf("%3zu nodes, differences scatter %.1f %%: a node wrongly in %.2f %% "
			       "of "
			       "%u sweeps, the whole in %.2f %%\n",
			       sizes[i], 100 * spreads[k], 100 * moved, sweeps, 100 * whole);
			/* With 1.5 standard deviations of the estimate above what was seen. */
			assert_true(moved <= (sizes[i] > 64 ? 0.04 : 0.018));
			assert_true(whole <= 0.001);
		}
	}
}

static void a_node_that_lost_five_percent_more_is_found(void **state)
{
	static const size_t sizes[] = { 8, 16, 64 };
	enum { SWEEPS = 1000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct site t;
		unsigned n = 0;

		begin(&t, sizes[i]);
		for (unsigned k = 0; k < SWEEPS; k++) {
			scatter(&t, 9000 + k, 0.04, 0.005);
			lose(&t, 1, 0.05);
			const struct shift *s = look(&t);
			n += s->moved && strcmp(s->nodes[0].subject, "n2") == 0;
		}
		end(&t);
		printf("%zu nodes, scatter 0.5 %%: 5 %% more is found in %.1f %% of %d sweeps\n",
		       sizes[i], 100.0 * n / SWEEPS, (int)SWEEPS);
		assert_true(n >= (sizes[i] > 8 ? 0.98 : 0.75) * SWEEPS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_moves_and_one_node_moves_against_it),
		cmocka_unit_test(one_slow_node_does_not_move_the_whole),
		cmocka_unit_test(where_nothing_changed_nothing_is_said),
		cmocka_unit_test(a_gain_of_the_whole_is_a_shift_and_so_is_who_did_not_take_part),
		cmocka_unit_test(a_node_that_gained_against_the_rest_is_told_too),
		cmocka_unit_test(a_shift_below_the_floor_is_none),
		cmocka_unit_test(few_nodes_are_shown_and_not_tested),
		cmocka_unit_test(below_four_nodes_there_is_no_whole),
		cmocka_unit_test(rows_without_a_difference_do_not_count),
		cmocka_unit_test(false_alarms_are_rare),
		cmocka_unit_test(a_node_that_lost_five_percent_more_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

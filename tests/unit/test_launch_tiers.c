/* Through whom nobody comes out of start-up: the search alone, without processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/launch/tiers.h"

enum { NODES_MAX = 64, STARTS_MAX = 100 };

struct world {
	size_t rank_node[NODES_MAX];
	struct plan_step step;
	struct tiers t;
	bool bad[NODES_MAX]; /* who starts with one of them does not come out */
	bool pairs_only;     /* together they do not come out, whoever they are */
	int starts, probes;
	enum tiers_found last;
};

static void begin(struct world *w, int nodes)
{
	*w = (struct world){ .step = { .n_ranks = nodes, .rpn = 1 } };
	for (int i = 0; i < nodes; i++)
		w->rank_node[i] = (size_t)i;
	w->step.rank_node = w->rank_node;
	tiers_init(&w->t, &w->step, (size_t)nodes);
}

static bool hangs(const struct world *w)
{
	size_t n = 0;
	bool bad = false;

	for (size_t i = 0; i < w->t.n; i++) {
		bool in = !w->t.lost[i] && tiers_in_probe(&w->t, i);

		n += in;
		bad = bad || (in && w->bad[i]);
	}
	assert_true(n >= 2);
	return bad || w->pairs_only;
}

/* Starts until they come out, or nobody starts them again. True: they came out. */
static bool play(struct world *w)
{
	size_t node;

	for (; w->starts + w->probes < STARTS_MAX;) {
		if (w->t.searches) {
			w->probes++;
			w->last = tiers_probed(&w->t, hangs(w) ? PROBE_HANGS : PROBE_CAME, &node);
			if (w->last == TIERS_ALL ||
			    (w->last != TIERS_SEARCH_ON && !tiers_may_start(&w->t)))
				return false;
			continue;
		}
		w->starts++;
		tiers_started(&w->t);
		if (!hangs(w))
			return true;
		tiers_ended(&w->t, false);
		if (!tiers_search(&w->t))
			return false;
	}
	fail_msg("no end of starts");
	return false;
}

/* Nobody is out but those. */
static void assert_lost(const struct world *w)
{
	for (size_t i = 0; i < w->t.n; i++)
		if (w->t.lost[i] && !w->bad[i])
			fail_msg("node %zu of %zu was named and is good", i, w->t.n);
}

static void whoever_it_is_it_is_found_and_nobody_else(void **state)
{
	(void)state;
	for (int n = 3; n <= 33; n++)
		for (int bad = 0; bad < n; bad++) {
			struct world w;
			int log2 = 0;

			while (1 << log2 < n)
				log2++;
			begin(&w, n);
			w.bad[bad] = true;
			assert_true(play(&w));
			assert_lost(&w);
			assert_true(w.t.lost[bad]);
			assert_int_equal(w.starts, 2);
			assert_true(w.probes <= log2 + 2);
			tiers_free(&w.t);
		}
}

static void where_no_two_nodes_come_out_nobody_is_named(void **state)
{
	(void)state;
	for (int n = 3; n <= 33; n++) {
		struct world w;

		begin(&w, n);
		w.pairs_only = true;
		assert_false(play(&w));
		assert_lost(&w);
		assert_int_equal(w.last, TIERS_ALL);
		assert_int_equal(w.starts, 1);
		assert_int_equal(w.probes, 3);
		tiers_free(&w.t);
	}
}

static void of_two_bad_nodes_no_good_one_is_named(void **state)
{
	int whole = 0, all = 0;

	(void)state;
	for (int a = 0; a < 12; a++)
		for (int b = 0; b < a; b++) {
			struct world w;

			begin(&w, 12);
			w.bad[a] = w.bad[b] = true;
			whole += play(&w);
			all++;
			assert_lost(&w);
			tiers_free(&w.t);
		}
	/* Two of the first three pairs may have one each, never all three. */
	assert_int_equal(whole, all);
}

/* The launcher failed, or not all processes ran: nothing is known of these nodes. */
static void a_probe_that_says_nothing_is_tried_once_more_and_names_nobody(void **state)
{
	struct world w;
	size_t node = 99;

	(void)state;
	begin(&w, 8);
	tiers_started(&w.t);
	assert_true(tiers_search(&w.t));
	assert_int_equal(tiers_probed(&w.t, PROBE_CAME, &node), TIERS_SEARCH_ON);
	size_t first = w.t.ask[0], n = w.t.n_probed;
	assert_int_equal(tiers_probed(&w.t, PROBE_VOID, &node), TIERS_SEARCH_ON);
	assert_int_equal(w.t.ask[0], first);
	assert_int_equal(w.t.n_probed, n);
	assert_int_equal(tiers_probed(&w.t, PROBE_VOID, &node), TIERS_NOBODY);
	assert_int_equal(node, 99);
	assert_lost(&w);
	/* All are started once more, and there is no other search. */
	assert_true(tiers_may_start(&w.t));
	assert_false(tiers_search(&w.t));
	tiers_free(&w.t);
}

static void a_hang_of_the_moment_names_nobody(void **state)
{
	struct world w;
	size_t node = 99;
	enum tiers_found f = TIERS_SEARCH_ON;

	(void)state;
	begin(&w, 16);
	tiers_started(&w.t);
	assert_true(tiers_search(&w.t));
	while (f == TIERS_SEARCH_ON)
		f = tiers_probed(&w.t, PROBE_CAME, &node);
	assert_int_equal(f, TIERS_NOBODY);
	assert_lost(&w);
	assert_true(tiers_may_start(&w.t));
	tiers_free(&w.t);
}

static void starts_end_whatever_is_learned(void **state)
{
	struct world w;
	int starts = 0;

	(void)state;
	begin(&w, 64);
	for (; tiers_may_start(&w.t) && starts < STARTS_MAX; starts++) {
		tiers_started(&w.t);
		tiers_hung(&w.t);
		tiers_ended(&w.t, false);
	}
	assert_int_equal(starts, 2 + 1 + 6);
	tiers_free(&w.t);
	/* A node that is named earns one more; nobody came three times is the end. */
	begin(&w, 64);
	for (size_t i = 0; i < 64; i++)
		tiers_lost(&w.t, i);
	for (starts = 0; tiers_may_start(&w.t) && starts < STARTS_MAX; starts++) {
		tiers_started(&w.t);
		tiers_ended(&w.t, true);
	}
	assert_int_equal(starts, 3);
	tiers_free(&w.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_it_is_it_is_found_and_nobody_else),
		cmocka_unit_test(where_no_two_nodes_come_out_nobody_is_named),
		cmocka_unit_test(of_two_bad_nodes_no_good_one_is_named),
		cmocka_unit_test(a_probe_that_says_nothing_is_tried_once_more_and_names_nobody),
		cmocka_unit_test(a_hang_of_the_moment_names_nobody),
		cmocka_unit_test(starts_end_whatever_is_learned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

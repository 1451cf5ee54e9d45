/* New nodes and controls, stars; extra pairs and groups that join a plan; all of it in plan.json.
 */
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
#define WITH_GROUPS                                                                                \
	SUITE("{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}},"                         \
	      "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"},\"groups\":[2,8,"        \
	      "\"all\"]}")
enum { MANY = 64 };

/* n[1-n], the last `controls` of them known to be good. */
static void make_star(struct made *m, int n, int controls, const struct plan_params *how)
{
	struct plan_params p = *how;
	struct nodeset good = { 0 };
	struct hb_err err = { HB_OK, "" };
	char nodes[32], text[32];
	snprintf(nodes, sizeof nodes, "n[1-%d]", n);
	snprintf(text, sizeof text, "n[%d-%d]", n - controls + 1, n);
	assert_int_equal(nodeset_parse(text, &good, &err), HB_OK);
	p.controls = &good;
	make_plan_with(m, LATENCY, nodes, &p);
	nodeset_free(&good);
	check_plan(&m->plan);
}

struct met {
	int new_new, star[MANY], all[MANY], rounds;
};

static void look(const struct plan *p, struct met *out)
{
	unsigned char seen[MANY][MANY] = { 0 };
	int last[MANY] = { 0 };
	*out = (struct met){ 0 };
	for (size_t i = 0; i < p->steps[0].n_jobs; i++) {
		const struct plan_job *j = &p->steps[0].jobs[i];
		int a = j->ranks[0], b = j->ranks[1], r = (int)j->round + 1;
		bool star = p->role[a] != p->role[b];
		assert_false(seen[a][b]++ || seen[b][a]++);
		assert_true(last[a] < r && last[b] < r);
		last[a] = last[b] = r;
		out->new_new += p->role[a] == ROLE_NEW && p->role[b] == ROLE_NEW;
		out->star[a] += star;
		out->star[b] += star;
		out->all[a]++;
		out->all[b]++;
		out->rounds = r > out->rounds ? r : out->rounds;
	}
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static void each_new_node_meets_as_many_controls_as_there_are_rounds(void **state)
{
	(void)state;
	for (int controls = 1; controls <= 9; controls++) {
		for (int fresh = 1; fresh <= 20; fresh++) {
			int k = 1 + (fresh + controls) % 7, own = least(k, controls);
			int batches = (fresh + controls - 1) / controls;
			const struct plan_params p = { .seed = (uint64_t)fresh,
				                       .rounds = k,
				                       .shape = SHAPE_STAR };
			struct made m;
			struct met met;
			make_star(&m, fresh + controls, controls, &p);
			look(&m.plan, &met);
			assert_int_equal(met.new_new, 0);
			assert_int_equal(met.rounds, own * batches);
			for (int i = 0; i < fresh; i++)
				assert_int_equal(met.all[i], own);
			drop(&m);
		}
	}
}

static void after_the_star_all_nodes_meet_each_other(void **state)
{
	(void)state;
	for (int controls = 2; controls <= 6; controls += 2) {
		for (int fresh = 5; fresh <= 20; fresh += 5) {
			for (int k = 1; k <= 3; k++) {
				const struct plan_params p = { .seed = 3,
					                       .rounds = k,
					                       .shape = SHAPE_STAR_AND_ROUNDS };
				int n = fresh + controls;
				struct made m;
				struct met met;
				make_star(&m, n, controls, &p);
				look(&m.plan, &met);
				for (int i = 0; i < fresh; i++) {
					int want = least(least(k, controls) + k, n - 1);
					assert_in_range(met.star[i], least(k, controls), controls);
					assert_in_range(met.all[i], want - 1, want + 1);
				}
				drop(&m);
			}
		}
	}
}

static void all_pairs_of_both_shapes_are_all_pairs_once(void **state)
{
	const struct plan_params p = { .seed = 3, .shape = SHAPE_STAR_AND_ROUNDS };
	struct made m;
	struct met met;
	(void)state;
	make_star(&m, 11, 3, &p);
	look(&m.plan, &met);
	assert_int_equal(m.plan.steps[0].n_jobs, 55);
	drop(&m);
}

static void a_star_meets_controls_of_its_own_hardware_class(void **state)
{
	const char *hw[10] = { "A", "B", "C", "A", "B", "A", "A", "B", "A", "B" };
	const struct plan_params p = { .seed = 3, .rounds = 2, .shape = SHAPE_STAR, .hw = hw };
	struct made m;
	struct met met;
	(void)state;
	make_star(&m, 10, 5, &p);
	look(&m.plan, &met);
	for (int i = 0; i < 5; i++)
		assert_int_equal(met.all[i], 2); /* n3, alone in its class, meets others */
	for (size_t i = 0; i < m.plan.steps[0].n_jobs; i++) {
		const int *r = m.plan.steps[0].jobs[i].ranks;
		assert_true(hw[r[0]] == hw[r[1]] || r[0] == 2 || r[1] == 2);
	}
	drop(&m);
}

static void a_star_without_controls_or_new_nodes_is_refused(void **state)
{
	struct nodeset good = { 0 };
	struct plan_params p = { .seed = 1, .shape = SHAPE_STAR };
	struct made m;
	struct hb_err err = { HB_OK, "" };
	(void)state;
	assert_int_equal(try_plan_with(&m, LATENCY, "n[1-4]", &p, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "--controls"));
	drop(&m);
	p.controls = &good;
	assert_int_equal(nodeset_parse("n[5-6]", &good, &err), HB_OK);
	assert_int_equal(try_plan_with(&m, LATENCY, "n[1-4]", &p, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "none of the controls"));
	drop(&m);
	assert_int_equal(try_plan_with(&m, LATENCY, "n[5-6]", &p, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "every node is a control"));
	drop(&m);
	nodeset_free(&good);
}

static void extra_pairs_come_in_disjoint_rounds_and_those_alone_last(void **state)
{
	static const struct plan_extra v[] = { { 0, 1, false }, { 0, 2, true },  { 0, 3, false },
		                               { 2, 3, false }, { 4, 5, false }, { 1, 2, false } };
	const struct plan_params p = { .seed = 1, .rounds = 1, .own = "n6" };
	struct hb_err err = { HB_OK, "" };
	struct made m;
	(void)state;
	make_plan_with(&m, LATENCY, "n[1-6]", &p);
	size_t from = m.plan.n_steps;
	double before = m.plan.predicted_s;
	assert_int_equal(plan_add_extra(&m.plan, from, "mpi.latency", v, 6, &err), HB_OK);
	assert_int_equal(m.plan.n_steps, from + 1);
	assert_true(m.plan.predicted_s > before);
	check_plan(&m.plan);
	const struct plan_step *s = &m.plan.steps[from];
	int last[6] = { 0 };
	bool alone = false;
	assert_int_equal(s->n_jobs, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct plan_job *j = &s->jobs[i];
		assert_int_equal(j->phase, PHASE_EXTRA);
		assert_true(!alone || j->alone);
		alone = alone || j->alone;
		for (int k = 0; k < 2; k++) {
			assert_true(last[j->ranks[k]] <= (int)j->round);
			last[j->ranks[k]] = (int)j->round + 1;
		}
		/* Those of the node that hpcbench runs on are alone too. */
		assert_int_equal(j->alone,
		                 j->ranks[0] == 4 || (j->ranks[0] == 0 && j->ranks[1] == 2));
	}
	/* More of them join the step, in rounds of their own. */
	int64_t round = s->jobs[5].round;
	assert_int_equal(plan_add_extra(&m.plan, from, "mpi.latency", v, 1, &err), HB_OK);
	assert_int_equal(m.plan.n_steps, from + 1);
	assert_int_equal(m.plan.steps[from].n_jobs, 7);
	assert_true(m.plan.steps[from].jobs[6].round > round);
	/* What cannot be leaves the plan as it was. */
	uint64_t units = m.plan.next_unit;
	const struct plan_extra self = { 1, 1, false };
	assert_int_equal(plan_add_extra(&m.plan, from, "mpi.bandwidth", v, 1, &err), HB_E_USAGE);
	assert_int_equal(plan_add_extra(&m.plan, from, "mpi.latency", &self, 1, &err), HB_E_USAGE);
	assert_int_equal(m.plan.next_unit, units);
	drop(&m);
}

static void groups_that_were_held_back_are_made_of_the_good_nodes(void **state)
{
	const struct plan_params p = { .seed = 1, .rounds = 2, .hold_groups = true };
	struct hb_err err = { HB_OK, "" };
	bool in[6] = { true, false, true, true, false, true };
	struct made m;
	(void)state;
	make_plan_with(&m, WITH_GROUPS, "n[1-6]", &p);
	assert_true(plan_groups_held(&m.plan));
	assert_int_equal(m.plan.n_steps, 1);
	assert_int_equal(plan_add_groups(&m.plan, in, &err), HB_OK);
	assert_false(plan_groups_held(&m.plan));
	assert_int_equal(m.plan.n_steps, 2);
	check_plan(&m.plan);
	const struct plan_step *s = &m.plan.steps[1];
	assert_int_equal(s->n_ranks, 4);
	assert_int_equal(s->n_jobs, 3); /* two pairs of nodes, and all four */
	for (int r = 0; r < 4; r++)
		assert_true(in[s->rank_node[r]]);
	assert_int_equal(s->jobs[2].n_ranks, 4);
	drop(&m);

	const bool one[6] = { true };
	make_plan_with(&m, WITH_GROUPS, "n[1-6]", &p);
	assert_int_equal(plan_add_groups(&m.plan, one, &err), HB_OK);
	assert_int_equal(m.plan.n_steps, 1);
	drop(&m);
}

static json_object *written(const struct plan *p)
{
	struct buf b = BUF_INIT;
	json_object *o = plan_to_json(p), *again = NULL;
	struct hb_err err;
	js_write(o, JS_PLAIN, &b);
	js_put(o);
	assert_int_equal(js_parse(b.data, b.len, "plan", &again, &err), HB_OK);
	buf_free(&b);
	return again;
}

static void leaves_roles_and_shape_are_read_back(void **state)
{
	static const char text[] = "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-5],x\n";
	struct topo topo;
	struct hb_err err = { HB_OK, "" };
	struct made m;
	struct suite suite;
	struct plan again;
	(void)state;
	assert_int_equal(topo_from_slurm(text, sizeof text - 1, "file", &topo, &err), HB_OK);
	topo.routing = TOPO_STATIC;
	const struct plan_params p = { .seed = 1, .rounds = 2, .shape = SHAPE_STAR, .topo = &topo };
	make_star(&m, 6, 2, &p);
	json_object *o = written(&m.plan);
	assert_int_equal(plan_from_json(o, "plan", &suite, &again, &err), HB_OK);
	assert_int_equal(again.shape, SHAPE_STAR);
	assert_int_equal(again.topo.routing, TOPO_STATIC);
	assert_string_equal(again.topo.source, "file");
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(again.leaf_of[i], i < 3 ? 0 : i < 5 ? 1 : TOPO_NO_LEAF);
		assert_int_equal(again.role[i], i < 4 ? ROLE_NEW : ROLE_CONTROL);
	}
	plan_free(&again);
	suite_free(&suite);

	static const struct {
		const char *key, *value;
	} wrong[] = {
		{ "shape", "\"ring\"" },
		{ "roles", "{\"new\":\"n[1-99]\"}" },
		{ "roles", "{\"new\":\"n1\",\"control\":\"n1\"}" },
		{ "roles", "{\"chief\":\"n1\"}" },
		{ "roles", "[]" },
		{ "topology", "{\"schema\":1,\"leaves\":{\"a\":\"n1\",\"b\":\"n1\"}}" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		json_object *v = NULL, *bad = written(&m.plan);
		assert_int_equal(js_parse(wrong[i].value, strlen(wrong[i].value), "v", &v, &err),
		                 HB_OK);
		js_set_obj(bad, wrong[i].key, v);
		assert_int_equal(plan_from_json(bad, "plan", &suite, &again, &err), HB_E_FORMAT);
		js_put(bad);
	}
	js_put(o);
	drop(&m);
	topo_free(&topo);
}

static void joined_plans_have_the_leaves_and_roles_of_all(void **state)
{
	static const char text[] = "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-8]\n";
	static const char *const names[] = { "one", "two" }, *const nodes[] = { "n[1-4]",
		                                                                "n[5-8]" };
	struct topo topo;
	struct hb_err err = { HB_OK, "" };
	struct made m[2];
	struct plan all;
	struct plan_part parts[2];
	(void)state;
	assert_int_equal(topo_from_slurm(text, sizeof text - 1, "file", &topo, &err), HB_OK);
	for (int i = 0; i < 2; i++) {
		const struct plan_params p = { .seed = 1, .rounds = 1, .topo = &topo };
		make_plan_with(&m[i], LATENCY, nodes[i], &p);
	}
	struct plan *plans[] = { &m[0].plan, &m[1].plan };
	assert_int_equal(plan_join(plans, names, 2, &all, parts, &err), HB_OK);
	assert_int_equal(all.topo.n_leaves, 2);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(all.leaf_of[i], i < 3 ? 0 : 1);
	assert_int_equal(all.topo.leaves[1].nodes.n, 5);
	plan_free(&all);
	for (int i = 0; i < 2; i++)
		drop(&m[i]);
	topo_free(&topo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_new_node_meets_as_many_controls_as_there_are_rounds),
		cmocka_unit_test(after_the_star_all_nodes_meet_each_other),
		cmocka_unit_test(all_pairs_of_both_shapes_are_all_pairs_once),
		cmocka_unit_test(a_star_meets_controls_of_its_own_hardware_class),
		cmocka_unit_test(a_star_without_controls_or_new_nodes_is_refused),
		cmocka_unit_test(extra_pairs_come_in_disjoint_rounds_and_those_alone_last),
		cmocka_unit_test(groups_that_were_held_back_are_made_of_the_good_nodes),
		cmocka_unit_test(leaves_roles_and_shape_are_read_back),
		cmocka_unit_test(joined_plans_have_the_leaves_and_roles_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

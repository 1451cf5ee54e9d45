/* The cluster model: reproducible, as spread and correlated as its file says, faults where named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/stat.h"
#include "bench/sim/model.h"

static int read_model(const char *text, struct sim_model *m, struct hb_err *err)
{
	json_object *o = NULL;
	int rc;

	assert_int_equal(js_parse(text, strlen(text), "test", &o, err), HB_OK);
	rc = sim_model_from_json(o, "model.json", m, err);
	js_put(o);
	return rc;
}

static void good(const char *text, struct sim_model *m)
{
	struct hb_err err = { 0 };

	if (read_model(text, m, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static void near(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fabs(b)))
		fail_msg("%.12g, not %.12g", a, b);
}

static double at(const struct sim_model *m, uint64_t run, const char *bench, uint64_t bytes,
                 const char *a, const char *b, int repeat)
{
	const struct sim_what w = {
		.run = run, .bench = bench, .bytes = bytes, .a = a, .b = b, .repeat = repeat
	};

	return sim_time_ns(m, &w);
}

/* The n-th measurement of a pair in run 1. */
static double nth(const struct sim_model *m, const char *a, const char *b, uint64_t n)
{
	const struct sim_what w = {
		.run = 1, .bench = "x", .bytes = 8, .a = a, .b = b, .occasion = sim_occasion(n, 1)
	};

	return sim_time_ns(m, &w);
}

static double group(const struct sim_model *m, const char *bench, const char *const *nodes,
                    size_t n)
{
	const struct sim_what w = { .run = 1, .bench = bench, .bytes = 8 };

	return sim_group_time_ns(m, &w, nodes, n);
}

static void the_same_question_has_the_same_answer(void **state)
{
	struct sim_model a, b;
	double x;

	(void)state;
	good("{\"schema\":1,\"seed\":7}", &a);
	good("{\"schema\":1,\"seed\":7}", &b);
	x = at(&a, 3, "mpi.latency", 8, "n1", "n2", 0);
	at(&b, 9, "mpi.latency", 64, "n5", NULL, 2);
	near(at(&b, 3, "mpi.latency", 8, "n1", "n2", 0), x, 0.0);
	near(at(&b, 3, "mpi.latency", 8, "n2", "n1", 0), x, 1e-12);
	assert_true(fabs(at(&a, 4, "mpi.latency", 8, "n1", "n2", 0) - x) > 0.0);
	assert_true(fabs(at(&a, 3, "mpi.latency", 8, "n1", "n2", 1) - x) > 0.0);
	sim_model_free(&a);
	sim_model_free(&b);
}

static void a_still_model_shows_its_base_figures(void **state)
{
	static const char text[] =
	        "{\"schema\":1,\"node_spread\":0,\"run_spread\":0,\"noise\":0,"
	        "\"benches\":{\"x.y\":{\"latency_ns\":1000,\"bandwidth_Bps\":2e9}}}";
	struct sim_model m;
	struct rng r;

	(void)state;
	good(text, &m);
	rng_seed(&r, 1);
	near(at(&m, 1, "x.y", 0, "n1", NULL, 0), 1000.0, 1e-12);
	near(at(&m, 1, "x.y", 2000, "n1", "n2", 0), 2000.0, 1e-12);
	near(sim_sample_ns(&m, 5.0, &r), 5.0, 1e-12);
	sim_model_free(&m);
}

static void spread_and_correlation_are_as_asked(void **state)
{
	static const char text[] = "{\"schema\":1,\"node_spread\":0,\"run_spread\":0.02,"
	                           "\"size_correlation\":0.8,\"subject_correlation\":0.5}";
	enum { RUNS = 4000 };
	static double a[RUNS], b[RUNS], c[RUNS];
	struct sim_model m;

	(void)state;
	good(text, &m);
	for (uint64_t t = 0; t < RUNS; t++) {
		a[t] = log(at(&m, t, "x", 8, "n1", NULL, 0));
		b[t] = log(at(&m, t, "x", 64, "n1", NULL, 0));
		c[t] = log(at(&m, t, "x", 8, "n2", NULL, 0));
	}
	/* Fixed seeds; the bounds are some five standard errors wide. */
	near(stat_sd(a, RUNS), 0.02, 0.06);
	near(stat_correlation(a, b, RUNS), 0.8, 0.05);
	near(stat_correlation(a, c, RUNS), 0.5, 0.15);
	sim_model_free(&m);
}

static void faults_hit_whom_they_name_and_nobody_else(void **state)
{
	static const char text[] =
	        "{\"schema\":1,\"node_spread\":0,\"run_spread\":0,\"faults\":["
	        "{\"kind\":\"slow-node\",\"node\":\"n1\",\"factor\":2,\"bench\":\"x.a\"},"
	        "{\"kind\":\"slow-link\",\"a\":\"n2\",\"b\":\"n3\",\"factor\":3},"
	        "{\"kind\":\"silent-rank\",\"rank\":4,\"after\":2},"
	        "{\"kind\":\"wrong-data\",\"node\":\"n5\",\"bench\":\"x.a\"}]}";
	struct sim_model m;
	double quiet;

	(void)state;
	good(text, &m);
	quiet = at(&m, 1, "x.a", 8, "n4", NULL, 0);
	near(at(&m, 1, "x.a", 8, "n1", NULL, 0), 2.0 * quiet, 1e-12);
	near(at(&m, 1, "x.b", 8, "n1", NULL, 0), quiet, 1e-12);
	near(at(&m, 1, "x.a", 8, "n3", "n2", 0), 3.0 * quiet, 1e-12);
	near(at(&m, 1, "x.a", 8, "n3", "n4", 0), quiet, 1e-12);
	near(group(&m, "x.a", (const char *const[]){ "n4", "n1", "n3" }, 3), 2.0 * quiet, 1e-12);
	assert_null(sim_fault_find(&m, SIM_SILENT_RANK, "n1", 4, "x.a", 1));
	assert_non_null(sim_fault_find(&m, SIM_SILENT_RANK, "n1", 4, "x.a", 2));
	assert_null(sim_fault_find(&m, SIM_SILENT_RANK, "n1", 3, "x.a", 2));
	assert_non_null(sim_fault_find(&m, SIM_WRONG_DATA, "n5", -1, "x.a", 0));
	assert_null(sim_fault_find(&m, SIM_WRONG_DATA, "n5", -1, "x.b", 0));
	assert_null(sim_fault_find(&m, SIM_WRONG_DATA, "n6", -1, "x.a", 0));
	assert_null(sim_fault_find(&m, SIM_DEAD_NODE, "n5", 4, "x.a", 9));
	sim_model_free(&m);
}

static void a_fault_with_a_direction_hits_the_sender_or_the_receiver(void **state)
{
	static const char text[] =
	        "{\"schema\":1,\"node_spread\":0,\"run_spread\":0,\"faults\":["
	        "{\"kind\":\"slow-node\",\"node\":\"n1\",\"factor\":2,\"dir\":\"out\"},"
	        "{\"kind\":\"slow-node\",\"node\":\"n2\",\"factor\":3,\"dir\":\"in\"}]}";
	struct sim_model m;
	double quiet;

	(void)state;
	good(text, &m);
	quiet = at(&m, 1, "x", 8, "n3", "n4", 0);
	near(at(&m, 1, "x", 8, "n1", "n3", 0), 2.0 * quiet, 1e-9);
	near(at(&m, 1, "x", 8, "n3", "n1", 0), quiet, 1e-9);
	near(at(&m, 1, "x", 8, "n2", "n3", 0), quiet, 1e-9);
	near(at(&m, 1, "x", 8, "n3", "n2", 0), 3.0 * quiet, 1e-9);
	near(at(&m, 1, "x", 8, "n1", NULL, 0), at(&m, 1, "x", 8, "n3", NULL, 0), 1e-12);
	sim_model_free(&m);
}

static void nodes_may_have_a_class_of_their_own(void **state)
{
	struct sim_model m;

	(void)state;
	good("{\"schema\":1,\"hw\":\"big\",\"node_hw\":{\"n3\":\"small\"}}", &m);
	assert_string_equal(sim_node_hw(&m, "n3"), "small");
	assert_string_equal(sim_node_hw(&m, "n4"), "big");
	sim_model_free(&m);
}

static void each_measurement_of_a_pair_draws_its_own_noise(void **state)
{
	static const char text[] = "{\"schema\":1,\"run_spread\":0,\"pair_noise\":0.02}";
	enum { TIMES = 4000 };
	static double ab[TIMES], other[TIMES];
	struct sim_model m;

	(void)state;
	good(text, &m);
	for (uint64_t t = 0; t < TIMES; t++) {
		ab[t] = log(nth(&m, "n1", "n2", t));
		other[t] = log(nth(&m, "n1", "n3", t));
		near(nth(&m, "n2", "n1", t), exp(ab[t]), 1e-9);
	}
	near(stat_sd(ab, TIMES), 0.02, 0.06);
	if (!(fabs(stat_correlation(ab, other, TIMES)) < 0.08))
		fail_msg("pairs drew together: %g", stat_correlation(ab, other, TIMES));
	near(nth(&m, "n1", NULL, 3), nth(&m, "n1", NULL, 4), 0.0);
	/* Lasting effects stay: the mean is that of the quiet pair. */
	m.pair_noise = 0;
	near(exp(stat_mean(ab, TIMES)), nth(&m, "n1", "n2", 0), 0.002);
	sim_model_free(&m);
}

static void dips_come_as_often_and_as_deep_as_asked(void **state)
{
	static const char text[] = "{\"schema\":1,\"node_spread\":0,\"run_spread\":0,"
	                           "\"dips\":{\"rate\":0.1,\"low\":0.05,\"high\":0.25}}";
	enum { TIMES = 20000 };
	struct sim_model m;
	double quiet, least = 1, most = 0, sum = 0;
	size_t n = 0;

	(void)state;
	good(text, &m);
	m.dips.rate = 0;
	quiet = nth(&m, "n1", "n2", 0);
	m.dips.rate = 0.1;
	for (uint64_t t = 0; t < TIMES; t++) {
		double drop = 1 - quiet / nth(&m, "n1", "n2", t);
		if (drop < 1e-9)
			continue;
		n++;
		sum += drop;
		least = fmin(least, drop);
		most = fmax(most, drop);
	}
	near((double)n / TIMES, 0.1, 0.1);
	near(sum / (double)n, 0.15, 0.03);
	assert_true(least >= 0.05 - 1e-9 && most <= 0.25 + 1e-9 && most - least > 0.19);
	sim_model_free(&m);
}

#define LEAVES "\"leaves\":{\"sw1\":\"n[1-2]\",\"sw2\":\"n[3-4,10]\"}"
#define STILL  "{\"schema\":1,\"node_spread\":0,\"run_spread\":0,\"rail_spread\":0,"

static void a_slow_leaf_hits_only_what_crosses_out_of_it(void **state)
{
	struct sim_model m;
	double quiet;

	(void)state;
	good(STILL LEAVES ",\"faults\":[{\"kind\":\"slow-leaf\",\"leaf\":\"sw2\",\"factor\":2}]}",
	     &m);
	quiet = nth(&m, "n1", "n2", 0);
	assert_int_equal(sim_leaf_of(&m, "n10"), sim_leaf_of(&m, "n3/rail0"));
	assert_true(sim_leaf_of(&m, "n5") == SIM_NO_LEAF);
	near(nth(&m, "n3", "n10", 0), quiet, 1e-12);
	near(nth(&m, "n1", "n3", 0), 2 * quiet, 1e-12);
	near(nth(&m, "n10", "n2", 0), 2 * quiet, 1e-12);
	near(nth(&m, "n5", "n4", 0), 2 * quiet, 1e-12);
	near(nth(&m, "n1", "n5", 0), quiet, 1e-12);
	quiet = nth(&m, "n3", NULL, 0);
	near(group(&m, "x", (const char *const[]){ "n3", "n4", "n10" }, 3), quiet, 1e-12);
	near(group(&m, "x", (const char *const[]){ "n1", "n3", "n4" }, 3), 2 * quiet, 1e-12);
	sim_model_free(&m);
	good(STILL LEAVES
	     ",\"cross_leaf\":1.5,\"faults\":["
	     "{\"kind\":\"slow-leaf\",\"leaf\":\"sw2\",\"factor\":2,\"dir\":\"out\"}]}",
	     &m);
	quiet = nth(&m, "n1", "n2", 0);
	near(nth(&m, "n3", "n1", 0), 3 * quiet, 1e-12);
	near(nth(&m, "n1", "n3", 0), 1.5 * quiet, 1e-12);
	sim_model_free(&m);
}

static void a_slow_link_may_be_slow_in_one_direction(void **state)
{
	struct sim_model m;
	double quiet;

	(void)state;
	good(STILL "\"faults\":[{\"kind\":\"slow-link\",\"a\":\"n1\",\"b\":\"n2\","
	           "\"factor\":2,\"dir\":\"ba\"}]}",
	     &m);
	quiet = nth(&m, "n1", "n3", 0);
	near(nth(&m, "n1", "n2", 0), quiet, 1e-12);
	near(nth(&m, "n2", "n1", 0), 2 * quiet, 1e-12);
	sim_model_free(&m);
}

static void a_slow_rail_hits_its_devices_on_all_nodes(void **state)
{
	struct sim_model m;
	double quiet;

	(void)state;
	good(STILL "\"rails\":2,\"node_hw\":{\"n1\":\"old\"},\"faults\":["
	           "{\"kind\":\"slow-rail\",\"rail\":1,\"factor\":2,\"bench\":\"x\"},"
	           "{\"kind\":\"slow-node\",\"node\":\"n4\",\"factor\":3},"
	           "{\"kind\":\"slow-node\",\"node\":\"n5/rail0\",\"factor\":5}]}",
	     &m);
	quiet = nth(&m, "n1", NULL, 0);
	near(nth(&m, "n1/rail1", NULL, 0), 2 * quiet, 1e-12);
	near(nth(&m, "n2/rail1", NULL, 0), 2 * quiet, 1e-12);
	near(nth(&m, "n1/rail0", NULL, 0), quiet, 1e-12);
	near(nth(&m, "n4/rail0", NULL, 0), 3 * quiet, 1e-12);
	near(nth(&m, "n40", NULL, 0), quiet, 1e-12);
	near(nth(&m, "n5/rail0", NULL, 0), 5 * quiet, 1e-12);
	near(nth(&m, "n5", NULL, 0), quiet, 1e-12);
	near(at(&m, 1, "y", 8, "n2/rail1", NULL, 0), quiet, 1e-12);
	assert_string_equal(sim_node_hw(&m, "n1/rail1"), "old");
	sim_model_free(&m);
}

static void every_device_has_an_effect_beside_its_nodes(void **state)
{
	enum { NODES = 2000 };
	static double a[NODES], b[NODES], own[NODES];
	struct sim_model m;

	(void)state;
	good("{\"schema\":1,\"run_spread\":0,\"rails\":2,\"node_spread\":0.03,"
	     "\"rail_spread\":0.04}",
	     &m);
	for (int i = 0; i < NODES; i++) {
		char name[32];
		snprintf(name, sizeof(name), "n%d/rail0", i);
		a[i] = log(nth(&m, name, NULL, 0));
		snprintf(name, sizeof(name), "n%d/rail1", i);
		b[i] = log(nth(&m, name, NULL, 0));
		snprintf(name, sizeof(name), "n%d", i);
		own[i] = a[i] - log(nth(&m, name, NULL, 0));
	}
	near(stat_sd(a, NODES), 0.05, 0.08);
	near(stat_sd(own, NODES), 0.04, 0.08);
	near(stat_correlation(a, b, NODES), 0.36, 0.3);
	sim_model_free(&m);
}

/* As canonical text, so that one comparison says who tells what. */
static void told(const struct sim_told_list *list, const char *node, const char *want)
{
	struct buf text = { 0 };
	json_object *o = sim_told_by(list, node);

	js_write(o, JS_SORTED, &text);
	assert_string_equal(text.data, want);
	buf_free(&text);
	js_put(o);
}

static void later_groups_of_facts_override_earlier_ones(void **state)
{
	struct sim_model m;

	(void)state;
	good("{\"schema\":1,\"facts\":{\"*\":{\"eth0/net.mtu\":\"9000\",\"mem.thp\":\"never\"},"
	     "\"n[2-3]\":{\"eth0/net.mtu\":\"1500\"},\"n3\":{\"mem.thp\":null}},"
	     "\"counters\":{\"n3\":{\"tcp.retrans_segs\":12000,\"eth0/rx_bytes\":1e10}}}",
	     &m);
	told(&m.facts, "n1", "{\"eth0/net.mtu\":\"9000\",\"mem.thp\":\"never\"}");
	told(&m.facts, "n2", "{\"eth0/net.mtu\":\"1500\",\"mem.thp\":\"never\"}");
	told(&m.facts, "n3", "{\"eth0/net.mtu\":\"1500\",\"mem.thp\":null}");
	told(&m.counters, "n1", "{}");
	told(&m.counters, "n3", "{\"eth0/rx_bytes\":10000000000,\"tcp.retrans_segs\":12000}");
	sim_model_free(&m);
}

static void a_device_may_have_slashes_and_a_key_has_none(void **state)
{
	char device[16], tight[4];
	const char *key;

	(void)state;
	sim_split_key("fs:/home/fs.type", device, sizeof(device), &key);
	assert_string_equal(device, "fs:/home");
	assert_string_equal(key, "fs.type");
	sim_split_key("mem.thp", device, sizeof(device), &key);
	assert_string_equal(device, "");
	assert_string_equal(key, "mem.thp");
	sim_split_key("mlx5_0:1/rdma.state", tight, sizeof(tight), &key);
	assert_string_equal(tight, "mlx");
	assert_string_equal(key, "rdma.state");
}

static void hostile_model_is_one_clear_error(void **state)
{
#define TEN      "0123456789"
#define FAULT(x) "{\"schema\":1,\"faults\":[" x "]}"
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "[]", "model.json" },
		{ "{}", "$.schema" },
		{ "{\"schema\":1,\"nodspread\":1}", "nodspread" },
		{ "{\"schema\":1,\"noise\":-1}", "$.noise" },
		{ "{\"schema\":1,\"size_correlation\":1.5}", "$.size_correlation" },
		{ "{\"schema\":1,\"seed\":-3}", "$.seed" },
		{ "{\"schema\":1,\"benches\":{\"x\":7}}", "$.benches.x" },
		{ "{\"schema\":1,\"benches\":{\"x\":{\"latency_ns\":0,\"bandwidth_Bps\":1}}}",
		  "$.benches.x.latency_ns" },
		{ "{\"schema\":1,\"node_hw\":{\"n1\":7}}", "$.node_hw.n1" },
		{ "{\"schema\":1,\"node_hw\":{\"n1\":\"\"}}", "$.node_hw.n1" },
		{ "{\"schema\":1,\"dips\":3}", "$.dips" },
		{ "{\"schema\":1,\"dips\":{\"rate\":0.1,\"low\":0.1}}", "$.dips.high" },
		{ "{\"schema\":1,\"dips\":{\"rate\":2,\"low\":0,\"high\":0}}", "$.dips" },
		{ "{\"schema\":1,\"dips\":{\"rate\":1,\"low\":0.2,\"high\":0.1}}", "$.dips" },
		{ "{\"schema\":1,\"dips\":{\"rate\":1,\"low\":0,\"high\":1}}", "$.dips" },
		{ "{\"schema\":1,\"pair_noise\":-1}", "$.pair_noise" },
		{ "{\"schema\":1,\"rails\":0}", "$.rails" },
		{ "{\"schema\":1,\"cross_leaf\":0}", "$.cross_leaf" },
		{ "{\"schema\":1,\"leaves\":[]}", "$.leaves" },
		{ "{\"schema\":1,\"leaves\":{\"\":\"n1\"}}", "$.leaves" },
		{ "{\"schema\":1,\"leaves\":{\"s\":3}}", "$.leaves.s" },
		{ "{\"schema\":1,\"leaves\":{\"s\":\"n[1\"}}", "$.leaves.s" },
		{ "{\"schema\":1,\"leaves\":{\"s\":\"n[1-2]\",\"t\":\"n2\"}}",
		  "n2 is on two leaves" },
		{ FAULT("{\"kind\":\"slow-leaf\",\"leaf\":\"s\",\"factor\":2}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"slow-leaf\",\"factor\":2}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"slow-rail\",\"rail\":1,\"factor\":2}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"slow-rail\",\"rail\":0,\"factor\":2,\"dir\":\"in\"}"), "dir" },
		{ FAULT("{\"kind\":\"slow-link\",\"a\":\"n\",\"b\":\"m\",\"factor\":2,"
		        "\"dir\":\"out\"}"),
		  "$.faults[0].dir" },
		{ "{\"schema\":1,\"facts\":[]}", "$.facts" },
		{ "{\"schema\":1,\"facts\":{\"n1\":3}}", "$.facts.n1" },
		{ "{\"schema\":1,\"facts\":{\"n[1\":{}}}", "$.facts" },
		{ "{\"schema\":1,\"facts\":{\"\":{}}}", "$.facts" },
		{ "{\"schema\":1,\"facts\":{\"*\":{\"a.b\":1}}}", "a.b" },
		{ "{\"schema\":1,\"facts\":{\"*\":{\"\":\"x\"}}}", "KEY or DEVICE/KEY" },
		{ "{\"schema\":1,\"facts\":{\"*\":{\"eth0/\":\"x\"}}}", "KEY or DEVICE/KEY" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"/c\":1}}}", "KEY or DEVICE/KEY" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"" TEN TEN TEN TEN TEN TEN "abcd\":1}}}",
		  "KEY or DEVICE/KEY" },
		{ "{\"schema\":1,\"facts\":{\"*\":{\"" TEN TEN TEN TEN TEN TEN "abcd/a\":\"\"}}}",
		  "KEY or DEVICE/KEY" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"c\":\"1\"}}}", "2^53" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"c\":-1}}}", "2^53" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"c\":1e16}}}", "2^53" },
		{ "{\"schema\":1,\"counters\":{\"*\":{\"c\":null}}}", "2^53" },
		{ FAULT("7"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"slow-node\",\"node\":\"n\",\"factor\":2,\"dir\":\"up\"}"),
		  "$.faults[0].dir" },
		{ FAULT("{\"kind\":\"dead-node\",\"node\":\"n\",\"dir\":\"in\"}"), "dir" },
		{ FAULT("{}"), "$.faults[0].kind" },
		{ FAULT("{\"kind\":\"slow\"}"), "$.faults[0].kind" },
		{ FAULT("{\"kind\":\"slow-node\",\"node\":\"n\"}"), "$.faults[0].factor" },
		{ FAULT("{\"kind\":\"slow-node\",\"factor\":2}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"slow-node\",\"node\":\"n\",\"factor\":2,\"after\":1}"),
		  "after" },
		{ FAULT("{\"kind\":\"slow-link\",\"a\":\"n\",\"factor\":2}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"dead-node\"}"), "$.faults[0]" },
		{ FAULT("{\"kind\":\"dead-node\",\"node\":\"\"}"), "$.faults[0].node" },
		{ FAULT("{\"kind\":\"dead-node\",\"node\":\"n\",\"rank\":1}"), "$.faults[0]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_model m;
		struct hb_err err = { 0 };

		assert_int_equal(read_model(bad[i].text, &m, &err), HB_E_FORMAT);
		if (!strstr(err.text, bad[i].place))
			fail_msg("'%s' does not name %s", err.text, bad[i].place);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_question_has_the_same_answer),
		cmocka_unit_test(a_still_model_shows_its_base_figures),
		cmocka_unit_test(spread_and_correlation_are_as_asked),
		cmocka_unit_test(faults_hit_whom_they_name_and_nobody_else),
		cmocka_unit_test(a_fault_with_a_direction_hits_the_sender_or_the_receiver),
		cmocka_unit_test(each_measurement_of_a_pair_draws_its_own_noise),
		cmocka_unit_test(dips_come_as_often_and_as_deep_as_asked),
		cmocka_unit_test(a_slow_leaf_hits_only_what_crosses_out_of_it),
		cmocka_unit_test(a_slow_link_may_be_slow_in_one_direction),
		cmocka_unit_test(a_slow_rail_hits_its_devices_on_all_nodes),
		cmocka_unit_test(every_device_has_an_effect_beside_its_nodes),
		cmocka_unit_test(nodes_may_have_a_class_of_their_own),
		cmocka_unit_test(later_groups_of_facts_override_earlier_ones),
		cmocka_unit_test(a_device_may_have_slashes_and_a_key_has_none),
		cmocka_unit_test(hostile_model_is_one_clear_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The cluster model: reproducible, as spread and correlated as its file says, faults where named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
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

static void the_same_question_has_the_same_answer(void **state)
{
	struct sim_model a, b;
	double x;

	(void)state;
	good("{\"schema\":1,\"seed\":7}", &a);
	good("{\"schema\":1,\"seed\":7}", &b);
	x = sim_time_ns(&a, 3, "mpi.latency", 8, "n1", "n2", 0);
	sim_time_ns(&b, 9, "mpi.latency", 64, "n5", NULL, 2);
	near(sim_time_ns(&b, 3, "mpi.latency", 8, "n1", "n2", 0), x, 0.0);
	near(sim_time_ns(&b, 3, "mpi.latency", 8, "n2", "n1", 0), x, 1e-12);
	assert_true(fabs(sim_time_ns(&a, 4, "mpi.latency", 8, "n1", "n2", 0) - x) > 0.0);
	assert_true(fabs(sim_time_ns(&a, 3, "mpi.latency", 8, "n1", "n2", 1) - x) > 0.0);
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
	near(sim_time_ns(&m, 1, "x.y", 0, "n1", NULL, 0), 1000.0, 1e-12);
	near(sim_time_ns(&m, 1, "x.y", 2000, "n1", "n2", 0), 2000.0, 1e-12);
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
		a[t] = log(sim_time_ns(&m, t, "x", 8, "n1", NULL, 0));
		b[t] = log(sim_time_ns(&m, t, "x", 64, "n1", NULL, 0));
		c[t] = log(sim_time_ns(&m, t, "x", 8, "n2", NULL, 0));
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
	quiet = sim_time_ns(&m, 1, "x.a", 8, "n4", NULL, 0);
	near(sim_time_ns(&m, 1, "x.a", 8, "n1", NULL, 0), 2.0 * quiet, 1e-12);
	near(sim_time_ns(&m, 1, "x.b", 8, "n1", NULL, 0), quiet, 1e-12);
	near(sim_time_ns(&m, 1, "x.a", 8, "n3", "n2", 0), 3.0 * quiet, 1e-12);
	near(sim_time_ns(&m, 1, "x.a", 8, "n3", "n4", 0), quiet, 1e-12);
	near(sim_group_time_ns(&m, 1, "x.a", 8, (const char *const[]){ "n4", "n1", "n3" }, 3, 0),
	     2.0 * quiet, 1e-12);
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
	quiet = sim_time_ns(&m, 1, "x", 8, "n3", "n4", 0);
	near(sim_time_ns(&m, 1, "x", 8, "n1", "n3", 0), 2.0 * quiet, 1e-9);
	near(sim_time_ns(&m, 1, "x", 8, "n3", "n1", 0), quiet, 1e-9);
	near(sim_time_ns(&m, 1, "x", 8, "n2", "n3", 0), quiet, 1e-9);
	near(sim_time_ns(&m, 1, "x", 8, "n3", "n2", 0), 3.0 * quiet, 1e-9);
	near(sim_time_ns(&m, 1, "x", 8, "n1", NULL, 0), sim_time_ns(&m, 1, "x", 8, "n3", NULL, 0),
	     1e-12);
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

static void hostile_model_is_one_clear_error(void **state)
{
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
		cmocka_unit_test(nodes_may_have_a_class_of_their_own),
		cmocka_unit_test(hostile_model_is_one_clear_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

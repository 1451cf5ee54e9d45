/* Classes of interconnect and expected figures: what figures show, what facts promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "harness/diagnose/expected_parts.h"
#include "harness/plan/suite.h"

static struct expected shipped;

static int load_shipped(void **state)
{
	struct hb_err err = { 0 };

	(void)state;
	if (expected_load(NULL, &shipped, &err) != HB_OK) {
		print_error("%s\n", err.text);
		return -1;
	}
	return 0;
}

static int free_shipped(void **state)
{
	(void)state;
	expected_free(&shipped);
	return 0;
}

/* ---- files ---- */

static void every_shipped_class_and_figure_has_its_source(void **state)
{
	static const char *const names[] = { "tcp-1g",   "tcp-10g",   "tcp-25g",   "tcp-100g",
		                             "roce-25g", "roce-100g", "roce-200g", "roce-400g",
		                             "ib-edr",   "ib-hdr",    "ib-ndr",    "shm" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(expected_class(&shipped, names[i]));
	assert_int_equal(shipped.n_classes, sizeof(names) / sizeof(*names));
	assert_null(expected_class(&shipped, "ib-fdr"));
	for (size_t i = 0; i < shipped.n_classes; i++) {
		const struct wire_class *c = &shipped.classes[i];
		assert_true(strlen(c->source) > 10);
		assert_true((c->coarse == WIRE_MEMORY) == isnan(c->rate_Bps));
	}
	assert_true(shipped.n_figures > 100);
	for (size_t i = 0; i < shipped.n_figures; i++) {
		const struct expected_figure *f = &shipped.figures[i];
		assert_true(strlen(f->source) > 8);
		assert_true(strlen(f->when) > 3);
		/* What was seen keeps its own bound. */
		assert_false(f->typical < f->at_least);
		assert_false(f->typical > f->at_most);
	}
}

static void bounds_of_benchmarks_that_are_there_need_a_promise(void **state)
{
	size_t judging = 0;

	(void)state;
	for (size_t i = 0; i < shipped.n_figures; i++) {
		const struct expected_figure *f = &shipped.figures[i];
		if (!catalog_find(f->bench) || (isnan(f->at_least) && isnan(f->at_most)))
			continue;
		assert_true(f->wire || strcmp(f->hardware, "*") != 0);
		judging++;
	}
	assert_true(judging >= 8);
}

static void the_schema_is_json(void **state)
{
	char *path = suite_data_path("expected/expected.schema.json");
	json_object *o = NULL;
	struct hb_err err;

	(void)state;
	assert_int_equal(js_read_file(path, 1 << 20, &o, &err), HB_OK);
	js_put(o);
	free(path);
}

static int parse(const char *text, struct expected *out, struct hb_err *err)
{
	json_object *o = NULL;

	assert_int_equal(js_parse(text, strlen(text), "x", &o, err), HB_OK);
	int rc = expected_from_json(o, "x.json", out, err);
	js_put(o);
	return rc;
}

static void what_a_file_must_not_say_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "{}", "$.schema" },
		{ "{\"schema\":2}", "$.schema" },
		{ "{\"schema\":1,\"clases\":[]}", "did you mean" },
		{ "{\"schema\":1,\"classes\":[3]}", "$.classes[0]" },
		{ "{\"schema\":1,\"classes\":[{\"name\":\"a\"}]}", "title" },
		{ "{\"schema\":1,\"classes\":[{\"name\":\"a\",\"title\":\"A\",\"coarse\":\"tin\"}]"
		  "}",
		  "'tin' is none of" },
		{ "{\"schema\":1,\"classes\":[{\"name\":\"a\",\"title\":\"A\",\"coarse\":\"roce\","
		  "\"lat_min_s\":0,\"lat_max_s\":1}]}",
		  "lat_min_s: a number above 0" },
		{ "{\"schema\":1,\"classes\":[{\"name\":\"a\",\"title\":\"A\",\"coarse\":\"roce\","
		  "\"lat_min_s\":2,\"lat_max_s\":1}]}",
		  "below lat_min_s" },
		{ "{\"schema\":1,\"classes\":[{\"name\":\"a\",\"title\":\"A\",\"coarse\":\"roce\","
		  "\"lat_min_s\":1,\"lat_max_s\":1,\"rate_Bps\":5,\"reach\":1.5,\"source\":\"s\"}]"
		  "}",
		  "reach is a share" },
		{ "{\"schema\":1,\"figures\":[{\"name\":\"a\",\"bench\":\"b\",\"hardware\":\"*\","
		  "\"source\":\"s\",\"when\":\"w\"}]}",
		  "one of typical, at_least and at_most" },
		{ "{\"schema\":1,\"figures\":[{\"name\":\"a\",\"bench\":\"b\",\"hardware\":\"*\","
		  "\"source\":\"s\",\"when\":\"w\",\"at_least\":2,\"at_most\":1}]}",
		  "at_least is above at_most" },
		{ "{\"schema\":1,\"figures\":[{\"name\":\"a\",\"bench\":\"b\",\"hardware\":\"*\","
		  "\"source\":\"s\",\"when\":\"w\",\"at_least\":2,\"wire\":\"x\"}]}",
		  "no class 'x'" },
		{ "{\"schema\":1,\"figures\":[{\"name\":\"a\",\"bench\":\"b\",\"hardware\":\"*\","
		  "\"source\":\"s\",\"when\":\"w\",\"at_least\":2,\"where\":\"moon\"}]}",
		  "neither same-node nor remote" },
		{ "{\"schema\":1,\"figures\":[{\"name\":\"a\",\"bench\":\"b\",\"hardware\":\"*\","
		  "\"when\":\"w\",\"at_least\":2}]}",
		  "source" },
	};
	struct hb_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct expected e = { 0 };
		assert_int_equal(parse(bad[i].text, &e, &err), HB_E_FORMAT);
		if (!strstr(err.text, bad[i].error) || !strstr(err.text, "x.json"))
			fail_msg("%s: %s", bad[i].text, err.text);
		expected_free(&e);
	}
}

static void a_later_file_takes_the_place_of_a_name(void **state)
{
	static const char text[] =
	        "{\"schema\":1,\"classes\":[{\"name\":\"tcp-1g\",\"title\":\"ours\","
	        "\"coarse\":\"ethernet\",\"lat_min_s\":1e-5,\"lat_max_s\":1e-3,"
	        "\"rate_Bps\":125000000,\"reach\":0.5,\"source\":\"site\"}]}";
	struct hb_err err;
	struct expected e;

	(void)state;
	assert_int_equal(expected_load(NULL, &e, &err), HB_OK);
	size_t n = e.n_classes;
	assert_int_equal(parse(text, &e, &err), HB_OK);
	assert_int_equal(e.n_classes, n);
	assert_string_equal(expected_class(&e, "tcp-1g")->title, "ours");
	expected_free(&e);
}

/* ---- classes ---- */

static const struct wire_class *class_of(const char *name)
{
	return name ? expected_class(&shipped, name) : NULL;
}

static void figures_show_a_class_or_none(void **state)
{
	static const struct {
		double lat_us, GBps; /* 0: not measured */
		const char *promise, *is;
		bool below;
	} cases[] = {
		/* as promised */
		{ 1.4, 11.2, "roce-100g", "roce-100g", false },
		{ 1.4, 11.2, "ib-edr", "ib-edr", false },
		{ 1.2, 24.0, "ib-hdr", "ib-hdr", false },
		{ 1.3, 47.0, "ib-ndr", "ib-ndr", false },
		{ 20, 6.0, "tcp-100g", "tcp-100g", false },
		{ 60, 1.15, "tcp-10g", "tcp-10g", false },
		/* several adapters together, faster than one */
		{ 1.4, 46.0, "ib-hdr", "ib-hdr", false },
		/* slow in latency is no other kind of wire */
		{ 3.5, 24.0, "ib-hdr", "ib-hdr", false },
		/* the sockets taken instead of RDMA */
		{ 25, 1.1, "ib-hdr", "tcp-10g", true },
		{ 25, 3.0, "roce-100g", "tcp-25g", true },
		{ 25, 0.11, "ib-ndr", "tcp-1g", true },
		{ 25, 6.0, "ib-edr", "tcp-100g", true },
		{ 25, 0, "ib-edr", "tcp-100g", true },
		/* the wrong interface */
		{ 60, 0.115, "tcp-10g", "tcp-1g", true },
		/* half of the lanes: no lower class, the promised one is slow */
		{ 1.4, 5.8, "ib-hdr", NULL, true },
		{ 1.4, 11.8, "ib-hdr", "ib-edr", true },
		{ 1.4, 0.2, "ib-hdr", NULL, true },
		/* about 0.7 of 0.94 of 25 GB/s: on both sides of the limit */
		{ 1.4, 16.5, "ib-hdr", "ib-hdr", false },
		{ 1.4, 16.4, "ib-hdr", "ib-hdr", true },
		/* the rate alone: it is what is promised where no other kind could do it */
		{ 0, 24.0, "ib-hdr", "ib-hdr", false },
		{ 0, 2.8, "roce-25g", NULL, false },
		{ 0, 1.1, "ib-hdr", NULL, true },
		{ 0, 1.1, NULL, NULL, false },
		/* nothing promised */
		{ 60, 1.15, NULL, "tcp-10g", false },
		{ 4.0, 11.2, NULL, "roce-100g", false },
		{ 0.7, 11.2, NULL, "ib-edr", false },
		{ 1.4, 11.2, NULL, NULL, false },
		{ 1.4, 0, NULL, NULL, false },
		{ 6.5, 4.0, NULL, NULL, false },
		{ 350, 0.11, NULL, "tcp-1g", false },
		{ 900, 0.11, NULL, NULL, false },
		/* namespaces of one host: faster than any wire that answers so slowly */
		{ 15, 14.0, NULL, NULL, false },
		{ 0, 0, NULL, NULL, false },
		/* better than promised */
		{ 1.4, 11.2, "tcp-100g", NULL, false },
		{ 4.0, 11.2, "tcp-100g", "roce-100g", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double lat = cases[i].lat_us > 0 ? cases[i].lat_us * 1e-6 : NAN, share;
		double rate = cases[i].GBps > 0 ? cases[i].GBps * 1e9 : NAN;
		const struct wire_class *promise = class_of(cases[i].promise);
		const struct wire_class *is = wire_classify(&shipped, lat, rate, promise);
		bool below = wire_below(is, rate, promise, &share);
		const char *got = is ? is->name : "none", *want = cases[i].is;
		if (strcmp(got, want ? want : "none") != 0 || below != cases[i].below)
			fail_msg("%g us, %g GB/s, promise %s: %s, %s; expected %s, %s",
			         cases[i].lat_us, cases[i].GBps,
			         cases[i].promise ? cases[i].promise : "none", got,
			         below ? "below" : "as good", want ? want : "none",
			         cases[i].below ? "below" : "as good");
	}
}

static void a_link_is_the_fastest_class_that_its_rate_carries(void **state)
{
	static const struct {
		enum wire_coarse kind;
		double gbps;
		const char *is;
	} cases[] = { { WIRE_ETHERNET, 1, "tcp-1g" },     { WIRE_ETHERNET, 0.1, NULL },
		      { WIRE_ETHERNET, 10, "tcp-10g" },   { WIRE_ETHERNET, 40, "tcp-25g" },
		      { WIRE_ETHERNET, 400, "tcp-100g" }, { WIRE_ROCE, 10, NULL },
		      { WIRE_ROCE, 100, "roce-100g" },    { WIRE_ROCE, 200, "roce-200g" },
		      { WIRE_INFINIBAND, 56, NULL },      { WIRE_INFINIBAND, 100, "ib-edr" },
		      { WIRE_INFINIBAND, 199, "ib-hdr" }, { WIRE_INFINIBAND, 190, "ib-edr" },
		      { WIRE_INFINIBAND, 400, "ib-ndr" }, { WIRE_INFINIBAND, 800, "ib-ndr" },
		      { WIRE_INFINIBAND, NAN, NULL } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_ptr_equal(wire_of_link(&shipped, cases[i].kind, cases[i].gbps * 1e9),
		                 class_of(cases[i].is));
}

/* ---- promises ---- */

static void port(struct facts *f, size_t node, const char *device, const char *state,
                 const char *layer, const char *bps)
{
	facts_add(f, node, device, "rdma.state", state, "sysfs");
	facts_add(f, node, device, "rdma.link_layer", layer, "sysfs");
	facts_add(f, node, device, "rdma.rate_bps", bps, "sysfs");
}

static void netdev(struct facts *f, size_t node, const char *device, const char *kind,
                   const char *state, const char *bps)
{
	facts_add(f, node, device, "net.kind", kind, "sysfs");
	facts_add(f, node, device, "net.state", state, "sysfs");
	facts_add(f, node, device, "net.speed_bps", bps, "sysfs");
}

static void the_fastest_link_that_is_up_promises(void **state)
{
	struct wire_promise p;
	struct facts f;

	(void)state;
	facts_init(&f);
	for (int i = 0; i < 8; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i);
		facts_add_node(&f, name, "x");
	}
	netdev(&f, 0, "eth0", "physical", "up", "10000000000");
	port(&f, 0, "mlx5_0:1", "ACTIVE", "InfiniBand", "200000000000");
	netdev(&f, 1, "eth0", "physical", "up", "10000000000");
	port(&f, 1, "mlx5_0:1", "DOWN", "InfiniBand", "200000000000");
	netdev(&f, 2, "eth1", "physical", "up", "100000000000");
	port(&f, 2, "mlx5_1:1", "ACTIVE", "Ethernet", "100000000000");
	netdev(&f, 3, "veth0", "veth", "up", "10000000000");
	netdev(&f, 3, "lo", "loopback", "unknown", NULL);
	netdev(&f, 4, "eth0", "physical", "up", NULL);
	port(&f, 5, "mlx4_0:1", "ACTIVE", "InfiniBand", "56000000000");
	netdev(&f, 5, "eth0", "physical", "up", "10000000000");
	netdev(&f, 6, "eth0", "physical", "down", "10000000000");
	netdev(&f, 6, "bond0", "bond", "up", "20000000000");
	facts_sort(&f);

	static const struct {
		const char *class_, *device;
		bool no_wire;
	} want[] = { { "ib-hdr", "mlx5_0:1", false },
		     { "tcp-10g", "eth0", false },
		     { "roce-100g", "mlx5_1:1", false },
		     { NULL, NULL, true },
		     { NULL, NULL, false },       /* a virtual machine's: no speed */
		     { NULL, "mlx4_0:1", false }, /* slower than any class: not known, not eth0 */
		     { NULL, NULL, true },
		     { NULL, NULL, false } };
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		wire_promise_of(&shipped, &f, i, &p);
		if (p.class_ != class_of(want[i].class_) || p.no_wire != want[i].no_wire)
			fail_msg("n%zu promises %s%s", i, p.class_ ? p.class_->name : "nothing",
			         p.no_wire ? ", no wire" : "");
		if (want[i].device)
			assert_string_equal(p.device, want[i].device);
		else
			assert_null(p.device);
	}
	facts_free(&f);
}

/* ---- whole runs ---- */

static void row(struct summary *s, const char *bench, const char *class_, uint64_t bytes,
                const char *subject, double value)
{
	const struct bench_info *info = catalog_find(bench);
	struct summary_row *r = summary_add_row(s, false);

	r->key = (struct key){ .bench = hb_strdup(bench),
		               .metric = hb_strdup(info->metrics[0].name),
		               .opts = hb_strdup("{}"),
		               .class_ = hb_strdup(class_),
		               .hw = hb_strdup("x"),
		               .bytes = bytes,
		               .nodes = 2,
		               .rpn = 1 };
	key_make(&r->key);
	r->subject = hb_strdup(subject);
	r->kind = strcmp(subject, "cluster") == 0 ? SUBJECT_CLUSTER : SUBJECT_NODE;
	r->phase = PHASE_MAIN;
	r->quality = ROW_OK;
	r->unit = info->metrics[0].unit;
	r->higher_is_better = info->metrics[0].higher_is_better;
	r->value = value;
}

static void figures(struct summary *s, const char *subject, double lat_us, double GBps)
{
	row(s, "mpi.latency", "remote", 8, subject, lat_us * 1e3);
	row(s, "mpi.latency", "remote", 65536, subject, lat_us * 20e3);
	row(s, "mpi.bandwidth", "remote", 65536, subject, GBps * 0.5e9);
	row(s, "mpi.bandwidth", "remote", 4 << 20, subject, GBps * 1e9);
}

static void a_node_below_its_peers_promise_is_told_with_figures_and_device(void **state)
{
	struct attained a;
	struct summary s;
	struct facts f;

	(void)state;
	summary_init(&s);
	facts_init(&f);
	for (int i = 1; i <= 4; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i);
		size_t node = facts_add_node(&f, name, "x");
		port(&f, node, "mlx5_0:1", i == 4 ? "DOWN" : "ACTIVE", "InfiniBand",
		     "200000000000");
		netdev(&f, node, "eth0", "physical", "up", "10000000000");
		figures(&s, name, i == 3 ? 30 : 1.4, i == 3 ? 1.1 : 23.5);
	}
	figures(&s, "cluster", 1.4, 23.5);
	facts_sort(&f);
	attained_make(&shipped, &s, &f, &a);
	assert_int_equal(a.n, 5);
	assert_string_equal(a.v[0].subject, "cluster");
	assert_string_equal(a.v[0].is->name, "ib-hdr");
	assert_false(a.v[0].below);
	assert_string_equal(a.v[0].why,
	                    "23.50 GB/s, 1.400 us: InfiniBand HDR, as mlx5_0:1 promises "
	                    "on 3 of 4 nodes");
	const struct attained_row *slow = attained_of(&a, "n3");
	assert_true(slow->below);
	assert_string_equal(slow->is->name, "tcp-10g");
	assert_string_equal(slow->device, "mlx5_0:1");
	assert_string_equal(slow->why,
	                    "1.100 GB/s, 30.00 us: TCP 10G; mlx5_0:1 promises InfiniBand HDR "
	                    "(23.50 GB/s, at most 2.000 us)");
	assert_false(attained_of(&a, "n4")->below);
	assert_string_equal(attained_of(&a, "n4")->promise->name, "tcp-10g");
	/* n3 misses both bounds of what it promises, nobody else does. */
	assert_int_equal(a.n_misses, 2);
	for (size_t i = 0; i < a.n_misses; i++) {
		assert_string_equal(a.misses[i].subject, "n3");
		assert_true(a.misses[i].ratio < 1);
	}
	attained_free(&a);
	facts_free(&f);
	summary_free(&s);
}

static void what_is_not_of_small_messages_is_no_latency(void **state)
{
	struct attained a;
	struct summary s;

	(void)state;
	summary_init(&s);
	row(&s, "mpi.latency", "remote", 262144, "n1", 30e3);
	row(&s, "mpi.bandwidth", "remote", 65536, "n1", 5e9);
	attained_make(&shipped, &s, NULL, &a);
	assert_int_equal(a.n, 0);
	attained_free(&a);
	row(&s, "mpi.bandwidth", "remote", 262144, "n1", 5e9);
	attained_make(&shipped, &s, NULL, &a);
	assert_int_equal(a.n, 1);
	assert_true(isnan(a.v[0].lat_s));
	assert_null(a.v[0].is);
	assert_string_equal(a.v[0].why, "5.000 GB/s: of which kind cannot be told; what the "
	                                "hardware promises is not known");
	attained_free(&a);
	/* A figure that is not to be believed says nothing. */
	s.rows[s.n_rows - 1].quality = ROW_INVALID;
	attained_make(&shipped, &s, NULL, &a);
	assert_int_equal(a.n, 0);
	attained_free(&a);
	summary_free(&s);
}

static void within_a_node_it_is_shared_memory_or_nothing_known(void **state)
{
	struct attained a;
	struct summary s;

	(void)state;
	summary_init(&s);
	row(&s, "mpi.latency", "same-node", 8, "n1", 300);
	row(&s, "mpi.bandwidth", "same-node", 1 << 20, "n1", 9e9);
	row(&s, "mpi.latency", "same-node", 8, "n2", 5600);
	/* Where a wire was measured too, that is what counts. */
	row(&s, "mpi.latency", "same-node", 8, "n3", 300);
	row(&s, "mpi.latency", "remote", 8, "n3", 60e3);
	attained_make(&shipped, &s, NULL, &a);
	assert_int_equal(a.n, 3);
	assert_string_equal(a.v[0].is->name, "shm");
	assert_string_equal(a.v[0].why, "9.000 GB/s, 300.0 ns within one node: shared memory");
	assert_null(a.v[1].is);
	assert_false(a.v[1].below);
	assert_true(a.v[2].lat_s > 50e-6);
	attained_free(&a);
	summary_free(&s);
}

static void virtual_devices_are_no_wire(void **state)
{
	struct attained a;
	struct summary s;
	struct facts f;

	(void)state;
	summary_init(&s);
	facts_init(&f);
	for (int i = 1; i <= 2; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%d", i);
		netdev(&f, facts_add_node(&f, name, "x"), "eth0", "veth", "up", "10000000000");
		figures(&s, name, 15, 0.025);
	}
	figures(&s, "cluster", 15, 0.025);
	facts_sort(&f);
	attained_make(&shipped, &s, &f, &a);
	assert_int_equal(a.n, 3);
	for (size_t i = 0; i < a.n; i++) {
		assert_null(a.v[i].is);
		assert_false(a.v[i].below);
		assert_non_null(strstr(a.v[i].why, "no wire"));
	}
	assert_int_equal(a.n_misses, 0);
	attained_free(&a);
	facts_free(&f);
	summary_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_class_and_figure_has_its_source),
		cmocka_unit_test(bounds_of_benchmarks_that_are_there_need_a_promise),
		cmocka_unit_test(the_schema_is_json),
		cmocka_unit_test(what_a_file_must_not_say_is_told_with_its_place),
		cmocka_unit_test(a_later_file_takes_the_place_of_a_name),
		cmocka_unit_test(figures_show_a_class_or_none),
		cmocka_unit_test(a_link_is_the_fastest_class_that_its_rate_carries),
		cmocka_unit_test(the_fastest_link_that_is_up_promises),
		cmocka_unit_test(a_node_below_its_peers_promise_is_told_with_figures_and_device),
		cmocka_unit_test(what_is_not_of_small_messages_is_no_latency),
		cmocka_unit_test(within_a_node_it_is_shared_memory_or_nothing_known),
		cmocka_unit_test(virtual_devices_are_no_wire),
	};

	return cmocka_run_group_tests(tests, load_shipped, free_shipped);
}

/* Drift against peers and a baseline, and the wire that the bytes took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts.h"

static void nodes(struct facts *f, size_t n, const char *hw)
{
	char name[32];

	facts_init(f);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "n%zu", i + 1);
		facts_add_node(f, name, hw);
		facts_add(f, i, "", "cpu.model", "X", "cpuinfo");
	}
}

static void all(struct facts *f, const char *device, const char *key, const char *value)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		facts_add(f, i, device, key, value, "s");
}

static void one_of_64_differs_and_the_rest_does_not(void **state)
{
	struct facts f;
	struct drift d;

	(void)state;
	nodes(&f, 64, "a");
	all(&f, "eth0", "net.mtu", "9000");
	all(&f, "", "node.uptime_s", "1"); /* varies: nobody's business */
	facts_add(&f, 3, "", "node.uptime_s", "2", "s");
	facts_add(&f, 16, "eth0", "net.mtu", "1500", "s");
	facts_sort(&f);
	drift_make(&f, NULL, &d);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.v[0].value->text, "1500");
	assert_string_equal(d.v[0].peers, "9000");
	assert_int_equal(d.v[0].n, 1);
	assert_int_equal(d.v[0].nodes[0], 16);
	assert_int_equal(d.v[0].n_peers, 63);
	assert_int_equal(d.v[0].of_peers, 63);
	drift_free(&d);
	facts_free(&f);
}

static void classes_are_compared_apart(void **state)
{
	struct facts f;
	struct drift d;

	(void)state;
	nodes(&f, 4, "a");
	for (size_t i = 0; i < 4; i++) {
		char name[8];

		snprintf(name, sizeof name, "g%zu", i);
		facts_add(&f, facts_add_node(&f, name, "b"), "eth0", "net.mtu", "9000", "s");
	}
	for (size_t i = 0; i < 4; i++)
		facts_add(&f, i, "eth0", "net.mtu", "1500", "s");
	facts_sort(&f);
	drift_make(&f, NULL, &d);
	assert_int_equal(d.n, 0);
	drift_free(&d);
	facts_free(&f);
}

static void without_a_majority_each_value_is_told(void **state)
{
	struct facts f;
	struct drift d;

	(void)state;
	nodes(&f, 2, NULL);
	all(&f, "", "cpu.governor", "performance");
	facts_add(&f, 1, "", "cpu.governor", "powersave", "s");
	facts_sort(&f);
	drift_make(&f, NULL, &d);
	assert_int_equal(d.n, 2);
	assert_null(d.v[0].peers);
	assert_null(d.v[1].peers);
	assert_int_equal(d.v[0].of_peers, 1);
	drift_free(&d);
	facts_free(&f);
}

static void what_could_not_be_had_differs_where_nearly_all_have_it(void **state)
{
	struct facts f;
	struct drift d;

	(void)state;
	nodes(&f, 4, NULL);
	for (size_t i = 0; i < 3; i++)
		facts_add(&f, i, "eth0", "net.speed_bps", "1000000000", "ethtool");
	facts_add(&f, 3, "eth0", "net.speed_bps", NULL, "ethtool: Operation not permitted");
	facts_sort(&f);
	drift_make(&f, NULL, &d);
	assert_int_equal(d.n, 1);
	assert_null(d.v[0].value->text);
	assert_string_equal(d.v[0].value->source, "ethtool: Operation not permitted");
	drift_free(&d);
	facts_free(&f);
}

static void a_device_that_is_not_there_is_told_once(void **state)
{
	struct facts f;
	struct drift d;

	(void)state;
	nodes(&f, 5, NULL);
	facts_add_node(&f, "silent", NULL); /* told nothing: it is not missing anything */
	for (size_t i = 0; i < 5; i++) {
		if (i != 2)
			facts_add(&f, i, "ib0", "net.kind", "ipoib", "s");
		if (i != 2)
			facts_add(&f, i, "ib0", "net.mtu", "2044", "s");
	}
	facts_add(&f, 1, "veth7", "net.kind", "veth", "s"); /* comes and goes */
	facts_add(&f, 4, "eth9", "net.kind", "physical", "s");
	facts_sort(&f);
	drift_make(&f, NULL, &d);
	assert_int_equal(d.n, 2);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(d.v[i].row->device, "ib0") == 0) {
			assert_null(d.v[i].value);
			assert_int_equal(d.v[i].nodes[0], 2);
			assert_int_equal(d.v[i].n_peers, 4);
			assert_string_equal(d.v[i].row->key, "net.kind");
		} else {
			assert_string_equal(d.v[i].row->device, "eth9");
			assert_int_equal(d.v[i].nodes[0], 4);
			assert_null(d.v[i].peers);
			assert_int_equal(d.v[i].of_peers, 0);
		}
	}
	drift_free(&d);
	facts_free(&f);
}

static void read_back(const struct facts *f, enum facts_part part, struct facts *out)
{
	struct hb_err err;
	json_object *o = facts_to_json(f, part), *again = NULL;
	struct buf text = BUF_INIT;

	js_write(o, JS_PLAIN, &text);
	assert_int_equal(js_parse(text.data, text.len, "t", &again, &err), HB_OK);
	if (facts_from_json(again, "t", out, &err) != HB_OK)
		fail_msg("%s", err.text);
	buf_free(&text);
	js_put(again);
	js_put(o);
}

static void a_baseline_remembers_what_its_class_agreed_about(void **state)
{
	struct facts then, base, now;
	struct drift d;

	(void)state;
	nodes(&then, 3, "a");
	all(&then, "eth0", "net.mtu", "9000");
	facts_add(&then, 2, "eth0", "net.mtu", "1500", "s"); /* the odd one is not remembered */
	all(&then, "", "env.UCX_TLS", "rc");
	all(&then, "", "mpi.version", "4.1");
	all(&then, "", "node.hostname", "x");
	facts_sort(&then);
	read_back(&then, FACTS_AGREE, &base);
	assert_int_equal(base.n_nodes, 1);
	assert_string_equal(base.hw[0], "a");
	assert_null(facts_row(&base, "", "node.hostname"));
	assert_string_equal(facts_text(&base, 0, "eth0", "net.mtu"), "9000");

	nodes(&now, 4, "a");
	facts_add(&now, facts_add_node(&now, "other", "b"), "eth0", "net.mtu", "64", "s");
	for (size_t i = 0; i < 4; i++) {
		facts_add(&now, i, "eth0", "net.mtu", "1500", "s");
		facts_add(&now, i, "", "mpi.version", "4.1", "s");
		facts_add(&now, i, "", "env.UCX_NET_DEVICES", "eth0", "s");
	}
	facts_sort(&now);
	drift_make(&now, &base, &d);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_changes, 3);
	assert_string_equal(d.changes[0].key, "env.UCX_NET_DEVICES");
	assert_null(d.changes[0].was);
	assert_string_equal(d.changes[1].key, "net.mtu");
	assert_string_equal(d.changes[1].was, "9000");
	assert_string_equal(d.changes[1].is, "1500");
	assert_int_equal(d.changes[1].n, 4);
	assert_string_equal(d.changes[2].key, "env.UCX_TLS");
	assert_null(d.changes[2].is);
	drift_free(&d);
	facts_free(&now);
	facts_free(&base);
	facts_free(&then);
}

static void a_table_reads_back_as_it_was_written(void **state)
{
	struct facts f, again;
	uint64_t moved;

	(void)state;
	nodes(&f, 12, "a");
	facts_add_node(&f, "x1", NULL);
	facts_add(&f, 7, "eth0", "net.mtu", NULL, "gone");
	for (size_t i = 0; i < 13; i++)
		if (i != 7)
			facts_add(&f, i, "eth0", "net.mtu", "9000", "s");
	facts_add(&f, 3, "", "odd.\"key\"", "a\x1b[31m\n\"b\"\\", "s");
	facts_add_counter(&f, 2, "eth0", "rx_bytes", UINT64_MAX);
	facts_add_counter(&f, 4, "eth0", "rx_bytes", 0);
	f.counted_s[2] = 1.5;
	facts_sort(&f);
	read_back(&f, FACTS_ALL, &again);
	assert_int_equal(again.n_nodes, 13);
	for (size_t i = 0; i < f.n_nodes; i++)
		assert_string_equal(again.nodes[i], f.nodes[i]);
	assert_null(again.hw[12]);
	assert_string_equal(facts_text(&again, 3, "", "odd.\"key\""), "a\x1b[31m\n\"b\"\\");
	assert_null(facts_text(&again, 7, "eth0", "net.mtu"));
	assert_string_equal(facts_value(facts_row(&again, "eth0", "net.mtu"), 7)->source, "gone");
	assert_true(facts_counter(&again, 2, "eth0", "rx_bytes", &moved));
	assert_true(moved == UINT64_MAX);
	assert_true(facts_counter(&again, 4, "eth0", "rx_bytes", &moved));
	assert_int_equal(moved, 0);
	assert_true(again.counted_s[2] == 1.5);
	json_object *a = facts_to_json(&f, FACTS_ALL), *b = facts_to_json(&again, FACTS_ALL);

	assert_string_equal(json_object_to_json_string(a), json_object_to_json_string(b));
	js_put(a);
	js_put(b);
	facts_free(&again);
	facts_free(&f);
}

static void a_bad_file_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "{}", "schema" },
		{ "{\"schema\":2}", "newer" },
		{ "{\"schema\":1,\"nodes\":[[null,\"n[1-3]\"],[null,\"n2\"]]}", "nodes[1]" },
		{ "{\"schema\":1,\"nodes\":[[null,\"n1\"]],\"facts\":[[\"\",\"k\",[[\"1\",\"s\","
		  "\"n9\"]]]]}",
		  "facts[0][2][0][2]: no node is called \"n9\"" },
		{ "{\"schema\":1,\"facts\":[[\"\",\"\",[]]]}", "facts[0][1]" },
		{ "{\"schema\":1,\"facts\":[[\"\",7,[]]]}", "facts[0][1]" },
		{ "{\"schema\":1,\"counters\":[[\"\",\"k\",[[-1,\"*\"]]]]}", "count" },
		{ "{\"schema\":1,\"counted_s\":[[-1,\"*\"]]}", "seconds" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		json_object *o = NULL;
		struct facts f;
		struct hb_err err;

		assert_int_equal(js_parse(bad[i].text, strlen(bad[i].text), "t", &o, &err), HB_OK);
		assert_int_equal(facts_from_json(o, "t", &f, &err), HB_E_FORMAT);
		if (!strstr(err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].text, err.text);
		js_put(o);
	}
}

static void the_wire_counts_every_byte_once(void **state)
{
	struct facts f;
	struct wire w;

	(void)state;
	nodes(&f, 2, NULL);
	assert_false(wire_of(&f, 0, &w));
	facts_add(&f, 0, "eth0", "net.master", "bond0", "s");
	facts_add(&f, 0, "eth1", "net.master", "bond0", "s");
	facts_add(&f, 0, "bond0", "net.master", "none", "s");
	facts_add(&f, 0, "bond0", "net.kind", "bond", "s");
	facts_add(&f, 0, "bond0.5", "net.kind", "vlan", "s");
	facts_add(&f, 0, "ib0", "net.kind", "ipoib", "s");
	facts_add(&f, 0, "mlx5_0:1", "rdma.netdev", "ib0", "s");
	facts_add_counter(&f, 0, "eth0", "rx_bytes", 600 << 20);
	facts_add_counter(&f, 0, "eth1", "tx_bytes", 200 << 20);
	facts_add_counter(&f, 0, "bond0", "rx_bytes", 600 << 20);
	facts_add_counter(&f, 0, "bond0", "tx_bytes", 200 << 20);
	facts_add_counter(&f, 0, "bond0.5", "rx_bytes", 500 << 20);
	facts_add_counter(&f, 0, "ib0", "tx_bytes", 50 << 20);
	facts_add_counter(&f, 0, "mlx5_0:1", "port_xmit_data", 200 << 20);
	facts_add_counter(&f, 0, "lo", "rx_bytes", 50 << 20);
	facts_add_counter(&f, 0, "", COUNTER_OWN_TX, 400 << 20);
	facts_add_counter(&f, 0, "", COUNTER_OWN_RX, 500 << 20);
	facts_add_counter(&f, 1, "", "tcp.retrans_segs", 3);
	facts_sort(&f);
	assert_true(wire_of(&f, 0, &w));
	assert_int_equal(w.n, 5);
	assert_string_equal(w.v[0].device, "eth0");
	assert_string_equal(w.v[1].device, "eth1");
	assert_string_equal(w.v[2].device, "mlx5_0:1");
	assert_true(w.v[2].port);
	assert_true(w.v[2].tx == 150 << 20); /* less what was IPoIB */
	assert_string_equal(w.v[3].device, "ib0");
	assert_string_equal(w.v[4].device, "lo");
	assert_true(w.bytes == 1050.0 * (1 << 20));
	assert_true(fabs(w.v[0].share - 600.0 / 1050) < 1e-9);
	/* 900 MiB are the ranks' own, 12 % of it headers: the rest is no more than that */
	assert_true(w.own == 900.0 * (1 << 20));
	assert_true(fabs(w.foreign - (1050 - 1.14 * 900 - 1) / 1050) < 1e-9);
	assert_false(wire_of(&f, 1, &w)); /* it counted, but no bytes */
	facts_free(&f);
}

static void small_messages_are_not_foreign_traffic(void **state)
{
	struct facts f;
	struct wire w;

	(void)state;
	nodes(&f, 1, NULL);
	/* A million messages of 8 bytes each way, each with its header. */
	facts_add_counter(&f, 0, "eth0", "rx_bytes", 74000000);
	facts_add_counter(&f, 0, "eth0", "tx_bytes", 74000000);
	facts_add_counter(&f, 0, "eth0", "rx_packets", 1000000);
	facts_add_counter(&f, 0, "eth0", "tx_packets", 1000000);
	facts_add_counter(&f, 0, "", COUNTER_OWN_TX, 8000000);
	facts_add_counter(&f, 0, "", COUNTER_OWN_RX, 8000000);
	facts_sort(&f);
	assert_true(wire_of(&f, 0, &w));
	assert_true(w.foreign == 0);
	facts_add_counter(&f, 0, "eth0", "rx_bytes", 74000000);
	facts_add_counter(&f, 0, "eth0", "rx_packets", 50000); /* somebody reads a file */
	facts_sort(&f);
	assert_true(wire_of(&f, 0, &w));
	assert_true(w.foreign > 0.05 && w.foreign < 0.4);
	facts_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_64_differs_and_the_rest_does_not),
		cmocka_unit_test(classes_are_compared_apart),
		cmocka_unit_test(without_a_majority_each_value_is_told),
		cmocka_unit_test(what_could_not_be_had_differs_where_nearly_all_have_it),
		cmocka_unit_test(a_device_that_is_not_there_is_told_once),
		cmocka_unit_test(a_baseline_remembers_what_its_class_agreed_about),
		cmocka_unit_test(a_table_reads_back_as_it_was_written),
		cmocka_unit_test(a_bad_file_is_refused_with_its_place),
		cmocka_unit_test(the_wire_counts_every_byte_once),
		cmocka_unit_test(small_messages_are_not_foreign_traffic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Counters of a node, read from planted files, and how two readings become records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "bench/core/clock.h"
#include "bench/core/counters.h"
#include "bench/core/tell.h"
#include "machine.h"

static const char net_head[] = "Inter-|   Receive                            |  Transmit\n"
                               " face |bytes    packets errs drop fifo frame compressed "
                               "multicast|bytes    packets errs drop fifo colls carrier "
                               "compressed\n";

#define PORT "/sys/class/infiniband/mlx5_0/ports/1/"

static const struct counter_value *find(const struct counters *c, const char *device,
                                        const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].device, device) == 0 && strcmp(c->v[i].name, name) == 0)
			return &c->v[i];
	return NULL;
}

static void expect(const struct counters *c, const char *device, const char *name, uint64_t value,
                   int width)
{
	const struct counter_value *v = find(c, device, name);

	if (!v)
		fail_msg("%s %s: not read", device, name);
	assert_int_equal(v->value, value);
	assert_int_equal(v->width, width);
}

static void a_counter_that_grows_counted_the_difference(void **state)
{
	(void)state;
	assert_int_equal(counter_moved(5, 12, 64), 7);
	assert_int_equal(counter_moved(5, 5, 32), 0);
	assert_int_equal(counter_moved(5, 12, 0), 7);
}

static void one_that_went_backwards_wrapped_at_its_width(void **state)
{
	(void)state;
	assert_int_equal(counter_moved(UINT32_MAX, 4, 32), 5);
	assert_int_equal(counter_moved(UINT32_MAX - 99, 100, 32), 200);
	/* Words of 4 bytes, given in bytes. */
	assert_int_equal(counter_moved((uint64_t)UINT32_MAX * 4, 40, 34), 44);
}

static void one_that_was_set_back_counted_nothing_that_is_known(void **state)
{
	(void)state;
	/* Most of the range would have gone by. */
	assert_int_equal(counter_moved(1000, 5, 32), 0);
	assert_int_equal(counter_moved(UINT64_MAX, 5, 64), 0);
	assert_int_equal(counter_moved(255, 5, 0), 0);
	/* Such a value has more bits. */
	assert_int_equal(counter_moved(UINT64_C(1) << 40, 5, 32), 0);
}

static void where_nothing_can_be_read_there_are_no_counters(void **state)
{
	struct counters c;

	(void)state;
	counters_read(&c);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.lifespan_ms, 0);
	counters_free(&c);
}

static void devices_are_read_by_the_names_that_sysfs_has(void **state)
{
	struct counters c;
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", net_head,
	         "    lo: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n"
	         "  eth0: 18446744073709551615 20 3 4 5 6 7 8 200 21 9 10 11 12 13 14\n"
	         "short: 1 2\n");
	machine_put(*state, "/proc/net/dev", text);
	machine_put(*state, "/sys/class/net/eth0/device/uevent", "");
	machine_put(*state, "/sys/class/net/eth0/statistics/rx_crc_errors", "77\n");
	machine_put(*state, "/sys/class/net/lo/statistics/rx_crc_errors", "78\n");
	counters_read(&c);
	expect(&c, "lo", "tx_bytes", 100, 64);
	expect(&c, "eth0", "rx_bytes", UINT64_MAX, 64);
	expect(&c, "eth0", "rx_errors", 3, 64);
	expect(&c, "eth0", "rx_dropped", 4, 64);
	expect(&c, "eth0", "tx_packets", 21, 64);
	expect(&c, "eth0", "tx_dropped", 10, 64);
	expect(&c, "eth0", "collisions", 12, 64);
	expect(&c, "short", "rx_packets", 2, 64);
	assert_null(find(&c, "short", "tx_bytes"));
	/* Several kinds of errors in one column: each has a file, of devices that are real. */
	expect(&c, "eth0", "rx_crc_errors", 77, 64);
	assert_null(find(&c, "lo", "rx_crc_errors"));
	for (size_t i = 1; i < c.n; i++)
		assert_true(strcmp(c.v[i - 1].device, c.v[i].device) < 0 ||
		            (strcmp(c.v[i - 1].device, c.v[i].device) == 0 &&
		             strcmp(c.v[i - 1].name, c.v[i].name) < 0));
	counters_free(&c);
}

static void protocols_are_read_by_the_names_of_their_columns(void **state)
{
	struct counters c;

	machine_put(*state, "/proc/net/snmp",
	            "Ip: Forwarding FragFails\nIp: 1 11\n"
	            "Tcp: MaxConn OutSegs RetransSegs New\nTcp: -1 5000 42 7\n"
	            "Udp: InErrors RcvbufErrors\nUdp: 3\nUdpLite: InErrors\nUdpLite: 99\n");
	machine_put(*state, "/proc/net/netstat",
	            "TcpExt: SyncookiesSent TCPTimeouts TCPLostRetransmit TCPSackRecovery\n"
	            "TcpExt: 0 6 7 8\nIpExt: InCEPkts\nIpExt: 9\nOdd: a b\nOther: 1 2\n");
	counters_read(&c);
	expect(&c, "", "ip.frag_fails", 11, 64);
	expect(&c, "", "tcp.out_segs", 5000, 64);
	expect(&c, "", "tcp.retrans_segs", 42, 64);
	expect(&c, "", "udp.in_errors", 3, 64);
	expect(&c, "", "tcp.timeouts", 6, 64);
	expect(&c, "", "tcp.lost_retransmit", 7, 64);
	expect(&c, "", "tcp.sack_recovery", 8, 64);
	expect(&c, "", "ip.in_ce_pkts", 9, 64);
	/* There were fewer values than names. */
	assert_null(find(&c, "", "udp.rcvbuf_errors"));
	counters_free(&c);
}

static void words_of_a_port_are_given_in_bytes(void **state)
{
	struct counters c;

	machine_put(*state, PORT "counters/port_xmit_data", "1000\n");
	machine_put(*state, PORT "counters/port_rcv_data", "4294967296\n");
	machine_put(*state, PORT "counters/port_xmit_packets", "10\n");
	counters_read(&c);
	expect(&c, "mlx5_0:1", "port_xmit_data", 4000, 34);
	expect(&c, "mlx5_0:1", "port_xmit_packets", 10, 32);
	/* More than 32 bits of words: it has more. */
	expect(&c, "mlx5_0:1", "port_rcv_data", UINT64_C(4294967296) * 4, 64);
	counters_free(&c);
	machine_put(*state, PORT "counters/unicast_xmit_packets", "10\n");
	machine_put(*state, PORT "counters/port_rcv_data", "18446744073709551615\n");
	counters_read(&c);
	expect(&c, "mlx5_0:1", "port_xmit_data", 4000, 64);
	expect(&c, "mlx5_0:1", "port_xmit_packets", 10, 64);
	expect(&c, "mlx5_0:1", "port_rcv_data", UINT64_MAX, 64);
	counters_free(&c);
}

static void widths_of_a_port_are_those_of_its_registers(void **state)
{
	struct counters c;

	machine_put(*state, PORT "counters/symbol_error", "65535\n");
	machine_put(*state, PORT "counters/VL15_dropped", "3\n");
	machine_put(*state, PORT "counters/port_xmit_wait", "N/A\n");
	machine_put(*state, PORT "hw_counters/out_of_sequence", "12\n");
	machine_put(*state, PORT "hw_counters/np_cnp_sent", "13\n");
	machine_put(*state, PORT "hw_counters/lifespan", "10\n");
	counters_read(&c);
	expect(&c, "mlx5_0:1", "symbol_error", 65535, 0);
	expect(&c, "mlx5_0:1", "vl15_dropped", 3, 0);
	expect(&c, "mlx5_0:1", "out_of_sequence", 12, 32);
	expect(&c, "mlx5_0:1", "np_cnp_sent", 13, 64);
	assert_null(find(&c, "mlx5_0:1", "port_xmit_wait"));
	assert_null(find(&c, "mlx5_0:1", "lifespan"));
	assert_int_equal(c.lifespan_ms, 10);
	counters_free(&c);
}

static void a_second_reading_waits_until_the_first_has_grown_old(void **state)
{
	struct counters first, again;
	uint64_t began = clock_ns();

	machine_put(*state, PORT "hw_counters/lifespan", "30\n");
	counters_read(&first);
	counters_read_again(&first, &again);
	assert_true(again.ns - began >= 30000000);
	counters_free(&first);
	counters_free(&again);
	/* Nobody waits for a driver that keeps its figures for an hour. */
	machine_put(*state, PORT "hw_counters/lifespan", "3600000\n");
	counters_read(&first);
	assert_int_equal(first.lifespan_ms, COUNTERS_LIFESPAN_MS);
	counters_free(&first);
}

static void only_so_many_counters_are_kept(void **state)
{
	static char text[COUNTERS_MAX * 8 + 1024];
	struct counters c;
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", net_head);

	machine_put(*state, "/proc/net/snmp", "Tcp: RetransSegs\nTcp: 42\n");
	for (int i = 0; i < COUNTERS_MAX / 2; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "v%d: 1 2\n", i);
	machine_put(*state, "/proc/net/dev", text);
	counters_read(&c);
	assert_true(c.n <= COUNTERS_MAX);
	/* What matters most is not among those that are left out. */
	expect(&c, "", "tcp.retrans_segs", 42, 64);
	counters_free(&c);
}

static void text_is(json_object *o, const char *key, const char *want)
{
	assert_string_equal(json_object_get_string(json_object_object_get(o, key)), want);
}

static void only_what_moved_is_told(void **state)
{
	struct counter_value before[] = { { "", "tcp.retrans_segs", 10, 64 },
		                          { "eth0", "gone", 1, 64 },
		                          { "eth0", "rx_errors", 4294967290, 32 },
		                          { "eth0", "tx_bytes", 5, 64 } },
	                     after[] = { { "", "tcp.retrans_segs", 12, 64 },
		                         { "eth0", "new", 9, 64 },
		                         { "eth0", "rx_errors", 4, 32 },
		                         { "eth0", "tx_bytes", 5, 64 } };
	const struct counters a = { .v = before, .n = 4 }, b = { .v = after, .n = 4 };
	json_object *arr = json_object_new_array(), *o;
	struct emit *e = emit_array_new(arr);

	(void)state;
	assert_int_equal(counters_tell(e, "n1", &a, &b, NULL), HB_OK);
	assert_int_equal(counters_tell_own(e, "n1", 100, 0, NULL), HB_OK);
	e->close(e);
	assert_int_equal(json_object_array_length(arr), 3);
	o = json_object_array_get_idx(arr, 0);
	text_is(o, "type", "counter");
	text_is(o, "endpoint", "n1");
	text_is(o, "name", "tcp.retrans_segs");
	text_is(o, "before", "10");
	text_is(o, "after", "12");
	text_is(o, "width", "64");
	o = json_object_array_get_idx(arr, 1);
	text_is(o, "endpoint", "n1/eth0");
	text_is(o, "name", "rx_errors");
	o = json_object_array_get_idx(arr, 2);
	text_is(o, "name", COUNTER_OWN_TX);
	text_is(o, "after", "100");
	js_put(arr);
}

static void facts_go_out_in_messages_that_fit_a_frame(void **state)
{
	json_object *arr = json_object_new_array(), *o;
	struct emit *e = emit_array_new(arr);
	struct facts_tell t;
	char value[2000];
	size_t n, facts = 0;

	(void)state;
	memset(value, '"', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	facts_tell_begin(&t, e, FACTS_NODE, NULL);
	for (int i = 0; i < 100; i++)
		fact_tell(&t.sink, "eth0", "net.addresses", i ? value : NULL, "a source");
	assert_int_equal(facts_tell_end(&t, NULL), HB_OK);
	e->close(e);
	n = json_object_array_length(arr);
	assert_true(n > 1);
	for (size_t i = 0; i < n; i++) {
		struct buf text = BUF_INIT;

		o = json_object_array_get_idx(arr, i);
		text_is(o, "msg", "facts");
		text_is(o, "about", "node");
		facts += json_object_array_length(json_object_object_get(o, "v"));
		js_write(o, JS_PLAIN, &text);
		assert_true(text.len <= 49 * 1024);
		buf_free(&text);
	}
	assert_int_equal(facts, 100);
	o = json_object_array_get_idx(
	        json_object_object_get(json_object_array_get_idx(arr, 0), "v"), 0);
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	                    "[\"eth0\",\"net.addresses\",null,\"a source\"]");
	js_put(arr);
}

int main(void)
{
#define PLANTED(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_that_grows_counted_the_difference),
		cmocka_unit_test(one_that_went_backwards_wrapped_at_its_width),
		cmocka_unit_test(one_that_was_set_back_counted_nothing_that_is_known),
		PLANTED(where_nothing_can_be_read_there_are_no_counters),
		PLANTED(devices_are_read_by_the_names_that_sysfs_has),
		PLANTED(protocols_are_read_by_the_names_of_their_columns),
		PLANTED(words_of_a_port_are_given_in_bytes),
		PLANTED(widths_of_a_port_are_those_of_its_registers),
		PLANTED(a_second_reading_waits_until_the_first_has_grown_old),
		PLANTED(only_so_many_counters_are_kept),
		cmocka_unit_test(only_what_moved_is_told),
		cmocka_unit_test(facts_go_out_in_messages_that_fit_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

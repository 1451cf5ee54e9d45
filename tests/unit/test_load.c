/* What a node did between two moments, read from planted files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/core/bench.h"
#include "bench/core/clock.h"
#include "bench/core/load.h"
#include "machine.h"

static const char net_head[] = "Inter-|   Receive                            |  Transmit\n"
                               " face |bytes    packets errs drop fifo frame compressed "
                               "multicast|bytes    packets errs\n";

static void put_net(const struct machine *m, const char *lines)
{
	char text[8192];

	snprintf(text, sizeof(text), "%s%s", net_head, lines);
	machine_put(m, "/proc/net/dev", text);
}

static void expect_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-6 * fmax(fabs(want), 1)))
		fail_msg("%.9g, expected %.9g", got, want);
}

static void cpu_time_is_that_of_all_processors_with_interrupts_apart(void **state)
{
	struct load_reading before, after;
	struct load_span s;

	machine_put(*state, "/proc/stat",
	            "cpu  100 10 50 9000 40 5 15 20 3 0\n"
	            "cpu0 50 5 25 4500 20 2 7 10 1 0\ncpu1 50 5 25 4500 20 3 8 10 2 0\n"
	            "intr 99 1 2\nctxt 5\n");
	machine_put(*state, "/proc/loadavg", "1.25 0.80 0.50 2/300 4242\n");
	load_read(&before);
	assert_int_equal(before.cores, 2);
	expect_near(before.busy_s, 1.8);
	expect_near(before.soft_s, 0.2);
	machine_put(*state, "/proc/stat",
	            "cpu  200 20 100 9500 40 6 24 30 3 0\ncpu0 1 1 1 1\ncpu1 1 1 1 1\n");
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	expect_near(s.busy_s, 1.7);
	expect_near(s.soft_s, 0.1);
	expect_near(s.cores, 2);
	expect_near(s.load1, 1.25);
	assert_true(s.seconds > 0);
	assert_int_equal(s.n_nics, 0);
}

static void own_cpu_time_is_what_this_process_used(void **state)
{
	struct load_reading before, after;
	struct load_span s;

	(void)state;
	load_read(&before);
	/* In system calls, which reach the process's account without waiting for a tick. */
	for (uint64_t until = clock_ns() + 50000000; clock_ns() < until;)
		;
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	assert_true(s.own_s > 0);
	assert_true(s.own_s < s.seconds * 1.5 + 0.05);
}

static void nothing_to_read_is_nothing_known(void **state)
{
	struct load_reading before, after;
	struct load_span s;

	(void)state;
	load_read(&before);
	load_read(&after);
	load_between(&before, &after, &(struct load_moved){ 5, 7 }, &s);
	expect_near(s.cores, 0);
	expect_near(s.busy_s, 0);
	expect_near(s.load1, 0);
	expect_near(s.tx, 5);
	expect_near(s.rx, 7);
	assert_int_equal(s.n_nics, 0);
}

static void devices_that_moved_most_come_first_and_loopback_never(void **state)
{
	struct load_reading before, after;
	struct load_span s;

	put_net(*state, "    lo: 500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n"
	                "  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n"
	                "  eth1:7 1 0 0 0 0 0 0 9 2 0 0 0 0 0 0\n"
	                "  idle: 4 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0\n");
	machine_put(*state, "/sys/class/net/eth0/device/vendor", "0x15b3\n");
	machine_put(*state, "/sys/class/net/eth0/speed", "25000\n");
	machine_put(*state, "/sys/class/net/eth1/device/vendor", "0x15b3\n");
	machine_put(*state, "/sys/class/net/eth1/speed", "-1\n");
	load_read(&before);
	put_net(*state, "    lo: 900500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n"
	                "  eth1:5007 1 0 0 0 0 0 0 9 2 0 0 0 0 0 0\n"
	                "  eth0: 1300 10 0 0 0 0 0 0 2400 20 0 0 0 0 0 0\n"
	                "  idle: 4 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0\n"
	                "  late: 4000 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0\n");
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	assert_int_equal(s.n_nics, 2);
	assert_string_equal(s.nics[0].name, "eth1");
	expect_near(s.nics[0].rx, 5000);
	expect_near(s.nics[0].max_Bps, 0);
	assert_string_equal(s.nics[1].name, "eth0");
	expect_near(s.nics[1].rx, 300);
	expect_near(s.nics[1].tx, 400);
	expect_near(s.nics[1].max_Bps, 25e9 / 8);
}

static void drivers_that_count_by_a_timer_are_known(void **state)
{
	const struct machine *m = *state;
	struct load_reading before, after;
	struct load_span s;
	char path[160];

	put_net(m, "  eth0: 0 1 0 0 0 0 0 0 0 1 0 0\n  eth1: 0 1 0 0 0 0 0 0 0 1 0 0\n");
	machine_put(m, "/sys/class/net/eth0/device/vendor", "0x14e4\n");
	machine_put(m, "/sys/class/net/eth1/device/vendor", "0x15b3\n");
	snprintf(path, sizeof(path), "%s/sys/class/net/eth0/device/driver", m->root);
	assert_int_equal(symlink("../../../bus/pci/drivers/bnxt_en", path), 0);
	snprintf(path, sizeof(path), "%s/sys/class/net/eth1/device/driver", m->root);
	assert_int_equal(symlink("../../../bus/pci/drivers/mlx5_core", path), 0);
	load_read(&before);
	put_net(m, "  eth0: 9 1 0 0 0 0 0 0 9 1 0 0\n  eth1: 5 1 0 0 0 0 0 0 5 1 0 0\n");
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	assert_int_equal(s.n_nics, 2);
	expect_near(s.nics[0].lag_s, LOAD_LAG_S);
	expect_near(s.nics[1].lag_s, 0);
}

static void made_up_devices_count_only_where_there_are_no_others(void **state)
{
	struct load_reading before, after;
	struct load_span s;

	machine_put(*state, "/sys/class/net/veth7/speed", "10000\n");
	put_net(*state, " veth7: 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n"
	                "  eth0: 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n");
	load_read(&before);
	put_net(*state, " veth7: 900 1 0 0 0 0 0 0 800 1 0 0 0 0 0 0\n"
	                "  eth0: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n");
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	assert_int_equal(s.n_nics, 2);
	assert_string_equal(s.nics[0].name, "veth7");
	expect_near(s.nics[0].max_Bps, 0); /* its speed is made up */
	machine_put(*state, "/sys/class/net/eth0/device/vendor", "0x8086\n");
	load_between(&before, &after, NULL, &s);
	assert_int_equal(s.n_nics, 1);
	assert_string_equal(s.nics[0].name, "eth0");
}

static void ports_of_infiniband_count_words_and_know_their_rate(void **state)
{
	static const char dir[] = "/sys/class/infiniband/mlx5_0/ports/1";
	struct load_reading before, after;
	struct load_span s;
	char path[128];

	machine_put(*state, "/sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
	machine_put(*state, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data",
	            "4294967290\n");
	machine_put(*state, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "10\n");
	load_read(&before);
	snprintf(path, sizeof(path), "%s/counters/port_rcv_data", dir);
	machine_put(*state, path, "4\n"); /* wrapped */
	snprintf(path, sizeof(path), "%s/counters/port_xmit_data", dir);
	machine_put(*state, path, "260\n");
	load_read(&after);
	load_between(&before, &after, NULL, &s);
	assert_int_equal(s.n_nics, 1);
	assert_string_equal(s.nics[0].name, "mlx5_0/1");
	expect_near(s.nics[0].rx, 40);
	expect_near(s.nics[0].tx, 1000);
	expect_near(s.nics[0].max_Bps, 100e9 / 8);
}

static void a_counter_wraps_at_32_bits_or_was_reset(void **state)
{
	(void)state;
	assert_int_equal(load_counted(5, 7), 2);
	assert_int_equal(load_counted(7, 7), 0);
	assert_int_equal(load_counted(UINT32_MAX, 0), 1);
	assert_int_equal(load_counted(UINT64_C(1) << 40, 5), 0);
	assert_int_equal(load_counted(0, UINT64_MAX), UINT64_MAX);
}

static void hostile_files_are_read_without_harm(void **state)
{
	static const char *const stats[] = {
		"",
		"cpu",
		"cpu  \n",
		"cpu  1 2\n",
		"cpu  -1 -2 -3 -4\n",
		"cpu  x y z\n",
		"\n\n\n",
		"cpu  99999999999999999999999 1 1 1 1 1 1 1\ncpu0 1\n",
	};
	static const char *const nets[] = {
		"eth0\n",
		":\n",
		": 1 2 3 4 5 6 7 8 9\n",
		"eth0: 1 2 3\n",
		"eth0: x\n",
		"a-name-that-is-much-longer-than-any-device-of-the-kernel-may-have: "
		"1 2 3 4 5 6 7 8 9 10\n",
		"eth0: 18446744073709551615 2 3 4 5 6 7 8 99999999999999999999999 10\n",
	};
	struct load_reading before, after;
	struct load_span s;
	char many[16384];
	size_t at = 0;

	machine_put(*state, "/sys/class/infiniband/x/ports/1/counters/port_rcv_data", "many\n");
	machine_put(*state, "/sys/class/infiniband/x/ports/1/counters/port_xmit_data", "-5\n");
	machine_put(*state, "/sys/class/infiniband/not-a-folder", "");
	machine_put(*state, "/proc/loadavg", "-3 nan\n");
	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++) {
		machine_put(*state, "/proc/stat", stats[i]);
		load_read(&before);
		assert_true(before.busy_s >= 0 && isfinite(before.busy_s));
		assert_true(before.load1 >= 0);
	}
	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++) {
		put_net(*state, "");
		load_read(&before);
		put_net(*state, nets[i]);
		load_read(&after);
		assert_true(after.n <= 1);
		load_between(&before, &after, NULL, &s);
		assert_int_equal(s.n_nics, 0);
	}
	for (int i = 0; i < 200; i++)
		at += (size_t)snprintf(many + at, sizeof(many) - at, "d%d: %d 0 0 0 0 0 0 0 1 0\n",
		                       i, i);
	machine_put(*state, "/proc/net/dev", many);
	load_read(&after);
	assert_int_equal(after.n, LOAD_DEVICES_MAX);
}

static void kernels_and_networks_have_ids_of_their_own(void **state)
{
	char kernel[2][LOAD_ID_MAX], network[2][LOAD_ID_MAX];

	load_identity(kernel[0], network[0]);
	assert_string_equal(kernel[0], "");
	assert_string_equal(network[0], "");
	machine_put(*state, "/proc/sys/kernel/random/boot_id",
	            "6c2a5bfa-3d3b-4a8e-9d5e-0123456789ab\n");
	load_identity(kernel[0], network[0]);
	assert_int_equal(strlen(kernel[0]), 16);
	machine_put(*state, "/proc/sys/kernel/random/boot_id",
	            "6c2a5bfa-3d3b-4a8e-9d5e-0123456789ac\n");
	load_identity(kernel[1], network[1]);
	assert_string_not_equal(kernel[0], kernel[1]);
}

/* ---- what is our own ---- */

static double thousand(const struct bench *b)
{
	return 1000.0 * (double)b->bytes;
}

static struct load_moved count(const struct bench_info *info, double (*moved)(const struct bench *),
                               int rank, int nranks, enum direction dir)
{
	const struct bench_ops ops = { .info = info, .bytes_moved = moved };
	const struct bench b = { .ops = &ops,
		                 .info = info,
		                 .bytes = 1 << 20,
		                 .rank = rank,
		                 .nranks = nranks,
		                 .dir = dir };
	struct load_moved m = { 0, 0 };

	load_count(&m, &b, 4);
	load_count(&m, &b, 6);
	return m;
}

static void own_bytes_go_the_way_that_the_shape_says(void **state)
{
	const double mib = 1 << 20;
	struct load_moved m;

	(void)state;
	m = count(&info_mpi_latency, NULL, 0, 2, DIR_BOTH);
	assert_true(m.tx >= 10 * mib && m.tx < 11 * mib);
	expect_near(m.rx, m.tx);
	m = count(&info_mpi_bandwidth, thousand, 0, 2, DIR_AB);
	assert_true(m.tx >= 10000 * mib && m.tx < 11000 * mib);
	assert_true(m.rx < 600 * mib);
	m = count(&info_mpi_bandwidth, thousand, 0, 2, DIR_BA);
	assert_true(m.rx >= 10000 * mib && m.tx < 600 * mib);
	m = count(&info_mpi_bandwidth, thousand, 1, 2, DIR_BA);
	assert_true(m.tx >= 10000 * mib && m.rx < 600 * mib);
	/* From above: whatever the algorithm, at most its logarithm times the buffer. */
	m = count(&info_mpi_allreduce, NULL, 3, 64, DIR_BOTH);
	assert_true(m.tx >= 60 * mib && m.tx < 80 * mib);
	m = count(&info_node_memory, thousand, 0, 1, DIR_BOTH);
	expect_near(m.tx + m.rx, 0);
}

int main(void)
{
#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine_new, machine_free)
	const struct CMUnitTest tests[] = {
		ON_MACHINE(cpu_time_is_that_of_all_processors_with_interrupts_apart),
		ON_MACHINE(own_cpu_time_is_what_this_process_used),
		ON_MACHINE(nothing_to_read_is_nothing_known),
		ON_MACHINE(devices_that_moved_most_come_first_and_loopback_never),
		ON_MACHINE(drivers_that_count_by_a_timer_are_known),
		ON_MACHINE(made_up_devices_count_only_where_there_are_no_others),
		ON_MACHINE(ports_of_infiniband_count_words_and_know_their_rate),
		cmocka_unit_test(a_counter_wraps_at_32_bits_or_was_reset),
		ON_MACHINE(hostile_files_are_read_without_harm),
		ON_MACHINE(kernels_and_networks_have_ids_of_their_own),
		cmocka_unit_test(own_bytes_go_the_way_that_the_shape_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

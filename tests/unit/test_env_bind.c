#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/core/env.h"
#include "machine.h"

#define ROUTE_HEAD "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\n"

/* A machine of two NUMA nodes; all processors that this process really may use are on node 1. */
struct setting {
	const struct machine *m;
	cpu_set_t before;
	int first, last;
};

static struct setting begin(void **state)
{
	struct setting s = { .m = *state, .first = -1 };
	char list[64];

	setenv(ENV_BIND, "nic", 1);
	assert_int_equal(sched_getaffinity(0, sizeof(s.before), &s.before), 0);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET((size_t)i, &s.before))
			continue;
		s.first = s.first < 0 ? i : s.first;
		s.last = i;
	}
	machine_put(s.m, "/sys/devices/system/node/node0/cpulist", "70000-70015\n");
	snprintf(list, sizeof(list), "60000,%d-%d,60008-60010\n", s.first, s.last);
	machine_put(s.m, "/sys/devices/system/node/node1/cpulist", list);
	return s;
}

/* What is decided, and the binding as it was before. */
static void expect(const struct setting *s, const char *want, bool bound)
{
	struct buf told = BUF_INIT;
	cpu_set_t now;

	env_bind_near_nic(&told);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(s->before), &s->before), 0);
	assert_string_equal(buf_text(&told), want);
	if (bound) {
		assert_int_equal(CPU_COUNT(&now), 1);
		assert_true(CPU_ISSET((size_t)s->first, &now));
	} else {
		assert_true(CPU_EQUAL(&now, &s->before));
	}
	buf_free(&told);
}

static void expect_near(const struct setting *s, const char *nic)
{
	char want[128];

	snprintf(want, sizeof(want), "%s on NUMA node 1: cpu %d", nic, s->first);
	expect(s, want, true);
}

static void add_rdma(const struct machine *m, const char *name, const char *state, const char *numa)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/state", name);
	machine_put(m, path, state);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/numa_node", name);
	machine_put(m, path, numa);
}

static void add_net(const struct machine *m, const char *name, const char *numa)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/numa_node", name);
	machine_put(m, path, numa);
}

static void who_does_not_ask_is_left_as_started(void **state)
{
	struct setting s = begin(state);

	add_rdma(s.m, "mlx5_0", "4: ACTIVE\n", "1\n");
	unsetenv(ENV_BIND);
	expect(&s, "", false);
	setenv(ENV_BIND, "", 1);
	expect(&s, "", false);
	setenv(ENV_BIND, "moon", 1);
	expect(&s, "'moon' is no known place: left as started", false);
}

static void where_nothing_is_known_nothing_changes(void **state)
{
	struct setting s = begin(state);

	expect(&s, "not known: left as started", false);
	/* A container: a device without a place, and a route over it. */
	add_net(s.m, "eth0", "-1\n");
	machine_put(s.m, "/proc/net/route",
	            ROUTE_HEAD "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\n");
	add_rdma(s.m, "mlx5_0", "4: ACTIVE\n", "-1\n");
	expect(&s, "not known: left as started", false);
}

static void the_first_rdma_device_with_an_active_port_counts(void **state)
{
	struct setting s = begin(state);

	add_rdma(s.m, "mlx5_0", "1: DOWN\n", "0\n");
	add_rdma(s.m, "mlx5_10", "4: ACTIVE\n", "0\n");
	add_rdma(s.m, "mlx5_2", "1: DOWN\n", "1\n");
	machine_put(s.m, "/sys/class/infiniband/mlx5_2/ports/2/state", "4: ACTIVE\n");
	add_net(s.m, "eth0", "0\n");
	machine_put(s.m, "/proc/net/route",
	            ROUTE_HEAD "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\n");
	expect_near(&s, "mlx5_2");
}

static void without_rdma_the_default_route_with_the_lowest_metric_counts(void **state)
{
	struct setting s = begin(state);

	add_rdma(s.m, "mlx5_0", "2: INIT\n", "0\n");
	add_net(s.m, "eth0", "0\n");
	add_net(s.m, "eth1", "1\n");
	add_net(s.m, "eth2", "0\n");
	machine_put(s.m, "/proc/net/route",
	            ROUTE_HEAD "eth0\t00000000\t0102A8C0\t0003\t0\t0\t200\t00000000\t0\n"
	                       "eth2\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\n"
	                       "eth2\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\n"
	                       "eth2\t00000000\t0102A8C0\t0002\t0\t0\t0\t00000000\t0\n"
	                       "eth1\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\n"
	                       "eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\n");
	expect_near(&s, "eth1");
}

static void a_node_none_of_whose_processors_may_be_used_changes_nothing(void **state)
{
	struct setting s = begin(state);

	add_rdma(s.m, "mlx5_0", "4: ACTIVE\n", "0\n");
	expect(&s, "mlx5_0 on NUMA node 0: none of its processors may be used, left as started",
	       false);
	add_rdma(s.m, "mlx5_0", "4: ACTIVE\n", "9\n"); /* no such node */
	expect(&s, "mlx5_0 on NUMA node 9: none of its processors may be used, left as started",
	       false);
}

static void lists_of_processors_that_make_no_sense_change_nothing(void **state)
{
	static const char *const bad[] = {
		"",          "\n",       "banana\n",
		"-\n",       "7000-\n",  "70000-60000\n",
		",0\n",      "70000,\n", "99999999999999999999-99999999999999999999999\n",
		"60000;0\n",
	};
	struct setting s = begin(state);

	add_rdma(s.m, "mlx5_0", "4: ACTIVE\n", "0\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		machine_put(s.m, "/sys/devices/system/node/node0/cpulist", bad[i]);
		expect(&s,
		       "mlx5_0 on NUMA node 0: none of its processors may be used, left as "
		       "started",
		       false);
	}
}

static void routes_that_make_no_sense_are_passed_over(void **state)
{
	struct setting s = begin(state);
	char *longest = calloc(1, 5001);

	assert_non_null(longest);
	memset(longest, 'x', 5000);
	add_net(s.m, "eth1", "1\n");
	machine_put(s.m, "/proc/net/route", longest);
	expect(&s, "not known: left as started", false);
	machine_put(s.m, "/proc/net/route",
	            ROUTE_HEAD "\n\t00000000\n../../x\t0\t0\t3\t0\t0\t0\t0\n"
	                       "eth0\t0\t0\t3\t0\t0\n"
	                       "eth0\t0\t0\t3\t0\t0\t99999999999999999999999999\t0\n"
	                       "eth1\t0\t0\t3\t0\t0\t7\t0\n");
	expect_near(&s, "eth1");
	free(longest);
}

#define WITH_MACHINE(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(who_does_not_ask_is_left_as_started),
		WITH_MACHINE(where_nothing_is_known_nothing_changes),
		WITH_MACHINE(the_first_rdma_device_with_an_active_port_counts),
		WITH_MACHINE(without_rdma_the_default_route_with_the_lowest_metric_counts),
		WITH_MACHINE(a_node_none_of_whose_processors_may_be_used_changes_nothing),
		WITH_MACHINE(lists_of_processors_that_make_no_sense_change_nothing),
		WITH_MACHINE(routes_that_make_no_sense_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/record.h"
#include "bench/core/env.h"
#include "machine.h"

static void add_cpu(const struct machine *m, int cpu, int package, int core)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
	         cpu);
	snprintf(text, sizeof(text), "%d\n", package);
	machine_put(m, path, text);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	snprintf(text, sizeof(text), "%d\n", core);
	machine_put(m, path, text);
}

static void add_hca(const struct machine *m, const char *name, const char *type, const char *rate)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/hca_type", name);
	machine_put(m, path, type);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/max_link_speed", name);
	machine_put(m, path, "16.0 GT/s PCIe\n");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/max_link_width", name);
	machine_put(m, path, "16\n");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/rate", name);
	machine_put(m, path, rate);
}

static void add_pci(const struct machine *m, const char *at, const char *class_code,
                    const char *vendor, const char *device)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", at);
	machine_put(m, path, class_code);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", at);
	machine_put(m, path, vendor);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device", at);
	machine_put(m, path, device);
}

static void add_memory(const struct machine *m, unsigned long long mib)
{
	char text[128];

	snprintf(text, sizeof(text), "MemTotal:   %llu kB\nMemAvailable:  %llu kB\n", mib * 1024,
	         mib * 512);
	machine_put(m, "/proc/meminfo", text);
}

static struct env_node read_node(void)
{
	struct hb_err err = { HB_OK, "" };
	struct env_node node;

	if (env_node_read(&node, &err) < 0)
		fail_msg("%s", err.text);
	return node;
}

static void a_big_node_is_named_by_what_it_could_do(void **state)
{
	const struct machine *m = *state;
	struct env_node node;

	machine_put(m, "/proc/cpuinfo",
	            "processor\t: 0\nvendor_id\t: GenuineIntel\n"
	            "model name\t: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz\n");
	for (int cpu = 0; cpu < 16; cpu++) /* 2 sockets, 4 cores each, 2 threads a core */
		add_cpu(m, cpu, cpu / 4 % 2, cpu % 4);
	machine_put(m, "/sys/devices/system/node/node0/cpulist", "0-3\n");
	machine_put(m, "/sys/devices/system/node/node1/cpulist", "4-7\n");
	machine_put(m, "/sys/devices/system/node/possible", "0-1\n");
	add_memory(m, 503ull * 1024);
	add_hca(m, "mlx5_0", "MT4123\n", "200 Gb/sec (4X HDR)\n");
	add_hca(m, "mlx5_1", "MT4123\n", "25 Gb/sec (1X EDR)\n"); /* a bad cable */
	add_pci(m, "0000:01:00.0", "0x030200\n", "0x10de\n", "0x2330\n");
	add_pci(m, "0000:02:00.0", "0x030200\n", "0x10de\n", "0x2330\n");
	add_pci(m, "0000:03:00.0", "0x030000\n", "0x1a03\n", "0x2000\n"); /* a console */
	add_pci(m, "0000:04:00.0", "0x020000\n", "0x15b3\n", "0x101b\n");
	setenv("HPCBENCH_NODE", "n17", 1);
	node = read_node();
	assert_string_equal(node.host, "n17");
	assert_string_equal(node.hw, "2x Intel Xeon Platinum 8380 4c | 512 GiB"
	                             " | 2x MT4123 PCIe 16.0 GT/s x16 | 2x GPU 10de:2330");
	assert_int_equal(node.sockets, 2);
	assert_int_equal(node.cores, 8);
	assert_int_equal(node.numa_nodes, 2);
	assert_true(node.memory_bytes == 503ull << 30);
	assert_true(strlen(node.kernel) > 0);
	assert_true(env_memory_available() == 503ull << 29);
}

static void one_lost_module_of_sixteen_shows(void **state)
{
	static const struct {
		unsigned long long mib;
		const char *text;
	} rows[] = {
		{ 515072, "512 GiB" },   { 482304, "480 GiB" }, { 386048, "384 GiB" },
		{ 1031168, "1024 GiB" }, { 773120, "768 GiB" }, { 64000, "64 GiB" },
		{ 7600, "7.5 GiB" },
	};
	const struct machine *m = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		add_memory(m, rows[i].mib);
		if (!strstr(read_node().hw, rows[i].text))
			fail_msg("%llu MiB: '%s' has no '%s'", rows[i].mib, read_node().hw,
			         rows[i].text);
	}
}

static void a_machine_that_tells_nothing_still_has_a_class(void **state)
{
	struct env_node node;

	(void)state;
	node = read_node();
	assert_true(strlen(node.hw) > 0);
	assert_true(strlen(node.host) > 0);
	assert_int_equal(node.memory_bytes, 0);
	assert_int_equal(env_memory_available(), 0);
}

static void absurd_files_do_no_harm(void **state)
{
	const struct machine *m = *state;
	char *longest = calloc(1, 100001);

	assert_non_null(longest);
	memset(longest, 'x', 100000);
	machine_put(m, "/proc/cpuinfo", longest);
	machine_put(m, "/proc/meminfo",
	            "MemTotal: 99999999999999999999999999 kB\nMemAvailable\n:::\n");
	add_cpu(m, 0, -5, 2000000000);
	machine_put(m, "/sys/devices/system/cpu/cpu1/topology/core_id", "banana");
	machine_put(m, "/sys/devices/system/cpu/cpu999999999999999999999/topology/core_id", "0");
	machine_put(m, "/sys/class/infiniband/mlx5_0/hca_type", longest);
	machine_put(m, "/sys/class/infiniband/mlx5_0/device/max_link_speed", "");
	machine_put(m, "/sys/class/infiniband/mlx5_0/device/max_link_width", "-7");
	add_pci(m, "0000:01:00.0", longest, "", "0x");
	machine_put(m, "/sys/bus/pci/devices/0000:02:00.0/class", "0x030200");
	for (int i = 0; i < 200; i++) {
		char at[32];

		snprintf(at, sizeof(at), "0000:%02x:01.0", (unsigned)i);
		add_pci(m, at, "0x030200", "0x10de", i % 2 ? "0x1" : "0x2");
	}
	assert_true(strlen(read_node().hw) > 0);
	free(longest);
}

static void the_node_is_named_by_slurm_where_it_runs(void **state)
{
	char name[300];

	(void)state;
	setenv("SLURMD_NODENAME", "gpu07", 1);
	assert_string_equal(read_node().host, "gpu07");
	unsetenv("SLURMD_NODENAME");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	setenv("HPCBENCH_NODE", name, 1);
	assert_int_equal(strlen(read_node().host), sizeof(((struct env_node *)0)->host) - 1);
}

/* From here on: the real machine. */
static void this_machine_is_seen(void **state)
{
	struct env_node node = read_node();
	int *cpus = NULL, n = 0;

	(void)state;
	assert_true(strlen(node.hw) > 0);
	assert_int_equal(env_core_list(&cpus, &n, NULL), HB_OK);
	assert_true(n >= 1);
	for (int i = 1; i < n; i++)
		assert_true(cpus[i] != cpus[i - 1]);
	free(cpus);
}

static void a_thread_is_bound_to_the_core_it_asks_for(void **state)
{
	struct hb_err err = { HB_OK, "" };
	cpu_set_t before, set;
	int *cpus, n;

	(void)state;
	assert_int_equal(env_core_list(&cpus, &n, &err), HB_OK);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int k = 0; k < n; k++) {
		struct buf text = BUF_INIT;
		int rc = env_bind_cpu(cpus[k], &err);

		if (rc == HB_E_UNSUPPORTED)
			skip();
		assert_int_equal(rc, HB_OK);
		assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
		assert_int_equal(CPU_COUNT(&set), 1);
		assert_true(CPU_ISSET((size_t)cpus[k], &set));
		assert_int_equal(env_binding_text(&text, &err), HB_OK);
		if (CPU_COUNT(&before) > 1)
			assert_string_not_equal(buf_text(&text), "not bound");
		buf_free(&text);
		assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	}
	free(cpus);
}

static void a_processor_that_is_not_there_is_refused(void **state)
{
	struct hb_err err = { HB_OK, "" };

	(void)state;
	assert_int_equal(env_bind_cpu(60000, &err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "60000"));
}

static void the_fingerprint_names_its_sources(void **state)
{
	json_object *arr = json_object_new_array();
	struct js_at at = JS_AT_TOP("fact");

	(void)state;
	env_facts("n1", arr);
	assert_true(json_object_array_length(arr) >= 3);
	for (size_t i = 0; i < json_object_array_length(arr); i++) {
		json_object *o = json_object_array_get_idx(arr, i);
		const char *key = "", *source = "", *value = "";

		assert_int_equal(record_type_of(o), REC_FACT);
		assert_int_equal(js_get_str(o, &at, "key", JS_REQUIRED, &key, NULL), HB_OK);
		assert_int_equal(js_get_str(o, &at, "source", JS_REQUIRED, &source, NULL), HB_OK);
		assert_int_equal(js_get_str(o, &at, "value", JS_REQUIRED, &value, NULL), HB_OK);
		assert_int_equal(strncmp(key, "sw.", 3), 0);
		assert_true(*source && *value);
	}
	js_put(arr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_big_node_is_named_by_what_it_could_do,
		                                machine_new, machine_free),
		cmocka_unit_test_setup_teardown(one_lost_module_of_sixteen_shows, machine_new,
		                                machine_free),
		cmocka_unit_test_setup_teardown(a_machine_that_tells_nothing_still_has_a_class,
		                                machine_new, machine_free),
		cmocka_unit_test_setup_teardown(absurd_files_do_no_harm, machine_new, machine_free),
		cmocka_unit_test_setup_teardown(the_node_is_named_by_slurm_where_it_runs,
		                                machine_new, machine_free),
		cmocka_unit_test(this_machine_is_seen),
		cmocka_unit_test(a_thread_is_bound_to_the_core_it_asks_for),
		cmocka_unit_test(a_processor_that_is_not_there_is_refused),
		cmocka_unit_test(the_fingerprint_names_its_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

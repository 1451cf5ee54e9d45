#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/facts/facts.h"
#include "facts_heard.h"
#include "machine_text.h"

/* The facts of a captured machine, all of them sound. */
static struct heard facts_of(void **state, const char *file)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	machine_unpack(*state, file);
	facts_node(&s);
	heard_check(&h);
	return h;
}

static void a_node_of_eight_gpus_is_known_by_all_it_has(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	heard_is(&h, "", "sw.os", "Rocky Linux 9.4 (Blue Onyx)");
	heard_is(&h, "", "sw.kernel", "5.14.0-427.13.1.el9_4.x86_64");
	heard_is(&h, "", "sw.nvidia", "550.90.07");
	heard_is(&h, "", "sw.mlx5", "24.04-0.6.6");
	heard_is(&h, "", "cpu.sockets", "2");
	heard_is(&h, "", "cpu.cores", "112");
	heard_is(&h, "", "cpu.threads", "1");
	heard_is(&h, "", "cpu.allowed", "56");
	heard_is(&h, "", "cpu.isolated", "0");
	heard_is(&h, "", "cpu.governor", "performance");
	heard_is(&h, "", "cpu.boost", "yes");
	heard_is(&h, "", "cpu.limit_hz", "3800000000");
	heard_is(&h, "", "cpu.hz", "3000000000");
	heard_is(&h, "", "cpu.cstates", "C1,POLL");
	heard_is(&h, "", "cpu.numa_per_socket", "1");
	heard_is(&h, "", "mem.installed_bytes", "2199023255552");
	heard_is(&h, "", "mem.swap_used_bytes", "1048576");
	heard_is(&h, "", "mem.thp", "always");
	heard_is(&h, "", "mem.ecc_corrected", "7");
	heard_is(&h, "", "ip.default_device", "eth0");
	heard_is(&h, "", "ip.tcp_rmem_max_bytes", "6291456");
	heard_is(&h, "eth0", "net.kind", "physical");
	heard_is(&h, "eth0", "net.speed_bps", "25000000000");
	heard_is(&h, "eth0", "net.driver", "bnxt_en");
	heard_is(&h, "eth0", "net.queues", "16");
	heard_is(&h, "eth0", "net.numa", "1");
	heard_is(&h, "eth0", "net.pcie_width", "8");
	heard_is(&h, "ib3", "net.kind", "ipoib");
	heard_nothing(&h, "lo", "net.mtu");
	heard_is(&h, "mlx5_5:1", "rdma.state", "ACTIVE");
	heard_is(&h, "mlx5_5:1", "rdma.rate_bps", "400000000000");
	heard_is(&h, "mlx5_5:1", "rdma.width", "4");
	heard_is(&h, "mlx5_5:1", "rdma.netdev", "ib5");
	heard_is(&h, "mlx5_5:1", "rdma.netdev_mtu", "4092");
	heard_is(&h, "mlx5_5:1", "rdma.numa", "1");
	heard_is(&h, "mlx5_5:1", "rdma.lid", "421");
	heard_is(&h, "mlx5_5:1", "rdma.pci", "0000:58:00.0");
	heard_is(&h, "mlx5_5:1", "rdma.pcie_gts", "32");
	heard_is(&h, "mlx5_5:1", "rdma.board", "MT_0000000838");
	heard_unknown(&h, "mlx5_5:1", "rdma.active_mtu", "ibv_devinfo");
	heard_nothing(&h, "mlx5_5:1", "rdma.gid_routable");
	heard_is(&h, "gpu7", "gpu.model", "NVIDIA H100 80GB HBM3");
	heard_is(&h, "gpu7", "gpu.pci", "0000:7b:00.0");
	heard_is(&h, "gpu0", "gpu.pcie_gts", "2.5");
	heard_is(&h, "gpu0", "gpu.pcie_gts_max", "32");
	heard_nothing(&h, "gpu8", "gpu.pci");
	heard_free(&h);
}

static void threads_of_a_core_and_cores_of_a_package_count_heat_once(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	/* 112 cores of one, two packages of seven. */
	heard_is(&h, "", "cpu.throttles", "126");
	heard_free(&h);
}

static void the_command_line_is_told_without_disks_and_secrets(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	heard_is(&h, "", "kernel.cmdline",
	         "ro iommu=pt intel_iommu=on mitigations=off console=ttyS0");
	heard_is(&h, "", "kernel.iommu", "passthrough");
	heard_is(&h, "", "kernel.iommu_groups", "41");
	heard_free(&h);
}

static void a_quota_of_a_group_above_counts(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	heard_is(&h, "", "cgroup.version", "2");
	heard_is(&h, "", "cgroup.cpu_cores", "56");
	heard_is(&h, "", "cgroup.memory_bytes", "1073741824000");
	heard_is(&h, "", "cgroup.throttled_s", "2.5");
	heard_is(&h, "", "limit.memlock_bytes", "unlimited");
	heard_is(&h, "", "limit.nofile", "131072");
	heard_is(&h, "", "user.uid", "1004");
	heard_is(&h, "", "user.groups", "27,2001");
	heard_is(&h, "", "time.daemon", "chronyd");
	heard_free(&h);
}

static void interrupts_are_spread_over_those_that_took_some(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	heard_is(&h, "eth0", "net.irq_cpus", "2");
	heard_nothing(&h, "ib0", "net.irq_cpus");
	heard_free(&h);
}

static void what_calls_answered_is_told_again_and_nothing_of_this_machine(void **state)
{
	struct heard h = facts_of(state, "ndr-8gpu.txt");

	heard_is(&h, "", "time.synchronized", "yes");
	heard_is(&h, "", "name.own", "10.0.7.7");
	heard_is(&h, "eth0", "net.ring_rx", "511");
	heard_is(&h, "gpu3", "gpu.nvlinks", "17");
	/* Read from the tree, not from what was told; libraries are of the process that reads. */
	heard_is(&h, "eth0", "net.mtu", "1500");
	heard_nothing(&h, "lib:libc.so.6", "lib.path");
	heard_nothing(&h, "", "user.name");
	heard_nothing(&h, "fs:/tmp", "fs.type");
	heard_nothing(&h, "eth0", "net.offloads");
	heard_free(&h);
}

static void a_module_that_nobody_took_in_is_loaded_and_no_more(void **state)
{
	struct heard h = facts_of(state, "roce-bond.txt");

	heard_is(&h, "", "kernel.module.nvidia_peermem", "loaded");
	heard_is(&h, "", "kernel.module.nvidia", "no");
	heard_nothing(&h, "", "sw.mlx5");
	heard_free(&h);
	h = facts_of(state, "ndr-8gpu.txt");
	heard_is(&h, "", "kernel.module.nvidia_peermem", "registered");
	heard_free(&h);
}

static void a_bond_tells_its_mode_and_how_many_members_are_up(void **state)
{
	struct heard h = facts_of(state, "roce-bond.txt");

	heard_is(&h, "bond0", "net.kind", "bond");
	heard_is(&h, "bond0", "net.bond", "802.3ad:1/2");
	heard_is(&h, "bond0", "net.master", "none");
	heard_is(&h, "ens1f1np1", "net.master", "bond0");
	heard_is(&h, "ens1f1np1", "net.state", "down");
	heard_is(&h, "ens1f0np0", "net.driver", "mlx5_core");
	heard_is(&h, "br0", "net.kind", "bridge");
	heard_is(&h, "bond0.42", "net.kind", "vlan");
	heard_is(&h, "veth7", "net.kind", "veth");
	heard_nothing(&h, "bonding_masters", "net.kind");
	heard_is(&h, "mlx5_bond_0:1", "rdma.netdev", "bond0");
	heard_is(&h, "mlx5_bond_0:1", "rdma.active_mtu", "4096");
	heard_is(&h, "mlx5_bond_0:1", "rdma.gid_types", "IB/RoCE v1,RoCE v2");
	heard_is(&h, "mlx5_bond_0:1", "rdma.gid_routable", "3");
	heard_nothing(&h, "mlx5_bond_0:1", "rdma.lid");
	heard_free(&h);
}

static void one_core_that_is_held_back_shows(void **state)
{
	struct heard h = facts_of(state, "roce-bond.txt");

	heard_is(&h, "", "cpu.governor", "performance,powersave");
	heard_is(&h, "", "cpu.limit_hz", "1500000000");
	heard_is(&h, "", "cpu.max_hz", "3900000000");
	heard_is(&h, "", "cpu.boost", "no");
	heard_is(&h, "", "cpu.cores", "64");
	heard_is(&h, "", "cpu.threads", "1");
	heard_is(&h, "", "cpu.present", "128");
	heard_is(&h, "", "kernel.iommu", "on");
	heard_free(&h);
}

static void a_port_of_one_lane_says_so(void **state)
{
	struct heard h = facts_of(state, "hdr-1x.txt");

	heard_is(&h, "mlx5_0:1", "rdma.width", "1");
	heard_is(&h, "mlx5_0:1", "rdma.rate_bps", "50000000000");
	heard_is(&h, "mlx5_0:2", "rdma.state", "DOWN");
	heard_is(&h, "mlx5_0:2", "rdma.phys_state", "Polling");
	heard_nothing(&h, "mlx5_0:1", "rdma.pci");
	heard_free(&h);
}

static void half_the_lanes_of_a_slot_show_at_both_names_of_the_adapter(void **state)
{
	struct heard h = facts_of(state, "half-width.txt");
	static const char *const names[][2] = { { "eth2", "net" }, { "mlx5_2:1", "rdma" } };

	for (size_t i = 0; i < 2; i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s.pcie_width", names[i][1]);
		heard_is(&h, names[i][0], key, "8");
		snprintf(key, sizeof(key), "%s.pcie_width_max", names[i][1]);
		heard_is(&h, names[i][0], key, "16");
		snprintf(key, sizeof(key), "%s.pcie_gts", names[i][1]);
		heard_is(&h, names[i][0], key, "8");
		snprintf(key, sizeof(key), "%s.numa", names[i][1]);
		heard_nothing(&h, names[i][0], key);
	}
	heard_is(&h, "mlx5_2:1", "rdma.netdev", "eth2");
	heard_free(&h);
}

static void soft_roce_takes_its_mtu_from_the_device_below(void **state)
{
	struct heard h = facts_of(state, "soft-roce.txt");
	const struct heard_fact *f = heard_find(&h, "rxe0:1", "rdma.active_mtu");

	heard_is(&h, "rxe0:1", "rdma.netdev", "eth0");
	heard_is(&h, "rxe0:1", "rdma.active_mtu", "1024");
	assert_non_null(strstr(f->source, "/sys/class/net/eth0/mtu"));
	heard_is(&h, "rxe0:1", "rdma.gid_routable", "none");
	heard_is(&h, "rxe0:1", "rdma.rate_bps", "2500000000");
	heard_nothing(&h, "rxe0:1", "rdma.pcie_width");
	heard_is(&h, "", "kernel.module.rdma_rxe", "loaded");
	heard_free(&h);
}

static void sockets_cut_into_four_and_a_quota_of_the_first_kind(void **state)
{
	struct heard h = facts_of(state, "nps4.txt");

	heard_is(&h, "", "cpu.numa_nodes", "8");
	heard_is(&h, "", "cpu.numa_per_socket", "4");
	heard_is(&h, "", "cpu.cores", "128");
	heard_is(&h, "", "cpu.threads", "2");
	heard_is(&h, "", "cpu.isolated", "3");
	heard_is(&h, "", "mem.installed_bytes", "549755813888");
	heard_is(&h, "", "mem.per_numa_bytes",
	         "68719476736,68719476736,68719476736,68719476736,68719476736,68719476736,"
	         "68719476736,68719476736");
	heard_is(&h, "", "cgroup.version", "1");
	heard_is(&h, "", "cgroup.cpu_cores", "1.5");
	heard_is(&h, "", "cgroup.memory_bytes", "17179869184");
	heard_is(&h, "", "cgroup.throttled_s", "1.25");
	heard_is(&h, "", "limit.memlock_bytes", "65536");
	heard_is(&h, "", "time.daemon", "ntpd");
	heard_is(&h, "eno1", "net.driver", "ixgbe");
	heard_free(&h);
}

static void a_small_machine_tells_little_and_why(void **state)
{
	struct heard h = facts_of(state, "small-vm.txt");

	heard_is(&h, "", "kernel.virtual", "kvm");
	heard_is(&h, "", "kernel.iommu", "off");
	heard_is(&h, "eth0", "net.driver", "virtio_net");
	heard_nothing(&h, "eth0", "net.speed_bps");
	heard_nothing(&h, "eth0", "net.pci");
	heard_unknown(&h, "", "cpu.online", "No such file");
	heard_unknown(&h, "", "limit.memlock_bytes", "No such file");
	heard_unknown(&h, "", "mem.ecc_corrected", "no memory controller");
	heard_unknown(&h, "", "time.daemon", "not all");
	heard_nothing(&h, "", "cgroup.cpu_cores");
	heard_is(&h, "", "cgroup.version", "none");
	heard_free(&h);
}

#define on_a_machine(test) cmocka_unit_test_setup_teardown(test, machine_new, machine_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_a_machine(a_node_of_eight_gpus_is_known_by_all_it_has),
		on_a_machine(threads_of_a_core_and_cores_of_a_package_count_heat_once),
		on_a_machine(the_command_line_is_told_without_disks_and_secrets),
		on_a_machine(a_quota_of_a_group_above_counts),
		on_a_machine(interrupts_are_spread_over_those_that_took_some),
		on_a_machine(what_calls_answered_is_told_again_and_nothing_of_this_machine),
		on_a_machine(a_module_that_nobody_took_in_is_loaded_and_no_more),
		on_a_machine(a_bond_tells_its_mode_and_how_many_members_are_up),
		on_a_machine(one_core_that_is_held_back_shows),
		on_a_machine(a_port_of_one_lane_says_so),
		on_a_machine(half_the_lanes_of_a_slot_show_at_both_names_of_the_adapter),
		on_a_machine(soft_roce_takes_its_mtu_from_the_device_below),
		on_a_machine(sockets_cut_into_four_and_a_quota_of_the_first_kind),
		on_a_machine(a_small_machine_tells_little_and_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

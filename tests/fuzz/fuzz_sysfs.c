/*
 * What the kernel tells: a small machine below HPCBENCH_SYSFS_ROOT whose files hold the parts of
 * the input, one after the other.
 */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "bench/core/env.h"
#include "bench/core/env_parts.h"
#include "bench/core/load.h"
#include "bench/facts/facts.h"
#include "tests/fuzz/fuzz.h"

static const char *const files[] = {
	"proc/cpuinfo",
	"proc/meminfo",
	"sys/devices/system/cpu/cpu0/topology/physical_package_id",
	"sys/devices/system/cpu/cpu0/topology/core_id",
	"sys/devices/system/cpu/cpu1/topology/core_id",
	"sys/devices/system/node/node0/cpulist",
	"sys/class/infiniband/mlx5_0/hca_type",
	"sys/class/infiniband/mlx5_0/device/max_link_speed",
	"sys/class/infiniband/mlx5_0/device/max_link_width",
	"sys/class/infiniband/mlx5_0/device/numa_node",
	"sys/class/infiniband/mlx5_0/ports/1/state",
	"sys/bus/pci/devices/0000:01:00.0/class",
	"sys/bus/pci/devices/0000:01:00.0/vendor",
	"sys/bus/pci/devices/0000:01:00.0/device",
	"proc/net/route",
	"sys/class/net/eth0/device/numa_node",
	"proc/stat",
	"proc/loadavg",
	"proc/net/dev",
	"sys/class/net/eth0/speed",
	"sys/class/infiniband/mlx5_0/ports/1/rate",
	"sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data",
	"sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data",
	"proc/cmdline",
	"proc/interrupts",
	"proc/self/cgroup",
	"proc/self/mountinfo",
	"proc/self/limits",
	"proc/self/status",
	"sys/fs/cgroup/job/cpu.max",
	"sys/fs/cgroup/job/cpu.stat",
	"etc/os-release",
	"hpcbench/facts.json",
	"sys/class/infiniband/mlx5_0/ports/1/gids/0",
	"sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0",
	"sys/class/net/eth0/mtu",
	"sys/class/net/eth0/uevent",
	"sys/class/net/eth0/bonding/slaves",
	"sys/devices/system/cpu/isolated",
	"sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq",
	"sys/devices/system/node/node0/meminfo",
	"sys/kernel/mm/transparent_hugepage/enabled",
};

static void make_folders(void)
{
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), files[i]);
		for (char *p = path + strlen(fuzz_folder()) + 1; *p; p++) {
			if (*p != '/')
				continue;
			*p = '\0';
			FUZZ_CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
			*p = '/';
		}
	}
	setenv("HPCBENCH_SYSFS_ROOT", fuzz_folder(), 1);
	setenv(ENV_BIND, "nic", 1);
	setenv("HPCBENCH_NODE", "n1", 1);
}

/* From an idle moment to what the files say now. */
static void check_load(void)
{
	static const struct load_moved own = { 0, 0 };
	struct load_reading before = { 0 }, after;
	struct load_span span;

	load_read(&after);
	FUZZ_CHECK(isfinite(after.busy_s) && isfinite(after.load1) && after.cores >= 0);
	FUZZ_CHECK(after.n <= LOAD_DEVICES_MAX);
	load_between(&before, &after, &own, &span);
	FUZZ_CHECK(isfinite(span.busy_s) && span.busy_s >= 0);
	FUZZ_CHECK(span.n_nics >= 0 && span.n_nics <= LOAD_NICS_MAX);
	for (int i = 0; i < span.n_nics; i++)
		FUZZ_CHECK(isfinite(span.nics[i].rx) && isfinite(span.nics[i].max_Bps));
}

static void hear(void *ctx, const char *device, const char *key, const char *value,
                 const char *source)
{
	size_t *n = ctx;

	(*n)++;
	FUZZ_CHECK(strlen(device) < 300 && *key && *source);
	FUZZ_CHECK(!value || strlen(value) < 1600);
}

static void check_facts(void)
{
	size_t n = 0;
	const struct fact_sink s = { hear, &n };

	facts_node(&s);
	FUZZ_CHECK(n > 0 && n <= 8192);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct buf told = BUF_INIT;
	struct env_node node;

	if (!getenv("HPCBENCH_SYSFS_ROOT"))
		make_folders();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct fuzz_part part = fuzz_next_part(&data, &size);
		fuzz_put_file(files[i], part.text, part.len);
	}
	FUZZ_CHECK(fuzz_ok(env_node_read(&node, &err), &err));
	FUZZ_CHECK(node.hw[0] && strnlen(node.hw, sizeof(node.hw)) < sizeof(node.hw));
	FUZZ_CHECK(node.cores >= 1 && node.cores <= 2 && node.sockets >= 1 && node.sockets <= 2);
	env_memory_available();
	check_load();
	check_facts();
	env_bind_near_nic(&told);
	buf_free(&told);
}

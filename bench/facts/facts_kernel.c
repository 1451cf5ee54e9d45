/* The kernel: its command line, IOMMU, what it runs on, which modules are there. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/base/num.h"
#include "bench/facts/facts_parts.h"

enum { GROUPS_MAX = 4096, GROUPS_LOOKED_AT = 32 };

/* About disks or one node's own addresses, which differ without meaning, or not to be told. */
static bool is_told(const char *word)
{
	static const char *const own[] = {
		"root=",     "rootflags=",        "rootfstype=", "BOOT_IMAGE=", "resume=",
		"initrd=",   "rd.luks",           "rd.lvm",      "rd.md",       "cryptdevice=",
		"ip=",       "ifname=",           "BOOTIF=",     "nfsroot=",    "netroot=",
		"hostname=", "systemd.hostname=", "inst.ks=",    "ks=",         "swap=",
		NULL
	};

	return !facts_begins(word, own) && !strcasestr(word, "uuid") && !facts_is_secret(word);
}

/* What stands behind "--" is for the first process. */
static void tell_cmdline(const struct fact_sink *s, struct buf *told)
{
	static const char path[] = "/proc/cmdline";
	struct buf text = BUF_INIT;
	char word[4 * FACTS_LINE];
	const char *at, *end;
	int failed = facts_file(path, FACTS_SMALL, &text);

	at = buf_text(&text);
	end = at + strlen(at);
	while (facts_next_word(&at, end, word, sizeof(word)) && strcmp(word, "--") != 0)
		if (is_told(word))
			buf_printf(told, "%s%s", told->len ? " " : "", word);
	if (failed)
		fact_tell_errno(s, "", "kernel.cmdline", path, failed);
	else
		fact_tell(s, "", "kernel.cmdline", buf_text(told), path);
	buf_free(&text);
}

/* A group's type: identity is passed through, all others are translated. */
static const char *translation(const struct facts_names *groups, const char *cmdline,
                               const char **source)
{
	bool identity = false, translated = false;
	char path[FACTS_PATH], type[FACTS_NAME];

	*source = "/sys/kernel/iommu_groups/*/type";
	for (size_t i = 0; i < groups->n && i < GROUPS_LOOKED_AT; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/iommu_groups/%s/type", groups->v[i]);
		if (facts_line(path, type, sizeof(type)) != 0)
			continue;
		identity = identity || strcmp(type, "identity") == 0;
		translated = translated || strncmp(type, "DMA", 3) == 0;
	}
	if (!identity && !translated) {
		*source = "/proc/cmdline";
		return strstr(cmdline, "iommu=pt") || strstr(cmdline, "iommu.passthrough=1")
		               ? "passthrough"
		               : "on";
	}
	return translated ? "on" : "passthrough";
}

static void tell_iommu(const struct fact_sink *s, const char *cmdline)
{
	static const char path[] = "/sys/kernel/iommu_groups";
	struct facts_names groups;
	const char *source = path, *state = "off";

	facts_names(path, GROUPS_MAX, &groups);
	if (groups.n > 0)
		state = translation(&groups, cmdline, &source);
	fact_tell(s, "", "kernel.iommu", state, source);
	fact_tell_u64(s, "", "kernel.iommu_groups", groups.n, path);
	facts_names_free(&groups);
}

/* Whose machine the firmware says it is. */
static const char *hypervisor_by_name(const char *vendor)
{
	static const struct {
		const char *vendor, *name;
	} known[] = {
		{ "QEMU", "kvm" },
		{ "KVM", "kvm" },
		{ "Red Hat", "kvm" },
		{ "OpenStack", "kvm" },
		{ "Amazon EC2", "kvm" },
		{ "Google", "kvm" },
		{ "VMware", "vmware" },
		{ "Microsoft Corporation", "hyper-v" },
		{ "innotek", "virtualbox" },
		{ "Xen", "xen" },
		{ "Parallels", "parallels" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcasestr(vendor, known[i].vendor))
			return known[i].name;
	return NULL;
}

static bool has_flag(const char *cpuinfo, const char *flag)
{
	char flags[4 * FACTS_LINE * 4], word[FACTS_NAME];
	const char *at = flags;

	facts_keyed(cpuinfo, "flags", flags, sizeof(flags));
	while (facts_next_word(&at, flags + strlen(flags), word, sizeof(word)))
		if (strcmp(word, flag) == 0)
			return true;
	return false;
}

static const char *hypervisor(const char **source)
{
	static const char vendor_path[] = "/sys/class/dmi/id/sys_vendor";
	static const char product_path[] = "/sys/class/dmi/id/product_name";
	char vendor[FACTS_LINE], product[FACTS_LINE];
	struct buf cpuinfo = BUF_INIT;
	const char *name;
	bool guest;

	facts_file("/proc/cpuinfo", FACTS_SMALL, &cpuinfo);
	guest = has_flag(buf_text(&cpuinfo), "hypervisor");
	buf_free(&cpuinfo);
	facts_line(vendor_path, vendor, sizeof(vendor));
	facts_line(product_path, product, sizeof(product));
	*source = product_path;
	name = hypervisor_by_name(product);
	if (!name && guest) {
		*source = vendor_path;
		name = hypervisor_by_name(vendor);
	}
	if (!name && guest) {
		*source = "/proc/cpuinfo";
		name = "unknown";
	}
	return name;
}

static const char *container(const char **source)
{
	static const struct {
		const char *path, *name;
	} marks[] = {
		{ "/.dockerenv", "docker" },
		{ "/run/.containerenv", "podman" },
		{ "/singularity", "apptainer" },
		{ "/.singularity.d", "apptainer" },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (facts_exists(marks[i].path)) {
			*source = marks[i].path;
			return marks[i].name;
		}
	}
	return NULL;
}

static void tell_virtual(const struct fact_sink *s)
{
	const char *source = "/proc/cpuinfo", *more = NULL;
	const char *machine = hypervisor(&source), *inside = container(&more);
	char text[FACTS_NAME];

	if (machine && inside)
		snprintf(text, sizeof(text), "%s,%s", inside, machine);
	else
		snprintf(text, sizeof(text), "%s", machine ? machine : inside ? inside : "no");
	fact_tell(s, "", "kernel.virtual", text, inside && !machine ? more : source);
}

/* A module that lets adapters reach GPU memory serves nobody until the RDMA core took it in. */
static bool is_registered(const char *module)
{
	static const char folder[] = "/sys/kernel/mm/memory_peers";
	struct facts_names peers;
	bool found = false;
	char path[FACTS_PATH];

	if (strcmp(module, "nvidia_peermem") != 0 && strcmp(module, "nv_peer_mem") != 0)
		return false;
	facts_names(folder, FACTS_NODES_MAX, &peers);
	for (size_t i = 0; i < peers.n && !found; i++) {
		snprintf(path, sizeof(path), "%s/%s/version", folder, peers.v[i]);
		found = strncmp(peers.v[i], "nv", 2) == 0 && facts_exists(path);
	}
	facts_names_free(&peers);
	return found;
}

static void tell_modules(const struct fact_sink *s)
{
	static const char *const modules[] = { "nvidia",    "nvidia_peermem", "nv_peer_mem",
		                               "gdrdrv",    "mlx5_core",      "mlx5_ib",
		                               "ib_uverbs", "ib_ipoib",       "rdma_ucm",
		                               "rdma_rxe",  "irdma",          "bnxt_re",
		                               "knem",      "xpmem" };
	char key[FACTS_NAME], path[FACTS_PATH];

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		bool loaded;

		snprintf(key, sizeof(key), "kernel.module.%s", modules[i]);
		snprintf(path, sizeof(path), "/sys/module/%s", modules[i]);
		loaded = facts_exists(path);
		if (loaded && is_registered(modules[i]))
			fact_tell(s, "", key, "registered", "/sys/kernel/mm/memory_peers");
		else
			fact_tell(s, "", key, loaded ? "loaded" : "no", path);
	}
}

void facts_kernel(const struct fact_sink *s)
{
	static const struct facts_row rows[] = {
		{ "node.boot_id", "/proc/sys/kernel/random/boot_id", SAY_TEXT, ABSENT_TOLD },
		{ "node.hostname", "/proc/sys/kernel/hostname", SAY_TEXT, ABSENT_TOLD },
		{ "kernel.taint", "/proc/sys/kernel/tainted", SAY_NUMBER, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};
	struct buf cmdline = BUF_INIT;
	char uptime[FACTS_LINE];
	const char *end;
	double seconds;

	facts_say_all(s, "", "", rows);
	if (facts_line("/proc/uptime", uptime, sizeof(uptime)) == 0 &&
	    num_parse(uptime, &end, &seconds) && *end == ' ')
		fact_tell_f64(s, "", "node.uptime_s", seconds, "/proc/uptime");
	tell_cmdline(s, &cmdline);
	tell_iommu(s, buf_text(&cmdline));
	tell_virtual(s);
	tell_modules(s);
	buf_free(&cmdline);
}

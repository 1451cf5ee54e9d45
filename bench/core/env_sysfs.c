/* What the kernel tells of a node. Absent files are normal: containers and machines of others. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"

enum { CPUS_MAX = 16384, NAMES_MAX = 64, NAME_TEXT = 96 };

static const char *root(void)
{
	const char *r = getenv("HPCBENCH_SYSFS_ROOT");

	return r ? r : "";
}

bool sys_redirected(void)
{
	return *root() != '\0';
}

bool sys_path(const char *path, char *out, size_t n)
{
	int len = snprintf(out, n, "%s%s", root(), path);

	return len > 0 && (size_t)len < n;
}

FILE *sys_open(const char *path)
{
	char full[PATH_MAX];

	return sys_path(path, full, sizeof(full)) ? fopen(full, "re") : NULL;
}

static void trim(char *text)
{
	size_t len = strlen(text), from = 0;

	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	while (isspace((unsigned char)text[from]))
		from++;
	memmove(text, text + from, len - from + 1);
}

bool sys_line(const char *path, char *out, size_t n)
{
	FILE *f = sys_open(path);
	bool got;

	*out = '\0';
	if (!f)
		return false;
	got = fgets(out, (int)n, f) != NULL;
	fclose(f);
	if (!got)
		*out = '\0';
	trim(out);
	return got;
}

long sys_number(const char *path, long dflt)
{
	char text[64], *end;
	long v;

	if (!sys_line(path, text, sizeof(text)) || !*text)
		return dflt;
	errno = 0;
	v = strtol(text, &end, 0);
	return *end || errno ? dflt : v;
}

DIR *sys_dir(const char *path)
{
	char full[PATH_MAX];

	return sys_path(path, full, sizeof(full)) ? opendir(full) : NULL;
}

bool sys_link_name(const char *path, char *out, size_t n)
{
	char full[PATH_MAX], target[PATH_MAX];
	const char *name;
	ssize_t len;

	*out = '\0';
	if (!sys_path(path, full, sizeof(full)))
		return false;
	len = readlink(full, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	snprintf(out, n, "%.*s", (int)n - 1, name);
	return true;
}

bool sys_keyed(const char *path, const char *key, char *out, size_t n)
{
	FILE *f = sys_open(path);
	char line[1024];
	bool found = false;

	*out = '\0';
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		trim(line);
		if (strcmp(line, key) != 0)
			continue;
		trim(colon + 1);
		snprintf(out, n, "%.*s", (int)n - 1, colon + 1);
		found = true;
	}
	fclose(f);
	return found;
}

/* The number behind prefix, or -1: "cpu12" is 12. */
static long numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long v;

	if (strncmp(name, prefix, len) != 0 || !isdigit((unsigned char)name[len]))
		return -1;
	v = strtol(name + len, &end, 10);
	return *end ? -1 : v;
}

static int count_numbered(const char *dir, const char *prefix)
{
	DIR *d = sys_dir(dir);
	struct dirent *e;
	int n = 0;

	if (!d)
		return 0;
	while ((e = readdir(d)))
		n += numbered(e->d_name, prefix) >= 0;
	closedir(d);
	return n;
}

struct core {
	long package, id;
};

static int compare_cores(const void *a, const void *b)
{
	const struct core *x = a, *y = b;

	if (x->package != y->package)
		return (x->package > y->package) - (x->package < y->package);
	return (x->id > y->id) - (x->id < y->id);
}

static size_t read_cores(struct core **cores)
{
	DIR *d = sys_dir("/sys/devices/system/cpu");
	size_t n = 0, cap = 0;
	struct dirent *e;

	*cores = NULL;
	while (d && n < CPUS_MAX && (e = readdir(d))) {
		long cpu = numbered(e->d_name, "cpu");
		char path[160];
		struct core c;

		if (cpu < 0)
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/%s", cpu,
		         "physical_package_id");
		c.package = sys_number(path, 0);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/core_id",
		         cpu);
		c.id = sys_number(path, cpu);
		hb_grow(cores, &cap, n + 1, sizeof(c));
		(*cores)[n++] = c;
	}
	if (d)
		closedir(d);
	return n;
}

void env_topology_sysfs(struct env_node *out)
{
	struct core *cores;
	size_t n = read_cores(&cores);
	char text[64];

	if (n > 0)
		qsort(cores, n, sizeof(*cores), compare_cores);
	for (size_t i = 0; i < n; i++) {
		out->cores += i == 0 || compare_cores(&cores[i], &cores[i - 1]) != 0;
		out->sockets += i == 0 || cores[i].package != cores[i - 1].package;
	}
	free(cores);
	out->numa_nodes = count_numbered("/sys/devices/system/node", "node");
	if (sys_keyed("/proc/meminfo", "MemTotal", text, sizeof(text)))
		out->memory_bytes = strtoull(text, NULL, 10) * 1024;
}

uint64_t env_memory_available(void)
{
	char text[64];

	return sys_keyed("/proc/meminfo", "MemAvailable", text, sizeof(text))
	               ? strtoull(text, NULL, 10) * 1024
	               : 0;
}

/* A bag of names, for "how many of which". */
struct names {
	char v[NAMES_MAX][NAME_TEXT];
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void put_counted(struct names *names, const char *what, struct buf *out)
{
	qsort(names->v, names->n, sizeof(names->v[0]), compare_names);
	for (size_t i = 0, same; i < names->n; i += same) {
		for (same = 1; i + same < names->n; same++)
			if (strcmp(names->v[i], names->v[i + same]) != 0)
				break;
		buf_printf(out, " | %zux %s%s", same, what, names->v[i]);
	}
}

/*
 * The model and what its slot could carry at most. The port's rate is what the link has settled
 * on today; a bad cable must not change the class.
 */
static void hca_name(const char *device, char *out, size_t n)
{
	char path[512], model[48], speed[32];
	long width;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.200s/hca_type", device);
	if (!sys_line(path, model, sizeof(model)) || !*model) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%.200s/device/driver", device);
		if (!sys_link_name(path, model, sizeof(model)))
			snprintf(model, sizeof(model), "HCA");
	}
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.200s/device/max_link_speed", device);
	sys_line(path, speed, sizeof(speed));
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.200s/device/max_link_width", device);
	width = sys_number(path, 0);
	speed[strcspn(speed, "PU")] = '\0'; /* "16.0 GT/s PCIe", "Unknown" */
	trim(speed);
	if (*speed && width > 0 && width < 64)
		snprintf(out, n, "%s PCIe %s x%ld", model, speed, width);
	else
		snprintf(out, n, "%s", model);
}

void env_hcas(struct buf *out)
{
	struct names *names = hb_alloc(sizeof(*names));
	DIR *d = sys_dir("/sys/class/infiniband");
	struct dirent *e;

	while (d && names->n < NAMES_MAX && (e = readdir(d)))
		if (e->d_name[0] != '.')
			hca_name(e->d_name, names->v[names->n++], NAME_TEXT);
	if (d)
		closedir(d);
	put_counted(names, "", out);
	free(names);
}

bool sys_is_gpu(long class_code, long vendor)
{
	return class_code >> 8 == 0x0302 || (class_code >> 8 == 0x0300 && vendor == 0x10de);
}

void env_gpus(struct buf *out)
{
	struct names *names = hb_alloc(sizeof(*names));
	DIR *d = sys_dir("/sys/bus/pci/devices");
	struct dirent *e;

	while (d && names->n < NAMES_MAX && (e = readdir(d))) {
		char path[512];
		long class_code, vendor, device;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/class", e->d_name);
		class_code = sys_number(path, 0);
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/vendor", e->d_name);
		vendor = sys_number(path, 0);
		if (e->d_name[0] == '.' || !sys_is_gpu(class_code, vendor))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/device", e->d_name);
		device = sys_number(path, 0);
		snprintf(names->v[names->n++], NAME_TEXT, "%04lx:%04lx",
		         (unsigned long)vendor & 0xffff, (unsigned long)device & 0xffff);
	}
	if (d)
		closedir(d);
	put_counted(names, "GPU ", out);
	free(names);
}

/* On which processors this process runs, and how it comes near the network device. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/core/env_parts.h"

enum { CPUS_FIRST = 1024, CPUS_LAST = 1 << 20, LIST_TEXT = 4096, NAME_TEXT = 64, ROUTE_TEXT = 512 };

/* The kernel refuses sets smaller than its own. */
cpu_set_t *env_allowed_set(size_t *size, struct hb_err *err)
{
	for (size_t n = CPUS_FIRST; n <= CPUS_LAST; n *= 2) {
		cpu_set_t *set = CPU_ALLOC(n);

		if (!set)
			break;
		*size = CPU_ALLOC_SIZE(n);
		if (sched_getaffinity(0, *size, set) == 0)
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			break;
	}
	hb_fail(err, HB_E_IO, "sched_getaffinity: %s", strerror(errno));
	return NULL;
}

int env_bind_cpu(int cpu, struct hb_err *err)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int failed;

	if (!set)
		return hb_fail(err, HB_E_NOMEM, "no memory for a set of processors");
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	failed = sched_setaffinity(0, size, set) < 0 ? errno : 0;
	CPU_FREE(set);
	if (failed)
		return hb_fail(err, HB_E_UNSUPPORTED, "cannot bind to processor %d: %s", cpu,
		               strerror(failed));
	return HB_OK;
}

/* A network device, and the NUMA node that it hangs on (-1: not known). */
struct nic {
	char name[NAME_TEXT];
	long numa;
};

static long numa_of(const char *kind, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/%s/%.120s/device/numa_node", kind, name);
	return sys_number(path, -1);
}

/* "4: ACTIVE" in any of its ports. */
static bool has_active_port(const char *device)
{
	char path[256], text[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.120s/ports", device);
	d = sys_dir(path);
	while (d && !found && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/infiniband/%.80s/ports/%.80s/state",
		         device, e->d_name);
		found = sys_line(path, text, sizeof(text)) && strstr(text, "ACTIVE");
	}
	if (d)
		closedir(d);
	return found;
}

/* The first by name, mlx5_2 before mlx5_10. */
static bool find_rdma(struct nic *out)
{
	DIR *d = sys_dir("/sys/class/infiniband");
	struct dirent *e;

	*out = (struct nic){ "", -1 };
	while (d && (e = readdir(d))) {
		long numa;

		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof(out->name) ||
		    (*out->name && strverscmp(e->d_name, out->name) > 0))
			continue;
		numa = numa_of("infiniband", e->d_name);
		if (numa < 0 || !has_active_port(e->d_name))
			continue;
		snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(out->name) - 1,
		         e->d_name);
		out->numa = numa;
	}
	if (d)
		closedir(d);
	return out->numa >= 0;
}

/* A number in the given base and what follows it; false: the line has no more of them. */
static bool take_number(char **at, int base, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(*at, &end, base);
	if (errno || end == *at)
		return false;
	*at = end;
	return true;
}

/* Iface Destination Gateway Flags RefCnt Use Metric Mask ...: is it the way to everywhere? */
static bool default_route(char *line, char *name, unsigned long *metric)
{
	enum { DESTINATION, GATEWAY, FLAGS, REFERENCES, USE, METRIC, MASK, COLUMNS };
	enum { UP = 1 };
	static const int base[COLUMNS] = { 16, 16, 16, 10, 10, 10, 16 };
	unsigned long v[COLUMNS];
	size_t len = strcspn(line, " \t");
	char *at = line + len;

	if (len == 0 || len >= NAME_TEXT || strcspn(line, "/") < len)
		return false;
	for (int i = 0; i < COLUMNS; i++)
		if (!take_number(&at, base[i], &v[i]))
			return false;
	if (v[DESTINATION] != 0 || v[MASK] != 0 || !(v[FLAGS] & UP))
		return false;
	snprintf(name, NAME_TEXT, "%.*s", (int)len, line);
	*metric = v[METRIC];
	return true;
}

static bool find_default(struct nic *out)
{
	FILE *f = sys_open("/proc/net/route");
	char line[ROUTE_TEXT], name[NAME_TEXT];
	unsigned long metric, best = 0;

	*out = (struct nic){ "", -1 };
	while (f && fgets(line, sizeof(line), f)) {
		if (!default_route(line, name, &metric) || (*out->name && metric >= best))
			continue;
		snprintf(out->name, sizeof(out->name), "%s", name);
		best = metric;
	}
	if (f)
		fclose(f);
	if (*out->name)
		out->numa = numa_of("net", out->name);
	return out->numa >= 0;
}

/* The first processor in "0-3,8-11" that is in the set, or -1. */
static long first_of_list(char *list, const cpu_set_t *set, size_t size)
{
	unsigned long from, to, limit = size * 8;

	while (take_number(&list, 10, &from)) {
		to = from;
		if (*list == '-') {
			list++;
			if (!take_number(&list, 10, &to))
				return -1;
		}
		for (; from <= to && from < limit; from++)
			if (CPU_ISSET_S(from, size, set))
				return (long)from;
		if (*list != ',')
			return -1;
		list++;
	}
	return -1;
}

static long first_usable(long numa)
{
	char path[96], list[LIST_TEXT];
	size_t size;
	cpu_set_t *set;
	long cpu = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%ld/cpulist", numa);
	if (!sys_line(path, list, sizeof(list)))
		return -1;
	set = env_allowed_set(&size, NULL);
	if (set) {
		cpu = first_of_list(list, set, size);
		CPU_FREE(set);
	}
	return cpu;
}

void env_bind_near_nic(struct buf *told)
{
	const char *wish = getenv(ENV_BIND);
	struct hb_err why = { HB_OK, "" };
	struct nic nic;
	long cpu;

	if (!wish || !*wish)
		return;
	if (strcmp(wish, "nic") != 0) {
		buf_printf(told, "'%.40s' is no known place: left as started", wish);
		return;
	}
	if (!find_rdma(&nic) && !find_default(&nic)) {
		buf_puts(told, "not known: left as started");
		return;
	}
	buf_printf(told, "%s on NUMA node %ld: ", nic.name, nic.numa);
	cpu = first_usable(nic.numa);
	if (cpu < 0)
		buf_puts(told, "none of its processors may be used, left as started");
	else if (env_bind_cpu((int)cpu, &why) < 0)
		buf_printf(told, "%s, left as started", why.text);
	else
		buf_printf(told, "cpu %ld", cpu);
}

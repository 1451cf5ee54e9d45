/* Topology without hwloc: from sysfs and the scheduler. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"

int env_topology(struct env_node *out, struct hb_err *err)
{
	(void)err;
	env_topology_sysfs(out);
	return HB_OK;
}

/* The first processor of the core that cpu belongs to. */
static long first_sibling(size_t cpu)
{
	char path[128], text[256], *end;
	long first;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/topology/%s", cpu,
	         "thread_siblings_list");
	if (!sys_line(path, text, sizeof(text)))
		return (long)cpu;
	first = strtol(text, &end, 10);
	return end == text ? (long)cpu : first;
}

int env_core_list(int **cpus, int *n, struct hb_err *err)
{
	size_t size, cap = 0, cap_seen = 0, n_seen = 0;
	long *seen = NULL;
	cpu_set_t *set = env_allowed_set(&size, err);

	*cpus = NULL;
	*n = 0;
	if (!set)
		return HB_E_IO;
	for (size_t cpu = 0; cpu < size * 8; cpu++) {
		long first;
		size_t i;

		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		first = first_sibling(cpu);
		for (i = 0; i < n_seen && seen[i] != first; i++)
			;
		if (i < n_seen)
			continue;
		hb_grow(&seen, &cap_seen, n_seen + 1, sizeof(*seen));
		seen[n_seen++] = first;
		hb_grow(cpus, &cap, (size_t)*n + 1, sizeof(**cpus));
		(*cpus)[(*n)++] = (int)cpu;
	}
	free(seen);
	CPU_FREE(set);
	return *n > 0 ? HB_OK : hb_fail(err, HB_E_IO, "this process may use no processor");
}

static void put_range(struct buf *out, size_t from, size_t to, bool first)
{
	buf_printf(out, "%s%zu", first ? "" : ",", from);
	if (to > from)
		buf_printf(out, "-%zu", to);
}

int env_binding_text(struct buf *out, struct hb_err *err)
{
	size_t size, from, to;
	cpu_set_t *set = env_allowed_set(&size, err);
	struct buf ranges = BUF_INIT;
	char online[256];

	if (!set)
		return HB_E_IO;
	for (from = 0; from < size * 8; from = to + 1) {
		to = from;
		if (!CPU_ISSET_S(from, size, set))
			continue;
		while (to + 1 < size * 8 && CPU_ISSET_S(to + 1, size, set))
			to++;
		put_range(&ranges, from, to, ranges.len == 0);
	}
	CPU_FREE(set);
	if (sys_line("/sys/devices/system/cpu/online", online, sizeof(online)) &&
	    !strcmp(online, buf_text(&ranges)))
		buf_puts(out, "not bound");
	else
		buf_printf(out, "processors %s", buf_text(&ranges));
	buf_free(&ranges);
	return HB_OK;
}

/* cpuN has a link nodeM to the node that it is of. */
void env_numa_of(const int *cpus, int n, int *numa)
{
	for (int i = 0; i < n; i++) {
		char path[96];
		DIR *d;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpus[i]);
		d = sys_dir(path);
		numa[i] = 0;
		for (struct dirent *e; d && (e = readdir(d)) != NULL;)
			if (strncmp(e->d_name, "node", 4) == 0 && e->d_name[4] >= '0' &&
			    e->d_name[4] <= '9')
				numa[i] = (int)strtol(e->d_name + 4, NULL, 10);
		if (d)
			closedir(d);
	}
}

void env_bind_memory(void *at, size_t len, int numa)
{
	(void)at;
	(void)len;
	(void)numa;
}

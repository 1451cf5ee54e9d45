/* The list of all benchmarks; the rows themselves stand in one catalog_*.c a family. */
#include <stdio.h>
#include <string.h>

#include "bench/base/info.h"

const struct bench_info *const catalog[] = {
	&info_mpi_latency,   &info_mpi_bandwidth,
	&info_mpi_allreduce, &info_mpi_world,
	&info_node_memory,   &info_node_compute,
	&info_node_jitter,   &info_node_facts,
	&info_node_peers,    NULL,
};

enum { CATALOG_N = sizeof(catalog) / sizeof(catalog[0]) };

const struct bench_info *catalog_find(const char *name)
{
	for (size_t i = 0; catalog[i]; i++)
		if (!strcmp(catalog[i]->name, name))
			return catalog[i];
	return NULL;
}

const char *catalog_nearest(const char *name)
{
	const char *names[CATALOG_N] = { NULL };

	for (size_t i = 0; catalog[i]; i++)
		names[i] = catalog[i]->name;
	return units_nearest(name, names);
}

void info_helper_name(const struct bench_info *info, char *out, size_t n)
{
	snprintf(out, n, "%.*s", (int)strcspn(info->name, "."), info->name);
}

/* Topology and binding through hwloc. */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"

static int load(hwloc_topology_t *t, struct hb_err *err)
{
	if (hwloc_topology_init(t) < 0)
		return hb_fail(err, HB_E_LIB, "hwloc cannot start: %s", strerror(errno));
	if (hwloc_topology_load(*t) < 0) {
		hwloc_topology_destroy(*t);
		return hb_fail(err, HB_E_LIB, "hwloc cannot read the topology: %s",
		               strerror(errno));
	}
	return HB_OK;
}

static int count(hwloc_topology_t t, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(t, type);

	return n > 0 ? n : 0;
}

/* Last-level cache over the node: the caches that have no cache above them. */
static uint64_t cache_sum(hwloc_topology_t t)
{
	static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
		                                   HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE };

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		uint64_t sum = 0;
		int n = count(t, levels[i]);

		for (int k = 0; k < n; k++) {
			hwloc_obj_t o = hwloc_get_obj_by_type(t, levels[i], (unsigned)k);
			sum += o ? o->attr->cache.size : 0;
		}
		if (sum > 0)
			return sum;
	}
	return 0;
}

int env_topology(struct env_node *out, struct hb_err *err)
{
	struct env_node seen = { 0 };
	hwloc_topology_t t;
	int rc;

	env_topology_sysfs(&seen);
	out->memory_bytes = seen.memory_bytes;
	out->cores = seen.cores;
	out->sockets = seen.sockets;
	out->numa_nodes = seen.numa_nodes;
	if (sys_redirected())
		return HB_OK;
	rc = load(&t, err);
	if (rc < 0)
		return rc;
	/* hwloc sees only what a container may use; sysfs, where present, sees the machine. */
	if (out->cores == 0)
		out->cores = count(t, HWLOC_OBJ_CORE);
	if (out->sockets == 0)
		out->sockets = count(t, HWLOC_OBJ_PACKAGE);
	if (out->numa_nodes == 0)
		out->numa_nodes = count(t, HWLOC_OBJ_NUMANODE);
	out->cache_bytes = cache_sum(t);
	hwloc_topology_destroy(t);
	return HB_OK;
}

/* What the calling thread may run on; all that hwloc sees where the system does not tell. */
static hwloc_cpuset_t bound_set(hwloc_topology_t t, int flags)
{
	hwloc_cpuset_t set = hwloc_bitmap_alloc();

	if (set && (hwloc_get_cpubind(t, set, flags) < 0 || hwloc_bitmap_iszero(set)))
		hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(t));
	return set;
}

static void list_cores(hwloc_topology_t t, hwloc_const_cpuset_t set, int **cpus, int *n)
{
	size_t cap = 0;
	hwloc_obj_t core = NULL;
	hwloc_cpuset_t mine = hwloc_bitmap_alloc();

	while (mine && (core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core))) {
		hwloc_bitmap_and(mine, core->cpuset, set);
		if (hwloc_bitmap_iszero(mine))
			continue;
		hb_grow(cpus, &cap, (size_t)*n + 1, sizeof(**cpus));
		(*cpus)[(*n)++] = hwloc_bitmap_first(mine);
	}
	hwloc_bitmap_free(mine);
	if (*n > 0)
		return;
	/* Some machines tell no cores: their processors then. */
	for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
		hb_grow(cpus, &cap, (size_t)*n + 1, sizeof(**cpus));
		(*cpus)[(*n)++] = cpu;
	}
}

int env_core_list(int **cpus, int *n, struct hb_err *err)
{
	hwloc_topology_t t;
	hwloc_cpuset_t set;
	int rc = load(&t, err);

	*cpus = NULL;
	*n = 0;
	if (rc < 0)
		return rc;
	set = bound_set(t, HWLOC_CPUBIND_PROCESS);
	if (set)
		list_cores(t, set, cpus, n);
	hwloc_bitmap_free(set);
	hwloc_topology_destroy(t);
	return *n > 0 ? HB_OK : hb_fail(err, HB_E_LIB, "hwloc sees no processor");
}

/* Logical numbers of the cores that set touches. */
static void put_cores(hwloc_topology_t t, hwloc_const_cpuset_t set, struct buf *out)
{
	hwloc_bitmap_t cores = hwloc_bitmap_alloc();
	hwloc_obj_t core = NULL;
	char *text = NULL;

	while (cores && (core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core)))
		if (hwloc_bitmap_intersects(core->cpuset, set))
			hwloc_bitmap_set(cores, core->logical_index);
	if (cores && !hwloc_bitmap_iszero(cores) && hwloc_bitmap_list_asprintf(&text, cores) >= 0)
		buf_printf(out, "cores %s", text);
	else if (hwloc_bitmap_list_asprintf(&text, set) >= 0)
		buf_printf(out, "processors %s", text);
	free(text);
	hwloc_bitmap_free(cores);
}

int env_binding_text(struct buf *out, struct hb_err *err)
{
	hwloc_topology_t t;
	hwloc_cpuset_t set;
	int rc = load(&t, err);

	if (rc < 0)
		return rc;
	set = bound_set(t, HWLOC_CPUBIND_THREAD);
	if (!set || hwloc_bitmap_isincluded(hwloc_topology_get_complete_cpuset(t), set))
		buf_puts(out, "not bound");
	else
		put_cores(t, set, out);
	hwloc_bitmap_free(set);
	hwloc_topology_destroy(t);
	return HB_OK;
}

static int numa_with(hwloc_topology_t t, int cpu)
{
	hwloc_obj_t numa = NULL;

	while ((numa = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, numa)))
		if (numa->cpuset && hwloc_bitmap_isset(numa->cpuset, (unsigned)cpu))
			return (int)numa->os_index;
	return 0;
}

void env_numa_of(const int *cpus, int n, int *numa)
{
	hwloc_topology_t t;
	bool loaded = load(&t, NULL) == HB_OK;

	for (int i = 0; i < n; i++)
		numa[i] = loaded ? numa_with(t, cpus[i]) : 0;
	if (loaded)
		hwloc_topology_destroy(t);
}

void env_bind_memory(void *at, size_t len, int numa)
{
	hwloc_topology_t t;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (set && load(&t, NULL) == HB_OK) {
		hwloc_bitmap_only(set, (unsigned)numa);
		hwloc_set_area_membind(t, at, len, set, HWLOC_MEMBIND_BIND,
		                       HWLOC_MEMBIND_BYNODESET);
		hwloc_topology_destroy(t);
	}
	hwloc_bitmap_free(set);
}

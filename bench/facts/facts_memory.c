/* Memory: how much there is on which NUMA node, and how the kernel hands it out. */
#include <stdlib.h>
#include <string.h>

#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

#define NODES "/sys/devices/system/node"
#define EDAC  "/sys/devices/system/edac/mc"
enum { CONTROLLERS_MAX = 256 };

/* "MemTotal:  527989688 kB" as bytes; false: no such line. */
static bool keyed_bytes(const char *text, const char *key, uint64_t *out)
{
	char value[FACTS_NAME], *end;
	uint64_t kib;

	if (!facts_keyed(text, key, value, sizeof(value)))
		return false;
	kib = strtoull(value, &end, 10);
	if (end == value || kib > UINT64_MAX / 1024)
		return false;
	*out = kib * 1024;
	return true;
}

static void tell_meminfo(const struct fact_sink *s)
{
	static const char path[] = "/proc/meminfo";
	struct buf text = BUF_INIT;
	uint64_t v, unused;
	int failed = facts_file(path, FACTS_SMALL, &text);

	if (failed)
		fact_tell_errno(s, "", "mem.installed_bytes", path, failed);
	if (keyed_bytes(buf_text(&text), "MemTotal", &v))
		fact_tell_u64(s, "", "mem.installed_bytes", env_round_memory(v), path);
	if (keyed_bytes(buf_text(&text), "MemAvailable", &v))
		fact_tell_u64(s, "", "mem.available_bytes", v, path);
	if (keyed_bytes(buf_text(&text), "SwapTotal", &v) &&
	    keyed_bytes(buf_text(&text), "SwapFree", &unused))
		fact_tell_u64(s, "", "mem.swap_used_bytes", v > unused ? v - unused : 0, path);
	buf_free(&text);
}

/* In the order of the nodes' numbers; those without memory are left out. */
static void tell_numa(const struct fact_sink *s)
{
	struct facts_names nodes;
	struct buf list = BUF_INIT;

	facts_names(NODES, FACTS_NODES_MAX, &nodes);
	for (size_t i = 0; i < nodes.n; i++) {
		struct buf text = BUF_INIT;
		char path[FACTS_PATH], key[FACTS_NAME + 32];
		uint64_t v = 0;
		long number = facts_numbered(nodes.v[i], "node");

		if (number < 0)
			continue;
		snprintf(path, sizeof(path), NODES "/%s/meminfo", nodes.v[i]);
		snprintf(key, sizeof(key), "Node %ld MemTotal", number);
		facts_file(path, FACTS_SMALL, &text);
		if (keyed_bytes(buf_text(&text), key, &v) && v > 0)
			buf_printf(&list, "%s%llu", list.len ? "," : "",
			           (unsigned long long)env_round_memory(v));
		buf_free(&text);
	}
	if (list.len > 0)
		fact_tell(s, "", "mem.per_numa_bytes", buf_text(&list), NODES "/node*/meminfo");
	facts_names_free(&nodes);
	buf_free(&list);
}

static void tell_errors(const struct fact_sink *s)
{
	struct facts_names controllers;
	uint64_t corrected = 0, uncorrected = 0;
	size_t n = 0;

	facts_names(EDAC, CONTROLLERS_MAX, &controllers);
	for (size_t i = 0; i < controllers.n; i++) {
		char path[FACTS_PATH];
		uint64_t c, u;

		if (facts_numbered(controllers.v[i], "mc") < 0)
			continue;
		snprintf(path, sizeof(path), EDAC "/%s/ce_count", controllers.v[i]);
		if (facts_u64(path, &c) != 0)
			continue;
		snprintf(path, sizeof(path), EDAC "/%s/ue_count", controllers.v[i]);
		if (facts_u64(path, &u) != 0)
			continue;
		corrected += c;
		uncorrected += u;
		n++;
	}
	facts_names_free(&controllers);
	if (n == 0) {
		fact_tell(s, "", "mem.ecc_corrected", NULL, EDAC ": no memory controller there");
		return;
	}
	fact_tell_u64(s, "", "mem.ecc_corrected", corrected, EDAC "/mc*/ce_count");
	fact_tell_u64(s, "", "mem.ecc_uncorrected", uncorrected, EDAC "/mc*/ue_count");
}

void facts_memory(const struct fact_sink *s)
{
	static const struct facts_row rows[] = {
		{ "mem.hugepages_2m", "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
		  SAY_NUMBER, ABSENT_SILENT },
		{ "mem.hugepages_1g", "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
		  SAY_NUMBER, ABSENT_SILENT },
		{ "mem.thp", "/sys/kernel/mm/transparent_hugepage/enabled", SAY_CHOICE,
		  ABSENT_SILENT },
		{ "mem.numa_balancing", "/proc/sys/kernel/numa_balancing", SAY_NUMBER,
		  ABSENT_SILENT },
		{ "mem.zone_reclaim", "/proc/sys/vm/zone_reclaim_mode", SAY_NUMBER, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};

	tell_meminfo(s);
	tell_numa(s);
	facts_say_all(s, "", "", rows);
	tell_errors(s);
}

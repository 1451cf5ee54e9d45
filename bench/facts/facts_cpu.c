/* Processors: what there is, what may be used, and what slows them down. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/facts/facts_parts.h"

#define CPUS     "/sys/devices/system/cpu"
#define POLICIES CPUS "/cpufreq"
enum { CPUS_MAX = 16384, STATES_MAX = 32, MHZ_MAX = 1000000 };

struct core {
	uint64_t package, id;
	uint64_t throttled, package_throttled;
};

static int compare_cores(const void *a, const void *b)
{
	const struct core *x = a, *y = b;

	if (x->package != y->package)
		return (x->package > y->package) - (x->package < y->package);
	return (x->id > y->id) - (x->id < y->id);
}

static uint64_t of_cpu(const char *cpu, const char *what, bool *there)
{
	char path[FACTS_PATH];
	uint64_t v = 0;

	snprintf(path, sizeof(path), CPUS "/%s/%s", cpu, what);
	*there = facts_u64(path, &v) == 0;
	return v;
}

/* Processors that are switched off have no topology. */
static size_t read_cores(struct core **cores, bool *throttles)
{
	struct facts_names names;
	size_t n = 0, cap = 0;
	bool there;

	*cores = NULL;
	*throttles = false;
	facts_names(CPUS, CPUS_MAX, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *cpu = names.v[i];
		struct core c = { 0 };

		if (facts_numbered(cpu, "cpu") < 0)
			continue;
		c.id = of_cpu(cpu, "topology/core_id", &there);
		if (!there)
			continue;
		c.package = of_cpu(cpu, "topology/physical_package_id", &there);
		/* One that has no such counter spares the others the search. */
		if (n == 0 || *throttles) {
			c.throttled = of_cpu(cpu, "thermal_throttle/core_throttle_count", &there);
			*throttles = there;
		}
		if (*throttles)
			c.package_throttled = of_cpu(cpu, "thermal_throttle/package_throttle_count",
			                             &there);
		hb_grow(cores, &cap, n + 1, sizeof(c));
		(*cores)[n++] = c;
	}
	facts_names_free(&names);
	return n;
}

/* Threads of a core, and cores of a package, count the same events: each once. */
static void tell_throttles(const struct fact_sink *s, const struct core *cores, size_t n)
{
	uint64_t sum = 0, package_max = 0, core_max = 0;

	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n;

		if (cores[i].throttled > core_max)
			core_max = cores[i].throttled;
		if (cores[i].package_throttled > package_max)
			package_max = cores[i].package_throttled;
		if (last || compare_cores(&cores[i], &cores[i + 1]) != 0) {
			sum += core_max;
			core_max = 0;
		}
		if (last || cores[i].package != cores[i + 1].package) {
			sum += package_max;
			package_max = 0;
		}
	}
	fact_tell_u64(s, "", "cpu.throttles", sum, CPUS "/cpu*/thermal_throttle/*_throttle_count");
}

static uint64_t numa_nodes(const char **source)
{
	static const char list[] = "/sys/devices/system/node/has_memory";
	static const char folder[] = "/sys/devices/system/node";
	struct facts_names names;
	char text[FACTS_LINE];
	uint64_t n = 0;

	*source = list;
	if (facts_line(list, text, sizeof(text)) == 0)
		return facts_list_count(text);
	*source = folder;
	facts_names(folder, FACTS_NODES_MAX, &names);
	for (size_t i = 0; i < names.n; i++)
		n += facts_numbered(names.v[i], "node") >= 0;
	facts_names_free(&names);
	return n;
}

static void tell_topology(const struct fact_sink *s)
{
	static const char source[] = CPUS "/cpu*/topology";
	struct core *cores;
	bool throttles;
	size_t n = read_cores(&cores, &throttles), n_cores = 0, sockets = 0;
	const char *numa_source;
	uint64_t numa = numa_nodes(&numa_source);

	if (n > 0)
		qsort(cores, n, sizeof(*cores), compare_cores);
	for (size_t i = 0; i < n; i++) {
		n_cores += i == 0 || compare_cores(&cores[i], &cores[i - 1]) != 0;
		sockets += i == 0 || cores[i].package != cores[i - 1].package;
	}
	if (n_cores > 0) {
		fact_tell_u64(s, "", "cpu.sockets", sockets, source);
		fact_tell_u64(s, "", "cpu.cores", n_cores, source);
		fact_tell_f64(s, "", "cpu.threads", (double)n / (double)n_cores, source);
	}
	if (throttles)
		tell_throttles(s, cores, n);
	if (numa > 0)
		fact_tell_u64(s, "", "cpu.numa_nodes", numa, numa_source);
	if (numa > 0 && sockets > 0)
		fact_tell_f64(s, "", "cpu.numa_per_socket", (double)numa / (double)sockets,
		              numa_source);
	free(cores);
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void tell_hz(const struct fact_sink *s, const char *cpuinfo)
{
	double *mhz = NULL;
	size_t n = 0, cap = 0, len;

	for (const char *line; n < CPUS_MAX && (line = facts_next_line(&cpuinfo, &len));) {
		const char *colon = memchr(line, ':', len), *end;
		double v;

		if (!colon || strncmp(line, "cpu MHz", 7) != 0)
			continue;
		colon += strspn(colon, ": \t");
		if (!num_parse(colon, &end, &v) || v <= 0 || v > MHZ_MAX)
			continue;
		hb_grow(&mhz, &cap, n + 1, sizeof(v));
		mhz[n++] = v;
	}
	if (n > 0) {
		qsort(mhz, n, sizeof(*mhz), compare_doubles);
		fact_tell_f64(s, "", "cpu.hz", floor(mhz[n / 2] * 1e6 + 0.5), "/proc/cpuinfo");
	}
	free(mhz);
}

static void tell_cpuinfo(const struct fact_sink *s)
{
	static const struct facts_row revision = { "cpu.microcode", CPUS "/cpu0/microcode/version",
		                                   SAY_TEXT, ABSENT_SILENT };
	struct buf text = BUF_INIT;
	char value[FACTS_LINE];
	int failed = facts_file("/proc/cpuinfo", FACTS_LARGE, &text);

	if (failed)
		fact_tell_errno(s, "", "cpu.model", "/proc/cpuinfo", failed);
	else if (facts_keyed(buf_text(&text), "model name", value, sizeof(value)) ||
	         facts_keyed(buf_text(&text), "CPU part", value, sizeof(value)))
		fact_tell(s, "", "cpu.model", value, "/proc/cpuinfo");
	if (facts_keyed(buf_text(&text), "microcode", value, sizeof(value)))
		fact_tell(s, "", "cpu.microcode", value, "/proc/cpuinfo");
	else
		facts_say(s, "", &revision);
	tell_hz(s, buf_text(&text));
	buf_free(&text);
}

static void tell_least(const struct fact_sink *s, const struct facts_names *policies,
                       const char *key, const char *file)
{
	char path[FACTS_PATH];
	uint64_t least = UINT64_MAX, v;

	for (size_t i = 0; i < policies->n; i++) {
		if (facts_numbered(policies->v[i], "policy") < 0)
			continue;
		snprintf(path, sizeof(path), POLICIES "/%s/%s", policies->v[i], file);
		if (facts_u64(path, &v) == 0 && v < least)
			least = v;
	}
	snprintf(path, sizeof(path), POLICIES "/policy*/%s", file);
	if (least < UINT64_MAX / 1000)
		fact_tell_u64(s, "", key, least * 1000, path);
}

static void tell_kinds(const struct fact_sink *s, const struct facts_names *policies,
                       const char *key, const char *file)
{
	struct facts_set kinds = { NULL, 0, 0 };
	struct buf value = BUF_INIT;
	char path[FACTS_PATH], text[FACTS_NAME];

	for (size_t i = 0; i < policies->n; i++) {
		if (facts_numbered(policies->v[i], "policy") < 0)
			continue;
		snprintf(path, sizeof(path), POLICIES "/%s/%s", policies->v[i], file);
		if (facts_line(path, text, sizeof(text)) == 0 && *text)
			facts_set_add(&kinds, text);
	}
	facts_set_put(&kinds, &value);
	snprintf(path, sizeof(path), POLICIES "/policy*/%s", file);
	if (value.len > 0)
		fact_tell(s, "", key, buf_text(&value), path);
	buf_free(&value);
}

static void tell_frequency(const struct fact_sink *s)
{
	static const char boost[] = POLICIES "/boost", no_turbo[] = CPUS "/intel_pstate/no_turbo";
	struct facts_names policies;
	uint64_t v;

	facts_names(POLICIES, CPUS_MAX, &policies);
	tell_kinds(s, &policies, "cpu.governor", "scaling_governor");
	tell_kinds(s, &policies, "cpu.driver", "scaling_driver");
	tell_least(s, &policies, "cpu.limit_hz", "scaling_max_freq");
	tell_least(s, &policies, "cpu.max_hz", "cpuinfo_max_freq");
	facts_names_free(&policies);
	if (facts_u64(boost, &v) == 0)
		facts_yesno(s, "", "cpu.boost", v != 0, boost);
	else if (facts_u64(no_turbo, &v) == 0)
		facts_yesno(s, "", "cpu.boost", v == 0, no_turbo);
}

static void tell_idle_states(const struct fact_sink *s)
{
	static const char folder[] = CPUS "/cpu0/cpuidle";
	struct facts_set enabled = { NULL, 0, 0 };
	struct facts_names states;
	struct buf value = BUF_INIT;
	char path[FACTS_PATH], name[FACTS_NAME];
	uint64_t disabled;

	facts_names(folder, STATES_MAX, &states);
	for (size_t i = 0; i < states.n; i++) {
		snprintf(path, sizeof(path), "%s/%s/disable", folder, states.v[i]);
		if (facts_u64(path, &disabled) == 0 && disabled)
			continue;
		snprintf(path, sizeof(path), "%s/%s/name", folder, states.v[i]);
		if (facts_line(path, name, sizeof(name)) == 0 && *name)
			facts_set_add(&enabled, name);
	}
	facts_set_put(&enabled, &value);
	if (states.n > 0)
		fact_tell(s, "", "cpu.cstates", value.len ? buf_text(&value) : "none", folder);
	facts_names_free(&states);
	buf_free(&value);
}

static void tell_allowed(const struct fact_sink *s)
{
	struct buf text = BUF_INIT;
	char list[4 * FACTS_LINE];

	facts_file("/proc/self/status", FACTS_SMALL, &text);
	if (facts_keyed(buf_text(&text), "Cpus_allowed_list", list, sizeof(list)))
		fact_tell_u64(s, "", "cpu.allowed", facts_list_count(list), "/proc/self/status");
	buf_free(&text);
}

void facts_cpu(const struct fact_sink *s)
{
	static const struct facts_row rows[] = {
		{ "cpu.online", "online", SAY_COUNT, ABSENT_TOLD },
		{ "cpu.present", "present", SAY_COUNT, ABSENT_TOLD },
		{ "cpu.isolated", "isolated", SAY_COUNT, ABSENT_SILENT },
		{ "cpu.idle_driver", "cpuidle/current_driver", SAY_TEXT, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};
	static const struct facts_row clocksource = {
		"cpu.clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", SAY_TEXT,
		ABSENT_TOLD
	};

	tell_cpuinfo(s);
	tell_topology(s);
	facts_say_all(s, "", CPUS, rows);
	tell_allowed(s);
	tell_frequency(s);
	tell_idle_states(s);
	facts_say(s, "", &clocksource);
}

/* What this process may use: rlimits, and the cgroups that it is in. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/facts/facts_parts.h"

enum { GROUP_PATH = 2 * FACTS_PATH };

/* A limit as the kernel names it, and where its soft and hard values go. */
static const struct {
	const char *name, *soft, *hard;
} limits[] = {
	{ "Max locked memory", "limit.memlock_bytes", "limit.memlock_hard_bytes" },
	{ "Max open files", "limit.nofile", NULL },
	{ "Max processes", "limit.nproc", NULL },
	{ "Max stack size", "limit.stack_bytes", NULL },
	{ "Max core file size", "limit.core_bytes", NULL },
};

void facts_limits(const struct fact_sink *s)
{
	static const char path[] = "/proc/self/limits";
	struct buf text = BUF_INIT;
	const char *at, *line;
	size_t len;
	int failed = facts_file(path, FACTS_SMALL, &text);

	if (failed)
		fact_tell_errno(s, "", "limit.memlock_bytes", path, failed);
	for (at = buf_text(&text); (line = facts_next_line(&at, &len));) {
		for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
			size_t name = strlen(limits[i].name);
			const char *word = line + name;
			char soft[FACTS_NAME], hard[FACTS_NAME];

			if (len <= name || strncmp(line, limits[i].name, name) != 0 ||
			    !facts_next_word(&word, line + len, soft, sizeof(soft)) ||
			    !facts_next_word(&word, line + len, hard, sizeof(hard)))
				continue;
			fact_tell(s, "", limits[i].soft, soft, path);
			if (limits[i].hard)
				fact_tell(s, "", limits[i].hard, hard, path);
		}
	}
	buf_free(&text);
}

/* A cgroup of this process: where its hierarchy is mounted, and its path there. */
struct group {
	char mount[FACTS_PATH];
	char path[FACTS_PATH];
};

static bool has_word(const char *list, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t at = 0; at + n <= len; at += strcspn(list + at, ",") + 1)
		if (strncmp(list + at, word, n) == 0 && (at + n == len || list[at + n] == ','))
			return true;
	return false;
}

/* Finds the line "N:controllers:/path"; controller "" means the one of version 2. */
static bool find_path(const char *groups, const char *controller, char *out, size_t n)
{
	size_t len;

	for (const char *line; (line = facts_next_line(&groups, &len));) {
		const char *first = memchr(line, ':', len), *second;

		second = first ? memchr(first + 1, ':', len - (size_t)(first + 1 - line)) : NULL;
		if (!second)
			continue;
		if (*controller ? !has_word(first + 1, (size_t)(second - first - 1), controller)
		                : second != first + 1)
			continue;
		snprintf(out, n, "%.*s", (int)(len - (size_t)(second + 1 - line)), second + 1);
		return *out == '/' && strlen(out) < n - 1;
	}
	return false;
}

/* "30 23 0:26 ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE SUPEROPTIONS" */
static bool mount_line(const char *line, const char *end, const char *controller, char *root,
                       char *mount)
{
	char word[FACTS_PATH], type[FACTS_NAME];
	const char *at = line;
	bool behind = false;

	for (int i = 0; i < 3; i++)
		if (!facts_next_word(&at, end, word, sizeof(word)))
			return false;
	if (!facts_next_word(&at, end, root, FACTS_PATH) ||
	    !facts_next_word(&at, end, mount, FACTS_PATH))
		return false;
	while (!behind && facts_next_word(&at, end, word, sizeof(word)))
		behind = strcmp(word, "-") == 0;
	if (!facts_next_word(&at, end, type, sizeof(type)) ||
	    !facts_next_word(&at, end, word, sizeof(word)) ||
	    !facts_next_word(&at, end, word, sizeof(word)))
		return false;
	return *controller ? strcmp(type, "cgroup") == 0 && has_word(word, strlen(word), controller)
	                   : strcmp(type, "cgroup2") == 0;
}

/* In a container the mount shows a part of the hierarchy: what lies above it cannot be seen. */
static void find_mount(const char *mounts, const char *controller, struct group *g)
{
	char root[FACTS_PATH] = "", mount[FACTS_PATH];
	size_t len, n;

	if (*controller)
		snprintf(g->mount, sizeof(g->mount), "/sys/fs/cgroup/%s", controller);
	else
		snprintf(g->mount, sizeof(g->mount), "/sys/fs/cgroup");
	for (const char *line; (line = facts_next_line(&mounts, &len));) {
		if (!mount_line(line, line + len, controller, root, mount))
			continue;
		snprintf(g->mount, sizeof(g->mount), "%s", mount);
		break;
	}
	n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strstr(g->path, "/.."))
		g->path[0] = '\0';
	else if (n > 0 && strncmp(g->path, root, n) == 0 && (!g->path[n] || g->path[n] == '/'))
		memmove(g->path, g->path + n, strlen(g->path + n) + 1);
	n = strlen(g->path);
	if (n > 0 && g->path[n - 1] == '/')
		g->path[n - 1] = '\0';
}

static bool find_group(const char *groups, const char *mounts, const char *controller,
                       struct group *g)
{
	if (!find_path(groups, controller, g->path, sizeof(g->path)))
		return false;
	find_mount(mounts, controller, g);
	return true;
}

/* What the groups from the own one up to the root allow: the least counts. */
struct allowed {
	double cores;    /* 0: no quota */
	uint64_t memory; /* UINT64_MAX: no limit */
	double throttled_s;
	bool saw_cpu, saw_memory, saw_throttled;
};

static void note_cores(struct allowed *a, double quota, double period)
{
	double cores = period > 0 ? quota / period : 0;

	if (cores > 0 && (a->cores <= 0 || cores < a->cores))
		a->cores = cores;
}

static void of_group(char path[GROUP_PATH], const char *folder, const char *file)
{
	int len = snprintf(path, GROUP_PATH, "%s/%s", folder, file);

	if (len < 0 || len >= GROUP_PATH)
		*path = '\0';
}

/* One of the numbers in cpu.stat, in seconds. Each group counts its own; the most counts. */
static void note_throttled(struct allowed *a, const char *folder)
{
	struct buf text = BUF_INIT;
	char path[GROUP_PATH], word[FACTS_NAME], value[FACTS_NAME];
	const char *at, *line;
	size_t len;

	of_group(path, folder, "cpu.stat");
	facts_file(path, FACTS_SMALL, &text);
	for (at = buf_text(&text); (line = facts_next_line(&at, &len));) {
		const char *in = line;
		double unit, v;

		if (!facts_next_word(&in, line + len, word, sizeof(word)) ||
		    !facts_next_word(&in, line + len, value, sizeof(value)))
			continue;
		unit = strcmp(word, "throttled_usec") == 0   ? 1e-6
		       : strcmp(word, "throttled_time") == 0 ? 1e-9
		                                             : 0;
		if (unit <= 0)
			continue;
		v = (double)strtoull(value, NULL, 10) * unit;
		a->saw_throttled = true;
		if (v > a->throttled_s)
			a->throttled_s = v;
	}
	buf_free(&text);
}

static void look_v2(struct allowed *a, const char *folder)
{
	char path[GROUP_PATH], text[FACTS_LINE], *end;
	uint64_t v;

	of_group(path, folder, "cpu.max");
	if (facts_line(path, text, sizeof(text)) == 0) {
		uint64_t quota = strtoull(text, &end, 10);

		a->saw_cpu = true;
		if (end != text && *end == ' ')
			note_cores(a, (double)quota, (double)strtoull(end, NULL, 10));
	}
	of_group(path, folder, "memory.max");
	if (facts_line(path, text, sizeof(text)) == 0) {
		a->saw_memory = true;
		if (facts_u64(path, &v) == 0 && v < a->memory)
			a->memory = v;
	}
	note_throttled(a, folder);
}

static void look_v1_cpu(struct allowed *a, const char *folder)
{
	char path[GROUP_PATH], text[FACTS_LINE];
	uint64_t quota, period;

	of_group(path, folder, "cpu.cfs_quota_us");
	if (facts_line(path, text, sizeof(text)) == 0) {
		a->saw_cpu = true;
		if (facts_u64(path, &quota) == 0) {
			of_group(path, folder, "cpu.cfs_period_us");
			if (facts_u64(path, &period) == 0)
				note_cores(a, (double)quota, (double)period);
		}
	}
	note_throttled(a, folder);
}

static void look_v1_memory(struct allowed *a, const char *folder)
{
	char path[GROUP_PATH];
	uint64_t v;

	of_group(path, folder, "memory.limit_in_bytes");
	if (facts_u64(path, &v) != 0)
		return;
	a->saw_memory = true;
	/* No limit is told as the largest number of whole pages. */
	if (v < UINT64_MAX / 4 && v < a->memory)
		a->memory = v;
}

static void climb(struct allowed *a, struct group *g,
                  void (*look)(struct allowed *a, const char *folder))
{
	char folder[GROUP_PATH];

	for (;;) {
		char *slash = strrchr(g->path, '/');

		snprintf(folder, sizeof(folder), "%s%s", g->mount, g->path);
		look(a, folder);
		if (!slash)
			return;
		*slash = '\0';
	}
}

static void tell_allowed(const struct fact_sink *s, const struct allowed *a)
{
	static const char source[] = "/proc/self/cgroup and the files below its mount";
	char text[FACTS_NAME];

	snprintf(text, sizeof(text), "%" PRIu64, a->memory);
	if (a->cores > 0)
		fact_tell_f64(s, "", "cgroup.cpu_cores", a->cores, source);
	else
		fact_tell(s, "", "cgroup.cpu_cores", a->saw_cpu ? "unlimited" : NULL,
		          a->saw_cpu ? source : "/proc/self/cgroup: no quota file can be read");
	fact_tell(s, "", "cgroup.memory_bytes",
	          !a->saw_memory           ? NULL
	          : a->memory < UINT64_MAX ? text
	                                   : "unlimited",
	          a->saw_memory ? source : "/proc/self/cgroup: no memory limit can be read");
	if (a->saw_throttled)
		fact_tell_f64(s, "", "cgroup.throttled_s", a->throttled_s, source);
}

void facts_cgroup(const struct fact_sink *s)
{
	static const char path[] = "/proc/self/cgroup";
	struct buf groups = BUF_INIT, mounts = BUF_INIT;
	struct allowed a = { .memory = UINT64_MAX };
	struct group g;
	bool v1 = false, v2;
	int failed = facts_file(path, FACTS_SMALL, &groups);

	facts_file("/proc/self/mountinfo", FACTS_LARGE, &mounts);
	v2 = find_group(buf_text(&groups), buf_text(&mounts), "", &g);
	if (v2)
		climb(&a, &g, look_v2);
	if (find_group(buf_text(&groups), buf_text(&mounts), "cpu", &g)) {
		v1 = true;
		climb(&a, &g, look_v1_cpu);
	}
	if (find_group(buf_text(&groups), buf_text(&mounts), "memory", &g)) {
		v1 = true;
		climb(&a, &g, look_v1_memory);
	}
	if (failed && failed != ENOENT)
		fact_tell_errno(s, "", "cgroup.version", path, failed);
	else
		fact_tell(s, "", "cgroup.version",
		          v1 && v2 ? "hybrid"
		          : v1     ? "1"
		          : v2     ? "2"
		                   : "none",
		          path);
	if (v1 || v2)
		tell_allowed(s, &a);
	buf_free(&groups);
	buf_free(&mounts);
}

/* Versions: the distribution, and drivers that come apart from the kernel. */
#include <string.h>

#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

/* The value of NAME="..." in a file of shell assignments. */
static bool assigned(const char *text, const char *name, char *out, size_t n)
{
	size_t len, name_len = strlen(name);

	for (const char *line; (line = facts_next_line(&text, &len));) {
		const char *value = line + name_len + 1;
		size_t value_len = len - name_len - 1;

		if (len <= name_len || strncmp(line, name, name_len) != 0 || line[name_len] != '=')
			continue;
		if (value_len >= 2 && (*value == '"' || *value == '\'')) {
			value++;
			value_len -= 2;
		}
		snprintf(out, n, "%.*s", (int)(value_len < n ? value_len : n - 1), value);
		return *out != '\0';
	}
	return false;
}

static void tell_os(const struct fact_sink *s)
{
	static const char *const paths[] = { "/etc/os-release", "/usr/lib/os-release" };
	char name[FACTS_LINE];

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct buf text = BUF_INIT;
		bool found = facts_file(paths[i], FACTS_SMALL, &text) == 0 &&
		             assigned(buf_text(&text), "PRETTY_NAME", name, sizeof(name));

		buf_free(&text);
		if (found) {
			fact_tell(s, "", "sw.os", name, paths[i]);
			return;
		}
	}
	fact_tell(s, "", "sw.os", NULL, "/etc/os-release: has no PRETTY_NAME");
}

/* The kernel's own mlx5 says nothing, the kernel's release or 5.0-0. */
static void tell_mlx5(const struct fact_sink *s)
{
	static const char path[] = "/sys/module/mlx5_core/version";
	char version[FACTS_NAME], kernel[FACTS_NAME];

	if (facts_line(path, version, sizeof(version)) != 0 || !*version)
		return;
	facts_line("/proc/sys/kernel/osrelease", kernel, sizeof(kernel));
	if (strcmp(version, kernel) != 0 && strcmp(version, "5.0-0") != 0)
		fact_tell(s, "", "sw.mlx5", version, path);
}

void facts_software(const struct fact_sink *s)
{
	static const struct facts_row kernel = { "sw.kernel", "/proc/sys/kernel/osrelease",
		                                 SAY_TEXT, ABSENT_TOLD };
	static const struct facts_row nvidia = { "sw.nvidia", "/sys/module/nvidia/version",
		                                 SAY_TEXT, ABSENT_SILENT };

	tell_os(s);
	/* Each process tells the release that it runs on (env_facts), but for a captured tree. */
	if (sys_redirected())
		facts_say(s, "", &kernel);
	facts_say(s, "", &nvidia);
	tell_mlx5(s);
}

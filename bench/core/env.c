#include "bench/core/env.h"

#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/base/record.h"
#include "bench/core/env_parts.h"

/* Marks and words that say nothing about the model: "Intel(R) Xeon(R) CPU @ 2.50GHz". */
static const char *const noise[] = { "(R)", "(r)", "(TM)", "(tm)", " CPU", " Processor", NULL };

static void remove_all(char *text, const char *what)
{
	size_t len = strlen(what);

	for (char *at = strstr(text, what); at; at = strstr(at, what))
		memmove(at, at + len, strlen(at + len) + 1);
}

static void squeeze_spaces(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to != text && to[-1] != ' '))
			*to++ = *from;
	while (to != text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static void cpu_model(char *out, size_t n)
{
	struct utsname u;
	char *at;

	if (!sys_keyed("/proc/cpuinfo", "model name", out, n) &&
	    !sys_keyed("/proc/cpuinfo", "CPU part", out, n))
		snprintf(out, n, "%s", uname(&u) == 0 ? u.machine : "unknown CPU");
	at = strstr(out, " @ ");
	if (at)
		*at = '\0';
	for (const char *const *word = noise; *word; word++)
		remove_all(out, *word);
	squeeze_spaces(out);
}

uint64_t env_round_memory(uint64_t bytes)
{
	uint64_t power = 1, step;

	while (power < bytes && power < UINT64_C(1) << 62)
		power *= 2;
	step = power / 16;
	return step ? (bytes + step / 2) / step * step : bytes;
}

static void hardware_class(struct env_node *node)
{
	char model[128];
	struct buf text = BUF_INIT;
	int sockets = node->sockets > 0 ? node->sockets : 1;

	cpu_model(model, sizeof(model));
	buf_printf(&text, "%dx %s", sockets, model);
	if (node->cores > 0)
		buf_printf(&text, " %dc", node->cores / sockets);
	if (node->memory_bytes > 0)
		buf_printf(&text, " | %.4g GiB",
		           (double)env_round_memory(node->memory_bytes) / (1 << 30));
	env_hcas(&text);
	env_gpus(&text);
	snprintf(node->hw, sizeof(node->hw), "%.*s", (int)sizeof(node->hw) - 1, buf_text(&text));
	buf_free(&text);
}

void env_host(char *out, size_t n)
{
	const char *name = getenv("HPCBENCH_NODE");

	if (!name || !*name)
		name = getenv("SLURMD_NODENAME");
	if (name && *name) {
		snprintf(out, n, "%.*s", (int)n - 1, name);
		return;
	}
	if (gethostname(out, n) != 0 || !*out)
		snprintf(out, n, "localhost");
	out[n - 1] = '\0';
	out[strcspn(out, ".")] = '\0'; /* Slurm and people name nodes without their domain */
}

int env_node_read(struct env_node *out, struct hb_err *err)
{
	struct utsname u;
	int rc;

	*out = (struct env_node){ 0 };
	env_host(out->host, sizeof(out->host));
	if (uname(&u) == 0)
		snprintf(out->kernel, sizeof(out->kernel), "%.50s %.70s", u.sysname, u.release);
	rc = env_topology(out, err);
	if (!rc)
		hardware_class(out);
	return rc;
}

void env_facts(const char *endpoint, json_object *arr)
{
	struct utsname u;

	/* A captured tree has a kernel of its own. */
	if (!sys_redirected() && uname(&u) == 0)
		json_object_array_add(arr,
		                      rec_fact_to_json(endpoint, "sw.kernel", u.release, "uname"));
	json_object_array_add(arr, rec_fact_to_json(endpoint, "sw.libc", gnu_get_libc_version(),
	                                            "gnu_get_libc_version"));
	json_object_array_add(
	        arr, rec_fact_to_json(endpoint, "sw.hpcbench", HPCBENCH_VERSION, "compiled in"));
}

/* What Slurm believes of a node's hardware, and all of its view as facts. */
#include <inttypes.h>
#include <string.h>

#include "harness/slurm/slurm_parts.h"

enum { NUMBER_MAX = 18 /* digits */, GPUS_MAX = 4096 };

/* A whole number up to the end of n bytes; -1: it is none. */
static int64_t number(const char *p, size_t n)
{
	int64_t v = 0;

	if (!p || n == 0 || n > NUMBER_MAX)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = 10 * v + (p[i] - '0');
	}
	return v;
}

static int64_t number_of(const char *line, size_t len, const char *key)
{
	size_t n;
	const char *p = slurm_value(line, len, key, &n);

	return number(p, n);
}

/* "gpu", "gpu:4", "gpu:a100:4", "gpu:a100:4(S:0-1)": one of the list, of len bytes. */
static long gpus_of(const char *p, size_t len)
{
	const char *open = memchr(p, '(', len), *last = NULL;
	int64_t v;

	if (open)
		len = (size_t)(open - p);
	if (len < 3 || memcmp(p, "gpu", 3) != 0 || (len > 3 && p[3] != ':'))
		return 0;
	for (size_t i = 3; i < len; i++)
		if (p[i] == ':')
			last = p + i + 1;
	/* A model may be digits as well, but then a number follows it. */
	v = last ? number(last, (size_t)(p + len - last)) : 1;
	if (v < 0)
		return 1;
	return v < GPUS_MAX ? (long)v : GPUS_MAX;
}

long slurm_gres_gpus(const char *gres)
{
	long sum = 0;

	/* Commas also stand within brackets: "gpu:4(S:0,2)". */
	for (const char *p = gres; *p && sum <= GPUS_MAX;) {
		size_t len = 0;
		int depth = 0;

		for (; p[len] && (p[len] != ',' || depth > 0); len++)
			depth += p[len] == '(' ? 1 : p[len] == ')' ? -1 : 0;
		sum += gpus_of(p, len);
		p += len + (p[len] == ',');
	}
	return sum < GPUS_MAX ? sum : GPUS_MAX;
}

void slurm_take_hardware(const char *line, size_t len, struct slurm_node *out)
{
	static const char none[] = "(null)";
	size_t n;
	const char *p;

	out->cpus = (long)number_of(line, len, " CPUTot=");
	out->sockets = (long)number_of(line, len, " Sockets=");
	out->memory_mib = number_of(line, len, " RealMemory=");
	out->gpus = -1;
	p = slurm_value(line, len, " Version=", &n);
	if (p && !slurm_clean(p, n, out->version, sizeof out->version))
		out->version[0] = '\0';
	p = slurm_value(line, len, " Gres=", &n);
	if (!p)
		return;
	if (n == 0 || (n == sizeof none - 1 && memcmp(p, none, n) == 0)) {
		snprintf(out->gres, sizeof out->gres, "none");
		out->gpus = 0;
		return;
	}
	/* A list that was cut off would be counted wrong. */
	if (slurm_clean(p, n, out->gres, sizeof out->gres))
		out->gpus = slurm_gres_gpus(out->gres);
}

static void tell_number(void (*tell)(void *ctx, const char *key, const char *value), void *ctx,
                        const char *key, int64_t v)
{
	char text[32];

	if (v < 0)
		return;
	snprintf(text, sizeof text, "%" PRId64, v);
	tell(ctx, key, text);
}

void slurm_node_facts(const struct slurm_node *n,
                      void (*tell)(void *ctx, const char *key, const char *value), void *ctx)
{
	if (strcmp(n->state, "unknown") == 0)
		return;
	if (n->state[0])
		tell(ctx, "slurm.state", n->state);
	tell(ctx, "slurm.reason", n->reason[0] ? n->reason : "none");
	tell_number(tell, ctx, "slurm.cpus", n->cpus);
	tell_number(tell, ctx, "slurm.sockets", n->sockets);
	if (n->memory_mib <= INT64_MAX >> 20)
		tell_number(tell, ctx, "slurm.memory_bytes",
		            n->memory_mib < 0 ? -1 : n->memory_mib * (INT64_C(1) << 20));
	if (n->gres[0])
		tell(ctx, "slurm.gres", n->gres);
	tell_number(tell, ctx, "slurm.gpus", n->gpus);
	if (n->version[0])
		tell(ctx, "slurm.version", n->version);
}

/* All facts of a node, in order; what may hang is begun first and told last. */
#include "bench/facts/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

/* What a machine of others could say in a captured tree or by a driver gone mad is bounded. */
enum { FACTS_MAX = 8192, DEVICE_MAX = 250, KEY_MAX = 100, VALUE_MAX = 1500, SOURCE_MAX = 300 };

/* Between the subjects and whoever listens: every text is clean and short. */
struct bounded {
	const struct fact_sink *to;
	size_t n;
};

/* Printable, at most max bytes, and cut between characters. */
static const char *clean(const char *text, char *out, size_t max)
{
	size_t n = strnlen(text, max);

	memcpy(out, text, n);
	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)out[i]))
			out[i] = ' ';
	if (text[n]) {
		while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n] = '\0';
	return out;
}

static void tell_bounded(void *ctx, const char *device, const char *key, const char *value,
                         const char *source)
{
	struct bounded *b = ctx;
	char d[DEVICE_MAX + 4], k[KEY_MAX + 4], v[VALUE_MAX + 4], from[SOURCE_MAX + 4];

	if (b->n++ >= FACTS_MAX || strlen(device) > DEVICE_MAX || strlen(key) > KEY_MAX)
		return;
	fact_tell(b->to, clean(device, d, DEVICE_MAX), clean(key, k, KEY_MAX),
	          value ? clean(value, v, VALUE_MAX) : NULL, clean(source, from, SOURCE_MAX));
}

void facts_node(const struct fact_sink *to)
{
	struct bounded bounded = { to, 0 };
	const struct fact_sink s = { tell_bounded, &bounded };
	struct facts_resolving *names = NULL;
	struct facts_looking *folders = NULL;

	if (!sys_redirected()) {
		names = facts_resolve_begin();
		folders = facts_folders_begin();
	}
	facts_software(&s);
	facts_kernel(&s);
	facts_cpu(&s);
	facts_memory(&s);
	facts_limits(&s);
	facts_cgroup(&s);
	facts_user(&s);
	facts_time(&s);
	facts_net(&s);
	facts_rdma(&s);
	facts_gpu(&s);
	if (sys_redirected())
		facts_told(&s);
	if (names)
		facts_resolve_end(&s, names);
	if (folders)
		facts_folders_end(&s, folders);
}

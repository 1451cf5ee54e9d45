#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/base/fact.h"
#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "facts_heard.h"

static void hear(void *ctx, const char *device, const char *key, const char *value,
                 const char *source)
{
	struct heard *h = ctx;

	hb_grow(&h->v, &h->cap, h->n + 1, sizeof(*h->v));
	h->v[h->n++] = (struct heard_fact){ hb_strdup(device), hb_strdup(key), hb_strdup(value),
		                            hb_strdup(source) };
}

struct fact_sink heard_sink(struct heard *h)
{
	*h = (struct heard){ NULL, 0, 0 };
	return (struct fact_sink){ hear, h };
}

void heard_free(struct heard *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].device);
		free(h->v[i].key);
		free(h->v[i].value);
		free(h->v[i].source);
	}
	free(h->v);
	*h = (struct heard){ NULL, 0, 0 };
}

const struct heard_fact *heard_find(const struct heard *h, const char *device, const char *key)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->v[i].device, device) == 0 && strcmp(h->v[i].key, key) == 0)
			return &h->v[i];
	return NULL;
}

size_t heard_count(const struct heard *h, const char *device, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += strcmp(h->v[i].device, device) == 0 && strcmp(h->v[i].key, key) == 0;
	return n;
}

void heard_is(const struct heard *h, const char *device, const char *key, const char *value)
{
	const struct heard_fact *f = heard_find(h, device, key);

	if (!f)
		fail_msg("%s %s: not told, %s was expected", device, key, value);
	if (!f->value || strcmp(f->value, value) != 0)
		fail_msg("%s %s: %s (%s), %s was expected", device, key,
		         f->value ? f->value : "null", f->source, value);
	assert_int_equal(heard_count(h, device, key), 1);
}

void heard_unknown(const struct heard *h, const char *device, const char *key, const char *why)
{
	const struct heard_fact *f = heard_find(h, device, key);

	if (!f || f->value || !strstr(f->source, why))
		fail_msg("%s %s: %s (%s), null for '%s' was expected", device, key,
		         f && f->value ? f->value : "null", f ? f->source : "not told", why);
}

void heard_nothing(const struct heard *h, const char *device, const char *key)
{
	const struct heard_fact *f = heard_find(h, device, key);

	if (f)
		fail_msg("%s %s: %s (%s) was told", device, key, f->value ? f->value : "null",
		         f->source);
}

static bool device_fits(const char *device, enum fact_about about)
{
	switch (about) {
	case FACT_NODE: return !*device;
	case FACT_NETDEV: return *device && !strchr(device, ':') && strncmp(device, "gpu", 3) != 0;
	case FACT_PORT: return strchr(device, ':') && strncmp(device, "fs:", 3) != 0;
	case FACT_GPU: return strncmp(device, "gpu", 3) == 0;
	case FACT_FOLDER: return strncmp(device, "fs:/", 4) == 0;
	case FACT_LIB: return strncmp(device, "lib:", 4) == 0;
	case FACT_PEER: return strncmp(device, "peer:", 5) == 0;
	}
	return false;
}

void heard_check(const struct heard *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct heard_fact *f = &h->v[i];
		const struct fact_info *row = fact_find(f->key);
		const char *end;
		double v;

		if (!row)
			fail_msg("%s %s: no row in the catalog", f->device, f->key);
		else if (!device_fits(f->device, row->about))
			fail_msg("%s %s: is about a %s", f->device, f->key,
			         fact_about_name(row->about));
		else if (f->value && row->type == FACT_NUMBER &&
		         (!num_parse(f->value, &end, &v) || *end))
			fail_msg("%s %s: '%s' is no number", f->device, f->key, f->value);
		else if (f->value && row->type == FACT_YESNO && strcmp(f->value, "yes") != 0 &&
		         strcmp(f->value, "no") != 0)
			fail_msg("%s %s: '%s' is neither yes nor no", f->device, f->key, f->value);
		else if (!*f->source || heard_count(h, f->device, f->key) != 1)
			fail_msg("%s %s: told %zu times, source '%s'", f->device, f->key,
			         heard_count(h, f->device, f->key), f->source);
	}
}

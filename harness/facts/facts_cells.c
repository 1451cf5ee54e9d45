#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/facts/facts_inside.h"

enum { FEW_MAX = 32, HASH_START = 64 };

size_t cells_find(const struct fact_cells *c, size_t node)
{
	if (!c)
		return SIZE_MAX;
	if (c->at)
		return node < c->n_at && c->at[node] ? c->at[node] - 1 : SIZE_MAX;
	for (size_t i = 0; i < c->n_few; i++)
		if (c->few[i].node == node)
			return c->few[i].value;
	return SIZE_MAX;
}

static void array_set(struct fact_cells *c, size_t node, size_t value)
{
	if (node >= c->n_at) {
		size_t n = node + 1 + node / 2;

		c->at = hb_realloc_array(c->at, n, sizeof *c->at);
		memset(c->at + c->n_at, 0, (n - c->n_at) * sizeof *c->at);
		c->n_at = n;
	}
	c->at[node] = (uint32_t)value + 1;
}

static void to_array(struct fact_cells *c)
{
	for (size_t i = 0; i < c->n_few; i++)
		array_set(c, c->few[i].node, c->few[i].value);
	free(c->few);
	c->few = NULL;
	c->n_few = c->cap_few = 0;
}

bool cells_set(struct fact_cells **cells, size_t node, size_t value)
{
	struct fact_cells *c = *cells;

	if (!c)
		c = *cells = hb_alloc(sizeof *c);
	if (!c->at) {
		for (size_t i = 0; i < c->n_few; i++)
			if (c->few[i].node == node) {
				c->few[i].value = (uint32_t)value;
				return false;
			}
		if (c->n_few < FEW_MAX) {
			hb_grow(&c->few, &c->cap_few, c->n_few + 1, sizeof *c->few);
			c->few[c->n_few].node = (uint32_t)node;
			c->few[c->n_few++].value = (uint32_t)value;
			return true;
		}
		to_array(c);
	}
	bool fresh = cells_find(c, node) == SIZE_MAX;

	array_set(c, node, value);
	return fresh;
}

void cells_drop(struct fact_cells *c, size_t node)
{
	if (!c)
		return;
	if (c->at) {
		if (node < c->n_at)
			c->at[node] = 0;
		return;
	}
	for (size_t i = 0; i < c->n_few; i++) {
		if (c->few[i].node != node)
			continue;
		memmove(c->few + i, c->few + i + 1, (c->n_few - i - 1) * sizeof *c->few);
		c->n_few--;
		return;
	}
}

void cells_each(const struct fact_cells *c, void (*each)(void *arg, size_t node, size_t value),
                void *arg)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_few; i++)
		each(arg, c->few[i].node, c->few[i].value);
	for (size_t i = 0; i < c->n_at; i++)
		if (c->at[i])
			each(arg, i, c->at[i] - 1);
}

void cells_renumber(struct fact_cells *c, const size_t *map)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_few; i++)
		c->few[i].value = (uint32_t)map[c->few[i].value];
	for (size_t i = 0; i < c->n_at; i++)
		if (c->at[i])
			c->at[i] = (uint32_t)map[c->at[i] - 1] + 1;
}

void cells_free(struct fact_cells *c)
{
	if (!c)
		return;
	free(c->few);
	free(c->at);
	free(c->tally);
	free(c);
}

uint64_t hash_text(uint64_t begin, const char *text)
{
	uint64_t h = rng_hash(text, strlen(text)) + begin * UINT64_C(0x9e3779b97f4a7c15);

	/* Mixed, so that the low bits, which choose the place, depend on all of it. */
	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ (h >> 32);
}

static const struct fact_place *taken(const struct fact_hash *h, size_t i, uint64_t hash)
{
	for (; h->v[i].a; i = (i + 1) & (h->cap - 1))
		if (h->v[i].hash == hash)
			return &h->v[i];
	return NULL;
}

const struct fact_place *hash_first(const struct fact_hash *h, uint64_t hash)
{
	return h->cap ? taken(h, hash & (h->cap - 1), hash) : NULL;
}

const struct fact_place *hash_next(const struct fact_hash *h, const struct fact_place *p)
{
	return taken(h, ((size_t)(p - h->v) + 1) & (h->cap - 1), p->hash);
}

static void place(struct fact_hash *h, struct fact_place p)
{
	size_t i = p.hash & (h->cap - 1);

	while (h->v[i].a)
		i = (i + 1) & (h->cap - 1);
	h->v[i] = p;
}

void hash_put(struct fact_hash *h, uint64_t hash, size_t a, size_t b)
{
	if (2 * (h->n + 1) > h->cap) {
		struct fact_hash old = *h;

		h->cap = old.cap ? 2 * old.cap : HASH_START;
		h->v = hb_alloc(h->cap * sizeof *h->v);
		for (size_t i = 0; i < old.cap; i++)
			if (old.v[i].a)
				place(h, old.v[i]);
		free(old.v);
	}
	place(h, (struct fact_place){ hash, (uint32_t)a + 1, (uint32_t)b });
	h->n++;
}

void hash_clear(struct fact_hash *h)
{
	free(h->v);
	*h = (struct fact_hash){ NULL, 0, 0 };
}

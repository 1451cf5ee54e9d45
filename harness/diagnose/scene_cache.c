/* What tests ask of a scene again and again, worked out once. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

/* ---- counters ---- */

struct look_cache {
	struct counter_rows *v;
	size_t n, cap;
	struct rows_by_node {
		const char *key;
		size_t *v, *begin; /* of node i: v[begin[i]] to v[begin[i + 1]] */
	} * places;
	size_t n_places, cap_places;
	struct shared_index *shared;
	size_t n_shared, cap_shared;
	struct wire *wires;   /* of each node */
	double bytes;         /* over all of them; below 0: not asked yet */
	signed char *wire_is; /* 0: not asked yet, 1: known, -1: it told no counters */
};

void look_cache_make(struct look *l)
{
	l->counts = hb_alloc(l->n_nodes + 1);
	l->cache = hb_alloc(sizeof *l->cache);
	l->cache->bytes = -1;
	for (size_t i = 0; l->f->counted_s && i < l->n_nodes; i++)
		l->counts[i] = l->f->counted_s[i] > 0;
	for (size_t i = 0; i < l->f->n_counters; i++)
		for (size_t j = 0; j < l->f->counters[i].n; j++)
			l->counts[l->f->counters[i].v[j].node] = 1;
}

const struct counter_rows *look_counters(const struct look *l, const struct rule_test *t)
{
	struct look_cache *c = l->cache;
	struct counter_rows rows = { .test = t };
	size_t cap = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].test == t)
			return &c->v[i];
	for (size_t i = 0; i < l->f->n_counters; i++) {
		if (!rule_words_fit(&t->name, l->f->counters[i].name))
			continue;
		hb_grow(&rows.v, &cap, rows.n + 1, sizeof *rows.v);
		rows.v[rows.n++] = i;
		rows.cells += l->f->counters[i].n;
		for (size_t j = 0; j < l->f->counters[i].n; j++)
			rows.total += (double)l->f->counters[i].v[j].moved;
	}
	hb_grow(&c->v, &c->cap, c->n + 1, sizeof *c->v);
	c->v[c->n] = rows;
	return &c->v[c->n++];
}

/* ---- which rows a node has ---- */

static struct rows_by_node places_make(const struct look *l, const char *key)
{
	struct row_range rows = look_rows(l, key);
	struct rows_by_node p = { .key = key,
		                  .begin = hb_alloc((l->n_nodes + 2) * sizeof *p.begin) };

	for (size_t i = 0; i < rows.n; i++)
		for (size_t j = 0; j < rows.v[i].n; j++)
			for (size_t k = 0; k < rows.v[i].v[j].n; k++)
				p.begin[rows.v[i].v[j].nodes[k] + 2]++;
	for (size_t i = 2; i < l->n_nodes + 2; i++)
		p.begin[i] += p.begin[i - 1];
	p.v = hb_alloc((p.begin[l->n_nodes + 1] + 1) * sizeof *p.v);
	for (size_t i = 0; i < rows.n; i++)
		for (size_t j = 0; j < rows.v[i].n; j++)
			for (size_t k = 0; k < rows.v[i].v[j].n; k++)
				p.v[p.begin[rows.v[i].v[j].nodes[k] + 1]++] = i;
	return p;
}

struct row_places look_rows_of(const struct look *l, const char *key, size_t node)
{
	struct look_cache *c = l->cache;
	size_t i = 0;

	while (i < c->n_places && strcmp(c->places[i].key, key) != 0)
		i++;
	if (i == c->n_places) {
		hb_grow(&c->places, &c->cap_places, c->n_places + 1, sizeof *c->places);
		c->places[c->n_places++] = places_make(l, key);
	}
	const struct rows_by_node *p = &c->places[i];
	return (struct row_places){ p->v + p->begin[node], p->begin[node + 1] - p->begin[node] };
}

/* ---- values that others have too ---- */

static int by_element(const void *a, const void *b)
{
	const struct shared_at *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->text, y->text, len);

	if (c == 0)
		c = (x->len > y->len) - (x->len < y->len);
	return c ? c : (x->node > y->node) - (x->node < y->node);
}

/* Elements of the comma lists, without "/prefix". */
static void add_elements(struct shared_index *s, size_t *cap, const struct fact_row *row,
                         const struct fact_value *v)
{
	size_t of = 0;

	for (size_t i = 0; i < row->n; i++)
		of += row->v[i].n;
	for (const char *p = v->text; *p; p += *p == ',') {
		size_t len = strcspn(p, ",/");
		for (size_t i = 0; len && i < v->n; i++) {
			hb_grow(&s->v, cap, s->n + 1, sizeof *s->v);
			s->v[s->n++] =
			        (struct shared_at){ p, len, v->nodes[i], row->device, of, 0 };
		}
		p += strcspn(p, ",");
	}
}

static void count_shared(struct shared_index *s)
{
	for (size_t i = 0, k; i < s->n; i = k) {
		size_t nodes = 1;
		for (k = i + 1; k < s->n && s->v[k].len == s->v[i].len &&
		                memcmp(s->v[k].text, s->v[i].text, s->v[i].len) == 0;
		     k++)
			nodes += s->v[k].node != s->v[k - 1].node;
		for (size_t j = i; j < k; j++)
			s->v[j].n = nodes;
	}
}

const struct shared_index *look_shared(const struct look *l, const char *key)
{
	struct look_cache *c = l->cache;
	struct shared_index s = { .key = key };
	struct row_range rows = look_rows(l, key);
	size_t cap = 0;

	for (size_t i = 0; i < c->n_shared; i++)
		if (strcmp(c->shared[i].key, key) == 0)
			return &c->shared[i];
	for (size_t i = 0; i < rows.n; i++)
		for (size_t j = 0; j < rows.v[i].n; j++)
			if (rows.v[i].v[j].text && strcmp(rows.v[i].v[j].text, "none") != 0)
				add_elements(&s, &cap, &rows.v[i], &rows.v[i].v[j]);
	if (s.n)
		qsort(s.v, s.n, sizeof *s.v, by_element);
	count_shared(&s);
	hb_grow(&c->shared, &c->cap_shared, c->n_shared + 1, sizeof s);
	c->shared[c->n_shared] = s;
	return &c->shared[c->n_shared++];
}

const struct shared_at *shared_with(const struct shared_index *s, const char *text, size_t len,
                                    size_t node)
{
	struct shared_at want = { text, len, 0, NULL, 0, 0 };
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (by_element(&s->v[mid], &want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->n && s->v[lo].len == len && memcmp(s->v[lo].text, text, len) == 0; lo++)
		if (s->v[lo].node != node)
			return &s->v[lo];
	return NULL;
}

/* ---- wires ---- */

const struct wire *look_wire(const struct look *l, size_t node)
{
	struct look_cache *c = l->cache;

	if (!c->wires) {
		c->wires = hb_alloc((l->n_nodes + 1) * sizeof *c->wires);
		c->wire_is = hb_alloc(l->n_nodes + 1);
	}
	if (!c->wire_is[node])
		c->wire_is[node] = l->counts[node] && wire_of(l->f, node, &c->wires[node]) ? 1 : -1;
	return c->wire_is[node] > 0 ? &c->wires[node] : NULL;
}

double look_bytes(const struct look *l)
{
	struct look_cache *c = l->cache;

	if (c->bytes >= 0)
		return c->bytes;
	c->bytes = 0;
	for (size_t i = 0; i < l->n_nodes; i++) {
		const struct wire *w = look_wire(l, i);
		c->bytes += w ? w->bytes : 0;
	}
	return c->bytes;
}

void look_cache_free(struct look *l)
{
	struct look_cache *c = l->cache;

	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].v);
	for (size_t i = 0; i < c->n_shared; i++)
		free(c->shared[i].v);
	for (size_t i = 0; i < c->n_places; i++) {
		free(c->places[i].v);
		free(c->places[i].begin);
	}
	free(c->places);
	free(c->v);
	free(c->shared);
	free(c->wires);
	free(c->wire_is);
	free(c);
	free(l->counts);
}

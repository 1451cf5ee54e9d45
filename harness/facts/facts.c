#include "harness/facts/facts.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/utf8.h"
#include "harness/facts/facts_inside.h"

void facts_init(struct facts *f)
{
	*f = (struct facts){ 0 };
	f->index = hb_alloc(sizeof *f->index);
}

static void free_row(struct fact_row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		free(row->v[i].text);
		free(row->v[i].source);
		free(row->v[i].nodes);
	}
	free(row->v);
	free(row->device);
	free(row->key);
	cells_free(row->cells);
}

void facts_free(struct facts *f)
{
	for (size_t i = 0; i < f->n_nodes; i++) {
		free(f->nodes[i]);
		free(f->hw[i]);
	}
	for (size_t i = 0; i < f->n_rows; i++)
		free_row(&f->rows[i]);
	for (size_t i = 0; i < f->n_counters; i++) {
		free(f->counters[i].device);
		free(f->counters[i].name);
		free(f->counters[i].v);
		cells_free(f->counters[i].cells);
	}
	if (f->index) {
		hash_clear(&f->index->nodes);
		hash_clear(&f->index->rows);
		hash_clear(&f->index->values);
		hash_clear(&f->index->counters);
		free(f->index->class);
	}
	free(f->index);
	free(f->nodes);
	free(f->hw);
	free(f->rows);
	free(f->counters);
	free(f->counted_s);
	*f = (struct facts){ 0 };
}

size_t facts_find_node(const struct facts *f, const char *name)
{
	const struct fact_hash *h = &f->index->nodes;

	for (const struct fact_place *p = hash_first(h, hash_text(0, name)); p; p = hash_next(h, p))
		if (strcmp(f->nodes[p->a - 1], name) == 0)
			return p->a - 1;
	return SIZE_MAX;
}

size_t facts_add_node(struct facts *f, const char *name, const char *hw)
{
	size_t i = facts_find_node(f, name);

	if (i == SIZE_MAX) {
		size_t cap = f->cap_nodes, cap_s = cap;

		i = f->n_nodes++;
		hb_grow(&f->nodes, &f->cap_nodes, f->n_nodes, sizeof *f->nodes);
		hb_grow(&f->hw, &cap, f->n_nodes, sizeof *f->hw);
		hb_grow(&f->counted_s, &cap_s, f->n_nodes, sizeof *f->counted_s);
		f->nodes[i] = hb_strdup(name);
		f->hw[i] = NULL;
		f->counted_s[i] = 0;
		hash_put(&f->index->nodes, hash_text(0, name), i, 0);
	}
	if (hw && (!f->hw[i] || strcmp(f->hw[i], hw) != 0)) {
		free(f->hw[i]);
		f->hw[i] = hb_strdup(hw);
	}
	return i;
}

uint64_t facts_row_hash(const char *device, const char *key)
{
	return hash_text(hash_text(0, device), key);
}

uint64_t facts_value_hash(size_t row, const char *text)
{
	return hash_text((uint64_t)row * 2 + (text ? 1 : 0), text ? text : "");
}

size_t facts_find_row(const struct facts *f, const char *device, const char *key)
{
	const struct fact_hash *h = &f->index->rows;

	for (const struct fact_place *p = hash_first(h, facts_row_hash(device, key)); p;
	     p = hash_next(h, p)) {
		const struct fact_row *row = &f->rows[p->a - 1];

		if (strcmp(row->key, key) == 0 && strcmp(row->device, device) == 0)
			return p->a - 1;
	}
	return SIZE_MAX;
}

static size_t row_of(struct facts *f, const char *device, const char *key)
{
	size_t i = facts_find_row(f, device, key);

	if (i != SIZE_MAX || f->n_rows >= FACTS_ROWS_MAX)
		return i;
	i = f->n_rows++;
	hb_grow(&f->rows, &f->cap_rows, f->n_rows, sizeof *f->rows);
	f->rows[i] = (struct fact_row){ .device = hb_strdup(device),
		                        .key = hb_strdup(key),
		                        .info = fact_find(key) };
	hash_put(&f->index->rows, facts_row_hash(device, key), i, 0);
	return i;
}

/* A copy of at most FACTS_TEXT_MAX bytes, cut between characters. */
static char *bounded(const char *text)
{
	size_t len = strnlen(text, FACTS_TEXT_MAX + 1), to = 0;

	if (len <= FACTS_TEXT_MAX)
		return hb_strndup(text, len);
	const unsigned char *p = (const unsigned char *)text, *end = p + FACTS_TEXT_MAX;

	while (p + to < end) {
		size_t one = utf8_len(p + to, end);

		if (!one && (p[to] & 0xc0) != 0x80 && end - (p + to) < 4)
			break; /* the end cuts it */
		to += one ? one : 1;
	}
	return hb_strndup(text, to);
}

static size_t value_of(struct facts *f, size_t at, const char *text, const char *source)
{
	struct fact_row *row = &f->rows[at];
	uint64_t hash = facts_value_hash(at, text);
	const struct fact_hash *h = &f->index->values;

	for (const struct fact_place *p = hash_first(h, hash); p; p = hash_next(h, p)) {
		if (p->a - 1 != at || p->b >= row->n)
			continue;
		const char *is = row->v[p->b].text;

		if (text && is ? strcmp(text, is) == 0 : !text && !is)
			return p->b;
	}
	size_t i = row->n++;

	hb_grow(&row->v, &row->cap, row->n, sizeof *row->v);
	row->v[i] = (struct fact_value){ .text = hb_strdup(text),
		                         .source = bounded(source ? source : "") };
	hash_put(&f->index->values, hash, at, i);
	return i;
}

void facts_add(struct facts *f, size_t node, const char *device, const char *key, const char *value,
               const char *source)
{
	size_t at = row_of(f, device, key);

	if (at == SIZE_MAX || node >= f->n_nodes)
		return;
	size_t had = cells_find(f->rows[at].cells, node);

	if (had != SIZE_MAX && !value)
		return;
	if (had == SIZE_MAX && f->index->cells >= FACTS_CELLS_MAX)
		return;
	char *cut = value && strnlen(value, FACTS_TEXT_MAX + 1) > FACTS_TEXT_MAX ? bounded(value)
	                                                                         : NULL;

	if (cells_set(&f->rows[at].cells, node, value_of(f, at, cut ? cut : value, source)))
		f->index->cells++;
	free(cut);
}

void facts_forget(struct facts *f, size_t node)
{
	for (size_t i = 0; i < f->n_rows; i++)
		cells_drop(f->rows[i].cells, node);
	for (size_t i = 0; i < f->n_counters; i++) {
		struct counter_row *row = &f->counters[i];
		size_t at = cells_find(row->cells, node);

		if (at == SIZE_MAX)
			continue;
		cells_drop(row->cells, node);
		row->v[at] = row->v[--row->n];
		if (at < row->n)
			cells_set(&row->cells, row->v[at].node, at);
	}
	if (node < f->n_nodes)
		f->counted_s[node] = 0;
}

size_t facts_find_counter(const struct facts *f, const char *device, const char *name)
{
	const struct fact_hash *h = &f->index->counters;

	for (const struct fact_place *p = hash_first(h, facts_row_hash(device, name)); p;
	     p = hash_next(h, p)) {
		const struct counter_row *row = &f->counters[p->a - 1];

		if (strcmp(row->name, name) == 0 && strcmp(row->device, device) == 0)
			return p->a - 1;
	}
	return SIZE_MAX;
}

void facts_add_counter(struct facts *f, size_t node, const char *device, const char *name,
                       uint64_t moved)
{
	size_t at = facts_find_counter(f, device, name);

	if (node >= f->n_nodes || (at == SIZE_MAX && f->n_counters >= FACTS_ROWS_MAX))
		return;
	if (at == SIZE_MAX) {
		at = f->n_counters++;
		hb_grow(&f->counters, &f->cap_counters, f->n_counters, sizeof *f->counters);
		f->counters[at] = (struct counter_row){ .device = hb_strdup(device),
			                                .name = hb_strdup(name) };
		hash_put(&f->index->counters, facts_row_hash(device, name), at, 0);
	}
	struct counter_row *row = &f->counters[at];
	size_t i = cells_find(row->cells, node);

	if (i < row->n) {
		uint64_t *sum = &row->v[i].moved;

		*sum = moved > UINT64_MAX - *sum ? UINT64_MAX : *sum + moved;
		return;
	}
	if (f->index->cells >= FACTS_CELLS_MAX)
		return;
	i = row->n++;
	hb_grow(&row->v, &row->cap, row->n, sizeof *row->v);
	row->v[i] = (struct counter_cell){ node, moved };
	cells_set(&row->cells, node, i);
	f->index->cells++;
}

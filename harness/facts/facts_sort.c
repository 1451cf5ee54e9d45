#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts_inside.h"

static void count_one(void *arg, size_t node, size_t value)
{
	struct fact_row *row = arg;

	(void)node;
	row->v[value].n++;
}

static void list_one(void *arg, size_t node, size_t value)
{
	struct fact_value *v = &((struct fact_row *)arg)->v[value];

	v->nodes[v->n++] = node;
}

static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* The nodes of every value, from the cells. */
static void list_nodes(struct fact_row *row)
{
	for (size_t i = 0; i < row->n; i++)
		row->v[i].n = 0;
	cells_each(row->cells, count_one, row);
	for (size_t i = 0; i < row->n; i++) {
		struct fact_value *v = &row->v[i];

		free(v->nodes);
		v->nodes = v->n ? hb_realloc_array(NULL, v->n, sizeof *v->nodes) : NULL;
		v->n = 0;
	}
	cells_each(row->cells, list_one, row);
	if (row->cells && !row->cells->at)
		for (size_t i = 0; i < row->n; i++)
			if (row->v[i].n > 1)
				qsort(row->v[i].nodes, row->v[i].n, sizeof(size_t), by_number);
}

struct placed_value {
	struct fact_value v;
	size_t was;
};

/* Most nodes first; then what is known before what is not; then by text. */
static int by_nodes(const void *a, const void *b)
{
	const struct fact_value *x = &((const struct placed_value *)a)->v;
	const struct fact_value *y = &((const struct placed_value *)b)->v;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (!x->text || !y->text)
		return !x->text - !y->text;
	return strcmp(x->text, y->text);
}

static void sort_values(struct fact_row *row)
{
	struct placed_value *v = hb_alloc(row->n * sizeof *v);
	size_t *map = hb_alloc(row->n * sizeof *map), kept = 0;

	for (size_t i = 0; i < row->n; i++)
		v[i] = (struct placed_value){ row->v[i], i };
	qsort(v, row->n, sizeof *v, by_nodes);
	for (size_t i = 0; i < row->n; i++) {
		map[v[i].was] = i;
		row->v[i] = v[i].v;
		if (v[i].v.n)
			kept = i + 1;
	}
	for (size_t i = kept; i < row->n; i++) { /* nobody has it any more */
		free(row->v[i].text);
		free(row->v[i].source);
		free(row->v[i].nodes);
	}
	row->n = kept;
	cells_renumber(row->cells, map);
	free(map);
	free(v);
}

static int by_key(const void *a, const void *b)
{
	const struct fact_row *x = a, *y = b;
	int c = strcmp(x->key, y->key);

	return c ? c : strcmp(x->device, y->device);
}

static int by_device(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;
	int c = strcmp(x->device, y->device);

	return c ? c : strcmp(x->name, y->name);
}

static int by_cell_node(const void *a, const void *b)
{
	return by_number(&((const struct counter_cell *)a)->node,
	                 &((const struct counter_cell *)b)->node);
}

static void sort_counters(struct facts *f)
{
	if (f->n_counters)
		qsort(f->counters, f->n_counters, sizeof *f->counters, by_device);
	hash_clear(&f->index->counters);
	for (size_t i = 0; i < f->n_counters; i++) {
		struct counter_row *row = &f->counters[i];

		qsort(row->v, row->n, sizeof *row->v, by_cell_node);
		for (size_t k = 0; k < row->n; k++)
			cells_set(&row->cells, row->v[k].node, k);
		hash_put(&f->index->counters, facts_row_hash(row->device, row->name), i, 0);
	}
}

static void number_classes(struct facts *f)
{
	struct facts_index *x = f->index;
	struct fact_hash seen = { NULL, 0, 0 };

	x->class = hb_realloc_array(x->class, f->n_nodes ? f->n_nodes : 1, sizeof *x->class);
	x->n_classes = 1;
	for (size_t i = 0; i < f->n_nodes; i++) {
		x->class[i] = 0;
		if (!f->hw[i])
			continue;
		uint64_t hash = hash_text(0, f->hw[i]);
		const struct fact_place *p = hash_first(&seen, hash);

		while (p && strcmp(f->hw[p->a - 1], f->hw[i]) != 0)
			p = hash_next(&seen, p);
		x->class[i] = p ? p->b : (uint32_t)x->n_classes;
		if (!p)
			hash_put(&seen, hash, i, x->n_classes++);
	}
	hash_clear(&seen);
}

void facts_sort(struct facts *f)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		list_nodes(&f->rows[i]);
		sort_values(&f->rows[i]);
	}
	if (f->n_rows)
		qsort(f->rows, f->n_rows, sizeof *f->rows, by_key);
	hash_clear(&f->index->rows);
	hash_clear(&f->index->values);
	for (size_t i = 0; i < f->n_rows; i++) {
		struct fact_row *row = &f->rows[i];

		hash_put(&f->index->rows, facts_row_hash(row->device, row->key), i, 0);
		for (size_t k = 0; k < row->n; k++)
			hash_put(&f->index->values, facts_value_hash(i, row->v[k].text), i, k);
	}
	sort_counters(f);
	number_classes(f);
	facts_tally(f);
}

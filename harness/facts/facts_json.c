/* The file form of facts (facts.h). */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts_inside.h"

/* The nodes that are picked, as a hostlist; "*": all of them. */
static json_object *hostlist(const struct facts *f, const size_t *nodes, size_t n)
{
	if (n == f->n_nodes)
		return js_str("*");
	char **names = hb_realloc_array(NULL, n ? n : 1, sizeof *names);
	struct nodeset set = { names, n, n };

	for (size_t i = 0; i < n; i++)
		names[i] = f->nodes[nodes[i]];
	char *text = nodeset_text(&set);
	json_object *o = js_str(text);

	free(text);
	free(names);
	return o;
}

static json_object *entry(json_object *first, json_object *second, json_object *third)
{
	json_object *o = json_object_new_array();

	json_object_array_add(o, first);
	json_object_array_add(o, second);
	if (third)
		json_object_array_add(o, third);
	return o;
}

static bool same_hw(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* In their order: those that follow each other and are of one class stand together. */
static json_object *nodes_to_json(const struct facts *f)
{
	json_object *o = json_object_new_array();

	for (size_t i = 0, k; i < f->n_nodes; i = k) {
		for (k = i + 1; k < f->n_nodes && same_hw(f->hw[i], f->hw[k]);)
			k++;
		struct nodeset set = { f->nodes + i, k - i, k - i };
		char *text = nodeset_text(&set);

		json_object_array_add(o, entry(js_str(f->hw[i]), js_str(text), NULL));
		free(text);
	}
	return o;
}

static json_object *rows_to_json(const struct facts *f)
{
	json_object *o = json_object_new_array();

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];
		json_object *values = json_object_new_array();

		for (size_t k = 0; k < row->n; k++) {
			const struct fact_value *v = &row->v[k];

			json_object_array_add(values, entry(js_str(v->text), js_str(v->source),
			                                    hostlist(f, v->nodes, v->n)));
		}
		json_object_array_add(o, entry(js_str(row->device), js_str(row->key), values));
	}
	return o;
}

static int by_moved(const void *a, const void *b)
{
	const struct counter_cell *x = a, *y = b;

	if (x->moved != y->moved)
		return x->moved > y->moved ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static json_object *cells_to_json(const struct facts *f, const struct counter_row *row)
{
	json_object *o = json_object_new_array();
	struct counter_cell *v = hb_realloc_array(NULL, row->n ? row->n : 1, sizeof *v);
	size_t *nodes = hb_realloc_array(NULL, row->n ? row->n : 1, sizeof *nodes);

	memcpy(v, row->v, row->n * sizeof *v);
	qsort(v, row->n, sizeof *v, by_moved);
	for (size_t i = 0, k; i < row->n; i = k) {
		for (k = i; k < row->n && v[k].moved == v[i].moved; k++)
			nodes[k - i] = v[k].node;
		json_object_array_add(o, entry(json_object_new_uint64(v[i].moved),
		                               hostlist(f, nodes, k - i), NULL));
	}
	free(nodes);
	free(v);
	return o;
}

static json_object *counters_to_json(const struct facts *f)
{
	json_object *o = json_object_new_array();

	for (size_t i = 0; i < f->n_counters; i++) {
		const struct counter_row *row = &f->counters[i];

		json_object_array_add(
		        o, entry(js_str(row->device), js_str(row->name), cells_to_json(f, row)));
	}
	return o;
}

static json_object *counted_to_json(const struct facts *f)
{
	json_object *o = json_object_new_array();

	for (size_t i = 0; i < f->n_nodes; i++)
		if (f->counted_s[i] > 0)
			json_object_array_add(
			        o, entry(js_f64(f->counted_s[i]), hostlist(f, &i, 1), NULL));
	return o;
}

/*
 * What classes agree about, as a table whose nodes are the classes: of each class the value that
 * two thirds have of those that have any.
 */
static void agree(const struct facts *f, struct facts *out)
{
	size_t *of_class = hb_alloc((f->index->n_classes + 1) * sizeof *of_class);
	char name[32];

	facts_init(out);
	for (size_t i = 0; i < f->n_nodes; i++) {
		size_t class = f->index->class[i];

		if (of_class[class])
			continue;
		snprintf(name, sizeof name, "c%zu", out->n_nodes + 1);
		of_class[class] = facts_add_node(out, name, f->hw[i]) + 1;
	}
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];

		if (!row->info || row->info->peers != FACT_ALIKE || !row->cells ||
		    row->info->about == FACT_PEER)
			continue;
		for (size_t k = 0; k < row->cells->n_tally; k++) {
			const struct fact_tally *t = &row->cells->tally[k];

			if (!of_class[t->class] || 3 * (uint64_t)t->top_n < 2 * (uint64_t)t->have_n)
				continue;
			facts_add(out, of_class[t->class] - 1, row->device, row->key,
			          row->v[t->top].text, row->v[t->top].source);
		}
	}
	facts_sort(out);
	free(of_class);
}

json_object *facts_to_json(const struct facts *f, enum facts_part part)
{
	json_object *o = json_object_new_object();
	struct facts classes;
	const struct facts *from = f;

	if (part == FACTS_AGREE) {
		agree(f, &classes);
		from = &classes;
	}
	js_set_i64(o, "schema", FACTS_SCHEMA);
	js_set_str(o, "part", part == FACTS_AGREE ? "agree" : "all");
	js_set_obj(o, "nodes", nodes_to_json(from));
	js_set_obj(o, "facts", rows_to_json(from));
	if (part == FACTS_AGREE) {
		facts_free(&classes);
		return o;
	}
	js_set_obj(o, "counters", counters_to_json(f));
	js_set_obj(o, "counted_s", counted_to_json(f));
	return o;
}

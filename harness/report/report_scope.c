/* What a run covers: a part of the nodes, several runs at once, nodes for later, mixed hardware. */
#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

void report_later(struct doc *d, const char *nodes, int runs)
{
	doc_text(d, DOC_PLAIN,
	         "left for later: %s; at this budget every node is measured within %d runs", nodes,
	         runs);
}

/* Two classes of one key, "A + B", and whether each of them has pairs of its own in the run. */
static bool splits(const char *hw, const json_object *classes)
{
	const char *plus = strstr(hw, " + ");
	json_object *a = NULL, *b = NULL;

	if (!plus || strstr(plus + 3, " + "))
		return false;
	char *first = hb_strndup(hw, (size_t)(plus - hw));
	bool both = json_object_object_get_ex(classes, first, &a) &&
	            json_object_object_get_ex(classes, plus + 3, &b) &&
	            json_object_get_int(a) > 1 && json_object_get_int(b) > 1;
	free(first);
	return both;
}

/* Nodes of classes that have partners of their own were paired with others: before the classes
 * were known. */
static void put_classes(struct doc *d, const struct summary *s)
{
	json_object *classes = json_object_new_object();
	bool mixed = false;

	json_object_object_foreach(s->hw, node, value)
	{
		json_object *count = NULL;
		const char *name = report_json_text(value);
		(void)node;
		int n = json_object_object_get_ex(classes, name, &count)
		                ? json_object_get_int(count)
		                : 0;
		js_set_i64(classes, name, n + 1);
	}
	int all = json_object_object_length(classes);
	for (size_t i = 0; all > 1 && i < s->n_rows && !mixed; i++)
		mixed = s->rows[i].key.nodes == 2 && splits(s->rows[i].key.hw, classes);
	if (mixed)
		doc_text(d, DOC_PLAIN,
		         "%d hardware classes; pairs between them were measured this time; the "
		         "next run keeps them apart",
		         all);
	js_put(classes);
}

void report_scope(struct doc *d, const struct summary *s)
{
	if (s->shards)
		doc_text(d, DOC_PLAIN, "this is shard %d of %d; hpcbench report --merge joins them",
		         s->shard, s->shards);
	for (size_t i = 0; s->notes && i < json_object_array_length(s->notes); i++)
		doc_text(d, DOC_PLAIN, "%s",
		         report_json_text(json_object_array_get_idx(s->notes, i)));
	if (s->later)
		report_later(d, s->later, s->later_runs);
	if (s->hw)
		put_classes(d, s);
}

/* Topologies of either kind: what is taken has every node once, and reads back the same. */
#include <string.h>

#include "harness/topo/topo.h"
#include "tests/fuzz/fuzz.h"

static size_t count_nodes(const struct topo *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_leaves; i++)
		n += t->leaves[i].nodes.n;
	return n;
}

static void check(const struct topo *t)
{
	struct hb_err err = { HB_OK, "" };
	struct topo again;
	json_object *o = topo_to_json(t);

	FUZZ_CHECK(t->n_leaves <= TOPO_LEAVES_MAX && count_nodes(t) <= NODESET_MAX);
	FUZZ_CHECK(topo_from_json(o, "again", &again, &err) == HB_OK);
	FUZZ_CHECK(again.n_leaves == t->n_leaves && again.routing == t->routing);
	FUZZ_CHECK(count_nodes(&again) == count_nodes(t));
	for (size_t i = 0; i < t->n_leaves; i++)
		FUZZ_CHECK(strcmp(again.leaves[i].name, t->leaves[i].name) == 0);
	topo_free(&again);
	js_put(o);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct topo t;
	json_object *o = NULL;

	if (fuzz_ok(topo_from_slurm(data, size, "input", &t, &err), &err)) {
		check(&t);
		topo_free(&t);
	}
	if (js_parse(data, size, "input", &o, &err) != HB_OK)
		return;
	if (fuzz_ok(topo_from_json(o, "input", &t, &err), &err)) {
		check(&t);
		topo_free(&t);
	}
	js_put(o);
}

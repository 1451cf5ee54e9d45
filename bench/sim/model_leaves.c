/* Which node of the cluster model hangs on which leaf switch. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/nodeset.h"
#include "bench/sim/model_parts.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sim_seat *)a)->node, ((const struct sim_seat *)b)->node);
}

/* The nodes of the leaf that was added last. */
static int add_nodes(struct sim_model *m, const char *list, const struct js_at *at, size_t *cap,
                     struct hb_err *err)
{
	struct nodeset nodes;
	struct hb_err why = { HB_OK, "" };

	if (nodeset_parse(list, &nodes, &why) != HB_OK)
		return js_fail(at, err, "%s", why.text);
	if (m->n_seats + nodes.n > NODESET_MAX) {
		nodeset_free(&nodes);
		return js_fail(at, err, "more than %d nodes on all leaves", NODESET_MAX);
	}
	hb_grow(&m->seats, cap, m->n_seats + nodes.n, sizeof(*m->seats));
	for (size_t i = 0; i < nodes.n; i++)
		m->seats[m->n_seats++] = (struct sim_seat){ nodes.v[i], m->n_leaves - 1 };
	free(nodes.v);
	return HB_OK;
}

int sim_read_leaves(json_object *o, const struct js_at *top, struct sim_model *m,
                    struct hb_err *err)
{
	json_object *leaves = NULL;
	struct js_at at = js_at_key(top, "leaves");
	size_t cap_leaves = 0, cap_seats = 0;
	int rc = js_get_obj(o, top, "leaves", JS_OPTIONAL, &leaves, err);

	if (rc < 0 || !leaves)
		return rc;
	if (json_object_object_length(leaves) > SIM_LEAVES_MAX)
		return js_fail(&at, err, "more than %d leaves", SIM_LEAVES_MAX);
	json_object_object_foreach(leaves, name, value)
	{
		struct js_at here = js_at_key(&at, name);

		if (name[0] == '\0' || strlen(name) > 255)
			return js_fail(&here, err, "the leaf needs a name of 1 to 255 bytes");
		if (!json_object_is_type(value, json_type_string))
			return js_fail(&here, err, "must be nodes in hostlist form");
		hb_grow(&m->leaves, &cap_leaves, m->n_leaves + 1, sizeof(*m->leaves));
		m->leaves[m->n_leaves++] = hb_strdup(name);
		rc = add_nodes(m, json_object_get_string(value), &here, &cap_seats, err);
		if (rc < 0)
			return rc;
	}
	if (m->n_seats > 0)
		qsort(m->seats, m->n_seats, sizeof(*m->seats), by_name);
	for (size_t i = 1; i < m->n_seats; i++)
		if (strcmp(m->seats[i - 1].node, m->seats[i].node) == 0)
			return js_fail(&at, err, "%s is on two leaves", m->seats[i].node);
	return HB_OK;
}

/* The launcher `sim:FILE`: hpcbench-sim plays the cluster that FILE describes. */
#include "bench/base/mem.h"
#include "harness/launch/launch.h"

enum { MODEL_FILE_MAX = 4 * 1024 * 1024 };

static int sim_nodes(struct launch_site *s, const char *wanted, struct nodeset *out,
                     struct plan_absent **absent, size_t *n_absent, struct hb_err *err)
{
	const char *arg = s->arg;
	const struct js_at at = JS_AT_TOP(arg);
	const char *nodes = NULL;
	json_object *o;

	(void)absent;
	(void)n_absent;
	int rc = js_read_file(arg, MODEL_FILE_MAX, &o, err);

	if (rc != HB_OK)
		return rc;
	rc = js_get_str(o, &at, "nodes", JS_OPTIONAL, &nodes, err);
	if (rc == HB_OK && !wanted && !nodes)
		rc = hb_fail(err, HB_E_USAGE, "%s names no nodes; give them with --nodes", arg);
	if (rc == HB_OK)
		rc = nodeset_parse(wanted ? wanted : nodes, out, err);
	js_put(o);
	return rc;
}

static bool is_in(const struct launch_what *w, int seat)
{
	return !w->left_out || !w->left_out[seat];
}

int launch_sim_topo(const char *model, struct topo *out, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP(model);
	json_object *o = NULL, *leaves = NULL, *topo;
	int rc = js_read_file(model, MODEL_FILE_MAX, &o, err);

	if (rc == HB_OK)
		rc = js_get_obj(o, &at, "leaves", JS_OPTIONAL, &leaves, err);
	if (rc == HB_OK && leaves) {
		topo = json_object_new_object();
		js_set_u64(topo, "schema", TOPO_SCHEMA);
		js_set_str(topo, "routing", "static");
		js_set_obj(topo, "leaves", json_object_get(leaves));
		rc = topo_from_json(topo, model, out, err);
		js_put(topo);
	}
	js_put(o);
	return rc;
}

/* The nodes of a step in rank order, rpn ranks on each; anything else cannot be said in words. */
static int step_nodes(const struct launch_what *w, struct buf *list, int *rpn, struct hb_err *err)
{
	const struct plan_step *step = w->step;
	int rc = HB_OK, block = 1;

	while (block < step->n_ranks && step->rank_node[block] == step->rank_node[0])
		block++;
	for (int r = 0; r < step->n_ranks && rc == HB_OK; r++) {
		if (r % block == 0 && is_in(w, r))
			buf_printf(list, "%s%s", list->len ? "," : "",
			           w->plan->nodes.v[step->rank_node[r]]);
		else if (r % block != 0 && step->rank_node[r] != step->rank_node[r - 1])
			rc = hb_fail(err, HB_E_UNSUPPORTED,
			             "launcher sim: ranks of step %llu are "
			             "not laid out node by node",
			             (unsigned long long)step->id);
	}
	*rpn = block;
	return rc;
}

static int sim_command(const struct launch_what *w, struct launch_command *out, struct hb_err *err)
{
	const char *seed = getenv("HPCBENCH_SIM_SEED");
	struct buf list = BUF_INIT;
	char *path = NULL;
	int rpn = 1;
	int rc = launch_helper_path(NULL, "sim", &path, err);

	if (rc == HB_OK)
		rc = step_nodes(w, &list, &rpn, err);
	if (rc == HB_OK) {
		launch_command_arg(out, "%s", path);
		launch_command_arg(out, "--model");
		launch_command_arg(out, "%s", w->site->arg);
		launch_command_arg(out, "--nodes");
		launch_command_arg(out, "%s", buf_text(&list));
		launch_command_arg(out, "--rpn");
		launch_command_arg(out, "%d", rpn);
		launch_command_arg(out, "--seed");
		if (seed && *seed)
			launch_command_arg(out, "%s", seed);
		else
			launch_command_arg(out, "%llu", (unsigned long long)w->plan->seed);
	}
	buf_free(&list);
	free(path);
	return rc;
}

const struct launcher_ops launcher_sim = {
	.name = "sim",
	.summary = "an imaginary cluster that a model file describes",
	.arg = "FILE",
	.leaves_out = true,
	.nodes = sim_nodes,
	.channel_only = true,
	.command = sim_command,
	.connect_ms = 20000,
	.straggle_ms = 3000,
	.slack_ms = 1000,
};

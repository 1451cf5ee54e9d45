/* hpcbench-node: what a node can do by itself. Needs no launcher and no library of others. */
#include "bench/core/helper.h"
#include "bench/node/node.h"

static int alone(struct comm **out, int *argc, char ***argv, struct hb_err *err)
{
	(void)argc;
	(void)argv;
	(void)err;
	*out = comm_solo_open();
	return HB_OK;
}

static const struct bench_ops *const benches[] = { &node_memory, NULL };

static const struct helper node_helper = {
	.name = "node",
	.benches = benches,
	.world = alone,
};

int main(int argc, char **argv)
{
	return helper_main(&node_helper, argc, argv);
}

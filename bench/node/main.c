/* hpcbench-node: what a node can do by itself. Needs no launcher and no library of others. */
#include "bench/core/helper.h"
#include "bench/facts/facts.h"
#include "bench/node/node.h"

static const struct bench_ops *const benches[] = { &node_memory, &node_compute, &node_jitter,
	                                           &node_facts,  &node_peers,   NULL };

static const struct helper node_helper = {
	.name = "node",
	.benches = benches,
	.world = helper_world_apart,
	.node_facts = facts_node,
	.libraries = facts_libraries,
	.listens = true,
};

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--processes") == 0)
		return node_processes(argv[2]);
	return helper_main(&node_helper, argc, argv);
}

/* What tells facts and has no figures (BENCH_TELLS): no metrics, no options, one case of 0 bytes.
 */
#include "bench/base/info.h"

/* A message names every rank with its address: so many fit well into a frame. */
enum { PEERS_MAX = 64 };

static const struct opt no_rows[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 } };

static const struct metric_info no_metrics[] = { { NULL, UNIT_NS, false, false } };

const struct bench_info info_mpi_world = {
	.name = "mpi.world",
	.summary = "facts: how many ranks MPI sees, and whether neighbours hear each other",
	.shape = BENCH_GROUP,
	.flags = BENCH_TELLS,
	.min_ranks = 2,
	.floor = 0.05,
	.metrics = no_metrics,
	.opts_size = 1,
	.opts = no_rows,
	.cases = info_cases_product,
};

const struct bench_info info_node_facts = {
	.name = "node.facts",
	.summary = "facts: what a node is and which libraries are loaded, each with its source",
	.shape = BENCH_LOCAL,
	.flags = BENCH_TELLS,
	.min_ranks = 1,
	.max_ranks = 1,
	.floor = 0.05,
	.metrics = no_metrics,
	.opts_size = 1,
	.opts = no_rows,
	.cases = info_cases_product,
};

const struct bench_info info_node_peers = {
	.name = "node.peers",
	.summary = "facts: what the names of other nodes resolve to, TCP connections both ways",
	.shape = BENCH_GROUP,
	.flags = BENCH_TELLS | BENCH_MEETS,
	.min_ranks = 1,
	.max_ranks = PEERS_MAX,
	.floor = 0.05,
	.metrics = no_metrics,
	.opts_size = 1,
	.opts = no_rows,
	.cases = info_cases_product,
};

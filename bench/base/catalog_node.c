/* The benchmarks of one node as data; how they are measured stands in bench/node. */
#include <inttypes.h>

#include "bench/base/info.h"

/* Below this the loop's own cost is measured, not memory. */
enum { MEMORY_BYTES_MIN = 4096 };

static const struct opt_choice memory_ops[] = {
	{ "copy", MEMORY_COPY, 0, "a = b" },
	{ "scale", MEMORY_SCALE, 0, "a = s*b" },
	{ "add", MEMORY_ADD, 0, "a = b + c" },
	{ "triad", MEMORY_TRIAD, 0, "a = b + s*c" },
	{ NULL, 0, 0, NULL },
};

static const struct opt_choice memory_where[] = {
	{ "node", MEMORY_NODE, 0, "all of it together" },
	{ "numa", MEMORY_NUMA, 0,
	  "each NUMA node by its own cores and memory, the slowest counts" },
	{ NULL, 0, 0, NULL },
};

static const struct opt_choice memory_stores[] = {
	{ "hot", STORES_HOT, 0, "through the caches" },
	{ "streaming", STORES_STREAMING, 0, "past the caches" },
	{ NULL, 0, 0, NULL },
};

static const struct opt memory_rows[] = {
	{ OPT_SIZES, 0, "sizes", "LIST", "working sets, all arrays over all cores together",
	  "1Mi,256Mi", offsetof(struct memory_opts, sizes), 0, 0, NULL, 0 },
	{ OPT_SET, 0, "op", "LIST", "what is done with the arrays", "triad",
	  offsetof(struct memory_opts, ops), 0, 0, memory_ops, OPT_KEY | OPT_AXIS },
	{ OPT_INT, 0, "threads", "N", "threads, 0: one a core", "0",
	  offsetof(struct memory_opts, threads), 0, 4096, NULL, OPT_KEY },
	{ OPT_SET, 0, "where", "LIST", "what is measured as one", "node",
	  offsetof(struct memory_opts, where), 0, 0, memory_where, OPT_KEY | OPT_AXIS | OPT_LATER },
	{ OPT_SET, 0, "stores", "LIST", "how results are written", "hot",
	  offsetof(struct memory_opts, stores), 0, 0, memory_stores,
	  OPT_KEY | OPT_AXIS | OPT_LATER },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

static const struct metric_info memory_metrics[] = {
	{ "algbw_Bps", UNIT_BPS, true, true },
	{ NULL, UNIT_NS, false, false },
};

static int memory_cases(const struct bench_info *info, const void *opts, struct case_list *out,
                        struct hb_err *err)
{
	int rc = info_cases_product(info, opts, out, err);

	for (size_t i = 0; !rc && i < out->n; i++)
		if (out->v[i].bytes < MEMORY_BYTES_MIN)
			rc = hb_fail(err, HB_E_USAGE,
			             "%s: sizes: %" PRIu64 " is below the least, %d", info->name,
			             out->v[i].bytes, MEMORY_BYTES_MIN);
	if (rc)
		case_list_free(out);
	return rc;
}

const struct bench_info info_node_memory = {
	.name = "node.memory",
	.summary = "bytes a second that all cores of a node move through its memory",
	.shape = BENCH_LOCAL,
	.flags = BENCH_SELF_TIMED,
	.min_ranks = 1,
	.max_ranks = 1,
	.floor = 0.03,
	.metrics = memory_metrics,
	.opts_size = sizeof(struct memory_opts),
	.opts = memory_rows,
	.cases = memory_cases,
};

static const struct opt_choice compute_cores[] = {
	{ "one", COMPUTE_ONE, 0, "one core after the other" },
	{ "together", COMPUTE_ALL, 0, "all cores at once" },
	{ NULL, 0, 0, NULL },
};

static const struct opt compute_rows[] = {
	{ OPT_SET, 0, "cores", "LIST", "which cores work at a time", "one,together",
	  offsetof(struct compute_opts, cores), 0, 0, compute_cores, OPT_KEY | OPT_AXIS },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

static const struct metric_info compute_metrics[] = {
	{ "rate_per_s", UNIT_PER_S, true, true },
	{ NULL, UNIT_NS, false, false },
};

const struct bench_info info_node_compute = {
	.name = "node.compute",
	.summary = "multiply-adds a second of the slowest core, one at a time and all at once",
	.shape = BENCH_LOCAL,
	.flags = BENCH_SELF_TIMED,
	.min_ranks = 1,
	.max_ranks = 1,
	.floor = 0.03,
	.metrics = compute_metrics,
	.opts_size = sizeof(struct compute_opts),
	.opts = compute_rows,
	.cases = info_cases_product,
};

/* Rare events are too few to be compared from run to run: they are shown, the round is judged. */
static const struct metric_info jitter_metrics[] = {
	{ "round_p50_ns", UNIT_NS, false, true },
	{ "interruptions_per_s", UNIT_PER_S, false, false },
	{ "worst_ns", UNIT_NS, false, false },
	{ NULL, UNIT_NS, false, false },
};

static const struct opt jitter_rows[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL,
	                                    0 } };

const struct bench_info info_node_jitter = {
	.name = "node.jitter",
	.summary = "time of fixed work on the slowest core, and what interrupts the cores",
	.shape = BENCH_LOCAL,
	.flags = BENCH_SELF_TIMED | BENCH_RARE,
	.min_ranks = 1,
	.max_ranks = 1,
	.floor = 0.05,
	.metrics = jitter_metrics,
	.opts_size = 1,
	.opts = jitter_rows,
	.cases = info_cases_product,
};

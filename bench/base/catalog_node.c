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

static const struct opt memory_rows[] = {
	{ OPT_SIZES, 0, "sizes", "LIST", "working sets, all arrays over all cores together",
	  "1Mi,256Mi", offsetof(struct memory_opts, sizes), 0, 0, NULL, 0 },
	{ OPT_SET, 0, "op", "LIST", "what is done with the arrays", "triad",
	  offsetof(struct memory_opts, ops), 0, 0, memory_ops, OPT_KEY | OPT_AXIS },
	{ OPT_INT, 0, "threads", "N", "threads, 0: one a core", "0",
	  offsetof(struct memory_opts, threads), 0, 4096, NULL, OPT_KEY },
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

/* The MPI benchmarks as data; how they are measured stands in bench/mpi. */
#include <inttypes.h>
#include <limits.h>

#include "bench/base/info.h"

static const struct opt_choice p2p_datatypes[] = {
	{ "byte", DATATYPE_BYTE, 0, "MPI_BYTE" },
	{ "int32", DATATYPE_INT32, 0, "MPI_INT32_T" },
	{ "float", DATATYPE_FLOAT, 0, "MPI_FLOAT" },
	{ "double", DATATYPE_DOUBLE, 0, "MPI_DOUBLE" },
	{ NULL, 0, 0, NULL },
};

/* No byte here: MPI defines no sum on MPI_BYTE, nor on MPI_CHAR. */
static const struct opt_choice sum_datatypes[] = {
	{ "int32", DATATYPE_INT32, 0, "MPI_INT32_T" },
	{ "float", DATATYPE_FLOAT, 0, "MPI_FLOAT" },
	{ "double", DATATYPE_DOUBLE, 0, "MPI_DOUBLE" },
	{ NULL, 0, 0, NULL },
};

static const struct opt_choice buffer_choices[] = {
	{ "hot", BUFFERS_HOT, 0, "the same buffers each time, in cache where they fit" },
	{ "cold", BUFFERS_COLD, OPT_REFUSED, "other buffers each time, out of cache" },
	{ NULL, 0, 0, NULL },
};

static const struct opt_choice sync_choices[] = {
	{ "barrier", SYNC_BARRIER, 0, "a barrier first; the slowest rank's own time counts" },
	{ "roundtime", SYNC_ROUNDTIME, OPT_REFUSED, "first entry to last exit on a global clock" },
	{ NULL, 0, 0, NULL },
};

/* Rows that several benchmarks share; each table names only what its benchmark has. */
#define ROW_SIZES(dflt)                                                                            \
	{                                                                                          \
		OPT_SIZES, 0, "sizes", "LIST", "message sizes: 8,1Ki or 8..1Mi or 8..1Mi:x4",      \
		        dflt, offsetof(struct mpi_opts, sizes), 0, 0, NULL, 0                      \
	}
#define ROW_DATATYPE(dflt, choices)                                                                \
	{                                                                                          \
		OPT_ENUM, 0, "datatype", "TYPE", "what a message is made of", dflt,                \
		        offsetof(struct mpi_opts, datatype), 0, 0, choices, OPT_KEY                \
	}
#define ROW_BUFFERS                                                                                \
	{                                                                                          \
		OPT_ENUM, 0, "buffers", "KIND", "whether buffers are in cache", "hot",             \
		        offsetof(struct mpi_opts, buffers), 0, 0, buffer_choices, OPT_KEY          \
	}
#define ROW_WINDOW                                                                                 \
	{                                                                                          \
		OPT_INT, 0, "window", "N", "messages in flight", "64",                             \
		        offsetof(struct mpi_opts, window), 1, 1024, NULL, OPT_KEY                  \
	}
#define ROW_SYNC                                                                                   \
	{                                                                                          \
		OPT_ENUM, 0, "sync", "KIND", "how ranks start together", "barrier",                \
		        offsetof(struct mpi_opts, sync), 0, 0, sync_choices, OPT_KEY               \
	}
#define ROW_END                                                                                    \
	{                                                                                          \
		OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0                               \
	}

static const struct opt latency_opts[] = {
	ROW_SIZES("8,64,1Ki,8Ki,64Ki"),
	ROW_DATATYPE("byte", p2p_datatypes),
	ROW_BUFFERS,
	ROW_END,
};

static const struct opt bandwidth_opts[] = {
	ROW_SIZES("64Ki,256Ki,1Mi,4Mi"),
	ROW_DATATYPE("byte", p2p_datatypes),
	ROW_BUFFERS,
	ROW_WINDOW,
	ROW_END,
};

static const struct opt allreduce_opts[] = {
	ROW_SIZES("8,1Ki,64Ki,1Mi"),
	ROW_DATATYPE("float", sum_datatypes),
	ROW_BUFFERS,
	ROW_SYNC,
	ROW_END,
};

static const struct metric_info latency_metrics[] = {
	{ "lat_p50_ns", UNIT_NS, false, true },
	{ NULL, UNIT_NS, false, false },
};

static const struct metric_info bandwidth_metrics[] = {
	{ "algbw_Bps", UNIT_BPS, true, true },
	{ "rate_per_s", UNIT_PER_S, true, false },
	{ NULL, UNIT_NS, false, false },
};

/* One measurement in three figures: only the first is judged. */
static const struct metric_info allreduce_metrics[] = {
	{ "lat_p50_ns", UNIT_NS, false, true },
	{ "algbw_Bps", UNIT_BPS, true, false },
	{ "busbw_Bps", UNIT_BPS, true, false },
	{ NULL, UNIT_NS, false, false },
};

static uint64_t datatype_bytes(int datatype)
{
	static const uint64_t bytes[] = {
		[DATATYPE_BYTE] = 1,
		[DATATYPE_INT32] = 4,
		[DATATYPE_FLOAT] = 4,
		[DATATYPE_DOUBLE] = 8,
	};

	return bytes[datatype];
}

static const char *datatype_name(int datatype)
{
	for (const struct opt_choice *c = p2p_datatypes; c->name; c++)
		if (c->value == datatype)
			return c->name;
	return "?";
}

/* A message is a whole number of elements, at least one where min says so, and MPI counts in int.
 */
static int check_size(const struct bench_info *info, const struct bench_case *c, uint64_t min,
                      struct hb_err *err)
{
	const struct mpi_opts *o = c->opts;
	uint64_t unit = datatype_bytes(o->datatype);

	if (c->bytes < min)
		return hb_fail(err, HB_E_USAGE,
		               "%s: sizes: %" PRIu64 " is below the least, %" PRIu64, info->name,
		               c->bytes, min);
	if (c->bytes % unit)
		return hb_fail(err, HB_E_USAGE,
		               "%s: sizes: %" PRIu64 " is not a multiple of %" PRIu64
		               ", the size of a %s",
		               info->name, c->bytes, unit, datatype_name(o->datatype));
	if (c->bytes / unit > INT_MAX)
		return hb_fail(err, HB_E_USAGE,
		               "%s: sizes: %" PRIu64 " is more than %d elements, the most that "
		               "one MPI call takes",
		               info->name, c->bytes, INT_MAX);
	return HB_OK;
}

static int checked_cases(const struct bench_info *info, const void *opts, uint64_t min,
                         struct case_list *out, struct hb_err *err)
{
	int rc = info_cases_product(info, opts, out, err);

	for (size_t i = 0; !rc && i < out->n; i++)
		rc = check_size(info, &out->v[i], min, err);
	if (rc)
		case_list_free(out);
	return rc;
}

/* A message without contents has a latency ... */
static int latency_cases(const struct bench_info *info, const void *opts, struct case_list *out,
                         struct hb_err *err)
{
	return checked_cases(info, opts, 0, out, err);
}

/* ... but no bandwidth, ... */
static int bandwidth_cases(const struct bench_info *info, const void *opts, struct case_list *out,
                           struct hb_err *err)
{
	return checked_cases(info, opts, 1, out, err);
}

/* ... and a sum needs something to add up. */
static int allreduce_cases(const struct bench_info *info, const void *opts, struct case_list *out,
                           struct hb_err *err)
{
	return checked_cases(info, opts, 4, out, err);
}

/* What an allreduce moves over each rank's wire at least, as nccl-tests defines busbw. */
static double allreduce_bus_factor(int nranks)
{
	return nranks > 0 ? 2.0 * (nranks - 1) / nranks : 0;
}

const struct bench_info info_mpi_latency = {
	.name = "mpi.latency",
	.summary = "half the round trip of one message between two ranks",
	.shape = BENCH_PAIR,
	.flags = BENCH_ROUND_TRIP,
	.min_ranks = 2,
	.max_ranks = 2,
	.floor = 0.05,
	.metrics = latency_metrics,
	.opts_size = sizeof(struct mpi_opts),
	.opts = latency_opts,
	.cases = latency_cases,
};

const struct bench_info info_mpi_bandwidth = {
	.name = "mpi.bandwidth",
	.summary = "bytes a second of a window of messages from one rank to another",
	.shape = BENCH_PAIR,
	.flags = BENCH_WINDOWED | BENCH_DIRECTED,
	.min_ranks = 2,
	.max_ranks = 2,
	.floor = 0.03,
	.metrics = bandwidth_metrics,
	.opts_size = sizeof(struct mpi_opts),
	.opts = bandwidth_opts,
	.cases = bandwidth_cases,
};

const struct bench_info info_mpi_allreduce = {
	.name = "mpi.allreduce",
	.summary = "time of a sum over all ranks that every rank receives",
	.shape = BENCH_GROUP,
	.flags = BENCH_BUSBW,
	.min_ranks = 2,
	.floor = 0.05,
	.metrics = allreduce_metrics,
	.opts_size = sizeof(struct mpi_opts),
	.opts = allreduce_opts,
	.cases = allreduce_cases,
	.bus_factor = allreduce_bus_factor,
};

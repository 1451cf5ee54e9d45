/*
 * What a benchmark is, as pure data: name, shape, metrics, options, cases. No library is needed to
 * know it, so plan, `list benches`, the helpers and the simulator all read the same row; how it is
 * measured stands in the helper's bench_ops (bench/core/bench.h), which points here. A benchmark
 * is added by one row in a catalog_*.c and one bench_ops row.
 */
#ifndef HPCBENCH_BASE_INFO_H
#define HPCBENCH_BASE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/opt.h"

struct metric_info {
	const char *name; /* with its unit as suffix: lat_p50_ns, algbw_Bps; NULL ends the list */
	enum unit unit;
	bool higher_is_better;
	bool judged; /* the others are shown, never tested */
};

enum bench_shape {
	BENCH_LOCAL, /* one process a node; the subject is the node */
	BENCH_PAIR,  /* two ranks, a and b */
	BENCH_GROUP  /* all ranks of a group of nodes */
};

enum bench_flags {
	BENCH_ROUND_TRIP = 1, /* an iteration is a round trip, latency is half of it */
	BENCH_WINDOWED = 2,   /* an iteration is a window of messages */
	BENCH_SELF_TIMED = 4, /* iterate pushes its own samples into the sink */
	BENCH_DIRECTED = 8,   /* a pair is measured ab and ba apart */
	BENCH_BUSBW = 16,     /* reports busbw_Bps = algbw_Bps * bus_factor(ranks) */
	BENCH_TELLS = 32,     /* tells facts and has no figures: units end, no rows come of them */
	BENCH_MEETS = 64, /* ranks connect to each other by TCP: they listen, the job's message has
	                   * peers, and max_ranks bounds it */
	BENCH_RARE = 128  /* looks for rare events: precise figures do not end it, max_time does */
};

/* One point to measure: a message size (or working set) and options with every axis resolved. */
struct bench_case {
	uint64_t bytes;
	void *opts; /* owned by the list, laid out by info->opts */
};

struct case_list {
	const struct bench_info *info;
	struct bench_case *v;
	size_t n, cap;
};

struct bench_info {
	const char *name;    /* "mpi.latency": the part before the dot names the helper */
	const char *summary; /* one line */
	enum bench_shape shape;
	unsigned flags;
	int min_ranks, max_ranks;          /* of a pair or group; 0: no limit */
	double floor;                      /* default practical floor: 0.03 rates, 0.05 latencies */
	const struct metric_info *metrics; /* the first is the headline */
	size_t opts_size;
	/* With an OPT_SIZES row named "sizes", but for a benchmark that moves nothing: all of its
	 * cases have 0 bytes. */
	const struct opt *opts;
	/* Enumerates its points from options as given; info_cases_product serves most. */
	int (*cases)(const struct bench_info *info, const void *opts, struct case_list *out,
	             struct hb_err *err);
	double (*bus_factor)(int nranks); /* busbw / algbw; NULL without BENCH_BUSBW */
};

enum { INFO_AXES_MAX = 8, INFO_CASES_MAX = 16384 };

/*
 * sizes x every OPT_AXIS set, sizes varying fastest (0 where there is no such row); out is made
 * new. HB_E_USAGE for sizes that do not parse, an axis without a value and more than INFO_CASES_MAX
 * cases; out is empty then.
 */
int info_cases_product(const struct bench_info *info, const void *opts, struct case_list *out,
                       struct hb_err *err);
/* Frees the cases and their options and empties the list. A zeroed list is fine. */
void case_list_free(struct case_list *list);

/* Default options, a fresh struct; free with info_opts_free. */
void *info_opts_new(const struct bench_info *info);
void info_opts_free(const struct bench_info *info, void *opts);

/* The canonical object of KEY options of one resolved case (contracts.md section 1). */
json_object *info_key_opts(const struct bench_info *info, const void *opts);

/* The row "sizes"; NULL: this benchmark has none, its cases have 0 bytes. */
const struct opt *info_sizes(const struct bench_info *info);
/* A size for people; "" where the benchmark of that name has none. */
void info_size_text(const char *bench, uint64_t bytes, char *out, size_t n);
/* NULL: this benchmark has no such metric. */
const struct metric_info *info_metric(const struct bench_info *info, const char *name);
/* "local", "pair", "group" */
const char *info_shape_name(enum bench_shape shape);

/* The catalog: every benchmark this version knows, NULL-terminated. */
extern const struct bench_info *const catalog[];
const struct bench_info *catalog_find(const char *name); /* NULL: unknown */
const char *catalog_nearest(const char *name);           /* for "did you mean"; may be NULL */
/* The rows by name, for the bench_ops that measure them (catalog_mpi.c, catalog_node.c). */
extern const struct bench_info info_mpi_latency, info_mpi_bandwidth, info_mpi_allreduce;
extern const struct bench_info info_mpi_world, info_node_facts, info_node_peers;
extern const struct bench_info info_node_memory, info_node_compute, info_node_jitter;
/* "mpi" of "mpi.latency": which helper runs it. Writes at most n bytes. */
void info_helper_name(const struct bench_info *info, char *out, size_t n);

/* The option structs that bench_ops read. A new benchmark of a family reuses its family's. */
enum datatype { DATATYPE_BYTE, DATATYPE_INT32, DATATYPE_FLOAT, DATATYPE_DOUBLE };
enum buffers { BUFFERS_HOT, BUFFERS_COLD };
enum sync_mode { SYNC_BARRIER, SYNC_ROUNDTIME };

struct mpi_opts {
	char *sizes;
	int datatype; /* enum datatype */
	int buffers;  /* enum buffers */
	int window;   /* messages in flight (bandwidth) */
	int sync;     /* enum sync_mode (collectives) */
};

enum memory_op { MEMORY_COPY, MEMORY_SCALE, MEMORY_ADD, MEMORY_TRIAD };
enum memory_where { MEMORY_NODE, MEMORY_NUMA };
enum memory_stores { STORES_HOT, STORES_STREAMING };
struct memory_opts {
	char *sizes;     /* working set over all cores */
	uint64_t ops;    /* mask of 1 << enum memory_op */
	int threads;     /* 0: one a core */
	uint64_t where;  /* mask of 1 << enum memory_where; 0 as the node */
	uint64_t stores; /* mask of 1 << enum memory_stores; 0 as hot */
};

enum compute_cores { COMPUTE_ONE, COMPUTE_ALL };
struct compute_opts {
	uint64_t cores; /* mask of 1 << enum compute_cores */
};

#endif

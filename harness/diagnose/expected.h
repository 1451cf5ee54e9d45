/*
 * What healthy hardware of a kind reaches (baselines/expected/*.json, each figure with its source),
 * and what interconnect a run's figures look like: the class that latency and bandwidth show,
 * against the class that the hardware promises. An absolute floor beside the relative tests: a
 * cluster that is slow as a whole is caught although all peers agree.
 */
#ifndef HPCBENCH_HARNESS_EXPECTED_H
#define HPCBENCH_HARNESS_EXPECTED_H

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "harness/collect/summary.h"
#include "harness/facts/facts.h"

/* A class of interconnect, coarse ones first and finer ones inside; ordered slowest first. */
struct wire_class {
	char *name;                  /* "tcp-10g", "roce-100g", "ib-hdr", "shm" */
	char *title;                 /* "TCP over 10 Gb/s Ethernet" */
	char *coarse;                /* "ethernet", "roce", "infiniband", "memory" */
	double lat_min_s, lat_max_s; /* of half a round trip of small messages */
	double rate_Bps;             /* of the wire, one direction */
	double reach;                /* of it that a healthy pair reaches with large messages */
	char *source;
};
/* A figure that hardware of a kind must reach. */
struct expected_figure {
	char *name, *bench, *hardware; /* hardware: glob over hardware classes */
	uint64_t bytes_min;
	double at_least, at_most; /* SI; NaN: no such bound */
	char *source, *when;      /* when: what must be so for it to count, for people */
};
struct expected {
	struct wire_class *classes;
	size_t n_classes, cap_classes;
	struct expected_figure *figures;
	size_t n_figures, cap_figures;
};
int expected_load(const char *path, struct expected *out, struct hb_err *err); /* NULL: built-in */
int expected_from_json(json_object *o, const char *source, struct expected *out,
                       struct hb_err *err);
void expected_free(struct expected *e);

/* What the figures of a node, or of the cluster, show. */
struct attained_row {
	char *subject;
	double lat_s, rate_Bps;      /* NaN: not measured */
	const struct wire_class *is; /* NULL: cannot be told */
	const struct wire_class
	        *promise;  /* the best that its hardware facts promise; NULL: unknown */
	double rate_share; /* rate_Bps / (promise's rate * reach); NaN */
	bool below;        /* it is a worse coarse class, or below 0.7 of the rate */
	char *why;         /* one line: figures, promise and where that is from */
};
struct attained_miss {
	const struct expected_figure *figure;
	char *subject;
	double value, ratio; /* value / bound, below 1 is worse */
};
struct attained {
	struct attained_row *v; /* "cluster" first, then nodes */
	size_t n, cap;
	struct attained_miss *misses;
	size_t n_misses, cap_misses;
};
/* Pure; e, s and f must outlive out. */
void attained_make(const struct expected *e, const struct summary *s, const struct facts *f,
                   struct attained *out);
void attained_free(struct attained *a);

#endif

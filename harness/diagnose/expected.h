/*
 * What healthy hardware of a kind reaches (files in baselines/expected, each figure with its
 * source), and what interconnect a run's figures look like: the class that latency and bandwidth
 * show, against the class that the hardware promises. An absolute floor beside the relative tests:
 * a cluster that is slow as a whole is caught although all peers agree.
 */
#ifndef HPCBENCH_HARNESS_EXPECTED_H
#define HPCBENCH_HARNESS_EXPECTED_H

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "harness/collect/summary.h"
#include "harness/facts/facts.h"

enum {
	EXPECTED_SCHEMA = 1,
	EXPECTED_CLASSES_MAX = 64,
	EXPECTED_FIGURES_MAX = 1024,
	EXPECTED_TEXT_MAX = 1024, /* bytes of any text */
	EXPECTED_FILE_MAX = 1 << 20
};

/* What a class is at bottom; of two that promise the same rate the later is better. */
enum wire_coarse { WIRE_ETHERNET, WIRE_ROCE, WIRE_INFINIBAND, WIRE_MEMORY };

/* A class of interconnect, finer than its coarse one; the file has the slowest first. */
struct wire_class {
	char *name;  /* "tcp-10g", "roce-100g", "ib-hdr", "shm" */
	char *title; /* "TCP over 10 Gb/s Ethernet" */
	enum wire_coarse coarse;
	double lat_min_s, lat_max_s; /* of half a round trip of small messages */
	double rate_Bps;             /* of the wire, one direction; NaN: no wire */
	double reach;                /* of it that a healthy pair reaches with large messages */
	char *source;
};
/* "ethernet", "roce", "infiniband", "memory" */
const char *wire_coarse_name(enum wire_coarse c);

/* A figure that hardware of a kind must reach. */
struct expected_figure {
	char *name, *bench;
	char *metric;   /* NULL: the benchmark's headline */
	char *hardware; /* glob over hardware classes */
	char *wire;     /* counts where facts promise this class (a name); NULL: anywhere */
	char *where;    /* endpoint class "same-node" or "remote" (any over a wire); NULL: any */
	uint64_t bytes_min, bytes_max;
	int nodes;                         /* only of so many; 0: any */
	double typical, at_least, at_most; /* SI; NaN: not known, no such bound */
	char *source, *when;               /* when: what must be so for it to count, for people */
};
struct expected {
	struct wire_class *classes;
	size_t n_classes, cap_classes;
	struct expected_figure *figures;
	size_t n_figures, cap_figures;
};
/* path: a file; NULL: classes.json and figures.json of share/hpcbench/expected. On failure out is
 * empty, and err names file and place. */
int expected_load(const char *path, struct expected *out, struct hb_err *err);
/* Adds what one file says; a class or figure of a name that is there takes its place. out must have
 * been made (zeroed is fine); on failure it holds what was read before. */
int expected_from_json(json_object *o, const char *source, struct expected *out,
                       struct hb_err *err);
void expected_free(struct expected *e);
const struct wire_class *expected_class(const struct expected *e, const char *name);

/* What the figures of a node, or of the cluster, show. */
struct attained_row {
	char *subject;
	double lat_s;    /* of the smallest messages; NaN: none of at most ATTAINED_SMALL bytes */
	double rate_Bps; /* of the largest; NaN: none of at least ATTAINED_LARGE bytes */
	const struct wire_class *is; /* NULL: cannot be told */
	/* The best that its hardware facts promise; NULL: unknown. */
	const struct wire_class *promise;
	char *device;      /* that promises it: "mlx5_0:1", "eth0"; NULL */
	double rate_share; /* rate_Bps / (promise's rate * reach); NaN */
	bool below;        /* it is a worse coarse class, or below ATTAINED_BELOW of the rate */
	char *why;         /* one line: figures, promise and where that is from */
};
enum { ATTAINED_SMALL = 1024, ATTAINED_LARGE = 256 << 10 };
#define ATTAINED_BELOW 0.7

struct attained_miss {
	const struct expected_figure *figure;
	char *subject;
	double value, ratio; /* value / bound, or bound / value: below 1 is worse */
};
struct attained {
	struct attained_row *v; /* "cluster" first, then nodes */
	size_t n, cap;
	struct attained_miss *misses;
	size_t n_misses, cap_misses;
};
/*
 * Which class: a wire carries no more than its rate and answers no faster than its latency, so of
 * the classes whose latency fits it is the slowest that carries the rate; where that is one of
 * several kinds, the promised one; else it cannot be told. Figures within a node are of shared
 * memory. Where the rate alone is known it counts against the promise alone. Promise of the
 * cluster: that of most of its nodes. Pure; e, s and f must outlive out; f may be NULL.
 */
void attained_make(const struct expected *e, const struct summary *s, const struct facts *f,
                   struct attained *out);
/* NULL: nothing was measured of it. */
const struct attained_row *attained_of(const struct attained *a, const char *subject);
void attained_free(struct attained *a);
/*
 * Whose bytes took another device than the one that promises most, in words: "94 % of the bytes of
 * n[3-7] went over eth0, 0 % over mlx5_0:1"; nodes of the same two devices together, the most
 * first. A device of the same rate, and less than ATTAINED_WIRE_MIN bytes of a node, count as
 * nothing to tell. NULL: nothing; else the caller's.
 */
enum { ATTAINED_WIRE_MIN = 16 << 20, ATTAINED_WIRES = 3 };
char *attained_wire(const struct attained *a, const struct facts *f);

#endif

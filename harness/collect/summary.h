/*
 * summary.json: one row a key and judged subject, all that check, diff and history read
 * (contracts.md section 2). Here: its form in memory, reading and writing. Who makes it from
 * records is collect.c.
 */
#ifndef HPCBENCH_HARNESS_SUMMARY_H
#define HPCBENCH_HARNESS_SUMMARY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/info.h"
#include "bench/base/record.h"

enum { SUMMARY_SCHEMA = 1, SUMMARY_SHARDS_MAX = 4096 };
struct ack;

/* What may be compared (contracts.md section 1). */
struct key {
	char *text; /* the canonical JSON: equality of keys is equality of this */
	char *bench, *metric, *opts, *class_, *hw; /* the parts; opts as canonical JSON */
	uint64_t bytes;
	int nodes, rpn;
};

/* Fills text from the parts. */
void key_make(struct key *k);
/* Endpoint classes beside "same-node" and "remote", where it is known who hangs on which leaf. */
extern const char key_same_leaf[], key_cross_leaf[];
bool key_of_leaf(const struct key *k); /* one of these two */
int key_from_json(json_object *o, const struct js_at *at, struct key *out, struct hb_err *err);
json_object *key_to_json(const struct key *k);
void key_copy(const struct key *src, struct key *dst);
void key_free(struct key *k);
/* The key without bytes: rows that differ only in size are one curve and pool their spread. */
char *key_curve(const struct key *k);

enum subject_kind {
	SUBJECT_NODE,   /* one node: "n17" */
	SUBJECT_CLUSTER /* "cluster": median over pairs, or a group's figure */
};

enum row_quality { ROW_OK, ROW_INVALID, ROW_DISTURBED, ROW_NOT_MEASURED };
const char *row_quality_name(enum row_quality q);
int row_quality_parse(const char *text, enum row_quality *out); /* HB_E_FORMAT: unknown */

struct summary_row {
	struct key key;
	char *subject;
	enum subject_kind kind;
	enum phase phase;
	enum row_quality quality;
	char *reason; /* of a quality other than OK; else NULL */
	enum unit unit;
	bool higher_is_better, judged;
	double floor;     /* practical floor delta of its benchmark in the suite */
	double tolerance; /* detectable loss that still passes, of the suite; 0: twice the floor */
	double value;     /* in the metric's unit; NaN if not measured */
	double lo, hi;    /* of value: order-statistic interval, or range over pairs; NaN if none */
	double p95, p99;  /* slow side; NaN for scores */
	uint64_t n;       /* samples, or pairs for scores */
	int pairs;        /* pairs behind a node's score; 0 otherwise */
	char *worst_partner; /* or NULL */
	double spread;       /* rows over pairs: s.d. of log figures; else relative spread of block
	                        medians */
	int repeat;          /* confirm and control rows: 0, 1, 2 ... of the interleaving; else 0 */
	char *partner;       /* confirm rows: the control's subject; control rows: the suspect's */
	const struct ack *ack; /* known trouble (acks_mark), borrowed; NULL: none. Never stored */
};

/* A pair among the worst, as evidence. */
struct summary_pair {
	struct key key;
	char *a, *b, *dir;
	double value, ratio; /* ratio to the median over pairs, below 1 is worse */
};

struct summary_loss {
	char *subject, *bench, *reason; /* not measured; bench NULL: nothing of it */
	enum unit_status status;
	const struct ack *ack; /* as in summary_row */
};

struct summary {
	char *run, *suite, *label, *started; /* label may be NULL; started: UTC, ISO 8601 */
	char *cluster, *user;
	bool named;               /* its benchmarks were asked for by name: a skip is a loss */
	bool partial;             /* interrupted, or steps missing */
	bool injected;            /* --inject was used: never enters a baseline */
	json_object *fingerprint; /* name -> array of distinct values; owned */
	json_object *hw;          /* node -> hardware class; owned */
	json_object *facts;       /* what nodes must agree about (FACTS_AGREE of facts.h); NULL:
	                             unknown; checked where it is used; owned */
	struct summary_row *rows;
	size_t n_rows, cap_rows; /* main */
	struct summary_row *confirm;
	size_t n_confirm, cap_confirm; /* confirm and control */
	struct summary_pair *worst;
	size_t n_worst, cap_worst;
	struct summary_loss *losses;
	size_t n_losses, cap_losses;
	uint64_t unknown_records;
	uint64_t told;      /* units that tell facts and did: no rows come of them */
	char *later;        /* nodes that --budget left for later runs, hostlist form; or NULL */
	int later_runs;     /* in how many such runs each node has its turn; 0 without later */
	int shard, shards;  /* this is part shard of shards of the nodes; 0: the whole */
	char *shard_of;     /* the whole node set, hostlist form; or NULL */
	json_object *parts; /* array: ids of the runs it was made from, where several; else NULL;
	                       not in files; owned */
	size_t merged; /* how many runs it was made from, where several; else 0; not in files */
	json_object
	        *notes; /* array: what the reader of a merged one must know; NULL: nothing; owned */
};

/* y = log figure, lower is worse: log(value), or -log(value) where lower is better. */
static inline double summary_y(const struct summary_row *r)
{
	return r->higher_is_better ? log(r->value) : -log(r->value);
}

/* "ns", "Bps" ... as summary and baseline files spell a unit. Parsing: HB_E_FORMAT if unknown. */
const char *summary_unit_name(enum unit u);
int summary_unit_parse(const char *text, enum unit *out);

void summary_init(struct summary *s);
struct summary_row *summary_add_row(struct summary *s, bool confirm); /* zeroed, NaN figures */
void summary_row_free(struct summary_row *r);
void summary_free(struct summary *s);
json_object *summary_to_json(const struct summary *s);
int summary_from_json(json_object *o, const char *source, struct summary *out, struct hb_err *err);
/* The optional member "shard" {i, n, of} of a summary or a run.json. */
int summary_shard_read(json_object *o, const struct js_at *at, struct summary *s,
                       struct hb_err *err);
/* Reads DIR/summary.json. */
int summary_read(const char *dir, struct summary *out, struct hb_err *err);
int summary_write(const char *dir, const struct summary *s, struct hb_err *err);

#endif

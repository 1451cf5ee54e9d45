/*
 * The records: what a helper tells and the store keeps, one JSON object of at most RECORD_MAX
 * bytes each (contracts.md section 2; the fields are in harness/README.md). This module is the one
 * place that knows their spelling, for writing and for reading.
 */
#ifndef HPCBENCH_BASE_RECORD_H
#define HPCBENCH_BASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "bench/base/stat.h"

enum { RECORD_MAX = 4096, RECORD_SCHEMA = 1, RECORD_METRICS_MAX = 8 };

enum record_type {
	REC_UNKNOWN, /* counted, not an error */
	REC_META,    /* once a step */
	REC_RANK,    /* once a rank: host, binding read back, hardware class, transport */
	REC_FACT,    /* endpoint, key, value, source */
	REC_COUNTER, /* endpoint, name, before, after, width */
	REC_POINT,   /* figures of a local or group case */
	REC_PAIR,    /* figures of a pair case */
	REC_SAMPLES, /* chunk of samples of the point before: to samples.jsonl */
	REC_EVENT,   /* level, code, text */
	REC_END,     /* once a unit: status, reason, seconds */
	REC_LOAD     /* once a node of a job: load_span.h, endpoint, job; of the harness */
};
const char *record_type_name(enum record_type type);
enum record_type record_type_of(json_object *o);

/* Which part of a run a unit belongs to. Confirm and control rows never enter a baseline. */
enum phase { PHASE_MAIN, PHASE_EXTRA, PHASE_CONFIRM, PHASE_CONTROL };
const char *phase_name(enum phase p);
int phase_parse(const char *text, enum phase *out);

/*
 * Appends a pair as a subject: "a>b" or "b>a" for one direction (dir "ab", "ba"), else "a-b".
 * dir may be NULL.
 */
void rec_pair_subject(const char *dir, const char *a, const char *b, struct buf *out);

/* How a unit ended. Only UNIT_OK carries figures that count. */
enum unit_status {
	UNIT_OK,
	UNIT_SKIPPED, /* probe said no; reason */
	UNIT_FAILED,  /* broke; reason */
	UNIT_INVALID, /* measured, but verification or the clock says not to trust it */
	UNIT_TIMEOUT, /* a deadline passed, on either side */
	UNIT_GIVEN_UP /* never ended: its rank died, or the step was cut */
};
const char *unit_status_name(enum unit_status s);
int unit_status_parse(const char *text, enum unit_status *out);
/* What an hb_status that a benchmark returned means for its unit. */
enum unit_status unit_status_of(int rc);

/* Which limit ended a measurement. */
enum ended_by { ENDED_PRECISION, ENDED_MAX_TIME, ENDED_MAX_ITERS };
const char *ended_by_name(enum ended_by e);

/* Ids that every unit's record carries. (unit, attempt, metric) is unique in a run. */
struct rec_ids {
	uint64_t step, unit;
	uint64_t attempt; /* 1, 2 ... */
	enum phase phase;
};

/*
 * One metric of a point, in the metric's own SI unit. p95 and p99 lie on the slow side of the time
 * distribution also for rates; min and max are of the figure itself.
 */
struct rec_metric {
	const char *name; /* borrowed */
	struct stat_summary s;
};

struct rec_point {
	struct rec_ids ids;
	bool is_pair;
	const char *bench; /* strings are borrowed from the object they were read from */
	uint64_t bytes;
	json_object *opts; /* canonical KEY options; borrowed */
	const char *a, *b; /* endpoints; b NULL unless a pair */
	const char *dir;   /* "ab", "ba" or "both" for pairs, else NULL */
	int64_t round;     /* -1: none */
	int ranks;         /* that took part */
	uint64_t blocks;
	uint64_t batch;  /* iterations in a sample (above 1 below about 1 us) */
	uint64_t warmup; /* iterations discarded before */
	enum ended_by ended;
	double spread;          /* relative half interval of the block medians when it ended */
	uint64_t verified, bad; /* elements checked, elements wrong */
	size_t n_metrics;
	struct rec_metric metrics[RECORD_METRICS_MAX];
	json_object *per_rank; /* groups: {quantiles, latest:[{rank, p50_ns}]}; borrowed or NULL */
};

struct rec_end {
	struct rec_ids ids;
	enum unit_status status;
	const char *reason; /* NULL when ok */
	double seconds;
};

/* New objects, the caller's. Writers keep within RECORD_MAX (long text is cut). */
json_object *rec_point_to_json(const struct rec_point *p);
json_object *rec_end_to_json(const struct rec_end *e);
json_object *rec_event_to_json(const struct rec_ids *ids, const char *level, const char *code,
                               const char *text);
json_object *rec_fact_to_json(const char *endpoint, const char *key, const char *value,
                              const char *source);

/* Readers; at names the line. Figures that are not finite or not positive are HB_E_FORMAT. */
int rec_ids_from_json(json_object *o, const struct js_at *at, struct rec_ids *out,
                      struct hb_err *err);
int rec_point_from_json(json_object *o, const struct js_at *at, struct rec_point *out,
                        struct hb_err *err);
int rec_end_from_json(json_object *o, const struct js_at *at, struct rec_end *out,
                      struct hb_err *err);

/*
 * The same straight from a line's text, many times faster, for the form in which our writers write
 * point, pair and end records: returns the type and fills *point or *end, where opts and per_rank
 * are NULL and texts stay valid until the next call. REC_UNKNOWN for everything else, good or bad:
 * then js_parser_line and the readers above decide. What is taken here they take too, and alike.
 */
struct rec_scan;
struct rec_scan *rec_scan_new(void);
void rec_scan_free(struct rec_scan *s);
enum record_type rec_scan_line(struct rec_scan *s, const char *text, size_t len,
                               struct rec_point *point, struct rec_end *end);

#endif

/*
 * Acknowledgements: known trouble that somebody looks after until a date. What an acknowledgement
 * covers is shown in every report, and does not count in the exit code until it expires. Stored in
 * STORE/acks.json:
 *
 *	{"schema":1, "acks":[{"id":"3f9a01c2", "subject":"n17", "bench":"mpi.*,node.memory",
 *	  "until":"2026-12-24", "reason":…, "by":…, "made":"2026-11-30"}]}
 *
 * bench is absent where all is covered. Days are UTC; `until` is the last day that is covered.
 * The file is untrusted: a broken one acknowledges nothing, and every report says so.
 */
#ifndef HPCBENCH_HARNESS_ACK_H
#define HPCBENCH_HARNESS_ACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"
#include "harness/judge/verdict.h"

enum {
	ACK_SCHEMA = 1,
	ACK_FILE_MAX = 8 << 20, /* bytes */
	ACKS_MAX = 8192,
	ACK_SUBJECT_MAX = 512,
	ACK_BENCH_MAX = 512,
	ACK_TEXT_MAX = 512, /* of reason and of by */
	ACK_DAYS_MAX = 366, /* from the day it is made to the last that is covered */
	ACK_TOLD_DAYS = 14, /* how long an expired one is told in reports */
	ACK_DAY_TEXT = 16   /* room for "2026-12-24" */
};

enum ack_state { ACK_ACTIVE, ACK_EXPIRED /* within ACK_TOLD_DAYS */, ACK_OVER };

struct ack {
	char *id, *subject;
	char *bench;         /* comma list of names with * and ?; NULL: all, and the node itself */
	int64_t until, made; /* days since 1970-01-01, UTC */
	char *reason, *by;
	enum ack_state state; /* all below is of acks_mark; never stored */
	size_t seen, covers;  /* what it is about in a report; what of that is wrong */
};

struct acks {
	struct ack *v;
	size_t n, cap;
	int64_t today; /* what states are of, once acks_set_day was called */
	char *warning; /* why nothing is acknowledged although there is a file; or NULL */
};

/* ---- days ---- */
int64_t ack_day_of(int64_t seconds); /* of a time since the epoch */
void ack_day_text(int64_t day, char out[ACK_DAY_TEXT]);
/* "2026-12-24", or with relative "14d" and "2w" from today on. HB_E_USAGE says what is wanted. */
int ack_day_parse(const char *text, bool relative, int64_t today, int64_t *out, struct hb_err *err);

/* ---- the file's contents ---- */
/*
 * Reads the text of acks.json; source names it in errors. Everything is bounded and checked:
 * unknown members, dates that are none, or more than ACK_DAYS_MAX behind `made`, are HB_E_FORMAT.
 * On failure out is empty.
 */
int acks_parse(const char *text, size_t len, const char *source, struct acks *out,
               struct hb_err *err);
json_object *acks_to_json(const struct acks *a); /* as in the file; the caller's */
/* Adds a copy of *like with a new id; one of the same subject and bench gives way to it. Returns
 * the new one, or NULL with err where it is not valid, or there are ACKS_MAX. */
struct ack *acks_add(struct acks *a, const struct ack *like, struct hb_err *err);
/* Removes those with this id, or of this subject (pairs in either order). Returns how many. */
size_t acks_remove(struct acks *a, const char *what);
void acks_free(struct acks *a);

/* ---- the file ---- */
char *acks_path(const char *store); /* the caller frees */
/* An absent file is empty; one that cannot be read is an error. */
int acks_read(const char *path, struct acks *out, struct hb_err *err);
/* For reports: never fails; a file that cannot be read leaves out empty with its warning. */
void acks_load(const char *store, int64_t now_seconds, struct acks *out);
/*
 * Reads, lets change() do its work and writes by rename, all under the lock of the file; waits a
 * few seconds for others. change returns HB_OK, or the error that leaves the file as it is.
 */
int acks_update(const char *path, int (*change)(struct acks *a, void *ctx, struct hb_err *err),
                void *ctx, struct hb_err *err);

/* ---- what they cover ---- */
/* Is this the grammar of a subject (one, no node set)? HB_E_USAGE. */
int ack_subject_check(const char *subject, struct hb_err *err);
/* Fits the text the list of patterns? NULL patterns fit everything, else NULL text nothing. */
bool ack_bench_fits(const char *patterns, const char *bench);

/* Tells whether a name is a node of what is looked at: "a-b" may be a node's name or a pair. */
struct ack_nodes {
	bool (*is_node)(const void *ctx, const char *name);
	const void *ctx;
};
/*
 * Does an acknowledgement of `of` cover the subject? A node covers its devices, and its links to
 * nodes that are known; a device its ports and links; a pair "a-b" is the same in either order and
 * covers both directions. nodes may be NULL: then the subject is a node or a name of another kind,
 * never a pair of a node.
 */
bool ack_covers(const char *of, const char *subject, const struct ack_nodes *nodes);
/* The first active one that covers subject and bench (NULL: the subject whatever is measured). */
struct ack *acks_find(const struct acks *a, const char *subject, const char *bench,
                      const struct ack_nodes *nodes);
/* Is there an active one, of any benchmark, of this node or something of it? */
bool acks_touch_node(const struct acks *a, const char *node);
void acks_set_day(struct acks *a, int64_t today); /* renews every state */

/*
 * Sets the ack of every row and loss of the runs, and of rows and findings of v (may be NULL), and
 * renews the counts of v; counts in a what each has covered. They borrow from a, which must live as
 * long. Nothing else decides what is acknowledged.
 */
void acks_mark(struct acks *a, struct summary *runs, size_t n, struct verdicts *v);

/*
 * Sets the ack of every finding: a culprit is covered where all benchmarks that show it are, a
 * group that excludes each other where one of it is. After acks_mark, whose counts it goes on with;
 * runs as there, for the names of nodes.
 */
struct findings;
void acks_mark_findings(struct acks *a, const struct summary *runs, size_t n, struct findings *f);

/* {"id","subject","until","reason","by"} for documents; the caller's. */
json_object *ack_to_json(const struct ack *a);

#endif

/*
 * Everything behind a verdict: what `hpcbench explain` prints. The units of one subject are found
 * in the plan, their figures in records.jsonl, their samples in samples.jsonl: both are streamed,
 * and only one section (a benchmark's case) is held at a time with its samples.
 */
#ifndef HPCBENCH_HARNESS_REPORT_EXPLAIN_H
#define HPCBENCH_HARNESS_REPORT_EXPLAIN_H

#include "harness/diagnose/diagnose.h"
#include "harness/facts/facts.h"
#include "harness/judge/baseline.h"
#include "harness/localize/findings.h"
#include "harness/plan/plan.h"
#include "reports/doc.h"

enum { EXPLAIN_TOLD_MAX = 500 /* facts, ranks, counters and events that are kept, of each kind */ };

/* A part of a point's samples, in samples.jsonl. */
struct explain_chunk {
	uint64_t offset, seq, of;
	size_t len, attempt; /* attempt: index */
	bool all;            /* all samples; else block medians only */
};

/* One try of a unit. */
struct explain_try {
	uint64_t id;     /* attempt */
	size_t next_try; /* of the same unit: index, SIZE_MAX: none */
	bool point, ended;
	enum unit_status status;
	char *reason; /* of the end, and of events that are about it; or NULL */
	struct stat_summary
	        figure[RECORD_METRICS_MAX]; /* in the order of the benchmark's metrics */
	uint64_t blocks, bad;
	double spread, seconds;
};

/* A unit that is about the subject, or is its control's. */
struct explain_unit {
	uint64_t id;
	const struct plan_step *step;
	const struct plan_job *job;
	size_t first_try;
};

/* One line about the subject's node or its steps. */
struct explain_told {
	char *kind, *name, *text;
};

struct explain {
	/* what is asked for */
	const char *dir, *subject, *bench; /* bench NULL: all */
	bool has_bytes;
	uint64_t bytes;
	/* what the run holds */
	struct suite suite;
	struct plan plan;
	const struct summary *run;
	json_object *verdicts;           /* verdicts.json, or NULL: not judged */
	const char *base_name;           /* what it was held against, or NULL */
	const struct baseline *b;        /* NULL: not there any more */
	const struct sheets *sheets;     /* NULL, or without any: nothing to localize */
	const struct findings *findings; /* NULL: nobody looked */
	const struct facts *facts;       /* what nodes told of themselves; NULL: not known */
	const struct diagnosis *why;     /* its causes; NULL: nobody looked */
	/* what was found */
	bool has_facts;             /* they tell of the subject */
	struct explain_unit *units; /* in the order of the plan */
	size_t n_units, cap_units;
	uint32_t *by_id; /* of each unit id: index + 1 into units, 0: not ours */
	struct explain_try *tries;
	size_t n_tries, cap_tries;
	struct explain_chunk *chunks; /* sorted by attempt and seq */
	size_t n_chunks, cap_chunks;
	struct explain_told *told;
	size_t n_told, cap_told;
	uint64_t bad_lines;
};

/*
 * Reads DIR/plan.json and finds the subject's units. HB_E_USAGE: the run does not know the subject
 * (the nearest is named), or measured nothing of it with that benchmark and size.
 */
int explain_open(struct explain *e, struct hb_err *err);
/* Streams records.jsonl and samples.jsonl; absent files hold nothing. */
int explain_read(struct explain *e, struct hb_err *err);
/* Keeps a line about the subject: each once, at most EXPLAIN_TOLD_MAX of a kind. */
void explain_tell(struct explain *e, const char *kind, const char *name, const char *text);
/* All facts of the subject, those first that differ from its peers'. */
void explain_tell_facts(struct explain *e);
void explain_free(struct explain *e); /* not what is borrowed: run, b, the words */

/* A benchmark's case with the rows of verdicts.json that are about it; either may be empty. */
struct explain_section {
	const char *bench;
	char *opts; /* canonical */
	uint64_t bytes;
	const struct explain_unit **units;
	size_t n_units;
};
/* The sections, in the order of the plan, then those that only verdicts know. */
size_t explain_sections(const struct explain *e, struct explain_section **out);
void explain_sections_free(struct explain_section *s, size_t n);

/* A verdict as verdicts.json has it. */
struct explain_row {
	struct key key;
	enum unit unit;
	json_object *o;                      /* borrowed: the row */
	const char *verdict, *note, *spread; /* note and spread may be "" */
	double old_value, new_value, delta, loss, floor, tolerance, p, p_family, s, df, mde;
	double confirm_p, confirm_loss; /* NaN where absent, as all above */
	int n_old, n_new;
	bool provisional, confirmed, higher;
};
/* The rows of the section, the caller's; HB_E_FORMAT where verdicts.json is not what it should be.
 */
int explain_rows(const struct explain *e, const struct explain_section *s, struct explain_row **out,
                 size_t *n, struct hb_err *err);
void explain_rows_free(struct explain_row *rows, size_t n);

/* The samples of a try in order, at most EXPLAIN_VALUES_MAX; the caller frees *v. */
enum { EXPLAIN_VALUES_MAX = 1 << 20 };
int explain_samples(const struct explain *e, size_t attempt, double **v, size_t *n, bool *all,
                    struct hb_err *err);

/* "n3-n7, round 2, main", of a rerun "repeat 1, confirm". */
void explain_unit_words(const struct explain *e, const struct explain_unit *u, struct buf *out);
/* The node or end that the subject met in this unit; "" for groups and local ones. */
const char *explain_partner(const struct explain *e, const struct explain_unit *u);
/* What becomes of a unit in one word: "ok", "timeout", "never measured". */
const char *explain_status(const struct explain *e, const struct explain_unit *u,
                           const struct explain_try *t);

/* What of the findings is about the subject, and of one section what localize made of its pairs. */
void explain_findings(struct doc *d, const struct explain *e);
void explain_localized(struct doc *d, const struct explain *e, const struct explain_section *s);
json_object *explain_findings_json(const struct explain *e);
/* Is the culprit the subject, a part of it, or has it as a part? */
bool explain_is_about(const struct explain *e, const struct culprit *c);
/* The causes that are about the subject or explain it, with all their evidence. */
void explain_causes(struct doc *d, const struct explain *e);
json_object *explain_causes_json(const struct explain *e); /* NULL: nobody looked */
/* NULL: nothing of this section was localized. */
json_object *explain_localized_json(const struct explain *e, const struct explain_section *s);

/* The rule behind a verdict, sentence by sentence into a list. */
void explain_rule(struct doc *d, const struct explain *e, const struct explain_row *r);
/* What of the baseline was compared, and the rerun's figures. */
void explain_past(struct doc *d, const struct explain *e, const struct explain_row *r);
void explain_rerun(struct doc *d, const struct explain *e, const struct explain_row *r);

struct doc *explain_head_doc(const struct explain *e);
int explain_section_doc(const struct explain *e, const struct explain_section *s, struct doc **out,
                        struct hb_err *err);
/* The same as JSON: everything but the sections, and a section with every number. */
json_object *explain_head_json(const struct explain *e);
int explain_section_json(const struct explain *e, const struct explain_section *s,
                         json_object **out, struct hb_err *err);

#endif

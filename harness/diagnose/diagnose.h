/*
 * diagnose: joins who is slow with what is wrong (design.md section 9). A scene is all that is
 * known of a run; rules are evaluated over it; each that holds is a cause with its evidence. Causes
 * explain slow figures where a rule says that it can and the subject fits, and stand by themselves
 * else. Never a cause without a line of evidence. Pure functions but for reading files.
 */
#ifndef HPCBENCH_HARNESS_DIAGNOSE_H
#define HPCBENCH_HARNESS_DIAGNOSE_H

#include "harness/diagnose/rules.h"
#include "harness/facts/facts.h"
#include "harness/judge/ack.h"
#include "harness/judge/verdict.h"
#include "harness/localize/findings.h"

/* An event record that rules may ask about. */
struct scene_event {
	char *node; /* NULL: of no node */
	char *code, *text;
};

/* Of one figure of a node against the others: for `grows` and `noisy`. */
struct scene_figure {
	const char *node, *bench, *metric; /* borrowed */
	uint64_t bytes;
	double loss; /* against the median of the nodes' own figures (or the baseline); NaN: unknown
	              */
	double tail; /* its p99 / p50 over that of the others; NaN: unknown */
};

/* All that is known; everything is borrowed, everything but facts may be NULL. */
struct scene {
	const struct facts *facts;
	const struct facts *base_facts; /* that a baseline kept */
	const struct findings *findings;
	const struct verdicts *verdicts;
	const struct summary *summary;
	const struct scene_event *events;
	size_t n_events;
	const struct scene_figure *figures;
	size_t n_figures;
	const struct attained *attained; /* expected.h */
};

/*
 * The figures of a summary's nodes, one a row; returns how many, and the caller frees *out, whose
 * texts are borrowed. With y as in summary_y and the medians over all nodes with a row of the key,
 * at least three of them:
 *	loss = 1 - exp(y - median y), tail = (p99 / p50) / median (p99 / p50)
 * both above 0 and 1 where it is worse; p99 of a rate is its slow side, so there it is p50 / p99.
 * Of fewer nodes the loss is that against the baseline, if v (may be NULL) has one.
 */
size_t scene_figures_make(const struct summary *s, const struct verdicts *v,
                          struct scene_figure **out);

struct cause {
	char *subject; /* "n17", "n17/eth0", "n17-n18", "cluster" */
	char *rule;    /* id */
	char *title;
	enum rule_severity severity;
	enum rule_confidence confidence;
	char *text;      /* what is wrong, with both values */
	char **evidence; /* at least one line: node, fact, value, peers' value, source */
	size_t n_evidence;
	char *next, *refute;
	/* The culprits (their places in findings.v) whose figures it can explain, best first. */
	size_t *explains, n_explains;
	double rank;           /* higher first; see diagnose_make */
	char *suppressed;      /* "until 2026-12-24: reason"; NULL: not */
	const struct ack *ack; /* known trouble, borrowed */
};

struct diagnosis {
	struct cause *v; /* ordered by rank */
	size_t n, cap;
	/* Of each culprit: nothing explains it; what to measure next, one line, owned. */
	char **unproven; /* entries NULL where something does */
	size_t n_unproven;
	/* "11.2 GB/s, 1.4 us: RoCE 100G, as mlx5_0:1 promise" (why of attained's first row) or
	 * NULL. */
	char *interconnect;
	size_t rules; /* how many were evaluated */
};

/*
 * Evaluates all rules. One cause of several nodes with the same rule, text pattern and values is
 * joined into one whose subject is a hostlist ("n[3-7]") where it is of the nodes themselves.
 * Order: explaining ones first, those of few nodes before those of most or of the cluster; then
 * severity; then confidence; then how many tests of figures hold. A rule explains a culprit where
 * bench and kind fit and the subject is that node, an end of that link, or the cluster. out must
 * not outlive scene and rules.
 */
void diagnose_make(const struct scene *s, const struct rules *rules, struct diagnosis *out);
/* CODE_FINDINGS where an error is neither suppressed nor acknowledged; else CODE_OK. */
int diagnosis_code(const struct diagnosis *d);
/* The causes of a culprit, best first; NULL ends at *n. */
const struct cause *diagnosis_cause(const struct diagnosis *d, size_t culprit, size_t nth);

/* Member "causes" of findings.json, "unproven", "interconnect". */
void diagnosis_to_json(const struct diagnosis *d, json_object *findings);
int diagnosis_from_json(json_object *findings, const char *source, struct diagnosis *out,
                        struct hb_err *err);
void diagnosis_free(struct diagnosis *d);

#endif

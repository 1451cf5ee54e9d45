/*
 * findings.json: who is to blame in a run, over all benchmarks and sizes; one finding a subject.
 * Made from the run's records (collect_run_sheets) by localize, sheet by sheet, and joined here:
 * what the same subject shows in several sheets is the evidence of one finding. Causes join them
 * later (design.md section 9). The file is untrusted when it is read back.
 */
#ifndef HPCBENCH_HARNESS_FINDINGS_H
#define HPCBENCH_HARNESS_FINDINGS_H

#include "harness/collect/summary.h"
#include "harness/judge/baseline.h"
#include "harness/localize/localize.h"

enum {
	FINDINGS_SCHEMA = 1,
	FINDINGS_FILE_MAX = 64 << 20, /* bytes */
	FINDINGS_MAX = 1 << 16,       /* in a file */
	FINDINGS_EVIDENCE_MAX = 4096, /* of one of them */
	FINDINGS_TEXT_MAX = 4096,     /* bytes of any text in it */
	FINDINGS_NODES_MIN = 3,       /* with fewer nobody can be told from the partner */
	SHEETS_MAX = 4096,            /* of a run; those behind are not looked at */
	SHEETS_NODES_MAX = 1 << 23    /* nodes of all its sheets together; the same */
};

/* The pairs of one benchmark, metric and case of one hardware class, with names. */
struct sheet {
	struct key key; /* class "remote"; opts, bytes, hw as in summary rows */
	size_t entry;   /* of the suite */
	struct loc_end *ends;
	struct loc_pair *pairs;
	size_t n_ends, n_pairs, cap_pairs;
	double delta, floor;
	bool loaded; /* pairs were measured at the same time */
};

/* All sheets of a run; ends and nodes have the same numbers in all of them (the plan's nodes). */
struct sheets {
	struct sheet *v;
	size_t n, cap;
	char **nodes, **leaves, **rails; /* names, by number */
	char **leaf_nodes;               /* of each leaf, in hostlist form */
	size_t n_nodes, n_leaves, n_rails;
	bool adaptive;
};
void sheets_free(struct sheets *s);
/* One of them as localize wants it, borrowed; with the spread that base stored for its key, from
 * BASELINE_MIN_RUNS runs on. base may be NULL. */
void sheets_view(const struct sheets *s, size_t i, const struct baseline *base,
                 struct loc_sheet *out);
/* Are these two sheets of one benchmark and hardware class: the cases that localize_ask takes
 * together? */
bool sheets_same(const struct sheet *a, const struct sheet *b);

/* One sheet's word about a subject. */
struct evidence {
	/* Of the sheet; borrowed from the sheets, or of findings.keys where it was read. */
	const struct key *key;
	struct loc_blame blame; /* read from a file its numbers a, b and group mean nothing */
	const struct localized *found; /* of the sheet, borrowed; NULL: read from a file */
};

struct culprit {
	char *subject; /* "n17", "n17-n18", "n17>n18", "leaf:sw3", "rail:2" */
	enum loc_kind kind;
	enum loc_state state;
	char *others; /* undecided: the subjects it could be instead, comma list; NULL */
	char *nodes;  /* those of a leaf, hostlist form; else NULL */
	char *text;   /* one line for people: how slow, in what, with how many partners, how sure */
	struct evidence *evidence; /* worst first */
	size_t n_evidence, cap_evidence;
	double loss; /* the worst */
	/* It stands out, but no further than chance brings somebody (rule: findings_make): told,
	 * and in no exit code. */
	bool unsure;
	const struct ack *ack; /* known trouble (acks_mark), borrowed; NULL: none */
};

struct findings {
	struct culprit *v; /* worst first */
	size_t n, cap;
	/* Of each benchmark: how much was looked at. */
	struct findings_scope {
		char *bench;
		size_t links_tested, links, nodes;
		double detectable; /* of a node, the largest over its sheets */
		bool stored, paths_separated;
	} * scope;
	size_t n_scope;
	/* Whole clusters of sheets, kept for whoever schedules: one localized a sheet. */
	struct localized *found;
	size_t n_found;
	char *baseline; /* whose spread was at hand; NULL: none */
	/* Where it was read from a file: the keys of the evidence. */
	struct key **keys;
	size_t n_keys, cap_keys;
};

/*
 * base NULL: peers alone decide. Never fails on contents. s must outlive out. Where benchmarks
 * disagree about the kind, those that tell directions apart decide; a node that fell silent, and
 * a group that excludes each other, is one finding over all sheets; a group of which one is blamed
 * elsewhere is none. Sheets of fewer than FINDINGS_NODES_MIN nodes blame nobody.
 *
 * What localize blames in one sheet is right in 99 of 100 sheets; a run has several, and of few
 * nodes a MAD is often far too small. So a node or a link is only sure where it lies further below
 * the rest than chance brings the outermost in one run of 200 (Grubbs 1950): with mean m and s.d. s
 * (at least 0.001) of the k others that are not to blame (scores of nodes; of links, how the other
 * cells lie about what their ends make of them), in J sheets,
 *	t = (m - y) / (s sqrt(1 + 1 / k)),  L(df) = t quantile of 1 - 0.005 / ((k + 1) J)
 * it is sure with t > L(k - 1) in two sheets of one benchmark, or with t > 1.3 L((k - 1) / 2) in
 * one: where the slower end decides, the better half of the nodes share their figures, which halves
 * the degrees of freedom and makes s too small for the other half. All else is told as unsure.
 * What a baseline stores of a node's score goes into s and its degrees of freedom as 20 nodes.
 * Simulated with the
 * suite `pairs` (tests/sim/test_findings.c): harness/README.md has the figures.
 */
void findings_make(const struct sheets *s, const struct baseline *base, struct findings *out);
/* The culprit that a node is (as node or in one direction), or NULL. */
const struct culprit *findings_of_node(const struct findings *f, const char *node);
/* What explains a figure of this benchmark between two nodes: the node, link, leaf or group; or
 * NULL. */
const struct culprit *findings_of_pair(const struct findings *f, const char *bench, const char *a,
                                       const char *b);
/* What the findings that are not acknowledged are worth as an exit code: CODE_FINDINGS,
 * CODE_SUSPECT where something is undecided, else CODE_OK. What is silent is a loss already. */
int findings_code(const struct findings *f);
/* How many of this state (silent and unsure ones in neither) are not acknowledged. */
size_t findings_open(const struct findings *f, enum loc_state state);

/* Appends the culprit in few words: "n17: mpi.bandwidth 1 MiB -38 % with all 9 partners". */
void findings_brief(const struct culprit *c, struct buf *out);

json_object *findings_to_json(const struct findings *f);
/* source names the file in errors. On failure out is empty. */
int findings_from_json(json_object *o, const char *source, struct findings *out,
                       struct hb_err *err);
/* Reads DIR/findings.json. */
int findings_read(const char *dir, struct findings *out, struct hb_err *err);
void findings_free(struct findings *f);

#endif

/*
 * findings.json: who is to blame in a run, over all benchmarks and sizes; one finding a subject.
 * Made from the run's records (collect_sheets) by localize, sheet by sheet, and joined here:
 * what the same subject shows in several sheets is the evidence of one finding. Causes join them
 * later (design.md section 9).
 */
#ifndef HPCBENCH_HARNESS_FINDINGS_H
#define HPCBENCH_HARNESS_FINDINGS_H

#include "harness/collect/summary.h"
#include "harness/judge/baseline.h"
#include "harness/localize/localize.h"

enum { FINDINGS_SCHEMA = 1 };

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
	size_t n_nodes, n_leaves, n_rails;
	bool adaptive;
};
void sheets_free(struct sheets *s);

/* One sheet's word about a subject. */
struct evidence {
	const struct key
	        *key; /* of the sheet; borrowed from the sheets, copied into findings.json */
	struct loc_blame blame;
};

struct culprit {
	char *subject; /* "n17", "n17-n18", "n17>n18", "leaf:sw3", "rail:2" */
	enum loc_kind kind;
	enum loc_state state;
	char *others; /* undecided: the subjects it could be instead, comma list; NULL */
	char *text;   /* one line for people: how slow, in what, with how many partners, how sure */
	struct evidence *evidence; /* worst first */
	size_t n_evidence, cap_evidence;
	double loss;           /* the worst */
	const struct ack *ack; /* known trouble (acks_mark), borrowed; NULL: none */
};

struct findings {
	struct culprit *v; /* worst first */
	size_t n, cap;
	/* Of each benchmark: how much was looked at. */
	struct findings_scope {
		const char *bench;
		size_t links_tested, links, nodes;
		double detectable; /* of a node, the largest over its sheets */
		bool stored, paths_separated;
	} * scope;
	size_t n_scope;
	/* Whole clusters of sheets, kept for whoever schedules: one localized a sheet. */
	struct localized *found;
	size_t n_found;
};

/* base NULL: peers alone decide. Never fails on contents. s must outlive out. */
void findings_make(const struct sheets *s, const struct baseline *base, struct findings *out);
/* The culprit that a node is (as node or in one direction), or NULL. */
const struct culprit *findings_of_node(const struct findings *f, const char *node);
json_object *findings_to_json(const struct findings *f);
void findings_free(struct findings *f);

#endif

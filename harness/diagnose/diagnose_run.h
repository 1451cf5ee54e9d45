/*
 * A whole run diagnosed: rules and expected figures are read once a command, then each run is made
 * a scene of what was collected of it. What `run` and all commands that show stored runs call.
 */
#ifndef HPCBENCH_HARNESS_DIAGNOSE_RUN_H
#define HPCBENCH_HARNESS_DIAGNOSE_RUN_H

#include "harness/collect/collect.h"
#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/expected.h"
#include "harness/judge/baseline.h"

/* Rules and expected figures. */
struct diagnose_data {
	struct rules rules;
	struct expected expected;
	bool has_rules;
	char *warning; /* what of it cannot be read, one line; NULL: all is there */
};
/*
 * site: a file or folder of rules (rules_load), NULL: none. Fails with what is wrong in the site's
 * own; where those that hpcbench brings along cannot be read nothing is diagnosed, and warning says
 * so.
 */
int diagnose_data_load(const char *site, struct diagnose_data *out, struct hb_err *err);
void diagnose_data_free(struct diagnose_data *d);

struct diagnose_input {
	const struct run_told *told; /* NULL: nothing is known of the nodes */
	const struct baseline *base; /* may be NULL, as all below */
	const struct summary *summary;
	const struct findings *findings;
	const struct verdicts *verdicts;
	struct acks *acks; /* after acks_mark and acks_mark_findings */
};

struct run_diagnosis {
	struct diagnosis d;
	/* Nobody looked: no facts were told, or there are no rules. d is empty then. */
	bool known;
	char *wire; /* attained_wire; NULL */
	/* inside: what d borrows from */
	struct attained attained;
	struct facts base_facts;
	bool has_base;
	struct scene_event *events;
	struct scene_figure *figures;
	size_t n_figures;
};
/* Everything of in, and data, must outlive out. */
void run_diagnosis_make(const struct diagnose_data *data, const struct diagnose_input *in,
                        struct run_diagnosis *out);
void run_diagnosis_free(struct run_diagnosis *r);
/* NULL where nobody looked. */
const struct diagnosis *run_diagnosis_of(const struct run_diagnosis *r);

/* Each of what a cause is about, "n5/eth0" and "n6/eth0" of "n[5-6]/eth0"; at least one. */
void cause_subjects(const char *subject, struct nodeset *out);

/* Sets the ack of every cause whose subject, whatever is measured, is acknowledged: of several
 * nodes where each is. Names that f knows are nodes. */
void diagnosis_mark(struct acks *a, const struct facts *f, struct diagnosis *d);

#endif

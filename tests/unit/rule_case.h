/* Scenes from the cases of tests/rules: what nodes tell, what was measured, who is blamed. */
#ifndef HPCBENCH_TESTS_RULE_CASE_H
#define HPCBENCH_TESTS_RULE_CASE_H

#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/expected.h"

struct rule_case {
	struct scene scene;
	struct nodeset nodes;
	struct facts facts, base;
	struct findings findings;
	struct verdicts verdicts;
	struct summary summary;
	struct attained attained;
	const struct expected *expected; /* borrowed */
	struct scene_event *events;
	struct scene_figure *figures;
	struct key *keys; /* of blamed ones */
	size_t n_keys;
	json_object *o; /* borrowed: names and texts are its */
};

/* HB_E_FORMAT with what is wrong with the case. o must outlive out. */
int rule_case_make(json_object *o, const struct expected *e, struct rule_case *out,
                   struct hb_err *err);
void rule_case_free(struct rule_case *c);

#endif

/*
 * How facts and counters of a node get to the harness (harness/README.md has the words): facts in
 * messages of many, counters as records. Used by every helper, the simulator's among them.
 */
#ifndef HPCBENCH_CORE_TELL_H
#define HPCBENCH_CORE_TELL_H

#include "bench/base/err.h"
#include "bench/core/counters.h"
#include "bench/core/emit.h"
#include "bench/core/fact_sink.h"

/* What facts are about: FACTS_NODE once a run and node, FACTS_STEP once a step and node. */
enum facts_about { FACTS_NODE, FACTS_STEP };

/*
 * Facts on their way: sink takes them, whole messages go out as they fill up. Strings that are too
 * long are cut. Begin, hand &p.sink to whoever finds facts, end.
 */
struct facts_tell {
	struct fact_sink sink;
	struct emit *emit; /* borrowed */
	enum facts_about about;
	const char *node; /* NULL: messages; else a fact record each, of this node. Borrowed */
	json_object *v;
	size_t bytes;
	int rc;
	struct hb_err err;
};
void facts_tell_begin(struct facts_tell *p, struct emit *e, enum facts_about about,
                      const char *node);
/* Sends what is left. The first failure of all. */
int facts_tell_end(struct facts_tell *p, struct hb_err *err);
/* The fact records of an array, handed on to a sink one by one. */
void facts_tell_records(const struct fact_sink *s, json_object *arr);

/* A counter record for each that moved from one reading to the other. */
int counters_tell(struct emit *e, const char *node, const struct counters *before,
                  const struct counters *after, struct hb_err *err);
/* What a rank says that it sent and received itself, in bytes: an estimate from above. */
int counters_tell_own(struct emit *e, const char *node, double tx, double rx, struct hb_err *err);

#endif

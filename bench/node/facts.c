/* node.facts: what every run is told of its nodes anyway, asked for by itself. */
#include "bench/facts/facts.h"
#include "bench/core/bench.h"
#include "bench/node/node.h"

static int tell(const struct tell *t, struct hb_err *err)
{
	(void)err;
	facts_node(t->sink);
	facts_libraries(t->sink);
	return HB_OK;
}

const struct bench_ops node_facts = { .info = &info_node_facts, .tell = tell };

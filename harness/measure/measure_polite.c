/* How many pairs at once, where others use the same network. */
#include "bench/base/mem.h"
#include "harness/measure/measure_choose.h"

enum { PART = 4 };

static bool at_once(const struct suite *s)
{
	for (size_t i = 0; i < s->n_entries; i++)
		if (s->entries[i].info->shape != BENCH_LOCAL)
			return true;
	return false;
}

void measure_polite(struct measure *m, struct plan_params *p)
{
	size_t round = m->nodes.n / 2, most = round / PART > 1 ? round / PART : 1;
	struct launch_busy others;
	struct hb_err none;

	if (m->req.max_pairs >= 0 || m->suite.max_pairs_given || most >= round ||
	    !at_once(&m->suite) || !m->site.ops->busy)
		return;
	if (m->site.ops->busy(&m->site, &m->nodes, &others, &none) != HB_OK || others.busy == 0)
		return;
	p->max_pairs = (int)most;
	m->polite_note = hb_format("%zu of %zu other nodes run jobs: at most %zu pair%s at once; "
	                           "--max-pairs decides",
	                           others.busy, others.nodes, most, most == 1 ? "" : "s");
}

/* What the subject told of itself: first what its peers do not say too. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/report/report_explain.h"
#include "harness/report/report_facts.h"

enum { VALUE_MAX = 400 };

static void tell_value(struct explain *e, const struct fact_row *row, const struct fact_value *v,
                       const struct fact_peers_say *peers)
{
	struct buf text = BUF_INIT;
	char *name = hb_format("%s%s%s", row->device, *row->device ? " " : "", row->key);

	if (v)
		report_fact_value(row->key, v->text, VALUE_MAX, &text);
	else
		buf_puts(&text, "not there");
	if (v && *v->source)
		buf_printf(&text, " (%s)", v->source);
	if (peers) {
		buf_printf(&text, "; %zu of %zu peers: ", peers->n, peers->of);
		report_fact_value(row->key, peers->text, VALUE_MAX, &text);
	}
	explain_tell(e, "fact", name, buf_text(&text));
	buf_free(&text);
	free(name);
}

static bool has_node(const struct fact_drift *d, size_t node)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->nodes[i] == node)
			return true;
	return false;
}

void explain_tell_facts(struct explain *e)
{
	const struct facts *f = e->facts;
	size_t node = f && f->n_rows ? facts_find_node(f, e->subject) : SIZE_MAX;
	struct drift drift;

	e->has_facts = node != SIZE_MAX;
	if (!e->has_facts)
		return;
	bool *told = hb_alloc(f->n_rows);

	drift_make(f, NULL, &drift);
	for (size_t i = 0; i < drift.n; i++) {
		const struct fact_drift *d = &drift.v[i];
		const struct fact_peers_say peers = { d->peers, d->n_peers, d->of_peers };

		if (!has_node(d, node))
			continue;
		tell_value(e, d->row, d->value, d->peers ? &peers : NULL);
		told[d->row - f->rows] = true;
	}
	drift_free(&drift);
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_value *v = facts_value(&f->rows[i], node);

		if (v && !told[i])
			tell_value(e, &f->rows[i], v, NULL);
	}
	free(told);
}

/*
 * `accept --drain`: which of the rejected nodes are drained. Few at a time, and only what was seen
 * twice: one in twenty of the nodes of the run, or one.
 */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_run.h"
#include "harness/slurm/slurm.h"

enum { ONE_IN = 20 };

/* What report_drain borrows from. */
struct words {
	struct slurm_drain *d;
	char (*reasons)[SLURM_DRAIN_MAX + 1];
	char **texts;
	size_t n_texts;
};

static int by_loss(const void *a, const void *b)
{
	const struct accept_node *x = *(const struct accept_node *const *)a;
	const struct accept_node *y = *(const struct accept_node *const *)b;
	double lx = x->reasons[0].loss, ly = y->reasons[0].loss;

	return lx > ly ? -1 : lx < ly ? 1 : (x > y) - (x < y);
}

static void tell(struct drained *out, const char *node, const char *text, bool drained)
{
	out->v[out->n++] = (struct report_drain){ node, text, drained };
}

/* Those that may be drained, the worst first; the others are told. */
static size_t gather(const struct acceptance *a, const struct accept_node **may,
                     struct drained *out)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_new; i++) {
		const char *why;
		if (a->v[i].word != ACCEPT_REJECTED)
			continue;
		if (accept_may_drain(&a->v[i], &why))
			may[n++] = &a->v[i];
		else
			tell(out, a->v[i].node, why, false);
	}
	if (n > 0)
		qsort(may, n, sizeof(const struct accept_node *), by_loss);
	return n;
}

void cmd_accept_drain(const struct measure *m, struct drained *out)
{
	const struct acceptance *a = &m->acceptance;
	size_t most = m->plan.nodes.n / ONE_IN, n = 0, now;
	const struct accept_node **may = hb_alloc((a->n_new + 1) *
	                                          sizeof(const struct accept_node *));
	struct words *w = hb_alloc(sizeof *w);

	most = most ? most : 1;
	*out = (struct drained){ hb_alloc((a->n_new + 1) * sizeof *out->v), 0, w };
	/* A run that was interrupted or went wrong decides about nobody for good. */
	if (m->accepting && !m->signal && !m->broken)
		n = gather(a, may, out);
	now = n < most ? n : most;
	w->d = hb_alloc((now + 1) * sizeof *w->d);
	w->reasons = hb_alloc((now + 1) * sizeof *w->reasons);
	for (size_t i = 0; i < now; i++) {
		struct buf why = BUF_INIT;
		accept_evidence(may[i], &why);
		slurm_drain_reason(m->id, buf_text(&why), w->reasons[i]);
		w->d[i] = (struct slurm_drain){ .node = may[i]->node, .reason = w->reasons[i] };
		buf_free(&why);
	}
	slurm_drain(w->d, now, -1);
	for (size_t i = 0; i < now; i++)
		tell(out, w->d[i].node, w->d[i].text, w->d[i].drained);
	w->texts = hb_alloc(sizeof *w->texts);
	w->texts[w->n_texts++] = hb_format("at most %zu of this run's %zu nodes at a time", most,
	                                   m->plan.nodes.n);
	for (size_t i = now; i < n; i++)
		tell(out, may[i]->node, w->texts[0], false);
	free(may);
}

void cmd_accept_drain_free(struct drained *d)
{
	struct words *w = d->owned;

	if (w) {
		for (size_t i = 0; i < w->n_texts; i++)
			free(w->texts[i]);
		free(w->texts);
		free(w->reasons);
		free(w->d);
	}
	free(w);
	free(d->v);
	*d = (struct drained){ 0 };
}

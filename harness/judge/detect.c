#include "harness/judge/detect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/compare_rows.h"
#include "harness/localize/localize.h"

/* Losses of the subjects of one key. */
struct losses {
	double *mde, *counts;
	size_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_measured(const struct detect_scope *x, const char *node)
{
	return x->n_nodes &&
	       bsearch(&node, x->nodes, x->n_nodes, sizeof(const char *), by_text) != NULL;
}

static double loss_of(double y)
{
	return 1.0 - exp(-y);
}

/* One subject: what one run would have to lose. */
static void take(const struct base_entry *e, const struct base_series *own,
                 const struct compare_params *p, struct losses *l, struct detect_row *r)
{
	struct compare_against old;
	double alpha, power;

	if (!compare_against(e, own, 1, &old))
		return;
	r->subjects++;
	r->of_class += old.source == SPREAD_CLASS;
	if (!(old.se > 0.0))
		return;
	alpha = dist_t_quantile(1.0 - p->alpha, old.df) * old.se;
	power = dist_t_quantile(p->power, old.df) * old.se;
	l->mde[l->n] = loss_of(alpha + power);
	l->counts[l->n++] = loss_of(fmax(alpha, -log1p(-e->floor)) + power);
}

static struct detect_loss settle(double *v, size_t n)
{
	struct detect_loss l = { NAN, NAN };

	for (size_t i = 0; i < n; i++)
		l.most = fmax(l.most, v[i]); /* passes over NaN */
	if (n)
		l.median = stat_median(v, n);
	return l;
}

static double peers_of(const struct base_entry *e, const struct detect_scope *x)
{
	const struct loc_params rule = LOC_PARAMS_DEFAULT;
	struct loc_spread of = { NAN, 0, (double)x->n_nodes, x->partners, true };
	double least = x->blamed(x->ctx, e);

	if (!(least > 0.0) || !(e->df_run > 0.0) || !(e->df_node > 0.0))
		return NAN;
	of.s = fmax(hypot(e->s_node, e->s_run), rule.s_floor);
	return localize_detectable(&of, x->partners, least, rule.z_slow);
}

/* The nodes of the run, of which the baseline may not know all; for the cluster the cluster. */
static void take_all(const struct baseline *b, const struct detect_scope *x,
                     const struct compare_params *p, const struct base_entry *e, struct detect *out)
{
	struct detect_row *r;
	struct losses l = { NULL, NULL, 0 };
	size_t room = e->n_series + 1;

	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	r = &out->v[out->n];
	*r = (struct detect_row){ .entry = e, .peers = NAN };
	l.mde = hb_alloc(room * sizeof(*l.mde));
	l.counts = hb_alloc(room * sizeof(*l.counts));
	for (size_t k = 0; k < e->n_series; k++) {
		const struct base_series *own = &e->series[k];

		if (own->n == 0 ||
		    (e->kind == SUBJECT_NODE &&
		     (!is_measured(x, own->subject) || baseline_excluded(b, own->subject))))
			continue;
		take(e, own, p, &l, r);
	}
	/* Nodes that no entry knows will be held against their class, which may be this one. */
	if (e->kind == SUBJECT_NODE && out->not_there > 0)
		take(e, NULL, p, &l, r);
	r->mde = settle(l.mde, l.n);
	r->counts = settle(l.counts, l.n);
	if (e->kind == SUBJECT_NODE)
		r->peers = peers_of(e, x);
	if (r->subjects) {
		out->unknown += l.n == 0;
		out->runs = out->n == 0 || e->runs < out->runs ? e->runs : out->runs;
		out->n++;
	}
	free(l.mde);
	free(l.counts);
}

/* Does any entry know this node? */
static bool is_known(const struct baseline *b, const char *node)
{
	return json_object_object_get_ex(b->hw, node, NULL);
}

void detect_run(const struct baseline *b, const struct detect_scope *scope,
                const struct compare_params *p, struct detect *out)
{
	*out = (struct detect){ 0 };
	for (size_t i = 0; i < scope->n_nodes; i++)
		out->not_there += !is_known(b, scope->nodes[i]);
	for (size_t i = 0; i < b->n_entries; i++)
		if (scope->measured(scope->ctx, &b->entries[i]))
			take_all(b, scope, p, &b->entries[i], out);
}

void detect_free(struct detect *d)
{
	free(d->v);
	*d = (struct detect){ 0 };
}

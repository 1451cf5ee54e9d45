/* Tests of what was measured: who is slow in what, from which size on, how steadily. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/expected.h"
#include "harness/diagnose/scene.h"

/* A loss that is told at all, where a rule says none. */
#define LOSS_SHOWN 0.05

static bool bench_fits(const struct rule_test *t, const char *bench)
{
	return !t->bench.n || (bench && rule_words_fit(&t->bench, bench));
}

/* The troubles of a node; of SIZE_MAX: all of them. */
static struct trouble *troubles_of(const struct look *l, size_t node, size_t *n)
{
	size_t lo = 0, hi = l->n_troubles;

	*n = l->n_troubles;
	if (node == SIZE_MAX)
		return l->troubles;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->troubles[mid].node < node)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < l->n_troubles && l->troubles[lo + *n].node == node;)
		++*n;
	return l->troubles + lo;
}

static bool trouble_fits(const struct binding *b, const struct rule_test *t,
                         const struct trouble *x)
{
	if (b->scope == RULE_PAIR && x->other != b->other)
		return false;
	if (!(t->slow & (1u << x->kind)) || !bench_fits(t, x->bench))
		return false;
	return !(t->loss > 0) || x->loss >= t->loss || x->kind == SLOW_LOST;
}

bool holds_slow(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	size_t n = 0;
	const struct trouble *v = troubles_of(l, b->node, &n), *best = NULL;

	seen->applies = true;
	for (size_t i = 0; i < n; i++) {
		if (!trouble_fits(b, t, &v[i]))
			continue;
		if (!best || !isfinite(best->loss) || v[i].loss > best->loss)
			best = &v[i];
	}
	if (!best)
		return false;
	seen->node = best->node;
	seen->other = best->other;
	seen->key = best->bench;
	seen->number = best->loss;
	seen->bytes = (double)best->bytes;
	seen->kind = best->kind;
	seen->text = best->subject;
	return true;
}

/* The figures of a node that the test is about: calls see with each. */
static size_t each_figure(const struct look *l, size_t node, const struct rule_test *t,
                          void (*see)(void *ctx, const struct scene_figure *f), void *ctx)
{
	size_t n = 0, from = node == SIZE_MAX ? 0 : l->begin[node];
	size_t to = node == SIZE_MAX ? l->begin[l->n_nodes] : l->begin[node + 1];

	for (size_t i = from; i < to; i++) {
		const struct scene_figure *f = &l->s->figures[l->order[i]];
		if (!bench_fits(t, f->bench))
			continue;
		if (see)
			see(ctx, f);
		n++;
	}
	return n;
}

static const char *judged_as(const struct look *l, const struct rule_test *t)
{
	for (size_t i = 0; i < l->n_judged; i++)
		if (bench_fits(t, l->judged[i]))
			return l->judged[i];
	return NULL;
}

static void first_bench(void *ctx, const struct scene_figure *f)
{
	const char **bench = ctx;
	*bench = *bench ? *bench : f->bench;
}

bool holds_fine(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	size_t n = 0;
	const struct trouble *v = troubles_of(l, b->node, &n);
	const char *bench = NULL;

	if (!each_figure(l, b->node, t, first_bench, &bench))
		bench = judged_as(l, t);
	seen->applies = bench != NULL;
	seen->key = bench;
	for (size_t i = 0; i < n; i++)
		if (bench_fits(t, v[i].bench) || !v[i].bench)
			return false;
	return bench != NULL;
}

/* ---- sizes ---- */

struct sizes_of {
	double bound, small_worst, *big;
	size_t n_small, n_big, cap;
	const char *bench;
	double worst, worst_bytes;
};

static void split(void *ctx, const struct scene_figure *f)
{
	struct sizes_of *s = ctx;

	if (!isfinite(f->loss))
		return;
	if ((double)f->bytes <= s->bound) {
		if (!s->n_small++ || f->loss > s->small_worst)
			s->small_worst = f->loss;
		return;
	}
	hb_grow(&s->big, &s->cap, s->n_big + 1, sizeof *s->big);
	s->big[s->n_big++] = f->loss;
	if (!(f->loss <= s->worst)) {
		s->worst = f->loss;
		s->worst_bytes = (double)f->bytes;
		s->bench = f->bench;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double bound_of(const struct look *l, const struct binding *b, const struct rule_test *t)
{
	const struct fact_info *info = t->from_key ? fact_find(t->from_key) : NULL;
	const char *device = "";

	if (!info)
		return t->from;
	if (info->about != FACT_NODE)
		device = b->device[info->about] ? b->device[info->about] : "";
	return facts_number(l->f, b->node, device, t->from_key);
}

/*
 * With the median loss M of the sizes above the bound: M is a loss worth telling, and no size up to
 * the bound loses as much as a third of it.
 */
bool holds_grows(const struct look *l, const struct binding *b, const struct rule_test *t,
                 struct seen *seen)
{
	struct sizes_of s = { .bound = bound_of(l, b, t), .worst = -INFINITY };
	bool holds = false;

	each_figure(l, b->node, t, split, &s);
	seen->applies = s.n_small && s.n_big;
	if (seen->applies) {
		qsort(s.big, s.n_big, sizeof *s.big, by_value);
		double m = (s.big[(s.n_big - 1) / 2] + s.big[s.n_big / 2]) / 2;
		double least = t->said & FIELD(LOSS) ? t->loss : LOSS_SHOWN;
		holds = m >= least && m > 0 && s.small_worst < m / 3;
		seen->number = m;
		seen->bytes = s.bound;
		seen->key = s.bench;
	}
	free(s.big);
	return holds;
}

struct noisiest {
	const struct scene_figure *f;
	size_t known;
};

static void find_noisiest(void *ctx, const struct scene_figure *f)
{
	struct noisiest *x = ctx;

	if (!isfinite(f->tail))
		return;
	x->known++;
	if (!x->f || f->tail > x->f->tail)
		x->f = f;
}

bool holds_noisy(const struct look *l, const struct binding *b, const struct rule_test *t,
                 struct seen *seen)
{
	struct noisiest x = { 0 };

	each_figure(l, b->node, t, find_noisiest, &x);
	seen->applies = x.known > 0;
	if (!x.f)
		return false;
	seen->number = x.f->tail;
	seen->bytes = (double)x.f->bytes;
	seen->key = x.f->bench;
	return x.f->tail > t->above;
}

/* ---- what hardware must reach ---- */

static bool is_subject(const struct look *l, const struct binding *b, const char *subject)
{
	return strcmp(subject, b->node == SIZE_MAX ? "cluster" : l->f->nodes[b->node]) == 0;
}

bool holds_class(const struct look *l, const struct binding *b, const struct rule_test *t,
                 struct seen *seen)
{
	const struct attained *a = l->s->attained;

	for (size_t i = 0; a && i < a->n; i++) {
		const struct attained_row *r = &a->v[i];
		if (!r->subject || !is_subject(l, b, r->subject) || !r->is)
			continue;
		seen->applies = true;
		seen->key = "interconnect";
		seen->value = r->is->title ? r->is->title : r->is->name;
		seen->peers = !r->promise         ? NULL
		              : r->promise->title ? r->promise->title
		                                  : r->promise->name;
		seen->share = r->rate_share;
		seen->text = r->why;
		bool named = rule_words_fit(&t->achieved, r->is->name) ||
		             rule_words_fit(&t->achieved, wire_coarse_name(r->is->coarse));
		if ((!t->achieved.n || named) &&
		    (!(t->said & FIELD(BELOW_PROMISED)) || r->below == (t->below_promised != 0)))
			return true;
	}
	return false;
}

bool holds_expect(const struct look *l, const struct binding *b, const struct rule_test *t,
                  struct seen *seen)
{
	const struct attained *a = l->s->attained;
	double below = t->said & FIELD(BELOW) ? t->below : 1;

	seen->applies = a != NULL;
	for (size_t i = 0; a && i < a->n_misses; i++) {
		const struct attained_miss *m = &a->misses[i];
		if (!m->subject || !is_subject(l, b, m->subject) || !m->figure->name ||
		    !rule_words_fit(&t->figure, m->figure->name) || !(m->ratio < below))
			continue;
		seen->key = m->figure->name;
		seen->number = m->ratio;
		seen->text = m->figure->source;
		return true;
	}
	return false;
}

bool holds_event(const struct look *l, const struct binding *b, const struct rule_test *t,
                 struct seen *seen)
{
	seen->applies = true;
	for (size_t i = 0; i < l->s->n_events; i++) {
		const struct scene_event *e = &l->s->events[i];
		bool ours = b->node == SIZE_MAX ||
		            (e->node && strcmp(e->node, l->f->nodes[b->node]) == 0);
		if (!ours || !e->code || !rule_words_have(&t->code, e->code) ||
		    (t->text.n && !(e->text && rule_words_fit(&t->text, e->text))))
			continue;
		seen->key = e->code;
		seen->text = e->text;
		seen->value = e->text;
		return true;
	}
	return false;
}

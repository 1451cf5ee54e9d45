#include "harness/diagnose/diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose_next.h"
#include "harness/diagnose/expected.h"
#include "harness/diagnose/scene.h"

static int by_rank(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	int c;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	/* The worse culprit's first. */
	size_t i = x->n_explains ? x->explains[0] : 0, k = y->n_explains ? y->explains[0] : 0;
	if (i != k)
		return i < k ? -1 : 1;
	c = strcmp(x->rule, y->rule);
	return c ? c : strcmp(x->subject, y->subject);
}

static void find_unproven(const struct findings *f, struct diagnosis *out)
{
	size_t n = f ? f->n : 0;

	out->unproven = hb_alloc((n + 1) * sizeof *out->unproven);
	out->n_unproven = n;
	for (size_t i = 0; i < n; i++) {
		struct buf next = BUF_INIT;
		if (diagnosis_cause(out, i, 0))
			continue;
		diagnosis_next(&f->v[i], &next);
		out->unproven[i] = buf_detach(&next);
	}
}

static char *interconnect(const struct attained *a)
{
	for (size_t i = 0; a && i < a->n; i++) {
		const struct attained_row *r = &a->v[i];
		if (strcmp(r->subject, "cluster") == 0 && (r->is || r->promise))
			return hb_strdup(r->why);
	}
	return NULL;
}

void diagnose_make(const struct scene *s, const struct rules *rules, struct diagnosis *out)
{
	struct look l;
	struct hits hits = { 0 };

	*out = (struct diagnosis){ .rules = rules->n };
	look_make(s, &l);
	for (size_t i = 0; i < rules->n; i++)
		rule_evaluate(&l, &rules->v[i], &hits);
	causes_make(&l, rules, &hits, out);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof *out->v, by_rank);
	find_unproven(s->findings, out);
	out->interconnect = interconnect(s->attained);
	hits_free(&hits);
	look_free(&l);
}

int diagnosis_code(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].severity == RULE_ERROR && !d->v[i].suppressed && !d->v[i].ack)
			return CODE_FINDINGS;
	return CODE_OK;
}

const struct cause *diagnosis_cause(const struct diagnosis *d, size_t culprit, size_t nth)
{
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->v[i].n_explains; k++)
			if (d->v[i].explains[k] == culprit && nth-- == 0)
				return &d->v[i];
	return NULL;
}

static void cause_free(struct cause *c)
{
	free(c->subject);
	free(c->rule);
	free(c->title);
	free(c->text);
	for (size_t i = 0; i < c->n_evidence; i++)
		free(c->evidence[i]);
	free(c->evidence);
	free(c->next);
	free(c->refute);
	free(c->explains);
	free(c->suppressed);
}

void diagnosis_free(struct diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++)
		cause_free(&d->v[i]);
	for (size_t i = 0; i < d->n_unproven; i++)
		free(d->unproven[i]);
	free(d->v);
	free(d->unproven);
	free(d->interconnect);
	*d = (struct diagnosis){ 0 };
}

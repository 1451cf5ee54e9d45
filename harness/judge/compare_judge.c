/*
 * From tests to verdicts (contracts.md section 5). Two stages: the rows of one subject and
 * benchmark form a family, combined by Simes; Benjamini-Hochberg at q over the m families; then
 * inside each of the R families that were rejected, Benjamini-Hochberg over its rows at q R / m.
 * Only rows rejected there can be worse (or, with the tests the other way round, improved).
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/compare_rows.h"

/* Quantiles of the last df: rows of one key follow each other and share it. */
struct quantiles {
	double df, alpha, power, half;
};

static void quantiles_for(struct quantiles *q, double df, const struct compare_params *p)
{
	if (q->df >= df && q->df <= df)
		return;
	q->df = df;
	q->alpha = dist_t_quantile(1.0 - p->alpha, df);
	q->power = dist_t_quantile(p->power, df);
	q->half = dist_t_quantile(0.975, df);
}

double compare_tolerance(const struct verdict_row *row, const struct compare_params *p)
{
	if (p->tolerance > 0.0)
		return p->tolerance;
	return row->tolerance > 0.0 ? row->tolerance : 2.0 * row->floor;
}

struct member {
	const struct verdict_row *v;
	size_t row;
	double p; /* one-sided, in the direction that is looked at */
};

static int member_order(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int c = strcmp(x->v->subject, y->v->subject);

	if (c == 0)
		c = strcmp(x->v->key->bench, y->v->key->bench);
	if (c == 0 && x->v->row->kind != y->v->row->kind)
		c = x->v->row->kind < y->v->row->kind ? -1 : 1;
	if (c == 0)
		c = x->row < y->row ? -1 : 1;
	return c;
}

static bool same_family(const struct member *a, const struct member *b)
{
	return a->v->row->kind == b->v->row->kind && strcmp(a->v->subject, b->v->subject) == 0 &&
	       strcmp(a->v->key->bench, b->v->key->bench) == 0;
}

/* Families lie one behind the other in members; family f begins at first[f]. */
struct families {
	struct member *members;
	size_t n_members, *first, n;
	double *p; /* scratch: of the members; then of the families */
	unsigned char *rejected_rows, *rejected;
};

static void families_make(const struct compare_set *set, struct families *f)
{
	memset(f, 0, sizeof(*f));
	f->members = hb_alloc(set->n * sizeof(*f->members));
	f->first = hb_alloc((set->n + 1) * sizeof(*f->first));
	f->p = hb_alloc(2 * set->n * sizeof(*f->p));
	f->rejected_rows = hb_alloc(set->n);
	f->rejected = hb_alloc(set->n);
	for (size_t i = 0; i < set->n; i++) {
		if (!(set->tests[i].se > 0.0) || !set->tests[i].measured)
			continue;
		f->members[f->n_members].v = &set->rows[i];
		f->members[f->n_members++].row = i;
	}
	if (f->n_members)
		qsort(f->members, f->n_members, sizeof(*f->members), member_order);
	for (size_t i = 0; i < f->n_members; i++)
		if (i == 0 || !same_family(&f->members[i - 1], &f->members[i]))
			f->first[f->n++] = i;
	f->first[f->n] = f->n_members;
}

static void families_free(struct families *f)
{
	free(f->members);
	free(f->first);
	free(f->p);
	free(f->rejected_rows);
	free(f->rejected);
}

/* Both stages on members[].p: sets rejected_rows and the families' p. Returns R. */
static size_t two_stages(struct families *f, double q)
{
	double *rows = f->p, *of_family = f->p + f->n_members;
	size_t r;

	for (size_t i = 0; i < f->n_members; i++)
		rows[i] = f->members[i].p;
	for (size_t k = 0; k < f->n; k++)
		of_family[k] = stat_simes(rows + f->first[k], f->first[k + 1] - f->first[k]);
	memset(f->rejected_rows, 0, f->n_members);
	r = stat_bh(of_family, f->n, q, f->rejected);
	for (size_t k = 0; k < f->n; k++)
		if (f->rejected[k])
			stat_bh(rows + f->first[k], f->first[k + 1] - f->first[k],
			        q * (double)r / (double)f->n, f->rejected_rows + f->first[k]);
	return r;
}

/* p of "worse" for every tested row, exact in both tails. */
static void one_sided(const struct compare_test *t, double *worse, double *better)
{
	double x = t->diff / t->se, tail = dist_t_cdf(-fabs(x), t->df);

	*worse = x < 0.0 ? tail : 1.0 - tail;
	*better = x < 0.0 ? 1.0 - tail : tail;
}

static void set_worse(struct verdict_row *v, const struct compare_test *t)
{
	v->confirmed = v->n_new >= 2;
	if (v->confirmed && !v->provisional) {
		v->verdict = VERDICT_REGRESSED;
		return;
	}
	v->verdict = VERDICT_SUSPECT;
	if (v->note[0])
		return;
	if (t->borrowed)
		compare_note(v, "the spread comes from %s", spread_source_text(v->source));
	else if (v->provisional)
		compare_note(v, "the baseline is provisional: it has %d run%s", v->entry->runs,
		             v->entry->runs == 1 ? "" : "s");
	else
		compare_note(v, "one run: a confirming rerun or another run decides");
}

/* Fills in what a row shows and gives it pass or inconclusive until something worse is found. */
static void settle_row(struct verdict_row *v, const struct compare_test *t,
                       const struct compare_params *p, struct quantiles *q)
{
	v->loss = 1.0 - exp(t->diff);
	v->delta = v->new_value / v->old_value - 1.0;
	v->verdict = VERDICT_INCONCLUSIVE;
	if (!(t->se > 0.0)) {
		if (!v->note[0])
			compare_note(v, "no spread is known: the old side has too few runs");
		return;
	}
	quantiles_for(q, t->df, p);
	/* se holds s * sqrt(1/n_new + 1/n_base). */
	v->mde = 1.0 - exp(-(q->alpha + q->power) * t->se);
	v->old_half = exp(q->half * t->se_old) - 1.0;
	v->new_half = exp(q->half * t->se_new) - 1.0;
	if (v->mde <= compare_tolerance(v, p))
		v->verdict = VERDICT_PASS;
}

static void test_rows(struct compare_set *set, const struct compare_params *p, struct verdicts *out)
{
	struct families f;

	families_make(set, &f);
	out->families = f.n;
	out->any_tested = f.n_members > 0;
	for (size_t i = 0; i < f.n_members; i++) {
		double worse, better;

		one_sided(&set->tests[f.members[i].row], &worse, &better);
		set->rows[f.members[i].row].p = worse;
		f.members[i].p = better;
	}
	two_stages(&f, p->q);
	for (size_t i = 0; i < f.n_members; i++) {
		struct verdict_row *v = &set->rows[f.members[i].row];

		if (f.rejected_rows[i] && 1.0 - exp(-set->tests[f.members[i].row].diff) > v->floor)
			v->verdict = VERDICT_IMPROVED;
		f.members[i].p = v->p;
	}
	out->families_rejected = two_stages(&f, p->q);
	for (size_t k = 0; k < f.n; k++) {
		for (size_t i = f.first[k]; i < f.first[k + 1]; i++) {
			struct verdict_row *v = &set->rows[f.members[i].row];

			v->p_family = f.p[f.n_members + k];
			if (f.rejected_rows[i] && v->loss > v->floor)
				set_worse(v, &set->tests[f.members[i].row]);
		}
	}
	families_free(&f);
}

void compare_judge(struct compare_set *set, const struct compare_params *p, struct verdicts *out)
{
	struct quantiles q = { NAN, NAN, NAN, NAN };

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < set->n; i++)
		if (set->tests[i].measured && set->rows[i].entry)
			settle_row(&set->rows[i], &set->tests[i], p, &q);
	test_rows(set, p, out);
	out->q = p->q;
	out->rows = set->rows;
	out->n = set->n;
	verdicts_count(out);
	free(set->tests);
	memset(set, 0, sizeof(*set));
}

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/compare_rows.h"

void compare_note(struct verdict_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row->note, sizeof(row->note), fmt, ap);
	va_end(ap);
}

static struct verdict_row *add_row(struct compare_set *set)
{
	struct verdict_row *v;
	struct compare_test *t;

	hb_grow(&set->rows, &set->cap_rows, set->n + 1, sizeof(*set->rows));
	hb_grow(&set->tests, &set->cap_tests, set->n + 1, sizeof(*set->tests));
	v = &set->rows[set->n];
	t = &set->tests[set->n++];
	memset(v, 0, sizeof(*v));
	memset(t, 0, sizeof(*t));
	v->old_value = v->new_value = v->old_half = v->new_half = v->delta = v->loss = NAN;
	v->p = v->p_family = v->s = v->df = v->mde = v->confirm_p = v->confirm_loss = NAN;
	v->verdict = VERDICT_NEW;
	t->y_new = t->diff = NAN;
	return v;
}

static bool good(const struct summary_row *r)
{
	return r->quality == ROW_OK && isfinite(r->value) && r->value > 0.0;
}

/* Rows of replicates come in the same order, so the search begins behind the last hit. */
static size_t find_row(const struct compare_set *set, const struct summary_row *r, size_t start)
{
	for (size_t k = 0; k < set->n; k++) {
		size_t i = (start + k) % set->n;
		const struct summary_row *other = set->rows[i].row;

		if (other->kind == r->kind && strcmp(other->subject, r->subject) == 0 &&
		    strcmp(other->key.text, r->key.text) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Adds one run's row; y_new is a sum until all runs are in. */
static void take(struct verdict_row *v, struct compare_test *t, const struct summary_row *r)
{
	bool first = !v->row;

	if (r->quality == ROW_INVALID) {
		v->verdict = VERDICT_INVALID;
		v->row = r; /* wrong data in one replicate taints all of them */
	} else if (good(r)) {
		t->y_new = v->n_new ? t->y_new + summary_y(r) : summary_y(r);
		if ((first || !v->n_new) && v->verdict != VERDICT_INVALID)
			v->row = r;
		v->n_new++;
	} else if (v->verdict != VERDICT_INVALID && r->quality == ROW_DISTURBED) {
		v->verdict = VERDICT_DISTURBED;
	} else if (v->verdict == VERDICT_NEW) {
		v->verdict = VERDICT_NOT_MEASURED;
	}
	if (!v->row)
		v->row = r;
}

static void settle(struct verdict_row *v, struct compare_test *t)
{
	const struct summary_row *r = v->row;

	v->key = &r->key;
	v->subject = r->subject;
	v->floor = r->floor;
	v->tolerance = r->tolerance;
	if (v->verdict == VERDICT_INVALID) {
		compare_note(v, "%s", r->reason ? r->reason : "the figures cannot be trusted");
		return;
	}
	if (!v->n_new) {
		compare_note(v, "%s", r->reason ? r->reason : "no figure that counts");
		return;
	}
	if (v->verdict != VERDICT_NEW)
		compare_note(v, "some of the runs have no figure that counts");
	v->verdict = VERDICT_NEW;
	t->measured = true;
	t->y_new /= v->n_new;
	v->new_value = exp(r->higher_is_better ? t->y_new : -t->y_new);
}

void compare_gather(const struct summary *const *runs, size_t n, struct compare_set *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t k = 0; k < n; k++) {
		size_t at = 0;

		for (size_t i = 0; i < runs[k]->n_rows; i++) {
			const struct summary_row *r = &runs[k]->rows[i];

			if (!r->judged)
				continue;
			at = k == 0 ? SIZE_MAX : find_row(out, r, at);
			if (at == SIZE_MAX) {
				add_row(out);
				at = out->n - 1;
			}
			take(&out->rows[at], &out->tests[at], r);
			at++;
		}
	}
	for (size_t i = 0; i < out->n; i++)
		settle(&out->rows[i], &out->tests[i]);
}

void compare_add_absent(struct compare_set *set, const struct base_entry *entry,
                        const struct base_series *series, enum verdict verdict, const char *note)
{
	struct verdict_row *v = add_row(set);

	v->key = &entry->key;
	v->subject = series->subject;
	v->entry = entry;
	v->verdict = verdict;
	v->n_old = series->n;
	v->old_value = exp(entry->higher_is_better ? series->mean : -series->mean);
	compare_note(v, "%s", note);
}

static const struct base_entry *lookup_near(const struct compare_from *from,
                                            struct verdict_row *row)
{
	const struct baseline *b = from->b;
	const struct key *k = row->key;
	const char *old_hw = compare_old_hw(b->hw, from->runs, from->n, row->subject);

	for (size_t i = 0; i < b->n_entries; i++) {
		const struct base_entry *e = &b->entries[i];
		const struct base_series *s;

		if (e->kind != row->row->kind || !compare_same_but_class(k, &e->key))
			continue;
		/* A partner's changed class is no reason to hold this subject against its own past:
		 * the figures under such a key are of other pairs. */
		if (!old_hw || strcmp(e->key.class_, k->class_) != 0)
			continue;
		s = baseline_series(e, row->subject);
		if (s && s->n > 0) {
			compare_note(row, "hardware class changed; it was %.90s", old_hw);
			return e;
		}
	}
	return NULL;
}

const struct base_entry *compare_lookup(struct compare_from *from, struct verdict_row *row)
{
	size_t i = baseline_find_near(from->b, row->key->text, row->row->kind, from->cursor);

	if (i == SIZE_MAX)
		return lookup_near(from, row);
	from->cursor = i;
	return &from->b->entries[i];
}

void compare_two_means(struct verdict_row *row, struct compare_test *test, double y_old, double s,
                       double df)
{
	test->diff = test->y_new - y_old;
	row->old_value = exp(row->row->higher_is_better ? y_old : -y_old);
	row->s = s;
	row->df = df;
	if (!(df > 0.0))
		return;
	test->se_old = s / sqrt(row->n_old);
	test->se_new = s / sqrt(row->n_new);
	test->se = s * sqrt(1.0 / row->n_new + 1.0 / row->n_old);
	test->df = df;
}

const struct summary_loss *compare_loss(const struct summary *const *runs, size_t n,
                                        const char *subject, const char *bench)
{
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < runs[k]->n_losses; i++) {
			const struct summary_loss *l = &runs[k]->losses[i];

			if (strcmp(l->subject, subject) == 0 &&
			    (!l->bench || strcmp(l->bench, bench) == 0))
				return l;
		}
	}
	return NULL;
}

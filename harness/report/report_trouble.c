/*
 * What is wrong with the data, over all runs of a side.
 */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/report/report_parts.h"

void report_lost_add(struct report_lost *l, const char *name)
{
	hb_grow(&l->names, &l->cap, l->n + 1, sizeof(const char *));
	l->names[l->n++] = name;
}

static void lost(struct report_trouble *t, const char *subject, const char *bench,
                 const char *reason)
{
	if (t->lost.n == 0) {
		t->lost.bench = bench;
		t->lost.reason = reason;
	} else if (t->lost.bench && (!bench || strcmp(bench, t->lost.bench) != 0)) {
		t->lost.bench = NULL; /* more than one: none is named */
	}
	report_lost_add(&t->lost, subject ? subject : "?");
}

static void invalid(struct report_trouble *t, const char *subject, const char *bench,
                    const char *reason)
{
	if (t->invalid++ == 0) {
		t->subject = subject ? subject : "?";
		t->bench = bench;
		t->reason = reason;
	}
}

static void known(struct report_trouble *t, bool is_invalid)
{
	t->known++;
	t->invalid_known += is_invalid;
}

static void look_at_losses(struct report_trouble *t, const struct summary *s)
{
	t->told += s->told;
	for (size_t i = 0; i < s->n_losses; i++) {
		const struct summary_loss *l = &s->losses[i];
		if (l->ack && (l->status != UNIT_SKIPPED || s->named))
			known(t, l->status == UNIT_INVALID);
		else if (l->status == UNIT_INVALID)
			invalid(t, l->subject, l->bench, l->reason);
		else if (l->status != UNIT_SKIPPED || s->named)
			lost(t, l->subject, l->bench, l->reason);
		else if (l->bench)
			report_lost_add(&t->skipped, l->bench);
	}
}

static void look_at_rows(struct report_trouble *t, const struct summary *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct summary_row *r = &s->rows[i];
		report_lost_add(&t->benches, r->key.bench);
		t->good += r->quality == ROW_OK;
		if (r->quality != ROW_OK && r->ack)
			known(t, r->quality == ROW_INVALID);
		else if (r->quality == ROW_INVALID)
			invalid(t, r->subject, r->key.bench, r->reason);
	}
}

static void look_at_lost_rows(struct report_trouble *t, const struct summary *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct summary_row *r = &s->rows[i];
		if (!r->ack && (r->quality == ROW_NOT_MEASURED || r->quality == ROW_DISTURBED))
			lost(t, r->subject, r->key.bench, r->reason);
	}
}

void report_trouble(const struct summary *const *runs, size_t n, const struct verdicts *v,
                    struct report_trouble *out)
{
	*out = (struct report_trouble){ 0 };
	/* Of wrong data a row names its node, which is short; what is missing, losses know best. */
	for (size_t i = 0; i < n; i++)
		look_at_rows(out, runs[i]);
	for (size_t i = 0; i < n; i++)
		look_at_losses(out, runs[i]);
	for (size_t i = 0; i < n; i++)
		look_at_lost_rows(out, runs[i]);
	for (size_t i = 0; v && i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		if (r->ack)
			continue;
		if (r->verdict == VERDICT_NOT_MEASURED || r->verdict == VERDICT_DISTURBED)
			lost(out, r->subject, r->key->bench, r->note);
		else if (r->verdict == VERDICT_INVALID && out->invalid == 0)
			invalid(out, r->subject, r->key->bench, r->note);
	}
	report_drop_pairs(&out->lost);
}

void report_trouble_free(struct report_trouble *t)
{
	free(t->lost.names);
	free(t->skipped.names);
	free(t->benches.names);
	*t = (struct report_trouble){ 0 };
}

/* What was not measured, or cannot be trusted, and why: each reason once for subject and benchmark.
 */
#include "harness/report/report_parts.h"

enum { LOSSES_SHOWN = 12 };

struct told {
	const char *subject, *bench, *reason, *word;
	enum doc_tone tone;
	const struct ack *ack;
	size_t figures; /* rows of the summary that it stands for */
};

struct losses {
	struct told v[LOSSES_SHOWN];
	size_t n, more; /* more: losses and figures that found no place */
};

static bool same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static void add_loss(struct losses *l, const struct summary_loss *loss)
{
	if (l->n == LOSSES_SHOWN) {
		l->more++;
		return;
	}
	l->v[l->n++] =
	        (struct told){ .subject = loss->subject,
		               .bench = loss->bench,
		               .reason = loss->reason,
		               .ack = loss->ack,
		               /* It ended well, but does not count. */
		               .word = loss->status == UNIT_OK ? row_quality_name(ROW_DISTURBED)
		                                               : unit_status_name(loss->status),
		               .tone = loss->status == UNIT_SKIPPED                 ? DOC_DIM
		                       : loss->status == UNIT_INVALID && !loss->ack ? DOC_BAD
		                                                                    : DOC_WARN };
}

/* A figure that is no good joins the line that says so already: of its subject, or of all. */
static void add_row(struct losses *l, const struct summary_row *r)
{
	const char *word = row_quality_name(r->quality);
	for (size_t i = 0; i < l->n; i++) {
		struct told *t = &l->v[i];
		bool here = same(t->subject, r->subject) || same(t->subject, "cluster");
		if (here && same(t->reason, r->reason) &&
		    (!t->bench || same(t->bench, r->key.bench))) {
			t->figures++;
			return;
		}
	}
	if (l->n == LOSSES_SHOWN) {
		l->more++;
		return;
	}
	l->v[l->n++] = (struct told){ .subject = r->subject,
		                      .bench = r->key.bench,
		                      .reason = r->reason,
		                      .word = word,
		                      .ack = r->ack,
		                      .tone = r->quality == ROW_INVALID && !r->ack ? DOC_BAD
		                                                                   : DOC_WARN,
		                      .figures = 1 };
}

/* Each reason once, with those it holds for: a table of long reasons is wider than any screen. */
static void put_reasons(struct doc *d, const struct losses *l)
{
	size_t distinct = 0;
	for (size_t i = 0; i < l->n; i++) {
		size_t k = 0;
		while (k < i && !same(l->v[k].reason, l->v[i].reason))
			k++;
		distinct += k == i;
	}
	if (distinct > 1)
		doc_text(d, DOC_PLAIN, "because:");
	for (size_t i = 0; i < l->n; i++) {
		struct buf who = BUF_INIT;
		const char *reason = l->v[i].reason;
		size_t k = 0;
		while (k < i && !same(l->v[k].reason, reason))
			k++;
		if (k < i || !reason || !*reason)
			continue;
		for (k = i; k < l->n; k++) {
			const char *name = l->v[k].subject ? l->v[k].subject : "";
			bool told = false;
			for (size_t j = i; j < k; j++)
				told = told || (same(l->v[j].reason, reason) &&
				                same(l->v[j].subject, name));
			if (!told && same(l->v[k].reason, reason))
				buf_printf(&who, "%s%s", who.len ? ", " : "", name);
		}
		if (distinct == 1)
			doc_text(d, DOC_PLAIN, "because: %s", reason);
		else
			doc_list_item(d, "%s: %s", buf_text(&who), reason);
		buf_free(&who);
	}
}

/* One line whatever the reasons, which stand below; false: it stands in an earlier line. */
static bool gather(const struct losses *l, size_t at, size_t *figures)
{
	const struct told *t = &l->v[at];
	for (size_t i = 0; i < l->n; i++) {
		const struct told *other = &l->v[i];
		if (!same(other->subject, t->subject) || !same(other->bench, t->bench) ||
		    !same(other->word, t->word))
			continue;
		if (i < at)
			return false;
		*figures += other->figures;
	}
	return true;
}

void report_losses(struct doc *d, const struct summary *const *runs, size_t n)
{
	static const char *const titles[] = { "subject", "benchmark", "what", ">figures", NULL };
	struct losses l = { .n = 0 };
	uint64_t unknown = 0;
	for (size_t r = 0; r < n; r++) {
		const struct summary *s = runs[r];
		unknown += s->unknown_records;
		for (size_t i = 0; i < s->n_losses; i++)
			add_loss(&l, &s->losses[i]);
		for (size_t i = 0; i < s->n_rows; i++)
			if (s->rows[i].quality != ROW_OK)
				add_row(&l, &s->rows[i]);
	}
	if (l.n + unknown == 0)
		return;
	doc_heading(d, 2, "Not measured, or not to be trusted");
	if (l.n)
		doc_table(d, titles);
	for (size_t i = 0; i < l.n; i++) {
		const struct told *t = &l.v[i];
		size_t figures = 0;
		if (!gather(&l, i, &figures))
			continue;
		doc_cell(d, DOC_PLAIN, "%s", t->subject ? t->subject : "");
		doc_cell(d, DOC_PLAIN, "%s", t->bench ? t->bench : "(all)");
		struct buf word = BUF_INIT;
		buf_puts(&word, t->word);
		report_known_mark(t->ack, &word);
		doc_cell(d, t->tone, "%s", buf_text(&word));
		buf_free(&word);
		if (figures)
			doc_cell(d, DOC_PLAIN, "%zu", figures);
		else
			doc_cell(d, DOC_PLAIN, "%s", "");
	}
	if (l.more)
		doc_text(d, DOC_WARN, "and %zu more; --json has all", l.more);
	put_reasons(d, &l);
	if (unknown)
		doc_text(d, DOC_WARN, "%llu record%s could not be understood and were left out",
		         (unsigned long long)unknown, report_plural((size_t)unknown));
}

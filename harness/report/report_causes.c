/*
 * What is misconfigured: below each culprit the best cause with its evidence, what would refute it
 * and what to do; and what is wrong with nobody slow, a section of its own.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/diagnose_next.h"
#include "harness/report/report_parts.h"

enum {
	HEAD_SHOWN = 3,
	ERRORS_SHOWN = 16,
	WARNINGS_SHOWN = 8,
	NOTES_SHOWN = 3,
	EVIDENCE_SHOWN = 3,
	ALSO_SHOWN = 3,
	CAUSE_MAX = 200
};

bool report_cause_open(const struct cause *c)
{
	return !c->ack && !c->suppressed;
}

bool report_cause_explains(const struct cause *c, size_t culprit)
{
	for (size_t i = 0; i < c->n_explains; i++)
		if (c->explains[i] == culprit)
			return true;
	return false;
}

/* The nth that explains it, best first. */
static const struct cause *cause_of(const struct diagnosis *d, size_t culprit, size_t nth)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (report_cause_explains(&d->v[i], culprit) && nth-- == 0)
			return &d->v[i];
	return NULL;
}

/* Does text have these bytes as a word of their own? */
static bool has_word(const char *text, const char *word, size_t len)
{
	for (const char *p = text; len && *p; p++)
		if (strncmp(p, word, len) == 0 && (p == text || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[len]))
			return true;
	return false;
}

/* Whom it is about stands before it where the rule's words do not say so. */
void report_cause_what(const struct cause *c, struct buf *out)
{
	size_t node = strcspn(c->subject, "/");
	const char *device = c->subject + node + (c->subject[node] == '/');
	const char *kind = strncmp(device, "lib:", 4) == 0 ? device + 4 : device;

	if (strcmp(c->subject, "cluster") != 0 &&
	    (!has_word(c->text, c->subject, node) ||
	     (*kind && !has_word(c->text, kind, strlen(kind)))))
		buf_printf(out, "%s: ", c->subject);
	buf_puts(out, c->text);
}

static void put_marks(const struct cause *c, struct buf *out)
{
	report_known_mark(c->ack, out);
	if (c->suppressed)
		buf_printf(out, " (suppressed %s)", c->suppressed);
}

/* ---- the first lines ---- */

void report_cause_brief(const struct diagnosis *d, size_t culprit, struct buf *out)
{
	const struct cause *c = cause_of(d, culprit, 0);
	struct buf text = BUF_INIT;

	if (!c)
		return;
	report_cause_what(c, &text);
	char *words = doc_clip(buf_text(&text), CAUSE_MAX);
	buf_printf(out, "; %s cause: %s", rule_confidence_name(c->confidence), words);
	free(words);
	buf_free(&text);
}

static bool is_misconfigured(const struct cause *c)
{
	return c->severity == RULE_ERROR && c->n_explains == 0 && report_cause_open(c);
}

void report_causes_head(struct doc *d, const struct diagnosis *found)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; found && i < found->n; i++) {
		struct buf text = BUF_INIT;
		if (!is_misconfigured(&found->v[i]))
			continue;
		if (n++ >= HEAD_SHOWN)
			continue;
		report_cause_what(&found->v[i], &text);
		doc_text(d, DOC_BAD, "MISCONFIGURED: %s", buf_text(&text));
		buf_free(&text);
		shown++;
	}
	if (n > shown)
		doc_text(d, DOC_BAD, "and %zu more misconfigured, see below", n - shown);
}

const struct cause *report_misconfigured(const struct diagnosis *d)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (is_misconfigured(&d->v[i]))
			return &d->v[i];
	return NULL;
}

/* ---- one cause in full: at most four lines ---- */

static void put_evidence(struct doc *d, const struct cause *c, size_t shown)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < c->n_evidence && i < shown; i++)
		buf_printf(&text, "%s%s", i ? "; " : "", c->evidence[i]);
	if (c->n_evidence > shown)
		buf_printf(&text, "; and %zu more (hpcbench explain)", c->n_evidence - shown);
	doc_list_below(d, "evidence: %s", buf_text(&text));
	buf_free(&text);
}

static void put_next(struct doc *d, const struct cause *c)
{
	const char *next = c->next && *c->next ? c->next : NULL;
	const char *refute = c->refute && *c->refute ? c->refute : NULL;

	if (next && refute)
		doc_list_below(d, "next: %s; refuted if: %s", next, refute);
	else if (next)
		doc_list_below(d, "next: %s", next);
	else if (refute)
		doc_list_below(d, "refuted if: %s", refute);
}

static void put_also(struct doc *d, const struct diagnosis *found, size_t culprit)
{
	struct buf text = BUF_INIT;
	const struct cause *c;
	size_t n = 0;

	for (size_t i = 1; (c = cause_of(found, culprit, i)) != NULL; i++) {
		if (n++ >= ALSO_SHOWN)
			continue;
		buf_puts(&text, text.len ? "; " : "");
		report_cause_what(c, &text);
		buf_printf(&text, " (%s)", rule_confidence_name(c->confidence));
	}
	if (n > ALSO_SHOWN)
		buf_printf(&text, "; and %zu more", n - ALSO_SHOWN);
	if (n)
		doc_list_below(d, "other causes: %s", buf_text(&text));
	buf_free(&text);
}

void report_cause_below(struct doc *d, const struct findings *f, const struct diagnosis *found,
                        size_t culprit)
{
	const struct cause *c = cause_of(found, culprit, 0);
	struct buf text = BUF_INIT;

	if (!c && !f->v[culprit].unsure) {
		const char *next = culprit < found->n_unproven ? found->unproven[culprit] : NULL;
		if (!next)
			diagnosis_next(&f->v[culprit], &text);
		doc_list_below(d, "%s, cause not proven; next: %s",
		               f->v[culprit].kind == LOC_SILENT ? "silent" : "slow",
		               next ? next : buf_text(&text));
	} else if (c) {
		report_cause_what(c, &text);
		put_marks(c, &text);
		doc_list_below(d, "%s cause: %s [%s]", rule_confidence_name(c->confidence),
		               buf_text(&text), c->rule);
		put_evidence(d, c, EVIDENCE_SHOWN);
		put_next(d, c);
		put_also(d, found, culprit);
	}
	buf_free(&text);
}

/* ---- what is wrong although nobody is slow for it ---- */

static void put_alone(struct doc *d, const struct cause *c)
{
	struct buf text = BUF_INIT;

	report_cause_what(c, &text);
	put_marks(c, &text);
	doc_list_item(d, "%s: %s [%s]", rule_severity_name(c->severity), buf_text(&text), c->rule);
	buf_free(&text);
	if (!report_cause_open(c))
		return;
	put_evidence(d, c, EVIDENCE_SHOWN);
	put_next(d, c);
}

/* A note says why it is none: one line. */
static void put_note(struct doc *d, const struct cause *c)
{
	struct buf text = BUF_INIT;

	report_cause_what(c, &text);
	put_marks(c, &text);
	doc_list_item(d, "note: %s [%s]", buf_text(&text), c->rule);
	buf_free(&text);
}

static void put_severity(struct doc *d, const struct diagnosis *found, enum rule_severity s,
                         size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct cause *c = &found->v[i];
		if (c->severity != s || c->n_explains || n++ >= max)
			continue;
		if (s == RULE_NOTE)
			put_note(d, c);
		else
			put_alone(d, c);
	}
	if (n > max)
		doc_text(d, s == RULE_ERROR ? DOC_WARN : DOC_DIM,
		         "and %zu more %ss; --json has all", n - max, rule_severity_name(s));
}

void report_causes(struct doc *d, const struct diagnosis *found)
{
	size_t alone = 0, wrong = 0;

	for (size_t i = 0; found && i < found->n; i++) {
		alone += found->v[i].n_explains == 0;
		wrong += found->v[i].n_explains == 0 && found->v[i].severity == RULE_ERROR;
	}
	if (wrong)
		doc_heading(d, 2, "Misconfigured");
	if (wrong)
		put_severity(d, found, RULE_ERROR, ERRORS_SHOWN);
	if (alone > wrong) {
		doc_heading(d, 2, "Noticed");
		put_severity(d, found, RULE_WARNING, WARNINGS_SHOWN);
		put_severity(d, found, RULE_NOTE, NOTES_SHOWN);
	}
}

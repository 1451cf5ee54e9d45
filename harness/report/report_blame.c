/* Who is to blame, and how much was looked at. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

enum { HEAD_SHOWN = 3, BLAME_SHOWN = 20 };

static bool is_open(const struct culprit *c)
{
	return !c->ack && c->kind != LOC_SILENT && !c->unsure;
}

const struct culprit *report_culprit(const struct findings *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		if (is_open(&f->v[i]))
			return &f->v[i];
	return NULL;
}

void report_blame_head(struct doc *d, const struct findings *f, const struct diagnosis *why)
{
	size_t n = f ? findings_open(f, LOC_SLOW) + findings_open(f, LOC_UNDECIDED) : 0, shown = 0;
	for (size_t i = 0; n && i < f->n && shown < HEAD_SHOWN; i++) {
		const struct culprit *c = &f->v[i];
		struct buf text = BUF_INIT;
		if (!is_open(c))
			continue;
		findings_brief(c, &text);
		report_cause_brief(why, i, &text);
		doc_text(d, c->state == LOC_SLOW ? DOC_BAD : DOC_WARN, "%s: %s",
		         c->state == LOC_SLOW ? "SLOW" : "UNDECIDED", buf_text(&text));
		buf_free(&text);
		shown++;
	}
	if (n > shown)
		doc_text(d, DOC_BAD, "and %zu more, see below", n - shown);
}

/* ---- how much was looked at ---- */

static bool same_scope(const struct findings_scope *a, const struct findings_scope *b)
{
	return a->links_tested == b->links_tested && a->links == b->links &&
	       a->stored == b->stored && a->paths_separated == b->paths_separated;
}

/* The benchmarks that were looked at alike, in one line; false: it stands there already. */
static bool scope_words(const struct findings *f, size_t at, struct buf *out)
{
	const struct findings_scope *s = &f->scope[at];
	double detectable = NAN;
	size_t n = 0;
	for (size_t i = 0; i < f->n_scope; i++) {
		if (!same_scope(s, &f->scope[i]) || s->links == 0)
			continue;
		if (i < at)
			return false;
		if (isfinite(f->scope[i].detectable))
			detectable = fmax(isfinite(detectable) ? detectable : 0.0,
			                  f->scope[i].detectable);
		n++;
	}
	if (n == 0)
		return false; /* nothing of it was measured */
	buf_puts(out, "tested");
	for (size_t i = at; n < f->n_scope && i < f->n_scope; i++)
		if (same_scope(s, &f->scope[i]))
			buf_printf(out, "%s%s", i == at ? " in " : ", ", f->scope[i].bench);
	if (s->links_tested >= s->links)
		buf_printf(out, ": all %zu links", s->links);
	else
		buf_printf(out, ": %zu of %zu links (%.*f %%)", s->links_tested, s->links,
		           s->links > 1000 * s->links_tested ? 2 : 0,
		           100.0 * (double)s->links_tested / (double)s->links);
	if (isfinite(detectable)) {
		buf_puts(out, "; a node slower by ");
		report_percent(detectable, false, out);
		buf_puts(out, " would have been found");
	}
	if (s->stored)
		buf_puts(out, "; held against the baseline's spread too");
	if (!s->paths_separated)
		buf_puts(out, "; path effects are not separated (no topology with static routes)");
	return true;
}

void report_blame(struct doc *d, const struct findings *f, const struct diagnosis *why)
{
	size_t links = 0;
	for (size_t i = 0; f && i < f->n_scope; i++)
		links += f->scope[i].links;
	if (!f || (links == 0 && f->n == 0))
		return;
	doc_heading(d, 2, "Who is slow");
	for (size_t i = 0; i < f->n && i < BLAME_SHOWN; i++) {
		struct buf known = BUF_INIT;
		report_known_mark(f->v[i].ack, &known);
		doc_list_item(d, "%s%s", f->v[i].text, buf_text(&known));
		buf_free(&known);
		if (why)
			report_cause_below(d, f, why, i);
	}
	if (f->n > BLAME_SHOWN)
		doc_text(d, DOC_WARN, "and %zu more; --json has all", f->n - BLAME_SHOWN);
	bool any = false;
	for (size_t i = 0; i < f->n; i++)
		any = any || !f->v[i].unsure;
	if (!any)
		doc_text(d, DOC_PLAIN,
		         "nobody: no node, direction or link stands out among its peers");
	for (size_t i = 0; i < f->n_scope; i++) {
		struct buf text = BUF_INIT;
		if (scope_words(f, i, &text))
			doc_text(d, DOC_DIM, "%s", buf_text(&text));
		buf_free(&text);
	}
}

/* The last line of a report: the one thing to do next. */
#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/diagnose/diagnose_run.h"
#include "harness/report/report_parts.h"

/* "hpcbench run --suite pairs --launcher sim:x.json --baseline night": as it was measured. False:
 * that cannot be told, or not be typed safely. */
static bool again_words(const struct report_run *in, const char *base, struct buf *out)
{
	const struct summary *s = in->runs[in->n - 1];
	buf_puts(out, "hpcbench run");
	if (!s->suite || strcmp(s->suite, "benches") == 0 || !report_typable(s->suite))
		return false;
	if (strcmp(s->suite, "quick") != 0)
		buf_printf(out, " --suite %s", s->suite);
	if (in->launcher && strncmp(in->launcher, "sim:", 4) == 0 &&
	    report_typable(in->launcher + 4))
		buf_printf(out, " --launcher %s", in->launcher);
	else if (in->launcher && strcmp(in->launcher, "local") != 0)
		return false;
	if (base)
		buf_printf(out, " --baseline %s", base);
	return true;
}

/* One run more decides: where there is no control to rerun against nothing else does. */
static void another_run(struct doc *d, const struct report_run *in)
{
	struct buf again = BUF_INIT, runs = BUF_INIT;
	if (!again_words(in, in->base, &again)) {
		buf_clear(&again);
		buf_printf(&again, "measure once more as before with --baseline %s", in->base);
	}
	for (size_t i = 0; i < in->n; i++)
		buf_printf(&runs, "%s,", in->runs[i]->run);
	doc_text(d, DOC_PLAIN,
	         "next: another run decides: %s, then hpcbench check %slatest --baseline %s",
	         buf_text(&again), buf_text(&runs), in->base);
	buf_free(&again);
	buf_free(&runs);
}

static bool all_typable(const struct report_run *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (!report_typable(in->runs[i]->run))
			return false;
	return !in->base || report_typable(in->base);
}

static void put_look(struct doc *d, const struct summary_pair *p)
{
	struct buf text = BUF_INIT;
	rec_pair_subject("both", p->a, p->b, &text);
	buf_printf(&text, " first: %s at ", p->key.bench);
	report_percent(p->ratio, false, &text);
	doc_text(d, DOC_WARN, "next: look at %s of the median speed over pairs", buf_text(&text));
	buf_free(&text);
}

/* A baseline refuses what is acknowledged as it refuses any trouble. */
static bool knows_no_trouble(const struct verdicts *v)
{
	return !v ||
	       v->known[VERDICT_REGRESSED] + v->known[VERDICT_SUSPECT] + v->known_findings == 0;
}

/* The first node that a cause is about, to be typed; the caller frees. NULL: it is about none. */
static char *node_of(const struct cause *c)
{
	struct nodeset all;
	if (!c)
		return NULL;
	cause_subjects(c->subject, &all);
	char *node = hb_strndup(all.v[0], strcspn(all.v[0], "/"));
	nodeset_free(&all);
	if (report_typable(node) && !strchr(node, ':'))
		return node;
	free(node);
	return NULL;
}

/* Nor does it take what is misconfigured. */
static bool knows_no_error(const struct diagnosis *why)
{
	for (size_t i = 0; why && i < why->n; i++)
		if (why->v[i].severity == RULE_ERROR && !why->v[i].suppressed)
			return false;
	return true;
}

void report_next(struct doc *d, const struct report_run *in)
{
	const struct summary *s = in->runs[in->n - 1];
	const struct summary_pair *slow = report_slow_pair(s, in->f);
	if (slow && in->acks &&
	    (acks_touch_node(in->acks, slow->a) || acks_touch_node(in->acks, slow->b)))
		slow = NULL; /* somebody looks after it */
	struct report_trouble t;
	if (!all_typable(in))
		return; /* a file can hold anything; nobody should be told to type it */
	report_trouble(in->runs, in->n, in->v, &t);
	const struct verdict_row *worst = in->v ? report_worst(in->v) : NULL;
	bool clean = t.lost.n + t.invalid + t.known == 0 && knows_no_trouble(in->v) &&
	             knows_no_error(in->why) && t.good && in->code == CODE_OK && !s->partial &&
	             !s->injected && s->shards < 2;
	/* Suspect, or too imprecise to tell, with nothing better to look at. */
	bool undecided = in->v && in->base && in->code == CODE_SUSPECT &&
	                 (worst ? worst->verdict == VERDICT_SUSPECT
	                        : !slow && in->v->n_findings == in->v->known_findings);
	const struct culprit *culprit = report_culprit(in->f);
	char *wrong = node_of(report_misconfigured(in->why));
	if (culprit && !s->merged && report_typable(culprit->subject) &&
	    !strchr(culprit->subject, ':'))
		doc_text(d, DOC_PLAIN, "next: hpcbench explain %s %s", s->run, culprit->subject);
	else if (wrong && !s->merged)
		doc_text(d, DOC_PLAIN, "next: hpcbench explain %s %s", s->run, wrong);
	else if (undecided)
		another_run(d, in);
	else if (in->v && in->base && (worst || in->v->n_findings > in->v->known_findings))
		doc_text(d, DOC_PLAIN, "next: hpcbench diff %s %s", in->base, s->run);
	else if (slow)
		put_look(d, slow);
	else if (in->v && in->base && clean && t.skipped.n == 0)
		doc_text(d, DOC_PLAIN, "next: hpcbench baseline record %s %s --extend", in->base,
		         s->run);
	else if (!in->v && !in->base && clean && t.skipped.n == 0)
		doc_text(d, DOC_PLAIN,
		         "next: hpcbench baseline record NAME %s, or hpcbench diff latest~1 latest",
		         s->run);
	else
		doc_text(d, DOC_PLAIN, "next: hpcbench report %s --format json", s->run);
	free(wrong);
	report_trouble_free(&t);
}

/*
 * Acceptance for people: who is accepted in one line, each node with its evidence, and what to type
 * to take a rejected one out of service.
 */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/report/report_parts.h"
#include "harness/slurm/slurm.h"

enum { NAMED = 3, ACCEPTED_SHOWN = 16, OTHERS_SHOWN = 64, COMMANDS_SHOWN = 16, HEAD_WORDS = 100 };

static const struct accept_node *next_of(const struct acceptance *a, enum accept_word w, size_t *at)
{
	while (*at < a->n_new) {
		const struct accept_node *n = &a->v[(*at)++];
		if (n->word == w)
			return n;
	}
	return NULL;
}

/* Their names in hostlist form. */
static void put_set(const struct acceptance *a, enum accept_word w, struct buf *out)
{
	struct nodeset set = { 0 };
	const struct accept_node *n;
	struct hb_err none;

	for (size_t at = 0; (n = next_of(a, w, &at));)
		nodeset_add(&set, n->node, &none);
	nodeset_format(&set, out);
	nodeset_free(&set);
}

/* "; REJECTED: n20 (mpi.bandwidth -38 % with all 6 controls)" */
static void put_others(const struct acceptance *a, enum accept_word w, const char *title,
                       struct buf *out)
{
	const struct accept_node *n;
	size_t shown = 0;

	if (a->count[w] == 0)
		return;
	buf_printf(out, "; %s: ", title);
	for (size_t at = 0; shown < NAMED && (n = next_of(a, w, &at)); shown++) {
		struct buf why = BUF_INIT;
		accept_evidence(n, &why);
		char *words = doc_clip(buf_text(&why), HEAD_WORDS);
		buf_printf(out, "%s%s (%s", shown ? ", " : "", n->node, words);
		report_known_mark(n->ack, out);
		buf_putc(out, ')');
		free(words);
		buf_free(&why);
	}
	if (a->count[w] > shown)
		buf_printf(out, " and %zu more", a->count[w] - shown);
}

static enum doc_tone head_tone(const struct acceptance *a)
{
	switch (accept_code(a)) {
	case CODE_OK: return DOC_GOOD;
	case CODE_FINDINGS: return DOC_BAD;
	default: return DOC_WARN;
	}
}

void report_accept_head(struct doc *d, const struct acceptance *a)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "ACCEPTED %zu of %zu", a->count[ACCEPT_ACCEPTED], a->n_new);
	if (a->count[ACCEPT_ACCEPTED]) {
		buf_puts(&text, ": ");
		put_set(a, ACCEPT_ACCEPTED, &text);
	}
	put_others(a, ACCEPT_REJECTED, "REJECTED", &text);
	put_others(a, ACCEPT_UNMEASURED, "NOT MEASURED", &text);
	put_others(a, ACCEPT_UNDECIDED, "NOT DECIDED", &text);
	doc_text(d, head_tone(a), "%s", buf_text(&text));
	buf_free(&text);
	for (size_t i = 0; i < a->n_notes; i++)
		doc_text(d, DOC_WARN, "%s", a->notes[i]);
	if (a->uncompared)
		doc_text(d, DOC_WARN, "nothing of this run could be held against the baseline");
	if (a->controls == 0)
		doc_text(d, DOC_WARN,
		         "without controls: new nodes were only compared with each other; what "
		         "makes all of them slow cannot be seen");
}

static enum doc_tone word_tone(const struct accept_node *n)
{
	if (n->word == ACCEPT_ACCEPTED)
		return DOC_GOOD;
	return n->word == ACCEPT_REJECTED && !n->ack && n->role == ROLE_NEW ? DOC_BAD : DOC_WARN;
}

static const char *word_of(const struct accept_node *n)
{
	static const char *const control[ACCEPT_WORDS] = { "healthy", "not decided", "not measured",
		                                           "slow itself" };
	static const char *const words[ACCEPT_WORDS] = { "accepted", "not decided", "not measured",
		                                         "rejected" };

	if (n->role == ROLE_NEW)
		return words[n->word];
	return n->word == ACCEPT_REJECTED && !isfinite(n->reasons[0].loss) ? "not good"
	                                                                   : control[n->word];
}

static void put_row(struct doc *d, const struct accept_node *n)
{
	struct buf text = BUF_INIT;

	doc_cell(d, DOC_PLAIN, "%s%s", n->node, n->role == ROLE_NEW ? "" : " (control)");
	doc_cell(d, word_tone(n), "%s", word_of(n));
	if (n->role == ROLE_NEW)
		doc_cell(d, DOC_PLAIN, "%zu", n->partners);
	else
		doc_cell(d, DOC_PLAIN, "%s", "");
	report_percent(n->role == ROLE_NEW ? n->detectable : NAN, false, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	accept_evidence(n, &text);
	report_known_mark(n->ack, &text);
	if (n->n_reasons > 1)
		buf_printf(&text, "; and %zu more reason%s", n->n_reasons - 1,
		           report_plural(n->n_reasons - 1));
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
}

static void put_table(struct doc *d, const struct acceptance *a)
{
	static const char *const titles[] = { "node",        "decision", ">partners",
		                              ">detectable", "evidence", NULL };
	size_t good = 0, others = 0;

	doc_heading(d, 2, "Decisions");
	doc_table(d, titles);
	for (size_t i = 0; i < a->n; i++) {
		const struct accept_node *n = &a->v[i];
		bool accepted = n->word == ACCEPT_ACCEPTED;
		if (accepted && n->role == ROLE_CONTROL)
			continue;
		if (accepted ? good++ < ACCEPTED_SHOWN : others++ < OTHERS_SHOWN)
			put_row(d, n);
	}
	if (good > ACCEPTED_SHOWN)
		doc_text(d, DOC_DIM, "and %zu more that are accepted; --json has all",
		         good - ACCEPTED_SHOWN);
	if (others > OTHERS_SHOWN)
		doc_text(d, DOC_WARN, "and %zu more that are not; --json has all",
		         others - OTHERS_SHOWN);
	if (a->controls)
		doc_text(d, DOC_PLAIN,
		         "%zu of %zu controls are healthy; detectable is the smallest loss that "
		         "would have been noticed, in the benchmark that shows least",
		         a->controls_healthy, a->controls);
}

static void put_commands(struct doc *d, const struct acceptance *a, const char *run)
{
	const struct accept_node *n;
	size_t shown = 0;

	for (size_t at = 0; (n = next_of(a, ACCEPT_REJECTED, &at));) {
		char reason[SLURM_DRAIN_MAX + 1];
		struct buf why = BUF_INIT, line = BUF_INIT;
		if (shown == 0)
			doc_text(d, DOC_PLAIN, "to take %s out of service:",
			         a->count[ACCEPT_REJECTED] > 1 ? "them" : "it");
		accept_evidence(n, &why);
		slurm_drain_reason(run, buf_text(&why), reason);
		slurm_drain_words(n->node, reason, &line);
		if (shown++ < COMMANDS_SHOWN)
			doc_list_item(d, "%s", buf_text(&line));
		buf_free(&why);
		buf_free(&line);
	}
	if (shown > COMMANDS_SHOWN)
		doc_text(d, DOC_DIM, "and %zu more; --json has the evidence of all",
		         shown - COMMANDS_SHOWN);
}

static void put_drained(struct doc *d, const struct report_run *in)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < in->n_drained; i++) {
		const struct report_drain *r = &in->drained[i];
		json_object *o = json_object_new_object();
		doc_text(d, r->drained ? DOC_PLAIN : DOC_WARN, "%s %s: %s",
		         r->drained ? "DRAINED" : "not drained:", r->node, r->text);
		js_set_str(o, "node", r->node);
		js_set_bool(o, "drained", r->drained);
		js_set_str(o, "text", r->text);
		json_object_array_add(list, o);
	}
	js_set_obj(d->data, "drained", list);
}

void report_accept(struct doc *d, const struct report_run *in)
{
	put_table(d, in->accept);
	if (in->drained)
		put_drained(d, in);
	else
		put_commands(d, in->accept, in->runs[in->n - 1]->run);
	js_set_obj(d->data, "acceptance", accept_to_json(in->accept));
}

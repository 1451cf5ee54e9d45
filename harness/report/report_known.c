/* What is acknowledged: told at the head of every report, so that nothing is silent unseen. */
#include "harness/judge/ack.h"
#include "harness/report/report_parts.h"

/* "known until 2026-12-24" */
static void put_until(const struct ack *a, struct buf *out)
{
	char day[ACK_DAY_TEXT];
	ack_day_text(a->until, day);
	buf_printf(out, "known until %s", day);
}

void report_known_mark(const struct ack *a, struct buf *out)
{
	if (!a)
		return;
	buf_puts(out, " (");
	put_until(a, out);
	buf_putc(out, ')');
}

void report_known_words(const struct ack *a, struct buf *out)
{
	put_until(a, out);
	buf_printf(out, ": %s (by %s)", a->reason, a->by);
}

static void count_words(size_t n, const char *word, struct buf *out)
{
	if (n)
		buf_printf(out, "%s%zu %s", out->len ? ", " : "", n, word);
}

/* "3 rows regressed, hardware-changed" of one acknowledgement. */
static void put_covered(const struct ack *a, const struct summary *const *runs, size_t n,
                        const struct verdicts *v, const struct findings *f, struct buf *out)
{
	size_t rows[VERDICTS] = { 0 }, invalid = 0, lost = 0, none = 0;
	for (size_t i = 0; v && i < v->n; i++)
		rows[v->rows[i].verdict] += v->rows[i].ack == a;
	for (size_t k = 0; k < n; k++) {
		const struct summary *s = runs[k];
		for (size_t i = 0; i < s->n_losses; i++) {
			const struct summary_loss *l = &s->losses[i];
			if (l->ack != a || (l->status == UNIT_SKIPPED && !s->named))
				continue;
			invalid += l->status == UNIT_INVALID;
			lost += l->status != UNIT_INVALID;
		}
		for (size_t i = 0; !v && i < s->n_rows; i++) {
			if (s->rows[i].ack != a)
				continue;
			invalid += s->rows[i].quality == ROW_INVALID;
			none += s->rows[i].quality == ROW_NOT_MEASURED ||
			        s->rows[i].quality == ROW_DISTURBED;
		}
	}
	count_words(rows[VERDICT_REGRESSED], "regressed", out);
	count_words(rows[VERDICT_SUSPECT], "suspect", out);
	count_words(rows[VERDICT_INVALID] ? rows[VERDICT_INVALID] : invalid, "invalid", out);
	count_words(rows[VERDICT_DISTURBED], "disturbed", out);
	/* A loss stands for the figures that it cost. */
	none += rows[VERDICT_NOT_MEASURED];
	count_words(none ? none : lost, "not measured", out);
	for (size_t i = 0; v && i < v->n_findings; i++)
		if (v->findings[i].ack == a)
			buf_printf(out, "%s%s", out->len ? ", " : "",
			           finding_kind_name(v->findings[i].kind));
	for (size_t i = 0; f && i < f->n; i++)
		if (f->v[i].ack == a)
			buf_printf(out, "%s%s", out->len ? ", " : "", loc_kind_name(f->v[i].kind));
}

/* Was anything of it judged and found well? Without a baseline nobody can tell. */
static bool is_well(const struct ack *a, const struct verdicts *v)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (v->rows[i].ack == a &&
		    (v->rows[i].verdict == VERDICT_PASS || v->rows[i].verdict == VERDICT_IMPROVED))
			return true;
	return false;
}

static void put_one(struct doc *d, const struct ack *a, const struct buf *covered, bool well)
{
	struct buf words = BUF_INIT;
	char day[ACK_DAY_TEXT];
	ack_day_text(a->until, day);
	report_known_words(a, &words);
	if (a->state == ACK_EXPIRED)
		doc_text(d, DOC_WARN,
		         "EXPIRED: the acknowledgement of %s%s%s ended with %s: %s (by %s)%s",
		         a->subject, a->bench ? " " : "", a->bench ? a->bench : "", day, a->reason,
		         a->by, a->covers ? "; what it covered counts again" : "");
	else if (covered->len)
		doc_text(d, DOC_WARN, "KNOWN: %s%s%s: %s; %s", a->subject, a->bench ? " " : "",
		         a->bench ? a->bench : "", covered->data, buf_text(&words));
	else if (well)
		doc_text(d, DOC_DIM,
		         "nothing is wrong with %s%s%s here, %s; hpcbench ack --remove %s",
		         a->subject, a->bench ? " " : "", a->bench ? a->bench : "",
		         buf_text(&words), a->id);
	else
		doc_text(d, DOC_DIM, "%s%s%s is %s", a->subject, a->bench ? " " : "",
		         a->bench ? a->bench : "", buf_text(&words));
	buf_free(&words);
}

void report_known(struct doc *d, const struct acks *acks, const struct summary *const *runs,
                  size_t n, const struct verdicts *v, const struct findings *f)
{
	json_object *list;
	if (!acks)
		return;
	if (acks->warning) {
		doc_text(d, DOC_WARN, "nothing is acknowledged, the list cannot be read: %s",
		         acks->warning);
		js_set_str(d->data, "acks_error", acks->warning);
	}
	list = json_object_new_array();
	for (size_t i = 0; i < acks->n; i++) {
		const struct ack *a = &acks->v[i];
		struct buf covered = BUF_INIT;
		if (!a->seen || a->state == ACK_OVER)
			continue;
		put_covered(a, runs, n, v, f, &covered);
		put_one(d, a, &covered, is_well(a, v));
		json_object *o = ack_to_json(a);
		js_set_bool(o, "expired", a->state == ACK_EXPIRED);
		js_set_str(o, "covers", covered.len ? covered.data : NULL);
		json_object_array_add(list, o);
		buf_free(&covered);
	}
	if (json_object_array_length(list))
		js_set_obj(d->data, "known", list);
	else
		js_put(list);
}

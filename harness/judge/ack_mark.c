/*
 * What of a report is acknowledged: the one place that decides. Exit codes (verdict.c,
 * report_run_code), the confirming rerun and every line of a report follow the marks made here.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/judge/baseline.h"
#include "harness/localize/findings.h"

/* Names of nodes that the runs and verdicts know, sorted. */
struct names {
	const char **v;
	size_t n, cap;
};

static int order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void take(struct names *s, const char *name)
{
	/* Rows of one key name the same nodes as those of the key before: keeps the list short. */
	if (s->n && strcmp(s->v[s->n - 1], name) == 0)
		return;
	hb_grow(&s->v, &s->cap, s->n + 1, sizeof(const char *));
	s->v[s->n++] = name;
}

static void settle(struct names *s)
{
	size_t kept = 0;
	if (s->n)
		qsort(s->v, s->n, sizeof(const char *), order);
	for (size_t i = 0; i < s->n; i++)
		if (i == 0 || strcmp(s->v[i], s->v[kept - 1]) != 0)
			s->v[kept++] = s->v[i];
	s->n = kept;
}

static bool is_node(const void *ctx, const char *name)
{
	const struct names *s = ctx;
	return s->n && bsearch(&name, s->v, s->n, sizeof(const char *), order);
}

static bool is_node_row(const struct verdict_row *v)
{
	return v->row ? v->row->kind == SUBJECT_NODE : v->entry->kind == SUBJECT_NODE;
}

static void gather(struct names *s, const struct summary *runs, size_t n, const struct verdicts *v)
{
	for (size_t k = 0; k < n; k++) {
		if (runs[k].hw) {
			json_object_object_foreach(runs[k].hw, node, hw)
			{
				(void)hw;
				take(s, node);
			}
		}
		for (size_t i = 0; i < runs[k].n_rows; i++)
			if (runs[k].rows[i].kind == SUBJECT_NODE)
				take(s, runs[k].rows[i].subject);
	}
	for (size_t i = 0; v && i < v->n; i++)
		if ((v->rows[i].row || v->rows[i].entry) && is_node_row(&v->rows[i]))
			take(s, v->rows[i].subject);
	settle(s);
}

/* Looks for one, and for what has expired, so that a report can say so. */
static const struct ack *look(struct acks *a, const char *subject, const char *bench,
                              const struct ack_nodes *nodes, bool wrong)
{
	struct ack *found = acks_find(a, subject, bench, nodes);
	for (size_t i = 0; i < a->n; i++) {
		struct ack *k = &a->v[i];
		if (k->state != ACK_EXPIRED || found || !ack_bench_fits(k->bench, bench) ||
		    !ack_covers(k->subject, subject, nodes))
			continue;
		k->seen++;
		k->covers += wrong;
	}
	if (found) {
		found->seen++;
		found->covers += wrong;
	}
	return found;
}

/* Would it count in an exit code? */
static bool counts(enum verdict v)
{
	return v == VERDICT_REGRESSED || v == VERDICT_SUSPECT || v == VERDICT_INVALID ||
	       v == VERDICT_NOT_MEASURED || v == VERDICT_DISTURBED;
}

static void mark_run(struct acks *a, struct summary *s, const struct ack_nodes *nodes, bool judged)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		struct summary_row *r = &s->rows[i];
		/* With verdicts a row is told by its verdict. */
		r->ack = look(a, r->subject, r->key.bench, nodes, !judged && r->quality != ROW_OK);
	}
	for (size_t i = 0; i < s->n_losses; i++) {
		struct summary_loss *l = &s->losses[i];
		l->ack = look(a, l->subject ? l->subject : "", l->bench, nodes,
		              l->status != UNIT_SKIPPED || s->named);
	}
}

void acks_mark(struct acks *a, struct summary *runs, size_t n, struct verdicts *v)
{
	struct names names = { 0 };
	const struct ack_nodes nodes = { is_node, &names };
	acks_set_day(a, a->today);
	if (a->n)
		gather(&names, runs, n, v);
	for (size_t k = 0; k < n; k++)
		mark_run(a, &runs[k], &nodes, v != NULL);
	for (size_t i = 0; v && i < v->n; i++) {
		struct verdict_row *r = &v->rows[i];
		r->ack = look(a, r->subject, r->key->bench, &nodes, counts(r->verdict));
	}
	for (size_t i = 0; v && i < v->n_findings; i++)
		v->findings[i].ack = look(a, v->findings[i].subject, NULL, &nodes, true);
	if (v)
		verdicts_count(v);
	free(names.v);
}

/* One word of a culprit, in all benchmarks that show it. */
static const struct ack *cover_word(const struct acks *a, const struct culprit *c, const char *word,
                                    const struct ack_nodes *nodes)
{
	const struct ack *found = NULL;
	for (size_t i = 0; i < c->n_evidence; i++) {
		found = acks_find(a, word, c->evidence[i].key->bench, nodes);
		if (!found)
			return NULL;
	}
	return found;
}

static const struct ack *cover(const struct acks *a, const struct culprit *c,
                               const struct ack_nodes *nodes)
{
	const struct ack *found = cover_word(a, c, c->subject, nodes);
	for (const char *p = c->others; p && *p && !found; p += *p == ',') {
		size_t n = strcspn(p, ",");
		char *word = hb_strndup(p, n);
		found = cover_word(a, c, word, nodes);
		free(word);
		p += n;
	}
	return found;
}

/* What has expired is told, so that a report can say why the culprit counts again. */
static void tell_expired(struct acks *a, const struct culprit *c, const struct ack_nodes *nodes)
{
	for (size_t i = 0; i < a->n; i++) {
		struct ack *k = &a->v[i];
		if (k->state != ACK_EXPIRED || c->n_evidence == 0 ||
		    !ack_bench_fits(k->bench, c->evidence[0].key->bench) ||
		    !ack_covers(k->subject, c->subject, nodes))
			continue;
		k->seen++;
		k->covers++;
	}
}

void acks_mark_findings(struct acks *a, const struct summary *runs, size_t n, struct findings *f)
{
	struct names names = { 0 };
	const struct ack_nodes nodes = { is_node, &names };
	if (a->n && f->n)
		gather(&names, runs, n, NULL);
	for (size_t i = 0; i < f->n; i++) {
		struct culprit *c = &f->v[i];
		c->ack = cover(a, c, &nodes);
		if (!c->ack) {
			tell_expired(a, c, &nodes);
			continue;
		}
		struct ack *mine = &a->v[c->ack - a->v];
		mine->seen++;
		mine->covers++;
	}
	free(names.v);
}

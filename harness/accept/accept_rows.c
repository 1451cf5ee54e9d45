/*
 * What the run says of a node whatever its partners show: figures that are missing, wrong or
 * disturbed, the baseline's verdict, another hardware class.
 */
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/accept/accept_parts.h"

/* ---- losses ---- */

/* A suite's benchmark that this machine does not have is no loss of a node. */
static bool counts(const struct summary *s, const struct summary_loss *l)
{
	return l->status != UNIT_SKIPPED || s->named;
}

static char *loss_text(const struct summary_loss *l)
{
	const char *why = l->reason && *l->reason ? l->reason : unit_status_name(l->status);

	return l->bench ? hb_format("%s: %s", l->bench, why) : hb_strdup(why);
}

static void node_loss(struct accept_node *n, const struct summary_loss *l)
{
	enum accept_why why = ACCEPT_LOST;
	enum accept_word word = ACCEPT_UNMEASURED;

	if (l->status == UNIT_INVALID) {
		why = ACCEPT_DATA;
		word = ACCEPT_REJECTED;
	} else if (l->status == UNIT_OK) { /* it ended well, but does not count */
		why = ACCEPT_DISTURBED;
		word = ACCEPT_UNDECIDED;
	}
	accept_add(n, why, word, loss_text(l), l->ack);
}

/* Nothing of a benchmark came from anybody: nobody can be accepted by it. */
static void cluster_loss(struct accept *a, const struct summary_loss *l)
{
	const struct bench_info *info = l->bench ? catalog_find(l->bench) : NULL;

	if (info && info->shape == BENCH_GROUP) {
		a->out->groups_lost = a->out->groups_lost || !l->ack;
		char *text = loss_text(l);
		accept_note(a,
		            hb_format("a collective over the accepted nodes was not measured: %s",
		                      text));
		free(text);
		return;
	}
	for (size_t i = 0; i < a->out->n_new; i++)
		node_loss(&a->out->v[i], l);
}

/* "n3-n4": both ends, where the names say so in one way only. */
static bool split_pair(const struct accept *a, const char *subject, size_t *x, size_t *y)
{
	for (const char *dash = strchr(subject, '-'); dash; dash = strchr(dash + 1, '-')) {
		char *left = hb_strndup(subject, (size_t)(dash - subject));
		*x = accept_index(a, left);
		*y = accept_index(a, dash + 1);
		free(left);
		if (*x != SIZE_MAX && *y != SIZE_MAX)
			return true;
	}
	return false;
}

/* Of a lost pair only wrong data speak against an end; fewer partners tell themselves. */
static void pair_loss(struct accept *a, const struct summary_loss *l)
{
	size_t x, y;

	if (l->status != UNIT_INVALID || !split_pair(a, l->subject, &x, &y))
		return;
	struct accept_node *ends[] = { accept_at(a, x), accept_at(a, y) };
	bool alone = ends[0]->role == ends[1]->role;
	for (size_t i = 0; i < 2; i++) {
		struct accept_node *n = ends[i];
		if (!alone && n->role == ROLE_CONTROL)
			continue;
		char *text = loss_text(l);
		accept_add(n, ACCEPT_DATA, alone ? ACCEPT_UNDECIDED : ACCEPT_REJECTED,
		           hb_format("%s (with %s)", text, ends[1 - i]->node), l->ack);
		free(text);
	}
}

static void look_at_losses(struct accept *a)
{
	const struct summary *s = a->in->s;

	for (size_t i = 0; i < s->n_losses; i++) {
		const struct summary_loss *l = &s->losses[i];
		struct accept_node *n = accept_named(a, l->subject);
		if (!counts(s, l))
			continue;
		/* Why it is absent stands there already. */
		if (n && n->index == SIZE_MAX)
			continue;
		if (n)
			node_loss(n, l);
		else if (strcmp(l->subject, "cluster") == 0)
			cluster_loss(a, l);
		else
			pair_loss(a, l);
	}
}

/* ---- rows ---- */

static void look_at_row(struct accept *a, const struct summary_row *r)
{
	struct accept_node *n = r->kind == SUBJECT_NODE ? accept_named(a, r->subject) : NULL;
	const char *why = r->reason ? r->reason : row_quality_name(r->quality);

	if (!n || r->quality == ROW_OK)
		return;
	char *text = hb_format("%s: %s", r->key.bench, why);
	if (r->quality == ROW_INVALID && !accept_has(n, ACCEPT_DATA))
		accept_add(n, ACCEPT_DATA, ACCEPT_REJECTED, text, r->ack);
	else if (r->quality == ROW_DISTURBED && !accept_has(n, ACCEPT_DISTURBED))
		accept_add(n, ACCEPT_DISTURBED, ACCEPT_UNDECIDED, text, r->ack);
	else if (r->quality == ROW_NOT_MEASURED && r->judged && !accept_has(n, ACCEPT_LOST))
		accept_add(n, ACCEPT_LOST, ACCEPT_UNMEASURED, text, r->ack);
	else
		free(text);
}

/* Has a node that was planned any figure at all? Without records there is not even a loss. */
static void find_silent(struct accept *a)
{
	const struct summary *s = a->in->s;
	bool *told = hb_alloc((a->out->n + 1) * sizeof *told);

	for (size_t i = 0; i < s->n_rows; i++) {
		struct accept_node *n = s->rows[i].kind == SUBJECT_NODE
		                                ? accept_named(a, s->rows[i].subject)
		                                : NULL;
		if (n && s->rows[i].quality != ROW_NOT_MEASURED)
			told[n - a->out->v] = true;
	}
	for (size_t i = 0; i < a->out->n; i++)
		if (!told[i] && !accept_has(&a->out->v[i], ACCEPT_LOST))
			accept_add(&a->out->v[i], ACCEPT_LOST, ACCEPT_UNMEASURED,
			           hb_strdup("it has no figures"), NULL);
	free(told);
}

/* ---- verdicts ---- */

static char *verdict_text(const struct verdict_row *r)
{
	struct buf text = BUF_INIT;
	char bytes[32];

	info_size_text(r->key->bench, r->key->bytes, bytes, sizeof bytes);
	buf_printf(&text, "%s%s%s ", r->key->bench, *bytes ? " " : "", bytes);
	accept_change(r->key, r->loss, &text);
	buf_puts(&text, " against the baseline");
	if (r->verdict == VERDICT_SUSPECT && r->note[0])
		buf_printf(&text, " (%s)", r->note);
	else if (r->provisional)
		buf_puts(&text, ", which has few runs");
	else
		buf_printf(&text, " of %d run%s (%s)", r->n_old, r->n_old == 1 ? "" : "s",
		           r->confirmed ? "confirmed" : "not confirmed");
	return buf_detach(&text);
}

static void look_at_verdict(struct accept *a, const struct verdict_row *r)
{
	bool regressed = r->verdict == VERDICT_REGRESSED;
	struct accept_node *n = r->row && r->row->kind == SUBJECT_NODE ? accept_named(a, r->subject)
	                                                               : NULL;

	if (!regressed && r->verdict != VERDICT_SUSPECT)
		return;
	if (!n && r->row && r->row->kind == SUBJECT_CLUSTER) {
		const struct bench_info *info = catalog_find(r->key->bench);
		char *text = verdict_text(r);
		bool group = info && info->shape == BENCH_GROUP;
		a->out->groups_slow = a->out->groups_slow || (group && !r->ack);
		accept_note(a, hb_format("%s: %s",
		                         group ? "groups of the accepted nodes are slow"
		                               : "the pairs as a whole are slow",
		                         text));
		free(text);
	}
	if (!n)
		return;
	bool sure = regressed && !r->provisional;
	struct accept_reason *why = accept_add(n, sure ? ACCEPT_REGRESSED : ACCEPT_DOUBT,
	                                       sure ? ACCEPT_REJECTED : ACCEPT_UNDECIDED,
	                                       verdict_text(r), r->ack);
	why->loss = r->loss;
	why->confirmed = sure && r->confirmed;
}

void accept_rows(struct accept *a)
{
	const struct verdicts *v = a->in->v;

	look_at_losses(a);
	for (size_t i = 0; i < a->in->s->n_rows; i++)
		look_at_row(a, &a->in->s->rows[i]);
	find_silent(a);
	for (size_t i = 0; v && i < v->n; i++)
		look_at_verdict(a, &v->rows[i]);
}

/* ---- hardware ---- */

static const char *class_of(const struct accept *a, const char *node)
{
	json_object *v = NULL;

	return a->in->s->hw && json_object_object_get_ex(a->in->s->hw, node, &v)
	               ? json_object_get_string(v)
	               : NULL;
}

/* How many of those that others are compared with have this class; *all: have any. */
static size_t with_class(const struct accept *a, const char *class_, size_t *all)
{
	size_t n = 0;

	*all = 0;
	for (size_t k = 0; k < a->in->plan->nodes.n; k++) {
		const char *is = class_of(a, a->in->plan->nodes.v[k]);
		if (!is || !accept_is_control(a, k))
			continue;
		(*all)++;
		n += strcmp(is, class_) == 0;
	}
	return n;
}

static const char *any_other_class(const struct accept *a, const char *class_)
{
	for (size_t k = 0; k < a->in->plan->nodes.n; k++) {
		const char *is = class_of(a, a->in->plan->nodes.v[k]);
		if (is && accept_is_control(a, k) && strcmp(is, class_) != 0)
			return is;
	}
	return "";
}

static void look_at_class(struct accept *a, struct accept_node *n)
{
	const char *is = class_of(a, n->node);
	size_t all, same = is ? with_class(a, is, &all) : 0;

	if (!is)
		return;
	/* Without controls a class counts as the batch's where more than half of it has it. */
	if (a->alone ? same * 2 > all : same > 0 || all == 0)
		return;
	accept_add(n, ACCEPT_HARDWARE, ACCEPT_REJECTED,
	           hb_format("its hardware class is %s, %s %s", is,
	                     a->alone ? "others have" : "controls have", any_other_class(a, is)),
	           NULL);
}

void accept_hardware(struct accept *a)
{
	const struct verdicts *v = a->in->v;

	for (size_t i = 0; i < a->out->n_new; i++)
		look_at_class(a, &a->out->v[i]);
	for (size_t i = 0; v && i < v->n_findings; i++) {
		struct accept_node *n = accept_named(a, v->findings[i].subject);
		if (n && !accept_has(n, ACCEPT_HARDWARE))
			accept_add(n, ACCEPT_HARDWARE, ACCEPT_REJECTED,
			           hb_strdup(v->findings[i].text), v->findings[i].ack);
	}
}

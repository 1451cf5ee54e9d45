#include "harness/accept/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/units.h"
#include "harness/accept/accept_parts.h"

enum { CONTROLS_TOLD = 3 };

const char *accept_name(enum accept_word w)
{
	static const char *const names[ACCEPT_WORDS] = { "accepted", "not-decided", "not-measured",
		                                         "rejected" };
	return names[w];
}

const char *accept_why_name(enum accept_why w)
{
	static const char *const names[ACCEPT_WHYS] = {
		[ACCEPT_SLOW] = "slow-node",      [ACCEPT_DIRECTION] = "slow-direction",
		[ACCEPT_LINK] = "slow-link",      [ACCEPT_PATH] = "slow-path",
		[ACCEPT_REGRESSED] = "regressed", [ACCEPT_BESIDE] = "slow-beside-controls",
		[ACCEPT_DATA] = "wrong-data",     [ACCEPT_HARDWARE] = "hardware-class",
		[ACCEPT_GROUP] = "undecided",     [ACCEPT_DOUBT] = "suspect",
		[ACCEPT_DISTURBED] = "disturbed", [ACCEPT_FEW] = "few-partners",
		[ACCEPT_VAGUE] = "imprecise",     [ACCEPT_LOST] = "not-measured",
	};
	return names[w];
}

/* ---- what the parts share ---- */

struct accept_node *accept_at(const struct accept *a, size_t k)
{
	return &a->out->v[a->place[k]];
}

static int by_name(const void *x, const void *y, void *nodes)
{
	const struct accept_node *v = nodes;

	return strcmp(v[*(const size_t *)x].node, v[*(const size_t *)y].node);
}

struct accept_node *accept_named(const struct accept *a, const char *name)
{
	size_t lo = 0, hi = a->out->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct accept_node *n = &a->out->v[a->by_name[mid]];
		int c = strcmp(n->node, name);
		if (c == 0)
			return n;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

size_t accept_index(const struct accept *a, const char *name)
{
	const struct accept_node *n = accept_named(a, name);

	return n ? n->index : SIZE_MAX;
}

bool accept_is_control(const struct accept *a, size_t k)
{
	return a->alone || a->in->plan->role[k] == ROLE_CONTROL;
}

/* Of two reasons the one that is told first. */
static bool is_worse(const struct accept_reason *a, const struct accept_reason *b)
{
	if (!a->ack != !b->ack)
		return !a->ack;
	if (a->word != b->word)
		return a->word > b->word;
	return a->why != b->why ? a->why < b->why : a->loss > b->loss;
}

struct accept_reason *accept_add(struct accept_node *n, enum accept_why why, enum accept_word word,
                                 char *text, const struct ack *ack)
{
	hb_grow(&n->reasons, &n->cap_reasons, n->n_reasons + 1, sizeof *n->reasons);
	struct accept_reason *r = &n->reasons[n->n_reasons++];

	*r = (struct accept_reason){
		.why = why, .word = word, .text = text, .loss = NAN, .ack = ack
	};
	return r;
}

bool accept_has(const struct accept_node *n, enum accept_why why)
{
	for (size_t i = 0; i < n->n_reasons; i++)
		if (n->reasons[i].why == why)
			return true;
	return false;
}

bool accept_sound(const struct accept_node *n)
{
	for (size_t i = 0; i < n->n_reasons; i++)
		if (n->reasons[i].why != ACCEPT_DISTURBED)
			return false;
	return true;
}

void accept_tell(struct acceptance *o, char *text)
{
	hb_grow(&o->notes, &o->cap_notes, o->n_notes + 1, sizeof *o->notes);
	o->notes[o->n_notes++] = text;
}

void accept_note(struct accept *a, char *text)
{
	accept_tell(a->out, text);
}

void accept_change(const struct key *k, double loss, struct buf *out)
{
	const struct bench_info *info = k ? catalog_find(k->bench) : NULL;
	const struct metric_info *m = info ? info_metric(info, k->metric) : NULL;
	double change = -loss;
	char text[32];

	if (!isfinite(loss) || loss >= 1)
		return;
	if (m && !m->higher_is_better)
		change = 1 / (1 - loss) - 1;
	/* As the findings beside it write it. */
	num_format(text, sizeof text, "%.*f", fabs(change) < 0.0995 ? 1 : 0, change * 100);
	buf_printf(out, "%s%s %%", change > 0 ? "+" : "", text);
}

void accept_detectable(struct accept_node *n, const char *bench, double detectable,
                       double tolerance)
{
	if (!isfinite(detectable))
		return;
	if (!isfinite(n->detectable) || detectable > n->detectable) {
		n->detectable = detectable;
		n->detectable_bench = bench;
	}
	if (detectable <= tolerance)
		return;
	char found[32], wanted[32];
	units_format_percent(detectable, found, sizeof found);
	units_format_percent(tolerance, wanted, sizeof wanted);
	accept_add(n, ACCEPT_VAGUE, ACCEPT_UNDECIDED,
	           hb_format("%s would have shown a loss only from %s on, %s is wanted", bench,
	                     found, wanted),
	           NULL);
}

/* ---- deciding ---- */

bool accept_wanted(const struct plan *p)
{
	for (size_t i = 0; p->role && i < p->nodes.n; i++)
		if (p->role[i] == ROLE_NEW)
			return true;
	for (size_t i = 0; i < p->n_absent; i++)
		if (p->absent[i].role == ROLE_NEW)
			return true;
	return false;
}

static void add_node(struct acceptance *o, const char *name, size_t index, enum plan_role role)
{
	o->v[o->n++] = (struct accept_node){
		.node = name, .index = index, .role = role, .detectable = NAN
	};
}

/* New nodes first, absent ones behind those that are there. */
static void list_nodes(struct accept *a)
{
	static const enum plan_role order[] = { ROLE_NEW, ROLE_CONTROL };
	const struct plan *p = a->in->plan;
	struct acceptance *o = a->out;

	o->v = hb_alloc((p->nodes.n + p->n_absent + 1) * sizeof *o->v);
	for (size_t r = 0; r < sizeof order / sizeof *order; r++) {
		for (size_t i = 0; i < p->nodes.n; i++) {
			enum plan_role role = p->role && p->role[i] == ROLE_NEW ? ROLE_NEW
			                                                        : ROLE_CONTROL;
			if (role != order[r])
				continue;
			a->place[i] = o->n;
			add_node(o, p->nodes.v[i], i, role);
		}
		for (size_t i = 0; i < p->n_absent; i++) {
			enum plan_role role = p->absent[i].role == ROLE_NEW ? ROLE_NEW
			                                                    : ROLE_CONTROL;
			if (role != order[r])
				continue;
			add_node(o, p->absent[i].node, SIZE_MAX, role);
			accept_add(&o->v[o->n - 1], ACCEPT_LOST, ACCEPT_UNMEASURED,
			           hb_strdup(p->absent[i].reason), NULL);
		}
		if (order[r] == ROLE_NEW)
			o->n_new = o->n;
	}
	a->alone = o->n == o->n_new;
	a->by_name = hb_alloc((o->n + 1) * sizeof *a->by_name);
	for (size_t i = 0; i < o->n; i++)
		a->by_name[i] = i;
	qsort_r(a->by_name, o->n, sizeof *a->by_name, by_name, o->v);
}

static int by_weight(const void *a, const void *b)
{
	const struct accept_reason *x = a, *y = b;

	return is_worse(x, y) ? -1 : is_worse(y, x);
}

static void settle(struct accept_node *n)
{
	if (n->n_reasons == 0)
		return;
	qsort(n->reasons, n->n_reasons, sizeof *n->reasons, by_weight);
	n->ack = n->reasons[0].ack;
	n->word = ACCEPT_ACCEPTED;
	/* What is not known trouble decides; else what is. */
	for (size_t i = 0; i < n->n_reasons; i++)
		if (!n->reasons[i].ack == !n->ack && n->reasons[i].word > n->word)
			n->word = n->reasons[i].word;
}

static void find_healthy(struct accept *a)
{
	for (size_t k = 0; k < a->in->plan->nodes.n; k++)
		a->healthy[k] = accept_is_control(a, k) && accept_sound(accept_at(a, k));
}

static void tell_control(struct accept *a, const struct accept_node *n)
{
	static const char *const words[ACCEPT_WORDS] = { "", "not decided", "not measured",
		                                         "not good" };
	struct buf text = BUF_INIT;

	buf_printf(&text, "control %s is ", n->node);
	if (n->word == ACCEPT_REJECTED && isfinite(n->reasons[0].loss))
		buf_puts(&text, "slow itself: ");
	else
		buf_printf(&text, "%s: ", words[n->word]);
	accept_evidence(n, &text);
	buf_puts(&text, "; it acquits nobody");
	accept_note(a, buf_detach(&text));
}

/* Those that are not healthy: a few by name. */
static void tell_controls(struct accept *a)
{
	size_t told = 0;

	for (size_t i = a->out->n_new; i < a->out->n; i++) {
		const struct accept_node *n = &a->out->v[i];
		if (n->word != ACCEPT_ACCEPTED && told++ < CONTROLS_TOLD)
			tell_control(a, n);
	}
	if (told > CONTROLS_TOLD)
		accept_note(a,
		            hb_format("and %zu more controls acquit nobody", told - CONTROLS_TOLD));
}

static void count(struct accept *a)
{
	struct acceptance *o = a->out;

	for (size_t i = 0; i < o->n; i++) {
		struct accept_node *n = &o->v[i];
		settle(n);
		if (n->role == ROLE_NEW) {
			o->count[n->word]++;
			o->known[n->word] += n->ack != NULL;
			continue;
		}
		o->controls++;
		o->controls_healthy += n->word == ACCEPT_ACCEPTED;
	}
	tell_controls(a);
}

/* Held against a baseline that knows nothing of it: not even PASS can be said. */
static bool uncompared(const struct verdicts *v)
{
	if (!v || v->n == 0)
		return v != NULL;
	return v->count[VERDICT_PASS] + v->count[VERDICT_IMPROVED] +
	               v->count[VERDICT_INCONCLUSIVE] + v->count[VERDICT_SUSPECT] +
	               v->count[VERDICT_REGRESSED] ==
	       0;
}

void accept_decide(const struct accept_input *in, struct acceptance *out)
{
	size_t n = in->plan->nodes.n;
	struct accept a = { .in = in,
		            .out = out,
		            .place = hb_alloc((n + 1) * sizeof *a.place),
		            .healthy = hb_alloc((n + 1) * sizeof *a.healthy) };

	*out = (struct acceptance){ 0 };
	list_nodes(&a);
	accept_rows(&a);
	accept_hardware(&a);
	accept_blame(&a, ROLE_CONTROL);
	find_healthy(&a);
	accept_blame(&a, ROLE_NEW);
	find_healthy(&a); /* without controls it changes again */
	accept_local(&a);
	accept_beside_pairs(&a);
	accept_partners(&a);
	out->uncompared = uncompared(in->v);
	count(&a);
	free(a.place);
	free(a.by_name);
	free(a.healthy);
}

void accept_free(struct acceptance *a)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < a->v[i].n_reasons; k++)
			free(a->v[i].reasons[k].text);
		free(a->v[i].reasons);
	}
	for (size_t i = 0; i < a->n_notes; i++)
		free(a->notes[i]);
	free(a->notes);
	free(a->v);
	*a = (struct acceptance){ 0 };
}

/* ---- what follows ---- */

const struct accept_node *accept_find(const struct acceptance *a, const char *node)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].node, node) == 0)
			return &a->v[i];
	return NULL;
}

static size_t open_count(const struct acceptance *a, enum accept_word w)
{
	return a->count[w] - a->known[w];
}

int accept_code(const struct acceptance *a)
{
	if (open_count(a, ACCEPT_REJECTED) > 0)
		return CODE_FINDINGS;
	if (open_count(a, ACCEPT_UNMEASURED) > 0 || a->groups_lost)
		return CODE_NOT_MEASURED;
	if (a->uncompared)
		return CODE_NO_BASELINE;
	return open_count(a, ACCEPT_UNDECIDED) > 0 || a->groups_slow ? CODE_SUSPECT : CODE_OK;
}

void accept_members(const struct acceptance *a, const struct plan *p, bool *in)
{
	for (size_t i = 0; i < p->nodes.n; i++) {
		const struct accept_node *n = accept_find(a, p->nodes.v[i]);
		/* A control that was only too little looked at is one still. */
		in[i] = n &&
		        (n->word == ACCEPT_ACCEPTED ||
		         (n->role == ROLE_CONTROL && n->word == ACCEPT_UNDECIDED &&
		          (n->reasons[0].why == ACCEPT_VAGUE || n->reasons[0].why == ACCEPT_FEW)));
	}
}

bool accept_may_drain(const struct accept_node *n, const char **why)
{
	*why = NULL;
	if (n->role != ROLE_NEW || n->word != ACCEPT_REJECTED)
		*why = "it is not rejected";
	else if (n->ack)
		*why = "it is known trouble";
	for (size_t i = 0; !*why && i < n->n_reasons; i++)
		if (n->reasons[i].word == ACCEPT_REJECTED && n->reasons[i].confirmed)
			return true;
	if (!*why)
		*why = "what speaks against it was measured once and not confirmed";
	return false;
}

void accept_evidence(const struct accept_node *n, struct buf *out)
{
	if (n->n_reasons > 0)
		buf_puts(out, n->reasons[0].text);
}

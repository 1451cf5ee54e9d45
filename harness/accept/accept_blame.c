/* What localize found, as reasons of nodes: who is slow, in a direction, by a link, undecided. */
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/accept/accept_parts.h"

/* The node of an end; SIZE_MAX: none. */
static size_t node_of(const struct accept *a, size_t sheet, uint32_t end)
{
	const struct sheet *s = &a->in->sheets->v[sheet];
	size_t node = end < s->n_ends ? s->ends[end].node : SIZE_MAX;

	return node < a->in->plan->nodes.n ? node : SIZE_MAX;
}

/* Which sheet a piece of evidence is of. */
static size_t sheet_of(const struct accept *a, const struct evidence *e)
{
	const struct sheets *s = a->in->sheets;

	for (size_t i = 0; i < s->n; i++)
		if (e->key == &s->v[i].key)
			return i;
	for (size_t i = 0; e->key && i < s->n; i++)
		if (s->v[i].key.text && strcmp(e->key->text, s->v[i].key.text) == 0)
			return i;
	return SIZE_MAX;
}

/* "mpi.bandwidth 1 MiB -38 % with 5 of 6 controls" */
static char *slow_text(const struct accept *a, const struct culprit *c, const char *how,
                       const struct accept_seen *seen)
{
	const struct evidence *e = &c->evidence[0];
	struct buf text = BUF_INIT;
	char bytes[32];

	if (e->key) {
		info_size_text(e->key->bench, e->key->bytes, bytes, sizeof bytes);
		buf_printf(&text, "%s%s%s ", e->key->bench, *bytes ? " " : "", bytes);
	}
	accept_change(e->key, c->loss, &text);
	buf_puts(&text, how);
	const char *who = a->alone ? "other new nodes" : "controls";
	if (seen->controls > 0 && seen->slow == seen->controls)
		buf_printf(&text, " with all %zu %s", seen->controls, who);
	else if (seen->controls > 0)
		buf_printf(&text, " with %zu of %zu %s", seen->slow, seen->controls, who);
	return buf_detach(&text);
}

/* Seen with several healthy controls, and again in pairs that were asked for to make sure. */
static bool is_confirmed(const struct accept_seen *s)
{
	return s->slow_main >= ACCEPT_PARTNERS_MIN && s->slow_extra > 0;
}

static void node_blame(struct accept *a, const struct culprit *c, size_t node)
{
	struct accept_node *n = accept_at(a, node);
	struct accept_seen seen = { 0 };

	if (c->state == LOC_UNDECIDED) {
		accept_add(n, ACCEPT_GROUP, ACCEPT_UNDECIDED, hb_strdup(c->text), c->ack)->loss =
		        c->loss;
		return;
	}
	if (c->kind == LOC_SILENT) {
		accept_add(n, ACCEPT_LOST, ACCEPT_UNMEASURED, hb_strdup(c->text), c->ack);
		return;
	}
	for (size_t i = 0; i < c->n_evidence && !is_confirmed(&seen); i++) {
		struct accept_seen one;
		size_t sheet = sheet_of(a, &c->evidence[i]);
		if (sheet == SIZE_MAX)
			continue;
		accept_seen(a, sheet, node, c->evidence[i].blame.loss, &one);
		if (i == 0 || is_confirmed(&one) || one.slow > seen.slow)
			seen = one;
	}
	const char *how = c->kind == LOC_NODE_OUT  ? " in what it sends,"
	                  : c->kind == LOC_NODE_IN ? " in what it receives,"
	                                           : "";
	enum accept_why why = c->kind == LOC_NODE ? ACCEPT_SLOW : ACCEPT_DIRECTION;
	/* Not by its like alone. */
	bool seen_here = n->role == ROLE_CONTROL || seen.slow >= ACCEPT_PARTNERS_MIN;
	struct accept_reason *r = accept_add(n, seen_here ? why : ACCEPT_DOUBT,
	                                     seen_here ? ACCEPT_REJECTED : ACCEPT_UNDECIDED,
	                                     slow_text(a, c, how, &seen), c->ack);
	r->loss = c->loss;
	r->confirmed = is_confirmed(&seen);
}

/* A slow link: the new end where the other one is a control; of two new ones neither is blamed, and
 * neither can be accepted. */
static void link_blame(struct accept *a, const struct culprit *c, size_t x, size_t y)
{
	struct accept_node *ends[] = { accept_at(a, x), accept_at(a, y) };
	bool mixed = ends[0]->role != ends[1]->role;

	if (!mixed && ends[0]->role == ROLE_CONTROL)
		accept_note(a, hb_strdup(c->text));
	for (size_t i = 0; i < 2; i++) {
		if (ends[i]->role == ROLE_CONTROL)
			continue;
		bool sure = mixed && c->state == LOC_SLOW;
		accept_add(ends[i], sure ? ACCEPT_LINK : ACCEPT_GROUP,
		           sure ? ACCEPT_REJECTED : ACCEPT_UNDECIDED, hb_strdup(c->text), c->ack)
		        ->loss = c->loss;
	}
}

/* What several nodes hang on is none of them's fault; whoever hangs on it is not cleared. */
static void path_blame(struct accept *a, const struct culprit *c, uint32_t number)
{
	const struct sheet *s = &a->in->sheets->v[0];
	bool *told = hb_alloc(a->in->plan->nodes.n + 1), any = false;

	for (size_t i = 0; i < s->n_ends; i++) {
		uint32_t of = c->kind == LOC_LEAF ? s->ends[i].leaf : s->ends[i].rail;
		size_t node = node_of(a, 0, (uint32_t)i);
		if (of != number || node == SIZE_MAX || told[node] ||
		    accept_at(a, node)->role == ROLE_CONTROL)
			continue;
		told[node] = any = true;
		accept_add(accept_at(a, node), ACCEPT_PATH, ACCEPT_UNDECIDED, hb_strdup(c->text),
		           c->ack)
		        ->loss = c->loss;
	}
	if (!any)
		accept_note(a, hb_strdup(c->text));
	free(told);
}

static void look_at(struct accept *a, const struct culprit *c, enum plan_role role)
{
	const struct loc_blame *b = c->n_evidence ? &c->evidence[0].blame : NULL;
	size_t x = SIZE_MAX, y = SIZE_MAX;

	switch (c->kind) {
	case LOC_NODE:
	case LOC_NODE_OUT:
	case LOC_NODE_IN:
	case LOC_SILENT:
		x = b && b->a < a->in->plan->nodes.n ? b->a : SIZE_MAX;
		if (x != SIZE_MAX && accept_at(a, x)->role == role)
			node_blame(a, c, x);
		break;
	case LOC_LINK:
	case LOC_LINK_AB:
		x = b ? node_of(a, 0, b->a) : SIZE_MAX;
		y = b ? node_of(a, 0, b->b) : SIZE_MAX;
		if (x != SIZE_MAX && y != SIZE_MAX && role == ROLE_NEW)
			link_blame(a, c, x, y);
		break;
	case LOC_LEAF:
	case LOC_RAIL:
		if (b && role == ROLE_NEW)
			path_blame(a, c, b->a);
		break;
	case LOC_KINDS: break;
	}
}

/* Beyond chance and beyond what is borne, yet not enough to be blamed after all extra pairs. */
static void look_at_candidates(struct accept *a, enum plan_role role)
{
	const struct findings *f = a->in->findings;
	const struct sheets *s = a->in->sheets;

	for (size_t i = 0; i < f->n_found && i < s->n; i++) {
		for (size_t k = 0; k < f->found[i].n_nodes && k < a->in->plan->nodes.n; k++) {
			const struct loc_node *l = &f->found[i].nodes[k];
			double delta = s->v[i].delta > 0 ? s->v[i].delta : LOC_DELTA;
			if (l->state != LOC_CANDIDATE || !(l->loss > delta) ||
			    accept_at(a, k)->role != role)
				continue;
			struct buf text = BUF_INIT;
			buf_printf(&text, "%s ", s->v[i].key.bench);
			accept_change(&s->v[i].key, l->loss, &text);
			buf_printf(&text,
			           " (z %.1f over %zu pairs) is too little to be sure; measure "
			           "again",
			           l->z, l->tests);
			accept_add(accept_at(a, k), ACCEPT_DOUBT, ACCEPT_UNDECIDED,
			           buf_detach(&text), NULL)
			        ->loss = l->loss;
		}
	}
}

void accept_blame(struct accept *a, enum plan_role role)
{
	const struct findings *f = a->in->findings;

	if (!f || !a->in->sheets || a->in->sheets->n == 0)
		return;
	for (size_t i = 0; i < f->n; i++)
		look_at(a, &f->v[i], role);
	look_at_candidates(a, role);
}

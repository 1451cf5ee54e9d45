/* Pairs of nodes with healthy controls: how many there are, what they show, how much they could. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/accept/accept_parts.h"

/* ---- pairs of one sheet, by their nodes ---- */

static size_t node_of(const struct accept *a, const struct sheet *s, uint32_t end)
{
	size_t node = end < s->n_ends ? s->ends[end].node : SIZE_MAX;

	return node < a->in->plan->nodes.n ? node : SIZE_MAX;
}

/* The nodes of a pair that has a figure, and is between two nodes. */
static bool nodes_of(const struct accept *a, const struct sheet *s, const struct loc_pair *p,
                     size_t nodes[2])
{
	nodes[0] = node_of(a, s, p->a);
	nodes[1] = node_of(a, s, p->b);
	return isfinite(p->y) && nodes[0] != SIZE_MAX && nodes[1] != SIZE_MAX &&
	       nodes[0] != nodes[1];
}

static double delta_of(const struct sheet *s)
{
	return s->delta > 0 ? s->delta : LOC_DELTA;
}

/* ---- how a node looks in one sheet ---- */

enum { REFERENCE_MIN = 3 };

/* What a pair without the node shows: pairs of healthy controls where there are some, else all. */
static double reference(const struct accept *a, const struct sheet *s, size_t node)
{
	double *best = hb_alloc((s->n_pairs + 1) * sizeof *best);
	double *all = hb_alloc((s->n_pairs + 1) * sizeof *all);
	size_t n_best = 0, n_all = 0, nodes[2];

	for (size_t i = 0; i < s->n_pairs; i++) {
		if (!nodes_of(a, s, &s->pairs[i], nodes) || nodes[0] == node || nodes[1] == node)
			continue;
		all[n_all++] = s->pairs[i].y;
		if (a->healthy[nodes[0]] && a->healthy[nodes[1]])
			best[n_best++] = s->pairs[i].y;
	}
	double y = n_best >= REFERENCE_MIN ? stat_median(best, n_best) : stat_median(all, n_all);
	free(best);
	free(all);
	return y;
}

void accept_seen(const struct accept *a, size_t sheet, size_t node, double loss,
                 struct accept_seen *out)
{
	enum { MET = 1, SLOW_MAIN = 2, SLOW_EXTRA = 4 };
	const struct sheet *s = &a->in->sheets->v[sheet];
	unsigned char *met = hb_alloc(a->in->plan->nodes.n + 1);
	double low = fmax(delta_of(s), loss / 2);
	double limit = reference(a, s, node) + log1p(-fmin(low, 0.99));
	size_t nodes[2];

	*out = (struct accept_seen){ 0 };
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct loc_pair *p = &s->pairs[i];
		if (!nodes_of(a, s, p, nodes) || (nodes[0] != node && nodes[1] != node))
			continue;
		size_t other = nodes[0] == node ? nodes[1] : nodes[0];
		if (!a->healthy[other])
			continue;
		met[other] |= MET;
		if (p->y < limit)
			met[other] |= p->extra ? SLOW_EXTRA : SLOW_MAIN;
	}
	for (size_t k = 0; k < a->in->plan->nodes.n; k++) {
		out->controls += met[k] != 0;
		out->slow += (met[k] & (SLOW_MAIN | SLOW_EXTRA)) != 0;
		out->slow_main += (met[k] & SLOW_MAIN) != 0;
		out->slow_extra += (met[k] & SLOW_EXTRA) != 0;
	}
	free(met);
}

/* ---- partners ---- */

struct meeting {
	size_t node, partner;
};

static int by_nodes(const void *x, const void *y)
{
	const struct meeting *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->partner > b->partner) - (a->partner < b->partner);
}

/* Of each node, with how many healthy others it has a figure in this sheet; at least what is there
 * already stays. */
static void count_partners(const struct accept *a, const struct sheet *s, size_t *partners)
{
	struct meeting *v = hb_alloc((2 * s->n_pairs + 1) * sizeof *v);
	size_t n = 0, nodes[2], run = 0;

	for (size_t i = 0; i < s->n_pairs; i++) {
		if (!nodes_of(a, s, &s->pairs[i], nodes))
			continue;
		for (size_t e = 0; e < 2; e++)
			if (a->healthy[nodes[1 - e]])
				v[n++] = (struct meeting){ nodes[e], nodes[1 - e] };
	}
	qsort(v, n, sizeof *v, by_nodes);
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && v[i].node == v[i - 1].node;
		run = !same ? 1 : run + (v[i].partner != v[i - 1].partner);
		if (run > partners[v[i].node])
			partners[v[i].node] = run;
	}
	free(v);
}

static void few_partners(const struct accept *a, struct accept_node *n, const char *bench,
                         size_t partners)
{
	if (partners >= ACCEPT_PARTNERS_MIN || accept_has(n, ACCEPT_LOST))
		return;
	accept_add(n, ACCEPT_FEW, ACCEPT_UNDECIDED,
	           hb_format("%s: figures with %zu healthy %s, %d are needed", bench, partners,
	                     a->alone ? "new nodes" : "controls", ACCEPT_PARTNERS_MIN),
	           NULL);
}

static void entry_partners(struct accept *a, size_t entry)
{
	const struct sheets *s = a->in->sheets;
	size_t *partners = hb_alloc((a->in->plan->nodes.n + 1) * sizeof *partners);
	const char *bench = NULL;

	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].entry != entry)
			continue;
		bench = s->v[i].key.bench;
		count_partners(a, &s->v[i], partners);
	}
	for (size_t k = 0; bench && k < a->in->plan->nodes.n; k++) {
		struct accept_node *n = accept_at(a, k);
		if (n->role != ROLE_NEW)
			continue;
		if (!n->paired || partners[k] < n->partners)
			n->partners = partners[k];
		n->paired = true;
		few_partners(a, n, bench, partners[k]);
	}
	free(partners);
}

/* Where a case has several sheets, one a pair of hardware classes, the one that holds most of the
 * node's pairs tells what would have been found of it. */
static bool is_best_sheet(const struct accept *a, size_t sheet, size_t node)
{
	const struct sheets *s = a->in->sheets;
	const struct findings *f = a->in->findings;
	size_t tests = f->found[sheet].nodes[node].tests;

	for (size_t i = 0; i < s->n && i < f->n_found; i++) {
		const struct key *x = &s->v[i].key, *y = &s->v[sheet].key;
		if (i == sheet || s->v[i].entry != s->v[sheet].entry || x->bytes != y->bytes ||
		    strcmp(x->opts, y->opts) != 0 || node >= f->found[i].n_nodes)
			continue;
		size_t other = f->found[i].nodes[node].tests;
		if (other > tests || (other == tests && i < sheet))
			return false;
	}
	return true;
}

/* What localize would have found of this node in this sheet. */
static void sheet_detectable(struct accept *a, size_t sheet)
{
	const struct sheet *s = &a->in->sheets->v[sheet];
	const struct localized *l = &a->in->findings->found[sheet];
	const struct suite *suite = a->in->plan->suite;
	double tolerance = s->entry < suite->n_entries ? suite->entries[s->entry].tolerance : 0;

	if (s->floor >= 1) /* recorded, not judged */
		return;
	tolerance = tolerance > 0 ? tolerance : 2 * s->floor;
	for (size_t k = 0; k < l->n_nodes && k < a->in->plan->nodes.n; k++) {
		struct accept_node *n = accept_at(a, k);
		if (n->role != ROLE_NEW || l->nodes[k].tests == 0 || !is_best_sheet(a, sheet, k))
			continue;
		if (isfinite(l->detectable))
			accept_detectable(n, s->key.bench, l->detectable, tolerance);
		else if (!accept_has(n, ACCEPT_VAGUE))
			accept_add(n, ACCEPT_VAGUE, ACCEPT_UNDECIDED,
			           hb_format("%s: too few pairs to say what loss would have shown",
			                     s->key.bench),
			           NULL);
	}
}

void accept_partners(struct accept *a)
{
	const struct sheets *s = a->in->sheets;
	const struct findings *f = a->in->findings;

	if (!s || !f)
		return;
	for (size_t e = 0; e < a->in->plan->suite->n_entries; e++)
		entry_partners(a, e);
	for (size_t i = 0; i < s->n && i < f->n_found; i++)
		sheet_detectable(a, i);
}

/* ---- a batch that is slow as a whole ---- */

enum with { WITH_CONTROLS, WITH_NEW, WITHS };

/* One figure of a node, with one kind of partner. */
struct shown {
	size_t node;
	enum with who;
	double y;
};

static int by_partner(const void *x, const void *y)
{
	const struct shown *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (int)a->who - (int)b->who;
}

/* Scores of each node over its pairs with healthy controls and with new nodes; NaN below two. */
static void score_all(const struct accept *a, const struct sheet *s, double *scores[WITHS])
{
	struct shown *v = hb_alloc((2 * s->n_pairs + 1) * sizeof *v);
	double *y = hb_alloc((2 * s->n_pairs + 1) * sizeof *y);
	size_t n = 0, nodes[2];

	for (size_t i = 0; i < s->n_pairs; i++) {
		if (!nodes_of(a, s, &s->pairs[i], nodes))
			continue;
		for (size_t e = 0; e < 2; e++) {
			bool new = accept_at(a, nodes[1 - e])->role == ROLE_NEW;
			if (new || a->healthy[nodes[1 - e]])
				v[n++] = (struct shown){ nodes[e], new ? WITH_NEW : WITH_CONTROLS,
					                 s->pairs[i].y };
		}
	}
	qsort(v, n, sizeof *v, by_partner);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && by_partner(&v[i], &v[k]) == 0; k++)
			y[k - i] = v[k].y;
		if (k - i >= 2)
			scores[v[i].who][v[i].node] = stat_node_score(y, k - i);
	}
	free(v);
	free(y);
}

static void tell_batch(struct accept_node *n, const struct key *key, const struct accept_beside *b)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "%s ", key->bench);
	accept_change(key, b->loss, &text);
	buf_printf(&text,
	           " beside what %zu controls show among themselves: it, or all new nodes, or the "
	           "way to them",
	           b->n);
	accept_add(n, ACCEPT_DOUBT, ACCEPT_UNDECIDED, buf_detach(&text), NULL)->loss = b->loss;
}

/*
 * New nodes that are all slow do not stand out among each other. One is held against what controls
 * show among themselves, by the better of its scores with controls and with other new nodes: what
 * only the way between both makes slow is then no loss.
 */
static void beside_sheet(struct accept *a, const struct sheet *s)
{
	size_t nodes = a->in->plan->nodes.n, n = 0;
	double *y = hb_alloc((nodes + 1) * sizeof *y), *scores[WITHS];

	for (size_t w = 0; w < WITHS; w++) {
		scores[w] = hb_alloc((nodes + 1) * sizeof(double));
		for (size_t k = 0; k < nodes; k++)
			scores[w][k] = NAN;
	}
	score_all(a, s, scores);
	for (size_t k = 0; k < nodes; k++)
		if (a->healthy[k] && isfinite(scores[WITH_CONTROLS][k]))
			y[n++] = scores[WITH_CONTROLS][k];
	for (size_t k = 0; n >= ACCEPT_CONTROLS_MIN && k < nodes; k++) {
		struct accept_node *node = accept_at(a, k);
		struct accept_beside b;
		if (node->role != ROLE_NEW || accept_has(node, ACCEPT_DOUBT) ||
		    accept_has(node, ACCEPT_SLOW) || !isfinite(scores[WITH_NEW][k]))
			continue;
		accept_beside(y, n, fmax(scores[WITH_CONTROLS][k], scores[WITH_NEW][k]), s->floor,
		              &b);
		if (b.p < ACCEPT_ALPHA && b.loss > s->floor)
			tell_batch(node, &s->key, &b);
	}
	for (size_t w = 0; w < WITHS; w++)
		free(scores[w]);
	free(y);
}

void accept_beside_pairs(struct accept *a)
{
	const struct sheets *s = a->in->sheets;

	for (size_t i = 0; s && !a->alone && i < s->n; i++)
		if (s->v[i].floor < 1)
			beside_sheet(a, &s->v[i]);
}

/*
 * From units of pairs to sheets: what localize looks at. A cell (one case of one entry) makes one
 * sheet for each pair of hardware classes. The two directions of a pair, which stand one behind the
 * other in the plan, are one figure. Invalid and disturbed figures say nothing of who is slow and
 * are left out; so is what nobody got to. A pair that was lost through one of its ends is there
 * without a figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

/* ---- names ---- */

void collect_sheets_begin(struct collect *c)
{
	const struct plan *p = &c->plan;
	struct sheets *s = c->sheets;
	s->n_nodes = p->nodes.n;
	s->nodes = hb_alloc((s->n_nodes + 1) * sizeof(*s->nodes));
	for (size_t i = 0; i < s->n_nodes; i++)
		s->nodes[i] = hb_strdup(p->nodes.v[i]);
	s->n_leaves = p->leaf_of ? p->topo.n_leaves : 0;
	s->leaves = hb_alloc((s->n_leaves + 1) * sizeof(*s->leaves));
	s->leaf_nodes = hb_alloc((s->n_leaves + 1) * sizeof(*s->leaf_nodes));
	for (size_t i = 0; i < s->n_leaves; i++) {
		s->leaves[i] = hb_strdup(p->topo.leaves[i].name);
		s->leaf_nodes[i] = nodeset_text(&p->topo.leaves[i].nodes);
	}
	s->n_rails = c->n_rails;
	s->rails = hb_alloc((s->n_rails + 1) * sizeof(*s->rails));
	for (size_t i = 0; i < s->n_rails; i++)
		s->rails[i] = hb_strdup(c->rails[i]);
	/* Only what is known to be static can be told from the paths. */
	s->adaptive = p->topo.routing != TOPO_STATIC;
}

unsigned char collect_rail(struct collect *c, const char *endpoint)
{
	const char *device = endpoint ? strchr(endpoint, '/') : NULL;
	if (!device || !*++device)
		return 0;
	for (size_t i = 0; i < c->n_rails; i++)
		if (strcmp(c->rails[i], device) == 0)
			return (unsigned char)(i + 1);
	if (c->n_rails == COLLECT_RAILS_MAX)
		return 0;
	hb_grow(&c->rails, &c->cap_rails, c->n_rails + 1, sizeof(*c->rails));
	c->rails[c->n_rails++] = hb_strdup(device);
	return (unsigned char)c->n_rails;
}

/* ---- what a unit tells ---- */

/* Does the reason name this node: "rank 2 on n3: it never connected"? The harness writes so
 * whenever it knows whom it waited for. */
static bool names(const char *reason, const char *node)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789.-_";
	size_t len = strlen(node);
	for (const char *p = reason; (p = strstr(p, "rank ")) != NULL;) {
		p += 5;
		const char *on = p + strspn(p, "0123456789");
		if (on == p || strncmp(on, " on ", 4) != 0)
			continue;
		if (strspn(on + 4, chars) == len && strncmp(on + 4, node, len) == 0)
			return true;
	}
	return false;
}

enum telling { TELLS_NOTHING, TELLS_FIGURE, TELLS_LOSS };

/* One unit of a pair. */
struct told {
	const struct unit_state *u;
	size_t class; /* number of the hardware class pair */
	size_t place; /* in the cell: the plan's order */
	size_t node[2];
	unsigned char rail[2];
	enum telling what;
	double y;   /* of a figure */
	int silent; /* of a loss: which end; -1: unknown */
};

static void look_at_loss(const struct collect *c, const struct outcome *o, struct told *t)
{
	bool a = o->reason && names(o->reason, c->plan.nodes.v[t->node[0]]);
	bool b = o->reason && names(o->reason, c->plan.nodes.v[t->node[1]]);
	t->silent = a == b ? -1 : b;
	/* Who was given up without a name was not reached, or ended with everybody else. */
	if (o->status == UNIT_TIMEOUT || o->status == UNIT_FAILED ||
	    (o->status == UNIT_GIVEN_UP && t->silent >= 0))
		t->what = TELLS_LOSS;
}

static void look(const struct collect *c, const struct unit_state *u, size_t place, struct told *t)
{
	struct outcome o = collect_outcome(c, u);
	struct pair_figure f;
	size_t a = job_node(c, u, 0), b = job_node(c, u, 1);
	size_t x = c->hw_id[a], y = c->hw_id[b];
	*t = (struct told){ .u = u,
		            .class = x < y ? x * NODESET_MAX + y : y * NODESET_MAX + x,
		            .place = place,
		            .node = { a, b },
		            .silent = -1 };
	if (o.attempt)
		memcpy(t->rail, o.attempt->rail, sizeof(t->rail));
	if (o.quality == ROW_NOT_MEASURED) {
		look_at_loss(c, &o, t);
	} else if (o.quality == ROW_OK && collect_figure(c, u, &o, 0, &f)) {
		t->what = TELLS_FIGURE;
		t->y = f.y;
	}
}

/* ---- one sheet ---- */

struct maker {
	struct collect *c;
	const struct cell *cell;
	const struct told *v; /* of one hardware class pair, in the plan's order */
	size_t n;
	uint32_t
	        *end_of; /* of each node and device (0: none): its end, LOC_NONE: not in this one */
};

static size_t end_slot(const struct maker *m, size_t node, unsigned char rail)
{
	return node * (m->c->n_rails + 1) + rail;
}

/* Node by node, so that they are the same for all cases of a benchmark. */
static void make_ends(struct maker *m, struct sheet *s)
{
	const struct collect *c = m->c;
	size_t slots = c->plan.nodes.n * (c->n_rails + 1), n = 0;
	memset(m->end_of, 0xff, slots * sizeof(*m->end_of));
	for (size_t i = 0; i < m->n; i++)
		for (int k = 0; k < 2; k++)
			m->end_of[end_slot(m, m->v[i].node[k], m->v[i].rail[k])] = 0;
	for (size_t i = 0; i < slots; i++)
		if (m->end_of[i] != LOC_NONE)
			m->end_of[i] = (uint32_t)n++;
	s->ends = hb_realloc_array(NULL, n + 1, sizeof(*s->ends));
	s->n_ends = n;
	for (size_t i = 0; i < slots; i++) {
		size_t node = i / (c->n_rails + 1), rail = i % (c->n_rails + 1);
		size_t leaf = c->plan.leaf_of ? c->plan.leaf_of[node] : TOPO_NO_LEAF;
		if (m->end_of[i] == LOC_NONE)
			continue;
		s->ends[m->end_of[i]] = (struct loc_end){ (uint32_t)node,
			                                  leaf == TOPO_NO_LEAF ? LOC_NONE
			                                                       : (uint32_t)leaf,
			                                  rail ? (uint32_t)(rail - 1) : LOC_NONE };
	}
}

static bool other_direction(const struct collect *c, const struct told *x, const struct told *y)
{
	const struct plan_job *a = unit_job(c, x->u), *b = unit_job(c, y->u);
	return a->dir && b->dir && strcmp(a->dir, b->dir) != 0 && a->phase == b->phase &&
	       a->round == b->round && a->alone == b->alone && x->node[0] == y->node[0] &&
	       x->node[1] == y->node[1];
}

/* Disjoint pairs of one round, neither alone, are measured at the same time. */
static bool is_loaded(const struct maker *m)
{
	const struct collect *c = m->c;
	for (size_t i = 1; c->plan.max_pairs != 1 && i < m->n; i++) {
		const struct told *x = &m->v[i - 1], *y = &m->v[i];
		const struct plan_job *a = unit_job(c, x->u), *b = unit_job(c, y->u);
		if (a->phase == PHASE_MAIN && b->phase == PHASE_MAIN && !a->alone && !b->alone &&
		    x->u->step == y->u->step && a->round == b->round && x->node[0] != y->node[0] &&
		    x->node[0] != y->node[1] && x->node[1] != y->node[0] &&
		    x->node[1] != y->node[1])
			return true;
	}
	return false;
}

/* One direction's figure, or its loss, into the pair. */
static void add_side(const struct maker *m, const struct told *t, struct loc_pair *p)
{
	const struct plan_job *j = unit_job(m->c, t->u);
	if (t->what == TELLS_FIGURE) {
		p->y = isfinite(p->y) ? fmin(p->y, t->y) : t->y;
		if (j->dir && strcmp(j->dir, "ab") == 0)
			p->ab = t->y;
		else if (j->dir && strcmp(j->dir, "ba") == 0)
			p->ba = t->y;
	} else if (t->silent >= 0) {
		p->silent = t->silent == 0 ? p->a : p->b;
	}
}

static void make_pairs(const struct maker *m, struct sheet *s)
{
	const struct told *last = NULL;
	for (size_t i = 0; i < m->n; i++) {
		const struct told *t = &m->v[i];
		const struct plan_job *j = unit_job(m->c, t->u);
		if (t->what == TELLS_NOTHING)
			continue;
		bool joins = last && other_direction(m->c, last, t);
		last = joins ? NULL : t;
		if (!joins) {
			hb_grow(&s->pairs, &s->cap_pairs, s->n_pairs + 1, sizeof(*s->pairs));
			s->pairs[s->n_pairs++] = (struct loc_pair){
				.a = m->end_of[end_slot(m, t->node[0], t->rail[0])],
				.b = m->end_of[end_slot(m, t->node[1], t->rail[1])],
				.y = NAN,
				.ab = NAN,
				.ba = NAN,
				.extra = j->phase == PHASE_EXTRA,
				.isolated = j->phase == PHASE_EXTRA && j->alone && s->loaded,
				.silent = LOC_NONE
			};
		}
		add_side(m, t, &s->pairs[s->n_pairs - 1]);
	}
	/* What came after all was not lost. */
	for (size_t i = 0; i < s->n_pairs; i++)
		if (isfinite(s->pairs[i].y))
			s->pairs[i].silent = LOC_NONE;
}

static void make_sheet(struct maker *m)
{
	struct sheets *all = m->c->sheets;
	const struct suite_entry *e = &m->c->suite.entries[m->cell->entry];
	hb_grow(&all->v, &all->cap, all->n + 1, sizeof(*all->v));
	struct sheet *s = &all->v[all->n++];
	*s = (struct sheet){ .entry = m->cell->entry,
		             .delta = e->node_floor,
		             .floor = e->floor,
		             .loaded = is_loaded(m) };
	char *hw = collect_unit_hw(m->c, m->v[0].u);
	collect_key(m->c, m->cell, m->v[0].u, e->info->metrics, hw, &s->key);
	free(hw);
	/* Leaves do not part them: localize takes those apart itself. */
	free(s->key.class_);
	s->key.class_ = hb_strdup("remote");
	key_make(&s->key);
	make_ends(m, s);
	make_pairs(m, s);
}

/* ---- a cell ---- */

static int by_class(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

void collect_sheets(struct collect *c, const struct cell *cell)
{
	const struct bench_info *info = c->suite.entries[cell->entry].info;
	struct told *v = hb_realloc_array(NULL, cell->n + 1, sizeof(*v));
	struct maker m = { .c = c, .cell = cell };
	size_t n = 0;
	bool mixed = false;
	/* Nothing loses all of its figure: with such a floor it is recorded and nobody blamed. */
	bool blames = info->metrics[0].judged && c->suite.entries[cell->entry].node_floor < 1;
	for (size_t i = 0; blames && i < cell->n; i++) {
		if (unit_job(c, cell->v[i])->n_ranks != 2 ||
		    job_node(c, cell->v[i], 0) == job_node(c, cell->v[i], 1))
			continue;
		look(c, cell->v[i], i, &v[n]);
		mixed = mixed || v[n].class != v[0].class;
		n++;
	}
	if (mixed)
		qsort(v, n, sizeof(*v), by_class);
	m.end_of = hb_realloc_array(NULL, c->plan.nodes.n * (c->n_rails + 1) + 1,
	                            sizeof(*m.end_of));
	for (size_t i = 0; i < n && c->sheets->n < SHEETS_MAX; i += m.n) {
		m.v = v + i;
		m.n = 1;
		while (i + m.n < n && v[i + m.n].class == v[i].class)
			m.n++;
		make_sheet(&m);
	}
	free(m.end_of);
	free(v);
}

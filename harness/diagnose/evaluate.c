/*
 * Rules over a scene. What most nodes share is asked once: first each test is held against the
 * values that there are (and the counters and events), which leaves few nodes for most rules; only
 * for those all tests are asked together, with the devices that they bind.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

enum { STEPS_MAX = 1 << 14 }; /* tests asked for one node or device, whatever binds what */

/* ---- who it could hold for ---- */

static void mark(unsigned char *nodes, const struct fact_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		nodes[v->nodes[i]] = 1;
}

/* Each value once for each hardware class that has it. */
static void mark_value(const struct look *l, const struct rule_test *t, const struct fact_row *row,
                       const struct fact_value *v, unsigned char *nodes)
{
	struct binding b = { .scope = RULE_NODE, .other = SIZE_MAX, .only = row };
	unsigned char *asked = NULL, *says = NULL; /* of each class */
	struct seen seen;

	if (l->n_classes > 1 && t->kind != TEST_FACT) {
		asked = hb_alloc(l->n_classes);
		says = hb_alloc(l->n_classes);
	}
	b.device[rule_test_about(t)] = row->device;
	for (size_t i = 0; i < v->n; i++) {
		size_t c = l->class_of[v->nodes[i]];
		bool known = asked ? asked[c] : i > 0;
		if (!known) {
			b.node = v->nodes[i];
			seen_init(&seen, t, &b);
			bool holds = rule_tests[t->kind].holds(l, &b, t, &seen);
			if (!asked) {
				if (holds)
					mark(nodes, v);
				return;
			}
			asked[c] = 1;
			says[c] = holds;
		}
		nodes[v->nodes[i]] |= says[c];
	}
	free(asked);
	free(says);
}

static void mark_facts(const struct look *l, const struct rule_test *t, unsigned char *nodes)
{
	struct row_range rows = look_rows(l, t->key);

	for (size_t i = 0; i < rows.n; i++)
		for (size_t j = 0; j < rows.v[i].n; j++)
			if (rows.v[i].v[j].n)
				mark_value(l, t, &rows.v[i], &rows.v[i].v[j], nodes);
}

static void mark_counters(const struct look *l, const struct rule_test *t, unsigned char *nodes)
{
	const struct counter_rows *rows = look_counters(l, t);

	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *row = &l->f->counters[rows->v[i]];
		for (size_t j = 0; j < row->n; j++)
			nodes[row->v[j].node] = 1;
	}
}

/* Who has an element that is another one's too. */
static void mark_shared(const struct look *l, const struct rule_test *t, unsigned char *nodes)
{
	const struct shared_index *s = look_shared(l, t->key);

	for (size_t i = 0; i + 1 < s->n; i++) {
		const struct shared_at *a = &s->v[i], *b = &s->v[i + 1];
		if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0 && a->node != b->node)
			nodes[a->node] = nodes[b->node] = 1;
	}
}

static void mark_troubles(const struct look *l, unsigned char *nodes)
{
	for (size_t i = 0; i < l->n_troubles; i++)
		if (l->troubles[i].node != SIZE_MAX)
			nodes[l->troubles[i].node] = 1;
}

static void mark_events(const struct look *l, const struct rule_test *t, unsigned char *nodes)
{
	for (size_t i = 0; i < l->s->n_events; i++) {
		const struct scene_event *e = &l->s->events[i];
		size_t node = e->node && e->code && rule_words_have(&t->code, e->code)
		                      ? facts_find_node(l->f, e->node)
		                      : SIZE_MAX;
		if (node != SIZE_MAX)
			nodes[node] = 1;
	}
}

/* False where nothing cheap can be said. */
static bool mark_test(const struct look *l, const struct rule_test *t, unsigned char *nodes)
{
	if (rule_tests[t->kind].by_value)
		mark_facts(l, t, nodes);
	else if (t->kind == TEST_COUNTER && t->of != OF_OTHERS)
		mark_counters(l, t, nodes);
	else if (t->kind == TEST_SHARED)
		mark_shared(l, t, nodes);
	else if (t->kind == TEST_SLOW)
		mark_troubles(l, nodes);
	else if (t->kind == TEST_EVENT)
		mark_events(l, t, nodes);
	else
		return false;
	return true;
}

unsigned char *rule_nodes(const struct look *l, const struct rule *r)
{
	unsigned char *all = hb_alloc(l->n_nodes + 1), *one = hb_alloc(l->n_nodes + 1);

	memset(all, 1, l->n_nodes + 1);
	for (size_t i = 0; i < r->n_when; i++) {
		memset(one, 0, l->n_nodes + 1);
		if (!mark_test(l, &r->when[i], one))
			continue;
		for (size_t k = 0; k < l->n_nodes; k++)
			all[k] &= one[k];
	}
	free(one);
	return all;
}

/* ---- does it hold? ---- */

struct asking {
	const struct look *l;
	const struct rule *r;
	struct hit *hit; /* seen has room for all tests */
	size_t steps;
};

/* At this end, with the devices that are bound. */
static bool ask(struct asking *a, const struct rule_test *t, struct binding *b, struct seen *seen)
{
	a->steps++;
	seen_init(seen, t, b);
	if (b->node == SIZE_MAX)
		return cluster_holds(a->l, b, t, seen);
	if (rule_tests[t->kind].holds(a->l, b, t, seen))
		return true;
	if (b->scope != RULE_PAIR || b->other == SIZE_MAX)
		return false;
	struct binding there = *b; /* a pair: either end will do */
	there.node = b->other;
	there.other = b->node;
	seen_init(seen, t, &there);
	return rule_tests[t->kind].holds(a->l, &there, t, seen);
}

/* The devices that a test with none bound can be about, one after the other; NULL: no more. */
static const char *next_device(const struct asking *a, const struct rule_test *t,
                               const struct binding *b, size_t *i)
{
	if (rule_test_about(t) != FACT_NODE) {
		struct row_range rows = look_rows(a->l, t->key);
		if (b->node != SIZE_MAX && b->scope != RULE_PAIR && rows.n) {
			struct row_places own = look_rows_of(a->l, t->key, b->node);
			return *i < own.n ? rows.v[own.v[(*i)++]].device : NULL;
		}
		while (*i < rows.n) {
			const struct fact_row *row = &rows.v[(*i)++];
			if (b->node == SIZE_MAX || facts_value(row, b->node) ||
			    (b->scope == RULE_PAIR && facts_value(row, b->other)))
				return row->device;
		}
		return NULL;
	}
	const struct counter_rows *rows = look_counters(a->l, t);
	while (*i < rows->n) {
		const struct counter_row *row = &a->l->f->counters[rows->v[(*i)++]];
		uint64_t moved;
		if (*row->device && b->node != SIZE_MAX &&
		    facts_counter(a->l->f, b->node, row->device, row->name, &moved))
			return row->device;
	}
	return NULL;
}

/* Must a device be looked for? Of counters only those that moved have one. */
static bool is_free(const struct rule_test *t, const struct binding *b)
{
	enum fact_about about = rule_test_about(t);

	if (about != FACT_NODE)
		return !b->device[about] || t->of == OF_ANY;
	if (t->kind != TEST_COUNTER)
		return false;
	return t->of == OF_ANY || (t->of == OF_DEVICE && !bound_any(b));
}

static bool hold_from(struct asking *a, size_t i);

static bool any_holds(struct asking *a, const struct rule_test *t, struct seen *seen)
{
	struct binding b = a->hit->b;
	const char *device;

	if (!is_free(t, &b))
		return ask(a, t, &b, seen);
	for (size_t i = 0; a->steps < STEPS_MAX && (device = next_device(a, t, &b, &i)) != NULL;) {
		enum fact_about about = t->fact ? t->fact->about : device_about(device);
		struct binding one = b;
		one.device[about] = device;
		if (ask(a, t, &one, seen))
			return true;
	}
	return false;
}

static bool spared(struct asking *a)
{
	struct seen seen;

	for (size_t i = 0; i < a->r->n_unless; i++)
		if (any_holds(a, &a->r->unless[i], &seen))
			return true;
	return false;
}

/* Tests from i on, each device that fits in turn; b is left as the one that holds for all. */
static bool hold_from(struct asking *a, size_t i)
{
	struct binding *b = &a->hit->b, before = *b;
	const char *device;

	if (i == a->r->n_when)
		return !spared(a);
	const struct rule_test *t = &a->r->when[i];
	if (!is_free(t, b))
		return ask(a, t, b, &a->hit->seen[i]) && hold_from(a, i + 1);
	for (size_t k = 0; a->steps < STEPS_MAX && (device = next_device(a, t, b, &k)) != NULL;) {
		b->device[t->fact ? t->fact->about : device_about(device)] = device;
		bool holds = ask(a, t, b, &a->hit->seen[i]);
		if (t->of == OF_ANY)
			*b = before;
		if (holds && hold_from(a, i + 1))
			return true;
		*b = before;
	}
	return false;
}

bool rule_holds(const struct look *l, const struct rule *r, struct hit *hit)
{
	struct asking a = { l, r, hit, 0 };
	return hold_from(&a, 0);
}

/* ---- scopes ---- */

static void add_hit(struct hits *out, const struct hit *h)
{
	size_t n = h->rule->n_when;
	struct hit kept = *h;

	kept.seen = hb_alloc(n * sizeof *kept.seen);
	memcpy(kept.seen, h->seen, n * sizeof *kept.seen);
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n++] = kept;
}

void hits_free(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->v[i].seen);
	free(h->v);
	*h = (struct hits){ 0 };
}

static void try_one(const struct look *l, const struct rule *r, const struct binding *b,
                    struct hits *out)
{
	struct seen seen[RULE_TESTS_MAX];
	struct hit h = { .rule = r, .b = *b, .seen = seen };
	if (rule_holds(l, r, &h))
		add_hit(out, &h);
}

/* The test that says which devices a rule of devices is about. */
static const struct rule_test *device_test(const struct rule *r)
{
	for (size_t i = 0; i < r->n_when; i++)
		if (rule_test_about(&r->when[i]) != FACT_NODE)
			return &r->when[i];
	for (size_t i = 0; i < r->n_when; i++)
		if (r->when[i].name.n)
			return &r->when[i];
	return NULL;
}

static void try_devices(const struct look *l, const struct rule *r, const struct binding *node,
                        struct hits *out)
{
	const struct rule_test *t = device_test(r);
	struct asking a = { l, r, NULL, 0 };
	const char *device, *before = NULL;

	for (size_t i = 0; t && (device = next_device(&a, t, node, &i)) != NULL;) {
		struct binding b = *node;
		if (before && strcmp(before, device) == 0)
			continue;
		before = device; /* several rows can be of one device */
		b.own = b.device[t->fact ? t->fact->about : device_about(device)] = device;
		try_one(l, r, &b, out);
	}
}

/* Each link that somebody blames or lost, once. */
static void try_pairs(const struct look *l, const struct rule *r, struct hits *out)
{
	struct binding b = { .scope = RULE_PAIR };
	const char *before = NULL;

	for (size_t i = 0; i < l->n_troubles; i++) {
		const struct trouble *t = &l->troubles[i];
		if (t->other == SIZE_MAX || t->node > t->other)
			continue;
		if (before && strcmp(before, t->subject) == 0)
			continue;
		size_t k = 0; /* the same link of another kind of trouble */
		while (k < out->n && !(out->v[k].rule == r && out->v[k].b.node == t->node &&
		                       out->v[k].b.other == t->other))
			k++;
		if (k < out->n)
			continue;
		before = t->subject;
		b.node = t->node;
		b.other = t->other;
		b.link = t->subject;
		try_one(l, r, &b, out);
	}
}

void rule_evaluate(const struct look *l, const struct rule *r, struct hits *out)
{
	struct binding b = { .scope = r->scope, .node = SIZE_MAX, .other = SIZE_MAX };

	if (r->scope == RULE_PAIR) {
		try_pairs(l, r, out);
		return;
	}
	if (r->scope == RULE_CLUSTER) {
		if (l->n_nodes)
			try_one(l, r, &b, out);
		return;
	}
	unsigned char *nodes = rule_nodes(l, r);
	for (b.node = 0; b.node < l->n_nodes; b.node++) {
		if (!nodes[b.node])
			continue;
		if (r->scope == RULE_DEVICE)
			try_devices(l, r, &b, out);
		else
			try_one(l, r, &b, out);
	}
	free(nodes);
}

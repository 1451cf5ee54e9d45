/* From rules that hold to causes: what is alike becomes one, and explains who is slow. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"
#include "harness/diagnose/words.h"

/* ---- whom culprits are about ---- */

static void add_node(const struct look *l, const char *name, struct blamed *b, size_t *cap)
{
	size_t node = facts_find_node(l->f, name);

	if (node == SIZE_MAX)
		return;
	hb_grow(&b->v, cap, b->n + 1, sizeof *b->v);
	b->v[b->n++] = node;
}

/* A node, the ends of a link, the nodes of a leaf; of undecided ones all that it could be. */
static void add_subject(const struct look *l, const char *subject, struct blamed *b, size_t *cap)
{
	size_t x, y;

	if (facts_find_node(l->f, subject) != SIZE_MAX) {
		add_node(l, subject, b, cap);
	} else if (look_pair(l, subject, &x, &y)) {
		add_node(l, l->f->nodes[x], b, cap);
		add_node(l, l->f->nodes[y], b, cap);
	}
}

static void add_culprit(const struct look *l, const struct culprit *c, struct blamed *b)
{
	struct nodeset set = { 0 };
	size_t cap = 0;

	add_subject(l, c->subject, b, &cap);
	for (const char *p = c->others; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		char *one = hb_strndup(p, n);
		add_subject(l, one, b, &cap);
		free(one);
		p += n;
	}
	if (c->nodes && nodeset_parse(c->nodes, &set, NULL) == HB_OK)
		for (size_t i = 0; i < set.n; i++)
			add_node(l, set.v[i], b, &cap);
	nodeset_free(&set);
}

struct blamed *blamed_make(const struct look *l)
{
	size_t n = l->s->findings ? l->s->findings->n : 0;
	struct blamed *b = hb_alloc((n + 1) * sizeof *b);

	for (size_t i = 0; i < n; i++)
		add_culprit(l, &l->s->findings->v[i], &b[i]);
	return b;
}

void blamed_free(const struct look *l, struct blamed *b)
{
	size_t n = l->s->findings ? l->s->findings->n : 0;

	for (size_t i = 0; i < n; i++)
		free(b[i].v);
	free(b);
}

/* ---- what a cause explains ---- */

/* Does the rule say that it can be the cause of such a culprit? */
static bool rule_fits(const struct rule *r, const struct culprit *c)
{
	struct rule_words bench = { r->explains, r->n_explains };

	if (r->explains_kinds && !(r->explains_kinds & (1u << c->kind)))
		return false;
	for (size_t i = 0; i < c->n_evidence; i++)
		if (rule_words_fit(&bench, c->evidence[i].key->bench))
			return true;
	return !c->n_evidence && r->n_explains > 0;
}

static bool fits_nodes(const struct hit *h, const struct blamed *b, const unsigned char *nodes)
{
	bool a_in = false, b_in = false;

	if (h->b.scope == RULE_CLUSTER)
		return true;
	for (size_t i = 0; i < b->n; i++) {
		if (h->b.scope != RULE_PAIR && nodes[b->v[i]])
			return true;
		a_in |= b->v[i] == h->b.node;
		b_in |= b->v[i] == h->b.other;
	}
	return h->b.scope == RULE_PAIR && a_in && b_in;
}

static void explain(const struct look *l, const struct hit *h, const struct blamed *blamed,
                    const unsigned char *nodes, struct cause *c)
{
	size_t n = l->s->findings ? l->s->findings->n : 0, cap = 0;

	for (size_t i = 0; h->rule->n_explains && i < n; i++) {
		const struct culprit *who = &l->s->findings->v[i];
		if (!rule_fits(h->rule, who) || !fits_nodes(h, &blamed[i], nodes))
			continue;
		hb_grow(&c->explains, &cap, c->n_explains + 1, sizeof *c->explains);
		c->explains[c->n_explains++] = i;
	}
}

/*
 * What decides which cause stands first, all in this place. What explains somebody who is slow goes
 * before what does not, and what is so of few nodes before what is so of most or of the whole
 * cluster, since that does not tell the slow from the others: at its partners a lossy node leaves
 * traces too. A rule of figures alone says what is seen, not why: it comes behind both. Then
 * severity, confidence, and how many tests of figures hold.
 */
enum {
	RANK_EXPLAINS = 2000,
	RANK_EXPLAINS_COMMON = 1000,
	RANK_EXPLAINS_SEEN = 500, /* by figures alone */
	RANK_SEVERITY = 100,      /* a step: note, warning, error */
	RANK_CONFIDENCE = 10,     /* a step: possible, likely, certain */
	RANK_FIGURES_MAX = 9,
	RANK_SUPPRESSED = -10000
};

/* Of the whole cluster, or of more than half of its nodes. */
static bool is_common(const struct look *l, const struct hit *h, size_t n)
{
	return h->b.scope == RULE_CLUSTER ||
	       (h->b.scope != RULE_PAIR && n > 1 && 2 * n > l->n_nodes);
}

/* n: how many nodes it is about. */
static double rank_of(const struct look *l, const struct hit *h, const struct cause *c, size_t n)
{
	double rank = c->suppressed ? RANK_SUPPRESSED : 0;
	size_t figures = 0;

	for (size_t i = 0; i < h->rule->n_when; i++)
		figures += rule_tests[h->rule->when[i].kind].figures;
	if (c->n_explains && figures == h->rule->n_when)
		rank += RANK_EXPLAINS_SEEN;
	else if (c->n_explains)
		rank += is_common(l, h, n) ? RANK_EXPLAINS_COMMON : RANK_EXPLAINS;
	rank += RANK_SEVERITY * (RULE_NOTE - (int)c->severity);
	rank += RANK_CONFIDENCE * (RULE_POSSIBLE - (int)c->confidence);
	return rank + (double)(figures < RANK_FIGURES_MAX ? figures : RANK_FIGURES_MAX);
}

/* ---- suppression ---- */

/* Of all nodes, or of the subject as it is told. */
static bool suppresses(const struct suppression *s, const struct cause *c, const struct look *l,
                       const unsigned char *nodes, const char *device)
{
	if (s->expired || fnmatch(s->rule, c->rule, FNM_NOESCAPE) != 0)
		return false;
	if (!s->subject || fnmatch(s->subject, c->subject, FNM_NOESCAPE) == 0)
		return true;
	if (!nodes)
		return false;
	for (size_t i = 0; i < l->n_nodes; i++) {
		if (!nodes[i])
			continue;
		char *one = device ? hb_format("%s/%s", l->f->nodes[i], device)
		                   : hb_strdup(l->f->nodes[i]);
		bool fits = fnmatch(s->subject, one, FNM_NOESCAPE) == 0;
		free(one);
		if (!fits)
			return false;
	}
	return true;
}

static void suppress(const struct rules *rules, const struct look *l, const struct hit *h,
                     const unsigned char *nodes, struct cause *c)
{
	const char *slash = h->b.scope == RULE_DEVICE ? strchr(c->subject, '/') : NULL;
	bool single = h->b.scope == RULE_NODE || h->b.scope == RULE_DEVICE;

	for (size_t i = 0; i < rules->n_suppress && !c->suppressed; i++) {
		const struct suppression *s = &rules->suppress[i];
		if (suppresses(s, c, l, single ? nodes : NULL, slash ? slash + 1 : NULL))
			c->suppressed = hb_format("until %s: %s", s->until, s->reason);
	}
}

/* ---- joining ---- */

struct like {
	char *pattern;
	size_t hit;
};

static int by_pattern(const void *a, const void *b)
{
	const struct like *x = a, *y = b;
	int c = strcmp(x->pattern, y->pattern);
	return c ? c : (x->hit > y->hit) - (x->hit < y->hit);
}

/* The figure that a hit is compared by with its like; more is worse. */
static double weight(const struct hit *h)
{
	for (size_t i = 0; i < h->rule->n_when; i++) {
		const struct seen *s = &h->seen[i];
		double v = isfinite(s->number) ? s->number : s->share;
		if (seen_varies(s) && isfinite(v))
			return seen_least(s) ? -v : v;
	}
	return 0;
}

struct making {
	const struct look *l;
	const struct rules *rules;
	const struct hits *hits;
	const struct blamed *blamed;
	unsigned char *nodes; /* of the cause at hand */
};

/* Hits that are alike stand in the order of their nodes. */
static char *names_of(const struct making *m, const struct like *v, size_t n)
{
	struct nodeset set = { 0 };
	size_t before = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t node = m->hits->v[v[i].hit].b.node;
		if (node >= m->l->n_nodes || node == before)
			continue;
		hb_grow(&set.v, &set.cap, set.n + 1, sizeof *set.v);
		set.v[set.n++] = m->l->f->nodes[node]; /* borrowed: names are told once each */
		before = node;
	}
	char *text = set.n ? nodeset_text(&set) : hb_strdup("cluster");
	free(set.v);
	return text;
}

/* Two tests of one fact may say the same, or one of them a little more. */
static void add_evidence(struct cause *c, char *line)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		char *had = c->evidence[i];
		bool longer = strncmp(line, had, strlen(had)) == 0;

		if (!longer && strncmp(had, line, strlen(line)) != 0)
			continue;
		c->evidence[i] = longer ? line : had;
		free(longer ? had : line);
		return;
	}
	c->evidence[c->n_evidence++] = line;
}

static void put_evidence(const struct told *t, struct cause *c)
{
	size_t n = t->h->rule->n_when;

	c->evidence = hb_alloc(n * sizeof *c->evidence);
	for (size_t i = 0; i < n; i++) {
		struct buf line = BUF_INIT;
		told_evidence(t, i, &line);
		add_evidence(c, buf_detach(&line));
	}
}

/* What two nodes share is told of the one that has it beside the other. */
static bool of_two(const struct hit *h)
{
	for (size_t i = 0; i < h->rule->n_when; i++)
		if (h->seen[i].test->kind == TEST_SHARED)
			return true;
	return false;
}

static void make_cause(const struct making *m, const struct like *v, size_t n, struct cause *c)
{
	struct told t = { .l = m->l, .h = &m->hits->v[v[0].hit], .n = n };

	for (size_t i = 0; i < n; i++) {
		const struct hit *h = &m->hits->v[v[i].hit];
		if (h->b.node < m->l->n_nodes)
			m->nodes[h->b.node] = 1;
		if (weight(h) > weight(t.h))
			t.h = h;
	}
	char *nodes = names_of(m, v, n);
	const struct rule *r = t.h->rule;
	t.nodes = nodes;
	*c = (struct cause){ .severity = r->severity, .confidence = r->confidence };
	c->subject = told_subject(&t);
	c->rule = hb_strdup(r->id);
	c->title = hb_strdup(r->title);
	if (of_two(t.h)) {
		t.nodes = told_node(&t, t.h->b.node);
		t.n = 1;
	}
	c->text = told_text(&t, r->message);
	c->next = told_text(&t, r->next);
	c->refute = told_text(&t, r->refute);
	put_evidence(&t, c);
	explain(m->l, t.h, m->blamed, m->nodes, c);
	suppress(m->rules, m->l, t.h, m->nodes, c);
	c->rank = rank_of(m->l, t.h, c, n);
	for (size_t i = 0; i < n; i++)
		if (m->hits->v[v[i].hit].b.node < m->l->n_nodes)
			m->nodes[m->hits->v[v[i].hit].b.node] = 0;
	free(nodes);
}

void causes_make(const struct look *l, const struct rules *rules, const struct hits *h,
                 struct diagnosis *out)
{
	struct like *v = hb_alloc((h->n + 1) * sizeof *v);
	struct blamed *blamed = blamed_make(l);
	struct making m = { l, rules, h, blamed, hb_alloc(l->n_nodes + 1) };
	size_t n = 1;

	for (size_t i = 0; i < h->n; i++) {
		struct buf pattern = BUF_INIT;
		hit_pattern(&h->v[i], &pattern);
		v[i] = (struct like){ buf_detach(&pattern), i };
	}
	qsort(v, h->n, sizeof *v, by_pattern);
	for (size_t i = 0; i < h->n; i += n) {
		for (n = 1; i + n < h->n && strcmp(v[i].pattern, v[i + n].pattern) == 0;)
			n++;
		hb_grow(&out->v, &out->cap, out->n + 1, sizeof *out->v);
		make_cause(&m, &v[i], n, &out->v[out->n++]);
	}
	for (size_t i = 0; i < h->n; i++)
		free(v[i].pattern);
	free(v);
	free(m.nodes);
	blamed_free(l, blamed);
}

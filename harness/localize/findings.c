/* Findings of a run: sheet by sheet through localize; what is known of them afterwards. */
#include "harness/localize/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/localize/findings_parts.h"
#include "harness/plan/nodeset.h"

/* ---- scope ---- */

static struct findings_scope *scope_of(struct findings *f, const char *bench)
{
	for (size_t i = 0; i < f->n_scope; i++)
		if (strcmp(f->scope[i].bench, bench) == 0)
			return &f->scope[i];
	f->scope = hb_realloc_array(f->scope, f->n_scope + 1, sizeof(*f->scope));
	struct findings_scope *n = &f->scope[f->n_scope++];
	*n = (struct findings_scope){ .bench = hb_strdup(bench),
		                      .detectable = NAN,
		                      .paths_separated = true };
	return n;
}

/* Is there an earlier sheet with the same nodes, of which these pairs are the next case? */
static bool is_first(const struct sheets *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (sheets_same(&s->v[k], &s->v[i]))
			return false;
	return true;
}

static size_t count_nodes(const struct sheets *s, const char *bench)
{
	unsigned char *seen = hb_alloc(s->n_nodes + 1);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; strcmp(s->v[i].key.bench, bench) == 0 && k < s->v[i].n_ends; k++)
			n += !seen[s->v[i].ends[k].node]++;
	free(seen);
	return n;
}

static void add_scope(const struct sheets *s, size_t i, const struct localized *l,
                      struct findings *out)
{
	struct findings_scope *scope = scope_of(out, s->v[i].key.bench);
	if (is_first(s, i)) {
		scope->links_tested += l->links_tested;
		scope->links += l->links;
	}
	if (isfinite(l->detectable))
		scope->detectable = fmax(isfinite(scope->detectable) ? scope->detectable : 0.0,
		                         l->detectable);
	scope->stored = scope->stored || l->stored;
	scope->paths_separated = scope->paths_separated && l->paths_separated;
}

size_t findings_nodes(const struct sheet *v)
{
	size_t n = 0;
	uint32_t last = LOC_NONE; /* ends stand node by node */
	for (size_t i = 0; i < v->n_ends; i++) {
		n += v->ends[i].node != last;
		last = v->ends[i].node;
	}
	return n;
}

void findings_make(const struct sheets *s, const struct baseline *base, struct findings *out)
{
	const struct loc_params params = LOC_PARAMS_DEFAULT;
	*out = (struct findings){ 0 };
	out->found = hb_alloc((s->n + 1) * sizeof(*out->found));
	out->n_found = s->n;
	out->baseline = base ? hb_strdup(base->name) : NULL;
	for (size_t i = 0, nodes = 0; i < s->n; i++) {
		struct loc_sheet view;
		if (findings_nodes(&s->v[i]) < FINDINGS_NODES_MIN ||
		    (nodes += s->n_nodes) > SHEETS_NODES_MAX)
			continue; /* its localized stays empty */
		sheets_view(s, i, base, &view);
		localize(&view, &params, &out->found[i]);
		add_scope(s, i, &out->found[i], out);
		findings_take(s, i, &out->found[i], out);
	}
	for (size_t i = 0; i < out->n_scope; i++)
		out->scope[i].nodes = count_nodes(s, out->scope[i].bench);
	findings_settle(s, out);
}

/* ---- asking ---- */

enum blame_class findings_class(enum loc_kind k)
{
	switch (k) {
	case LOC_LINK:
	case LOC_LINK_AB: return ABOUT_LINK;
	case LOC_LEAF: return ABOUT_LEAF;
	case LOC_RAIL: return ABOUT_RAIL;
	case LOC_SILENT: return ABOUT_SILENT;
	case LOC_NODE:
	case LOC_NODE_OUT:
	case LOC_NODE_IN:
	case LOC_KINDS:
	default: return ABOUT_NODE;
	}
}

const struct culprit *findings_of_node(const struct findings *f, const char *node)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct culprit *c = &f->v[i];
		if (c->state == LOC_SLOW && !c->unsure && findings_class(c->kind) == ABOUT_NODE &&
		    strcmp(c->subject, node) == 0)
			return c;
	}
	return NULL;
}

static bool shows_in(const struct culprit *c, const char *bench)
{
	for (size_t i = 0; i < c->n_evidence; i++)
		if (strcmp(c->evidence[i].key->bench, bench) == 0)
			return true;
	return false;
}

/* Is the word one of a comma list? */
static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);
	for (const char *p = list; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		if (n == len && strncmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

/* Does what goes from a to b cross the leaf's up-link? */
static bool crosses(const struct culprit *leaf, const char *a, const char *b)
{
	struct nodeset set = { 0 };
	if (!leaf->nodes || nodeset_parse(leaf->nodes, &set, NULL) != HB_OK)
		return false;
	bool is = (nodeset_find(&set, a) >= 0) != (nodeset_find(&set, b) >= 0);
	nodeset_free(&set);
	return is;
}

static bool covers_pair(const struct culprit *c, const char *a, const char *b)
{
	if (c->kind == LOC_LEAF)
		return crosses(c, a, b);
	if (findings_class(c->kind) != ABOUT_LINK || c->state == LOC_UNDECIDED)
		return strcmp(c->subject, a) == 0 || strcmp(c->subject, b) == 0 ||
		       in_list(c->others, a) || in_list(c->others, b);
	char *pair = hb_format("%s-%s", a, b);
	bool is = ack_covers(pair, c->subject, NULL);
	free(pair);
	return is;
}

const struct culprit *findings_of_pair(const struct findings *f, const char *bench, const char *a,
                                       const char *b)
{
	for (size_t i = 0; i < f->n; i++)
		if (shows_in(&f->v[i], bench) && covers_pair(&f->v[i], a, b))
			return &f->v[i];
	return NULL;
}

size_t findings_open(const struct findings *f, enum loc_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		n += f->v[i].state == state && f->v[i].kind != LOC_SILENT && !f->v[i].ack &&
		     !f->v[i].unsure;
	return n;
}

int findings_code(const struct findings *f)
{
	if (findings_open(f, LOC_SLOW))
		return CODE_FINDINGS;
	return findings_open(f, LOC_UNDECIDED) ? CODE_SUSPECT : CODE_OK;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].subject);
		free(f->v[i].others);
		free(f->v[i].nodes);
		free(f->v[i].text);
		free(f->v[i].evidence);
	}
	for (size_t i = 0; i < f->n_scope; i++)
		free(f->scope[i].bench);
	for (size_t i = 0; i < f->n_found; i++)
		localized_free(&f->found[i]);
	for (size_t i = 0; i < f->n_keys; i++) {
		key_free(f->keys[i]);
		free(f->keys[i]);
	}
	free(f->v);
	free(f->scope);
	free(f->found);
	free(f->keys);
	free(f->baseline);
	*f = (struct findings){ 0 };
}

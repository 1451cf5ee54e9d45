/* What the same subject shows in several sheets becomes one finding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "harness/localize/findings_parts.h"

/* ---- names ---- */

static const char *name_of(char *const *v, size_t n, uint32_t i)
{
	return i < n ? v[i] : "?";
}

void findings_end(const struct sheets *s, const struct sheet *of, uint32_t end, struct buf *out)
{
	const struct loc_end none = { LOC_NONE, LOC_NONE, LOC_NONE };
	const struct loc_end *e = end < of->n_ends ? &of->ends[end] : &none;
	buf_puts(out, name_of(s->nodes, s->n_nodes, e->node));
	if (e->rail != LOC_NONE)
		buf_printf(out, "/%s", name_of(s->rails, s->n_rails, e->rail));
}

/* The subject whichever direction: of a link the end of the lower node first. */
static char *name_blame(const struct sheets *s, const struct sheet *of, const struct loc_blame *b)
{
	struct buf text = BUF_INIT;
	switch (findings_class(b->kind)) {
	case ABOUT_LINK:
		findings_end(s, of, b->a < b->b ? b->a : b->b, &text);
		buf_putc(&text, '-');
		findings_end(s, of, b->a < b->b ? b->b : b->a, &text);
		break;
	case ABOUT_LEAF: buf_printf(&text, "leaf:%s", name_of(s->leaves, s->n_leaves, b->a)); break;
	case ABOUT_RAIL: buf_printf(&text, "rail:%s", name_of(s->rails, s->n_rails, b->a)); break;
	case ABOUT_NODE:
	case ABOUT_SILENT:
	default: buf_puts(&text, name_of(s->nodes, s->n_nodes, b->a)); break;
	}
	return buf_detach(&text);
}

/* ---- taking ---- */

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The culprit of this class and these names; takes both. */
static struct culprit *culprit_of(struct findings *f, const struct loc_blame *b, char *subject,
                                  char *others)
{
	for (size_t i = 0; i < f->n; i++) {
		struct culprit *c = &f->v[i];
		if (c->state != b->state ||
		    (c->state == LOC_SLOW && findings_class(c->kind) != findings_class(b->kind)) ||
		    strcmp(c->subject, subject) != 0 || !same_text(c->others, others))
			continue;
		free(subject);
		free(others);
		return c;
	}
	hb_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v));
	struct culprit *c = &f->v[f->n++];
	*c = (struct culprit){
		.subject = subject, .kind = b->kind, .state = b->state, .others = others
	};
	return c;
}

static void add_evidence(struct culprit *c, const struct key *key, const struct loc_blame *b,
                         const struct localized *l)
{
	hb_grow(&c->evidence, &c->cap_evidence, c->n_evidence + 1, sizeof(*c->evidence));
	c->evidence[c->n_evidence++] = (struct evidence){ key, *b, l };
}

/* One member of a group that excludes each other. */
struct member {
	char *name;
	const struct loc_blame *b;
};

/* Nodes before links, then by name: the same group has the same words in every sheet. */
static int by_name(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	enum blame_class i = findings_class(x->b->kind), k = findings_class(y->b->kind);
	return i != k ? (i < k ? -1 : 1) : strcmp(x->name, y->name);
}

static void take_group(const struct sheets *s, size_t i, const struct localized *l, size_t first,
                       struct findings *out)
{
	const struct loc_blame *lead = &l->v[first];
	struct member *v = hb_alloc((l->n + 1) * sizeof(*v));
	struct buf others = BUF_INIT;
	size_t n = 0;
	for (size_t k = first; k < l->n; k++) {
		const struct loc_blame *b = &l->v[k];
		if (b->state != LOC_UNDECIDED ||
		    (k != first && (b->group == LOC_NONE || b->group != lead->group)))
			continue;
		v[n++] = (struct member){ name_blame(s, &s->v[i], b), b };
	}
	qsort(v, n, sizeof(*v), by_name);
	for (size_t k = 1; k < n; k++) {
		/* A node as a whole and in one direction is one word. */
		if (strcmp(v[k].name, v[k - 1].name) != 0)
			buf_printf(&others, "%s%s", others.len ? "," : "", v[k].name);
	}
	struct culprit *c = culprit_of(out, v[0].b, hb_strdup(v[0].name),
	                               others.len ? buf_detach(&others) : NULL);
	add_evidence(c, &s->v[i].key, v[0].b, l);
	buf_free(&others);
	for (size_t k = 0; k < n; k++)
		free(v[k].name);
	free(v);
}

static bool group_begins(const struct localized *l, size_t at)
{
	for (size_t k = 0; k < at; k++)
		if (l->v[k].state == LOC_UNDECIDED && l->v[k].group == l->v[at].group)
			return l->v[at].group == LOC_NONE;
	return true;
}

void findings_take(const struct sheets *s, size_t i, const struct localized *l,
                   struct findings *out)
{
	const struct sheet *of = &s->v[i];
	for (size_t k = 0; k < l->n; k++) {
		struct loc_blame b = l->v[k];
		if (b.state == LOC_UNDECIDED) {
			if (group_begins(l, k))
				take_group(s, i, l, k, out);
			continue;
		}
		struct culprit *c = culprit_of(out, &b, name_blame(s, of, &b), NULL);
		add_evidence(c, &of->key, &b, l);
	}
}

/* ---- settling ---- */

static bool is_directed(const struct evidence *e)
{
	const struct bench_info *info = catalog_find(e->key->bench);
	return info && (info->flags & BENCH_DIRECTED);
}

static const struct sheet *sheet_of(const struct sheets *s, const struct evidence *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (&s->v[i].key == e->key)
			return &s->v[i];
	return NULL;
}

static bool same_word(const struct loc_blame *x, const struct loc_blame *y)
{
	return x->kind == y->kind && (x->kind != LOC_LINK_AB || (x->a < x->b) == (y->a < y->b));
}

/*
 * The word of the directed benchmarks: a direction that at least half of their sheets name, and of
 * which none names the other one; else the first. NULL: no such benchmark shows it.
 */
static const struct evidence *word_of_directed(const struct culprit *c)
{
	const struct evidence *word = NULL;
	enum loc_kind whole = findings_class(c->kind) == ABOUT_NODE ? LOC_NODE : LOC_LINK;
	size_t n = 0, same = 0;
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct evidence *e = &c->evidence[i];
		if (!is_directed(e))
			continue;
		n++;
		if (e->blame.kind == whole)
			continue;
		if (word && !same_word(&word->blame, &e->blame))
			return NULL;
		word = e;
		same++;
	}
	return 2 * same >= n ? word : NULL;
}

static void settle_kind(const struct sheets *s, struct culprit *c)
{
	enum blame_class class = findings_class(c->kind);
	const struct evidence *word = word_of_directed(c);
	if (class != ABOUT_NODE && class != ABOUT_LINK)
		return;
	c->kind = class == ABOUT_NODE ? LOC_NODE : LOC_LINK;
	if (!word || word->blame.kind == c->kind)
		return;
	c->kind = word->blame.kind;
	const struct sheet *of = sheet_of(s, word);
	struct buf name = BUF_INIT;
	if (c->kind != LOC_LINK_AB || !of)
		return;
	findings_end(s, of, word->blame.a, &name);
	buf_putc(&name, '>');
	findings_end(s, of, word->blame.b, &name);
	free(c->subject);
	c->subject = buf_detach(&name);
}

static bool is_member(const struct culprit *group, const char *name)
{
	size_t len = strlen(name);
	if (strcmp(group->subject, name) == 0)
		return true;
	for (const char *p = group->others; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		if (n == len && strncmp(p, name, n) == 0)
			return true;
		p += n;
	}
	return false;
}

/* One of the group is blamed by other sheets, or of a silent node nothing more need be told. */
static bool is_explained(const struct findings *f, const struct culprit *group)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].state == LOC_SLOW && !f->v[i].unsure &&
		    is_member(group, f->v[i].subject))
			return true;
	return false;
}

static void drop_explained(struct findings *f)
{
	bool *drop = hb_alloc(f->n + 1);
	size_t kept = 0;
	for (size_t i = 0; i < f->n; i++)
		drop[i] = f->v[i].state == LOC_UNDECIDED && is_explained(f, &f->v[i]);
	for (size_t i = 0; i < f->n; i++) {
		if (!drop[i]) {
			f->v[kept++] = f->v[i];
			continue;
		}
		free(f->v[i].subject);
		free(f->v[i].others);
		free(f->v[i].evidence);
	}
	f->n = kept;
	free(drop);
}

/* ---- the order ---- */

static double loss_of(double loss)
{
	return isfinite(loss) ? loss : 0.0;
}

static int by_loss(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;
	double i = loss_of(x->blame.loss), k = loss_of(y->blame.loss);
	if (i != k)
		return i > k ? -1 : 1;
	return strcmp(x->key->text, y->key->text);
}

/* Slow, then silent, then undecided ones, at last the unsure; the worst of each first. */
static int place_of(const struct culprit *c)
{
	return c->unsure ? 3 : c->state == LOC_UNDECIDED ? 2 : c->kind == LOC_SILENT;
}

static int by_worst(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	int i = place_of(x), k = place_of(y);
	if (i != k)
		return i - k;
	if (x->loss != y->loss)
		return x->loss > y->loss ? -1 : 1;
	i = strcmp(x->subject, y->subject);
	return i ? i : strcmp(x->others ? x->others : "", y->others ? y->others : "");
}

void findings_settle(const struct sheets *s, struct findings *out)
{
	findings_weigh(out);
	drop_explained(out);
	for (size_t i = 0; i < out->n; i++) {
		struct culprit *c = &out->v[i];
		if (c->n_evidence)
			qsort(c->evidence, c->n_evidence, sizeof(*c->evidence), by_loss);
		c->loss = c->n_evidence ? loss_of(c->evidence[0].blame.loss) : 0.0;
		if (c->state == LOC_SLOW)
			settle_kind(s, c);
		uint32_t leaf = c->n_evidence ? c->evidence[0].blame.a : 0;
		if (c->kind == LOC_LEAF && leaf < s->n_leaves && s->leaf_nodes)
			c->nodes = hb_strdup(s->leaf_nodes[leaf]);
		findings_text(c);
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_worst);
}

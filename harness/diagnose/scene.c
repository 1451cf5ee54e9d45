/* A scene made ready to be asked: classes, who is in trouble, whose figures lie where. */
#include "harness/diagnose/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"

double look_number(const char *text)
{
	const char *end = NULL;
	double v = NAN;

	if (!text || !num_parse(text, &end, &v) || *end)
		return NAN;
	return v;
}

/* ---- hardware classes ---- */

struct class_at {
	const char *hw;
	size_t node;
};

static int by_hw(const void *a, const void *b)
{
	const struct class_at *x = a, *y = b;
	int c = strcmp(x->hw, y->hw);
	return c ? c : (x->node > y->node) - (x->node < y->node);
}

static void make_classes(struct look *l)
{
	size_t n = l->n_nodes;
	struct class_at *v = hb_alloc((n + 1) * sizeof *v);

	l->class_of = hb_alloc((n + 1) * sizeof *l->class_of);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct class_at){ l->f->hw[i] ? l->f->hw[i] : "", i };
	qsort(v, n, sizeof *v, by_hw);
	for (size_t i = 0; i < n; i++) {
		l->n_classes += i == 0 || strcmp(v[i].hw, v[i - 1].hw) != 0;
		l->class_of[v[i].node] = l->n_classes - 1;
	}
	free(v);
}

/* ---- trouble ---- */

bool look_pair(const struct look *l, const char *subject, size_t *a, size_t *b)
{
	for (const char *p = subject; *p; p++) {
		if (*p != '-' && *p != '>')
			continue;
		char *first = hb_strndup(subject, (size_t)(p - subject));
		*a = facts_find_node(l->f, first);
		free(first);
		*b = *a == SIZE_MAX ? SIZE_MAX : facts_find_node(l->f, p + 1);
		if (*b != SIZE_MAX)
			return true;
	}
	return false;
}

static void add_trouble(struct look *l, struct trouble t)
{
	hb_grow(&l->troubles, &l->cap_troubles, l->n_troubles + 1, sizeof t);
	l->troubles[l->n_troubles++] = t;
}

/* Of every node that the subject is about. */
static void add_of_subject(struct look *l, struct trouble t, const char *nodes)
{
	struct nodeset set = { 0 };
	size_t a = facts_find_node(l->f, t.subject), b = SIZE_MAX;

	t.node = t.other = SIZE_MAX;
	if (a != SIZE_MAX) {
		t.node = a;
		add_trouble(l, t);
	} else if (look_pair(l, t.subject, &a, &b)) {
		t.node = a;
		t.other = b;
		add_trouble(l, t);
		t.node = b;
		t.other = a;
		add_trouble(l, t);
	} else if (nodes && nodeset_parse(nodes, &set, NULL) == HB_OK) {
		for (size_t i = 0; i < set.n; i++) {
			t.node = facts_find_node(l->f, set.v[i]);
			if (t.node != SIZE_MAX)
				add_trouble(l, t);
		}
	} else {
		add_trouble(l, t);
	}
	nodeset_free(&set);
}

static void add_culprits(struct look *l, const struct findings *f)
{
	for (size_t i = 0; f && i < f->n; i++) {
		const struct culprit *c = &f->v[i];
		for (size_t j = 0; j < c->n_evidence; j++) {
			const struct evidence *e = &c->evidence[j];
			struct trouble t = { .subject = c->subject,
				             .bench = e->key->bench,
				             .bytes = e->key->bytes,
				             .kind = c->kind,
				             .loss = e->blame.loss };
			add_of_subject(l, t, c->nodes);
		}
	}
}

static void add_verdicts(struct look *l, const struct verdicts *v)
{
	for (size_t i = 0; v && i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		struct trouble t = { .subject = r->subject,
			             .bench = r->key->bench,
			             .bytes = r->key->bytes,
			             .kind = SLOW_REGRESSED,
			             .loss = r->loss };
		if (r->verdict == VERDICT_REGRESSED)
			add_of_subject(l, t, NULL);
	}
}

static void add_losses(struct look *l, const struct summary *s)
{
	for (size_t i = 0; s && i < s->n_losses; i++) {
		struct trouble t = { .subject = s->losses[i].subject,
			             .bench = s->losses[i].bench,
			             .kind = SLOW_LOST,
			             .loss = NAN };
		if (t.subject)
			add_of_subject(l, t, NULL);
	}
}

static int by_node(const void *a, const void *b)
{
	const struct trouble *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	double lx = isfinite(x->loss) ? x->loss : 0, ly = isfinite(y->loss) ? y->loss : 0;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (lx < ly) - (lx > ly);
}

/* ---- figures ---- */

static void make_figures(struct look *l)
{
	const struct scene *s = l->s;
	size_t n = s->n_figures, *node = hb_alloc((n + 1) * sizeof *node);

	l->begin = hb_alloc((l->n_nodes + 2) * sizeof *l->begin);
	l->order = hb_alloc((n + 1) * sizeof *l->order);
	for (size_t i = 0; i < n; i++) {
		node[i] = facts_find_node(l->f, s->figures[i].node);
		if (node[i] != SIZE_MAX)
			l->begin[node[i] + 2]++;
	}
	for (size_t i = 2; i < l->n_nodes + 2; i++)
		l->begin[i] += l->begin[i - 1];
	for (size_t i = 0; i < n; i++)
		if (node[i] != SIZE_MAX)
			l->order[l->begin[node[i] + 1]++] = i;
	free(node);
}

void look_make(const struct scene *s, struct look *out)
{
	*out = (struct look){ .s = s, .f = s->facts, .n_nodes = s->facts->n_nodes };
	make_classes(out);
	add_culprits(out, s->findings);
	add_verdicts(out, s->verdicts);
	add_losses(out, s->summary);
	if (out->n_troubles)
		qsort(out->troubles, out->n_troubles, sizeof *out->troubles, by_node);
	make_figures(out);
	look_cache_make(out);
	look_mains_make(out);
	if (s->findings) {
		out->judged = hb_alloc((s->findings->n_scope + 1) * sizeof *out->judged);
		for (size_t i = 0; i < s->findings->n_scope; i++)
			out->judged[out->n_judged++] = s->findings->scope[i].bench;
	}
}

void look_free(struct look *l)
{
	free(l->class_of);
	free(l->troubles);
	free(l->order);
	free(l->begin);
	free(l->judged);
	look_cache_free(l);
	look_mains_free(l);
	*l = (struct look){ 0 };
}

/* ---- rows and devices ---- */

/* The first row from lo on that is not before (after: that is after) key, of len bytes. */
static size_t row_at(const struct look *l, size_t lo, const char *key, size_t len, bool open,
                     bool after)
{
	size_t hi = l->f->n_rows;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strncmp(l->f->rows[mid].key, key, len);
		if (c == 0 && !open && l->f->rows[mid].key[len])
			c = 1; /* a longer key */
		if (c < 0 || (after && c == 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct row_range look_rows(const struct look *l, const char *key)
{
	size_t len = strlen(key);
	bool open = len > 1 && key[len - 1] == '*'; /* "env.*" */

	len -= open;
	size_t first = row_at(l, 0, key, len, open, false);
	size_t n = row_at(l, first, key, len, open, true) - first;
	return (struct row_range){ n ? l->f->rows + first : NULL, n };
}

struct row_range look_rows_on(const struct look *l, const char *key, const char *device)
{
	struct row_range all = look_rows(l, key);
	size_t lo = 0, hi = all.n, n = 0;

	if (all.n && strcmp(all.v[0].key, all.v[all.n - 1].key) != 0)
		return all; /* of several keys: devices are not in order */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(all.v[mid].device, device) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + n < all.n && strcmp(all.v[lo + n].device, device) == 0)
		n++;
	return (struct row_range){ n ? all.v + lo : NULL, n };
}

const char *bound_device(const struct binding *b, const struct rule_test *t)
{
	enum fact_about about = rule_test_about(t);
	return about == FACT_NODE || !b->device[about] ? "" : b->device[about];
}

bool bound_any(const struct binding *b)
{
	for (size_t i = 0; i < ABOUTS; i++)
		if (b->device[i])
			return true;
	return false;
}

bool bound_has(const struct binding *b, const char *device)
{
	for (size_t i = 0; i < ABOUTS; i++)
		if (b->device[i] && strcmp(b->device[i], device) == 0)
			return true;
	return false;
}

enum fact_about device_about(const char *device)
{
	if (strncmp(device, "gpu", 3) == 0 && device[3] >= '0' && device[3] <= '9')
		return FACT_GPU;
	if (strncmp(device, "fs:", 3) == 0)
		return FACT_FOLDER;
	if (strncmp(device, "lib:", 4) == 0)
		return FACT_LIB;
	if (strncmp(device, "peer:", 5) == 0)
		return FACT_PEER;
	return strchr(device, ':') ? FACT_PORT : FACT_NETDEV;
}

const char *look_was(const struct look *l, const char *device, const char *key, size_t node)
{
	const struct facts *base = l->s->base_facts;
	const struct fact_row *row = base ? facts_row(base, device, key) : NULL;
	const char *hw = node < l->n_nodes ? l->f->hw[node] : NULL, *best = NULL;
	size_t most = 0;

	for (size_t i = 0; row && i < row->n; i++) {
		const struct fact_value *v = &row->v[i];
		size_t n = 0;
		for (size_t j = 0; v->text && j < v->n; j++) {
			const char *theirs = base->hw[v->nodes[j]];
			n += !hw || !theirs || strcmp(hw, theirs) == 0;
		}
		if (n > most) {
			most = n;
			best = v->text;
		}
	}
	return best;
}

void seen_init(struct seen *s, const struct rule_test *t, const struct binding *b)
{
	*s = (struct seen){ .test = t,
		            .node = b->node,
		            .other = SIZE_MAX,
		            .key = t->key,
		            .number = NAN,
		            .limit = NAN,
		            .share = NAN,
		            .bytes = NAN };
}

/* Who differs from its peers, and what from a baseline (facts.h says what counts). */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts_inside.h"

enum { VALUES_MAX = 64, ENTRIES_MAX = 16384 };

/* What a node said of a row: cells of one class lie together, and of one value in it. */
struct said {
	size_t class, value, node; /* value row->n: nothing at all */
};

struct drifting {
	const struct facts *f;
	struct drift *out;
	bool *tells_node, *tells_libs; /* of each node: did it tell anything of the kind */
	struct said *v;
	size_t n;
};

static bool begins(const char *key, const char *prefix)
{
	return strncmp(key, prefix, strlen(prefix)) == 0;
}

static bool of_libs(const struct fact_row *row)
{
	return (row->info && row->info->about == FACT_LIB) || begins(row->key, "mpi.") ||
	       begins(row->key, "env.") || begins(row->key, "world.");
}

static bool is_setting(const struct fact_row *row)
{
	return begins(row->key, "env.") || begins(row->key, "mpi.");
}

/* The one fact by which it is told that a device or the like is not there. */
static bool shows_presence(const struct fact_row *row)
{
	switch (row->info->about) {
	case FACT_NODE: return is_setting(row);
	case FACT_NETDEV: return strcmp(row->key, "net.kind") == 0;
	case FACT_PORT: return strcmp(row->key, "rdma.state") == 0;
	case FACT_GPU: return strcmp(row->key, "gpu.model") == 0;
	case FACT_FOLDER: return strcmp(row->key, "fs.type") == 0;
	case FACT_LIB: return strcmp(row->key, "lib.path") == 0;
	case FACT_PEER: return false;
	}
	return false;
}

/* Devices that come and go with what runs on a node, and libraries that are loaded on demand. */
static bool may_be_extra(const struct fact_row *row, const struct fact_value *v)
{
	if (row->info->about == FACT_LIB)
		return true;
	return row->info->about == FACT_NETDEV && v->text && strcmp(v->text, "physical") != 0 &&
	       strcmp(v->text, "ipoib") != 0 && strcmp(v->text, "bond") != 0;
}

/* The harness tells some things of nodes that never spoke: those do not count here. */
static void who_tells(struct drifting *d)
{
	const struct facts *f = d->f;

	d->tells_node = hb_alloc(f->n_nodes + 1);
	d->tells_libs = hb_alloc(f->n_nodes + 1);
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];
		bool libs = of_libs(row) && !begins(row->key, "env.");
		bool *mark = libs ? d->tells_libs : d->tells_node;

		if (!libs && !begins(row->key, "net.") && !begins(row->key, "cpu.") &&
		    !begins(row->key, "kernel.") && !begins(row->key, "limit."))
			continue;
		for (size_t k = 0; k < row->n; k++)
			for (size_t m = 0; m < row->v[k].n; m++)
				mark[row->v[k].nodes[m]] = true;
	}
}

static int by_class_value(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* All that told the row, and those that should have, by class and value. */
static void gather(struct drifting *d, const struct fact_row *row)
{
	const bool *tells = of_libs(row) ? d->tells_libs : d->tells_node;
	bool presence = shows_presence(row);

	d->n = 0;
	for (size_t node = 0; node < d->f->n_nodes; node++) {
		const struct fact_value *v = facts_value(row, node);

		if (v)
			d->v[d->n++] = (struct said){ facts_class(d->f, row, node),
				                      (size_t)(v - row->v), node };
		else if (presence && tells[node])
			d->v[d->n++] = (struct said){ facts_class(d->f, row, node), row->n, node };
	}
	if (d->n)
		qsort(d->v, d->n, sizeof *d->v, by_class_value);
}

static size_t *nodes_of(const struct said *v, size_t n)
{
	size_t *nodes = hb_realloc_array(NULL, n, sizeof *nodes);

	for (size_t i = 0; i < n; i++)
		nodes[i] = v[i].node;
	return nodes;
}

static struct fact_drift *add(struct drifting *d, const struct fact_row *row, const struct said *v,
                              size_t n)
{
	struct drift *out = d->out;

	if (out->n >= ENTRIES_MAX)
		return NULL;
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n] = (struct fact_drift){ .row = row,
		                              .value = v->value < row->n ? &row->v[v->value] : NULL,
		                              .nodes = nodes_of(v, n),
		                              .n = n };
	return &out->v[out->n++];
}

/* Length of the run of one value that begins at v. */
static size_t run_of(const struct said *v, const struct said *end)
{
	size_t n = 0;

	while (v + n < end && v[n].value == v->value)
		n++;
	return n;
}

static bool known(const struct fact_row *row, size_t value)
{
	return value < row->n && row->v[value].text;
}

/* n others have a thing, of as many as of: would facts_peers tell it to one of another n_own? */
static bool majority(size_t n, size_t of, size_t n_own)
{
	return n >= 2 && 3 * n >= 2 * of && n > n_own;
}

/* What a class says: the value that most have, and how many tell what. */
struct census {
	size_t top, top_n, have, told, all, values;
};

static struct census count(const struct fact_row *row, const struct said *v, const struct said *end)
{
	struct census c = { SIZE_MAX, 0, 0, 0, 0, 0 };

	for (size_t n; v < end; v += n) {
		n = run_of(v, end);
		c.all += n;
		if (v->value < row->n)
			c.told += n;
		if (!known(row, v->value))
			continue;
		c.have += n;
		c.values++;
		if (n > c.top_n) {
			c.top = v->value;
			c.top_n = n;
		}
	}
	return c;
}

/* Who says nothing while nearly all others do; or the other way round. */
static bool presence_of(struct drifting *d, const struct fact_row *row, const struct said *v,
                        const struct said *end, const struct census *c)
{
	size_t missing = c->all - c->told;

	if (!missing)
		return false;
	if (majority(c->told, c->all - 1, missing)) {
		struct fact_drift *e = add(d, row, end - missing, missing);

		if (e) {
			e->peers = c->top == SIZE_MAX ? NULL : row->v[c->top].text;
			e->n_peers = c->told;
			e->of_peers = c->all - missing;
		}
		return false;
	}
	if (!majority(missing, c->all - 1, c->told))
		return false;
	for (size_t n; v < end && v->value < row->n; v += n) {
		n = run_of(v, end);
		if (may_be_extra(row, &row->v[v->value]))
			continue;
		struct fact_drift *e = add(d, row, v, n);

		if (e)
			e->n_peers = missing;
	}
	return true;
}

static void class_drift(struct drifting *d, const struct fact_row *row, const struct said *v,
                        const struct said *end)
{
	struct census c = count(row, v, end);
	size_t told = 0;

	if (presence_of(d, row, v, end, &c) || c.have == 0)
		return;
	bool split = c.values > 1;

	/* A second value never hides a majority but its own. */
	for (const struct said *p = v; split && p < end; p += run_of(p, end))
		if (known(row, p->value) && p->value != c.top)
			split = !majority(c.top_n, c.have - 1, run_of(p, end));
	for (size_t n; v < end && told < VALUES_MAX; v += n) {
		n = run_of(v, end);
		bool has = known(row, v->value);

		if (v->value >= row->n || (has && v->value == c.top && !split))
			continue;
		if (!has && (split || !majority(c.top_n, c.have, 0)))
			continue;
		struct fact_drift *e = add(d, row, v, n);

		told++;
		if (!e)
			return;
		e->peers = split ? NULL : row->v[c.top].text;
		e->n_peers = split ? c.have - n : c.top_n;
		e->of_peers = c.have - (has ? n : 0);
	}
}

/* ---- against a baseline ---- */

static void add_change(struct drifting *d, const struct fact_row *row, const char *was,
                       const char *is, const struct said *v, size_t n)
{
	struct drift *out = d->out;

	if (out->n_changes >= ENTRIES_MAX)
		return;
	hb_grow(&out->changes, &out->cap_changes, out->n_changes + 1, sizeof *out->changes);
	out->changes[out->n_changes++] = (struct fact_change){ row->device, row->key,       was,
		                                               is,          nodes_of(v, n), n };
}

/* The baseline's node that stands for the class of this one; SIZE_MAX: it knows no such. */
static size_t base_node(const struct facts *base, const char *hw)
{
	for (size_t i = 0; i < base->n_nodes; i++)
		if (base->hw[i] && hw ? strcmp(base->hw[i], hw) == 0 : !base->hw[i] && !hw)
			return i;
	return !hw && base->n_nodes == 1 ? 0 : SIZE_MAX;
}

static void class_changes(struct drifting *d, const struct facts *base, const struct fact_row *row,
                          const struct said *v, const struct said *end)
{
	size_t at = base_node(base, d->f->hw[v->node]);

	if (at == SIZE_MAX)
		return;
	const char *was = facts_text(base, at, row->device, row->key);

	if (!was && !(is_setting(row) && begins(row->key, "env.")))
		return;
	for (size_t n; v < end; v += n) {
		n = run_of(v, end);
		const char *is = v->value < row->n ? row->v[v->value].text : NULL;

		if (is && was ? strcmp(is, was) != 0 : is || v->value >= row->n)
			if (is || was)
				add_change(d, row, was, is, v, n);
	}
}

/* Rows that nobody tells any more. */
static void gone(struct drifting *d, const struct facts *base)
{
	for (size_t i = 0; i < base->n_rows; i++) {
		const struct fact_row *row = &base->rows[i];
		const bool *tells = of_libs(row) ? d->tells_libs : d->tells_node;

		if (!row->info || row->info->peers != FACT_ALIKE || !shows_presence(row) ||
		    facts_row(d->f, row->device, row->key))
			continue;
		for (size_t b = 0; b < base->n_nodes; b++) {
			const char *was = facts_text(base, b, row->device, row->key);

			d->n = 0;
			for (size_t node = 0; was && node < d->f->n_nodes; node++)
				if (tells[node] && base_node(base, d->f->hw[node]) == b)
					d->v[d->n++] = (struct said){ 0, 0, node };
			if (d->n)
				add_change(d, row, was, NULL, d->v, d->n);
		}
	}
}

static int by_few(const void *a, const void *b)
{
	const struct fact_drift *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->nodes[0] > y->nodes[0]) - (x->nodes[0] < y->nodes[0]);
}

void drift_make(const struct facts *f, const struct facts *base, struct drift *out)
{
	struct drifting d = { .f = f, .out = out };

	*out = (struct drift){ 0 };
	if (!f->index)
		return;
	who_tells(&d);
	d.v = hb_alloc((f->n_nodes + 1) * sizeof *d.v);
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];

		if (!row->info || row->info->peers != FACT_ALIKE)
			continue;
		if (!base && row->n == 1 && row->v[0].n == f->n_nodes)
			continue; /* nearly all: everybody says the same */
		gather(&d, row);
		for (size_t k = 0, n; k < d.n; k += n) {
			for (n = 1; k + n < d.n && d.v[k + n].class == d.v[k].class;)
				n++;
			class_drift(&d, row, d.v + k, d.v + k + n);
			if (base && row->info->about != FACT_PEER)
				class_changes(&d, base, row, d.v + k, d.v + k + n);
		}
	}
	if (base)
		gone(&d, base);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_few);
	free(d.v);
	free(d.tells_node);
	free(d.tells_libs);
}

void drift_free(struct drift *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i].nodes);
	for (size_t i = 0; i < d->n_changes; i++)
		free(d->changes[i].nodes);
	free(d->v);
	free(d->changes);
	*d = (struct drift){ 0 };
}

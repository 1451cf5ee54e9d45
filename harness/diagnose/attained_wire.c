/* Which devices the bytes took, where it was not the one that promises most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/nodeset.h"
#include "bench/base/num.h"
#include "harness/diagnose/expected.h"

/* Nodes whose bytes took `took` instead of `best`. */
struct detour {
	const char *took, *best;
	struct nodeset nodes;
	double share, best_share; /* of the node where it is least; of the one where it is most */
};
struct detours {
	struct detour *v;
	size_t n, cap;
};

static double rate_of(const struct facts *f, size_t node, const char *device)
{
	double port = facts_number(f, node, device, "rdma.rate_bps");

	return isnan(port) ? facts_number(f, node, device, "net.speed_bps") : port;
}

static const struct wire_share *share_of(const struct wire *w, const char *device)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i].device, device) == 0)
			return &w->v[i];
	return NULL;
}

/* Is what was taken worse than what is there? A port that is as fast is none; the kernel's network
 * beside a port is, whatever its rate. */
static bool is_detour(const struct facts *f, size_t node, const struct attained_row *r,
                      const struct wire_share *took)
{
	double best = rate_of(f, node, r->device), rate = rate_of(f, node, took->device);

	if (strcmp(took->device, r->device) == 0)
		return false;
	if (r->promise->coarse != WIRE_ETHERNET && !took->port)
		return true;
	return rate < 0.9 * best;
}

static struct detour *detour_at(struct detours *all, const char *took, const char *best)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].took, took) == 0 && strcmp(all->v[i].best, best) == 0)
			return &all->v[i];
	hb_grow(&all->v, &all->cap, all->n + 1, sizeof(*all->v));
	all->v[all->n] = (struct detour){ .took = took, .best = best, .share = 1 };
	return &all->v[all->n++];
}

static void look_at(const struct attained_row *r, const struct facts *f, struct detours *all)
{
	size_t node = facts_find_node(f, r->subject);
	struct wire w;

	if (node == SIZE_MAX || !r->device || !r->promise || !wire_of(f, node, &w) || w.n == 0 ||
	    w.bytes < ATTAINED_WIRE_MIN || !is_detour(f, node, r, &w.v[0]))
		return;
	const struct wire_share *best = share_of(&w, r->device);
	double best_share = best ? best->share : 0;
	if (w.v[0].share < 0.5 || best_share > 0.5)
		return;
	struct detour *d = detour_at(all, w.v[0].device, r->device);
	struct hb_err err;
	nodeset_add(&d->nodes, r->subject, &err);
	d->share = fmin(d->share, w.v[0].share);
	d->best_share = fmax(d->best_share, best_share);
}

static int by_nodes(const void *a, const void *b)
{
	const struct detour *x = a, *y = b;
	int took = strcmp(x->took, y->took);

	if (x->nodes.n != y->nodes.n)
		return x->nodes.n > y->nodes.n ? -1 : 1;
	return took ? took : strcmp(x->best, y->best);
}

static void put_detour(const struct detour *d, struct buf *out)
{
	char *nodes = nodeset_text(&d->nodes), share[32], best[32];

	num_format(share, sizeof(share), "%.0f", 100 * d->share);
	num_format(best, sizeof(best), "%.0f", 100 * d->best_share);
	buf_printf(out, "%s%s %% of the bytes of %s went over %s, %s %% over %s",
	           out->len ? "; " : "", share, nodes, d->took, best, d->best);
	free(nodes);
}

char *attained_wire(const struct attained *a, const struct facts *f)
{
	struct detours all = { 0 };
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < a->n; i++)
		look_at(&a->v[i], f, &all);
	if (all.n > 1)
		qsort(all.v, all.n, sizeof(*all.v), by_nodes);
	for (size_t i = 0; i < all.n; i++) {
		if (i < ATTAINED_WIRES)
			put_detour(&all.v[i], &out);
		nodeset_free(&all.v[i].nodes);
	}
	if (all.n > ATTAINED_WIRES)
		buf_printf(&out, "; and %zu more pairs of devices", all.n - ATTAINED_WIRES);
	free(all.v);
	return out.len ? buf_detach(&out) : NULL;
}

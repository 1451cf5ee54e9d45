/* Which class of interconnect figures show, and which one hardware facts promise. */
#include <math.h>
#include <string.h>

#include "harness/diagnose/expected_parts.h"

/* A link that says 24.9 Gb/s is one of 25; a figure may pass the wire's rate by its own error. */
#define RATE_SLACK 0.02
/* Of what a class reaches: less than this does not look like it. Beside a promise of the same kind
 * a slow wire of the promised class is likelier than a healthy one of a lower class. */
#define LOOKS_LIKE          0.1
#define LOOKS_LIKE_PROMISED 0.5

/* Ethernet without RDMA, wires with it, no wire at all. */
static int rank_of(const struct wire_class *c)
{
	switch (c->coarse) {
	case WIRE_ETHERNET: return 0;
	case WIRE_MEMORY: return 2;
	case WIRE_ROCE:
	case WIRE_INFINIBAND:
	default: return 1;
	}
}

static bool lat_fits(const struct wire_class *c, double lat_s)
{
	return isnan(lat_s) || (lat_s >= c->lat_min_s && lat_s <= c->lat_max_s);
}

static bool carries(const struct wire_class *c, double rate_Bps)
{
	return isnan(rate_Bps) || rate_Bps <= c->rate_Bps * (1 + RATE_SLACK);
}

static double share_of(const struct wire_class *c, double rate_Bps)
{
	return rate_Bps / (c->rate_Bps * c->reach);
}

const struct wire_class *wire_of_link(const struct expected *e, enum wire_coarse kind, double bps)
{
	const struct wire_class *best = NULL;

	for (size_t i = 0; i < e->n_classes; i++) {
		const struct wire_class *c = &e->classes[i];
		if (c->coarse == kind && c->rate_Bps * 8 <= bps * (1 + RATE_SLACK) &&
		    (!best || c->rate_Bps > best->rate_Bps))
			best = c;
	}
	return best;
}

/* Does some class of the promise's rank answer like this? RoCE and InfiniBand are one rank: a link
 * of the one kind that is somewhat slow in latency does not become the other kind. */
static bool lat_fits_rank(const struct expected *e, const struct wire_class *promise, double lat_s)
{
	for (size_t i = 0; i < e->n_classes; i++)
		if (rank_of(&e->classes[i]) == rank_of(promise) && lat_fits(&e->classes[i], lat_s))
			return true;
	return false;
}

/* The slowest class of a kind that carries the rate and answers so fast; without a rate the
 * fastest that answers so fast: nobody is thought worse of than what is known. */
static const struct wire_class *of_kind(const struct expected *e, enum wire_coarse kind,
                                        double lat_s, double rate_Bps)
{
	const struct wire_class *best = NULL;

	for (size_t i = 0; i < e->n_classes; i++) {
		const struct wire_class *c = &e->classes[i];
		if (c->coarse != kind || !lat_fits(c, lat_s) || !carries(c, rate_Bps))
			continue;
		bool better = !best || (isnan(rate_Bps) ? c->rate_Bps > best->rate_Bps
		                                        : c->rate_Bps < best->rate_Bps);
		if (better)
			best = c;
	}
	return best;
}

static bool looks_like(const struct wire_class *c, double rate_Bps,
                       const struct wire_class *promise)
{
	bool same = promise && rank_of(promise) == rank_of(c);

	return isnan(rate_Bps) ||
	       share_of(c, rate_Bps) >= (same ? LOOKS_LIKE_PROMISED : LOOKS_LIKE);
}

/* The rate fits the promise; but a wire without RDMA may be as fast. */
static const struct wire_class *by_rate(const struct expected *e, double rate_Bps,
                                        const struct wire_class *promise)
{
	if (!promise || !(share_of(promise, rate_Bps) >= ATTAINED_BELOW))
		return NULL;
	for (size_t i = 0; i < e->n_classes; i++) {
		const struct wire_class *c = &e->classes[i];
		if (rank_of(c) != rank_of(promise) && c->coarse != WIRE_MEMORY &&
		    carries(c, rate_Bps))
			return NULL;
	}
	return promise;
}

const struct wire_class *wire_classify(const struct expected *e, double lat_s, double rate_Bps,
                                       const struct wire_class *promise)
{
	static const enum wire_coarse kinds[] = { WIRE_ETHERNET, WIRE_ROCE, WIRE_INFINIBAND };
	const struct wire_class *is = NULL;
	size_t found = 0;

	if (isnan(lat_s))
		return isnan(rate_Bps) ? NULL : by_rate(e, rate_Bps, promise);
	if (promise && lat_fits_rank(e, promise, lat_s) &&
	    (isnan(rate_Bps) || share_of(promise, rate_Bps) >= ATTAINED_BELOW))
		return promise;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct wire_class *c = of_kind(e, kinds[i], lat_s, rate_Bps);
		/* A link with RDMA is of one kind: what InfiniBand promises is not RoCE. */
		if (promise && kinds[i] != promise->coarse && c && rank_of(c) == rank_of(promise))
			continue;
		if (!c || !looks_like(c, rate_Bps, promise))
			continue;
		if (promise && c->coarse == promise->coarse)
			return c;
		is = c;
		found++;
	}
	return found == 1 ? is : NULL;
}

bool wire_below(const struct wire_class *is, double rate_Bps, const struct wire_class *promise,
                double *share)
{
	*share = NAN;
	if (!promise || promise->coarse == WIRE_MEMORY)
		return false;
	*share = share_of(promise, rate_Bps);
	return *share < ATTAINED_BELOW || (is && rank_of(is) < rank_of(promise));
}

/* ---- what the hardware promises ---- */

static bool says(const struct facts *f, size_t node, const char *device, const char *key,
                 const char *word)
{
	const char *text = facts_text(f, node, device, key);

	return text && strcmp(text, word) == 0;
}

/* A link that is up, and may carry something between nodes. */
static bool port_is_up(const struct facts *f, size_t node, const char *device,
                       enum wire_coarse *kind)
{
	*kind = says(f, node, device, "rdma.link_layer", "Ethernet") ? WIRE_ROCE : WIRE_INFINIBAND;
	return says(f, node, device, "rdma.state", "ACTIVE") &&
	       (*kind == WIRE_ROCE || says(f, node, device, "rdma.link_layer", "InfiniBand"));
}

static bool netdev_is_up(const struct facts *f, size_t node, const char *device)
{
	return says(f, node, device, "net.state", "up") &&
	       says(f, node, device, "net.kind", "physical");
}

static void offer(const struct expected *e, enum wire_coarse kind, double bps, const char *device,
                  struct wire_promise *out)
{
	/* Of two links of one rate the one with RDMA is the better. */
	if (!(bps > 0) ||
	    (out->device && (bps < out->bps || (bps <= out->bps && kind == WIRE_ETHERNET))))
		return;
	*out = (struct wire_promise){ wire_of_link(e, kind, bps), device, bps, false };
}

void wire_promise_of(const struct expected *e, const struct facts *f, size_t node,
                     struct wire_promise *out)
{
	size_t up = 0, wires = 0;

	*out = (struct wire_promise){ 0 };
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *r = &f->rows[i];
		enum wire_coarse kind;
		if (strcmp(r->key, "rdma.rate_bps") == 0 && port_is_up(f, node, r->device, &kind)) {
			wires++;
			offer(e, kind, facts_number(f, node, r->device, r->key), r->device, out);
		} else if (strcmp(r->key, "net.speed_bps") == 0 &&
		           netdev_is_up(f, node, r->device)) {
			offer(e, WIRE_ETHERNET, facts_number(f, node, r->device, r->key), r->device,
			      out);
		} else if (strcmp(r->key, "net.kind") == 0 &&
		           says(f, node, r->device, "net.state", "up")) {
			up += !says(f, node, r->device, "net.kind", "loopback");
			wires += says(f, node, r->device, "net.kind", "physical") ||
			         says(f, node, r->device, "net.kind", "ipoib");
		}
	}
	out->no_wire = up > 0 && wires == 0;
}

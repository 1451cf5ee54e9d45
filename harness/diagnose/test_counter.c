/* Tests of counters: what moved, what is there, which wire the bytes took. */
#include <math.h>
#include <string.h>

#include "harness/diagnose/scene.h"

/* What the counters of the names have counted on what is bound. */
struct counted {
	double sum;
	uint64_t most; /* of one of them, whose name and device these are */
	const char *name, *device;
	size_t n;
};

/* Is it a counter of what is bound: of its devices, else of the whole node? */
static bool is_ours(const struct binding *b, const struct rule_test *t, const char *device)
{
	return t->of == OF_NODE || !bound_any(b) || bound_has(b, device);
}

/* All other nodes together: the sender counts what was lost on the way to somebody. */
static struct counted count_others(const struct look *l, const struct binding *b,
                                   const struct rule_test *t)
{
	const struct counter_rows *rows = look_counters(l, t);
	struct counted c = { 0 };

	c.sum = rows->total;
	c.n = rows->cells;
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *row = &l->f->counters[rows->v[i]];
		uint64_t own = 0;
		if (facts_counter(l->f, b->node, row->device, row->name, &own)) {
			c.sum -= (double)own;
			c.n--;
		}
		c.name = row->name;
		c.device = row->device;
	}
	return c;
}

static struct counted count(const struct look *l, const struct binding *b,
                            const struct rule_test *t)
{
	const struct counter_rows *rows = look_counters(l, t);
	struct counted c = { 0 };

	if (t->of == OF_OTHERS)
		return count_others(l, b, t);
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *row = &l->f->counters[rows->v[i]];
		uint64_t moved = 0;
		if (!is_ours(b, t, row->device) ||
		    !facts_counter(l->f, b->node, row->device, row->name, &moved))
			continue;
		c.sum += (double)moved;
		if (!c.n || moved > c.most) {
			c.most = moved;
			c.name = row->name;
			c.device = row->device;
		}
		c.n++;
	}
	return c;
}

/* Bytes that went over what is bound; 0: not known. */
static double bytes_over(const struct look *l, const struct binding *b, const struct rule_test *t)
{
	const struct wire *w = look_wire(l, b->node);
	double bytes = 0;

	if (t->of == OF_OTHERS)
		return look_bytes(l) - (w ? w->bytes : 0);
	if (!w || t->of == OF_NODE || !bound_any(b))
		return w ? w->bytes : 0;
	for (size_t i = 0; i < w->n; i++)
		if (bound_has(b, w->v[i].device))
			bytes += w->v[i].rx + w->v[i].tx;
	return bytes;
}

static double per(const struct look *l, const struct binding *b, const struct rule_test *t,
                  double sum)
{
	double of = 1;

	if (t->per == PER_SECOND)
		of = l->f->counted_s ? l->f->counted_s[b->node] : 0;
	else if (t->per == PER_GB)
		of = bytes_over(l, b, t) / 1e9;
	return of > 0 ? sum / of : NAN;
}

static void see_count(const struct counted *c, const struct rule_test *t, struct seen *seen)
{
	seen->key = c->name ? c->name : t->name.v[0];
	seen->device = c->device;
	seen->number = c->sum;
}

bool holds_counter(const struct look *l, const struct binding *b, const struct rule_test *t,
                   struct seen *seen)
{
	struct counted c = count(l, b, t);

	seen->applies = c.n > 0 || l->counts[b->node];
	if (!c.n)
		return false;
	see_count(&c, t, seen);
	seen->limit = per(l, b, t, c.sum);
	return seen->limit > t->above;
}

bool holds_still(const struct look *l, const struct binding *b, const struct rule_test *t,
                 struct seen *seen)
{
	struct counted c = count(l, b, t);

	seen->applies = c.n > 0 || l->counts[b->node];
	see_count(&c, t, seen);
	for (size_t i = 0; i < ABOUTS && !c.device && t->of != OF_NODE; i++)
		if (b->device[i])
			seen->device = b->device[i];
	return seen->applies && !(c.sum > 0);
}

/* ---- the wire ---- */

static bool wire_fits(const struct look *l, const struct binding *b, const struct rule_test *t,
                      const struct wire_share *w)
{
	const char *kind;

	if ((t->said & FIELD(PORT)) && w->port != (t->port != 0))
		return false;
	if (t->device.n && !rule_words_fit(&t->device, w->device))
		return false;
	if (t->net_kind.n) {
		kind = facts_text(l->f, b->node, w->device, "net.kind");
		if (!kind || !rule_words_have(&t->net_kind, kind))
			return false;
	}
	if (!(t->said & (FIELD(PORT) | FIELD(DEVICE) | FIELD(KIND))))
		return bound_has(b, w->device);
	return true;
}

bool holds_wire(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	const struct wire *w = look_wire(l, b->node);
	double share = 0, most = 0, bytes = 0;

	if (t->said & FIELD(MAIN))
		return holds_main(l, b, t, seen);
	if (!w || !(w->bytes > 0))
		return false;
	seen->applies = true;
	for (size_t i = 0; i < w->n; i++) {
		if (!wire_fits(l, b, t, &w->v[i]))
			continue;
		share += w->v[i].share;
		bytes += w->v[i].rx + w->v[i].tx;
		if (w->v[i].share > most) {
			most = w->v[i].share;
			seen->device = w->v[i].device;
		}
	}
	seen->share = share;
	seen->bytes = bytes;
	if (!seen->device && w->n)
		seen->other_device = w->v[0].device; /* which it went over instead */
	return (!(t->said & FIELD(ABOVE)) || share > t->above) &&
	       (!(t->said & FIELD(BELOW)) || share < t->below);
}

bool holds_foreign(const struct look *l, const struct binding *b, const struct rule_test *t,
                   struct seen *seen)
{
	const struct wire *w = look_wire(l, b->node);

	if (!w || !isfinite(w->foreign))
		return false;
	seen->applies = true;
	seen->share = w->foreign;
	seen->bytes = w->bytes;
	if (w->n)
		seen->device = w->v[0].device;
	return w->foreign > t->above;
}

/* Which devices the bytes went over (facts.h says what counts, and the formula). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts.h"

enum { DEVICES_MAX = 256 };

struct device {
	const char *name;
	double rx, tx;
	bool port, counts;
};

struct devices {
	struct device v[DEVICES_MAX];
	size_t n;
};

/* How a counter of bytes or packets is called, of a network device and of an RDMA port. */
struct naming {
	const char *name;
	bool port, sends, packets;
};

static const struct naming *naming_of(const char *name)
{
	static const struct naming all[] = {
		{ "rx_bytes", false, false, false },
		{ "tx_bytes", false, true, false },
		{ "port_rcv_data", true, false, false },
		{ "port_xmit_data", true, true, false },
		{ "rx_packets", false, false, true },
		{ "tx_packets", false, true, true },
		{ "port_rcv_packets", true, false, true },
		{ "port_xmit_packets", true, true, true },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

static struct device *find(struct devices *d, const char *name)
{
	for (size_t i = 0; name && i < d->n; i++)
		if (strcmp(d->v[i].name, name) == 0)
			return &d->v[i];
	return NULL;
}

/* Rows are ordered by device: those of one follow each other. */
static void take(struct devices *d, const struct counter_row *row, const struct naming *n,
                 uint64_t moved)
{
	struct device *last = d->n ? &d->v[d->n - 1] : NULL;

	if (!last || strcmp(last->name, row->device) != 0) {
		if (d->n == DEVICES_MAX)
			return;
		last = &d->v[d->n++];
		*last = (struct device){ row->device, 0, 0, n->port, true };
	}
	if (n->packets)
		return;
	last->port = n->port;
	*(n->sends ? &last->tx : &last->rx) += (double)moved;
}

static void gather(const struct facts *f, size_t node, struct devices *d, bool *any)
{
	d->n = 0;
	*any = false;
	for (size_t i = 0; i < f->n_counters; i++) {
		const struct counter_row *row = &f->counters[i];
		const struct naming *n = *row->device ? naming_of(row->name) : NULL;
		uint64_t moved;

		if (!n || !facts_counter(f, node, row->device, row->name, &moved))
			continue;
		take(d, row, n, moved);
		*any = *any || !n->packets;
	}
}

static bool is_kind(const struct facts *f, size_t node, const char *device, const char *kind)
{
	const char *is = facts_text(f, node, device, "net.kind");

	return is && strcmp(is, kind) == 0;
}

/* Takes out what counts bytes that others count too. */
static void once(const struct facts *f, size_t node, struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct device *m = find(d, facts_text(f, node, d->v[i].name, "net.master"));

		if (m && m != &d->v[i])
			m->counts = false;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct device *v = &d->v[i];

		if (!is_kind(f, node, v->name, "vlan"))
			continue;
		for (size_t k = 0; k < d->n; k++)
			if (!d->v[k].port && strcmp(d->v[k].name, "lo") != 0 &&
			    !is_kind(f, node, d->v[k].name, "vlan") &&
			    d->v[k].rx + d->v[k].tx >= v->rx + v->tx)
				v->counts = false;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct device *p = &d->v[i];
		struct device *ip = p->port ? find(d, facts_text(f, node, p->name, "rdma.netdev"))
		                            : NULL;

		if (!ip || !is_kind(f, node, ip->name, "ipoib"))
			continue;
		p->rx = fmax(0, p->rx - ip->rx);
		p->tx = fmax(0, p->tx - ip->tx);
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct wire_share *x = a, *y = b;
	double d = (y->rx + y->tx) - (x->rx + x->tx);

	return d > 0 ? 1 : d < 0 ? -1 : strcmp(x->device, y->device);
}

/* Packets of the devices that count. */
static double packets_of(const struct facts *f, size_t node, const struct devices *d)
{
	static const char *const names[] = { "rx_packets", "tx_packets", "port_rcv_packets",
		                             "port_xmit_packets" };
	double sum = 0;
	uint64_t moved;

	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; d->v[i].counts && k < sizeof names / sizeof *names; k++)
			if (facts_counter(f, node, d->v[i].name, names[k], &moved))
				sum += (double)moved;
	return sum;
}

static double foreign_of(const struct facts *f, size_t node, const struct devices *d,
                         const struct wire *w)
{
	double packets = packets_of(f, node, d);
	double headers = packets > 0 ? 90 * packets : 0.12 * w->own;
	double rest = w->bytes - 1.02 * w->own - headers - (1 << 20) - 4096 * f->counted_s[node];

	if (!(w->bytes > 0) || isnan(w->own))
		return NAN;
	return fmax(0, rest) / w->bytes;
}

bool wire_of(const struct facts *f, size_t node, struct wire *out)
{
	struct devices d;
	struct wire_share *v;
	uint64_t moved;
	size_t n = 0;
	bool any;

	*out = (struct wire){ .own = NAN, .foreign = NAN };
	gather(f, node, &d, &any);
	if (!any || node >= f->n_nodes)
		return false;
	once(f, node, &d);
	v = hb_alloc((d.n + 1) * sizeof *v);
	for (size_t i = 0; i < d.n; i++) {
		const struct device *one = &d.v[i];

		if (!one->counts || !(one->rx + one->tx > 0))
			continue;
		v[n++] = (struct wire_share){ one->name, one->rx, one->tx, 0, one->port };
		out->bytes += one->rx + one->tx;
	}
	qsort(v, n, sizeof *v, by_bytes);
	out->n = n < sizeof out->v / sizeof *out->v ? n : sizeof out->v / sizeof *out->v;
	memcpy(out->v, v, out->n * sizeof *v);
	free(v);
	for (size_t i = 0; i < out->n; i++)
		out->v[i].share = (out->v[i].rx + out->v[i].tx) / out->bytes;
	if (facts_counter(f, node, "", COUNTER_OWN_TX, &moved))
		out->own = (double)moved;
	if (facts_counter(f, node, "", COUNTER_OWN_RX, &moved))
		out->own = (isnan(out->own) ? 0 : out->own) + (double)moved;
	out->foreign = foreign_of(f, node, &d, out);
	return true;
}

#include "harness/facts/host_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/stat.h"

static const double clock_s = 0.05;

const char *host_check_name(enum host_check_kind k)
{
	static const char *const names[] = { "duplicate", "same-machine", "name",
		                             "connect",   "clock",        "world" };

	return (unsigned)k < HOST_KINDS ? names[k] : "unknown";
}

char *facts_hostlist(const struct facts *f, const size_t *nodes, size_t n)
{
	char **names = hb_realloc_array(NULL, n ? n : 1, sizeof *names);
	struct nodeset set = { names, n, n };

	for (size_t i = 0; i < n; i++)
		names[i] = f->nodes[nodes[i]];
	char *text = nodeset_text(&set);

	free(names);
	return text;
}

/* Takes text. */
static void add(struct host_checks *c, enum host_check_kind kind, bool error, char *text)
{
	if (c->of[kind]++ >= HOST_CHECKS_MAX) {
		free(text);
		return;
	}
	hb_grow(&c->v, &c->cap, c->n + 1, sizeof *c->v);
	c->v[c->n++] = (struct host_check){ kind, error, text };
}

/* ---- what two nodes have ---- */

/* Something that a node has for itself. */
struct owned {
	char *what;
	size_t node;
	const char *device;
};
struct owns {
	struct owned *v;
	size_t n, cap;
};

static int by_what(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	int c = strcmp(x->what, y->what);

	if (c)
		return c;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return strcmp(x->device, y->device);
}

static void own(struct owns *o, const char *text, size_t len, size_t node, const char *device)
{
	hb_grow(&o->v, &o->cap, o->n + 1, sizeof *o->v);
	o->v[o->n++] = (struct owned){ hb_strndup(text, len), node, device };
}

/* A comma list without prefixes: "10.0.0.1/24,fd00::1/64". */
static void own_addresses(struct owns *o, const char *list, size_t node, const char *device)
{
	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		size_t bare = strcspn(list, "/");

		if (bare > len)
			bare = len;
		if (bare && !(bare == 4 && strncmp(list, "none", 4) == 0))
			own(o, list, bare, node, device);
	}
}

static bool same_text(const struct facts *f, size_t a, const char *da, size_t b, const char *db,
                      const char *key)
{
	const char *x = facts_text(f, a, da, key), *y = facts_text(f, b, db, key);

	return x && y && strcmp(x, y) == 0;
}

static bool same_machine(const struct facts *f, size_t a, size_t b)
{
	return same_text(f, a, "", b, "", "node.boot_id");
}

/* Devices whose addresses are of the node alone, or of what runs inside it. */
static bool is_inner(const struct facts *f, size_t node, const char *device)
{
	static const char *const inner[] = { "bridge", "loopback", "virtual" };
	const char *kind = facts_text(f, node, device, "net.kind");

	for (size_t i = 0; kind && i < sizeof inner / sizeof *inner; i++)
		if (strcmp(kind, inner[i]) == 0)
			return true;
	return false;
}

/* The run of one thing: two that really have it; false: it is meant to be so, or one thing. */
static bool clash(const struct facts *f, const struct owned *v, size_t n, bool mac,
                  const struct owned **a, const struct owned **b)
{
	size_t nodes = 1;

	for (size_t i = 1; i < n; i++)
		nodes += v[i].node != v[i - 1].node;
	if (nodes > 2 && 2 * nodes > f->n_nodes && strcmp(v[0].device, v[n - 1].device) == 0)
		return false;
	for (size_t i = 1; i < n; i++) {
		*a = &v[i - 1];
		*b = &v[i];
		if ((*a)->node == (*b)->node)
			continue;
		if (!same_machine(f, (*a)->node, (*b)->node))
			return true;
		if (!mac &&
		    !same_text(f, (*a)->node, (*a)->device, (*b)->node, (*b)->device, "net.mac"))
			return true;
	}
	return false;
}

static void tell_clashes(const struct facts *f, struct owns *o, const char *what, bool mac,
                         struct host_checks *out)
{
	const struct owned *a, *b;

	if (o->n)
		qsort(o->v, o->n, sizeof *o->v, by_what);
	for (size_t i = 0, n; i < o->n; i += n) {
		for (n = 1; i + n < o->n && strcmp(o->v[i].what, o->v[i + n].what) == 0;)
			n++;
		if (n > 1 && clash(f, o->v + i, n, mac, &a, &b))
			add(out, HOST_DUPLICATE, true,
			    hb_format("%s %.200s is on %s of %s and on %s of %s%s", what,
			              o->v[i].what, a->device, f->nodes[a->node], b->device,
			              f->nodes[b->node], n > 2 ? ", and on others" : ""));
	}
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i].what);
	free(o->v);
}

static void check_devices(const struct facts *f, struct host_checks *out)
{
	struct owns addresses = { 0 }, macs = { 0 };

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];
		bool mac = strcmp(row->key, "net.mac") == 0;

		if (!mac && strcmp(row->key, "net.addresses") != 0)
			continue;
		for (size_t k = 0; k < row->n; k++)
			for (size_t m = 0; row->v[k].text && m < row->v[k].n; m++) {
				size_t node = row->v[k].nodes[m];

				if (is_inner(f, node, row->device))
					continue;
				if (!mac)
					own_addresses(&addresses, row->v[k].text, node,
					              row->device);
				else if (strspn(row->v[k].text, "0:") != strlen(row->v[k].text))
					own(&macs, row->v[k].text, strlen(row->v[k].text), node,
					    row->device);
			}
	}
	tell_clashes(f, &addresses, "address", false, out);
	tell_clashes(f, &macs, "hardware address", true, out);
}

static void check_identity(const struct facts *f, struct host_checks *out)
{
	const struct fact_row *boots = facts_row(f, "", "node.boot_id");
	const struct fact_row *names = facts_row(f, "", "node.hostname");

	for (size_t i = 0; boots && i < boots->n; i++) {
		const struct fact_value *v = &boots->v[i];

		if (!v->text || v->n < 2)
			continue;
		char *who = facts_hostlist(f, v->nodes, v->n);

		add(out, HOST_SAME, false,
		    hb_format("%s are one machine: they share the boot %.64s", who, v->text));
		free(who);
	}
	for (size_t i = 0; names && i < names->n; i++) {
		const struct fact_value *v = &names->v[i];
		size_t others = 0;

		for (size_t k = 1; v->text && k < v->n; k++)
			others += !same_machine(f, v->nodes[0], v->nodes[k]);
		if (!others)
			continue;
		char *who = facts_hostlist(f, v->nodes, v->n);

		add(out, HOST_DUPLICATE, false,
		    hb_format("%s call themselves %.200s, all of them", who, v->text));
		free(who);
	}
}

/* ---- names and connections ---- */

static bool share_address(const char *a, const char *b)
{
	for (size_t len; *a; a += len + (a[len] == ',')) {
		len = strcspn(a, ",");
		for (const char *p = b; *p;) {
			size_t n = strcspn(p, ",");

			if (n == len && strncmp(p, a, n) == 0)
				return true;
			p += n + (p[n] == ',');
		}
	}
	return false;
}

static void check_own_name(const struct facts *f, struct host_checks *out)
{
	const struct fact_row *row = facts_row(f, "", "name.own_loopback");

	/* Alone, as every laptop is, nobody else has to find it by that name. */
	for (size_t i = 0; row && f->n_nodes > 1 && i < row->n; i++) {
		const struct fact_value *v = &row->v[i];

		if (!v->text || strcmp(v->text, "yes") != 0)
			continue;
		const char *is = facts_text(f, v->nodes[0], "", "name.own");
		char *who = facts_hostlist(f, v->nodes, v->n);

		add(out, HOST_NAME, false,
		    hb_format("the own name of %s resolves to a loopback address there%s%.200s%s",
		              who, is ? " (" : "", is ? is : "", is ? ")" : ""));
		free(who);
	}
}

/* "n2 is 10.0.0.2 on n[1,3], 10.9.0.2 on n4" */
static void check_peer_name(const struct facts *f, const struct fact_row *row,
                            struct host_checks *out)
{
	const char *peer = row->device + strlen("peer:");
	size_t self = facts_find_node(f, peer), known = 0;
	const char *own_list = self == SIZE_MAX ? NULL : facts_text(f, self, "", "name.own");
	struct buf text = BUF_INIT;

	buf_printf(&text, "%.200s is ", peer);
	for (size_t i = 0; i < row->n; i++) {
		const struct fact_value *v = &row->v[i];
		char *who = facts_hostlist(f, v->nodes, v->n);

		if (known < 4 && (v->text || row->n > 1))
			buf_printf(&text, "%s%.200s on %s", known ? ", " : "",
			           v->text ? v->text : "nothing", who);
		known++;
		free(who);
	}
	if (known > 4)
		buf_printf(&text, " and %zu more", known - 4);
	/* It may be 127.0.1.1 to itself: check_own_name says so. */
	const char *loopback = facts_text(f, self, "", "name.own_loopback");
	bool odd = known == 1 && own_list && row->v[0].text &&
	           !(loopback && strcmp(loopback, "yes") == 0) &&
	           !share_address(own_list, row->v[0].text);

	if (odd)
		buf_printf(&text, ", and %.200s to itself", own_list);
	if (known > 1 || odd)
		add(out, HOST_NAME, false, buf_detach(&text));
	buf_free(&text);
}

static void check_connect(const struct facts *f, const struct fact_row *row,
                          struct host_checks *out)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct fact_value *v = &row->v[i];

		if (!v->text || strcmp(v->text, "ok") == 0)
			continue;
		char *who = facts_hostlist(f, v->nodes, v->n);

		add(out, HOST_CONNECT, false,
		    hb_format("no connection from %s to %.200s: %.200s", who,
		              row->device + strlen("peer:"), v->text));
		free(who);
	}
}

static void check_peers(const struct facts *f, struct host_checks *out)
{
	check_own_name(f, out);
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];

		if (strncmp(row->device, "peer:", 5) != 0)
			continue;
		if (strcmp(row->key, "peer.address") == 0)
			check_peer_name(f, row, out);
	}
	for (size_t i = 0; i < f->n_rows; i++)
		if (strcmp(f->rows[i].key, "peer.connect") == 0 &&
		    strncmp(f->rows[i].device, "peer:", 5) == 0)
			check_connect(f, &f->rows[i], out);
}

/* ---- clocks, the world ---- */

static void tell_clock(struct host_checks *out, const char *who, double off, double bound,
                       const char *than)
{
	char by[NUM_TEXT], within[NUM_TEXT];

	num_format(by, sizeof by, "%.3f", fabs(off));
	num_format(within, sizeof within, "%.3f", bound);
	add(out, HOST_CLOCK, false,
	    hb_format("the clock of %s is %s s %s %s (known within %s s)", who, by,
	              off > 0 ? "ahead of" : "behind", than, within));
}

static void check_clocks(const struct facts *f, struct host_checks *out)
{
	double *v = hb_alloc((f->n_nodes + 1) * sizeof *v), middle = 0, widest = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->n_nodes; i++) {
		double off = facts_number(f, i, "", "time.offset_s");
		double bound = facts_number(f, i, "", "time.offset_bound_s");

		if (isnan(off) || isnan(bound))
			continue;
		v[n++] = off;
		widest = fmax(widest, bound);
	}
	if (n >= 3) {
		middle = stat_median(v, n);
		if (fabs(middle) <= widest + clock_s)
			middle = 0;
		else
			tell_clock(out, "most nodes", middle, widest, "that of this host");
	}
	for (size_t i = 0; i < f->n_nodes; i++) {
		double off = facts_number(f, i, "", "time.offset_s") - middle;
		double bound = fabs(facts_number(f, i, "", "time.offset_bound_s"));

		if (fabs(off) > bound + clock_s)
			tell_clock(out, f->nodes[i], off, bound,
			           middle != 0 ? "those of most nodes" : "that of this host");
	}
	free(v);
}

static void check_world(const struct facts *f, struct host_checks *out)
{
	const struct fact_row *row = facts_row(f, "", "world.size");

	for (size_t i = 0; row && i < row->n; i++) {
		const struct fact_value *v = &row->v[i];
		double started = v->n ? facts_number(f, v->nodes[0], "", "world.started") : NAN;
		double size = v->n ? facts_number(f, v->nodes[0], "", "world.size") : NAN;

		if (isnan(started) || isnan(size) || !(size < started || size > started))
			continue;
		char *who = facts_hostlist(f, v->nodes, v->n);

		add(out, HOST_WORLD, true,
		    hb_format("MPI on %s sees a world of %.20s, %.20s ranks were started", who,
		              v->text, facts_text(f, v->nodes[0], "", "world.started")));
		free(who);
	}
}

static int by_kind(const void *a, const void *b)
{
	const struct host_check *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->text, y->text);
}

void host_checks_make(const struct facts *f, struct host_checks *out)
{
	*out = (struct host_checks){ 0 };
	if (!f->index)
		return;
	check_devices(f, out);
	check_identity(f, out);
	check_peers(f, out);
	check_clocks(f, out);
	check_world(f, out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_kind);
}

bool host_checks_error(const struct host_checks *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].error)
			return true;
	return false;
}

void host_checks_free(struct host_checks *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].text);
	free(c->v);
	*c = (struct host_checks){ 0 };
}

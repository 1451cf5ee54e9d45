#include "harness/report/report_facts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/units.h"
#include "bench/base/utf8.h"
#include "harness/facts/host_checks.h"
#include "harness/report/report_parts.h"

enum { VALUE_SHOWN = 72, NODES_SHOWN = 60, VALUES_SHOWN = 6 };

void report_fact_name(const char *device, const char *key, struct buf *out)
{
	const char *dot = strchr(key, '.'), *colon = strchr(device, ':');

	if (!*device || !dot) {
		buf_puts(out, key);
		return;
	}
	/* An RDMA port has its colon behind the device; the others before it. */
	if (strncmp(device, "lib:", 4) != 0 && strncmp(device, "fs:", 3) != 0 &&
	    strncmp(device, "peer:", 5) != 0)
		colon = NULL;
	/* The value says the unit: "speed of eth0: 25 Gb/s". */
	const char *name = dot + 1, *unit = strrchr(name, '_');
	bool has = unit && (strcmp(unit, "_bps") == 0 || strcmp(unit, "_bytes") == 0);

	buf_printf(out, "%.*s of %s", (int)(has ? unit - name : (ptrdiff_t)strlen(name)), name,
	           colon ? colon + 1 : device);
}

static bool scaled(const struct fact_info *info, double v, struct buf *out)
{
	static const struct {
		const char *unit, *shown;
		double at_least, by;
	} rows[] = { { "b/s", "Gb/s", 1e9, 1e9 },
		     { "b/s", "Mb/s", 1e6, 1e6 },
		     { "Hz", "GHz", 1e6, 1e9 },
		     { "GT/s", "GT/s", 0, 1 },
		     { "s", "s", 0, 1 } };
	char text[NUM_TEXT];

	/* Only what is whole in the larger unit: no two values may look the same. */
	if (strcmp(info->unit, "B") == 0 && v >= 1 << 16 && v < 1e18 &&
	    fmod(v, v < 1 << 20 ? 1 << 10 : 1 << 20) <= 0) {
		units_format_bytes((uint64_t)v, text, sizeof text);
		buf_puts(out, text);
		return true;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(info->unit, rows[i].unit) != 0 || v < rows[i].at_least)
			continue;
		num_shortest(v / rows[i].by, text);
		buf_printf(out, "%s %s", text, rows[i].shown);
		return true;
	}
	return false;
}

void report_fact_value(const char *key, const char *value, size_t max, struct buf *out)
{
	const struct fact_info *info = fact_find(key);
	const char *end;
	double v;

	if (!value) {
		buf_puts(out, "(not known)");
		return;
	}
	if (info && *info->unit && num_parse(value, &end, &v) && !*end && v >= 0 &&
	    scaled(info, v, out))
		return;
	size_t len = strlen(value), to = 0;

	if (len == 0)
		buf_puts(out, "\"\"");
	while (len > max && to < max - 3) {
		size_t one = utf8_len((const unsigned char *)value + to,
		                      (const unsigned char *)value + len);

		to += one ? one : 1;
	}
	buf_add(out, value, len > max ? to : len);
	if (len > max)
		buf_puts(out, "...");
}

/* "n[3-7]", "63 nodes" where that is too long. */
static void put_nodes(const struct facts *f, const size_t *nodes, size_t n, bool count,
                      struct buf *out)
{
	char *text = count ? NULL : facts_hostlist(f, nodes, n);

	if (text && strlen(text) <= NODES_SHOWN)
		buf_puts(out, text);
	else
		buf_printf(out, "%zu node%s", n, report_plural(n));
	free(text);
}

/* What one entry says: "n17 1500". */
static void put_entry(const struct facts *f, const struct fact_drift *e, bool count,
                      struct buf *out)
{
	put_nodes(f, e->nodes, e->n, count, out);
	buf_putc(out, ' ');
	if (!e->value)
		buf_puts(out, "without");
	else if (!e->value->text)
		buf_printf(out, "not known (%.100s)", e->value->source);
	else
		report_fact_value(e->row->key, e->value->text, VALUE_SHOWN, out);
}

/* Of one row and one class: the entries of a group stand together in the line of its first. */
static bool same_group(const struct facts *f, const struct fact_drift *a,
                       const struct fact_drift *b)
{
	const char *x = f->hw[a->nodes[0]], *y = f->hw[b->nodes[0]];

	return a->row == b->row && (x && y ? strcmp(x, y) == 0 : !x && !y);
}

static bool is_first(const struct facts *f, const struct drift *drift, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_group(f, &drift->v[k], &drift->v[i]))
			return false;
	return true;
}

/* What could not be had is no difference of the nodes; what they see of each other is told apart.
 */
static bool is_told(const struct fact_drift *e)
{
	return !(e->value && !e->value->text) && strncmp(e->row->device, "peer:", 5) != 0;
}

static void put_group(struct doc *d, const struct facts *f, const struct drift *drift, size_t i)
{
	const struct fact_drift *first = &drift->v[i];
	struct buf text = BUF_INIT;
	size_t values = 0;

	report_fact_name(first->row->device, first->row->key, &text);
	buf_puts(&text, ": ");
	for (size_t k = i; k < drift->n; k++) {
		if (!is_told(&drift->v[k]) || !same_group(f, first, &drift->v[k]))
			continue;
		if (values++ >= VALUES_SHOWN)
			continue;
		if (values > 1)
			buf_puts(&text, ", ");
		put_entry(f, &drift->v[k], false, &text);
	}
	if (values > VALUES_SHOWN)
		buf_printf(&text, " and %zu more values", values - VALUES_SHOWN);
	if (first->peers) {
		buf_printf(&text, ", %zu node%s ", first->n_peers, report_plural(first->n_peers));
		report_fact_value(first->row->key, first->peers, VALUE_SHOWN, &text);
	} else if (first->of_peers == 0) {
		buf_printf(&text, ", %zu nodes have it not", first->n_peers);
	}
	doc_text(d, DOC_WARN, "%s", buf_text(&text));
	buf_free(&text);
}

static size_t walk(struct doc *d, const struct facts *f, const struct drift *drift, size_t max)
{
	size_t groups = 0;

	for (size_t i = 0; i < drift->n; i++) {
		if (!is_told(&drift->v[i]) || !is_first(f, drift, i))
			continue;
		if (d && groups < max)
			put_group(d, f, drift, i);
		groups++;
	}
	return groups;
}

size_t report_drift_count(const struct facts *f, const struct drift *drift)
{
	return walk(NULL, f, drift, 0);
}

size_t report_drift(struct doc *d, const struct facts *f, const struct drift *drift, size_t max)
{
	size_t n = walk(d, f, drift, max);

	if (n > max)
		doc_text(d, DOC_WARN, "and %zu more; --json has all", n - max);
	return n;
}

void report_drift_changes(struct doc *d, const struct facts *f, const struct drift *drift,
                          size_t max)
{
	for (size_t i = 0; i < drift->n_changes && i < max; i++) {
		const struct fact_change *c = &drift->changes[i];
		struct buf text = BUF_INIT;

		report_fact_name(c->device, c->key, &text);
		buf_puts(&text, ": was ");
		if (c->was)
			report_fact_value(c->key, c->was, VALUE_SHOWN, &text);
		else
			buf_puts(&text, "not set");
		buf_puts(&text, ", now ");
		if (c->is)
			report_fact_value(c->key, c->is, VALUE_SHOWN, &text);
		else
			buf_puts(&text, "not there");
		buf_puts(&text, " on ");
		if (c->n == f->n_nodes && c->n > 1)
			buf_puts(&text, "all nodes");
		else
			put_nodes(f, c->nodes, c->n, false, &text);
		doc_text(d, DOC_WARN, "%s", buf_text(&text));
		buf_free(&text);
	}
	if (drift->n_changes > max)
		doc_text(d, DOC_WARN, "and %zu more; --json has all", drift->n_changes - max);
}

static void set_nodes(json_object *o, const struct facts *f, const size_t *nodes, size_t n)
{
	char *text = facts_hostlist(f, nodes, n);

	js_set_str(o, "nodes", text);
	free(text);
}

json_object *report_drift_json(const struct facts *f, const struct drift *drift)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < drift->n; i++) {
		const struct fact_drift *e = &drift->v[i];
		json_object *o = json_object_new_object();

		js_set_str(o, "device", e->row->device);
		js_set_str(o, "key", e->row->key);
		set_nodes(o, f, e->nodes, e->n);
		js_set_bool(o, "told", e->value != NULL);
		js_set_str(o, "value", e->value ? e->value->text : NULL);
		js_set_str(o, "source", e->value ? e->value->source : NULL);
		js_set_str(o, "peers", e->peers);
		js_set_u64(o, "n_peers", e->n_peers);
		js_set_u64(o, "of_peers", e->of_peers);
		json_object_array_add(list, o);
	}
	return list;
}

json_object *report_drift_changes_json(const struct facts *f, const struct drift *drift)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < drift->n_changes; i++) {
		const struct fact_change *c = &drift->changes[i];
		json_object *o = json_object_new_object();

		js_set_str(o, "device", c->device);
		js_set_str(o, "key", c->key);
		js_set_str(o, "was", c->was);
		js_set_str(o, "is", c->is);
		set_nodes(o, f, c->nodes, c->n);
		json_object_array_add(list, o);
	}
	return list;
}

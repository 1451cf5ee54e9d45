/*
 * The document of a probe: what the nodes are, and where they differ. Verdict first; then causes,
 * drift, the baseline, host checks, what could not be had, and last what the cluster is.
 */
#include "harness/report/report_probe.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/facts/host_checks.h"
#include "harness/report/report_facts.h"
#include "harness/report/report_parts.h"

enum { DRIFT_SHOWN = 40, CHANGES_SHOWN = 20, CHECKS_SHOWN = 10, UNKNOWN_SHOWN = 12 };
enum { VALUE_SHOWN = 100, MAIN_VALUES = 3 };

int report_probe_code(const struct summary *s, const struct facts *f)
{
	struct report_trouble t;
	struct host_checks checks;

	report_trouble(&s, 1, NULL, &t);
	bool lost = t.lost.n > 0;

	report_trouble_free(&t);
	host_checks_make(f, &checks);
	bool bad = host_checks_error(&checks);

	host_checks_free(&checks);
	return bad ? CODE_FINDINGS : lost ? CODE_NOT_MEASURED : CODE_OK;
}

bool report_is_probe(const struct summary *s, const struct facts *f)
{
	return s->told > 0 && s->n_rows == 0 && f->n_rows > 0;
}

/* ---- the first line ---- */

static void put_stopped(struct doc *d, const struct report_probe *in)
{
	if (in->code > 128)
		doc_text(d, DOC_BAD, "STOPPED: by a signal; what was told until then is kept");
	else if (in->s->partial)
		doc_text(d, DOC_WARN, "PARTIAL: the probe was interrupted or steps are missing");
}

static size_t counted(const struct host_checks *c)
{
	size_t n = 0;

	for (int k = 0; k < HOST_KINDS; k++)
		n += k == HOST_SAME ? 0 : c->of[k];
	return n;
}

static size_t silent(const struct facts *f)
{
	bool *told = hb_alloc(f->n_nodes + 1);
	size_t n = 0;

	for (size_t i = 0; i < f->n_rows; i++)
		for (size_t k = 0; k < f->rows[i].n; k++)
			for (size_t m = 0; m < f->rows[i].v[k].n; m++)
				told[f->rows[i].v[k].nodes[m]] = true;
	for (size_t i = 0; i < f->n_nodes; i++)
		n += !told[i];
	free(told);
	return n;
}

static void put_head(struct doc *d, const struct report_probe *in, const struct drift *drift,
                     const struct host_checks *checks)
{
	const struct facts *f = in->facts;
	size_t differ = report_drift_count(f, drift), odd = counted(checks), mute = silent(f);
	struct buf text = BUF_INIT;

	buf_printf(&text, "probe of %zu node%s: ", f->n_nodes, report_plural(f->n_nodes));
	if (differ)
		buf_printf(&text, "%zu thing%s differ%s", differ, report_plural(differ),
		           differ == 1 ? "s" : "");
	else
		buf_puts(&text, f->n_nodes > 1 ? "nothing differs" : "nothing to compare with");
	if (odd)
		buf_printf(&text, ", %zu odd thing%s between hosts", odd, report_plural(odd));
	if (drift->n_changes)
		buf_printf(&text, ", %zu changed since the baseline", drift->n_changes);
	if (mute)
		buf_printf(&text, ", %zu told nothing", mute);
	doc_text(d,
	         host_checks_error(checks)                   ? DOC_BAD
	         : differ || odd || drift->n_changes || mute ? DOC_WARN
	                                                     : DOC_GOOD,
	         "%s", buf_text(&text));
	buf_free(&text);
}

/* ---- host checks ---- */

static void put_checks(struct doc *d, const struct host_checks *c)
{
	if (c->n)
		doc_heading(d, 2, "Hosts and the network between them");
	for (size_t i = 0, n; i < c->n; i += n) {
		for (n = 1; i + n < c->n && c->v[i].kind == c->v[i + n].kind;)
			n++;
		for (size_t k = 0; k < n && k < CHECKS_SHOWN; k++)
			doc_text(d,
			         c->v[i + k].error               ? DOC_BAD
			         : c->v[i + k].kind == HOST_SAME ? DOC_DIM
			                                         : DOC_WARN,
			         "%s", c->v[i + k].text);
		if (c->of[c->v[i].kind] > CHECKS_SHOWN)
			doc_text(d, DOC_WARN, "and %zu more of this kind; --json has all",
			         c->of[c->v[i].kind] - CHECKS_SHOWN);
	}
}

static json_object *checks_json(const struct host_checks *c)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < c->n; i++) {
		json_object *o = json_object_new_object();

		js_set_str(o, "kind", host_check_name(c->v[i].kind));
		js_set_bool(o, "error", c->v[i].error);
		js_set_str(o, "text", c->v[i].text);
		json_object_array_add(list, o);
	}
	return list;
}

/* ---- what could not be had ---- */

static const struct fact_value *unknown_of(const struct fact_row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (!row->v[i].text)
			return &row->v[i];
	return NULL;
}

/* Those that some nodes have first: there something is wrong with the others. */
static void put_unknown(struct doc *d, const struct facts *f)
{
	size_t some = 0;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct fact_row *row = &f->rows[i];
		const struct fact_value *v = unknown_of(row);

		if (!v || row->n == 1)
			continue;
		if (some == 0)
			doc_heading(d, 2, "Not known of some nodes");
		if (some++ >= UNKNOWN_SHOWN)
			continue;
		struct buf text = BUF_INIT;
		char *who = facts_hostlist(f, v->nodes, v->n);

		report_fact_name(row->device, row->key, &text);
		buf_printf(&text, ": %.200s (%.160s)", who, v->source);
		doc_text(d, DOC_WARN, "%s", buf_text(&text));
		free(who);
		buf_free(&text);
	}
	if (some > UNKNOWN_SHOWN)
		doc_text(d, DOC_WARN, "and %zu more; --json has all", some - UNKNOWN_SHOWN);
}

/* ---- the cluster ---- */

/* "X on 63 nodes, Y on n17": the values of a row that most have. */
static void put_row(struct doc *d, const struct facts *f, const struct fact_row *row)
{
	struct buf name = BUF_INIT, text = BUF_INIT;
	size_t shown = 0, told = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct fact_value *v = &row->v[i];

		told += v->text != NULL;
		if (!v->text || shown == MAIN_VALUES)
			continue;
		buf_puts(&text, shown++ ? ", " : "");
		report_fact_value(row->key, v->text, VALUE_SHOWN, &text);
		if (v->n < f->n_nodes)
			buf_printf(&text, " (%zu node%s)", v->n, report_plural(v->n));
	}
	if (told > shown)
		buf_printf(&text, " and %zu more", told - shown);
	report_fact_name(row->device, row->key, &name);
	if (told)
		doc_fact(d, buf_text(&name), "%s", buf_text(&text));
	buf_free(&name);
	buf_free(&text);
}

static bool is_wire(const struct facts *f, const struct fact_row *row)
{
	static const char *const keys[] = { "net.speed_bps", "net.mtu", "rdma.rate_bps",
		                            "rdma.link_layer" };
	const char *kind = row->n && row->v[0].n
	                           ? facts_text(f, row->v[0].nodes[0], row->device, "net.kind")
	                           : NULL;

	if (kind && strcmp(kind, "loopback") == 0)
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(row->key, keys[i]) == 0)
			return true;
	return false;
}

static void put_cluster(struct doc *d, const struct facts *f)
{
	static const char *const keys[] = {
		"cpu.model",           "cpu.sockets",         "cpu.cores",
		"cpu.allowed",         "mem.installed_bytes", "sw.os",
		"sw.kernel",           "sw.nvidia",           "mpi.library",
		"mpi.version",         "ip.default_device",   "kernel.virtual",
		"limit.memlock_bytes", "cgroup.cpu_cores",    "time.synchronized",
		"slurm.version",       "world.size"
	};
	enum { WIRES_SHOWN = 12 };
	size_t wires = 0, nowhere = 0;

	doc_heading(d, 2, "The nodes");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct fact_row *row = facts_row(f, "", keys[i]);

		if (row)
			put_row(d, f, row);
	}
	for (size_t i = 0; i < f->n_rows; i++) {
		nowhere += f->rows[i].n == 1 && unknown_of(&f->rows[i]);
		if (!is_wire(f, &f->rows[i]))
			continue;
		if (wires++ < WIRES_SHOWN)
			put_row(d, f, &f->rows[i]);
	}
	if (wires > WIRES_SHOWN)
		doc_fact(d, "other devices", "%zu more facts; --json has all", wires - WIRES_SHOWN);
	doc_fact(d, "facts", "%zu, each with its source in facts.json", f->n_rows - nowhere);
	if (nowhere)
		doc_fact(d, "not known", "%zu fact%s%s; --json says why", nowhere,
		         report_plural(nowhere), f->n_nodes > 1 ? ", of no node" : "");
}

static void fill(json_object *data, const void *ctx)
{
	const struct report_probe *in = ctx;

	js_set_obj(data, "summary", summary_to_json(in->s));
	js_set_obj(data, "facts", facts_to_json(in->facts, FACTS_ALL));
	if (in->why)
		diagnosis_to_json(in->why, data);
}

struct doc *report_probe_doc(const struct report_probe *in)
{
	struct doc *d = doc_new("");
	struct report_probe *ctx = hb_alloc(sizeof *ctx);
	struct host_checks checks;
	struct drift drift;

	*ctx = *in;
	d->fill = fill;
	d->ctx = ctx;
	d->data = cmd_json("probe");
	drift_make(in->facts, in->base, &drift);
	host_checks_make(in->facts, &checks);
	js_set_str(d->data, "dir", in->dir);
	js_set_str(d->data, "baseline", in->base_name);
	js_set_i64(d->data, "code", in->code);
	js_set_obj(d->data, "drift", report_drift_json(in->facts, &drift));
	js_set_obj(d->data, "changes", report_drift_changes_json(in->facts, &drift));
	js_set_obj(d->data, "hosts", checks_json(&checks));

	put_stopped(d, in);
	/* What is wrong first, then how much differs; what that means before the differences. */
	report_causes_head(d, in->why);
	put_head(d, in, &drift, &checks);
	report_causes(d, in->why);
	if (report_drift_count(in->facts, &drift))
		doc_heading(d, 2, "What differs");
	report_drift(d, in->facts, &drift, DRIFT_SHOWN);
	if (drift.n_changes)
		doc_heading(d, 2, "Not as in the baseline");
	report_drift_changes(d, in->facts, &drift, CHANGES_SHOWN);
	if (in->base_name && !in->base)
		doc_text(d, DOC_WARN, "baseline %s knows no facts: record it again from newer runs",
		         in->base_name);
	put_checks(d, &checks);
	report_losses(d, &in->s, 1);
	put_unknown(d, in->facts);
	put_cluster(d, in->facts);
	host_checks_free(&checks);
	drift_free(&drift);
	return d;
}

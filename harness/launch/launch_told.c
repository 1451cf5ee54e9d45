/*
 * What ranks and others tell of nodes, on its way to the table and the files: words of helpers are
 * untrusted, so they are bounded and made fit to be shown. A rank tells of its own node alone.
 */
#include <math.h>

#include "bench/base/fact.h"
#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/launch/launch_told.h"

enum {
	TOLD_MAX = 65536, /* facts and counters of a rank in an attempt */
	DEVICE_MAX = 128, /* bytes */
	KEY_MAX = 120,
	VALUE_MAX = 1024,
	SOURCE_MAX = 320,
	COUNTER_NAME_MAX = 63
};

char *launch_endpoint(const char *node, const char *device)
{
	return hb_format("%s%s%s", node, *device ? "/" : "", device);
}

static size_t node_of(const struct step_run *r, int seat)
{
	return r->step->rank_node[seat];
}

static int count(struct step_run *r, int seat, size_t n, struct hb_err *err)
{
	struct seat_told *t = step_seat_told(r, seat);

	t->n += n;
	return t->n <= TOLD_MAX
	               ? HB_OK
	               : hb_fail(err, HB_E_FORMAT, "more than %d facts and counters", TOLD_MAX);
}

/* A copy of at most max bytes that can be shown; words: without blanks. NULL stays NULL. */
static char *clean(const char *text, size_t max, bool words)
{
	char *s = text ? hb_strndup(text, max) : NULL;

	for (char *p = s; p && *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c < ' ' || c == 0x7f || (words && (c == ' ' || c >= 0x80)))
			*p = '?';
	}
	return s;
}

static void tell(struct step_run *r, int seat, const char *device, const char *key,
                 const char *value, const char *source)
{
	char *d = clean(device, DEVICE_MAX, false), *k = clean(key, KEY_MAX, true),
	     *v = clean(value, VALUE_MAX, false), *s = clean(source, SOURCE_MAX, false);

	step_fact(r, node_of(r, seat), d, k, v, s);
	free(d);
	free(k);
	free(v);
	free(s);
}

/* ---- facts ---- */

/* [device, key, value or null, source] */
static int take_fact(struct step_run *r, int seat, json_object *v, struct hb_err *err)
{
	const char *part[4] = { NULL };

	if (!json_object_is_type(v, json_type_array) || json_object_array_length(v) != 4)
		return hb_fail(err, HB_E_FORMAT, "a fact is not of four parts");
	for (size_t i = 0; i < 4; i++) {
		json_object *o = json_object_array_get_idx(v, i);
		if (json_object_is_type(o, json_type_string))
			part[i] = json_object_get_string(o);
		else if (i != 2 || o)
			return hb_fail(err, HB_E_FORMAT, "part %zu of a fact is no text", i);
	}
	if (!*part[1])
		return hb_fail(err, HB_E_FORMAT, "a fact without a key");
	tell(r, seat, part[0], part[1], part[2], part[3]);
	return HB_OK;
}

int step_on_facts(struct step_run *r, int seat, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("facts");
	const char *about = "step";
	json_object *v = NULL;
	size_t n;
	int rc;

	if (js_get_str(o, &at, "about", JS_OPTIONAL, &about, err) != HB_OK ||
	    js_get_arr(o, &at, "v", JS_REQUIRED, &v, err) != HB_OK)
		return HB_E_FORMAT;
	n = json_object_array_length(v);
	rc = count(r, seat, n, err);
	for (size_t i = 0; i < n && rc == HB_OK; i++)
		rc = take_fact(r, seat, json_object_array_get_idx(v, i), err);
	if (rc == HB_OK && strcmp(about, "node") == 0)
		launch_told(r->l)[node_of(r, seat)].facts = true;
	return rc;
}

int step_on_fact(struct step_run *r, int seat, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("fact");
	const char *endpoint = "", *key = NULL, *value = NULL, *source = "";
	size_t len;

	if (js_get_str(o, &at, "endpoint", JS_OPTIONAL, &endpoint, err) != HB_OK ||
	    js_get_str(o, &at, "key", JS_REQUIRED, &key, err) != HB_OK ||
	    js_get_str(o, &at, "value", JS_OPTIONAL, &value, err) != HB_OK ||
	    js_get_str(o, &at, "source", JS_OPTIONAL, &source, err) != HB_OK)
		return HB_E_FORMAT;
	if (!*key)
		return hb_fail(err, HB_E_FORMAT, "a fact without a key");
	if (count(r, seat, 1, err) != HB_OK)
		return HB_E_FORMAT;
	tell(r, seat, fact_device(endpoint, &len), key, value, source);
	return HB_OK;
}

/* ---- counters ---- */

int step_on_counter(struct step_run *r, int seat, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("counter");
	const char *endpoint = NULL, *name = NULL;
	uint64_t before = 0, after = 0;
	json_object *out;
	int width = 0;
	size_t len;

	if (js_get_str(o, &at, "endpoint", JS_REQUIRED, &endpoint, err) != HB_OK ||
	    js_get_str(o, &at, "name", JS_REQUIRED, &name, err) != HB_OK ||
	    js_get_u64(o, &at, "before", JS_REQUIRED, &before, err) != HB_OK ||
	    js_get_u64(o, &at, "after", JS_REQUIRED, &after, err) != HB_OK ||
	    js_get_int(o, &at, "width", JS_OPTIONAL, 0, 64, &width, err) != HB_OK)
		return HB_E_FORMAT;
	if (!*name || strlen(name) > COUNTER_NAME_MAX)
		return hb_fail(err, HB_E_FORMAT, "a counter's name has 1 to %d bytes",
		               COUNTER_NAME_MAX);
	if (count(r, seat, 1, err) != HB_OK)
		return HB_E_FORMAT;
	char *device = clean(fact_device(endpoint, &len), DEVICE_MAX, false),
	     *word = clean(name, COUNTER_NAME_MAX, true),
	     *where = launch_endpoint(r->l->p.plan->nodes.v[node_of(r, seat)], device);
	out = json_object_new_object();
	js_set_str(out, "type", record_type_name(REC_COUNTER));
	js_set_str(out, "endpoint", where);
	js_set_str(out, "name", word);
	js_set_u64(out, "before", before);
	js_set_u64(out, "after", after);
	js_set_i64(out, "width", width);
	step_stamp(r, out);
	launch_log_add(&r->l->log, LOG_RECORDS, out, RECORD_GUESS);
	free(device);
	free(word);
	free(where);
	return HB_OK;
}

/* ---- what the harness sees by itself ---- */

static void tell_seconds(struct step_run *r, size_t node, const char *key, double s)
{
	char text[NUM_TEXT * 2];

	num_format(text, sizeof text, "%.6f", s);
	/* Not what others share: a better figure must stand behind the one before it. */
	step_fact_now(r, node, (const char *const[]){ "", key, text, "control channel" });
}

void step_fact_joined(struct step_run *r, int seat, const struct ctl_hello *h)
{
	size_t node = node_of(r, seat);
	struct node_told *t = &launch_told(r->l)[node];

	/* Another process may have been answered faster, and knows better. */
	if (h->bound_s >= 0 && (!t->clock || h->bound_s < t->bound_s / 2)) {
		t->clock = true;
		t->bound_s = h->bound_s;
		tell_seconds(r, node, "time.offset_s", h->offset_s);
		tell_seconds(r, node, "time.offset_bound_s", h->bound_s);
	}
	if (h->address && *h->address && !t->address) {
		t->address = true;
		step_fact(r, node, "", "node.address", h->address, "control channel");
	}
}

static void take_managed(void *ctx, size_t node, const char *key, const char *value,
                         const char *source)
{
	step_fact(ctx, node, "", key, value, source);
}

void step_facts_manager(struct step_run *r)
{
	const struct launch_site *site = r->l->p.site;
	struct hb_err err = { HB_OK, "" };
	int rc;

	if (r->l->manager_told || !site->ops->facts)
		return;
	r->l->manager_told = true;
	rc = site->ops->facts(r->l->p.site, &r->l->p.plan->nodes, take_managed, r, &err);
	if (rc < 0 && rc != HB_E_CANCELLED)
		step_event(r, "warn", "no-manager-facts",
		           "what the resource manager knows of the nodes is not known: %s",
		           err.text);
}

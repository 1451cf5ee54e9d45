#include "bench/core/tell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/fact.h"
#include "bench/base/mem.h"

/* Bytes, before they become JSON. */
enum {
	MESSAGE_MAX = 48 * 1024,
	DEVICE_MAX = 128,
	KEY_MAX = 120,
	VALUE_MAX = 1000,
	SOURCE_MAX = 300
};

static const char *const about_names[] = { [FACTS_NODE] = "node", [FACTS_STEP] = "step" };

static void send_message(struct facts_tell *p)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", "facts");
	js_set_str(o, "about", about_names[p->about]);
	js_set_obj(o, "v", p->v);
	if (p->rc == HB_OK)
		p->rc = p->emit->record(p->emit, o, &p->err);
	js_put(o);
	p->v = NULL;
	p->bytes = 0;
}

/* What is cut within a character becomes U+FFFD there. */
static json_object *cut(const char *text, size_t max)
{
	char *s;
	json_object *o;

	if (!text)
		return NULL;
	s = hb_strndup(text, max);
	o = js_str(s);
	free(s);
	return o;
}

static void add_to_message(struct facts_tell *p, json_object *fact)
{
	struct buf text = BUF_INIT;

	js_write(fact, JS_PLAIN, &text);
	if (p->v && p->bytes + text.len + 1 > MESSAGE_MAX)
		send_message(p);
	if (!p->v)
		p->v = json_object_new_array();
	json_object_array_add(p->v, fact);
	p->bytes += text.len + 1;
	buf_free(&text);
}

static void tell_record(struct facts_tell *p, const char *device, const char *const part[3])
{
	char *endpoint = hb_format("%s%s%.*s", p->node, *device ? "/" : "", DEVICE_MAX, device);
	json_object *o = rec_fact_to_json(endpoint, part[0], part[1], part[2]);

	if (p->rc == HB_OK)
		p->rc = p->emit->record(p->emit, o, &p->err);
	js_put(o);
	free(endpoint);
}

static void tell(void *ctx, const char *device, const char *key, const char *value,
                 const char *source)
{
	struct facts_tell *p = ctx;
	const char *const part[3] = { key, value, source };
	json_object *fact;

	if (p->node) {
		tell_record(p, device, part);
		return;
	}
	fact = json_object_new_array();
	json_object_array_add(fact, cut(device, DEVICE_MAX));
	json_object_array_add(fact, cut(key, KEY_MAX));
	json_object_array_add(fact, cut(value, VALUE_MAX));
	json_object_array_add(fact, cut(source ? source : "", SOURCE_MAX));
	add_to_message(p, fact);
}

void facts_tell_begin(struct facts_tell *p, struct emit *e, enum facts_about about,
                      const char *node)
{
	*p = (struct facts_tell){ .sink = { tell, p }, .emit = e, .about = about, .node = node };
}

int facts_tell_end(struct facts_tell *p, struct hb_err *err)
{
	if (p->v)
		send_message(p);
	if (p->rc < 0 && err)
		*err = p->err;
	return p->rc;
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) && v ? json_object_get_string(v) : NULL;
}

void facts_tell_records(const struct fact_sink *s, json_object *arr)
{
	for (size_t i = 0; i < json_object_array_length(arr); i++) {
		json_object *o = json_object_array_get_idx(arr, i);
		const char *endpoint = text_of(o, "endpoint"), *key = text_of(o, "key");
		size_t len = 0;

		if (key)
			fact_tell(s, endpoint ? fact_device(endpoint, &len) : "", key,
			          text_of(o, "value"), text_of(o, "source"));
	}
}

/* ---- counters ---- */

static int tell_counter(struct emit *e, const char *node, const struct counter_value *before,
                        const struct counter_value *after, struct hb_err *err)
{
	char *endpoint = hb_format("%s%s%s", node, *after->device ? "/" : "", after->device);
	json_object *o = json_object_new_object();
	int rc;

	js_set_str(o, "type", record_type_name(REC_COUNTER));
	js_set_str(o, "endpoint", endpoint);
	js_set_str(o, "name", after->name);
	js_set_u64(o, "before", before->value);
	js_set_u64(o, "after", after->value);
	js_set_i64(o, "width", after->width);
	rc = e->record(e, o, err);
	js_put(o);
	free(endpoint);
	return rc;
}

static int order(const struct counter_value *a, const struct counter_value *b)
{
	int d = strcmp(a->device, b->device);

	return d ? d : strcmp(a->name, b->name);
}

int counters_tell(struct emit *e, const char *node, const struct counters *before,
                  const struct counters *after, struct hb_err *err)
{
	int rc = HB_OK;

	for (size_t i = 0, j = 0; rc == HB_OK && i < before->n && j < after->n;) {
		const struct counter_value *a = &before->v[i], *b = &after->v[j];
		int d = order(a, b);

		if (d == 0 && counter_moved(a->value, b->value, b->width))
			rc = tell_counter(e, node, a, b, err);
		i += d <= 0;
		j += d >= 0;
	}
	return rc;
}

int counters_tell_own(struct emit *e, const char *node, double tx, double rx, struct hb_err *err)
{
	const struct counter_value nothing = { .value = 0 };
	struct counter_value own[] = { { "", COUNTER_OWN_TX, 0, 64 },
		                       { "", COUNTER_OWN_RX, 0, 64 } };
	const double moved[] = { tx, rx };
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < 2; i++) {
		own[i].value = moved[i] > 0 ? (uint64_t)fmin(moved[i], 1e18) : 0;
		if (own[i].value > 0)
			rc = tell_counter(e, node, &nothing, &own[i], err);
	}
	return rc;
}

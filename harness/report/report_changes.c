/* What differs between two sides beside their figures: software, settings, hardware, nodes. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/facts/facts.h"
#include "harness/report/report_facts.h"
#include "harness/report/report_parts.h"

enum { HARDWARE_SHOWN = 8, SOFTWARE_SHOWN = 64, FACTS_SHOWN = 16, VALUE_SHOWN = 100 };

/* Members of a and b that differ, each once: those of a, then those that only b has. */
typedef void (*differ_fn)(void *ctx, const char *name, json_object *a, json_object *b);
static void each_difference(json_object *a, json_object *b, differ_fn fn, void *ctx)
{
	if (json_object_is_type(a, json_type_object)) {
		json_object_object_foreach(a, name, value)
		{
			json_object *other = NULL;
			if (b)
				json_object_object_get_ex(b, name, &other);
			if (!other || !json_object_equal(value, other))
				fn(ctx, name, value, other);
		}
	}
	if (json_object_is_type(b, json_type_object)) {
		json_object_object_foreach(b, name, value)
		{
			if (!a || !json_object_object_get_ex(a, name, NULL))
				fn(ctx, name, NULL, value);
		}
	}
}

struct differences {
	struct doc *d;
	json_object *list; /* for the data */
	size_t shown;
};

static json_object *difference_json(json_object *list, const char *key, const char *name,
                                    json_object *a, json_object *b)
{
	json_object *o = json_object_new_object();
	js_set_str(o, key, name);
	js_set_obj(o, "old", json_object_get(a));
	js_set_obj(o, "new", json_object_get(b));
	json_object_array_add(list, o);
	return o;
}

static void put_software(void *ctx, const char *name, json_object *a, json_object *b)
{
	struct differences *in = ctx;
	difference_json(in->list, "name", name, a, b);
	if (in->shown++ >= SOFTWARE_SHOWN)
		return;
	struct buf was = BUF_INIT, is = BUF_INIT;
	report_values(a, &was);
	report_values(b, &is);
	doc_text(in->d, DOC_WARN, "changed: %s: %s -> %s", name, buf_text(&was), buf_text(&is));
	buf_free(&was);
	buf_free(&is);
}

static void take_hardware(void *ctx, const char *name, json_object *a, json_object *b)
{
	struct differences *in = ctx;
	difference_json(in->list, "node", name, a, b);
}

/* The names of list's nodes whose pair of classes is this text; "": nodes of one side only. */
static size_t nodes_of(json_object *list, const char *change, bool only_old, json_object *names)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *o = json_object_array_get_idx(list, i), *was = NULL, *is = NULL, *node;
		json_object_object_get_ex(o, "old", &was);
		json_object_object_get_ex(o, "new", &is);
		json_object_object_get_ex(o, "node", &node);
		char *text = was && is ? hb_format("%s -> %s", report_json_text(was),
		                                   report_json_text(is))
		                       : hb_strdup("");
		if (strcmp(text, change) == 0 && (*text || only_old == (was != NULL)))
			json_object_array_add(names, json_object_get(node));
		free(text);
	}
	return json_object_array_length(names);
}

/* "n1, n2 and 6 more: class A -> class B", each change once; returns how many there were. */
static size_t put_changes(struct doc *d, json_object *list)
{
	json_object *seen = json_object_new_object();
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *o = json_object_array_get_idx(list, i), *was = NULL, *is = NULL;
		json_object_object_get_ex(o, "old", &was);
		json_object_object_get_ex(o, "new", &is);
		if (!was || !is)
			continue;
		char *text = hb_format("%s -> %s", report_json_text(was), report_json_text(is));
		if (!json_object_object_get_ex(seen, text, NULL) &&
		    json_object_object_length(seen) < HARDWARE_SHOWN) {
			json_object *names = json_object_new_array();
			struct buf who = BUF_INIT;
			nodes_of(list, text, false, names);
			report_values(names, &who);
			doc_text(d, DOC_BAD, "hardware of %s: %s", buf_text(&who), text);
			buf_free(&who);
			js_put(names);
			js_set_bool(seen, text, true);
		}
		free(text);
	}
	size_t n = (size_t)json_object_object_length(seen);
	js_put(seen);
	return n;
}

/* Two clusters differ in every node: that is one line. */
static void put_other_nodes(struct doc *d, json_object *list)
{
	json_object *old_names = json_object_new_array(), *new_names = json_object_new_array();
	size_t n_old = nodes_of(list, "", true, old_names);
	size_t n_new = nodes_of(list, "", false, new_names);
	struct buf was = BUF_INIT, is = BUF_INIT;
	report_values(old_names, &was);
	report_values(new_names, &is);
	if (n_old && n_new)
		doc_text(d, DOC_WARN, "nodes: %s only in OLD; %s only in NEW", buf_text(&was),
		         buf_text(&is));
	else if (n_old + n_new)
		doc_text(d, DOC_WARN, "nodes: %s only in %s", buf_text(n_old ? &was : &is),
		         n_old ? "OLD" : "NEW");
	buf_free(&was);
	buf_free(&is);
	js_put(old_names);
	js_put(new_names);
}

static bool is_software(const char *key)
{
	static const char *const prefixes[] = { "sw.", "env.", "mpi." };

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/*
 * What the nodes of each hardware class agreed about, old and new. Software and settings are told
 * above already. Facts that cannot be read are none: they only describe.
 */
static void put_facts(struct doc *d, json_object *a, json_object *b)
{
	struct facts was, is;
	struct drift drift;
	json_object *list = json_object_new_array();
	size_t shown = 0, n = 0;

	js_set_obj(d->data, "facts", list);
	if (!a || !b || facts_from_json(a, "facts", &was, NULL) != HB_OK)
		return;
	if (facts_from_json(b, "facts", &is, NULL) != HB_OK) {
		facts_free(&was);
		return;
	}
	drift_make(&is, &was, &drift);
	for (size_t i = 0; i < drift.n_changes; i++) {
		const struct fact_change *c = &drift.changes[i];
		struct buf name = BUF_INIT, old = BUF_INIT, new = BUF_INIT;
		json_object *o = json_object_new_object();

		if (is_software(c->key)) {
			js_put(o);
			continue;
		}
		js_set_str(o, "device", c->device);
		js_set_str(o, "key", c->key);
		js_set_str(o, "hw", is.hw[c->nodes[0]]);
		js_set_str(o, "old", c->was);
		js_set_str(o, "new", c->is);
		json_object_array_add(list, o);
		if (n++ >= FACTS_SHOWN)
			continue;
		shown++;
		report_fact_name(c->device, c->key, &name);
		report_fact_value(c->key, c->was, VALUE_SHOWN, &old);
		report_fact_value(c->key, c->is, VALUE_SHOWN, &new);
		doc_text(d, DOC_WARN, "changed: %s: %s -> %s", buf_text(&name), buf_text(&old),
		         buf_text(&new));
		buf_free(&name);
		buf_free(&old);
		buf_free(&new);
	}
	if (n > shown)
		doc_text(d, DOC_WARN, "changed: and %zu more facts; --json has all", n - shown);
	drift_free(&drift);
	facts_free(&was);
	facts_free(&is);
}

/* The software first: the most frequent cause of a difference. Then the hardware. */
void report_changes(struct doc *d, const struct report_diff *in)
{
	const struct baseline *a = in->old_side.b, *b = in->new_side.b;
	struct differences soft = { .d = d, .list = json_object_new_array() };
	struct differences hard = { .d = d, .list = json_object_new_array() };
	each_difference(a->fingerprint, b->fingerprint, put_software, &soft);
	each_difference(a->hw, b->hw, take_hardware, &hard);
	if (soft.shown == 0)
		doc_text(d, DOC_DIM, "software and settings: the same on both sides");
	if (soft.shown > SOFTWARE_SHOWN)
		doc_text(d, DOC_WARN, "changed: and %zu more; --json has all",
		         soft.shown - SOFTWARE_SHOWN);
	if (put_changes(d, hard.list) == HARDWARE_SHOWN)
		doc_text(d, DOC_WARN, "hardware: there may be more changes; --json has all");
	put_other_nodes(d, hard.list);
	put_facts(d, a->facts, b->facts);
	js_set_obj(d->data, "fingerprint", soft.list);
	js_set_obj(d->data, "hardware", hard.list);
}

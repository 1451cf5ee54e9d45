/* Reading the file form of facts (facts.h): untrusted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/facts/facts_inside.h"

enum { NAME_MAX_BYTES = 255, CLASS_MAX_BYTES = 1024 };

struct reading {
	struct facts *f;
	size_t *nodes; /* of the hostlist read last */
	size_t n, cap;
};

/* Element i of an array, a text; NULL where it is null and may be. */
static int get_text(json_object *a, const struct js_at *at, size_t i, bool may_be_null, size_t max,
                    const char **out, struct hb_err *err)
{
	json_object *o = json_object_array_get_idx(a, i);
	struct js_at here = js_at_index(at, i);

	*out = NULL;
	if (!o && may_be_null && i < json_object_array_length(a))
		return HB_OK;
	if (!json_object_is_type(o, json_type_string))
		return js_fail(&here, err, "expected a text");
	*out = json_object_get_string(o);
	if (strlen(*out) != (size_t)json_object_get_string_len(o) || strlen(*out) > max)
		return js_fail(&here, err, "longer than %zu bytes, or with a zero byte", max);
	return HB_OK;
}

static int get_array(json_object *a, const struct js_at *at, size_t i, size_t n, json_object **out,
                     struct hb_err *err)
{
	json_object *o = json_object_array_get_idx(a, i);
	struct js_at here = js_at_index(at, i);

	if (!json_object_is_type(o, json_type_array) || (n && json_object_array_length(o) != n))
		return n ? js_fail(&here, err, "expected an array of %zu", n)
		         : js_fail(&here, err, "expected an array");
	*out = o;
	return HB_OK;
}

/* Element i of an array, a hostlist of nodes that are known. */
static int get_nodes(struct reading *r, json_object *a, const struct js_at *at, size_t i,
                     struct hb_err *err)
{
	struct js_at here = js_at_index(at, i);
	struct nodeset set = { NULL, 0, 0 };
	struct hb_err why;
	const char *text;
	int rc = get_text(a, at, i, false, FACTS_FILE_MAX, &text, err);

	if (rc != HB_OK || !text)
		return rc;
	r->n = 0;
	hb_grow(&r->nodes, &r->cap, r->f->n_nodes + 1, sizeof *r->nodes);
	if (strcmp(text, "*") == 0) {
		for (; r->n < r->f->n_nodes; r->n++)
			r->nodes[r->n] = r->n;
		return HB_OK;
	}
	if (nodeset_parse(text, &set, &why) != HB_OK)
		return js_fail(&here, err, "%.300s", why.text);
	for (size_t k = 0; rc == HB_OK && k < set.n; k++) {
		size_t node = facts_find_node(r->f, set.v[k]);

		if (node == SIZE_MAX)
			rc = js_fail(&here, err, "no node is called \"%.100s\"", set.v[k]);
		else
			r->nodes[r->n++] = node;
	}
	nodeset_free(&set);
	return rc;
}

typedef int entry_fn(struct reading *r, json_object *o, const struct js_at *at, struct hb_err *err);

/* Each element of an array, which is an array of n, or of any number where n is 0. */
static int each(struct reading *r, json_object *a, const struct js_at *at, size_t n, entry_fn *fn,
                struct hb_err *err)
{
	size_t len = json_object_array_length(a);
	json_object *o = NULL;
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < len; i++) {
		struct js_at here = js_at_index(at, i);

		rc = get_array(a, at, i, n, &o, err);
		if (rc == HB_OK)
			rc = fn(r, o, &here, err);
	}
	return rc;
}

static int read_nodes(struct reading *r, json_object *o, const struct js_at *at, struct hb_err *err)
{
	const char *hw, *text;
	struct nodeset set = { NULL, 0, 0 };
	struct hb_err why;
	int rc = get_text(o, at, 0, true, CLASS_MAX_BYTES, &hw, err);

	if (rc == HB_OK)
		rc = get_text(o, at, 1, false, FACTS_FILE_MAX, &text, err);
	if (rc != HB_OK)
		return rc;
	if (nodeset_parse(text, &set, &why) != HB_OK)
		return js_fail(at, err, "%.300s", why.text);
	for (size_t i = 0; rc == HB_OK && i < set.n; i++) {
		if (r->f->n_nodes >= NODESET_MAX)
			rc = js_fail(at, err, "more than %d nodes", NODESET_MAX);
		else if (facts_find_node(r->f, set.v[i]) != SIZE_MAX)
			rc = js_fail(at, err, "node \"%.100s\" a second time", set.v[i]);
		else
			facts_add_node(r->f, set.v[i], hw);
	}
	nodeset_free(&set);
	return rc;
}

/* The first two elements of a row: of what it is. */
static int read_name(json_object *o, const struct js_at *at, const char **device, const char **key,
                     struct hb_err *err)
{
	struct js_at here = js_at_index(at, 1);
	int rc = get_text(o, at, 0, false, NAME_MAX_BYTES, device, err);

	if (rc == HB_OK)
		rc = get_text(o, at, 1, false, NAME_MAX_BYTES, key, err);
	if (rc == HB_OK && *key && !**key)
		rc = js_fail(&here, err, "empty");
	return rc;
}

static int read_fact(struct reading *r, json_object *o, const struct js_at *at, struct hb_err *err)
{
	const char *device, *key, *value, *source;
	struct js_at values = js_at_index(at, 2);
	json_object *all = NULL, *v = NULL;
	int rc = read_name(o, at, &device, &key, err);

	if (rc == HB_OK)
		rc = get_array(o, at, 2, 0, &all, err);
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(all); i++) {
		struct js_at here = js_at_index(&values, i);

		rc = get_array(all, &values, i, 3, &v, err);
		if (rc == HB_OK)
			rc = get_text(v, &here, 0, true, FACTS_TEXT_MAX, &value, err);
		if (rc == HB_OK)
			rc = get_text(v, &here, 1, false, FACTS_TEXT_MAX, &source, err);
		if (rc == HB_OK)
			rc = get_nodes(r, v, &here, 2, err);
		for (size_t k = 0; rc == HB_OK && k < r->n; k++)
			facts_add(r->f, r->nodes[k], device, key, value, source);
	}
	return rc;
}

static int get_u64(json_object *a, const struct js_at *at, size_t i, uint64_t *out,
                   struct hb_err *err)
{
	json_object *o = json_object_array_get_idx(a, i);
	struct js_at here = js_at_index(at, i);

	if (!json_object_is_type(o, json_type_int) || json_object_get_int64(o) < 0)
		return js_fail(&here, err, "expected a count");
	*out = json_object_get_uint64(o);
	return HB_OK;
}

static int read_counter(struct reading *r, json_object *o, const struct js_at *at,
                        struct hb_err *err)
{
	const char *device, *name;
	struct js_at cells = js_at_index(at, 2);
	json_object *all = NULL, *v = NULL;
	uint64_t moved = 0;
	int rc = read_name(o, at, &device, &name, err);

	if (rc == HB_OK)
		rc = get_array(o, at, 2, 0, &all, err);
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(all); i++) {
		struct js_at here = js_at_index(&cells, i);

		rc = get_array(all, &cells, i, 2, &v, err);
		if (rc == HB_OK)
			rc = get_u64(v, &here, 0, &moved, err);
		if (rc == HB_OK)
			rc = get_nodes(r, v, &here, 1, err);
		for (size_t k = 0; rc == HB_OK && k < r->n; k++)
			facts_add_counter(r->f, r->nodes[k], device, name, moved);
	}
	return rc;
}

static int read_counted(struct reading *r, json_object *o, const struct js_at *at,
                        struct hb_err *err)
{
	json_object *v = json_object_array_get_idx(o, 0);
	double s = json_object_get_double(v);

	if (!(json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int)) ||
	    !isfinite(s) || s < 0)
		return js_fail(at, err, "expected seconds");
	int rc = get_nodes(r, o, at, 1, err);

	for (size_t k = 0; rc == HB_OK && k < r->n; k++)
		r->f->counted_s[r->nodes[k]] = s;
	return rc;
}

static int read_member(struct reading *r, json_object *o, const struct js_at *top, const char *key,
                       size_t n, entry_fn *fn, struct hb_err *err)
{
	struct js_at at = js_at_key(top, key);
	json_object *a = NULL;
	int rc = js_get_arr(o, top, key, JS_OPTIONAL, &a, err);

	return rc == HB_OK && a ? each(r, a, &at, n, fn, err) : rc;
}

int facts_from_json(json_object *o, const char *source, struct facts *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	struct reading r = { out, NULL, 0, 0 };
	int schema = 0;

	facts_init(out);
	int rc = js_get_int(o, &top, "schema", JS_REQUIRED, 1, INT32_MAX, &schema, err);

	if (rc == HB_OK && schema > FACTS_SCHEMA)
		rc = js_fail(&top, err, "schema %d is newer than this hpcbench, which reads %d",
		             schema, FACTS_SCHEMA);
	if (rc == HB_OK)
		rc = read_member(&r, o, &top, "nodes", 2, read_nodes, err);
	if (rc == HB_OK)
		rc = read_member(&r, o, &top, "facts", 3, read_fact, err);
	if (rc == HB_OK)
		rc = read_member(&r, o, &top, "counters", 3, read_counter, err);
	if (rc == HB_OK)
		rc = read_member(&r, o, &top, "counted_s", 2, read_counted, err);
	free(r.nodes);
	if (rc == HB_OK)
		facts_sort(out);
	else
		facts_free(out);
	return rc;
}

int facts_read(const char *dir, struct facts *out, struct hb_err *err)
{
	char *path = hb_format("%s/facts.json", dir);
	json_object *o = NULL;
	int rc = js_read_file(path, FACTS_FILE_MAX, &o, err);

	if (rc == HB_OK)
		rc = facts_from_json(o, path, out, err);
	else
		*out = (struct facts){ 0 };
	js_put(o);
	free(path);
	return rc;
}

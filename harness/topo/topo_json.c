/* Topologies as JSON: a site's file, and what plan.json keeps. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/topo/topo.h"
#include "harness/topo/topo_parts.h"

enum { LEVELS_MAX = 65536 };
static const char *const keys[] = { "schema", "source", "routing", "leaves", "levels", NULL };
static const char *const level_keys[] = { "name", "of", NULL };

static int read_routing(json_object *o, const struct js_at *top, struct topo *t, struct hb_err *err)
{
	const char *word = NULL;
	struct js_at here = js_at_key(top, "routing");
	int rc = js_get_str(o, top, "routing", JS_OPTIONAL, &word, err);

	if (rc != HB_OK || !word)
		return rc;
	for (int r = TOPO_UNKNOWN; r <= TOPO_ADAPTIVE; r++) {
		if (strcmp(word, topo_routing_name((enum topo_routing)r)) == 0) {
			t->routing = (enum topo_routing)r;
			return HB_OK;
		}
	}
	return js_fail(&here, err, "'%.40s' is none of static, adaptive, unknown", word);
}

static int read_leaves(json_object *o, const struct js_at *top, struct topo *t, struct hb_err *err)
{
	json_object *leaves = NULL;
	struct js_at here = js_at_key(top, "leaves");
	struct hb_err why = { HB_OK, "" };
	int rc = js_get_obj(o, top, "leaves", JS_REQUIRED, &leaves, err);

	if (rc != HB_OK)
		return rc;
	json_object_object_foreach(leaves, name, v)
	{
		struct topo_leaf *leaf;
		struct js_at at = js_at_key(&here, name);
		if (!json_object_is_type(v, json_type_string))
			return js_fail(&at, err, "a set of nodes is wanted, as in \"n[1-8]\"");
		if (topo_leaf_add(t, name, &leaf, &why) != HB_OK ||
		    nodeset_parse(json_object_get_string(v), &leaf->nodes, &why) != HB_OK)
			return js_fail(&at, err, "%s", why.text);
	}
	return topo_check(t, &why) == HB_OK ? HB_OK : js_fail(&here, err, "%s", why.text);
}

/* ---- levels above the leaves ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct level_names {
	const char **v;
	size_t n;
};

/* Every word of "of" is a switch that is named somewhere. */
static int check_level(json_object *level, const struct js_at *at, const struct level_names *names,
                       struct hb_err *err)
{
	json_object *of = NULL;
	struct js_at here = js_at_key(at, "of");
	int rc = js_known_keys(level, at, level_keys, err);

	if (rc == HB_OK)
		rc = js_get_arr(level, at, "of", JS_REQUIRED, &of, err);
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(of); i++) {
		json_object *v = json_object_array_get_idx(of, i);
		const char *word = json_object_is_type(v, json_type_string)
		                           ? json_object_get_string(v)
		                           : "";
		struct js_at one = js_at_index(&here, i);
		if (!bsearch(&word, names->v, names->n, sizeof(*names->v), by_text))
			rc = js_fail(&one, err, "'%.80s' is no switch of this topology", word);
	}
	return rc;
}

/* They are not needed to tell leaves apart; but what a file says of them is right, or said. */
static int check_levels(json_object *o, const struct js_at *top, const struct topo *t,
                        struct hb_err *err)
{
	json_object *levels = NULL;
	struct js_at here = js_at_key(top, "levels");
	struct level_names names = { NULL, t->n_leaves };
	int rc = js_get_arr(o, top, "levels", JS_OPTIONAL, &levels, err);
	size_t n = rc == HB_OK && levels ? json_object_array_length(levels) : 0;

	if (n == 0)
		return rc;
	if (n > LEVELS_MAX)
		return js_fail(&here, err, "more than %d switches", LEVELS_MAX);
	names.v = hb_realloc_array(NULL, names.n + n, sizeof(*names.v));
	for (size_t i = 0; i < t->n_leaves; i++)
		names.v[i] = t->leaves[i].name;
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at at = js_at_index(&here, i);
		json_object *level = json_object_array_get_idx(levels, i);
		if (!json_object_is_type(level, json_type_object))
			rc = js_fail(&at, err, "expected an object");
		else
			rc = js_get_str(level, &at, "name", JS_REQUIRED, &names.v[names.n], err);
		names.n += rc == HB_OK;
	}
	qsort(names.v, names.n, sizeof(*names.v), by_text);
	for (size_t i = 1; rc == HB_OK && i < names.n; i++)
		if (strcmp(names.v[i - 1], names.v[i]) == 0)
			rc = js_fail(&here, err, "the switch '%.80s' stands twice", names.v[i]);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at at = js_at_index(&here, i);
		rc = check_level(json_object_array_get_idx(levels, i), &at, &names, err);
	}
	free(names.v);
	return rc;
}

/* ---- whole ---- */

int topo_from_json(json_object *o, const char *source, struct topo *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	const char *from = NULL;
	int schema = 0;

	*out = (struct topo){ 0 };
	if (!json_object_is_type(o, json_type_object))
		return js_fail(&top, err, "expected an object");
	int rc = js_known_keys(o, &top, keys, err);
	if (rc == HB_OK)
		rc = js_get_int(o, &top, "schema", JS_REQUIRED, 1, TOPO_SCHEMA, &schema, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &top, "source", JS_OPTIONAL, &from, err);
	if (rc == HB_OK)
		rc = read_routing(o, &top, out, err);
	if (rc == HB_OK)
		rc = read_leaves(o, &top, out, err);
	if (rc == HB_OK)
		rc = check_levels(o, &top, out, err);
	if (rc != HB_OK)
		topo_free(out);
	else
		out->source = hb_strdup(from ? from : source);
	return rc;
}

json_object *topo_to_json(const struct topo *t)
{
	json_object *o = json_object_new_object(), *leaves = json_object_new_object();

	js_set_i64(o, "schema", TOPO_SCHEMA);
	js_set_str(o, "source", t->source);
	js_set_str(o, "routing", topo_routing_name(t->routing));
	for (size_t i = 0; i < t->n_leaves; i++) {
		struct buf nodes = BUF_INIT;
		nodeset_format(&t->leaves[i].nodes, &nodes);
		js_set_str(leaves, t->leaves[i].name, buf_text(&nodes));
		buf_free(&nodes);
	}
	js_set_obj(o, "leaves", leaves);
	return o;
}

static int read_json(const struct buf *b, const char *path, struct topo *out, struct hb_err *err)
{
	json_object *o = NULL;
	int rc = js_parse(b->data, b->len, path, &o, err);

	if (rc == HB_OK)
		rc = topo_from_json(o, path, out, err);
	js_put(o);
	return rc;
}

int topo_read(const char *path, struct topo *out, struct hb_err *err)
{
	struct buf b = BUF_INIT;
	int rc = buf_read_file(&b, path, TOPO_FILE_MAX, err);
	const char *text = buf_text(&b);

	*out = (struct topo){ 0 };
	if (rc == HB_OK)
		rc = text[strspn(text, " \t\r\n")] == '{'
		             ? read_json(&b, path, out, err)
		             : topo_from_slurm(text, b.len, path, out, err);
	buf_free(&b);
	if (rc == HB_OK && out->n_leaves == 0) {
		topo_free(out);
		rc = hb_fail(err, HB_E_FORMAT,
		             "%.200s: no switch with nodes in it; Slurm's topology.conf is wanted, "
		             "or JSON with \"leaves\"",
		             path);
	}
	return rc;
}

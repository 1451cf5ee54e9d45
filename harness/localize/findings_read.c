/* findings.json read back: whatever it holds, one clear error or what it says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/localize/findings_parts.h"

enum { COUNT_MAX = 1 << 30 };

static int read_text(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                     char **out, struct hb_err *err)
{
	const char *text = NULL;
	int rc = js_get_str(o, at, key, need, &text, err);
	if (rc != HB_OK || !text)
		return rc;
	if (strlen(text) > FINDINGS_TEXT_MAX) {
		struct js_at here = js_at_key(at, key);
		return js_fail(&here, err, "longer than %d bytes", FINDINGS_TEXT_MAX);
	}
	*out = hb_strdup(text);
	return HB_OK;
}

static int read_kind(json_object *o, const struct js_at *at, enum loc_kind *out, struct hb_err *err)
{
	const char *name = "";
	int rc = js_get_str(o, at, "kind", JS_REQUIRED, &name, err);
	for (int k = 0; rc == HB_OK && k < LOC_KINDS; k++) {
		*out = (enum loc_kind)k;
		if (strcmp(loc_kind_name(*out), name) == 0)
			return HB_OK;
	}
	struct js_at here = js_at_key(at, "kind");
	return rc == HB_OK ? js_fail(&here, err, "no kind of finding '%.40s'", name) : rc;
}

static int read_count(json_object *o, const struct js_at *at, const char *key, size_t *out,
                      struct hb_err *err)
{
	int n = 0;
	int rc = js_get_int(o, at, key, JS_OPTIONAL, 0, COUNT_MAX, &n, err);
	*out = (size_t)n;
	return rc;
}

static int read_figures(json_object *o, const struct js_at *at, struct loc_blame *b,
                        struct hb_err *err)
{
	const struct {
		const char *name;
		double *to;
	} figures[] = { { "loss", &b->loss },
		        { "z", &b->z },
		        { "detectable", &b->detectable },
		        { "loaded", &b->loaded },
		        { "isolated", &b->isolated },
		        { "control", &b->control } };
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < sizeof(figures) / sizeof(*figures); i++) {
		*figures[i].to = NAN;
		rc = js_get_f64(o, at, figures[i].name, JS_OPTIONAL, figures[i].to, err);
	}
	if (rc == HB_OK)
		rc = read_count(o, at, "tests", &b->tests, err);
	if (rc == HB_OK)
		rc = read_count(o, at, "slow_tests", &b->slow_tests, err);
	return rc == HB_OK ? read_count(o, at, "partners", &b->partners, err) : rc;
}

static int read_evidence(json_object *o, const struct js_at *at, struct culprit *c,
                         struct findings *out, struct hb_err *err)
{
	struct loc_blame b = { .state = c->state, .a = LOC_NONE, .b = LOC_NONE, .group = LOC_NONE };
	json_object *key = NULL;
	struct js_at here = js_at_key(at, "key");
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "an object is wanted");
	int rc = js_get_obj(o, at, "key", JS_REQUIRED, &key, err);
	struct key *k = rc == HB_OK ? hb_alloc(sizeof(*k)) : NULL;
	if (rc == HB_OK)
		rc = key_from_json(key, &here, k, err);
	if (rc != HB_OK) {
		free(k);
		return rc;
	}
	hb_grow(&out->keys, &out->cap_keys, out->n_keys + 1, sizeof(struct key *));
	out->keys[out->n_keys++] = k;
	rc = read_kind(o, at, &b.kind, err);
	if (rc == HB_OK)
		rc = read_figures(o, at, &b, err);
	if (rc != HB_OK)
		return rc;
	hb_grow(&c->evidence, &c->cap_evidence, c->n_evidence + 1, sizeof(*c->evidence));
	c->evidence[c->n_evidence++] = (struct evidence){ k, b, NULL };
	return HB_OK;
}

/* A comma list of what the array holds; names with a comma would make two. */
static int read_others(json_object *o, const struct js_at *at, struct culprit *c,
                       struct hb_err *err)
{
	json_object *list = NULL;
	struct buf text = BUF_INIT;
	struct js_at here = js_at_key(at, "others");
	int rc = js_get_arr(o, at, "others", JS_OPTIONAL, &list, err);
	size_t n = list ? json_object_array_length(list) : 0;
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		const char *name = json_object_is_type(one, json_type_string)
		                           ? json_object_get_string(one)
		                           : "";
		if (!*name || strchr(name, ',') || text.len + strlen(name) > FINDINGS_TEXT_MAX)
			rc = js_fail(&here, err, "subjects are wanted");
		else
			buf_printf(&text, "%s%s", text.len ? "," : "", name);
	}
	c->others = rc == HB_OK && text.len ? buf_detach(&text) : NULL;
	buf_free(&text);
	return rc;
}

static int read_state(json_object *o, const struct js_at *at, struct culprit *c, struct hb_err *err)
{
	const char *state = "";
	struct js_at here = js_at_key(at, "state");
	int rc = js_get_str(o, at, "state", JS_REQUIRED, &state, err);
	if (rc != HB_OK)
		return rc;
	if (strcmp(state, "slow") != 0 && strcmp(state, "undecided") != 0)
		return js_fail(&here, err, "slow or undecided is wanted, not '%.40s'", state);
	c->state = strcmp(state, "slow") == 0 ? LOC_SLOW : LOC_UNDECIDED;
	return HB_OK;
}

static int read_culprit(json_object *o, const struct js_at *at, struct findings *out,
                        struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at here = js_at_key(at, "evidence");
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "an object is wanted");
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	struct culprit *c = &out->v[out->n++];
	*c = (struct culprit){ 0 };
	int rc = read_text(o, at, "subject", JS_REQUIRED, &c->subject, err);
	if (rc == HB_OK)
		rc = read_text(o, at, "text", JS_REQUIRED, &c->text, err);
	if (rc == HB_OK)
		rc = read_text(o, at, "nodes", JS_OPTIONAL, &c->nodes, err);
	if (rc == HB_OK)
		rc = read_kind(o, at, &c->kind, err);
	if (rc == HB_OK)
		rc = read_state(o, at, c, err);
	if (rc == HB_OK)
		rc = read_others(o, at, c, err);
	if (rc == HB_OK)
		rc = js_get_f64(o, at, "loss", JS_OPTIONAL, &c->loss, err);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "unsure", JS_OPTIONAL, &c->unsure, err);
	if (rc == HB_OK)
		rc = js_get_arr(o, at, "evidence", JS_REQUIRED, &list, err);
	size_t n = list ? json_object_array_length(list) : 0;
	if (rc == HB_OK && n > FINDINGS_EVIDENCE_MAX)
		rc = js_fail(&here, err, "more than %d", FINDINGS_EVIDENCE_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at one = js_at_index(&here, i);
		rc = read_evidence(json_object_array_get_idx(list, i), &one, c, out, err);
	}
	return rc;
}

static int read_scope(json_object *o, const struct js_at *at, struct findings *out,
                      struct hb_err *err)
{
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "an object is wanted");
	out->scope = hb_realloc_array(out->scope, out->n_scope + 1, sizeof(*out->scope));
	struct findings_scope *s = &out->scope[out->n_scope++];
	*s = (struct findings_scope){ .detectable = NAN };
	int rc = read_text(o, at, "bench", JS_REQUIRED, &s->bench, err);
	if (rc == HB_OK)
		rc = read_count(o, at, "nodes", &s->nodes, err);
	if (rc == HB_OK)
		rc = read_count(o, at, "links_tested", &s->links_tested, err);
	if (rc == HB_OK)
		rc = read_count(o, at, "links", &s->links, err);
	if (rc == HB_OK)
		rc = js_get_f64(o, at, "detectable", JS_OPTIONAL, &s->detectable, err);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "stored", JS_OPTIONAL, &s->stored, err);
	return rc == HB_OK ? js_get_bool(o, at, "paths_separated", JS_OPTIONAL, &s->paths_separated,
	                                 err)
	                   : rc;
}

typedef int read_one(json_object *o, const struct js_at *at, struct findings *out,
                     struct hb_err *err);

static int read_list(json_object *o, const struct js_at *top, const char *key, read_one *one,
                     struct findings *out, struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at at = js_at_key(top, key);
	int rc = js_get_arr(o, top, key, JS_REQUIRED, &list, err);
	size_t n = list ? json_object_array_length(list) : 0;
	if (rc == HB_OK && n > FINDINGS_MAX)
		return js_fail(&at, err, "more than %d", FINDINGS_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(&at, i);
		rc = one(json_object_array_get_idx(list, i), &here, out, err);
	}
	return rc;
}

int findings_from_json(json_object *o, const char *source, struct findings *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	int schema = 0;
	*out = (struct findings){ 0 };
	int rc = js_get_int(o, &top, "schema", JS_REQUIRED, 0, INT32_MAX, &schema, err);
	if (rc == HB_OK && schema != FINDINGS_SCHEMA)
		rc = js_fail(&top, err, "schema %d; this version reads schema %d", schema,
		             FINDINGS_SCHEMA);
	if (rc == HB_OK)
		rc = read_text(o, &top, "baseline", JS_OPTIONAL, &out->baseline, err);
	if (rc == HB_OK)
		rc = read_list(o, &top, "findings", read_culprit, out, err);
	if (rc == HB_OK)
		rc = read_list(o, &top, "scope", read_scope, out, err);
	if (rc != HB_OK)
		findings_free(out);
	return rc;
}

int findings_read(const char *dir, struct findings *out, struct hb_err *err)
{
	char *path = hb_format("%s/findings.json", dir);
	json_object *o = NULL;
	*out = (struct findings){ 0 };
	int rc = js_read_file(path, FINDINGS_FILE_MAX, &o, err);
	if (rc == HB_OK)
		rc = findings_from_json(o, path, out, err);
	js_put(o);
	free(path);
	return rc;
}

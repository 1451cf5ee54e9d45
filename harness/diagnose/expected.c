/*
 * Reads baselines/expected: classes.json {"schema", "classes": [...]} and figures.json {"schema",
 * "figures": [...]}; either may hold both. expected.schema.json beside them is the schema.
 */
#include "harness/diagnose/expected.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/suite.h"

static const char *const coarse_names[] = { "ethernet", "roce", "infiniband", "memory" };

const char *wire_coarse_name(enum wire_coarse c)
{
	return coarse_names[c];
}

const struct wire_class *expected_class(const struct expected *e, const char *name)
{
	for (size_t i = 0; i < e->n_classes; i++)
		if (strcmp(e->classes[i].name, name) == 0)
			return &e->classes[i];
	return NULL;
}

/* ---- members ---- */

static int get_text(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                    char **out, struct hb_err *err)
{
	const char *text = NULL;
	int rc = js_get_str(o, at, key, need, &text, err);
	struct js_at here = js_at_key(at, key);

	if (rc != HB_OK || !text)
		return rc;
	if (!*text)
		return js_fail(&here, err, "must not be empty");
	if (strlen(text) > EXPECTED_TEXT_MAX)
		return js_fail(&here, err, "longer than %d bytes", EXPECTED_TEXT_MAX);
	*out = hb_strdup(text);
	return HB_OK;
}

/* A finite number above 0. */
static int get_above_0(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                       double *out, struct hb_err *err)
{
	double v = NAN;
	int rc = js_get_f64(o, at, key, need, &v, err);
	struct js_at here = js_at_key(at, key);

	if (rc == HB_OK && !isnan(v) && !(v > 0 && isfinite(v)))
		rc = js_fail(&here, err, "a number above 0 is wanted");
	*out = v;
	return rc;
}

/* ---- classes ---- */

static void class_free(struct wire_class *c)
{
	free(c->name);
	free(c->title);
	free(c->source);
}

static int get_coarse(json_object *o, const struct js_at *at, enum wire_coarse *out,
                      struct hb_err *err)
{
	const char *name = "";
	int rc = js_get_str(o, at, "coarse", JS_REQUIRED, &name, err);
	struct js_at here = js_at_key(at, "coarse");

	for (size_t i = 0; rc == HB_OK && i < sizeof(coarse_names) / sizeof(*coarse_names); i++) {
		*out = (enum wire_coarse)i;
		if (strcmp(name, coarse_names[i]) == 0)
			return HB_OK;
	}
	return rc == HB_OK ? js_fail(&here, err,
	                             "'%.40s' is none of ethernet, roce, infiniband, memory", name)
	                   : rc;
}

static int read_class(json_object *o, const struct js_at *at, struct wire_class *c,
                      struct hb_err *err)
{
	static const char *const known[] = { "name",      "title",  "coarse",
		                             "rate_Bps",  "reach",  "lat_min_s",
		                             "lat_max_s", "source", NULL };
	int rc = js_known_keys(o, at, known, err);

	if (rc == HB_OK)
		rc = get_text(o, at, "name", JS_REQUIRED, &c->name, err);
	if (rc == HB_OK)
		rc = get_text(o, at, "title", JS_REQUIRED, &c->title, err);
	if (rc == HB_OK)
		rc = get_coarse(o, at, &c->coarse, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "lat_min_s", JS_REQUIRED, &c->lat_min_s, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "lat_max_s", JS_REQUIRED, &c->lat_max_s, err);
	if (rc == HB_OK && c->lat_max_s < c->lat_min_s)
		rc = js_fail(at, err, "lat_max_s is below lat_min_s");
	enum js_need need = c->coarse == WIRE_MEMORY ? JS_OPTIONAL : JS_REQUIRED;
	if (rc == HB_OK)
		rc = get_above_0(o, at, "rate_Bps", need, &c->rate_Bps, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "reach", need, &c->reach, err);
	if (rc == HB_OK && c->reach > 1)
		rc = js_fail(at, err, "reach is a share of rate_Bps, at most 1");
	return rc == HB_OK ? get_text(o, at, "source", JS_REQUIRED, &c->source, err) : rc;
}

static void put_class(struct expected *e, const struct wire_class *c)
{
	for (size_t i = 0; i < e->n_classes; i++) {
		if (strcmp(e->classes[i].name, c->name) != 0)
			continue;
		class_free(&e->classes[i]);
		e->classes[i] = *c;
		return;
	}
	hb_grow(&e->classes, &e->cap_classes, e->n_classes + 1, sizeof(*e->classes));
	e->classes[e->n_classes++] = *c;
}

/* ---- figures ---- */

static void figure_free(struct expected_figure *f)
{
	free(f->name);
	free(f->bench);
	free(f->metric);
	free(f->hardware);
	free(f->wire);
	free(f->where);
	free(f->source);
	free(f->when);
}

static int read_words(json_object *o, const struct js_at *at, struct expected_figure *f,
                      struct hb_err *err)
{
	const struct {
		const char *key;
		enum js_need need;
		char **to;
	} words[] = {
		{ "name", JS_REQUIRED, &f->name },     { "bench", JS_REQUIRED, &f->bench },
		{ "metric", JS_OPTIONAL, &f->metric }, { "hardware", JS_REQUIRED, &f->hardware },
		{ "wire", JS_OPTIONAL, &f->wire },     { "where", JS_OPTIONAL, &f->where },
		{ "source", JS_REQUIRED, &f->source }, { "when", JS_REQUIRED, &f->when }
	};
	struct js_at here = js_at_key(at, "where");
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < sizeof(words) / sizeof(*words); i++)
		rc = get_text(o, at, words[i].key, words[i].need, words[i].to, err);
	if (rc == HB_OK && f->where && strcmp(f->where, "same-node") != 0 &&
	    strcmp(f->where, "remote") != 0)
		rc = js_fail(&here, err, "'%.40s' is neither same-node nor remote", f->where);
	return rc;
}

static int read_figure(json_object *o, const struct js_at *at, struct expected_figure *f,
                       struct hb_err *err)
{
	static const char *const known[] = { "name",      "bench", "metric",  "hardware",
		                             "wire",      "when",  "source",  "bytes_min",
		                             "bytes_max", "nodes", "typical", "at_least",
		                             "at_most",   "where", NULL };
	int rc = js_known_keys(o, at, known, err);

	f->bytes_max = UINT64_MAX;
	if (rc == HB_OK)
		rc = read_words(o, at, f, err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "bytes_min", JS_OPTIONAL, &f->bytes_min, err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "bytes_max", JS_OPTIONAL, &f->bytes_max, err);
	if (rc == HB_OK && f->bytes_max < f->bytes_min)
		rc = js_fail(at, err, "bytes_max is below bytes_min");
	if (rc == HB_OK)
		rc = js_get_int(o, at, "nodes", JS_OPTIONAL, 1, 1 << 20, &f->nodes, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "typical", JS_OPTIONAL, &f->typical, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "at_least", JS_OPTIONAL, &f->at_least, err);
	if (rc == HB_OK)
		rc = get_above_0(o, at, "at_most", JS_OPTIONAL, &f->at_most, err);
	if (rc == HB_OK && isnan(f->typical) && isnan(f->at_least) && isnan(f->at_most))
		rc = js_fail(at, err, "one of typical, at_least and at_most is wanted");
	if (rc == HB_OK && f->at_least > f->at_most)
		rc = js_fail(at, err, "at_least is above at_most");
	return rc;
}

static void put_figure(struct expected *e, const struct expected_figure *f)
{
	for (size_t i = 0; i < e->n_figures; i++) {
		if (strcmp(e->figures[i].name, f->name) != 0)
			continue;
		figure_free(&e->figures[i]);
		e->figures[i] = *f;
		return;
	}
	hb_grow(&e->figures, &e->cap_figures, e->n_figures + 1, sizeof(*e->figures));
	e->figures[e->n_figures++] = *f;
}

/* ---- files ---- */

static int read_classes(json_object *list, const struct js_at *at, struct expected *out,
                        struct hb_err *err)
{
	size_t n = list ? json_object_array_length(list) : 0;
	int rc = HB_OK;

	if (n > EXPECTED_CLASSES_MAX)
		return js_fail(at, err, "more than %d classes", EXPECTED_CLASSES_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(at, i);
		json_object *o = json_object_array_get_idx(list, i);
		struct wire_class c = { 0 };
		if (!json_object_is_type(o, json_type_object))
			return js_fail(&here, err, "an object is wanted");
		rc = read_class(o, &here, &c, err);
		if (rc == HB_OK && out->n_classes >= EXPECTED_CLASSES_MAX)
			rc = js_fail(&here, err, "more than %d classes", EXPECTED_CLASSES_MAX);
		if (rc == HB_OK)
			put_class(out, &c);
		else
			class_free(&c);
	}
	return rc;
}

static int read_figures(json_object *list, const struct js_at *at, struct expected *out,
                        struct hb_err *err)
{
	size_t n = list ? json_object_array_length(list) : 0;
	int rc = HB_OK;

	if (n > EXPECTED_FIGURES_MAX)
		return js_fail(at, err, "more than %d figures", EXPECTED_FIGURES_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(at, i);
		json_object *o = json_object_array_get_idx(list, i);
		struct expected_figure f = { 0 };
		if (!json_object_is_type(o, json_type_object))
			return js_fail(&here, err, "an object is wanted");
		rc = read_figure(o, &here, &f, err);
		if (rc == HB_OK && f.wire && !expected_class(out, f.wire))
			rc = js_fail(&here, err, "wire: no class '%.40s'", f.wire);
		if (rc == HB_OK && out->n_figures >= EXPECTED_FIGURES_MAX)
			rc = js_fail(&here, err, "more than %d figures", EXPECTED_FIGURES_MAX);
		if (rc == HB_OK)
			put_figure(out, &f);
		else
			figure_free(&f);
	}
	return rc;
}

int expected_from_json(json_object *o, const char *source, struct expected *out, struct hb_err *err)
{
	static const char *const known[] = { "schema", "classes", "figures", NULL };
	struct js_at top = JS_AT_TOP(source);
	struct js_at classes_at = js_at_key(&top, "classes");
	struct js_at figures_at = js_at_key(&top, "figures");
	json_object *classes = NULL, *figures = NULL;
	int schema = 0;
	int rc = js_known_keys(o, &top, known, err);

	if (rc == HB_OK)
		rc = js_get_int(o, &top, "schema", JS_REQUIRED, EXPECTED_SCHEMA, EXPECTED_SCHEMA,
		                &schema, err);
	if (rc == HB_OK)
		rc = js_get_arr(o, &top, "classes", JS_OPTIONAL, &classes, err);
	if (rc == HB_OK)
		rc = js_get_arr(o, &top, "figures", JS_OPTIONAL, &figures, err);
	if (rc == HB_OK)
		rc = read_classes(classes, &classes_at, out, err);
	return rc == HB_OK ? read_figures(figures, &figures_at, out, err) : rc;
}

static int read_file(const char *path, struct expected *out, struct hb_err *err)
{
	json_object *o = NULL;
	int rc = js_read_file(path, EXPECTED_FILE_MAX, &o, err);

	if (rc == HB_OK)
		rc = expected_from_json(o, path, out, err);
	js_put(o);
	return rc;
}

int expected_load(const char *path, struct expected *out, struct hb_err *err)
{
	static const char *const files[] = { "expected/classes.json", "expected/figures.json" };
	int rc = HB_OK;

	*out = (struct expected){ 0 };
	for (size_t i = 0; rc == HB_OK && i < (path ? 1 : 2); i++) {
		char *built_in = path ? NULL : suite_data_path(files[i]);
		rc = read_file(path ? path : built_in, out, err);
		free(built_in);
	}
	if (rc != HB_OK)
		expected_free(out);
	return rc;
}

void expected_free(struct expected *e)
{
	for (size_t i = 0; i < e->n_classes; i++)
		class_free(&e->classes[i]);
	for (size_t i = 0; i < e->n_figures; i++)
		figure_free(&e->figures[i]);
	free(e->classes);
	free(e->figures);
	*e = (struct expected){ 0 };
}

/*
 * Reading a baseline, as baseline_json.c writes it: everything bounded, every error with its
 * place. Unknown members are ignored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/baseline.h"
#include "harness/store/read.h"

enum { RUNS_MAX = 10000, ENTRIES_MAX = 1 << 17, SERIES_MAX = 1 << 17 };

/* One of two words; absent is the first. */
static int get_either(json_object *o, const struct js_at *at, const char *name, const char *first,
                      const char *second, bool *is_second, struct hb_err *err)
{
	const char *s = first;
	int rc = js_get_str(o, at, name, JS_OPTIONAL, &s, err);

	if (rc < 0)
		return rc;
	*is_second = strcmp(s, second) == 0;
	if (!*is_second && strcmp(s, first) != 0) {
		struct js_at here = js_at_key(at, name);

		return js_fail(&here, err, "must be '%s' or '%s'", first, second);
	}
	return HB_OK;
}

static int order_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* The first text that stands twice in names, or NULL. Sorts names. */
static const char *repeated(const char **names, size_t n)
{
	if (n)
		qsort(names, n, sizeof(*names), order_text);
	for (size_t i = 1; i < n; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return names[i];
	return NULL;
}

static int read_y(json_object *a, const struct js_at *at, struct base_series *s, size_t n_runs,
                  struct hb_err *err)
{
	if (json_object_array_length(a) != n_runs)
		return js_fail(at, err, "has %zu figures for %zu runs", json_object_array_length(a),
		               n_runs);
	s->y = hb_realloc_array(NULL, n_runs, sizeof(*s->y));
	for (size_t t = 0; t < n_runs; t++) {
		json_object *v = json_object_array_get_idx(a, t);
		struct js_at here = js_at_index(at, t);

		s->y[t] = NAN;
		if (!v)
			continue;
		if (!json_object_is_type(v, json_type_double) &&
		    !json_object_is_type(v, json_type_int))
			return js_fail(&here, err, "must be a number or null");
		s->y[t] = json_object_get_double(v);
		if (!(fabs(s->y[t]) < 100.0))
			return js_fail(&here, err, "is no log figure: must be within 100 of 0");
	}
	return HB_OK;
}

static int read_series(json_object *o, const struct js_at *at, struct base_series *s, size_t n_runs,
                       struct hb_err *err)
{
	json_object *y = NULL;
	struct js_at at_y = js_at_key(at, "y");
	int rc;

	if ((rc = read_text(o, at, "subject", JS_REQUIRED, &s->subject, err)) < 0 ||
	    (rc = read_text(o, at, "hw", JS_OPTIONAL, &s->hw, err)) < 0 ||
	    (rc = js_get_arr(o, at, "y", JS_REQUIRED, &y, err)) < 0)
		return rc;
	return read_y(y, &at_y, s, n_runs, err);
}

static int read_all_series(json_object *a, const struct js_at *at, struct base_entry *e,
                           size_t n_runs, struct hb_err *err)
{
	size_t n = json_object_array_length(a);
	const char **names, *twice;
	int rc = HB_OK;

	if (n > SERIES_MAX)
		return js_fail(at, err, "more than %d series", SERIES_MAX);
	e->series = hb_alloc(n * sizeof(*e->series));
	e->cap_series = n;
	for (size_t k = 0; k < n && rc == HB_OK; k++) {
		json_object *o = json_object_array_get_idx(a, k);
		struct js_at here = js_at_index(at, k);

		e->n_series++;
		rc = json_object_is_type(o, json_type_object)
		             ? read_series(o, &here, &e->series[k], n_runs, err)
		             : js_fail(&here, err, "must be an object");
	}
	if (rc < 0)
		return rc;
	names = hb_alloc(n * sizeof(*names));
	for (size_t k = 0; k < n; k++)
		names[k] = e->series[k].subject;
	twice = repeated(names, n);
	free(names);
	return twice ? js_fail(at, err, "subject '%.80s' stands twice", twice) : HB_OK;
}

/* Files of old have no floor: that of the benchmark itself stands for it. */
static int read_floor(json_object *o, const struct js_at *at, struct base_entry *e,
                      struct hb_err *err)
{
	static const double unknown = 0.03; /* of a benchmark that this version does not know */
	const struct bench_info *info = catalog_find(e->key.bench);
	int rc;

	e->floor = info ? info->floor : unknown;
	rc = read_ratio(o, at, "floor", &e->floor, err);
	return rc < 0 ? rc : read_ratio(o, at, "tolerance", &e->tolerance, err);
}

static int read_entry(json_object *o, const struct js_at *at, struct base_entry *e, size_t n_runs,
                      struct hb_err *err)
{
	json_object *key = NULL, *series = NULL;
	struct js_at at_key = js_at_key(at, "key"), at_series = js_at_key(at, "series");
	const char *unit = NULL;
	bool cluster = false;
	int rc;

	if ((rc = js_get_obj(o, at, "key", JS_REQUIRED, &key, err)) < 0 ||
	    (rc = key_from_json(key, &at_key, &e->key, err)) < 0 ||
	    (rc = get_either(o, at, "kind", "node", "cluster", &cluster, err)) < 0 ||
	    (rc = get_either(o, at, "better", "lower", "higher", &e->higher_is_better, err)) < 0 ||
	    (rc = read_floor(o, at, e, err)) < 0 ||
	    (rc = js_get_str(o, at, "unit", JS_REQUIRED, &unit, err)) < 0 ||
	    (rc = js_get_arr(o, at, "series", JS_REQUIRED, &series, err)) < 0)
		return rc;
	e->kind = cluster ? SUBJECT_CLUSTER : SUBJECT_NODE;
	if (summary_unit_parse(unit, &e->unit) < 0) {
		struct js_at here = js_at_key(at, "unit");

		return js_fail(&here, err, "unknown unit '%.40s'", unit);
	}
	return read_all_series(series, &at_series, e, n_runs, err);
}

/* Two entries of one key would make half of the history invisible. */
static int check_repeated(const struct baseline *b, const struct js_at *at, struct hb_err *err)
{
	const char **names = hb_alloc(b->n_entries * sizeof(*names)), *twice = NULL;

	for (int kind = SUBJECT_NODE; kind <= SUBJECT_CLUSTER && !twice; kind++) {
		size_t n = 0;

		for (size_t i = 0; i < b->n_entries; i++)
			if (b->entries[i].kind == (enum subject_kind)kind)
				names[n++] = b->entries[i].key.text;
		twice = repeated(names, n);
	}
	free(names);
	return twice ? js_fail(at, err, "key %.200s stands twice", twice) : HB_OK;
}

static int read_entries(json_object *a, const struct js_at *at, struct baseline *b,
                        struct hb_err *err)
{
	size_t n = json_object_array_length(a);

	if (n > ENTRIES_MAX)
		return js_fail(at, err, "more than %d entries", ENTRIES_MAX);
	b->entries = hb_alloc(n * sizeof(*b->entries));
	b->cap_entries = n;
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(a, i);
		struct js_at here = js_at_index(at, i);
		int rc;

		if (!json_object_is_type(o, json_type_object))
			return js_fail(&here, err, "must be an object");
		b->n_entries++;
		if ((rc = read_entry(o, &here, &b->entries[i], b->n_runs, err)) < 0)
			return rc;
	}
	return check_repeated(b, at, err);
}

static int read_runs(json_object *a, const struct js_at *at, struct baseline *b, struct hb_err *err)
{
	size_t n = json_object_array_length(a);
	const char **names, *twice;

	if (n > RUNS_MAX)
		return js_fail(at, err, "more than %d runs", RUNS_MAX);
	b->runs = hb_alloc(n * sizeof(*b->runs));
	for (size_t t = 0; t < n; t++) {
		json_object *v = json_object_array_get_idx(a, t);
		struct js_at here = js_at_index(at, t);

		if (!json_object_is_type(v, json_type_string) ||
		    json_object_get_string_len(v) > READ_TEXT_MAX)
			return js_fail(&here, err, "must be a run id");
		b->runs[b->n_runs++] = hb_strdup(json_object_get_string(v));
	}
	names = hb_alloc(n * sizeof(*names));
	for (size_t t = 0; t < n; t++)
		names[t] = b->runs[t];
	twice = repeated(names, n);
	free(names);
	return twice ? js_fail(at, err, "run '%.80s' stands twice", twice) : HB_OK;
}

/* Files of old have none. */
static int read_rebased(json_object *o, const struct js_at *at, struct base_rebase *r,
                        struct hb_err *err)
{
	json_object *one = NULL, *ratios = NULL;
	struct js_at here = js_at_key(at, "rebased");
	int rc = js_get_obj(o, at, "rebased", JS_OPTIONAL, &one, err);

	if (rc < 0 || !one)
		return rc;
	if ((rc = read_text(one, &here, "from", JS_REQUIRED, &r->from, err)) < 0 ||
	    (rc = read_text(one, &here, "date", JS_REQUIRED, &r->date, err)) < 0 ||
	    (rc = read_text(one, &here, "reason", JS_REQUIRED, &r->reason, err)) < 0 ||
	    (rc = read_text(one, &here, "by", JS_REQUIRED, &r->by, err)) < 0 ||
	    (rc = js_get_arr(one, &here, "ratios", JS_OPTIONAL, &ratios, err)) < 0)
		return rc;
	/* For whoever reads the file; nothing is computed from it. */
	r->ratios = ratios ? json_object_get(ratios) : NULL;
	return HB_OK;
}

static int read_baseline(json_object *o, const struct js_at *at, struct baseline *b,
                         struct hb_err *err)
{
	json_object *runs = NULL, *entries = NULL, *facts = NULL;
	struct js_at at_runs = js_at_key(at, "runs"), at_entries = js_at_key(at, "entries");
	int rc, schema = 0;

	if ((rc = js_get_int(o, at, "schema", JS_REQUIRED, BASELINE_SCHEMA, BASELINE_SCHEMA,
	                     &schema, err)) < 0 ||
	    (rc = read_text(o, at, "name", JS_OPTIONAL, &b->name, err)) < 0 ||
	    (rc = read_text(o, at, "created", JS_OPTIONAL, &b->created, err)) < 0 ||
	    (rc = read_text(o, at, "reason", JS_OPTIONAL, &b->reason, err)) < 0 ||
	    (rc = read_names(o, at, "fingerprint", json_type_array, &b->fingerprint, err)) < 0 ||
	    (rc = read_names(o, at, "hw", json_type_string, &b->hw, err)) < 0 ||
	    (rc = js_get_obj(o, at, "facts", JS_OPTIONAL, &facts, err)) < 0 ||
	    (rc = read_names(o, at, "merged", json_type_array, &b->merged, err)) < 0 ||
	    (rc = read_names(o, at, "excluded", json_type_string, &b->excluded, err)) < 0 ||
	    (rc = read_rebased(o, at, &b->rebased, err)) < 0 ||
	    (rc = js_get_arr(o, at, "runs", JS_REQUIRED, &runs, err)) < 0 ||
	    (rc = read_runs(runs, &at_runs, b, err)) < 0 ||
	    (rc = js_get_arr(o, at, "entries", JS_REQUIRED, &entries, err)) < 0)
		return rc;
	b->facts = json_object_get(facts);
	return read_entries(entries, &at_entries, b, err);
}

int baseline_from_json(json_object *o, const char *source, struct baseline *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP(source);
	int rc;

	memset(out, 0, sizeof(*out));
	out->fingerprint = json_object_new_object();
	out->hw = json_object_new_object();
	out->excluded = json_object_new_object();
	out->merged = json_object_new_object();
	rc = json_object_is_type(o, json_type_object) ? read_baseline(o, &at, out, err)
	                                              : js_fail(&at, err, "must be an object");
	if (rc < 0)
		baseline_free(out);
	else
		baseline_derive(out);
	return rc;
}

int baseline_read(const char *path, struct baseline *out, struct hb_err *err)
{
	json_object *o = NULL;
	int rc = js_read_file(path, JS_FILE_MAX, &o, err);

	if (rc == HB_OK)
		rc = baseline_from_json(o, path, out, err);
	js_put(o);
	return rc;
}

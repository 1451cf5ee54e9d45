/* Files of rules: the built-in ones, those of a site, what a site suppresses. */
#include "harness/diagnose/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/diagnose/rules_parts.h"
#include "harness/judge/ack.h"
#include "harness/plan/suite.h"

enum { SUPPRESS_MAX = 4096 };

/* A file being read. */
struct reading {
	const char *source, *today;
	bool site; /* may take the place of what is there */
	struct rules *out;
	struct hb_err *err;
};

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct rule *)a)->id, ((const struct rule *)b)->id);
}

static struct rule *find(const struct rules *r, const char *id)
{
	size_t lo = 0, hi = r->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(r->v[mid].id, id);
		if (c == 0)
			return &r->v[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct rule *rules_find(const struct rules *r, const char *id)
{
	return find(r, id);
}

const char *rules_nearest(const struct rules *r, const char *id)
{
	const char **names = hb_alloc((r->n + 1) * sizeof *names);
	for (size_t i = 0; i < r->n; i++)
		names[i] = r->v[i].id;
	const char *near = units_nearest(id, names);
	free(names);
	return near;
}

/* Takes the rule over, or frees it. The rules stay ordered. */
static int add_rule(const struct reading *in, const struct js_at *at, struct rule *one)
{
	struct rule *old = find(in->out, one->id);

	one->file = hb_strdup(in->source);
	if (old && (!in->site || strcmp(old->file, one->file) == 0)) {
		js_fail(at, in->err, "the id '%s' is taken: %s", one->id,
		        strcmp(old->file, one->file) == 0 ? "twice in this file" : old->file);
		rule_free(one);
		return HB_E_FORMAT;
	}
	if (old) {
		rule_free(old);
		*old = *one;
		return HB_OK;
	}
	if (in->out->n >= RULES_MAX) {
		rule_free(one);
		return js_fail(at, in->err, "more than %d rules", RULES_MAX);
	}
	hb_grow(&in->out->v, &in->out->cap, in->out->n + 1, sizeof *in->out->v);
	in->out->v[in->out->n++] = *one;
	qsort(in->out->v, in->out->n, sizeof *in->out->v, by_id);
	return HB_OK;
}

static void suppression_free(struct suppression *s)
{
	free(s->rule);
	free(s->subject);
	free(s->until);
	free(s->reason);
}

static int read_suppression(const struct reading *in, json_object *o, const struct js_at *at)
{
	static const char *const known[] = { "rule", "subject", "until", "reason", NULL };
	struct suppression s = { 0 };
	struct js_at until = js_at_key(at, "until");
	int64_t day = 0, today = 0;
	struct hb_err why = { 0 };

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, in->err, "an object is wanted");
	int rc = js_known_keys(o, at, known, in->err);
	if (rc == HB_OK)
		rc = rule_text_read(o, at, "rule", JS_REQUIRED, &s.rule, in->err);
	if (rc == HB_OK)
		rc = rule_text_read(o, at, "subject", JS_OPTIONAL, &s.subject, in->err);
	if (rc == HB_OK)
		rc = rule_text_read(o, at, "until", JS_REQUIRED, &s.until, in->err);
	if (rc == HB_OK)
		rc = rule_text_read(o, at, "reason", JS_REQUIRED, &s.reason, in->err);
	if (rc == HB_OK && ack_day_parse(s.until, false, 0, &day, &why) != HB_OK)
		rc = js_fail(&until, in->err, "%.200s", why.text);
	if (rc != HB_OK) {
		suppression_free(&s);
		return rc;
	}
	s.expired = ack_day_parse(in->today, false, 0, &today, NULL) == HB_OK && day < today;
	hb_grow(&in->out->suppress, &in->out->cap_suppress, in->out->n_suppress + 1, sizeof s);
	in->out->suppress[in->out->n_suppress++] = s;
	return HB_OK;
}

static int read_list(const struct reading *in, json_object *o, const char *key, size_t max)
{
	struct js_at top = JS_AT_TOP(in->source), at = js_at_key(&top, key);
	bool rules = strcmp(key, "rules") == 0;
	json_object *list = NULL;
	int rc = js_get_arr(o, &top, key, JS_OPTIONAL, &list, in->err);
	size_t n = list ? json_object_array_length(list) : 0;

	if (rc == HB_OK && n > max)
		rc = js_fail(&at, in->err, "more than %zu", max);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(&at, i);
		json_object *one = json_object_array_get_idx(list, i);
		struct rule r;
		if (!rules)
			rc = read_suppression(in, one, &here);
		else if ((rc = rule_read(one, &here, &r, in->err)) == HB_OK)
			rc = add_rule(in, &here, &r);
	}
	return rc;
}

static int read_object(const struct reading *in, json_object *o)
{
	static const char *const known[] = { "schema", "rules", "suppress", NULL };
	struct js_at top = JS_AT_TOP(in->source);
	int schema = 0;
	int rc = js_get_int(o, &top, "schema", JS_REQUIRED, 0, INT32_MAX, &schema, in->err);

	if (rc == HB_OK && schema != RULES_SCHEMA)
		rc = js_fail(&top, in->err, "schema %d; this version reads schema %d", schema,
		             RULES_SCHEMA);
	if (rc == HB_OK)
		rc = js_known_keys(o, &top, known, in->err);
	if (rc == HB_OK)
		rc = read_list(in, o, "rules", RULES_MAX);
	if (rc == HB_OK)
		rc = read_list(in, o, "suppress", SUPPRESS_MAX);
	return rc;
}

int rules_from_json(json_object *o, const char *source, const char *today, struct rules *out,
                    struct hb_err *err)
{
	struct reading in = { source, today, true, out, err };
	return read_object(&in, o);
}

static int read_path(const char *path, const char *today, bool site, struct rules *out,
                     struct hb_err *err)
{
	struct reading in = { path, today, site, out, err };
	json_object *o = NULL;
	int rc = js_read_file(path, RULES_FILE_MAX, &o, err);
	if (rc == HB_OK)
		rc = read_object(&in, o);
	js_put(o);
	return rc;
}

static int read_folder(const char *dir, const char *today, bool site, struct rules *out,
                       struct hb_err *err)
{
	char **names = data_names(dir);
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && names[i]; i++) {
		char *path = hb_format("%s/%s.json", dir, names[i]);
		rc = read_path(path, today, site, out, err);
		free(path);
	}
	if (!names[0])
		rc = hb_fail(err, HB_E_USAGE, "no rules (*.json) in %s", dir);
	suite_names_free(names);
	return rc;
}

int rules_read_site(const char *site, const char *today, struct rules *out, struct hb_err *err)
{
	struct stat st;

	if (stat(site, &st) != 0)
		return hb_fail(err, HB_E_USAGE, "cannot read rules %s: %s", site, strerror(errno));
	return S_ISDIR(st.st_mode) ? read_folder(site, today, true, out, err)
	                           : read_path(site, today, true, out, err);
}

int rules_load(const char *site, const char *today, struct rules *out, struct hb_err *err)
{
	const char *env = getenv("HPCBENCH_RULES_PATH");
	char *dir = env && *env ? hb_strdup(env) : suite_data_path("rules");

	*out = (struct rules){ 0 };
	int rc = read_folder(dir, today, false, out, err);
	if (rc == HB_E_USAGE)
		rc = hb_fail(err, HB_E_USAGE, "no built-in rules in %s; set %s", dir,
		             env && *env ? "HPCBENCH_RULES_PATH right, or not at all"
		                         : "HPCBENCH_DATA_PATH");
	if (rc == HB_OK && site)
		rc = rules_read_site(site, today, out, err);
	free(dir);
	if (rc != HB_OK)
		rules_free(out);
	return rc;
}

void rules_free(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		rule_free(&r->v[i]);
	for (size_t i = 0; i < r->n_suppress; i++)
		suppression_free(&r->suppress[i]);
	free(r->v);
	free(r->suppress);
	*r = (struct rules){ 0 };
}

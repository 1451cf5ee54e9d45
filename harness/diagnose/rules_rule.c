/* One rule as it stands in a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/rules_parts.h"
#include "harness/localize/localize.h"

static const char *const scopes[] = { "node", "device", "pair", "cluster", NULL };
static const char *const severities[] = { "error", "warning", "note", NULL };
static const char *const confidences[] = { "certain", "likely", "possible", NULL };

const char *rule_scope_name(enum rule_scope s)
{
	return s >= 0 && s <= RULE_CLUSTER ? scopes[s] : "node";
}

const char *rule_severity_name(enum rule_severity s)
{
	return s >= 0 && s <= RULE_NOTE ? severities[s] : "error";
}

const char *rule_confidence_name(enum rule_confidence c)
{
	return c >= 0 && c <= RULE_POSSIBLE ? confidences[c] : "possible";
}

static int read_choice(json_object *o, const struct js_at *at, const char *key,
                       const char *const *list, struct hb_err *err)
{
	const char *word = "";
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, JS_REQUIRED, &word, err);

	return rc == HB_OK ? rule_choice(&here, key, word, list, err) : -1;
}

/* "mtu-differs": small letters, digits, '-'. */
static int read_id(json_object *o, const struct js_at *at, char **out, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "id");
	int rc = rule_text_read(o, at, "id", JS_REQUIRED, out, err);
	size_t n = rc == HB_OK ? strspn(*out, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;

	if (rc == HB_OK && ((*out)[n] || n > 64 || **out == '-'))
		return js_fail(&here, err,
		               "'%.80s' is no id: small letters, digits and '-', at most 64", *out);
	return rc;
}

static int read_tests(json_object *o, const struct js_at *at, const char *key,
                      enum rule_scope scope, struct rule_test **out, size_t *n, struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at here = js_at_key(at, key);
	bool must = strcmp(key, "when") == 0;
	int rc = js_get_arr(o, at, key, must ? JS_REQUIRED : JS_OPTIONAL, &list, err);
	size_t len = list ? json_object_array_length(list) : 0;

	if (rc == HB_OK && ((must && !len) || len > RULE_TESTS_MAX))
		rc = js_fail(&here, err, "%d to %d tests are wanted, not %zu", must ? 1 : 0,
		             RULE_TESTS_MAX, len);
	if (rc != HB_OK || !len)
		return rc;
	*out = hb_alloc(len * sizeof **out);
	for (size_t i = 0; rc == HB_OK && i < len; i++) {
		struct js_at place = js_at_index(&here, i);
		rc = rule_test_read(json_object_array_get_idx(list, i), &place, scope, &(*out)[i],
		                    err);
		*n += rc == HB_OK;
	}
	return rc;
}

static int read_explains(json_object *o, const struct js_at *at, struct rule *out,
                         struct hb_err *err)
{
	static const char *const known[] = { "bench", "kinds", NULL };
	const char *names[LOC_KINDS + 1] = { NULL };
	json_object *e = NULL;
	struct js_at here = js_at_key(at, "explains"), where = js_at_key(&here, "kinds");
	struct rule_words bench = { 0 }, kinds = { 0 };
	int rc = js_get_obj(o, at, "explains", JS_OPTIONAL, &e, err);

	if (rc != HB_OK || !e)
		return rc;
	for (int k = 0; k < LOC_KINDS; k++)
		names[k] = loc_kind_name((enum loc_kind)k);
	rc = js_known_keys(e, &here, known, err);
	if (rc == HB_OK)
		rc = rule_words_read(e, &here, "bench", JS_REQUIRED, &bench, err);
	out->explains = bench.v;
	out->n_explains = bench.n;
	if (rc == HB_OK)
		rc = rule_words_read(e, &here, "kinds", JS_OPTIONAL, &kinds, err);
	for (size_t i = 0; rc == HB_OK && i < kinds.n; i++) {
		struct js_at place = js_at_index(&where, i);
		int k = rule_choice(&place, "kind of finding", kinds.v[i], names, err);
		rc = k < 0 ? HB_E_FORMAT : HB_OK;
		out->explains_kinds |= k < 0 ? 0 : 1u << k;
	}
	rule_words_free(&kinds);
	return rc;
}

/* Each placeholder is known, and a test of `when` can fill it. */
static int check_places(const struct js_at *at, const char *key, const char *text,
                        const struct rule *r, struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);
	uint32_t filled = PLACE(SUBJECT);
	size_t len = 0;

	for (size_t i = 0; i < r->n_when; i++)
		filled |= rule_tests[r->when[i].kind].places;
	for (const char *p = rule_place_next(text, &len); p; p = rule_place_next(p + len, &len)) {
		char *word = hb_strndup(p + 1, len - 2);
		int k = rule_choice(&here, "placeholder", word, rule_places, err);
		if (k >= 0 && !(filled & (1u << k))) {
			js_fail(&here, err, "no test of 'when' knows {%s}", rule_places[k]);
			k = -1;
		}
		free(word);
		if (k < 0)
			return HB_E_FORMAT;
	}
	return HB_OK;
}

/* A rule of devices needs a test that says which. */
static int check_scope(const struct js_at *at, const struct rule *r, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "when");

	if (r->scope != RULE_DEVICE)
		return HB_OK;
	for (size_t i = 0; i < r->n_when; i++)
		if (rule_test_about(&r->when[i]) != FACT_NODE || r->when[i].name.n)
			return HB_OK;
	return js_fail(&here, err, "scope device needs a test of a device's fact or counter");
}

static int read_words(json_object *o, const struct js_at *at, struct rule *out, struct hb_err *err)
{
	const struct {
		const char *key;
		char **to;
	} texts[] = { { "title", &out->title },
		      { "message", &out->message },
		      { "next", &out->next },
		      { "refute", &out->refute },
		      { "source", &out->source } };
	struct rule_words tags = { 0 };
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < sizeof texts / sizeof *texts; i++)
		rc = rule_text_read(o, at, texts[i].key, JS_REQUIRED, texts[i].to, err);
	for (size_t i = 1; rc == HB_OK && i < 4; i++)
		rc = check_places(at, texts[i].key, *texts[i].to, out, err);
	if (rc == HB_OK)
		rc = rule_words_read(o, at, "tags", JS_OPTIONAL, &tags, err);
	out->tags = tags.v;
	out->n_tags = tags.n;
	return rc;
}

static int read_enums(json_object *o, const struct js_at *at, struct rule *out, struct hb_err *err)
{
	int scope = read_choice(o, at, "scope", scopes, err), severity = -1, confidence = -1;

	if (scope >= 0)
		severity = read_choice(o, at, "severity", severities, err);
	if (severity >= 0)
		confidence = read_choice(o, at, "confidence", confidences, err);
	if (confidence < 0)
		return HB_E_FORMAT;
	out->scope = (enum rule_scope)scope;
	out->severity = (enum rule_severity)severity;
	out->confidence = (enum rule_confidence)confidence;
	return HB_OK;
}

int rule_read(json_object *o, const struct js_at *at, struct rule *out, struct hb_err *err)
{
	static const char *const known[] = { "id",         "title", "scope",  "severity",
		                             "confidence", "when",  "unless", "explains",
		                             "message",    "next",  "refute", "source",
		                             "tags",       NULL };
	*out = (struct rule){ 0 };
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "an object is wanted");
	int rc = js_known_keys(o, at, known, err);
	if (rc == HB_OK)
		rc = read_id(o, at, &out->id, err);
	if (rc == HB_OK)
		rc = read_enums(o, at, out, err);
	if (rc == HB_OK)
		rc = read_tests(o, at, "when", out->scope, &out->when, &out->n_when, err);
	if (rc == HB_OK)
		rc = read_tests(o, at, "unless", out->scope, &out->unless, &out->n_unless, err);
	if (rc == HB_OK)
		rc = check_scope(at, out, err);
	if (rc == HB_OK)
		rc = read_explains(o, at, out, err);
	if (rc == HB_OK)
		rc = read_words(o, at, out, err);
	if (rc != HB_OK)
		rule_free(out);
	return rc;
}

static void free_tests(struct rule_test *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule_test_free(&v[i]);
	free(v);
}

void rule_free(struct rule *r)
{
	struct rule_words explains = { r->explains, r->n_explains }, tags = { r->tags, r->n_tags };

	free(r->id);
	free(r->title);
	free(r->message);
	free(r->next);
	free(r->refute);
	free(r->source);
	free(r->file);
	free_tests(r->when, r->n_when);
	free_tests(r->unless, r->n_unless);
	rule_words_free(&explains);
	rule_words_free(&tags);
	*r = (struct rule){ 0 };
}

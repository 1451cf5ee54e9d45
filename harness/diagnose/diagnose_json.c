/*
 * Causes in findings.json, beside "findings":
 *	"causes":[{subject, rule, title, severity, confidence, text, evidence:[texts], next, refute,
 *	    explains:[places in findings], rank, suppressed, known (as in verdicts.json)}],
 *	"unproven":[a text or null for each finding], "interconnect": text or null,
 *	"rules": how many
 * Read back it may hold anything: each member is checked, and nothing is trusted to be short.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/rules_parts.h"

enum {
	CAUSES_MAX = 1 << 16,
	EVIDENCE_MAX = RULE_TESTS_MAX,
	SUBJECT_MAX = 1 << 20, /* a hostlist of many nodes */
	TEXT_MAX = 1 << 16
};

/* ---- writing ---- */

static json_object *texts_to_json(char *const *v, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, v[i] ? js_str(v[i]) : NULL);
	return list;
}

static json_object *cause_to_json(const struct cause *c)
{
	json_object *o = json_object_new_object(), *explains = json_object_new_array();

	js_set_str(o, "subject", c->subject);
	js_set_str(o, "rule", c->rule);
	js_set_str(o, "title", c->title);
	js_set_str(o, "severity", rule_severity_name(c->severity));
	js_set_str(o, "confidence", rule_confidence_name(c->confidence));
	js_set_str(o, "text", c->text);
	js_set_obj(o, "evidence", texts_to_json(c->evidence, c->n_evidence));
	js_set_str(o, "next", c->next);
	js_set_str(o, "refute", c->refute);
	for (size_t i = 0; i < c->n_explains; i++)
		json_object_array_add(explains, json_object_new_int64((int64_t)c->explains[i]));
	js_set_obj(o, "explains", explains);
	js_set_f64(o, "rank", c->rank);
	if (c->suppressed)
		js_set_str(o, "suppressed", c->suppressed);
	if (c->ack)
		js_set_obj(o, "known", ack_to_json(c->ack));
	return o;
}

void diagnosis_to_json(const struct diagnosis *d, json_object *findings)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->n; i++)
		json_object_array_add(list, cause_to_json(&d->v[i]));
	js_set_obj(findings, "causes", list);
	js_set_obj(findings, "unproven", texts_to_json(d->unproven, d->n_unproven));
	js_set_str(findings, "interconnect", d->interconnect);
	js_set_u64(findings, "rules", d->rules);
}

/* ---- reading ---- */

struct reading {
	size_t culprits; /* findings in the file */
	struct diagnosis *out;
	struct hb_err *err;
};

static int read_text(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                     size_t max, char **out, struct hb_err *err)
{
	const char *text = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, need, &text, err);

	if (rc == HB_OK && text && strlen(text) > max)
		rc = js_fail(&here, err, "longer than %zu bytes", max);
	if (rc == HB_OK && text)
		*out = hb_strdup(text);
	return rc;
}

static int read_evidence(json_object *o, const struct js_at *at, struct cause *c,
                         struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at here = js_at_key(at, "evidence");
	int rc = js_get_arr(o, at, "evidence", JS_REQUIRED, &list, err);
	size_t n = list ? json_object_array_length(list) : 0;

	if (rc == HB_OK && (!n || n > EVIDENCE_MAX))
		rc = js_fail(&here, err, "1 to %d texts are wanted, not %zu", EVIDENCE_MAX, n);
	if (rc != HB_OK)
		return rc;
	c->evidence = hb_alloc(n * sizeof *c->evidence);
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		struct js_at place = js_at_index(&here, i);
		if (!json_object_is_type(one, json_type_string) ||
		    json_object_get_string_len(one) > TEXT_MAX)
			return js_fail(&place, err, "a text of at most %d bytes is wanted",
			               TEXT_MAX);
		c->evidence[c->n_evidence++] = hb_strdup(json_object_get_string(one));
	}
	return HB_OK;
}

/* Places in "findings" of the same file. */
static int read_explains(const struct reading *in, json_object *o, const struct js_at *at,
                         struct cause *c)
{
	json_object *list = NULL;
	struct js_at here = js_at_key(at, "explains");
	int rc = js_get_arr(o, at, "explains", JS_OPTIONAL, &list, in->err);
	size_t n = list ? json_object_array_length(list) : 0;

	if (rc == HB_OK && n > in->culprits)
		rc = js_fail(&here, in->err, "more than there are findings");
	if (rc != HB_OK || !n)
		return rc;
	c->explains = hb_alloc(n * sizeof *c->explains);
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		struct js_at place = js_at_index(&here, i);
		int64_t v = json_object_is_type(one, json_type_int) ? json_object_get_int64(one)
		                                                    : -1;
		if (v < 0 || (uint64_t)v >= in->culprits)
			return js_fail(&place, in->err, "no place in findings");
		c->explains[c->n_explains++] = (size_t)v;
	}
	return HB_OK;
}

static int read_name(json_object *o, const struct js_at *at, const char *key,
                     const char *(*name)(int), int n, int *out, struct hb_err *err)
{
	const char *word = "", *names[8] = { NULL };
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, JS_REQUIRED, &word, err);

	for (int i = 0; i < n; i++)
		names[i] = name(i);
	if (rc == HB_OK)
		*out = rule_choice(&here, key, word, names, err);
	return rc == HB_OK && *out < 0 ? HB_E_FORMAT : rc;
}

static const char *severity_name(int i)
{
	return rule_severity_name((enum rule_severity)i);
}

static const char *confidence_name(int i)
{
	return rule_confidence_name((enum rule_confidence)i);
}

static int read_words(json_object *o, const struct js_at *at, struct cause *c, struct hb_err *err)
{
	const struct {
		const char *key;
		char **to;
		enum js_need need;
		size_t max;
	} texts[] = { { "subject", &c->subject, JS_REQUIRED, SUBJECT_MAX },
		      { "rule", &c->rule, JS_REQUIRED, TEXT_MAX },
		      { "title", &c->title, JS_REQUIRED, TEXT_MAX },
		      { "text", &c->text, JS_REQUIRED, SUBJECT_MAX },
		      { "next", &c->next, JS_REQUIRED, SUBJECT_MAX },
		      { "refute", &c->refute, JS_REQUIRED, SUBJECT_MAX },
		      { "suppressed", &c->suppressed, JS_OPTIONAL, TEXT_MAX } };
	int rc = HB_OK;

	for (size_t i = 0; rc == HB_OK && i < sizeof texts / sizeof *texts; i++)
		rc = read_text(o, at, texts[i].key, texts[i].need, texts[i].max, texts[i].to, err);
	return rc;
}

static int read_cause(const struct reading *in, json_object *o, const struct js_at *at)
{
	int severity = 0, confidence = 0;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, in->err, "an object is wanted");
	hb_grow(&in->out->v, &in->out->cap, in->out->n + 1, sizeof *in->out->v);
	struct cause *c = &in->out->v[in->out->n++];
	*c = (struct cause){ 0 };
	int rc = read_words(o, at, c, in->err);
	if (rc == HB_OK)
		rc = read_name(o, at, "severity", severity_name, RULE_NOTE + 1, &severity, in->err);
	if (rc == HB_OK)
		rc = read_name(o, at, "confidence", confidence_name, RULE_POSSIBLE + 1, &confidence,
		               in->err);
	if (rc == HB_OK)
		rc = read_evidence(o, at, c, in->err);
	if (rc == HB_OK)
		rc = read_explains(in, o, at, c);
	if (rc == HB_OK)
		rc = js_get_f64(o, at, "rank", JS_OPTIONAL, &c->rank, in->err);
	c->severity = (enum rule_severity)severity;
	c->confidence = (enum rule_confidence)confidence;
	return rc;
}

static int read_causes(const struct reading *in, json_object *o, const struct js_at *top)
{
	json_object *list = NULL;
	struct js_at at = js_at_key(top, "causes");
	int rc = js_get_arr(o, top, "causes", JS_OPTIONAL, &list, in->err);
	size_t n = list ? json_object_array_length(list) : 0;

	if (rc == HB_OK && n > CAUSES_MAX)
		rc = js_fail(&at, in->err, "more than %d", CAUSES_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(&at, i);
		rc = read_cause(in, json_object_array_get_idx(list, i), &here);
	}
	return rc;
}

static int read_unproven(const struct reading *in, json_object *o, const struct js_at *top)
{
	json_object *list = NULL;
	struct js_at at = js_at_key(top, "unproven");
	int rc = js_get_arr(o, top, "unproven", JS_OPTIONAL, &list, in->err);
	size_t n = list ? json_object_array_length(list) : 0;

	/* Nobody looked for any: none, which is written as an empty list. */
	if (rc == HB_OK && n && n != in->culprits)
		rc = js_fail(&at, in->err, "one for each finding is wanted: %zu, not %zu",
		             in->culprits, n);
	if (rc != HB_OK || !n)
		return rc;
	in->out->unproven = hb_alloc(n * sizeof *in->out->unproven);
	in->out->n_unproven = n;
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		struct js_at here = js_at_index(&at, i);
		if (!one)
			continue;
		if (!json_object_is_type(one, json_type_string) ||
		    json_object_get_string_len(one) > TEXT_MAX)
			return js_fail(&here, in->err, "a text of at most %d bytes, or null",
			               TEXT_MAX);
		in->out->unproven[i] = hb_strdup(json_object_get_string(one));
	}
	return HB_OK;
}

int diagnosis_from_json(json_object *findings, const char *source, struct diagnosis *out,
                        struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	struct reading in = { 0, out, err };
	json_object *list = NULL;
	uint64_t rules = 0;

	*out = (struct diagnosis){ 0 };
	int rc = js_get_arr(findings, &top, "findings", JS_OPTIONAL, &list, err);
	in.culprits = list ? json_object_array_length(list) : 0;
	if (rc == HB_OK)
		rc = read_causes(&in, findings, &top);
	if (rc == HB_OK)
		rc = read_unproven(&in, findings, &top);
	if (rc == HB_OK)
		rc = read_text(findings, &top, "interconnect", JS_OPTIONAL, TEXT_MAX,
		               &out->interconnect, err);
	if (rc == HB_OK)
		rc = js_get_u64(findings, &top, "rules", JS_OPTIONAL, &rules, err);
	out->rules = rules < RULES_MAX ? (size_t)rules : RULES_MAX;
	if (rc != HB_OK)
		diagnosis_free(out);
	return rc;
}

/* A test as it stands in a file: every member checked, every error with its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/diagnose/rules_parts.h"
#include "harness/localize/localize.h"

enum { NEAR_LISTED = 12 };

int rule_choice(const struct js_at *at, const char *what, const char *word, const char *const *list,
                struct hb_err *err)
{
	struct buf all = BUF_INIT;
	size_t n = 0;

	for (; list[n]; n++) {
		if (strcmp(list[n], word) == 0) {
			buf_free(&all);
			return (int)n;
		}
		buf_printf(&all, "%s%s", n ? ", " : "", list[n]);
	}
	const char *near = units_nearest(word, list);
	if (near)
		js_fail(at, err, "no %s '%.60s'; did you mean '%s'?", what, word, near);
	else if (n <= NEAR_LISTED)
		js_fail(at, err, "no %s '%.60s'; there are %s", what, word, buf_text(&all));
	else
		js_fail(at, err, "no %s '%.60s'", what, word);
	buf_free(&all);
	return -1;
}

/* Is it something that can stand in one line? */
static int check_text(const char *text, const struct js_at *at, struct hb_err *err)
{
	if (!*text)
		return js_fail(at, err, "a text is wanted, not an empty one");
	if (strlen(text) > RULE_TEXT_MAX)
		return js_fail(at, err, "longer than %d bytes", RULE_TEXT_MAX);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\x7f')
			return js_fail(at, err, "control characters and line ends are not allowed");
	return HB_OK;
}

int rule_text_read(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                   char **out, struct hb_err *err)
{
	const char *text = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, need, &text, err);

	if (rc == HB_OK && text)
		rc = check_text(text, &here, err);
	if (rc == HB_OK && text)
		*out = hb_strdup(text);
	return rc;
}

static int add_word(json_object *one, const struct js_at *at, struct rule_words *out,
                    struct hb_err *err)
{
	if (!json_object_is_type(one, json_type_string))
		return js_fail(at, err, "a text is wanted");
	const char *text = json_object_get_string(one);
	int rc = check_text(text, at, err);
	if (rc == HB_OK)
		out->v[out->n++] = hb_strdup(text);
	return rc;
}

int rule_words_read(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                    struct rule_words *out, struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = HB_OK;

	if (!json_object_object_get_ex(o, key, &list) || !list)
		return need == JS_REQUIRED ? js_fail(&here, err,
		                                     "missing; a list of texts is "
		                                     "wanted")
		                           : HB_OK;
	bool one = json_object_is_type(list, json_type_string);
	if (!one && !json_object_is_type(list, json_type_array))
		return js_fail(&here, err, "a list of texts is wanted");
	size_t n = one ? 1 : json_object_array_length(list);
	if (!n || n > RULE_WORDS_MAX)
		return js_fail(&here, err, "1 to %d texts are wanted, not %zu", RULE_WORDS_MAX, n);
	out->v = hb_alloc(n * sizeof *out->v);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at place = js_at_index(&here, i);
		rc = one ? add_word(list, &here, out, err)
		         : add_word(json_object_array_get_idx(list, i), &place, out, err);
	}
	if (rc != HB_OK)
		rule_words_free(out);
	return rc;
}

/* A key that the catalog of facts has. */
static int read_key(json_object *o, const struct js_at *at, const char *name, char **out,
                    struct hb_err *err)
{
	struct js_at here = js_at_key(at, name);
	int rc = rule_text_read(o, at, name, JS_REQUIRED, out, err);
	size_t n = 0;

	if (rc != HB_OK || fact_find(*out))
		return rc;
	while (fact_catalog[n].key)
		n++;
	const char **keys = hb_alloc((n + 1) * sizeof *keys);
	for (size_t i = 0; i < n; i++)
		keys[i] = fact_catalog[i].key;
	const char *near = units_nearest(*out, keys);
	free(keys);
	return near ? js_fail(&here, err, "no fact '%.60s'; did you mean '%s'?", *out, near)
	            : js_fail(&here, err, "no fact '%.60s'", *out);
}

static int read_choices(const struct rule_field_info *f, const struct js_at *at,
                        const struct rule_words *w, struct hb_err *err)
{
	struct js_at here = js_at_key(at, f->name);
	for (size_t i = 0; f->choices && i < w->n; i++) {
		struct js_at place = js_at_index(&here, i);
		if (rule_choice(&place, f->name, w->v[i], f->choices, err) < 0)
			return HB_E_FORMAT;
	}
	return HB_OK;
}

static int read_number(json_object *o, const struct js_at *at, const struct rule_field_info *f,
                       double *out, struct hb_err *err)
{
	struct js_at here = js_at_key(at, f->name);
	json_object *v = NULL;
	uint64_t bytes = 0;

	if (f->type == FIELD_TYPE_BYTES && json_object_object_get_ex(o, f->name, &v) &&
	    json_object_is_type(v, json_type_string)) {
		struct hb_err why = { 0 };
		if (units_parse_bytes(json_object_get_string(v), &bytes, &why) != HB_OK)
			return js_fail(&here, err, "%.200s", why.text);
		*out = (double)bytes;
		return HB_OK;
	}
	int rc = js_get_f64(o, at, f->name, JS_REQUIRED, out, err);
	if (rc == HB_OK && !(*out >= f->min && *out <= f->max))
		return js_fail(&here, err, "%g is out of range; %g to %g is allowed", *out, f->min,
		               f->max);
	return rc;
}

static int read_field(json_object *o, const struct js_at *at, const struct rule_field_info *f,
                      struct rule_test *out, struct hb_err *err)
{
	void *to = (char *)out + f->offset;
	struct js_at here = js_at_key(at, f->name);
	const char *word = NULL;
	bool yes = false;
	int rc = HB_OK;

	switch (f->type) {
	case FIELD_TYPE_KEY: return read_key(o, at, f->name, to, err);
	case FIELD_TYPE_WORDS:
		rc = rule_words_read(o, at, f->name, JS_REQUIRED, to, err);
		return rc == HB_OK ? read_choices(f, at, to, err) : rc;
	case FIELD_TYPE_NUMBER:
	case FIELD_TYPE_BYTES: return read_number(o, at, f, to, err);
	case FIELD_TYPE_BOOL:
		rc = js_get_bool(o, at, f->name, JS_REQUIRED, &yes, err);
		*(int *)to = yes;
		return rc;
	case FIELD_TYPE_CHOICE:
		rc = js_get_str(o, at, f->name, JS_REQUIRED, &word, err);
		if (rc != HB_OK)
			return rc;
		*(int *)to = rule_choice(&here, f->name, word, f->choices, err);
		return *(int *)to < 0 ? HB_E_FORMAT : HB_OK;
	}
	return rc;
}

static void list_fields(uint32_t fields, struct buf *out)
{
	for (size_t i = 0; i < RULE_FIELDS; i++)
		if (fields & (1u << i))
			buf_printf(out, "%s%s", out->len ? ", " : "", rule_fields[i].name);
}

/* No other members than the test has, and all that it must have. */
static int check_fields(json_object *o, const struct js_at *at, struct rule_test *out,
                        struct hb_err *err)
{
	const struct rule_test_info *info = &rule_tests[out->kind];
	const char *known[RULE_FIELDS + 2] = { "test" };
	size_t n = 1;
	int rc = HB_OK;

	for (size_t i = 0; i < RULE_FIELDS; i++) {
		if (!(info->may & (1u << i)))
			continue;
		known[n++] = rule_fields[i].name;
		if (json_object_object_get_ex(o, rule_fields[i].name, NULL))
			out->said |= 1u << i;
	}
	rc = js_known_keys(o, at, known, err);
	if (rc != HB_OK)
		return rc;
	uint32_t lacks = info->must & ~out->said, one = out->said & info->one_of;
	bool range = one == (FIELD(BELOW) | FIELD(ABOVE)) ||
	             one == (FIELD(ACHIEVED) | FIELD(BELOW_PROMISED));
	struct buf names = BUF_INIT;
	if (lacks) {
		list_fields(lacks, &names);
		rc = js_fail(at, err, "the test '%s' also needs %s", info->name, buf_text(&names));
	} else if (info->one_of && !one) {
		list_fields(info->one_of, &names);
		rc = js_fail(at, err, "the test '%s' needs one of %s", info->name,
		             buf_text(&names));
	} else if ((one & (one - 1)) && !range) {
		list_fields(one, &names);
		rc = js_fail(at, err, "the test '%s' takes one of %s, not several", info->name,
		             buf_text(&names));
	}
	buf_free(&names);
	return rc;
}

/* What members say together. */
static int check_sense(const struct js_at *at, enum rule_scope scope, struct rule_test *t,
                       struct hb_err *err)
{
	const struct rule_test_info *info = &rule_tests[t->kind];
	struct js_at key = js_at_key(at, "key");

	t->fact = t->key ? fact_find(t->key) : NULL;
	t->than_fact = t->than ? fact_find(t->than) : NULL;
	if (info->scopes && !(info->scopes & (1u << scope)))
		return js_fail(at, err, "the test '%s' is for rules of scope pair", info->name);
	if ((t->said & FIELD(SHARE)) && scope != RULE_CLUSTER)
		return js_fail(at, err, "'share' is for rules of scope cluster");
	if (t->of == OF_OTHERS && (t->kind != TEST_COUNTER || scope != RULE_NODE))
		return js_fail(at, err, "'others' is for counters in rules of scope node");
	if ((t->said & FIELD(DEVICE)) && t->fact && t->fact->about == FACT_NODE)
		return js_fail(at, err, "%s is about no device", t->key);
	if (t->kind == TEST_SHARED && t->fact->peers != FACT_OWN)
		return js_fail(&key, err, "nodes need no %s of their own", t->key);
	if ((t->kind == TEST_DIFFERS || t->kind == TEST_CHANGED) && t->fact->peers == FACT_OWN)
		return js_fail(&key, err, "each node has its own %s: nothing to compare", t->key);
	if (t->kind == TEST_CHANGED && t->fact->peers != FACT_ALIKE)
		return js_fail(&key, err, "baselines do not keep %s", t->key);
	if (t->direction != DIRECTION_ANY && t->fact && t->fact->type == FACT_YESNO)
		return js_fail(at, err, "%s is yes or no: it has no direction", t->key);
	if ((t->said & (FIELD(BELOW) | FIELD(ABOVE))) && t->fact && t->fact->type == FACT_YESNO)
		return js_fail(at, err, "%s is yes or no, no number", t->key);
	if (t->than_fact && t->than_fact->about != FACT_NODE && t->fact->about != FACT_NODE &&
	    t->than_fact->about != t->fact->about)
		return js_fail(at, err, "%s and %s are about different things", t->key, t->than);
	for (size_t i = 0; i < t->is.n + t->not .n && t->fact->type == FACT_YESNO; i++) {
		const char *word = i < t->is.n ? t->is.v[i] : t->not .v[i - t->is.n];
		if (strcmp(word, "yes") != 0 && strcmp(word, "no") != 0)
			return js_fail(at, err, "%s is yes or no, never '%.60s'", t->key, word);
	}
	return HB_OK;
}

static void set_kinds(struct rule_test *t)
{
	t->slow = t->kinds.n ? 0 : SLOW_ANY;
	for (size_t i = 0; i < t->kinds.n; i++) {
		const char *word = t->kinds.v[i];
		if (strcmp(word, "any") == 0)
			t->slow = SLOW_ANY;
		else if (strcmp(word, "regressed") == 0)
			t->slow |= 1u << SLOW_REGRESSED;
		else if (strcmp(word, "lost") == 0)
			t->slow |= 1u << SLOW_LOST;
		for (int k = 0; k < LOC_KINDS; k++)
			if (strcmp(word, loc_kind_name((enum loc_kind)k)) == 0)
				t->slow |= 1u << k;
	}
}

int rule_test_read(json_object *o, const struct js_at *at, enum rule_scope scope,
                   struct rule_test *out, struct hb_err *err)
{
	const char *name = "", *names[TEST_KINDS + 1] = { NULL };
	struct js_at here = js_at_key(at, "test");

	*out = (struct rule_test){ .factor = 1, .share = 0.9, .below = NAN, .above = NAN };
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "an object is wanted");
	for (int k = 0; k < TEST_KINDS; k++)
		names[k] = rule_tests[k].name;
	int rc = js_get_str(o, at, "test", JS_REQUIRED, &name, err);
	int kind = rc == HB_OK ? rule_choice(&here, "test", name, names, err) : -1;
	if (kind < 0)
		return HB_E_FORMAT;
	out->kind = (enum rule_test_kind)kind;
	rc = check_fields(o, at, out, err);
	for (size_t i = 0; rc == HB_OK && i < RULE_FIELDS; i++)
		if (out->said & (1u << i))
			rc = read_field(o, at, &rule_fields[i], out, err);
	if (rc == HB_OK)
		rc = check_sense(at, scope, out, err);
	set_kinds(out);
	if (rc != HB_OK)
		rule_test_free(out);
	return rc;
}

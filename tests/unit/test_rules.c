/*
 * Every built-in rule against its cases (tests/rules): each fires where it must and is silent on
 * its near-misses, with all other rules loaded too. RULE_CASES names the folder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/suite.h"
#include "tests/unit/rule_case.h"

enum { CASES_MAX = 1 << 20, LINE = 100, LINES = 5, INDENT = 2 };

struct running {
	struct rules rules;
	struct expected expected;
	size_t *fired, *silent; /* cases of each rule */
	size_t cases, failed;
};

static void fail_case(struct running *r, const char *file, const char *name, const char *why)
{
	print_error("%s: %s: %s\n", file, name, why);
	r->failed++;
}

/* Adds the names that a subject stands for: "n[3-4]/eth0" is two. */
static void put_subject(const char *subject, struct nodeset *out)
{
	size_t len = strcspn(subject, "/");
	char *nodes = hb_strndup(subject, len);
	struct nodeset set = { 0 };

	if (strchr(nodes, '[') && nodeset_parse(nodes, &set, NULL) == HB_OK) {
		for (size_t i = 0; i < set.n; i++) {
			char *one = hb_format("%s%s", set.v[i], subject + len);
			hb_grow(&out->v, &out->cap, out->n + 1, sizeof *out->v);
			out->v[out->n++] = one;
		}
	} else {
		hb_grow(&out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = hb_strdup(subject);
	}
	nodeset_free(&set);
	free(nodes);
}

static bool has(const struct nodeset *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], name) == 0)
			return true;
	return false;
}

/* Every word and the figure of the first test's fact stand in the evidence. */
static bool evidence_tells(const struct cause *c, const char **lacks)
{
	size_t len = strcspn(c->subject, "/");
	char *nodes = hb_strndup(c->subject, len);
	bool names = strcmp(nodes, "cluster") == 0 || strpbrk(nodes, "[->:") != NULL;

	*lacks = "a line of evidence";
	for (size_t i = 0; i < c->n_evidence; i++) {
		names = names || strstr(c->evidence[i], nodes) != NULL;
		if (!*c->evidence[i] || strstr(c->evidence[i], "(null)"))
			names = false;
		*lacks = "the node's name in its evidence";
	}
	free(nodes);
	return names && c->n_evidence > 0;
}

static size_t lines_of(size_t len)
{
	return (len + LINE - INDENT - 1) / (LINE - INDENT);
}

/* What it says (who it is about goes first), the first line of evidence, what to do. */
static size_t lines_told(const struct cause *c)
{
	size_t who = strncmp(c->text, c->subject, strlen(c->subject)) == 0 ? 0
	                                                                   : strlen(c->subject) + 2;
	return lines_of(who + strlen(c->text)) + lines_of(strlen(c->evidence[0])) +
	       lines_of(strlen(c->next));
}

static const char *wrong_cause(const struct cause *c)
{
	const char *lacks = NULL;

	if (!evidence_tells(c, &lacks))
		return lacks;
	if (strstr(c->text, "unknown") || strchr(c->text, '{') || strchr(c->next, '{'))
		return "a message without unknown figures";
	return lines_told(c) <= LINES ? NULL : "to be told in five lines of 100 columns";
}

static void check_subjects(struct running *r, const char *file, const char *name,
                           json_object *fires, const struct nodeset *got)
{
	struct nodeset want = { 0 };

	for (size_t i = 0; i < json_object_array_length(fires); i++)
		put_subject(json_object_get_string(json_object_array_get_idx(fires, i)), &want);
	for (size_t i = 0; i < want.n; i++)
		if (!has(got, want.v[i])) {
			char *why = hb_format("does not fire for %s", want.v[i]);
			fail_case(r, file, name, why);
			free(why);
		}
	for (size_t i = 0; i < got->n; i++)
		if (!has(&want, got->v[i])) {
			char *why = hb_format("fires for %s", got->v[i]);
			fail_case(r, file, name, why);
			free(why);
		}
	nodeset_free(&want);
}

static void check_case(struct running *r, const char *file, size_t rule, json_object *o)
{
	const char *id = r->rules.v[rule].id, *name = "a case without a name";
	json_object *v = NULL, *fires = NULL;
	struct rule_case c;
	struct diagnosis d;
	struct hb_err err = { 0 };
	struct nodeset got = { 0 };
	bool first = json_object_object_get_ex(o, "first", &v) && json_object_get_boolean(v);

	if (json_object_object_get_ex(o, "name", &v))
		name = json_object_get_string(v);
	r->cases++;
	if (!json_object_object_get_ex(o, "fires", &fires) ||
	    !json_object_is_type(fires, json_type_array)) {
		fail_case(r, file, name, "\"fires\" is missing");
		return;
	}
	if (rule_case_make(o, &r->expected, &c, &err) != HB_OK) {
		fail_case(r, file, name, err.text);
		rule_case_free(&c);
		return;
	}
	diagnose_make(&c.scene, &r->rules, &d);
	for (size_t i = 0; i < d.n; i++) {
		const char *wrong = wrong_cause(&d.v[i]);
		if (wrong) {
			char *why = hb_format("the cause %s of %s lacks %s: %s", d.v[i].rule,
			                      d.v[i].subject, wrong, d.v[i].text);
			fail_case(r, file, name, why);
			free(why);
		}
		if (strcmp(d.v[i].rule, id) == 0)
			put_subject(d.v[i].subject, &got);
	}
	check_subjects(r, file, name, fires, &got);
	if (first && (!d.n || strcmp(d.v[0].rule, id) != 0)) {
		char *why = hb_format("%s is first, not %s", d.n ? d.v[0].rule : "nothing", id);
		fail_case(r, file, name, why);
		free(why);
	}
	r->fired[rule] += got.n > 0;
	r->silent[rule] += got.n == 0;
	nodeset_free(&got);
	diagnosis_free(&d);
	rule_case_free(&c);
}

static void check_file(struct running *r, const char *path, const char *file)
{
	json_object *o = NULL, *id = NULL, *cases = NULL;
	struct hb_err err = { 0 };

	if (js_read_file(path, CASES_MAX, &o, &err) != HB_OK) {
		fail_case(r, file, "the file", err.text);
		return;
	}
	const struct rule *rule = json_object_object_get_ex(o, "rule", &id)
	                                  ? rules_find(&r->rules, json_object_get_string(id))
	                                  : NULL;
	if (!rule || !json_object_object_get_ex(o, "cases", &cases) ||
	    !json_object_is_type(cases, json_type_array))
		fail_case(r, file, "the file", "needs a \"rule\" that is built in, and \"cases\"");
	else
		for (size_t i = 0; i < json_object_array_length(cases); i++)
			check_case(r, file, (size_t)(rule - r->rules.v),
			           json_object_array_get_idx(cases, i));
	js_put(o);
}

/* The rules and figures that are built in. */
static void load_all(struct running *r)
{
	struct hb_err err = { 0 };

	if (rules_load(NULL, "2026-06-01", &r->rules, &err) != HB_OK ||
	    expected_load(NULL, &r->expected, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static void every_rule_fires_on_its_case_and_is_silent_on_its_near_miss(void **state)
{
	const char *folder = getenv("RULE_CASES");
	struct running r = { 0 };

	(void)state;
	assert_non_null(folder);
	load_all(&r);
	r.fired = hb_alloc((r.rules.n + 1) * sizeof *r.fired);
	r.silent = hb_alloc((r.rules.n + 1) * sizeof *r.silent);
	char **names = data_names(folder);
	for (size_t i = 0; names[i]; i++) {
		char *path = hb_format("%s/%s.json", folder, names[i]);
		check_file(&r, path, names[i]);
		free(path);
	}
	for (size_t i = 0; i < r.rules.n; i++) {
		if (!r.fired[i])
			fail_case(&r, r.rules.v[i].id, "cases", "none lets it fire");
		if (!r.silent[i])
			fail_case(&r, r.rules.v[i].id, "cases", "none leaves it silent");
	}
	print_message("%zu rules, %zu cases, %zu wrong\n", r.rules.n, r.cases, r.failed);
	assert_int_equal(r.failed, 0);
	suite_names_free(names);
	rules_free(&r.rules);
	expected_free(&r.expected);
	free(r.fired);
	free(r.silent);
}

/* ---- clusters without a fault ---- */

static void check_healthy(struct running *r, const char *file, json_object *o)
{
	json_object *name = NULL;
	struct rule_case c;
	struct diagnosis d;
	struct hb_err err = { 0 };

	json_object_object_get_ex(o, "name", &name);
	r->cases++;
	if (rule_case_make(o, &r->expected, &c, &err) != HB_OK) {
		fail_case(r, file, json_object_get_string(name), err.text);
		rule_case_free(&c);
		return;
	}
	diagnose_make(&c.scene, &r->rules, &d);
	for (size_t i = 0; i < d.n; i++) {
		if (d.v[i].severity == RULE_NOTE)
			continue;
		char *why = hb_format("false alarm %s of %s: %s", d.v[i].rule, d.v[i].subject,
		                      d.v[i].text);
		fail_case(r, file, json_object_get_string(name), why);
		free(why);
	}
	diagnosis_free(&d);
	rule_case_free(&c);
}

static void a_healthy_cluster_has_no_cause_but_notes(void **state)
{
	const char *folder = getenv("RULE_CASES");
	struct running r = { 0 };
	struct hb_err err = { 0 };

	(void)state;
	assert_non_null(folder);
	load_all(&r);
	char *healthy = hb_format("%s/healthy", folder);
	char **names = data_names(healthy);
	for (size_t i = 0; names[i]; i++) {
		char *path = hb_format("%s/%s.json", healthy, names[i]);
		json_object *o = NULL, *cases = NULL;
		assert_int_equal(js_read_file(path, CASES_MAX, &o, &err), HB_OK);
		assert_true(json_object_object_get_ex(o, "cases", &cases));
		for (size_t k = 0; k < json_object_array_length(cases); k++)
			check_healthy(&r, names[i], json_object_array_get_idx(cases, k));
		js_put(o);
		free(path);
	}
	assert_true(r.cases >= 3);
	assert_int_equal(r.failed, 0);
	suite_names_free(names);
	free(healthy);
	rules_free(&r.rules);
	expected_free(&r.expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_fires_on_its_case_and_is_silent_on_its_near_miss),
		cmocka_unit_test(a_healthy_cluster_has_no_cause_but_notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

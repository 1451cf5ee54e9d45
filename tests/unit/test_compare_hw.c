/* Hardware classes: findings of their own, and who may be held against which past. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "tests/unit/rows.h"

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;
enum { NODES = 10, RUNS = 8 };

static void rekey(struct summary_row *r, const char *hw)
{
	free(r->key.hw);
	r->key.hw = hb_strdup(hw);
	key_make(&r->key);
}

static void cluster_row(struct summary *s, double value, const char *hw)
{
	struct summary_row *r = rows_add(s, "x.a", 1024, "cluster", value);

	json_object_object_del(s->hw, "cluster");
	r->kind = SUBJECT_CLUSTER;
	rekey(r, hw);
}

/*
 * A run of n1 .. n10 as collect makes it of pairs. other NULL: all of one class. Else n3 is of that
 * class: its row and a second one of each partner stand under the mixed key, as does a cluster row;
 * factor is what is left of the speed of every pair with n3.
 */
static void site(struct summary *s, unsigned t, const char *other, double factor)
{
	char id[16], name[8], mixed[64];

	snprintf(id, sizeof(id), "run-%u", t);
	snprintf(mixed, sizeof(mixed), "hw-1 + %s", other ? other : "");
	rows_begin(s, id);
	for (unsigned i = 1; i <= NODES; i++) {
		struct rng r;
		double v;

		rng_stream(&r, 5, t, i);
		v = 1e9 * exp(0.01 * rng_normal(&r));
		snprintf(name, sizeof(name), "n%u", i);
		if (!other || i != 3)
			rows_add(s, "x.a", 1024, name, i == 3 ? v * factor : v);
		if (other)
			rekey(rows_add(s, "x.a", 1024, name, v * factor), mixed);
	}
	cluster_row(s, 1e9, "hw-1");
	if (other) {
		cluster_row(s, 1e9 * factor, mixed);
		json_object_object_add(s->hw, "n3", json_object_new_string(other));
	}
}

static void make_baseline(struct baseline *b)
{
	struct summary runs[RUNS];
	const struct summary *list[RUNS] = { NULL };

	for (unsigned t = 0; t < RUNS; t++) {
		site(&runs[t], t, NULL, 1.0);
		list[t] = &runs[t];
	}
	baseline_build(list, RUNS, b);
	for (unsigned t = 0; t < RUNS; t++)
		summary_free(&runs[t]);
}

/* Every row of another subject passes, or is new under the mixed key. */
static void nobody_else_is_named(const struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_row *r = &v->rows[i];
		bool mixed = strcmp(r->key->hw, "hw-1") != 0;

		if (strcmp(r->subject, "n3") == 0)
			continue;
		if (r->verdict != (mixed ? VERDICT_NEW : VERDICT_PASS))
			fail_msg("%s under %s: %s", r->subject, r->key->hw,
			         verdict_name(r->verdict));
		assert_true(!mixed || isnan(r->p));
	}
}

static const struct verdict_row *row_of_n3(const struct verdicts *v)
{
	const struct verdict_row *r = rows_find(v, "x.a", 1024, "n3");

	assert_non_null(r);
	assert_int_equal(r->source, SPREAD_OWN);
	assert_non_null(strstr(r->note, "it was hw-1"));
	return r;
}

static void a_changed_class_that_is_slow_blames_its_own_node_alone(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	make_baseline(&b);
	site(&s, 50, "hw-less", 0.7);
	rows_judge(&b, &s, &v);
	assert_int_equal(row_of_n3(&v)->verdict, VERDICT_SUSPECT);
	nobody_else_is_named(&v);
	assert_int_equal(v.families, NODES + 1); /* ten nodes and the cluster, once each */
	assert_int_equal(v.n_findings, 1);
	assert_int_equal(v.findings[0].kind, FINDING_HW_CHANGED);
	assert_string_equal(v.findings[0].subject, "n3");
	assert_string_equal(v.findings[0].old_hw, "hw-1");
	assert_string_equal(v.findings[0].new_hw, "hw-less");
	assert_non_null(strstr(v.findings[0].text, "n3"));
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void a_changed_class_that_is_not_slow_is_a_finding_and_nothing_else(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	json_object *o, *list = NULL;

	(void)state;
	make_baseline(&b);
	site(&s, 50, "hw-less", 1.0);
	rows_judge(&b, &s, &v);
	assert_int_equal(row_of_n3(&v)->verdict, VERDICT_PASS);
	nobody_else_is_named(&v);
	assert_int_equal(v.n_findings, 1);
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	o = verdicts_to_json(&v);
	assert_true(json_object_object_get_ex(o, "findings", &list));
	assert_int_equal(json_object_array_length(list), 1);
	js_put(o);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void the_classes_of_the_baseline_are_no_finding(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	make_baseline(&b);
	site(&s, 50, NULL, 1.0);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.n_findings, 0);
	assert_int_equal(rows_code(&v), CODE_OK);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

/* With two nodes all figures move to the mixed key; the partner is not missing for that. */
static void a_partner_whose_only_pair_changed_is_not_missing(void **state)
{
	struct summary old, s;
	const struct summary *list[] = { &old };
	struct baseline b;
	struct verdicts v;

	(void)state;
	rows_begin(&old, "old");
	rows_add(&old, "x.a", 1024, "n1", 1e9);
	rows_add(&old, "x.a", 1024, "n2", 1e9);
	baseline_build(list, 1, &b);
	rows_begin(&s, "new");
	rekey(rows_add(&s, "x.a", 1024, "n1", 1e9), "hw-1 + hw-less");
	rekey(rows_add(&s, "x.a", 1024, "n2", 1e9), "hw-1 + hw-less");
	json_object_object_add(s.hw, "n2", json_object_new_string("hw-less"));
	rows_judge(&b, &s, &v);
	assert_int_equal(v.count[VERDICT_NOT_MEASURED], 0);
	assert_int_equal(v.n, 2);
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	verdicts_free(&v);
	summary_free(&s);
	summary_free(&old);
	baseline_free(&b);
}

/* Nodes n1 .. n(n), the last of a class of its own; the baseline is of other nodes. */
static size_t findings_of(unsigned n, enum finding_kind *kind)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	char name[8];
	size_t found;

	rows_baseline(5, 0.01, &b);
	rows_begin(&s, "new");
	for (unsigned i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		rows_add(&s, "x.a", 1024, name, 1e9);
	}
	json_object_object_add(s.hw, name, json_object_new_string("hw-less"));
	rows_judge(&b, &s, &v);
	found = v.n_findings;
	if (found) {
		*kind = v.findings[0].kind;
		assert_string_equal(v.findings[0].subject, name);
		assert_null(v.findings[0].old_hw);
	}
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
	return found;
}

static void a_class_that_stands_alone_is_a_finding_from_eight_nodes_on(void **state)
{
	enum finding_kind kind = FINDING_HW_CHANGED;

	(void)state;
	assert_int_equal(findings_of(7, &kind), 0);
	assert_int_equal(findings_of(8, &kind), 1);
	assert_int_equal(kind, FINDING_HW_ALONE);
}

static void a_lone_class_that_the_baseline_knows_is_no_finding(void **state)
{
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;
	char name[16];

	(void)state;
	rows_begin(&s, "old");
	for (unsigned i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		json_object_object_add(s.hw, name, json_object_new_string(i ? "hw" : "hw-head"));
		rows_add(&s, "x.a", 1024, name, 1e9);
	}
	baseline_build(list, 1, &b);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.n_findings, 0);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void two_sides_name_what_changed_but_not_who_stands_alone(void **state)
{
	struct baseline b;
	struct summary s;
	const struct summary *list[] = { &s };
	struct verdicts v;

	(void)state;
	make_baseline(&b);
	site(&s, 50, "hw-less", 1.0);
	compare_sides(&b, list, 1, NULL, NULL, &params, &v);
	assert_int_equal(v.n_findings, 1);
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	nobody_else_is_named(&v);
	verdicts_free(&v);
	baseline_free(&b);
	baseline_build(list, 1, &b); /* the same classes on both sides */
	compare_sides(&b, list, 1, NULL, NULL, &params, &v);
	assert_int_equal(v.n_findings, 0);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_class_that_is_slow_blames_its_own_node_alone),
		cmocka_unit_test(a_changed_class_that_is_not_slow_is_a_finding_and_nothing_else),
		cmocka_unit_test(the_classes_of_the_baseline_are_no_finding),
		cmocka_unit_test(a_partner_whose_only_pair_changed_is_not_missing),
		cmocka_unit_test(a_class_that_stands_alone_is_a_finding_from_eight_nodes_on),
		cmocka_unit_test(a_lone_class_that_the_baseline_knows_is_no_finding),
		cmocka_unit_test(two_sides_name_what_changed_but_not_who_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

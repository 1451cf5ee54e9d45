/* What is compared where one side lacks something: history, a key, a figure, a class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/dist.h"
#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;

/* The rest of the key equal, one part other. */
static void rekey(struct summary_row *r, const char *class_, const char *hw)
{
	free(r->key.class_);
	free(r->key.hw);
	r->key.class_ = hb_strdup(class_);
	r->key.hw = hb_strdup(hw);
	key_make(&r->key);
}

static void a_new_node_is_held_against_its_class(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	const struct verdict_row *r;
	const struct base_entry *e;
	double se;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 1024, "n9", 1e9);
	rows_add(&s, "x.a", 1024, "n8", 0.7e9);
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n9", VERDICT_PASS);
	rows_expect(&v, "x.a", 1024, "n8", VERDICT_SUSPECT);
	r = rows_find(&v, "x.a", 1024, "n9");
	e = r->entry;
	assert_int_equal(r->source, SPREAD_CLASS);
	assert_non_null(strstr(r->note, "class"));
	se = sqrt(e->s_node * e->s_node * 1.25 + e->s_run * e->s_run * (1.0 + 1.0 / 40.0));
	assert_true(fabs(r->p - dist_t_cdf((log(1e9) - e->mean) / se, r->df)) < 1e-12);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void unknown_keys_and_lone_strangers_are_new(void **state)
{
	struct baseline b;
	struct summary s, one;
	const struct summary *list[] = { &one };
	struct verdicts v;

	(void)state;
	rows_begin(&one, "old");
	rows_add(&one, "x.a", 1024, "n1", 1e9);
	baseline_build(list, 1, &b);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 2048, "n1", 1e9); /* another size */
	rows_add(&s, "x.a", 1024, "n2", 1e9); /* a subject without a class of several */
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 2048, "n1", VERDICT_NEW);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_NEW);
	assert_int_equal(rows_code(&v), CODE_NO_BASELINE);
	verdicts_free(&v);
	summary_free(&s);
	summary_free(&one);
	baseline_free(&b);
}

static void rows_that_do_not_count_keep_their_reason(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	s.rows[0].quality = ROW_INVALID;
	s.rows[0].reason = hb_strdup("wrong data");
	s.rows[1].quality = ROW_DISTURBED;
	s.rows[2].quality = ROW_NOT_MEASURED;
	s.rows[2].value = NAN;
	s.rows[3].judged = false;
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_INVALID);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_DISTURBED);
	rows_expect(&v, "x.a", 1024, "n3", VERDICT_NOT_MEASURED);
	assert_string_equal(rows_find(&v, "x.a", 1024, "n1")->note, "wrong data");
	assert_int_equal(rows_code(&v), CODE_FINDINGS);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void wrong_data_in_one_replicate_taints_the_row(void **state)
{
	struct baseline b;
	struct summary s[2];
	const struct summary *list[] = { &s[0], &s[1] };
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s[0], "new-0", 50, 0.01, 1.0);
	rows_site(&s[1], "new-1", 51, 0.01, 1.0);
	s[1].rows[0].quality = ROW_INVALID;
	s[1].rows[1].quality = ROW_DISTURBED; /* the other run still counts */
	compare_runs(&b, list, 2, &params, &v);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_INVALID);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_PASS);
	assert_int_equal(rows_find(&v, "x.a", 1024, "n2")->n_new, 1);
	verdicts_free(&v);
	summary_free(&s[0]);
	summary_free(&s[1]);
	baseline_free(&b);
}

static void a_subject_that_should_have_been_there_is_not_measured(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_begin(&s, "new");
	rows_add(&s, "x.a", 1024, "n1", 1e9);
	json_object_object_add(s.hw, "n2", json_object_new_string("hw-1")); /* took part */
	rows_loss(&s, "n3", "x.b", "its rank never answered");
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_NOT_MEASURED);
	rows_expect(&v, "x.b", 1024, "n3", VERDICT_NOT_MEASURED);
	assert_string_equal(rows_find(&v, "x.b", 1024, "n3")->note, "its rank never answered");
	assert_null(rows_find(&v, "x.a", 1024, "n4")); /* was not asked for */
	assert_null(rows_find(&v, "x.b", 1024, "n1")); /* nobody has this key today */
	assert_null(rows_find(&v, "x.a", 4096, "n2"));
	assert_int_equal(rows_code(&v), CODE_NOT_MEASURED);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

/* A node's row over all pairs, and where asked for those of its leaf classes. */
static void add_pairs(struct summary *s, const char *subject, double value, bool within,
                      double across)
{
	rows_add(s, "x.a", 1024, subject, value);
	if (within)
		rekey(rows_add(s, "x.a", 1024, subject, value), "same-leaf", "hw-1");
	if (across > 0)
		rekey(rows_add(s, "x.a", 1024, subject, across), "cross-leaf", "hw-1");
}

/* Ten nights of four nodes; with their leaf classes or without. Nights differ by 1 %. */
static void leaf_baseline(bool leaves, struct baseline *out)
{
	struct summary s[10];
	const struct summary *p[10];
	for (int i = 0; i < 10; i++) {
		char name[8], node[4];
		double v = 1e9 * (1 + 0.01 * ((i * 7) % 5 - 2) / 2);
		snprintf(name, sizeof name, "r%d", i);
		rows_begin(&s[i], name);
		for (int n = 1; n <= 4; n++) {
			snprintf(node, sizeof node, "n%d", n);
			add_pairs(&s[i], node, v, leaves, leaves ? 0.8 * v : 0);
		}
		p[i] = &s[i];
	}
	baseline_build(p, 10, out);
	for (int i = 0; i < 10; i++)
		summary_free(&s[i]);
}

static size_t rows_of_class(const struct verdicts *v, const char *class)
{
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++)
		n += strcmp(v->rows[i].key->class_, class) == 0;
	return n;
}

static void leaf_classes_count_where_both_sides_know_them(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	leaf_baseline(true, &b);
	rows_begin(&s, "new");
	/* n1: more of its pairs lead across leaves tonight, so that all together look slow. */
	add_pairs(&s, "n1", 1e9, true, 0.8e9);
	s.rows[0].value = 0.85e9;
	/* n2: only its pairs across leaves are slow. n3: none within a leaf tonight. */
	add_pairs(&s, "n2", 1e9, true, 0.4e9);
	add_pairs(&s, "n3", 1e9, false, 0.8e9);
	json_object_object_add(s.hw, "n4", json_object_new_string("hw-1"));
	rows_judge(&b, &s, &v);
	assert_int_equal(v.leaves, LEAVES_ALIKE);
	assert_int_equal(rows_of_class(&v, "same-leaf"), 2);
	assert_int_equal(rows_of_class(&v, "cross-leaf"), 3);
	for (size_t i = 0; i < v.n; i++) {
		const struct verdict_row *r = &v.rows[i];
		bool slow = strcmp(r->subject, "n2") == 0 &&
		            strcmp(r->key->class_, "cross-leaf") == 0;
		assert_int_equal(r->verdict, slow                            ? VERDICT_SUSPECT
		                             : strcmp(r->subject, "n4") == 0 ? VERDICT_NOT_MEASURED
		                                                             : VERDICT_PASS);
	}
	/* Who has no figure at all is missed once. */
	assert_int_equal(rows_of_class(&v, "remote"), 1);
	verdicts_free(&v);
	compare_sides(&b, &(const struct summary *){ &s }, 1, NULL, NULL,
	              &(const struct compare_params)COMPARE_PARAMS_DEFAULT, &v);
	assert_int_equal(rows_of_class(&v, "same-leaf"), 2);
	assert_int_equal(rows_of_class(&v, "remote"), 1);
	assert_int_equal(v.count[VERDICT_GONE], 1);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

static void without_leaf_classes_on_one_side_all_pairs_are_compared(void **state)
{
	(void)state;
	for (int old = 0; old < 2; old++) {
		struct baseline b;
		struct summary s;
		struct verdicts v;
		leaf_baseline(old, &b);
		rows_begin(&s, "new");
		add_pairs(&s, "n1", 0.7e9, !old, old ? 0 : 0.8e9);
		add_pairs(&s, "n2", 1e9, !old, old ? 0 : 0.8e9);
		rows_judge(&b, &s, &v);
		assert_int_equal(v.leaves, old ? LEAVES_OLD : LEAVES_NEW);
		assert_int_equal(v.n, 2);
		assert_int_equal(rows_of_class(&v, "remote"), 2);
		rows_expect(&v, "x.a", 1024, "n1", VERDICT_SUSPECT);
		rows_expect(&v, "x.a", 1024, "n2", VERDICT_PASS);
		verdicts_free(&v);
		summary_free(&s);
		baseline_free(&b);
	}
}

/* A kind of pairs that the baseline never saw is not held against another kind. */
static void a_leaf_class_that_only_one_side_has_is_new(void **state)
{
	struct baseline b;
	struct summary s, o;
	struct verdicts v;

	(void)state;
	rows_begin(&o, "old");
	add_pairs(&o, "n1", 1e9, true, 0);
	baseline_build(&(const struct summary *){ &o }, 1, &b);
	rows_begin(&s, "new");
	add_pairs(&s, "n1", 0.9e9, true, 0.6e9);
	rows_judge(&b, &s, &v);
	assert_int_equal(v.n, 2);
	for (size_t i = 0; i < v.n; i++)
		assert_int_equal(v.rows[i].verdict == VERDICT_NEW,
		                 strcmp(v.rows[i].key->class_, "cross-leaf") == 0);
	verdicts_free(&v);
	summary_free(&s);
	summary_free(&o);
	baseline_free(&b);
}

static void a_changed_hardware_class_does_not_hide_a_loss(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_begin(&s, "new");
	rekey(rows_add(&s, "x.a", 1024, "n1", 0.7e9), "remote", "hw-less");
	json_object_object_add(s.hw, "n1", json_object_new_string("hw-less"));
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_SUSPECT);
	assert_non_null(strstr(v.rows[0].note, "hardware class changed"));
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_node_is_held_against_its_class),
		cmocka_unit_test(unknown_keys_and_lone_strangers_are_new),
		cmocka_unit_test(rows_that_do_not_count_keep_their_reason),
		cmocka_unit_test(wrong_data_in_one_replicate_taints_the_row),
		cmocka_unit_test(a_subject_that_should_have_been_there_is_not_measured),
		cmocka_unit_test(leaf_classes_count_where_both_sides_know_them),
		cmocka_unit_test(without_leaf_classes_on_one_side_all_pairs_are_compared),
		cmocka_unit_test(a_leaf_class_that_only_one_side_has_is_new),
		cmocka_unit_test(a_changed_hardware_class_does_not_hide_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static void a_leaf_class_falls_back_to_remote_and_says_so(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_begin(&s, "new");
	rekey(rows_add(&s, "x.a", 1024, "n1", 0.7e9), "cross-leaf", "hw-1");
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_SUSPECT);
	assert_non_null(strstr(v.rows[0].note, "remote"));
	verdicts_free(&v);
	summary_free(&s);
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
		cmocka_unit_test(a_leaf_class_falls_back_to_remote_and_says_so),
		cmocka_unit_test(a_changed_hardware_class_does_not_hide_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

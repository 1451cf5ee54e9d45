/* Baselines that took another's place, and nodes that are left out of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static void the_marks_of_a_rebase_read_back(void **state)
{
	struct baseline b, again;
	struct hb_err err = { 0 };

	(void)state;
	rows_baseline(6, 0.01, &b);
	b.rebased.from = hb_strdup("night");
	b.rebased.date = hb_strdup("2026-11-30T01:00:00Z");
	b.rebased.reason = hb_strdup("new switches");
	b.rebased.by = hb_strdup("ops");
	js_set_str(b.excluded, "n9", "slow cable");
	json_object *o = baseline_to_json(&b);
	assert_int_equal(baseline_from_json(o, "b.json", &again, &err), HB_OK);
	assert_string_equal(again.rebased.from, "night");
	assert_string_equal(again.rebased.reason, "new switches");
	assert_string_equal(baseline_excluded(&again, "n9"), "slow cable");
	assert_null(baseline_excluded(&again, "n1"));
	baseline_free(&again);
	/* A file of old has neither. */
	json_object_object_del(o, "rebased");
	json_object_object_del(o, "excluded");
	assert_int_equal(baseline_from_json(o, "b.json", &again, &err), HB_OK);
	assert_null(again.rebased.from);
	assert_null(baseline_excluded(&again, "n9"));
	baseline_free(&again);
	/* What is half there is refused, with its place. */
	json_object *half = json_object_new_object();
	js_set_str(half, "from", "night");
	js_set_obj(o, "rebased", half);
	assert_int_equal(baseline_from_json(o, "b.json", &again, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "rebased"));
	js_put(o);
	baseline_free(&b);
}

static void ratios_tell_what_became_faster_or_slower(void **state)
{
	struct baseline from, to;
	struct base_ratio *v;
	struct summary runs[6];
	const struct summary *list[6];

	(void)state;
	rows_baseline(6, 0.0, &from);
	for (unsigned t = 0; t < 6; t++) {
		char name[16];
		(void)snprintf(name, sizeof name, "new%u", t);
		rows_site(&runs[t], name, t, 0.0, 1.0);
		for (size_t i = 0; i < runs[t].n_rows; i++)
			if (strcmp(runs[t].rows[i].key.bench, "x.b") == 0)
				runs[t].rows[i].value *= 1.25;
		rows_add(&runs[t], "x.c", 1024, "n1", 1e9);
		list[t] = &runs[t];
	}
	baseline_build(list, 6, &to);
	size_t n = baseline_ratios(&from, &to, &v);
	assert_int_equal(n, 3);
	assert_string_equal(v[0].bench, "x.a");
	assert_int_equal(v[0].keys, 3);
	assert_true(fabs(v[0].median - 1.0) < 1e-9);
	assert_string_equal(v[1].bench, "x.b");
	assert_true(fabs(v[1].median - 1.25) < 1e-9 && fabs(v[1].max - 1.25) < 1e-9);
	assert_string_equal(v[2].bench, "x.c");
	assert_int_equal(v[2].keys, 0);
	assert_int_equal(v[2].only_new, 1);
	assert_true(isnan(v[2].median));
	free(v);
	n = baseline_ratios(&to, &from, &v);
	assert_int_equal(n, 3);
	assert_int_equal(v[2].only_old, 1);
	free(v);
	for (unsigned t = 0; t < 6; t++)
		summary_free(&runs[t]);
	baseline_free(&from);
	baseline_free(&to);
}

static void new_hardware_is_compared_where_it_can_only_be_one_key(void **state)
{
	struct baseline from, to;
	struct base_ratio *v;

	(void)state;
	rows_baseline(6, 0.0, &from);
	rows_baseline(6, 0.0, &to);
	for (size_t i = 0; i < to.n_entries; i++) {
		free(to.entries[i].key.hw);
		to.entries[i].key.hw = hb_strdup("another machine");
		key_make(&to.entries[i].key);
	}
	assert_true(baseline_ratios(&from, &to, &v) >= 2);
	assert_int_equal(v[0].keys, v[0].other_hw);
	assert_true(v[0].keys > 0 && v[0].only_old == 0 && v[0].only_new == 0);
	free(v);
	baseline_free(&from);
	baseline_free(&to);
}

static void an_excluded_node_is_new_however_slow(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.5);
	js_set_str(b.excluded, "n2", "");
	js_set_str(b.hw, "n2", "4 DIMMs");
	js_set_str(s.hw, "n2", "2 DIMMs");
	rows_judge(&b, &s, &v);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_NEW);
	assert_string_equal(rows_find(&v, "x.a", 1024, "n2")->note, "excluded from the baseline");
	assert_int_equal(v.n_findings, 0);
	rows_expect(&v, "x.a", 1024, "n1", VERDICT_PASS);
	assert_int_equal(rows_code(&v), CODE_OK);
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_marks_of_a_rebase_read_back),
		cmocka_unit_test(ratios_tell_what_became_faster_or_slower),
		cmocka_unit_test(new_hardware_is_compared_where_it_can_only_be_one_key),
		cmocka_unit_test(an_excluded_node_is_new_however_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

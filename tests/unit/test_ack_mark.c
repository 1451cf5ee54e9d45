/* What an acknowledgement changes: exit codes and the confirming rerun, never what is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/judge/ack.h"
#include "tests/unit/rows.h"

/* The commands' library asks for its table; none is called here. */
const struct command *const commands[] = { NULL };

static const struct compare_params params = COMPARE_PARAMS_DEFAULT;

/* One acknowledgement of days 100 to 110, looked at on the day given. */
static void one(struct acks *a, const char *subject, const char *bench, int64_t today)
{
	struct hb_err err = { 0 };
	char s[64], b[64], reason[] = "cable", by[] = "ops";
	struct ack like = { .subject = s, .until = 110, .made = 100, .reason = reason, .by = by };

	*a = (struct acks){ 0 };
	(void)snprintf(s, sizeof s, "%s", subject);
	if (bench) {
		(void)snprintf(b, sizeof b, "%s", bench);
		like.bench = b;
	}
	if (!acks_add(a, &like, &err))
		fail_msg("%s", err.text);
	acks_set_day(a, today);
}

/* n2 is slow in x.a; the code of a run judged with this acknowledgement. */
static int code_with(const char *subject, const char *bench, int64_t today)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct acks a;
	const struct summary *list[] = { &s };

	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.8);
	compare_runs(&b, list, 1, &params, &v);
	one(&a, subject, bench, today);
	acks_mark(&a, &s, 1, &v);
	int code = report_run_code(list, 1, &v, true, false);
	rows_expect(&v, "x.a", 1024, "n2", VERDICT_SUSPECT); /* what is found stays */
	verdicts_free(&v);
	acks_free(&a);
	summary_free(&s);
	baseline_free(&b);
	return code;
}

static void what_is_slow_counts_again_after_the_last_day(void **state)
{
	(void)state;
	assert_int_equal(code_with("n2", NULL, 110), CODE_OK);
	assert_int_equal(code_with("n2", NULL, 111), CODE_SUSPECT);
	assert_int_equal(code_with("n2", NULL, 1000), CODE_SUSPECT);
}

static void only_the_subject_and_the_benchmarks_named_are_covered(void **state)
{
	(void)state;
	assert_int_equal(code_with("n2", "x.a", 105), CODE_OK);
	assert_int_equal(code_with("n2", "x.b", 105), CODE_SUSPECT);
	assert_int_equal(code_with("n3", NULL, 105), CODE_SUSPECT);
	assert_int_equal(code_with("cluster", NULL, 105), CODE_SUSPECT);
}

static void an_acknowledged_suspect_is_not_measured_again(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct suspect found;
	struct acks a;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.8);
	rows_judge(&b, &s, &v);
	assert_int_equal(compare_suspects(&v, &found, 1), 1);
	char *control = hb_strdup(found.control);
	assert_non_null(control);
	/* The control that would have been taken is known trouble now: another one is taken. */
	one(&a, control, NULL, 105);
	acks_mark(&a, &s, 1, &v);
	assert_int_equal(compare_suspects(&v, &found, 1), 1);
	assert_string_not_equal(found.control, control);
	acks_free(&a);
	free(control);
	/* Where nothing else is left it has to do. */
	for (int i = 1; i <= 4; i++)
		for (size_t k = 0; k < v.n; k++)
			v.rows[k].ack = strcmp(v.rows[k].subject, "n2")
			                        ? &(struct ack){ .id = NULL }
			                        : NULL;
	assert_int_equal(compare_suspects(&v, &found, 1), 1);
	assert_non_null(found.control);
	one(&a, "n2", "x.a", 105);
	acks_mark(&a, &s, 1, &v);
	assert_int_equal(compare_suspects(&v, &found, 1), 0);
	verdicts_free(&v);
	acks_free(&a);
	summary_free(&s);
	baseline_free(&b);
}

/* The code of a run without a baseline that lost something. */
static int lost_code(const char *loss, enum unit_status status, const char *subject)
{
	struct summary s;
	struct acks a;
	const struct summary *list[] = { &s };

	rows_site(&s, "new", 50, 0.01, 1.0);
	rows_loss(&s, loss, "x.a", "its rank died");
	s.losses[0].status = status;
	one(&a, subject, NULL, 105);
	acks_mark(&a, &s, 1, NULL);
	int code = report_run_code(list, 1, NULL, false, false);
	acks_free(&a);
	summary_free(&s);
	return code;
}

static void a_known_missing_node_is_no_loss(void **state)
{
	(void)state;
	assert_int_equal(lost_code("n9", UNIT_GIVEN_UP, "n9"), CODE_OK);
	assert_int_equal(lost_code("n9", UNIT_GIVEN_UP, "n8"), CODE_NOT_MEASURED);
	assert_int_equal(lost_code("n1-n2", UNIT_INVALID, "n2"), CODE_OK);
	assert_int_equal(lost_code("n1-n2", UNIT_INVALID, "n2-n1"), CODE_OK);
	assert_int_equal(lost_code("n1-n2", UNIT_INVALID, "n3"), CODE_FINDINGS);
	assert_int_equal(lost_code("cluster", UNIT_TIMEOUT, "n1"), CODE_NOT_MEASURED);
}

static void nothing_at_all_is_never_a_pass(void **state)
{
	struct summary s;
	struct acks a;
	const struct summary *list[] = { &s };

	(void)state;
	rows_begin(&s, "new");
	rows_loss(&s, "n1", "x.a", "its rank died");
	one(&a, "n1", NULL, 105);
	acks_mark(&a, &s, 1, NULL);
	assert_int_equal(report_run_code(list, 1, NULL, false, false), CODE_NOT_MEASURED);
	acks_free(&a);
	summary_free(&s);
}

static void a_changed_class_that_is_known_is_no_finding(void **state)
{
	struct baseline b;
	struct summary s;
	struct verdicts v;
	struct acks a;
	const struct summary *list[] = { &s };

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 1.0);
	js_set_str(b.hw, "n3", "4 DIMMs");
	js_set_str(s.hw, "n3", "2 DIMMs");
	rows_judge(&b, &s, &v);
	assert_int_equal(v.n_findings, 1);
	one(&a, "n3", NULL, 105);
	acks_mark(&a, &s, 1, &v);
	assert_int_equal(v.known_findings, 1);
	assert_int_equal(report_run_code(list, 1, &v, true, false), CODE_OK);
	acks_free(&a);
	/* Of one benchmark: it does not speak of the node itself. */
	one(&a, "n3", "x.*", 105);
	acks_mark(&a, &s, 1, &v);
	assert_int_equal(report_run_code(list, 1, &v, true, false), CODE_FINDINGS);
	verdicts_free(&v);
	acks_free(&a);
	summary_free(&s);
	baseline_free(&b);
}

/* All lines of a report, joined. */
static char *report_text(const struct summary *s, const struct verdicts *v, const struct acks *a)
{
	struct report_run in = { .runs = &s, .n = 1, .v = v, .base = "b", .acks = a };
	const struct doc_style style = { .quiet = true };
	struct doc *d = report_run_doc(&in);
	struct buf out = BUF_INIT;

	report_find("text")->render(d, &style, &out);
	doc_free(d);
	return buf_detach(&out);
}

static void reports_show_it_and_for_two_weeks_that_it_has_expired(void **state)
{
	static const struct {
		int64_t today;
		const char *told, *not_told;
	} wants[] = {
		{ 110, "known until 1970-04-21: cable (by ops)", "EXPIRED" },
		{ 111, "EXPIRED: the acknowledgement of n2", "known until" },
		{ 124, "EXPIRED: the acknowledgement of n2", "known until" },
		{ 125, "n2 x.a", "EXPIRED" },
	};
	struct baseline b;
	struct summary s;
	struct verdicts v;

	(void)state;
	rows_baseline(10, 0.01, &b);
	rows_site(&s, "new", 50, 0.01, 0.8);
	rows_judge(&b, &s, &v);
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		struct acks a;
		one(&a, "n2", NULL, wants[i].today);
		acks_mark(&a, &s, 1, &v);
		char *text = report_text(&s, &v, &a);
		if (!strstr(text, wants[i].told) || strstr(text, wants[i].not_told))
			fail_msg("day %d: %s", (int)wants[i].today, text);
		free(text);
		acks_free(&a);
	}
	verdicts_free(&v);
	summary_free(&s);
	baseline_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_slow_counts_again_after_the_last_day),
		cmocka_unit_test(only_the_subject_and_the_benchmarks_named_are_covered),
		cmocka_unit_test(an_acknowledged_suspect_is_not_measured_again),
		cmocka_unit_test(a_known_missing_node_is_no_loss),
		cmocka_unit_test(nothing_at_all_is_never_a_pass),
		cmocka_unit_test(a_changed_class_that_is_known_is_no_finding),
		cmocka_unit_test(reports_show_it_and_for_two_weeks_that_it_has_expired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What reports say of causes: below who is slow, and of what is wrong with nobody slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/diagnose_next.h"
#include "harness/report/report_parts.h"

/* At file scope, where these last; members of causes are no constants. */
#define T(text) ((char[]){ text })

static char *mtu_evidence[] = {
	T("n17/eth0: net.mtu is 1500, 63 of 63 peers have 9000 (SIOCGIFMTU)"),
	T("n17: mpi.bandwidth 4 KiB is fine, 1 MiB -38 %")
};
static char *governor = T("governor is powersave");
static char *suppressed = T("until 2026-12-24: known");
static char *cable[] = { T("look at its cable") };
static char *other_node = T("n19");
static const struct ack acknowledged = { .until = 20000, .reason = T("r"), .by = T("b") };
static char *many[] = { T("a"), T("b"), T("c"), T("d"), T("e") };
static size_t first[] = { 0 };

static struct cause mtu = { .subject = T("n17"),
	                    .rule = T("mtu-differs"),
	                    .severity = RULE_ERROR,
	                    .confidence = RULE_LIKELY,
	                    .text = T("n17: mtu of eth0 is 1500, 63 peers have 9000"),
	                    .evidence = mtu_evidence,
	                    .n_evidence = 2,
	                    .next = T("ip link set dev eth0 mtu 9000"),
	                    .refute = T("messages below 1500 B are as slow"),
	                    .explains = first,
	                    .n_explains = 1 };

static struct culprit slow(const char *subject, enum loc_kind kind)
{
	return (struct culprit){ .subject = hb_strdup(subject),
		                 .kind = kind,
		                 .state = LOC_SLOW,
		                 .text = hb_format("%s is slow: mpi.bandwidth 1 MiB -38 %%",
		                                   subject) };
}

static void drop(struct culprit *c)
{
	free(c->subject);
	free(c->text);
}

static char *text_of(struct doc *d)
{
	const struct doc_style style = { 0 };
	struct buf out = BUF_INIT;

	report_find("text")->render(d, &style, &out);
	doc_free(d);
	return buf_detach(&out);
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static char *below(struct culprit *c, const struct diagnosis *why)
{
	struct findings f = { .v = c, .n = 1 };
	struct doc *d = doc_new("");

	doc_list_item(d, "%s", c->text);
	report_cause_below(d, &f, why, 0);
	return text_of(d);
}

static void a_culprit_takes_five_lines_with_cause_evidence_and_what_to_do(void **state)
{
	struct cause causes[6] = { mtu, mtu, mtu, mtu, mtu, mtu };
	struct culprit c = slow("n17", LOC_NODE);
	struct diagnosis why = { .v = causes, .n = 6 };

	(void)state;
	for (size_t i = 1; i < 6; i++) {
		causes[i].confidence = RULE_POSSIBLE;
		causes[i].text = governor;
		causes[i].evidence = many;
		causes[i].n_evidence = 5;
	}
	char *text = below(&c, &why);
	assert_string_equal(
	        text,
	        "  - n17 is slow: mpi.bandwidth 1 MiB -38 %\n"
	        "      likely cause: n17: mtu of eth0 is 1500, 63 peers have 9000 [mtu-differs]\n"
	        "      evidence: n17/eth0: net.mtu is 1500, 63 of 63 peers have 9000 "
	        "(SIOCGIFMTU); n17: mpi.bandwidth 4 KiB is fine, 1 MiB -38 %\n"
	        "      next: ip link set dev eth0 mtu 9000; refuted if: messages below 1500 B are "
	        "as slow\n"
	        "      other causes: n17: governor is powersave (possible); n17: governor is "
	        "powersave (possible); n17: governor is powersave (possible); and 2 more\n");
	assert_int_equal(lines(text), 5);
	free(text);
	drop(&c);
}

static void without_a_cause_the_next_measurement_is_told(void **state)
{
	struct culprit c = slow("n17", LOC_NODE);
	struct diagnosis why = { 0 };

	(void)state;
	char *text = below(&c, &why);
	assert_non_null(strstr(text, "slow, cause not proven; next: hpcbench probe n17"));
	assert_int_equal(lines(text), 2);
	free(text);
	why.unproven = cable;
	why.n_unproven = 1;
	text = below(&c, &why);
	assert_non_null(strstr(text, "slow, cause not proven; next: look at its cable\n"));
	free(text);
	/* A cause of somebody else proves nothing. */
	struct cause other = mtu;
	size_t second[] = { 1 };
	other.explains = second;
	why.v = &other;
	why.n = 1;
	text = below(&c, &why);
	assert_non_null(strstr(text, "not proven"));
	free(text);
	/* What may be chance needs no cause. */
	c.unsure = true;
	text = below(&c, &why);
	assert_int_equal(lines(text), 1);
	free(text);
	drop(&c);
}

static void every_kind_has_a_next_measurement(void **state)
{
	struct loc_blame loaded = { .loss = 0.4, .isolated = 0.02 };
	struct evidence e = { .blame = loaded };

	(void)state;
	for (int k = 0; k < LOC_KINDS; k++) {
		struct culprit c = slow("n17-n18", (enum loc_kind)k);
		struct buf text = BUF_INIT;
		diagnosis_next(&c, &text);
		assert_non_null(strstr(buf_text(&text), "n17-n18"));
		buf_clear(&text);
		c.evidence = &e;
		c.n_evidence = 1;
		diagnosis_next(&c, &text);
		assert_non_null(strstr(buf_text(&text), "isolated it is as fast"));
		buf_clear(&text);
		c.state = LOC_UNDECIDED;
		c.others = other_node;
		diagnosis_next(&c, &text);
		assert_non_null(strstr(buf_text(&text), "n17-n18,n19 with a third"));
		buf_free(&text);
		drop(&c);
	}
	/* Slow alone as well: the usual words. */
	e.blame.isolated = 0.39;
	struct culprit c = slow("n1", LOC_NODE);
	struct buf text = BUF_INIT;
	c.evidence = &e;
	c.n_evidence = 1;
	diagnosis_next(&c, &text);
	assert_null(strstr(buf_text(&text), "isolated it is"));
	buf_free(&text);
	drop(&c);
}

static char *head(const struct diagnosis *why)
{
	struct doc *d = doc_new("");

	report_causes_head(d, why);
	return text_of(d);
}

static void errors_with_nobody_slow_stand_in_the_first_lines(void **state)
{
	struct cause causes[6] = { mtu, mtu, mtu, mtu, mtu, mtu };
	struct diagnosis why = { .v = causes, .n = 1 };

	(void)state;
	/* It explains somebody: told with him. */
	char *text = head(&why);
	assert_string_equal(text, "");
	assert_null(report_misconfigured(&why));
	free(text);
	for (size_t i = 0; i < 6; i++)
		causes[i].n_explains = 0;
	text = head(&why);
	assert_string_equal(text, "MISCONFIGURED: n17: mtu of eth0 is 1500, 63 peers have 9000\n");
	free(text);
	causes[0].ack = &acknowledged;
	text = head(&why);
	assert_string_equal(text, "");
	free(text);
	causes[0].ack = NULL;
	causes[0].suppressed = suppressed;
	text = head(&why);
	assert_string_equal(text, "");
	free(text);
	causes[0].suppressed = NULL;
	causes[0].severity = RULE_WARNING;
	text = head(&why);
	assert_string_equal(text, "");
	free(text);
	why.n = 6;
	text = head(&why);
	assert_int_equal(lines(text), 4);
	assert_non_null(strstr(text, "and 2 more misconfigured"));
	free(text);
	text = head(NULL);
	assert_string_equal(text, "");
	free(text);
}

static void the_section_has_errors_then_warnings_then_few_notes(void **state)
{
	struct cause causes[8] = { mtu, mtu, mtu, mtu, mtu, mtu, mtu, mtu };
	const enum rule_severity s[8] = { RULE_NOTE,    RULE_NOTE, RULE_WARNING, RULE_NOTE,
		                          RULE_WARNING, RULE_NOTE, RULE_ERROR,   RULE_NOTE };
	struct diagnosis why = { .v = causes, .n = 8 };
	struct doc *d = doc_new("");

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		causes[i].severity = s[i];
		causes[i].n_explains = 0;
	}
	causes[4].suppressed = suppressed;
	report_causes(d, &why);
	char *text = text_of(d);
	const char *error = strstr(text, "- error: "), *warning = strstr(text, "- warning: ");
	const char *note = strstr(text, "- note: ");
	assert_non_null(error);
	assert_true(error < warning && warning < note);
	assert_non_null(strstr(text, "(suppressed until 2026-12-24: known)"));
	/* 1 error and 1 warning of three lines, 1 suppressed, 3 of 5 notes; two headings and rest.
	 */
	assert_int_equal(lines(text), 3 + 3 + 1 + 3 + 4);
	assert_non_null(strstr(text, "and 2 more notes"));
	free(text);
	why.n = 0;
	d = doc_new("");
	report_causes(d, &why);
	text = text_of(d);
	assert_string_equal(text, "");
	free(text);
}

static void markdown_keeps_the_lines_of_a_finding_together(void **state)
{
	struct doc *d = doc_new("");
	const struct doc_style style = { 0 };
	struct buf out = BUF_INIT;

	(void)state;
	doc_list_item(d, "n17 is slow");
	doc_list_below(d, "likely cause: %s", "mtu");
	doc_list_item(d, "n18 is slow");
	report_find("markdown")->render(d, &style, &out);
	assert_string_equal(buf_text(&out),
	                    "- n17 is slow\n  - likely cause: mtu\n- n18 is slow\n");
	buf_free(&out);
	doc_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_culprit_takes_five_lines_with_cause_evidence_and_what_to_do),
		cmocka_unit_test(without_a_cause_the_next_measurement_is_told),
		cmocka_unit_test(every_kind_has_a_next_measurement),
		cmocka_unit_test(errors_with_nobody_slow_stand_in_the_first_lines),
		cmocka_unit_test(the_section_has_errors_then_warnings_then_few_notes),
		cmocka_unit_test(markdown_keeps_the_lines_of_a_finding_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

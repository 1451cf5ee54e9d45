/* Markdown as it is written: what each kind of block looks like, and what is escaped how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "reports/doc.h"

static char *rendered(const struct doc *d, bool quiet)
{
	struct buf out = BUF_INIT;
	struct doc_style style = { .quiet = quiet, .color = true, .width = 20 };
	const struct report_ops *ops = report_find("markdown");
	assert_non_null(ops);
	ops->render(d, &style, &out);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

/* Frees d. */
static void check_page(struct doc *d, bool quiet, const char *expected)
{
	char *got = rendered(d, quiet);
	assert_string_equal(got, expected);
	free(got);
	doc_free(d);
}

/* As a paragraph: a block begins with it. */
static void check_text(const char *text, const char *expected)
{
	struct doc *d = doc_new("");
	char *want = hb_format("%s\n", expected);
	doc_text(d, DOC_PLAIN, "%s", text);
	check_page(d, false, want);
	free(want);
}

/* As a cell of a table, without the padding. */
static void check_cell(const char *text, const char *expected)
{
	static const char *const titles[] = { "a", NULL };
	struct doc *d = doc_new("");
	doc_table(d, titles);
	doc_cell(d, DOC_PLAIN, "%s", text);
	char *got = rendered(d, false), *want = hb_format("\n| %s", expected);
	char *row = strrchr(strstr(got, "-- |"), '\n'); /* the end of the last line */
	assert_non_null(row);
	*row = '\0';
	row = strrchr(got, '\n');
	assert_non_null(row);
	assert_int_equal(strncmp(row, want, strlen(want)), 0);
	assert_string_equal(row + strlen(want) + strspn(row + strlen(want), " "), "|");
	free(got);
	free(want);
	doc_free(d);
}

static struct doc *report(void)
{
	static const char *const titles[] = { "name", ">figure", "never", ">p", "verdict", NULL };
	struct doc *d = doc_new("A title");
	doc_text(d, DOC_BAD, "REGRESSED: %s", "2 rows: n1");
	doc_heading(d, 2, "Part");
	doc_table(d, titles);
	doc_cell(d, DOC_PLAIN, "%s", "n1");
	doc_cell(d, DOC_PLAIN, "%s", "1 \xc2\xb1 2");
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_DIM, "%s", "1");
	doc_cell(d, DOC_GOOD, "%s", "pass");
	doc_cell(d, DOC_PLAIN, "%s", "n200");
	doc_cell(d, DOC_PLAIN, "%s", "10 +- 2");
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_DIM, "%s", "<0.01");
	doc_cell(d, DOC_BAD, "%s", "regressed");
	doc_list_item(d, "%s", "one");
	doc_list_item(d, "%s", "two");
	doc_fact(d, "run", "%s", "latest");
	doc_fact(d, "metric", "%s", "lat_p50_ns");
	doc_text(d, DOC_WARN, "one row is %s", "slow");
	return d;
}

static void a_page_reads_well_unrendered(void **state)
{
	(void)state;
	check_page(report(), false,
	           "# A title\n"
	           "\n"
	           "**REGRESSED:** 2 rows: n1\n"
	           "\n"
	           "## Part\n"
	           "\n"
	           "| name |  figure |     p | verdict       |\n"
	           "| ---- | ------: | ----: | ------------- |\n"
	           "| n1   |   1 \xc2\xb1 2 |     1 | pass          |\n"
	           "| n200 | 10 +- 2 | <0.01 | **regressed** |\n"
	           "\n"
	           "- one\n"
	           "- two\n"
	           "\n"
	           "* run: latest\n"
	           "* metric: lat_p50_ns\n"
	           "\n"
	           "one row is slow\n");
}

static void quiet_shows_only_what_is_wrong_and_the_heading_above_it(void **state)
{
	(void)state;
	check_page(report(), true,
	           "**REGRESSED:** 2 rows: n1\n"
	           "\n"
	           "## Part\n"
	           "\n"
	           "| name |  figure |     p | verdict       |\n"
	           "| ---- | ------: | ----: | ------------- |\n"
	           "| n200 | 10 +- 2 | <0.01 | **regressed** |\n"
	           "\n"
	           "one row is slow\n");
	struct doc *d = doc_new("fine");
	doc_heading(d, 2, "Part");
	doc_text(d, DOC_GOOD, "all is well");
	check_page(d, true, "");
}

static void bold_is_for_the_word_in_capitals_or_all_of_what_is_bad(void **state)
{
	struct doc *d = doc_new("");
	(void)state;
	doc_text(d, DOC_WARN, "NOT MEASURED: n3");
	doc_text(d, DOC_WARN, "changed: mpi: 1 -> 2");
	doc_text(d, DOC_BAD, "hardware of n1: new");
	doc_text(d, DOC_GOOD, "PASS: all");
	doc_text(d, DOC_BAD, "%s", "");
	check_page(d, false,
	           "**NOT MEASURED:** n3\n\nchanged: mpi: 1 -> 2\n\n**hardware of n1: new**\n\n"
	           "PASS: all\n");
}

static void a_document_may_be_empty_and_a_table_without_figures_is_none(void **state)
{
	static const char *const titles[] = { "a", "b", NULL };
	struct doc *d = doc_new("");
	(void)state;
	doc_table(d, titles);
	doc_table(d, titles);
	doc_cell(d, DOC_BAD, "%s", "");
	doc_cell(d, DOC_BAD, "%s", "  ");
	check_page(d, false, "");
}

static void characters_of_markup_are_escaped(void **state)
{
	(void)state;
	check_text("<script>x</script>", "&lt;script>x&lt;/script>");
	check_text("![x](y) [a]: b", "\\!\\[x](y) \\[a]: b");
	check_text("a `b` *c* ~d~ e\\f g|h", "a &#96;b&#96; \\*c\\* \\~d\\~ e\\\\f g\\|h");
	check_text("&amp; a & b", "\\&amp; a \\& b");
	check_text("n[001-064]", "n\\[001-064]");
	check_text("done! 5 % of <0.01, < 3, <=4", "done! 5 % of <0.01, < 3, <=4");
	check_text("!12 %34", "\\!12 \\%34"); /* tickets of some servers */
}

static void underscores_stay_inside_words_only(void **state)
{
	(void)state;
	check_text("lat_p50_ns", "lat_p50_ns");
	check_text("a__b", "a__b");
	check_text("_a_ __b__", "\\_a\\_ \\_\\_b\\_\\_");
	check_text("\xc3\xa9_a_\xc3\xa9", "\xc3\xa9\\_a\\_\xc3\xa9");
}

static void nothing_begins_a_list_a_heading_a_quote_or_a_command(void **state)
{
	(void)state;
	check_text("- a", "\\- a");
	check_text("+ a", "\\+ a");
	check_text("---", "\\---");
	check_text("===", "\\===");
	check_text("1. a", "1\\. a");
	check_text("12) a", "12\\) a");
	check_text("3.", "3\\.");
	check_text("1.478 us", "1.478 us");
	check_text("> a > b", "&gt; a > b");
	check_text("# a", "\\# a");
	check_text("/close", "\\/close");
	check_text("    code", "code");
	check_text("a  b   ", "a b");
	struct doc *d = doc_new("");
	doc_heading(d, 2, "%s", "a #");
	doc_list_item(d, "%s", "- a");
	doc_list_item(d, "%s", "[ ] a");
	doc_fact(d, "1.", "%s", "a");
	check_page(d, false, "## a \\#\n\n- \\- a\n- \\[ ] a\n\n* 1.: a\n");
}

static void nobody_is_called_and_nothing_becomes_a_link_or_a_picture(void **state)
{
	(void)state;
	check_text("@root ops@n1.x.org a @ b", "`@`root ops`@`n1.x.org a @ b");
	check_text("#12 o/r#3 C# @@x", "`#`12 o/r`#`3 C\\# `@@`x");
	check_text("http://a ssh://b www.c.de WWW.d", "http`://`a ssh`://`b www`.`c.de WWW`.`d");
	check_text("gh-12 GH-3 high-4 gh-x", "gh`-`12 GH`-`3 high-4 gh-x");
	check_text("deadbee1 x_deadbee1 20010106-010000 abc123",
	           "`deadbee1` x_deadbee1 20010106-010000 abc123");
	check_text(":smile: :100: 01:00:00 a: b:", "`:`smile: `:`100: 01:00:00 a: b:");
	check_text("$x$ 5 $", "`$`x$ 5 $");
	check_text("`@x`", "&#96;`@`x&#96;");
}

static void commands_can_still_be_read(void **state)
{
	(void)state;
	check_text("next: hpcbench check 20010120-010000-0014,latest --baseline night",
	           "next: hpcbench check 20010120-010000-0014,latest --baseline night");
	check_text("hpcbench diff latest~1 latest", "hpcbench diff latest\\~1 latest");
}

static void a_cell_is_one_line_and_one_cell(void **state)
{
	(void)state;
	check_cell("a\nb\rc\td", "a\\\\nb\\\\x0dc\\\\td");
	check_cell("a|b\\|c", "a\\|b\\\\\\|c");
	check_cell("-37 %", "-37 %"); /* no block: signs and numbers stay */
	check_cell("1.", "1.");
	check_cell("  a  b  ", "a b");
	check_cell("\\", "\\\\");
}

static void what_cannot_be_seen_is_spelled_out(void **state)
{
	(void)state;
	check_text("n1\x1b[31m", "n1\\\\x1b\\[31m");
	check_text("a\xe2\x80\xae"
	           "b",
	           "a\\\\u{202e}b");
	check_text("\xff", "\\\\xff");
}

static void a_huge_name_is_cut_in_a_table(void **state)
{
	static const char *const titles[] = { "a", "b", NULL };
	struct buf huge = BUF_INIT;
	struct doc *d = doc_new("");
	(void)state;
	buf_pad(&huge, '_', 1 << 20);
	doc_table(d, titles);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&huge));
	doc_cell(d, DOC_PLAIN, "%s", "x");
	char *got = rendered(d, false);
	assert_non_null(strstr(got, "\\_\\_... | x    |\n"));
	assert_true(strlen(got) < 1000);
	free(got);
	buf_free(&huge);
	doc_free(d);
}

static void the_marks_of_bold_stand_beside_nothing_that_would_break_them(void **state)
{
	struct doc *d = doc_new("");
	(void)state;
	doc_text(d, DOC_BAD, "%s", "  a* ");
	doc_text(d, DOC_BAD, "%s",
	         "\xc2\xa0"
	         "a");
	check_page(d, false,
	           "**a\\***\n\n\xc2\xa0"
	           "a\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_reads_well_unrendered),
		cmocka_unit_test(quiet_shows_only_what_is_wrong_and_the_heading_above_it),
		cmocka_unit_test(bold_is_for_the_word_in_capitals_or_all_of_what_is_bad),
		cmocka_unit_test(a_document_may_be_empty_and_a_table_without_figures_is_none),
		cmocka_unit_test(characters_of_markup_are_escaped),
		cmocka_unit_test(underscores_stay_inside_words_only),
		cmocka_unit_test(nothing_begins_a_list_a_heading_a_quote_or_a_command),
		cmocka_unit_test(nobody_is_called_and_nothing_becomes_a_link_or_a_picture),
		cmocka_unit_test(commands_can_still_be_read),
		cmocka_unit_test(a_cell_is_one_line_and_one_cell),
		cmocka_unit_test(what_cannot_be_seen_is_spelled_out),
		cmocka_unit_test(a_huge_name_is_cut_in_a_table),
		cmocka_unit_test(the_marks_of_bold_stand_beside_nothing_that_would_break_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

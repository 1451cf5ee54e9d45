/* The document and its renderers: what reaches a terminal, and what it looks like there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "reports/doc.h"

static char *cleaned(const char *text)
{
	struct buf out = BUF_INIT;
	doc_clean(text, &out);
	buf_putc(&out, '|');
	return buf_detach(&out);
}

static void check_clean(const char *text, const char *expected)
{
	char *got = cleaned(text), *want = hb_format("%s|", expected);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void control_characters_are_spelled_out(void **state)
{
	(void)state;
	check_clean("n1\x1b[31mred\a\b\r", "n1\\x1b[31mred\\x07\\x08\\x0d");
	check_clean("a\nb\tc\x7f", "a\\nb\\tc\\x7f");
	check_clean("csi \xc2\x9b"
	            "31m",
	            "csi \\u{9b}31m");
	check_clean("plain text, caf\xc3\xa9 \xc2\xb1 5 %", "plain text, caf\xc3\xa9 \xc2\xb1 5 %");
}

static void marks_that_turn_or_hide_text_are_spelled_out(void **state)
{
	(void)state;
	check_clean("a\xe2\x80\xae"
	            "b\xe2\x81\xa6"
	            "c\xe2\x80\x8b"
	            "d",
	            "a\\u{202e}b\\u{2066}c\\u{200b}d");
	check_clean("\xef\xbb\xbfx\xf3\xa0\x81\x81", "\\u{feff}x\\u{e0041}");
	/* Accents may stack twice, not up to the lines above. */
	check_clean("e\xcc\x81\xcc\x81\xcc\x81", "e\xcc\x81\xcc\x81\\u{301}");
}

static void check_clip(const char *text, size_t max, const char *expected)
{
	char *got = doc_clip(text, max);
	assert_string_equal(got, expected);
	assert_true(doc_width(got) <= max);
	free(got);
}

static void long_text_is_cut_at_a_whole_character(void **state)
{
	(void)state;
	check_clip("", 3, "");
	check_clip("12345678", 8, "12345678");
	check_clip("123456789", 8, "12345...");
	check_clip("1234", 3, "...");
	/* Two columns each; marks go with what they stand on. */
	check_clip("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 8,
	           "\xe4\xb8\xad\xe4\xb8\xad...");
	check_clip("12345\xcc\x81\xcc\x81"
	           "6789",
	           8, "12345\xcc\x81\xcc\x81...");
}

static void broken_utf8_is_shown_as_bytes(void **state)
{
	(void)state;
	check_clean("\xff", "\\xff");
	check_clean("a\xe2\x80", "a\\xe2\\x80");
	check_clean("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
	check_clean("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
	check_clean("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond Unicode */
	check_clean("\x80x", "\\x80x");
}

static void whatever_comes_in_no_control_character_goes_out(void **state)
{
	struct rng r;
	(void)state;
	rng_seed(&r, 7);
	for (int i = 0; i < 5000; i++) {
		char text[24] = { 0 };
		size_t n = (size_t)rng_below(&r, sizeof text);
		for (size_t j = 0; j < n; j++)
			text[j] = (char)rng_below(&r, 256);
		char *once = cleaned(text), *twice = cleaned(once);
		for (const char *s = once; *s; s++)
			assert_true((unsigned char)*s >= 0x20 && *s != 0x7f);
		twice[strlen(twice) - 1] = '\0';
		assert_string_equal(once, twice); /* clean text stays as it is: it is valid */
		free(once);
		free(twice);
	}
}

static void width_counts_columns_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(doc_width(""), 0);
	assert_int_equal(doc_width("1 \xc2\xb1 2"), 5);
	assert_int_equal(doc_width("e\xcc\x81"), 1);
	assert_int_equal(doc_width("\xe4\xb8\xad"), 2);
}

static char *rendered(const struct doc *d, const char *format, struct doc_style style)
{
	struct buf out = BUF_INIT;
	const struct report_ops *ops = report_find(format);
	assert_non_null(ops);
	ops->render(d, &style, &out);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

static void check_text(struct doc *d, struct doc_style style, const char *expected)
{
	char *got = rendered(d, "text", style);
	assert_string_equal(got, expected);
	free(got);
	doc_free(d);
}

static struct doc *table(void)
{
	static const char *const titles[] = { "name", ">figure", "never", "verdict", NULL };
	struct doc *d = doc_new("A title");
	doc_heading(d, 2, "Part");
	doc_table(d, titles);
	doc_cell(d, DOC_PLAIN, "%s", "n1");
	doc_cell(d, DOC_PLAIN, "%s", "1 \xc2\xb1 2");
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_GOOD, "%s", "pass");
	doc_cell(d, DOC_PLAIN, "%s", "n200");
	doc_cell(d, DOC_PLAIN, "%s", "10 +- 2");
	doc_cell(d, DOC_PLAIN, "%s", "");
	doc_cell(d, DOC_BAD, "%s", "regressed");
	doc_text(d, DOC_WARN, "one row is %s", "slow");
	return d;
}

static void columns_align_and_empty_ones_are_left_out(void **state)
{
	(void)state;
	check_text(table(), (struct doc_style){ 0 },
	           "A title\n\nPart\n"
	           "  name   figure  verdict\n"
	           "  n1      1 \xc2\xb1 2  pass\n"
	           "  n200  10 +- 2  regressed\n"
	           "\none row is slow\n");
}

static void quiet_shows_only_what_is_wrong(void **state)
{
	(void)state;
	check_text(table(), (struct doc_style){ .quiet = true },
	           "Part\n"
	           "  name   figure  verdict\n"
	           "  n200  10 +- 2  regressed\n"
	           "\none row is slow\n");
	struct doc *d = doc_new("fine");
	doc_text(d, DOC_GOOD, "all is well");
	doc_fact(d, "name", "value");
	check_text(d, (struct doc_style){ .quiet = true }, "");
}

static void colour_appears_only_where_it_was_asked_for(void **state)
{
	struct doc *d = table();
	(void)state;
	char *plain = rendered(d, "text", (struct doc_style){ 0 });
	char *coloured = rendered(d, "text", (struct doc_style){ .color = true });
	assert_null(strchr(plain, '\x1b'));
	assert_non_null(strstr(coloured, "\x1b[1;31mregressed\x1b[0m"));
	free(plain);
	free(coloured);
	doc_free(d);
}

static void text_wraps_at_a_terminals_width_and_never_inside_a_word(void **state)
{
	struct doc *d = doc_new("");
	(void)state;
	doc_text(d, DOC_PLAIN, "%s", "one two three averyveryverylongword four");
	doc_list_item(d, "%s", "alpha beta gamma");
	doc_list_item(d, "%s", "delta");
	doc_fact(d, "long name", "%s", "first second");
	doc_fact(d, "n", "%s", "x");
	check_text(d, (struct doc_style){ .width = 16 },
	           "one two three\naveryveryverylongword\nfour\n"
	           "  - alpha beta\n    gamma\n  - delta\n"
	           "  long name  first\n             second\n"
	           "  n          x\n");
}

static void hostile_names_cannot_leave_their_cell(void **state)
{
	static const char *const titles[] = { "name\n", "next", NULL };
	struct doc *d = doc_new("t\x1b]0;x\a");
	struct buf huge = BUF_INIT;
	(void)state;
	buf_pad(&huge, 'x', 1 << 20);
	doc_table(d, titles);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&huge));
	doc_cell(d, DOC_PLAIN, "%s", "a\nb");
	doc_cell(d, DOC_PLAIN, "%s", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80");
	doc_cell(d, DOC_PLAIN, "%s", "\x1b[2J");
	char *got = rendered(d, "text", (struct doc_style){ 0 });
	assert_null(strchr(got, '\x1b'));
	assert_non_null(strstr(got, "xxx...  a\\nb\n"));
	assert_true(strlen(got) < 400);
	size_t lines = 0;
	for (const char *s = got; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, 4); /* title, titles, two rows */
	free(got);
	buf_free(&huge);
	doc_free(d);
}

static void json_prints_the_data_and_nothing_of_the_looks(void **state)
{
	struct doc *d = table();
	(void)state;
	d->data = json_object_new_object();
	js_set_str(d->data, "name", "n1\x1b[0m");
	char *got = rendered(d, "json", (struct doc_style){ .color = true, .quiet = true });
	json_object *back = NULL;
	struct hb_err err;
	assert_int_equal(js_parse(got, strlen(got), "test", &back, &err), HB_OK);
	const char *name = NULL;
	struct js_at at = JS_AT_TOP("test");
	assert_int_equal(js_get_str(back, &at, "name", JS_REQUIRED, &name, &err), HB_OK);
	assert_string_equal(name, "n1\x1b[0m");
	assert_null(strchr(got, '\x1b'));
	assert_null(strstr(got, "regressed"));
	js_put(back);
	free(got);
	doc_free(d);
}

static void an_unknown_format_is_not_found(void **state)
{
	(void)state;
	assert_null(report_find("yaml"));
	assert_string_equal(report_find("text")->name, "text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_spelled_out),
		cmocka_unit_test(marks_that_turn_or_hide_text_are_spelled_out),
		cmocka_unit_test(broken_utf8_is_shown_as_bytes),
		cmocka_unit_test(long_text_is_cut_at_a_whole_character),
		cmocka_unit_test(whatever_comes_in_no_control_character_goes_out),
		cmocka_unit_test(width_counts_columns_not_bytes),
		cmocka_unit_test(columns_align_and_empty_ones_are_left_out),
		cmocka_unit_test(quiet_shows_only_what_is_wrong),
		cmocka_unit_test(colour_appears_only_where_it_was_asked_for),
		cmocka_unit_test(text_wraps_at_a_terminals_width_and_never_inside_a_word),
		cmocka_unit_test(hostile_names_cannot_leave_their_cell),
		cmocka_unit_test(json_prints_the_data_and_nothing_of_the_looks),
		cmocka_unit_test(an_unknown_format_is_not_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

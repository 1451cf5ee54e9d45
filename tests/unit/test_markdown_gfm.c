/*
 * Markdown as the reference parser of GitHub's dialect reads it: whatever a document holds, the
 * parser finds the blocks it was made of, their text unchanged, and no markup of its own in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "reports/doc.h"

enum { TEXT_MAX = 12, TITLES = 3, EXPECT_MAX = 64 };

static const char *const tokens[] = {
	"*",        "**",       "_",        "__",       "`",      "``",      "```",      "[",
	"](",       ")",        "<",        ">",        "&",      "&amp;",   "&#64;",    "#",
	"##",       "12",       "|",        "\\",       "\n",     "\t",      " ",        "  ",
	"    ",     "-",        "+",        "1.",       "2)",     "~",       "~~",       "www.",
	"http://",  "a",        "b_c",      "@",        ".com",   "!",       "![",       "$",
	":x:",      ":100:",    "\xc3\xa9", "\xc2\xa0", "^",      "---",     "===",      "deadbee1",
	"gh-",      "3",        "/close",   "{",        "}",      "(",       "x",        "[^1]",
	"[^1]: ",   "[ ] ",     "[a]: ",    "<!--",     "<b>",    "\"",      "'",        "mailto:",
	"ftp://",   "n1.x.org", "\x1b[0m",  ": ",       "CAPS: ", "\r",      "=",        "%",
	"</script", "<?",       "?",        "/",        ",",      "a@b.com", "WWW.c.de", "| --- |",
};

/* What a document is expected to say, block by block. */
struct expect {
	char *kind[EXPECT_MAX], *text[EXPECT_MAX];
	size_t n;
};

static char *random_text(struct rng *r)
{
	struct buf out = BUF_INIT;
	uint64_t n = rng_below(r, TEXT_MAX);
	for (uint64_t i = 0; i < n; i++)
		buf_puts(&out, tokens[rng_below(r, sizeof tokens / sizeof *tokens)]);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

/* Spaces at the ends and more than one between words are not shown by any page. */
static char *squeezed(const char *text)
{
	struct buf clean = BUF_INIT, out = BUF_INIT;
	doc_clean(text, &clean);
	for (const char *s = buf_text(&clean); *s; s++)
		if (*s != ' ' || (out.len && s[1] && s[1] != ' '))
			buf_putc(&out, *s);
	while (out.len && out.data[out.len - 1] == ' ')
		out.data[--out.len] = '\0';
	buf_free(&clean);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

static void expect_add(struct expect *e, const char *kind, const char *text)
{
	assert_true(e->n < EXPECT_MAX);
	e->kind[e->n] = hb_strdup(kind);
	e->text[e->n++] = squeezed(text);
}

static void expect_free(struct expect *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->kind[i]);
		free(e->text[i]);
	}
}

static bool empty(const char *text)
{
	char *s = squeezed(text);
	bool none = !*s;
	free(s);
	return none;
}

static enum doc_tone random_tone(struct rng *r)
{
	return (enum doc_tone)rng_below(r, DOC_DIM + 1);
}

static void add_table(struct doc *d, struct rng *r, struct expect *e)
{
	size_t n = 1 + (size_t)rng_below(r, TITLES), rows = 1 + (size_t)rng_below(r, 3);
	char *text[TITLES * 4] = { NULL };
	const char *titles[TITLES + 1] = { NULL };
	bool shown[TITLES] = { false };
	for (size_t i = 0; i < n * (rows + 1); i++) {
		text[i] = random_text(r);
		if (i >= n)
			shown[i % n] |= !empty(text[i]);
		else
			titles[i] = text[i];
	}
	doc_table(d, titles);
	for (size_t i = n; i < n * (rows + 1); i++)
		doc_cell(d, random_tone(r), "%s", text[i]);
	for (size_t i = 0; i < n * (rows + 1); i++) {
		const char *cell = text[i] + (i < n && *text[i] == '>');
		char *clip = doc_clip(cell, i % n + 1 == n ? DOC_LAST_MAX : DOC_CELL_MAX);
		if (shown[i % n])
			expect_add(e, "table_cell", clip);
		free(clip);
	}
	for (size_t i = 0; i < n * (rows + 1); i++)
		free(text[i]);
}

static void add_block(struct doc *d, struct rng *r, struct expect *e)
{
	char *a = random_text(r), *b = random_text(r);
	struct buf fact = BUF_INIT;
	switch (rng_below(r, 5)) {
	case 0:
		doc_heading(d, 1 + (int)rng_below(r, 4), "%s", a);
		expect_add(e, "heading", a);
		break;
	case 1:
		doc_text(d, random_tone(r), "%s", a);
		if (!empty(a))
			expect_add(e, "paragraph", a);
		break;
	case 2:
		doc_list_item(d, "%s", a);
		expect_add(e, "item", a);
		break;
	case 3:
		doc_fact(d, a, "%s", b);
		buf_printf(&fact, "%s: %s", a, b);
		expect_add(e, "item", buf_text(&fact));
		break;
	default: add_table(d, r, e); break;
	}
	buf_free(&fact);
	free(a);
	free(b);
}

static cmark_node *parsed(const char *text, size_t len)
{
	static const char *const extensions[] = { "table", "autolink", "strikethrough",
		                                  "tasklist" };
	cmark_gfm_core_extensions_ensure_registered();
	cmark_parser *p = cmark_parser_new(CMARK_OPT_FOOTNOTES);
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
		cmark_syntax_extension *x = cmark_find_syntax_extension(extensions[i]);
		assert_non_null(x);
		assert_int_equal(cmark_parser_attach_syntax_extension(p, x), 1);
	}
	cmark_parser_feed(p, text, len);
	cmark_node *root = cmark_parser_finish(p);
	cmark_parser_free(p);
	return root;
}

static bool one_of(const char *kind, const char *const *kinds)
{
	while (*kinds && strcmp(*kinds, kind) != 0)
		kinds++;
	return *kinds != NULL;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What servers look for in the text of a page, apart from code. */
static bool becomes_link(const char *text)
{
	if (strstr(text, "://") || strcasestr(text, "www."))
		return true;
	for (const char *s = text; *s; s++)
		if ((*s == '@' || *s == '#') && is_word(s[1]))
			return true;
	return strstr(text, ":x:") || strstr(text, ":100:");
}

/* The texts and code below a node, put together; each text must not become a link by itself. */
static char *words(cmark_node *node)
{
	struct buf out = BUF_INIT, run = BUF_INIT;
	cmark_iter *it = cmark_iter_new(node);
	for (cmark_event_type ev; (ev = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		const char *kind = cmark_node_get_type_string(cmark_iter_get_node(it));
		const char *literal = cmark_node_get_literal(cmark_iter_get_node(it));
		if (ev != CMARK_EVENT_ENTER)
			continue;
		if (literal)
			buf_puts(&out, literal);
		if (strcmp(kind, "text") != 0) {
			assert_false(becomes_link(buf_text(&run)));
			buf_clear(&run);
		} else if (literal)
			buf_puts(&run, literal);
	}
	assert_false(becomes_link(buf_text(&run)));
	cmark_iter_free(it);
	buf_free(&run);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

static void check_page(const char *markdown, size_t len, const struct expect *e)
{
	static const char *const blocks[] = { "heading", "paragraph", "item", "table_cell", NULL };
	static const char *const other[] = { "document",  "list",         "table",
		                             "table_row", "text",         "strong",
		                             "code",      "table_header", NULL };
	cmark_node *root = parsed(markdown, len);
	cmark_iter *it = cmark_iter_new(root);
	size_t at = 0;
	for (cmark_event_type ev; (ev = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		cmark_node *node = cmark_iter_get_node(it);
		const char *kind = cmark_node_get_type_string(node);
		/* An item's text is a paragraph of its own in the tree. */
		bool inner = cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH &&
		             cmark_node_get_type(cmark_node_parent(node)) == CMARK_NODE_ITEM;
		if (ev != CMARK_EVENT_ENTER || inner)
			continue;
		if (!one_of(kind, blocks)) {
			if (!one_of(kind, other))
				fail_msg("%s in:\n%s", kind, markdown);
			continue;
		}
		assert_true(at < e->n);
		char *got = words(node);
		if (strcmp(kind, e->kind[at]) != 0 || strcmp(got, e->text[at]) != 0)
			fail_msg("%s \"%s\", not %s \"%s\", in:\n%s", kind, got, e->kind[at],
			         e->text[at], markdown);
		free(got);
		at++;
	}
	assert_int_equal(at, e->n);
	cmark_iter_free(it);
	cmark_node_free(root);
}

static void whatever_a_document_holds_a_page_says_the_same_without_markup_of_its_own(void **state)
{
	struct rng r;
	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < 4000; i++) {
		struct expect e = { .n = 0 };
		struct buf out = BUF_INIT;
		struct doc_style style = { 0 };
		char *title = random_text(&r);
		struct doc *d = doc_new(title);
		if (*title)
			expect_add(&e, "heading", title);
		for (uint64_t n = rng_below(&r, 5); n > 0; n--)
			add_block(d, &r, &e);
		report_find("markdown")->render(d, &style, &out);
		check_page(buf_text(&out), out.len, &e);
		expect_free(&e);
		buf_free(&out);
		doc_free(d);
		free(title);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		        whatever_a_document_holds_a_page_says_the_same_without_markup_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * GitHub-flavoured Markdown, for a merge request, a wiki or a mail: readable as it stands and
 * rendered. Nothing that comes from outside may become markup. Against the parser a backslash
 * helps; but servers look for names of people, tickets, commits, emoji and addresses in the text
 * that was rendered, where backslashes are gone. They leave code alone: so the character that
 * would make the link is set as code ("ops`@`n1"), which hides nothing and copies as it was.
 */
#include <assert.h>
#include <stdint.h>
#include <strings.h>

#include "bench/base/mem.h"
#include "reports/formats.h"

enum { EMOJI_MAX = 64, COMMIT_MIN = 7, COMMIT_MAX = 40 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

static bool is_word(char c)
{
	return is_digit(c) || is_letter(c) || c == '_';
}

/* ":name:", but not a time such as 01:00:00; digits alone name only two emoji. */
static bool is_emoji(const char *s)
{
	size_t n = 0;
	bool named = false;
	while (n < EMOJI_MAX && (is_word(s[1 + n]) || s[1 + n] == '-' || s[1 + n] == '+'))
		named |= !is_digit(s[1 + n++]);
	return n && s[1 + n] == ':' &&
	       (named || strncmp(s, ":100:", 5) == 0 || strncmp(s, ":1234:", 6) == 0);
}

/*
 * Bytes of a word that names a commit: hexadecimal, 7 to 40 long. One of digits alone is a number
 * or the date at the beginning of a run's id, and stays as it is.
 */
static size_t commit_len(const char *text, const char *s)
{
	if (s > text && is_word(s[-1]))
		return 0;
	size_t n = strspn(s, "0123456789abcdefABCDEF");
	bool fits = n >= COMMIT_MIN && n <= COMMIT_MAX && !is_word(s[n]);
	return fits && strspn(s, "0123456789") < n ? n : 0;
}

/* "gh-12" is ticket 12: s is at the hyphen. */
static bool is_ticket(const char *text, const char *s)
{
	size_t before = (size_t)(s - text);
	return before >= 2 && strncasecmp(s - 2, "gh", 2) == 0 &&
	       (before == 2 || !is_word(s[-3])) && is_digit(s[1]);
}

/* Bytes at s that have to be code, so that no server makes a link or a picture of them. */
static size_t code_len(const char *text, const char *s)
{
	char next = s[1];
	switch (*s) {
	case '#': return is_word(next);
	case '@': /* addresses too, whatever follows */
	case '$': /* formulas */ return next && next != ' ';
	case ':': return strncmp(s, "://", 3) == 0 ? 3 : is_emoji(s);
	case '.': return s - text >= 3 && strncasecmp(s - 3, "www", 3) == 0;
	case '-': return is_ticket(text, s);
	default: return commit_len(text, s);
	}
}

/* Underscores inside a word are no emphasis, and names of metrics are full of them. */
static size_t put_underscores(struct buf *out, const char *text, const char *s)
{
	size_t n = strspn(s, "_");
	bool inside = s > text && is_word(s[-1]) && is_word(s[n]);
	for (size_t i = 0; i < n; i++)
		buf_puts(out, inside ? "_" : "\\_");
	return n;
}

/* One character or run that is not code; returns how many bytes of s it was. */
static size_t put_plain(struct buf *out, const char *text, const char *s)
{
	const char *lead = "";
	switch (*s) {
	case '_': return put_underscores(out, text, s);
	case '`': buf_puts(out, "&#96;"); return 1; /* also beside code of ours */
	case '<':
		/* "<0.01" cannot begin a tag. */
		buf_puts(out, is_digit(s[1]) || s[1] == ' ' || s[1] == '=' ? "<" : "&lt;");
		return 1;
	case '\\':
	case '*':
	case '[':
	case '|':
	case '~':
	case '&':
	case '#': lead = "\\"; break;
	case '!': /* pictures, and tickets of some servers */
	case '%': lead = is_word(s[1]) || s[1] == '[' || s[1] == '"' ? "\\" : ""; break;
	default: break;
	}
	buf_puts(out, lead);
	buf_putc(out, *s);
	return 1;
}

/*
 * What means something only where a block begins: items of lists, lines, quotes; and "/close",
 * which is a command to some servers. Returns how many bytes of s were written.
 */
static size_t put_start(struct buf *out, const char *s)
{
	size_t digits = strspn(s, "0123456789");
	const char *end = s + digits;
	if (digits && (*end == '.' || *end == ')') && (end[1] == ' ' || !end[1])) {
		buf_add(out, s, digits);
		buf_printf(out, "\\%c", *end);
		return digits + 1;
	}
	if (*s == '>') {
		buf_puts(out, "&gt;");
		return 1;
	}
	if (*s && strchr("-+=/", *s)) {
		buf_printf(out, "\\%c", *s);
		return 1;
	}
	return 0;
}

/* Cleaned text without markup. start: a block begins with it; a cell of a table is no block. */
static void put_escaped(struct buf *out, const char *text, bool start)
{
	bool code = false;
	text += strspn(text, " ");
	const char *s = text + (start ? put_start(out, text) : 0);
	while (*s) {
		size_t n = code_len(text, s);
		if ((n > 0) != code) {
			buf_putc(out, '`');
			code = !code;
		}
		if (n)
			buf_add(out, s, n);
		else if (*s == ' ') {
			n = strspn(s, " "); /* at the end two would break the line */
			if (s[n])
				buf_putc(out, ' ');
		} else
			n = put_plain(out, text, s);
		s += n;
	}
	if (code)
		buf_putc(out, '`');
}

static void put_inline(struct buf *out, const char *text, bool bold, bool start)
{
	struct buf clean = BUF_INIT, plain = BUF_INIT;
	doc_clean(text, &clean);
	put_escaped(&plain, buf_text(&clean), start);
	/* Beside a space that is not ASCII the marks would be asterisks. */
	bool marked = bold && plain.len && is_ascii(plain.data[0]) &&
	              is_ascii(plain.data[plain.len - 1]);
	buf_printf(out, marked ? "**%s**" : "%s", buf_text(&plain));
	buf_free(&clean);
	buf_free(&plain);
}

/* Length of the capitals before the first colon, as in "REGRESSED: 2 rows ..."; 0: none. */
static size_t lead_len(const char *text)
{
	const char *colon = strstr(text, ": ");
	for (const char *s = text; colon && s < colon; s++)
		if (*s != ' ' && (*s < 'A' || *s > 'Z'))
			return 0;
	return colon ? (size_t)(colon - text) + 1 : 0;
}

/* Bold is for what is wrong: the word before the colon is enough where there is one. */
static void put_text(struct buf *out, const struct doc_block *b)
{
	bool loud = b->tone == DOC_WARN || b->tone == DOC_BAD;
	size_t lead = loud ? lead_len(b->text) : 0;
	if (lead) {
		char *word = hb_strndup(b->text, lead);
		put_inline(out, word, true, true);
		buf_putc(out, ' ');
		put_inline(out, b->text + lead, false, false);
		free(word);
	} else
		put_inline(out, b->text, b->tone == DOC_BAD, true);
	if (out->len)
		buf_putc(out, '\n');
}

static void put_heading(struct buf *out, int level, const char *text)
{
	buf_pad(out, '#', level < 1 ? 1 : level > 6 ? 6 : (size_t)level);
	buf_putc(out, ' ');
	put_inline(out, text, false, true);
	buf_putc(out, '\n');
}

static void put_list(struct buf *out, const struct doc_block *b)
{
	for (size_t i = 0; i < b->n_items; i++) {
		buf_puts(out, b->below[i] ? "  - " : "- ");
		put_inline(out, b->items[i], false, true);
		buf_putc(out, '\n');
	}
}

/* Another mark than a list's: beside one they stay two. */
static void put_facts(struct buf *out, const struct doc_block *b)
{
	for (size_t i = 0; i + 1 < b->n_items; i += 2) {
		char *both = hb_format("%s: %s", b->items[i], b->items[i + 1]);
		buf_puts(out, "* ");
		put_inline(out, both, false, true);
		buf_putc(out, '\n');
		free(both);
	}
}

static char *cell_text(const char *text, enum doc_tone tone, bool last)
{
	struct buf out = BUF_INIT;
	char *clip = doc_clip(text, last ? DOC_LAST_MAX : DOC_CELL_MAX);
	put_inline(&out, clip, tone == DOC_BAD, false);
	free(clip);
	return out.data ? buf_detach(&out) : hb_strdup("");
}

/* The row under the titles: where a column is aligned to. */
static void put_rule(struct buf *out, const struct doc_block *b, const size_t *width)
{
	for (size_t i = 0; i < b->n_columns; i++) {
		if (!width[i])
			continue;
		bool right = b->columns[i].align == DOC_RIGHT;
		buf_puts(out, "| ");
		buf_pad(out, '-', width[i] - right);
		buf_puts(out, right ? ": " : " ");
	}
	buf_puts(out, "|\n");
}

/* A row of the columns that hold anything, padded so that it can be read unrendered too. */
static void put_row(struct buf *out, const struct doc_block *b, char *const *row,
                    const size_t *width)
{
	for (size_t i = 0; i < b->n_columns; i++) {
		if (!width[i])
			continue;
		size_t pad = width[i] - doc_width(row[i]);
		bool right = b->columns[i].align == DOC_RIGHT;
		buf_puts(out, "| ");
		buf_pad(out, ' ', right ? pad : 0);
		buf_puts(out, row[i]);
		buf_pad(out, ' ', right ? 1 : pad + 1);
	}
	buf_puts(out, "|\n");
}

static void put_table(struct buf *out, bool quiet, const struct doc_block *b)
{
	enum { RULE_MIN = 4 }; /* "---:" */
	size_t n = b->n_columns, rows = b->n_cells / n;
	assert(b->n_cells % n == 0);
	/* Row 0 is the titles. Rows that quiet leaves out stay NULL. */
	char **texts = hb_alloc((rows + 1) * n * sizeof *texts);
	size_t *width = hb_alloc(n * sizeof *width);
	bool any = false;
	for (size_t at = rows + 1; at-- > 0;) {
		if (at && quiet && !doc_row_loud(b, at - 1))
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct doc_cell *c = at ? &b->cells[(at - 1) * n + i] : NULL;
			char *text = cell_text(c ? c->text : b->columns[i].title,
			                       c ? c->tone : DOC_PLAIN, i + 1 == n);
			size_t w = doc_width(text);
			/* The titles come last: a column without a cell in it is not shown. */
			if (w > width[i] && (at || width[i]))
				width[i] = w;
			texts[at * n + i] = text;
		}
	}
	for (size_t i = 0; i < n; i++) {
		any |= width[i] > 0;
		if (width[i] && width[i] < RULE_MIN)
			width[i] = RULE_MIN;
	}
	for (size_t r = 0; any && r <= rows; r++) {
		if (texts[r * n])
			put_row(out, b, &texts[r * n], width);
		if (r == 0)
			put_rule(out, b, width);
	}
	for (size_t i = 0; i < (rows + 1) * n; i++)
		free(texts[i]);
	free(texts);
	free(width);
}

struct page {
	const struct doc_style *style;
	struct buf *out;
};

static void put_block(void *ctx, const struct doc_block *b)
{
	struct page *p = ctx;
	struct buf text = BUF_INIT;
	switch (b->kind) {
	case DOC_HEADING: put_heading(&text, b->level, b->text); break;
	case DOC_TEXT: put_text(&text, b); break;
	case DOC_LIST: put_list(&text, b); break;
	case DOC_TABLE: put_table(&text, p->style->quiet, b); break;
	case DOC_FACTS: put_facts(&text, b); break;
	}
	/* An empty line between blocks, whatever they are: a paragraph has no other end. */
	if (p->out->len && text.len)
		buf_putc(p->out, '\n');
	buf_puts(p->out, buf_text(&text));
	buf_free(&text);
}

static void render(const struct doc *d, const struct doc_style *style, struct buf *out)
{
	struct page p = { .style = style, .out = out };
	if (*d->title && !style->quiet)
		put_heading(out, 1, d->title);
	doc_walk(d, style->quiet, put_block, &p);
}

const struct report_ops report_markdown = {
	.name = "markdown",
	.summary = "GitHub-flavoured, for a merge request, a wiki or a mail",
	.render = render,
};

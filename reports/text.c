#include <assert.h>
#include <stdint.h>

#include "bench/base/mem.h"
#include "reports/formats.h"

static const char *tone_on(enum doc_tone tone)
{
	switch (tone) {
	case DOC_GOOD: return "\x1b[32m";
	case DOC_WARN: return "\x1b[33m";
	case DOC_BAD: return "\x1b[1;31m";
	case DOC_DIM: return "\x1b[2m";
	case DOC_PLAIN: break;
	}
	return "";
}

static void put_toned(struct buf *out, const struct doc_style *style, enum doc_tone tone,
                      const char *text)
{
	bool on = style->color && tone != DOC_PLAIN && *text;
	if (on)
		buf_puts(out, tone_on(tone));
	buf_puts(out, text);
	if (on)
		buf_puts(out, "\x1b[0m");
}

static void put_bold(struct buf *out, const struct doc_style *style, const char *text)
{
	struct buf clean = BUF_INIT;
	doc_clean(text, &clean);
	if (style->color)
		buf_puts(out, "\x1b[1m");
	buf_puts(out, buf_text(&clean));
	buf_puts(out, style->color ? "\x1b[0m\n" : "\n");
	buf_free(&clean);
}

/* Cleaned text, broken at spaces where a terminal's width is known. */
static void put_wrapped(struct buf *out, const struct doc_style *style, enum doc_tone tone,
                        const char *lead, const char *text)
{
	struct buf clean = BUF_INIT, line = BUF_INIT;
	doc_clean(text, &clean);
	size_t indent = doc_width(lead), room = style->width > 0 ? (size_t)style->width : SIZE_MAX;
	buf_puts(out, lead);
	const char *s = buf_text(&clean);
	size_t used = indent;
	while (*s) {
		size_t len = strcspn(s, " "), gap = strspn(s + len, " ");
		char *word = hb_strndup(s, len);
		size_t width = doc_width(word);
		if (line.len && used + 1 + width > room) {
			put_toned(out, style, tone, buf_text(&line));
			buf_putc(out, '\n');
			buf_pad(out, ' ', indent);
			buf_clear(&line);
			used = indent;
		}
		used += width + (line.len > 0);
		if (line.len)
			buf_putc(&line, ' ');
		buf_puts(&line, word);
		free(word);
		s += len + gap;
	}
	put_toned(out, style, tone, buf_text(&line));
	buf_putc(out, '\n');
	buf_free(&clean);
	buf_free(&line);
}

static void put_padded(struct buf *out, const struct doc_style *style, const struct doc_column *col,
                       const struct doc_cell *cell, size_t width, bool last)
{
	size_t pad = width - doc_width(cell->text);
	if (col->align == DOC_RIGHT)
		buf_pad(out, ' ', pad);
	put_toned(out, style, cell->tone, cell->text);
	if (col->align == DOC_LEFT && !last)
		buf_pad(out, ' ', pad);
}

/* One row of the columns that hold anything; empty cells at its end leave no spaces behind. */
static void put_row(struct buf *out, const struct doc_style *style, const struct doc_block *b,
                    const struct doc_cell *row, const size_t *width)
{
	size_t end = b->n_columns;
	while (end > 1 && (!width[end - 1] || !*row[end - 1].text))
		end--;
	for (size_t i = 0; i < end; i++) {
		if (!width[i])
			continue;
		buf_puts(out, "  "); /* the indent, and between columns */
		put_padded(out, style, &b->columns[i], &row[i], width[i], i + 1 == end);
	}
	buf_putc(out, '\n');
}

static void put_table(struct buf *out, const struct doc_style *style, const struct doc_block *b)
{
	size_t n = b->n_columns, rows = b->n_cells / n;
	assert(b->n_cells % n == 0);
	/* Row 0 is the titles. Rows that quiet leaves out stay NULL and have no width. */
	struct doc_cell *cells = hb_alloc((rows + 1) * n * sizeof *cells);
	size_t *width = hb_alloc(n * sizeof *width);
	for (size_t r = rows + 1; r > 0; r--) {
		size_t at = r - 1;
		if (at && style->quiet && !doc_row_loud(b, at - 1))
			continue;
		for (size_t i = 0; i < n; i++) {
			struct doc_cell *c = &cells[at * n + i];
			const struct doc_cell *from = at ? &b->cells[(at - 1) * n + i] : NULL;
			c->tone = from ? from->tone : DOC_DIM;
			c->text = doc_clip(from ? from->text : b->columns[i].title,
			                   i + 1 == n ? DOC_LAST_MAX : DOC_CELL_MAX);
			size_t w = doc_width(c->text);
			/* The titles come last: a column without a cell in it is not shown. */
			if (w > width[i] && (at || width[i]))
				width[i] = w;
		}
	}
	for (size_t r = 0; r <= rows; r++)
		if (cells[r * n].text)
			put_row(out, style, b, &cells[r * n], width);
	for (size_t i = 0; i < (rows + 1) * n; i++)
		free(cells[i].text);
	free(cells);
	free(width);
}

static void put_facts(struct buf *out, const struct doc_style *style, const struct doc_block *b)
{
	size_t width = 0;
	for (size_t i = 0; i < b->n_items; i += 2) {
		char *name = doc_clip(b->items[i], DOC_CELL_MAX);
		size_t w = doc_width(name);
		width = w > width ? w : width;
		free(name);
	}
	for (size_t i = 0; i + 1 < b->n_items; i += 2) {
		struct buf lead = BUF_INIT;
		char *name = doc_clip(b->items[i], DOC_CELL_MAX);
		buf_printf(&lead, "  %s", name);
		size_t w = doc_width(name);
		buf_pad(&lead, ' ', (w < width ? width - w : 0) + 2);
		put_wrapped(out, style, DOC_PLAIN, buf_text(&lead), b->items[i + 1]);
		free(name);
		buf_free(&lead);
	}
}

static void put_block(struct buf *out, const struct doc_style *style, const struct doc_block *b)
{
	switch (b->kind) {
	case DOC_HEADING: put_bold(out, style, b->text); break;
	case DOC_TEXT: put_wrapped(out, style, b->tone, "", b->text); break;
	case DOC_LIST:
		for (size_t i = 0; i < b->n_items; i++)
			put_wrapped(out, style, DOC_PLAIN, b->below[i] ? "      " : "  - ",
			            b->items[i]);
		break;
	case DOC_TABLE: put_table(out, style, b); break;
	case DOC_FACTS: put_facts(out, style, b); break;
	}
}

struct page {
	const struct doc_style *style;
	struct buf *out;
	const struct doc_block *before;
};

static void put_next(void *ctx, const struct doc_block *b)
{
	struct page *p = ctx;
	/* An empty line before headings, and between a table and what has no heading. */
	bool apart = b->kind == DOC_HEADING ||
	             (p->before && p->before->kind != DOC_HEADING &&
	              (b->kind == DOC_TABLE || p->before->kind == DOC_TABLE));
	if (apart && p->out->len)
		buf_putc(p->out, '\n');
	put_block(p->out, p->style, b);
	p->before = b;
}

static void render(const struct doc *d, const struct doc_style *style, struct buf *out)
{
	struct page p = { .style = style, .out = out };
	if (*d->title && !style->quiet)
		put_bold(out, style, d->title);
	doc_walk(d, style->quiet, put_next, &p);
}

const struct report_ops report_text = {
	.name = "text",
	.summary = "for people, on a terminal or in a mail",
	.render = render,
};

#include "reports/doc.h"

#include <assert.h>
#include <stdarg.h>

#include "bench/base/mem.h"

static char *format(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
static char *format(const char *fmt, va_list ap)
{
	char *text = NULL;
	return vasprintf(&text, fmt, ap) < 0 ? hb_strdup("") : text;
}

struct doc *doc_new(const char *title)
{
	struct doc *d = hb_alloc(sizeof *d);
	d->title = hb_strdup(title);
	return d;
}

static void block_free(struct doc_block *b)
{
	for (size_t i = 0; i < b->n_items; i++)
		free(b->items[i]);
	for (size_t i = 0; i < b->n_columns; i++)
		free(b->columns[i].title);
	for (size_t i = 0; i < b->n_cells; i++)
		free(b->cells[i].text);
	free(b->items);
	free(b->below);
	free(b->columns);
	free(b->cells);
	free(b->text);
}

void doc_free(struct doc *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_blocks; i++)
		block_free(&d->blocks[i]);
	free(d->blocks);
	free(d->title);
	free(d->ctx);
	js_put(d->data);
	free(d);
}

static struct doc_block *block_new(struct doc *d, enum doc_kind kind)
{
	hb_grow(&d->blocks, &d->cap_blocks, d->n_blocks + 1, sizeof *d->blocks);
	struct doc_block *b = &d->blocks[d->n_blocks++];
	*b = (struct doc_block){ .kind = kind };
	return b;
}

/* The last block if it is of this kind: list items and facts join what stands before them. */
static struct doc_block *block_join(struct doc *d, enum doc_kind kind)
{
	struct doc_block *last = d->n_blocks ? &d->blocks[d->n_blocks - 1] : NULL;
	return last && last->kind == kind ? last : block_new(d, kind);
}

static void add_item(struct doc_block *b, char *text, bool below)
{
	b->items = hb_realloc_array(b->items, b->n_items + 1, sizeof *b->items);
	b->below = hb_realloc_array(b->below, b->n_items + 1, sizeof *b->below);
	b->below[b->n_items] = below;
	b->items[b->n_items++] = text;
}

void doc_heading(struct doc *d, int level, const char *fmt, ...)
{
	struct doc_block *b = block_new(d, DOC_HEADING);
	b->level = level;
	va_list ap;
	va_start(ap, fmt);
	b->text = format(fmt, ap);
	va_end(ap);
}

void doc_text(struct doc *d, enum doc_tone tone, const char *fmt, ...)
{
	struct doc_block *b = block_new(d, DOC_TEXT);
	b->tone = tone;
	va_list ap;
	va_start(ap, fmt);
	b->text = format(fmt, ap);
	va_end(ap);
}

void doc_list_item(struct doc *d, const char *fmt, ...)
{
	struct doc_block *b = block_join(d, DOC_LIST);
	va_list ap;
	va_start(ap, fmt);
	add_item(b, format(fmt, ap), false);
	va_end(ap);
}

void doc_list_below(struct doc *d, const char *fmt, ...)
{
	struct doc_block *b = block_join(d, DOC_LIST);
	va_list ap;
	va_start(ap, fmt);
	add_item(b, format(fmt, ap), true);
	va_end(ap);
}

void doc_fact(struct doc *d, const char *name, const char *fmt, ...)
{
	struct doc_block *b = block_join(d, DOC_FACTS);
	add_item(b, hb_strdup(name), false);
	va_list ap;
	va_start(ap, fmt);
	add_item(b, format(fmt, ap), false);
	va_end(ap);
}

void doc_table(struct doc *d, const char *const *titles)
{
	struct doc_block *b = block_new(d, DOC_TABLE);
	size_t n = 0;
	while (titles[n])
		n++;
	assert(n > 0);
	b->columns = hb_realloc_array(NULL, n, sizeof *b->columns);
	b->n_columns = n;
	for (size_t i = 0; i < n; i++) {
		bool right = titles[i][0] == '>';
		b->columns[i].align = right ? DOC_RIGHT : DOC_LEFT;
		b->columns[i].title = hb_strdup(titles[i] + (right ? 1 : 0));
	}
}

void doc_cell(struct doc *d, enum doc_tone tone, const char *fmt, ...)
{
	assert(d->n_blocks && d->blocks[d->n_blocks - 1].kind == DOC_TABLE);
	struct doc_block *b = &d->blocks[d->n_blocks - 1];
	hb_grow(&b->cells, &b->cap_cells, b->n_cells + 1, sizeof *b->cells);
	struct doc_cell *c = &b->cells[b->n_cells++];
	c->tone = tone;
	va_list ap;
	va_start(ap, fmt);
	c->text = format(fmt, ap);
	va_end(ap);
}

bool doc_row_loud(const struct doc_block *b, size_t row)
{
	for (size_t i = 0; i < b->n_columns; i++) {
		enum doc_tone tone = b->cells[row * b->n_columns + i].tone;
		if (tone == DOC_WARN || tone == DOC_BAD)
			return true;
	}
	return false;
}

static bool block_loud(const struct doc_block *b)
{
	if (b->kind == DOC_TEXT)
		return b->tone == DOC_WARN || b->tone == DOC_BAD;
	if (b->kind != DOC_TABLE)
		return false;
	for (size_t r = 0; r < b->n_cells / b->n_columns; r++)
		if (doc_row_loud(b, r))
			return true;
	return false;
}

void doc_walk(const struct doc *d, bool quiet, void (*put)(void *ctx, const struct doc_block *b),
              void *ctx)
{
	const struct doc_block *heading = NULL;
	for (size_t i = 0; i < d->n_blocks; i++) {
		const struct doc_block *b = &d->blocks[i];
		if (b->kind == DOC_HEADING)
			heading = b;
		if (quiet && !block_loud(b))
			continue;
		/* Also where little is printed a table has a name. */
		if (quiet && b->kind == DOC_TABLE && heading) {
			put(ctx, heading);
			heading = NULL;
		}
		put(ctx, b);
	}
}

/*
 * A neutral document: headings, paragraphs, tables. Whoever fills it (harness/report/ and the
 * commands that print) knows benchmarks and verdicts; a renderer knows neither. One file a format.
 */
#ifndef HPCBENCH_REPORTS_DOC_H
#define HPCBENCH_REPORTS_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"

enum doc_kind { DOC_HEADING, DOC_TEXT, DOC_LIST, DOC_TABLE, DOC_FACTS };
enum doc_align { DOC_LEFT, DOC_RIGHT };
enum doc_tone { DOC_PLAIN, DOC_GOOD, DOC_WARN, DOC_BAD, DOC_DIM };

struct doc_cell {
	char *text;
	enum doc_tone tone;
};

struct doc_column {
	char *title;
	enum doc_align align;
};

struct doc_block {
	enum doc_kind kind;
	int level; /* HEADING */
	enum doc_tone tone;
	char *text; /* HEADING, TEXT */
	char **items;
	bool *below;    /* of each item of a LIST: it belongs to the one before */
	size_t n_items; /* LIST; FACTS: name, value, name, value ... */
	struct doc_column *columns;
	size_t n_columns; /* TABLE */
	struct doc_cell *cells;
	size_t n_cells, cap_cells; /* TABLE, row by row */
};

struct doc {
	char *title;
	json_object
	        *data; /* the machine-readable truth behind the document: what json prints; owned */
	/*
	 * Optional: adds the large parts of data, called only by a renderer that prints data; text
	 * does not pay for them. What ctx points to must live as long as the document; ctx itself
	 * is freed with it.
	 */
	void (*fill)(json_object *data, const void *ctx);
	void *ctx;
	struct doc_block *blocks;
	size_t n_blocks, cap_blocks;
};

struct doc *doc_new(const char *title); /* may be "": a document without a title line */
void doc_free(struct doc *d);
void doc_heading(struct doc *d, int level, const char *fmt, ...) HB_PRINTF(3, 4);
void doc_text(struct doc *d, enum doc_tone tone, const char *fmt, ...) HB_PRINTF(3, 4);
void doc_list_item(struct doc *d, const char *fmt, ...) HB_PRINTF(2, 3); /* joins the list before */
/* A line below the last item of that list. */
void doc_list_below(struct doc *d, const char *fmt, ...) HB_PRINTF(2, 3);
void doc_fact(struct doc *d, const char *name, const char *fmt, ...) HB_PRINTF(3, 4);
/* titles: NULL-terminated; a title that begins with '>' is right-aligned. */
void doc_table(struct doc *d, const char *const *titles);
/* The next cell of the table that was begun last, row by row. */
void doc_cell(struct doc *d, enum doc_tone tone, const char *fmt, ...) HB_PRINTF(3, 4);

struct doc_style {
	bool color;
	int width;  /* of a terminal; 0: unlimited */
	bool quiet; /* only blocks and table rows with a tone of WARN or BAD */
};

struct report_ops {
	const char *name, *summary;
	void (*render)(const struct doc *d, const struct doc_style *style, struct buf *out);
};
extern const struct report_ops *const report_formats[]; /* NULL-terminated */
const struct report_ops *report_find(const char *name);

/*
 * Appends text so that no terminal can be driven by it: control characters, broken UTF-8, marks
 * that turn the direction of writing and characters that cannot be seen are spelled out ("\x1b",
 * "\u{202e}"). Names, reasons and labels come from outside; error lines use this too.
 */
void doc_clean(const char *text, struct buf *out);
/* Columns that cleaned text takes on a terminal. */
size_t doc_width(const char *text);

/* For renderers. Columns of a table's cell, and of the last cell of its row, before it is cut. */
enum { DOC_CELL_MAX = 64, DOC_LAST_MAX = 200 };
/* Cleaned text of at most max columns (at least 3); what was cut ends with "...". Caller frees. */
char *doc_clip(const char *text, size_t max);
/* Whether a row of a TABLE has a cell with a tone of WARN or BAD. */
bool doc_row_loud(const struct doc_block *b, size_t row);
/*
 * Calls put with each block to print, in order. quiet: only the blocks that doc_style.quiet lets
 * through, a table with the heading before it; its rows are the renderer's to leave out.
 */
void doc_walk(const struct doc *d, bool quiet, void (*put)(void *ctx, const struct doc_block *b),
              void *ctx);

#endif

/* Option tables as help, roff and JSON description. */
#include <string.h>

#include "bench/base/opt_row.h"

enum { ROFF_COLUMNS = 60 };

static const char *type_name(enum opt_type type)
{
	switch (type) {
	case OPT_FLAG: return "flag";
	case OPT_INT: return "int";
	case OPT_U64: return "u64";
	case OPT_BYTES: return "bytes";
	case OPT_SECONDS: return "seconds";
	case OPT_RATIO: return "ratio";
	case OPT_STRING: return "string";
	case OPT_STRINGS: return "strings";
	case OPT_ENUM: return "enum";
	case OPT_SET: return "set";
	case OPT_SIZES: return "sizes";
	case OPT_GROUP:
	case OPT_END:
	default: return "";
	}
}

static const char *arg_name(const struct opt *row)
{
	return row->arg ? row->arg : "VALUE";
}

static bool is_on(const struct opt *row)
{
	return row->type == OPT_FLAG && row->dflt && strcmp(row->dflt, "1") == 0;
}

static bool has_choices(const struct opt *row)
{
	return (row->type == OPT_ENUM || row->type == OPT_SET) && row->choices;
}

static bool is_shown(const struct opt *row)
{
	return !(row->flags & OPT_HIDDEN);
}

/* The help sentence with what is allowed and the default behind it. */
static void put_sentence(const struct opt *row, struct buf *out)
{
	struct buf notes = BUF_INIT;
	buf_puts(out, row->help ? row->help : "");
	if (has_choices(row)) {
		buf_puts(&notes, row->type == OPT_SET ? "all, or any of " : "one of ");
		opt_row_choices(row, ", ", &notes);
	} else if (opt_row_limited(row)) {
		opt_row_limits(row, &notes);
	}
	if (row->dflt && *row->dflt && (row->type != OPT_FLAG || is_on(row)))
		buf_printf(&notes, "%sdefault %s", notes.len ? "; " : "",
		           row->type == OPT_FLAG ? "on" : row->dflt);
	if (notes.len)
		buf_printf(out, "%s(%s)", out->len ? " " : "", buf_text(&notes));
	buf_free(&notes);
}

/* ---- help ---- */

static void put_left(const struct opt *row, struct buf *out)
{
	if (row->letter)
		buf_printf(out, "  -%c, ", row->letter);
	else
		buf_puts(out, "      ");
	buf_printf(out, "--%s%s", is_on(row) ? "[no-]" : "", row->name);
	if (row->type != OPT_FLAG)
		buf_printf(out, "=%s", arg_name(row));
}

/* Writes text from column at on (where the line now stands), wrapped at width. */
static void put_wrapped(struct buf *out, const char *text, size_t at, size_t width)
{
	size_t column = at;
	for (const char *p = text; *p;) {
		size_t gap = strspn(p, " \n"), word = strcspn(p + gap, " \n");
		p += gap;
		if (!word)
			break;
		if (column > at && column + 1 + word > width) {
			buf_putc(out, '\n');
			buf_pad(out, ' ', at);
			column = at;
		} else if (column > at) {
			buf_putc(out, ' ');
			column++;
		}
		buf_add(out, p, word);
		column += word;
		p += word;
	}
	buf_putc(out, '\n');
}

/* Where the sentences begin: behind the widest option, but not beyond two fifths of the line. */
static size_t sentence_column(const struct opt *opts, size_t width)
{
	size_t widest = 0;
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		struct buf left = BUF_INIT;
		if (row->type == OPT_GROUP || !is_shown(row))
			continue;
		put_left(row, &left);
		if (left.len > widest && left.len + 2 <= width * 2 / 5)
			widest = left.len;
		buf_free(&left);
	}
	return widest + 2;
}

void opt_help(const struct opt *opts, int width, struct buf *out)
{
	size_t columns = width < 40 ? 40 : (size_t)width;
	size_t at = sentence_column(opts, columns);
	bool first = true;
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		struct buf left = BUF_INIT, sentence = BUF_INIT;
		if (!is_shown(row))
			continue;
		if (row->type == OPT_GROUP) {
			buf_printf(out, "%s%s:\n", first ? "" : "\n", row->help);
			first = false;
			continue;
		}
		first = false;
		put_left(row, &left);
		put_sentence(row, &sentence);
		buf_puts(out, buf_text(&left));
		if (left.len + 2 > at) {
			buf_putc(out, '\n');
			buf_pad(out, ' ', at);
		} else {
			buf_pad(out, ' ', at - left.len);
		}
		put_wrapped(out, buf_text(&sentence), at, columns);
		buf_free(&left);
		buf_free(&sentence);
	}
}

/* ---- roff ---- */

/* Where the line that is being written stands. */
static size_t roff_column(const struct buf *out)
{
	size_t n = 0;
	while (n < out->len && out->data[out->len - 1 - n] != '\n')
		n++;
	return n;
}

/* Breaks at the next space beyond ROFF_COLUMNS; begins says that the text starts a line. */
static void put_roff(struct buf *out, const char *text, bool begins)
{
	for (const char *p = text; *p; p++) {
		if (begins && (*p == '.' || *p == '\''))
			buf_puts(out, "\\&");
		begins = false;
		switch (*p) {
		case '\\': buf_puts(out, "\\e"); break;
		case '-': buf_puts(out, "\\-"); break;
		case '"': buf_puts(out, "\\(dq"); break;
		case '\'': buf_puts(out, "\\(aq"); break;
		case '`': buf_puts(out, "\\(ga"); break;
		case '^': buf_puts(out, "\\(ha"); break;
		case '~': buf_puts(out, "\\(ti"); break;
		case ' ':
		case '\n':
			begins = roff_column(out) >= ROFF_COLUMNS;
			buf_putc(out, begins ? '\n' : ' ');
			break;
		default: buf_putc(out, *p); break;
		}
	}
}

void opt_roff_text(const char *text, struct buf *out)
{
	put_roff(out, text, out->len == 0 || out->data[out->len - 1] == '\n');
}

static void put_roff_bold(struct buf *out, const char *before, const char *text)
{
	buf_puts(out, "\\fB");
	put_roff(out, before, false);
	put_roff(out, text, false);
	buf_puts(out, "\\fR");
}

static void put_roff_choices(struct buf *out, const struct opt *row)
{
	bool any = false;
	for (const struct opt_choice *c = row->choices; c->name; c++)
		any = any || (c->help && !(c->flags & OPT_REFUSED));
	if (!any)
		return;
	buf_puts(out, ".RS\n");
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		if (c->flags & OPT_REFUSED)
			continue;
		buf_puts(out, ".TP\n");
		put_roff_bold(out, "", c->name);
		buf_putc(out, '\n');
		put_roff(out, c->help ? c->help : "", true);
		buf_putc(out, '\n');
	}
	buf_puts(out, ".RE\n");
}

static void put_roff_row(struct buf *out, const struct opt *row)
{
	char letter[] = { row->letter, '\0' };
	struct buf sentence = BUF_INIT;
	buf_puts(out, ".TP\n");
	if (row->letter) {
		put_roff_bold(out, "-", letter);
		buf_puts(out, ", ");
	}
	put_roff_bold(out, is_on(row) ? "--[no-]" : "--", row->name);
	if (row->type != OPT_FLAG) {
		buf_puts(out, "=\\fI");
		put_roff(out, arg_name(row), false);
		buf_puts(out, "\\fR");
	}
	buf_putc(out, '\n');
	put_sentence(row, &sentence);
	put_roff(out, buf_text(&sentence), true);
	buf_putc(out, '\n');
	buf_free(&sentence);
	if (has_choices(row))
		put_roff_choices(out, row);
}

void opt_roff(const struct opt *opts, struct buf *out)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		if (!is_shown(row))
			continue;
		if (row->type != OPT_GROUP) {
			put_roff_row(out, row);
			continue;
		}
		buf_puts(out, ".SS ");
		put_roff(out, row->help, false);
		buf_putc(out, '\n');
	}
}

/* ---- description ---- */

static json_object *describe_choices(const struct opt *row)
{
	json_object *array = json_object_new_array();
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		json_object *o = json_object_new_object();
		js_set_str(o, "name", c->name);
		js_set_str(o, "help", c->help);
		js_set_bool(o, "available", !(c->flags & OPT_REFUSED));
		json_object_array_add(array, o);
	}
	return array;
}

json_object *opt_describe(const struct opt *opts)
{
	json_object *array = json_object_new_array();
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		if (row->type == OPT_GROUP || !is_shown(row))
			continue;
		json_object *o = json_object_new_object();
		js_set_str(o, "name", row->name);
		js_set_str(o, "type", type_name(row->type));
		js_set_str(o, "default", row->dflt);
		js_set_str(o, "help", row->help);
		js_set_bool(o, "key", (row->flags & OPT_KEY) != 0);
		js_set_bool(o, "axis", (row->flags & OPT_AXIS) != 0);
		if (opt_row_limited(row)) {
			js_set_f64(o, "min", row->min);
			js_set_f64(o, "max", row->max);
		}
		if (has_choices(row))
			js_set_obj(o, "choices", describe_choices(row));
		json_object_array_add(array, o);
	}
	return array;
}

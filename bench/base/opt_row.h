/* What the files behind opt.h share: one row at a time. Nobody else includes this. */
#ifndef HPCBENCH_BASE_OPT_ROW_H
#define HPCBENCH_BASE_OPT_ROW_H

#include <stdbool.h>

#include "bench/base/opt.h"

/* The row's value inside its struct; which one is right follows from the type. */
union opt_value {
	void *any;
	int *i;                      /* FLAG, INT, ENUM */
	uint64_t *u;                 /* U64, BYTES, SET */
	double *d;                   /* SECONDS, RATIO */
	char **text;                 /* STRING, SIZES */
	struct opt_strings *strings; /* STRINGS */
};
union opt_value opt_row_value(const struct opt *row, void *base);
/* The same to read from: the caller writes nothing through it. */
union opt_value opt_row_look(const struct opt *row, const void *base);

static inline bool opt_row_is_option(const struct opt *row)
{
	return row->type != OPT_END && row->type != OPT_GROUP;
}

/* NULL: no such row. */
const struct opt *opt_row_find(const struct opt *opts, const char *name);
/* The nearest name that is not hidden, or NULL. */
const char *opt_row_nearest(const struct opt *opts, const char *name);

/*
 * Sets a row from text; OPT_STRINGS adds one. HB_E_FORMAT with what is wrong, without name and
 * value, which the caller puts in front; HB_E_USAGE with a whole sentence for a choice that this
 * version refuses.
 */
int opt_row_set(const struct opt *row, void *base, const char *text, struct hb_err *err);

/* Adds one text to a row of type OPT_STRINGS. */
void opt_row_add_string(union opt_value v, const char *text);

void opt_row_free(const struct opt *row, void *base);

/* Whether the row has limits, and their text: "1 to 64". */
bool opt_row_limited(const struct opt *row);
void opt_row_limits(const struct opt *row, struct buf *out);
/* The available choices: "a, b or c", with last = " or ". */
void opt_row_choices(const struct opt *row, const char *last, struct buf *out);

#endif

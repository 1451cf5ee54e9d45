/*
 * Option tables. One row serves parsing, defaults, help, roff, completion, JSON and the comparison
 * key, so nothing about an option is written twice. Values live in a plain struct at each row's
 * offset; a table ends with OPT_END.
 */
#ifndef HPCBENCH_BASE_OPT_H
#define HPCBENCH_BASE_OPT_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/json.h"
#include "bench/base/units.h"

enum opt_type {
	OPT_END,
	OPT_GROUP,   /* a heading in the help: help has its text */
	OPT_FLAG,    /* int, 0 or 1; --no-NAME clears it */
	OPT_INT,     /* int, within [min, max] */
	OPT_U64,     /* uint64_t, within [min, max] where max > 0 */
	OPT_BYTES,   /* uint64_t, units_parse_bytes */
	OPT_SECONDS, /* double, units_parse_seconds */
	OPT_RATIO,   /* double, units_parse_ratio */
	OPT_STRING,  /* char *, owned by the struct */
	OPT_STRINGS, /* struct opt_strings, may be repeated, owned */
	OPT_ENUM,    /* int, one of choices */
	OPT_SET,     /* uint64_t mask over choices' values: a comma list or "all" */
	OPT_SIZES    /* char *, owned: the text; checked with units_parse_sizes */
};

enum opt_flags {
	OPT_KEY = 1,     /* part of the comparison key */
	OPT_AXIS = 2,    /* OPT_SET: a benchmark runs a case per chosen value */
	OPT_HIDDEN = 4,  /* not in the help */
	OPT_REFUSED = 8, /* in a choice: known, but not in this version: HB_E_USAGE */
	OPT_LATER = 16   /* with OPT_KEY: came later than keys that are stored, its default is what
	                  * their silence means, so keys leave it out */
};

struct opt_choice {
	const char *name; /* NULL ends the list */
	int value;        /* below 63 where used with OPT_SET */
	unsigned flags;   /* OPT_REFUSED */
	const char *help;
};

struct opt_strings {
	char **v;
	size_t n;
};

struct opt {
	enum opt_type type;
	char letter;      /* 0: none */
	const char *name; /* without dashes; JSON uses the same name */
	const char *arg;  /* placeholder in the help, NULL for flags */
	const char *help;
	const char *dflt; /* as text, parsed like input; NULL: zero */
	size_t offset;
	double min, max;
	const struct opt_choice *choices;
	unsigned flags;
};

/* Sets every row's default. dst must be zeroed or freed before. A bad default is a bug: asserts. */
void opt_defaults(const struct opt *opts, void *dst);

/* Frees owned strings and clears them. */
void opt_free(const struct opt *opts, void *dst);

/* Deep copy of the rows' values; dst must be zeroed or freed before. */
void opt_copy(const struct opt *opts, const void *src, void *dst);

/*
 * Parses "--name=value", "--name value", "-l value", "--no-name", up to "--". --no-name clears a
 * flag and gives anything else its default back; a flag called no-name is cleared by --name. Words
 * are taken out of argv (argv[0] stays); what remains are positional arguments and, if unknown is
 * not NULL, unknown options are left too and counted there (else an unknown option is HB_E_USAGE
 * with the nearest known name). Values are set over what dst holds: call opt_defaults first.
 */
int opt_parse(const struct opt *opts, void *dst, int *argc, const char **argv, int *unknown,
              struct hb_err *err);

/* Sets one option from text. HB_E_USAGE with name, value and what is allowed. */
int opt_set(const struct opt *opts, void *dst, const char *name, const char *text,
            struct hb_err *err);

/*
 * Reads values from a JSON object: numbers, booleans, or text as on the command line (sets: array
 * of names or text). Unknown keys are HB_E_FORMAT naming the nearest known one.
 */
int opt_from_json(const struct opt *opts, void *dst, json_object *o, const struct js_at *at,
                  struct hb_err *err);

/*
 * The rows that have all bits of flags (0: every row) as a new JSON object in canonical form:
 * integers for numbers and bytes, names for enums, a one-element set as its name, longer sets as
 * an array of names, ratios and seconds as numbers. OPT_SIZES and hidden rows are left out when
 * flags has OPT_KEY.
 */
json_object *opt_to_json(const struct opt *opts, const void *src, unsigned flags);

/* Help text, one row a line, wrapped at width columns. */
void opt_help(const struct opt *opts, int width, struct buf *out);
/* The rows as a roff OPTIONS section body. */
void opt_roff(const struct opt *opts, struct buf *out);
/* Any text, so that nothing in it is a request or an escape to roff. */
void opt_roff_text(const char *text, struct buf *out);
/* The rows as a JSON array (name, type, default, help, key, choices), for --describe. */
json_object *opt_describe(const struct opt *opts);

#endif

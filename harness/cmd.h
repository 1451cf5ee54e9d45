/*
 * The command line: one row a command, one file a command. A command gets its own options parsed
 * over its table and the common ones; it returns an exit code (verdict.h) and puts errors on
 * standard error as one line "hpcbench: ...".
 */
#ifndef HPCBENCH_HARNESS_CMD_H
#define HPCBENCH_HARNESS_CMD_H

#include "bench/base/opt.h"
#include "harness/store.h"
#include "harness/verdict.h"
#include "reports/doc.h"

#define HPCBENCH_VERSION "0.1.0"

/* --store --json --quiet --verbose --color, accepted before and after the command's name. */
struct common {
	char *store;
	int json, quiet, verbose;
	int color; /* enum: auto, always, never */
};
extern const struct opt common_opts[];

struct command {
	const char *name;
	const char *usage;      /* behind the name: "OLD NEW [options]" */
	const char *summary;    /* one line */
	const char *text;       /* a paragraph for the help and the man page, or NULL */
	const struct opt *opts; /* NULL: none of its own */
	size_t opts_size;
	/* argv: positional arguments only. */
	int (*run)(const struct common *common, const void *opts, int argc, const char **argv);
};
extern const struct command *const commands[]; /* NULL-terminated, in the order of the help */

/* One line on standard error: "hpcbench COMMAND: text". Returns the exit code for err's status. */
int cmd_error(const char *command, const struct hb_err *err);
int cmd_error_text(const char *command, int code, const char *fmt, ...) HB_PRINTF(3, 4);
/* Prints a document as text, or as JSON with --json; respects --quiet (then only tones WARN, BAD).
 */
int cmd_print(const struct common *common, const struct doc *d);
bool cmd_color(const struct common *common);

#endif

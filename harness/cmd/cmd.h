/*
 * The command line: one row a command, one file a command. A command gets its own options parsed
 * over its table and the common ones; it returns an exit code (verdict.h) and puts errors on
 * standard error as one line "hpcbench COMMAND: ...".
 */
#ifndef HPCBENCH_HARNESS_CMD_H
#define HPCBENCH_HARNESS_CMD_H

#include "bench/base/opt.h"
#include "harness/config/config.h"
#include "harness/judge/verdict.h"
#include "harness/store/store.h"
#include "reports/doc.h"

enum cmd_color_when { CMD_COLOR_AUTO, CMD_COLOR_ALWAYS, CMD_COLOR_NEVER };

/* --store --json --quiet --verbose --color, accepted before and after the command's name. */
struct common {
	char *store;
	int json, quiet, verbose;
	int color;                   /* enum cmd_color_when */
	const char *const *words;    /* the command line as it was given; NULL-terminated */
	const struct config *config; /* what was read; never NULL while a command runs */
};
extern const struct opt common_opts[];

struct command {
	const char *name;
	const char *usage;      /* behind the name: "OLD NEW [options]" */
	const char *summary;    /* one line */
	const char *text;       /* a paragraph for the help and the man page, or NULL */
	const struct opt *opts; /* NULL: none of its own; letters h, q and v are taken */
	size_t opts_size;
	bool by_hand; /* its own options come from the command line alone: it changes what is kept
	               */
	const char *like; /* its own options are configured as this command's; NULL: as itself */
	bool plain;       /* answers also where the configuration is wrong: it needs none */
	/* The partition whose options of the configuration count, given the options; NULL: the
	 * command knows none. Borrowed from own or the environment. */
	const char *(*partition)(const void *own);
	/* argv: positional arguments only, from argv[0] on. */
	int (*run)(const struct common *common, const void *opts, int argc, const char **argv);
};
extern const struct command *const commands[]; /* NULL-terminated, in the order of the help */

/*
 * The whole of main: finds the command, parses its options and the common ones, runs it, and sees
 * that what it printed has arrived: a full disk behind standard output is CODE_BROKEN, a reader
 * that went away (a pager that was left) changes nothing. argv is not changed.
 */
int cmd_main(int argc, char *const *argv);

/* One line on standard error: "hpcbench COMMAND: text", made safe for a terminal (doc_clean).
 * Returns the exit code for err's status: CODE_USAGE for HB_E_USAGE, else CODE_BROKEN. command
 * may be NULL. */
int cmd_error(const char *command, const struct hb_err *err);
int cmd_error_text(const char *command, int code, const char *fmt, ...) HB_PRINTF(3, 4);
/* Prints a document as text, or as JSON with --json; respects --quiet (then only tones WARN, BAD).
 */
int cmd_print(const struct common *common, const struct doc *d);
/* The same in a named format of report_formats; format NULL: as cmd_print. */
int cmd_print_as(const struct common *common, const struct doc *d, const char *format);
bool cmd_color(const struct common *common);

/* ---- options from the configuration and the command line (cmd_values.c) ---- */

/* The option tables of all commands, the common one first; the caller frees. */
struct config_table *cmd_tables(void);
/* One table of all that may stand on a command's line: its own options from offset own on, then
 * the common ones and extra (may be NULL) at offset 0. The caller frees. */
struct opt *cmd_merge_opts(const struct opt *own, size_t own_at, const struct opt *extra);
/* Reads all files of the configuration; *out is to be freed also after an error. */
int cmd_read_config(struct config *out, struct hb_err *err);
/* The store that is configured, NULL: none; for what runs without parsed options. Caller frees. */
char *cmd_configured_store(void);

/* What a command line is parsed into. */
struct cmd_line {
	const struct command *c; /* NULL: none was named */
	const struct opt *opts;  /* as cmd_merge_opts makes them */
	const struct config *config;
	void *dst; /* size bytes, zeroed, struct common first; the command's own values from own_at
	              on */
	size_t size, own_at;
};
/*
 * Sets line->dst: defaults, then the configuration, then the n words of the command line, of which
 * positional arguments are left. Twice, if words name a partition that has options of its own.
 * wrong: what is wrong with the configuration itself (HB_OK: nothing); dst then has what was right.
 */
int cmd_values(const struct cmd_line *line, int *n, const char **words, struct hb_err *wrong,
               struct hb_err *err);

/* The help of one command as text. */
void cmd_help_text(const struct command *c, struct buf *out);
/*
 * The manual page of a command, or with NULL that of hpcbench, as roff. Two comment lines,
 * @description@ and @sections@, mark where the build puts the prose of scripts/man.
 */
void cmd_help_roff(const struct command *c, struct buf *out);
struct exit_code {
	int code;
	const char *meaning; /* NULL ends the table */
};
extern const struct exit_code cmd_exit_codes[];

/*
 * Prints what the last of the words behind "hpcbench" may become, one a line. Says nothing else
 * and never fails: a shell asks while somebody types.
 */
int cmd_complete(int n, char *const *words);
const struct command *cmd_find(const char *name); /* NULL: unknown */
/* An unknown name as an error line that names the nearest command. Returns CODE_USAGE. */
int cmd_unknown(const char *name);
/* Was --NAME given on the command line itself, not by the configuration? */
bool cmd_said(const struct common *common, const char *name);
/* A new JSON object with schema and kind, as every document's data begins. */
json_object *cmd_json(const char *kind);

#endif

/* The manual pages of section 1, from the same tables as the help. */
#include "harness/cmd/cmd.h"

static const struct {
	const char *name, *meaning;
} environment[] = {
	{ "HPCBENCH_STORE", "the folder of runs and baselines, where --store does not say it" },
	{ "HPCBENCH_EXEC_PATH", "a folder of helper programs, used before libexec/hpcbench" },
	{ "HPCBENCH_DATA_PATH", "a folder of suites and other data, instead of share/hpcbench" },
	{ "HPCBENCH_RULES_PATH", "a folder of rules, instead of share/hpcbench/rules" },
	{ "HPCBENCH_SIM_SEED", "the seed of what a simulated cluster does by chance" },
	{ "XDG_DATA_HOME", "without HPCBENCH_STORE the store is hpcbench in this folder" },
	{ "HOME", "without both the store is .local/share/hpcbench in this folder" },
	{ "TMPDIR", "where programs that are started keep short-lived files" },
	{ "XDG_CONFIG_HOME", "the user's configuration is hpcbench/hpcbench.json in this folder" },
	{ "NO_COLOR", "if not empty, text is coloured only on request (--color)" },
	{ "TERM", "dumb: as NO_COLOR" },
	{ "SLURM_JOB_ID, SLURM_JOB_NODELIST and others",
	  "the Slurm job one is in; the launcher srun measures its nodes" },
};
enum { N_ENVIRONMENT = sizeof environment / sizeof *environment };

/* Formats are pages of section 5. */
static const char *const formats[] = { "hpcbench-record", "hpcbench-suite", "hpcbench-config",
	                               "hpcbench-baseline" };
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void put_line(struct buf *out, const char *text)
{
	opt_roff_text(text, out);
	buf_putc(out, '\n');
}

static void put_upper(struct buf *out, const char *name)
{
	for (const char *p = name; *p; p++)
		buf_putc(out, (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p));
}

/* A term in bold and what it means. */
static void put_term(struct buf *out, const char *term, const char *meaning)
{
	buf_puts(out, ".TP\n\\fB");
	opt_roff_text(term, out);
	buf_puts(out, "\\fR\n");
	put_line(out, meaning);
}

static void put_head(struct buf *out, const struct command *c)
{
	buf_puts(out, ".TH HPCBENCH");
	if (c) {
		buf_puts(out, "\\-");
		put_upper(out, c->name);
	}
	buf_puts(out, " 1 \"\" \"hpcbench " HPCBENCH_VERSION "\" \"hpcbench\"\n.SH NAME\nhpcbench");
	if (c) {
		buf_puts(out, "\\-");
		opt_roff_text(c->name, out);
	}
	buf_puts(out, " \\- ");
	put_line(out, c ? c->summary
	                : "find what makes a cluster's interconnect slow: node, link or setting");
}

static void put_synopsis(struct buf *out, const struct command *c)
{
	buf_puts(out, ".SH SYNOPSIS\n.B hpcbench");
	if (c) {
		buf_putc(out, ' ');
		opt_roff_text(c->name, out);
	}
	buf_putc(out, '\n');
	put_line(out, c ? c->usage : "COMMAND [options]");
}

static void put_commands(struct buf *out)
{
	buf_puts(out, ".SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++) {
		buf_puts(out, ".TP\n.BR hpcbench\\-");
		opt_roff_text(commands[i]->name, out);
		buf_puts(out, " (1)\n");
		put_line(out, commands[i]->summary);
	}
}

static void put_options(struct buf *out, const struct command *c)
{
	buf_puts(out, ".SH OPTIONS\n");
	if (!c) {
		opt_roff(common_opts, out);
		return;
	}
	if (c->opts)
		opt_roff(c->opts, out);
	buf_puts(out, c->opts ? ".PP\nOptions of every command (" : "Options of every command (");
	for (const struct opt *o = common_opts; o->type != OPT_END; o++) {
		buf_puts(out, o == common_opts ? "\\fB\\-\\-" : ", \\fB\\-\\-");
		opt_roff_text(o->name, out);
		buf_puts(out, "\\fR");
	}
	buf_puts(out, ") are described in\n.BR hpcbench (1).\n");
}

static void put_exit_status(struct buf *out)
{
	char code[16];
	buf_puts(out, ".SH EXIT STATUS\n");
	for (const struct exit_code *e = cmd_exit_codes; e->meaning; e++) {
		(void)snprintf(code, sizeof code, "%d", e->code);
		put_term(out, code, e->meaning);
	}
	put_term(out, "130, 143",
	         "interrupted (Ctrl-C), terminated; what was measured until then is kept");
}

static void put_see_also(struct buf *out, const struct command *c)
{
	buf_puts(out, ".SH SEE ALSO\n");
	if (c)
		buf_puts(out, ".BR hpcbench (1),\n");
	for (size_t i = 0; i < N_FORMATS; i++) {
		buf_puts(out, ".BR ");
		opt_roff_text(formats[i], out);
		buf_puts(out, i + 1 < N_FORMATS ? " (5),\n" : " (5)\n");
	}
}

void cmd_help_roff(const struct command *c, struct buf *out)
{
	put_head(out, c);
	put_synopsis(out, c);
	buf_puts(out, ".SH DESCRIPTION\n");
	if (c && c->text)
		put_line(out, c->text);
	else
		put_line(out, c ? c->summary
		                : "hpcbench measures a cluster's nodes and its interconnect, keeps "
		                  "every run, compares with stored baselines, and says which node, "
		                  "link or setting is slow and how sure that is.");
	buf_puts(out, ".\\\" @description@\n");
	if (!c)
		put_commands(out);
	put_options(out, c);
	put_exit_status(out);
	buf_puts(out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < N_ENVIRONMENT; i++)
		put_term(out, environment[i].name, environment[i].meaning);
	buf_puts(out, ".\\\" @sections@\n");
	put_see_also(out, c);
}

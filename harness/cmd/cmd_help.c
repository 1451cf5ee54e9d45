#include "harness/cmd/cmd.h"

enum { HELP_WIDTH = 80 };

const struct exit_code cmd_exit_codes[] = {
	{ CODE_OK, "nothing wrong" },
	{ CODE_FINDINGS, "findings: something is slower than it should be, or its data are wrong" },
	{ CODE_SUSPECT, "suspect but unconfirmed, or too imprecise to tell" },
	{ CODE_NO_BASELINE, "the baseline asked for is absent or does not match" },
	{ CODE_NOT_MEASURED, "something was not measured" },
	{ CODE_BROKEN, "hpcbench or the launcher failed" },
	{ CODE_USAGE, "the command line is wrong" },
	{ 0, NULL },
};

struct help_opts {
	int roff;
};

static const struct opt help_opts[] = {
	{ OPT_FLAG, 0, "roff", NULL, "print the manual page, for man -l -", NULL,
	  offsetof(struct help_opts, roff), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* Words of a paragraph, broken at HELP_WIDTH columns. */
static void put_paragraph(struct buf *out, const char *text)
{
	size_t column = 0;
	while (*text) {
		size_t len = strcspn(text, " ");
		if (column && column + 1 + len > HELP_WIDTH) {
			buf_putc(out, '\n');
			column = 0;
		}
		if (column)
			buf_putc(out, ' ');
		buf_add(out, text, len);
		column += len + (column > 0);
		text += len + strspn(text + len, " ");
	}
	buf_putc(out, '\n');
}

void cmd_help_text(const struct command *c, struct buf *out)
{
	buf_printf(out, "Usage: hpcbench %s%s%s\n\n%s: %s\n", c->name, *c->usage ? " " : "",
	           c->usage, c->name, c->summary);
	if (c->text) {
		buf_putc(out, '\n');
		put_paragraph(out, c->text);
	}
	if (c->opts) {
		buf_puts(out, "\nOptions:\n");
		opt_help(c->opts, HELP_WIDTH, out);
	}
	buf_puts(out, "\nOptions of every command:\n");
	opt_help(common_opts, HELP_WIDTH, out);
}

static void put_overview(struct buf *out)
{
	buf_puts(out, "hpcbench finds the node, link or setting that makes a cluster's "
	              "interconnect slow.\n\n"
	              "Usage: hpcbench COMMAND [options]\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		buf_printf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
	buf_puts(out, "\nOptions of every command:\n");
	opt_help(common_opts, HELP_WIDTH, out);
	buf_puts(out, "\nExit codes:\n");
	for (const struct exit_code *e = cmd_exit_codes; e->meaning; e++)
		buf_printf(out, "  %-4d %s\n", e->code, e->meaning);
	buf_puts(out, "  130  interrupted (Ctrl-C), 143 terminated; what was measured is kept\n"
	              "\nWhat stops a command is one line on standard error; standard output "
	              "then stays\nempty, also with --json. run still prints what was measured.\n"
	              "\nhpcbench help COMMAND tells more about one of them.\n");
}

static json_object *command_json(const struct command *c)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "name", c->name);
	js_set_str(o, "usage", c->usage);
	js_set_str(o, "summary", c->summary);
	js_set_str(o, "text", c->text);
	js_set_obj(o, "options", c->opts ? opt_describe(c->opts) : json_object_new_array());
	return o;
}

static json_object *help_json(const struct command *c)
{
	json_object *o = cmd_json("help"), *list = json_object_new_array();
	for (size_t i = 0; commands[i]; i++)
		if (!c || c == commands[i])
			json_object_array_add(list, command_json(commands[i]));
	js_set_obj(o, "commands", list);
	js_set_obj(o, "common_options", opt_describe(common_opts));
	return o;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct help_opts *o = opts;
	if (argc > 1)
		return cmd_error_text("help", CODE_USAGE, "takes one command, not %d", argc);
	const struct command *c = argc ? cmd_find(argv[0]) : NULL;
	if (argc && !c)
		return cmd_unknown(argv[0]);
	struct buf out = BUF_INIT;
	if (o && o->roff) {
		cmd_help_roff(c, &out);
	} else if (common->json) {
		json_object *all = help_json(c);
		js_write(all, JS_PRETTY, &out);
		buf_putc(&out, '\n');
		js_put(all);
	} else if (c) {
		cmd_help_text(c, &out);
	} else {
		put_overview(&out);
	}
	(void)fwrite(buf_text(&out), 1, out.len, stdout); /* cmd_main sees whether it arrived */
	buf_free(&out);
	return CODE_OK;
}

const struct command cmd_help = {
	.name = "help",
	.usage = "[COMMAND] [--roff]",
	.summary = "tell what the commands do and which options they take",
	.plain = true,
	.opts = help_opts,
	.opts_size = sizeof(struct help_opts),
	.run = run,
};

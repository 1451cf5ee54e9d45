#include "harness/cmd/cmd.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/base/mem.h"

static const struct opt_choice colors[] = {
	{ "auto", CMD_COLOR_AUTO, 0, "on a terminal, unless NO_COLOR is set" },
	{ "always", CMD_COLOR_ALWAYS, 0, NULL },
	{ "never", CMD_COLOR_NEVER, 0, NULL },
	{ NULL, 0, 0, NULL },
};

#define AT(field) offsetof(struct common, field)
const struct opt common_opts[] = {
	{ OPT_STRING, 0, "store", "DIR",
	  "folder of runs and baselines (else HPCBENCH_STORE, else ~/.local/share/hpcbench)", NULL,
	  AT(store), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "json", NULL, "print JSON instead of text", NULL, AT(json), 0, 0, NULL, 0 },
	{ OPT_FLAG, 'q', "quiet", NULL, "print only what is wrong", NULL, AT(quiet), 0, 0, NULL,
	  0 },
	{ OPT_FLAG, 'v', "verbose", NULL, "say more", NULL, AT(verbose), 0, 0, NULL, 0 },
	{ OPT_ENUM, 0, "color", "WHEN", "colour the text", "auto", AT(color), 0, 0, colors, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* What every command line is parsed into; the command's own options follow in the same block. */
struct globals {
	struct common common;
	int help, version;
	max_align_t own[];
};

static const struct opt help_opts[] = {
	{ OPT_FLAG, 'h', "help", NULL, "print the help of a command", NULL,
	  offsetof(struct globals, help), 0, 0, NULL, OPT_HIDDEN },
	{ OPT_FLAG, 0, "version", NULL, "print the version", NULL,
	  offsetof(struct globals, version), 0, 0, NULL, OPT_HIDDEN },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

const struct command *cmd_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

int cmd_unknown(const char *name)
{
	size_t n = 0;
	while (commands[n])
		n++;
	const char **names = hb_alloc((n + 1) * sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = commands[i]->name;
	const char *near = units_nearest(name, names);
	free(names);
	if (near)
		return cmd_error_text(NULL, CODE_USAGE, "no command \"%s\"; did you mean \"%s\"?",
		                      name, near);
	return cmd_error_text(NULL, CODE_USAGE, "no command \"%s\"; try hpcbench help", name);
}

/* Does this word in front of the command take the next word as its value? */
static bool takes_next(const char *word)
{
	if (strncmp(word, "--", 2) != 0 || strchr(word, '='))
		return false;
	for (const struct opt *o = common_opts; o->type != OPT_END; o++)
		if (strcmp(o->name, word + 2) == 0)
			return o->type != OPT_FLAG;
	return false;
}

/* Index of the command's name in argv; argc if there is none. */
static int command_index(int argc, char *const *argv)
{
	int i = 1;
	while (i < argc && argv[i][0] == '-' && argv[i][1])
		i += takes_next(argv[i]) ? 2 : 1;
	return i < argc ? i : argc;
}

static void print(const struct buf *out)
{
	(void)fwrite(buf_text(out), 1, out->len, stdout);
}

/* Sees that everything printed has arrived. */
static int finish(int code)
{
	int failed = fflush(stdout) != 0 || ferror(stdout);
	int why = errno;
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	if (!failed || (poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0))
		return code;
	return cmd_error_text(NULL, CODE_BROKEN, "cannot write to standard output: %s",
	                      strerror(why));
}

static int run_parsed(const struct command *c, const struct globals *g, int argc, const char **argv)
{
	const struct command *version = cmd_find("version"), *help = cmd_find("help");
	const char *name = c ? c->name : NULL;
	if (g->version && version)
		return version->run(&g->common, NULL, 0, argv);
	if (g->help && help)
		return help->run(&g->common, NULL, c ? 1 : 0, c ? &name : argv);
	if (c)
		return c->run(&g->common, g->own, argc, argv);
	struct buf text = BUF_INIT;
	for (size_t i = 0; commands[i]; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", commands[i]->name);
	int code = cmd_error_text(NULL, CODE_USAGE, "needs a command: %s; try hpcbench help",
	                          buf_text(&text));
	buf_free(&text);
	return code;
}

bool cmd_said(const struct common *common, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *w = common->words; w && *w && strcmp(*w, "--") != 0; w++)
		if (strncmp(*w, "--", 2) == 0 && strncmp(*w + 2, name, len) == 0 &&
		    (!(*w)[2 + len] || (*w)[2 + len] == '='))
			return true;
	return false;
}

/* All files of the configuration; what is wrong with them is told later, if it matters. */
static void read_config(struct config *out, struct hb_err *wrong)
{
	*wrong = (struct hb_err){ .code = HB_OK };
	cmd_read_config(out, wrong);
	if (out->warning)
		cmd_error_text(NULL, CODE_OK, "%s", out->warning);
}

/* n words, the first of them the program's name, without the command's. */
static int main_of(const struct command *c, int n, const char **words)
{
	struct opt *opts = cmd_merge_opts(c ? c->opts : NULL, offsetof(struct globals, own),
	                                  help_opts);
	size_t size = sizeof(struct globals) + (c ? c->opts_size : 0);
	struct globals *g = hb_alloc(size);
	struct config config = { 0 };
	struct hb_err err = { .code = HB_OK }, wrong = { .code = HB_OK };
	const char **given = hb_alloc(((size_t)n + 1) * sizeof *given);
	int code;

	memcpy(given, words, (size_t)n * sizeof *given); /* parsing takes them out */
	if (c && !c->plain)
		read_config(&config, &wrong);
	const struct cmd_line line = { c, opts, &config, g, size, offsetof(struct globals, own) };
	int rc = cmd_values(&line, &n, words, &wrong, &err);
	g->common.config = &config;
	g->common.words = given;
	if (rc != HB_OK)
		code = cmd_error(c ? c->name : NULL, &err);
	else if (wrong.code != HB_OK && !g->help && !g->version)
		code = cmd_error_text(c ? c->name : NULL, CODE_USAGE, "%s", wrong.text);
	else
		code = run_parsed(c, g, n - 1, words + 1);
	opt_free(opts, g);
	free(g);
	free(opts);
	free(given);
	config_free(&config);
	return code;
}

/* Without a command only what stands before the unknown word can be wrong in itself. */
static int unknown_command(const char *name, int n, const char **words)
{
	struct opt *opts = cmd_merge_opts(NULL, 0, help_opts);
	struct globals *g = hb_alloc(sizeof *g);
	struct hb_err err = { .code = HB_OK };
	int rc = opt_parse(opts, g, &n, words, NULL, &err);

	opt_free(opts, g);
	free(g);
	free(opts);
	return rc == HB_OK ? cmd_unknown(name) : cmd_error(NULL, &err);
}

int cmd_main(int argc, char *const *argv)
{
	/* Its words are not ours: they are a command line that is still being typed. */
	if (argc > 1 && strcmp(argv[1], "__complete") == 0)
		return finish(cmd_complete(argc - 2, argv + 2));

	int at = command_index(argc, argv);
	const struct command *c = at < argc ? cmd_find(argv[at]) : NULL;
	const char **words = hb_alloc(((size_t)argc + 2) * sizeof *words);
	int n = 0;
	words[n++] = argc > 0 ? argv[0] : "hpcbench";
	for (int i = 1; i < (c ? argc : at); i++)
		if (i != at)
			words[n++] = argv[i];
	int code = at < argc && !c ? unknown_command(argv[at], n, words) : main_of(c, n, words);
	free(words);
	return finish(code);
}

static void put_error(const char *command, const char *text)
{
	struct buf line = BUF_INIT;
	buf_printf(&line, "hpcbench%s%s: ", command ? " " : "", command ? command : "");
	doc_clean(text, &line);
	buf_putc(&line, '\n');
	(void)fflush(stdout); /* so that both stand in order where they share a file */
	(void)fwrite(line.data, 1, line.len, stderr);
	buf_free(&line);
}

int cmd_error(const char *command, const struct hb_err *err)
{
	put_error(command, err->text);
	return err->code == HB_E_USAGE ? CODE_USAGE : CODE_BROKEN;
}

int cmd_error_text(const char *command, int code, const char *fmt, ...)
{
	struct hb_err err;
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(err.text, sizeof err.text, fmt, ap);
	va_end(ap);
	put_error(command, err.text);
	return code;
}

bool cmd_color(const struct common *common)
{
	if (common->color != CMD_COLOR_AUTO)
		return common->color == CMD_COLOR_ALWAYS;
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(no && *no) && !(term && strcmp(term, "dumb") == 0) && isatty(STDOUT_FILENO);
}

static int terminal_width(void)
{
	struct winsize w;
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		return 0;
	return w.ws_col;
}

int cmd_print_as(const struct common *common, const struct doc *d, const char *format)
{
	const struct report_ops *r = report_find(format ? format : common->json ? "json" : "text");
	struct doc_style style = { .color = cmd_color(common),
		                   .width = terminal_width(),
		                   .quiet = common->quiet };
	struct buf out = BUF_INIT;
	r->render(d, &style, &out);
	print(&out);
	buf_free(&out);
	return HB_OK;
}

int cmd_print(const struct common *common, const struct doc *d)
{
	return cmd_print_as(common, d, NULL);
}

json_object *cmd_json(const char *kind)
{
	json_object *o = json_object_new_object();
	js_set_i64(o, "schema", 1);
	js_set_str(o, "kind", kind);
	return o;
}

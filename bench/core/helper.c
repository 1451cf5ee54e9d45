/* What every helper program answers, and who does the rest. */
#include "bench/core/helper.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/core/control.h"
#include "bench/core/helper_parts.h"

enum { HELP_WIDTH = 80 };

int helper_complain(const struct helper *h, const struct hb_err *err)
{
	fprintf(stderr, "hpcbench-%s: %s\n", h->name, err->text);
	return hb_exit_of(err->code);
}

static int print(const struct buf *text)
{
	return fputs(buf_text(text), stdout) < 0 || fflush(stdout) != 0 ? HB_EXIT_BROKEN
	                                                                : HB_EXIT_OK;
}

int helper_print_json(json_object *o)
{
	struct buf text = BUF_INIT;
	int rc;

	js_write(o, JS_PRETTY, &text);
	if (text.len == 0 || text.data[text.len - 1] != '\n')
		buf_putc(&text, '\n');
	rc = print(&text);
	buf_free(&text);
	js_put(o);
	return rc;
}

static int list_benches(const struct helper *h)
{
	struct buf text = BUF_INIT;
	int rc;

	for (const struct bench_ops *const *ops = h->benches; *ops; ops++)
		buf_printf(&text, "%-20s %s\n", (*ops)->info->name, (*ops)->info->summary);
	rc = print(&text);
	buf_free(&text);
	return rc;
}

static json_object *describe_metrics(const struct bench_info *info)
{
	json_object *arr = json_object_new_array();

	for (const struct metric_info *m = info->metrics; m->name; m++) {
		json_object *o = json_object_new_object();

		js_set_str(o, "name", m->name);
		js_set_str(o, "better", m->higher_is_better ? "higher" : "lower");
		js_set_bool(o, "judged", m->judged);
		json_object_array_add(arr, o);
	}
	return arr;
}

static int describe(const struct helper *h)
{
	json_object *arr = json_object_new_array();

	for (const struct bench_ops *const *ops = h->benches; *ops; ops++) {
		const struct bench_info *info = (*ops)->info;
		json_object *o = json_object_new_object();

		js_set_str(o, "name", info->name);
		js_set_str(o, "summary", info->summary);
		js_set_str(o, "shape", info_shape_name(info->shape));
		js_set_i64(o, "min_ranks", info->min_ranks);
		js_set_i64(o, "max_ranks", info->max_ranks);
		js_set_obj(o, "metrics", describe_metrics(info));
		js_set_obj(o, "options", opt_describe(info->opts));
		json_object_array_add(arr, o);
	}
	return helper_print_json(arr);
}

static int help(const struct helper *h)
{
	struct buf text = BUF_INIT;
	int rc;

	buf_printf(
	        &text,
	        "usage: hpcbench-%s BENCH [options]\n"
	        "       hpcbench-%s --list | --describe | --facts | --hello | --version | "
	        "--help\n\n"
	        "Measures by hand; hpcbench starts it with commands of its own.\n\nBenchmarks:\n",
	        h->name, h->name);
	for (const struct bench_ops *const *ops = h->benches; *ops; ops++)
		buf_printf(&text, "  %-18s %s\n", (*ops)->info->name, (*ops)->info->summary);
	buf_puts(&text, "\nOptions of every benchmark (BENCH --help lists its own):\n");
	opt_help(helper_hand_opts, HELP_WIDTH, &text);
	rc = print(&text);
	buf_free(&text);
	return rc;
}

static int print_version(const struct helper *h)
{
	struct buf text = BUF_INIT;
	int rc;

	buf_printf(&text, "hpcbench-%s %s\n", h->name, HPCBENCH_VERSION);
	rc = print(&text);
	buf_free(&text);
	return rc;
}

static void leave(const struct crew *crew)
{
	if (crew->helper->leave)
		crew->helper->leave(crew->world, crew->clean);
	else
		crew->world->ops->close(crew->world);
}

/* Do the ranks that a launcher started find each other? */
static int say_hello(const struct helper *h, int argc, char **argv)
{
	struct crew crew = { .helper = h, .clean = true };
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;
	int code = HB_EXIT_OK;

	if (h->world(&crew.world, &argc, &argv, &err) < 0)
		return helper_complain(h, &err);
	buf_printf(&text, "world %d\n", crew.world->ops->size(crew.world));
	if (crew.world->ops->rank(crew.world) == 0)
		code = print(&text);
	buf_free(&text);
	leave(&crew);
	return code;
}

static int obey(struct crew *crew, int argc, char **argv)
{
	switch (control_asked()) {
	case CONTROL_BY_CHANNEL: return helper_serve(crew);
	case CONTROL_BY_FILES: return helper_files(crew);
	case CONTROL_BY_HAND: break;
	}
	return helper_by_hand(crew, argc, argv);
}

static int say_starting(struct crew *crew, struct hb_err *err)
{
	char host[sizeof(crew->node.host)];

	if (control_asked() != CONTROL_BY_CHANNEL)
		return HB_OK;
	env_host(host, sizeof(host));
	return control_start(host, &crew->control, err);
}

static int work(const struct helper *h, int argc, char **argv)
{
	struct crew crew = { .helper = h, .bound = BUF_INIT, .clean = true, .listener = -1 };
	struct hb_err err = { HB_OK, "" };
	int code;

	/* Before anything that may hang: who never says this is known by name. */
	if (say_starting(&crew, &err) < 0)
		return helper_complain(h, &err);
	crew.listener = helper_listen(h, &crew.port);
	env_bind_near_nic(&crew.bound);
	if (env_node_read(&crew.node, &err) < 0 || h->world(&crew.world, &argc, &argv, &err) < 0) {
		control_close(crew.control);
		buf_free(&crew.bound);
		return helper_complain(h, &err);
	}
	code = obey(&crew, argc, argv);
	counters_free(&crew.before);
	buf_free(&crew.bound);
	leave(&crew);
	if (!crew.clean) {
		/* Libraries with requests in flight may hang in their exit handlers. */
		fflush(NULL);
		_exit(code);
	}
	return code;
}

int helper_main(const struct helper *h, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*answer)(const struct helper *h);
	} questions[] = {
		{ "--list", list_benches },
		{ "--describe", describe },
		{ "--facts", helper_print_facts },
		{ "--version", print_version },
		{ "--help", help },
		{ "-h", help },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(questions) / sizeof(*questions); i++)
		if (!strcmp(argv[1], questions[i].name))
			return questions[i].answer(h);
	if (argc == 2 && !strcmp(argv[1], "--hello"))
		return say_hello(h, argc, argv);
	if (argc < 2 && control_asked() == CONTROL_BY_HAND) {
		help(h);
		return HB_EXIT_USAGE;
	}
	return work(h, argc, argv);
}

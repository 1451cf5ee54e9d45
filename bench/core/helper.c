/* What every helper program answers, and who does the rest. */
#include "bench/core/helper.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/control.h"
#include "bench/core/helper_parts.h"
#include "bench/core/load.h"

enum { HELP_WIDTH = 80, CLOCK_CALLS = 1001 };
#define CLOCK_SLOW_NS 1000.0

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

static int print_json(json_object *o)
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
	return print_json(arr);
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

json_object *helper_facts(const struct helper *h, const char *endpoint)
{
	json_object *arr = json_object_new_array();

	env_facts(endpoint, arr);
	if (h->facts)
		h->facts(endpoint, arr);
	return arr;
}

/* What facts are put into as records. */
struct printed {
	json_object *arr;
	const char *host;
};

static void add_told(void *ctx, const char *device, const char *key, const char *value,
                     const char *source)
{
	const struct printed *p = ctx;
	char *endpoint = hb_format("%s%s%s", p->host, *device ? "/" : "", device);

	json_object_array_add(p->arr, rec_fact_to_json(endpoint, key, value, source));
	free(endpoint);
}

static int print_facts(const struct helper *h)
{
	char host[sizeof(((struct env_node *)NULL)->host)];
	struct printed printed = { NULL, host };
	const struct fact_sink sink = { add_told, &printed };

	env_host(host, sizeof(host));
	printed.arr = helper_facts(h, host);
	if (h->node_facts)
		h->node_facts(&sink);
	if (h->libraries)
		h->libraries(&sink);
	return print_json(printed.arr);
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

static json_object *meta_record(const struct crew *crew)
{
	json_object *o = json_object_new_object();
	int size = crew->world->ops->size(crew->world);

	js_set_str(o, "type", record_type_name(REC_META));
	js_set_u64(o, "schema", RECORD_SCHEMA);
	js_set_str(o, "helper", crew->helper->name);
	js_set_str(o, "version", HPCBENCH_VERSION);
	/* Which nodes the other ranks are on, only the launcher knows without asking them. */
	js_set_str(o, "nodes", size == 1 ? crew->node.host : NULL);
	js_set_i64(o, "ranks", size);
	return o;
}

static json_object *rank_record(const struct crew *crew)
{
	json_object *o = json_object_new_object();
	char kernel[LOAD_ID_MAX], network[LOAD_ID_MAX];
	struct buf binding = BUF_INIT;

	load_identity(kernel, network);
	if (env_binding_text(&binding, NULL) < 0)
		buf_puts(&binding, "unknown");
	js_set_str(o, "type", record_type_name(REC_RANK));
	js_set_i64(o, "rank", crew->world->ops->rank(crew->world));
	js_set_str(o, "host", crew->node.host);
	js_set_str(o, "binding", buf_text(&binding));
	js_set_str(o, "hw", crew->node.hw);
	js_set_str(o, "transport", crew->helper->transport ? crew->helper->transport() : NULL);
	js_set_i64(o, "pid", getpid());
	js_set_str(o, "kernel", *kernel ? kernel : NULL);
	js_set_str(o, "network", *network ? network : NULL);
	buf_free(&binding);
	return o;
}

/* One process a node is enough; where the launcher does not say which, all of them tell. */
static bool first_on_node(void)
{
	return env_launch_local() <= 0;
}

static int tell(struct emit *e, json_object *o, struct hb_err *err)
{
	int rc = e->record(e, o, err);

	js_put(o);
	return rc;
}

/* A slow clock source blurs every short measurement: say so before them. */
static int tell_clock(struct emit *e, const char *host, struct hb_err *err)
{
	double min_ns, median_ns;
	char text[320];

	clock_cost(CLOCK_CALLS, &min_ns, &median_ns);
	if (median_ns <= CLOCK_SLOW_NS)
		return HB_OK;
	snprintf(text, sizeof(text),
	         "%s: reading the clock takes %.0f ns (median); see "
	         "/sys/devices/system/clocksource/clocksource0/current_clocksource",
	         host, median_ns);
	return tell(e, rec_event_to_json(NULL, "warn", "clock-slow", text), err);
}

int helper_introduce(const struct crew *crew, struct emit *e, struct hb_err *err)
{
	json_object *facts;
	int rc = HB_OK;

	if (crew->world->ops->rank(crew->world) == 0)
		rc = tell(e, meta_record(crew), err);
	if (!rc)
		rc = tell(e, rank_record(crew), err);
	if (!rc)
		rc = tell_clock(e, crew->node.host, err);
	if (rc < 0 || !first_on_node())
		return rc;
	facts = helper_facts(crew->helper, crew->node.host);
	if (crew->bound.len > 0)
		json_object_array_add(facts, rec_fact_to_json(crew->node.host, "bind.nic",
		                                              buf_text(&crew->bound), ENV_BIND));
	for (size_t i = 0; !rc && i < json_object_array_length(facts); i++)
		rc = e->record(e, json_object_array_get_idx(facts, i), err);
	js_put(facts);
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
	struct crew crew = { .helper = h, .bound = BUF_INIT, .clean = true };
	struct hb_err err = { HB_OK, "" };
	int code;

	/* Before anything that may hang: who never says this is known by name. */
	if (say_starting(&crew, &err) < 0)
		return helper_complain(h, &err);
	env_bind_near_nic(&crew.bound);
	if (env_node_read(&crew.node, &err) < 0 || h->world(&crew.world, &argc, &argv, &err) < 0) {
		control_close(crew.control);
		buf_free(&crew.bound);
		return helper_complain(h, &err);
	}
	code = obey(&crew, argc, argv);
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
		{ "--list", list_benches }, { "--describe", describe },
		{ "--facts", print_facts }, { "--version", print_version },
		{ "--help", help },         { "-h", help },
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

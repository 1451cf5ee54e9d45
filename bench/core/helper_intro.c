/* What a helper tells of its process and its node: first, and at the end. */
#include <unistd.h>

#include "bench/core/clock.h"
#include "bench/core/helper_parts.h"
#include "bench/core/tell.h"

enum { CLOCK_CALLS = 1001 };
#define CLOCK_SLOW_NS 1000.0

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

/* Software, its settings and the libraries of this process: they may differ step by step. */
static void software(const struct helper *h, const char *node, const struct fact_sink *s)
{
	json_object *arr = json_object_new_array();

	env_facts(node, arr);
	if (h->facts)
		h->facts(node, arr);
	facts_tell_records(s, arr);
	js_put(arr);
	if (h->libraries)
		h->libraries(s);
}

static int tell_node(const struct crew *crew, struct emit *e, const char *node, struct hb_err *err)
{
	struct facts_tell t;

	if (!crew->facts || !crew->helper->node_facts)
		return HB_OK;
	facts_tell_begin(&t, e, FACTS_NODE, node);
	crew->helper->node_facts(&t.sink);
	return facts_tell_end(&t, err);
}

static int tell_step(const struct crew *crew, struct emit *e, const char *node, struct hb_err *err)
{
	struct facts_tell t;

	facts_tell_begin(&t, e, FACTS_STEP, node);
	software(crew->helper, crew->node.host, &t.sink);
	if (crew->bound.len > 0)
		fact_tell(&t.sink, "", "bind.nic", buf_text(&crew->bound), ENV_BIND);
	return facts_tell_end(&t, err);
}

bool helper_first_on_node(void)
{
	return env_launch_local() <= 0;
}

int helper_introduce(struct crew *crew, struct emit *e, struct hb_err *err)
{
	/* A file of records has them one by one. */
	const char *node = control_asked() == CONTROL_BY_HAND ? crew->node.host : NULL;
	int rc = HB_OK;

	if (crew->world->ops->rank(crew->world) == 0)
		rc = tell(e, meta_record(crew), err);
	if (!rc)
		rc = tell(e, rank_record(crew), err);
	if (!rc)
		rc = tell_clock(e, crew->node.host, err);
	if (!rc)
		rc = tell_node(crew, e, node, err);
	if (!crew->first || rc < 0)
		return rc;
	rc = tell_step(crew, e, node, err);
	counters_free(&crew->before);
	counters_read(&crew->before);
	return rc;
}

void helper_part(struct crew *crew, struct emit *e)
{
	const char *node = crew->node.host;
	int rc = HB_OK;

	if (crew->first) {
		struct counters after;

		counters_read_again(&crew->before, &after);
		rc = counters_tell(e, node, &crew->before, &after, NULL);
		counters_free(&after);
	}
	if (!rc)
		counters_tell_own(e, node, crew->own.tx, crew->own.rx, NULL);
}

int helper_print_facts(const struct helper *h)
{
	json_object *arr = json_object_new_array();
	struct hb_err err = { HB_OK, "" };
	struct emit *e = emit_array_new(arr);
	struct env_node node;
	struct facts_tell t;

	if (env_node_read(&node, &err) < 0) {
		js_put(arr);
		e->close(e);
		return helper_complain(h, &err);
	}
	facts_tell_begin(&t, e, FACTS_NODE, node.host);
	if (h->node_facts)
		h->node_facts(&t.sink);
	software(h, node.host, &t.sink);
	facts_tell_end(&t, NULL);
	e->close(e);
	return helper_print_json(arr);
}

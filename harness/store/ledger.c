/* Reading the coverage ledger. Every value is checked before anything is taken from it. */
#include "harness/store/ledger.h"

#include <errno.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/ledger_parts.h"

enum { FILE_MAX = 256 << 20, NAME_MAX_BYTES = 255, HW_MAX = 512, ID_MAX = 64, CLUSTERS_MAX = 4096 };

static const char *const turn_keys[] = { "last", "run", "tried", "tried_run", NULL };

static bool is_time(const char *text)
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
	size_t i = 0;

	for (; form[i] && text[i]; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';
		if (form[i] == 'd' ? !digit : text[i] != form[i])
			return false;
	}
	return !form[i] && !text[i];
}

static int check_turn(json_object *o, const struct js_at *at, struct hb_err *err)
{
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object");
	for (size_t i = 0; turn_keys[i]; i++) {
		const char *text = NULL;
		struct js_at here = js_at_key(at, turn_keys[i]);
		bool id = i % 2;
		int rc = js_get_str(o, at, turn_keys[i], JS_OPTIONAL, &text, err);
		if (rc != HB_OK)
			return rc;
		if (text && (id ? !*text || strlen(text) > ID_MAX : !is_time(text)))
			return js_fail(&here, err,
			               id ? "expected 1 to 64 bytes"
			                  : "expected a time like 2026-01-31T23:59:59Z");
	}
	return HB_OK;
}

static int check_node(json_object *o, const struct js_at *at, struct hb_err *err)
{
	json_object *suites = NULL;
	const char *hw = NULL;
	struct js_at hw_at = js_at_key(at, "hw"), suites_at = js_at_key(at, "suites");

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object");
	int rc = js_get_str(o, at, "hw", JS_OPTIONAL, &hw, err);
	if (rc == HB_OK && hw && strlen(hw) > HW_MAX)
		rc = js_fail(&hw_at, err, "longer than %d bytes", (int)HW_MAX);
	if (rc == HB_OK)
		rc = js_get_obj(o, at, "suites", JS_REQUIRED, &suites, err);
	if (rc != HB_OK)
		return rc;
	if (json_object_object_length(suites) > LEDGER_SUITES_MAX)
		return js_fail(&suites_at, err, "more than %d suites", (int)LEDGER_SUITES_MAX);
	json_object_object_foreach(suites, name, turn)
	{
		struct js_at here = js_at_key(&suites_at, name);
		rc = check_turn(turn, &here, err);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static int check_cluster(json_object *nodes, const struct js_at *at, size_t *count,
                         struct hb_err *err)
{
	if (!json_object_is_type(nodes, json_type_object))
		return js_fail(at, err, "expected an object");
	*count += (size_t)json_object_object_length(nodes);
	if (*count > LEDGER_NODES_MAX)
		return js_fail(at, err, "more than %d nodes in all", (int)LEDGER_NODES_MAX);
	json_object_object_foreach(nodes, name, node)
	{
		struct js_at here = js_at_key(at, name);
		int rc = !*name || strlen(name) > NAME_MAX_BYTES
		                 ? js_fail(at, err, "a node's name has 1 to 255 bytes")
		                 : check_node(node, &here, err);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static int check(json_object *top, const char *path, json_object **clusters, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP(path), clusters_at = js_at_key(&at, "clusters");
	size_t count = 0;
	int schema = 0;
	int rc = js_get_int(top, &at, "schema", JS_REQUIRED, 1, LEDGER_SCHEMA, &schema, err);

	if (rc == HB_OK)
		rc = js_get_obj(top, &at, "clusters", JS_REQUIRED, clusters, err);
	if (rc != HB_OK)
		return rc;
	if (json_object_object_length(*clusters) > CLUSTERS_MAX)
		return js_fail(&clusters_at, err, "more than %d clusters", (int)CLUSTERS_MAX);
	json_object_object_foreach(*clusters, name, nodes)
	{
		struct js_at here = js_at_key(&clusters_at, name);
		rc = check_cluster(nodes, &here, &count, err);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

char *ledger_path(const struct store *s)
{
	return hb_format("%s/coverage.json", s->path);
}

int ledger_load(const char *path, json_object **clusters, struct hb_err *err)
{
	json_object *top = NULL;
	int rc;

	*clusters = NULL;
	if (access(path, R_OK) != 0) {
		if (errno == ENOENT) {
			*clusters = json_object_new_object();
			return HB_OK;
		}
		return hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
	}
	rc = js_read_file(path, FILE_MAX, &top, err);
	if (rc == HB_OK)
		rc = check(top, path, clusters, err);
	*clusters = rc == HB_OK ? json_object_get(*clusters) : NULL;
	js_put(top);
	return rc == HB_OK ? HB_OK : HB_E_FORMAT;
}

void ledger_read(const struct store *s, struct ledger *out)
{
	struct hb_err err = { HB_OK, "" };
	char *path = ledger_path(s);

	*out = (struct ledger){ 0 };
	if (ledger_load(path, &out->clusters, &err) != HB_OK)
		out->warning = hb_format("what was measured when is not known: %s", err.text);
	if (!out->clusters)
		out->clusters = json_object_new_object();
	free(path);
}

void ledger_free(struct ledger *l)
{
	js_put(l->clusters);
	free(l->warning);
	*l = (struct ledger){ 0 };
}

static json_object *member(json_object *o, const char *key)
{
	json_object *v = NULL;

	return o && json_object_object_get_ex(o, key, &v) ? v : NULL;
}

json_object *ledger_nodes(const struct ledger *l, const char *cluster)
{
	return member(l->clusters, cluster);
}

const char *ledger_hw(json_object *nodes, const char *node)
{
	json_object *hw = member(member(nodes, node), "hw");

	return hw ? json_object_get_string(hw) : NULL;
}

struct ledger_turn ledger_turn(json_object *nodes, const char *node, const char *suite)
{
	json_object *turn = member(member(member(nodes, node), "suites"), suite);
	const char *text[4];

	for (size_t i = 0; i < 4; i++) {
		json_object *v = member(turn, turn_keys[i]);
		text[i] = v ? json_object_get_string(v) : "";
	}
	return (struct ledger_turn){ text[0], text[1], text[2], text[3] };
}

const char *ledger_had(const struct ledger_turn *t)
{
	return strcmp(t->tried, t->last) > 0 ? t->tried : t->last;
}

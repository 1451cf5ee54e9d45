/* What nodes of the cluster model tell of themselves: facts and counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/sim/model_parts.h"

enum { GROUPS_MAX = 4096, KEY_MAX = 64, VALUE_MAX = 1024 };

void sim_split_key(const char *name, char *device, size_t n, const char **key)
{
	const char *slash = strrchr(name, '/');

	snprintf(device, n, "%.*s", slash ? (int)(slash - name) : 0, name);
	*key = slash ? slash + 1 : name;
}

static int check_fact(json_object *v, const struct js_at *at, struct hb_err *err)
{
	if (v && !(json_object_is_type(v, json_type_string) &&
	           json_object_get_string_len(v) <= VALUE_MAX))
		return js_fail(at, err, "must be a text of at most %d bytes, or null", VALUE_MAX);
	return HB_OK;
}

/* Counts that a double holds exactly: whole numbers below 2^53. */
static int check_counter(json_object *v, const struct js_at *at, struct hb_err *err)
{
	bool number = json_object_is_type(v, json_type_int) ||
	              json_object_is_type(v, json_type_double);
	double d = number ? json_object_get_double(v) : -1.0;

	if (!(d >= 0.0 && d < 9007199254740992.0))
		return js_fail(at, err, "must be a number from 0 to below 2^53");
	return HB_OK;
}

typedef int (*check_value)(json_object *v, const struct js_at *at, struct hb_err *err);

/* What one group of nodes tells: DEVICE/KEY or KEY, each with its value. */
static int check_group(json_object *values, const struct js_at *at, check_value check,
                       struct hb_err *err)
{
	if (!json_object_is_type(values, json_type_object))
		return js_fail(at, err, "must be an object");
	if (json_object_object_length(values) > SIM_TOLD_MAX)
		return js_fail(at, err, "more than %d", SIM_TOLD_MAX);
	json_object_object_foreach(values, name, value)
	{
		struct js_at here = js_at_key(at, name);
		size_t len = strlen(name);
		const char *slash = strrchr(name, '/'), *key = slash ? slash + 1 : name;
		int rc;

		if (!*key || len - (size_t)(key - name) >= KEY_MAX || key == name + 1 ||
		    key - name > SIM_DEVICE_MAX)
			return js_fail(&here, err,
			               "must be called KEY or DEVICE/KEY, each below %d bytes",
			               KEY_MAX);
		if ((rc = check(value, &here, err)) < 0)
			return rc;
	}
	return HB_OK;
}

static int read_group(const char *who, json_object *values, const struct js_at *at,
                      check_value check, struct sim_told *out, struct hb_err *err)
{
	struct hb_err why = { HB_OK, "" };
	int rc = check_group(values, at, check, err);

	if (rc < 0)
		return rc;
	out->all = strcmp(who, "*") == 0;
	if (!out->all && nodeset_parse(who, &out->nodes, &why) != HB_OK)
		return js_fail(at, err, "%s", why.text);
	out->values = json_object_get(values);
	return HB_OK;
}

static int read_groups(json_object *o, const struct js_at *top, const char *member,
                       check_value check, struct sim_told_list *out, struct hb_err *err)
{
	json_object *groups = NULL;
	struct js_at at = js_at_key(top, member);
	size_t cap = 0, nodes = 0;
	int rc = js_get_obj(o, top, member, JS_OPTIONAL, &groups, err);

	if (rc < 0 || !groups)
		return rc;
	if (json_object_object_length(groups) > GROUPS_MAX)
		return js_fail(&at, err, "more than %d groups of nodes", GROUPS_MAX);
	json_object_object_foreach(groups, who, values)
	{
		struct js_at here = js_at_key(&at, who);

		hb_grow(&out->v, &cap, out->n + 1, sizeof(*out->v));
		out->v[out->n] = (struct sim_told){ 0 };
		rc = read_group(who, values, &here, check, &out->v[out->n], err);
		if (rc < 0)
			return rc;
		nodes += out->v[out->n++].nodes.n;
		if (nodes > NODESET_MAX)
			return js_fail(&here, err, "more than %d nodes in all groups", NODESET_MAX);
	}
	return HB_OK;
}

int sim_read_told(json_object *o, const struct js_at *top, struct sim_model *m, struct hb_err *err)
{
	int rc = read_groups(o, top, "facts", check_fact, &m->facts, err);

	return rc < 0 ? rc : read_groups(o, top, "counters", check_counter, &m->counters, err);
}

void sim_told_free(struct sim_told_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		nodeset_free(&list->v[i].nodes);
		js_put(list->v[i].values);
	}
	free(list->v);
}

json_object *sim_told_by(const struct sim_told_list *list, const char *node)
{
	json_object *all = json_object_new_object();

	for (size_t i = 0; i < list->n; i++) {
		const struct sim_told *t = &list->v[i];

		if (!t->all && nodeset_find(&t->nodes, node) < 0)
			continue;
		json_object_object_foreach(t->values, name, value)
		{
			json_object_object_add(all, name, json_object_get(value));
		}
	}
	return all;
}

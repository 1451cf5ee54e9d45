/* Facts and counters of a simulated node, as a helper on it would tell them. */
#include "bench/base/record.h"
#include "bench/sim/sim.h"

enum { DEVICE_MAX = 256, ENDPOINT_MAX = 600 };

static int send_record(const struct sim_rank *r, json_object *o, struct hb_err *err)
{
	int rc = control_send(r->control, o, err);

	js_put(o);
	return rc;
}

static bool is_first_of_node(const struct sim_rank *r)
{
	return r->rank % r->world->rpn == 0;
}

/* "n1" or "n1/DEVICE"; returns the key. */
static const char *endpoint_of(const struct sim_rank *r, const char *name, char *out, size_t n)
{
	char device[DEVICE_MAX];
	const char *key;

	sim_split_key(name, device, sizeof(device), &key);
	snprintf(out, n, "%s%s%s", r->node, *device ? "/" : "", device);
	return key;
}

int sim_tell_facts(const struct sim_rank *r, struct hb_err *err)
{
	char endpoint[ENDPOINT_MAX];
	json_object *told;
	int rc = HB_OK;

	if (!is_first_of_node(r))
		return HB_OK;
	told = sim_told_by(&r->world->model.facts, r->node);
	json_object_object_foreach(told, name, value)
	{
		const char *key = endpoint_of(r, name, endpoint, sizeof(endpoint));

		if (rc == HB_OK)
			rc = send_record(r,
			                 rec_fact_to_json(endpoint, key,
			                                  json_object_get_string(value),
			                                  "model file"),
			                 err);
	}
	js_put(told);
	return rc;
}

int sim_tell_counters(const struct sim_rank *r, struct hb_err *err)
{
	char endpoint[ENDPOINT_MAX];
	json_object *told;
	int rc = HB_OK;

	if (!is_first_of_node(r))
		return HB_OK;
	told = sim_told_by(&r->world->model.counters, r->node);
	json_object_object_foreach(told, name, value)
	{
		const char *counter = endpoint_of(r, name, endpoint, sizeof(endpoint));
		json_object *o = json_object_new_object();

		js_set_str(o, "type", record_type_name(REC_COUNTER));
		js_set_str(o, "endpoint", endpoint);
		js_set_str(o, "name", counter);
		js_set_u64(o, "before", 0);
		js_set_u64(o, "after", (uint64_t)json_object_get_double(value));
		js_set_i64(o, "width", 64);
		if (rc == HB_OK)
			rc = send_record(r, o, err);
		else
			js_put(o);
	}
	js_put(told);
	return rc;
}

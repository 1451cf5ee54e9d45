/* The file form of the cluster model (bench/sim/README.md): reading, with everything bounded. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/sim/model_parts.h"

int sim_get_ratio(json_object *o, const struct js_at *at, const char *key, double max, double *out,
                  struct hb_err *err)
{
	int rc = js_get_f64(o, at, key, JS_OPTIONAL, out, err);

	if (rc < 0)
		return rc;
	if (!(*out >= 0.0 && *out <= max)) {
		struct js_at here = js_at_key(at, key);

		return js_fail(&here, err, "must be from 0 to %g", max);
	}
	return HB_OK;
}

int sim_get_positive(json_object *o, const struct js_at *at, const char *key, double *out,
                     struct hb_err *err)
{
	int rc = js_get_f64(o, at, key, JS_REQUIRED, out, err);

	if (rc < 0)
		return rc;
	if (!(*out > 1e-12 && *out < 1e18)) {
		struct js_at here = js_at_key(at, key);

		return js_fail(&here, err, "must be above 0 and below 1e18");
	}
	return HB_OK;
}

int sim_read_name(json_object *o, const struct js_at *at, const char *key, char **out,
                  struct hb_err *err)
{
	const char *s = NULL;
	int rc = js_get_str(o, at, key, JS_OPTIONAL, &s, err);

	if (rc < 0)
		return rc;
	if (s && (s[0] == '\0' || strlen(s) > 255)) {
		struct js_at here = js_at_key(at, key);

		return js_fail(&here, err, "must be a name of 1 to 255 bytes");
	}
	if (s) {
		free(*out);
		*out = hb_strdup(s);
	}
	return HB_OK;
}

/* How many nodes a file may give a class of their own. */
enum { NODE_HW_MAX = 4096 };

static int read_node_hw(json_object *o, const struct js_at *top, struct sim_model *m,
                        struct hb_err *err)
{
	json_object *names = NULL;
	struct js_at at = js_at_key(top, "node_hw");
	int rc = js_get_obj(o, top, "node_hw", JS_OPTIONAL, &names, err);

	if (rc < 0 || !names)
		return rc;
	if (json_object_object_length(names) > NODE_HW_MAX)
		return js_fail(&at, err, "more than %d nodes", NODE_HW_MAX);
	json_object_object_foreach(names, node, value)
	{
		struct js_at here = js_at_key(&at, node);
		int len = json_object_is_type(value, json_type_string)
		                  ? json_object_get_string_len(value)
		                  : 0;

		if (len < 1 || len > 255)
			return js_fail(&here, err, "must be a name of 1 to 255 bytes");
	}
	m->node_hw = json_object_get(names);
	return HB_OK;
}

static int read_benches(json_object *o, const struct js_at *top, struct sim_model *m,
                        struct hb_err *err)
{
	static const char *const known[] = { "latency_ns", "bandwidth_Bps", NULL };
	json_object *benches = NULL;
	struct js_at at = js_at_key(top, "benches");
	int rc = js_get_obj(o, top, "benches", JS_OPTIONAL, &benches, err);

	if (rc < 0 || !benches)
		return rc;
	if (json_object_object_length(benches) > SIM_BENCHES_MAX)
		return js_fail(&at, err, "more than %d benchmarks", SIM_BENCHES_MAX);
	m->benches = hb_realloc_array(NULL, SIM_BENCHES_MAX, sizeof(*m->benches));
	json_object_object_foreach(benches, name, value)
	{
		struct js_at here = js_at_key(&at, name);
		struct sim_bench *b = &m->benches[m->n_benches];

		if (!json_object_is_type(value, json_type_object))
			return js_fail(&here, err, "must be an object");
		b->name = hb_strdup(name);
		m->n_benches++;
		if ((rc = js_known_keys(value, &here, known, err)) < 0 ||
		    (rc = sim_get_positive(value, &here, "latency_ns", &b->latency_ns, err)) < 0 ||
		    (rc = sim_get_positive(value, &here, "bandwidth_Bps", &b->bandwidth_Bps, err)) <
		            0)
			return rc;
	}
	return HB_OK;
}

static int read_dips(json_object *o, const struct js_at *top, struct sim_dips *out,
                     struct hb_err *err)
{
	static const char *const known[] = { "rate", "low", "high", NULL };
	json_object *dips = NULL;
	struct js_at at = js_at_key(top, "dips");
	int rc = js_get_obj(o, top, "dips", JS_OPTIONAL, &dips, err);

	if (rc < 0 || !dips)
		return rc;
	*out = (struct sim_dips){ -1, -1, -1 };
	if ((rc = js_known_keys(dips, &at, known, err)) < 0 ||
	    (rc = js_get_f64(dips, &at, "rate", JS_REQUIRED, &out->rate, err)) < 0 ||
	    (rc = js_get_f64(dips, &at, "low", JS_REQUIRED, &out->low, err)) < 0 ||
	    (rc = js_get_f64(dips, &at, "high", JS_REQUIRED, &out->high, err)) < 0)
		return rc;
	if (!(out->rate >= 0 && out->rate <= 1))
		return js_fail(&at, err, "rate must be from 0 to 1");
	if (!(out->low >= 0 && out->low <= out->high && out->high <= 0.99))
		return js_fail(&at, err, "needs 0 <= low <= high <= 0.99");
	return HB_OK;
}

/* What one measurement of a pair draws, devices and leaves. */
static int read_network(json_object *o, const struct js_at *at, struct sim_model *m,
                        struct hb_err *err)
{
	int rc;

	if ((rc = sim_get_ratio(o, at, "pair_noise", 1.0, &m->pair_noise, err)) < 0 ||
	    (rc = read_dips(o, at, &m->dips, err)) < 0 ||
	    (rc = js_get_int(o, at, "rails", JS_OPTIONAL, 1, SIM_RAILS_MAX, &m->rails, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "rail_spread", 1.0, &m->rail_spread, err)) < 0 ||
	    (rc = sim_read_leaves(o, at, m, err)) < 0)
		return rc;
	return json_object_object_get_ex(o, "cross_leaf", NULL)
	               ? sim_get_positive(o, at, "cross_leaf", &m->cross_leaf, err)
	               : HB_OK;
}

static int read_model(json_object *o, const struct js_at *at, struct sim_model *m,
                      struct hb_err *err)
{
	static const char *const known[] = { "schema",
		                             "seed",
		                             "nodes",
		                             "hw",
		                             "node_hw",
		                             "node_spread",
		                             "run_spread",
		                             "size_correlation",
		                             "subject_correlation",
		                             "noise",
		                             "pair_noise",
		                             "dips",
		                             "rails",
		                             "rail_spread",
		                             "leaves",
		                             "cross_leaf",
		                             "delay_ms",
		                             "benches",
		                             "faults",
		                             "facts",
		                             "counters",
		                             NULL };
	int rc, schema = 0;
	const char *nodes = NULL;

	if ((rc = js_known_keys(o, at, known, err)) < 0 ||
	    (rc = js_get_int(o, at, "schema", JS_REQUIRED, SIM_SCHEMA, SIM_SCHEMA, &schema, err)) <
	            0 ||
	    (rc = js_get_u64(o, at, "seed", JS_OPTIONAL, &m->seed, err)) < 0 ||
	    (rc = js_get_str(o, at, "nodes", JS_OPTIONAL, &nodes, err)) < 0 ||
	    (rc = sim_read_name(o, at, "hw", &m->hw, err)) < 0 ||
	    (rc = read_node_hw(o, at, m, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "node_spread", 1.0, &m->node_spread, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "run_spread", 1.0, &m->run_spread, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "size_correlation", 1.0, &m->size_correlation, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "subject_correlation", 1.0, &m->subject_correlation, err)) <
	            0 ||
	    (rc = sim_get_ratio(o, at, "noise", 1.0, &m->noise, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "delay_ms", 600000.0, &m->delay_ms, err)) < 0 ||
	    (rc = read_network(o, at, m, err)) < 0 || (rc = read_benches(o, at, m, err)) < 0 ||
	    (rc = sim_read_told(o, at, m, err)) < 0)
		return rc;
	m->nodes = hb_strdup(nodes);
	return sim_read_faults(o, at, m, err);
}

int sim_model_from_json(json_object *o, const char *source, struct sim_model *out,
                        struct hb_err *err)
{
	struct js_at at = JS_AT_TOP(source);
	int rc;

	sim_model_init(out);
	rc = json_object_is_type(o, json_type_object) ? read_model(o, &at, out, err)
	                                              : js_fail(&at, err, "must be an object");
	if (rc < 0)
		sim_model_free(out);
	return rc;
}

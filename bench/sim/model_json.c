/* The file form of the cluster model (bench/sim/README.md): reading, with everything bounded. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/sim/model.h"

static const char *const fault_names[SIM_FAULT_KINDS] = {
	[SIM_SLOW_NODE] = "slow-node",
	[SIM_SLOW_LINK] = "slow-link",
	[SIM_SILENT_RANK] = "silent-rank",
	[SIM_SILENT_LINK] = "silent-link",
	[SIM_DEAD_NODE] = "dead-node",
	[SIM_MISSING_RECORDS] = "missing-records",
	[SIM_MALFORMED_FRAMES] = "malformed-frames",
	[SIM_WRONG_DATA] = "wrong-data",
	[SIM_NEVER_STARTS] = "never-starts",
	[SIM_HANGS_START] = "hangs-start",
	[SIM_HANGS_JOB] = "hangs-job",
	[SIM_LOAD] = "load",
};

const char *sim_fault_name(enum sim_fault_kind kind)
{
	return (unsigned)kind < SIM_FAULT_KINDS ? fault_names[kind] : "unknown";
}

static int get_ratio(json_object *o, const struct js_at *at, const char *key, double max,
                     double *out, struct hb_err *err)
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

static int get_positive(json_object *o, const struct js_at *at, const char *key, double *out,
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

static int read_name(json_object *o, const struct js_at *at, const char *key, char **out,
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
		    (rc = get_positive(value, &here, "latency_ns", &b->latency_ns, err)) < 0 ||
		    (rc = get_positive(value, &here, "bandwidth_Bps", &b->bandwidth_Bps, err)) < 0)
			return rc;
	}
	return HB_OK;
}

static int read_dir(json_object *o, const struct js_at *at, enum sim_dir *out, struct hb_err *err)
{
	const char *s = NULL;
	int rc = js_get_str(o, at, "dir", JS_OPTIONAL, &s, err);

	if (rc < 0 || !s)
		return rc;
	if (strcmp(s, "out") != 0 && strcmp(s, "in") != 0) {
		struct js_at here = js_at_key(at, "dir");

		return js_fail(&here, err, "must be 'out' or 'in'");
	}
	*out = strcmp(s, "out") == 0 ? SIM_DIR_OUT : SIM_DIR_IN;
	return HB_OK;
}

/* Who it hits and how hard must fit its kind. */
static int check_fault(json_object *o, const struct js_at *at, struct sim_fault *f,
                       struct hb_err *err)
{
	bool slow = f->kind == SIM_SLOW_NODE || f->kind == SIM_SLOW_LINK;

	if (slow) {
		if (!f->node || (f->kind == SIM_SLOW_LINK && !f->other))
			return js_fail(at, err, "%s needs %s", sim_fault_name(f->kind),
			               f->kind == SIM_SLOW_LINK ? "a and b" : "node");
		return get_positive(o, at, "factor", &f->factor, err);
	}
	if (f->kind == SIM_SILENT_LINK)
		return f->node && f->other ? HB_OK : js_fail(at, err, "silent-link needs a and b");
	if (f->kind == SIM_LOAD && (!f->node || f->cores + f->Bps <= 0))
		return js_fail(at, err, "load needs node, and cores or Bps");
	if (!f->node == (f->rank < 0))
		return js_fail(at, err, "%s needs either node or rank", sim_fault_name(f->kind));
	return HB_OK;
}

static int read_load(json_object *o, const struct js_at *at, struct sim_fault *f,
                     struct hb_err *err)
{
	int rc;

	if (f->kind != SIM_LOAD)
		return HB_OK;
	if ((rc = get_ratio(o, at, "cores", 1e6, &f->cores, err)) < 0 ||
	    (rc = get_ratio(o, at, "Bps", 1e15, &f->Bps, err)) < 0 ||
	    (rc = js_get_u64(o, at, "tries", JS_OPTIONAL, &f->tries, err)) < 0)
		return rc;
	return json_object_object_get_ex(o, "factor", NULL)
	               ? get_positive(o, at, "factor", &f->factor, err)
	               : HB_OK;
}

static int read_fault(json_object *o, const struct js_at *at, struct sim_fault *f,
                      struct hb_err *err)
{
	static const char *const slow_node[] = { "kind", "node", "factor", "bench", "dir", NULL };
	static const char *const slow_link[] = { "kind", "a", "b", "factor", "bench", NULL };
	static const char *const silent_link[] = { "kind", "a", "b", "bench", "after", NULL };
	static const char *const load[] = { "kind",   "node",  "cores", "Bps",
		                            "factor", "tries", "bench", NULL };
	static const char *const others[] = { "kind", "node", "rank", "bench", "after", NULL };
	const char *const *known = others;
	const char *kind = NULL;
	bool link;
	int rc;

	if ((rc = js_get_str(o, at, "kind", JS_REQUIRED, &kind, err)) < 0)
		return rc;
	while (f->kind < SIM_FAULT_KINDS && strcmp(fault_names[f->kind], kind) != 0)
		f->kind++;
	if (f->kind == SIM_FAULT_KINDS) {
		struct js_at here = js_at_key(at, "kind");

		return js_fail(&here, err, "unknown kind '%.40s'", kind);
	}
	link = f->kind == SIM_SLOW_LINK || f->kind == SIM_SILENT_LINK;
	if (f->kind == SIM_SILENT_LINK)
		known = silent_link;
	else if (link)
		known = slow_link;
	else if (f->kind == SIM_SLOW_NODE)
		known = slow_node;
	else if (f->kind == SIM_LOAD)
		known = load;
	f->rank = -1;
	f->factor = 1.0;
	if ((rc = js_known_keys(o, at, known, err)) < 0 ||
	    (rc = read_name(o, at, link ? "a" : "node", &f->node, err)) < 0 ||
	    (link && (rc = read_name(o, at, "b", &f->other, err)) < 0) ||
	    (rc = read_name(o, at, "bench", &f->bench, err)) < 0 ||
	    (rc = read_dir(o, at, &f->dir, err)) < 0 ||
	    (rc = js_get_int(o, at, "rank", JS_OPTIONAL, 0, 1 << 24, &f->rank, err)) < 0 ||
	    (rc = js_get_u64(o, at, "after", JS_OPTIONAL, &f->after, err)) < 0 ||
	    (rc = read_load(o, at, f, err)) < 0)
		return rc;
	return check_fault(o, at, f, err);
}

static int read_faults(json_object *o, const struct js_at *top, struct sim_model *m,
                       struct hb_err *err)
{
	json_object *faults = NULL;
	struct js_at at = js_at_key(top, "faults");
	int rc = js_get_arr(o, top, "faults", JS_OPTIONAL, &faults, err);
	size_t n;

	if (rc < 0 || !faults)
		return rc;
	n = json_object_array_length(faults);
	if (n > SIM_FAULTS_MAX)
		return js_fail(&at, err, "more than %d faults", SIM_FAULTS_MAX);
	m->faults = hb_alloc(n * sizeof(*m->faults) + 1);
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_index(&at, i);
		json_object *f = json_object_array_get_idx(faults, i);

		if (!json_object_is_type(f, json_type_object))
			return js_fail(&here, err, "must be an object");
		m->n_faults++;
		if ((rc = read_fault(f, &here, &m->faults[i], err)) < 0)
			return rc;
	}
	return HB_OK;
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
		                             "delay_ms",
		                             "benches",
		                             "faults",
		                             NULL };
	int rc, schema = 0;
	const char *nodes = NULL;

	if ((rc = js_known_keys(o, at, known, err)) < 0 ||
	    (rc = js_get_int(o, at, "schema", JS_REQUIRED, SIM_SCHEMA, SIM_SCHEMA, &schema, err)) <
	            0 ||
	    (rc = js_get_u64(o, at, "seed", JS_OPTIONAL, &m->seed, err)) < 0 ||
	    (rc = js_get_str(o, at, "nodes", JS_OPTIONAL, &nodes, err)) < 0 ||
	    (rc = read_name(o, at, "hw", &m->hw, err)) < 0 ||
	    (rc = read_node_hw(o, at, m, err)) < 0 ||
	    (rc = get_ratio(o, at, "node_spread", 1.0, &m->node_spread, err)) < 0 ||
	    (rc = get_ratio(o, at, "run_spread", 1.0, &m->run_spread, err)) < 0 ||
	    (rc = get_ratio(o, at, "size_correlation", 1.0, &m->size_correlation, err)) < 0 ||
	    (rc = get_ratio(o, at, "subject_correlation", 1.0, &m->subject_correlation, err)) < 0 ||
	    (rc = get_ratio(o, at, "noise", 1.0, &m->noise, err)) < 0 ||
	    (rc = get_ratio(o, at, "delay_ms", 600000.0, &m->delay_ms, err)) < 0 ||
	    (rc = read_benches(o, at, m, err)) < 0)
		return rc;
	m->nodes = hb_strdup(nodes);
	return read_faults(o, at, m, err);
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

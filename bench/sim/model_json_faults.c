/* The faults of a cluster model's file: who is hit, and how hard, must fit the kind. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/sim/model_parts.h"

static const char *const fault_names[SIM_FAULT_KINDS] = {
	[SIM_SLOW_NODE] = "slow-node",
	[SIM_SLOW_LINK] = "slow-link",
	[SIM_SLOW_LEAF] = "slow-leaf",
	[SIM_SLOW_RAIL] = "slow-rail",
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

/* The members of each kind beside "kind", "bench" and, for links, "a" and "b". */
static const char *const node_keys[] = { "kind", "node", "factor", "bench", "dir", NULL };
static const char *const link_keys[] = { "kind", "a", "b", "factor", "bench", "dir", NULL };
static const char *const leaf_keys[] = { "kind", "leaf", "factor", "bench", "dir", NULL };
static const char *const rail_keys[] = { "kind", "rail", "factor", "bench", NULL };
static const char *const load_keys[] = { "kind",   "node",  "cores", "Bps",
	                                 "factor", "tries", "bench", NULL };
static const char *const other_keys[] = { "kind", "node", "rank", "bench", "after", NULL };

static const char *const silent_link_keys[] = { "kind", "a", "b", "bench", "after", NULL };

static const char *const *const keys_of[SIM_FAULT_KINDS] = {
	[SIM_SLOW_NODE] = node_keys,     [SIM_SLOW_LINK] = link_keys,
	[SIM_SLOW_LEAF] = leaf_keys,     [SIM_SLOW_RAIL] = rail_keys,
	[SIM_SILENT_RANK] = other_keys,  [SIM_SILENT_LINK] = silent_link_keys,
	[SIM_DEAD_NODE] = other_keys,    [SIM_MISSING_RECORDS] = other_keys,
	[SIM_WRONG_DATA] = other_keys,   [SIM_MALFORMED_FRAMES] = other_keys,
	[SIM_NEVER_STARTS] = other_keys, [SIM_HANGS_START] = other_keys,
	[SIM_HANGS_JOB] = other_keys,    [SIM_LOAD] = load_keys,
};

/* "out" and "in"; of a link, whose ends are a and b, "ab" and "ba". */
static int read_dir(json_object *o, const struct js_at *at, struct sim_fault *f, struct hb_err *err)
{
	const char *out = f->kind == SIM_SLOW_LINK ? "ab" : "out";
	const char *in = f->kind == SIM_SLOW_LINK ? "ba" : "in";
	const char *s = NULL;
	int rc = js_get_str(o, at, "dir", JS_OPTIONAL, &s, err);

	if (rc < 0 || !s)
		return rc;
	if (strcmp(s, out) != 0 && strcmp(s, in) != 0) {
		struct js_at here = js_at_key(at, "dir");

		return js_fail(&here, err, "must be '%s' or '%s'", out, in);
	}
	f->dir = strcmp(s, out) == 0 ? SIM_DIR_OUT : SIM_DIR_IN;
	return HB_OK;
}

/* Whom a slow kind hits, and how hard. */
static int check_slow(json_object *o, const struct js_at *at, const struct sim_model *m,
                      struct sim_fault *f, struct hb_err *err)
{
	size_t leaf = 0;

	if (f->kind == SIM_SLOW_NODE && !f->node)
		return js_fail(at, err, "slow-node needs node");
	if (f->kind == SIM_SLOW_LINK && (!f->node || !f->other))
		return js_fail(at, err, "slow-link needs a and b");
	if (f->kind == SIM_SLOW_RAIL && (f->rail < 0 || f->rail >= m->rails))
		return js_fail(at, err, "slow-rail needs rail, below the model's rails, %d",
		               m->rails);
	if (f->kind == SIM_SLOW_LEAF) {
		while (f->leaf && leaf < m->n_leaves && strcmp(m->leaves[leaf], f->leaf) != 0)
			leaf++;
		if (!f->leaf || leaf == m->n_leaves)
			return js_fail(at, err, "slow-leaf needs leaf, one of the model's leaves");
	}
	return sim_get_positive(o, at, "factor", &f->factor, err);
}

static int check_fault(json_object *o, const struct js_at *at, const struct sim_model *m,
                       struct sim_fault *f, struct hb_err *err)
{
	if (f->kind == SIM_SILENT_LINK)
		return f->node && f->other ? HB_OK : js_fail(at, err, "silent-link needs a and b");
	if (keys_of[f->kind] != load_keys && keys_of[f->kind] != other_keys)
		return check_slow(o, at, m, f, err);
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
	if ((rc = sim_get_ratio(o, at, "cores", 1e6, &f->cores, err)) < 0 ||
	    (rc = sim_get_ratio(o, at, "Bps", 1e15, &f->Bps, err)) < 0 ||
	    (rc = js_get_u64(o, at, "tries", JS_OPTIONAL, &f->tries, err)) < 0)
		return rc;
	return json_object_object_get_ex(o, "factor", NULL)
	               ? sim_get_positive(o, at, "factor", &f->factor, err)
	               : HB_OK;
}

static int read_fault(json_object *o, const struct js_at *at, const struct sim_model *m,
                      struct sim_fault *f, struct hb_err *err)
{
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
	f->rank = f->rail = -1;
	f->factor = 1.0;
	if ((rc = js_known_keys(o, at, keys_of[f->kind], err)) < 0 ||
	    (rc = sim_read_name(o, at, link ? "a" : "node", &f->node, err)) < 0 ||
	    (link && (rc = sim_read_name(o, at, "b", &f->other, err)) < 0) ||
	    (rc = sim_read_name(o, at, "leaf", &f->leaf, err)) < 0 ||
	    (rc = sim_read_name(o, at, "bench", &f->bench, err)) < 0 ||
	    (rc = read_dir(o, at, f, err)) < 0 ||
	    (rc = js_get_int(o, at, "rail", JS_OPTIONAL, 0, SIM_RAILS_MAX, &f->rail, err)) < 0 ||
	    (rc = js_get_int(o, at, "rank", JS_OPTIONAL, 0, 1 << 24, &f->rank, err)) < 0 ||
	    (rc = js_get_u64(o, at, "after", JS_OPTIONAL, &f->after, err)) < 0 ||
	    (rc = read_load(o, at, f, err)) < 0)
		return rc;
	return check_fault(o, at, m, f, err);
}

int sim_read_faults(json_object *o, const struct js_at *top, struct sim_model *m,
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
		if ((rc = read_fault(f, &here, m, &m->faults[i], err)) < 0)
			return rc;
	}
	return HB_OK;
}

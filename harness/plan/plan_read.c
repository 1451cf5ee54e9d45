/*
 * Reading plan.json. It is untrusted: every index is checked against what it points into, and
 * units may not overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"
#include "harness/plan/plan_read.h"

static int cases_from_json(struct reader *r, json_object *arr, const struct js_at *at, size_t entry)
{
	const struct bench_info *info = r->p->suite->entries[entry].info;
	struct case_list *list = &r->p->cases[entry];
	size_t n = json_object_is_type(arr, json_type_array) ? json_object_array_length(arr) : 0;
	int rc = HB_OK;
	list->info = info;
	if (n == 0 || n > INFO_CASES_MAX)
		return js_fail(at, r->err, "expected an array of 1 to %d cases", INFO_CASES_MAX);
	hb_grow(&list->v, &list->cap, n, sizeof(*list->v));
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(at, i), opts_at = js_at_key(&here, "opts");
		json_object *o = json_object_array_get_idx(arr, i), *opts = NULL;
		struct bench_case *c = &list->v[list->n++];
		*c = (struct bench_case){ 0, info_opts_new(info) };
		if (!json_object_is_type(o, json_type_object))
			return js_fail(&here, r->err, "expected an object");
		rc = js_get_u64(o, &here, "bytes", JS_REQUIRED, &c->bytes, r->err);
		if (rc == HB_OK)
			rc = js_get_obj(o, &here, "opts", JS_REQUIRED, &opts, r->err);
		if (rc == HB_OK)
			rc = opt_from_json(info->opts, c->opts, opts, &opts_at, r->err);
	}
	return rc;
}

static int step_from_json(struct reader *r, json_object *o, const struct js_at *at, size_t index)
{
	struct plan_step *s = &r->p->steps[index];
	json_object *jobs = NULL;
	const char *helper = NULL;
	struct indices ranks = { NULL, 0 };
	struct js_at jobs_at = js_at_key(at, "jobs"), id_at = js_at_key(at, "id");
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, r->err, "expected an object");
	int rc = js_get_u64(o, at, "id", JS_REQUIRED, &s->id, r->err);
	if (rc == HB_OK && s->id != index + 1)
		return js_fail(&id_at, r->err, "expected %zu, steps count from 1", index + 1);
	if (rc == HB_OK)
		rc = js_get_str(o, at, "helper", JS_REQUIRED, &helper, r->err);
	if (rc == HB_OK)
		rc = js_get_int(o, at, "rpn", JS_REQUIRED, 1, PLAN_RANKS_MAX, &s->rpn, r->err);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "beside", JS_OPTIONAL, &s->beside, r->err);
	if (rc == HB_OK)
		rc = plan_read_indices(r, o, at, "rank_node", r->p->nodes.n, false, &ranks);
	s->rank_node = ranks.v;
	s->n_ranks = (int)ranks.n;
	if (rc == HB_OK)
		rc = js_get_f64(o, at, "deadline_s", JS_REQUIRED, &s->deadline_s, r->err);
	if (rc == HB_OK)
		rc = js_get_f64(o, at, "predicted_s", JS_OPTIONAL, &s->predicted_s, r->err);
	if (rc == HB_OK)
		rc = js_get_arr(o, at, "jobs", JS_REQUIRED, &jobs, r->err);
	if (rc != HB_OK)
		return rc;
	s->helper = hb_strdup(helper);
	return plan_read_jobs(r, jobs, &jobs_at, s);
}

static int read_own(struct reader *r, json_object *o, const struct js_at *top)
{
	const char *own = NULL;
	struct js_at here = js_at_key(top, "own");
	int rc = js_get_str(o, top, "own", JS_OPTIONAL, &own, r->err);
	if (rc != HB_OK || !own)
		return rc;
	r->p->own = nodeset_find(&r->p->nodes, own);
	return r->p->own >= 0 ? HB_OK
	                      : js_fail(&here, r->err, "'%.80s' is not a node of this plan", own);
}

static int one_absent(struct reader *r, json_object *o, const struct js_at *at)
{
	const char *node = NULL, *reason = NULL, *role = NULL;
	enum plan_role as = ROLE_NONE;
	struct js_at node_at = js_at_key(at, "node"), role_at = js_at_key(at, "role");
	struct nodeset one = { NULL, 0, 0 };
	struct hb_err why = { HB_OK, "" };
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, r->err, "expected an object");
	int rc = js_get_str(o, at, "node", JS_REQUIRED, &node, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, at, "reason", JS_REQUIRED, &reason, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, at, "role", JS_OPTIONAL, &role, r->err);
	if (rc == HB_OK && plan_role_parse(role, &as) != HB_OK)
		rc = js_fail(&role_at, r->err, "'%.40s' is neither new nor control", role);
	if (rc == HB_OK && nodeset_add(&one, node, &why) != HB_OK)
		rc = js_fail(&node_at, r->err, "%s", why.text);
	nodeset_free(&one);
	if (rc == HB_OK) {
		plan_absent_add(r->p, node, reason);
		r->p->absent[r->p->n_absent - 1].role = as;
	}
	return rc;
}

static int read_absent(struct reader *r, json_object *o, const struct js_at *top)
{
	json_object *arr = NULL;
	struct js_at here = js_at_key(top, "absent");
	int rc = js_get_arr(o, top, "absent", JS_OPTIONAL, &arr, r->err);
	size_t n = rc == HB_OK && arr ? json_object_array_length(arr) : 0;
	if (n > NODESET_MAX)
		return js_fail(&here, r->err, "more than %d nodes", NODESET_MAX);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at one = js_at_index(&here, i);
		rc = one_absent(r, json_object_array_get_idx(arr, i), &one);
	}
	return rc;
}

static int read_later(struct reader *r, json_object *o, const struct js_at *top)
{
	json_object *later = NULL;
	const char *nodes = NULL;
	struct js_at here = js_at_key(top, "later"), nodes_at = js_at_key(&here, "nodes");
	struct hb_err why = { HB_OK, "" };
	int rc = js_get_obj(o, top, "later", JS_OPTIONAL, &later, r->err);
	if (rc != HB_OK || !later)
		return rc;
	rc = js_get_str(later, &here, "nodes", JS_REQUIRED, &nodes, r->err);
	if (rc == HB_OK)
		rc = js_get_int(later, &here, "runs", JS_REQUIRED, 1, NODESET_MAX,
		                &r->p->later_runs, r->err);
	if (rc == HB_OK && nodeset_parse(nodes, &r->p->later, &why) != HB_OK)
		rc = js_fail(&nodes_at, r->err, "%s", why.text);
	return rc;
}

static int read_nodes(struct reader *r, json_object *o, const struct js_at *top, const char *nodes)
{
	int rc = nodeset_parse(nodes, &r->p->nodes, r->err);
	if (rc != HB_OK)
		return hb_fail_in(r->err, "%s: $.nodes", top->name);
	rc = read_absent(r, o, top);
	if (rc == HB_OK)
		rc = read_later(r, o, top);
	if (rc == HB_OK)
		rc = read_own(r, o, top);
	if (rc == HB_OK)
		rc = plan_topo_from_json(r->p, o, top, r->err);
	if (rc != HB_OK)
		return rc;
	rc = plan_check_names(r->p, r->err);
	return rc == HB_OK ? rc : hb_fail_in(r->err, "%s", top->name);
}

static int read_head(struct reader *r, json_object *o, const struct js_at *top)
{
	struct plan *p = r->p;
	const char *run = NULL, *launcher = NULL, *nodes = NULL, *inject = NULL;
	struct js_at inject_at = js_at_key(top, "inject_bench"), units_at;
	int schema = 0;
	int rc = js_get_int(o, top, "schema", JS_REQUIRED, 1, PLAN_SCHEMA, &schema, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, top, "run", JS_OPTIONAL, &run, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, top, "launcher", JS_REQUIRED, &launcher, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, top, "seed", JS_REQUIRED, &p->seed, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, top, "nodes", JS_REQUIRED, &nodes, r->err);
	if (rc == HB_OK)
		rc = js_get_int(o, top, "max_pairs", JS_OPTIONAL, 0, NODESET_MAX, &p->max_pairs,
		                r->err);
	if (rc == HB_OK)
		rc = js_get_f64(o, top, "inject", JS_OPTIONAL, &p->inject, r->err);
	if (rc == HB_OK)
		rc = js_get_str(o, top, "inject_bench", JS_OPTIONAL, &inject, r->err);
	if (rc == HB_OK)
		rc = js_get_f64(o, top, "predicted_s", JS_OPTIONAL, &p->predicted_s, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, top, "next_unit", JS_REQUIRED, &p->next_unit, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, top, "next_job", JS_REQUIRED, &p->next_job, r->err);
	if (rc != HB_OK)
		return rc;
	units_at = js_at_key(top, "next_unit");
	if (p->next_unit == 0 || p->next_unit > PLAN_UNITS_MAX)
		return js_fail(&units_at, r->err, "expected 1 to %d", PLAN_UNITS_MAX);
	if (inject && !catalog_find(inject))
		return js_fail(&inject_at, r->err, "no benchmark '%.80s'", inject);
	p->inject_bench = inject ? catalog_find(inject)->name : NULL;
	p->run = hb_strdup(run);
	p->launcher = hb_strdup(launcher);
	return read_nodes(r, o, top, nodes);
}

static int read_body(struct reader *r, json_object *o, const struct js_at *top)
{
	struct plan *p = r->p;
	json_object *cases = NULL, *steps = NULL;
	struct js_at cases_at = js_at_key(top, "cases"), steps_at = js_at_key(top, "steps");
	int rc = js_get_arr(o, top, "cases", JS_REQUIRED, &cases, r->err);
	if (rc == HB_OK)
		rc = js_get_arr(o, top, "steps", JS_REQUIRED, &steps, r->err);
	if (rc != HB_OK)
		return rc;
	if (json_object_array_length(cases) != p->suite->n_entries)
		return js_fail(&cases_at, r->err, "expected one array an entry of the suite");
	for (size_t i = 0; rc == HB_OK && i < p->suite->n_entries; i++) {
		struct js_at here = js_at_index(&cases_at, i);
		rc = cases_from_json(r, json_object_array_get_idx(cases, i), &here, i);
	}
	size_t n = json_object_array_length(steps);
	if (rc == HB_OK && n > PLAN_STEPS_MAX)
		return js_fail(&steps_at, r->err, "more than %d steps", PLAN_STEPS_MAX);
	if (rc != HB_OK || n == 0)
		return rc;
	hb_grow(&p->steps, &p->cap_steps, n, sizeof(*p->steps));
	memset(p->steps, 0, n * sizeof(*p->steps));
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(&steps_at, i);
		p->n_steps++;
		rc = step_from_json(r, json_object_array_get_idx(steps, i), &here, i);
	}
	return rc;
}

int plan_read_whole(json_object *o, const char *source, struct plan_found *found,
                    struct suite *suite, struct plan *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	struct reader r = { out, NULL, found, err };
	json_object *s = NULL;
	memset(out, 0, sizeof(*out));
	memset(suite, 0, sizeof(*suite));
	out->inject = 1;
	out->own = -1;
	if (!json_object_is_type(o, json_type_object))
		return js_fail(&top, err, "expected an object");
	int rc = js_get_obj(o, &top, "suite", JS_REQUIRED, &s, err);
	if (rc == HB_OK)
		rc = suite_from_json(s, source, suite, err);
	if (rc != HB_OK)
		return rc;
	out->suite = suite;
	out->cases = hb_alloc(suite->n_entries * sizeof(*out->cases));
	rc = read_head(&r, o, &top);
	if (rc == HB_OK) {
		r.taken = hb_alloc((size_t)out->next_unit / 8 + 1);
		rc = read_body(&r, o, &top);
		for (size_t i = 0; rc == HB_OK && found && i < found->n; i++)
			if (!found->v[i].used)
				rc = js_fail(&top, err, "jobs that belong to no step");
		free(r.taken);
	}
	if (rc != HB_OK) {
		plan_free(out);
		suite_free(suite);
	}
	return rc;
}

int plan_from_json(json_object *o, const char *source, struct suite *suite, struct plan *out,
                   struct hb_err *err)
{
	return plan_read_whole(o, source, NULL, suite, out, err);
}

/*
 * Reading plan.json. It is untrusted: every index is checked against what it points into, and
 * units may not overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_build.h"

static const char cluster[] = "cluster";
static const char *const dirs[] = { "both", "ab", "ba" };

/* Reading: the plan so far, and which units are taken. */
struct reader {
	struct plan *p;
	unsigned char *taken; /* a bit a unit */
	struct hb_err *err;
};

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

struct indices {
	size_t *v, n;
};

/* Whole numbers in [0, limit), all different if distinct. */
static int read_indices(struct reader *r, json_object *o, const struct js_at *at, const char *key,
                        size_t limit, bool distinct, struct indices *out)
{
	json_object *arr = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_arr(o, at, key, JS_REQUIRED, &arr, r->err);
	*out = (struct indices){ NULL, 0 };
	if (rc != HB_OK)
		return rc;
	size_t len = json_object_array_length(arr);
	if (len == 0 || len > PLAN_RANKS_MAX)
		return js_fail(&here, r->err, "%zu elements; expected 1 to %d", len,
		               PLAN_RANKS_MAX);
	unsigned char *seen = distinct ? hb_alloc(limit) : NULL;
	out->v = hb_realloc_array(NULL, len, sizeof(*out->v));
	for (size_t i = 0; rc == HB_OK && i < len; i++) {
		json_object *v = json_object_array_get_idx(arr, i);
		int64_t x = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;
		if (x < 0 || (size_t)x >= limit)
			rc = js_fail(&here, r->err, "element %zu is not a number below %zu", i,
			             limit);
		else if (seen && seen[x]++)
			rc = js_fail(&here, r->err, "%lld stands twice in it", (long long)x);
		else
			out->v[out->n++] = (size_t)x;
	}
	free(seen);
	return rc;
}

/* A name that the plan owns: one of its nodes, or the cluster. */
static int read_subject(struct reader *r, json_object *o, const struct js_at *at, const char *key,
                        const char **out)
{
	const char *text = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, JS_OPTIONAL, &text, r->err);
	if (rc != HB_OK || !text)
		return rc;
	long node = nodeset_find(&r->p->nodes, text);
	if (node >= 0)
		*out = r->p->nodes.v[node];
	else if (strcmp(text, cluster) == 0)
		*out = cluster;
	else
		return js_fail(&here, r->err, "'%.80s' is not a node of this plan", text);
	return HB_OK;
}

static int read_dir(struct reader *r, json_object *o, const struct js_at *at, struct plan_job *j)
{
	const char *text = NULL;
	bool pair = r->p->suite->entries[j->entry].info->shape == BENCH_PAIR;
	struct js_at here = js_at_key(at, "dir");
	int rc = js_get_str(o, at, "dir", JS_OPTIONAL, &text, r->err);
	if (rc != HB_OK)
		return rc;
	for (size_t i = 0; text && i < sizeof(dirs) / sizeof(*dirs); i++)
		if (strcmp(text, dirs[i]) == 0)
			j->dir = dirs[i];
	if (pair != (j->dir != NULL) || pair != (j->n_ranks == 2 && pair))
		return js_fail(&here, r->err, "a pair has two ranks and a direction, others none");
	return HB_OK;
}

static int take_units(struct reader *r, const struct js_at *at, const struct plan_job *j, size_t n)
{
	const struct case_list *all = &r->p->cases[j->entry];
	if (n == 0 || n > PLAN_JOB_CASES_MAX || j->first_case > all->n ||
	    n > all->n - j->first_case)
		return js_fail(at, r->err, "cases that its entry does not have");
	if (j->first_unit == 0 || j->first_unit >= r->p->next_unit ||
	    n > r->p->next_unit - j->first_unit)
		return js_fail(at, r->err, "units at or above next_unit");
	for (uint64_t u = j->first_unit; u < j->first_unit + n; u++) {
		unsigned char bit = (unsigned char)(1u << (u % 8));
		if (r->taken[u / 8] & bit)
			return js_fail(at, r->err, "unit %llu belongs to another job too",
			               (unsigned long long)u);
		r->taken[u / 8] |= bit;
	}
	return HB_OK;
}

static int job_ranks(struct reader *r, json_object *o, const struct js_at *at,
                     const struct plan_step *s, struct plan_job *j)
{
	struct indices ranks;
	int rc = read_indices(r, o, at, "ranks", (size_t)s->n_ranks, true, &ranks);
	j->ranks = hb_realloc_array(NULL, ranks.n + 1, sizeof(*j->ranks));
	j->n_ranks = (int)ranks.n;
	for (size_t i = 0; i < ranks.n; i++)
		j->ranks[i] = (int)ranks.v[i];
	free(ranks.v);
	return rc;
}

static int job_from_json(struct reader *r, json_object *o, const struct js_at *at,
                         const struct plan_step *s, struct plan_job *j)
{
	uint64_t entry = 0, first_case = 0, n = 0;
	const char *phase = NULL;
	struct js_at phase_at = js_at_key(at, "phase");
	j->round = -1;
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, r->err, "expected an object");
	int rc = js_get_u64(o, at, "id", JS_REQUIRED, &j->id, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "entry", JS_REQUIRED, &entry, r->err);
	if (rc == HB_OK && (entry >= r->p->suite->n_entries || j->id >= r->p->next_job))
		return js_fail(at, r->err, "an entry or id that this plan does not have");
	if (rc == HB_OK)
		rc = js_get_str(o, at, "phase", JS_REQUIRED, &phase, r->err);
	if (rc == HB_OK && phase_parse(phase, &j->phase) != HB_OK)
		return js_fail(&phase_at, r->err, "unknown phase '%.40s'", phase);
	if (rc == HB_OK)
		rc = job_ranks(r, o, at, s, j);
	j->entry = (size_t)entry;
	if (rc == HB_OK)
		rc = read_dir(r, o, at, j);
	if (rc == HB_OK)
		rc = js_get_i64(o, at, "round", JS_OPTIONAL, &j->round, r->err);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "alone", JS_OPTIONAL, &j->alone, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "unit", JS_REQUIRED, &j->first_unit, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "case", JS_REQUIRED, &first_case, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "cases", JS_REQUIRED, &n, r->err);
	if (rc == HB_OK)
		rc = js_get_int(o, at, "repeat", JS_OPTIONAL, 0, 1000, &j->repeat, r->err);
	if (rc == HB_OK)
		rc = read_subject(r, o, at, "subject", &j->subject);
	if (rc == HB_OK)
		rc = read_subject(r, o, at, "partner", &j->partner);
	if (rc != HB_OK)
		return rc;
	if ((j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL) && !j->subject)
		return js_fail(at, r->err, "a confirming job without a subject");
	j->first_case = (size_t)first_case;
	rc = take_units(r, at, j, (size_t)n);
	if (rc == HB_OK)
		plan_job_view(r->p, j, (size_t)n);
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
		rc = read_indices(r, o, at, "rank_node", r->p->nodes.n, false, &ranks);
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
	size_t n = json_object_array_length(jobs);
	hb_grow(&s->jobs, &s->cap_jobs, n, sizeof(*s->jobs));
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(&jobs_at, i);
		struct plan_job *j = &s->jobs[s->n_jobs++];
		memset(j, 0, sizeof(*j));
		rc = job_from_json(r, json_object_array_get_idx(jobs, i), &here, s, j);
	}
	return rc;
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

int plan_from_json(json_object *o, const char *source, struct suite *suite, struct plan *out,
                   struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source);
	struct reader r = { out, NULL, err };
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
		free(r.taken);
	}
	if (rc != HB_OK) {
		plan_free(out);
		suite_free(suite);
	}
	return rc;
}

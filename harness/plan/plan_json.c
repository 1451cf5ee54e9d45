/*
 * Writing plan.json: everything that a run's later stages need, the suite and its resolved cases
 * included, so that a newer catalog cannot shift the meaning of a unit. Schema 1:
 *	{"schema":1, "run", "launcher", "seed", "nodes": hostlist,
 *	 "absent":[{node, reason, role}], "later":{nodes, runs},
 *	 "shape": rounds|star|both, "roles":{new, control: hostlists}, "topology": as in topo.h,
 *	 "own": node or null, "max_pairs", "inject", "inject_bench", "predicted_s",
 *	 "next_unit", "next_job", "suite": as in suite files,
 *	 "cases": of each entry [{bytes, opts}],
 *	 "steps":[{id, helper, rpn, "beside":true, "rank_node": of each rank an index into nodes,
 *	    predicted_s, deadline_s, "jobs":[{id, entry, phase, "ranks": of the step, dir, round,
 *	       "alone":true, "instead": the first unit of the job that it measures again,
 *	       "unit": its first, "case": its first of the entry, "cases": how many,
 *	       repeat, subject, partner}]}]}
 * What a run or job does not have is left out: absent, later, shape (rounds), roles, topology,
 * beside, dir, round, alone, instead; repeat, subject and partner are of reruns. The leaf of each
 * node is not stored: it follows from topology.
 */
#include "harness/plan/plan_build.h"
#include "harness/plan/plan_read.h"

static json_object *cases_to_json(const struct case_list *cases)
{
	json_object *arr = json_object_new_array();
	for (size_t i = 0; i < cases->n; i++) {
		json_object *o = json_object_new_object();
		js_set_u64(o, "bytes", cases->v[i].bytes);
		js_set_obj(o, "opts", opt_to_json(cases->info->opts, cases->v[i].opts, 0));
		json_object_array_add(arr, o);
	}
	return arr;
}

/* Of a job that our own writer wrote. */
static json_object *job_to_json(const struct plan_job *j)
{
	struct buf text = BUF_INIT;
	json_object *o = NULL;
	plan_write_job(j, &text);
	js_parse(buf_text(&text), text.len, "job", &o, NULL);
	buf_free(&text);
	return o;
}

static json_object *step_to_json(const struct plan_step *s, bool with_jobs)
{
	json_object *o = json_object_new_object();
	json_object *ranks = json_object_new_array(), *jobs = json_object_new_array();
	js_set_u64(o, "id", s->id);
	js_set_str(o, "helper", s->helper);
	js_set_i64(o, "rpn", s->rpn);
	if (s->beside)
		js_set_bool(o, "beside", true);
	for (int i = 0; i < s->n_ranks; i++)
		json_object_array_add(ranks, json_object_new_int64((int64_t)s->rank_node[i]));
	js_set_obj(o, "rank_node", ranks);
	js_set_f64(o, "predicted_s", s->predicted_s);
	js_set_f64(o, "deadline_s", s->deadline_s);
	for (size_t i = 0; with_jobs && i < s->n_jobs; i++)
		json_object_array_add(jobs, job_to_json(&s->jobs[i]));
	js_set_obj(o, "jobs", jobs);
	return o;
}

static json_object *absent_to_json(const struct plan *p)
{
	json_object *arr = json_object_new_array();
	for (size_t i = 0; i < p->n_absent; i++) {
		json_object *o = json_object_new_object();
		js_set_str(o, "node", p->absent[i].node);
		js_set_str(o, "reason", p->absent[i].reason);
		js_set_str(o, "role", plan_role_name(p->absent[i].role));
		json_object_array_add(arr, o);
	}
	return arr;
}

static json_object *later_to_json(const struct plan *p)
{
	json_object *o = json_object_new_object();
	struct buf nodes = BUF_INIT;
	nodeset_format(&p->later, &nodes);
	js_set_str(o, "nodes", buf_text(&nodes));
	js_set_i64(o, "runs", p->later_runs);
	buf_free(&nodes);
	return o;
}

json_object *plan_settings(const struct plan *p)
{
	json_object *o = json_object_new_object(), *cases = json_object_new_array();
	for (size_t i = 0; i < p->suite->n_entries; i++)
		json_object_array_add(cases, cases_to_json(&p->cases[i]));
	js_set_str(o, "launcher", p->launcher);
	js_set_obj(o, "suite", suite_to_json(p->suite));
	js_set_obj(o, "cases", cases);
	js_set_f64(o, "inject", p->inject);
	js_set_str(o, "inject_bench", p->inject_bench);
	return o;
}

json_object *plan_json_head(const struct plan *p, bool with_jobs)
{
	json_object *o = json_object_new_object(), *steps = json_object_new_array();
	json_object *cases = json_object_new_array();
	struct buf nodes = BUF_INIT;
	nodeset_format(&p->nodes, &nodes);
	js_set_u64(o, "schema", PLAN_SCHEMA);
	js_set_str(o, "run", p->run);
	js_set_str(o, "launcher", p->launcher);
	js_set_u64(o, "seed", p->seed);
	js_set_str(o, "nodes", buf_text(&nodes));
	if (p->n_absent)
		js_set_obj(o, "absent", absent_to_json(p));
	if (p->later.n)
		js_set_obj(o, "later", later_to_json(p));
	plan_topo_to_json(p, o);
	js_set_str(o, "own", p->own >= 0 ? p->nodes.v[p->own] : NULL);
	js_set_i64(o, "max_pairs", p->max_pairs);
	js_set_f64(o, "inject", p->inject);
	js_set_str(o, "inject_bench", p->inject_bench);
	js_set_f64(o, "predicted_s", p->predicted_s);
	js_set_u64(o, "next_unit", p->next_unit);
	js_set_u64(o, "next_job", p->next_job);
	js_set_obj(o, "suite", suite_to_json(p->suite));
	for (size_t i = 0; i < p->suite->n_entries; i++)
		json_object_array_add(cases, cases_to_json(&p->cases[i]));
	js_set_obj(o, "cases", cases);
	for (size_t i = 0; i < p->n_steps; i++)
		json_object_array_add(steps, step_to_json(&p->steps[i], with_jobs));
	js_set_obj(o, "steps", steps);
	buf_free(&nodes);
	return o;
}

json_object *plan_to_json(const struct plan *p)
{
	return plan_json_head(p, true);
}

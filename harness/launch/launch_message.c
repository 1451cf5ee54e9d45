/* The message that commands a job (harness/README.md has its fields). */
#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/launch/launch_parts.h"

static double inject_of(const struct step_run *r, const struct plan_job *job)
{
	const struct plan *p = r->l->p.plan;
	const char *node = r->l->p.inject_node;
	const char *bench = p->inject_bench;

	if (p->inject <= 1 || (bench && strcmp(bench, "*") != 0 &&
	                       strcmp(bench, step_entry(r, job)->info->name) != 0))
		return 1;
	for (int i = 0; node && i < job->n_ranks; i++)
		if (strcmp(r->host[job->ranks[i]], node) == 0)
			return p->inject;
	return node ? 1 : p->inject;
}

static void add_cases(const struct step_run *r, size_t j, json_object *msg)
{
	const struct plan_job *job = &r->step->jobs[j];
	const struct bench_info *info = step_entry(r, job)->info;
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < job->cases.n; i++) {
		json_object *c = json_object_new_object();
		if (r->ended[r->unit_at[j] + i]) {
			js_put(c);
			continue;
		}
		js_set_u64(c, "unit", job->first_unit + i);
		js_set_u64(c, "bytes", job->cases.v[i].bytes);
		js_set_obj(c, "opts", opt_to_json(info->opts, job->cases.v[i].opts, 0));
		json_object_array_add(list, c);
	}
	js_set_obj(msg, "cases", list);
}

/* A node, or where both sides are on one the rank on it: the grammar of every endpoint. */
static void set_endpoint(const struct step_run *r, json_object *msg, const char *name, int rank,
                         bool with_rank)
{
	char *text = with_rank ? hb_format("%s/rank%d", r->host[rank], rank)
	                       : hb_strdup(r->host[rank]);

	js_set_str(msg, name, text);
	free(text);
}

/* Ranks are told by the launcher's numbers; by files, where nobody knows those yet, by seats. */
static int step_rank_told(const struct step_run *r, int seat)
{
	return r->files ? seat : r->world[seat];
}

static void add_subject(const struct step_run *r, const struct plan_job *job, json_object *msg)
{
	const struct bench_info *info = step_entry(r, job)->info;
	json_object *ranks = json_object_new_array();
	bool one_node = info->shape == BENCH_PAIR && plan_within_node(r->step, job);

	for (int i = 0; i < job->n_ranks; i++)
		json_object_array_add(ranks, json_object_new_int(step_rank_told(r, job->ranks[i])));
	js_set_str(msg, "bench", info->name);
	js_set_obj(msg, "ranks", ranks);
	if (info->shape == BENCH_GROUP)
		js_set_str(msg, "a", "cluster");
	else
		set_endpoint(r, msg, "a", job->ranks[0], one_node);
	if (info->shape == BENCH_PAIR) {
		set_endpoint(r, msg, "b", job->ranks[1], one_node);
		js_set_str(msg, "dir", job->dir);
	}
	js_set_i64(msg, "round", job->round);
}

/* [node, address or null, port or 0] of each rank of the job, in its order. */
static void add_peers(const struct step_run *r, const struct plan_job *job, json_object *msg)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < job->n_ranks; i++) {
		int seat = job->ranks[i];
		const struct step_port *p = &r->port[seat];
		json_object *one = json_object_new_array();
		json_object_array_add(one, js_str(r->host[seat]));
		json_object_array_add(one, p->address ? js_str(p->address) : NULL);
		json_object_array_add(one, json_object_new_int(p->port));
		json_object_array_add(list, one);
	}
	js_set_obj(msg, "peers", list);
}

json_object *step_quit_message(void)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", "quit");
	return o;
}

json_object *step_job_message(const struct step_run *r, size_t j)
{
	const struct plan_job *job = &r->step->jobs[j];
	const struct suite_entry *e = step_entry(r, job);
	json_object *msg = json_object_new_object();
	struct rng rng;

	rng_stream(&rng, r->l->p.plan->seed, job->id, 0);
	js_set_str(msg, "msg", "job");
	js_set_u64(msg, "job", job->id);
	js_set_str(msg, "phase", phase_name(job->phase));
	js_set_u64(msg, "step", r->step->id);
	js_set_u64(msg, "attempt", r->tries[j]);
	add_subject(r, job, msg);
	js_set_u64(msg, "seed", rng_u64(&rng));
	js_set_f64(msg, "precision", e->precision);
	js_set_f64(msg, "max_time", e->max_time_s);
	js_set_u64(msg, "max_iters", e->max_iters);
	js_set_f64(msg, "deadline", e->deadline_s);
	js_set_bool(msg, "verify", e->verify);
	js_set_f64(msg, "inject", inject_of(r, job));
	/* Which repetition of a confirming rerun; 0 in the main part. */
	bool rerun = job->phase == PHASE_CONFIRM || job->phase == PHASE_CONTROL;
	js_set_i64(msg, "repeat", rerun ? job->repeat + 1 : 0);
	add_cases(r, j, msg);
	if (e->info->flags & BENCH_MEETS)
		add_peers(r, job, msg);
	return msg;
}

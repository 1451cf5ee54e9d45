/* `hpcbench run --dry-run`: the steps, their exact argument vectors, the jobs, the time. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_report.h"
#include "harness/cmd/cmd_run.h"
#include "harness/measure/measure_forecast.h"
#include "harness/report/report_parts.h"

enum { JOBS_SHOWN = 40 };

/* For reading, and for pasting where it needs no quotes. */
static void put_words(struct buf *out, char *const *words)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789_-./:=,+@%[]";

	for (size_t i = 0; words && words[i]; i++) {
		const char *w = words[i];
		bool bare = *w && strspn(w, plain) == strlen(w);
		buf_printf(out, "%s%s%s%s", i ? " " : "", bare ? "" : "'", w, bare ? "" : "'");
	}
}

static json_object *words_json(char *const *words)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; words && words[i]; i++)
		json_object_array_add(list, js_str(words[i]));
	return list;
}

static void put_command(struct doc *d, json_object *o, const struct measure *m,
                        const struct plan_step *step)
{
	struct launch_what w = { &m->site, &m->plan, step, NULL };
	struct launch_reach reach = { .attempt = 1, .files = m->req.files ? "..." : NULL };
	struct launch_command c;
	struct buf line = BUF_INIT;
	struct hb_err err;

	if (launch_command_make(&w, &reach, &c, &err) != HB_OK) {
		doc_text(d, DOC_WARN, "skipped: %s", err.text);
		js_set_str(o, "skipped", err.text);
		return;
	}
	put_words(&line, c.argv);
	doc_text(d, DOC_PLAIN, "%s", buf_text(&line));
	buf_clear(&line);
	put_words(&line, c.env);
	doc_fact(d, "environment", "%s", buf_text(&line));
	js_set_obj(o, "argv", words_json(c.argv));
	js_set_obj(o, "environment", words_json(c.env));
	buf_free(&line);
	launch_command_free(&c);
}

static void put_jobs(struct doc *d, json_object *o, const struct measure *m,
                     const struct plan_step *step)
{
	static const char *const titles[] = { "benchmark", "subject", ">round", ">cases", NULL };
	json_object *list = json_object_new_array();

	doc_table(d, titles);
	for (size_t j = 0; j < step->n_jobs; j++) {
		const struct plan_job *job = &step->jobs[j];
		const char *bench = m->suite.entries[job->entry].info->name;
		struct buf subject = BUF_INIT;
		json_object *one = json_object_new_object();
		plan_job_subject(&m->plan, step, job, &subject);
		js_set_u64(one, "job", job->id);
		js_set_str(one, "bench", bench);
		js_set_str(one, "subject", buf_text(&subject));
		js_set_i64(one, "round", job->round);
		js_set_u64(one, "cases", job->cases.n);
		json_object_array_add(list, one);
		if (j < JOBS_SHOWN) {
			doc_cell(d, DOC_PLAIN, "%s", bench);
			doc_cell(d, DOC_PLAIN, "%s", buf_text(&subject));
			if (job->round >= 0)
				doc_cell(d, DOC_PLAIN, "%lld", (long long)job->round + 1);
			else
				doc_cell(d, DOC_PLAIN, "%s", "");
			doc_cell(d, DOC_PLAIN, "%zu", job->cases.n);
		}
		buf_free(&subject);
	}
	if (step->n_jobs > JOBS_SHOWN)
		doc_text(d, DOC_DIM, "and %zu jobs more; --json shows all",
		         step->n_jobs - JOBS_SHOWN);
	js_set_obj(o, "jobs", list);
}

static json_object *put_step(struct doc *d, const struct measure *m, const struct plan_step *step)
{
	json_object *o = json_object_new_object();

	doc_heading(d, 2, "Step %llu: hpcbench-%s, %d %s", (unsigned long long)step->id,
	            step->helper, step->n_ranks, step->n_ranks == 1 ? "rank" : "ranks");
	js_set_u64(o, "step", step->id);
	js_set_str(o, "helper", step->helper);
	js_set_i64(o, "ranks", step->n_ranks);
	js_set_f64(o, "deadline", step->deadline_s);
	put_command(d, o, m, step);
	put_jobs(d, o, m, step);
	return o;
}

/* Which part of the nodes this is, and which of them come in a later run. */
static void put_left_out(struct doc *d, const struct measure *m)
{
	struct buf later = BUF_INIT;

	if (m->req.shards) {
		doc_fact(d, "shard", "%d of %d of %s", m->req.shard, m->req.shards, m->shard_of);
		js_set_i64(d->data, "shard", m->req.shard);
		js_set_i64(d->data, "shards", m->req.shards);
	}
	if (m->plan.later.n) {
		nodeset_format(&m->plan.later, &later);
		report_later(d, buf_text(&later), m->plan.later_runs);
		js_set_str(d->data, "later", buf_text(&later));
		js_set_i64(d->data, "later_runs", m->plan.later_runs);
		buf_free(&later);
	}
	if (m->plan.max_pairs > 0) {
		doc_fact(d, "pairs at once", "at most %d", m->plan.max_pairs);
		js_set_i64(d->data, "max_pairs", m->plan.max_pairs);
	}
	if (m->polite_note)
		doc_text(d, DOC_PLAIN, "%s", m->polite_note);
	if (m->ledger_note)
		doc_text(d, DOC_WARN, "%s", m->ledger_note);
}

/* Who meets whom, a line each: shape, controls, leaves. */
static void put_shape(struct doc *d, const struct plan *p)
{
	struct nodeset controls = { 0 };
	struct buf text = BUF_INIT;

	for (size_t i = 0; p->role && i < p->nodes.n; i++) {
		if (p->role[i] != ROLE_CONTROL)
			continue;
		hb_grow(&controls.v, &controls.cap, controls.n + 1, sizeof *controls.v);
		controls.v[controls.n++] = p->nodes.v[i];
	}
	nodeset_format(&controls, &text);
	if (p->role) {
		doc_fact(d, "shape", "%s", plan_shape_name(p->shape));
		doc_fact(d, "controls", "%s", buf_text(&text));
		js_set_str(d->data, "controls", buf_text(&text));
	}
	js_set_str(d->data, "shape", plan_shape_name(p->shape));
	if (p->topo.n_leaves) {
		doc_fact(d, "leaves", "%zu, routing %s (%s)", p->topo.n_leaves,
		         topo_routing_name(p->topo.routing), p->topo.source);
		js_set_obj(d->data, "topology", topo_to_json(&p->topo));
	}
	free(controls.v); /* its names are borrowed */
	buf_free(&text);
}

/* One line: what is planned, what may join it, and what nobody can know before. */
static void put_time(struct doc *d, const struct measure *m, const struct measure_forecast *f)
{
	struct buf text = BUF_INIT;
	char time[32];

	units_format_duration(m->plan.predicted_s, time, sizeof time);
	buf_puts(&text, time);
	if (f->most_s > m->plan.predicted_s) {
		units_format_duration(f->most_s, time, sizeof time);
		buf_printf(&text, "; at most %s with ", time);
		if (f->more.pairs)
			buf_printf(&text, "%zu extra pairs%s", f->more.pairs,
			           f->more.suspects ? " a benchmark and " : " a benchmark");
		if (f->more.suspects)
			buf_printf(&text, "the rerun of %zu suspect%s", f->more.suspects,
			           report_plural(f->more.suspects));
	}
	buf_printf(&text, "; %srelaunches and hangs come on top",
	           f->allocates ? "waiting for the allocation, " : "");
	doc_fact(d, "predicted time", "%s", buf_text(&text));
	js_set_f64(d->data, "predicted_s", m->plan.predicted_s);
	js_set_f64(d->data, "predicted_most_s", f->most_s);
	js_set_f64(d->data, "extra_s", f->more.extra_s);
	js_set_u64(d->data, "extra_pairs", f->more.pairs);
	js_set_f64(d->data, "confirm_s", f->more.confirm_s);
	js_set_u64(d->data, "confirm_suspects", f->more.suspects);
	js_set_bool(d->data, "allocates", f->allocates);
	buf_free(&text);
}

int cmd_run_dry(const struct common *common, const struct measure *m)
{
	struct doc *d = doc_new("Dry run: nothing is started");
	json_object *steps = json_object_new_array();
	struct buf nodes = BUF_INIT;
	struct measure_forecast f;

	measure_forecast(m, &f);
	d->data = cmd_json("dry-run");
	nodeset_format(&m->plan.nodes, &nodes);
	doc_fact(d, "suite", "%s", m->suite.name);
	doc_fact(d, "launcher", "%s", m->req.launcher);
	doc_fact(d, "nodes", "%s", buf_text(&nodes));
	doc_fact(d, "seed", "%llu", (unsigned long long)m->plan.seed);
	put_time(d, m, &f);
	if (m->budget_note)
		doc_fact(d, "budget", "%s", m->budget_note);
	if (m->suite.note)
		doc_fact(d, "sizes", "%s", m->suite.note);
	js_set_str(d->data, "suite", m->suite.name);
	js_set_str(d->data, "launcher", m->req.launcher);
	js_set_str(d->data, "nodes", buf_text(&nodes));
	js_set_u64(d->data, "seed", m->plan.seed);
	put_shape(d, &m->plan);
	put_left_out(d, m);
	const struct report_detect found = { m->has_base ? m->req.baseline : NULL, &f.detect,
		                             &f.params, f.rounds };
	report_detect(d, &found);
	for (size_t i = 0; i < m->plan.n_steps; i++)
		json_object_array_add(steps, put_step(d, m, &m->plan.steps[i]));
	js_set_obj(d->data, "steps", steps);
	cmd_print(common, d);
	doc_free(d);
	measure_forecast_free(&f);
	buf_free(&nodes);
	return CODE_OK;
}

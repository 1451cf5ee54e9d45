#include "harness/measure/measure_parts.h"

#include <math.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/cmd/cmd_report.h"
#include "harness/collect/collect.h"
#include "harness/judge/compare.h"
#include "harness/launch/wait.h"
#include "harness/measure/measure_choose.h"
#include "harness/report/report_probe.h"

/* ---- before anything is measured ---- */

static int load_suite(struct measure *m, struct hb_err *err)
{
	const struct measure_request *r = &m->req;
	bool by_name = r->bench && !r->suite;
	int rc = by_name ? suite_of_benches(r->bench, &m->suite, err)
	                 : suite_load(r->suite ? r->suite : "quick", &m->suite, err);

	if (rc == HB_OK)
		rc = suite_override(&m->suite, by_name ? NULL : r->bench, r->sizes, r->precision,
		                    r->max_time_s, err);
	return rc;
}

/* The node that this process runs on, as Slurm or the host calls it. */
static void own_name(char out[256])
{
	const char *slurm = getenv("SLURMD_NODENAME");

	out[0] = '\0';
	if (slurm && *slurm)
		snprintf(out, 256, "%s", slurm);
	else
		gethostname(out, 255);
	out[255] = '\0';
	if (!slurm || !*slurm)
		out[strcspn(out, ".")] = '\0';
}

static enum plan_shape shape_of(const struct measure *m)
{
	const struct measure_request *r = &m->req;
	int shape = r->shape >= 0 ? r->shape : m->suite.shape;

	if (shape < 0)
		shape = r->controls ? SHAPE_STAR_AND_ROUNDS : SHAPE_ROUNDS;
	return (enum plan_shape)shape;
}

static int make_plan(struct measure *m, const struct store *s, struct hb_err *err)
{
	struct measure_choice choice;
	const struct measure_request *r = &m->req;
	struct nodeset controls = { 0 };
	struct topo topo = { 0 };
	char own[256];
	struct plan_params p = {
		.seed = r->seed,
		.rounds = r->rounds >= 0 ? r->rounds : m->suite.rounds,
		.max_pairs = r->max_pairs >= 0 ? r->max_pairs : m->suite.max_pairs,
		.own = m->site.ops->remote ? own : NULL,
		.at_once = m->site.ops->at_once,
		.absent = m->absent,
		.n_absent = m->n_absent,
		.shape = shape_of(m),
		.hold_groups = r->hold_groups,
		.topo = &topo,
		.controls = r->controls ? &controls : NULL,
	};

	own_name(own);
	int rc = HB_OK;

	if (r->controls && *r->controls && nodeset_parse(r->controls, &controls, err) != HB_OK)
		rc = hb_fail_in(err, "--controls");
	if (rc == HB_OK && !r->topology && m->site.ops == &launcher_sim)
		rc = launch_sim_topo(m->site.arg, &topo, err);
	else if (rc == HB_OK)
		rc = topo_choose(r->topology, m->site.ops == &launcher_srun, &m->nodes,
		                 r->signal_fd, &topo, &m->topo_note, err);
	if (rc == HB_OK) {
		measure_polite(m, &p);
		rc = measure_choose(m, s, &p, &choice, err);
		if (rc == HB_OK)
			rc = plan_make(&m->suite, &m->nodes, r->launcher, &p, &m->plan, err);
		measure_choice_free(&choice);
	}
	topo_free(&topo);
	nodeset_free(&controls);
	if (rc != HB_OK || !r->inject)
		return rc;
	m->plan.inject = r->inject->factor;
	m->plan.inject_bench = r->inject->bench;
	if (r->inject->node && nodeset_find(&m->nodes, r->inject->node) < 0)
		return hb_fail(err, HB_E_USAGE, "--inject: node '%.64s' is not measured",
		               r->inject->node);
	return HB_OK;
}

/* A new run's suite and nodes. */
static int prepare_new(struct measure *m, struct hb_err *err)
{
	int rc = launcher_find(m->req.launcher, &m->site.ops, &m->site.arg, err);

	if (rc == HB_OK)
		rc = load_suite(m, err);
	return rc == HB_OK ? measure_nodes(m, err) : rc;
}

int measure_prepare(const struct measure_request *req, const struct store *s, struct measure *m,
                    int *code, struct hb_err *err)
{
	bool missing;
	int rc = HB_OK;

	*m = (struct measure){ .req = *req };
	summary_init(&m->summary);
	m->site = (struct launch_site){ .alloc = req->alloc,
		                        .step = req->step,
		                        .n_alloc = req->n_alloc,
		                        .n_step = req->n_step,
		                        .profile = req->profile,
		                        .max_wait_s = req->max_wait_s,
		                        .resume = req->resume != NULL,
		                        .signal_fd = req->signal_fd };
	if (req->resume)
		rc = measure_resume_find(s, req->resume, &m->dir, err);
	if (rc == HB_OK && m->dir) /* before it is read what is done */
		rc = store_run_lock(m->dir, &m->lock, err);
	if (rc == HB_OK)
		rc = m->dir ? measure_resume(m, err) : prepare_new(m, err);
	if (rc == HB_OK && req->files && m->site.ops->channel_only)
		rc = hb_fail(err, HB_E_USAGE,
		             "--records files: launcher %s knows the control channel only",
		             m->site.ops->name);
	bool lacks_base = false;
	if (rc == HB_OK && m->req.baseline) {
		rc = load_baseline(s, m->req.baseline, &m->base, &missing, err);
		m->has_base = rc == HB_OK;
		lacks_base = !m->has_base;
	}
	if (rc == HB_OK)
		rc = diagnose_data_load(req->rules, &m->causes, err);
	if (rc == HB_OK && !m->dir)
		rc = make_plan(m, s, err);
	if (rc == HB_OK)
		rc = measure_accept_check(m, err);
	/* What is wrong with the words or files that were given is for whoever gave them. */
	*code = lacks_base                                               ? CODE_NO_BASELINE
	        : rc == HB_E_USAGE || rc == HB_E_FORMAT || rc == HB_E_IO ? CODE_USAGE
	                                                                 : CODE_BROKEN;
	if (rc != HB_OK)
		measure_free(m);
	return rc;
}

void measure_free(struct measure *m)
{
	measure_resume_free(m);
	measure_store_close(m, NULL);
	for (size_t i = 0; i < m->n_steps; i++)
		free(m->steps[i].reason);
	free(m->steps);
	measure_decide_not(m);
	measure_diagnose_not(m);
	verdicts_free(&m->verdicts);
	findings_free(&m->findings);
	sheets_free(&m->sheets);
	run_told_free(&m->told);
	summary_free(&m->summary);
	if (m->has_base)
		baseline_free(&m->base);
	acks_free(&m->acks);
	diagnose_data_free(&m->causes);
	if (m->plan.suite)
		plan_free(&m->plan);
	for (size_t i = 0; i < m->n_absent; i++) {
		free(m->absent[i].node);
		free(m->absent[i].reason);
	}
	free(m->absent);
	launch_site_close(&m->site);
	nodeset_free(&m->nodes);
	suite_free(&m->suite);
	free(m->id);
	free(m->dir);
	free(m->started);
	free(m->shard_of);
	free(m->budget_note);
	free(m->polite_note);
	free(m->topo_note);
	free(m->ledger_note);
	*m = (struct measure){ 0 };
}

/* ---- measuring ---- */

static int run_some(struct measure *m, struct launch *l, size_t n, struct hb_err *err)
{
	struct launch_result *s;
	int rc;

	hb_grow(&m->steps, &m->cap_steps, m->n_steps + n, sizeof *m->steps);
	s = &m->steps[m->n_steps];
	rc = launch_steps(l, m->n_steps, n, s, err);
	m->n_steps += n;
	m->broken = m->broken || rc != HB_OK;
	m->signal = launch_signal(l);
	for (size_t i = 0; i < n; i++) {
		enum step_status status = s[i].status;
		m->broken = m->broken || status == STEP_FAILED;
		if (m->req.note && s[i].reason && status != STEP_CANCELLED)
			m->req.note(m->req.ctx, status == STEP_FAILED ? "error" : "warn",
			            s[i].reason);
	}
	return rc;
}

/* Were the next n steps measured before? */
static bool all_done(const struct measure *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!measure_step_done(m, m->n_steps + i))
			return false;
	return true;
}

static void take_past(struct measure *m, size_t n)
{
	hb_grow(&m->steps, &m->cap_steps, m->n_steps + n, sizeof *m->steps);
	for (; n > 0; n--, m->n_steps++) {
		m->steps[m->n_steps] = m->past_steps[m->n_steps];
		m->past_steps[m->n_steps].reason = NULL;
	}
}

int measure_steps(struct measure *m, struct launch *l, struct hb_err *err)
{
	int rc = HB_OK;

	while (rc == HB_OK && m->n_steps < m->plan.n_steps && !m->signal) {
		size_t n = plan_together(&m->plan, m->n_steps);
		if (all_done(m, n))
			take_past(m, n);
		else
			rc = run_some(m, l, n, err);
	}
	return rc;
}

/* From the records to the summary, and the verdicts if there is a baseline. */
int measure_collect(struct measure *m, struct hb_err *err)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	const struct summary *one = &m->summary;
	int rc;

	measure_diagnose_not(m);
	verdicts_free(&m->verdicts); /* its rows borrow from the summary */
	m->verdicts = (struct verdicts){ 0 };
	m->judged = false;
	measure_decide_not(m); /* as do decisions, and they from all of these */
	findings_free(&m->findings);
	sheets_free(&m->sheets);
	run_told_free(&m->told);
	summary_free(&m->summary);
	m->has_summary = false;
	measure_store_settle(m);
	rc = measure_write_run(m, false, err);
	measure_store_settle(m);
	if (!m->dir)
		return hb_fail(err, HB_E_IO, "the run could not be saved");
	if (rc == HB_OK)
		rc = collect_run_sheets(m->dir, &m->summary, &m->sheets, &m->told, err);
	m->has_summary = rc == HB_OK;
	if (rc != HB_OK)
		summary_init(&m->summary);
	else
		rc = measure_write_summary(m, err);
	if (rc == HB_OK && m->has_base && !m->req.facts_only) {
		compare_runs(&m->base, &one, 1, &params, &m->verdicts);
		compare_confirm(&m->verdicts, &m->base, &m->summary, &params);
		m->judged = true;
	}
	if (rc == HB_OK)
		findings_make(&m->sheets, m->has_base ? &m->base : NULL, &m->findings);
	if (m->has_summary) {
		acks_mark(&m->acks, &m->summary, 1, m->judged ? &m->verdicts : NULL);
		acks_mark_findings(&m->acks, &m->summary, 1, &m->findings);
		measure_decide(m);
	}
	return rc;
}

static int exit_code(const struct measure *m)
{
	const struct summary *one = &m->summary;
	struct code_input in = { .broken = true, .signal = m->signal };

	if (m->signal || m->broken || !m->has_summary)
		return code_of(&in);
	int code = report_run_code(&one, 1, m->judged ? &m->verdicts : NULL,
	                           m->req.baseline != NULL, false);
	if (m->req.facts_only || report_is_probe(one, &m->told.facts))
		code = report_probe_code(one, &m->told.facts);
	else
		code = m->accepting ? accept_code(&m->acceptance)
		                    : code_worse(code, findings_code(&m->findings));
	return m->why.known ? code_worse(code, diagnosis_code(&m->why.d)) : code;
}

static int new_run(struct measure *m, const struct store *s, struct hb_err *err)
{
	char now[32];
	char *tight = NULL;
	int rc = store_room(s, plan_bytes(&m->plan), &tight, err);

	if (rc == HB_OK && tight && m->req.note)
		m->req.note(m->req.ctx, "warn", tight);
	free(tight);
	if (rc == HB_OK)
		rc = store_run_new(s, &m->id, &m->dir, err);
	if (rc == HB_OK)
		rc = measure_store_open(m, err);
	if (rc != HB_OK)
		return rc;
	measure_now(now);
	m->started = hb_strdup(now);
	free(m->plan.run);
	m->plan.run = hb_strdup(m->id);
	return measure_write_plan(m, err);
}

/* The run's folder and logs; then, unless there is nothing to start, what the launcher needs. */
static int open_run(struct measure *m, const struct store *s, struct launch **l, struct hb_err *err)
{
	int rc = m->dir ? measure_store_open(m, err) : new_run(m, s, err);

	acks_free(&m->acks);
	acks_load(s->path, time(NULL), &m->acks);
	m->site.memory = s->path;
	m->site.signal_fd = m->req.signal_fd;
	m->site.note = m->req.note;
	m->site.ctx = m->req.ctx;
	struct launch_params p = { .run = m->id,
		                   .dir = m->dir,
		                   .writer = m->writer,
		                   .site = &m->site,
		                   .plan = &m->plan,
		                   .files = m->req.files,
		                   .control_address = m->req.control_address,
		                   .port_lo = m->req.port_lo,
		                   .port_hi = m->req.port_hi,
		                   .budget_s = m->req.budget_s,
		                   .past = m->past.ended ? &m->past : NULL,
		                   .inject_node = m->req.inject ? m->req.inject->node : NULL,
		                   .signal_fd = m->req.signal_fd,
		                   .progress = m->req.progress,
		                   .note = m->req.note,
		                   .output = m->req.output,
		                   .ctx = m->req.ctx };
	/* Whoever dies from here on leaves a run that can be resumed. */
	if (rc == HB_OK)
		rc = measure_write_run(m, false, err);
	if (rc == HB_OK)
		rc = launch_open(&p, l, err);
	if (rc != HB_OK || (m->past.ended && measure_nothing_left(m)))
		return rc;
	rc = launch_ready(*l, err);
	if (rc == HB_OK)
		rc = measure_write_run(m, false, err); /* the job's id is known now */
	if (rc != HB_OK) {
		m->signal = launch_signal(*l); /* while it waited for nodes */
		launch_close(*l, NULL);
		*l = NULL;
	}
	return rc;
}

/* Verdicts, run.json with its code, the journal's last line. */
static int close_run(struct measure *m, struct launch *l, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int rc = HB_OK;

	measure_diagnose(m);
	m->code = exit_code(m);
	if (m->judged)
		rc = measure_write(m, "verdicts.json", verdicts_to_json(&m->verdicts), err);
	if (rc == HB_OK && (m->sheets.n || m->why.known))
		rc = measure_write(m, "findings.json", measure_findings_json(m), err);
	if (rc == HB_OK && m->told.facts.n_rows)
		rc = measure_write(m, "facts.json", facts_to_json(&m->told.facts, FACTS_ALL), err);
	if (rc == HB_OK)
		rc = measure_write_run(m, true, err);
	js_set_str(o, "type", "end");
	js_set_str(o, "run", m->id);
	js_set_i64(o, "code", m->code);
	if (rc == HB_OK)
		rc = launch_journal(l, o, err);
	js_put(o);
	return rc;
}

int measure_run(struct measure *m, const struct store *s, struct hb_err *err)
{
	struct launch *l = NULL;
	struct hb_err late;
	int rc = open_run(m, s, &l, err);

	if (rc != HB_OK) {
		m->broken = true;
		measure_store_close(m, NULL);
		m->code = exit_code(m);
		return rc;
	}
	rc = measure_steps(m, l, err);
	/* Also after a failure: what is there is collected, the first error is the one told. */
	int rc_after = measure_collect(m, rc == HB_OK ? err : &late);
	rc = rc == HB_OK ? rc_after : rc;
	if (rc == HB_OK)
		rc = measure_again(m, l, err);
	if (rc == HB_OK)
		rc = measure_extra(m, l, err);
	if (rc == HB_OK)
		rc = measure_confirm(m, l, err);
	if (rc == HB_OK)
		rc = measure_accept(m, l, err);
	m->broken = m->broken || rc != HB_OK;
	rc_after = close_run(m, l, rc == HB_OK ? err : &late);
	rc = rc == HB_OK ? rc_after : rc;
	measure_cover(m, s);
	rc_after = launch_close(l, rc == HB_OK ? err : &late);
	rc = rc == HB_OK ? rc_after : rc;
	/* Where the store failed, what was told so far is less than where the run is now. */
	rc_after = measure_store_close(m, &late);
	if (rc_after != HB_OK)
		*err = late;
	rc = rc_after != HB_OK ? rc_after : rc;
	m->broken = m->broken || rc != HB_OK;
	m->code = exit_code(m);
	return rc;
}

/*
 * --resume: going on with a run that ended before its work, however it ended. What is measured and
 * where comes from the run; what of it is done, from its records: they reach the disk before the
 * journal speaks of them, so that nothing which was told is measured again.
 */
#include <sys/stat.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "harness/measure/measure_parts.h"
#include "harness/store/lines.h"

enum { RUN_FILE_MAX = 16 << 20 };

/* ---- which run ---- */

/* The Slurm job that this process runs in; 0: none. */
static uint64_t own_job(void)
{
	const char *v = getenv("SLURM_JOB_ID");

	if (!v || !*v || strspn(v, "0123456789") != strlen(v) || strlen(v) > 18)
		return 0;
	return strtoull(v, NULL, 10);
}

/* run.json, NULL where there is none that can be read. */
static json_object *read_about(const char *dir)
{
	char *path = hb_format("%s/run.json", dir);
	json_object *o = NULL;

	if (js_read_file(path, RUN_FILE_MAX, &o, NULL) != HB_OK)
		o = NULL;
	free(path);
	return o;
}

static bool of_job(const char *dir, uint64_t job)
{
	const struct js_at at = JS_AT_TOP("run.json");
	json_object *o = read_about(dir);
	uint64_t id = 0;

	if (o && js_get_u64(o, &at, "job", JS_OPTIONAL, &id, NULL) != HB_OK)
		id = 0;
	js_put(o);
	return id == job;
}

int measure_resume_find(const struct store *s, const char *name, char **dir, struct hb_err *err)
{
	uint64_t job = own_job();
	char **ids;
	size_t n;

	*dir = NULL;
	if (strcmp(name, "job") != 0)
		return store_run_find(s, name, dir, err);
	if (!job)
		return hb_fail(err, HB_E_USAGE,
		               "--resume job: this is not inside a Slurm job; name the run");
	int rc = store_run_list(s, &ids, &n, err);
	if (rc != HB_OK)
		return rc;
	for (size_t i = n; i-- > 0 && !*dir;) {
		char *at = hb_format("%s/runs/%s", s->path, ids[i]);
		if (of_job(at, job))
			*dir = at;
		else
			free(at);
	}
	store_dirs_free(ids, n);
	return HB_OK;
}

/* ---- what it was asked ---- */

/* It stays the part of the nodes that it was. */
static int take_shard(struct measure *m, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("run.json");
	struct summary s = { 0 };
	int rc = summary_shard_read(m->about, &at, &s, err);

	m->req.shard = s.shard;
	m->req.shards = s.shards;
	m->shard_of = s.shard_of;
	return rc;
}

/* A run goes on with the profile it began with. */
static int take_profile(struct measure *m, const struct js_at *at, struct hb_err *err)
{
	const struct config *c = m->req.config;
	const char *name = NULL;
	int rc = js_get_str(m->about, at, "profile", JS_OPTIONAL, &name, err);

	if (rc != HB_OK)
		return rc;
	m->req.profile = name && c ? config_profile(c, name) : NULL;
	m->site.profile = m->req.profile;
	if (name && !m->req.profile)
		return hb_fail(err, HB_E_USAGE,
		               "the run was measured with the profile '%.64s', which is not in the "
		               "configuration; hpcbench config shows those that are",
		               name);
	return HB_OK;
}

/* Strings are borrowed from m->about. */
static int take_request(struct measure *m, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("run.json");
	struct measure_request *r = &m->req;
	json_object *o = m->about;
	const char *started = NULL, *inject = NULL, *baseline = NULL;
	bool named = false;
	int rc = js_get_str(o, &at, "launcher", JS_REQUIRED, &r->launcher, err);

	if (rc == HB_OK)
		rc = take_profile(m, &at, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &at, "label", JS_OPTIONAL, &r->label, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &at, "baseline", JS_OPTIONAL, &baseline, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &at, "started", JS_OPTIONAL, &started, err);
	if (rc == HB_OK)
		rc = js_get_bool(o, &at, "named", JS_OPTIONAL, &named, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &at, "inject", JS_OPTIONAL, &inject, err);
	if (rc == HB_OK && inject) {
		rc = measure_inject_parse(inject, &m->past_inject, err);
		r->inject = &m->past_inject;
	}
	if (rc == HB_OK)
		rc = take_shard(m, err);
	if (rc != HB_OK)
		return rc;
	if (!r->baseline)
		r->baseline = baseline;
	r->bench = named ? m->plan.suite->name : NULL;
	m->started = started ? hb_strdup(started) : NULL;
	return HB_OK;
}

static int load_plan(struct measure *m, struct hb_err *err)
{
	char *path = hb_format("%s/plan.json", m->dir);
	int rc = plan_read(path, &m->suite, &m->plan, err);

	free(path);
	if (rc != HB_OK)
		return rc;
	m->id = m->plan.run ? hb_strdup(m->plan.run) : NULL;
	return m->id ? HB_OK : hb_fail(err, HB_E_FORMAT, "%s/plan.json: run is missing", m->dir);
}

/* ---- what is done ---- */

struct journal {
	struct measure *m;
	struct js_parser *parser;
};

/* The latest word about a step; a line that is none of ours is passed over. */
static int take_journal(void *ctx, const struct line *line, struct hb_err *none)
{
	static const char *const words[] = { "done", "partial", "skipped", "failed", "cancelled" };
	const struct js_at at = JS_AT_TOP("journal.jsonl");
	struct journal *j = ctx;
	struct measure *m = j->m;
	const char *text = line->text;
	size_t len = line->len;
	const char *type = "", *status = "", *reason = NULL;
	uint64_t step = 0, attempt = 0;
	json_object *o = NULL;

	/* Nearly all lines are about jobs and units. */
	if (!text || !memmem(text, len, "\"step-", 6) ||
	    js_parser_line(j->parser, text, len, "journal.jsonl", &o, none) != HB_OK)
		return HB_OK;
	if (js_get_str(o, &at, "type", JS_REQUIRED, &type, none) == HB_OK &&
	    js_get_u64(o, &at, "step", JS_REQUIRED, &step, none) == HB_OK &&
	    js_get_u64(o, &at, "attempt", JS_REQUIRED, &attempt, none) == HB_OK && step >= 1 &&
	    step <= m->plan.n_steps) {
		struct launch_result *r = &m->past_steps[step - 1];
		if (attempt > m->past.attempts[step - 1])
			m->past.attempts[step - 1] = attempt;
		if (strcmp(type, "step-end") == 0 &&
		    js_get_str(o, &at, "status", JS_OPTIONAL, &status, none) == HB_OK &&
		    js_get_str(o, &at, "reason", JS_OPTIONAL, &reason, none) == HB_OK) {
			for (int i = 0; i < 5; i++)
				if (strcmp(status, words[i]) == 0)
					r->status = (enum step_status)i;
			free(r->reason);
			r->reason = reason ? hb_strdup(reason) : NULL;
		}
	}
	js_put(o);
	return HB_OK;
}

/* Is there such a file in the run, with something in it? */
static bool has_file(const struct measure *m, const char *name)
{
	char *path = hb_format("%s/%s", m->dir, name);
	struct stat st;
	bool has = stat(path, &st) == 0 && st.st_size > 0;

	free(path);
	return has;
}

static int read_past(struct measure *m, struct hb_err *err)
{
	uint64_t n = m->plan.next_unit;
	struct journal j = { m, js_parser_new() };
	char *path = hb_format("%s/journal.jsonl", m->dir);

	m->past.n_steps = m->plan.n_steps;
	m->past.attempts = hb_alloc((m->plan.n_steps + 1) * sizeof *m->past.attempts);
	m->past.tries = hb_alloc((size_t)n * sizeof *m->past.tries);
	m->past.ended = hb_alloc((size_t)n);
	m->past_steps = hb_alloc((m->plan.n_steps + 1) * sizeof *m->past_steps);
	int rc = lines_read(path, JS_LINE_MAX, take_journal, &j, err);
	if (rc == HB_OK && !has_file(m, "records.jsonl") && has_file(m, "samples.jsonl"))
		rc = hb_fail(
		        err, HB_E_FORMAT,
		        "%s: records.jsonl is gone; what was measured cannot be told from what "
		        "was not: start a new run",
		        m->dir);
	if (rc == HB_OK)
		rc = collect_done(m->dir, m->past.tries, m->past.ended, n, err);
	js_parser_free(j.parser);
	free(path);
	return rc;
}

bool measure_step_done(const struct measure *m, size_t step)
{
	const struct plan_step *s = &m->plan.steps[step];

	if (!m->past.ended || step >= m->past.n_steps)
		return false;
	for (size_t j = 0; j < s->n_jobs; j++)
		for (size_t i = 0; i < s->jobs[j].cases.n; i++)
			if (!m->past.ended[s->jobs[j].first_unit + i])
				return false;
	return true;
}

bool measure_nothing_left(const struct measure *m)
{
	json_object *finished = NULL;
	bool partial = true;
	const struct js_at at = JS_AT_TOP("run.json");

	for (size_t i = 0; i < m->plan.n_steps; i++)
		if (!measure_step_done(m, i))
			return false;
	/* Extra pairs or a confirming rerun may be due where the main part ended and the run did
	 * not. */
	return (!m->has_base && !measure_extra_due(m)) ||
	       (json_object_object_get_ex(m->about, "finished", &finished) &&
	        js_get_bool(m->about, &at, "partial", JS_OPTIONAL, &partial, NULL) == HB_OK &&
	        !partial);
}

/* ---- the nodes now ---- */

/* Nodes of the plan that are out of reach now, each with the reason. */
static int look_at_nodes(struct measure *m, struct hb_err *err)
{
	struct buf wanted = BUF_INIT;
	int rc;

	nodeset_format(&m->plan.nodes, &wanted);
	rc = m->site.ops->nodes(&m->site, buf_text(&wanted), &m->nodes, &m->absent, &m->n_absent,
	                        err);
	buf_free(&wanted);
	m->past.gone = hb_alloc((m->plan.nodes.n + 1) * sizeof *m->past.gone);
	for (size_t i = 0; rc == HB_OK && i < m->n_absent; i++) {
		long node = nodeset_find(&m->plan.nodes, m->absent[i].node);
		if (node >= 0)
			m->past.gone[node] = m->absent[i].reason;
	}
	return rc;
}

int measure_resume(struct measure *m, struct hb_err *err)
{
	const struct js_at top = JS_AT_TOP("run.json");
	int rc = load_plan(m, err);

	if (rc != HB_OK)
		return rc;
	m->about = read_about(m->dir);
	if (!m->about)
		return hb_fail(err, HB_E_FORMAT,
		               "%s/run.json cannot be read, so nobody knows how this run was "
		               "started; start a new one",
		               m->dir);
	rc = take_request(m, err);
	if (rc == HB_OK)
		rc = launcher_find(m->req.launcher, &m->site.ops, &m->site.arg, err);
	/* From wherever this is said, it is the same file. */
	if (rc == HB_OK && m->site.arg)
		rc = js_get_str(m->about, &top, "launcher_file", JS_OPTIONAL, &m->site.arg, err);
	if (rc == HB_OK)
		rc = read_past(m, err);
	if (rc == HB_OK && m->req.inject) {
		m->plan.inject = m->req.inject->factor;
		m->plan.inject_bench = m->req.inject->bench;
	}
	return rc == HB_OK ? look_at_nodes(m, err) : rc;
}

void measure_resume_free(struct measure *m)
{
	for (size_t i = 0; m->past_steps && i < m->past.n_steps; i++)
		free(m->past_steps[i].reason);
	free(m->past_steps);
	free(m->past.attempts);
	free(m->past.tries);
	free(m->past.ended);
	free(m->past.gone);
	measure_inject_free(&m->past_inject);
	js_put(m->about);
}

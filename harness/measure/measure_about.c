/* run.json: who measured what, when, and what became of each step. */
#include <pwd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/measure/measure_parts.h"

void measure_now(char out[32])
{
	time_t t = time(NULL);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static int write_as(const struct measure *m, const char *name, enum js_style style, json_object *o,
                    struct hb_err *err)
{
	struct buf b = BUF_INIT;

	js_write(o, style, &b);
	if (b.len == 0 || b.data[b.len - 1] != '\n')
		buf_putc(&b, '\n');
	int rc = store_writer_file(m->writer, name, b.data, b.len, err);
	buf_free(&b);
	js_put(o);
	return rc;
}

int measure_write(const struct measure *m, const char *name, json_object *o, struct hb_err *err)
{
	return write_as(m, name, JS_PRETTY, o, err);
}

int measure_write_plan(const struct measure *m, struct hb_err *err)
{
	struct buf b = BUF_INIT;

	plan_write(&m->plan, &b);
	int rc = store_writer_file(m->writer, "plan.json", b.data, b.len, err);
	buf_free(&b);
	return rc;
}

/* One line: it is for machines and may be large. */
int measure_write_summary(const struct measure *m, struct hb_err *err)
{
	return write_as(m, "summary.json", JS_PLAIN, summary_to_json(&m->summary), err);
}

static json_object *steps_json(const struct measure *m)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < m->n_steps; i++) {
		json_object *o = json_object_new_object();
		js_set_u64(o, "id", m->plan.steps[i].id);
		js_set_str(o, "helper", m->plan.steps[i].helper);
		js_set_str(o, "status", step_status_name(m->steps[i].status));
		js_set_str(o, "reason", m->steps[i].reason);
		js_set_f64(o, "seconds", m->steps[i].seconds);
		json_object_array_add(list, o);
	}
	return list;
}

static bool is_partial(const struct measure *m)
{
	if (m->signal || m->n_steps < m->plan.n_steps)
		return true;
	for (size_t i = 0; i < m->n_steps; i++)
		if (m->steps[i].status == STEP_FAILED || m->steps[i].status == STEP_CANCELLED)
			return true;
	return false;
}

void measure_cluster(const struct measure *m, char out[256])
{
	const char *named = getenv("SLURM_CLUSTER_NAME");

	if (m->site.cluster && *m->site.cluster) {
		snprintf(out, 256, "%s", m->site.cluster);
	} else if (named && *named) {
		snprintf(out, 256, "%s", named);
	} else {
		out[0] = out[255] = '\0';
		gethostname(out, 255);
		out[strcspn(out, ".")] = '\0';
	}
}

static json_object *shard_json(const struct measure *m)
{
	json_object *o = json_object_new_object();

	js_set_i64(o, "i", m->req.shard);
	js_set_i64(o, "n", m->req.shards);
	js_set_str(o, "of", m->shard_of);
	return o;
}

int measure_write_run(const struct measure *m, bool finished, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	struct passwd *pw = getpwuid(getuid());
	const char *array = getenv("SLURM_ARRAY_JOB_ID");
	char host[256] = "", cluster[256], now[32];

	gethostname(host, sizeof host - 1);
	host[strcspn(host, ".")] = '\0';
	measure_now(now);
	js_set_i64(o, "schema", 1);
	js_set_str(o, "run", m->id);
	js_set_str(o, "suite", m->suite.name);
	js_set_bool(o, "named", m->req.bench != NULL);
	js_set_str(o, "label", m->req.label);
	js_set_str(o, "launcher", m->req.launcher);
	if (m->site.arg) {
		char *path = realpath(m->site.arg, NULL);
		js_set_str(o, "launcher_file", path ? path : m->site.arg);
		free(path);
	}
	js_set_str(o, "profile", m->req.profile ? m->req.profile->name : NULL);
	js_set_u64(o, "seed", m->plan.seed);
	js_set_str(o, "started", m->started);
	measure_cluster(m, cluster);
	js_set_str(o, "cluster", cluster);
	if (m->site.job)
		js_set_u64(o, "job", m->site.job);
	json_object *before = NULL; /* a run that is resumed stays of its array */
	if (m->about && json_object_object_get_ex(m->about, "array", &before))
		array = json_object_get_string(before);
	if (array && *array)
		js_set_str(o, "array", array);
	if (m->req.shards)
		js_set_obj(o, "shard", shard_json(m));
	js_set_str(o, "user", pw ? pw->pw_name : NULL);
	js_set_str(o, "host", host);
	js_set_str(o, "version", HPCBENCH_VERSION);
	js_set_str(o, "inject", m->req.inject ? m->req.inject->spec : NULL);
	js_set_str(o, "baseline", m->req.baseline);
	js_set_bool(o, "partial", is_partial(m));
	js_set_obj(o, "steps", steps_json(m));
	if (finished) {
		js_set_str(o, "finished", now);
		js_set_i64(o, "code", m->code);
	}
	return measure_write(m, "run.json", o, err);
}

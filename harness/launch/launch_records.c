/* What ranks say: records are checked against the job their rank has, stamped, and kept. */
#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/launch_watch.h"
#include "harness/launch/wait.h"

enum {
	NODES_TEXT_MAX = RECORD_MAX / 2 /* of meta; a longer list stands in plan.json alone */
};

static int check_ids(const struct step_run *r, size_t j, const struct rec_ids *ids,
                     struct hb_err *err)
{
	const struct plan_job *job = &r->step->jobs[j];

	if (ids->step != r->step->id || ids->attempt != r->tries[j])
		return hb_fail(err, HB_E_FORMAT, "a record of step %llu attempt %llu",
		               (unsigned long long)ids->step, (unsigned long long)ids->attempt);
	if (ids->unit < job->first_unit || ids->unit >= job->first_unit + job->cases.n ||
	    ids->phase != job->phase)
		return hb_fail(err, HB_E_FORMAT, "a record of unit %llu, which is not in its job",
		               (unsigned long long)ids->unit);
	return HB_OK;
}

/* HB_OK: keep the record; 1: it says nothing that counts yet. */
static int take_end(struct step_run *r, size_t j, json_object *o, const struct js_at *at,
                    struct hb_err *err)
{
	const struct plan_job *job = &r->step->jobs[j];
	struct rec_end end;
	int rc = rec_end_from_json(o, at, &end, err);

	if (rc != HB_OK)
		return rc;
	/* The first rank has told; the unit ends when all have (on_done). */
	if (end.status == UNIT_OK && (job->cases.info->flags & BENCH_TELLS))
		return 1;
	r->ended[r->unit_at[j] + (end.ids.unit - job->first_unit)] = 1;
	step_log_unit_end(r, &end.ids, end.status);
	step_renew_due(r, j);
	return HB_OK;
}

/* Returns 1 to keep the record, 0 to drop it quietly. */
static int check_unit_record(struct step_run *r, int rank, json_object *o, enum record_type type,
                             struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("record");
	size_t j = r->s.rank_job[rank];
	struct rec_ids ids;
	struct rec_point point;
	int rc;

	if (j == SIZE_MAX)
		return hb_fail(err, HB_E_FORMAT, "a record of a unit while it has no job");
	const struct plan_job *job = &r->step->jobs[j];
	rc = rec_ids_from_json(o, &at, &ids, err);
	if (rc == HB_OK)
		rc = check_ids(r, j, &ids, err);
	if (rc != HB_OK)
		return rc;
	if (r->ended[r->unit_at[j] + (ids.unit - job->first_unit)]) {
		if (r->s.job[j] == JOB_RUNNING)
			return hb_fail(err, HB_E_FORMAT, "a record of unit %llu after its end",
			               (unsigned long long)ids.unit);
		return 0; /* it was given up meanwhile */
	}
	if (rank != job->ranks[0] && type != REC_EVENT)
		return hb_fail(err, HB_E_FORMAT, "figures from a rank that is not its job's first");
	if (type == REC_POINT || type == REC_PAIR)
		rc = rec_point_from_json(o, &at, &point, err);
	else if (type == REC_END)
		rc = take_end(r, j, o, &at, err);
	return rc == HB_OK ? 1 : rc > 0 ? 0 : rc;
}

static void pass_event(struct step_run *r, int rank, json_object *o)
{
	const struct js_at at = JS_AT_TOP("event");
	const char *level = NULL, *text = NULL;

	if (!r->l->p.note || js_get_str(o, &at, "level", JS_OPTIONAL, &level, NULL) != HB_OK ||
	    js_get_str(o, &at, "text", JS_OPTIONAL, &text, NULL) != HB_OK || !level || !text)
		return;
	char *line = hb_format("rank %d on %s: %.300s", rank, r->host[rank], text);
	r->l->p.note(r->l->p.ctx, level, line);
	free(line);
}

void step_stamp(const struct step_run *r, json_object *record)
{
	js_set_u64(record, "step", r->step->id);
	js_set_u64(record, "attempt", r->attempt ? r->attempt : 1);
}

/* Ids of its own are not needed, but must not be another's. */
static int check_claim(const struct step_run *r, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("record");
	uint64_t step = r->step->id, attempt = r->attempt;

	if (js_get_u64(o, &at, "step", JS_OPTIONAL, &step, err) != HB_OK ||
	    js_get_u64(o, &at, "attempt", JS_OPTIONAL, &attempt, err) != HB_OK)
		return HB_E_FORMAT;
	if (step != r->step->id || attempt != r->attempt)
		return hb_fail(err, HB_E_FORMAT, "a record of step %llu attempt %llu",
		               (unsigned long long)step, (unsigned long long)attempt);
	return HB_OK;
}

/* A rank knows itself; which nodes the step has, the plan knows. */
static void fill_nodes(const struct step_run *r, json_object *meta)
{
	struct buf nodes = BUF_INIT;

	nodeset_format(&r->l->p.plan->nodes, &nodes);
	js_set_str(meta, "nodes", nodes.len <= NODES_TEXT_MAX ? buf_text(&nodes) : NULL);
	buf_free(&nodes);
}

/* What is of no unit. Returns 1 to keep the record, 0 to drop it quietly. */
static int take_plain(struct step_run *r, int rank, json_object *o, enum record_type type,
                      struct hb_err *err)
{
	int rc = check_claim(r, o, err);

	if (rc != HB_OK)
		return rc;
	if (type == REC_LOAD)
		return hb_fail(err, HB_E_FORMAT, "a load record, which ranks do not send");
	if (type == REC_RANK)
		step_watch_rank(r, rank, o);
	if (type == REC_FACT)
		return step_on_fact(r, rank, o, err);
	if (type == REC_COUNTER)
		return step_on_counter(r, rank, o, err);
	if (type == REC_META)
		fill_nodes(r, o);
	step_stamp(r, o);
	return 1;
}

static int on_record(struct step_run *r, int rank, json_object *o, size_t len, struct hb_err *err)
{
	enum record_type type = record_type_of(o);
	json_object *unit;
	int keep;

	if (len > RECORD_MAX)
		return hb_fail(err, HB_E_FORMAT, "a record of %zu bytes; at most %d", len,
		               RECORD_MAX);
	if (type == REC_POINT || type == REC_PAIR || type == REC_SAMPLES || type == REC_END ||
	    (type == REC_EVENT && json_object_object_get_ex(o, "unit", &unit)))
		keep = check_unit_record(r, rank, o, type, err);
	else
		keep = take_plain(r, rank, o, type, err);
	if (keep <= 0)
		return keep;
	if (type == REC_EVENT)
		pass_event(r, rank, o);
	launch_log_add(&r->l->log, type == REC_SAMPLES ? LOG_SAMPLES : LOG_RECORDS,
	               json_object_get(o), len);
	return HB_OK;
}

static int on_done(struct step_run *r, int rank, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("done");
	const char *status = "ok", *reason = NULL;
	uint64_t id = 0;
	size_t j = r->s.rank_job[rank];

	if (js_get_u64(o, &at, "job", JS_REQUIRED, &id, err) != HB_OK ||
	    js_get_str(o, &at, "status", JS_OPTIONAL, &status, err) != HB_OK ||
	    js_get_str(o, &at, "reason", JS_OPTIONAL, &reason, err) != HB_OK)
		return HB_E_FORMAT;
	if (j == SIZE_MAX || r->step->jobs[j].id != id)
		return hb_fail(err, HB_E_FORMAT, "done with job %llu, which it does not have",
		               (unsigned long long)id);
	if (step_watch_done(r, rank, j, o, err) != HB_OK)
		return HB_E_FORMAT;
	/* What only tells has ended well once every one of its ranks has told. */
	if (r->step->jobs[j].cases.info->flags & BENCH_TELLS)
		step_has_told(r, j, status, reason);
	if (sched_rank_done(&r->s, rank, id))
		step_job_done(r, j, status, reason);
	return HB_OK;
}

/* What this was, for when it stays the last one. */
static struct last_word word_of(json_object *o)
{
	const struct js_at at = JS_AT_TOP("message");
	enum record_type type = record_type_of(o);
	struct last_word w = { "a message", 0 };
	json_object *msg;

	if (json_object_object_get_ex(o, "msg", &msg))
		w.what = "a message while it waited";
	else if (type == REC_POINT || type == REC_PAIR)
		w.what = "the figures";
	else if (type == REC_END)
		w.what = "the end";
	else
		w.what = "a record";
	if (js_get_u64(o, &at, "unit", JS_OPTIONAL, &w.unit, NULL) != HB_OK)
		w.unit = 0;
	return w;
}

int step_on_message(struct step_run *r, int rank, json_object *o, size_t len, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("message");
	const char *msg = NULL;

	r->heard_ms[rank] = wait_now_ms();
	r->last[rank] = word_of(o);
	if (r->s.rank[rank] == RANK_LOST || r->s.rank[rank] == RANK_STUCK)
		return HB_OK; /* too late: its units were given up */
	if (js_get_str(o, &at, "msg", JS_OPTIONAL, &msg, err) != HB_OK)
		return HB_E_FORMAT;
	if (!msg)
		return on_record(r, rank, o, len, err);
	if (strcmp(msg, "heartbeat") == 0)
		return HB_OK;
	if (strcmp(msg, "done") == 0)
		return on_done(r, rank, o, err);
	if (strcmp(msg, "facts") == 0)
		return step_on_facts(r, rank, o, err);
	return hb_fail(err, HB_E_FORMAT, "unknown message '%.32s'", msg);
}

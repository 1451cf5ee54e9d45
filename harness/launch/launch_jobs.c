/* Jobs of a step: how they start, their deadlines, and how each unit ends. */
#include <stdarg.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/launch_watch.h"
#include "harness/launch/wait.h"

/* ---- telling ---- */

json_object *step_journal(const struct step_run *r, const char *type)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "type", type);
	js_set_u64(o, "step", r->step->id);
	js_set_u64(o, "attempt", r->attempt);
	return o;
}

void step_log(struct step_run *r, json_object *o)
{
	launch_log_add(&r->l->log, LOG_JOURNAL, o, RECORD_GUESS);
}

void step_event(struct step_run *r, const char *level, const char *code, const char *fmt, ...)
{
	json_object *event;
	char text[640];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	event = rec_event_to_json(NULL, level, code, text);
	step_stamp(r, event);
	launch_log_add(&r->l->log, LOG_RECORDS, event, RECORD_GUESS);
	if (r->l->p.note)
		r->l->p.note(r->l->p.ctx, level, text);
}

void step_job_text(const struct step_run *r, size_t j, struct buf *out)
{
	const struct plan_job *job = &r->step->jobs[j];

	buf_printf(out, "%s ", step_entry(r, job)->info->name);
	plan_job_subject(r->l->p.plan, r->step, job, out);
}

/* ---- start ---- */

void step_renew_due(struct step_run *r, size_t j)
{
	double s = step_entry(r, &r->step->jobs[j])->deadline_s;

	/* By files nobody hears when a case begins: the step's deadline is the only one. */
	if (!r->files)
		r->due_ms[j] = wait_now_ms() + r->l->p.site->ops->slack_ms + (int64_t)(s * 1000);
}

void step_log_job_start(struct step_run *r, size_t j)
{
	json_object *line = step_journal(r, "job-start");
	struct buf text = BUF_INIT;

	step_job_text(r, j, &text);
	js_set_u64(line, "job", r->step->jobs[j].id);
	js_set_str(line, "phase", phase_name(r->step->jobs[j].phase));
	js_set_str(line, "what", buf_text(&text));
	step_log(r, line);
	buf_free(&text);
}

void step_count_try(struct step_run *r, size_t j)
{
	size_t at = r->unit_at[j], n = r->step->jobs[j].cases.n;

	r->tries[j]++;
	r->commanded[j] = true;
	for (size_t i = 0; i < n; i++)
		r->asked[at + i] = !r->ended[at + i];
}

void step_announce_job(struct step_run *r, size_t j)
{
	step_watch_start(r, j);
	step_count_try(r, j);
	step_log_job_start(r, j);
	sched_started(&r->s, j);
}

void step_send_job(struct step_run *r, size_t j)
{
	const struct plan_job *job = &r->step->jobs[j];
	json_object *msg = step_job_message(r, j);

	step_renew_due(r, j);
	/* A rank that cannot be told is on its way out: its leave is about to come. */
	for (int i = 0; i < job->n_ranks; i++)
		ctl_send(r->ctl, r->world[job->ranks[i]], msg, NULL);
	js_put(msg);
}

/* ---- the end of units and jobs ---- */

void step_log_unit_end(struct step_run *r, const struct rec_ids *ids, enum unit_status status)
{
	json_object *line = step_journal(r, "unit-end");

	js_set_u64(line, "unit", ids->unit);
	js_set_str(line, "status", unit_status_name(status));
	step_log(r, line);
}

/* Every unit of the job that has not ended ends now, by the harness's word. */
static void end_units(struct step_run *r, size_t j, enum unit_status status, const char *reason)
{
	const struct plan_job *job = &r->step->jobs[j];

	/* What was never commanded ends as a try of its own: its last one may have ended already.
	 */
	if (!r->commanded[j])
		step_count_try(r, j);

	for (size_t i = 0; i < job->cases.n; i++) {
		struct rec_end end = { .ids = { .step = r->step->id,
			                        .unit = job->first_unit + i,
			                        .attempt = r->tries[j] ? r->tries[j] : 1,
			                        .phase = job->phase },
			               .status = status,
			               .reason = reason };
		if (r->ended[r->unit_at[j] + i])
			continue;
		r->ended[r->unit_at[j] + i] = 1;
		launch_log_add(&r->l->log, LOG_RECORDS, rec_end_to_json(&end), RECORD_GUESS);
		step_log_unit_end(r, &end.ids, status);
	}
}

static json_object *job_end_line(const struct step_run *r, size_t j, const char *status,
                                 const char *reason)
{
	json_object *line = step_journal(r, "job-end");

	js_set_u64(line, "job", r->step->jobs[j].id);
	js_set_str(line, "status", status);
	if (reason)
		js_set_str(line, "reason", reason);
	return line;
}

static void log_job_end(struct step_run *r, size_t j, const char *status, const char *reason)
{
	step_log(r, job_end_line(r, j, status, reason));
	r->jobs_done++;
}

static void job_given_up(struct step_run *r, size_t j, const char *reason)
{
	struct buf text = BUF_INIT;

	step_job_text(r, j, &text);
	step_event(r, "warn", "given-up", "%s given up: %s", buf_text(&text), reason);
	buf_free(&text);
	end_units(r, j, UNIT_GIVEN_UP, reason);
	log_job_end(r, j, unit_status_name(UNIT_GIVEN_UP), reason);
}

void step_no_time(struct step_run *r, size_t j)
{
	char why[120];

	snprintf(why, sizeof why, "no time left: %s is near", r->l->end_what);
	if (!r->no_time) {
		r->no_time = true;
		snprintf(r->reason, sizeof r->reason, "%s", why);
		step_event(r, "warn", "no-time", "%s; what cannot end before is not started", why);
	}
	sched_give_up(&r->s, j, -1);
	end_units(r, j, UNIT_GIVEN_UP, why);
	log_job_end(r, j, unit_status_name(UNIT_GIVEN_UP), why);
}

void step_has_told(struct step_run *r, size_t j, const char *status, const char *reason)
{
	enum unit_status s = UNIT_FAILED;

	if (unit_status_parse(status, &s) != HB_OK || s != UNIT_OK)
		end_units(r, j, s, reason ? reason : "a rank could not tell");
}

void step_job_done(struct step_run *r, size_t j, const char *status, const char *reason)
{
	json_object *line = job_end_line(r, j, status, reason);

	r->due_ms[j] = 0;
	if (r->step->jobs[j].cases.info->flags & BENCH_TELLS)
		end_units(r, j, UNIT_OK, NULL);
	end_units(r, j, UNIT_GIVEN_UP, "no end record came although its ranks said done");
	r->jobs_done += !step_watch_ended(r, j, status, line);
	step_log(r, line);
}

static void remember(struct step_run *r, int rank, const char *why)
{
	free(r->why[rank]);
	r->why[rank] = hb_format("rank %d on %s: %s", rank, r->host[rank], why);
}

void step_on_leave(struct step_run *r, int rank, const char *why)
{
	bool was_lost = r->s.rank[rank] == RANK_LOST || r->s.rank[rank] == RANK_STUCK;
	bool was_told = r->quitting && r->s.rank_job[rank] == SIZE_MAX;
	size_t j = sched_gone(&r->s, rank);

	/* After a signal or a full disk everybody goes, and nobody is to blame for it. */
	if (was_lost || was_told || r->l->signal || r->l->log.err.code != HB_OK)
		return;
	remember(r, rank, why);
	if (!r->blamed)
		step_event(r, "warn", "rank-gone", "%s", r->why[rank]);
	if (r->left++ == 0)
		r->first_left = r->blamed ? -1 : rank;
	if (j != SIZE_MAX)
		r->cut[r->n_cut++] = j;
	else
		r->blamed = true; /* it went while idle: no job is to blame */
}

/* Everything it measured is told, though a rank went before it could say done. */
static bool is_told(const struct step_run *r, size_t j)
{
	for (size_t i = 0; i < r->step->jobs[j].cases.n; i++)
		if (!r->ended[r->unit_at[j] + i])
			return false;
	return true;
}

void step_keep_told(struct step_run *r)
{
	for (size_t j = 0; j < r->step->n_jobs; j++) {
		if ((r->s.job[j] != JOB_CUT && r->s.job[j] != JOB_RUNNING) || !is_told(r, j))
			continue;
		r->s.job[j] = JOB_DONE;
		log_job_end(r, j, unit_status_name(UNIT_OK), "a rank went when all was told");
	}
}

/* Who went first, and alone, may come back once; what it was about to measure is not. */
static void settle_node(struct step_run *r)
{
	int rank = r->left == 1 ? r->first_left : -1;

	r->left = 0;
	if (rank >= 0 && r->s.rank[rank] == RANK_GONE &&
	    tiers_died(&r->tiers, r->step->rank_node[rank])) {
		char *why = hb_format("it was the first to go, for the second time: %.200s",
		                      strchr(r->why[rank], ':') + 2);
		step_rank_lost(r, rank, why);
		free(why);
	}
}

static void settle_job(struct step_run *r)
{
	if (r->n_cut == 0)
		return;
	if (r->n_cut == 1 && !r->blamed) {
		size_t j = r->cut[0];
		int rank = r->s.lost_by[j];
		sched_give_up(&r->s, j, rank);
		job_given_up(r, j, r->why[rank]);
	}
	r->blamed = true;
	r->n_cut = 0;
}

void step_settle_blame(struct step_run *r)
{
	settle_job(r);
	settle_node(r);
}

void step_rank_lost(struct step_run *r, int rank, const char *why)
{
	size_t j = sched_lost(&r->s, rank);

	tiers_lost(&r->tiers, r->step->rank_node[rank]);
	remember(r, rank, why);
	step_event(r, "warn", "rank-lost", "%s", r->why[rank]);
	if (j != SIZE_MAX)
		job_given_up(r, j, r->why[rank]);
}

static const char *blame(const struct step_run *r, size_t j)
{
	const struct plan_job *job = &r->step->jobs[j];

	for (int i = 0; i < job->n_ranks; i++)
		if (r->why[job->ranks[i]] && r->s.rank[job->ranks[i]] != RANK_HERE)
			return r->why[job->ranks[i]];
	return NULL;
}

void step_close_jobs(struct step_run *r, enum unit_status status, const char *reason)
{
	for (size_t j = 0; j < r->step->n_jobs; j++) {
		enum sched_job was = r->s.job[j];
		const char *why = status == UNIT_GIVEN_UP ? blame(r, j) : NULL;
		if (was != JOB_WAITING && was != JOB_RUNNING && was != JOB_CUT)
			continue;
		if (!why)
			why = reason;
		end_units(r, j, status, why);
		log_job_end(r, j, unit_status_name(status), why);
		r->due_ms[j] = 0;
	}
	sched_close(&r->s);
}

/* ---- deadlines ---- */

/*
 * Both ends of a pair, or most of a group, hang: the pair may be to blame, or one of them, so all
 * come back with the next start. An end of a pair that hangs once more is out.
 */
static void lose_stuck_again(struct step_run *r, size_t j, const int *late, int n)
{
	tiers_hung(&r->tiers);
	for (int i = 0; i < n && r->step->jobs[j].n_ranks == 2; i++)
		if (tiers_died(&r->tiers, r->step->rank_node[late[i]]))
			step_rank_lost(r, late[i],
			               "it did not answer in time, for the second time");
}

static void expire(struct step_run *r, size_t j)
{
	const struct plan_job *job = &r->step->jobs[j];
	int *late = hb_alloc((size_t)job->n_ranks * sizeof *late);
	bool was_running = r->s.job[j] == JOB_RUNNING;
	double s = step_entry(r, job)->deadline_s + r->l->p.site->ops->slack_ms / 1000.0;
	int n = sched_expired(&r->s, j, late);
	struct buf who = BUF_INIT;

	for (int i = 0; i < n; i++) {
		if (r->s.rank[late[i]] == RANK_LOST)
			tiers_lost(&r->tiers, r->step->rank_node[late[i]]);
		remember(r, late[i], "it did not answer in time");
		buf_printf(&who, "%srank %d on %s", i ? ", " : "", late[i], r->host[late[i]]);
		if (i == 7 && n > 8) {
			buf_printf(&who, " and %d more", n - 8);
			break;
		}
	}
	char *reason = hb_format("no answer from %s within %.0f s", buf_text(&who), s);
	r->due_ms[j] = 0;
	if (was_running)
		job_given_up(r, j, reason);
	if (n > 0 && r->s.rank[late[0]] == RANK_STUCK)
		lose_stuck_again(r, j, late, n);
	free(reason);
	buf_free(&who);
	free(late);
}

/* The job of a rank, which is watched as long as one is in it, even when it was given up already;
 * SIZE_MAX: none. */
static size_t watched(const struct step_run *r, int rank)
{
	size_t j = r->s.rank_job[rank];

	return j != SIZE_MAX && r->due_ms[j] ? j : SIZE_MAX;
}

static bool idle(const struct step_run *r, int rank)
{
	return !r->files && r->s.rank[rank] == RANK_HERE && r->s.rank_job[rank] == SIZE_MAX;
}

void step_check_deadlines(struct step_run *r, int64_t now)
{
	/* Over ranks, not jobs: those may be many times as many. */
	for (int i = 0; i < r->step->n_ranks; i++) {
		size_t j = watched(r, i);
		if (j != SIZE_MAX && now >= r->due_ms[j])
			expire(r, j);
	}
	for (int i = 0; i < r->step->n_ranks; i++)
		if (idle(r, i) && now - r->heard_ms[i] >= IDLE_SILENCE_MS)
			step_rank_lost(r, i, "it has been silent for 30 s while waiting");
}

int64_t step_next_deadline(const struct step_run *r)
{
	int64_t next = -1;

	for (int i = 0; i < r->step->n_ranks; i++) {
		size_t j = watched(r, i);
		if (j != SIZE_MAX && (next < 0 || r->due_ms[j] < next))
			next = r->due_ms[j];
	}
	for (int i = 0; i < r->step->n_ranks; i++)
		if (idle(r, i) && (next < 0 || r->heard_ms[i] + IDLE_SILENCE_MS < next))
			next = r->heard_ms[i] + IDLE_SILENCE_MS;
	return next;
}

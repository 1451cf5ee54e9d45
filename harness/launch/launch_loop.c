/* The loop of an attempt: wait, let ranks in, start jobs, and see when there is no more to do. */
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum {
	START_MAX = 64, /* jobs started between two looks */
	TURN_MS = 1000, /* between two looks at most */
	DEAF_MS = 2000  /* so much longer than that: we did not run, or hardly */
};

/* ---- waiting ---- */

void step_read_signals(struct launch *l)
{
	struct signalfd_siginfo info;

	while (l->p.signal_fd >= 0 && read(l->p.signal_fd, &info, sizeof info) == sizeof info) {
		l->impatient = l->signal != 0;
		if (!l->signal)
			l->signal = (int)info.ssi_signo;
	}
}

/* What to poll for one step; returns how many. */
static size_t poll_step(const struct step_run *r, struct pollfd *v, int *ms)
{
	const struct spawn *child[2] = { r->child, stuck_child(r) };
	size_t n = 0;

	if (r->ctl)
		v[n++] = (struct pollfd){ ctl_fd(r->ctl), POLLIN, 0 };
	*ms = wait_shorter(*ms, r->ctl ? ctl_timeout_ms(r->ctl) : STEP_FILES_TICK_MS);
	for (int i = 0; i < 2; i++) {
		if (!child[i])
			continue;
		n += spawn_fds(child[i], v + n);
		*ms = wait_shorter(*ms, spawn_tick_ms(child[i]));
	}
	return n;
}

static void take_step(struct step_run *r)
{
	struct spawn *child[2] = { r->child, stuck_child(r) };

	if (r->ctl)
		ctl_service(r->ctl);
	else
		step_files_service(r);
	step_settle_blame(r);
	for (int i = 0; i < 2; i++)
		if (child[i])
			spawn_service(child[i]);
}

void step_turn(struct launch *l, struct step_run *v, size_t n, int64_t until_ms)
{
	struct pollfd fds[LAUNCH_AT_ONCE * (2 * SPAWN_FDS + 1) + 1];
	size_t n_fds = 0;
	int ms = wait_shorter(TURN_MS, wait_until(wait_now_ms(), until_ms));

	if (l->p.signal_fd >= 0)
		fds[n_fds++] = (struct pollfd){ l->p.signal_fd, POLLIN, 0 };
	for (size_t i = 0; i < n; i++)
		if (v[i].phase != STEP_OVER)
			n_fds += poll_step(&v[i], fds + n_fds, &ms);
	poll(fds, n_fds, ms);
	for (size_t i = 0; i < n; i++)
		if (v[i].phase != STEP_OVER)
			take_step(&v[i]);
	step_read_signals(l);
}

static void report_progress(struct step_run *r)
{
	const struct launch *l = r->l;
	const struct plan *plan = l->p.plan;
	struct launch_progress p = { .step = r->index + 1,
		                     .steps = plan->n_steps,
		                     .jobs_done = r->jobs_done,
		                     .jobs = r->step->n_jobs,
		                     .helper = r->step->helper };
	struct buf what = BUF_INIT;
	int shown = 0;

	if (!l->p.progress)
		return;
	for (size_t j = 0; j < r->step->n_jobs && shown < 4; j++) {
		if (r->s.job[j] != JOB_RUNNING)
			continue;
		buf_puts(&what, shown++ ? ", " : "");
		step_job_text(r, j, &what);
	}
	p.what = buf_text(&what);
	p.left_s = plan->predicted_s - (double)(wait_now_ms() - l->start_ms) / 1000;
	if (p.left_s < 0)
		p.left_s = 0;
	l->p.progress(l->p.ctx, &p);
	buf_free(&what);
}

/* ---- the control channel's other handlers ---- */

void step_joined(struct step_run *r, int seat, const struct ctl_hello *h)
{
	json_object *line = step_journal(r, "connected");

	r->world[seat] = h->rank;
	r->seat[h->rank] = seat;
	free(r->port[seat].address);
	r->port[seat] = (struct step_port){ hb_strdup(h->from), h->port };
	if (strcmp(r->host[seat], h->host) != 0)
		step_event(r, "warn", "host-name", "rank %d calls its host %s; the plan says %s",
		           seat, h->host, r->host[seat]);
	r->heard_ms[seat] = r->last_join_ms = wait_now_ms();
	r->last[seat] = (struct last_word){ "its hello", 0 };
	r->joined++;
	sched_joined(&r->s, seat);
	js_set_i64(line, "rank", seat);
	js_set_str(line, "host", h->host);
	js_set_i64(line, "pid", h->pid);
	step_log(r, line);
}

static void on_event(void *ctx, const char *code, const char *text, bool world)
{
	struct step_run *r = ctx;

	if (world && !r->world_wrong) {
		r->world_wrong = true;
		snprintf(r->reason, sizeof r->reason, "%s", text);
	}
	step_event(r, world ? "error" : "warn", code, "%s", text);
}

static void on_wish(void *ctx, const struct ctl_hello *h, struct ctl_wish *out)
{
	step_wish(ctx, h, out);
}

static void on_join(void *ctx, const struct ctl_hello *h)
{
	struct step_run *r = ctx;

	/* Each rank of the world is let in once, so there is a seat for each. */
	step_joined(r, step_seat_take(r, h->rank, h->host, h->local), h);
	step_fact_joined(r, r->seat[h->rank], h);
}

static int on_message(void *ctx, int world, json_object *o, size_t len, struct hb_err *err)
{
	struct step_run *r = ctx;

	return step_on_message(r, r->seat[world], o, len, err);
}

static void on_leave(void *ctx, int world, const char *why)
{
	struct step_run *r = ctx;

	step_on_leave(r, r->seat[world], why);
}

static void on_start(void *ctx, const struct ctl_start *s)
{
	step_begun(ctx, s);
}

const struct ctl_handlers step_handlers = { on_join,  on_message, on_leave,
	                                    on_event, on_start,   on_wish };

/* ---- while jobs are measured ---- */

static int64_t step_until(const struct step_run *r)
{
	return r->step->deadline_s > 0 ? r->start_ms + (int64_t)(r->step->deadline_s * 1000) : -1;
}

bool step_job_fits(const struct step_run *r, size_t j, int64_t now)
{
	double s = plan_job_seconds(r->l->p.plan, &r->step->jobs[j]);

	return !r->l->end_ms || now + (int64_t)(s * 1000) <= r->l->end_ms;
}

/* Of the jobs that may start, those for which there is time; the others never run. */
static size_t next_jobs(struct step_run *r, size_t *next, size_t max)
{
	int64_t now = wait_now_ms();
	size_t all, n = 0;

	while (n == 0 && (all = sched_next(&r->s, next, max)) > 0)
		for (size_t i = 0; i < all; i++) {
			if (step_job_fits(r, next[i], now))
				next[n++] = next[i];
			else
				step_no_time(r, next[i]);
		}
	return n;
}

/*
 * What starts while nothing is being measured is on disk before it does: a journal that ends there
 * names what killed us.
 */
static int start_jobs(struct step_run *r)
{
	size_t next[START_MAX], n;
	bool idle = sched_running(&r->s) == 0;

	if (r->files)
		return HB_OK; /* the schedule is with the ranks already */
	n = next_jobs(r, next, START_MAX);
	for (size_t i = 0; i < n; i++)
		step_announce_job(r, next[i]);
	if (idle && launch_log_flush(&r->l->log, NULL) != HB_OK)
		return HB_E_IO;
	for (size_t i = 0; i < n; i++)
		step_send_job(r, next[i]);
	if (n > 0)
		report_progress(r);
	return HB_OK;
}

static bool attempt_over(struct step_run *r)
{
	if (r->l->signal || r->world_wrong || spawn_ended(r->child, NULL) ||
	    r->l->log.err.code != HB_OK)
		return true;
	if (r->stalled || r->nobody)
		return true;
	/* By files they end by themselves; who is late, the step's deadline says. */
	if (r->files)
		return r->joined == 0 && step_absent(r) == 0;
	return step_absent(r) == 0 && (r->probe || sched_finished(&r->s));
}

/* The step's deadline, or the end of everything. */
static bool out_of_time(struct step_run *r, int64_t now)
{
	int64_t end = step_until(r);

	if (r->l->end_ms && now >= r->l->end_ms) {
		step_event(r, "warn", "no-time", "step %llu is ended: %s is near",
		           (unsigned long long)r->step->id, r->l->end_what);
		snprintf(r->reason, sizeof r->reason, "no time left: %s is near", r->l->end_what);
		r->late = r->no_time = true;
	} else if (end >= 0 && now >= end) {
		step_event(r, "warn", "step-deadline", "step %llu did not end within its %.0f s",
		           (unsigned long long)r->step->id, r->step->deadline_s);
		r->late = true;
	}
	return r->late;
}

static int64_t advance_jobs(struct step_run *r, int64_t now)
{
	int64_t missing = step_absent_until(r), until;

	if (missing >= 0 && now >= missing) {
		step_give_up_absent(r);
		missing = -1;
	}
	if (attempt_over(r) || out_of_time(r, now)) {
		step_begin_end(r);
		return now;
	}
	step_check_deadlines(r, now);
	if (missing < 0 && start_jobs(r) != HB_OK) {
		step_begin_end(r);
		return now;
	}
	if (attempt_over(r)) {
		step_begin_end(r);
		return now;
	}
	until = wait_sooner(missing, step_until(r));
	if (r->l->end_ms)
		until = wait_sooner(until, r->l->end_ms);
	return wait_sooner(until, step_next_deadline(r));
}

void step_forgive_deafness(struct step_run *r, int64_t now)
{
	int64_t deaf = r->turn_ms ? now - r->turn_ms - TURN_MS : 0;

	r->turn_ms = now;
	if (deaf < DEAF_MS)
		return;
	r->start_ms += deaf;
	r->last_join_ms += deaf;
	r->last_begun_ms += deaf;
	for (int i = 0; i < r->step->n_ranks; i++)
		r->heard_ms[i] += deaf;
	for (size_t j = 0; j < r->step->n_jobs; j++)
		r->due_ms[j] += r->due_ms[j] ? deaf : 0;
}

int64_t step_advance(struct step_run *r, int64_t now)
{
	if (r->phase == STEP_OVER)
		return -1;
	step_forgive_deafness(r, now);
	return r->phase == STEP_RUNS ? advance_jobs(r, now) : step_advance_end(r, now);
}

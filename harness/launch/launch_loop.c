/* The loop of one attempt: wait, let ranks in, start jobs, and end what was started. */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum {
	QUIT_MS = 5000,      /* after quit, when everybody answered */
	QUIT_LOST_MS = 1000, /* after quit, when somebody is stuck anyway */
	TERM_MS = 5000,
	KILL_MS = 10000,
	DRAIN_MS = 1000, /* what ended processes left in their sockets */
	START_MAX = 64   /* jobs started between two looks */
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

/* One turn: sleeps until something happens or until_ms, then takes everything there is. */
static void turn(struct step_run *r, int64_t until_ms)
{
	struct launch *l = r->l;
	struct pollfd v[SPAWN_FDS + 2];
	size_t n = 0;
	int ms = wait_until(wait_now_ms(), until_ms);

	if (l->ctl)
		v[n++] = (struct pollfd){ ctl_fd(l->ctl), POLLIN, 0 };
	if (l->p.signal_fd >= 0)
		v[n++] = (struct pollfd){ l->p.signal_fd, POLLIN, 0 };
	ms = wait_shorter(ms, l->ctl ? ctl_timeout_ms(l->ctl) : STEP_FILES_TICK_MS);
	if (r->child) {
		n += spawn_fds(r->child, v + n);
		ms = wait_shorter(ms, spawn_tick_ms(r->child));
	}
	poll(v, n, ms);
	if (l->ctl)
		ctl_service(l->ctl);
	else
		step_files_service(r);
	step_settle_blame(r);
	if (r->child)
		spawn_service(r->child);
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
	if (strcmp(r->host[seat], h->host) != 0)
		step_event(r, "warn", "host-name", "rank %d calls its host %s; the plan says %s",
		           seat, h->host, r->host[seat]);
	r->heard_ms[seat] = r->last_join_ms = wait_now_ms();
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
		snprintf(r->l->reason, sizeof r->l->reason, "%s", text);
	}
	step_event(r, world ? "error" : "warn", code, "%s", text);
}

static void on_join(void *ctx, const struct ctl_hello *h)
{
	struct step_run *r = ctx;

	/* Each rank of the world is let in once, so there is a seat for each. */
	step_joined(r, step_seat_take(r, h->rank, h->host, h->local), h);
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

const struct ctl_handlers step_handlers = { on_join, on_message, on_leave, on_event };

/* ---- one attempt ---- */

static int absent(const struct step_run *r)
{
	int n = 0;

	for (int i = 0; i < r->step->n_ranks; i++)
		n += r->s.rank[i] == RANK_ABSENT;
	return n;
}

/* Until when the ranks that are still missing may come; -1: none is missing. */
static int64_t absent_until(const struct step_run *r)
{
	const struct launcher_ops *ops = r->l->p.site->ops;
	int64_t all = r->start_ms + ops->connect_ms;

	if (absent(r) == 0 || (r->files && r->joined > 0))
		return -1;
	if (r->joined > 0 && r->last_join_ms + ops->straggle_ms < all)
		return r->last_join_ms + ops->straggle_ms;
	return all;
}

static void give_up_absent(struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (r->s.rank[i] == RANK_ABSENT)
			step_rank_lost(r, i, "it never connected");
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t step_until(const struct step_run *r)
{
	return r->step->deadline_s > 0 ? r->start_ms + (int64_t)(r->step->deadline_s * 1000) : -1;
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
	n = sched_next(&r->s, next, START_MAX);
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
	if (r->l->signal || r->world_wrong || spawn_ended(r->child, NULL))
		return true;
	/* By files they end by themselves; who is late, the step's deadline says. */
	if (r->files)
		return r->joined == 0 && absent(r) == 0;
	return absent(r) == 0 && sched_finished(&r->s);
}

int step_loop(struct step_run *r)
{
	int64_t end = step_until(r);

	while (!attempt_over(r)) {
		int64_t now = wait_now_ms();
		int64_t missing = absent_until(r);
		if (missing >= 0 && now >= missing) {
			give_up_absent(r);
			continue;
		}
		if (end >= 0 && now >= end) {
			step_event(r, "warn", "step-deadline",
			           "step %llu did not end within its %.0f s",
			           (unsigned long long)r->step->id, r->step->deadline_s);
			return HB_E_TIMEOUT;
		}
		step_check_deadlines(r, now);
		if (missing < 0 && start_jobs(r) != HB_OK)
			return HB_E_IO;
		if (attempt_over(r))
			break;
		turn(r, sooner(sooner(missing, end), step_next_deadline(r)));
	}
	return HB_OK;
}

static bool anybody_lost(const struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (r->s.rank[i] == RANK_LOST && !r->left_out[i])
			return true;
	return false;
}

static void wait_child(struct step_run *r, int ms, bool stop_when_impatient)
{
	int64_t until = wait_now_ms() + ms;

	while (!spawn_ended(r->child, NULL) && wait_now_ms() < until &&
	       !(stop_when_impatient && r->l->impatient))
		turn(r, until);
}

bool step_end_child(struct step_run *r)
{
	json_object *quit = step_quit_message();

	r->quitting = true;
	for (int i = 0; r->l->ctl && i < r->n_world; i++)
		if (ctl_connected(r->l->ctl, i))
			ctl_send(r->l->ctl, i, quit, NULL);
	js_put(quit);
	if (!r->l->signal && !r->world_wrong)
		wait_child(r, anybody_lost(r) ? QUIT_LOST_MS : QUIT_MS, false);
	if (spawn_ended(r->child, NULL))
		return true;
	spawn_signal(r->child, SIGTERM);
	spawn_signal(r->child, SIGCONT);
	wait_child(r, TERM_MS, true);
	if (!spawn_ended(r->child, NULL)) {
		spawn_signal(r->child, SIGKILL);
		wait_child(r, KILL_MS, false);
	}
	return false;
}

/* The processes are gone, but their last words may still be in the sockets. */
void step_drain(struct step_run *r)
{
	int64_t until = wait_now_ms() + DRAIN_MS;
	int here = 1;

	if (r->files)
		step_files_finish(r);
	while (here > 0 && wait_now_ms() < until) {
		here = 0;
		for (int i = 0; r->l->ctl && i < r->n_world; i++)
			here += ctl_connected(r->l->ctl, i);
		if (here > 0)
			turn(r, until);
	}
}

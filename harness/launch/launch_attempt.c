/* Attempts: one start of a step's processes each, what became of it, and whether another is due. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum { LOADER_EXIT = 127 };

/*
 * Which line of a child's output says why it never worked: what the loader said, else what a
 * helper said, else the last one that is not a ruler of mpirun's.
 */
static void failure_line(const struct spawn *c, char *out, size_t n)
{
	const char *text = spawn_text(c, SPAWN_ERR), *best = NULL;
	size_t best_len = 0;
	int rank = 0;

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, "\n");
		int mine = 1;
		if (memmem(at, len, "error while loading shared libraries", 36))
			mine = 3;
		else if (len > 9 && strncmp(at, "hpcbench-", 9) == 0)
			mine = 2;
		else if (strspn(at, "- \t\r") >= len)
			mine = 0;
		if (mine > 0 && mine >= rank) {
			best = at;
			best_len = len;
			rank = mine;
		}
		at += len + (at[len] == '\n');
	}
	if (n > 0)
		out[0] = '\0';
	for (size_t i = 0; best && i < best_len && i + 1 < n; i++) {
		out[i] = best[i];
		if (out[i] < ' ' || out[i] > '~')
			out[i] = '?';
		out[i + 1] = '\0';
	}
}

static bool says_skip(int status, const struct spawn *c)
{
	return (WIFEXITED(status) &&
	        (WEXITSTATUS(status) == LOADER_EXIT || WEXITSTATUS(status) == HB_EXIT_SKIPPED)) ||
	       strstr(spawn_text(c, SPAWN_ERR), "error while loading shared libraries");
}

/* What to try where ranks ran but could not reach the harness. */
static const char *reach_hint(const struct step_run *r)
{
	if (r->files)
		return "; do all nodes see that folder?";
	if (r->l->p.site->ops->remote &&
	    strstr(spawn_text(r->child, SPAWN_ERR), "cannot reach hpcbench"))
		return "; where nodes may not connect to this host, name what they can reach with "
		       "--control-address or --port-range, or use --records files";
	return "";
}

/* Nobody ever connected: a library that is missing, or a launcher that does not work. */
static enum step_status nobody_came(struct step_run *r, const struct launch_cause *cause)
{
	const struct launch *l = r->l;
	char line[300], how[64];
	int status = 0;
	bool ended = spawn_ended(r->child, &status);

	failure_line(r->child, line, sizeof line);
	/* What a rank says of itself tells more than that it ended. */
	if (cause->text[0] && strncmp(line, "hpcbench-", 9) != 0)
		snprintf(line, sizeof line, "%s", cause->text);
	if (ended && says_skip(status, r->child)) {
		snprintf(r->reason, sizeof r->reason, "%s",
		         line[0] ? line : "its helper cannot run here");
		return STEP_SKIPPED;
	}
	spawn_status_text(status, how, sizeof how);
	if (!ended || l->signal)
		snprintf(how, sizeof how, "within %d s", l->p.site->ops->connect_ms / 1000);
	snprintf(r->reason, sizeof r->reason,
	         "launcher %s started no rank of hpcbench-%s that %s (%s)%s%s%s",
	         l->p.site->ops->name, r->step->helper,
	         r->files ? "wrote into the run's folder" : "connected", how, line[0] ? ": " : "",
	         line, reach_hint(r));
	return STEP_FAILED;
}

static void log_step_end(struct step_run *r, enum step_status s, const struct launch_cause *cause)
{
	json_object *line = step_journal(r, "step-end");
	int status = 0;

	js_set_str(line, "status", step_status_name(s));
	if (r->child && spawn_ended(r->child, &status)) {
		if (WIFEXITED(status))
			js_set_i64(line, "exit", WEXITSTATUS(status));
		else if (WIFSIGNALED(status))
			js_set_i64(line, "signal", WTERMSIG(status));
	}
	if (cause && cause->name)
		js_set_str(line, "cause", cause->name);
	if (cause && cause->node[0])
		js_set_str(line, "node", cause->node);
	if (r->reason[0])
		js_set_str(line, "reason", r->reason);
	else if (cause && cause->text[0])
		js_set_str(line, "reason", cause->text);
	step_log(r, line);
}

static int start_child(struct step_run *r, struct hb_err *err)
{
	struct launch *l = r->l;
	struct launch_what w = { l->p.site, l->p.plan, r->step, r->left_out };
	struct launch_reach reach = { .attempt = r->attempt };
	struct launch_command c;
	json_object *line;
	int rc = HB_OK;

	if (l->p.files) {
		rc = step_files_open(r, err);
		if (rc == HB_OK)
			reach.files = step_files_folder(r);
	} else {
		reach.address = ctl_address(r->ctl);
		reach.token = ctl_token(r->ctl);
	}
	if (rc == HB_OK)
		rc = launch_command_make(&w, &reach, &c, err);
	if (rc != HB_OK)
		return rc;
	struct spawn_params p = { .argv = (const char *const *)c.argv,
		                  .env = (const char *const *)c.env,
		                  .missing_hint = c.missing_hint,
		                  .line = l->p.output,
		                  .ctx = l->p.ctx };
	if (r->ctl)
		ctl_expect(r->ctl, r->step->id, r->attempt, r->n_world, &step_handlers, r);
	rc = spawn_start(&p, &r->child, err);
	if (rc == HB_OK) {
		line = step_journal(r, "step-start");
		js_set_str(line, "helper", r->step->helper);
		js_set_i64(line, "pid", spawn_pid(r->child));
		step_log(r, line);
	}
	launch_command_free(&c);
	return rc;
}

/* Ranks were there, or one node kept them all from coming, and not because of a missing library. */
static bool could_start(const struct step_run *r, const struct launch_cause *cause)
{
	int status = 0;

	if (r->joined > 0)
		return true;
	return cause->again && cause->node[0] && spawn_ended(r->child, &status) &&
	       !says_skip(status, r->child);
}

/*
 * True when ranks or the launcher died under jobs that another start could still run. Whoever
 * cancels a step means it.
 */
static bool again(const struct step_run *r, const struct launch_cause *cause)
{
	return !r->late && !r->probe && r->child && could_start(r, cause) &&
	       tiers_may_start(&r->tiers) && !r->l->signal && (!cause->name || cause->again) &&
	       !r->world_wrong && r->l->log.err.code == HB_OK && sched_worth_relaunch(&r->s);
}

void step_learn_cause(struct step_run *r, struct launch_cause *cause)
{
	const struct launcher_ops *ops = r->l->p.site->ops;

	if (!ops->explain || r->l->signal)
		return;
	ops->explain(spawn_text(r->child, SPAWN_ERR), cause);
	if (!cause->name) /* hydra tells it there */
		ops->explain(spawn_text(r->child, SPAWN_OUT), cause);
	if (cause->node[0] && cause->again)
		step_node_lost(r, cause->node, cause->text);
}

static void attempt_reset(struct step_run *r)
{
	r->attempt++;
	r->probe = r->tiers.searches;
	if (!r->probe)
		tiers_started(&r->tiers);
	r->phase = STEP_RUNS;
	r->late = r->by_itself = false;
	r->early = (struct launch_cause){ 0 };
	r->joined = r->n_begun = 0;
	r->stranger = r->stalled = r->nobody = false;
	r->left = 0;
	memset(r->begun, 0, (size_t)r->step->n_ranks * sizeof *r->begun);
	r->n_cut = 0;
	r->blamed = false;
	r->start_ms = r->last_join_ms = r->last_begun_ms = wait_now_ms();
	r->turn_ms = 0;
	r->world_wrong = r->quitting = false;
	r->child = NULL;
}

/* As people know it. */
const char *step_signal_text(int number)
{
	switch (number) {
	case SIGINT: return "SIGINT (Ctrl-C)";
	case SIGTERM: return "SIGTERM";
	case SIGHUP: return "SIGHUP (the terminal went away)";
	default: return strsignal(number);
	}
}

static void remember_lost(struct step_run *r)
{
	const struct tiers *t = &r->tiers;

	if (!r->l->lost)
		r->l->lost = hb_alloc((t->n + 1) * sizeof *r->l->lost);
	for (size_t i = 0; i < t->n; i++)
		r->l->lost[i] = r->l->lost[i] || t->lost[i];
}

void step_finish(struct step_run *r, enum step_status s, const struct launch_cause *cause)
{
	enum unit_status unit = s == STEP_SKIPPED ? UNIT_SKIPPED : UNIT_GIVEN_UP;
	bool lost = false;

	remember_lost(r);
	step_facts_finish(r);
	step_close_jobs(r, unit, r->reason[0] ? r->reason : "the step ended before it");
	for (size_t j = 0; j < r->step->n_jobs; j++)
		lost = lost || r->s.job[j] == JOB_GIVEN_UP;
	r->status = s == STEP_DONE && lost ? STEP_PARTIAL : s;
	r->phase = STEP_OVER;
	r->seconds = (double)(wait_now_ms() - r->began_ms) / 1000;
	log_step_end(r, r->status, cause);
}

static void attempt_close(struct step_run *r)
{
	if (r->ctl)
		ctl_expect(r->ctl, 0, 0, 0, NULL, NULL);
	stuck_close(r);
	step_files_close(r);
	spawn_free(r->child);
	r->child = NULL;
}

/* Somebody ended the step on purpose. */
static bool is_cancelled(const struct launch_cause *cause)
{
	static const char *const names[] = { "cancelled", "time-limit", "preempted" };

	for (size_t i = 0; cause->name && i < sizeof names / sizeof *names; i++)
		if (strcmp(cause->name, names[i]) == 0)
			return true;
	return false;
}

/* What became of an attempt that will not be tried again; the reason too. */
static enum step_status judge_attempt(struct step_run *r, bool lost_launcher,
                                      const struct launch_cause *cause)
{
	struct launch *l = r->l;

	r->cancelled = is_cancelled(cause);
	if (l->signal) {
		snprintf(r->reason, sizeof r->reason, "stopped by %s", step_signal_text(l->signal));
		return STEP_CANCELLED;
	}
	if (r->world_wrong) {
		if (l->p.site->ops->forget)
			l->p.site->ops->forget(l->p.site);
		return STEP_FAILED;
	}
	if (r->no_time)
		return STEP_DONE;
	if (r->stalled)
		return sched_worth_relaunch(&r->s) ? STEP_FAILED : STEP_DONE;
	if (r->child && r->joined == 0)
		return nobody_came(r, cause);
	if (lost_launcher)
		snprintf(r->reason, sizeof r->reason, "%s",
		         cause->text[0] ? cause->text : "the launcher ended before its work");
	else if (r->stuck[0])
		snprintf(r->reason, sizeof r->reason, "it did not end when told: %s", r->stuck);
	return STEP_DONE;
}

/* A step none of whose jobs can end in time is not started. */
static void drop_what_is_late(struct step_run *r)
{
	int64_t now = wait_now_ms();

	for (size_t j = 0; r->l->end_ms && j < r->step->n_jobs; j++)
		if (r->s.job[j] == JOB_WAITING && step_job_fits(r, j, now))
			return;
	for (size_t j = 0; r->l->end_ms && j < r->step->n_jobs; j++)
		if (r->s.job[j] == JOB_WAITING)
			step_no_time(r, j);
}

void step_begin(struct step_run *r)
{
	struct hb_err err;
	int rc;

	attempt_reset(r);
	drop_what_is_late(r);
	rc = step_seats_choose(r, &err);
	if (rc == HB_OK && !sched_worth_relaunch(&r->s)) {
		/* Everybody it needs is lost, or nothing is left: there is nothing to start. */
		step_attempt_over(r);
		return;
	}
	if (rc == HB_OK)
		rc = start_child(r, &err);
	if (rc == HB_OK) {
		launch_log_flush(&r->l->log, NULL);
		return;
	}
	snprintf(r->reason, sizeof r->reason, "%s", err.text);
	step_finish(r, err.code == HB_E_UNSUPPORTED ? STEP_SKIPPED : STEP_FAILED, NULL);
	attempt_close(r);
}

/* The next attempt. */
static void start_again(struct step_run *r, const struct launch_cause *cause)
{
	sched_relaunch(&r->s);
	log_step_end(r, STEP_PARTIAL, cause);
	attempt_close(r);
	r->reason[0] = r->stuck[0] = '\0';
	step_begin(r);
}

/* The start-up stalled, or was tried with some of the nodes; true: the next attempt has begun. */
static bool startup_again(struct step_run *r)
{
	bool stop = r->late || r->no_time || r->l->signal || r->world_wrong || !r->child ||
	            r->l->log.err.code != HB_OK;

	if ((!r->probe && !r->stalled) || stop || !step_startup_over(r) ||
	    !sched_worth_relaunch(&r->s))
		return false;
	start_again(r, NULL);
	return true;
}

void step_attempt_over(struct step_run *r)
{
	if (r->child && !r->probe)
		tiers_ended(&r->tiers, r->joined == 0 && !r->stalled);
	step_keep_told(r);
	if (startup_again(r))
		return;
	bool unfinished = sched_worth_relaunch(&r->s), lost = r->by_itself && unfinished;
	struct launch_cause cause = { 0 };

	if (lost && r->child)
		step_learn_cause(r, &cause);
	else if (r->child && r->joined == 0)
		cause = r->early;
	if (!again(r, &cause)) {
		step_finish(r, judge_attempt(r, lost, &cause), &cause);
		attempt_close(r);
		return;
	}
	step_event(r, "warn", "relaunch",
	           "step %llu lost ranks%s%s%s; it is started once more, without what was being "
	           "measured when they went",
	           (unsigned long long)r->step->id, cause.text[0] ? " (" : "", cause.text,
	           cause.text[0] ? ")" : "");
	start_again(r, &cause);
}

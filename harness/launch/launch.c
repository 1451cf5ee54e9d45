#include "harness/launch/launch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum { LOADER_EXIT = 127 };

const char *step_status_name(enum step_status s)
{
	static const char *const names[] = { "done", "partial", "skipped", "failed", "cancelled" };

	return names[s];
}

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
	struct launch *l = r->l;
	char line[300], how[64];
	int status = 0;
	bool ended = spawn_ended(r->child, &status);

	failure_line(r->child, line, sizeof line);
	/* What a rank says of itself tells more than that it ended. */
	if (cause->text[0] && strncmp(line, "hpcbench-", 9) != 0)
		snprintf(line, sizeof line, "%s", cause->text);
	if (ended && says_skip(status, r->child)) {
		snprintf(l->reason, sizeof l->reason, "%s",
		         line[0] ? line : "its helper cannot run here");
		return STEP_SKIPPED;
	}
	spawn_status_text(status, how, sizeof how);
	if (!ended || l->signal)
		snprintf(how, sizeof how, "within %d s", l->p.site->ops->connect_ms / 1000);
	snprintf(l->reason, sizeof l->reason,
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
	if (r->l->reason[0])
		js_set_str(line, "reason", r->l->reason);
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
		reach.address = ctl_address(l->ctl);
		reach.token = ctl_token(l->ctl);
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
	if (l->ctl)
		ctl_expect(l->ctl, r->step->id, r->attempt, r->n_world, &step_handlers, r);
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
static bool again(const struct step_run *r, bool deadline, const struct launch_cause *cause)
{
	return !deadline && r->child && could_start(r, cause) && r->attempt < LAUNCH_ATTEMPTS &&
	       !r->l->signal && (!cause->name || cause->again) && !r->world_wrong &&
	       r->l->log.err.code == HB_OK && sched_worth_relaunch(&r->s);
}

/* What the launcher says about an end that was not ours; the node that it blames is lost. */
static void learn_cause(struct step_run *r, struct launch_cause *cause)
{
	const struct launcher_ops *ops = r->l->p.site->ops;

	if (!ops->explain || r->l->signal)
		return;
	ops->explain(spawn_text(r->child, SPAWN_ERR), cause);
	if (cause->node[0] && cause->again)
		step_node_lost(r, cause->node, cause->text);
}

static void attempt_reset(struct step_run *r)
{
	r->attempt++;
	r->joined = 0;
	r->n_cut = 0;
	r->blamed = false;
	r->start_ms = r->last_join_ms = wait_now_ms();
	r->world_wrong = r->quitting = false;
	r->child = NULL;
}

/* As people know it. */
static const char *signal_text(int number)
{
	switch (number) {
	case SIGINT: return "SIGINT (Ctrl-C)";
	case SIGTERM: return "SIGTERM";
	case SIGHUP: return "SIGHUP (the terminal went away)";
	default: return strsignal(number);
	}
}

static enum step_status finish(struct step_run *r, enum step_status s)
{
	struct launch *l = r->l;
	enum unit_status unit = s == STEP_SKIPPED ? UNIT_SKIPPED : UNIT_GIVEN_UP;
	bool lost = false;

	step_close_jobs(r, unit, l->reason[0] ? l->reason : "the step ended before it");
	for (size_t j = 0; j < r->step->n_jobs; j++)
		lost = lost || r->s.job[j] == JOB_GIVEN_UP;
	return s == STEP_DONE && lost ? STEP_PARTIAL : s;
}

/* One start, to its end. *by_itself: nobody had to force the launcher to end. */
static int run_attempt(struct step_run *r, bool *late, bool *by_itself, struct hb_err *err)
{
	int rc = step_seats_choose(r, err);

	if (rc == HB_OK && !sched_worth_relaunch(&r->s))
		return HB_OK; /* everybody it needs is lost: there is nobody to start it with */
	if (rc == HB_OK)
		rc = start_child(r, err);
	if (rc != HB_OK)
		return rc;
	launch_log_flush(&r->l->log, NULL);
	*late = step_loop(r) == HB_E_TIMEOUT;
	*by_itself = spawn_ended(r->child, NULL) || step_end_child(r);
	step_drain(r);
	return HB_OK;
}

static void attempt_close(struct step_run *r)
{
	if (r->l->ctl)
		ctl_expect(r->l->ctl, 0, 0, 0, NULL, NULL);
	step_files_close(r);
	spawn_free(r->child);
	r->child = NULL;
}

/* What became of an attempt that will not be tried again; the reason too. */
static enum step_status judge_attempt(struct step_run *r, bool lost_launcher,
                                      const struct launch_cause *cause)
{
	struct launch *l = r->l;

	if (l->signal) {
		snprintf(l->reason, sizeof l->reason, "stopped by %s", signal_text(l->signal));
		return STEP_CANCELLED;
	}
	if (r->world_wrong) {
		if (l->p.site->ops->forget)
			l->p.site->ops->forget(l->p.site);
		return STEP_FAILED;
	}
	if (r->child && r->joined == 0)
		return nobody_came(r, cause);
	if (lost_launcher)
		snprintf(l->reason, sizeof l->reason, "%s",
		         cause->text[0] ? cause->text : "the launcher ended before its work");
	return STEP_DONE;
}

/* Runs attempts until there is nothing left to try. A failing start is a skip or a failure. */
static enum step_status run_attempts(struct step_run *r)
{
	struct launch *l = r->l;
	enum step_status s = STEP_DONE;
	struct hb_err err;
	bool more = true;

	while (more) {
		struct launch_cause cause = { 0 };
		bool late = false, by_itself = false;
		attempt_reset(r);
		if (run_attempt(r, &late, &by_itself, &err) != HB_OK) {
			snprintf(l->reason, sizeof l->reason, "%s", err.text);
			s = finish(r, err.code == HB_E_UNSUPPORTED ? STEP_SKIPPED : STEP_FAILED);
			log_step_end(r, s, NULL);
			attempt_close(r);
			return s;
		}
		bool unfinished = sched_worth_relaunch(&r->s);
		if (by_itself && unfinished)
			learn_cause(r, &cause);
		more = again(r, late, &cause);
		if (!more)
			s = judge_attempt(r, by_itself && unfinished, &cause);
		if (more) {
			step_event(r, "warn", "relaunch",
			           "step %llu lost ranks%s%s%s; it is started once more, without "
			           "what was being measured when they went",
			           (unsigned long long)r->step->id, cause.text[0] ? " (" : "",
			           cause.text, cause.text[0] ? ")" : "");
			sched_relaunch(&r->s);
		} else {
			s = finish(r, s);
		}
		log_step_end(r, more ? STEP_PARTIAL : s, &cause);
		attempt_close(r);
	}
	return s;
}

int launch_step(struct launch *l, size_t index, enum step_status *status, const char **reason,
                struct hb_err *err)
{
	struct step_run r;

	l->reason[0] = '\0';
	step_run_init(&r, l, index);
	step_read_signals(l);
	if (l->signal) {
		snprintf(l->reason, sizeof l->reason, "stopped by %s", signal_text(l->signal));
		*status = finish(&r, STEP_CANCELLED);
	} else {
		*status = run_attempts(&r);
	}
	step_run_free(&r);
	*reason = l->reason;
	return launch_log_flush(&l->log, err);
}

/* ---- the run ---- */

static int open_channel(struct launch *l, struct hb_err *err)
{
	const struct launch_site *site = l->p.site;
	bool given = l->p.port_lo > 0;
	struct ctl_params c = { .run = l->p.run,
		                .remote = site->ops->remote,
		                .address = l->p.control_address,
		                .first_node = site->first_node,
		                .port_lo = given ? l->p.port_lo : site->port_lo,
		                .port_hi = given ? l->p.port_hi : site->port_hi };

	return l->p.files ? HB_OK : ctl_open(&c, &l->ctl, err);
}

int launch_open(const struct launch_params *p, struct launch **out, struct hb_err *err)
{
	struct launch *l = hb_alloc(sizeof *l);
	int rc;

	l->p = *p;
	l->start_ms = wait_now_ms();
	launch_log_use(&l->log, p->writer);
	rc = p->writer ? HB_OK : launch_log_open(&l->log, p->dir, err);
	if (rc == HB_OK) {
		json_object *o = json_object_new_object();
		js_set_str(o, "type", "start");
		js_set_str(o, "run", p->run);
		rc = launch_journal(l, o, err);
		js_put(o);
	}
	if (rc == HB_OK && p->site->ops->open)
		rc = p->site->ops->open(p->site, p->plan, err);
	if (rc == HB_OK)
		rc = open_channel(l, err);
	if (rc != HB_OK) {
		launch_close(l, NULL);
		return rc;
	}
	*out = l;
	return HB_OK;
}

int launch_journal(struct launch *l, json_object *o, struct hb_err *err)
{
	launch_log_add(&l->log, LOG_JOURNAL, json_object_get(o), RECORD_GUESS);
	return launch_log_flush(&l->log, err);
}

int launch_signal(const struct launch *l)
{
	return l->signal;
}

int launch_close(struct launch *l, struct hb_err *err)
{
	if (!l)
		return HB_OK;
	int rc = launch_log_close(&l->log, err);
	ctl_close(l->ctl);
	launch_site_close(l->p.site);
	free(l);
	return rc;
}

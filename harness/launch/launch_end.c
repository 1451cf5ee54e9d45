/*
 * How an attempt ends: quit, a look at who does not go, TERM, KILL, each with its time. The last
 * records are still taken meanwhile.
 */
#include <signal.h>

#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum {
	QUIT_MS = 5000,      /* after quit, when everybody answered */
	QUIT_LOST_MS = 1000, /* after quit, when somebody is stuck anyway */
	TERM_MS = 5000,
	KILL_MS = 10000,
	DRAIN_MS = 1000 /* what ended processes left in their sockets */
};

static bool anybody_lost(const struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if ((r->s.rank[i] == RANK_LOST || r->s.rank[i] == RANK_STUCK) && !r->left_out[i])
			return true;
	return false;
}

static void enter(struct step_run *r, enum step_phase phase, int64_t until_ms)
{
	r->phase = phase;
	r->until_ms = until_ms;
}

static void send_quit(struct step_run *r)
{
	json_object *quit = step_quit_message();

	for (int i = 0; r->ctl && i < r->n_world; i++)
		if (ctl_connected(r->ctl, i))
			ctl_send(r->ctl, i, quit, NULL);
	js_put(quit);
}

/* Whatever is still there must go. */
static void force(struct step_run *r, int64_t now)
{
	spawn_signal(r->child, SIGTERM);
	spawn_signal(r->child, SIGCONT);
	enter(r, STEP_TERMS, now + TERM_MS);
}

void step_begin_end(struct step_run *r)
{
	int64_t now = wait_now_ms();

	r->quitting = true;
	if (spawn_ended(r->child, NULL)) {
		r->by_itself = true;
		enter(r, STEP_DRAINS, now + DRAIN_MS);
		return;
	}
	/* Before we end it: what it says then is our doing. */
	if (r->joined == 0)
		step_learn_cause(r, &r->early);
	send_quit(r);
	/* Who is in start-up hears no quit. */
	if (r->l->signal || r->world_wrong || (r->stalled && r->joined == 0))
		force(r, now);
	else
		enter(r, STEP_QUITS,
		      now + (anybody_lost(r) || r->stalled || r->nobody ? QUIT_LOST_MS : QUIT_MS));
}

/* Are the sockets of ended processes empty? */
static bool drained(const struct step_run *r)
{
	for (int i = 0; r->ctl && i < r->n_world; i++)
		if (ctl_connected(r->ctl, i))
			return false;
	return true;
}

/* The phase's time is over, or what it waited for has come. */
static void next_phase(struct step_run *r, int64_t now)
{
	switch (r->phase) {
	case STEP_QUITS:
		if (!r->l->signal && step_somebody_stuck(r)) {
			stuck_open(r);
			enter(r, STEP_LOOKS, -1);
			return;
		}
		force(r, now);
		return;
	case STEP_LOOKS:
		stuck_close(r);
		force(r, now);
		return;
	case STEP_TERMS:
		spawn_signal(r->child, SIGKILL);
		enter(r, STEP_KILLS, now + KILL_MS);
		return;
	case STEP_KILLS: enter(r, STEP_DRAINS, now + DRAIN_MS); return;
	case STEP_DRAINS:
		if (r->files)
			step_files_finish(r);
		step_attempt_over(r);
		return;
	case STEP_RUNS:
	case STEP_OVER: return;
	}
}

/* Is there nothing more to wait for in this phase? */
static bool phase_over(struct step_run *r, int64_t now)
{
	if (r->phase == STEP_DRAINS)
		return now >= r->until_ms || drained(r);
	/* A signal that comes meanwhile ends the patience with those that were told to quit. */
	if ((r->phase == STEP_QUITS || r->phase == STEP_LOOKS) && r->l->signal)
		return true;
	if (r->phase == STEP_LOOKS)
		return stuck_done(r, now);
	if (r->phase == STEP_TERMS && r->l->impatient)
		return true;
	return now >= r->until_ms;
}

int64_t step_advance_end(struct step_run *r, int64_t now)
{
	if (r->phase != STEP_DRAINS && spawn_ended(r->child, NULL)) {
		r->by_itself = r->phase == STEP_QUITS || r->phase == STEP_LOOKS;
		stuck_close(r);
		enter(r, STEP_DRAINS, now + DRAIN_MS);
	}
	if (!phase_over(r, now))
		return r->until_ms;
	next_phase(r, now);
	return now;
}

/* Running steps, several at the same time where they have no node in common. */
#include "harness/launch/launch.h"

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

/* Kept before the end of the job: time to end a step that does not want to, and for the report. */
enum { LAUNCH_RESERVE_MS = 30000 };

const char *step_status_name(enum step_status s)
{
	static const char *const names[] = { "done", "partial", "skipped", "failed", "cancelled" };

	return names[s];
}

/* ---- steps ---- */

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
	int rc = l->p.files ? HB_OK : ctl_open(&c, &l->ctl[l->n_ctl], err);

	l->n_ctl += rc == HB_OK && !l->p.files;
	return rc;
}

int launch_ready(struct launch *l, struct hb_err *err)
{
	const struct launcher_ops *ops = l->p.site->ops;

	if (l->ready)
		return HB_OK;
	l->ready = true;
	int rc = ops->open ? ops->open(l->p.site, l->p.plan, err) : HB_OK;

	l->start_ms = wait_now_ms(); /* waiting for nodes is not on anybody's budget */
	if (rc == HB_E_CANCELLED)
		step_read_signals(l);
	return rc == HB_OK ? open_channel(l, err) : rc;
}

/* How many of n steps can run at the same time: a port range may be shorter. */
static size_t open_channels(struct launch *l, size_t n)
{
	struct hb_err err;

	while (!l->p.files && l->n_ctl < n)
		if (open_channel(l, &err) != HB_OK)
			return l->n_ctl;
	return n;
}

/* Until when everything must have ended: the budget, or the resource manager's word. */
static void look_at_time(struct launch *l)
{
	const struct launcher_ops *ops = l->p.site->ops;
	double left = ops->left_s ? ops->left_s(l->p.site) : -1;
	int64_t now = wait_now_ms(), end = 0;

	l->end_what = "the end of the time budget";
	if (l->p.budget_s > 0)
		end = l->start_ms + (int64_t)(l->p.budget_s * 1000);
	if (left >= 0 && (!end || now + (int64_t)(left * 1000) - LAUNCH_RESERVE_MS < end)) {
		end = now + (int64_t)(left * 1000) - LAUNCH_RESERVE_MS;
		l->end_what = "the time limit of the job";
	}
	/* 0 stands for "no limit". */
	l->end_ms = end == 0 && left < 0 ? 0 : end < 1 ? 1 : end;
}

static void step_open(struct launch *l, struct step_run *r, size_t index, size_t slot)
{
	step_run_init(r, l, index);
	r->ctl = l->p.files ? NULL : l->ctl[slot];
	r->began_ms = wait_now_ms();
	if (!l->signal) {
		step_facts_manager(r);
		step_begin(r);
		return;
	}
	snprintf(r->reason, sizeof r->reason, "stopped by %s", step_signal_text(l->signal));
	step_finish(r, STEP_CANCELLED, NULL);
}

/* Until all of them are over. */
static void drive(struct launch *l, struct step_run *v, size_t n)
{
	for (;;) {
		int64_t now = wait_now_ms(), until = -1;
		size_t live = 0;

		for (size_t i = 0; i < n; i++) {
			until = wait_sooner(until, step_advance(&v[i], now));
			live += v[i].phase != STEP_OVER;
		}
		if (live == 0)
			return;
		step_turn(l, v, n, until);
	}
}

int launch_steps(struct launch *l, size_t first, size_t n, struct launch_result *out,
                 struct hb_err *err)
{
	int rc = launch_ready(l, err);

	if (rc != HB_OK)
		return rc;
	struct step_run *v = hb_alloc(LAUNCH_AT_ONCE * sizeof *v);

	for (size_t done = 0, some; done < n; done += some) {
		some = n - done < LAUNCH_AT_ONCE ? n - done : LAUNCH_AT_ONCE;
		some = open_channels(l, some);
		step_read_signals(l);
		look_at_time(l);
		for (size_t i = 0; i < some; i++)
			step_open(l, &v[i], first + done + i, i);
		drive(l, v, some);
		for (size_t i = 0; i < some; i++) {
			out[done + i] = (struct launch_result){
				.status = v[i].status,
				.reason = v[i].reason[0] ? hb_strdup(v[i].reason) : NULL,
				.seconds = v[i].seconds,
				.no_time = v[i].no_time,
				.cancelled = v[i].cancelled,
			};
			step_run_free(&v[i]);
		}
	}
	free(v);
	return launch_log_flush(&l->log, err);
}

/* ---- the run ---- */

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
		js_set_str(o, "type", p->past ? "resume" : "start");
		js_set_str(o, "run", p->run);
		rc = launch_journal(l, o, err);
		js_put(o);
	}
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

bool launch_node_lost(const struct launch *l, size_t node)
{
	return l->lost && l->lost[node];
}

int launch_close(struct launch *l, struct hb_err *err)
{
	if (!l)
		return HB_OK;
	int rc = launch_log_close(&l->log, err);
	for (size_t i = 0; i < l->n_ctl; i++)
		ctl_close(l->ctl[i]);
	launch_forget_look(l);
	launch_site_close(l->p.site);
	free(l->where);
	free(l->told);
	free(l->lost);
	free(l);
	return rc;
}

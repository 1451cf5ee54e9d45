/*
 * Start-up: who has come, who never ran, who runs and does not come out; and where all run and
 * nobody comes out, the search for the node through which (tiers.h).
 */
#include "bench/base/mem.h"
#include "bench/base/seat.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

int step_absent(const struct step_run *r)
{
	int n = 0;

	for (int i = 0; i < r->step->n_ranks; i++)
		n += r->s.rank[i] == RANK_ABSENT && !r->left_out[i];
	return n;
}

void step_begun(struct step_run *r, const struct ctl_start *s)
{
	int n = r->step->n_ranks, seat;
	bool *taken = hb_alloc((size_t)n * sizeof *taken), stranger = false;

	for (int i = 0; i < n; i++)
		taken[i] = r->left_out[i] || r->begun[i];
	seat = seat_find((const char *const *)r->host, taken, n, s->host, s->local, &stranger);
	/* By another name it may be anybody: who did not begin is not known then. */
	r->stranger = r->stranger || stranger || seat < 0;
	if (seat >= 0) {
		r->begun[seat] = true;
		r->n_begun++;
	}
	r->last_begun_ms = wait_now_ms();
	free(taken);
}

/* Every process runs, as far as they can be told apart. */
static bool all_begun(const struct step_run *r)
{
	return r->n_begun >= r->n_world;
}

int64_t step_absent_until(const struct step_run *r)
{
	const struct launcher_ops *ops = r->l->p.site->ops;
	int64_t all = r->start_ms + ops->connect_ms;

	if (step_absent(r) == 0 || (r->files && r->joined > 0))
		return -1;
	/* Before the step's own deadline, or nobody would be named. */
	if (r->step->deadline_s > 0)
		all = wait_sooner(all, r->start_ms + (int64_t)(r->step->deadline_s * 1000));
	if (r->joined > 0)
		return wait_sooner(all, r->last_join_ms + ops->straggle_ms);
	/* A program may be slow to load everywhere at once, and start-up of many takes its time; a
	 * probe's nodes have shown already how fast they are. */
	if (r->n_begun > 0 && (r->probe || !all_begun(r)))
		return wait_sooner(all, r->last_begun_ms + ops->straggle_ms);
	return all;
}

/* Others run, and wait for them. */
static void lose_unbegun(struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++) {
		char *why;

		if (r->s.rank[i] != RANK_ABSENT || r->left_out[i] || r->begun[i])
			continue;
		why = hb_format("no process of hpcbench-%s ever ran there; %d of %d did elsewhere",
		                r->step->helper, r->n_begun, r->n_world);
		step_rank_lost(r, i, why);
		free(why);
	}
}

static void lose_absent(struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (r->s.rank[i] == RANK_ABSENT && !r->left_out[i])
			step_rank_lost(r, i,
			               r->begun[i] ? "its process ran, and never came out of "
			                             "start-up as others did"
			                           : "it never connected");
}

void step_give_up_absent(struct step_run *r)
{
	bool can_do_without = r->l->p.site->ops->leaves_out;

	if (r->probe) {
		r->stalled = true;
	} else if (r->joined > 0 || r->n_begun == 0 || r->stranger) {
		lose_absent(r);
	} else if (!all_begun(r)) {
		r->stalled = true;
		lose_unbegun(r);
	} else {
		r->stalled = true;
		step_event(r, "warn", "start-up",
		           "all %d processes of step %llu run, and none has come out of its "
		           "start-up%s",
		           r->n_world, (unsigned long long)r->step->id,
		           can_do_without ? "; parts of the nodes are started by themselves to "
		                            "see through which"
		                          : "");
	}
	if (r->stalled && !r->reason[0])
		snprintf(r->reason, sizeof r->reason,
		         "hpcbench-%s ran on its nodes and did not come out of its start-up",
		         r->step->helper);
}

/* ---- the search ---- */

static void probe_over(struct step_run *r)
{
	size_t node = 0;
	bool came = !r->stalled && r->joined == r->n_world;
	int n = r->n_world;

	step_event(r, "info", "probe", "%d ranks started by themselves %s", n,
	           came ? "came out of start-up" : "did not come out of start-up");
	switch (tiers_probed(&r->tiers, came, &node)) {
	case TIERS_SEARCH_ON: return;
	case TIERS_NODE:
		step_node_lost(r, r->l->p.plan->nodes.v[node],
		               "its process runs, but ranks that are started together with it do "
		               "not come out of their start-up");
		return;
	case TIERS_NOBODY:
		step_event(r, "warn", "start-up",
		           "every part of the nodes comes out of start-up by itself; all are "
		           "started together once more");
		return;
	}
}

bool step_startup_over(struct step_run *r)
{
	if (r->probe) {
		probe_over(r);
		return r->tiers.searches || tiers_may_start(&r->tiers);
	}
	if (!r->stalled)
		return false;
	if (!r->l->p.site->ops->leaves_out)
		return false;
	if (!all_begun(r)) /* those that never ran are lost now */
		return tiers_may_start(&r->tiers);
	return tiers_search(&r->tiers);
}

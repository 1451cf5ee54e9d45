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
	bool *taken = hb_alloc((size_t)n * sizeof *taken), stranger = false, known = false;

	for (int i = 0; i < n; i++) {
		taken[i] = r->left_out[i] || r->begun[i];
		known = known || (!r->left_out[i] && strcmp(r->host[i], s->host) == 0);
	}
	seat = seat_find((const char *const *)r->host, taken, n, s->host, s->local, &stranger);
	free(taken);
	/* All of that host have said so: one of them says it again, by another address. */
	if (known && (stranger || seat < 0))
		return;
	/* By another name it may be anybody: who did not begin is not known then. */
	if (stranger || seat < 0)
		r->stranger = true;
	else
		r->begun[seat] = true;
	r->n_begun++;
	r->last_begun_ms = wait_now_ms();
}

/* Every process runs, as far as they can be told apart. */
static bool all_begun(const struct step_run *r)
{
	return r->n_begun >= r->n_world;
}

static int64_t last_sign(const struct step_run *r)
{
	return r->joined > 0 && r->last_join_ms > r->last_begun_ms ? r->last_join_ms
	                                                           : r->last_begun_ms;
}

/*
 * How long the others are waited for after one more has come. A cluster that is slow to start this
 * many processes is slow with the last ones, too: as long again as all took until now.
 */
static int64_t slow_ms(const struct step_run *r)
{
	return r->l->p.site->ops->straggle_ms + (last_sign(r) - r->start_ms);
}

int64_t step_absent_until(const struct step_run *r)
{
	const struct launcher_ops *ops = r->l->p.site->ops;
	int64_t until;

	if (r->nobody || step_absent(r) == 0 || (r->files && r->joined > 0))
		return -1;
	if (r->joined > 0)
		until = last_sign(r) + slow_ms(r);
	else if (r->n_begun == 0)
		until = r->start_ms + ops->connect_ms;
	else if (!all_begun(r) && !r->stranger)
		until = r->last_begun_ms + slow_ms(r);
	else if (r->probe && ops->straggle_ms < ops->connect_ms / 2)
		/* Part of the nodes, which have shown that they begin, needs less than all. */
		until = r->last_begun_ms + ops->connect_ms / 2;
	else
		until = r->last_begun_ms + ops->connect_ms;
	/* Before the step's own deadline, or nobody would be named. */
	if (r->step->deadline_s > 0)
		until = wait_sooner(until, r->start_ms + (int64_t)(r->step->deadline_s * 1000));
	return until;
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

	if (r->joined == 0 && (r->n_begun == 0 || r->stranger)) {
		/* Whatever it is, it is all of them: no node is to blame. */
		r->nobody = true;
	} else if (r->probe) {
		r->stalled = true;
	} else if (r->joined > 0) {
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

/* Only where every process runs a start-up that does not end is one that hangs. */
static enum tiers_probe probe_end(const struct step_run *r)
{
	if (r->joined == r->n_world)
		return PROBE_CAME;
	return r->stalled && all_begun(r) && !r->stranger ? PROBE_HANGS : PROBE_VOID;
}

static enum tiers_found probe_over(struct step_run *r)
{
	size_t node = 0;
	enum tiers_probe how = probe_end(r);
	static const char *const words[] = {
		[PROBE_CAME] = "came out of start-up",
		[PROBE_HANGS] = "did not come out of start-up",
		[PROBE_VOID] = "did not all run",
	};

	step_event(r, "info", "probe", "%d ranks started by themselves %s", r->n_world, words[how]);
	enum tiers_found found = tiers_probed(&r->tiers, how, &node);

	switch (found) {
	case TIERS_SEARCH_ON: break;
	case TIERS_NODE:
		step_node_lost(r, r->l->p.plan->nodes.v[node],
		               "its process runs, but ranks that are started together with it do "
		               "not come out of their start-up");
		break;
	case TIERS_ALL:
		step_event(r, "warn", "start-up",
		           "no two of the nodes that were tried come out of start-up either: no "
		           "single node is to blame");
		break;
	case TIERS_NOBODY:
		step_event(r, "warn", "start-up",
		           "no part of the nodes is known to hang by itself; all are started "
		           "together once more");
		break;
	}
	return found;
}

bool step_startup_over(struct step_run *r)
{
	if (r->probe) {
		enum tiers_found found = probe_over(r);

		return found == TIERS_SEARCH_ON ||
		       (found != TIERS_ALL && tiers_may_start(&r->tiers));
	}
	if (!r->stalled)
		return false;
	if (!r->l->p.site->ops->leaves_out)
		return false;
	if (!all_begun(r)) /* those that never ran are lost now */
		return tiers_may_start(&r->tiers);
	return tiers_search(&r->tiers);
}

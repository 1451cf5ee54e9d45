/* Who sits where: ranks of the plan and processes of the launcher, and nodes that are left out. */
#include "bench/base/mem.h"
#include "bench/base/seat.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum { LOOK_AGAIN_MS = 1000 };

static void lose_unusable(struct step_run *r, const char *const *reason)
{
	for (int i = 0; i < r->step->n_ranks; i++) {
		const char *why = reason[r->step->rank_node[i]];
		if (why && r->s.rank[i] != RANK_LOST)
			step_rank_lost(r, i, why);
	}
}

static int look(struct step_run *r, struct hb_err *err)
{
	struct launch *l = r->l;
	struct launch_site *site = l->p.site;
	int64_t now = wait_now_ms();
	int rc = HB_OK;

	if (l->p.past)
		lose_unusable(r, l->p.past->gone);
	if (!site->ops->look)
		return HB_OK;
	/* Steps that start together share one look. */
	if (!l->gone || now - l->looked_ms > LOOK_AGAIN_MS) {
		launch_forget_look(l);
		l->gone = hb_alloc((l->p.plan->nodes.n + 1) * sizeof *l->gone);
		rc = site->ops->look(site, l->p.plan, l->gone, err);
		l->looked_ms = wait_now_ms();
	}
	if (rc == HB_OK)
		lose_unusable(r, (const char *const *)l->gone);
	return rc;
}

void launch_forget_look(struct launch *l)
{
	for (size_t i = 0; l->gone && i < l->p.plan->nodes.n; i++)
		free(l->gone[i]);
	free(l->gone);
	l->gone = NULL;
}

/* Nodes are left out whole: one lost rank is enough. */
static bool node_is_lost(const struct step_run *r, size_t node)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (r->step->rank_node[i] == node && r->s.rank[i] == RANK_LOST)
			return true;
	return false;
}

int step_seats_choose(struct step_run *r, struct hb_err *err)
{
	int n = r->step->n_ranks, rc = look(r, err);

	if (rc != HB_OK)
		return rc;
	r->n_world = 0;
	for (int i = 0; i < n; i++) {
		size_t node = r->step->rank_node[i];
		bool lost = r->l->p.site->ops->leaves_out && node_is_lost(r, node);
		r->left_out[i] = lost || !tiers_in_probe(&r->tiers, node);
		if (lost && r->s.rank[i] != RANK_LOST)
			step_rank_lost(r, i, "another rank on its node was lost");
		r->n_world += !r->left_out[i];
		r->world[i] = r->seat[i] = -1;
	}
	return HB_OK;
}

int step_seat_take(struct step_run *r, int world, const char *host, int local)
{
	int n = r->step->n_ranks, seat = -1;
	bool *taken = hb_alloc((size_t)n * sizeof *taken), stranger = false;

	for (int i = 0; i < n; i++)
		taken[i] = r->left_out[i] || r->world[i] >= 0;
	/* The launcher's own numbering where it fits the plan's. */
	if (r->n_world == n && !taken[world] && strcmp(r->host[world], host) == 0)
		seat = world;
	else
		seat = seat_find((const char *const *)r->host, taken, n, host, local, &stranger);
	if (stranger && !taken[world])
		seat = world;
	free(taken);
	return seat;
}

void step_node_lost(struct step_run *r, const char *node, const char *why)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (strcmp(r->host[i], node) == 0 && r->s.rank[i] != RANK_LOST)
			step_rank_lost(r, i, why);
}

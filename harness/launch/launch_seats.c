/* Who sits where: ranks of the plan and processes of the launcher, and nodes that are left out. */
#include "bench/base/mem.h"
#include "bench/base/seat.h"
#include "harness/launch/launch_parts.h"

static void lose_unusable(struct step_run *r, char *const *reason)
{
	for (int i = 0; i < r->step->n_ranks; i++) {
		const char *why = reason[r->step->rank_node[i]];
		if (why && r->s.rank[i] != RANK_LOST)
			step_rank_lost(r, i, why);
	}
}

static int look(struct step_run *r, struct hb_err *err)
{
	struct launch_site *site = r->l->p.site;
	const struct plan *plan = r->l->p.plan;
	int rc;

	if (!site->ops->look)
		return HB_OK;
	char **reason = hb_alloc((plan->nodes.n + 1) * sizeof *reason);
	rc = site->ops->look(site, plan, reason, err);
	if (rc == HB_OK)
		lose_unusable(r, reason);
	for (size_t i = 0; i < plan->nodes.n; i++)
		free(reason[i]);
	free(reason);
	return rc;
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
		r->left_out[i] = r->l->p.site->ops->leaves_out &&
		                 node_is_lost(r, r->step->rank_node[i]);
		if (r->left_out[i] && r->s.rank[i] != RANK_LOST)
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

#include "harness/launch/tiers.h"

#include "bench/base/mem.h"
#include "harness/launch/launch.h"

enum { DEATHS_MAX = 2, SEARCHES_MAX = 4, FRUITLESS_MAX = 3 };

void tiers_init(struct tiers *t, const struct plan_step *step, size_t n_nodes)
{
	*t = (struct tiers){ .n = n_nodes, .with = -1 };
	t->in = hb_alloc((n_nodes + 1) * sizeof *t->in);
	t->lost = hb_alloc((n_nodes + 1) * sizeof *t->lost);
	t->cleared = hb_alloc((n_nodes + 1) * sizeof *t->cleared);
	t->deaths = hb_alloc(n_nodes + 1);
	t->ask = hb_alloc((n_nodes + 1) * sizeof *t->ask);
	for (int i = 0; i < step->n_ranks; i++)
		t->in[step->rank_node[i]] = true;
	for (size_t i = 0; i < n_nodes; i++)
		t->n_in += t->in[i];
}

void tiers_free(struct tiers *t)
{
	free(t->in);
	free(t->lost);
	free(t->cleared);
	free(t->deaths);
	free(t->ask);
	*t = (struct tiers){ 0 };
}

static int log2_up(size_t n)
{
	int bits = 0;

	while (((size_t)1 << bits) < n)
		bits++;
	return bits;
}

void tiers_lost(struct tiers *t, size_t node)
{
	if (t->lost[node])
		return;
	t->lost[node] = true;
	t->named += t->deaths[node] == 0;
	t->earned++;
}

bool tiers_died(struct tiers *t, size_t node)
{
	if (t->lost[node])
		return false;
	if (++t->deaths[node] >= DEATHS_MAX)
		return true;
	t->named++;
	t->earned++;
	return false;
}

void tiers_hung(struct tiers *t)
{
	t->earned++;
}

void tiers_started(struct tiers *t)
{
	t->starts++;
}

void tiers_ended(struct tiers *t, bool fruitless)
{
	t->fruitless = fruitless ? t->fruitless + 1 : 0;
}

bool tiers_may_start(const struct tiers *t)
{
	int most = 1 + log2_up(t->n_in) + (int)t->named;

	return t->fruitless < FRUITLESS_MAX &&
	       t->starts < LAUNCH_ATTEMPTS + (t->earned < most ? t->earned : most);
}

/* ---- the search ---- */

/* Whom a single node is started with: one that came out before, else one that nobody asks about. */
static long companion(const struct tiers *t)
{
	long other = -1;

	for (size_t i = 0; i < t->n; i++) {
		bool asked = false;

		if (!t->in[i] || t->lost[i])
			continue;
		if (t->cleared[i])
			return (long)i;
		for (size_t k = 0; k < t->n_ask; k++)
			asked = asked || t->ask[k] == i;
		if (!asked && other < 0)
			other = (long)i;
	}
	return other;
}

static void choose_probe(struct tiers *t)
{
	t->n_probed = t->n_ask > 1 ? t->n_ask / 2 : 1;
	t->with = t->n_probed == 1 ? companion(t) : -1;
	/* Alone a node may come out of what it does not let others out of. */
	if (t->n_probed == 1 && t->with < 0 && t->n_ask > 2)
		t->n_probed = 2;
}

bool tiers_search(struct tiers *t)
{
	t->n_ask = 0;
	for (size_t i = 0; i < t->n; i++) {
		t->cleared[i] = false;
		if (t->in[i] && !t->lost[i])
			t->ask[t->n_ask++] = i;
	}
	/* Of two nodes nobody can say through which. */
	if (t->n_ask < 3 || t->in_vain || t->probes >= SEARCHES_MAX * (log2_up(t->n_in) + 1))
		return false;
	t->searches = true;
	choose_probe(t);
	return true;
}

bool tiers_in_probe(const struct tiers *t, size_t node)
{
	if (!t->searches || t->with == (long)node)
		return true;
	for (size_t i = 0; i < t->n_probed; i++)
		if (t->ask[i] == node)
			return true;
	return false;
}

enum tiers_found tiers_probed(struct tiers *t, bool came, size_t *node)
{
	size_t n = t->n_probed;

	t->probes++;
	if (came) {
		for (size_t i = 0; i < n; i++)
			t->cleared[t->ask[i]] = true;
		if (t->with >= 0)
			t->cleared[t->with] = true;
		t->n_ask -= n;
		for (size_t i = 0; i < t->n_ask; i++)
			t->ask[i] = t->ask[n + i];
	} else if (n == 1) {
		*node = t->ask[0];
		tiers_lost(t, *node);
		t->searches = false;
		return TIERS_NODE;
	} else {
		t->n_ask = n;
	}
	t->searches = t->n_ask > 0;
	if (!t->searches) {
		t->in_vain = true;
		t->earned++;
		return TIERS_NOBODY;
	}
	choose_probe(t);
	return TIERS_SEARCH_ON;
}

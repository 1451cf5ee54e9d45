#include "harness/launch/tiers.h"

#include <string.h>

#include "bench/base/mem.h"
#include "harness/launch/launch.h"

enum { DEATHS_MAX = 2, SEARCHES_MAX = 4, FRUITLESS_MAX = 3, VOIDS_MAX = 1, PAIRS_MAX = 3 };

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

/* Whom a single node is started with: one that came out before. */
static long companion(const struct tiers *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->in[i] && !t->lost[i] && t->cleared[i])
			return (long)i;
	return -1;
}

static void choose_probe(struct tiers *t)
{
	if (!t->known) {
		t->n_probed = 2;
		t->with = -1;
		return;
	}
	t->n_probed = t->n_ask > 1 ? t->n_ask / 2 : 1;
	t->with = t->n_probed == 1 ? companion(t) : -1;
}

/* The first k of ask go to its end. */
static void rotate(struct tiers *t, size_t k)
{
	for (; k > 0; k--) {
		size_t first = t->ask[0];

		memmove(t->ask, t->ask + 1, (t->n_ask - 1) * sizeof *t->ask);
		t->ask[t->n_ask - 1] = first;
	}
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
	if (t->n_ask < 3 || t->in_vain || t->probes >= SEARCHES_MAX * (log2_up(t->n_in) + 2))
		return false;
	t->searches = true;
	t->known = false;
	t->pairs = t->voids = 0;
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

static enum tiers_found in_vain(struct tiers *t, enum tiers_found found)
{
	t->searches = false;
	t->in_vain = true;
	t->earned += found == TIERS_NOBODY;
	return found;
}

/* They are none of those who are sought. */
static void clear_probed(struct tiers *t)
{
	for (size_t i = 0; i < t->n_probed; i++)
		t->cleared[t->ask[i]] = true;
	t->n_ask -= t->n_probed;
	memmove(t->ask, t->ask + t->n_probed, t->n_ask * sizeof *t->ask);
	/* Of the pair before, one does not let the other out. */
	if (!t->known && t->pairs > 0 && t->n_ask > 2) {
		rotate(t, t->n_ask - 2);
		t->n_ask = 2;
	}
	t->known = true;
}

enum tiers_found tiers_probed(struct tiers *t, enum tiers_probe how, size_t *node)
{
	t->probes++;
	if (how == PROBE_VOID)
		return t->voids++ < VOIDS_MAX ? TIERS_SEARCH_ON : in_vain(t, TIERS_NOBODY);
	if (how == PROBE_CAME) {
		clear_probed(t);
	} else if (!t->known) {
		if (++t->pairs >= PAIRS_MAX)
			return in_vain(t, TIERS_ALL);
		rotate(t, 2);
	} else if (t->n_probed == 1) {
		*node = t->ask[0];
		tiers_lost(t, *node);
		t->searches = false;
		return TIERS_NODE;
	} else {
		t->n_ask = t->n_probed;
	}
	if (t->n_ask == 0)
		return in_vain(t, TIERS_NOBODY);
	choose_probe(t);
	return TIERS_SEARCH_ON;
}

#include "harness/launch/launch_load.h"

#include <math.h>
#include <stdio.h>

#include "bench/base/buf.h"
#include "bench/base/units.h"

enum { NODES_NAMED = 3 };

static const double least_seconds = 0.05; /* for CPU time: the kernel counts in steps of 10 ms */
static const double least_net_s = 0.01;
static const double least_cpu_s = 0.1;
static const double least_cores = 0.5;
static const double idle_share = 0.05;  /* of the cores; at least half a core is idle */
static const double net_overhead = 0.1; /* headers, and what was sent twice */
static const double net_times_own = 5;  /* limit in shares of the own rate per that of speed */
static const double least_rate = 10e6;  /* where the speed is unknown */
static const double least_bytes = 2e6;  /* records on their way, services of the site */

void node_load_add(struct node_load *n, const struct load_span *rank)
{
	double own_s = n->sum.own_s + rank->own_s, tx = n->sum.tx + rank->tx,
	       rx = n->sum.rx + rank->rx, tx_before = n->sum.tx_before + rank->tx_before,
	       rx_before = n->sum.rx_before + rank->rx_before;

	if (n->ranks++ == 0 || rank->seconds > n->sum.seconds)
		n->sum = *rank;
	n->sum.own_s = own_s;
	n->sum.tx = tx;
	n->sum.rx = rx;
	n->sum.tx_before = tx_before;
	n->sum.rx_before = rx_before;
}

static bool uses_network(const struct node_load *n)
{
	return n->sum.tx + n->sum.rx > 0;
}

static bool cpu_disturbed(const struct suite_disturbed *limits, const struct node_load *n,
                          struct buf *why)
{
	const struct load_span *s = &n->sum;
	double foreign_s = s->busy_s - s->own_s + (uses_network(n) ? 0 : s->soft_s);
	double foreign = foreign_s / s->seconds, busy = (s->busy_s + s->soft_s) / s->seconds;

	if (limits->cpu <= 0 || n->cpu_shared || s->seconds < least_seconds || s->cores < 1 ||
	    foreign_s < least_cpu_s)
		return false;
	if (foreign <= fmax(least_cores, limits->cpu * s->cores) ||
	    busy <= s->cores - fmax(least_cores, idle_share * s->cores))
		return false;
	buf_printf(why, "foreign processes used %.1f of %.0f cores", fmin(foreign, s->cores),
	           s->cores);
	return true;
}

/* The device that carries most of what is not ours: bytes a second, and of how many at most. */
static const struct load_nic *worst_nic(const struct load_span *s, double *foreign_rate)
{
	const struct load_nic *worst = NULL;

	*foreign_rate = 0;
	for (int i = 0; i < s->n_nics; i++) {
		const struct load_nic *nic = &s->nics[i];
		/* Late counters also tell of what came before, our own and others'. */
		double late = nic->lag_s > 0;
		double rx = nic->rx - (s->rx + late * s->rx_before) * (1 + net_overhead),
		       tx = nic->tx - (s->tx + late * s->tx_before) * (1 + net_overhead);
		double most = fmax(rx, tx), rate = most / (s->seconds + nic->lag_s);

		if (most > least_bytes && rate > *foreign_rate) {
			worst = nic;
			*foreign_rate = rate;
		}
	}
	return worst;
}

static bool net_disturbed(const struct suite_disturbed *limits, const struct node_load *n,
                          struct buf *why)
{
	const struct load_span *s = &n->sum;
	const struct load_nic *nic;
	double foreign, limit;
	char rate[40];

	if (limits->nic <= 0 || n->net_shared || !uses_network(n) || s->seconds < least_net_s)
		return false;
	nic = worst_nic(s, &foreign);
	if (!nic)
		return false;
	limit = nic->max_Bps > 0 ? limits->nic * nic->max_Bps
	                         : fmax(least_rate, limits->nic * net_times_own *
	                                                    fmax(s->tx, s->rx) / s->seconds);
	if (foreign <= limit)
		return false;
	units_format(UNIT_BPS, foreign, rate, sizeof rate);
	buf_printf(why, "%s carried foreign traffic of %s", nic->name, rate);
	return true;
}

static bool node_disturbed(const struct suite_disturbed *limits, const struct node_load *n,
                           struct buf *why)
{
	if (n->ranks == 0 || !(n->sum.seconds > 0))
		return false;
	return cpu_disturbed(limits, n, why) || net_disturbed(limits, n, why);
}

bool load_disturbed(const struct suite_disturbed *limits, const struct node_load *v, size_t n,
                    char *why, size_t size)
{
	struct buf text = BUF_INIT;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		struct buf one = BUF_INIT;

		if (node_disturbed(limits, &v[i], &one) && found++ < NODES_NAMED)
			buf_printf(&text, "%s%s: %s", found > 1 ? "; " : "", v[i].node,
			           buf_text(&one));
		buf_free(&one);
	}
	if (found > NODES_NAMED)
		buf_printf(&text, "; and %zu more nodes", found - NODES_NAMED);
	if (size > 0)
		snprintf(why, size, "%s", buf_text(&text));
	buf_free(&text);
	return found > 0;
}

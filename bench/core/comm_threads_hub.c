#include "bench/core/comm_threads_hub.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

/* Waits for a change until the deadline; false when it has passed. The lock is held. */
static bool wait_moved(struct world *w, uint64_t deadline_ns)
{
	struct timespec until;
	uint64_t now, left;

	if (!deadline_ns) {
		pthread_cond_wait(&w->moved, &w->lock);
		return true;
	}
	now = clock_ns();
	if (now >= deadline_ns)
		return false;
	left = deadline_ns - now;
	clock_gettime(CLOCK_MONOTONIC, &until); /* the condition's own clock */
	left += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(left / 1000000000u);
	until.tv_nsec = (long)(left % 1000000000u);
	pthread_cond_timedwait(&w->moved, &w->lock, &until);
	return true;
}

static int give_up(struct threads_comm *t, const char *what, struct hb_err *err)
{
	t->hub->broken = true;
	t->base.broken = 1;
	pthread_cond_broadcast(&t->hub->world->moved);
	return hb_fail(err, HB_E_TIMEOUT, "%s: a rank did not answer before the deadline", what);
}

int hub_meet(struct threads_comm *t, const char *what, struct hb_err *err)
{
	struct hub *hub = t->hub;
	uint64_t generation = hub->generation;

	if (hub->broken)
		return give_up(t, what, err);
	if (++hub->arrived == hub->n) {
		hub->arrived = 0;
		hub->generation++;
		pthread_cond_broadcast(&hub->world->moved);
		return HB_OK;
	}
	while (hub->generation == generation) {
		if (hub->broken || !wait_moved(hub->world, t->base.deadline_ns))
			return give_up(t, what, err);
	}
	return HB_OK;
}

int hub_exchange(struct threads_comm *t, const void *in, size_t len, const char *what,
                 void (*take)(struct threads_comm *t, void *arg), void *arg, struct hb_err *err)
{
	struct hub *hub = t->hub;
	int rc;

	pthread_mutex_lock(&hub->world->lock);
	if (!hub->broken) {
		buf_clear(&hub->slots[t->rank]);
		if (len > 0)
			buf_add(&hub->slots[t->rank], in, len);
	}
	rc = hub_meet(t, what, err);
	if (!rc && take) {
		take(t, arg);
		rc = hub_meet(t, what, err);
	}
	pthread_mutex_unlock(&hub->world->lock);
	return rc;
}

struct hub *hub_new(struct world *w, int n)
{
	struct hub *hub = hb_alloc(sizeof(*hub));

	hub->world = w;
	hub->n = n;
	hub->slots = hb_alloc((size_t)n * sizeof(*hub->slots));
	return hub;
}

void hub_unref(struct hub *hub)
{
	if (--hub->refs > 0)
		return;
	while (hub->first) {
		struct gather *g = hub->first;

		hub->first = g->next;
		hub_unref(g->hub);
		free(g->ranks);
		free(g);
	}
	for (int i = 0; i < hub->n; i++)
		buf_free(&hub->slots[i]);
	free(hub->slots);
	free(hub);
}

struct gather *hub_find_gather(struct hub *hub, const int *ranks, int n, int tag)
{
	struct gather *g;

	for (g = hub->first; g; g = g->next)
		if (g->tag == tag && g->hub->n == n && !g->hub->broken &&
		    !memcmp(g->ranks, ranks, (size_t)n * sizeof(*ranks)))
			return g;
	g = hb_alloc(sizeof(*g));
	g->hub = hub_new(hub->world, n);
	g->hub->refs = 1; /* the list's own */
	g->tag = tag;
	g->ranks = hb_realloc_array(NULL, (size_t)n, sizeof(*ranks));
	memcpy(g->ranks, ranks, (size_t)n * sizeof(*ranks));
	g->next = hub->first;
	hub->first = g;
	return g;
}

void hub_remove_gather(struct hub *hub, struct gather *g)
{
	struct gather **at = &hub->first;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	hub_unref(g->hub);
	free(g->ranks);
	free(g);
}

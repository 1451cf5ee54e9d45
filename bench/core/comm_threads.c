/*
 * Ranks as threads of one process. One mutex and one condition guard everything; each rank's
 * contribution is copied into a slot of the shared hub, so that a rank that gives up at its
 * deadline leaves nothing behind that others could still read. A hub on which any rank gave up is
 * broken for good.
 */
#include "bench/core/comm.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

/* What all hubs that come from one comm_threads_open share. */
struct world {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	int refs; /* open communicators */
};

struct hub {
	struct world *world;
	int n, refs; /* open communicators, and the list it stands in while it is made */
	int arrived; /* at the barrier in progress */
	uint64_t generation;
	bool broken;
	struct buf *slots;    /* n: what each rank contributed last */
	struct gather *first; /* subsets being made */
};

/* A subset that some of its ranks have joined already. */
struct gather {
	struct gather *next;
	struct hub *hub;
	int tag, joined;
	int *ranks;
};

struct threads_comm {
	struct comm base;
	struct hub *hub;
	int rank;
};

static struct threads_comm *of(struct comm *c)
{
	return (struct threads_comm *)c;
}

static int threads_rank(const struct comm *c)
{
	return ((const struct threads_comm *)c)->rank;
}

static int threads_size(const struct comm *c)
{
	return ((const struct threads_comm *)c)->hub->n;
}

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

/* Waits until all n ranks have come. The lock is held. */
static int meet(struct threads_comm *t, const char *what, struct hb_err *err)
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

/*
 * Everybody puts len bytes into its slot and meets; take (may be NULL) then reads the slots; a
 * second meeting keeps them until all have read.
 */
static int exchange(struct threads_comm *t, const void *in, size_t len, const char *what,
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
	rc = meet(t, what, err);
	if (!rc && take) {
		take(t, arg);
		rc = meet(t, what, err);
	}
	pthread_mutex_unlock(&hub->world->lock);
	return rc;
}

static int check_root(const struct threads_comm *t, int root, struct hb_err *err)
{
	if (root < 0 || root >= t->hub->n)
		return hb_fail(err, HB_E_USAGE, "rank %d is not among the %d ranks", root,
		               t->hub->n);
	return HB_OK;
}

static int threads_barrier(struct comm *c, struct hb_err *err)
{
	struct threads_comm *t = of(c);
	int rc;

	pthread_mutex_lock(&t->hub->world->lock);
	rc = meet(t, "barrier", err);
	pthread_mutex_unlock(&t->hub->world->lock);
	return rc;
}

struct bcast_arg {
	void *buf;
	size_t len;
	int root;
};

static void take_bcast(struct threads_comm *t, void *arg)
{
	const struct bcast_arg *a = arg;
	const struct buf *slot = &t->hub->slots[a->root];

	if (t->rank != a->root && a->len > 0 && slot->len >= a->len)
		memcpy(a->buf, slot->data, a->len);
}

static int threads_bcast(struct comm *c, void *buf, size_t len, int root, struct hb_err *err)
{
	struct threads_comm *t = of(c);
	struct bcast_arg arg = { buf, len, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return exchange(t, buf, t->rank == root ? len : 0, "broadcast", take_bcast, &arg, err);
}

struct gather_arg {
	struct buf *out;
	size_t *lens;
	int root;
};

static void take_gather(struct threads_comm *t, void *arg)
{
	const struct gather_arg *a = arg;

	if (t->rank != a->root)
		return;
	for (int i = 0; i < t->hub->n; i++) {
		const struct buf *slot = &t->hub->slots[i];

		if (slot->len > 0)
			buf_add(a->out, slot->data, slot->len);
		if (a->lens)
			a->lens[i] = slot->len;
	}
}

static int threads_gatherv(struct comm *c, const void *in, size_t len, struct buf *out,
                           size_t *lens, int root, struct hb_err *err)
{
	struct threads_comm *t = of(c);
	struct gather_arg arg = { out, lens, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return exchange(t, in, len, "gather", take_gather, &arg, err);
}

struct max_arg {
	double *out;
	size_t n;
	int root;
};

static void take_max(struct threads_comm *t, void *arg)
{
	const struct max_arg *a = arg;

	if (t->rank != a->root)
		return;
	for (int i = 0; i < t->hub->n; i++) {
		const struct buf *slot = &t->hub->slots[i];

		for (size_t k = 0; k < a->n && (k + 1) * sizeof(double) <= slot->len; k++) {
			double v;

			memcpy(&v, slot->data + k * sizeof(v), sizeof(v));
			if (i == 0 || v > a->out[k])
				a->out[k] = v;
		}
	}
}

static int threads_reduce_max(struct comm *c, const double *in, double *out, size_t n, int root,
                              struct hb_err *err)
{
	struct threads_comm *t = of(c);
	struct max_arg arg = { out, n, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return exchange(t, in, n * sizeof(*in), "reduce", take_max, &arg, err);
}

static void take_agree(struct threads_comm *t, void *arg)
{
	int *worst = arg;

	for (int i = 0; i < t->hub->n; i++) {
		int v;

		assert(t->hub->slots[i].len == sizeof(v));
		memcpy(&v, t->hub->slots[i].data, sizeof(v));
		if (i == 0 || v > *worst)
			*worst = v;
	}
}

static int threads_agree(struct comm *c, int mine, int *worst, struct hb_err *err)
{
	return exchange(of(c), &mine, sizeof(mine), "agreement", take_agree, worst, err);
}

/* Threads of one process read the same clock. */
static int threads_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                                struct hb_err *err)
{
	struct threads_comm *t = of(c);

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	*offset_ns = 0.0;
	*error_ns = 0.0;
	return threads_barrier(c, err);
}

static const struct comm_ops threads_ops;

static struct hub *hub_new(struct world *w, int n)
{
	struct hub *hub = hb_alloc(sizeof(*hub));

	hub->world = w;
	hub->n = n;
	hub->slots = hb_alloc((size_t)n * sizeof(*hub->slots));
	return hub;
}

/* The world's reference is counted in close; the lock is held (or nobody else knows the hub). */
static struct comm *join_hub(struct hub *hub, int rank)
{
	struct threads_comm *t = hb_alloc(sizeof(*t));

	t->base.ops = &threads_ops;
	t->hub = hub;
	t->rank = rank;
	hub->refs++;
	hub->world->refs++;
	return &t->base;
}

static void hub_unref(struct hub *hub)
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

static struct gather *find_gather(struct hub *hub, const int *ranks, int n, int tag)
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

static void remove_gather(struct hub *hub, struct gather *g)
{
	struct gather **at = &hub->first;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	hub_unref(g->hub);
	free(g->ranks);
	free(g);
}

static void threads_close(struct comm *c);

static int threads_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                          struct hb_err *err)
{
	struct threads_comm *t = of(c);
	int mine = -1, rc;

	for (int i = 0; i < n; i++) {
		if (check_root(t, ranks[i], err) < 0)
			return HB_E_USAGE;
		if (ranks[i] == t->rank)
			mine = i;
	}
	if (mine < 0)
		return hb_fail(err, HB_E_USAGE, "rank %d asks for a group it is not in", t->rank);
	pthread_mutex_lock(&t->hub->world->lock);
	struct gather *g = find_gather(t->hub, ranks, n, tag);
	struct comm *made = join_hub(g->hub, mine);
	if (++g->joined == n)
		remove_gather(t->hub, g);
	made->deadline_ns = c->deadline_ns;
	rc = meet(of(made), "making a group", err);
	pthread_mutex_unlock(&t->hub->world->lock);
	if (rc < 0)
		threads_close(made);
	else
		*out = made;
	return rc;
}

static void threads_close(struct comm *c)
{
	struct threads_comm *t = of(c);
	struct hub *hub = t->hub;
	struct world *w = hub->world;
	bool last;

	pthread_mutex_lock(&w->lock);
	hub_unref(hub);
	last = --w->refs == 0;
	pthread_mutex_unlock(&w->lock);
	if (last) {
		pthread_cond_destroy(&w->moved);
		pthread_mutex_destroy(&w->lock);
		free(w);
	}
	free(t);
}

static const struct comm_ops threads_ops = {
	"threads",      threads_rank,         threads_size,       threads_barrier,
	threads_bcast,  threads_gatherv,      threads_reduce_max, threads_agree,
	threads_subset, threads_clock_offset, threads_close,
};

void comm_threads_open(int n, struct comm **out)
{
	struct world *w = hb_alloc(sizeof(*w));
	pthread_condattr_t attr;
	struct hub *hub;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->moved, &attr);
	pthread_condattr_destroy(&attr);
	hub = hub_new(w, n);
	for (int i = 0; i < n; i++)
		out[i] = join_hub(hub, i);
}

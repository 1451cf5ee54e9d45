/* Ranks as threads of one process: the operations, each an exchange on the shared hub. */
#include "bench/core/comm.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/comm_threads_hub.h"

static int threads_rank(const struct comm *c)
{
	return ((const struct threads_comm *)c)->rank;
}

static int threads_size(const struct comm *c)
{
	return ((const struct threads_comm *)c)->hub->n;
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
	struct threads_comm *t = threads_of(c);
	int rc;

	pthread_mutex_lock(&t->hub->world->lock);
	rc = hub_meet(t, "barrier", err);
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
	struct threads_comm *t = threads_of(c);
	struct bcast_arg arg = { buf, len, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return hub_exchange(t, buf, t->rank == root ? len : 0, "broadcast", take_bcast, &arg, err);
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
	struct threads_comm *t = threads_of(c);
	struct gather_arg arg = { out, lens, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return hub_exchange(t, in, len, "gather", take_gather, &arg, err);
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
	struct threads_comm *t = threads_of(c);
	struct max_arg arg = { out, n, root };

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	return hub_exchange(t, in, n * sizeof(*in), "reduce", take_max, &arg, err);
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
	return hub_exchange(threads_of(c), &mine, sizeof(mine), "agreement", take_agree, worst,
	                    err);
}

/* Threads of one process read the same clock. */
static int threads_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                                struct hb_err *err)
{
	struct threads_comm *t = threads_of(c);

	if (check_root(t, root, err) < 0)
		return HB_E_USAGE;
	*offset_ns = 0.0;
	*error_ns = 0.0;
	return threads_barrier(c, err);
}

static const struct comm_ops threads_ops;

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

static void threads_close(struct comm *c);

static int threads_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                          struct hb_err *err)
{
	struct threads_comm *t = threads_of(c);
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
	struct gather *g = hub_find_gather(t->hub, ranks, n, tag);
	struct comm *made = join_hub(g->hub, mine);
	if (++g->joined == n)
		hub_remove_gather(t->hub, g);
	made->deadline_ns = c->deadline_ns;
	rc = hub_meet(threads_of(made), "making a group", err);
	pthread_mutex_unlock(&t->hub->world->lock);
	if (rc < 0)
		threads_close(made);
	else
		*out = made;
	return rc;
}

static void threads_close(struct comm *c)
{
	struct threads_comm *t = threads_of(c);
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

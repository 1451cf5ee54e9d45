#include "bench/node/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/env.h"

enum { SPINS = 4096, LINE = 64, STACK = 256 * 1024, MEMBERS_MAX = 1 << 14 };

/* Each on a cache line of its own: members write their times at the same moment. */
struct member {
	_Alignas(LINE) uint64_t start;
	uint64_t end;
	struct team *team;
	pthread_t thread;
	int index, cpu, status;
	struct hb_err why;
};

/*
 * Where working members meet: spinning first, for they start together; then giving way, for there
 * may be fewer cores than members. On a line of its own, away from what is only read.
 */
struct meeting {
	_Alignas(LINE) atomic_int arrived;
	atomic_uint generation;
};

struct team {
	struct meeting meeting;
	int size, started;
	struct member *members;

	/* Between team_run and the sleeping members. */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t order; /* counts runs */
	int busy;       /* members that still work on it, or have yet to report for duty */
	bool quit;

	/* The run in progress. */
	uint64_t n;
	team_step *step;
	team_timed *timed;
	void *arg;
	int answer;
};

static void meet(struct team *t)
{
	unsigned generation = atomic_load_explicit(&t->meeting.generation, memory_order_acquire);
	int spins = 0;

	if (atomic_fetch_add_explicit(&t->meeting.arrived, 1, memory_order_acq_rel) ==
	    t->size - 1) {
		atomic_store_explicit(&t->meeting.arrived, 0, memory_order_relaxed);
		atomic_fetch_add_explicit(&t->meeting.generation, 1, memory_order_acq_rel);
		return;
	}
	while (atomic_load_explicit(&t->meeting.generation, memory_order_acquire) == generation)
		if (++spins > SPINS)
			sched_yield();
}

static void judge_repetition(struct team *t)
{
	uint64_t first = t->members[0].start, last = t->members[0].end;

	for (int i = 1; i < t->size; i++) {
		if (t->members[i].start < first)
			first = t->members[i].start;
		if (t->members[i].end > last)
			last = t->members[i].end;
	}
	t->answer = t->timed(t->arg, (double)(int64_t)(last - first));
}

static void work(struct team *t, struct member *me)
{
	for (uint64_t i = 0; i < t->n && t->answer == 0; i++) {
		meet(t);
		me->start = clock_ns();
		t->step(t->arg, me->index);
		me->end = clock_ns();
		meet(t);
		if (me->index == 0 && t->timed)
			judge_repetition(t);
		/* Nobody looks at the answer before it is there. */
		if (t->timed)
			meet(t);
	}
}

static void *member_main(void *arg)
{
	struct member *me = arg;
	struct team *t = me->team;
	uint64_t done = 0;

	me->status = me->cpu < 0 ? HB_OK : env_bind_cpu(me->cpu, &me->why);
	pthread_mutex_lock(&t->lock);
	for (;;) {
		if (--t->busy == 0)
			pthread_cond_broadcast(&t->moved);
		while (t->order == done && !t->quit)
			pthread_cond_wait(&t->moved, &t->lock);
		if (t->quit)
			break;
		done = t->order;
		pthread_mutex_unlock(&t->lock);
		work(t, me);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void wait_idle(struct team *t)
{
	while (t->busy > 0)
		pthread_cond_wait(&t->moved, &t->lock);
}

static int start_members(struct team *t, const int *cpus, int n_cpus, struct hb_err *err)
{
	pthread_attr_t attr;
	int code = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (t->started = 0; t->started < t->size && code == 0; t->started += code == 0) {
		struct member *m = &t->members[t->started];

		m->team = t;
		m->index = t->started;
		m->cpu = n_cpus > 0 ? cpus[t->started % n_cpus] : -1;
		code = pthread_create(&m->thread, &attr, member_main, m);
	}
	pthread_attr_destroy(&attr);
	if (code)
		return hb_fail(err, HB_E_UNSUPPORTED, "only %d of %d threads could be started: %s",
		               t->started, t->size, strerror(code));
	pthread_mutex_lock(&t->lock);
	wait_idle(t);
	pthread_mutex_unlock(&t->lock);
	for (int i = 0; i < t->size; i++) {
		if (t->members[i].status < 0) {
			*err = t->members[i].why;
			return t->members[i].status;
		}
	}
	return HB_OK;
}

int team_start(int members, const int *cpus, int n_cpus, struct team **out, struct hb_err *err)
{
	struct hb_err why = { HB_OK, "" };
	struct team *t;
	int rc;

	if (members < 1 || members > MEMBERS_MAX)
		return hb_fail(err, HB_E_USAGE, "%d threads: 1 to %d are possible", members,
		               MEMBERS_MAX);
	t = aligned_alloc(LINE, (sizeof(*t) + LINE - 1) / LINE * LINE);
	if (!t)
		return hb_fail(err, HB_E_NOMEM, "no memory for %d threads", members);
	memset(t, 0, sizeof(*t));
	t->members = aligned_alloc(LINE, (size_t)members * sizeof(*t->members));
	if (!t->members) {
		free(t);
		return hb_fail(err, HB_E_NOMEM, "no memory for %d threads", members);
	}
	memset(t->members, 0, (size_t)members * sizeof(*t->members));
	t->size = t->busy = members;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->moved, NULL);
	rc = start_members(t, cpus, n_cpus, &why);
	if (rc < 0) {
		if (err)
			*err = why;
		team_stop(t);
		return rc;
	}
	*out = t;
	return HB_OK;
}

int team_size(const struct team *t)
{
	return t->size;
}

int team_run(struct team *t, uint64_t n, team_step *step, team_timed *timed, void *arg)
{
	int answer;

	pthread_mutex_lock(&t->lock);
	t->n = n;
	t->step = step;
	t->timed = timed;
	t->arg = arg;
	t->answer = 0;
	t->busy = t->size;
	t->order++;
	pthread_cond_broadcast(&t->moved);
	wait_idle(t);
	answer = t->answer;
	pthread_mutex_unlock(&t->lock);
	return answer;
}

void team_stop(struct team *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
	for (int i = 0; i < t->started; i++)
		pthread_join(t->members[i].thread, NULL);
	pthread_cond_destroy(&t->moved);
	pthread_mutex_destroy(&t->lock);
	free(t->members);
	free(t);
}

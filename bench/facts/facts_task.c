/* Work that may never end. */
#include <pthread.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/facts/facts_parts.h"

struct facts_task {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int users;
	bool done;
	void (*work)(void *data);
	void (*release)(void *data);
	void *data;
};

struct timespec facts_deadline(int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

void facts_task_drop(struct facts_task *t)
{
	int left;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	left = --t->users;
	pthread_mutex_unlock(&t->lock);
	if (left > 0)
		return;
	t->release(t->data);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static void *run(void *arg)
{
	struct facts_task *t = arg;

	t->work(t->data);
	pthread_mutex_lock(&t->lock);
	t->done = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	facts_task_drop(t);
	return NULL;
}

struct facts_task *facts_task_start(void (*work)(void *data), void (*release)(void *data),
                                    void *data)
{
	struct facts_task *t = hb_alloc(sizeof(*t));
	pthread_condattr_t by_monotonic;
	pthread_attr_t apart;
	pthread_t thread;
	int failed;

	*t = (struct facts_task){ .users = 2, .work = work, .release = release, .data = data };
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&by_monotonic);
	pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &by_monotonic);
	pthread_condattr_destroy(&by_monotonic);
	pthread_attr_init(&apart);
	pthread_attr_setdetachstate(&apart, PTHREAD_CREATE_DETACHED);
	failed = pthread_create(&thread, &apart, run, t);
	pthread_attr_destroy(&apart);
	if (failed) {
		t->users = 1; /* nobody else came */
		facts_task_drop(t);
		return NULL;
	}
	return t;
}

void *facts_task_wait(struct facts_task *t, const struct timespec *deadline)
{
	bool done;

	if (!t)
		return NULL;
	pthread_mutex_lock(&t->lock);
	while (!t->done && pthread_cond_timedwait(&t->changed, &t->lock, deadline) == 0)
		;
	done = t->done;
	pthread_mutex_unlock(&t->lock);
	return done ? t->data : NULL;
}

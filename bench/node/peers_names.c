#include "bench/node/peers_names.h"

#include <netdb.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench/base/mem.h"

/* getaddrinfo loads modules and keeps whole answers on its stack. */
enum { STACK = 256 * 1024 };

struct one_name {
	struct names *all;
	char *name;
	bool known;
	struct name_found found;
};

/* Held by whoever started it and by each thread; the last one frees it. */
struct names {
	pthread_mutex_t lock;
	int holders, event_fd;
	name_resolver *resolve;
	struct one_name *v;
	size_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Each address once, in the resolver's order. */
static size_t gather(const struct addrinfo *list, char v[NAME_ADDRESSES_MAX][ADDRESS_TEXT])
{
	size_t n = 0;

	for (const struct addrinfo *a = list; a && n < NAME_ADDRESSES_MAX; a = a->ai_next) {
		bool known = false;

		address_text(a->ai_addr, v[n]);
		for (size_t i = 0; i < n; i++)
			known = known || strcmp(v[i], v[n]) == 0;
		n += v[n][0] && !known;
	}
	return n;
}

void name_resolve(const char *name, struct name_found *out)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	char v[NAME_ADDRESSES_MAX][ADDRESS_TEXT];
	struct addrinfo *list = NULL;
	int rc = getaddrinfo(name, NULL, &hints, &list);
	size_t n = rc == 0 ? gather(list, v) : 0, used = 0;

	*out = (struct name_found){ .why = "" };
	if (rc == 0)
		freeaddrinfo(list);
	if (n == 0) {
		snprintf(out->why, sizeof(out->why), "%s", rc ? gai_strerror(rc) : "no address");
		return;
	}
	memcpy(out->first, v[0], sizeof(out->first));
	qsort(v, n, sizeof(*v), by_text);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(out->all + used, sizeof(out->all) - used, "%s%s",
		                         i ? "," : "", v[i]);
}

static void let_go(struct names *s)
{
	pthread_mutex_lock(&s->lock);
	int left = --s->holders;
	pthread_mutex_unlock(&s->lock);
	if (left > 0)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	free(s->v);
	if (s->event_fd >= 0)
		close(s->event_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void note(struct one_name *one, const struct name_found *found)
{
	struct names *s = one->all;

	pthread_mutex_lock(&s->lock);
	one->found = *found;
	one->known = true;
	pthread_mutex_unlock(&s->lock);
	eventfd_write(s->event_fd, 1);
}

static void *look_up(void *arg)
{
	struct one_name *one = arg;
	struct names *s = one->all;
	struct name_found found = { .why = "" };

	s->resolve(one->name, &found);
	note(one, &found);
	let_go(s);
	return NULL;
}

static void start_one(struct one_name *one, const pthread_attr_t *attr)
{
	const struct name_found none = { .why = "no thread could be started for it" };
	struct names *s = one->all;
	pthread_t thread;

	pthread_mutex_lock(&s->lock);
	s->holders++;
	pthread_mutex_unlock(&s->lock);
	if (pthread_create(&thread, attr, look_up, one) == 0)
		return;
	note(one, &none);
	let_go(s);
}

struct names *names_start(const char *const *names, size_t n, name_resolver *resolve)
{
	struct names *s = hb_alloc(sizeof(*s));
	pthread_attr_t attr;

	pthread_mutex_init(&s->lock, NULL);
	s->holders = 1;
	s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->resolve = resolve;
	s->v = hb_alloc(n * sizeof(*s->v));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->v[i] = (struct one_name){ .all = s, .name = hb_strdup(names[i]) };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	for (size_t i = 0; i < n; i++)
		start_one(&s->v[i], &attr);
	pthread_attr_destroy(&attr);
	return s;
}

int names_fd(const struct names *s)
{
	return s->event_fd;
}

void names_heard(struct names *s)
{
	eventfd_t unused;

	eventfd_read(s->event_fd, &unused);
}

bool names_get(struct names *s, size_t i, struct name_found *out)
{
	pthread_mutex_lock(&s->lock);
	bool known = s->v[i].known;
	if (known)
		*out = s->v[i].found;
	pthread_mutex_unlock(&s->lock);
	return known;
}

void names_leave(struct names *s)
{
	let_go(s);
}

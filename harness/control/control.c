#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/control/control_parts.h"
#include "harness/launch/wait.h"

/* Out of descriptors, the listener rests, and who has said nothing for so long goes. */
enum { EVENTS = 64, ACCEPTS = 64, REST_MS = 100, SILENT_MS = 1000 };

/* ---- letting in ---- */

/* Thousands of ranks may come at once, and honestly: as many as are expected are not too many. */
static bool too_many(const struct ctl *c)
{
	return c->pending >= CTL_PENDING_MAX + c->world.n_ranks;
}

int64_t ctl_wall_ns(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_REALTIME, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec
	                                              : -1;
}

static void add_peer(struct ctl *c, int fd, const struct sockaddr *from)
{
	struct peer *p = hb_alloc(sizeof *p);
	struct epoll_event ev = { EPOLLIN, { .ptr = p } };
	int one = 1;

	/* Honest ranks answer at once, so whoever has been silent longest is none. */
	if (too_many(c) && c->oldest)
		ctl_misbehaved(c, c->oldest, "too many connections that do not say hello");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (c->send_buffer)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &c->send_buffer, sizeof c->send_buffer);
	p->fd = fd;
	address_text(from, p->from);
	p->rank = -1;
	p->since_ms = wait_now_ms();
	p->clock.bound_s = -1;
	if (!ctl_peer_text(from, p->address))
		p->address[0] = '\0';
	p->greeted_ns = ctl_wall_ns();
	p->next = c->peers;
	if (c->peers)
		c->peers->prev = p;
	c->peers = p;
	ctl_pending_add(c, p);
	if (epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &ev) != 0) {
		ctl_kill_peer(c, p, false, strerror(errno));
		return;
	}
	json_object *o = json_object_new_object();
	js_set_str(o, "msg", "greeting");
	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_str(o, "run", c->run);
	ctl_put(c, p, o, NULL);
	js_put(o);
}

static void listen_again(struct ctl *c, bool listen)
{
	struct epoll_event ev = { listen ? EPOLLIN : 0u, { .ptr = NULL } };

	epoll_ctl(c->epoll_fd, EPOLL_CTL_MOD, c->listen_fd, &ev);
	c->deaf_until_ms = listen ? 0 : wait_now_ms() + REST_MS;
}

/* The kernel keeps who knocks meanwhile; without the rest the listener would wake us for ever. */
static void out_of_descriptors(struct ctl *c, int e)
{
	struct rlimit r = { 0, 0 };
	char text[240];
	int64_t now = wait_now_ms();

	getrlimit(RLIMIT_NOFILE, &r);
	snprintf(text, sizeof text,
	         "%s: ranks cannot connect; %d ranks need a limit of open files well above "
	         "that, it is %llu (ulimit -Hn)",
	         strerror(e), c->world.n_ranks, (unsigned long long)r.rlim_cur);
	if (c->h && !c->told_descriptors)
		c->h->event(c->ctx, "descriptors", text, false);
	c->told_descriptors = true;
	while (c->oldest && now - c->oldest->since_ms >= SILENT_MS)
		ctl_misbehaved(c, c->oldest, "no descriptors left");
	listen_again(c, false);
}

static void accept_some(struct ctl *c)
{
	/* A few a turn: those that are in must be heard, too. */
	for (int i = 0; i < ACCEPTS; i++) {
		struct sockaddr_storage from = { .ss_family = AF_UNSPEC };
		socklen_t len = sizeof from;
		int fd = accept4(c->listen_fd, (struct sockaddr *)&from, &len,
		                 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			add_peer(c, fd, (struct sockaddr *)&from);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE) {
			out_of_descriptors(c, errno);
			return;
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

static void expire(struct ctl *c)
{
	int64_t now = wait_now_ms();

	while (c->oldest && now - c->oldest->since_ms >= c->handshake_ms)
		ctl_misbehaved(c, c->oldest, "no hello in time");
}

void ctl_service(struct ctl *c)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(c->epoll_fd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct peer *p = ev[i].data.ptr;
		if (!p) {
			accept_some(c);
			continue;
		}
		if (!p->dead && (ev[i].events & EPOLLOUT))
			ctl_push_out(c, p);
		if (!p->dead && (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
			ctl_pull_in(c, p);
	}
	if (c->deaf_until_ms && wait_now_ms() >= c->deaf_until_ms)
		listen_again(c, true);
	expire(c);
	ctl_sweep(c, true);
}

/* ---- the server ---- */

static void raise_nofile(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int watch(struct ctl *c, struct hb_err *err)
{
	struct epoll_event ev = { EPOLLIN, { .ptr = NULL } };

	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0 || epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, c->listen_fd, &ev) != 0)
		return hb_fail(err, HB_E_IO, "control channel: %s", strerror(errno));
	return HB_OK;
}

int ctl_open(const struct ctl_params *p, struct ctl **out, struct hb_err *err)
{
	struct ctl *c = hb_alloc(sizeof *c);
	int rc;

	c->listen_fd = c->epoll_fd = -1;
	c->run = hb_strdup(p->run);
	c->handshake_ms = p->handshake_ms ? p->handshake_ms : CTL_HANDSHAKE_MS;
	c->queue_max = p->queue_max ? p->queue_max : CTL_QUEUE_MAX;
	c->queues_max = p->queues_max ? p->queues_max : CTL_QUEUES_MAX;
	c->send_buffer = p->send_buffer;
	c->world.token = c->token;
	raise_nofile();
	rc = token_make(c->token, err);
	if (rc == HB_OK)
		rc = ctl_listen(c, p, err);
	if (rc == HB_OK)
		rc = watch(c, err);
	if (rc != HB_OK) {
		ctl_close(c);
		return rc;
	}
	*out = c;
	return HB_OK;
}

const char *ctl_address(const struct ctl *c)
{
	return buf_text(&c->address);
}

const char *ctl_token(const struct ctl *c)
{
	return c->token;
}

int ctl_port(const struct ctl *c)
{
	return c->port;
}

int ctl_fd(const struct ctl *c)
{
	return c->epoll_fd;
}

size_t ctl_queued(const struct ctl *c)
{
	return c->queued;
}

int ctl_pending(const struct ctl *c)
{
	return c->pending;
}

int ctl_timeout_ms(const struct ctl *c)
{
	if (c->dead)
		return 0; /* somebody is to be told */
	int64_t now = wait_now_ms();
	int hello = c->oldest ? wait_until(now, c->oldest->since_ms + c->handshake_ms) : -1;

	return wait_shorter(hello, c->deaf_until_ms ? wait_until(now, c->deaf_until_ms) : -1);
}

void ctl_expect(struct ctl *c, uint64_t step, uint64_t attempt, int n_ranks,
                const struct ctl_handlers *h, void *ctx)
{
	for (struct peer *p = c->peers, *next; p; p = next) {
		next = p->next;
		if (p->rank >= 0 || p->starting)
			ctl_kill_peer(c, p, false, "the step is over");
	}
	ctl_sweep(c, false);
	free(c->ranks);
	c->ranks = n_ranks > 0 ? hb_alloc((size_t)n_ranks * sizeof(struct peer *)) : NULL;
	c->told_descriptors = false;
	c->world.step = step;
	c->world.attempt = attempt;
	c->world.n_ranks = n_ranks;
	c->h = h;
	c->ctx = ctx;
}

bool ctl_connected(const struct ctl *c, int rank)
{
	return rank >= 0 && rank < c->world.n_ranks && c->ranks[rank];
}

void ctl_close(struct ctl *c)
{
	if (!c)
		return;
	while (c->peers)
		ctl_kill_peer(c, c->peers, false, "closing");
	ctl_sweep(c, false);
	if (c->listen_fd >= 0)
		close(c->listen_fd);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	free(c->ranks);
	free(c->run);
	buf_free(&c->address);
	free(c);
}

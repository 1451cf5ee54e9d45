#include "harness/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/base/token.h"
#include "harness/wait.h"

enum { BACKLOG = 4096, EVENTS = 64, READ_CHUNK = 16384, READ_ROUNDS = 16 };

struct peer {
	int fd, rank; /* rank -1: not authenticated */
	int64_t since_ms;
	struct frame_reader in;
	struct buf out;
	bool dead, tell; /* tell: the owner gets a leave */
	char why[240];
	struct peer *next;
};

struct ctl {
	int listen_fd, epoll_fd, port;
	char token[TOKEN_TEXT], address[64];
	char *run;
	int64_t handshake_ms;
	size_t queue_max;
	int send_buffer;
	struct peer *peers; /* newest first */
	int pending;
	struct ctl_world world;
	struct peer **ranks;
	const struct ctl_handlers *h;
	void *ctx;
	unsigned foreign; /* strangers so far */
};

/* ---- ending a connection ---- */

/* Marks; memory goes in sweep, because an event of the same batch may still point here. */
static void kill_peer(struct ctl *c, struct peer *p, bool tell, const char *why)
{
	if (p->dead)
		return;
	p->dead = true;
	p->tell = tell && p->rank >= 0;
	snprintf(p->why, sizeof p->why, "%s", why);
	close(p->fd); /* leaves the epoll set by itself */
	if (p->rank < 0)
		c->pending--;
	else if (c->ranks && c->ranks[p->rank] == p)
		c->ranks[p->rank] = NULL;
}

static void stranger(struct ctl *c, const char *code, const char *text, bool world)
{
	if (!c->h || (!world && ++c->foreign > CTL_FOREIGN_EVENTS_MAX))
		return;
	c->h->event(c->ctx, code, text, world);
}

/* Closes with the one event that a misbehaving connection gets. */
static void misbehaved(struct ctl *c, struct peer *p, const char *why)
{
	char text[320];

	if (p->dead)
		return;
	kill_peer(c, p, true, why);
	if (p->rank < 0)
		snprintf(text, sizeof text, "a connection was closed: %s", why);
	else
		snprintf(text, sizeof text, "rank %d was disconnected: %s", p->rank, why);
	stranger(c, p->rank < 0 ? "foreign" : "misbehaved", text, false);
}

/* Unlinks and frees the dead, tells the owner about ranks among them. */
static void sweep(struct ctl *c, bool tell)
{
	struct peer **at = &c->peers;

	while (*at) {
		struct peer *p = *at;
		if (!p->dead) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		if (tell && p->tell && c->h)
			c->h->leave(c->ctx, p->rank, p->why);
		frame_reader_free(&p->in);
		buf_free(&p->out);
		free(p);
		at = &c->peers; /* the handler may have changed the list */
	}
}

/* ---- sending ---- */

static void want(struct ctl *c, struct peer *p)
{
	struct epoll_event ev = { EPOLLIN | (p->out.len ? EPOLLOUT : 0u), { .ptr = p } };

	epoll_ctl(c->epoll_fd, EPOLL_CTL_MOD, p->fd, &ev);
}

static void push_out(struct ctl *c, struct peer *p)
{
	bool waited = p->out.len > 0;

	while (p->out.len > 0) {
		ssize_t n = send(p->fd, p->out.data, p->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			buf_drop(&p->out, (size_t)n);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR) {
			kill_peer(c, p, true, strerror(errno));
			return;
		}
	}
	if (waited)
		want(c, p);
}

static int put(struct ctl *c, struct peer *p, json_object *o, struct hb_err *err)
{
	int rc = frame_put_json(&p->out, o, err);

	if (rc == HB_OK)
		push_out(c, p);
	return rc;
}

static void put_msg(struct ctl *c, struct peer *p, const char *msg, const char *text)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", msg);
	if (text)
		js_set_str(o, "text", text);
	put(c, p, o, NULL);
	js_put(o);
}

int ctl_send(struct ctl *c, int rank, json_object *o, struct hb_err *err)
{
	struct peer *p = rank >= 0 && rank < c->world.n_ranks ? c->ranks[rank] : NULL;

	if (!p)
		return hb_fail(err, HB_E_IO, "rank %d is not connected", rank);
	int rc = put(c, p, o, err);
	if (rc != HB_OK)
		return rc;
	if (p->dead)
		return hb_fail(err, HB_E_IO, "rank %d: %s", rank, p->why);
	if (p->out.len > c->queue_max) {
		kill_peer(c, p, true, "it does not read what it is sent");
		return hb_fail(err, HB_E_IO, "rank %d does not read what it is sent", rank);
	}
	return HB_OK;
}

/* ---- receiving ---- */

static void refuse(struct ctl *c, struct peer *p, const char *text, bool world)
{
	char line[640];

	snprintf(line, sizeof line, "a connection was refused: %s", text);
	put_msg(c, p, "refused", text);
	kill_peer(c, p, false, text);
	stranger(c, world ? "world" : "refused", world ? text : line, world);
}

static void on_hello(struct ctl *c, struct peer *p, json_object *o)
{
	struct ctl_hello hello;
	struct hb_err err;
	bool wrong_world;

	if (ctl_check_hello(o, &c->world, &hello, &wrong_world, &err) != HB_OK) {
		refuse(c, p, err.text, wrong_world);
		return;
	}
	if (c->ranks[hello.rank]) {
		hb_fail(&err, HB_E_USAGE, "rank %d is connected already (again from %s)",
		        hello.rank, hello.host);
		refuse(c, p, err.text, false);
		return;
	}
	put_msg(c, p, "ok", NULL);
	if (p->dead)
		return;
	p->rank = hello.rank;
	c->ranks[hello.rank] = p;
	c->pending--;
	c->h->join(c->ctx, &hello);
}

static void on_frame(struct ctl *c, struct peer *p, const char *text, size_t len)
{
	json_object *o = NULL;
	struct hb_err err;

	if (js_parse(text, len, "frame", &o, &err) != HB_OK) {
		misbehaved(c, p, err.text);
		return;
	}
	if (!json_object_is_type(o, json_type_object))
		misbehaved(c, p, "a frame is not a JSON object");
	else if (p->rank < 0)
		on_hello(c, p, o);
	else if (c->h->message(c->ctx, p->rank, o, len, &err) < 0)
		misbehaved(c, p, err.text);
	js_put(o);
}

static void take_frames(struct ctl *c, struct peer *p)
{
	const char *text;
	struct hb_err err;
	size_t len;
	int got = 0;

	while (!p->dead && (got = frame_next(&p->in, &text, &len, &err)) > 0)
		on_frame(c, p, text, len);
	if (got < 0)
		misbehaved(c, p, err.text);
}

static void end_of_stream(struct ctl *c, struct peer *p, int e)
{
	if (p->in.in.len > p->in.taken)
		misbehaved(c, p, "it ended in the middle of a frame");
	else
		kill_peer(c, p, true, e ? strerror(e) : "the connection was closed");
}

static void pull_in(struct ctl *c, struct peer *p)
{
	char chunk[READ_CHUNK];

	for (int i = 0; i < READ_ROUNDS && !p->dead; i++) {
		ssize_t n = recv(p->fd, chunk, sizeof chunk, MSG_DONTWAIT);
		if (n > 0) {
			frame_feed(&p->in, chunk, (size_t)n);
			take_frames(c, p);
		} else if (n == 0) {
			end_of_stream(c, p, 0);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno != EINTR) {
			end_of_stream(c, p, errno);
		}
	}
}

/* ---- letting in ---- */

static struct peer *oldest_pending(struct ctl *c)
{
	struct peer *oldest = NULL;

	for (struct peer *p = c->peers; p; p = p->next)
		if (!p->dead && p->rank < 0)
			oldest = p; /* newest first: the last one found is the oldest */
	return oldest;
}

static void add_peer(struct ctl *c, int fd)
{
	struct peer *p = hb_alloc(sizeof *p);
	struct epoll_event ev = { EPOLLIN, { .ptr = p } };
	int one = 1;

	/* Honest ranks answer at once, so whoever has been silent longest is none. */
	struct peer *oldest = c->pending >= CTL_PENDING_MAX ? oldest_pending(c) : NULL;
	if (oldest)
		misbehaved(c, oldest, "too many connections that do not say hello");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (c->send_buffer)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &c->send_buffer, sizeof c->send_buffer);
	p->fd = fd;
	p->rank = -1;
	p->since_ms = wait_now_ms();
	p->next = c->peers;
	c->peers = p;
	c->pending++;
	if (epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &ev) != 0) {
		kill_peer(c, p, false, strerror(errno));
		return;
	}
	json_object *o = json_object_new_object();
	js_set_str(o, "msg", "greeting");
	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_str(o, "run", c->run);
	put(c, p, o, NULL);
	js_put(o);
}

static void accept_all(struct ctl *c)
{
	for (int i = 0; i < CTL_PENDING_MAX; i++) {
		int fd = accept4(c->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			add_peer(c, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE) {
			/* Out of descriptors: make room, or the listener would wake us for ever. */
			struct peer *p = oldest_pending(c);
			if (p)
				misbehaved(c, p, "no descriptors left");
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

static void expire(struct ctl *c)
{
	int64_t now = wait_now_ms();

	for (struct peer *p = c->peers; p; p = p->next)
		if (!p->dead && p->rank < 0 && now - p->since_ms >= c->handshake_ms)
			misbehaved(c, p, "no hello in time");
}

void ctl_service(struct ctl *c)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(c->epoll_fd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct peer *p = ev[i].data.ptr;
		if (!p) {
			accept_all(c);
			continue;
		}
		if (!p->dead && (ev[i].events & EPOLLOUT))
			push_out(c, p);
		if (!p->dead && (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
			pull_in(c, p);
	}
	expire(c);
	sweep(c, true);
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

static int listen_on(struct ctl *c, int port, struct hb_err *err)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct epoll_event ev = { EPOLLIN, { .ptr = NULL } };
	socklen_t len = sizeof a;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->listen_fd < 0 || c->epoll_fd < 0 ||
	    bind(c->listen_fd, (struct sockaddr *)&a, sizeof a) != 0 ||
	    listen(c->listen_fd, BACKLOG) != 0 ||
	    getsockname(c->listen_fd, (struct sockaddr *)&a, &len) != 0 ||
	    epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, c->listen_fd, &ev) != 0)
		return hb_fail(err, HB_E_IO, "control channel: listening on 127.0.0.1 port %d: %s",
		               port, strerror(errno));
	c->port = ntohs(a.sin_port);
	snprintf(c->address, sizeof c->address, "127.0.0.1:%d", c->port);
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
	c->send_buffer = p->send_buffer;
	c->world.token = c->token;
	raise_nofile();
	rc = token_make(c->token, err);
	if (rc == HB_OK)
		rc = listen_on(c, p->port, err);
	if (rc != HB_OK) {
		ctl_close(c);
		return rc;
	}
	*out = c;
	return HB_OK;
}

const char *ctl_address(const struct ctl *c)
{
	return c->address;
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

int ctl_pending(const struct ctl *c)
{
	return c->pending;
}

int ctl_timeout_ms(const struct ctl *c)
{
	int64_t now = wait_now_ms();
	int ms = -1;

	for (const struct peer *p = c->peers; p; p = p->next) {
		if (p->dead)
			return 0; /* somebody is to be told */
		if (p->rank < 0)
			ms = wait_shorter(ms, wait_until(now, p->since_ms + c->handshake_ms));
	}
	return ms;
}

void ctl_expect(struct ctl *c, uint64_t step, uint64_t attempt, int n_ranks,
                const struct ctl_handlers *h, void *ctx)
{
	for (struct peer *p = c->peers; p; p = p->next)
		if (p->rank >= 0)
			kill_peer(c, p, false, "the step is over");
	sweep(c, false);
	free(c->ranks);
	c->ranks = n_ranks > 0 ? hb_alloc((size_t)n_ranks * sizeof(struct peer *)) : NULL;
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

void ctl_drop(struct ctl *c, int rank)
{
	if (ctl_connected(c, rank))
		kill_peer(c, c->ranks[rank], false, "dropped");
}

void ctl_close(struct ctl *c)
{
	if (!c)
		return;
	for (struct peer *p = c->peers; p; p = p->next)
		kill_peer(c, p, false, "closing");
	sweep(c, false);
	if (c->listen_fd >= 0)
		close(c->listen_fd);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	free(c->ranks);
	free(c->run);
	free(c);
}

/* One connection of the control channel: what it says, what it is told, how it ends. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/control/control_parts.h"

/*
 * A turn of one connection is short, so that one that never stops starves nobody. Who has not
 * authenticated has nothing longer to say than a hello; who has nothing to say or to read gives
 * memory back.
 */
enum { READ_CHUNK = 16384, READ_ROUNDS = 16, HELLO_MAX = 8192, IDLE_BUFFER = 16384 };

/* ---- ending a connection ---- */

void ctl_pending_add(struct ctl *c, struct peer *p)
{
	p->older = c->youngest;
	p->younger = NULL;
	if (c->youngest)
		c->youngest->younger = p;
	else
		c->oldest = p;
	c->youngest = p;
	c->pending++;
}

void ctl_pending_remove(struct ctl *c, struct peer *p)
{
	if (p->older)
		p->older->younger = p->younger;
	else
		c->oldest = p->younger;
	if (p->younger)
		p->younger->older = p->older;
	else
		c->youngest = p->older;
	c->pending--;
}

static void bury(struct ctl *c, struct peer *p)
{
	if (p->prev)
		p->prev->next = p->next;
	else
		c->peers = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->next = NULL;
	if (c->dead)
		c->dead_last->next = p;
	else
		c->dead = p;
	c->dead_last = p;
}

/* Marks; memory goes in sweep, because an event of the same batch may still point here. */
void ctl_kill_peer(struct ctl *c, struct peer *p, bool tell, const char *why)
{
	if (p->dead)
		return;
	p->dead = true;
	p->tell = tell && p->rank >= 0;
	snprintf(p->why, sizeof p->why, "%s", why);
	close(p->fd); /* leaves the epoll set by itself */
	c->queued -= p->out.len;
	buf_free(&p->out);
	bury(c, p);
	if (p->starting)
		c->starting--;
	else if (p->rank < 0)
		ctl_pending_remove(c, p);
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
void ctl_misbehaved(struct ctl *c, struct peer *p, const char *why)
{
	char text[320];

	if (p->dead)
		return;
	ctl_kill_peer(c, p, true, why);
	if (p->starting)
		snprintf(text, sizeof text, "a process without a rank was disconnected: %s", why);
	else if (p->rank < 0)
		snprintf(text, sizeof text, "a connection was closed: %s", why);
	else
		snprintf(text, sizeof text, "rank %d was disconnected: %s", p->rank, why);
	stranger(c, p->rank < 0 ? "foreign" : "misbehaved", text, false);
}

void ctl_sweep(struct ctl *c, bool tell)
{
	while (c->dead) { /* the handler may add to them */
		struct peer *p = c->dead;
		c->dead = p->next;
		if (tell && p->tell && c->h)
			c->h->leave(c->ctx, p->rank, p->why);
		frame_reader_free(&p->in);
		free(p);
	}
}

/* ---- sending ---- */

static void want(struct ctl *c, struct peer *p)
{
	struct epoll_event ev = { EPOLLIN | (p->out.len ? EPOLLOUT : 0u), { .ptr = p } };

	epoll_ctl(c->epoll_fd, EPOLL_CTL_MOD, p->fd, &ev);
}

void ctl_push_out(struct ctl *c, struct peer *p)
{
	bool waited = p->out.len > 0;

	while (p->out.len > 0) {
		ssize_t n = send(p->fd, p->out.data, p->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0) {
			buf_drop(&p->out, (size_t)n);
			c->queued -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			break;
		} else if (errno != EINTR) {
			ctl_kill_peer(c, p, true, strerror(errno));
			return;
		}
	}
	if (waited)
		want(c, p);
	if (p->out.len == 0 && p->out.cap > IDLE_BUFFER)
		buf_free(&p->out);
}

int ctl_put(struct ctl *c, struct peer *p, json_object *o, struct hb_err *err)
{
	size_t before = p->out.len;
	int rc = frame_put_json(&p->out, o, err);

	if (rc != HB_OK)
		return rc;
	c->queued += p->out.len - before;
	ctl_push_out(c, p);
	return HB_OK;
}

static void put_msg(struct ctl *c, struct peer *p, const char *msg, const char *text)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", msg);
	if (text)
		js_set_str(o, "text", text);
	ctl_put(c, p, o, NULL);
	js_put(o);
}

/* What all together do not read is bounded, too: whoever has most waiting goes. */
static void relieve(struct ctl *c)
{
	while (c->peers && c->queued > c->queues_max) {
		struct peer *most = c->peers;
		for (struct peer *p = c->peers; p; p = p->next)
			if (p->out.len > most->out.len)
				most = p;
		ctl_kill_peer(c, most, true, "it does not read what it is sent");
	}
}

int ctl_send(struct ctl *c, int rank, json_object *o, struct hb_err *err)
{
	struct peer *p = rank >= 0 && rank < c->world.n_ranks ? c->ranks[rank] : NULL;

	if (!p)
		return hb_fail(err, HB_E_IO, "rank %d is not connected", rank);
	int rc = ctl_put(c, p, o, err);
	if (rc != HB_OK)
		return rc;
	if (p->dead)
		return hb_fail(err, HB_E_IO, "rank %d: %s", rank, p->why);
	if (p->out.len > c->queue_max)
		ctl_kill_peer(c, p, true, "it does not read what it is sent");
	relieve(c);
	if (p->dead)
		return hb_fail(err, HB_E_IO, "rank %d does not read what it is sent", rank);
	return HB_OK;
}

/* ---- receiving ---- */

static void refuse(struct ctl *c, struct peer *p, const char *text, bool world)
{
	char line[640];

	snprintf(line, sizeof line, "a connection was refused: %s", text);
	put_msg(c, p, "refused", text);
	ctl_kill_peer(c, p, false, text);
	stranger(c, world ? "world" : "refused", world ? text : line, world);
}

static bool is_start(json_object *o)
{
	const struct js_at at = JS_AT_TOP("message");
	const char *msg = NULL;

	return js_get_str(o, &at, "msg", JS_OPTIONAL, &msg, NULL) == HB_OK && msg &&
	       strcmp(msg, "starting") == 0;
}

/* It keeps its connection, and has all the time of the step to say its hello. */
static void on_start(struct ctl *c, struct peer *p, json_object *o)
{
	struct ctl_start start;
	struct hb_err err;
	int rc = ctl_check_start(o, &c->world, &start, &err);

	if (rc == HB_OK && c->starting >= c->world.n_ranks)
		rc = hb_fail(&err, HB_E_USAGE, "more processes than ranks (again from %s)",
		             start.host);
	if (rc != HB_OK) {
		refuse(c, p, err.text, false);
		return;
	}
	put_msg(c, p, "ok", NULL);
	if (p->dead)
		return;
	ctl_pending_remove(c, p);
	p->starting = true;
	c->starting++;
	if (c->h->start)
		c->h->start(c->ctx, &start);
}

static void answer_hello(struct ctl *c, struct peer *p, const struct ctl_hello *hello)
{
	json_object *o = json_object_new_object();
	struct ctl_wish wish = { false, -1 };

	if (c->h->wish)
		c->h->wish(c->ctx, hello, &wish);
	js_set_str(o, "msg", "ok");
	if (wish.facts)
		js_set_bool(o, "facts", true);
	if (wish.first >= 0)
		js_set_bool(o, "first", wish.first > 0);
	ctl_put(c, p, o, NULL);
	js_put(o);
}

static void on_hello(struct ctl *c, struct peer *p, json_object *o)
{
	struct ctl_hello hello;
	struct hb_err err;
	bool wrong_world;

	if (ctl_check_hello(o, &c->world, &hello, &wrong_world, &err) != HB_OK) {
		/* Once a rank of that number is in, the world is known to be right. */
		bool known = wrong_world && hello.rank < c->world.n_ranks && c->ranks[hello.rank];
		refuse(c, p, err.text, wrong_world && !known);
		return;
	}
	if (c->ranks[hello.rank]) {
		hb_fail(&err, HB_E_USAGE, "rank %d is connected already (again from %s)",
		        hello.rank, hello.host);
		refuse(c, p, err.text, false);
		return;
	}
	hello.offset_s = p->clock.offset_s;
	hello.bound_s = p->clock.bound_s;
	hello.address = p->address;
	answer_hello(c, p, &hello);
	if (p->dead)
		return;
	p->rank = hello.rank;
	c->ranks[hello.rank] = p;
	if (!p->starting)
		ctl_pending_remove(c, p);
	else
		c->starting--;
	p->starting = false;
	hello.from = p->from[0] ? p->from : NULL;
	c->h->join(c->ctx, &hello);
}

static void on_frame(struct ctl *c, struct peer *p, const char *text, size_t len)
{
	json_object *o = NULL;
	struct hb_err err;

	if (js_parse(text, len, "frame", &o, &err) != HB_OK) {
		ctl_misbehaved(c, p, err.text);
		return;
	}
	/* The first words come at once; what follows may have waited for a slow start-up. */
	if (p->rank < 0 && p->clock.bound_s < 0 && json_object_is_type(o, json_type_object))
		p->clock = ctl_clock_of(o, p->greeted_ns, ctl_wall_ns());
	if (!json_object_is_type(o, json_type_object))
		ctl_misbehaved(c, p, "a frame is not a JSON object");
	else if (p->rank < 0 && !p->starting && is_start(o))
		on_start(c, p, o);
	else if (p->rank < 0)
		on_hello(c, p, o);
	else if (c->h->message(c->ctx, p->rank, o, len, &err) < 0)
		ctl_misbehaved(c, p, err.text);
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
		ctl_misbehaved(c, p, err.text);
	else if (p->rank < 0 && p->in.in.len - p->in.taken > HELLO_MAX)
		ctl_misbehaved(c, p, "it says more than a hello before it is let in");
	else if (p->in.in.len == p->in.taken && p->in.in.cap > IDLE_BUFFER)
		frame_reader_free(&p->in);
}

static void end_of_stream(struct ctl *c, struct peer *p, int e)
{
	if (p->in.in.len > p->in.taken)
		ctl_misbehaved(c, p, "it ended in the middle of a frame");
	else
		ctl_kill_peer(c, p, true, e ? strerror(e) : "the connection was closed");
}

void ctl_pull_in(struct ctl *c, struct peer *p)
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

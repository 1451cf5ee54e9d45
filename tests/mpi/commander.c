#include "commander.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/core/clock.h"
#include "bench/core/control.h"
#include "child.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define RUN   "run-of-the-test"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "commander: %s\n", what);
	_exit(99);
}

void commander_open(struct commander *c, int n_started)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	*c = (struct commander){ .watched = -1, .events = BUF_INIT };
	for (int i = 0; i < COMMANDER_RANKS; i++) {
		c->ranks[i].fd = -1;
		c->strays[i] = -1;
	}
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(c->listener >= 0, "socket");
	must(!bind(c->listener, (struct sockaddr *)&at, sizeof(at)), "bind");
	must(!listen(c->listener, COMMANDER_RANKS), "listen");
	must(!getsockname(c->listener, (struct sockaddr *)&at, &len), "getsockname");
	c->port = ntohs(at.sin_port);
	snprintf(c->address, sizeof(c->address), CONTROL_ENV_ADDRESS "=127.0.0.1:%d", c->port);
	snprintf(c->token, sizeof(c->token), CONTROL_ENV_TOKEN "=" TOKEN);
	snprintf(c->run, sizeof(c->run), CONTROL_ENV_RUN "=" RUN);
	snprintf(c->count, sizeof(c->count), CONTROL_ENV_RANKS "=%d", n_started);
	c->env[0] = c->address;
	c->env[1] = c->token;
	c->env[2] = c->run;
	c->env[3] = c->count;
	c->env[4] = CONTROL_ENV_STEP "=1";
	c->env[5] = CONTROL_ENV_ATTEMPT "=1";
}

void commander_close(struct commander *c)
{
	for (int i = 0; i < COMMANDER_RANKS; i++) {
		if (c->ranks[i].fd >= 0)
			close(c->ranks[i].fd);
		frame_reader_free(&c->ranks[i].in);
		if (c->strays[i] >= 0)
			close(c->strays[i]);
		frame_reader_free(&c->stray_in[i]);
	}
	close(c->listener);
	buf_free(&c->events);
}

static void send_text(int fd, const char *text)
{
	struct buf out = BUF_INIT;
	ssize_t sent;

	must(!frame_put(&out, text, strlen(text), NULL), "a message is too long");
	/* A rank that was stopped still takes a few messages: the system holds them for it. */
	sent = send(fd, out.data, out.len, MSG_NOSIGNAL);
	must(sent == (ssize_t)out.len, "a rank takes no more messages");
	buf_free(&out);
}

static void let_in(struct commander *c)
{
	int fd = accept(c->listener, NULL, NULL);

	must(fd >= 0, "accept");
	send_text(fd, "{\"msg\":\"greeting\",\"proto\":1,\"run\":\"" RUN "\"}");
	for (int i = 0; i < COMMANDER_RANKS; i++) {
		if (c->strays[i] >= 0)
			continue;
		c->strays[i] = fd;
		return;
	}
	must(false, "too many connections");
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v ? json_object_get_string(v) : "";
}

static int64_t number_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v ? json_object_get_int64(v) : -1;
}

static void hello(struct commander *c, int slot, json_object *o)
{
	int64_t rank = number_of(o, "rank");
	struct commander_rank *r;

	if (!strcmp(text_of(o, "msg"), "starting")) { /* its hello comes on the same connection */
		must(!strcmp(text_of(o, "token"), TOKEN), "a process has another token");
		send_text(c->strays[slot], "{\"msg\":\"ok\"}");
		return;
	}
	must(!strcmp(text_of(o, "msg"), "hello"), "the first message is no hello");
	must(!strcmp(text_of(o, "token"), TOKEN), "a hello has another token");
	must(rank >= 0 && rank < COMMANDER_RANKS, "a hello has no rank");
	r = &c->ranks[rank];
	must(r->fd < 0, "a rank says hello twice");
	r->fd = c->strays[slot];
	r->in = c->stray_in[slot];
	r->pid = (pid_t)number_of(o, "pid");
	r->size = (int)number_of(o, "size");
	c->strays[slot] = -1;
	c->stray_in[slot] = (struct frame_reader)FRAME_READER_INIT;
	send_text(r->fd, "{\"msg\":\"ok\"}");
}

static void take_figures(struct commander *c, json_object *o)
{
	struct js_at at = JS_AT_TOP("record");
	struct rec_point p;
	struct hb_err err = { HB_OK, "" };

	must(!rec_point_from_json(o, &at, &p, &err), err.text);
	must(p.ids.unit < COMMANDER_UNITS, "a unit that was never asked for");
	c->units[p.ids.unit].figures = true;
}

static void take_end(struct commander *c, json_object *o)
{
	struct js_at at = JS_AT_TOP("record");
	struct rec_end e;
	struct hb_err err = { HB_OK, "" };
	struct commander_unit *u;

	must(!rec_end_from_json(o, &at, &e, &err), err.text);
	must(e.ids.unit < COMMANDER_UNITS, "a unit that was never asked for");
	u = &c->units[e.ids.unit];
	must(!u->ended, "a unit ends twice");
	u->ended = true;
	u->status = e.status;
	snprintf(u->reason, sizeof(u->reason), "%s", e.reason ? e.reason : "");
}

static void take(struct commander *c, struct commander_rank *r, json_object *o)
{
	switch (record_type_of(o)) {
	case REC_POINT:
	case REC_PAIR: take_figures(c, o); break;
	case REC_END: take_end(c, o); break;
	case REC_RANK: r->rank_records++; break;
	case REC_EVENT: buf_printf(&c->events, "%s\n", text_of(o, "text")); break;
	case REC_UNKNOWN:
		if (strcmp(text_of(o, "msg"), "done") != 0)
			break;
		r->done_job = (uint64_t)number_of(o, "job");
		snprintf(r->done_status, sizeof(r->done_status), "%s", text_of(o, "status"));
		snprintf(r->done_reason, sizeof(r->done_reason), "%s", text_of(o, "reason"));
		break;
	case REC_META:
	case REC_FACT:
	case REC_COUNTER:
	case REC_LOAD:
	case REC_SAMPLES: break;
	}
}

/* Reads what is there; false when the other side has closed. */
static bool feed(int fd, struct frame_reader *in)
{
	char part[16384];
	ssize_t n = recv(fd, part, sizeof(part), MSG_DONTWAIT);

	if (n > 0)
		frame_feed(in, part, (size_t)n);
	return n > 0;
}

static json_object *next_object(struct frame_reader *in)
{
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;
	const char *text;
	size_t len;
	int rc = frame_next(in, &text, &len, &err);

	must(rc >= 0, err.text);
	if (rc > 0)
		must(!js_parse(text, len, "message", &o, &err), err.text);
	return o;
}

static void hear_stray(struct commander *c, int slot)
{
	json_object *o;

	if (!feed(c->strays[slot], &c->stray_in[slot])) {
		close(c->strays[slot]);
		c->strays[slot] = -1;
		return;
	}
	o = next_object(&c->stray_in[slot]);
	if (o)
		hello(c, slot, o);
	js_put(o);
}

static void hear_rank(struct commander *c, struct commander_rank *r)
{
	json_object *o;

	if (!feed(r->fd, &r->in)) {
		close(r->fd);
		r->fd = -1;
		return;
	}
	while ((o = next_object(&r->in))) {
		take(c, r, o);
		js_put(o);
	}
}

/* One round of listening to everybody, at most for wait_ms. */
static void serve(struct commander *c, int wait_ms)
{
	enum { LISTENER = 2 * COMMANDER_RANKS, WATCHED, POLLED };
	struct pollfd p[POLLED];

	for (int i = 0; i < COMMANDER_RANKS; i++) {
		p[i] = (struct pollfd){ .fd = c->ranks[i].fd, .events = POLLIN };
		p[COMMANDER_RANKS + i] = (struct pollfd){ .fd = c->strays[i], .events = POLLIN };
	}
	p[LISTENER] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
	p[WATCHED] = (struct pollfd){ .fd = c->watched, .events = POLLIN };
	if (poll(p, POLLED, wait_ms) <= 0)
		return;
	for (int i = 0; i < COMMANDER_RANKS; i++) {
		if (p[i].revents)
			hear_rank(c, &c->ranks[i]);
		if (p[COMMANDER_RANKS + i].revents)
			hear_stray(c, i);
	}
	if (p[LISTENER].revents)
		let_in(c);
}

bool commander_until(struct commander *c, bool (*cond)(struct commander *c, void *arg), void *arg)
{
	uint64_t limit = clock_ns() + CHILD_LIMIT_MS * 1000000ull;

	while (!cond(c, arg)) {
		uint64_t now = clock_ns();

		if (now >= limit)
			return false;
		serve(c, (int)((limit - now) / 1000000u) + 1);
	}
	return true;
}

void commander_job(struct commander *c, const char *text, const int *ranks, int n)
{
	for (int i = 0; i < n; i++)
		send_text(c->ranks[ranks[i]].fd, text);
}

void commander_quit(struct commander *c, int rank)
{
	send_text(c->ranks[rank].fd, "{\"msg\":\"quit\"}");
}

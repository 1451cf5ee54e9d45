#include "ctl_client.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_join(void *ctx, const struct ctl_hello *h)
{
	struct client_seen *s = ctx;

	s->joins++;
	s->last_rank = h->rank;
	s->offset_s = h->offset_s;
	s->bound_s = h->bound_s;
	snprintf(s->address, sizeof s->address, "%s", h->address);
}

static void on_wish(void *ctx, const struct ctl_hello *h, struct ctl_wish *out)
{
	const struct client_seen *s = ctx;

	(void)h;
	*out = s->wish;
}

static int on_message(void *ctx, int rank, json_object *o, size_t len, struct hb_err *err)
{
	struct client_seen *s = ctx;

	(void)o;
	(void)len;
	s->messages++;
	s->last_rank = rank;
	return s->refuse_messages ? hb_fail(err, HB_E_FORMAT, "not wanted") : HB_OK;
}

static void on_leave(void *ctx, int rank, const char *why)
{
	struct client_seen *s = ctx;

	s->leaves++;
	s->last_rank = rank;
	snprintf(s->last_why, sizeof s->last_why, "%s", why);
}

static void on_event(void *ctx, const char *code, const char *text, bool world)
{
	struct client_seen *s = ctx;

	(void)code;
	s->events++;
	s->worlds += world;
	snprintf(s->last_event, sizeof s->last_event, "%s", text);
}

static void on_start(void *ctx, const struct ctl_start *start)
{
	struct client_seen *s = ctx;

	s->starts++;
	snprintf(s->last_start, sizeof s->last_start, "%.40s %d %d", start->host, start->rank,
	         start->local);
}

const struct ctl_handlers client_handlers = { .join = on_join,
	                                      .message = on_message,
	                                      .leave = on_leave,
	                                      .event = on_event,
	                                      .start = on_start,
	                                      .wish = on_wish };

struct ctl *client_server(struct ctl_params p, struct client_seen *seen, int ranks)
{
	struct ctl *c = NULL;

	p.run = "run-1";
	*seen = (struct client_seen){ .wish = { false, -1 } };
	if (ctl_open(&p, &c, NULL) != HB_OK)
		abort();
	ctl_expect(c, CLIENT_RUN_STEP, CLIENT_RUN_ATTEMPT, ranks, &client_handlers, seen);
	return c;
}

json_object *client_message(const char *msg)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", msg);
	return o;
}

struct client client_dial(struct ctl *c)
{
	struct client k = { c, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), FRAME_READER_INIT,
		            false };
	struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_port = htons((uint16_t)ctl_port(c));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(k.fd, (struct sockaddr *)&a, sizeof a) != 0)
		abort();
	return k;
}

struct client client_connect(struct ctl *c)
{
	struct client k = client_dial(c);

	ctl_service(c);
	return k;
}

void client_close(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	frame_reader_free(&c->in);
	ctl_service(c->ctl);
}

void client_bytes(struct client *c, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = send(c->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		ctl_service(c->ctl);
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN) {
			return; /* closed by the server: what the test is about */
		}
	}
}

void client_text(struct client *c, const char *payload)
{
	size_t len = strlen(payload);
	unsigned char head[FRAME_HEAD] = { (unsigned char)(len >> 24), (unsigned char)(len >> 16),
		                           (unsigned char)(len >> 8), (unsigned char)len };

	client_bytes(c, head, sizeof head);
	client_bytes(c, payload, len);
}

void client_send(struct client *c, json_object *o)
{
	struct buf b = BUF_INIT;

	if (frame_put_json(&b, o, NULL) != HB_OK)
		abort();
	json_object_put(o);
	client_bytes(c, b.data, b.len);
	buf_free(&b);
}

json_object *client_recv(struct client *c)
{
	const char *text;
	json_object *o = NULL;
	size_t len;

	for (;;) {
		char chunk[4096];
		struct pollfd v[2] = { { c->fd, POLLIN, 0 }, { ctl_fd(c->ctl), POLLIN, 0 } };
		if (frame_next(&c->in, &text, &len, NULL) > 0)
			break;
		poll(v, 2, ctl_timeout_ms(c->ctl));
		ctl_service(c->ctl);
		ssize_t n = recv(c->fd, chunk, sizeof chunk, MSG_DONTWAIT);
		if (n > 0)
			frame_feed(&c->in, chunk, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			c->closed = true;
			return NULL;
		}
	}
	if (js_parse(text, len, "test", &o, NULL) != HB_OK)
		abort();
	return o;
}

bool client_is(struct client *c, const char *msg)
{
	json_object *o = client_recv(c), *m;
	bool is = o && json_object_object_get_ex(o, "msg", &m) &&
	          strcmp(json_object_get_string(m), msg) == 0;

	json_object_put(o);
	return is;
}

bool client_sees_end(struct client *c)
{
	json_object *o;

	while ((o = client_recv(c)))
		json_object_put(o);
	return c->closed;
}

json_object *client_starting(const struct ctl *c, const char *host)
{
	json_object *o = client_message("starting");

	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_str(o, "token", ctl_token(c));
	js_set_u64(o, "step", CLIENT_RUN_STEP);
	js_set_u64(o, "attempt", CLIENT_RUN_ATTEMPT);
	js_set_str(o, "host", host);
	js_set_i64(o, "pid", 1);
	return o;
}

json_object *client_hello(const struct ctl *c, int rank, int size)
{
	json_object *o = json_object_new_object();
	char host[32];

	snprintf(host, sizeof host, "n%d", rank + 1);
	js_set_str(o, "msg", "hello");
	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_str(o, "token", ctl_token(c));
	js_set_u64(o, "step", CLIENT_RUN_STEP);
	js_set_u64(o, "attempt", CLIENT_RUN_ATTEMPT);
	js_set_str(o, "host", host);
	js_set_i64(o, "rank", rank);
	js_set_i64(o, "size", size);
	js_set_str(o, "hw", "test");
	js_set_str(o, "helper", "mpi");
	js_set_str(o, "version", "0");
	js_set_i64(o, "pid", 1);
	return o;
}

struct client client_join(struct ctl *c, int rank, int size)
{
	struct client k = client_connect(c);

	if (client_is(&k, "greeting"))
		client_send(&k, client_hello(c, rank, size));
	return k;
}

#include "bench/base/frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

int frame_put(struct buf *out, const char *payload, size_t len, struct hb_err *err)
{
	unsigned char head[FRAME_HEAD];

	if (len == 0 || len > FRAME_MAX)
		return hb_fail(err, HB_E_FORMAT, "a message of %zu bytes; 1 to %d can be sent", len,
		               FRAME_MAX);
	for (size_t i = 0; i < FRAME_HEAD; i++)
		head[i] = (unsigned char)(len >> (8 * (FRAME_HEAD - 1 - i)));
	buf_add(out, head, sizeof(head));
	buf_add(out, payload, len);
	return HB_OK;
}

int frame_put_json(struct buf *out, json_object *o, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	int rc;

	js_write(o, JS_PLAIN, &text);
	rc = frame_put(out, buf_text(&text), text.len, err);
	buf_free(&text);
	return rc;
}

void frame_feed(struct frame_reader *r, const void *data, size_t len)
{
	/* Only here, so that moving bytes stays linear however many frames one feed brings. */
	if (r->taken) {
		buf_drop(&r->in, r->taken);
		r->taken = 0;
	}
	buf_add(&r->in, data, len);
}

int frame_next(struct frame_reader *r, const char **payload, size_t *len, struct hb_err *err)
{
	size_t have = r->in.len - r->taken, n = 0;
	const char *head;

	if (have < FRAME_HEAD)
		return 0;
	head = r->in.data + r->taken;
	for (size_t i = 0; i < FRAME_HEAD; i++)
		n = n << 8 | (unsigned char)head[i];
	if (n == 0 || n > FRAME_MAX)
		return hb_fail(err, HB_E_FORMAT,
		               "a frame says it is %zu bytes long; 1 to %d are allowed", n,
		               FRAME_MAX);
	if (have - FRAME_HEAD < n)
		return 0;
	*payload = head + FRAME_HEAD;
	*len = n;
	r->taken += FRAME_HEAD + n;
	return 1;
}

void frame_reader_free(struct frame_reader *r)
{
	buf_free(&r->in);
	r->taken = 0;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Waits until fd is ready for events; deadline in now_ms's terms, -1: none. */
static int wait_for(int fd, short events, int64_t deadline, struct hb_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int timeout = -1;

		if (deadline >= 0) {
			int64_t left = deadline - now_ms();

			timeout = left > 0 ? (int)left : 0;
		}
		int n = poll(&p, 1, timeout);
		if (n > 0 && (p.revents & POLLNVAL))
			return hb_fail(err, HB_E_IO, "control channel: %s", strerror(EBADF));
		if (n > 0)
			return HB_OK; /* errors and hang-ups show in the call that follows */
		if (n == 0)
			return hb_fail(err, HB_E_TIMEOUT,
			               "control channel: no %s within the time allowed",
			               events == POLLIN ? "message" : "progress in sending");
		if (errno != EINTR)
			return hb_fail(err, HB_E_IO, "control channel: poll: %s", strerror(errno));
	}
}

static int64_t deadline_of(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
}

/* Not ready after all, or a signal came: wait again. */
static bool is_passing(int code)
{
	return code == EINTR || code == EAGAIN || code == EWOULDBLOCK;
}

int frame_send(int fd, json_object *o, int timeout_ms, struct hb_err *err)
{
	int64_t deadline = deadline_of(timeout_ms);
	struct buf out = BUF_INIT;
	size_t sent = 0;
	int rc = frame_put_json(&out, o, err);

	while (!rc && sent < out.len) {
		rc = wait_for(fd, POLLOUT, deadline, err);
		if (rc)
			break;
		ssize_t n = send(fd, out.data + sent, out.len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0)
			sent += (size_t)n;
		else if (!is_passing(errno))
			rc = hb_fail(err, HB_E_IO, "control channel: send: %s", strerror(errno));
	}
	buf_free(&out);
	return rc;
}

/* Feeds what has come, at least one byte. */
static int receive_some(int fd, struct frame_reader *r, int64_t deadline, struct hb_err *err)
{
	char bytes[16 * 1024];

	for (;;) {
		int rc = wait_for(fd, POLLIN, deadline, err);
		if (rc)
			return rc;
		ssize_t n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n > 0) {
			frame_feed(r, bytes, (size_t)n);
			return HB_OK;
		}
		if (n == 0)
			return hb_fail(err, HB_E_IO, "closed by the other side%s",
			               r->in.len > r->taken ? " in the middle of a message" : "");
		if (!is_passing(errno))
			return hb_fail(err, HB_E_IO, "control channel: recv: %s", strerror(errno));
	}
}

int frame_recv(int fd, struct frame_reader *r, int timeout_ms, json_object **out,
               struct hb_err *err)
{
	int64_t deadline = deadline_of(timeout_ms);
	const char *payload;
	size_t len;
	int rc;

	*out = NULL;
	while ((rc = frame_next(r, &payload, &len, err)) == 0) {
		rc = receive_some(fd, r, deadline, err);
		if (rc)
			return rc;
	}
	if (rc < 0)
		return rc;
	rc = js_parse(payload, len, "control channel", out, err);
	if (!rc && !json_object_is_type(*out, json_type_object)) {
		js_put(*out);
		*out = NULL;
		rc = hb_fail(err, HB_E_FORMAT, "control channel: a message is not a JSON object");
	}
	return rc;
}

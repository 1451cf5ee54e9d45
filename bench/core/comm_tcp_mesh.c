#include "bench/core/comm_tcp_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

/* On the wire, in the byte order of the machine: one job runs on one kind of machine. */
struct head {
	uint64_t len;
	struct mesh_key key;
};

int64_t mesh_left_ms(uint64_t deadline_ns)
{
	uint64_t now;

	if (!deadline_ns)
		return -1;
	now = clock_ns();
	return now >= deadline_ns ? 0 : (int64_t)((deadline_ns - now) / 1000000u) + 1;
}

int mesh_wait_fd(int fd, short events, uint64_t deadline_ns, struct hb_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int64_t left = mesh_left_ms(deadline_ns);
		int n;

		if (left == 0)
			return hb_fail(err, HB_E_TIMEOUT,
			               "a rank did not answer before the deadline");
		n = poll(&p, 1, left > 3600000 ? 3600000 : (int)left);
		if (n > 0)
			return HB_OK;
		if (n < 0 && errno != EINTR)
			return hb_fail(err, HB_E_IO, "poll: %s", strerror(errno));
	}
}

bool mesh_passing(int code)
{
	return code == EINTR || code == EAGAIN || code == EWOULDBLOCK;
}

int mesh_write_all(int fd, const void *data, size_t len, uint64_t deadline_ns, struct hb_err *err)
{
	const char *p = data;
	int rc;

	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (!mesh_passing(errno))
			return hb_fail(err, HB_E_IO, "send: %s", strerror(errno));
		rc = mesh_wait_fd(fd, POLLOUT, deadline_ns, err);
		if (rc < 0)
			return rc;
	}
	return HB_OK;
}

/* Adds what has come, at least one byte, to in. */
static int read_some(int fd, struct buf *in, uint64_t deadline_ns, struct hb_err *err)
{
	char bytes[16 * 1024];

	for (;;) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		int rc;

		if (n > 0) {
			buf_add(in, bytes, (size_t)n);
			return HB_OK;
		}
		if (n == 0)
			return hb_fail(err, HB_E_IO, "another rank has closed its connection");
		if (!mesh_passing(errno))
			return hb_fail(err, HB_E_IO, "recv: %s", strerror(errno));
		rc = mesh_wait_fd(fd, POLLIN, deadline_ns, err);
		if (rc < 0)
			return rc;
	}
}

int mesh_read_exactly(int fd, void *data, size_t len, uint64_t deadline_ns, struct hb_err *err)
{
	char *p = data;

	while (len > 0) {
		ssize_t n = recv(fd, p, len, MSG_DONTWAIT);
		int rc;

		if (n > 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (n == 0)
			return hb_fail(err, HB_E_IO, "another rank has closed its connection");
		if (!mesh_passing(errno))
			return hb_fail(err, HB_E_IO, "recv: %s", strerror(errno));
		rc = mesh_wait_fd(fd, POLLIN, deadline_ns, err);
		if (rc < 0)
			return rc;
	}
	return HB_OK;
}

static struct link *link_to(struct mesh *m, int rank, struct hb_err *err)
{
	struct link *l = &m->links[rank];

	if (l->fd >= 0)
		return l;
	hb_fail(err, HB_E_IO, "the connection to rank %d is gone", rank);
	return NULL;
}

static void drop_link(struct link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

int mesh_send(struct mesh *m, int rank, struct mesh_key key, const void *data, size_t len,
              uint64_t deadline_ns, struct hb_err *err)
{
	struct link *l = link_to(m, rank, err);
	struct head head = { len, key };
	int rc;

	if (!l)
		return HB_E_IO;
	if (len > MESH_MESSAGE_MAX)
		return hb_fail(err, HB_E_USAGE, "a message of %zu bytes between ranks", len);
	rc = mesh_write_all(l->fd, &head, sizeof(head), deadline_ns, err);
	if (!rc)
		rc = mesh_write_all(l->fd, data, len, deadline_ns, err);
	if (rc < 0)
		drop_link(l); /* nobody knows how much of it has left */
	return rc;
}

static void remove_aside(struct link *l, int i)
{
	buf_free(&l->aside[i].data);
	l->n_aside--;
	memmove(&l->aside[i], &l->aside[i + 1], (size_t)(l->n_aside - i) * sizeof(l->aside[0]));
}

static bool take_aside(struct link *l, struct mesh_key key, struct buf *out)
{
	for (int i = 0; i < l->n_aside; i++) {
		struct aside *a = &l->aside[i];

		if (a->key.context != key.context || a->key.op != key.op)
			continue;
		if (a->data.len > 0)
			buf_add(out, a->data.data, a->data.len);
		remove_aside(l, i);
		return true;
	}
	return false;
}

/* The oldest goes when there are too many: what was given up long ago is asked for by nobody. */
static void put_aside(struct link *l, struct mesh_key key, const char *data, size_t len)
{
	struct aside *a;

	if (l->n_aside == ASIDE_MAX)
		remove_aside(l, 0);
	a = &l->aside[l->n_aside++];
	a->key = key;
	a->data = (struct buf)BUF_INIT;
	if (len > 0)
		buf_add(&a->data, data, len);
}

int mesh_recv(struct mesh *m, int rank, struct mesh_key key, struct buf *out, uint64_t deadline_ns,
              struct hb_err *err)
{
	struct link *l = link_to(m, rank, err);
	struct head head;

	if (!l)
		return HB_E_IO;
	if (take_aside(l, key, out))
		return HB_OK;
	for (;;) {
		bool whole = l->in.len >= sizeof(head), wanted;
		const char *data;

		if (whole) {
			memcpy(&head, l->in.data, sizeof(head));
			if (head.len > MESH_MESSAGE_MAX) {
				drop_link(l);
				return hb_fail(err, HB_E_FORMAT, "rank %d sends what is no message",
				               rank);
			}
			whole = l->in.len - sizeof(head) >= head.len;
		}
		if (!whole) {
			int rc = read_some(l->fd, &l->in, deadline_ns, err);

			if (rc < 0)
				return rc;
			continue;
		}
		data = l->in.data + sizeof(head);
		wanted = head.key.context == key.context && head.key.op == key.op;
		if (!wanted)
			put_aside(l, head.key, data, (size_t)head.len);
		else if (head.len > 0)
			buf_add(out, data, (size_t)head.len);
		buf_drop(&l->in, sizeof(head) + (size_t)head.len);
		if (wanted)
			return HB_OK;
	}
}

struct mesh *mesh_ref(struct mesh *m)
{
	m->refs++;
	return m;
}

void mesh_unref(struct mesh *m)
{
	if (--m->refs > 0)
		return;
	for (int i = 0; i < m->size; i++) {
		struct link *l = &m->links[i];

		drop_link(l);
		while (l->n_aside > 0)
			remove_aside(l, 0);
		buf_free(&l->in);
	}
	free(m->links);
	free(m);
}

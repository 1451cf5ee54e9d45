/* How the connections between all ranks come about. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/comm_tcp_parts.h"

enum { RETRY_MS = 20 };

/* What a rank tells rank 0, and rank 0 everybody: where it can be reached. */
struct place {
	struct sockaddr_in at;
};

static void set_nodelay(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static int accept_one(int listen_fd, uint64_t deadline_ns, int *out, struct sockaddr_in *peer,
                      struct hb_err *err)
{
	for (;;) {
		socklen_t len = sizeof(*peer);
		int rc = mesh_wait_fd(listen_fd, POLLIN, deadline_ns, err);

		if (rc < 0)
			return rc;
		*out = accept4(listen_fd, (struct sockaddr *)peer, &len, SOCK_CLOEXEC);
		if (*out >= 0)
			break;
		if (!mesh_passing(errno) && errno != ECONNABORTED)
			return hb_fail(err, HB_E_IO, "accept: %s", strerror(errno));
	}
	set_nodelay(*out);
	return HB_OK;
}

/* The other side may not listen yet: tries until the deadline. */
static int connect_one(const struct sockaddr_in *at, uint64_t deadline_ns, int *out,
                       struct hb_err *err)
{
	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), code;

		if (fd < 0)
			return hb_fail(err, HB_E_IO, "socket: %s", strerror(errno));
		if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0) {
			set_nodelay(fd);
			*out = fd;
			return HB_OK;
		}
		code = errno;
		close(fd);
		if (code != ECONNREFUSED && code != EINTR && code != ETIMEDOUT)
			return hb_fail(err, HB_E_IO, "connect: %s", strerror(code));
		if (mesh_left_ms(deadline_ns) == 0)
			return hb_fail(err, HB_E_TIMEOUT, "rank 0 does not listen");
		poll(NULL, 0, RETRY_MS);
	}
}

static int listen_here(int *fd, struct sockaddr_in *at, struct hb_err *err)
{
	socklen_t len = sizeof(*at);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)at, sizeof(*at)) < 0 ||
	    listen(*fd, MESH_RANKS_MAX) < 0 || getsockname(*fd, (struct sockaddr *)at, &len) < 0)
		return hb_fail(err, HB_E_IO, "cannot listen for the other ranks: %s",
		               strerror(errno));
	return HB_OK;
}

/* Takes the connection fd of the rank that it says it is; only new ranks above above. */
static int register_peer(struct mesh *m, int fd, int above, uint64_t deadline_ns, int *who,
                         struct hb_err *err)
{
	int32_t rank;
	int rc = mesh_read_exactly(fd, &rank, sizeof(rank), deadline_ns, err);

	if (!rc && (rank <= above || rank >= m->size || m->links[rank].fd >= 0))
		rc = hb_fail(err, HB_E_FORMAT, "somebody connects who is no rank of ours");
	if (rc < 0) {
		close(fd);
		return rc;
	}
	m->links[rank].fd = fd;
	*who = rank;
	return HB_OK;
}

/* Rank 0: everybody connects and says where it listens; then all are told. */
static int meet_all(struct mesh *m, int listen_fd, uint64_t deadline_ns, struct hb_err *err)
{
	struct place *places = hb_alloc((size_t)m->size * sizeof(*places));
	int rc = HB_OK;

	for (int i = 1; i < m->size && !rc; i++) {
		struct sockaddr_in peer;
		struct place told;
		int fd, who = 0;

		rc = accept_one(listen_fd, deadline_ns, &fd, &peer, err);
		if (!rc)
			rc = register_peer(m, fd, 0, deadline_ns, &who, err);
		if (!rc)
			rc = mesh_read_exactly(fd, &told, sizeof(told), deadline_ns, err);
		if (rc < 0)
			break;
		places[who].at = told.at;
		places[who].at.sin_addr = peer.sin_addr; /* as seen from here */
	}
	for (int i = 1; i < m->size && !rc; i++)
		rc = mesh_write_all(m->links[i].fd, places, (size_t)m->size * sizeof(*places),
		                    deadline_ns, err);
	free(places);
	return rc;
}

/* The others: connect to rank 0, then to every lower rank, and accept every higher one. */
static int join_all(struct mesh *m, const struct sockaddr_in *root, int own_fd,
                    const struct sockaddr_in *own, uint64_t deadline_ns, struct hb_err *err)
{
	struct place *places = hb_alloc((size_t)m->size * sizeof(*places)), mine = { *own };
	int32_t rank = m->rank;
	int rc = HB_OK;

	for (int i = 0; i < m->rank && !rc; i++) {
		rc = connect_one(i ? &places[i].at : root, deadline_ns, &m->links[i].fd, err);
		if (!rc)
			rc = mesh_write_all(m->links[i].fd, &rank, sizeof(rank), deadline_ns, err);
		if (rc < 0 || i > 0)
			continue;
		rc = mesh_write_all(m->links[0].fd, &mine, sizeof(mine), deadline_ns, err);
		if (!rc)
			rc = mesh_read_exactly(m->links[0].fd, places,
			                       (size_t)m->size * sizeof(*places), deadline_ns, err);
	}
	for (int i = m->rank + 1; i < m->size && !rc; i++) {
		struct sockaddr_in peer;
		int fd, who = 0;

		rc = accept_one(own_fd, deadline_ns, &fd, &peer, err);
		if (!rc)
			rc = register_peer(m, fd, m->rank, deadline_ns, &who, err);
	}
	free(places);
	return rc;
}

static int open_as_member(struct mesh *m, const char *host, int port, uint64_t deadline_ns,
                          struct hb_err *err)
{
	struct sockaddr_in root = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) }, own;
	int fd = -1, rc;

	if (inet_pton(AF_INET, host, &root.sin_addr) != 1)
		return hb_fail(err, HB_E_USAGE, "'%s' is not a numeric address", host);
	rc = listen_here(&fd, &own, err);
	if (!rc)
		rc = join_all(m, &root, fd, &own, deadline_ns, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

int mesh_open(int rank, int size, const struct comm_tcp_place *rank0, int timeout_ms,
              struct mesh **out, struct hb_err *err)
{
	uint64_t deadline_ns = timeout_ms < 0
	                               ? 0
	                               : clock_ns() + (uint64_t)timeout_ms * UINT64_C(1000000);
	struct mesh *m;
	int rc;

	if (size < 1 || size > MESH_RANKS_MAX || rank < 0 || rank >= size)
		return hb_fail(err, HB_E_USAGE, "rank %d of %d ranks", rank, size);
	m = hb_alloc(sizeof(*m));
	m->refs = 1;
	m->rank = rank;
	m->size = size;
	m->links = hb_alloc((size_t)size * sizeof(*m->links));
	for (int i = 0; i < size; i++)
		m->links[i].fd = -1;
	rc = rank == 0 ? meet_all(m, rank0->listen_fd, deadline_ns, err)
	               : open_as_member(m, rank0->host, rank0->port, deadline_ns, err);
	if (rc < 0)
		mesh_unref(m);
	else
		*out = m;
	return rc;
}

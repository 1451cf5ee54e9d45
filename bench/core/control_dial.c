#include "bench/core/control_dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/core/control.h"

enum { ADDRESS_TEXT = 128 };

struct address {
	struct sockaddr_storage sa;
	socklen_t len;
};

/* "10.0.0.1:4711" or "[fe80::1]:4711"; numbers only, names are never resolved. */
static int address_parse(const char *text, struct address *out, struct hb_err *err)
{
	char host[ADDRESS_TEXT], *colon, *end;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out->sa;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->sa;
	size_t len = strlen(text);
	unsigned long port;

	*out = (struct address){ 0 };
	if (len >= sizeof(host))
		return hb_fail(err, HB_E_USAGE, "an address of %zu bytes", len);
	memcpy(host, text, len + 1);
	colon = strrchr(host, ':');
	if (!colon || colon[1] < '0' || colon[1] > '9')
		return hb_fail(err, HB_E_USAGE, "'%s' is not ADDRESS:PORT", text);
	port = strtoul(colon + 1, &end, 10);
	if (*end || port < 1 || port > 65535)
		return hb_fail(err, HB_E_USAGE, "'%s' has no port between 1 and 65535", text);
	*colon = '\0';
	len = strlen(host);
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		out->len = sizeof(*v6);
		if (inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1)
			return HB_OK;
	} else {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		out->len = sizeof(*v4);
		if (inet_pton(AF_INET, host, &v4->sin_addr) == 1)
			return HB_OK;
	}
	return hb_fail(err, HB_E_USAGE, "'%s' is not a numeric address", text);
}

static int wait_connected(int fd, struct hb_err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int n, code = 0;
	socklen_t len = sizeof(code);

	do
		n = poll(&p, 1, CONTROL_CONNECT_MS);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return hb_fail(err, HB_E_TIMEOUT, "no answer within %d s",
		               CONTROL_CONNECT_MS / 1000);
	if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0)
		code = errno;
	return code ? hb_fail(err, HB_E_IO, "%s", strerror(code)) : HB_OK;
}

static int connect_to(const struct address *a, int *out, struct hb_err *err)
{
	int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1, rc = HB_OK;

	if (fd < 0)
		return hb_fail(err, HB_E_IO, "socket: %s", strerror(errno));
	if (connect(fd, (const struct sockaddr *)&a->sa, a->len) < 0) {
		if (errno == EINPROGRESS || errno == EINTR)
			rc = wait_connected(fd, err);
		else
			rc = hb_fail(err, HB_E_IO, "%s", strerror(errno));
	}
	if (rc < 0) {
		close(fd);
		return rc;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	*out = fd;
	return HB_OK;
}

int control_dial(const char *text, int *fd, struct hb_err *err)
{
	struct address a;
	int rc = address_parse(text, &a, err);

	return rc < 0 ? rc : connect_to(&a, fd, err);
}

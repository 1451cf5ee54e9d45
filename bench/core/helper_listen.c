/* A port that other ranks of a step connect to. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/core/helper_parts.h"

enum { BACKLOG = 128 };

/* Of both families where there is IPv6, else of the other one. */
static int listen_on(int family)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET };
	bool is_six = family == AF_INET6;
	int off = 0, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if ((is_six && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0) ||
	    bind(fd, is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
	         is_six ? sizeof(six) : sizeof(four)) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int port_of(int fd)
{
	union {
		struct sockaddr_storage any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} a = { 0 };
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		return 0;
	return ntohs(a.any.ss_family == AF_INET6 ? a.six.sin6_port : a.four.sin_port);
}

int helper_listen(const struct helper *h, int *port)
{
	const char *asked = getenv(CONTROL_ENV_LISTEN);
	int fd;

	*port = 0;
	if (!h->listens || !asked || strcmp(asked, "1") != 0)
		return -1;
	fd = listen_on(AF_INET6);
	if (fd < 0)
		fd = listen_on(AF_INET);
	if (fd >= 0)
		*port = port_of(fd);
	if (fd >= 0 && *port <= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

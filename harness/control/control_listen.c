/*
 * Where the control channel listens, and which addresses ranks are told (contracts.md section 3).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/control/control_parts.h"

enum { BACKLOG = 4096 };

/* Bridges of containers and virtual machines: their addresses are the same on every host. */
static const char *const inner[] = { "docker", "virbr", "lxcbr", "lxdbr",   "cni",
	                             "podman", "br-",   "veth",  "flannel", NULL };

static bool is_inner(const char *name)
{
	for (const char *const *p = inner; *p; p++)
		if (strncmp(name, *p, strlen(*p)) == 0)
			return true;
	return false;
}

bool ctl_address_text(const struct sockaddr *a, char out[CTL_ADDRESS_TEXT])
{
	char text[INET6_ADDRSTRLEN];

	if (a->sa_family == AF_INET) {
		const struct in_addr *v4 = &((const struct sockaddr_in *)a)->sin_addr;
		uint32_t n = ntohl(v4->s_addr);
		if (n >> 24 == 127 || n >> 16 == 0xa9fe || n == 0)
			return false;
		inet_ntop(AF_INET, v4, text, sizeof text);
	} else if (a->sa_family == AF_INET6) {
		const struct in6_addr *v6 = &((const struct sockaddr_in6 *)a)->sin6_addr;
		if (IN6_IS_ADDR_LOOPBACK(v6) || IN6_IS_ADDR_LINKLOCAL(v6) ||
		    IN6_IS_ADDR_UNSPECIFIED(v6) || IN6_IS_ADDR_V4MAPPED(v6))
			return false;
		inet_ntop(AF_INET6, v6, text, sizeof text);
	} else {
		return false;
	}
	snprintf(out, CTL_ADDRESS_TEXT, "%s", text);
	return true;
}

bool ctl_peer_text(const struct sockaddr *a, char out[CTL_ADDRESS_TEXT])
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	struct sockaddr_in v4 = { .sin_family = AF_INET };

	if (a->sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		return ctl_address_text(a, out);
	memcpy(&v4.sin_addr, v6->sin6_addr.s6_addr + 12, sizeof v4.sin_addr);
	return ctl_address_text((const struct sockaddr *)&v4, out);
}

static void add_once(struct ctl_addresses *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], text) == 0)
			return;
	if (l->n < CTL_ADDRESSES_MAX)
		snprintf(l->v[l->n++], CTL_ADDRESS_TEXT, "%s", text);
}

void ctl_addresses_order(const struct ctl_interface *v, size_t n, const char *first,
                         struct ctl_addresses *out)
{
	out->n = 0;
	if (first && *first)
		add_once(out, first);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++)
			if (is_inner(v[i].name) == (pass == 1))
				add_once(out, v[i].address);
}

/* ---- what this host has ---- */

static size_t interfaces(struct ctl_interface **out)
{
	struct ifaddrs *list, *i;
	size_t n = 0, cap = 0;

	*out = NULL;
	if (getifaddrs(&list) != 0)
		return 0;
	for (i = list; i; i = i->ifa_next) {
		struct ctl_interface one;
		if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK) ||
		    !ctl_address_text(i->ifa_addr, one.address))
			continue;
		snprintf(one.name, sizeof one.name, "%s", i->ifa_name);
		hb_grow(out, &cap, n + 1, sizeof **out);
		(*out)[n++] = one;
	}
	freeifaddrs(list);
	return n;
}

/* The address that the kernel would use towards a node; false where it cannot be told. */
static bool source_towards(const char *node, char out[CTL_ADDRESS_TEXT])
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	struct sockaddr_storage own = { 0 };
	bool found = false;

	if (getaddrinfo(node, "9", &hints, &list) != 0)
		return false;
	for (struct addrinfo *a = list; a && !found; a = a->ai_next) {
		socklen_t len = sizeof own;
		int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		/* Connecting a datagram socket sends nothing; it only looks up the route. */
		found = fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0 &&
		        getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
		        ctl_address_text((struct sockaddr *)&own, out);
		if (fd >= 0)
			close(fd);
	}
	freeaddrinfo(list);
	return found;
}

/* ---- listening ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_len(const union address *a)
{
	return a->any.sa_family == AF_INET6 ? sizeof a->v6 : sizeof a->v4;
}

static void set_port(union address *a, int port)
{
	if (a->any.sa_family == AF_INET6)
		a->v6.sin6_port = htons((uint16_t)port);
	else
		a->v4.sin_port = htons((uint16_t)port);
}

/* One port; 0 or an errno. */
static int try_port(struct ctl *c, union address *a, int port)
{
	int on = 1, off = 0,
	    fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	union address got = *a;
	socklen_t len = sizeof got;

	if (fd < 0)
		return errno;
	set_port(a, port);
	/* A port whose last connections the kernel still remembers is free; one that somebody
	 * listens on is not. */
	if (port)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	/* One socket for both protocols. */
	if (a->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(fd, &a->any, address_len(a)) != 0 || listen(fd, BACKLOG) != 0 ||
	    getsockname(fd, &got.any, &len) != 0) {
		int e = errno;
		close(fd);
		return e;
	}
	c->listen_fd = fd;
	c->port = ntohs(a->any.sa_family == AF_INET6 ? got.v6.sin6_port : got.v4.sin_port);
	return 0;
}

/* Each process begins elsewhere in the range, so that two do not race for the same port. */
static int try_range(struct ctl *c, union address *a, int lo, int hi)
{
	int n = hi > lo ? hi - lo + 1 : 1, pid = (int)getpid(), e = EADDRINUSE;
	int start = (int)(rng_hash(&pid, sizeof pid) % (uint64_t)n);

	for (int i = 0; i < n; i++) {
		e = try_port(c, a, lo + (start + i) % n);
		if (e != EADDRINUSE && e != EACCES)
			break;
	}
	return e;
}

static int listen_at(struct ctl *c, union address *a, const struct ctl_params *p)
{
	return p->port_lo > 0 ? try_range(c, a, p->port_lo, p->port_hi) : try_port(c, a, 0);
}

static bool for_no_host(const union address *a)
{
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr) || IN6_IS_ADDR_LINKLOCAL(&a->v6.sin6_addr);
}

static int parse_address(const char *text, union address *a, struct hb_err *err)
{
	memset(a, 0, sizeof *a);
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1)
		a->any.sa_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1)
		a->any.sa_family = AF_INET6;
	else
		return hb_fail(err, HB_E_USAGE,
		               "--control-address '%.64s': a numeric address of this host is "
		               "wanted, as ip address shows them",
		               text);
	if (for_no_host(a))
		return hb_fail(err, HB_E_USAGE,
		               "--control-address %s: ranks of other nodes cannot use that; name "
		               "an address by which they reach this host",
		               text);
	return HB_OK;
}

static int listen_failed(const struct ctl_params *p, const char *where, int e, struct hb_err *err)
{
	if (p->port_lo > 0 && (e == EADDRINUSE || e == EACCES))
		return hb_fail(err, HB_E_IO,
		               "control channel: no port of %d-%d is free on %s (%s); name others "
		               "with --port-range",
		               p->port_lo, p->port_hi, where, strerror(e));
	return hb_fail(err, HB_E_IO, "control channel: listening on %s: %s", where, strerror(e));
}

static void tell_addresses(struct ctl *c, const struct ctl_addresses *l)
{
	for (size_t i = 0; i < l->n; i++) {
		bool v6 = strchr(l->v[i], ':') != NULL;
		buf_printf(&c->address, "%s%s%s%s:%d", i ? "," : "", v6 ? "[" : "", l->v[i],
		           v6 ? "]" : "", c->port);
	}
}

static int listen_everywhere(struct ctl *c, const struct ctl_params *p, struct hb_err *err)
{
	union address all = { .v6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any } };
	struct ctl_addresses *told = hb_alloc(sizeof *told);
	char first[CTL_ADDRESS_TEXT] = "";
	struct ctl_interface *v;
	size_t n = interfaces(&v);
	int rc = HB_OK, e = listen_at(c, &all, p);

	if (e == EAFNOSUPPORT || e == EADDRNOTAVAIL) {
		all = (union address){ .v4 = { .sin_family = AF_INET } };
		e = listen_at(c, &all, p);
	}
	if (p->first_node && !source_towards(p->first_node, first))
		first[0] = '\0';
	ctl_addresses_order(v, n, first, told);
	if (e)
		rc = listen_failed(p, "this host", e, err);
	else if (told->n == 0)
		rc = hb_fail(err, HB_E_IO,
		             "control channel: this host has no address that nodes could reach; "
		             "name one with --control-address");
	else
		tell_addresses(c, told);
	free(told);
	free(v);
	return rc;
}

static int listen_on_one(struct ctl *c, const struct ctl_params *p, const char *text,
                         struct hb_err *err)
{
	struct ctl_addresses *one = hb_alloc(sizeof *one);
	union address a;
	int rc = parse_address(text, &a, err), e = rc == HB_OK ? listen_at(c, &a, p) : 0;

	if (e == EADDRNOTAVAIL)
		rc = hb_fail(err, HB_E_USAGE,
		             "--control-address %.64s: not an address of this host", text);
	else if (e)
		rc = listen_failed(p, text, e, err);
	if (rc == HB_OK) {
		add_once(one, text);
		tell_addresses(c, one);
	}
	free(one);
	return rc;
}

int ctl_listen(struct ctl *c, const struct ctl_params *p, struct hb_err *err)
{
	if (!p->remote)
		return listen_on_one(c, p, "127.0.0.1", err);
	return p->address ? listen_on_one(c, p, p->address, err) : listen_everywhere(c, p, err);
}

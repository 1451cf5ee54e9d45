/* Settings of TCP/IP, and through which device the way leads. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/core/control.h"
#include "bench/core/env_parts.h"
#include "bench/facts/facts_net.h"

enum { ROUTE_UP = 1 };

/* Columns: device, destination, gateway, flags, counts, metric, mask (numbers hexadecimal). */
static bool default_route(const char *line, const char *end, char *device, unsigned long *metric)
{
	char word[FACTS_NAME];
	unsigned long column[8] = { 0 };
	const char *at = line;

	if (!facts_next_word(&at, end, device, FACTS_NAME))
		return false;
	for (int i = 1; i <= 7; i++) {
		char *stop;

		if (!facts_next_word(&at, end, word, sizeof(word)))
			return false;
		column[i] = strtoul(word, &stop, i == 6 ? 10 : 16);
		if (*stop)
			return false;
	}
	*metric = column[6];
	return column[1] == 0 && column[7] == 0 && (column[3] & ROUTE_UP);
}

static void tell_default(const struct fact_sink *s)
{
	static const char path[] = "/proc/net/route";
	struct buf text = BUF_INIT;
	char device[FACTS_NAME], best[FACTS_NAME] = "none";
	unsigned long metric, least = ~0UL;
	const char *at, *line;
	size_t len;
	int failed = facts_file(path, FACTS_LARGE, &text);

	for (at = buf_text(&text); (line = facts_next_line(&at, &len));) {
		if (!default_route(line, line + len, device, &metric) || metric >= least)
			continue;
		least = metric;
		memcpy(best, device, sizeof(best));
	}
	if (failed)
		fact_tell_errno(s, "", "ip.default_device", path, failed);
	else
		fact_tell(s, "", "ip.default_device", best, path);
	buf_free(&text);
}

/* Do two addresses name the same host? */
static bool same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
	       memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
}

/* The device that has an address; "" where none has. */
static void device_of(const struct sockaddr *address, char *out, size_t n)
{
	struct ifaddrs *all;

	*out = '\0';
	if (getifaddrs(&all) != 0)
		return;
	for (const struct ifaddrs *a = all; a && !*out; a = a->ifa_next)
		if (a->ifa_addr && same_host(a->ifa_addr, address))
			snprintf(out, n, "%s", a->ifa_name);
	freeifaddrs(all);
}

/* Where the kernel would send from; nothing is sent. Returns 0 or an errno value. */
static int way_to(const struct addrinfo *to, char *device, size_t n)
{
	struct sockaddr_storage from = { 0 };
	socklen_t len = sizeof(from);
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), failed = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, to->ai_addr, to->ai_addrlen) < 0 ||
	    getsockname(fd, (struct sockaddr *)&from, &len) < 0)
		failed = errno;
	else
		device_of((const struct sockaddr *)&from, device, n);
	close(fd);
	return failed;
}

/* "10.0.0.1:4711,[fe80::1]:4711": the first address, which is tried first. */
static void tell_harness(const struct fact_sink *s)
{
	static const char source[] = "the route to the first address in " CONTROL_ENV_ADDRESS;
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		                        .ai_socktype = SOCK_DGRAM };
	const char *list = getenv(CONTROL_ENV_ADDRESS);
	struct addrinfo *to = NULL;
	char host[FACTS_LINE], device[FACTS_NAME] = "", *port;
	int failed;

	if (!list || !*list)
		return;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(list, ","), list);
	port = strrchr(host, ':');
	if (!port)
		return;
	*port++ = '\0';
	host[strcspn(host, "]")] = '\0';
	if (getaddrinfo(host + (*host == '['), port, &hints, &to) != 0)
		return;
	failed = way_to(to, device, sizeof(device));
	if (failed)
		fact_tell_errno(s, "", "ip.harness_device", source, failed);
	else if (*device)
		fact_tell(s, "", "ip.harness_device", device, source);
	freeaddrinfo(to);
}

void facts_ip(const struct fact_sink *s)
{
	static const struct facts_row rows[] = {
		{ "ip.congestion", "ipv4/tcp_congestion_control", SAY_TEXT, ABSENT_TOLD },
		{ "ip.qdisc", "core/default_qdisc", SAY_TEXT, ABSENT_SILENT },
		{ "ip.rmem_max_bytes", "core/rmem_max", SAY_NUMBER, ABSENT_TOLD },
		{ "ip.wmem_max_bytes", "core/wmem_max", SAY_NUMBER, ABSENT_TOLD },
		{ "ip.tcp_rmem_max_bytes", "ipv4/tcp_rmem", SAY_LAST, ABSENT_TOLD },
		{ "ip.tcp_wmem_max_bytes", "ipv4/tcp_wmem", SAY_LAST, ABSENT_TOLD },
		{ "ip.mtu_probing", "ipv4/tcp_mtu_probing", SAY_NUMBER, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};

	facts_say_all(s, "", "/proc/sys/net", rows);
	tell_default(s);
	if (!sys_redirected())
		tell_harness(s);
}

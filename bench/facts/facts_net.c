/* Network devices: what /sys tells of them, or ioctl where /sys shows another network. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"
#include "bench/facts/facts_net.h"

#define CLASS "/sys/class/net"
enum { SEEN_MAX = 4096, QUEUES_MAX = 4096 };

static const char *of(char path[FACTS_PATH], const struct netdev *d, const char *what)
{
	snprintf(path, FACTS_PATH, CLASS "/%s/%s", d->name, what);
	return path;
}

/* "physical", "bond" ... of a device that /sys shows. */
static void kind_in_sys(const struct netdev *d, char *out, size_t n)
{
	char path[FACTS_PATH], type[FACTS_NAME] = "";
	struct buf uevent = BUF_INIT;
	uint64_t arp = 0, link = 0, index = 0;
	const char *at, *line;
	size_t len;

	facts_u64(of(path, d, "type"), &arp);
	facts_u64(of(path, d, "iflink"), &link);
	facts_u64(of(path, d, "ifindex"), &index);
	facts_file(of(path, d, "uevent"), FACTS_SMALL, &uevent);
	for (at = buf_text(&uevent); (line = facts_next_line(&at, &len));)
		if (len > 8 && strncmp(line, "DEVTYPE=", 8) == 0)
			snprintf(type, sizeof(type), "%.*s", (int)(len < 40 ? len - 8 : 32),
			         line + 8);
	buf_free(&uevent);
	if (arp == ARPHRD_LOOPBACK)
		snprintf(out, n, "loopback");
	else if (arp == ARPHRD_INFINIBAND)
		snprintf(out, n, "ipoib");
	else if (facts_exists(of(path, d, "bonding")))
		snprintf(out, n, "bond");
	else if (facts_exists(of(path, d, "bridge")))
		snprintf(out, n, "bridge");
	else if (strcmp(type, "vlan") == 0)
		snprintf(out, n, "vlan");
	else if (d->physical)
		snprintf(out, n, "physical");
	else if (!*type && link != index && link > 0)
		snprintf(out, n, "veth");
	else
		snprintf(out, n, "virtual");
}

static void kind_of(const struct netdev *d, int fd, char *out, size_t n)
{
	char driver[FACTS_NAME];
	const char *kind = "virtual";

	if (d->in_sys) {
		kind_in_sys(d, out, n);
		return;
	}
	if (facts_net_driver(fd, d->name, driver, sizeof(driver))) {
		if (strcmp(driver, "bonding") == 0)
			kind = "bond";
		else if (strcmp(driver, "veth") == 0 || strcmp(driver, "bridge") == 0)
			kind = driver;
	}
	snprintf(out, n, "%s", kind);
}

/* Mode of a bond, and how many of its members have a link. */
static void tell_bond(const struct fact_sink *s, const struct netdev *d)
{
	char path[FACTS_PATH], mode[FACTS_NAME], members[4 * FACTS_LINE], name[FACTS_NAME];
	char status[FACTS_NAME], text[2 * FACTS_NAME];
	const char *at = members;
	size_t n = 0, up = 0;

	if (facts_line(of(path, d, "bonding/mode"), mode, sizeof(mode)) != 0)
		return;
	mode[strcspn(mode, " ")] = '\0';
	facts_line(of(path, d, "bonding/slaves"), members, sizeof(members));
	while (facts_next_word(&at, members + strlen(members), name, sizeof(name))) {
		snprintf(path, sizeof(path), CLASS "/%s/bonding_slave/mii_status", name);
		up += facts_line(path, status, sizeof(status)) == 0 && strcmp(status, "up") == 0;
		n++;
	}
	snprintf(text, sizeof(text), "%s:%zu/%zu", mode, up, n);
	fact_tell(s, d->name, "net.bond", text, of(path, d, "bonding"));
}

static void tell_queues(const struct fact_sink *s, const struct netdev *d)
{
	char path[FACTS_PATH];
	struct facts_names queues;
	uint64_t n = 0;

	facts_names(of(path, d, "queues"), QUEUES_MAX, &queues);
	for (size_t i = 0; i < queues.n; i++)
		n += facts_numbered(queues.v[i], "rx-") >= 0;
	if (n > 0)
		fact_tell_u64(s, d->name, "net.queues", n, path);
	facts_names_free(&queues);
}

/* A device of hardware without a link has no speed; others need none. */
static void tell_speed(const struct fact_sink *s, const struct netdev *d)
{
	char path[FACTS_PATH], text[FACTS_NAME];
	uint64_t v;
	int failed = facts_line(of(path, d, "speed"), text, sizeof(text));

	if (facts_u64(path, &v) == 0 && v > 0 && v < UINT32_MAX)
		fact_tell_u64(s, d->name, "net.speed_bps", v * 1000000, path);
	else if (d->physical && failed && failed != ENOENT)
		fact_tell_errno(s, d->name, "net.speed_bps", path, failed);
	if (facts_line(of(path, d, "duplex"), text, sizeof(text)) == 0 &&
	    (strcmp(text, "full") == 0 || strcmp(text, "half") == 0))
		fact_tell(s, d->name, "net.duplex", text, path);
}

static void tell_from_sys(const struct fact_sink *s, const struct netdev *d)
{
	static const struct facts_row rows[] = {
		{ "net.state", "operstate", SAY_TEXT, ABSENT_SILENT },
		{ "net.mtu", "mtu", SAY_NUMBER, ABSENT_TOLD },
		{ "net.mac", "address", SAY_TEXT, ABSENT_SILENT },
		{ "net.carrier_changes", "carrier_changes", SAY_NUMBER, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};
	char path[FACTS_PATH], name[FACTS_NAME];

	snprintf(path, sizeof(path), CLASS "/%s", d->name);
	facts_say_all(s, d->name, path, rows);
	tell_speed(s, d);
	if (facts_link(of(path, d, "device/driver"), name, sizeof(name)) == 0)
		fact_tell(s, d->name, "net.driver", name, path);
	if (facts_link(of(path, d, "master"), name, sizeof(name)) == 0)
		fact_tell(s, d->name, "net.master", name, path);
	else
		fact_tell(s, d->name, "net.master", "none", path);
	tell_bond(s, d);
	tell_queues(s, d);
	if (d->physical)
		facts_say_pcie(s, d->name, "net", of(path, d, "device"));
}

static void tell_device(const struct fact_sink *s, const struct netdev *d, int fd)
{
	char kind[FACTS_NAME], path[FACTS_PATH];

	kind_of(d, fd, kind, sizeof(kind));
	if (d->in_sys) {
		snprintf(path, sizeof(path), CLASS "/%s", d->name);
		fact_tell(s, d->name, "net.kind", kind, path);
		tell_from_sys(s, d);
	} else {
		fact_tell(s, d->name, "net.kind", kind, "ethtool: driver");
		facts_net_ask(s, fd, d->name);
	}
	if (fd >= 0)
		facts_ethtool(s, fd, d);
}

static bool is_link_local(const struct sockaddr *a)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	if (a->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 16 == 0xa9fe;
	return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

static unsigned prefix_of(const struct sockaddr *mask)
{
	const struct sockaddr_in *v4 = (const void *)mask;
	const struct sockaddr_in6 *v6 = (const void *)mask;
	const unsigned char *bytes = v6->sin6_addr.s6_addr;
	size_t n = sizeof(v6->sin6_addr);
	unsigned bits = 0;

	if (mask->sa_family == AF_INET) {
		bytes = (const unsigned char *)&v4->sin_addr;
		n = sizeof(v4->sin_addr);
	}
	for (size_t i = 0; i < n; i++)
		for (unsigned b = bytes[i]; b; b &= b - 1)
			bits++;
	return bits;
}

static void note_address(struct netdev *devices, size_t n, const struct ifaddrs *a)
{
	char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];
	int family = a->ifa_addr ? a->ifa_addr->sa_family : AF_UNSPEC;
	const struct sockaddr_in *v4 = (const void *)a->ifa_addr;
	const struct sockaddr_in6 *v6 = (const void *)a->ifa_addr;

	if ((family != AF_INET && family != AF_INET6) || !a->ifa_netmask ||
	    is_link_local(a->ifa_addr))
		return;
	inet_ntop(family,
	          family == AF_INET ? (const void *)&v4->sin_addr : (const void *)&v6->sin6_addr,
	          address, sizeof(address));
	snprintf(text, sizeof(text), "%s/%u", address, prefix_of(a->ifa_netmask));
	for (size_t i = 0; i < n; i++)
		if (strcmp(devices[i].name, a->ifa_name) == 0)
			facts_set_add(&devices[i].addresses, text);
}

static void read_addresses(const struct fact_sink *s, struct netdev *devices, size_t n)
{
	struct ifaddrs *all;

	if (getifaddrs(&all) != 0) {
		fact_tell_errno(s, "", "net.addresses", "getifaddrs", errno);
		return;
	}
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		note_address(devices, n, a);
	freeifaddrs(all);
}

static void add_device(struct netdev **devices, size_t *n, size_t *cap, const char *name, int fd)
{
	struct netdev *d;
	char path[FACTS_PATH];

	if (strcmp(name, "lo") == 0 || !*name || *n == SEEN_MAX)
		return;
	hb_grow(devices, cap, *n + 1, sizeof(**devices));
	d = &(*devices)[(*n)++];
	*d = (struct netdev){ .in_sys = fd < 0 || facts_net_same(fd, name) };
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->physical = d->in_sys && facts_exists(of(path, d, "device"));
}

/* Those of this process's own network; in a captured tree those that it holds. */
static size_t list_devices(struct netdev **devices, int fd)
{
	struct buf text = BUF_INIT;
	struct facts_names names;
	char path[FACTS_PATH];
	const char *at, *line;
	size_t n = 0, cap = 0, len;

	*devices = NULL;
	if (sys_redirected()) {
		facts_names(CLASS, SEEN_MAX, &names);
		for (size_t i = 0; i < names.n; i++) {
			/* Modules leave files there that are no devices. */
			snprintf(path, sizeof(path), CLASS "/%s/mtu", names.v[i]);
			if (facts_exists(path))
				add_device(devices, &n, &cap, names.v[i], -1);
		}
		facts_names_free(&names);
		return n;
	}
	facts_file("/proc/net/dev", FACTS_LARGE, &text);
	for (at = buf_text(&text); (line = facts_next_line(&at, &len));) {
		const char *colon = memchr(line, ':', len);
		char name[FACTS_NAME];

		while (len > 0 && *line == ' ') {
			line++;
			len--;
		}
		if (!colon || colon <= line || colon - line >= (long)sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(colon - line), line);
		add_device(devices, &n, &cap, name, fd);
	}
	buf_free(&text);
	return n;
}

/* Containers' ends of cables without an address are none of a node's own. */
static bool is_told(const struct netdev *d, int fd)
{
	char kind[FACTS_NAME];

	kind_of(d, fd, kind, sizeof(kind));
	return d->addresses.n > 0 || fd < 0 || strcmp(kind, "veth") != 0;
}

static int compare_devices(const void *a, const void *b)
{
	const struct netdev *x = a, *y = b;
	bool x_first = x->physical || x->addresses.n > 0,
	     y_first = y->physical || y->addresses.n > 0;

	return x_first != y_first ? (int)y_first - (int)x_first : strverscmp(x->name, y->name);
}

void facts_net(const struct fact_sink *s)
{
	struct netdev *devices;
	int fd = facts_net_socket();
	size_t n = list_devices(&devices, fd), told = 0;

	facts_ip(s);
	if (!sys_redirected())
		read_addresses(s, devices, n);
	if (n > 0)
		qsort(devices, n, sizeof(*devices), compare_devices);
	for (size_t i = 0; i < n; i++) {
		struct netdev *d = &devices[i];
		struct buf addresses = BUF_INIT;

		if (told < NETDEVS_MAX && is_told(d, fd)) {
			tell_device(s, d, fd);
			facts_set_put(&d->addresses, &addresses);
			if (addresses.len > 0)
				fact_tell(s, d->name, "net.addresses", buf_text(&addresses),
				          "getifaddrs");
			if (told != i)
				devices[told] = *d;
			told++;
		}
		free(d->addresses.v);
		d->addresses = (struct facts_set){ NULL, 0, 0 };
		buf_free(&addresses);
	}
	facts_irqs(s, devices, told);
	free(devices);
	if (fd >= 0)
		close(fd);
}

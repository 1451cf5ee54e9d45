/* What drivers answer by ioctl: never in a captured tree. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"
#include "bench/core/sys_net.h"
#include "bench/facts/facts_net.h"

enum { STRINGS_MAX = 16384 };

int facts_net_socket(void)
{
	return sys_redirected() ? -1 : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static void mac_text(const struct ifreq *r, char *out, size_t n)
{
	const unsigned char *b = (const unsigned char *)r->ifr_hwaddr.sa_data;

	snprintf(out, n, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

bool facts_net_same(int fd, const char *name)
{
	struct ifreq r = { 0 };
	char path[FACTS_PATH], mac[FACTS_NAME], shown[FACTS_NAME];
	uint64_t index;

	snprintf(path, sizeof(path), "/sys/class/net/%s/ifindex", name);
	if (facts_u64(path, &index) != 0 || index != if_nametoindex(name))
		return false;
	snprintf(path, sizeof(path), "/sys/class/net/%s/address", name);
	if (sys_net_ioctl(fd, name, SIOCGIFHWADDR, &r) != 0 ||
	    r.ifr_hwaddr.sa_family != ARPHRD_ETHER || facts_line(path, shown, sizeof(shown)) != 0)
		return true;
	mac_text(&r, mac, sizeof(mac));
	return strcmp(mac, shown) == 0;
}

void facts_net_ask(const struct fact_sink *s, int fd, const char *name)
{
	struct ifreq r = { 0 };
	char mac[FACTS_NAME];
	int failed = sys_net_ioctl(fd, name, SIOCGIFMTU, &r);

	if (failed)
		fact_tell_errno(s, name, "net.mtu", "SIOCGIFMTU", failed);
	else
		fact_tell_u64(s, name, "net.mtu", (uint64_t)r.ifr_mtu, "SIOCGIFMTU");
	if (sys_net_ioctl(fd, name, SIOCGIFFLAGS, &r) == 0)
		fact_tell(s, name, "net.state",
		          (r.ifr_flags & IFF_UP) && (r.ifr_flags & IFF_RUNNING) ? "up" : "down",
		          "SIOCGIFFLAGS");
	if (sys_net_ioctl(fd, name, SIOCGIFHWADDR, &r) == 0 &&
	    r.ifr_hwaddr.sa_family == ARPHRD_ETHER) {
		mac_text(&r, mac, sizeof(mac));
		fact_tell(s, name, "net.mac", mac, "SIOCGIFHWADDR");
	}
}

bool facts_net_driver(int fd, const char *name, char *out, size_t n)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	*out = '\0';
	if (sys_ethtool(fd, name, &info) != 0)
		return false;
	snprintf(out, n, "%.*s", (int)sizeof(info.driver), info.driver);
	return *out != '\0';
}

/* Firmware, and the driver where /sys has not told it. */
static void tell_driver(const struct fact_sink *s, int fd, const struct netdev *d)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	char firmware[sizeof(info.fw_version) + 1], driver[sizeof(info.driver) + 1];
	int failed = sys_ethtool(fd, d->name, &info);

	if (failed) {
		if (d->physical)
			fact_tell_errno(s, d->name, "net.firmware", "ethtool: driver", failed);
		return;
	}
	snprintf(firmware, sizeof(firmware), "%.*s", (int)sizeof(info.fw_version), info.fw_version);
	snprintf(driver, sizeof(driver), "%.*s", (int)sizeof(info.driver), info.driver);
	if (!d->physical && *driver)
		fact_tell(s, d->name, "net.driver", driver, "ethtool: driver");
	if (*firmware && strcmp(firmware, "N/A") != 0)
		fact_tell(s, d->name, "net.firmware", firmware, "ethtool: driver");
}

static void tell_rings(const struct fact_sink *s, int fd, const struct netdev *d)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	int failed = sys_ethtool(fd, d->name, &ring);

	if (failed == EPERM)
		fact_tell_errno(s, d->name, "net.ring_rx", "ethtool: rings", failed);
	if (failed || ring.rx_max_pending == 0)
		return;
	fact_tell_u64(s, d->name, "net.ring_rx", ring.rx_pending, "ethtool: rings");
	fact_tell_u64(s, d->name, "net.ring_rx_max", ring.rx_max_pending, "ethtool: rings");
	fact_tell_u64(s, d->name, "net.ring_tx", ring.tx_pending, "ethtool: rings");
}

static void tell_pause(const struct fact_sink *s, int fd, const struct netdev *d)
{
	struct ethtool_pauseparam pause = { .cmd = ETHTOOL_GPAUSEPARAM };
	int failed = sys_ethtool(fd, d->name, &pause);

	if (failed == EPERM)
		fact_tell_errno(s, d->name, "net.pause_rx", "ethtool: pause", failed);
	if (failed)
		return;
	facts_yesno(s, d->name, "net.pause_rx", pause.rx_pause != 0, "ethtool: pause");
	facts_yesno(s, d->name, "net.pause_tx", pause.tx_pause != 0, "ethtool: pause");
}

static void tell_offloads(const struct fact_sink *s, int fd, const struct netdev *d)
{
	static const struct {
		const char *name;
		uint32_t command, bit;
	} offloads[] = {
		{ "gro", ETHTOOL_GGRO, 1 },
		{ "gso", ETHTOOL_GGSO, 1 },
		{ "lro", ETHTOOL_GFLAGS, ETH_FLAG_LRO },
		{ "rx", ETHTOOL_GRXCSUM, 1 },
		{ "sg", ETHTOOL_GSG, 1 },
		{ "tso", ETHTOOL_GTSO, 1 },
		{ "tx", ETHTOOL_GTXCSUM, 1 },
	};
	struct facts_set on = { NULL, 0, 0 };
	struct buf text = BUF_INIT;
	bool answered = false;

	for (size_t i = 0; i < sizeof(offloads) / sizeof(*offloads); i++) {
		struct ethtool_value v = { .cmd = offloads[i].command };

		if (sys_ethtool(fd, d->name, &v) != 0)
			continue;
		answered = true;
		if (v.data & offloads[i].bit)
			facts_set_add(&on, offloads[i].name);
	}
	facts_set_put(&on, &text);
	if (answered)
		fact_tell(s, d->name, "net.offloads", text.len ? buf_text(&text) : "none",
		          "ethtool: features");
	buf_free(&text);
}

/* The number of a device's statistics; 0: none, or the driver does not tell. */
static uint32_t count_statistics(int fd, const char *name)
{
	struct ethtool_sset_info *sets = hb_alloc(sizeof(*sets) + sizeof(sets->data[0]));
	uint32_t n = 0;

	sets->cmd = ETHTOOL_GSSET_INFO;
	sets->sset_mask = 1U << ETH_SS_STATS;
	if (sys_ethtool(fd, name, sets) == 0 && sets->sset_mask)
		n = sets->data[0];
	free(sets);
	return n;
}

/*
 * Adapters of this family have the counter rx_prioN_pause only for priorities whose flow control
 * (PFC) is switched on (kernel documentation, mlx5 counters): the names alone say which.
 */
static void tell_priorities(const struct fact_sink *s, int fd, const struct netdev *d)
{
	uint32_t n = count_statistics(fd, d->name);
	struct ethtool_gstrings *names;
	struct facts_set on = { NULL, 0, 0 };
	struct buf text = BUF_INIT;

	if (n == 0 || n > STRINGS_MAX)
		return;
	names = hb_alloc(sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	*names = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
		                            .string_set = ETH_SS_STATS,
		                            .len = n };
	if (sys_ethtool(fd, d->name, names) == 0) {
		for (uint32_t i = 0; i < n && i < names->len; i++) {
			const char *name = (const char *)names->data + (size_t)i * ETH_GSTRING_LEN;
			char priority[2] = { 0 };

			if (strnlen(name, ETH_GSTRING_LEN) != strlen("rx_prio0_pause") ||
			    memcmp(name, "rx_prio", 7) != 0 || memcmp(name + 8, "_pause", 6) != 0)
				continue;
			priority[0] = name[7];
			facts_set_add(&on, priority);
		}
		facts_set_put(&on, &text);
		fact_tell(s, d->name, "net.pause_priorities", text.len ? buf_text(&text) : "none",
		          "ethtool: names of counters");
	}
	free(names);
	buf_free(&text);
}

static void tell_link(const struct fact_sink *s, int fd, const struct netdev *d)
{
	struct ethtool_cmd link = { .cmd = ETHTOOL_GSET };
	uint32_t speed;

	if (sys_ethtool(fd, d->name, &link) != 0)
		return;
	speed = ethtool_cmd_speed(&link);
	if (speed > 0 && speed < INT32_MAX)
		fact_tell_u64(s, d->name, "net.speed_bps", (uint64_t)speed * 1000000,
		              "ethtool: link");
}

void facts_ethtool(const struct fact_sink *s, int fd, const struct netdev *d)
{
	char driver[FACTS_NAME];

	tell_driver(s, fd, d);
	tell_rings(s, fd, d);
	tell_pause(s, fd, d);
	tell_offloads(s, fd, d);
	if (facts_net_driver(fd, d->name, driver, sizeof(driver)) &&
	    strncmp(driver, "mlx5_core", strlen("mlx5_core")) == 0)
		tell_priorities(s, fd, d);
	if (!d->in_sys)
		tell_link(s, fd, d);
}

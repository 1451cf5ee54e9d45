/*
 * What the driver of a network device counts beside the kernel (ethtool -S). There may be thousands
 * of counters, most of them a queue's; those about losses, pauses, marks and priorities are taken.
 */
#include <ctype.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/counters_parts.h"
#include "bench/core/sys_net.h"

enum { ASKED_MAX = 65536, TAKEN_MAX = 512 };

static bool is_wanted(const char *name)
{
	static const char *const words[] = {
		"pause",         "prio",      "discard",  "drop",   "error",    "ecn",
		"marked",        "cnp",       "out_of_",  "symbol", "stall",    "oversize",
		"out_of_buffer", "link_down", "buf_full", "crc",    "overflow", "missed",
	};

	/* A queue's: "rx7_packets", "tx_queue_3_drops", "[3]: rx_errors". Sums stand elsewhere. */
	if (name[0] == '[')
		return false;
	for (const char *p = name; *p; p++)
		if (isdigit((unsigned char)*p) && p > name &&
		    ((p - name == 2 && (!strncmp(name, "rx", 2) || !strncmp(name, "tx", 2) ||
		                        !strncmp(name, "ch", 2))) ||
		     (p - name >= 6 && !strncmp(p - 6, "queue_", 6))))
			return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

static uint32_t how_many(int fd, const char *device)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	return sys_ethtool(fd, device, &info) == 0 && info.n_stats <= ASKED_MAX ? info.n_stats : 0;
}

static void add_all(struct counters *c, const char *device, const struct ethtool_gstrings *names,
                    const struct ethtool_stats *values)
{
	int taken = 0;

	for (uint32_t i = 0; i < names->len && taken < TAKEN_MAX; i++) {
		char name[ETH_GSTRING_LEN + 1];

		memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		name[ETH_GSTRING_LEN] = '\0';
		for (char *p = name; *p; p++)
			if (*p < '!' || *p > '~')
				*p = '_';
		if (!is_wanted(name))
			continue;
		/* The one that comes from a register of 32 bits. */
		counters_add(c, device, name, values->data[i],
		             strcmp(name, "rx_out_of_buffer") == 0 ? 32 : 64);
		taken++;
	}
}

void counters_add_driver(struct counters *c, const char *device)
{
	int fd = strlen(device) < IFNAMSIZ ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	uint32_t n = fd >= 0 ? how_many(fd, device) : 0;

	if (n > 0) {
		/* Room for more: the driver may have got queues meanwhile and tell what it has now.
		 */
		size_t room = (size_t)n * 2 + 64;
		struct ethtool_gstrings *names = hb_alloc(sizeof(*names) + room * ETH_GSTRING_LEN);
		struct ethtool_stats *values = hb_alloc(sizeof(*values) + room * sizeof(uint64_t));

		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = n;
		values->cmd = ETHTOOL_GSTATS;
		values->n_stats = n;
		if (sys_ethtool(fd, device, names) == 0 && sys_ethtool(fd, device, values) == 0 &&
		    names->len <= room && names->len == values->n_stats)
			add_all(c, device, names, values);
		free(names);
		free(values);
	}
	if (fd >= 0)
		close(fd);
}

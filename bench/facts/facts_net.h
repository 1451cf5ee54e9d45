/* Between the files about networks: a device, ioctl answers, interrupts. */
#ifndef HPCBENCH_FACTS_NET_H
#define HPCBENCH_FACTS_NET_H

#include "bench/facts/facts_parts.h"

enum { NETDEVS_MAX = 64 };

struct netdev {
	char name[FACTS_NAME];
	/* /sys shows this very device; where it shows another network's, ioctl alone is asked */
	bool in_sys;
	bool physical;
	struct facts_set addresses; /* "10.0.0.1/24", not link-local ones */
};

/* ---- facts_ethtool.c ---- */

/* A socket for the calls below; -1: none could be had (errno), or a captured tree is read. */
int facts_net_socket(void);
/* Is the device that /sys shows under this name the one of this process's network? */
bool facts_net_same(int fd, const char *name);
/* State, MTU and hardware address by ioctl. */
void facts_net_ask(const struct fact_sink *s, int fd, const char *name);
/* Driver and firmware, rings, pause, offloads, link speed where /sys is another's. */
void facts_ethtool(const struct fact_sink *s, int fd, const struct netdev *d);
/* The driver's name by ethtool; false: it has none. */
bool facts_net_driver(int fd, const char *name, char *out, size_t n);

/* ---- facts_irq.c ---- */

/* net.irq_cpus of the devices that have interrupts of their own. */
void facts_irqs(const struct fact_sink *s, const struct netdev *devices, size_t n);

/* ---- facts_ip.c ---- */

/* ip.*: the kernel's settings, the default route, the way to the harness. */
void facts_ip(const struct fact_sink *s);

#endif
